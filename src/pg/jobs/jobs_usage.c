/*
 * jobs_usage.c
 *	  From phases and measurements to usage by phase: blocked_intervals(), active_phases(),
 *	  estimated_workload(), upsample_usage(), unplaced_usage(), attribute_usage(),
 *	  unattributed_usage(), phase_consumption(), consumption_summary().
 */
#include "pg/jobs/jobs_call.h"

#include <math.h>

#include "core/attribution/attribution.h"
#include "core/bottlenecks/durations.h"

#define must(call, done) \
	do { \
		if (!(done)) \
			fg_throw(&(call)->ctx, "job"); \
	} while (0)

/* --- waiting and activity -------------------------------------------------------------------- */

static void
add_waiting(FgJobCall *call, FgStepRows *rows, uint32 leaf, FgTimeRanges *times)
{
	const FgAnalysis *analysis = &call->analysis;
	const FgUseList *list = fg_uses_of(&analysis->uses, leaf);

	for (uint32 i = list->consumable; i < list->count; i++)
	{
		uint32		resource = analysis->uses.uses[list->first + i].resource;

		fg_intervals_clear(times);
		must(call, fg_waiting_add(&call->ctx, &analysis->slices, leaf, resource, times));
		for (size_t t = 0; t < times->count; t++)
			fg_step_rows_add(rows, &(FgStepRow) {
				.key = {call->job->phases[leaf].id, call->job->resources[resource].id},
				.start = times->list[t].start, .end = times->list[t].end
			});
	}
}

PG_FUNCTION_INFO_V1(jobs_blocked_intervals);
Datum
jobs_blocked_intervals(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgStepRows	rows = {.call = &call, .keys = 2};
	FgTimeRanges times = {.list = NULL};

	fg_job_call(fcinfo, &call);
	for (uint32 p = 0; p < call.job->phase_count; p++)
	{
		if (fg_phase_is_leaf(call.job, p))
			add_waiting(&call, &rows, p, &times);
		must(&call, fg_check_every(&call.ctx, p));
	}
	fg_step_rows_end(&rows);
	return fg_job_call_end(&call);
}

PG_FUNCTION_INFO_V1(jobs_active_phases);
Datum
jobs_active_phases(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgStepRows	rows = {.call = &call, .keys = 1};
	const FgActivity *activity = &call.analysis.activity;

	fg_job_call(fcinfo, &call);
	for (uint32 p = 0; p < call.job->phase_count; p++)
	{
		for (uint32 i = activity->first[p]; i < activity->first[p + 1]; i++)
			fg_step_rows_add(&rows, &(FgStepRow) {
				.key = {call.job->phases[p].id}, .start = activity->active.list[i].start,
				.end = activity->active.list[i].end
			});
		must(&call, fg_check_every(&call.ctx, p));
	}
	fg_step_rows_end(&rows);
	return fg_job_call_end(&call);
}

/* --- by resource ------------------------------------------------------------------------------- */

/* A row that begins in a segment, about the resource. */
static FgStepRow
segment_row(const FgStepRows *rows, const FgWorkload *w, uint32 segment)
{
	return (FgStepRow) {
		.key = {rows->call->job->resources[w->resource].id},
		.start = w->segments[segment].start, .end = w->segments[segment + 1].start
	};
}

/* Rows of this shape by resource, from what visit() gives. */
static Datum
rows_by_resource(FunctionCallInfo fcinfo, FgStepRows rows, FgResourceVisit visit)
{
	FgJobCall	call;

	rows.call = &call;
	fg_job_call(fcinfo, &call);
	must(&call, fg_visit_resources(&call.analysis, FG_NONE, visit, &rows));
	fg_step_rows_end(&rows);
	return fg_job_call_end(&call);
}

static bool
add_workload(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	FgStepRows *rows = arg;

	for (uint32 i = 0; i < w->segment_count; i++)
	{
		FgStepRow	row = segment_row(rows, w, i);

		row.value[0] = w->segments[i].greedy;
		row.value[1] = w->segments[i].sinks;
		if (row.value[0] > 0 || row.value[1] > 0)
			fg_step_rows_add(rows, &row);
		if (!fg_check_every(&rows->call->ctx, i))
			return false;
	}
	return true;
}

PG_FUNCTION_INFO_V1(jobs_estimated_workload);
Datum
jobs_estimated_workload(PG_FUNCTION_ARGS)
{
	return rows_by_resource(fcinfo, (FgStepRows) {.keys = 1, .values = 2, .last_is_count = true},
							add_workload);
}

static bool
add_samples(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	FgStepRows *rows = arg;
	bool		parts = rows->call->options.sampling == FG_USAGE_PHASE_AWARE;

	for (uint32 i = 0; i < w->segment_count; i++)
	{
		FgStepRow	row = segment_row(rows, w, i);

		row.value[0] = samples->usage[i];
		row.value[1] = parts ? samples->greedy[i] : NAN;
		row.value[2] = parts ? samples->sink[i] : NAN;
		row.value[3] = parts ? samples->background[i] : NAN;
		if (!isnan(row.value[0]))
			fg_step_rows_add(rows, &row);
		if (!fg_check_every(&rows->call->ctx, i))
			return false;
	}
	return true;
}

PG_FUNCTION_INFO_V1(jobs_upsample_usage);
Datum
jobs_upsample_usage(PG_FUNCTION_ARGS)
{
	return rows_by_resource(fcinfo, (FgStepRows) {.keys = 1, .values = 4}, add_samples);
}

static bool
add_unattributed(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	FgStepRows *rows = arg;

	for (uint32 i = 0; i < w->segment_count; i++)
	{
		FgStepRow	row = segment_row(rows, w, i);

		row.value[0] = fg_unattributed(samples->usage[i], w->segments[i].greedy,
									   w->segments[i].sinks);
		if (row.value[0] > 0)
			fg_step_rows_add(rows, &row);
		if (!fg_check_every(&rows->call->ctx, i))
			return false;
	}
	return true;
}

PG_FUNCTION_INFO_V1(jobs_unattributed_usage);
Datum
jobs_unattributed_usage(PG_FUNCTION_ARGS)
{
	return rows_by_resource(fcinfo, (FgStepRows) {.keys = 1, .values = 1}, add_unattributed);
}

PG_FUNCTION_INFO_V1(jobs_unplaced_usage);
Datum
jobs_unplaced_usage(PG_FUNCTION_ARGS)
{
	FgJobCall	call;

	fg_job_call(fcinfo, &call);
	for (uint32 u = 0; u < call.job->usage_count; u++)
	{
		double		unplaced = fg_unplaced(&call.analysis, u);
		FgTimeRange period = fg_period_of(&call.analysis.slices.grid, &call.job->usages[u]);
		Datum		values[5];
		bool		nulls[5] = {false};

		must(&call, fg_check_every(&call.ctx, u));
		if (unplaced == 0)
			continue;
		values[0] = fg_resource_id_datum(&call, call.job->usages[u].resource);
		values[1] = fg_tick_datum(&call, period.start);
		values[2] = fg_tick_datum(&call, period.end);
		values[3] = Float8GetDatum(call.job->usages[u].usage);
		values[4] = fg_finite(unplaced, "an unplaced usage");
		fg_job_call_add(&call, values, nulls);
	}
	return fg_job_call_end(&call);
}

/* --- by phase ------------------------------------------------------------------------------------ */

/* The segments of one active time of a leaf. */
static bool
add_span(FgStepRows *rows, const FgWorkload *w, const FgSamples *samples, const FgUser *user,
		 const FgSegmentSpan *span)
{
	const FgUseKind *kind = &w->kinds[user->kind];

	for (uint32 i = span->start; i < span->end; i++)
	{
		FgShares	shares = fg_shares_of(samples->usage[i], w->capacity, w->segments[i].greedy,
										  w->segments[i].sinks);
		FgStepRow	row = segment_row(rows, w, i);

		row.key[1] = row.key[0];
		row.key[0] = rows->call->job->phases[user->leaf].id;
		row.value[0] = fg_used_by(kind, &shares);
		row.value[1] = fg_available_to(kind, &shares);
		if (row.value[0] > 0 || row.value[1] > 0)
			fg_step_rows_add(rows, &row);
	}
	return fg_steps(&rows->call->ctx, span->end - span->start);
}

static bool
add_attribution(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	for (uint32 u = 0; u < w->user_count; u++)
	{
		const FgUser *user = &w->users[u];
		uint32		end = fg_user_end(w, user);

		for (uint32 s = user->first_span; s < end; s++)
		{
			if (!add_span(arg, w, samples, user, &w->spans[s]))
				return false;
		}
	}
	return true;
}

PG_FUNCTION_INFO_V1(jobs_attribute_usage);
Datum
jobs_attribute_usage(PG_FUNCTION_ARGS)
{
	return rows_by_resource(fcinfo, (FgStepRows) {.keys = 2, .values = 2}, add_attribution);
}

PG_FUNCTION_INFO_V1(jobs_phase_consumption);
Datum
jobs_phase_consumption(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgConsumptions consumptions;

	fg_job_call(fcinfo, &call);
	must(&call, fg_consumptions_make(&call.analysis, &consumptions));
	for (uint32 p = 0; p < call.job->phase_count; p++)
	{
		for (size_t i = consumptions.first[p]; i < consumptions.first[p + 1]; i++)
		{
			const FgPhaseConsumption *row = &consumptions.rows[i];
			Datum		values[4];
			bool		nulls[4] = {false};

			values[0] = fg_phase_id_datum(&call, p);
			values[1] = fg_resource_id_datum(&call, row->resource);
			values[2] = fg_finite(row->consumption.used, "a consumption");
			values[3] = fg_finite(row->consumption.available, "a consumption");
			fg_job_call_add(&call, values, nulls);
		}
	}
	return fg_job_call_end(&call);
}

static bool
add_consumption(void *arg, uint32_t phase_type, uint32_t resource_type,
				const FgConsumption *consumption)
{
	FgJobCall  *call = arg;
	Datum		values[4];
	bool		nulls[4] = {false};

	values[0] = call->phase_types[phase_type];
	values[1] = call->resource_types[resource_type];
	values[2] = fg_finite(consumption->used, "a consumption");
	values[3] = fg_finite(consumption->available, "a consumption");
	fg_job_call_add(call, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_consumption_summary);
Datum
jobs_consumption_summary(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgConsumptions consumptions;

	fg_job_call(fcinfo, &call);
	must(&call, fg_consumptions_make(&call.analysis, &consumptions) &&
		 fg_consumption_summary(&call.analysis, &consumptions, add_consumption, &call));
	return fg_job_call_end(&call);
}
