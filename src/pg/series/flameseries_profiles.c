/*
 * flameseries_profiles.c
 *	  Profiles out of series: all of them, sums of windows and steps, other series, statistics.
 */
#include "pg/series/flameseries.h"

#include "common/int.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/samples/accumulator.h"
#include "core/samples/profiles.h"
#include "core/samples/stats.h"
#include "core/series/flameseries_build.h"
#include "pg/base/arguments.h"
#include "pg/base/rows.h"
#include "pg/base/stored.h"
#include "pg/cct/tree_metrics.h"

static void
decode(FgContext *ctx, Datum value, FgFlameseries *series)
{
	FgSpan		bytes = fg_series_encoded(value);

	fg_series_must(ctx, fg_flameseries_decode(ctx, (const uint8_t *) bytes.bytes, bytes.size,
											  series));
}

/* --- every profile ------------------------------------------------------------------ */

typedef struct ProfileRows
{
	FgContext	ctx;
	FgFlameseries series;
	FgFlameseriesProfiles profiles;
} ProfileRows;

static ProfileRows *
profile_rows(FuncCallContext *call, Datum value)
{
	ProfileRows *rows = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(ProfileRows));

	rows->ctx = fg_context_in(call->multi_call_memory_ctx);
	decode(&rows->ctx, value, &rows->series);
	fg_series_must(&rows->ctx, fg_flameseries_profiles_begin(&rows->ctx, &rows->series,
															 &rows->profiles));
	return rows;
}

/* at, instance, profile; in the order of the series. */
PG_FUNCTION_INFO_V1(flameseries_profiles);
Datum
flameseries_profiles(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FuncCallContext *call;
	ProfileRows *rows;
	uint32_t	number;
	FgTree		tree;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (SRF_IS_FIRSTCALL())
	{
		call = fg_value_per_call_begin(fcinfo);
		call->user_fctx = profile_rows(call, PG_GETARG_DATUM(0));
	}
	call = SRF_PERCALL_SETUP();
	rows = call->user_fctx;
	if (call->call_cntr >= rows->series.count)
		SRF_RETURN_DONE(call);
	number = (uint32_t) call->call_cntr;
	fg_series_must(&rows->ctx, fg_flameseries_profile(&rows->profiles, number, &tree));
	values[0] = TimestampTzGetDatum(rows->series.at[number]);
	values[1] = fg_instance_datum(&rows->series.instances, rows->series.instance[number]);
	values[2] = fg_tree_row_datum(&ctx, &tree);
	fg_tree_free(&rows->ctx, &tree);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

/* --- statistics --------------------------------------------------------------------- */

static bool
read_profile(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	return fg_flameseries_profile(arg, (uint32_t) i, profile);
}

PG_FUNCTION_INFO_V1(flameseries_stats);
Datum
flameseries_stats(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFlameseriesProfiles profiles;
	FgFlameseries series;
	FgAccumulator accumulator;
	FgStats		stats = {.level = fg_level_argument(fcinfo, 1)};
	FgProfiles	sample;
	uint8_t    *bytes;
	size_t		size;
	Datum		value = (Datum) 0;

	decode(&ctx, PG_GETARG_DATUM(0), &series);
	if (series.count == 0)
		PG_RETURN_NULL();
	fg_series_must(&ctx, fg_flameseries_profiles_begin(&ctx, &series, &profiles));
	sample = (FgProfiles) {read_profile, &profiles, series.count};
	stats.n = series.count;
	fg_accumulator_init(&ctx, &accumulator, FG_ACCUMULATE_MOMENTS);
	fg_must(&ctx, fg_accumulate_profiles(&ctx, &sample, stats.level, &accumulator, NULL) &&
			fg_accumulator_moments(&accumulator) != NULL);
	if (!fg_stats_encode(&ctx, &stats, fg_accumulator_moments(&accumulator), VARHDRSZ, &bytes, &size))
		fg_throw(&ctx, "flamestats");
	if (!fg_store_encoded(&ctx, &fg_stats_encoding, bytes, size, &value))
		fg_throw(&ctx, "flamestats");
	PG_RETURN_DATUM(value);
}

/* --- windows ------------------------------------------------------------------------- */

/* series, since, until, instances */
static const FgWindowArguments window_arguments = {1, 2, 3};

PG_FUNCTION_INFO_V1(flameseries_sum);
Datum
flameseries_sum(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		sum;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	fg_series_sum_argument(fcinfo, &ctx, window_arguments, &sum);
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &sum));
}

PG_FUNCTION_INFO_V1(flameseries_slice);
Datum
flameseries_slice(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFlameseriesBuilder builder;
	FgFlameseriesWindow window;
	FgFlameseries series;
	FgFlameseries slice;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	decode(&ctx, PG_GETARG_DATUM(0), &series);
	window = fg_window(fcinfo, window_arguments, &series.instances);
	fg_series_must(&ctx, fg_flameseries_builder_begin(&ctx, &builder) &&
				   fg_flameseries_add_series(&builder, &series, &window));
	fg_flameseries_free(&ctx, &series);
	fg_series_must(&ctx, fg_flameseries_build(&builder, &slice));
	PG_RETURN_DATUM(fg_series_datum(&ctx, &slice));
}

/* series, since, until, max_rows, instances */
PG_FUNCTION_INFO_V1(flameseries_top);
Datum
flameseries_top(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgWindowArguments arguments = {1, 2, 4};
	FgTree		sum;

	if (PG_ARGISNULL(0))
		return (Datum) 0;
	fg_check_max_rows(fcinfo, 3);
	fg_series_sum_argument(fcinfo, &ctx, arguments, &sum);
	fg_top_rows(&rows, &ctx, &sum, fcinfo, 3);
	return (Datum) 0;
}

/* --- steps --------------------------------------------------------------------------- */

/* Where steps of weeks and shorter ones begin: a Monday, 2000-01-03 00:00 UTC. */
#define STEP_ORIGIN (2 * USECS_PER_DAY)

static int64
step_length(const Interval *step)
{
	int64		length;

	if (step->month != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a step cannot be months or years"),
				 errdetail("They differ in length."),
				 errhint("Use sum(fs, since, until) for each of them.")));
	if (pg_mul_s64_overflow((int64) step->day, USECS_PER_DAY, &length) ||
		pg_add_s64_overflow(length, step->time, &length))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("interval out of range")));
	if (length <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a step must be longer than 0")));
	return length;
}

/* The begin of the step in which a time lies. */
static TimestampTz
step_begin(TimestampTz at, int64 step)
{
	int64		behind = (at - STEP_ORIGIN) % step;
	TimestampTz begin;

	if (behind < 0)
		behind += step;
	if (pg_sub_s64_overflow(at, behind, &begin) || !IS_VALID_TIMESTAMP(begin))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("a step begins before the first timestamp there is")));
	return begin;
}

static void
add_step(FgRows *rows, FgContext *ctx, FgFlameseriesReader *reader, TimestampTz begin,
		 const FgFlameseriesWindow *window)
{
	FgContext	row_ctx;
	Datum		values[2];
	bool		nulls[2] = {false};
	FgTree		sum;

	fg_series_must(ctx, fg_flameseries_window_sum(reader, window, &sum));
	fg_rows_begin_row(rows);
	row_ctx = fg_current_context();
	values[0] = TimestampTzGetDatum(begin);
	values[1] = fg_tree_row_datum(&row_ctx, &sum);
	fg_rows_end_row(rows, values, nulls);
	fg_tree_free(ctx, &sum);
}

/* series, step, since, until, instances: a row for each step that has profiles */
PG_FUNCTION_INFO_V1(flameseries_step_sums);
Datum
flameseries_step_sums(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgWindowArguments arguments = {2, 3, 4};
	FgFlameseriesReader *reader;
	FgFlameseriesWindow left;
	int64		step;
	int64_t		at;
	bool		found;

	if (PG_ARGISNULL(0))
		return (Datum) 0;
	step = step_length(DatumGetIntervalP(fg_required(fcinfo, 1, "step")));
	reader = fg_series_open(&ctx, PG_GETARG_DATUM(0));
	fg_series_must(&ctx, fg_flameseries_instance_names(reader) != NULL);
	left = fg_window(fcinfo, arguments, fg_flameseries_instance_names(reader));
	for (;;)
	{
		FgFlameseriesWindow window = left;
		TimestampTz begin;
		bool		is_last;

		CHECK_FOR_INTERRUPTS();
		fg_series_must(&ctx, fg_flameseries_first_time(reader, &left, &at, &found));
		if (!found)
			return (Datum) 0;
		begin = step_begin(at, step);
		is_last = pg_add_s64_overflow(begin, step, &left.since) || left.since >= left.until;
		if (!is_last)
			window.until = left.since;
		add_step(&rows, &ctx, reader, begin, &window);
		if (is_last)
			return (Datum) 0;
	}
}
