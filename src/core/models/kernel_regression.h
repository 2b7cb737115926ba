/*
 * kernel_regression.h
 *	  Kernel regression: a smoother (smoother.h) whose bandwidth is given or found by a
 *	  rule (bandwidth.h).
 *
 * x and y are finite and sorted (fg_series_sort).  A value that does not exist is NaN.
 */
#ifndef FG_KERNEL_REGRESSION_H
#define FG_KERNEL_REGRESSION_H

#include "core/models/bandwidth.h"

typedef enum FgEstimator
{
	FG_NADARAYA_WATSON,
	FG_LOCAL_LINEAR,
	FG_LOCAL_POLYNOMIAL
} FgEstimator;

#define FG_ESTIMATORS (FG_LOCAL_POLYNOMIAL + 1)

extern const char *fg_estimator_word(FgEstimator estimator);

/* Aliases included; FG_ERROR_ARGUMENT for any other word. */
extern bool fg_estimator_parse(FgContext *ctx, const char *text, size_t length,
							   FgEstimator *estimator);

/*
 * The degree of an estimator's polynomial; "order" is only looked at where it is asked
 * for.  FG_ERROR_ARGUMENT outside 0 .. FG_MAX_DEGREE.
 */
extern bool fg_estimator_degree(FgContext *ctx, FgEstimator estimator, int64_t order,
								uint32_t *degree);

typedef struct FgKernelFit
{
	double		bandwidth;		/* that was used */
	double		score;			/* the objective at it; NaN: there was no search */
	double		r_square;		/* at the data points */
	double		x_start;
	double		x_end;
} FgKernelFit;

/*
 * The model of n points.  With "at" NULL the n values of fitted are those at x, else the
 * "count" values at these points.  Without data (n = 0) everything is NaN.
 */
extern bool fg_kernel_regression(FgContext *ctx, const FgKernelOptions *options, const double *x,
								 const double *y, size_t n, const double *at, size_t count,
								 double *fitted, FgKernelFit *fit);

#endif							/* FG_KERNEL_REGRESSION_H */
