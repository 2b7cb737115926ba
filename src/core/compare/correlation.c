/*
 * correlation.c
 *	  Correlation of functions with the cost of their runs (see correlation.h).
 */
#include "core/compare/correlation.h"

#include "core/base/order.h"
#include "core/base/series.h"
#include "core/base/choice.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool
fg_correlation_method_parse(FgContext *ctx, const char *text, size_t length,
							FgCorrelationMethod *method)
{
	static const char *const words[] = {"pearson", "spearman"};
	static const FgChoice choice = {"method", "Available: pearson, spearman.", words, 2};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*method = (FgCorrelationMethod) place;
	return true;
}

bool
fg_combination_parse(FgContext *ctx, const char *text, size_t length, FgCombination *combine)
{
	static const char *const words[] = {"avg", "max", "min", "median"};
	static const FgChoice choice = {"combine", "Available: avg, max, min, median.", words, 4};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*combine = (FgCombination) place;
	return true;
}

bool
fg_missing_parse(FgContext *ctx, const char *text, size_t length, bool *missing_zero)
{
	static const char *const words[] = {"skip", "zero"};
	static const FgChoice choice = {"missing", "Available: skip, zero.", words, 2};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*missing_zero = place == 1;
	return true;
}

bool
fg_correlation_check(FgContext *ctx, const FgCorrelationOptions *options)
{
	if (options->min_profiles < 2)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "One profile has no correlation.",
						  "min_profiles must be at least 2");
	return true;
}

/* --- the coefficient ------------------------------------------------------------------- */

/* Scaled to at most 1, so that no square leaves the range of a double. */
static void
center(double *values, size_t n, double largest)
{
	double		mean;

	for (size_t i = 0; i < n; i++)
		values[i] /= largest;
	mean = fg_mean(values, n);
	for (size_t i = 0; i < n; i++)
		values[i] -= mean;
}

static double
product(const double *a, const double *b, size_t n)
{
	FgDouble2	sum = {0, 0};

	for (size_t i = 0; i < n; i++)
		fg_sum_twice(&sum, a[i] * b[i]);
	return sum.high + sum.low;
}

/* Centred values of size 1 at most: a mean may be off by some units in the last place. */
static bool
is_constant(double squares, size_t n)
{
	double		error = 8 * DBL_EPSILON;

	return squares <= (double) n * error * error;
}

static double
pearson(double *x, double *y, size_t n)
{
	double		largest_x = fg_max_absolute(x, n);
	double		largest_y = fg_max_absolute(y, n);
	double		xx;
	double		yy;

	if (n < 2 || largest_x == 0 || largest_y == 0)
		return 0;
	center(x, n, largest_x);
	center(y, n, largest_y);
	xx = product(x, x, n);
	yy = product(y, y, n);
	if (is_constant(xx, n) || is_constant(yy, n))
		return 0;
	return fmax(-1, fmin(1, product(x, y, n) / (sqrt(xx) * sqrt(yy))));
}

/* Ranks from 1; equal values get the mean of theirs. */
static bool
to_ranks(FgContext *ctx, double *values, size_t n)
{
	uint32_t   *order = fg_alloc(ctx, n, sizeof(uint32_t));
	double	   *rank = fg_alloc(ctx, n, sizeof(double));
	bool		ok = order != NULL && rank != NULL &&
		fg_order_descending(ctx, values, (uint32_t) n, order);

	for (size_t i = 0, end; ok && i < n; i = end)
	{
		for (end = i + 1; end < n && values[order[end]] == values[order[i]]; end++)
			;
		for (size_t k = i; k < end; k++)
			rank[order[k]] = (double) n - (double) (i + end - 1) / 2;
	}
	if (ok)
		memcpy(values, rank, n * sizeof(double));
	fg_release(ctx, order);
	fg_release(ctx, rank);
	return ok;
}

/* x and y are lost. */
static bool
correlate_here(FgContext *ctx, double *x, double *y, size_t n, FgCorrelationMethod method,
			   double *coefficient)
{
	if (method == FG_SPEARMAN && (!to_ranks(ctx, x, n) || !to_ranks(ctx, y, n)))
		return false;
	*coefficient = pearson(x, y, n);
	return fg_check(ctx);
}

bool
fg_correlation(FgContext *ctx, const double *x, const double *y, size_t n,
			   FgCorrelationMethod method, double *coefficient)
{
	double	   *copy = fg_alloc(ctx, 2 * n, sizeof(double));
	bool		ok = copy != NULL;

	if (ok)
	{
		memcpy(copy, x, n * sizeof(double));
		memcpy(copy + n, y, n * sizeof(double));
		ok = correlate_here(ctx, copy, copy + n, n, method, coefficient);
	}
	fg_release(ctx, copy);
	return ok;
}

/* --- runs of benchmarks ---------------------------------------------------------------------- */

bool
fg_runs_begin(FgContext *ctx, const uint32_t *benchmark, uint32_t benchmarks, const double *metric,
			  size_t count, FgRuns *runs)
{
	*runs = (FgRuns) {.ctx = ctx, .benchmarks = benchmarks};
	runs->profile = fg_alloc(ctx, count, sizeof(uint32_t));
	runs->metric = fg_alloc(ctx, count, sizeof(double));
	runs->first = fg_alloc_zero(ctx, (size_t) benchmarks + 2, sizeof(uint32_t));
	runs->x = fg_alloc(ctx, count, sizeof(double));
	runs->y = fg_alloc(ctx, count, sizeof(double));
	runs->coefficient = fg_alloc(ctx, benchmarks, sizeof(double));
	if (runs->profile == NULL || runs->metric == NULL || runs->first == NULL || runs->x == NULL ||
		runs->y == NULL || runs->coefficient == NULL)
	{
		fg_runs_free(runs);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		runs->first[benchmark[i] + 2] += !isnan(metric[i]);
	for (uint32_t b = 0; b < benchmarks; b++)
		runs->first[b + 2] += runs->first[b + 1];
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	run;

		if (isnan(metric[i]))
			continue;
		run = runs->first[benchmark[i] + 1]++;
		runs->profile[run] = (uint32_t) i;
		runs->metric[run] = metric[i];
	}
	runs->count = runs->first[benchmarks];
	return true;
}

void
fg_runs_free(FgRuns *runs)
{
	if (runs->ctx == NULL)
		return;
	fg_release(runs->ctx, runs->profile);
	fg_release(runs->ctx, runs->metric);
	fg_release(runs->ctx, runs->first);
	fg_release(runs->ctx, runs->x);
	fg_release(runs->ctx, runs->y);
	fg_release(runs->ctx, runs->coefficient);
	memset(runs, 0, sizeof(*runs));
}

size_t
fg_runs_pairs(FgRuns *runs, uint32_t benchmark, bool missing_zero, const FgObservation *list,
			  size_t count)
{
	size_t		n = 0;
	size_t		i = 0;

	if (count == 0)
		return 0;
	for (uint32_t run = runs->first[benchmark]; run < runs->first[benchmark + 1]; run++)
	{
		while (i < count && list[i].profile < run)
			i++;
		if ((i == count || list[i].profile != run) && !missing_zero)
			continue;
		runs->x[n] = i < count && list[i].profile == run ? list[i].value : 0;
		runs->y[n++] = runs->metric[run];
	}
	return n;
}

static double
combined(FgCombination combine, double *values, size_t n, FgContext *ctx, bool *ok)
{
	double		result = n == 0 ? NAN : values[0];

	if (n == 0)
		return result;
	switch (combine)
	{
		case FG_COMBINE_AVG:
			return fg_mean(values, n);
		case FG_COMBINE_MAX:
			for (size_t i = 1; i < n; i++)
				result = fmax(result, values[i]);
			return result;
		case FG_COMBINE_MIN:
			for (size_t i = 1; i < n; i++)
				result = fmin(result, values[i]);
			return result;
		case FG_COMBINE_MEDIAN:
			break;
	}
	*ok = fg_sort_values(ctx, values, n);
	return fg_median(values, n);
}

/* The observations from *start on that belong to runs before "end". */
static size_t
observations_before(const FgObservation *list, size_t count, size_t start, uint32_t end)
{
	size_t		i = start;

	while (i < count && list[i].profile < end)
		i++;
	return i;
}

bool
fg_correlate(FgRuns *runs, const FgCorrelationOptions *options, const FgObservation *list,
			 size_t count, FgCorrelationScore *score)
{
	bool		ok = true;
	size_t		start = 0;
	size_t		used = 0;

	*score = (FgCorrelationScore) {NAN, 0, 0};
	for (uint32_t b = 0; ok && b < runs->benchmarks; b++)
	{
		size_t		end = observations_before(list, count, start, runs->first[b + 1]);
		size_t		n = fg_runs_pairs(runs, b, options->missing_zero, list + start, end - start);

		start = end;
		if (n < (uint64_t) options->min_profiles)
			continue;
		score->n += (uint32_t) n;
		ok = correlate_here(runs->ctx, runs->x, runs->y, n, options->method,
							&runs->coefficient[used++]);
	}
	score->benchmarks = (uint32_t) used;
	if (ok)
		score->score = combined(options->combine, runs->coefficient, used, runs->ctx, &ok);
	return ok;
}

bool
fg_runs_observe(FgContext *ctx, const FgRuns *runs, const FgProfiles *profiles, uint32_t metric,
				FgObservations *all)
{
	bool		ok = fg_observations_begin(ctx, metric, all);

	for (uint32_t run = 0; ok && run < runs->count; run++)
	{
		FgTree		tree;

		ok = profiles->read(ctx, profiles->arg, runs->profile[run], &tree);
		if (!ok)
			break;
		ok = fg_observations_add(all, &tree, run);
		fg_tree_free(ctx, &tree);
	}
	ok = ok && fg_observations_end(all);
	if (!ok)
		fg_observations_free(all);
	return ok;
}
