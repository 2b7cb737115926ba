/*
 * change_points.c
 *	  Changes of a sequence and their size (see change_points.h).
 */
#include "core/compare/change_points.h"

#include "core/base/series.h"
#include "core/profile/algebra.h"
#include "core/samples/accumulator.h"

#include <math.h>
#include <string.h>

bool
fg_change_options_check(FgContext *ctx, const FgChangeOptions *options)
{
	if (!isfinite(options->alpha) || !isfinite(options->min_effect))
		return fg_fail(ctx, FG_ERROR_RANGE, "alpha and min_effect must be finite");
	if (options->min_segment < 2)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "A segment needs two elements for the distance between them.",
						  "min_segment must be at least 2: %d", options->min_segment);
	if (!(options->alpha > 0 && options->alpha < 1))
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "0.01 is one percent.",
						  "alpha must be between 0 and 1: %g", options->alpha);
	if (options->min_effect < 0)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "0.05 leaves changes of less than five percent out, 0 none.",
						  "min_effect must not be negative: %g", options->min_effect);
	return options->permutations > 0 ||
		fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "999 is usual.",
				   "permutations must be at least 1: %d", options->permutations);
}

/* --- how large a change is ---------------------------------------------------------- */

/* Elements [start, point->at) against [point->at, end). */
typedef struct Measure Measure;

struct Measure
{
	FgContext  *ctx;
	bool		(*effect) (const Measure *measure, size_t start, size_t end,
						   FgChangePoint *point, double *effect);
	size_t		n;
	const double *values;
	const FgProfiles *profiles;
};

static double
relative(double change, double before)
{
	if (change == 0)
		return 0;
	return before == 0 ? INFINITY : fabs(change) / fabs(before);
}

static bool
series_effect(const Measure *measure, size_t start, size_t end, FgChangePoint *point,
			  double *effect)
{
	point->before = fg_mean(measure->values + start, point->at - start);
	point->after = fg_mean(measure->values + point->at, end - point->at);
	*effect = relative(point->after - point->before, point->before);
	return fg_check(measure->ctx);
}

static bool
add_profiles(FgContext *ctx, const FgProfiles *profiles, size_t start, size_t end,
			 FgAccumulator *sum)
{
	for (size_t i = start; i < end; i++)
	{
		FgTree		profile;

		if (!fg_check(ctx) || !profiles->read(ctx, profiles->arg, i, &profile) ||
			!fg_accumulator_add(sum, &profile))
			return false;
	}
	return true;
}

static bool
mean_profile(FgContext *ctx, const FgProfiles *profiles, size_t start, size_t end, FgTree *mean)
{
	FgAccumulator sum;
	const FgTree *total = NULL;
	bool		ok;

	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_SUM);
	if (add_profiles(ctx, profiles, start, end, &sum))
		total = fg_accumulator_total(&sum);
	ok = total != NULL && fg_divide(ctx, total, (double) (end - start), mean);
	fg_accumulator_free(&sum);
	return ok;
}

static bool
profile_effect(const Measure *measure, size_t start, size_t end, FgChangePoint *point,
			   double *effect)
{
	FgContext  *ctx = measure->ctx;
	FgTree		before;
	FgTree		after;
	double		norm;
	bool		ok;

	if (!mean_profile(ctx, measure->profiles, start, point->at, &before))
		return false;
	ok = mean_profile(ctx, measure->profiles, point->at, end, &after);
	if (ok)
	{
		ok = fg_distance(ctx, &before, &after, 1, &point->distance) &&
			fg_norm(ctx, &before, 1, &norm);
		fg_tree_free(ctx, &after);
	}
	fg_tree_free(ctx, &before);
	if (ok)
		*effect = relative(point->distance, norm);
	return ok;
}

/* --- leaving small changes out ----------------------------------------------------------- */

static bool
measure_one(const Measure *measure, FgChangePoint *points, size_t count, size_t i, double *effects)
{
	size_t		start = i == 0 ? 0 : points[i - 1].at;
	size_t		end = i + 1 == count ? measure->n : points[i + 1].at;

	return measure->effect(measure, start, end, &points[i], &effects[i]);
}

/* Takes the smallest one back while it is too small; its neighbours are then measured again. */
static bool
leave_out(const Measure *measure, double least, FgChangePoint *points, size_t *count,
		  double *effects)
{
	for (size_t i = 0; i < *count; i++)
	{
		if (!measure_one(measure, points, *count, i, effects))
			return false;
	}
	while (*count > 0)
	{
		size_t		smallest = 0;

		for (size_t i = 1; i < *count; i++)
		{
			if (effects[i] < effects[smallest])
				smallest = i;
		}
		if (effects[smallest] >= least)
			return true;
		(*count)--;
		memmove(points + smallest, points + smallest + 1,
				(*count - smallest) * sizeof(FgChangePoint));
		memmove(effects + smallest, effects + smallest + 1, (*count - smallest) * sizeof(double));
		if ((smallest > 0 && !measure_one(measure, points, *count, smallest - 1, effects)) ||
			(smallest < *count && !measure_one(measure, points, *count, smallest, effects)))
			return false;
	}
	return true;
}

static bool
change_points(const Measure *measure, const FgSequence *sequence, const FgChangeOptions *options,
			  FgChangePoint **points, size_t *count)
{
	FgContext  *ctx = measure->ctx;
	double	   *effects;
	bool		ok;

	if (!fg_divisions(ctx, sequence, options, points, count))
		return false;
	effects = fg_alloc(ctx, *count, sizeof(double));
	ok = effects != NULL && leave_out(measure, options->min_effect, *points, count, effects);
	fg_release(ctx, effects);
	if (!ok)
	{
		fg_release(ctx, *points);
		*points = NULL;
	}
	return ok;
}

bool
fg_change_points_of_series(FgContext *ctx, const double *values, size_t n,
						   const FgChangeOptions *options, FgChangePoint **points, size_t *count)
{
	Measure		measure = {.ctx = ctx, .effect = series_effect, .n = n, .values = values};
	FgSequence	sequence = {.n = n, .values = values};

	if (n > FG_MAX_SEQUENCE)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a series of %zu elements is longer than %d", n,
					   FG_MAX_SEQUENCE);
	return fg_change_options_check(ctx, options) && fg_series_check(ctx, values, n) &&
		change_points(&measure, &sequence, options, points, count);
}

bool
fg_change_points_of_profiles(FgContext *ctx, const FgProfiles *profiles,
							 const FgChangeOptions *options, FgChangePoint **points,
							 size_t *count)
{
	Measure		measure = {
		.ctx = ctx, .effect = profile_effect, .n = profiles->count, .profiles = profiles
	};
	FgDistances distances;
	FgSequence	sequence = {.n = profiles->count, .distances = &distances};
	bool		ok;

	if (!fg_change_options_check(ctx, options) ||
		!fg_distances(ctx, profiles, false, FG_DISTANCES_MEMORY, &distances))
		return false;
	ok = change_points(&measure, &sequence, options, points, count);
	fg_distances_free(ctx, &distances);
	return ok;
}
