/*
 * deviation.h
 *	  How far one run of a benchmark lies from the runs before it (Lundberg & Rettig
 *	  2024, section 6.1).
 *
 * A value that a run does not have is 0.  The thesis divides the difference from the
 * mean by the standard deviation of the history.  Counts of samples make that jump:
 * a function seen once in ten runs and now twice is five deviations away.  So a floor
 * under the deviation, which for counts is what a Poisson count of that mean has,
 * makes the score; the thesis' own is kept beside it.
 */
#ifndef FG_DEVIATION_H
#define FG_DEVIATION_H

#include "core/samples/moments.h"
#include "core/samples/profiles.h"

#define FG_LEAST_HISTORY 2		/* runs; fewer have no deviation */

typedef struct FgScoring
{
	double		poisson_unit;	/* value of one sample; 0: no floor of that kind */
	double		min_std;
	bool		infinite;		/* a score over a deviation of 0 is infinite, else 0 */
} FgScoring;

#define FG_DEFAULT_SCORING {1, 0, true}

extern bool fg_scoring_check(FgContext *ctx, const FgScoring *scoring);

/* 'inf' or 'zero'. */
extern bool fg_zero_std_parse(FgContext *ctx, const char *text, size_t length, bool *infinite);

typedef struct FgDeviation
{
	double		expected;		/* mean of the history */
	double		stddev;			/* with divisor n - 1, not floored */
	double		actual;
	double		diff;			/* actual - expected */
	double		score;
	double		raw_score;
	const char *status;			/* "+" for what is new, "-" for what has gone, else "" */
} FgDeviation;

/*
 * Of one value against n >= 2 earlier ones.  "before" and "now" say in how many of them
 * it occurs and whether it does now.  FG_ERROR_RANGE when the history's moments overflow.
 */
extern bool fg_deviation_of(FgContext *ctx, const FgScoring *scoring, const double *history,
							size_t n, double actual, size_t before, bool now,
							FgDeviation *deviation);

/* Runs 0 .. count - 2 of an array and the one behind them, the window's part of it. */
typedef struct FgDeviations
{
	FgContext  *ctx;
	FgTree		keys;			/* what the rows are about: nodes of this tree */
	uint32_t   *node;			/* by row */
	FgDeviation *rows;
	double	   *p_value;
	double	   *q_value;		/* Benjamini and Hochberg 1995 */
	uint32_t   *order;			/* the highest score first, then the largest difference */
	uint32_t	count;
	uint64_t	n;				/* runs of the history */
} FgDeviations;

/*
 * The functions of the last "window" profiles of the history and of the current one, by
 * a metric of observations.h.  FG_ERROR_ARGUMENT for fewer than two profiles.
 */
extern bool fg_deviations(FgContext *ctx, const FgProfiles *history, const FgTree *current,
						  int64_t window, uint32_t metric, const FgScoring *scoring,
						  FgDeviations *result);

/*
 * The keys of a sample's moments and of the current profile at the same level
 * (level.h).
 */
extern bool fg_stats_deviations(FgContext *ctx, const FgMoments *history, uint64_t n,
								const FgTree *current, const FgScoring *scoring,
								FgDeviations *result);

extern void fg_deviations_free(FgDeviations *result);

/* The last "window" of "count" profiles; false with an error when that are fewer than two. */
extern bool fg_history_start(FgContext *ctx, size_t count, int64_t window, size_t *start);

#endif							/* FG_DEVIATION_H */
