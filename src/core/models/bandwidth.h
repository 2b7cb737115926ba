/*
 * bandwidth.h
 *	  The bandwidth of kernel regression: rules of thumb and searches (spec: models, 5.5
 *	  to 5.7).
 */
#ifndef FG_BANDWIDTH_H
#define FG_BANDWIDTH_H

#include "core/models/kernel_regression.h"

extern const char *fg_bandwidth_rule_word(FgBandwidthRule rule);

/* scott, silverman, cv_ls or aic; FG_ERROR_ARGUMENT for any other word. */
extern bool fg_bandwidth_rule_of_word(FgContext *ctx, const char *word, size_t length,
									  FgBandwidthRule *rule);

/* The rule of thumb; x ascends. */
extern double fg_bandwidth_scott(const double *x, size_t n);
extern double fg_bandwidth_silverman(const double *x, size_t n);

/*
 * What the searches minimise, for one bandwidth; infinite where it is not defined, NaN
 * without data.  x and y are finite and sorted, as everywhere.
 */
extern bool fg_bandwidth_objective(FgContext *ctx, const FgSmoother *smoother, const double *x,
								   const double *y, size_t n, double *cv_ls, double *aicc);

/* The bandwidth of the options, which have been checked; score is NaN without a search. */
extern bool fg_bandwidth_choose(FgContext *ctx, const FgKernelOptions *options, const double *x,
								const double *y, size_t n, double *bandwidth, double *score);

#endif							/* FG_BANDWIDTH_H */
