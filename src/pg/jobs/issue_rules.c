/*
 * issue_rules.c
 *	  Runs the rules of jobs.issue_rule along the tree of phases (see issue_rules.h).
 *
 * leaf() and composite() are called one by one, and the rows of extract() come by SPI, which
 * is connected for all rules.  Records are jsonb arrays; those of the children of
 * a phase are one array to its composite().
 */
#include "pg/jobs/issue_rules.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/rel.h"

#include "core/bottlenecks/issues.h"
#include "pg/jobs/user_functions.h"

enum
{
	LEAF, COMPOSITE, EXTRACT, FUNCTIONS
};

static const FgFunctionShape shapes[FUNCTIONS] = {
	{"(bigint, bigint)", 2, {INT8OID, INT8OID}, JSONBOID},
	{"(bigint, bigint, jsonb)", 3, {INT8OID, INT8OID, JSONBOID}, JSONBOID},
	{"(bigint, bigint, jsonb)", 3, {INT8OID, INT8OID, JSONBOID}, InvalidOid}
};

/* A row of the table. */
typedef struct RuleRow
{
	char	   *rule;
	char	   *function[FUNCTIONS];
} RuleRow;

typedef struct RuleRun
{
	FgJobCall  *call;
	const RuleRow *row;
	FgUserFunction leaf;
	FgUserFunction composite;
	SPIPlanPtr	extract;
	uint32		phase;			/* at hand, for messages */
	bool		in_phase;
	FgNamedIssue *issues;
	size_t		count;
	size_t		capacity;
} RuleRun;

static void
say_where(void *arg)
{
	const RuleRun *run = arg;

	if (run->in_phase)
		errcontext("issue rule \"%s\", phase " INT64_FORMAT, run->row->rule,
				   run->call->job->phases[run->phase].id);
	else
		errcontext("issue rule \"%s\"", run->row->rule);
}

/* --- the table ---------------------------------------------------------------------------- */

static RuleRow *
read_rules(FgJobCall *call, uint64 *count)
{
	RuleRow    *rows;

	if (SPI_execute("SELECT t.rule, t.leaf, t.composite, t.extract FROM jobs.issue_rule AS t "
					"ORDER BY t.rule COLLATE pg_catalog.\"C\"", true, 0) != SPI_OK_SELECT)
		elog(ERROR, "cannot read table \"jobs.issue_rule\"");
	*count = SPI_processed;
	rows = MemoryContextAlloc(call->memory, (*count + 1) * sizeof(RuleRow));
	for (uint64 i = 0; i < *count; i++)
	{
		char	   *values[1 + FUNCTIONS];

		for (int c = 0; c <= FUNCTIONS; c++)
		{
			char	   *value = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, c + 1);

			if (value == NULL)
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("a column of table \"jobs.issue_rule\" is null")));
			values[c] = MemoryContextStrdup(call->memory, value);
		}
		rows[i] = (RuleRow) {values[0], {values[1], values[2], values[3]}};
	}
	SPI_freetuptable(SPI_tuptable);
	return rows;
}

static Oid
find_function(const RuleRow *row, int which)
{
	Oid			oid = fg_procedure_named(row->function[which]);
	FgFunctionFault fault;

	if (!OidIsValid(oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function %s does not exist", row->function[which]),
				 errhint("Create it, or change or delete the rule in jobs.issue_rule.")));
	if (!fg_user_function_check(oid, &shapes[which], "issue_rule", &fault))
		ereport(ERROR,
				(errcode(fault.sqlstate), errmsg_internal("%s", fault.reason),
				 fault.hint != NULL ? errhint("%s", fault.hint) : 0));
	return oid;
}

/* Columns are taken by place; what is a text or a number in another type will do. */
static SPIPlanPtr
prepare_extract(Oid oid)
{
	Oid			types[] = {INT8OID, INT8OID, JSONBOID};
	char	   *query = psprintf("SELECT x.source::pg_catalog.text, x.impact::pg_catalog.float8 "
								 "FROM %s($1, $2, $3) AS x (source, impact)",
								 fg_user_function_name(oid));
	SPIPlanPtr	plan = SPI_prepare(query, 3, types);

	if (plan == NULL)
		elog(ERROR, "cannot prepare \"%s\"", query);
	return plan;
}

/* --- records ------------------------------------------------------------------------------- */

/* What a function returned as a record of its own in the memory of the call; NULL: none. */
static bool
add_records(RuleRun *run, const FgUserFunction *function, Datum value, bool null, FgRecords *to)
{
	Jsonb	  **place = fg_records_add(to);
	Jsonb	   *records;

	if (place == NULL)
		return false;
	*place = NULL;
	if (null)
		return true;
	records = DatumGetJsonbP(value);
	if (!JB_ROOT_IS_ARRAY(records) || JB_ROOT_IS_SCALAR(records))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("function %s has returned records that are no array", function->name),
				 errhint("Records are a jsonb array, [] or null where there are none.")));
	*place = MemoryContextAllocHuge(run->call->memory, VARSIZE(records));
	memcpy(*place, records, VARSIZE(records));
	return true;
}

static void
set_phase(RuleRun *run, uint32 phase, Datum *arguments)
{
	run->phase = phase;
	run->in_phase = true;
	arguments[0] = Int64GetDatum(run->call->job->id);
	arguments[1] = Int64GetDatum(run->call->job->phases[phase].id);
}

static bool
leaf(void *arg, uint32_t phase, FgRecords *to)
{
	RuleRun    *run = arg;
	Datum		arguments[2];
	Datum		value;
	bool		null;

	MemoryContextReset(run->leaf.memory);
	set_phase(run, phase, arguments);
	value = fg_user_function_call(&run->leaf, arguments, 2, &null);
	return add_records(run, &run->leaf, value, null, to);
}

/* The elements of all arrays in one; the arrays are released. */
static Jsonb *
concatenate(const FgChildRecords *children, uint32 count)
{
	JsonbParseState *state = NULL;
	JsonbValue *all;

	pushJsonbValue(&state, WJB_BEGIN_ARRAY, NULL);
	for (uint32 c = 0; c < count; c++)
	{
		Jsonb	   *records = *(Jsonb *const *) children[c].records;
		JsonbIterator *iterator;
		JsonbValue	value;
		JsonbIteratorToken token;

		CHECK_FOR_INTERRUPTS();
		if (records == NULL)
			continue;
		iterator = JsonbIteratorInit(&records->root);
		while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		{
			if (token == WJB_ELEM)
				pushJsonbValue(&state, WJB_ELEM, &value);
		}
	}
	all = pushJsonbValue(&state, WJB_END_ARRAY, NULL);
	return JsonbValueToJsonb(all);
}

static bool
composite(void *arg, uint32_t phase, const FgChildRecords *children, uint32_t count,
		  FgRecords *to)
{
	RuleRun    *run = arg;
	MemoryContext caller;
	Datum		arguments[3];
	Datum		value;
	bool		null;

	MemoryContextReset(run->composite.memory);
	set_phase(run, phase, arguments);
	caller = MemoryContextSwitchTo(run->composite.memory);
	arguments[2] = JsonbPGetDatum(concatenate(children, count));
	MemoryContextSwitchTo(caller);
	for (uint32 c = 0; c < count; c++)
	{
		Jsonb	   *records = *(Jsonb *const *) children[c].records;

		if (records != NULL)
			pfree(records);
	}
	value = fg_user_function_call(&run->composite, arguments, 3, &null);
	return add_records(run, &run->composite, value, null, to);
}

/* --- issues -------------------------------------------------------------------------------- */

static FgSpan
copy_text(const RuleRun *run, Datum value)
{
	FgSpan		text = fg_datum_span(value);
	char	   *copy = MemoryContextAlloc(run->call->memory, text.size + 1);

	memcpy(copy, text.bytes, text.size);
	return (FgSpan) {copy, text.size};
}

static bool
add_issue(RuleRun *run, HeapTuple tuple, TupleDesc descriptor)
{
	bool		nulls[2];
	Datum		source = SPI_getbinval(tuple, descriptor, 1, &nulls[0]);
	Datum		impact = SPI_getbinval(tuple, descriptor, 2, &nulls[1]);

	if (nulls[0] || nulls[1] || !isfinite(DatumGetFloat8(impact)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("function %s has returned an issue without a source or a finite impact",
						run->row->function[EXTRACT])));
	if (DatumGetFloat8(impact) <= 0)
		return true;
	if (!fg_reserve(&run->call->ctx, (void **) &run->issues, &run->capacity, run->count + 1,
					sizeof(FgNamedIssue)))
		return false;
	run->issues[run->count++] = (FgNamedIssue) {
		run->phase, {run->row->rule, strlen(run->row->rule)}, copy_text(run, source),
		DatumGetFloat8(impact)
	};
	return true;
}

static bool
extract(void *arg, uint32_t phase, const void *records, size_t count)
{
	static const uint32 no_records = JB_FARRAY;
	RuleRun    *run = arg;
	Jsonb	   *own = *(Jsonb *const *) records;
	Datum		arguments[3];
	struct
	{
		int32		size;
		uint32		root;
	}			empty;

	(void) count;
	SET_VARSIZE(&empty, sizeof(empty));
	empty.root = no_records;
	set_phase(run, phase, arguments);
	arguments[2] = PointerGetDatum(own != NULL ? (void *) own : (void *) &empty);
	CHECK_FOR_INTERRUPTS();
	if (SPI_execute_plan(run->extract, arguments, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "cannot call function %s", run->row->function[EXTRACT]);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		if (!add_issue(run, SPI_tuptable->vals[i], SPI_tuptable->tupdesc))
			return false;
	}
	SPI_freetuptable(SPI_tuptable);
	return true;
}

/* --- all rules ----------------------------------------------------------------------------- */

static void
run_rule(RuleRun *run)
{
	static const FgIssueRule rule = {sizeof(Jsonb *), leaf, composite, extract};
	ErrorContextCallback where = {
		.previous = error_context_stack, .callback = say_where, .arg = run
	};

	error_context_stack = &where;
	run->in_phase = false;
	fg_user_function_begin(find_function(run->row, LEAF), &run->leaf);
	fg_user_function_begin(find_function(run->row, COMPOSITE), &run->composite);
	run->extract = prepare_extract(find_function(run->row, EXTRACT));
	fg_must(&run->call->ctx, fg_apply_rule(&run->call->ctx, run->call->job, &rule, run));
	SPI_freeplan(run->extract);
	error_context_stack = where.previous;
}

void
fg_issue_rules_run(FgJobCall *call, FgNamedIssue **issues, size_t *count)
{
	RuleRun		run = {.call = call};
	RuleRow    *rows;
	uint64		n;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	rows = read_rules(call, &n);
	for (uint64 i = 0; i < n; i++)
	{
		run.row = &rows[i];
		run_rule(&run);
	}
	SPI_finish();
	*issues = run.issues;
	*count = run.count;
}

/* --- names --------------------------------------------------------------------------------- */

/* A function as whoever stores the rule means it, whatever the search path will be. */
static char *
name_function(const char *text)
{
	Oid			oid = fg_procedure_named(text);

	if (OidIsValid(oid))
		return format_procedure_qualified(oid);
	ereport(WARNING,
			(errcode(ERRCODE_UNDEFINED_FUNCTION), errmsg("function %s does not exist", text),
			 errhint("Until it does, performance_issues() is an error.")));
	return NULL;
}

PG_FUNCTION_INFO_V1(jobs_name_rule_functions);
Datum
jobs_name_rule_functions(PG_FUNCTION_ARGS)
{
	static const char *const columns[FUNCTIONS] = {"leaf", "composite", "extract"};
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	TupleDesc	descriptor;
	HeapTuple	row;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) || TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("name_rule_functions() is the trigger of jobs.issue_rule")));
	descriptor = RelationGetDescr(trigger->tg_relation);
	row = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newtuple :
		trigger->tg_trigtuple;
	for (int i = 0; i < FUNCTIONS; i++)
	{
		int			column = SPI_fnumber(descriptor, columns[i]);
		char	   *text = column > 0 ? SPI_getvalue(row, descriptor, column) : NULL;
		char	   *name = text != NULL ? name_function(text) : NULL;
		Datum		value;
		bool		null = false;

		if (name == NULL)
			continue;
		value = CStringGetTextDatum(name);
		row = heap_modify_tuple_by_cols(row, descriptor, 1, &column, &value, &null);
	}
	return PointerGetDatum(row);
}
