/*
 * import_usage.c
 *	  jobs.import_usage(): what a monitor measured (core/traces/usage_file.h) as rows of
 *	  usage_measurement.
 */
#include "pg/base/arguments.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/traces/usage_file.h"
#include "pg/jobs/row_batch.h"

PG_FUNCTION_INFO_V1(jobs_import_usage);

typedef struct Import
{
	FgRowBatch	rows;
	int64		resource;
} Import;

/* As PostgreSQL takes a time without a zone: in the session's. */
static int64_t
local_time(void *arg, int64_t time)
{
	return DatumGetTimestampTz(DirectFunctionCall1(timestamp_timestamptz, TimestampGetDatum(time)));
}

static bool
add_period(void *arg, int64_t start, int64_t end, double usage)
{
	Import	   *import = arg;
	Datum		values[] = {Int64GetDatum(import->resource), TimestampTzGetDatum(start),
	TimestampTzGetDatum(end), Float8GetDatum(usage)};

	fg_batch_add(&import->rows, values, NULL);
	return true;
}

/* The one consumable resource of the job that is called so; jobs.consumable_resource() throws. */
static int64
find_resource(Datum job, Datum name)
{
	Oid			types[] = {INT8OID, TEXTOID};
	Datum		values[] = {job, name};
	bool		null;

	if (SPI_execute_with_args("SELECT jobs.consumable_resource($1, $2)", 2, types, values, NULL, true,
							  1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "the resource was not looked up");
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null));
}

/* An argument that may be null: then bytes are NULL. */
static FgSpan
optional_word(FunctionCallInfo fcinfo, int argument)
{
	FgSpan		span = {NULL, 0};

	if (!PG_ARGISNULL(argument))
		span = PG_GETARG_SPAN(argument);
	return span;
}

static double
scale_argument(FunctionCallInfo fcinfo, int argument)
{
	double		scale = fg_required_number(fcinfo, argument, "scale");

	if (!(scale > 0 && isfinite(scale)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("scale must be positive and finite: %g", scale)));
	return scale;
}

/* (job_id bigint, resource text, csv text, column_name text, series text, scale float8) RETURNS bigint */
Datum
jobs_import_usage(PG_FUNCTION_ARGS)
{
	static const Oid columns[] = {INT8OID, TIMESTAMPTZOID, TIMESTAMPTZOID, FLOAT8OID};
	Datum		job = fg_required(fcinfo, 0, "job_id");
	Datum		name = fg_required(fcinfo, 1, "resource");
	FgSpan		text = fg_required_word(fcinfo, 2, "csv");
	FgContext	ctx = fg_current_context();
	Import		import;
	FgUsageFileOptions options = {
		.column = optional_word(fcinfo, 3),
		.series = optional_word(fcinfo, 4),
		.scale = scale_argument(fcinfo, 5),
		.local = local_time,
		.take = add_period,
		.arg = &import
	};

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI cannot be used");
	import.resource = find_resource(job, name);
	fg_batch_begin(&import.rows,
				   "INSERT INTO jobs.usage_measurement (job_id, resource_id, start_time, end_time, usage) "
				   "SELECT $1, u.* FROM unnest($2, $3, $4, $5) AS u", DatumGetInt64(job), columns, 4);
	if (!fg_usage_file_read(&ctx, text.bytes, text.size, &options))
		ereport(ERROR,
				(errcode(fg_error_sqlstate(ctx.error.code, FG_FROM_TEXT)),
				 errmsg("could not read the usage of the resource"),
				 errdetail_internal("%s", fg_error_detail(&ctx.error)),
				 ctx.error.hint != NULL ? errhint("%s", ctx.error.hint) : 0));
	fg_batch_flush(&import.rows);
	SPI_finish();
	PG_RETURN_INT64((int64) import.rows.inserted);
}
