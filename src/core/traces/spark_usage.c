/*
 * spark_usage.c
 *	  How many cores an executor's tasks used, from the processor time in their metrics.
 *
 * Spark measures the processor time of the thread that runs a task, for all of its run and
 * for the deserialization.  A thread that waits for fetches or is stopped by gc uses none,
 * so the time of the run is spread over its other parts evenly.  What the tasks of an
 * executor use together changes where such a part begins or ends: the periods between are
 * the measurements.  Where a task without metrics computes nothing is known.
 */
#include "core/base/order.h"
#include "core/traces/spark_internal.h"

/*
 * Shares of a core as whole numbers, so that adding and taking away leave no rounding; the
 * sum of 2^26 tasks fits.
 */
#define CORE (INT64_C(1) << 36)

typedef struct FgSparkEdge
{
	int64_t		time;
	int64_t		share;			/* that begins (ends, below 0) there */
	int64_t		resource;		/* the cores */
	int16_t		running;		/* 1: a part begins, -1: it ends */
	int16_t		unknown;		/* the same for a part of unknown use */
} FgSparkEdge;

typedef struct Edges
{
	FgContext  *ctx;
	FgSparkEdge *edges;
	size_t		count;
	size_t		capacity;
} Edges;

static bool
add_part(Edges *to, int64_t resource, int64_t start, int64_t length, int64_t share)
{
	bool		known = share >= 0;
	FgSparkEdge edge = {start, known ? share : 0, resource, 1, known ? 0 : 1};

	if (length == 0)
		return true;
	if (!fg_reserve(to->ctx, (void **) &to->edges, &to->capacity, to->count + 2,
					sizeof(FgSparkEdge)))
		return false;
	to->edges[to->count++] = edge;
	edge.time += length;
	edge.share = -edge.share;
	edge.running = -1;
	edge.unknown = known ? 0 : -1;
	to->edges[to->count++] = edge;
	return true;
}

/* At most a core, since milliseconds are cut: -1 when it was not measured. */
static int64_t
share_of(int64_t cpu_ns, int64_t ms)
{
	double		share = ms > 0 ? (double) cpu_ns / 1e6 / (double) ms : 0;

	return cpu_ns < 0 ? -1 : (int64_t) ((share > 1 ? 1 : share) * (double) CORE);
}

static bool
add_task(Edges *to, const FgSparkTask *task, int64_t cores)
{
	int64_t		deserialize = task->launch + task->parts[FG_PART_SCHEDULER_DELAY];
	int64_t		compute = deserialize + task->parts[FG_PART_DESERIALIZE] +
		task->parts[FG_PART_FETCH_WAIT];
	int64_t		write = compute + task->parts[FG_PART_COMPUTE] + task->parts[FG_PART_GC];
	int64_t		share = share_of(task->measured ? task->cpu_ns : -1,
								 task->parts[FG_PART_COMPUTE] + task->parts[FG_PART_SHUFFLE_WRITE]);

	return add_part(to, cores, deserialize, task->parts[FG_PART_DESERIALIZE],
					share_of(task->measured ? task->deserialize_cpu_ns : -1,
							 task->parts[FG_PART_DESERIALIZE])) &&
		add_part(to, cores, compute, task->parts[FG_PART_COMPUTE], share) &&
		add_part(to, cores, write, task->parts[FG_PART_SHUFFLE_WRITE], share);
}

static bool
collect(FgSpark *s, Edges *to)
{
	for (uint32_t i = 0; i < s->tasks_kept; i++)
	{
		const FgSparkTask *task = &s->tasks[s->task_order[i]];

		if (!fg_work(s->ctx, 0) ||
			(s->cores[task->executor] > 0 &&
			 !add_task(to, task, fg_spark_resource(s, task->executor, FG_SPARK_EXECUTOR_CORES))))
			return false;
	}
	return true;
}

static int
compare_edges(const void *arg, uint32_t a, uint32_t b)
{
	const FgSparkEdge *x = (const FgSparkEdge *) arg + a;
	const FgSparkEdge *y = (const FgSparkEdge *) arg + b;

	return x->resource != y->resource ? fg_spark_compare(x->resource, y->resource)
		: fg_spark_compare(x->time, y->time);
}

/* From one edge to the next, wherever something runs and all that runs was measured. */
static bool
emit_periods(FgSpark *s, const Edges *from, const uint32_t *order, const FgSparkSink *sink)
{
	int64_t		share = 0;
	int64_t		unknown = 0;
	int64_t		running = 0;

	for (size_t i = 0; i < from->count; i++)
	{
		const FgSparkEdge *edge = &from->edges[order[i]];
		const FgSparkEdge *next = i + 1 < from->count ? &from->edges[order[i + 1]] : NULL;

		share += edge->share;
		unknown += edge->unknown;
		running += edge->running;
		if (!fg_check_every(s->ctx, i))
			return false;
		if (next == NULL || running == 0 || unknown > 0 || next->time == edge->time)
			continue;
		if (!sink->usage(sink->arg, edge->resource, fg_spark_time(edge->time),
						 fg_spark_time(next->time), (double) share / (double) CORE))
			return false;
	}
	return true;
}

bool
fg_spark_emit_usage(FgSpark *s, const FgSparkSink *sink)
{
	Edges		edges = {.ctx = s->ctx};
	uint32_t   *order = NULL;
	bool		ok = collect(s, &edges) &&
		(order = fg_alloc(s->ctx, edges.count, sizeof(uint32_t))) != NULL &&
		fg_order_by(s->ctx, (uint32_t) edges.count, compare_edges, edges.edges, order) &&
		emit_periods(s, &edges, order, sink);

	fg_release(s->ctx, edges.edges);
	fg_release(s->ctx, order);
	return ok;
}
