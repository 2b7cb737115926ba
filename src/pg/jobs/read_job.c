/*
 * read_job.c
 *	  Jobs from the tables of the extension flamegraph_jobs (see read_job.h).
 *
 * Each table is one query whose rows go straight to the core, without being stored in
 * between: a row of five million costs a fraction of a microsecond.  All queries have the
 * snapshot of the calling one.  They name every object with its schema, operators too, so
 * that nobody's search path can change what they mean, and run with the rights of
 * the caller.  Constraints of the tables are not relied upon; types of columns are
 * checked, because whoever owns a table can change them.
 */
#include "pg/jobs/read_job.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "nodes/params.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "core/checking/job_rows.h"
#include "core/checking/validate.h"
#include "pg/base/errors.h"
#include "pg/base/values.h"
#include "pg/jobs/job_problems.h"

#define MOST_COLUMNS 7

/* Any enum: its oid is not known when this is compiled. */
#define AN_ENUM ANYENUMOID

typedef struct JobReader
{
	FgContext  *ctx;
	FgJobRows	rows;
	FgSpan		model;
	bool		found;
	bool		has_model;
} JobReader;

/* A column that may be null has a type below 0. */
typedef struct JobTable
{
	const char *name;
	const char *query;
	int			columns;
	int64		types[MOST_COLUMNS];
	bool		(*add) (JobReader *reader, const Datum *values, const bool *nulls);
} JobTable;

typedef struct JobReceiver
{
	DestReceiver pub;
	JobReader  *reader;
	const JobTable *table;
} JobReceiver;

/* --- values -------------------------------------------------------------------------- */

static FgSpan
text_or_none(const Datum *values, const bool *nulls, int column)
{
	return nulls[column] ? (FgSpan) {NULL, 0} : fg_datum_span(values[column]);
}

static double
number_or_nan(const Datum *values, const bool *nulls, int column)
{
	double		number = nulls[column] ? NAN : DatumGetFloat8(values[column]);

	return !nulls[column] && isnan(number) ? FG_GIVEN_NAN : number;
}

/* The place of an enum's label among words. */
static int
label_place(Datum value, const char *const *words, int count)
{
	HeapTuple	tuple = SearchSysCache1(ENUMOID, value);
	const char *label;
	int			place = 0;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for enum value %u", DatumGetObjectId(value));
	label = NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel);
	while (place < count && strcmp(label, words[place]) != 0)
		place++;
	if (place == count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized word \"%s\" in a table of jobs", label)));
	ReleaseSysCache(tuple);
	return place;
}

/* --- rows ---------------------------------------------------------------------------- */

static bool
add_job(JobReader *reader, const Datum *values, const bool *nulls)
{
	FgSpan		model = fg_datum_span(values[0]);
	char	   *copy = fg_alloc(reader->ctx, model.size + 1, 1);

	memcpy(copy, model.bytes, model.size);
	reader->model = (FgSpan) {copy, model.size};
	reader->has_model = DatumGetBool(values[1]);
	reader->found = true;
	return true;
}

static bool
add_phase_type(JobReader *reader, const Datum *values, const bool *nulls)
{
	static const char *const words[] = {"once", "sequential", "concurrent"};

	return fg_job_add_phase_type(&reader->rows, fg_datum_span(values[0]),
								 text_or_none(values, nulls, 1),
								 (FgRepeat) label_place(values[2], words, lengthof(words)),
								 text_or_none(values, nulls, 3));
}

static bool
add_precedence(JobReader *reader, const Datum *values, const bool *nulls)
{
	return fg_job_add_precedence(&reader->rows, fg_datum_span(values[0]), fg_datum_span(values[1]));
}

static bool
add_resource_type(JobReader *reader, const Datum *values, const bool *nulls)
{
	static const char *const words[] = {"consumable", "blocking"};
	FgResourceClass class = FG_RESOURCE_CONTAINER;

	if (!nulls[2])
		class = label_place(values[2], words, lengthof(words)) == 0 ? FG_RESOURCE_CONSUMABLE
			: FG_RESOURCE_BLOCKING;
	return fg_job_add_resource_type(&reader->rows, fg_datum_span(values[0]),
									text_or_none(values, nulls, 1), class);
}

static bool
add_rule(JobReader *reader, const Datum *values, const bool *nulls)
{
	static const char *const words[] = {"none", "full", "greedy", "sink"};

	return fg_job_add_rule(&reader->rows, fg_datum_span(values[0]), fg_datum_span(values[1]),
						   (FgRuleKind) label_place(values[2], words, lengthof(words)),
						   number_or_nan(values, nulls, 3), number_or_nan(values, nulls, 4));
}

static bool
add_phase(JobReader *reader, const Datum *values, const bool *nulls)
{
	int64_t		parent = nulls[1] ? 0 : DatumGetInt64(values[1]);

	return fg_job_add_phase(&reader->rows, DatumGetInt64(values[0]), nulls[1] ? NULL : &parent,
							fg_datum_span(values[2]), fg_datum_span(values[3]),
							DatumGetInt64(values[4]), DatumGetInt64(values[5]));
}

static bool
add_resource(JobReader *reader, const Datum *values, const bool *nulls)
{
	int64_t		parent = nulls[1] ? 0 : DatumGetInt64(values[1]);

	return fg_job_add_resource(&reader->rows, DatumGetInt64(values[0]), nulls[1] ? NULL : &parent,
							   fg_datum_span(values[2]), number_or_nan(values, nulls, 3),
							   number_or_nan(values, nulls, 4));
}

static bool
add_mapping(JobReader *reader, const Datum *values, const bool *nulls)
{
	return fg_job_add_mapping(&reader->rows, DatumGetInt64(values[0]), DatumGetInt64(values[1]));
}

static bool
add_usage(JobReader *reader, const Datum *values, const bool *nulls)
{
	return fg_job_add_usage(&reader->rows, DatumGetInt64(values[0]), DatumGetInt64(values[1]),
							DatumGetInt64(values[2]), DatumGetFloat8(values[3]));
}

static bool
add_blocking(JobReader *reader, const Datum *values, const bool *nulls)
{
	return fg_job_add_blocking(&reader->rows, DatumGetInt64(values[0]), DatumGetInt64(values[1]),
							   DatumGetInt64(values[2]));
}

/* --- tables -------------------------------------------------------------------------- */

#define OF_MODEL " WHERE t.model OPERATOR(pg_catalog.=) $1"
#define OF_JOB " WHERE t.job_id OPERATOR(pg_catalog.=) $1"

static const JobTable job_table = {
	"job", "SELECT t.model, m.model IS NOT NULL FROM jobs.job AS t "
	"LEFT JOIN jobs.platform_model AS m ON m.model OPERATOR(pg_catalog.=) t.model" OF_JOB,
	2, {TEXTOID, BOOLOID}, add_job
};

/* Types come sorted bytewise, as the core wants them. */
static const JobTable phase_types = {
	"phase_type", "SELECT t.phase_type, t.parent_type, t.repeat, t.bottleneck_predicate "
	"FROM jobs.phase_type AS t" OF_MODEL " ORDER BY t.phase_type COLLATE pg_catalog.\"C\"",
	4, {TEXTOID, -TEXTOID, AN_ENUM, -TEXTOID}, add_phase_type
};

static const JobTable precedences = {
	"phase_type_precedence",
	"SELECT t.before, t.after FROM jobs.phase_type_precedence AS t" OF_MODEL,
	2, {TEXTOID, TEXTOID}, add_precedence
};

static const JobTable resource_types = {
	"resource_type", "SELECT t.resource_type, t.parent_type, t.class "
	"FROM jobs.resource_type AS t" OF_MODEL " ORDER BY t.resource_type COLLATE pg_catalog.\"C\"",
	3, {TEXTOID, -TEXTOID, -AN_ENUM}, add_resource_type
};

static const JobTable rules = {
	"attribution_rule", "SELECT t.phase_type, t.resource_type, t.rule, t.cap, t.delta "
	"FROM jobs.attribution_rule AS t" OF_MODEL,
	5, {TEXTOID, TEXTOID, AN_ENUM, -FLOAT8OID, -FLOAT8OID}, add_rule
};

static const JobTable phases = {
	"phase", "SELECT t.phase_id, t.parent_id, t.phase_type, t.instance, t.start_time, t.end_time "
	"FROM jobs.phase AS t" OF_JOB,
	6, {INT8OID, -INT8OID, TEXTOID, TEXTOID, TIMESTAMPTZOID, TIMESTAMPTZOID}, add_phase
};

static const JobTable resources = {
	"resource", "SELECT t.resource_id, t.parent_id, t.resource_type, t.capacity, t.delta "
	"FROM jobs.resource AS t" OF_JOB,
	5, {INT8OID, -INT8OID, TEXTOID, -FLOAT8OID, -FLOAT8OID}, add_resource
};

static const JobTable mappings = {
	"phase_resource", "SELECT t.phase_id, t.resource_id FROM jobs.phase_resource AS t" OF_JOB,
	2, {INT8OID, INT8OID}, add_mapping
};

static const JobTable usages = {
	"usage_measurement", "SELECT t.resource_id, t.start_time, t.end_time, t.usage "
	"FROM jobs.usage_measurement AS t" OF_JOB,
	4, {INT8OID, TIMESTAMPTZOID, TIMESTAMPTZOID, FLOAT8OID}, add_usage
};

static const JobTable blockings = {
	"blocking_interval", "SELECT t.resource_id, t.start_time, t.end_time "
	"FROM jobs.blocking_interval AS t" OF_JOB,
	3, {INT8OID, TIMESTAMPTZOID, TIMESTAMPTZOID}, add_blocking
};

/* --- the way of a row ---------------------------------------------------------------- */

static void
check_columns(DestReceiver *self, int operation, TupleDesc descriptor)
{
	const JobTable *table = ((JobReceiver *) self)->table;

	for (int i = 0; i < table->columns; i++)
	{
		Oid			expected = (Oid) (table->types[i] < 0 ? -table->types[i] : table->types[i]);
		Oid			type = TupleDescAttr(descriptor, i)->atttypid;

		if (expected == AN_ENUM ? !type_is_enum(type) : type != expected)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of table \"jobs.%s\" has an unexpected type",
							NameStr(TupleDescAttr(descriptor, i)->attname), table->name),
					 errhint("Give it the type that it has in a new extension flamegraph_jobs.")));
	}
}

pg_noreturn static void throw_null(const JobTable *table, const TupleTableSlot *slot, int column);

static void
throw_null(const JobTable *table, const TupleTableSlot *slot, int column)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("column \"%s\" of table \"jobs.%s\" is null in a row of the job",
					NameStr(TupleDescAttr(slot->tts_tupleDescriptor, column)->attname),
					table->name)));
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	JobReceiver *receiver = (JobReceiver *) self;
	const JobTable *table = receiver->table;

	slot_getallattrs(slot);
	for (int i = 0; i < table->columns; i++)
	{
		if (slot->tts_isnull[i] && table->types[i] > 0)
			throw_null(table, slot, i);
	}
	fg_must(receiver->reader->ctx,
			table->add(receiver->reader, slot->tts_values, slot->tts_isnull));
	return true;
}

static void
do_nothing(DestReceiver *self)
{
}

/* Runs the query of a table with its one parameter; rows go to the reader. */
static void
read_table(JobReader *reader, const JobTable *table, Oid type, Datum parameter)
{
	JobReceiver receiver = {
		.pub = {
			.receiveSlot = receive_row, .rStartup = check_columns, .rShutdown = do_nothing,
			.rDestroy = do_nothing, .mydest = DestNone
		},
		.reader = reader, .table = table
	};
	ParamListInfo parameters = makeParamList(1);
	SPIExecuteOptions options;

	parameters->params[0] = (ParamExternData) {
		.value = parameter, .isnull = false, .pflags = PARAM_FLAG_CONST, .ptype = type
	};
	memset(&options, 0, sizeof(options));
	options.params = parameters;
	options.read_only = true;
	options.dest = &receiver.pub;
	if (SPI_execute_extended(table->query, &options) < 0)
		elog(ERROR, "cannot read table \"jobs.%s\"", table->name);
}

static void
read_model(JobReader *reader)
{
	Datum		model = PointerGetDatum(cstring_to_text_with_len(reader->model.bytes,
																 (int) reader->model.size));

	read_table(reader, &phase_types, TEXTOID, model);
	fg_must(reader->ctx, fg_job_settle_phase_types(&reader->rows));
	read_table(reader, &precedences, TEXTOID, model);
	read_table(reader, &resource_types, TEXTOID, model);
	fg_must(reader->ctx, fg_job_settle_resource_types(&reader->rows));
	read_table(reader, &rules, TEXTOID, model);
}

static void
read_rows(JobReader *reader, int64 job_id)
{
	Datum		id = Int64GetDatum(job_id);

	read_table(reader, &phases, INT8OID, id);
	fg_must(reader->ctx, fg_job_settle_phases(&reader->rows));
	read_table(reader, &resources, INT8OID, id);
	fg_must(reader->ctx, fg_job_settle_resources(&reader->rows));
	read_table(reader, &mappings, INT8OID, id);
	read_table(reader, &usages, INT8OID, id);
	read_table(reader, &blockings, INT8OID, id);
	fg_must(reader->ctx, fg_job_rows_settle(&reader->rows));
}

FgJob *
fg_job_read_unchecked(FgContext *ctx, int64 job_id)
{
	FgJob	   *job = fg_alloc(ctx, 1, sizeof(FgJob));
	JobReader	reader = {.ctx = ctx};
	FgProblem	problem = {.code = FG_PROBLEM_UNKNOWN_JOB, .table = FG_TABLE_JOB};

	fg_must(ctx, job != NULL && fg_job_rows_begin(ctx, job_id, job, &reader.rows));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	read_table(&reader, &job_table, INT8OID, Int64GetDatum(job_id));
	if (!reader.found)
		fg_must(ctx, fg_job_rows_problem(&reader.rows, &problem));
	else
	{
		problem.code = FG_PROBLEM_UNKNOWN_MODEL;
		problem.name = reader.model;
		if (!reader.has_model)
			fg_must(ctx, fg_job_rows_problem(&reader.rows, &problem));
		read_model(&reader);
		read_rows(&reader, job_id);
	}
	SPI_finish();
	return job;
}

/* --- valid jobs ---------------------------------------------------------------------- */

static bool
throw_problem(void *arg, const FgProblem *problem)
{
	fg_problem_throw(arg, problem);
	return false;
}

FgJob *
fg_job_read(FgContext *ctx, int64 job_id)
{
	FgJob	   *job = fg_job_read_unchecked(ctx, job_id);

	fg_must(ctx, fg_job_validate(ctx, job, throw_problem, job) && fg_job_prepare(ctx, job));
	return job;
}
