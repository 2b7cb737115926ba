/*
 * key_test.h
 *	  The t-test of each key of two groups of runs, from means and variances.
 *
 * With variance "own" each key has its own, one in each group (Welch 1947):
 *		t = delta / sqrt(v1 / n1 + v2 / n2).
 * With "moderated" the keys lend each other theirs (moderation.h).  s^2 is the pooled
 * variance of a key, d = n1 + n2 - 2, the covariate the logarithm of its mean over all runs:
 *		t = delta / sqrt(s~^2 (1 / n1 + 1 / n2)) with min(d + d0, k d) degrees of freedom.
 * Where one group is noisier than the other in a way that all keys show (the logarithm of the
 * ratio of their variances, on the same spline, explains more than FG_UNEQUAL times its error),
 * s^2 is that of a run before, values after have "ratio" times that, and
 *		t = delta / sqrt(s~^2 (1 / n1 + ratio / n2)).
 * A key that takes no part (its mean is not positive, or its variance is an outlier among
 * the others) is tested by its own variance.
 *
 * Floors are variances that a key cannot be below, because so much comes from drawing
 * samples.  That of a group without a single sample is 0, which says nothing when it has few
 * runs: so both together are at least what all runs have in common, the mean floor of a run
 * times 1 / n1 + 1 / n2.  An own variance is at least its floor.  With floors it is the factor over the
 * floor that keys have in common, and that is moderated: s^2 / floor, both pooled.  It is at
 * least 1, and never below the key's own; the variance of the difference is the factor times
 * the floor of both means, and the neighbours lend no more than FG_FLOOR_DF degrees of
 * freedom.
 */
#ifndef FG_KEY_TEST_H
#define FG_KEY_TEST_H

#include "core/compare/difference.h"
#include "core/compare/moderation.h"

#define FG_FLOOR_DF 20

/* Of equal variances the explained part follows chi-squared with at most four degrees of freedom: 1e-10. */
#define FG_UNEQUAL 52

/*
 * Sums of values that are not whole are rounded.  A deviation or a difference below this
 * part of the mean is such rounding: a key that every profile has at 0.1 is constant.
 */
#define FG_SUM_ROUNDING 1e-13

/* Of one key, before (0) and after (1), in the units of the profiles: not yet divided by the size factor. */
typedef struct FgKeySpread
{
	double		mean[2];
	double		sum[2];			/* over the runs */
	double		variance[2];	/* of the mean; NaN with fewer than two runs */
	double		floor[2];		/* of the variance of the mean; 0: none */
} FgKeySpread;

typedef struct FgKeyTesting
{
	double		n[2];			/* runs, at least 1 */
	double		factor;			/* by which values after are divided */
	FgVariance	variance;
	bool		floors;			/* else they are not looked at */
} FgKeyTesting;

/* Fills all of the rows but node and q, which it leaves as they are.  FG_ERROR_RANGE when a difference overflows. */
extern bool fg_test_keys(FgContext *ctx, const FgKeyTesting *testing, const FgKeySpread *spreads,
						 uint32_t count, FgDifference *rows);

/* Whether the groups have runs enough for any key to be tested. */
extern bool fg_can_test(const FgKeyTesting *testing);

#endif							/* FG_KEY_TEST_H */
