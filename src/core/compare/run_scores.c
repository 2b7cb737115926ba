/*
 * run_scores.c
 *	  A run against those before it, brought to a common speed (see run_scores.h).
 */
#include "core/compare/run_scores.h"

#include "core/base/order.h"
#include "core/base/series.h"
#include "core/base/sums.h"
#include "core/compare/observations.h"
#include "core/profile/algebra.h"
#include "core/samples/accumulator.h"

#include <math.h>

/* The variance of a median over that of the mean, of normal values. */
#define MEDIAN_VARIANCE 1.57

/*
 * The weights of functions in this median: with those of their values a function that has
 * half of everything would be the median itself, and its change the speed of the machine.
 */
#define MOST_WEIGHT	0.2
#define LEAST_MOST	0.02		/* of everything: where few functions have nearly everything */
#define ROUNDS		30			/* the limit depends on the sum that it limits */

typedef struct Runs
{
	FgContext  *ctx;
	const FgRunScoresInput *input;
	size_t		n;				/* of the history */
	double	   *factor;			/* n + 1, by which runs are divided */
	double	   *total;			/* n + 1 */
	double	   *share;			/* of each repetition's total in their mean */
	FgKeptProfiles kept;		/* the history at the level, as recorded */
	double		inflation;		/* of the variance of the factors by the weights' limit */
	FgDeviationNoise noise;
	FgTree		history_noise;	/* at the level, of runs that have been divided */
	FgTree		current_noise;
	FgTree		within;
} Runs;

static double
square(double x)
{
	return x * x;
}

static bool
read_profile(const FgProfiles *profiles, FgContext *ctx, size_t i, FgTree *tree)
{
	return profiles->read(ctx, profiles->arg, i, tree);
}

/* The total of a profile; negative values make it useless for a factor. */
static bool
total_of(FgContext *ctx, const FgTree *tree, double *total)
{
	double		norm;

	if (!fg_sums(ctx, tree->self, (size_t) tree->nnodes + 1, total, &norm))
		return false;
	if (*total != norm || !isfinite(*total))
		*total = NAN;
	return true;
}

/* --- the common factor --------------------------------------------------------------------- */

static bool
observe(Runs *runs, FgObservations *all)
{
	for (size_t i = 0; i < runs->n; i++)
	{
		FgTree		tree;
		FgTree		values;
		bool		ok;

		if (!read_profile(runs->input->history, runs->ctx, i, &tree))
			return false;
		ok = total_of(runs->ctx, &tree, &runs->total[i]) &&
			fg_observations_add(all, &tree, (uint32_t) i) &&
			fg_level_apply(runs->ctx, &tree, runs->input->level, &values);
		fg_tree_free(runs->ctx, &tree);
		if (!ok)
			return false;
		fg_kept_give(runs->ctx, &runs->kept, i, &values);
	}
	return total_of(runs->ctx, runs->input->current, &runs->total[runs->n]) &&
		fg_observations_add(all, runs->input->current, (uint32_t) runs->n) &&
		fg_observations_end(all);
}

/* The mean of each function over the history. */
static bool
means_of(const Runs *runs, const FgObservations *all, double *mean)
{
	for (uint32_t f = 0; f < all->frames.count; f++)
	{
		mean[f] = 0;
		for (size_t i = all->first[f]; i < all->first[f + 1]; i++)
		{
			if (all->list[i].profile < runs->n)
				mean[f] += all->list[i].value / (double) runs->n;
		}
	}
	return fg_steps(runs->ctx, all->count);
}

/* The weighted median of ratios; 1 when there is no weight. */
static bool
weighted_median(FgContext *ctx, const double *ratio, const double *weight, uint32_t count,
				double *median)
{
	uint32_t   *order = fg_alloc(ctx, count, sizeof(uint32_t));
	bool		ok = order != NULL && fg_order_descending(ctx, ratio, count, order);
	double		half = 0;
	double		sum = 0;

	*median = 1;
	for (uint32_t i = 0; i < count; i++)
		half += weight[i] / 2;
	for (uint32_t i = 0; ok && half > 0 && i < count && sum < half; i++)
	{
		sum += weight[order[i]];
		*median = ratio[order[i]];
	}
	fg_release(ctx, order);
	return ok && fg_steps(ctx, 2 * (size_t) count);
}

/* The factor of one run, from what its functions have in themselves. */
static bool
factor_of(const Runs *runs, const FgObservations *all, size_t run, const double *mean,
		  const double *weight, double *ratio, double *factor)
{
	for (uint32_t f = 0; f < all->frames.count; f++)
	{
		ratio[f] = 0;
		for (size_t i = all->first[f]; i < all->first[f + 1]; i++)
		{
			if (all->list[i].profile == run && mean[f] > 0)
				ratio[f] = all->list[i].value / mean[f];
		}
	}
	return fg_steps(runs->ctx, all->count) &&
		weighted_median(runs->ctx, ratio, weight, all->frames.count, factor);
}

/*
 * What each function counts in the median: its mean, but no more than MOST_WEIGHT of all
 * weights.  Sets how much more such a median varies than that with means as weights.
 */
static bool
weights_of(Runs *runs, const double *mean, uint32_t count, double *weight)
{
	double		total = 0;
	double		sum = 0;
	double		squares = 0;
	double		most = INFINITY;

	for (uint32_t f = 0; f < count; f++)
		total += fmax(mean[f], 0);
	for (int round = 0; round < ROUNDS; round++)
	{
		sum = 0;
		for (uint32_t f = 0; f < count; f++)
			sum += fmin(fmax(mean[f], 0), most);
		most = fmax(MOST_WEIGHT * sum, LEAST_MOST * total);
		if (!fg_steps(runs->ctx, count))
			return false;
	}
	sum = 0;
	for (uint32_t f = 0; f < count; f++)
	{
		weight[f] = fmin(fmax(mean[f], 0), most);
		sum += weight[f];
		squares += weight[f] > 0 ? square(weight[f]) / mean[f] : 0;
	}
	runs->inflation = sum > 0 ? squares * total / square(sum) : 1;
	return true;
}

static bool
factors_of(Runs *runs, const FgObservations *all)
{
	FgContext  *ctx = runs->ctx;
	uint32_t	count = all->frames.count;
	double	   *mean = fg_alloc(ctx, count, sizeof(double));
	double	   *weight = fg_alloc(ctx, count, sizeof(double));
	double	   *ratio = fg_alloc(ctx, count, sizeof(double));
	bool		ok = mean != NULL && weight != NULL && ratio != NULL &&
		means_of(runs, all, mean) && weights_of(runs, mean, count, weight);
	double		average;

	for (size_t i = 0; ok && i <= runs->n; i++)
		ok = factor_of(runs, all, i, mean, weight, ratio, &runs->factor[i]);
	fg_release(ctx, mean);
	fg_release(ctx, weight);
	fg_release(ctx, ratio);
	if (!ok)
		return false;
	average = fg_mean(runs->factor, runs->n);
	for (size_t i = 0; average > 0 && i <= runs->n; i++)
		runs->factor[i] /= average;
	return true;
}

/* The variance that sampling gives a run's total: of the history's runs, and of the new one. */
static bool
noise_of_totals(const Runs *runs, double *before, double *now)
{
	const FgRunScoresInput *input = runs->input;

	*before = input->scoring.poisson_unit * runs->noise.total;
	*now = input->unit_now * runs->total[runs->n];
	if (input->noise.history != NULL)
		*before = 0;
	for (size_t i = 0; input->noise.history != NULL && i < runs->n; i++)
	{
		FgTree		tree;
		double		total;
		bool		ok;

		if (!read_profile(input->noise.history, runs->ctx, i, &tree))
			return false;
		ok = total_of(runs->ctx, &tree, &total);
		fg_tree_free(runs->ctx, &tree);
		if (!ok)
			return false;
		*before += total / (double) runs->n;
	}
	return input->noise.current == NULL || total_of(runs->ctx, input->noise.current, now);
}

/* The share of each repetition in their mean, and the variance of their totals' mean. */
static bool
totals_of_repetitions(Runs *runs, double *variance)
{
	const FgProfiles *repetitions = runs->input->repetitions;
	size_t		r = repetitions->count;
	double		mean;

	for (size_t i = 0; i < r; i++)
	{
		FgTree		tree;
		bool		ok;

		if (!read_profile(repetitions, runs->ctx, i, &tree))
			return false;
		ok = total_of(runs->ctx, &tree, &runs->share[i]);
		fg_tree_free(runs->ctx, &tree);
		if (!ok)
			return false;
	}
	mean = fg_mean(runs->share, r);
	*variance = fg_sum_squares(runs->share, r) / (double) (r - 1) / (double) r;
	for (size_t i = 0; i < r; i++)
		runs->share[i] = mean > 0 && runs->share[i] > 0 ? runs->share[i] / mean : 1;
	return true;
}

/* A part of a factor's difference from 1 is sampling. */
static double
shrunk(double factor, double spread, double noise)
{
	return spread > 0 && factor > 0 ? 1 + (factor - 1) * (spread / (spread + noise)) : 1;
}

/* The variance of the factor that remains when it is known as well as that. */
static double
rest_of(double spread, double noise)
{
	return spread > 0 ? spread * (noise / (spread + noise)) : 0;
}

static bool
shrink_factors(Runs *runs)
{
	FgDeviationNoise *noise = &runs->noise;
	double		total2 = square(noise->total);
	double		before;
	double		now;
	double		within = 0;
	double		median;

	if (!noise_of_totals(runs, &before, &now) ||
		(runs->share != NULL && !totals_of_repetitions(runs, &within)))
		return false;
	median = MEDIAN_VARIANCE * runs->inflation * before / total2;
	noise->spread = fg_sum_squares(runs->factor, runs->n) / (double) (runs->n - 1) - median;
	noise->spread_now = (within - now) / total2;
	/* not comparable with anything: no common factor */
	if (!isfinite(noise->spread) || !isfinite(noise->spread_now))
		return true;
	noise->spread = fmax(noise->spread, 0);
	noise->spread_now = fmax(noise->spread_now, noise->spread);
	for (size_t i = 0; i < runs->n; i++)
		runs->factor[i] = shrunk(runs->factor[i], noise->spread, median);
	noise->factor = shrunk(runs->factor[runs->n], noise->spread_now, median);
	runs->factor[runs->n] = noise->factor;
	noise->rest = rest_of(noise->spread, median);
	noise->rest_now = rest_of(noise->spread_now, median);
	return true;
}

/* Without anything in common all factors are 1. */
static bool
find_factors(Runs *runs)
{
	FgObservations all = {0};
	bool		ok = fg_observations_begin(runs->ctx, FG_METRIC_SELF, &all) &&
		observe(runs, &all);

	runs->noise.total = ok ? fg_mean(runs->total, runs->n) : NAN;
	if (ok && runs->noise.total > 0 && runs->total[runs->n] > 0)
		ok = factors_of(runs, &all) && shrink_factors(runs);
	fg_observations_free(&all);
	for (size_t i = 0; runs->noise.factor <= 0 && i <= runs->n; i++)
		runs->factor[i] = 1;
	return ok;
}

/* --- runs that have been divided ---------------------------------------------------------------- */

static void
divide(FgTree *tree, double by)
{
	for (uint32_t i = 0; by != 1 && i <= tree->nnodes; i++)
		tree->self[i] /= by;
}

/* All profiles at the level, each divided by its factor to the power (1, or 2 for noise). */
static bool
accumulate(Runs *runs, const FgProfiles *profiles, const double *factor, bool squared,
		   FgAccumulator *sum)
{
	for (size_t i = 0; i < profiles->count; i++)
	{
		double		by = factor == NULL ? 1 : factor[i];
		FgTree		tree;

		if (!fg_profiles_read(runs->ctx, profiles, i, runs->input->level, &tree))
			return false;
		divide(&tree, squared ? square(by) : by);
		if (!fg_accumulator_add(sum, &tree) || !fg_check(runs->ctx))
			return false;
	}
	return true;
}

static bool
noise_of_history(Runs *runs)
{
	const FgProfiles *noise = runs->input->noise.history;
	FgAccumulator sum;
	const FgTree *total;
	bool		ok;

	fg_accumulator_init(runs->ctx, &sum, FG_ACCUMULATE_SUM);
	ok = accumulate(runs, noise, runs->factor, true, &sum) &&
		(total = fg_accumulator_total(&sum)) != NULL && fg_noise_check(runs->ctx, total) &&
		fg_tree_copy(runs->ctx, total, &runs->history_noise);
	fg_accumulator_free(&sum);
	runs->noise.history = &runs->history_noise;
	return ok;
}

/* The variance of the new run from its repetitions, brought to one speed when runs are. */
static bool
variance_within(Runs *runs)
{
	const FgProfiles *repetitions = runs->input->repetitions;
	double		r = (double) repetitions->count;
	FgAccumulator sum;
	const FgMoments *moments;
	bool		ok;

	fg_accumulator_init(runs->ctx, &sum, FG_ACCUMULATE_MOMENTS);
	ok = accumulate(runs, repetitions, runs->noise.factor > 0 ? runs->share : NULL, false, &sum) &&
		(moments = fg_accumulator_moments(&sum)) != NULL &&
		fg_moments_variance(runs->ctx, moments, r, false, &runs->within);
	fg_accumulator_free(&sum);
	if (ok)
		divide(&runs->within, r * square(runs->factor[runs->n]));
	runs->noise.within = &runs->within;
	runs->noise.repetitions = r;
	return ok;
}

static bool
noise_of_current(Runs *runs)
{
	const FgTree *noise = runs->input->noise.current;

	if (!fg_noise_check(runs->ctx, noise) ||
		!fg_level_apply(runs->ctx, noise, runs->input->level, &runs->current_noise))
		return false;
	divide(&runs->current_noise, square(runs->factor[runs->n]));
	runs->noise.current = &runs->current_noise;
	return true;
}

/* The history as it was recorded, and divided by its factors. */
static bool
accumulate_history(Runs *runs, FgAccumulator *divided, FgAccumulator *recorded)
{
	for (size_t i = 0; i < runs->n; i++)
	{
		FgTree		tree;
		FgTree		copy;

		if (!fg_kept_take(runs->ctx, &runs->kept, runs->input->history, i, runs->input->level,
						  &tree))
			return false;
		if (recorded != NULL && (!fg_tree_copy(runs->ctx, &tree, &copy) ||
								 !fg_accumulator_add(recorded, &copy)))
		{
			fg_tree_free(runs->ctx, &tree);
			return false;
		}
		divide(&tree, runs->factor[i]);
		if (!fg_accumulator_add(divided, &tree) || !fg_check(runs->ctx))
			return false;
	}
	return true;
}

/* What is told is what was recorded, in one unit or the other. */
static bool
tell_values(Runs *runs, const FgTree *before, const FgTree *measured, const FgTree *after,
			FgDeviations *result)
{
	double	   *values = fg_alloc(runs->ctx, (size_t) result->keys.nnodes + 1, sizeof(double));
	bool		ok = values != NULL && fg_deviations_values(result, before, values);

	for (uint32_t i = 0; ok && i < result->count; i++)
		result->rows[i].value_before = values[result->node[i]] / (double) runs->n;
	ok = ok && fg_deviations_values(result, measured, values);
	for (uint32_t i = 0; ok && i < result->count; i++)
		result->rows[i].measured = values[result->node[i]];
	ok = ok && (after == measured || fg_deviations_values(result, after, values));
	for (uint32_t i = 0; ok && i < result->count; i++)
		result->rows[i].value_after = values[result->node[i]];
	fg_release(runs->ctx, values);
	return ok && fg_steps(runs->ctx, 3 * (size_t) result->count);
}

/* "recorded" has the history where nothing else is to be told. */
static bool
tell(Runs *runs, FgAccumulator *recorded, const FgTree *measured, FgDeviations *result)
{
	const FgRunScoresInput *input = runs->input;
	const FgTree *before;
	FgTree		after = {0};
	bool		ok = (input->value_history == NULL ||
					  fg_accumulate_profiles(runs->ctx, input->value_history, input->level, recorded,
											 NULL)) &&
		(before = fg_accumulator_total(recorded)) != NULL &&
		(input->value_current == NULL ||
		 fg_level_apply(runs->ctx, input->value_current, input->level, &after)) &&
		tell_values(runs, before, measured, input->value_current == NULL ? measured : &after,
					result);

	fg_tree_free(runs->ctx, &after);
	return ok;
}

static bool
score_runs(Runs *runs, FgDeviations *result)
{
	const FgRunScoresInput *input = runs->input;
	bool		known = runs->noise.history != NULL || runs->noise.current != NULL ||
		runs->noise.within != NULL || runs->noise.unit > 0;
	FgAccumulator divided;
	FgAccumulator recorded;
	const FgMoments *moments;
	FgTree		measured = {0};
	FgTree		current = {0};
	bool		ok;

	fg_accumulator_init(runs->ctx, &divided, FG_ACCUMULATE_MOMENTS);
	fg_accumulator_init(runs->ctx, &recorded, FG_ACCUMULATE_SUM);
	ok = fg_level_apply(runs->ctx, input->current, input->level, &measured) &&
		fg_tree_copy(runs->ctx, &measured, &current);
	if (ok)
		divide(&current, runs->factor[runs->n]);
	ok = ok && accumulate_history(runs, &divided, input->value_history == NULL ? &recorded : NULL) &&
		(moments = fg_accumulator_moments(&divided)) != NULL &&
		fg_stats_deviations(runs->ctx, moments, runs->n, &current, &input->scoring,
							known ? &runs->noise : NULL, result);
	if (ok && !tell(runs, &recorded, &measured, result))
	{
		fg_deviations_free(result);
		ok = false;
	}
	fg_accumulator_free(&recorded);
	fg_accumulator_free(&divided);
	fg_tree_free(runs->ctx, &current);
	fg_tree_free(runs->ctx, &measured);
	return ok;
}

static bool
runs_alloc(Runs *runs)
{
	const FgProfiles *repetitions = runs->input->repetitions;

	runs->factor = fg_alloc(runs->ctx, runs->n + 1, sizeof(double));
	runs->total = fg_alloc(runs->ctx, runs->n + 1, sizeof(double));
	if (repetitions != NULL && repetitions->count >= FG_LEAST_REPETITIONS)
		runs->share = fg_alloc(runs->ctx, repetitions->count, sizeof(double));
	for (size_t i = 0; runs->factor != NULL && i <= runs->n; i++)
		runs->factor[i] = 1;
	return fg_kept_begin(runs->ctx, &runs->kept, runs->n, FG_KEPT_MEMORY) &&
		runs->factor != NULL && runs->total != NULL &&
		(runs->share != NULL || repetitions == NULL || repetitions->count < FG_LEAST_REPETITIONS);
}

static void
runs_free(Runs *runs)
{
	fg_release(runs->ctx, runs->factor);
	fg_release(runs->ctx, runs->total);
	fg_release(runs->ctx, runs->share);
	fg_kept_end(runs->ctx, &runs->kept);
	fg_tree_free(runs->ctx, &runs->history_noise);
	fg_tree_free(runs->ctx, &runs->current_noise);
	fg_tree_free(runs->ctx, &runs->within);
}

static bool
unit_works(FgContext *ctx, double unit)
{
	if (!isfinite(unit))
		return fg_fail(ctx, FG_ERROR_RANGE, "current_unit must be a finite number");
	return unit >= 0 || fg_fail(ctx, FG_ERROR_ARGUMENT, "current_unit must not be negative");
}

static bool
values_fit(FgContext *ctx, const FgRunScoresInput *input)
{
	if ((input->value_history == NULL) != (input->value_current == NULL))
		return fg_fail(ctx, FG_ERROR_ARGUMENT,
					   "value_history and value_current are given together or not at all");
	if (input->value_history == NULL || input->value_history->count == input->history->count)
		return true;
	return fg_fail(ctx, FG_ERROR_ARGUMENT,
				   "the history has %zu profiles, but there are values of %zu",
				   input->history->count, input->value_history->count);
}

/* Checks what both answers need, and finds the factors. */
static bool
runs_begin(FgContext *ctx, const FgRunScoresInput *input, Runs *runs)
{
	const FgNoise *noise = &input->noise;
	size_t		start;

	*runs = (Runs) {.ctx = ctx, .input = input, .n = input->history->count};
	runs->noise.unit = input->scoring.poisson_unit;
	runs->noise.unit_now = input->unit_now;
	return fg_scoring_check(ctx, &input->scoring) && unit_works(ctx, input->unit_now) &&
		fg_history_start(ctx, runs->n, INT64_MAX, &start) &&
		fg_noise_fits(ctx, input->history, noise) && values_fit(ctx, input) && runs_alloc(runs) &&
		(!input->scoring.moderated || (runs->noise.unit <= 0 && noise->history == NULL) ||
		 find_factors(runs));
}

bool
fg_run_scores(FgContext *ctx, const FgRunScoresInput *input, FgDeviations *result)
{
	Runs		runs;
	bool		ok;

	*result = (FgDeviations) {.ctx = ctx};
	ok = runs_begin(ctx, input, &runs) &&
		(input->noise.history == NULL || noise_of_history(&runs)) &&
		(input->noise.current == NULL || noise_of_current(&runs)) &&
		(runs.share == NULL || variance_within(&runs)) && score_runs(&runs, result);
	runs_free(&runs);
	return ok;
}

bool
fg_run_difference(FgContext *ctx, const FgRunScoresInput *input, FgTree *difference)
{
	FgRunScoresInput stacks = *input;
	Runs		runs;
	FgAccumulator sum;
	const FgTree *total;
	bool		ok;

	stacks.level = FG_LEVEL_STACK;
	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_SUM);
	ok = runs_begin(ctx, &stacks, &runs) && accumulate_history(&runs, &sum, NULL) &&
		(total = fg_accumulator_total(&sum)) != NULL &&
		fg_combine(ctx, stacks.current, 1 / runs.factor[runs.n], total, -1 / (double) runs.n,
				   difference);
	fg_accumulator_free(&sum);
	runs_free(&runs);
	return ok;
}
