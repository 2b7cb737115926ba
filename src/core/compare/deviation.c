/*
 * deviation.c
 *	  Scores of one run against those before it (see deviation.h).
 */
#include "core/compare/deviation.h"

#include "core/base/choice.h"
#include "core/base/distribution.h"
#include "core/base/order.h"
#include "core/base/series.h"
#include "core/compare/deviation_internal.h"
#include "core/compare/multiplicity.h"
#include "core/compare/observations.h"
#include "core/profile/tree_pair.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How far a mean of equal values may be from them, relatively. */
#define MEAN_ERROR (64 * DBL_EPSILON)

/* --- scoring ---------------------------------------------------------------------- */

static bool
check_scale(FgContext *ctx, const char *what, double value)
{
	if (!isfinite(value))
		return fg_fail(ctx, FG_ERROR_RANGE, "%s must be a finite number", what);
	if (value < 0)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "0 means no floor under the deviation.",
						  "%s must not be negative", what);
	return true;
}

bool
fg_scoring_check(FgContext *ctx, const FgScoring *scoring)
{
	return check_scale(ctx, "poisson_unit", scoring->poisson_unit) &&
		check_scale(ctx, "min_std", scoring->min_std);
}

bool
fg_zero_std_parse(FgContext *ctx, const char *text, size_t length, bool *infinite)
{
	static const char *const words[] = {"inf", "zero"};
	static const FgChoice choice = {"zero_std", "Available: inf, zero.", words, 2};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*infinite = place == 0;
	return true;
}

/* sqrt(unit * max(mean, unit)): the deviation of a count of samples, in its unit. */
static double
poisson_deviation(double unit, double mean)
{
	return sqrt(unit) * sqrt(fmax(mean, unit));
}

double
fg_deviation_score(const FgScoring *scoring, double diff, double deviation)
{
	if (deviation > 0)
		return diff / deviation;
	if (diff == 0 || !scoring->infinite)
		return 0;
	return diff > 0 ? INFINITY : -INFINITY;
}

double
fg_deviation_floor(const FgScoring *scoring, double mean)
{
	if (scoring->poisson_unit <= 0)
		return scoring->min_std;
	return fmax(scoring->min_std, poisson_deviation(scoring->poisson_unit, mean));
}

static bool
deviation_from(FgContext *ctx, const FgScoring *scoring, double mean, double variance,
			   double actual, FgDeviation *d)
{
	/* the mean of equal values may be off by rounding, over a deviation of 0 that is infinite */
	if (variance == 0 && fabs(actual - mean) <= MEAN_ERROR * fabs(mean))
		mean = actual;
	d->expected = mean + 0.0;
	d->stddev = sqrt(variance);
	d->actual = actual;
	d->diff = actual - d->expected + 0.0;
	if (!isfinite(d->stddev) || !isfinite(d->diff))
		return fg_fail(ctx, FG_ERROR_RANGE, "the deviation of a value is out of range");
	d->variance = variance;
	d->raw_score = fg_deviation_score(scoring, d->diff, d->stddev);
	d->score = fg_deviation_score(scoring, d->diff,
								  fmax(d->stddev, fg_deviation_floor(scoring, mean)));
	return true;
}

static const char *
status_of(bool before, bool now)
{
	if (before == now)
		return "";
	return now ? "+" : "-";
}

bool
fg_deviation_of(FgContext *ctx, const FgScoring *scoring, const double *history,
				size_t n, double actual, size_t before, bool now, FgDeviation *deviation)
{
	*deviation = (FgDeviation) {.df = (double) n - 1};
	deviation->status = status_of(before > 0, now);
	return deviation_from(ctx, scoring, fg_mean(history, n),
						  fg_sum_squares(history, n) / (double) (n - 1), actual, deviation);
}

double
fg_deviation_p_value(double score, double n)
{
	if (isinf(score))
		return 0;
	return fg_t_two_sided(score / sqrt(1 + 1 / n), n - 1);
}

bool
fg_history_start(FgContext *ctx, size_t count, int64_t window, size_t *start)
{
	if (window < FG_LEAST_HISTORY)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "It is the number of earlier profiles to compare with.",
						  "window_size must be at least %d", FG_LEAST_HISTORY);
	if (count < FG_LEAST_HISTORY)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "A standard deviation needs two earlier profiles.",
						  "the history has fewer than %d profiles", FG_LEAST_HISTORY);
	*start = (uint64_t) window < count ? count - (size_t) window : 0;
	return true;
}

/* --- results ------------------------------------------------------------------------ */

void
fg_deviations_free(FgDeviations *result)
{
	if (result->ctx == NULL)
		return;
	fg_tree_free(result->ctx, &result->keys);
	fg_release(result->ctx, result->node);
	fg_release(result->ctx, result->rows);
	fg_release(result->ctx, result->p_value);
	fg_release(result->ctx, result->q_value);
	fg_release(result->ctx, result->order);
	memset(result, 0, sizeof(*result));
}

static bool
deviations_alloc(FgDeviations *result, size_t count)
{
	FgContext  *ctx = result->ctx;

	result->node = fg_alloc(ctx, count, sizeof(uint32_t));
	result->rows = fg_alloc_zero(ctx, count, sizeof(FgDeviation));
	result->p_value = fg_alloc(ctx, count, sizeof(double));
	result->q_value = fg_alloc(ctx, count, sizeof(double));
	result->order = fg_alloc(ctx, count, sizeof(uint32_t));
	return result->node != NULL && result->rows != NULL && result->p_value != NULL &&
		result->q_value != NULL && result->order != NULL;
}

/* Rows stand in the order of their keys, which decides last. */
static bool
sort_rows(FgDeviations *result)
{
	FgContext  *ctx = result->ctx;
	uint32_t	count = result->count;
	double	   *value = fg_alloc(ctx, count, sizeof(double));
	uint32_t   *by_diff = fg_alloc(ctx, count, sizeof(uint32_t));
	bool		ok = value != NULL && by_diff != NULL;

	for (uint32_t i = 0; ok && i < count; i++)
		value[i] = result->rows[i].diff;
	ok = ok && fg_order_descending(ctx, value, count, by_diff);
	for (uint32_t i = 0; ok && i < count; i++)
		value[i] = result->rows[by_diff[i]].score;
	ok = ok && fg_order_descending(ctx, value, count, result->order);
	for (uint32_t i = 0; ok && i < count; i++)
		result->order[i] = by_diff[result->order[i]];
	fg_release(ctx, value);
	fg_release(ctx, by_diff);
	return ok;
}

/* Scores of keys by themselves become p-values, or all of them are made anew. */
static bool
finish_rows(FgDeviations *result, const FgScoring *scoring, const FgDeviationNoise *noise)
{
	if (scoring->moderated || noise != NULL)
		return fg_deviations_spread(result, scoring, noise) &&
			fg_adjust(result->ctx, result->p_value, result->count, FG_CORRECT_BH,
					  result->q_value) && sort_rows(result);
	for (uint32_t i = 0; i < result->count; i++)
	{
		if (i % 1024 == 0 && !fg_check(result->ctx))
			return false;
		result->rows[i].df = (double) result->n - 1;
		result->p_value[i] = fg_deviation_p_value(result->rows[i].score, (double) result->n);
	}
	return fg_adjust(result->ctx, result->p_value, result->count, FG_CORRECT_BH,
					 result->q_value) && sort_rows(result);
}

/* --- from profiles ------------------------------------------------------------------- */

/* One-frame stacks; none of the frames is known to have a value. */
static bool
frames_as_keys(FgContext *ctx, const FgFrames *frames, FgTree *keys)
{
	if (!fg_tree_alloc(ctx, keys, frames->count))
		return false;
	memset(keys->self, 0, ((size_t) frames->count + 1) * sizeof(double));
	keys->key[0] = FG_ROOT_KEY;
	for (uint32_t f = 0; f < frames->count; f++)
		keys->key[f + 1] = fg_key(1, f);
	return fg_frames_copy(ctx, frames, &keys->frames);
}

static bool
score_frame(FgDeviations *result, const FgScoring *scoring, const FgObservation *list,
			size_t count, double *history, FgDeviation *row)
{
	double		actual = 0;
	bool		now = false;
	size_t		before = 0;

	memset(history, 0, result->n * sizeof(double));
	for (size_t i = 0; i < count; i++)
	{
		if (list[i].profile == result->n)
		{
			actual = list[i].value;
			now = true;
		}
		else
		{
			history[list[i].profile] = list[i].value;
			before++;
		}
	}
	return fg_deviation_of(result->ctx, scoring, history, result->n, actual, before, now, row);
}

static bool
score_frames(FgDeviations *result, const FgScoring *scoring, const FgObservations *all)
{
	double	   *history = fg_alloc(result->ctx, result->n, sizeof(double));
	bool		ok = history != NULL && deviations_alloc(result, all->frames.count) &&
		frames_as_keys(result->ctx, &all->frames, &result->keys);

	for (uint32_t f = 0; ok && f < all->frames.count; f++)
	{
		result->node[f] = f + 1;
		ok = score_frame(result, scoring, all->list + all->first[f],
						 all->first[f + 1] - all->first[f], history, &result->rows[f]) &&
			fg_steps(result->ctx, 4 * result->n);
	}
	result->count = all->frames.count;
	fg_release(result->ctx, history);
	return ok;
}

static bool
observe(FgContext *ctx, const FgProfiles *history, size_t start, const FgTree *current,
		FgObservations *all)
{
	for (size_t i = start; i < history->count; i++)
	{
		FgTree		tree;
		bool		ok;

		if (!history->read(ctx, history->arg, i, &tree))
			return false;
		ok = fg_observations_add(all, &tree, (uint32_t) (i - start));
		fg_tree_free(ctx, &tree);
		if (!ok)
			return false;
	}
	return fg_observations_add(all, current, (uint32_t) (history->count - start)) &&
		fg_observations_end(all);
}

/* The noise of each function, from that of the stacks. */
static bool
noise_of_frames(FgDeviations *result, const FgObservations *all)
{
	const FgFrames *frames = &all->frames;

	for (uint32_t f = 0; f < frames->count; f++)
	{
		uint32_t	row = fg_frames_find(&result->keys.frames, fg_frame_bytes(frames, f),
										 fg_frame_length(frames, f));

		for (size_t i = all->first[f]; row != FG_NONE && i < all->first[f + 1]; i++)
		{
			if (all->list[i].profile == result->n)
				result->rows[row].noise_now = all->list[i].value;
			else
				result->rows[row].noise_before += all->list[i].value / (double) result->n;
		}
		if (!fg_check_every(result->ctx, f))
			return false;
	}
	return true;
}

static bool
observe_noise(FgContext *ctx, const FgNoise *noise, size_t start, size_t n, FgObservations *all)
{
	for (size_t i = start; noise->history != NULL && i < start + n; i++)
	{
		FgTree		tree;
		bool		ok;

		if (!noise->history->read(ctx, noise->history->arg, i, &tree))
			return false;
		ok = fg_noise_check(ctx, &tree) && fg_observations_add(all, &tree, (uint32_t) (i - start));
		fg_tree_free(ctx, &tree);
		if (!ok)
			return false;
	}
	return (noise->current == NULL || (fg_noise_check(ctx, noise->current) &&
									   fg_observations_add(all, noise->current, (uint32_t) n))) &&
		fg_observations_end(all);
}

static bool
add_noise(FgDeviations *result, const FgNoise *noise, size_t start, uint32_t metric)
{
	FgObservations all = {0};
	bool		ok = fg_observations_begin(result->ctx, metric, &all) &&
		observe_noise(result->ctx, noise, start, result->n, &all) &&
		noise_of_frames(result, &all);

	fg_observations_free(&all);
	return ok;
}

bool
fg_noise_fits(FgContext *ctx, const FgProfiles *history, const FgNoise *noise)
{
	if (noise == NULL || noise->history == NULL || noise->history->count == history->count)
		return true;
	return fg_fail(ctx, FG_ERROR_ARGUMENT,
				   "the history has %zu profiles, but there is noise of %zu", history->count,
				   noise->history->count);
}

bool
fg_deviations(FgContext *ctx, const FgProfiles *history, const FgTree *current, int64_t window,
			  uint32_t metric, const FgScoring *scoring, const FgNoise *noise,
			  FgDeviations *result)
{
	static const FgDeviationNoise known = {0};
	FgObservations all = {0};
	size_t		start = 0;
	bool		ok;

	*result = (FgDeviations) {.ctx = ctx};
	if (!fg_scoring_check(ctx, scoring) || !fg_noise_fits(ctx, history, noise) ||
		!fg_history_start(ctx, history->count, window, &start))
		return false;
	result->n = history->count - start;
	ok = fg_observations_begin(ctx, metric, &all) &&
		observe(ctx, history, start, current, &all) && score_frames(result, scoring, &all);
	fg_observations_free(&all);
	ok = ok && (noise == NULL || add_noise(result, noise, start, metric)) &&
		finish_rows(result, scoring, noise == NULL ? NULL : &known);
	if (!ok)
		fg_deviations_free(result);
	return ok;
}

/* --- from moments --------------------------------------------------------------------- */

/*
 * Merging samples leaves rounding errors in M2 where all values were the same; what is
 * smaller than they can be is no variance.
 */
static double
variance_of(double n, double support, double sum, double m2)
{
	double		error = 8 * DBL_EPSILON * (sum / n);
	double		variance = fg_sample_variance(support, sum, m2, n);

	return variance <= error * error ? 0 : variance;
}

/* history's node i and current's node j, FG_NONE in the one that lacks it. */
static bool
score_key(FgDeviations *result, const FgScoring *scoring, const FgMoments *history, uint32_t i,
		  const FgTree *current, uint32_t j, uint32_t node)
{
	double		n = (double) result->n;
	double		support = i == FG_NONE ? 0 : history->support.self[i];
	double		sum = i == FG_NONE ? 0 : history->sum[i];
	double		m2 = i == FG_NONE ? 0 : history->m2[i];
	double		actual = j == FG_NONE ? 0 : current->self[j];
	FgDeviation *row = &result->rows[result->count];

	if (support == 0 && actual == 0)
		return true;			/* a mere prefix */
	row->status = status_of(support > 0, actual != 0);
	result->node[result->count++] = node;
	return deviation_from(result->ctx, scoring, sum / n, variance_of(n, support, sum, m2), actual,
						  row);
}

/* The keys are the nodes of either tree. */
static bool
score_keys(FgDeviations *result, const FgScoring *scoring, const FgMoments *history,
		   const FgTree *current, const FgTreePair *pair)
{
	FgTreeWalk	walk = fg_tree_pair_walk(pair);

	while (fg_tree_pair_next(&walk))
	{
		result->keys.key[walk.node] = walk.key;
		if (!fg_check_every(result->ctx, walk.node) ||
			!score_key(result, scoring, history, walk.a, current, walk.b, walk.node))
			return false;
	}
	result->keys.nnodes = walk.node;
	memset(result->keys.self, 0, ((size_t) walk.node + 1) * sizeof(double));
	return true;
}

bool
fg_noise_check(FgContext *ctx, const FgTree *noise)
{
	for (uint32_t i = 0; i <= noise->nnodes; i++)
	{
		if (noise->self[i] < 0)
			return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
							  "Noise is a sum of squared weights of samples.",
							  "noise must not be negative");
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

bool
fg_deviations_values(FgDeviations *result, const FgTree *tree, double *values)
{
	FgContext  *ctx = result->ctx;
	FgTreePair	pair;
	FgTreeWalk	walk;
	bool		ok = true;

	memset(values, 0, ((size_t) result->keys.nnodes + 1) * sizeof(double));
	if (!fg_tree_pair_begin(ctx, &result->keys, tree, &pair))
		return false;
	walk = fg_tree_pair_walk(&pair);
	while (ok && fg_tree_pair_next(&walk))
	{
		if (walk.a != FG_NONE && walk.b != FG_NONE)
			values[walk.a] = tree->self[walk.b];
		ok = fg_check_every(ctx, walk.node);
	}
	fg_tree_pair_end(ctx, &pair);
	return ok;
}

static bool
noise_of_history(FgDeviations *result, const FgDeviationNoise *noise, double *values)
{
	double		n = (double) result->n;

	if (noise->history != NULL && !fg_deviations_values(result, noise->history, values))
		return false;
	for (uint32_t i = 0; i < result->count; i++)
	{
		FgDeviation *row = &result->rows[i];

		row->noise_before = noise->history != NULL ? values[result->node[i]] / n
			: noise->unit * fmax(fabs(row->expected), noise->unit);
	}
	return fg_steps(result->ctx, result->count);
}

static bool
noise_of_run(FgDeviations *result, const FgDeviationNoise *noise, double *values)
{
	if (noise->current != NULL && !fg_deviations_values(result, noise->current, values))
		return false;
	for (uint32_t i = 0; i < result->count; i++)
	{
		FgDeviation *row = &result->rows[i];

		row->noise_now = noise->current != NULL ? values[result->node[i]]
			: noise->unit_now * fabs(row->actual);
	}
	if (noise->within == NULL)
		return true;
	if (!fg_deviations_values(result, noise->within, values))
		return false;
	for (uint32_t i = 0; i < result->count; i++)
		result->rows[i].variance_within = values[result->node[i]];
	return fg_steps(result->ctx, result->count);
}

static bool
add_noise_of_keys(FgDeviations *result, const FgDeviationNoise *noise)
{
	double	   *values = fg_alloc(result->ctx, (size_t) result->keys.nnodes + 1, sizeof(double));
	bool		ok = values != NULL && noise_of_history(result, noise, values) &&
		noise_of_run(result, noise, values);

	fg_release(result->ctx, values);
	return ok;
}

bool
fg_stats_deviations(FgContext *ctx, const FgMoments *history, uint64_t n, const FgTree *current,
					const FgScoring *scoring, const FgDeviationNoise *noise,
					FgDeviations *result)
{
	uint64_t	nodes = (uint64_t) history->support.nnodes + current->nnodes;
	size_t		start;
	FgTreePair	pair;
	bool		ok;

	*result = (FgDeviations) {.ctx = ctx, .n = n};
	if (!fg_scoring_check(ctx, scoring) ||
		!fg_history_start(ctx, n, INT64_MAX, &start) ||
		!fg_tree_pair_begin(ctx, &history->support, current, &pair))
		return false;
	ok = fg_tree_alloc_unlimited(ctx, &result->keys, nodes) &&
		deviations_alloc(result, nodes + 1) &&
		score_keys(result, scoring, history, current, &pair) &&
		fg_tree_pair_take_frames(ctx, &pair, &result->keys.frames) &&
		(noise == NULL || add_noise_of_keys(result, noise)) &&
		finish_rows(result, scoring, noise);
	fg_tree_pair_end(ctx, &pair);
	if (!ok)
		fg_deviations_free(result);
	return ok;
}
