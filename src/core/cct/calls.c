/*
 * calls.c
 *	  Calls between functions, and functions by thread (see calls.h).
 */
#include "core/cct/calls.h"

#include "core/profile/transform.h"

#include <math.h>
#include <string.h>

static bool
chosen(FgCallChoice choice, uint32_t frame, uint32_t caller, uint32_t callee)
{
	switch (choice)
	{
		case FG_CALLS_TO:
			return callee == frame;
		case FG_CALLS_FROM:
			return caller == frame;
		default:
			return true;
	}
}

static bool
out_of_range(FgContext *ctx)
{
	return fg_fail(ctx, FG_ERROR_RANGE, "an inclusive value is out of range");
}

static bool
count_calls(FgContext *ctx, const FgTree *tree, FgCallChoice choice, uint32_t frame,
			const double *totals, FgTally *tally, double *total)
{
	FgWalk		walk;
	uint32_t	outermost = 0;
	bool		ok = fg_walk_begin(ctx, tree, &walk);

	while (ok && fg_walk_next(&walk))
	{
		uint32_t	caller = walk.depth == 1 ? FG_NONE
			: fg_key_frame(tree->key[fg_walk_parent(&walk)]);

		if (chosen(choice, frame, caller, walk.frame))
			ok = fg_tally_node(tally, &walk, caller, walk.frame, totals[walk.node]);
		if (choice == FG_CALLS_ALL || walk.frame != frame || fg_walk_below(&walk, outermost))
			continue;
		outermost = walk.node;
		*total += totals[walk.node];
	}
	if (!fg_walk_end(&walk) || !ok)
		return false;
	return total == NULL || isfinite(*total) || out_of_range(ctx);
}

bool
fg_calls(FgContext *ctx, const FgTree *tree, FgCallChoice choice, uint32_t frame, FgTally *tally,
		 double *total)
{
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	bool		ok;

	if (choice != FG_CALLS_ALL)
		*total = 0;
	ok = fg_tally_begin(ctx, tally) && totals != NULL && fg_tree_totals(ctx, tree, totals) &&
		count_calls(ctx, tree, choice, frame, totals, tally, total) &&
		fg_tally_finish(tally, tree->frames.count);
	fg_release(ctx, totals);
	if (!ok)
		fg_tally_free(tally);
	return ok;
}

/* --- threads -------------------------------------------------------------------- */

/* Counts what is below a start; outside[i] = 1 for the nodes that are in no thread. */
static bool
count_threads(FgContext *ctx, const FgTree *tree, const uint8_t *starts, const double *total,
			  FgTally *tally, uint8_t *outside)
{
	FgWalk		walk;
	uint32_t	start = 0;
	bool		ok = fg_walk_begin(ctx, tree, &walk);

	outside[0] = 1;
	while (ok && fg_walk_next(&walk))
	{
		bool		inside = fg_walk_below(&walk, start);
		bool		starting = !inside && (starts != NULL ? starts[walk.node] : walk.depth == 1);

		outside[walk.node] = !inside && !starting;
		if (starting)
			start = walk.node;
		else if (inside)
			ok = fg_tally_node(tally, &walk, fg_key_frame(tree->key[start]), walk.frame,
							   total[walk.node]);
	}
	return fg_walk_end(&walk) && ok;
}

/* The frames of the stacks that are in no thread. */
static bool
count_rest(FgContext *ctx, const FgTree *tree, const uint8_t *outside, FgTally *tally)
{
	FgTree		rest;
	double	   *total = NULL;
	bool		ok = fg_select_stacks(ctx, tree, outside, &rest);

	if (!ok)
		return false;
	total = fg_alloc(ctx, rest.frames.count, sizeof(double));
	ok = total != NULL && fg_frame_total_values(ctx, &rest, total);
	for (uint32_t f = 0; ok && f < rest.frames.count; f++)
	{
		uint32_t	frame = fg_frames_find(&tree->frames, fg_frame_bytes(&rest.frames, f),
										   fg_frame_length(&rest.frames, f));

		ok = fg_check_every(ctx, f) && fg_tally_add(tally, FG_NONE, frame, total[f]);
	}
	fg_release(ctx, total);
	fg_tree_free(ctx, &rest);
	return ok;
}

bool
fg_threads(FgContext *ctx, const FgTree *tree, const uint8_t *starts, FgTally *tally,
		   double *total)
{
	uint32_t	nframes = tree->frames.count;
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	uint8_t    *outside = fg_alloc(ctx, (size_t) tree->nnodes + 1, 1);
	bool		ok = fg_tally_begin(ctx, tally) && totals != NULL && outside != NULL;

	ok = ok && fg_tree_totals(ctx, tree, totals) &&
		count_threads(ctx, tree, starts, totals, tally, outside) &&
		(starts == NULL || count_rest(ctx, tree, outside, tally)) &&
		fg_tally_finish(tally, nframes);
	memset(total, 0, nframes * sizeof(double));
	for (uint32_t i = 0; ok && i < tally->pairs.count; i++)
	{
		ok = fg_check_every(ctx, i);
		total[tally->pairs.pairs[i].b] += tally->value[i];
	}
	for (uint32_t f = 0; ok && f < nframes; f++)
		ok = fg_check_every(ctx, f) && (isfinite(total[f]) || out_of_range(ctx));
	fg_release(ctx, totals);
	fg_release(ctx, outside);
	if (!ok)
		fg_tally_free(tally);
	return ok;
}
