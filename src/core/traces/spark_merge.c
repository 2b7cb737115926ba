/*
 * spark_merge.c
 *	  The lines of a Spark event log that tell of one thing, put together.
 *
 * A job and a stage attempt have a line for the start and one for the end; the log of a
 * task may have a line twice where rolled logs overlap.
 */
#include "core/base/order.h"
#include "core/traces/spark_internal.h"

/* Times of which one may not be known. */
static inline int64_t
earlier(int64_t a, int64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

static inline int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* An end that is not before the start. */
static void
check_reversed(FgSpark *s, int64_t start, int64_t *end)
{
	if (*end != 0 && *end < start)
	{
		s->counts.reversed++;
		*end = start;
	}
}

/* --- jobs ----------------------------------------------------------------------- */

static int
compare_jobs(const void *arg, uint32_t a, uint32_t b)
{
	const FgSparkJob *jobs = arg;

	return fg_spark_compare(jobs[a].id, jobs[b].id);
}

static void
add_job(FgSparkJob *to, const FgSparkJob *job)
{
	if (to->start == 0)
	{
		to->first = job->first;
		to->count = job->count;
	}
	to->start = earlier(to->start, job->start);
	to->end = later(to->end, job->end);
}

/* Those whose start the log does not have have no stages either: they are left out. */
static void
keep_job(FgSpark *s, FgSparkJob *jobs, size_t *count)
{
	FgSparkJob *job = &jobs[*count - 1];

	if (job->start == 0)
	{
		s->counts.incomplete++;
		--*count;
		return;
	}
	check_reversed(s, job->start, &job->end);
	s->counts.running_jobs += job->end == 0;
}

static bool
merge_jobs(FgSpark *s, const uint32_t *order, FgSparkJob *merged)
{
	size_t		count = 0;
	int64_t		last = -1;

	for (size_t i = 0; i < s->job_count; i++)
	{
		const FgSparkJob *job = &s->jobs[order[i]];

		if (!fg_check_every(s->ctx, i))
			return false;
		if (job->id == last)
		{
			add_job(&merged[count - 1], job);
			continue;
		}
		if (count > 0)
			keep_job(s, merged, &count);
		last = job->id;
		merged[count++] = *job;
	}
	if (count > 0)
		keep_job(s, merged, &count);
	fg_release(s->ctx, s->jobs);
	s->jobs = merged;
	s->job_count = count;
	return true;
}

/* --- stages ----------------------------------------------------------------------- */

static int
compare_stages(const void *arg, uint32_t a, uint32_t b)
{
	const FgSparkStage *stages = arg;
	int			order = fg_spark_compare(stages[a].id, stages[b].id);

	return order != 0 ? order : fg_spark_compare(stages[a].attempt, stages[b].attempt);
}

static void
add_stage(FgSpark *s, FgSparkStage *to, const FgSparkStage *stage)
{
	if (to->count == 0)
	{
		to->first = stage->first;
		to->count = stage->count;
	}
	if (s->names.length[to->name] == 0)
		to->name = stage->name;
	to->start = earlier(to->start, stage->start);
	to->end = later(to->end, stage->end);
}

/* One that was never submitted, because its job was given up, has no phase. */
static void
keep_stage(FgSpark *s, FgSparkStage *stages, size_t *count)
{
	FgSparkStage *stage = &stages[*count - 1];

	if (stage->start == 0)
		--*count;
	else
		check_reversed(s, stage->start, &stage->end);
}

static bool
merge_stages(FgSpark *s, const uint32_t *order, FgSparkStage *merged)
{
	size_t		count = 0;

	for (size_t i = 0; i < s->stage_count; i++)
	{
		const FgSparkStage *stage = &s->stages[order[i]];

		if (!fg_check_every(s->ctx, i))
			return false;
		if (i > 0 && compare_stages(s->stages, order[i - 1], order[i]) == 0)
		{
			add_stage(s, &merged[count - 1], stage);
			continue;
		}
		if (i > 0)
			keep_stage(s, merged, &count);
		merged[count++] = *stage;
	}
	if (s->stage_count > 0)
		keep_stage(s, merged, &count);
	fg_release(s->ctx, s->stages);
	s->stages = merged;
	s->stage_count = count;
	return true;
}

/* --- tasks -------------------------------------------------------------------------- */

/* Of the lines of one task the first with metrics comes first. */
static int
compare_tasks(const void *arg, uint32_t a, uint32_t b)
{
	const FgSparkTask *tasks = arg;
	int			order = fg_spark_compare(tasks[a].id, tasks[b].id);

	return order != 0 ? order : (int) tasks[b].measured - (int) tasks[a].measured;
}

static int
compare_started(const void *arg, uint32_t a, uint32_t b)
{
	const int64_t *ids = arg;

	return fg_spark_compare(ids[a], ids[b]);
}

static bool
mark_doubles(FgSpark *s, const uint32_t *order)
{
	for (size_t i = 1; i < s->task_count; i++)
	{
		if (!fg_check_every(s->ctx, i))
			return false;
		s->tasks[order[i]].again = s->tasks[order[i]].id == s->tasks[order[i - 1]].id;
	}
	return true;
}

/* Tasks that have started and, as far as the log goes, not ended. */
static bool
count_running(FgSpark *s, const uint32_t *ended, const uint32_t *started)
{
	size_t		at = 0;

	for (size_t i = 0; i < s->started_count; i++)
	{
		int64_t		id = s->started[started[i]];

		if (!fg_check_every(s->ctx, i))
			return false;
		if (i > 0 && s->started[started[i - 1]] == id)
			continue;
		while (at < s->task_count && s->tasks[ended[at]].id < id)
			at++;
		s->counts.running_tasks += at == s->task_count || s->tasks[ended[at]].id != id;
	}
	return true;
}

static bool
merge_tasks(FgSpark *s)
{
	uint32_t   *ended = fg_alloc(s->ctx, s->task_count, sizeof(uint32_t));
	uint32_t   *started = fg_alloc(s->ctx, s->started_count, sizeof(uint32_t));
	bool		ok = ended != NULL && started != NULL &&
		fg_order_by(s->ctx, (uint32_t) s->task_count, compare_tasks, s->tasks, ended) &&
		fg_order_by(s->ctx, (uint32_t) s->started_count, compare_started, s->started, started) &&
		mark_doubles(s, ended) && count_running(s, ended, started);

	fg_release(s->ctx, ended);
	fg_release(s->ctx, started);
	return ok;
}

/* --- all ------------------------------------------------------------------------------ */

static bool
merge_sorted_jobs(FgSpark *s)
{
	uint32_t   *order = fg_alloc(s->ctx, s->job_count, sizeof(uint32_t));
	FgSparkJob *merged = fg_alloc(s->ctx, s->job_count, sizeof(FgSparkJob));
	bool		ok = order != NULL && merged != NULL &&
		fg_order_by(s->ctx, (uint32_t) s->job_count, compare_jobs, s->jobs, order) &&
		merge_jobs(s, order, merged);

	if (!ok)
		fg_release(s->ctx, merged);
	fg_release(s->ctx, order);
	return ok;
}

static bool
merge_sorted_stages(FgSpark *s)
{
	uint32_t   *order = fg_alloc(s->ctx, s->stage_count, sizeof(uint32_t));
	FgSparkStage *merged = fg_alloc(s->ctx, s->stage_count, sizeof(FgSparkStage));
	bool		ok = order != NULL && merged != NULL &&
		fg_order_by(s->ctx, (uint32_t) s->stage_count, compare_stages, s->stages, order) &&
		merge_stages(s, order, merged);

	if (!ok)
		fg_release(s->ctx, merged);
	fg_release(s->ctx, order);
	return ok;
}

bool
fg_spark_merge(FgSpark *s)
{
	return merge_sorted_jobs(s) && merge_sorted_stages(s) && merge_tasks(s);
}
