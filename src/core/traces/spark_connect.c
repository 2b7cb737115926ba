/*
 * spark_connect.c
 *	  Whose the stages and tasks of a Spark event log are, and how deep a stage stands in
 *	  its job (see spark.h).
 */
#include "core/base/order.h"
#include "core/traces/spark_internal.h"

/* A job lists a stage. */
typedef struct FgSparkListing
{
	int64_t		stage;
	uint32_t	job;
} FgSparkListing;

/* --- jobs of stages ---------------------------------------------------------------- */

static int
compare_listings(const void *arg, uint32_t a, uint32_t b)
{
	const FgSparkListing *listings = arg;
	int			order = fg_spark_compare(listings[a].stage, listings[b].stage);

	return order != 0 ? order : fg_spark_compare(listings[a].job, listings[b].job);
}

static bool
collect_listings(FgSpark *s, FgSparkListing *listings, size_t *count)
{
	*count = 0;
	for (size_t j = 0; j < s->job_count; j++)
	{
		for (size_t i = 0; i < s->jobs[j].count; i++)
		{
			if (!fg_check_every(s->ctx, *count))
				return false;
			listings[(*count)++] = (FgSparkListing) {s->listed[s->jobs[j].first + i], (uint32_t) j};
		}
	}
	return true;
}

/* The first listing of a stage, or the place where it would stand. */
static size_t
find_listing(const FgSparkListing *listings, const uint32_t *order, size_t count, int64_t stage)
{
	size_t		low = 0;

	while (count > low)
	{
		size_t		middle = low + (count - low) / 2;

		if (listings[order[middle]].stage < stage)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* The first job by id that was active then, else the first that lists the stage. */
static bool
choose_job(FgSpark *s, const FgSparkListing *listings, const uint32_t *order, size_t count,
		   FgSparkStage *stage)
{
	for (size_t i = find_listing(listings, order, count, stage->id);
		 i < count && listings[order[i]].stage == stage->id; i++)
	{
		const FgSparkJob *job = &s->jobs[listings[order[i]].job];

		if (!fg_steps(s->ctx, 1))
			return false;
		if (stage->job == FG_NONE)
			stage->job = listings[order[i]].job;
		if (job->start > stage->start || (job->end != 0 && job->end < stage->start))
			continue;
		stage->job = listings[order[i]].job;
		break;
	}
	s->counts.lost_stages += stage->job == FG_NONE;
	return true;
}

static bool
choose_jobs(FgSpark *s)
{
	FgSparkListing *listings = fg_alloc(s->ctx, s->listed_count, sizeof(FgSparkListing));
	uint32_t   *order = fg_alloc(s->ctx, s->listed_count, sizeof(uint32_t));
	size_t		count = 0;
	bool		ok = listings != NULL && order != NULL && collect_listings(s, listings, &count) &&
		fg_order_by(s->ctx, (uint32_t) count, compare_listings, listings, order);

	for (size_t i = 0; ok && i < s->stage_count; i++)
		ok = choose_job(s, listings, order, count, &s->stages[i]);
	fg_release(s->ctx, listings);
	fg_release(s->ctx, order);
	return ok;
}

/* --- depths ------------------------------------------------------------------------- */

static int
compare_submissions(const void *arg, uint32_t a, uint32_t b)
{
	const FgSparkStage *stages = arg;
	int			order = fg_spark_compare(stages[a].job, stages[b].job);

	if (order == 0)
		order = fg_spark_compare(stages[a].start, stages[b].start);
	return order != 0 ? order : fg_spark_compare(a, b);
}

/* The place of a stage attempt, or where it would stand. */
static size_t
find_stage(const FgSpark *s, int64_t id, int64_t attempt)
{
	size_t		low = 0;
	size_t		high = s->stage_count;

	while (high > low)
	{
		size_t		middle = low + (high - low) / 2;
		const FgSparkStage *stage = &s->stages[middle];

		if (stage->id < id || (stage->id == id && stage->attempt < attempt))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * deepest[first attempt of a stage] is one more than the depth of the deepest attempt that
 * was met of it in the job, 0 before.
 */
static bool
find_depth(FgSpark *s, FgSparkStage *stage, uint32_t *deepest, uint32_t *jobs)
{
	size_t		own = find_stage(s, stage->id, 0);

	stage->depth = jobs[own] == stage->job ? deepest[own] : 0;
	for (size_t i = 0; i < stage->count; i++)
	{
		size_t		at = find_stage(s, s->parents[stage->first + i], 0);

		if (!fg_steps(s->ctx, 1))
			return false;
		if (at < s->stage_count && s->stages[at].id == s->parents[stage->first + i] &&
			jobs[at] == stage->job && deepest[at] > stage->depth)
			stage->depth = deepest[at];
	}
	if (stage->depth > FG_SPARK_DEPTH)
		stage->depth = FG_SPARK_DEPTH;
	deepest[own] = stage->depth + 1;
	jobs[own] = stage->job;
	if (stage->depth >= s->depths)
		s->depths = stage->depth + 1;
	return true;
}

static bool
find_depths(FgSpark *s)
{
	uint32_t   *deepest = fg_alloc_zero(s->ctx, s->stage_count, sizeof(uint32_t));
	uint32_t   *jobs = fg_alloc(s->ctx, s->stage_count, sizeof(uint32_t));
	bool		ok = deepest != NULL && jobs != NULL;

	for (size_t i = 0; ok && i < s->stage_count; i++)
		jobs[i] = FG_NONE;
	for (size_t i = 0; ok && i < s->stage_count; i++)
	{
		FgSparkStage *stage = &s->stages[s->stage_order[i]];

		if (stage->job == FG_NONE)
			break;
		ok = find_depth(s, stage, deepest, jobs);
	}
	fg_release(s->ctx, deepest);
	fg_release(s->ctx, jobs);
	return ok;
}

/* What runs on when the log ends, ends with it; stages with their jobs. */
static bool
set_ends(FgSpark *s)
{
	for (size_t i = 0; i < s->job_count; i++)
	{
		if (s->jobs[i].end == 0)
			s->jobs[i].end = s->last_time;
	}
	for (size_t i = 0; i < s->stage_count; i++)
	{
		FgSparkStage *stage = &s->stages[i];

		if (stage->end != 0 || stage->job == FG_NONE)
			continue;
		s->counts.running_stages++;
		stage->end = s->jobs[stage->job].end;
		if (stage->end < stage->start)
			stage->end = stage->start;
	}
	return fg_check(s->ctx);
}

/* --- tasks of stages ------------------------------------------------------------------ */

static int
compare_places(const void *arg, uint32_t a, uint32_t b)
{
	const FgSparkTask *tasks = arg;
	int			order = fg_spark_compare(tasks[a].owner, tasks[b].owner);

	if (order == 0)
		order = fg_spark_compare(tasks[a].index, tasks[b].index);
	if (order == 0)
		order = fg_spark_compare(tasks[a].attempt, tasks[b].attempt);
	return order != 0 ? order : fg_spark_compare(tasks[a].id, tasks[b].id);
}

static bool
find_owners(FgSpark *s)
{
	for (size_t i = 0; i < s->task_count; i++)
	{
		FgSparkTask *task = &s->tasks[i];
		size_t		at = find_stage(s, task->stage, task->stage_attempt);

		if (!fg_check_every(s->ctx, i))
			return false;
		if (task->again)
			continue;
		if (at < s->stage_count && s->stages[at].id == task->stage &&
			s->stages[at].attempt == task->stage_attempt && s->stages[at].job != FG_NONE)
			task->owner = (uint32_t) at;
		else
			s->counts.lost_tasks++;
	}
	return true;
}

/* Tasks without an owner stand last. */
static bool
divide_tasks(FgSpark *s)
{
	uint32_t	kept = 0;

	for (size_t i = 0; i < s->task_count; i++)
	{
		FgSparkTask *task = &s->tasks[s->task_order[i]];
		const FgSparkTask *before = kept > 0 ? &s->tasks[s->task_order[kept - 1]] : NULL;

		if (!fg_check_every(s->ctx, i))
			return false;
		if (task->owner == FG_NONE)
			break;
		if (before != NULL && before->owner == task->owner && before->index == task->index &&
			before->attempt == task->attempt)
		{
			s->counts.doubled_tasks++;
			continue;
		}
		if (s->stages[task->owner].task_count++ == 0)
			s->stages[task->owner].first_task = kept;
		s->counts.contradictory += task->cut;
		s->task_order[kept++] = s->task_order[i];
	}
	s->tasks_kept = kept;
	return true;
}

/* --- executors ------------------------------------------------------------------------- */

static int
compare_executors(const void *arg, uint32_t a, uint32_t b)
{
	const FgNames *names = arg;
	int			order = fg_spark_compare(names->length[a], names->length[b]);

	return order != 0 ? order : memcmp(names->bytes + names->offset[a],
									   names->bytes + names->offset[b], names->length[a]);
}

/* Room for the four resources of each, whether it has all of them or not. */
static bool
number_executors(FgSpark *s)
{
	uint32_t	count = s->executors.count;

	s->executor_order = fg_alloc(s->ctx, count, sizeof(uint32_t));
	s->boxes = fg_alloc(s->ctx, count, sizeof(int64_t));
	if (s->executor_order == NULL || s->boxes == NULL ||
		!fg_order_by(s->ctx, count, compare_executors, &s->executors, s->executor_order))
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		s->boxes[s->executor_order[i]] = (int64_t) i * FG_SPARK_RESOURCE_KINDS + 1;
		s->counts.unsized += s->cores[i] == 0;
	}
	return true;
}

bool
fg_spark_connect(FgSpark *s)
{
	s->stage_order = fg_alloc(s->ctx, s->stage_count, sizeof(uint32_t));
	s->task_order = fg_alloc(s->ctx, s->task_count, sizeof(uint32_t));
	return s->stage_order != NULL && s->task_order != NULL && choose_jobs(s) &&
		fg_order_by(s->ctx, (uint32_t) s->stage_count, compare_submissions, s->stages,
					s->stage_order) &&
		find_depths(s) && set_ends(s) && find_owners(s) &&
		fg_order_by(s->ctx, (uint32_t) s->task_count, compare_places, s->tasks, s->task_order) &&
		divide_tasks(s) && number_executors(s);
}
