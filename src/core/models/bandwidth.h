/*
 * bandwidth.h
 *	  The bandwidth of kernel regression: rules of thumb (Scott 1992, Silverman 1986) and
 *	  searches for the least error of prediction, by leave-one-out cross-validation or by
 *	  the corrected Akaike criterion (Hurvich, Simonoff and Tsai 1998).
 */
#ifndef FG_BANDWIDTH_H
#define FG_BANDWIDTH_H

#include "core/models/local_fit.h"

typedef enum FgBandwidthRule
{
	FG_BANDWIDTH_GIVEN,			/* no rule: a number */
	FG_BANDWIDTH_SCOTT,
	FG_BANDWIDTH_SILVERMAN,
	FG_BANDWIDTH_CV_LS,
	FG_BANDWIDTH_AIC
} FgBandwidthRule;

#define FG_BANDWIDTH_RULES (FG_BANDWIDTH_AIC + 1)

extern const char *fg_bandwidth_rule_word(FgBandwidthRule rule);

/* scott, silverman, cv_ls or aic; FG_ERROR_ARGUMENT for any other word. */
extern bool fg_bandwidth_rule_parse(FgContext *ctx, const char *text, size_t length,
									FgBandwidthRule *rule);

typedef struct FgKernelOptions
{
	FgKernel	kernel;
	uint32_t	degree;
	FgBandwidthRule rule;
	double		bandwidth;		/* of FG_BANDWIDTH_GIVEN */
	const double *candidates;	/* of FG_BANDWIDTH_CV_LS and FG_BANDWIDTH_AIC, or NULL */
	size_t		ncandidates;
} FgKernelOptions;

/* FG_ERROR_ARGUMENT for options outside their domain; needs no data. */
extern bool fg_kernel_options_check(FgContext *ctx, const FgKernelOptions *options);

/*
 * What the searches minimise, for one bandwidth.  cv_ls is the mean squared difference of
 * y and the estimate there from all other points; aicc is log s2 + (1 + T/n) /
 * (1 - (T + 2)/n), s2 being the mean squared residual and T the trace of the hat matrix.
 * Infinite where an estimate does not exist or T + 2 >= n, NaN without data.  x and y are
 * finite and sorted, as everywhere.
 */
extern bool fg_bandwidth_objective(FgContext *ctx, const FgSmoother *smoother, const double *x,
								   const double *y, size_t n, double *cv_ls, double *aicc);

/* The bandwidth of the options, which have been checked; score is NaN without a search. */
extern bool fg_bandwidth_choose(FgContext *ctx, const FgKernelOptions *options, const double *x,
								const double *y, size_t n, double *bandwidth, double *score);

#endif							/* FG_BANDWIDTH_H */
