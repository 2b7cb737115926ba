/*
 * detection_local.c
 *	  local_statistics() and its forms, and exclusive_time_outliers().
 */
#include "pg/models/models_sample.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/base/order.h"
#include "core/cct/metrics.h"
#include "core/models/local_statistics.h"
#include "core/models/outliers.h"
#include "pg/base/rows.h"
#include "pg/models/detection.h"

/* --- local statistics ------------------------------------------------------------------- */

/* Arguments density and min_points, which follow each other, and the thresholds. */
static FgLocalOptions
local_options(FgContext *ctx, FunctionCallInfo fcinfo, int density, int thresholds)
{
	FgLocalOptions options = FG_DEFAULT_LOCAL_OPTIONS;

	if (!PG_ARGISNULL(density))
		options.density = PG_GETARG_FLOAT8(density);
	if (!PG_ARGISNULL(density + 1))
		options.min_points = PG_GETARG_INT32(density + 1);
	options.thresholds = fg_thresholds_arguments(ctx, fcinfo, thresholds);
	return options;
}

static FgLocalStatistics
compare_models(FgContext *ctx, FunctionCallInfo fcinfo, int thresholds)
{
	FgLocalOptions options = local_options(ctx, fcinfo, 3, thresholds);
	FgLocalStatistics local;
	FgCurve		baseline;
	FgCurve		target;

	fg_datum_curve(ctx, PG_GETARG_DATUM(0), &baseline);
	fg_datum_curve(ctx, PG_GETARG_DATUM(1), &target);
	fg_model_must(ctx, fg_local_statistics(ctx, &baseline, &target, PG_GETARG_INT32(2), &options,
										   &local));
	return local;
}

static Datum
local_record(FunctionCallInfo fcinfo, const FgLocalStatistics *local)
{
	Datum		values[3];
	bool		nulls[3] = {false};

	values[0] = fg_result_datum(local->result);
	values[1] = fg_number_or_null(local->relative_error, &nulls[1]);
	values[2] = fg_number_or_null(local->confidence, &nulls[2]);
	return fg_record_datum(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(detection_local_statistics);
Datum
detection_local_statistics(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgLocalStatistics local = compare_models(&ctx, fcinfo, 5);

	return local_record(fcinfo, &local);
}

PG_FUNCTION_INFO_V1(detection_local_statistics_intervals);
Datum
detection_local_statistics_intervals(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgLocalStatistics local = compare_models(&ctx, fcinfo, 6);

	if (PG_GETARG_BOOL(5))
		fg_merge_chunks(&local);
	for (size_t i = 0; i < local.count; i++)
	{
		const FgLocalChunk *chunk = &local.chunks[i];
		Datum		values[12];
		bool		nulls[12] = {false};

		fg_rows_begin_row(&rows);
		values[0] = Float8GetDatum(chunk->x_from);
		values[1] = Float8GetDatum(chunk->x_to);
		for (int s = 0; s < FG_STATISTICS; s++)
			values[2 + s] = fg_number_or_null(chunk->errors[s], &nulls[2 + s]);
		values[9] = fg_number_or_null(chunk->relative_error, &nulls[9]);
		values[10] = fg_number_or_null(chunk->score, &nulls[10]);
		values[11] = fg_result_datum(chunk->result);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(detection_local_statistics_points);
Datum
detection_local_statistics_points(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgLocalOptions options = local_options(&ctx, fcinfo, 3, 5);
	FgSharedPoints shared = fg_shared_arguments(&ctx, fcinfo, true);
	FgLocalStatistics local;

	fg_model_must(&ctx, fg_local_statistics_points(&ctx, shared.x, shared.baseline, shared.target,
												   shared.n, &options, &local));
	return local_record(fcinfo, &local);
}

/* --- exclusive times ----------------------------------------------------------------------- */

/* Functions with time of their own on either side. */
typedef struct Functions
{
	FgFrames	names;
	uint32_t   *frame;			/* by function: its number in names */
	double	   *time[2];
	bool	   *present[2];
	size_t		count;
} Functions;

static FgFrameMetrics *
frame_metrics(FgContext *ctx, const FgTree *tree)
{
	FgFrameMetrics *metrics = fg_alloc(ctx, tree->frames.count, sizeof(FgFrameMetrics));

	fg_must(ctx, fg_frame_metrics(ctx, tree, metrics));
	return metrics;
}

static void
collect_times(FgContext *ctx, const FgTree *tree, const uint32_t *map, double *time, bool *present)
{
	FgFrameMetrics *metrics = frame_metrics(ctx, tree);

	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		time[map[f]] = metrics[f].self;
		present[map[f]] = true;
	}
	fg_release(ctx, metrics);
}

static Functions
collect_functions(FgContext *ctx, const FgTree *baseline, const FgTree *target)
{
	uint32_t   *map_baseline = fg_alloc(ctx, baseline->frames.count, sizeof(uint32_t));
	uint32_t   *map_target = fg_alloc(ctx, target->frames.count, sizeof(uint32_t));
	Functions	functions;
	uint32_t	all;

	fg_must(ctx, fg_frames_union(ctx, &baseline->frames, &target->frames, &functions.names,
								 map_baseline, map_target));
	all = functions.names.count;
	for (int side = 0; side < 2; side++)
	{
		functions.time[side] = fg_alloc_zero(ctx, all, sizeof(double));
		functions.present[side] = fg_alloc_zero(ctx, all, sizeof(bool));
	}
	collect_times(ctx, baseline, map_baseline, functions.time[0], functions.present[0]);
	collect_times(ctx, target, map_target, functions.time[1], functions.present[1]);
	functions.frame = fg_alloc(ctx, all, sizeof(uint32_t));
	functions.count = 0;
	for (uint32_t f = 0; f < all; f++)
	{
		if (functions.time[0][f] == 0 && functions.time[1][f] == 0)
			continue;
		for (int side = 0; side < 2; side++)
		{
			functions.time[side][functions.count] = functions.time[side][f];
			functions.present[side][functions.count] = functions.present[side][f];
		}
		functions.frame[functions.count++] = f;
	}
	return functions;
}

static uint32_t *
order_outliers(FgContext *ctx, const FgOutliers *outliers)
{
	double	   *delta = fg_alloc(ctx, outliers->count, sizeof(double));
	uint32_t   *order = fg_alloc(ctx, outliers->count, sizeof(uint32_t));

	for (size_t i = 0; i < outliers->count; i++)
		delta[i] = outliers->rows[i].delta;
	fg_must(ctx, fg_order_descending(ctx, delta, (uint32_t) outliers->count, order));
	fg_release(ctx, delta);
	return order;
}

PG_FUNCTION_INFO_V1(detection_exclusive_time_outliers);
Datum
detection_exclusive_time_outliers(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	double		cutoff = PG_GETARG_FLOAT8(2);
	FgOperands	in;
	Functions	functions;
	FgOutliers	outliers;
	uint32_t   *order;

	fg_get_operands(fcinfo, &in);
	functions = collect_functions(&in.ctx, in.a, in.b);
	fg_must(&in.ctx, fg_outliers(&in.ctx, functions.time[0], functions.time[1],
								 functions.present[0], functions.present[1], functions.count,
								 cutoff, &outliers));
	order = order_outliers(&in.ctx, &outliers);
	for (size_t i = 0; i < outliers.count; i++)
	{
		const FgOutlier *outlier = &outliers.rows[order[i]];
		Datum		values[7];
		bool		nulls[7] = {false};

		fg_rows_begin_row(&rows);
		values[0] = fg_frame_datum(&functions.names, functions.frame[outlier->function]);
		values[1] = Float8GetDatum(outlier->delta);
		values[2] = fg_finite_or_null(outlier->share, "a share", &nulls[2]);
		values[3] = fg_number_or_null(outlier->modified_z, &nulls[3]);
		values[4] = fg_number_or_null(outlier->iqr_multiple, &nulls[4]);
		values[5] = fg_number_or_null(outlier->stddev_multiple, &nulls[5]);
		values[6] = CStringGetTextDatum(fg_outlier_word(outlier->result));
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}
