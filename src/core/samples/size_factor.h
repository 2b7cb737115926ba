/*
 * size_factor.h
 *	  By how much recordings of one group must be divided to compare with those of
 *	  another, when their length was fixed and not their work.
 */
#ifndef FG_SIZE_FACTOR_H
#define FG_SIZE_FACTOR_H

#include "core/samples/level.h"
#include "core/samples/moments.h"

typedef enum FgSizeFactor
{
	FG_SIZE_NONE,				/* 1 */
	FG_SIZE_MEDIAN_RATIO,		/* median of after / before over the stacks of both */
	FG_SIZE_TOTAL,				/* total(after) / total(before) */
	FG_SIZE_STABLE				/* of what did not change (compare/stable_factor.h); here the median ratio, its start */
} FgSizeFactor;

/*
 * The factor between two means (before, after).  The median ratio is taken over
 * stacks that both groups have and whose mean over both is at least min_mean
 * (Anders & Huber 2010, eq. 5, for two samples): one stack that grew does not
 * move it.  *defined is false when there is no such stack, or a total is not
 * positive.
 * FG_ERROR_RANGE when the factor is no positive double, or min_mean not finite.
 */
extern bool fg_size_factor(FgContext *ctx, const FgTree *before, const FgTree *after,
						   FgSizeFactor method, double min_mean, double *factor, bool *defined);

/*
 * The factor between the means of two groups; FG_ERROR_ARGUMENT when it is not defined.  Who has
 * no argument min_mean gives another hint then.
 */
extern const char fg_min_mean_hint[];
extern bool fg_size_factor_of_groups(FgContext *ctx, const FgGroup *before, const FgGroup *after,
									 FgLevel level, FgSizeFactor method, double min_mean,
									 double *factor);

#endif							/* FG_SIZE_FACTOR_H */
