/*
 * jobs_call.c
 *	  What functions that analyse a job share (see jobs_call.h).
 */
#include "pg/jobs/jobs_call.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/base/choice.h"
#include "pg/base/arguments.h"
#include "pg/jobs/shared_analysis.h"
#include "pg/jobs/shared_job.h"

/* --- options ---------------------------------------------------------------------------- */

void
fg_throw_option(const FgContext *ctx, const char *code)
{
	ereport(ERROR,
			(errcode(fg_error_sqlstate(ctx->error.code, FG_FROM_TEXT)),
			 errmsg("%s", ctx->error.reason),
			 errdetail("%s", code),
			 ctx->error.hint != NULL ? errhint("%s", ctx->error.hint) : 0));
}

/* The microseconds of an interval, 0 for NULL; months have no fixed length. */
static int64
slice_argument(FunctionCallInfo fcinfo, FgContext *ctx, int argument)
{
	const Interval *slice;
	int64		time;

	if (PG_ARGISNULL(argument))
		return 0;
	slice = PG_GETARG_INTERVAL_P(argument);
	if (slice->month != 0)
	{
		fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Give it in days or smaller units.",
				   "slice must have a fixed length, without months");
		fg_throw_option(ctx, "bad_slice");
	}
	/* what the check refuses */
	if (__builtin_mul_overflow((int64) slice->day, USECS_PER_DAY, &time) ||
		__builtin_add_overflow(time, slice->time, &time))
		return slice->day > 0 ? PG_INT64_MAX : -1;
	return time == 0 ? -1 : time;
}

static void
check_options(FgContext *ctx, const FgJobOptions *options)
{
	const char *code = fg_job_options_check(ctx, options);

	if (code != NULL)
		fg_throw_option(ctx, code);
}

void
fg_job_call_slices(FunctionCallInfo fcinfo, int slice, int origin, FgJobOptions *options)
{
	FgContext	ctx = fg_current_context();

	*options = (FgJobOptions) FG_DEFAULT_JOB_OPTIONS;
	options->slice = slice_argument(fcinfo, &ctx, slice);
	options->origin_given = !PG_ARGISNULL(origin);
	if (options->origin_given)
		options->origin = PG_GETARG_TIMESTAMPTZ(origin);
	if (options->origin_given && TIMESTAMP_NOT_FINITE(options->origin))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("origin must be finite"),
				 errdetail("bad_slice"), errhint("Slices are counted from it.")));
	check_options(&ctx, options);
}

static bool
bool_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	return DatumGetBool(fg_required(fcinfo, argument, name));
}

FgUsageSampling
fg_sampling_option(FgContext *ctx, FgSpan word)
{
	FgUsageSampling sampling;

	if (!fg_usage_sampling_parse(ctx, word, &sampling))
		fg_throw_option(ctx, "bad_sampling");
	return sampling;
}

FgPredicate
fg_predicate_option(FgContext *ctx, FgSpan word)
{
	FgPredicate predicate;

	if (!fg_predicate_parse(ctx, word, &predicate))
		fg_throw_option(ctx, "bad_predicate");
	fg_user_predicate_check(&predicate);
	return predicate;
}

void
fg_job_call_options(FunctionCallInfo fcinfo, int slice, int others, FgJobOptions *options)
{
	FgContext	ctx = fg_current_context();

	fg_job_call_slices(fcinfo, slice, others, options);
	options->sampling = fg_sampling_option(&ctx, fg_required_word(fcinfo, others + 1, "sampling"));
	options->delta = fg_required_number(fcinfo, others + 2, "delta");
	options->predicate =
		fg_predicate_option(&ctx, fg_required_word(fcinfo, others + 3, "predicate"));
	options->use_greedy = bool_argument(fcinfo, others + 4, "use_greedy");
	options->use_blocking = bool_argument(fcinfo, others + 5, "use_blocking");
	check_options(&ctx, options);
}

/*
 * A job of 500,000 phases has five million rows of bottlenecks, which are read once: in memory
 * they take 700 MB more than here, and no less processor time.
 */
#define MOST_ROW_KILOBYTES (64 * 1024)

/* --- beginning and end --------------------------------------------------------------------- */

static void
set_names(FgJobCall *call)
{
	const FgJob *job = call->job;

	call->phase_types = palloc_extended(Max(job->phase_type_count, 1) * sizeof(Datum),
										MCXT_ALLOC_HUGE);
	call->resource_types = palloc_extended(Max(job->resource_type_count, 1) * sizeof(Datum),
										   MCXT_ALLOC_HUGE);
	for (uint32 t = 0; t < job->phase_type_count; t++)
		call->phase_types[t] = PointerGetDatum(fg_varlena(job->phase_types[t].name.bytes,
														  job->phase_types[t].name.size));
	for (uint32 t = 0; t < job->resource_type_count; t++)
		call->resource_types[t] = PointerGetDatum(fg_varlena(job->resource_types[t].name.bytes,
															 job->resource_types[t].name.size));
}

/* "query" is its memory, in which a job may be kept; NULL: none. */
static void
open_call(FunctionCallInfo fcinfo, const FgJobOptions *options, MemoryContext query,
		  FgJobCall *call)
{
	int64		job_id = DatumGetInt64(fg_required(fcinfo, 0, "job_id"));

	call->memory = AllocSetContextCreate(CurrentMemoryContext, "job", ALLOCSET_DEFAULT_SIZES);
	call->caller = MemoryContextSwitchTo(call->memory);
	call->ctx = fg_context_in(call->memory);
	call->options = *options;
	call->job = fg_job_borrow(job_id, query);
	set_names(call);
	fg_user_predicates_check_job(&call->ctx, call->job);
	fg_user_predicates_begin(&call->predicates);
	call->options.functions = &call->predicates.functions;
	fg_analysis_borrow(&call->ctx, call->job, &call->options, &call->analysis);
}

void
fg_job_call_begin(FunctionCallInfo fcinfo, const FgJobOptions *options, FgJobCall *call)
{
	fg_required(fcinfo, 0, "job_id");
	call->rows = fg_rows_begin_within(fcinfo, MOST_ROW_KILOBYTES);
	open_call(fcinfo, options, fcinfo->flinfo->fn_mcxt, call);
}

void
fg_job_call_open(FunctionCallInfo fcinfo, const FgJobOptions *options, FgJobCall *call)
{
	/* an expression of a procedural language lives as long as the transaction */
	open_call(fcinfo, options, NULL, call);
}

void
fg_job_call(FunctionCallInfo fcinfo, FgJobCall *call)
{
	FgJobOptions options;

	fg_job_call_options(fcinfo, 1, 2, &options);
	fg_job_call_begin(fcinfo, &options, call);
}

Datum
fg_job_call_end(FgJobCall *call)
{
	MemoryContextSwitchTo(call->caller);
	MemoryContextDelete(call->memory);
	return (Datum) 0;
}

/* --- types ----------------------------------------------------------------------------------- */

/* The name is the first member of both kinds of types. */
static uint32
find_type(const char *what, const char *table, FgSpan name, const void *types, size_t size,
		  uint32 count)
{
	uint32		low = 0;
	uint32		high = count;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		FgSpan		there = *(const FgSpan *) ((const char *) types + middle * size);
		int			order = fg_span_compare(there, name);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the model of the job has no %s \"%.*s\"", what,
					pg_mbcliplen(name.bytes, (int) name.size, FG_LONGEST_SHOWN), name.bytes),
			 errhint("The %ss of a model are in table jobs.%s.", what, table)));
	return 0;					/* keep compiler quiet */
}

uint32
fg_phase_type_named(const FgJobCall *call, FgSpan name)
{
	return find_type("phase type", "phase_type", name, call->job->phase_types,
					 sizeof(FgPhaseType), call->job->phase_type_count);
}

uint32
fg_resource_type_named(const FgJobCall *call, FgSpan name)
{
	return find_type("resource type", "resource_type", name, call->job->resource_types,
					 sizeof(FgResourceType), call->job->resource_type_count);
}

/* --- rows ------------------------------------------------------------------------------------ */

void
fg_job_call_add(FgJobCall *call, Datum *values, bool *nulls)
{
	fg_rows_add(&call->rows, values, nulls);
	CHECK_FOR_INTERRUPTS();
}

Datum
fg_tick_datum(const FgJobCall *call, int64 tick)
{
	TimestampTz time = fg_grid_time(&call->analysis.slices.grid, tick);

	if (!IS_VALID_TIMESTAMP(time))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("the bound of a slice is out of range")));
	return TimestampTzGetDatum(time);
}

static bool
same_value(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool
continues(const FgStepRows *steps, const FgStepRow *row)
{
	const FgStepRow *last = &steps->row;

	if (!steps->pending || last->end != row->start)
		return false;
	for (int i = 0; i < steps->keys; i++)
	{
		if (last->key[i] != row->key[i])
			return false;
	}
	for (int i = 0; i < steps->values; i++)
	{
		if (!same_value(last->value[i], row->value[i]))
			return false;
	}
	return true;
}

void
fg_step_rows_end(FgStepRows *steps)
{
	Datum		values[8];
	bool		nulls[8] = {false};
	int			column = 0;

	if (!steps->pending)
		return;
	for (int i = 0; i < steps->keys; i++)
		values[column++] = Int64GetDatum(steps->row.key[i]);
	values[column++] = fg_tick_datum(steps->call, steps->row.start);
	values[column++] = fg_tick_datum(steps->call, steps->row.end);
	for (int i = 0; i < steps->values; i++, column++)
	{
		if (steps->last_is_count && i == steps->values - 1)
			values[column] = Int32GetDatum((int32) steps->row.value[i]);
		else
			values[column] = fg_finite_or_null(steps->row.value[i], "a usage", &nulls[column]);
	}
	fg_job_call_add(steps->call, values, nulls);
	steps->pending = false;
}

void
fg_step_rows_add(FgStepRows *steps, const FgStepRow *row)
{
	if (continues(steps, row))
	{
		steps->row.end = row->end;
		return;
	}
	fg_step_rows_end(steps);
	steps->row = *row;
	steps->pending = true;
}
