/*
 * jobs_what_if.c
 *	  What a change would gain: simulate(), and makespans() of many changes.
 */
#include "pg/jobs/jobs_call.h"

#include <math.h>

#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/base/number.h"
#include "core/bottlenecks/what_if.h"
#include "pg/base/arguments.h"
#include "pg/base/options.h"

#define CHANGE_HINT "Write {\"remove\": \"resource type\"}, {\"scale\": [\"phase type\", factor]}, " \
	"both in one, or {\"balance\": \"phase type\"}."

pg_noreturn static void
throw_change(const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", problem),
			 errhint(CHANGE_HINT)));
}

static JsonbValue *
find_key(Jsonb *given, const char *name)
{
	JsonbValue	key = {.type = jbvString};

	key.val.string.val = pstrdup(name);
	key.val.string.len = (int) strlen(name);
	return findJsonbValueFromContainer(&given->root, JB_FOBJECT, &key);
}

/* The elements of {"scale": [name, factor]}, where they are what they must be. */
static void
read_scale(Jsonb *given, FgSpan *name, double *factor)
{
	FgContext	ctx = fg_current_context();
	JsonbValue *pair = find_key(given, "scale");
	JsonbValue *elements[2];
	char	   *text;

	if (pair->type != jbvBinary || !JsonContainerIsArray(pair->val.binary.data) ||
		JsonContainerSize(pair->val.binary.data) != 2)
		throw_change("\"scale\" must be an array of a phase type and a factor");
	for (uint32 i = 0; i < 2; i++)
		elements[i] = getIthJsonbValueFromContainer(pair->val.binary.data, i);
	if (elements[0]->type != jbvString || elements[1]->type != jbvNumeric)
		throw_change("\"scale\" must be an array of a phase type and a factor");
	*name = (FgSpan) {elements[0]->val.string.val, (size_t) elements[0]->val.string.len};
	text = DatumGetCString(DirectFunctionCall1(numeric_out,
											   NumericGetDatum(elements[1]->val.numeric)));
	if (fg_number_parse(&ctx, text, strlen(text), factor) != FG_NUMBER_OK || !isfinite(*factor) ||
		*factor < 0)
		throw_change("the factor of \"scale\" must be finite and at least 0");
}

/* What is given, without a look at the job. */
typedef struct GivenChange
{
	FgSpan		remove;
	FgSpan		balance;
	FgSpan		scale;
	double		factor;
} GivenChange;

static void
read_name(Jsonb *given, const char *key, FgSpan *name)
{
	if (find_key(given, key) != NULL && !fg_option_word(given, key, name))
		throw_change("what is to change is null");
}

static GivenChange
read_change(Jsonb *given)
{
	static const char *const keys[] = {"remove", "balance", "scale"};
	GivenChange change = {.factor = 1};

	fg_options_check(given, "change", keys, lengthof(keys));
	read_name(given, "remove", &change.remove);
	read_name(given, "balance", &change.balance);
	if (find_key(given, "scale") != NULL)
		read_scale(given, &change.scale, &change.factor);
	return change;
}

static uint32
resource_type_to_remove(const FgJobCall *call, FgSpan name)
{
	uint32		type = fg_resource_type_named(call, name);

	if (call->job->resource_types[type].class == FG_RESOURCE_CONTAINER)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no phase uses resources of the type to remove"),
				 errhint("It is a container; remove a consumable or blocking type.")));
	return type;
}

static FgWhatIf
change_of(const FgJobCall *call, const GivenChange *given)
{
	return (FgWhatIf) {
		.remove = given->remove.bytes != NULL ? resource_type_to_remove(call, given->remove)
			: FG_NONE,
		.balance = given->balance.bytes != NULL ? fg_phase_type_named(call, given->balance)
			: FG_NONE,
		.scale = given->scale.bytes != NULL ? fg_phase_type_named(call, given->scale) : FG_NONE,
		.factor = given->factor
	};
}

static Datum
time_datum(int64 time)
{
	if (!IS_VALID_TIMESTAMP(time))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("a simulated time is out of range")));
	return TimestampTzGetDatum(time);
}

PG_FUNCTION_INFO_V1(jobs_simulate);
Datum
jobs_simulate(PG_FUNCTION_ARGS)
{
	Jsonb	   *given = DatumGetJsonbP(fg_required(fcinfo, 1, "change"));
	GivenChange asked = read_change(given);
	FgWhatIf	change;
	FgJobOptions options;
	FgJobCall	call;
	FgTimeRange *times;

	fg_job_call_options(fcinfo, 2, 3, &options);
	fg_job_call_begin(fcinfo, &options, &call);
	change = change_of(&call, &asked);
	times = fg_alloc(&call.ctx, call.job->phase_count, sizeof(FgTimeRange));
	fg_must(&call.ctx, times != NULL && fg_what_if(&call.analysis, &change, times));
	for (uint32 p = 0; p < call.job->phase_count; p++)
	{
		Datum		values[3];
		bool		nulls[3] = {false};

		values[0] = fg_phase_id_datum(&call, p);
		values[1] = time_datum(times[p].start);
		values[2] = time_datum(times[p].end);
		fg_job_call_add(&call, values, nulls);
	}
	return fg_job_call_end(&call);
}

/* --- many changes ---------------------------------------------------------------------- */

static double
seconds_between(int64 start, int64 end)
{
	return (double) (end - start) / USECS_PER_SEC;
}

static void
say_which_change(void *number)
{
	errcontext("change %u of the array", *(uint32 *) number);
}

/* How many seconds the job would have taken with a change, numbered from 1. */
static double
makespan_with(FgJobCall *call, Jsonb *changes, uint32 number, FgTimeRange *times)
{
	ErrorContextCallback where = {.previous = error_context_stack,
		.callback = say_which_change,.arg = &number};
	JsonbValue *element = getIthJsonbValueFromContainer(&changes->root, number - 1);
	GivenChange asked;
	FgWhatIf	change;

	error_context_stack = &where;
	asked = read_change(JsonbValueToJsonb(element));
	change = change_of(call, &asked);
	fg_must(&call->ctx, fg_what_if(&call->analysis, &change, times));
	error_context_stack = where.previous;
	return seconds_between(times[call->job->root].start, times[call->job->root].end);
}

static Jsonb *
array_of_changes(FunctionCallInfo fcinfo)
{
	Jsonb	   *changes = DatumGetJsonbP(fg_required(fcinfo, 1, "changes"));

	if (!JB_ROOT_IS_ARRAY(changes) || JB_ROOT_IS_SCALAR(changes))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("changes must be a JSON array"),
				 errhint("Write [{\"remove\": \"resource type\"}, ...], each as simulate() takes it.")));
	return changes;
}

static void
add_makespan(FgJobCall *call, uint32 number, double makespan)
{
	Datum		values[2] = {Int32GetDatum((int32) number), Float8GetDatum(makespan)};
	bool		nulls[2] = {false};

	fg_job_call_add(call, values, nulls);
}

PG_FUNCTION_INFO_V1(jobs_makespans);
Datum
jobs_makespans(PG_FUNCTION_ARGS)
{
	Jsonb	   *changes = array_of_changes(fcinfo);
	FgJobOptions options;
	FgJobCall	call;
	FgTimeRange *times;
	MemoryContext each;

	fg_job_call_options(fcinfo, 2, 3, &options);
	fg_job_call_begin(fcinfo, &options, &call);
	times = fg_alloc(&call.ctx, call.job->phase_count, sizeof(FgTimeRange));
	each = AllocSetContextCreate(call.memory, "change", ALLOCSET_DEFAULT_SIZES);
	add_makespan(&call, 0, seconds_between(call.job->phases[call.job->root].start,
										   call.job->phases[call.job->root].end));
	for (uint32 n = 1; n <= JB_ROOT_COUNT(changes); n++)
	{
		MemoryContextSwitchTo(each);
		add_makespan(&call, n, makespan_with(&call, changes, n, times));
		MemoryContextSwitchTo(call.memory);
		MemoryContextReset(each);
	}
	return fg_job_call_end(&call);
}
