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

#endif							/* FG_SAMPLE_CHECK_H */
