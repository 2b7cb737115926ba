/*
 * diff_runs.c
 *	  What differences are of (see diff_runs.h).
 */
#include "core/picture/diff_runs.h"

#include "core/compare/max_t.h"
#include "core/compare/observations.h"
#include "core/compare/sampling.h"
#include "core/picture/group_means.h"
#include "core/profile/walk.h"
#include "core/svg/drawing.h"

#include <math.h>
#include <string.h>

/* The size factor that groups are compared with, too (compare_profiles). */
#define MIN_MEAN 5

/* How exact values are that are left of inclusive ones, as a share of the total. */
#define LEFT_OF_TOTALS 1e-12

/* --- one recording a side ----------------------------------------------------------- */

static const char factor_hint[] =
"It needs a stack that both profiles have, with a mean of at least 5, or positive totals.";

static bool
factor_of(FgContext *ctx, const FgTree *before, const FgTree *after, FgSizeFactor size,
		  double *factor)
{
	bool		defined;

	if (!fg_size_factor(ctx, before, after, size, MIN_MEAN, factor, &defined))
		return false;
	return defined ||
		fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, factor_hint, "the size factor is not defined");
}

bool
fg_diff_recordings(const FgTree *before, const FgTree *after, double unit,
				   const FgDiffOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	FgWelchComparison comparison;
	FgTree		drawn;
	FgDiffInput input = {
		.before = before, .after = &drawn, .comparison = &comparison, .runs = {1, 1},
		.by = unit == 0 ? FG_VERDICTS_NONE : FG_VERDICTS_SAMPLING,
		.test = "exact conditional binomial test of sampling noise, q after Benjamini and Hochberg"
	};
	double		factor;
	bool		ok;

	if (!factor_of(ctx, before, after, options->size, &factor) ||
		!fg_compare_recordings(ctx, before, after, options->level, factor, unit, &comparison))
		return false;
	ok = fg_divided(ctx, after, factor, &drawn);
	if (ok)
	{
		ok = fg_diff_svg(&input, options, svg);
		fg_tree_free(ctx, &drawn);
	}
	fg_comparison_free(ctx, &comparison);
	return ok;
}

/* --- groups -------------------------------------------------------------------------- */

/* Pictures have no argument min_mean. */
static bool
compared(FgContext *ctx, bool ok)
{
	if (!ok && ctx->error.hint == fg_min_mean_hint)
		ctx->error.hint = factor_hint;
	return ok;
}

static FgCompareOptions
compare_options(const FgDiffTest *test, const FgDiffOptions *options)
{
	return (FgCompareOptions) {
		.level = options->level, .size = options->size, .min_mean = MIN_MEAN, .min_df = 1,
		.correction = test->correction
	};
}

static const char *
test_words(const FgDiffTest *test)
{
	static const char *const words[] = {
		[FG_CORRECT_BH] = "Welch's test, q after Benjamini and Hochberg",
		[FG_CORRECT_HOLM] = "Welch's test, q after Holm",
		[FG_CORRECT_BONFERRONI] = "Welch's test, q after Bonferroni",
		[FG_CORRECT_NONE] = "Welch's test, not corrected"
	};

	return test->max_t ? "maxT of Welch's test by relabelling" : words[test->correction];
}

static bool
draw_means(FgContext *ctx, const FgTree *before, const FgTree *after, const FgDiffInput *given,
		   const FgDiffOptions *options, FgBuffer *svg)
{
	FgDiffInput input = *given;

	input.before = before;
	input.after = after;
	return fg_check(ctx) && fg_diff_svg(&input, options, svg);
}

/* The mean of one side, divided by a factor. */
typedef bool (*MeanOf) (FgContext *ctx, void *arg, int side, double factor, FgTree *mean);

/* Both sides of a comparison, after at the speed of before. */
static bool
draw_sides(FgContext *ctx, MeanOf mean_of, void *arg, const FgDiffInput *input,
		   const FgDiffOptions *options, FgBuffer *svg)
{
	FgTree		before;
	FgTree		after;
	bool		ok;

	if (!mean_of(ctx, arg, FG_BEFORE, 1, &before))
		return false;
	ok = mean_of(ctx, arg, FG_AFTER, input->comparison->factor, &after);
	if (ok)
	{
		ok = draw_means(ctx, &before, &after, input, options, svg);
		fg_tree_free(ctx, &after);
	}
	fg_tree_free(ctx, &before);
	return ok;
}

static bool
mean_of_tee(FgContext *ctx, void *arg, int side, double factor, FgTree *mean)
{
	return fg_tee_mean(ctx, (FgTee *) arg + side, factor, mean);
}

static bool
mean_of_group(FgContext *ctx, void *arg, int side, double factor, FgTree *mean)
{
	return fg_group_mean(ctx, (const FgGroup *) arg + side, factor, mean);
}

typedef struct Groups
{
	const FgProfiles *side[FG_SIDES];
	const FgDiffTest *test;
	const FgCompareOptions *compare;
} Groups;

/* Keys that are stacks or contexts: the test's moments know the means, too. */
static bool
draw_stacks(FgContext *ctx, const Groups *g, FgDiffInput *input, FgWelchComparison *comparison,
			const FgDiffOptions *options, FgBuffer *svg)
{
	FgAccumulator moments[FG_SIDES];
	FgGroup		groups[FG_SIDES];
	bool		ok = true;

	for (int s = 0; s < FG_SIDES; s++)
		fg_accumulator_init(ctx, &moments[s], FG_ACCUMULATE_MOMENTS);
	for (int s = 0; ok && s < FG_SIDES; s++)
		ok = fg_group_of_stacks(ctx, g->side[s], options->level, &moments[s], &groups[s]);
	ok = ok && fg_compare(ctx, &groups[FG_BEFORE], &groups[FG_AFTER], g->compare, comparison);
	if (ok)
	{
		ok = draw_sides(ctx, mean_of_group, groups, input, options, svg);
		fg_comparison_free(ctx, comparison);
	}
	for (int s = 0; s < FG_SIDES; s++)
		fg_accumulator_free(&moments[s]);
	return ok;
}

/* Other keys, and maxT, which reads more than once: means are added up beside the test. */
static bool
draw_keys(FgContext *ctx, const Groups *g, FgDiffInput *input, FgWelchComparison *comparison,
		  const FgDiffOptions *options, FgBuffer *svg)
{
	static const FgProfiles no_noise[2] = {{.count = 0}, {.count = 0}};
	FgTee		tees[FG_SIDES];
	bool		ok;

	for (int s = 0; s < FG_SIDES; s++)
		fg_tee_begin(ctx, g->side[s], &tees[s]);
	ok = g->test->max_t
		? fg_max_t(ctx, &tees[FG_BEFORE].profiles, &tees[FG_AFTER].profiles, no_noise, g->compare,
				   g->test->permutations, g->test->seed, comparison)
		: fg_compare_profiles(ctx, &tees[FG_BEFORE].profiles, &tees[FG_AFTER].profiles, no_noise,
							  g->compare, NULL, comparison);
	if (ok)
	{
		ok = draw_sides(ctx, mean_of_tee, tees, input, options, svg);
		fg_comparison_free(ctx, comparison);
	}
	for (int s = 0; s < FG_SIDES; s++)
		fg_tee_end(&tees[s]);
	return ok;
}

bool
fg_diff_groups(const FgProfiles *before, const FgProfiles *after, const FgDiffTest *test,
			   const FgDiffOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	FgCompareOptions compare = compare_options(test, options);
	FgCheckedProfiles checked[FG_SIDES];
	FgWelchComparison comparison;
	FgDiffInput input = {
		.comparison = &comparison, .by = FG_VERDICTS_RUNS, .runs = {before->count, after->count},
		.test = test_words(test)
	};
	Groups		groups = {
		{&checked[FG_BEFORE].profiles, &checked[FG_AFTER].profiles}, test, &compare
	};

	fg_check_profiles(before, "before", &checked[FG_BEFORE]);
	fg_check_profiles(after, "after", &checked[FG_AFTER]);
	if (before->count == 0 || after->count == 0)
		return fg_checked_profiles_read(ctx, &checked[FG_BEFORE]) &&
			fg_checked_profiles_read(ctx, &checked[FG_AFTER]) && fg_diff_svg(NULL, options, svg);
	if (test->max_t || (options->level != FG_LEVEL_STACK && options->level != FG_LEVEL_NODE))
		return compared(ctx, draw_keys(ctx, &groups, &input, &comparison, options, svg));
	return compared(ctx, draw_stacks(ctx, &groups, &input, &comparison, options, svg));
}

/* --- statistics ---------------------------------------------------------------------- */

/* Self values from inclusive ones; what is left of cancelled sums is 0. */
static bool
take_children_away(FgContext *ctx, FgTree *mean)
{
	size_t		nodes = (size_t) mean->nnodes + 1;
	uint32_t   *parents = fg_alloc(ctx, nodes, sizeof(uint32_t));
	double	   *total = fg_alloc(ctx, nodes, sizeof(double));
	double		whole = 0;
	bool		ok = parents != NULL && total != NULL && fg_tree_parents(ctx, mean, parents);

	if (ok)
		memcpy(total, mean->self, nodes * sizeof(double));
	for (uint32_t i = 1; ok && i < nodes; i++)
	{
		if (parents[i] == 0)
			whole += total[i];
		else
			mean->self[parents[i]] -= total[i];
		ok = fg_check_every(ctx, i);
	}
	for (uint32_t i = 0; ok && i < nodes; i++)
	{
		if (fabs(mean->self[i]) <= 1e-9 * whole)
			mean->self[i] = 0;
		ok = fg_check_every(ctx, i);
	}
	fg_release(ctx, parents);
	fg_release(ctx, total);
	return ok && fg_tree_prune_zeros(ctx, mean);
}

typedef struct Stats
{
	const FgGroup *side[FG_SIDES];
	FgLevel		level;
} Stats;

static bool
mean_of_stats(FgContext *ctx, void *arg, int side, double factor, FgTree *mean)
{
	const Stats *stats = arg;
	const FgGroup *group = stats->side[side];
	bool		ok;

	if (!fg_moments_mean(ctx, group->moments, (double) group->n, mean))
		return false;
	ok = stats->level == FG_LEVEL_STACK || take_children_away(ctx, mean);
	for (uint32_t i = 0; ok && i <= mean->nnodes; i++)
		mean->self[i] /= factor;
	if (!ok)
		fg_tree_free(ctx, mean);
	return ok;
}

bool
fg_diff_stats(const FgGroup *before, const FgGroup *after, const FgDiffTest *test,
			  const FgDiffOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	FgCompareOptions compare = compare_options(test, options);
	FgWelchComparison comparison;
	FgDiffInput input = {
		.comparison = &comparison, .by = FG_VERDICTS_RUNS, .runs = {before->n, after->n},
		.test = test_words(test)
	};
	Stats		stats = {{before, after}, options->level};
	bool		ok;

	if (options->level == FG_LEVEL_NODE)
		input.rounding = LEFT_OF_TOTALS;
	if (before->n == 0 || after->n == 0)
		return fg_diff_svg(NULL, options, svg);
	if (options->level != FG_LEVEL_NODE && options->level != FG_LEVEL_STACK)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Levels node and stack have one.",
						  "statistics of level \"%s\" have no tree to draw",
						  fg_level_word(options->level));
	if (!compared(ctx, fg_compare(ctx, before, after, &compare, &comparison)))
		return false;
	ok = draw_sides(ctx, mean_of_stats, &stats, &input, options, svg);
	fg_comparison_free(ctx, &comparison);
	return ok;
}

/* --- one run against its history ------------------------------------------------------ */

/* Of one run before nothing but the values is known. */
static bool
compare_with_one(FgContext *ctx, FgTee *tee, const FgTree *run, FgWelchComparison *comparison)
{
	FgTree		before;
	bool		ok;

	if (!tee->profiles.read(ctx, tee, 0, &before))
		return false;
	ok = fg_compare_recordings(ctx, &before, run, FG_LEVEL_FRAME, 1, 0, comparison);
	fg_tree_free(ctx, &before);
	return ok;
}

static bool
compare_with_history(FgContext *ctx, FgTee *tee, const FgTree *run, int64_t window, double unit,
					 FgWelchComparison *comparison)
{
	FgScoring	scoring = FG_DEFAULT_SCORING;
	FgDeviations deviations;
	bool		ok;

	scoring.poisson_unit = unit;
	if (tee->from->count == 1 && window >= FG_LEAST_HISTORY)
		return fg_scoring_check(ctx, &scoring) && compare_with_one(ctx, tee, run, comparison);
	if (!fg_deviations(ctx, &tee->profiles, run, window, FG_METRIC_TOTAL, &scoring, NULL,
					   &deviations))
		return false;
	ok = fg_comparison_of_deviations(ctx, &deviations, comparison);
	fg_deviations_free(&deviations);
	return ok;
}

bool
fg_diff_history(const FgProfiles *history, const FgTree *run, int64_t window, double unit,
				const FgDiffOptions *given, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	FgDiffOptions options = *given;
	FgWelchComparison comparison;
	FgDiffInput input = {
		.comparison = &comparison, .by = FG_VERDICTS_HISTORY,
		.test = "deviation scores, q after Benjamini and Hochberg"
	};
	FgCheckedProfiles checked;
	FgTree		mean;
	FgTee		tee;
	bool		ok;

	options.level = FG_LEVEL_FRAME;
	options.size = FG_SIZE_NONE;
	if (!fg_check_not_negative(ctx, run, fg_negative_hint))
		return false;
	if (history->count == 0)
		return fg_diff_svg(NULL, &options, svg);
	fg_check_profiles(history, "before", &checked);
	fg_tee_begin(ctx, &checked.profiles, &tee);
	ok = compare_with_history(ctx, &tee, run, window, unit, &comparison);
	if (ok)
	{
		input.runs[FG_BEFORE] = tee.added;
		input.runs[FG_AFTER] = 1;
		ok = fg_tee_mean(ctx, &tee, 1, &mean);
		if (ok)
		{
			ok = draw_means(ctx, &mean, run, &input, &options, svg);
			fg_tree_free(ctx, &mean);
		}
		fg_comparison_free(ctx, &comparison);
	}
	fg_tee_end(&tee);
	return ok;
}
