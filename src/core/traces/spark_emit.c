/*
 * spark_emit.c
 *	  The phases and resources of a Spark event log, one by one (see spark.h).
 */
#include "core/traces/spark_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Two numbers, a name and the words behind it. */
#define INSTANCE_BYTES (FG_SPARK_TEXT + 64)

typedef struct Emission
{
	FgSpark    *spark;
	const FgSparkSink *sink;
	int64_t		last_id;		/* of the phases so far */
	char		instance[INSTANCE_BYTES];
} Emission;

/* A phase with the instance that stands in e->instance; its id is e->last_id then. */
static bool
emit_phase(Emission *e, int64_t parent, int kind, uint32_t depth, int64_t start, int64_t end)
{
	FgSparkPhase phase = {
		.id = ++e->last_id,
		.parent = parent,
		.kind = (FgSparkPhaseKind) kind,
		.depth = depth,
		.instance = {e->instance, strlen(e->instance)},
		.start = fg_spark_time(start),
		.end = fg_spark_time(end)
	};

	return e->sink->phase(e->sink->arg, &phase);
}

/* --- resources ------------------------------------------------------------------ */

static bool
emit_resource(Emission *e, uint32_t executor, FgSparkResourceKind kind, double capacity)
{
	const FgNames *names = &e->spark->executors;
	int64_t		box = e->spark->boxes[executor];
	FgSparkResource resource = {
		.id = box + (int64_t) kind,
		.parent = kind == FG_SPARK_EXECUTOR_BOX ? 0 : box,
		.kind = kind,
		.instance = {names->bytes + names->offset[executor], names->length[executor]},
		.capacity = capacity
	};

	return e->sink->resource(e->sink->arg, &resource);
}

static bool
emit_executors(Emission *e)
{
	FgSpark    *s = e->spark;

	for (uint32_t i = 0; i < s->executors.count; i++)
	{
		uint32_t	executor = s->executor_order[i];

		if (!fg_steps(s->ctx, 1) || !emit_resource(e, executor, FG_SPARK_EXECUTOR_BOX, NAN) ||
			(s->cores[executor] > 0 &&
			 !emit_resource(e, executor, FG_SPARK_EXECUTOR_CORES, (double) s->cores[executor])) ||
			!emit_resource(e, executor, FG_SPARK_EXECUTOR_GC, NAN) ||
			!emit_resource(e, executor, FG_SPARK_EXECUTOR_FETCH, NAN))
			return false;
	}
	return true;
}

/* --- phases ---------------------------------------------------------------------- */

/* While a task waits for its fetches or is in gc, that is what blocks it. */
static bool
emit_blocked(Emission *e, const FgSparkTask *task, FgSparkPart part, int64_t start, int64_t end)
{
	FgSparkResourceKind kind = part == FG_PART_GC ? FG_SPARK_EXECUTOR_GC : FG_SPARK_EXECUTOR_FETCH;

	return (part != FG_PART_GC && part != FG_PART_FETCH_WAIT) ||
		e->sink->blocked(e->sink->arg, fg_spark_resource(e->spark, task->executor, kind),
						 fg_spark_time(start), fg_spark_time(end));
}

static bool
emit_parts(Emission *e, const FgSparkTask *task, int64_t parent, uint32_t depth)
{
	int64_t		start = task->launch;

	e->instance[0] = '\0';
	for (int part = 0; part < FG_SPARK_PARTS; part++)
	{
		int64_t		end = start + task->parts[part];

		if (end == start)
			continue;
		if (!emit_phase(e, parent, FG_SPARK_TASK_PART + part, depth, start, end) ||
			!emit_blocked(e, task, (FgSparkPart) part, start, end))
			return false;
		start = end;
	}
	return true;
}

static bool
emit_tasks(Emission *e, const FgSparkStage *stage, int64_t parent)
{
	FgSpark    *s = e->spark;

	for (uint32_t i = 0; i < stage->task_count; i++)
	{
		const FgSparkTask *task = &s->tasks[s->task_order[stage->first_task + i]];

		if (!fg_work(s->ctx, 0))
			return false;
		snprintf(e->instance, INSTANCE_BYTES, "%" PRId64 ".%" PRId64 "%s%s", task->index,
				 task->attempt, task->speculative ? " speculative" : "",
				 task->killed ? " killed" : task->failed ? " failed" : "");
		if (!emit_phase(e, parent, FG_SPARK_TASK, stage->depth, task->launch, task->finish) ||
			!e->sink->access(e->sink->arg, e->last_id, s->boxes[task->executor]) ||
			!emit_parts(e, task, e->last_id, stage->depth))
			return false;
	}
	return true;
}

static bool
emit_stage(Emission *e, const FgSparkStage *stage, int64_t parent)
{
	const FgNames *names = &e->spark->names;

	snprintf(e->instance, INSTANCE_BYTES, "%" PRId64 ".%" PRId64 "%s%.*s", stage->id,
			 stage->attempt, names->length[stage->name] > 0 ? " " : "",
			 (int) names->length[stage->name], names->bytes + names->offset[stage->name]);
	return emit_phase(e, parent, FG_SPARK_STAGE, stage->depth, stage->start, stage->end) &&
		emit_tasks(e, stage, e->last_id);
}

static bool
emit_jobs(Emission *e)
{
	FgSpark    *s = e->spark;
	size_t		next = 0;		/* in stage_order */

	for (size_t j = 0; j < s->job_count; j++)
	{
		const FgSparkJob *job = &s->jobs[j];
		int64_t		id;

		snprintf(e->instance, INSTANCE_BYTES, "%" PRId64, job->id);
		if (!fg_work(s->ctx, 0) || !emit_phase(e, 1, FG_SPARK_JOB, 0, job->start, job->end))
			return false;
		id = e->last_id;
		for (; next < s->stage_count && s->stages[s->stage_order[next]].job == j; next++)
		{
			if (!emit_stage(e, &s->stages[s->stage_order[next]], id))
				return false;
		}
	}
	return true;
}

bool
fg_spark_emit(FgSpark *s, const FgSparkSink *sink)
{
	Emission	e = {.spark = s, .sink = sink};

	if (!emit_executors(&e))
		return false;
	snprintf(e.instance, INSTANCE_BYTES, "%.*s", (int) s->id.size, s->id.size > 0 ? s->id.bytes : "");
	return emit_phase(&e, 0, FG_SPARK_APPLICATION, 0, s->start, s->end) && emit_jobs(&e) &&
		fg_spark_emit_usage(s, sink);
}
