/*
 * trailing_band.h
 *	  What is to be expected of the next value of a series: the mean of the values before it,
 *	  and so many of their deviations to both sides (Shewhart 1931, control limits from the
 *	  recent past).
 */
#ifndef FG_TRAILING_BAND_H
#define FG_TRAILING_BAND_H

#include "core/base/context.h"

/* Values before: more would cost too much, and be no recent past. */
#define FG_MOST_TRAILING 1000

/*
 * mean[i], and lower[i], upper[i] = mean[i] -+ k sample deviations, of the up to "window"
 * values before i; NaN where there are fewer than two.  Values are finite.  FG_ERROR_ARGUMENT
 * unless 2 <= window <= FG_MOST_TRAILING and k is positive and finite.
 */
extern bool fg_trailing_band(FgContext *ctx, const double *values, size_t n, int64_t window,
							 double k, double *mean, double *lower, double *upper);

#endif							/* FG_TRAILING_BAND_H */
