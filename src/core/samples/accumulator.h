/*
 * accumulator.h
 *	  Sum, minimum, maximum or moments of many profiles.
 *
 * Workload: a few hundred profiles of one benchmark with tens of thousands of
 * nodes each, or a million profiles of ten nodes.  Adding each to the running
 * result would cost (profiles x size of the result); so partial results are kept
 * on a stack and merged when the newer one has grown to half of the older, as in
 * a binary counter.  Every node then takes part in O(log n) merges.  Merging
 * profiles over the same stacks costs no more than adding one by one, because
 * each merge leaves one value where there were two.
 *
 * For a sum even the merges are too many: 200 recordings of 60,000 nodes have a sum of 202,695,
 * and 31.6 M nodes went through merges where 12 M were added.  So from the fourth profile on they
 * are added in place (tree_sum.h), one after the other.
 *
 * Moments of single profiles are made of four at once (moments_of_four.h): each waits for three others.
 *
 * And small profiles, once they are many, are summed up node by node (gathering.h), where a
 * profile that has the stacks of an earlier one costs a look-up of its encoded form.
 */
#ifndef FG_ACCUMULATOR_H
#define FG_ACCUMULATOR_H

#include "core/merging/tree_sum.h"
#include "core/samples/gathering.h"
#include "core/samples/moments_of_four.h"

typedef enum FgAccumulation
{
	FG_ACCUMULATE_SUM,
	FG_ACCUMULATE_MIN,			/* absent = 0 */
	FG_ACCUMULATE_MAX,
	FG_ACCUMULATE_MOMENTS
} FgAccumulation;

/* Sizes at least double from the top down, so 2^27 nodes never need more. */
#define FG_MAX_PARTIALS 64

/* Of partial[i] only support is used, unless moments are accumulated. */
typedef struct FgAccumulator
{
	FgContext  *ctx;
	FgAccumulation kind;
	uint64_t	profiles;		/* of a sum: how many were added */
	FgTreeSum  *sum;			/* of a sum, beside the partial results, or NULL */
	uint32_t	small_profiles; /* of a sum: how many were small until they are gathered */
	FgGathering *gathering;		/* of a sum, beside both, or NULL */
	uint32_t	waiting;		/* of moments */
	FgTree		profile[FG_FOUR];	/* those that wait */
	uint32_t	count;
	FgMoments	partial[FG_MAX_PARTIALS];	/* each at least twice the next */
} FgAccumulator;

extern void fg_accumulator_init(FgContext *ctx, FgAccumulator *accumulator,
								FgAccumulation kind);
extern void fg_accumulator_free(FgAccumulator *accumulator);

/*
 * Adds a profile and takes it over (also when it fails).  FG_ERROR_RANGE when a
 * stack's value overflows, FG_ERROR_LIMIT when there are too many nodes.
 */
extern bool fg_accumulator_add(FgAccumulator *accumulator, FgTree *tree);

/* The same by the encoded form, which stays the caller's. */
extern bool fg_accumulator_add_encoded(FgAccumulator *accumulator, const uint8_t *bytes,
									   size_t size);

/* Adds the moments of a sample, likewise; only to FG_ACCUMULATE_MOMENTS. */
extern bool fg_accumulator_add_moments(FgAccumulator *accumulator, FgMoments *moments);

/*
 * Merges everything into partial[0] and returns it (the accumulator keeps it and
 * goes on); an empty tree when nothing was added; NULL with the error set.
 */
extern const FgTree *fg_accumulator_total(FgAccumulator *accumulator);
extern const FgMoments *fg_accumulator_moments(FgAccumulator *accumulator);

#endif							/* FG_ACCUMULATOR_H */
