/*
 * sample_check_internal.h
 *	  The checks of a sample one by one, for their tests.
 */
#ifndef FG_SAMPLE_CHECK_INTERNAL_H
#define FG_SAMPLE_CHECK_INTERNAL_H

#include "core/base/context.h"

/* The tests by themselves; NaN as p-value where there are too few values. */

/* Kendall's tau-b of values and their places; p two-sided, exact for n <= 30 without ties. */
extern bool fg_drift_test(FgContext *ctx, const double *values, size_t n, double *tau, double *p);

/* 1 - RVN / 2 of von Neumann's ratio of ranks; p two-sided, by Bartels' beta approximation. */
extern bool fg_neighbour_test(FgContext *ctx, const double *values, size_t n, double *r, double *p);

/*
 * Number of outliers, of at most n / 10 and at least 1, by the generalised ESD test at
 * level alpha; p is the smallest of the adjusted p-values of its steps.
 */
extern bool fg_outlier_test(FgContext *ctx, const double *values, size_t n, double alpha,
							size_t *outliers, double *p);

/* K^2 of skewness and, from 20 values on, kurtosis; n >= 8. */
extern void fg_normal_test(const double *values, size_t n, double *k2, double *p);

#endif							/* FG_SAMPLE_CHECK_INTERNAL_H */
