/*
 * sample_check.h
 *	  Do the runs of a benchmark behave as tests of them assume: independent, from one
 *	  distribution, near normal?
 *
 * On the totals, in the order of the runs: a monotonic drift (Mann 1945, Kendall 1975),
 * dependence of neighbours (Bartels 1982), outlying runs (Rosner 1983).  On the keys of
 * a level: the share whose values are far from normal in skewness and kurtosis
 * (D'Agostino, Belanger and D'Agostino 1990), among those that vary and that at least
 * half of the runs have; a rare key is never normal, and is no news.
 */
#ifndef FG_SAMPLE_CHECK_H
#define FG_SAMPLE_CHECK_H

#include "core/samples/level.h"
#include "core/samples/profiles.h"

/* Below this a check is suspicious; and that share of keys, for the last. */
#define FG_CHECK_ALPHA		0.05
#define FG_CHECK_KEYS		0.10

typedef struct FgSampleCheck
{
	const char *name;
	double		statistic;		/* NaN: too few profiles */
	double		p_value;
	const char *verdict;
} FgSampleCheck;

#define FG_SAMPLE_CHECKS 4

extern bool fg_sample_check(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
							FgSampleCheck checks[FG_SAMPLE_CHECKS]);

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

#endif							/* FG_SAMPLE_CHECK_H */
