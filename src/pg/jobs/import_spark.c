/*
 * import_spark.c
 *	  jobs.import_spark(): a Spark event log (core/traces/spark.h) as rows of the jobs' tables.
 */
#include "pg/base/arguments.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/traces/spark.h"
#include "pg/jobs/row_batch.h"

PG_FUNCTION_INFO_V1(jobs_import_spark);

/*
 * What gzip may unpack to.  Logs are packed to a twentieth; a task takes some hundred bytes
 * of memory for a thousand of text.
 */
#define UNPACKED_IN_ANY_CASE ((uint64) 64 << 20)
#define UNPACKED_PER_BYTE 200
#define UNPACKED_AT_MOST ((uint64) 16 << 30)

static const char *const phase_kinds[FG_SPARK_PHASE_KINDS] = {
	"application", "job", "stage", "task", "scheduler delay", "deserialize", "fetch wait", "compute",
	"gc", "shuffle write", "result serialize", "getting result"
};

static const char *const resource_kinds[FG_SPARK_RESOURCE_KINDS] = {
	"executor", "cores", "gc", "fetch"
};

typedef struct Import
{
	FgRowBatch	phases;
	FgRowBatch	resources;
	FgRowBatch	accesses;
	FgRowBatch	usages;
	FgRowBatch	blockings;
} Import;

/* --- rows ------------------------------------------------------------------------ */

/* Those of a depth carry it: compute[2]. */
static bool
add_phase(void *arg, const FgSparkPhase *phase)
{
	FgRowBatch *batch = &((Import *) arg)->phases;
	char		type[64];
	bool		nulls[6] = {false};
	Datum		values[6];
	int			length = phase->kind < FG_SPARK_STAGE
		? snprintf(type, sizeof(type), "%s", phase_kinds[phase->kind])
		: snprintf(type, sizeof(type), "%s[%u]", phase_kinds[phase->kind], phase->depth);

	values[0] = Int64GetDatum(phase->id);
	values[1] = Int64GetDatum(phase->parent);
	nulls[1] = phase->parent == 0;
	values[2] = fg_batch_text(batch, (FgSpan) {type, (size_t) length});
	values[3] = fg_batch_text(batch, phase->instance);
	values[4] = TimestampTzGetDatum(phase->start);
	values[5] = TimestampTzGetDatum(phase->end);
	fg_batch_add(batch, values, nulls);
	return true;
}

static bool
add_resource(void *arg, const FgSparkResource *resource)
{
	FgRowBatch *batch = &((Import *) arg)->resources;
	const char *kind = resource_kinds[resource->kind];
	bool		nulls[5] = {false};
	Datum		values[5];

	values[0] = Int64GetDatum(resource->id);
	values[1] = Int64GetDatum(resource->parent);
	nulls[1] = resource->parent == 0;
	values[2] = fg_batch_text(batch, (FgSpan) {kind, strlen(kind)});
	values[3] = fg_batch_text(batch, resource->instance);
	values[4] = Float8GetDatum(resource->capacity);
	nulls[4] = isnan(resource->capacity);
	fg_batch_add(batch, values, nulls);
	return true;
}

static bool
add_access(void *arg, int64_t phase, int64_t resource)
{
	Datum		values[] = {Int64GetDatum(phase), Int64GetDatum(resource)};

	fg_batch_add(&((Import *) arg)->accesses, values, NULL);
	return true;
}

static bool
add_usage(void *arg, int64_t resource, int64_t start, int64_t end, double usage)
{
	Datum		values[] = {Int64GetDatum(resource), TimestampTzGetDatum(start),
	TimestampTzGetDatum(end), Float8GetDatum(usage)};

	fg_batch_add(&((Import *) arg)->usages, values, NULL);
	return true;
}

static bool
add_blocking(void *arg, int64_t resource, int64_t start, int64_t end)
{
	Datum		values[] = {Int64GetDatum(resource), TimestampTzGetDatum(start),
	TimestampTzGetDatum(end)};

	fg_batch_add(&((Import *) arg)->blockings, values, NULL);
	return true;
}

static void
begin_batches(Import *import, int64 job)
{
	static const Oid phase[] = {INT8OID, INT8OID, TEXTOID, TEXTOID, TIMESTAMPTZOID, TIMESTAMPTZOID};
	static const Oid resource[] = {INT8OID, INT8OID, TEXTOID, TEXTOID, FLOAT8OID};
	static const Oid access[] = {INT8OID, INT8OID};
	static const Oid period[] = {INT8OID, TIMESTAMPTZOID, TIMESTAMPTZOID, FLOAT8OID};

	fg_batch_begin(&import->phases,
				   "INSERT INTO jobs.phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time) "
				   "SELECT $1, u.* FROM unnest($2, $3, $4, $5, $6, $7) AS u", job, phase, 6);
	fg_batch_begin(&import->resources,
				   "INSERT INTO jobs.resource (job_id, resource_id, parent_id, resource_type, instance, capacity) "
				   "SELECT $1, u.* FROM unnest($2, $3, $4, $5, $6) AS u", job, resource, 5);
	fg_batch_begin(&import->accesses,
				   "INSERT INTO jobs.phase_resource (job_id, phase_id, resource_id) "
				   "SELECT $1, u.* FROM unnest($2, $3) AS u", job, access, 2);
	fg_batch_begin(&import->usages,
				   "INSERT INTO jobs.usage_measurement (job_id, resource_id, start_time, end_time, usage) "
				   "SELECT $1, u.* FROM unnest($2, $3, $4, $5) AS u", job, period, 4);
	fg_batch_begin(&import->blockings,
				   "INSERT INTO jobs.blocking_interval (job_id, resource_id, start_time, end_time) "
				   "SELECT $1, u.* FROM unnest($2, $3, $4) AS u", job, period, 3);
}

/* --- the job ----------------------------------------------------------------------- */

static Datum
span_datum(FgSpan span)
{
	return PointerGetDatum(cstring_to_text_with_len(span.size > 0 ? span.bytes : "",
													(int) span.size));
}

/* The row of job, after the types that its phases need. */
static int64
insert_job(const FgSparkSummary *summary, Datum model, Datum name, bool unnamed)
{
	Oid			model_types[] = {INT4OID, TEXTOID};
	Datum		model_values[] = {Int32GetDatum((int32) summary->depths), model};
	Oid			types[] = {TEXTOID, TIMESTAMPTZOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	Datum		values[] = {unnamed ? span_datum(summary->name) : name,
		TimestampTzGetDatum(summary->start), span_datum(summary->id), span_datum(summary->name),
	span_datum(summary->version), model};
	bool		null;

	if (SPI_execute_with_args("SELECT jobs.add_spark_model($1, $2)", 2, model_types, model_values,
							  NULL, false, 0) != SPI_OK_SELECT ||
		SPI_execute_with_args("INSERT INTO jobs.job (model, name, started_at, labels) "
							  "VALUES ($6, $1, $2, jsonb_strip_nulls(jsonb_build_object("
							  "'application', nullif($3, ''), 'application_name', nullif($4, ''), "
							  "'spark_version', nullif($5, '')))) RETURNING job_id", 6, types,
							  values, NULL, false, 0) != SPI_OK_INSERT_RETURNING ||
		SPI_processed != 1)
		elog(ERROR, "the job was not inserted");
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null));
}

/* --- what was not taken -------------------------------------------------------------- */

static void
note(StringInfo detail, uint64 count, const char *what)
{
	if (count > 0)
		appendStringInfo(detail, "%s%s: " UINT64_FORMAT ".", detail->len > 0 ? " " : "", what, count);
}

static void
report_counts(const FgSparkCounts *counts)
{
	StringInfoData detail;

	initStringInfo(&detail);
	if (counts->cut)
		appendStringInfoString(&detail, "The gzip data end in the middle or are damaged there.");
	if (counts->unreadable > 0)
		appendStringInfo(&detail, "%sLines that could not be read: " UINT64_FORMAT " (the first: line "
						 UINT64_FORMAT ").", detail.len > 0 ? " " : "", counts->unreadable,
						 counts->first_unreadable);
	note(&detail, counts->unknown, "Events of others than Spark left out");
	note(&detail, counts->incomplete, "Events without an id or a time left out");
	if (counts->running)
		appendStringInfo(&detail, "%sThe application has not ended.", detail.len > 0 ? " " : "");
	note(&detail, counts->running_jobs, "Jobs that have not ended and end with the log");
	note(&detail, counts->running_stages, "Stages that have not ended and end with their jobs");
	note(&detail, counts->running_tasks, "Tasks that have not ended left out");
	note(&detail, counts->lost_stages, "Stages of no known job left out");
	note(&detail, counts->lost_tasks, "Tasks of no known stage left out");
	note(&detail, counts->doubled_tasks, "Tasks with index and attempt of another one left out");
	note(&detail, counts->contradictory, "Tasks whose parts were cut to the time they took");
	note(&detail, counts->reversed, "Jobs and stages that end before they start taken as empty");
	note(&detail, counts->unsized, "Executors whose number of cores is not known");
	if (detail.len > 0)
		ereport(NOTICE,
				(errmsg("not everything in the Spark event log could be taken as it is"),
				 errdetail_internal("%s", detail.data)));
	pfree(detail.data);
}

/* --- the function ---------------------------------------------------------------------- */

pg_noreturn static void
throw_log(const FgContext *ctx)
{
	const FgError *error = &ctx->error;

	ereport(ERROR,
			(errcode(fg_error_sqlstate(error->code, FG_FROM_TEXT)),
			 errmsg("could not read the Spark event log"),
			 errdetail_internal("%s", fg_error_detail(error)),
			 error->hint != NULL ? errhint("%s", error->hint) : 0));
}

static void
insert_rows(FgContext *ctx, FgSpark *spark, int64 job)
{
	Import		import;
	FgSparkSink sink = {&import, add_phase, add_resource, add_access, add_usage, add_blocking};

	begin_batches(&import, job);
	if (!fg_spark_emit(spark, &sink))
		throw_log(ctx);
	fg_batch_flush(&import.phases);
	fg_batch_flush(&import.resources);
	fg_batch_flush(&import.accesses);
	fg_batch_flush(&import.usages);
	fg_batch_flush(&import.blockings);
}

/* (name text, events text or bytea, model text) RETURNS bigint */
Datum
jobs_import_spark(PG_FUNCTION_ARGS)
{
	FgSpan		events = fg_required_word(fcinfo, 1, "events");
	Datum		model = fg_required(fcinfo, 2, "model");
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "Spark event log",
												 ALLOCSET_DEFAULT_SIZES);
	FgContext	ctx = fg_context_in(memory);
	FgSpark    *spark = fg_spark_open(&ctx, Min(UNPACKED_IN_ANY_CASE +
												UNPACKED_PER_BYTE * (uint64) events.size,
												UNPACKED_AT_MOST));
	FgSparkSummary summary;
	int64		job;

	if (spark == NULL || !fg_spark_feed(spark, events.bytes, events.size) ||
		!fg_spark_finish(spark, &summary))
		throw_log(&ctx);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI cannot be used");
	job = insert_job(&summary, model, PG_GETARG_DATUM(0), PG_ARGISNULL(0));
	insert_rows(&ctx, spark, job);
	SPI_finish();
	fg_spark_close(spark);
	MemoryContextDelete(memory);
	report_counts(&summary.counts);
	PG_RETURN_INT64(job);
}
