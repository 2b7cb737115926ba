/*
 * accumulator.c
 *	  Sum, minimum, maximum or moments of many profiles (see accumulator.h).
 */
#include "core/samples/accumulator.h"

#include "core/profile/algebra.h"

#include <string.h>

void
fg_accumulator_init(FgContext *ctx, FgAccumulator *accumulator, FgAccumulation kind)
{
	memset(accumulator, 0, sizeof(*accumulator));
	accumulator->ctx = ctx;
	accumulator->kind = kind;
}

void
fg_accumulator_free(FgAccumulator *accumulator)
{
	while (accumulator->count > 0)
		fg_moments_free(accumulator->ctx, &accumulator->partial[--accumulator->count]);
}

static bool
merge_pair(FgAccumulator *accumulator, const FgMoments *a, const FgMoments *b, FgMoments *merged)
{
	FgContext  *ctx = accumulator->ctx;

	memset(merged, 0, sizeof(*merged));
	switch (accumulator->kind)
	{
		case FG_ACCUMULATE_SUM:
			return fg_combine(ctx, &a->support, 1, &b->support, 1, &merged->support);
		case FG_ACCUMULATE_MIN:
			return fg_min(ctx, &a->support, &b->support, &merged->support);
		case FG_ACCUMULATE_MAX:
			return fg_max(ctx, &a->support, &b->support, &merged->support);
		case FG_ACCUMULATE_MOMENTS:
			break;
	}
	return fg_moments_merge(ctx, a, b, merged);
}

/* Replaces the two newest partial results by their union. */
static bool
merge_newest(FgAccumulator *accumulator)
{
	FgMoments  *older = &accumulator->partial[accumulator->count - 2];
	FgMoments  *newer = &accumulator->partial[accumulator->count - 1];
	FgMoments	merged;

	if (!merge_pair(accumulator, older, newer, &merged))
		return false;
	fg_moments_free(accumulator->ctx, newer);
	fg_moments_free(accumulator->ctx, older);
	*older = merged;
	accumulator->count--;
	return true;
}

/* What a tree costs to merge: its nodes, and its dictionary for tiny ones. */
static uint64_t
weight(const FgMoments *partial)
{
	return (uint64_t) partial->support.nnodes + partial->support.frames.count + 1;
}

/* A merge that failed leaves both its inputs, so the stack can fill up after errors. */
static bool
push(FgAccumulator *accumulator, FgMoments *partial)
{
	if (accumulator->count == FG_MAX_PARTIALS)
	{
		fg_moments_free(accumulator->ctx, partial);
		return fg_fail(accumulator->ctx, FG_ERROR_LIMIT, "an accumulator was used after errors");
	}
	accumulator->partial[accumulator->count++] = *partial;
	while (accumulator->count > 1)
	{
		const FgMoments *newest = &accumulator->partial[accumulator->count - 1];

		if (weight(newest - 1) >= 2 * weight(newest) && accumulator->count < FG_MAX_PARTIALS)
			break;
		if (!merge_newest(accumulator))
			return false;
	}
	return true;
}

bool
fg_accumulator_add(FgAccumulator *accumulator, FgTree *tree)
{
	FgMoments	partial = {.support = *tree};

	if (accumulator->kind == FG_ACCUMULATE_MOMENTS)
		return fg_moments_of_one(accumulator->ctx, tree, &partial) && push(accumulator, &partial);
	memset(tree, 0, sizeof(*tree));
	return push(accumulator, &partial);
}

bool
fg_accumulator_add_moments(FgAccumulator *accumulator, FgMoments *moments)
{
	FgMoments	partial = *moments;

	memset(moments, 0, sizeof(*moments));
	return push(accumulator, &partial);
}

const FgMoments *
fg_accumulator_moments(FgAccumulator *accumulator)
{
	if (accumulator->count == 0)
	{
		FgTree		empty;

		if (!fg_tree_empty(accumulator->ctx, &empty) || !fg_accumulator_add(accumulator, &empty))
			return NULL;
	}
	while (accumulator->count > 1)
	{
		if (!merge_newest(accumulator))
			return NULL;
	}
	return &accumulator->partial[0];
}

const FgTree *
fg_accumulator_total(FgAccumulator *accumulator)
{
	const FgMoments *total = fg_accumulator_moments(accumulator);

	return total != NULL ? &total->support : NULL;
}
