/*
 * sampling.h
 *	  Two recordings compared where each side has one: by the noise of sampling alone.
 *
 * Values are counts of samples times the value of one.  Where nothing changed, each of the
 * n samples of a key in both recordings is one of the second with probability
 * odds / (1 + odds), odds being the size factor: the count of the second is binomial, given
 * n (Przyborowski and Wilenski 1940).  p is twice the smaller tail that holds the observed
 * count, at most 1.  What one run differs from the next by other causes is not in it, so a
 * difference that is no noise here may be noise among runs.
 */
#ifndef FG_SAMPLING_H
#define FG_SAMPLING_H

#include "core/compare/difference.h"
#include "core/samples/level.h"

/* Of more samples the binomial distribution is taken for normal. */
#define FG_MOST_EXACT_SAMPLES 1e7

/* Of two whole counts, neither negative; odds > 0. */
extern double fg_counts_p_value(double before, double after, double odds);

/*
 * Every key of either recording.  unit > 0: the value of one sample; 0: nothing is tested,
 * and p and q are NaN, as error, t, df and stddev always are.  A key with a negative value is
 * not tested either.  Values after are divided by the factor.  q is p adjusted after Benjamini and Hochberg.  FG_ERROR_ARGUMENT for a
 * negative unit, FG_ERROR_RANGE for one that is not finite.
 */
extern bool fg_compare_recordings(FgContext *ctx, const FgTree *before, const FgTree *after,
								  FgLevel level, double factor, double unit,
								  FgWelchComparison *result);

#endif							/* FG_SAMPLING_H */
