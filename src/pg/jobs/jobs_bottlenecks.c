/*
 * jobs_bottlenecks.c
 *	  What limits phases when: leaf_bottlenecks(), bottlenecks(), bottleneck_timeline(),
 *	  bottleneck_durations(), bottleneck_summary().
 */
#include "pg/jobs/jobs_call.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/jobs/durations.h"
#include "core/jobs/timeline.h"

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

static void
begin(FunctionCallInfo fcinfo, FgJobCall *call, FgBottlenecks *bottlenecks)
{
	fg_job_call(fcinfo, call);
	must(call, fg_bottlenecks_make(&call->analysis, false, bottlenecks));
}

static void
add_track(FgJobCall *call, const FgBottlenecks *bottlenecks, uint32 phase, const FgTrack *track)
{
	Datum		values[4];
	bool		nulls[4] = {false};

	values[0] = fg_phase_id_datum(call, phase);
	values[1] = call->resource_types[track->type];
	for (uint32 i = 0; i < track->count; i++)
	{
		FgTimeRange time = bottlenecks->times.list[track->first + i];

		values[2] = fg_tick_datum(call, time.start);
		values[3] = fg_tick_datum(call, time.end);
		fg_job_call_add(call, values, nulls);
	}
}

PG_FUNCTION_INFO_V1(jobs_bottlenecks);
Datum
jobs_bottlenecks(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgBottlenecks bottlenecks;

	begin(fcinfo, &call, &bottlenecks);
	for (uint32 p = 0; p < call.job->phase_count; p++)
	{
		for (uint32 t = 0; t < bottlenecks.count[p]; t++)
			add_track(&call, &bottlenecks, p, &bottlenecks.tracks[bottlenecks.first[p] + t]);
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
	FgBottlenecks bottlenecks;

	begin(fcinfo, &call, &bottlenecks);
	must(&call, fg_bottleneck_timelines(&call.analysis, &bottlenecks, add_moment, &call));
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
	FgBottlenecks bottlenecks;

	begin(fcinfo, &call, &bottlenecks);
	must(&call, fg_bottleneck_durations(&call.analysis, &bottlenecks, add_phase_duration, &call));
	return fg_job_call_end(&call);
}

PG_FUNCTION_INFO_V1(jobs_bottleneck_summary);
Datum
jobs_bottleneck_summary(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgBottlenecks bottlenecks;

	begin(fcinfo, &call, &bottlenecks);
	must(&call, fg_bottleneck_summary(&call.analysis, &bottlenecks, add_type_duration, &call));
	return fg_job_call_end(&call);
}
