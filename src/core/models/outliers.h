/*
 * outliers.h
 *	  Functions whose exclusive time changed more than that of the others, as Perun
 *	  finds them: by the modified z-score, by quartiles, and by the standard deviation.
 */
#ifndef FG_OUTLIERS_H
#define FG_OUTLIERS_H

#include "core/base/context.h"

typedef enum FgOutlierClass
{
	FG_OUTLIER_NONE,
	FG_OUTLIER_NOT_IN_BASELINE,
	FG_OUTLIER_NOT_IN_TARGET,
	FG_OUTLIER_SEVERE_DEGRADATION,
	FG_OUTLIER_SEVERE_OPTIMIZATION,
	FG_OUTLIER_DEGRADATION,
	FG_OUTLIER_OPTIMIZATION,
	FG_OUTLIER_MAYBE_DEGRADATION,
	FG_OUTLIER_MAYBE_OPTIMIZATION,
	FG_OUTLIER_TOTAL_DEGRADATION,	/* only of the sum */
	FG_OUTLIER_TOTAL_OPTIMIZATION
} FgOutlierClass;

/* "no_change", "not_in_baseline", ... */
extern const char *fg_outlier_word(FgOutlierClass result);

typedef struct FgOutlier
{
	size_t		function;		/* its number in the arrays */
	FgOutlierClass result;
	double		delta;			/* target - baseline */
	double		share;			/* delta / sum of the target, NaN when that is 0 */
	double		modified_z;
	double		iqr_multiple;	/* NaN: within the fences */
	double		stddev_multiple;
} FgOutlier;

typedef struct FgOutliers
{
	FgOutlier  *rows;			/* in the order of the arrays; to be freed with fg_release */
	size_t		count;
	double		total_delta;	/* of all functions */
	FgOutlierClass result;
} FgOutliers;

/*
 * Element i of the arrays is a function; a time on a side where it is not present counts
 * as 0.  Rows with |share| < cutoff, a fraction, are left out; those without share never.
 * FG_ERROR_RANGE for times, or differences, that are not finite.
 */
extern bool fg_outliers(FgContext *ctx, const double *baseline, const double *target,
						const bool *in_baseline, const bool *in_target, size_t n, double cutoff,
						FgOutliers *outliers);

#endif							/* FG_OUTLIERS_H */
