/*
 * verdicts.c
 *	  What a comparison says about each box (see verdicts.h).
 */
#include "core/picture/verdicts.h"

#include "core/picture/change_parts.h"
#include "core/profile/tree_pair.h"

#include <math.h>
#include <string.h>

const double fg_class_ends[FG_DIFF_CLASSES - 1] = {1.2, 1.5, 2};

bool
fg_is_increase(FgDiffState state)
{
	return state >= FG_DIFF_INCREASE && state <= FG_DIFF_APPEARED;
}

bool
fg_is_decrease(FgDiffState state)
{
	return state >= FG_DIFF_DECREASE && state <= FG_DIFF_DISAPPEARED;
}

/* --- one key ----------------------------------------------------------------------- */

static FgDiffState
changed_state(double before, double after)
{
	bool		more = after > before;
	double		ratio = more ? after / before : before / after;
	int			class = 0;

	if (before == 0)
		return FG_DIFF_APPEARED;
	if (after == 0)
		return FG_DIFF_DISAPPEARED;
	while (class < FG_DIFF_CLASSES - 1 && ratio >= fg_class_ends[class])
		class++;
	return (FgDiffState) ((more ? FG_DIFF_INCREASE : FG_DIFF_DECREASE) + class);
}

static FgDiffState
state_of(const FgVerdict *verdict, FgVerdictsBy by, double alpha)
{
	double		larger = fmax(verdict->before, verdict->after);
	double		smaller = fmin(verdict->before, verdict->after);

	if (fg_is_unchanged(verdict->before, verdict->after))
		return FG_DIFF_SAME;
	if (by == FG_VERDICTS_NONE)
		return larger < FG_SAME_RATIO * smaller ? FG_DIFF_SAME
			: changed_state(verdict->before, verdict->after);
	if (isnan(verdict->q))
		return FG_DIFF_UNTESTED;
	return verdict->q <= alpha ? changed_state(verdict->before, verdict->after) : FG_DIFF_NOISE;
}

static bool
judge(FgContext *ctx, const FgWelchComparison *comparison, FgVerdictsBy by, double alpha,
	  FgVerdicts *verdicts)
{
	verdicts->count = comparison->count;
	verdicts->list = fg_alloc(ctx, comparison->count, sizeof(FgVerdict));
	if (verdicts->list == NULL)
		return false;
	for (uint32_t i = 0; i < comparison->count; i++)
	{
		const FgDifference *row = &comparison->rows[i];
		FgVerdict  *verdict = &verdicts->list[i];

		*verdict = (FgVerdict) {
			row->mean_before, row->mean_after, row->delta, row->error, row->df, row->q, FG_DIFF_SAME
		};
		verdict->state = state_of(verdict, by, alpha);
		if (verdict->state == FG_DIFF_SAME && verdict->q <= alpha)
			verdict->q = 1;		/* equal runs that a factor made differ in their last digits */
		verdicts->tested += !isnan(verdict->q);
		verdicts->significant += verdict->q <= alpha;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

bool
fg_verdict_interval(const FgVerdict *verdict, FgIntervals *intervals, double *lower,
					double *upper)
{
	FgDifference row = {.delta = verdict->delta, .error = verdict->error, .df = verdict->df};

	if (isnan(verdict->error))
		return false;
	fg_difference_interval(&row, intervals, lower, upper);
	return true;
}

/* --- boxes of keys ----------------------------------------------------------------- */

/* Keys that are stacks: the node at which each ends. */
static bool
give_to_contexts(FgContext *ctx, const FgTree *tree, const FgWelchComparison *comparison,
				 uint32_t *of)
{
	uint32_t	row = 0;
	FgTreePair	pair;
	FgTreeWalk	walk;
	bool		ok = true;

	if (!fg_tree_pair_begin(ctx, tree, &comparison->keys, &pair))
		return false;
	walk = fg_tree_pair_walk(&pair);
	while (ok && fg_tree_pair_next(&walk))
	{
		ok = fg_check_every(ctx, walk.node);
		if (walk.b == FG_NONE)
			continue;
		while (row < comparison->count && comparison->rows[row].node < walk.b)
			row++;
		if (row < comparison->count && comparison->rows[row].node == walk.b && walk.a != FG_NONE)
			of[walk.a] = row + 1;
	}
	fg_tree_pair_end(ctx, &pair);
	return ok;
}

/* Keys that are functions: all boxes of each. */
static bool
give_to_functions(FgContext *ctx, const FgTree *tree, const FgWelchComparison *comparison,
				  uint32_t *of)
{
	const FgFrames *frames = &comparison->keys.frames;
	uint32_t   *row = fg_alloc_zero(ctx, tree->frames.count, sizeof(uint32_t));
	bool		ok = row != NULL;

	for (uint32_t i = 0; ok && i < comparison->count; i++)
	{
		uint32_t	frame = fg_key_frame(comparison->keys.key[comparison->rows[i].node]);

		ok = fg_check_every(ctx, i);
		if (comparison->rows[i].node == 0)
			continue;
		frame = fg_frames_find(&tree->frames, fg_frame_bytes(frames, frame),
							   fg_frame_length(frames, frame));
		if (frame != FG_NONE)
			row[frame] = i + 1;
	}
	for (uint32_t i = 1; ok && i <= tree->nnodes; i++)
	{
		of[i] = row[fg_key_frame(tree->key[i])];
		ok = fg_check_every(ctx, i);
	}
	fg_release(ctx, row);
	return ok;
}

bool
fg_verdicts(FgContext *ctx, const FgTree *tree, const FgWelchComparison *comparison,
			FgLevel level, FgVerdictsBy by, double alpha, FgVerdicts *verdicts)
{
	bool		contexts = level == FG_LEVEL_NODE || level == FG_LEVEL_STACK;
	bool		ok;

	memset(verdicts, 0, sizeof(*verdicts));
	verdicts->of = fg_alloc_zero(ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	ok = verdicts->of != NULL && judge(ctx, comparison, by, alpha, verdicts) &&
		(contexts ? give_to_contexts(ctx, tree, comparison, verdicts->of)
		 : give_to_functions(ctx, tree, comparison, verdicts->of));
	if (ok)
		verdicts->of[0] = 0;
	else
		fg_verdicts_free(ctx, verdicts);
	return ok;
}

void
fg_verdicts_free(FgContext *ctx, FgVerdicts *verdicts)
{
	fg_release(ctx, verdicts->list);
	fg_release(ctx, verdicts->of);
	memset(verdicts, 0, sizeof(*verdicts));
}

/* --- histories --------------------------------------------------------------------- */

bool
fg_comparison_of_deviations(FgContext *ctx, FgDeviations *deviations,
							FgWelchComparison *comparison)
{
	*comparison = (FgWelchComparison) {.factor = 1};
	comparison->rows = fg_alloc(ctx, deviations->count, sizeof(FgDifference));
	if (comparison->rows == NULL)
		return false;
	for (uint32_t i = 0; i < deviations->count; i++)
	{
		const FgDeviation *row = &deviations->rows[i];

		comparison->rows[i] = (FgDifference) {
			.node = deviations->node[i], .mean_before = row->expected, .mean_after = row->actual,
			.delta = row->diff, .error = NAN, .t = NAN, .df = row->df,
			.p = deviations->p_value[i], .q = deviations->q_value[i], .stddev = row->stddev
		};
	}
	comparison->count = deviations->count;
	comparison->keys = deviations->keys;
	memset(&deviations->keys, 0, sizeof(deviations->keys));
	return fg_check(ctx);
}
