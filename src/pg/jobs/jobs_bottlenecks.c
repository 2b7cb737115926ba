/*
 * jobs_bottlenecks.c
 *	  What limits phases when: leaf_bottlenecks(), bottlenecks(), bottleneck_timeline(),
 *	  bottleneck_durations(), bottleneck_summary().
 */
#include "pg/jobs/jobs_call.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/bottlenecks/causes.h"
#include "core/bottlenecks/durations.h"
#include "core/bottlenecks/timeline.h"
#include "pg/jobs/shared_analysis.h"

#define must(call, done) \
	do { \
		if (!(done)) \
			fg_throw(&(call)->ctx, "job"); \
	} while (0)

/* --- leaves ------------------------------------------------------------------------------------ */

static void
add_limit(FgJobCall *call, uint32 leaf, uint32 resource, FgTimeRange time, Datum scope)
{
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = fg_phase_id_datum(call, leaf);
	values[1] = fg_resource_id_datum(call, resource);
	values[2] = fg_tick_datum(call, time.start);
	values[3] = fg_tick_datum(call, time.end);
	values[4] = scope;
	fg_job_call_add(call, values, nulls);
}

/* The limits of a leaf by one resource that it uses. */
static void
add_limits(FgJobCall *call, const FgLeafBottlenecks *limits, uint32 leaf, uint32 place,
		   FgTimeRanges *times, const Datum *scopes)
{
	const FgAnalysis *analysis = &call->analysis;
	const FgUseList *list = fg_uses_of(&analysis->uses, leaf);
	uint32		resource = analysis->uses.uses[list->first + place].resource;
	uint32		slot = analysis->uses.first_slot[leaf] + place;

	if (place < list->consumable)
	{
		for (uint32 i = 0; i < limits->count[slot]; i++)
		{
			const FgLimit *limit = &limits->limits[limits->first[slot] + i];

			add_limit(call, leaf, resource, limit->time, scopes[limit->scope]);
		}
		return;
	}
	fg_intervals_clear(times);
	must(call, fg_waiting_add(&call->ctx, &analysis->slices, leaf, resource, times));
	for (size_t i = 0; i < times->count; i++)
		add_limit(call, leaf, resource, times->list[i], scopes[FG_SCOPE_BLOCKING]);
}

PG_FUNCTION_INFO_V1(jobs_leaf_bottlenecks);
Datum
jobs_leaf_bottlenecks(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgLeafBottlenecks limits;
	FgTimeRanges times = {.list = NULL};
	Datum		scopes[3];

	fg_job_call(fcinfo, &call);
	scopes[FG_SCOPE_PHASE] = CStringGetTextDatum("phase");
	scopes[FG_SCOPE_RESOURCE] = CStringGetTextDatum("resource");
	scopes[FG_SCOPE_BLOCKING] = CStringGetTextDatum("blocking");
	must(&call, fg_leaf_bottlenecks_make(&call.analysis, &limits));
	for (uint32 p = 0; p < call.job->phase_count; p++)
	{
		if (!fg_phase_is_leaf(call.job, p))
			continue;
		for (uint32 i = 0; i < fg_uses_of(&call.analysis.uses, p)->count; i++)
			add_limits(&call, &limits, p, i, &times, scopes);
		must(&call, fg_check_every(&call.ctx, p));
	}
	return fg_job_call_end(&call);
}

/* --- all phases --------------------------------------------------------------------------------- */

static const FgBottlenecks *
begin(FunctionCallInfo fcinfo, FgJobCall *call, FgBottleneckExtent extent)
{
	fg_job_call(fcinfo, call);
	return fg_bottlenecks_borrow(&call->analysis, extent);
}

/* Rows of one phase and type. */
typedef struct CauseRows
{
	FgJobCall  *call;
	Datum		phase;
	Datum		type;
	Datum		causes[FG_CAUSES];
} CauseRows;

static bool
add_cause(void *arg, FgTimeRange time, FgCause cause)
{
	const CauseRows *rows = arg;
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = rows->phase;
	values[1] = rows->type;
	values[2] = fg_tick_datum(rows->call, time.start);
	values[3] = fg_tick_datum(rows->call, time.end);
	values[4] = rows->causes[cause];
	nulls[4] = cause == FG_CAUSE_UNKNOWN;
	fg_job_call_add(rows->call, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_bottlenecks);
Datum
jobs_bottlenecks(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	const FgBottlenecks *bottlenecks = begin(fcinfo, &call, FG_OF_ALL_WITH_CAUSES);
	CauseRows	rows = {.call = &call};

	rows.causes[FG_CAUSE_UNKNOWN] = (Datum) 0;
	rows.causes[FG_CAUSE_ALLOCATION] = CStringGetTextDatum("allocation");
	rows.causes[FG_CAUSE_CONTENDED] = CStringGetTextDatum("contended");
	rows.causes[FG_CAUSE_SATURATED] = CStringGetTextDatum("saturated");
	rows.causes[FG_CAUSE_BLOCKING] = CStringGetTextDatum("blocking");
	for (uint32 p = 0; p < call.job->phase_count; p++)
	{
		rows.phase = fg_phase_id_datum(&call, p);
		for (uint32 t = 0; t < bottlenecks->count[p]; t++)
		{
			size_t		track = bottlenecks->first[p] + t;

			rows.type = call.resource_types[bottlenecks->tracks[track].type];
			must(&call, fg_causes_visit(&call.analysis, bottlenecks, track, add_cause, &rows));
		}
		must(&call, fg_check_every(&call.ctx, p));
	}
	return fg_job_call_end(&call);
}

static bool
add_moment(void *arg, uint32_t phase, FgTimeRange time, const uint32_t *types, size_t count)
{
	FgJobCall  *call = arg;
	Datum		values[4];
	bool		nulls[4] = {false};
	Datum	   *names;

	fg_rows_begin_row(&call->rows);
	names = palloc(Max(count, 1) * sizeof(Datum));
	for (size_t i = 0; i < count; i++)
		names[i] = call->resource_types[types[i]];
	values[0] = fg_phase_id_datum(call, phase);
	values[1] = fg_tick_datum(call, time.start);
	values[2] = fg_tick_datum(call, time.end);
	values[3] = PointerGetDatum(construct_array(names, (int) count, TEXTOID, -1, false,
												TYPALIGN_INT));
	fg_rows_end_row(&call->rows, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_bottleneck_timeline);
Datum
jobs_bottleneck_timeline(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	const FgBottlenecks *bottlenecks = begin(fcinfo, &call, FG_OF_ALL);

	must(&call, fg_bottleneck_timelines(&call.analysis, bottlenecks, add_moment, &call));
	return fg_job_call_end(&call);
}

/* --- how long ------------------------------------------------------------------------------------ */

static void
add_duration(FgJobCall *call, Datum owner, const FgBottleneckDuration *duration)
{
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = owner;
	nulls[1] = duration->resource_type == FG_NONE;
	values[1] = nulls[1] ? (Datum) 0 : call->resource_types[duration->resource_type];
	values[2] = Float8GetDatum(duration->duration);
	values[3] = Float8GetDatum(duration->bottleneck_time);
	values[4] = fg_number_or_null(duration->fraction, &nulls[4]);
	fg_job_call_add(call, values, nulls);
}

static bool
add_phase_duration(void *arg, const FgBottleneckDuration *duration)
{
	FgJobCall  *call = arg;

	add_duration(call, fg_phase_id_datum(call, duration->phase), duration);
	return true;
}

static bool
add_type_duration(void *arg, const FgBottleneckDuration *duration)
{
	FgJobCall  *call = arg;

	add_duration(call, call->phase_types[duration->phase], duration);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_bottleneck_durations);
Datum
jobs_bottleneck_durations(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	const FgBottlenecks *bottlenecks = begin(fcinfo, &call, FG_OF_ALL);

	must(&call, fg_bottleneck_durations(&call.analysis, bottlenecks, add_phase_duration, &call));
	return fg_job_call_end(&call);
}

PG_FUNCTION_INFO_V1(jobs_bottleneck_summary);
Datum
jobs_bottleneck_summary(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	const FgBottlenecks *bottlenecks = begin(fcinfo, &call, FG_OF_ALL);

	must(&call, fg_bottleneck_summary(&call.analysis, bottlenecks, add_type_duration, &call));
	return fg_job_call_end(&call);
}
