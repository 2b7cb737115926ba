/*
 * energy_change_points.c
 *	  change_points(): when a series of numbers or of profiles changed.
 */
#include "pg/base/arguments.h"

#include <math.h>

#include "core/compare/change_points.h"
#include "pg/base/arrays.h"
#include "pg/base/rows.h"

/* What an error is about. */
#define SERIES "float8[]"

/* The arguments behind the sequence. */
static FgChangeOptions
options_arguments(FgContext *ctx, FunctionCallInfo fcinfo, const char *type)
{
	FgChangeOptions options = {
		.min_segment = fg_required_int(fcinfo, 1, "min_segment"),
		.min_effect = fg_required_number(fcinfo, 2, "min_effect"),
		.alpha = fg_required_number(fcinfo, 3, "alpha"),
		.permutations = fg_required_int(fcinfo, 4, "permutations"),
		.seed = (uint64_t) DatumGetInt64(fg_required(fcinfo, 5, "seed"))
	};

	if (!fg_change_options_check(ctx, &options))
		fg_throw(ctx, type);
	return options;
}

/* Takes null elements (NaN) out; position[i] = where element i stood, from 1. */
static size_t
close_gaps(double *values, size_t n, int32 *position)
{
	size_t		kept = 0;

	for (size_t i = 0; i < n; i++)
	{
		if (isnan(values[i]))
			continue;
		values[kept] = values[i];
		position[kept++] = (int32) i + 1;
	}
	return kept;
}

PG_FUNCTION_INFO_V1(flamegraph_change_points_series);
Datum
flamegraph_change_points_series(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgChangeOptions options = options_arguments(&ctx, fcinfo, SERIES);
	size_t		n;
	double	   *series = fg_doubles_or_nan(fcinfo, 0, &n);
	int32	   *position = fg_alloc(&ctx, n, sizeof(int32));
	FgChangePoint *points;
	size_t		count;

	n = close_gaps(series, n, position);
	if (!fg_change_points_of_series(&ctx, series, n, &options, &points, &count))
		fg_throw(&ctx, SERIES);
	for (size_t i = 0; i < count; i++)
	{
		Datum		values[5];
		bool		nulls[5] = {false};

		fg_rows_begin_row(&rows);
		values[0] = Int32GetDatum(position[points[i].at]);
		values[1] = Float8GetDatum(points[i].before);
		values[2] = Float8GetDatum(points[i].after);
		values[3] = Float8GetDatum(points[i].statistic);
		values[4] = Float8GetDatum(points[i].p_value);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_change_points_profiles);
Datum
flamegraph_change_points_profiles(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgChangeOptions options = options_arguments(&ctx, fcinfo, "flamegraph");
	FgProfiles	profiles = fg_profiles_argument(fcinfo, 0, "profiles");
	FgChangePoint *points;
	size_t		count;

	fg_must(&ctx, fg_change_points_of_profiles(&ctx, &profiles, &options, &points, &count));
	for (size_t i = 0; i < count; i++)
	{
		Datum		values[4];
		bool		nulls[4] = {false};

		fg_rows_begin_row(&rows);
		values[0] = Int32GetDatum((int32) points[i].at + 1);
		values[1] = Float8GetDatum(points[i].distance);
		values[2] = Float8GetDatum(points[i].statistic);
		values[3] = Float8GetDatum(points[i].p_value);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}
