/*
 * run_scores.h
 *	  One run of a benchmark against those before it, with all that the nightly watch knows
 *	  of them: noise, repetitions, and what all functions of a run have in common.
 *
 * Where the work of a benchmark is fixed, a slower machine lets everything take longer
 * together: recordings of 25,000 samples vary by a tenth in all functions at once and by
 * a hundredth against each other.  So runs are divided by a common factor first, as far as
 * it varied in the history and between repetitions; a quiet history lets the new run's
 * difference stand.
 *
 *	f_i = median over functions of (self value in run i / its mean), weighted by the mean,
 *		but none by more than a fifth of all weights; 1 on average over the history: one
 *		function that changed does not move it, even if it has most of everything
 *	v = 1.57 * noise / mean total^2 * (what the limit adds): variance of such a median by
 *		sampling (pi / 2)
 *	g^2 = max(0, variance of f over the history - v)
 *	g_now^2 = max(g^2, relative variance of the new run's mean between its repetitions
 *		beyond that of sampling)
 *	runs of the history are divided by 1 + (f - 1) g^2 / (g^2 + v), the new one by
 *		1 + (f - 1) g_now^2 / (g_now^2 + v)
 *
 * What has more than half of everything is compared a second time without these divisions, with
 * the variance g^2 of what runs have in common: a change of everything is no difference at a
 * common speed.  The smaller p-value counts, times two; at the common speed the factor's
 * own variance, g^2 v / (g^2 + v), is part of the noise.
 *
 * What remains is scored as deviation.h says.  From three repetitions on the variance
 * between them, each divided by its total's share, over their number is one more floor
 * under the new run's variance: a wild repetition is not a wild run.
 */
#ifndef FG_RUN_SCORES_H
#define FG_RUN_SCORES_H

#include "core/compare/deviation.h"

#define FG_LEAST_REPETITIONS 3	/* for a variance between them */

typedef struct FgRunScoresInput
{
	const FgProfiles *history;	/* runs, each as the mean of its repetitions */
	const FgTree *current;
	FgNoise		noise;			/* of these means: sum of squared weights / repetitions^2 */
	const FgProfiles *repetitions;	/* of the current run, which is their mean; or NULL */
	FgLevel		level;
	FgScoring	scoring;		/* poisson_unit: what a sample is worth in a run of the history */
	double		unit_now;		/* the same of the current run */
	/* the same runs in the unit that is to be told; NULL: history and current */
	const FgProfiles *value_history;
	const FgTree *value_current;
} FgRunScoresInput;

/*
 * Values are those of the history's speed: the current ones have been divided by the common
 * factor.  As they were recorded are only "measured", the current value, "value_before", the
 * mean of value_history, and "value_after", that of value_current.  FG_ERROR_ARGUMENT as
 * fg_deviations has it, and for values of another number of runs.
 */
extern bool fg_run_scores(FgContext *ctx, const FgRunScoresInput *input, FgDeviations *result);

/*
 * The current run less the mean of the history, by stack, at the speed at which
 * fg_run_scores compares them; the level does not matter.
 */
extern bool fg_run_difference(FgContext *ctx, const FgRunScoresInput *input, FgTree *difference);

#endif							/* FG_RUN_SCORES_H */
