/*
 * series.h
 *	  Pairs (x, y) of measurements, and the plain statistics of them that performance
 *	  models are made of.
 *
 * A value that does not exist (SQL's NULL) is a NaN in fitted values and results;
 * measurements themselves are finite, which fg_series_check finds out.
 */
#ifndef FG_SERIES_H
#define FG_SERIES_H

#include "core/base/sums.h"

/*
 * Adds a number to a sum that starts as {0, 0}; high + low is as exact as a sum in
 * twice the precision (Ogita, Rump and Oishi 2005, Sum2), unless it overflows.  The
 * two parts overlap, so the numbers that come next need not wait for the low one.
 */
static inline void
fg_sum_twice(FgDouble2 *sum, double value)
{
	double		high = sum->high + value;
	double		part = high - sum->high;

	sum->low += (sum->high - (high - part)) + (value - part);
	sum->high = high;
}

/* FG_ERROR_RANGE for a value that is NaN or infinite. */
extern bool fg_series_check(FgContext *ctx, const double *values, size_t n);

/* Sorts ascending. */
extern bool fg_sort_values(FgContext *ctx, double *values, size_t n);

/* Sorts the pairs ascending by x, equal x by y. */
extern bool fg_series_sort(FgContext *ctx, double *x, double *y, size_t n);

/* sum / n; n >= 1.  The mean of equal values is that value, up to the last bit. */
extern double fg_mean(const double *values, size_t n);

/* Sum of squared deviations from the mean, two-pass; exactly 0 when all are equal. */
extern double fg_sum_squares(const double *values, size_t n);

/* sqrt(that sum / divisor), also where the squares overflow or vanish. */
extern double fg_deviation(const double *values, size_t n, size_t divisor);

/* Quantile of type 7 of sorted values, 0 <= p <= 1, n >= 1; and the median. */
extern double fg_quantile(const double *sorted, size_t n, double p);
extern double fg_median(const double *sorted, size_t n);

/* The mean of two numbers; and the number that lies so far from a to b, 0 <= share <= 1. */
extern double fg_middle(double a, double b);
extern double fg_between(double a, double b, double share);

/*
 * R^2 of fitted values against y, over the points whose fitted value exists; NaN for
 * fewer than two.  If all those y are equal: 1 if every |y - f| <= 1e-12 |y|, else 0.
 * Otherwise 1 - SSE / SS(y), which may be negative.  Fails only when it must end.
 */
extern bool fg_r_square(FgContext *ctx, const double *y, const double *fitted, size_t n,
						double *r_square);

#endif							/* FG_SERIES_H */
