/*
 * accumulator.c
 *	  The sum of many profiles (see accumulator.h).
 */
#include "accumulator.h"

#include "algebra.h"

#include <string.h>

void
fg_accumulator_init(FgContext *ctx, FgAccumulator *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->ctx = ctx;
}

void
fg_accumulator_free(FgAccumulator *sum)
{
	while (sum->count > 0)
		fg_tree_free(sum->ctx, &sum->partial[--sum->count]);
}

/* Replaces the two newest partial sums by their sum. */
static bool
merge_newest(FgAccumulator *sum)
{
	FgTree	   *older = &sum->partial[sum->count - 2];
	FgTree	   *newer = &sum->partial[sum->count - 1];
	FgTree		merged;

	if (!fg_combine(sum->ctx, older, 1, newer, 1, &merged))
		return false;
	fg_tree_free(sum->ctx, newer);
	fg_tree_free(sum->ctx, older);
	*older = merged;
	sum->count--;
	return true;
}

/* What a tree costs to merge: its nodes, and its dictionary for tiny ones. */
static uint64_t
weight(const FgTree *tree)
{
	return (uint64_t) tree->nnodes + tree->frames.count + 1;
}

bool
fg_accumulator_add(FgAccumulator *sum, FgTree *tree)
{
	sum->partial[sum->count++] = *tree;
	memset(tree, 0, sizeof(*tree));
	while (sum->count > 1 &&
		   (weight(&sum->partial[sum->count - 2]) < 2 * weight(&sum->partial[sum->count - 1]) ||
			sum->count == FG_MAX_PARTIAL_SUMS))
	{
		if (!merge_newest(sum))
			return false;
	}
	return true;
}

const FgTree *
fg_accumulator_total(FgAccumulator *sum)
{
	if (sum->count == 0)
	{
		if (!fg_tree_empty(sum->ctx, &sum->partial[0]))
			return NULL;
		sum->count = 1;
	}
	while (sum->count > 1)
	{
		if (!merge_newest(sum))
			return NULL;
	}
	return &sum->partial[0];
}
