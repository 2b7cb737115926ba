/*
 * deviation_internal.h
 *	  What the parts of deviations share, and their tests look at by themselves.
 */
#ifndef FG_DEVIATION_INTERNAL_H
#define FG_DEVIATION_INTERNAL_H

#include "core/compare/deviation.h"

/* P(|T| > |t|) of the new run, t = score / sqrt(1 + 1/n) with n - 1 degrees of freedom. */
extern double fg_deviation_p_value(double score, double n);

/* diff / deviation; over a deviation of 0 infinite or 0, as the scoring wants it. */
extern double fg_deviation_score(const FgScoring *scoring, double diff, double deviation);

/* The deviation that min_std and poisson_unit demand at least of a value with this mean. */
extern double fg_deviation_floor(const FgScoring *scoring, double mean);

/*
 * Replaces the deviations, scores and p-values of the rows, which are those of each key
 * by itself, by those of deviation.h's moderation and noise.  noise NULL: unknown.
 */
extern bool fg_deviations_spread(FgDeviations *result, const FgScoring *scoring,
								 const FgDeviationNoise *noise);

#endif							/* FG_DEVIATION_INTERNAL_H */
