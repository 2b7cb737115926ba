/*
 * kernel_regression.h
 *	  Kernel regression: Nadaraya-Watson and local polynomials (spec: models, section 5).
 *
 * x and y are finite and sorted (fg_series_sort).  A value that does not exist is NaN.
 */
#ifndef FG_KERNEL_REGRESSION_H
#define FG_KERNEL_REGRESSION_H

#include "core/models/kernel.h"

/* Beyond this degree double precision has nothing left to say. */
#define FG_MAX_DEGREE 20

typedef enum FgEstimator
{
	FG_NADARAYA_WATSON,
	FG_LOCAL_LINEAR,
	FG_LOCAL_POLYNOMIAL
} FgEstimator;

#define FG_ESTIMATORS (FG_LOCAL_POLYNOMIAL + 1)

extern const char *fg_estimator_word(FgEstimator estimator);

/* Aliases included; FG_ERROR_ARGUMENT for any other word. */
extern bool fg_estimator_of_word(FgContext *ctx, const char *word, size_t length,
								 FgEstimator *estimator);

/*
 * The degree of an estimator's polynomial; "order" is only looked at where it is asked
 * for.  FG_ERROR_ARGUMENT outside 0 .. FG_MAX_DEGREE.
 */
extern bool fg_estimator_degree(FgContext *ctx, FgEstimator estimator, int64_t order,
								uint32_t *degree);

typedef enum FgBandwidthRule
{
	FG_BANDWIDTH_GIVEN,			/* no rule: a number */
	FG_BANDWIDTH_SCOTT,
	FG_BANDWIDTH_SILVERMAN,
	FG_BANDWIDTH_CV_LS,
	FG_BANDWIDTH_AIC
} FgBandwidthRule;

#define FG_BANDWIDTH_RULES (FG_BANDWIDTH_AIC + 1)

/* How y is smoothed: the kernel, the degree of the polynomial, and the bandwidth. */
typedef struct FgSmoother
{
	FgKernel	kernel;
	uint32_t	degree;
	double		bandwidth;
} FgSmoother;

/* The estimate at each of "count" points, in any order. */
extern bool fg_smooth(FgContext *ctx, const FgSmoother *smoother, const double *x,
					  const double *y, size_t n, const double *at, size_t count, double *fitted);

/*
 * The estimates at the points themselves and the trace of the hat matrix (NaN when an
 * estimate does not exist); with leave_one_out each from all points but the one itself,
 * and no trace.
 */
extern bool fg_smooth_points(FgContext *ctx, const FgSmoother *smoother, const double *x,
							 const double *y, size_t n, bool leave_one_out, double *fitted,
							 double *trace);

typedef struct FgKernelOptions
{
	FgKernel	kernel;
	uint32_t	degree;
	FgBandwidthRule rule;
	double		bandwidth;		/* of FG_BANDWIDTH_GIVEN */
	const double *candidates;	/* of FG_BANDWIDTH_CV_LS and FG_BANDWIDTH_AIC, or NULL */
	size_t		ncandidates;
} FgKernelOptions;

typedef struct FgKernelFit
{
	double		bandwidth;		/* that was used */
	double		score;			/* the objective at it; NaN: there was no search */
	double		r_square;		/* at the data points */
	double		x_start;
	double		x_end;
} FgKernelFit;

/* FG_ERROR_ARGUMENT for options outside their domain; needs no data. */
extern bool fg_kernel_options_check(FgContext *ctx, const FgKernelOptions *options);

/*
 * The model.  With at NULL the n values of fitted are those at x, else the "count" values
 * at these points.  Without data (n = 0) everything is NaN.
 */
extern bool fg_kernel_regression(FgContext *ctx, const FgKernelOptions *options, const double *x,
								 const double *y, size_t n, const double *at, size_t count,
								 double *fitted, FgKernelFit *fit);

#endif							/* FG_KERNEL_REGRESSION_H */
