/*
 * smoother.h
 *	  A smoother (local_fit.h) at many places: at the points themselves, as the search for
 *	  a bandwidth needs it, or wherever somebody asks.
 *
 * x and y are finite and sorted (fg_series_sort).  A value that does not exist is NaN.
 *
 * Workload: 100,000 points smoothed at all of them, some forty times per search.  So
 * estimates come from sums over the kernel where these are exact enough.
 */
#ifndef FG_SMOOTHER_H
#define FG_SMOOTHER_H

#include "core/models/local_fit.h"

/*
 * The estimate at each of "count" points, in any order.  FG_ERROR_ARGUMENT for a place
 * that is not finite, FG_ERROR_RANGE for an estimate that is too large.
 */
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

/* FG_ERROR_RANGE for an estimate that exists but is too large to be written down. */
extern bool fg_fitted_check(FgContext *ctx, const double *fitted, size_t count);

#endif							/* FG_SMOOTHER_H */
