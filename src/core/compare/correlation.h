/*
 * correlation.h
 *	  Does what a function costs follow what a run costs (Lundberg & Rettig 2024,
 *	  sections 5.3 and 6.2)?
 *
 * A coefficient is taken in each benchmark by itself, since another program has
 * another scale, and those of the benchmarks are combined.  Runs with equal costs stay
 * runs of their own (the query in the thesis' appendix A.2 adds them up).
 */
#ifndef FG_CORRELATION_H
#define FG_CORRELATION_H

#include "core/compare/observations.h"
#include "core/samples/profiles.h"

typedef enum FgCorrelationMethod
{
	FG_PEARSON,
	FG_SPEARMAN					/* Pearson's of the ranks, equal values sharing theirs */
} FgCorrelationMethod;

typedef enum FgCombination
{
	FG_COMBINE_AVG,
	FG_COMBINE_MAX,
	FG_COMBINE_MIN,
	FG_COMBINE_MEDIAN
} FgCombination;

typedef struct FgCorrelationOptions
{
	FgCorrelationMethod method;
	FgCombination combine;
	bool		missing_zero;	/* a profile without the function has 0; else it is left out */
	int64_t		min_profiles;	/* a benchmark with fewer does not count; at least 2 */
} FgCorrelationOptions;

/* Two points always lie on a line, so the thesis' least number of 2 says nothing. */
#define FG_DEFAULT_CORRELATION {FG_PEARSON, FG_COMBINE_AVG, false, 3}

extern bool fg_correlation_method_parse(FgContext *ctx, const char *text, size_t length,
										FgCorrelationMethod *method);
extern bool fg_combination_parse(FgContext *ctx, const char *text, size_t length,
								 FgCombination *combine);
extern bool fg_missing_parse(FgContext *ctx, const char *text, size_t length, bool *missing_zero);
extern bool fg_correlation_check(FgContext *ctx, const FgCorrelationOptions *options);

/*
 * The coefficient of n pairs; 0 when either side does not vary by more than rounding
 * does, whatever its unit.
 */
extern bool fg_correlation(FgContext *ctx, const double *x, const double *y, size_t n,
						   FgCorrelationMethod method, double *coefficient);

/*
 * Profiles that have a metric, ordered by benchmark: "run" numbers them.  Their order
 * within a benchmark is that of the array.
 */
typedef struct FgRuns
{
	FgContext  *ctx;
	uint32_t	count;
	uint32_t   *profile;		/* by run: its place in the array */
	double	   *metric;			/* by run */
	uint32_t	benchmarks;
	uint32_t   *first;			/* by benchmark, benchmarks + 1: its first run */
	double	   *x;				/* room for the samples of a benchmark */
	double	   *y;
	double	   *coefficient;	/* room for one a benchmark */
} FgRuns;

/*
 * benchmark[i] is below "benchmarks"; a NaN for metric[i] drops profile i.  Metrics are
 * finite otherwise.
 */
extern bool fg_runs_begin(FgContext *ctx, const uint32_t *benchmark, uint32_t benchmarks,
						  const double *metric, size_t count, FgRuns *runs);
extern void fg_runs_free(FgRuns *runs);

typedef struct FgCorrelationScore
{
	double		score;			/* NaN when no benchmark has enough profiles */
	uint32_t	benchmarks;		/* those that count */
	uint32_t	n;				/* their profiles */
} FgCorrelationScore;

/* Of one function, whose observations stand in the order of runs. */
extern bool fg_correlate(FgRuns *runs, const FgCorrelationOptions *options,
						 const FgObservation *list, size_t count, FgCorrelationScore *score);

/* The pairs of one benchmark, in runs->x and runs->y. */
extern size_t fg_runs_pairs(FgRuns *runs, uint32_t benchmark, bool missing_zero,
							const FgObservation *list, size_t count);

/* Reads the runs one at a time. */
extern bool fg_runs_observe(FgContext *ctx, const FgRuns *runs, const FgProfiles *profiles,
							uint32_t metric, FgObservations *all);

#endif							/* FG_CORRELATION_H */
