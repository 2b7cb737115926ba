/*
 * user_predicates.c
 *	  Asks functions of users when phases are bottlenecked (see user_predicates.h).
 */
#include "pg/jobs/user_predicates.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/base/errors.h"
#include "pg/base/values.h"

static const FgFunctionShape shape = {
	"(text[], boolean[], boolean[], text)", 4,
	{TEXTARRAYOID, BOOLARRAYOID, BOOLARRAYOID, TEXTOID}, BOOLOID
};

static char *
span_text(FgSpan span)
{
	return pnstrdup(span.bytes, span.size);
}

/* --- names ----------------------------------------------------------------------------- */

pg_noreturn static void throw_fault(const FgFunctionFault *fault, const char *message);

static void
throw_fault(const FgFunctionFault *fault, const char *message)
{
	ereport(ERROR,
			(errcode(fault->sqlstate), errmsg_internal("%s", message),
			 errdetail_internal("bad_predicate"),
			 fault->hint != NULL ? errhint("%s", fault->hint) : 0));
}

void
fg_user_predicate_check(const FgPredicate *predicate)
{
	FgFunctionFault fault;
	Oid			oid;

	if (predicate->kind == FG_PREDICATE_FUNCTION &&
		!fg_user_function_find(span_text(predicate->name), &shape, NULL, &oid, &fault))
		throw_fault(&fault, fault.reason);
}

bool
fg_user_predicate_of_type(FgContext *ctx, const FgPhaseType *type, FgFunctionFault *fault)
{
	FgPredicate predicate;
	Oid			oid;

	if (type->predicate.bytes == NULL)
		return true;
	/* what is no predicate at all is a problem of the job, which the core tells of */
	if (!fg_predicate_parse(ctx, type->predicate, &predicate))
	{
		if (ctx->error.code != FG_ERROR_ARGUMENT)
			fg_throw(ctx, "job");
		memset(&ctx->error, 0, sizeof(FgError));
		return true;
	}
	return predicate.kind != FG_PREDICATE_FUNCTION ||
		fg_user_function_find(span_text(predicate.name), &shape, "phase_type", &oid, fault);
}

char *
fg_user_predicate_problem(const FgPhaseType *type, const FgFunctionFault *fault)
{
	return psprintf("phase type \"%s\" has the bottleneck predicate \"%s\": %s",
					span_text(type->name), span_text(type->predicate), fault->reason);
}

void
fg_user_predicates_check_job(FgContext *ctx, const FgJob *job)
{
	FgFunctionFault fault;

	for (uint32 t = 0; t < job->phase_type_count; t++)
	{
		CHECK_FOR_INTERRUPTS();
		if (fg_user_predicate_of_type(ctx, &job->phase_types[t], &fault))
			continue;
		if (fault.sqlstate != ERRCODE_INSUFFICIENT_PRIVILEGE)
			fault.sqlstate = ERRCODE_CHECK_VIOLATION;
		throw_fault(&fault, fg_user_predicate_problem(&job->phase_types[t], &fault));
	}
}

/* The name was checked before; who called for it, and where, does not matter any more. */
static bool
find(void *arg, FgSpan name, uint32_t *number)
{
	FgUserPredicates *predicates = arg;
	MemoryContext caller = MemoryContextSwitchTo(predicates->memory);
	FgFunctionFault fault;
	Oid			oid;

	if (!fg_user_function_find(span_text(name), &shape, NULL, &oid, &fault))
		throw_fault(&fault, fault.reason);
	for (*number = 0; *number < predicates->count; ++*number)
	{
		if (predicates->list[*number].oid == oid)
			break;
	}
	if (*number == predicates->capacity)
	{
		predicates->capacity = predicates->capacity * 2 + 4;
		predicates->list = predicates->list == NULL ?
			palloc(predicates->capacity * sizeof(FgUserFunction)) :
			repalloc(predicates->list, predicates->capacity * sizeof(FgUserFunction));
	}
	if (*number == predicates->count)
		fg_user_function_begin(oid, &predicates->list[predicates->count++]);
	MemoryContextSwitchTo(caller);
	return true;
}

/* --- questions ------------------------------------------------------------------------- */

static Datum
array_of(Datum *elements, size_t count, Oid type)
{
	bool		text = type == TEXTOID;

	return PointerGetDatum(construct_array(elements, (int) count, type, text ? -1 : 1, !text,
										   text ? TYPALIGN_INT : TYPALIGN_CHAR));
}

/* Those that are limited, then others that are defined, then those that are not. */
static void
make_arguments(const FgPredicateQuestion *question, Datum *arguments)
{
	size_t		count = 0;
	size_t		n = 0;
	Datum	   *elements[3];

	for (uint32 p = 0; p < question->count; p++)
		count += question->parts[p].all;
	if (count > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a phase has too many parts for a predicate")));
	for (int e = 0; e < 3; e++)
		elements[e] = palloc_extended(Max(count, 1) * sizeof(Datum), MCXT_ALLOC_HUGE);
	for (uint32 p = 0; p < question->count; p++)
	{
		const FgPartCount *part = &question->parts[p];
		Datum		name = PointerGetDatum(fg_varlena(part->name.bytes, part->name.size));

		for (uint32 i = 0; i < part->all; i++, n++)
		{
			elements[0][n] = name;
			elements[1][n] = BoolGetDatum(i < part->defined);
			elements[2][n] = BoolGetDatum(i < part->limited);
			CHECK_FOR_INTERRUPTS();
		}
	}
	arguments[0] = array_of(elements[0], count, TEXTOID);
	arguments[1] = array_of(elements[1], count, BOOLOID);
	arguments[2] = array_of(elements[2], count, BOOLOID);
	arguments[3] = PointerGetDatum(fg_varlena(question->resource_name.bytes,
											  question->resource_name.size));
}

static bool
ask(void *arg, const FgPredicateQuestion *question, bool *holds)
{
	FgUserPredicates *predicates = arg;
	FgUserFunction *function = &predicates->list[question->function];
	MemoryContext caller;
	Datum		arguments[4];
	bool		null;

	MemoryContextReset(function->memory);
	caller = MemoryContextSwitchTo(function->memory);
	make_arguments(question, arguments);
	MemoryContextSwitchTo(caller);
	*holds = DatumGetBool(fg_user_function_call(function, arguments, 4, &null));
	if (null)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("predicate function %s has returned null", function->name),
				 errdetail_internal("bad_predicate"),
				 errhint("It has to say true or false of any parts.")));
	return true;
}

void
fg_user_predicates_begin(FgUserPredicates *predicates)
{
	*predicates = (FgUserPredicates) {
		.functions = {.arg = predicates, .find = find, .ask = ask},
		.memory = CurrentMemoryContext
	};
}
