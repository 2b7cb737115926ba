/*
 * accumulator.h
 *	  The sum of many profiles.
 *
 * Workload: a few hundred profiles of one benchmark with tens of thousands of
 * nodes each, or a million profiles of ten nodes.  Adding each to the running
 * sum would cost (profiles x size of the sum); so partial sums are kept on a
 * stack and merged when the newer one has grown to half of the older, as in a
 * binary counter.  Every node then takes part in O(log n) merges.  Merging
 * profiles over the same stacks costs no more than adding one by one, because
 * each merge leaves one value where there were two.
 */
#ifndef FG_ACCUMULATOR_H
#define FG_ACCUMULATOR_H

#include "tree.h"

/* Sizes at least double from the top down, so 2^27 nodes never need more. */
#define FG_MAX_PARTIAL_SUMS 64

typedef struct FgAccumulator
{
	FgContext  *ctx;
	uint32_t	count;
	FgTree		partial[FG_MAX_PARTIAL_SUMS];	/* each at least twice the next */
} FgAccumulator;

extern void fg_accumulator_init(FgContext *ctx, FgAccumulator *sum);
extern void fg_accumulator_free(FgAccumulator *sum);

/*
 * Adds a tree and takes it over (also when it fails).  FG_ERROR_RANGE when a
 * stack's sum overflows, FG_ERROR_LIMIT when there are too many nodes.
 */
extern bool fg_accumulator_add(FgAccumulator *sum, FgTree *tree);

/*
 * Merges everything into partial[0] and returns it (the accumulator keeps it and
 * goes on); an empty tree when nothing was added; NULL with the error set.
 */
extern const FgTree *fg_accumulator_total(FgAccumulator *sum);

#endif							/* FG_ACCUMULATOR_H */
