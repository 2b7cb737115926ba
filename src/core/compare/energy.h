/*
 * energy.h
 *	  The energy-distance test of two groups of profiles: is there a difference at all?
 *
 * The statistic of Szekely and Rizzo (2004), with L1 distances d and groups of n and m:
 *		T = nm / (n + m) (2 mean d(x, y) - mean d(x, x') - mean d(y, y')),
 * the means over all pairs, those of a profile with itself included.  It needs no
 * covariance, so there may be more stacks than profiles.  With the L1 distance it is the
 * sum over the stacks of the one-dimensional energy distances: it sees any difference in
 * the distribution of the value of some stack.
 *
 * The p-value is the share of relabellings of the profiles with a T at least as large.
 */
#ifndef FG_ENERGY_H
#define FG_ENERGY_H

#include "core/samples/distances.h"

/* Up to so many relabellings all are taken, and none at random. */
#define FG_EXACT_RELABELLINGS 20000

typedef struct FgEnergyTest
{
	double		statistic;
	double		p_value;
	bool		exact;
} FgEnergyTest;

/*
 * Of the first "before" profiles against the others; at least one on either side.
 * permutations >= 1.  Neither the order of the profiles in a group nor which group is
 * called the first changes a result.
 */
extern bool fg_energy_test(FgContext *ctx, const FgDistances *distances, size_t before,
						   uint32_t permutations, uint64_t seed, FgEnergyTest *test);

#endif							/* FG_ENERGY_H */
