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
 *
 * Two things make more of few runs.  A recording knows the noise of its own sampling: a
 * sum of independent samples of weights w has a variance of about the sum of w^2 (compound
 * Poisson), so no value varies less, and one heavy sample is one sample.  And keys lend
 * each other their variance (moderation.h), or where noise is known the factor by which
 * they vary more than it (deviation_spread.c):
 *
 *	variance of a run before = max(s^2, noise before * factor), of the new one at least
 *	noise now * factor; factor = s^2 / noise before, moderated, at least 1
 *	degrees of freedom: n - 1 + min(d0, 20); without noise those of moderation.h
 *
 * Where the totals are known, too, a key that has at most a tenth of everything is tested
 * sharper.  Noise is a lower bound that is known, and the factor is not, so that the two
 * are tested apart, and p is the sum:
 *
 *	p = P(|Z| > |diff| / sd by noise) + P(|T| > |diff| / sd by the moderated factor, which
 *		may be below 1), T of n - 1 + min(d0, 100) degrees of freedom
 *
 * In both the variance of the new run is at least that between its repetitions, where these
 * differ more than sampling explains (5 %).  A key that varies as no other does (P of its
 * factor by the prior < 0.001) has its own variance and n - 1 degrees of freedom.
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
	bool		moderated;		/* keys lend each other their variance */
} FgScoring;

#define FG_DEFAULT_SCORING {1, 0, true, false}

extern bool fg_scoring_check(FgContext *ctx, const FgScoring *scoring);

/* 'inf' or 'zero'. */
extern bool fg_zero_std_parse(FgContext *ctx, const char *text, size_t length, bool *infinite);

typedef struct FgDeviation
{
	double		expected;		/* mean of the history */
	double		stddev;			/* the history's, with divisor n - 1; else what "score" is made with */
	double		actual;
	double		diff;			/* actual - expected */
	double		score;
	double		raw_score;
	const char *status;			/* "+" for what is new, "-" for what has gone, else "" */
	double		df;				/* degrees of freedom of the test */
	double		variance;		/* of the history, its own */
	double		noise_before;	/* mean sum of squared weights of a run of the history */
	double		noise_now;		/* that of the new run */
	double		variance_within;	/* of the new run, from its repetitions */
	bool		whole;			/* more than half of everything, compared twice (FgDeviationNoise) */
	bool		raw;			/* ... of which this is the one without the common factor */
	double		measured;		/* of the current run as it was recorded (run_scores.h) */
	double		value_before;	/* of run_scores.h */
	double		value_after;
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
 * Sums of squared weights by stack, none of them negative: of each profile of the whole
 * history, and of the current one; or either of them NULL, unknown.
 */
typedef struct FgNoise
{
	const FgProfiles *history;	/* as many as there are profiles */
	const FgTree *current;
} FgNoise;

/*
 * The functions of the last "window" profiles of the history and of the current one, by
 * a metric of observations.h.  noise NULL: unknown.  FG_ERROR_ARGUMENT for fewer than two
 * profiles, for noise of another number of profiles, and for negative noise.
 */
extern bool fg_deviations(FgContext *ctx, const FgProfiles *history, const FgTree *current,
						  int64_t window, uint32_t metric, const FgScoring *scoring,
						  const FgNoise *noise, FgDeviations *result);

/*
 * What is known besides the values of a sample and a run at a level: their noise at this
 * level, each tree NULL where it is unknown.  Where runs have been divided by a factor that
 * is common to all they did: that of the new run, and the variances of the factors.
 */
typedef struct FgDeviationNoise
{
	const FgTree *history;		/* the sum over all runs */
	const FgTree *current;
	const FgTree *within;		/* variance of the current value between its repetitions */
	double		unit;			/* of a history without a tree: this times its values */
	double		unit_now;		/* the same of the current run */
	double		factor;			/* 0: there is none */
	double		total;			/* mean of the history's totals; 0: unknown */
	double		spread;			/* relative variance of a run's factor */
	double		spread_now;
	double		rest;			/* relative variance of what is left of a run's factor */
	double		rest_now;
	double		repetitions;	/* that "within" is from; 0: unknown */
} FgDeviationNoise;

/*
 * The keys of a sample's moments and of the current profile at the same level
 * (level.h).  noise NULL: unknown.
 */
extern bool fg_stats_deviations(FgContext *ctx, const FgMoments *history, uint64_t n,
								const FgTree *current, const FgScoring *scoring,
								const FgDeviationNoise *noise, FgDeviations *result);

/* What keys lend each other: with noise the factor over it (NaN without any), else the variance. */
extern double fg_deviation_lent(const FgDeviation *row, bool with_noise);

/*
 * The deviation and score of one row, n runs before; moderated: what fg_deviation_lent() gave
 * became, or NaN.
 */
extern bool fg_deviation_spread(FgContext *ctx, const FgScoring *scoring, bool with_noise,
								double moderated, double n, FgDeviation *row);

/* FG_ERROR_ARGUMENT when there is noise of another number of profiles; noise may be NULL. */
extern bool fg_noise_fits(FgContext *ctx, const FgProfiles *history, const FgNoise *noise);

/* FG_ERROR_ARGUMENT when a value is negative. */
extern bool fg_noise_check(FgContext *ctx, const FgTree *noise);

extern void fg_deviations_free(FgDeviations *result);

/* values[i] for each node of the keys, and the root; 0 where the tree lacks it. */
extern bool fg_deviations_values(FgDeviations *result, const FgTree *tree, double *values);

/* The last "window" of "count" profiles; false with an error when that are fewer than two. */
extern bool fg_history_start(FgContext *ctx, size_t count, int64_t window, size_t *start);

#endif							/* FG_DEVIATION_H */
