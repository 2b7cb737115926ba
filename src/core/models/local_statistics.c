/*
 * local_statistics.c
 *	  Changes of statistics of parts (see local_statistics.h).
 */
#include "core/models/local_statistics.h"

#include "core/base/series.h"

#include <math.h>
#include <string.h>

/* Of the number of statistics: a score above the first may be a change, above the second is. */
#define MAYBE_FRACTION 0.2
#define CHANGE_FRACTION 0.5

/* The mean of what is finite; if nothing is, infinity with the sign of most. */
typedef struct FiniteMean
{
	double		sum;
	size_t		finite;
	double		signs;			/* of infinities */
} FiniteMean;

static void
mean_add(FiniteMean *mean, double value)
{
	if (isfinite(value))
	{
		mean->sum += value;
		mean->finite++;
	}
	else if (isinf(value))
		mean->signs += value > 0 ? 1 : -1;
}

static double
mean_of(const FiniteMean *mean)
{
	if (mean->finite > 0)
		return mean->sum / (double) mean->finite;
	return mean->signs == 0 ? NAN : copysign(INFINITY, mean->signs);
}

static bool
check_options(FgContext *ctx, const FgLocalOptions *options)
{
	if (!(options->density >= 0 && options->density <= 1))
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Use a fraction from 0 to 1, for example 0.05.",
						  "density must not be %g", options->density);
	if (options->min_points < 1)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Use a number of at least 1.",
						  "min_points must not be %lld", (long long) options->min_points);
	return fg_thresholds_check(ctx, &options->thresholds);
}

/* --- one chunk --------------------------------------------------------------------- */

/* Sorts the values. */
static bool
find_statistics(FgContext *ctx, double *values, size_t n, double *statistics)
{
	statistics[FG_STATISTIC_AVG] = fg_mean(values, n);
	statistics[FG_STATISTIC_SUM] = 0;
	for (size_t i = 0; i < n; i++)
		statistics[FG_STATISTIC_SUM] += values[i];
	if (!fg_sort_values(ctx, values, n))
		return false;
	statistics[FG_STATISTIC_MED] = fg_median(values, n);
	statistics[FG_STATISTIC_MAX] = values[n - 1];
	statistics[FG_STATISTIC_MIN] = values[0];
	statistics[FG_STATISTIC_Q1] = fg_quantile(values, n, 0.25);
	statistics[FG_STATISTIC_Q3] = fg_quantile(values, n, 0.75);
	return true;
}

static double
score_of(double relative, const FgThresholds *thresholds)
{
	switch (fg_classify(relative, thresholds))
	{
		case FG_MAYBE_DEGRADATION:
			return 0.5;
		case FG_DEGRADATION:
			return 1;
		case FG_MAYBE_OPTIMIZATION:
			return -0.5;
		case FG_OPTIMIZATION:
			return -1;
		default:
			return 0;
	}
}

static FgChangeVerdict
classify_score(double score)
{
	if (fabs(score) <= MAYBE_FRACTION * FG_STATISTICS)
		return FG_NO_CHANGE;
	return fg_changed(score, fabs(score) <= CHANGE_FRACTION * FG_STATISTICS);
}

static void
judge_chunk(const double *baseline, const double *target, const FgThresholds *thresholds,
			FgLocalChunk *chunk)
{
	FiniteMean	mean = {0};

	for (int i = 0; i < FG_STATISTICS; i++)
	{
		chunk->errors[i] = fg_relative(target[i], baseline[i]);
		chunk->score += score_of(chunk->errors[i], thresholds);
		mean_add(&mean, chunk->errors[i]);
	}
	chunk->relative_error = mean_of(&mean);
	/* statistics can be undefined when a sum overflows */
	chunk->result = isnan(chunk->relative_error) ? FG_UNKNOWN : classify_score(chunk->score);
}

/* Sorts the values of the chunk, which starts at "start". */
static bool
make_chunk(FgContext *ctx, FgSharedPoints *points, size_t start, size_t size,
		   const FgThresholds *thresholds, FgLocalChunk *chunk)
{
	double		baseline[FG_STATISTICS];
	double		target[FG_STATISTICS];

	memset(chunk, 0, sizeof(*chunk));
	chunk->x_from = points->x[start];
	chunk->x_to = points->x[start + size - 1];
	if (!find_statistics(ctx, points->baseline + start, size, baseline) ||
		!find_statistics(ctx, points->target + start, size, target))
		return false;
	judge_chunk(baseline, target, thresholds, chunk);
	return true;
}

/* --- all chunks --------------------------------------------------------------------- */

/* Sorts the values chunk by chunk. */
static bool
make_chunks(FgContext *ctx, FgSharedPoints *points, const FgLocalOptions *options,
			FgLocalStatistics *local)
{
	size_t		size = (size_t) floor(options->density * (double) points->n + 1e-9);
	FiniteMean	mean = {0};

	if (size < (uint64_t) options->min_points)
		size = points->n;
	if (points->n == 0)
		return true;
	local->count = (points->n - 1) / size + 1;
	local->chunks = fg_alloc(ctx, local->count, sizeof(FgLocalChunk));
	if (local->chunks == NULL)
		return false;
	for (size_t i = 0; i < local->count; i++)
	{
		size_t		start = i * size;
		size_t		left = points->n - start;

		if (!fg_check_every(ctx, i) ||
			!make_chunk(ctx, points, start, left < size ? left : size, &options->thresholds,
						&local->chunks[i]))
			return false;
		mean_add(&mean, local->chunks[i].relative_error);
	}
	local->relative_error = mean_of(&mean);
	local->result = fg_classify(local->relative_error, &options->thresholds);
	return true;
}

static bool
compare_points(FgContext *ctx, FgSharedPoints *points, const FgLocalOptions *options,
			   FgLocalStatistics *local)
{
	bool		ok = make_chunks(ctx, points, options, local);

	if (!ok)
	{
		fg_release(ctx, local->chunks);
		local->chunks = NULL;
		local->count = 0;
	}
	fg_shared_points_free(ctx, points);
	return ok;
}

bool
fg_local_statistics_points(FgContext *ctx, const double *x, const double *baseline,
						   const double *target, size_t n, const FgLocalOptions *options,
						   FgLocalStatistics *local)
{
	FgSharedPoints points;

	*local = (FgLocalStatistics) {FG_UNKNOWN, NAN, NAN, NULL, 0};
	return check_options(ctx, options) &&
		fg_shared_points_copy(ctx, x, baseline, target, n, false, &points) &&
		compare_points(ctx, &points, options, local);
}

bool
fg_local_statistics(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
					int64_t samples, const FgLocalOptions *options, FgLocalStatistics *local)
{
	FgSharedPoints points;
	double		lo;
	double		hi;

	*local = (FgLocalStatistics) {FG_UNKNOWN, NAN, fg_confidence(baseline, target), NULL, 0};
	if (!check_options(ctx, options) || !fg_parts_check(ctx, "samples", samples, 2))
		return false;
	if (!fg_common_interval(baseline, target, &lo, &hi))
		return true;
	return fg_shared_points_of_curves(ctx, baseline, target, lo, hi, (size_t) samples, &points) &&
		compare_points(ctx, &points, options, local);
}

/* --- merging ------------------------------------------------------------------------ */

/* Into the first of them; all have its class. */
static void
join_chunks(FgLocalChunk *chunks, size_t count, FgLocalChunk *joined)
{
	FgLocalChunk result = chunks[0];
	FiniteMean	error = {0};
	double		scores = 0;

	for (size_t i = 0; i < count; i++)
	{
		mean_add(&error, chunks[i].relative_error);
		scores += chunks[i].score;
	}
	result.relative_error = mean_of(&error);
	result.score = scores / (double) count;
	result.x_to = chunks[count - 1].x_to;
	for (int s = 0; s < FG_STATISTICS; s++)
	{
		FiniteMean	mean = {0};

		for (size_t i = 0; i < count; i++)
			mean_add(&mean, chunks[i].errors[s]);
		result.errors[s] = mean_of(&mean);
	}
	*joined = result;
}

void
fg_merge_chunks(FgLocalStatistics *local)
{
	FgLocalChunk *chunks = local->chunks;
	size_t		kept = 0;
	size_t		end;

	for (size_t i = 0; i < local->count; i = end)
	{
		for (end = i + 1; end < local->count && chunks[end].result == chunks[i].result;)
			end++;
		if (chunks[i].result != FG_NO_CHANGE && chunks[i].result != FG_UNKNOWN)
			join_chunks(chunks + i, end - i, &chunks[kept++]);
	}
	local->count = kept;
}
