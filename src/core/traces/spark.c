/*
 * spark.c
 *	  What a Spark event log tells, event by event (see spark.h).
 */
#include "core/traces/spark_internal.h"

#include <string.h>

/* --- events -------------------------------------------------------------------- */

/* Times up to the year 9999; 0 and -1 are Spark's "not yet". */
static int64_t
get_time(FgSpark *s, const FgSparkEvent *event, FgSparkNumber field)
{
	int64_t		ms = event->has[field] ? event->number[field] : 0;

	if (ms <= 0 || ms >= INT64_C(253402300800000))
		return 0;
	if (s->first_time == 0 || ms < s->first_time)
		s->first_time = ms;
	if (ms > s->last_time)
		s->last_time = ms;
	return ms;
}

static bool
has_ids(const FgSparkEvent *event, FgSparkNumber a, FgSparkNumber b)
{
	return event->has[a] && event->number[a] >= 0 && event->has[b] && event->number[b] >= 0;
}

static bool
incomplete(FgSpark *s)
{
	s->counts.incomplete++;
	return true;
}

static FgSpan
keep_text(char *to, FgSpan text)
{
	if (text.size > 0)
		memcpy(to, text.bytes, text.size);
	return (FgSpan) {to, text.size};
}

static bool
take_application_start(FgSpark *s, const FgSparkEvent *event)
{
	FgSpan		id = event->text[FG_SPARK_APPLICATION_ID];
	FgSpan		attempt = event->text[FG_SPARK_APPLICATION_ATTEMPT];
	int64_t		start = get_time(s, event, FG_SPARK_TIMESTAMP);

	if (start == 0)
		return incomplete(s);
	if (s->named && (!fg_span_equal(id, s->id) || !fg_span_equal(attempt, s->attempt)))
		return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, event->line, 0,
						  "Import the log of each application, and of each of its attempts, as a job of its own.",
						  "the log is of several applications: a second one starts");
	s->named = true;
	s->start = start;
	s->name = keep_text(s->text[0], event->text[FG_SPARK_APPLICATION_NAME]);
	s->id = keep_text(s->text[1], id);
	s->attempt = keep_text(s->attempt_text, attempt);
	return true;
}

static bool
take_job(FgSpark *s, const FgSparkEvent *event)
{
	bool		starts = event->kind == FG_SPARK_JOB_START;
	int64_t		time = get_time(s, event, starts ? FG_SPARK_SUBMISSION : FG_SPARK_COMPLETION);
	FgSparkJob	job = {.id = event->number[FG_SPARK_JOB_ID], .first = s->listed_count};
	size_t		count = starts ? event->stage_count : 0;

	if (time == 0 || !has_ids(event, FG_SPARK_JOB_ID, FG_SPARK_JOB_ID) ||
		(starts && !event->flag[FG_SPARK_STAGE_LIST]))
		return incomplete(s);
	job.start = starts ? time : 0;
	job.end = starts ? 0 : time;
	job.count = count;
	if (!fg_reserve(s->ctx, (void **) &s->jobs, &s->job_capacity, s->job_count + 1,
					sizeof(FgSparkJob)) ||
		!fg_reserve(s->ctx, (void **) &s->listed, &s->listed_capacity, s->listed_count + count,
					sizeof(int64_t)))
		return false;
	if (count > 0)
		memcpy(s->listed + s->listed_count, event->stages, count * sizeof(int64_t));
	s->listed_count += count;
	s->jobs[s->job_count++] = job;
	return true;
}

static bool
take_stage(FgSpark *s, const FgSparkEvent *event)
{
	FgSpan		name = event->text[FG_SPARK_STAGE_NAME];
	size_t		count = event->parent_count;
	FgSparkStage stage = {
		.id = event->number[FG_SPARK_INFO_ID],
		.attempt = event->number[FG_SPARK_INFO_ATTEMPT],
		.start = get_time(s, event, FG_SPARK_INFO_SUBMISSION),
		.end = get_time(s, event, FG_SPARK_INFO_COMPLETION),
		.first = s->parent_count,
		.count = count,
		.job = FG_NONE
	};

	if (!has_ids(event, FG_SPARK_INFO_ID, FG_SPARK_INFO_ATTEMPT))
		return incomplete(s);
	if (!fg_names_add(&s->names, name.size > 0 ? name.bytes : "", name.size, &stage.name) ||
		!fg_reserve(s->ctx, (void **) &s->stages, &s->stage_capacity, s->stage_count + 1,
					sizeof(FgSparkStage)) ||
		!fg_reserve(s->ctx, (void **) &s->parents, &s->parent_capacity, s->parent_count + count,
					sizeof(int64_t)))
		return false;
	if (count > 0)
		memcpy(s->parents + s->parent_count, event->parents, count * sizeof(int64_t));
	s->parent_count += count;
	s->stages[s->stage_count++] = stage;
	return true;
}

static bool
take_task_start(FgSpark *s, const FgSparkEvent *event)
{
	get_time(s, event, FG_SPARK_LAUNCH);
	if (!has_ids(event, FG_SPARK_TASK_ID, FG_SPARK_TASK_ID))
		return incomplete(s);
	if (!fg_reserve(s->ctx, (void **) &s->started, &s->started_capacity, s->started_count + 1,
					sizeof(int64_t)))
		return false;
	s->started[s->started_count++] = event->number[FG_SPARK_TASK_ID];
	return true;
}

/* The number of an executor, with room for its cores. */
static bool
add_executor(FgSpark *s, FgSpan id, uint32_t *number)
{
	uint32_t	before = s->executors.count;

	if (!fg_names_add(&s->executors, id.bytes, id.size, number) ||
		!fg_reserve(s->ctx, (void **) &s->cores, &s->cores_capacity, s->executors.count,
					sizeof(int64_t)))
		return false;
	if (s->executors.count > before)
		s->cores[before] = 0;
	return true;
}

static bool
take_executor(FgSpark *s, const FgSparkEvent *event)
{
	FgSpan		id = event->text[FG_SPARK_EXECUTOR];
	int64_t		cores = event->has[FG_SPARK_CORES] ? event->number[FG_SPARK_CORES] : 0;
	uint32_t	number;

	get_time(s, event, FG_SPARK_TIMESTAMP);
	if (id.size == 0)
		return incomplete(s);
	if (!add_executor(s, id, &number))
		return false;
	if (cores > s->cores[number])
		s->cores[number] = cores;
	return true;
}

/* A number of the task's metrics; what is not there is 0. */
static int64_t
metric(const FgSparkEvent *event, FgSparkNumber field)
{
	return event->has[field] ? event->number[field] : 0;
}

static void
set_parts(FgSparkTask *task, const FgSparkEvent *event)
{
	FgSparkTimes times = {
		.launch = task->launch,
		.finish = task->finish,
		.getting_result = metric(event, FG_SPARK_GETTING_RESULT),
		.measured = task->measured,
		.deserialize = metric(event, FG_SPARK_DESERIALIZE),
		.run = metric(event, FG_SPARK_RUN),
		.serialize = metric(event, FG_SPARK_SERIALIZE),
		.fetch_wait = metric(event, FG_SPARK_FETCH_WAIT),
		.gc = metric(event, FG_SPARK_GC_TIME),
		.write_ns = metric(event, FG_SPARK_WRITE_NS)
	};

	task->cut = !fg_spark_parts(&times, task->parts);
	task->cpu_ns = event->has[FG_SPARK_CPU_NS] ? event->number[FG_SPARK_CPU_NS] : -1;
	task->deserialize_cpu_ns = event->has[FG_SPARK_DESERIALIZE_CPU_NS]
		? event->number[FG_SPARK_DESERIALIZE_CPU_NS] : -1;
}

/*
 * "Resubmitted" ends a task a second time, when the executor that has its output is lost;
 * the task had ended long before.
 */
static bool
take_task_end(FgSpark *s, const FgSparkEvent *event)
{
	static const FgSpan resubmitted = {"Resubmitted", sizeof("Resubmitted") - 1};
	FgSpan		executor = event->text[FG_SPARK_TASK_EXECUTOR];
	FgSparkTask task = {
		.id = event->number[FG_SPARK_TASK_ID],
		.stage = event->number[FG_SPARK_STAGE_ID],
		.stage_attempt = event->number[FG_SPARK_STAGE_ATTEMPT],
		.index = event->number[FG_SPARK_TASK_INDEX],
		.attempt = event->number[FG_SPARK_TASK_ATTEMPT],
		.launch = get_time(s, event, FG_SPARK_LAUNCH),
		.finish = get_time(s, event, FG_SPARK_FINISH),
		.owner = FG_NONE,
		.measured = event->flag[FG_SPARK_METRICS],
		.speculative = event->flag[FG_SPARK_SPECULATIVE],
		.failed = event->flag[FG_SPARK_FAILED],
		.killed = event->flag[FG_SPARK_KILLED]
	};

	if (fg_span_equal(event->text[FG_SPARK_REASON], resubmitted))
		return true;
	if (!has_ids(event, FG_SPARK_STAGE_ID, FG_SPARK_STAGE_ATTEMPT) ||
		!has_ids(event, FG_SPARK_TASK_ID, FG_SPARK_TASK_INDEX) ||
		!has_ids(event, FG_SPARK_TASK_ATTEMPT, FG_SPARK_TASK_ATTEMPT) ||
		task.launch == 0 || task.finish < task.launch || executor.size == 0)
		return incomplete(s);
	set_parts(&task, event);
	if (!add_executor(s, executor, &task.executor) ||
		!fg_reserve(s->ctx, (void **) &s->tasks, &s->task_capacity, s->task_count + 1,
					sizeof(FgSparkTask)))
		return false;
	if (s->task_count == FG_NONE / 8)
		return fg_fail(s->ctx, FG_ERROR_LIMIT, "the log has more than %u tasks", FG_NONE / 8);
	s->tasks[s->task_count++] = task;
	return true;
}

static bool
take_event(void *arg, const FgSparkEvent *event)
{
	FgSpark    *s = arg;

	switch (event->kind)
	{
		case FG_SPARK_LOG_START:
			s->version = keep_text(s->text[2], event->text[FG_SPARK_VERSION]);
			return true;
		case FG_SPARK_APPLICATION_START:
			return take_application_start(s, event);
		case FG_SPARK_APPLICATION_END:
			s->end = get_time(s, event, FG_SPARK_TIMESTAMP);
			return s->end > 0 || incomplete(s);
		case FG_SPARK_JOB_START:
		case FG_SPARK_JOB_END:
			return take_job(s, event);
		case FG_SPARK_STAGE_SUBMITTED:
		case FG_SPARK_STAGE_COMPLETED:
			return take_stage(s, event);
		case FG_SPARK_TASK_START:
			return take_task_start(s, event);
		case FG_SPARK_TASK_END:
			return take_task_end(s, event);
		case FG_SPARK_EXECUTOR_ADDED:
			return take_executor(s, event);
		default:
			return true;
	}
}

/* --- bytes ------------------------------------------------------------------------ */

static bool
take_unpacked(void *arg, const char *bytes, size_t size)
{
	FgSpark    *s = arg;

	return fg_spark_reader_feed(s->reader, bytes, size);
}

/* Other packings that Spark writes: what to do with them. */
static bool
check_packing(FgSpark *s)
{
	static const struct
	{
		const char *magic;
		size_t		size;
		const char *what;
	}			others[] = {
		{"\x28\xB5\x2F\xFD", 4, "zstd"},
		{"LZ4B", 4, "LZ4"},
		{"\x82SNA", 4, "snappy"},
		{"\xFFs", 2, "snappy"},
		{"ZV", 2, "LZF"}
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
	{
		if (s->magic_size >= others[i].size &&
			memcmp(s->magic, others[i].magic, others[i].size) == 0)
			return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, 0, 0,
							  "Unpack it first, such as with zstd -d; gzip is unpacked here.",
							  "the log is packed with %s", others[i].what);
	}
	return true;
}

/* The first bytes say how the log is packed. */
static bool
begin_bytes(FgSpark *s)
{
	s->begun = true;
	if (!check_packing(s))
		return false;
	if (s->magic_size >= 2 && memcmp(s->magic, "\x1F\x8B", 2) == 0)
	{
		s->gunzip = fg_gunzip_create(s->ctx, s->max_bytes,
									 "No event log packs that well: if it can be trusted, unpack it first and import the text.",
									 take_unpacked, s);
		return s->gunzip != NULL && fg_gunzip_feed(s->gunzip, (uint8_t *) s->magic, s->magic_size);
	}
	return fg_spark_reader_feed(s->reader, s->magic, s->magic_size);
}

/* Damaged gzip ends the log where it is; what came before is whole. */
static bool
damage_ends(FgSpark *s, bool ok)
{
	if (ok || s->ctx->error.code != FG_ERROR_CORRUPT)
		return ok;
	memset(&s->ctx->error, 0, sizeof(s->ctx->error));
	s->ended = s->counts.cut = true;
	return true;
}

bool
fg_spark_feed(FgSpark *s, const char *bytes, size_t size)
{
	while (!s->begun && size > 0)
	{
		s->magic[s->magic_size++] = *bytes++;
		size--;
		if (s->magic_size == sizeof(s->magic) && !damage_ends(s, begin_bytes(s)))
			return false;
	}
	if (size == 0 || s->ended)
		return true;
	if (s->gunzip != NULL)
		return damage_ends(s, fg_gunzip_feed(s->gunzip, (const uint8_t *) bytes, size));
	return fg_spark_reader_feed(s->reader, bytes, size);
}

/* --- the end ----------------------------------------------------------------------- */

static bool
check_content(const FgSpark *s)
{
	if (s->lines.events == 0)
		return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "Spark writes event logs, JSON lines such as {\"Event\":\"SparkListenerLogStart\",...}, where spark.eventLog.enabled is true, into spark.eventLog.dir.",
						  "there is no event of Spark in the %llu lines of the text",
						  (unsigned long long) s->lines.lines);
	if (s->first_time == 0)
		return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "The log of an application that has begun has SparkListenerApplicationStart.",
						  "no event of the log says when something happened");
	return true;
}

static void
set_ends(FgSpark *s)
{
	if (s->start == 0)
		s->start = s->first_time;
	if (s->end == 0)
	{
		s->counts.running = true;
		s->end = s->last_time;
	}
	if (s->end < s->start)
	{
		s->counts.reversed++;
		s->end = s->start;
	}
}

bool
fg_spark_finish(FgSpark *s, FgSparkSummary *summary)
{
	if (!s->begun && !damage_ends(s, begin_bytes(s)))
		return false;
	if (s->gunzip != NULL && !s->ended && !damage_ends(s, fg_gunzip_finish(s->gunzip)))
		return false;
	if (!fg_spark_reader_finish(s->reader, &s->lines) || !check_content(s))
		return false;
	s->counts.unreadable = s->lines.unreadable;
	s->counts.first_unreadable = s->lines.first_unreadable;
	s->counts.unknown = s->lines.unknown;
	set_ends(s);
	if (!fg_spark_merge(s) || !fg_spark_connect(s))
		return false;
	*summary = (FgSparkSummary) {
		.name = s->name,
		.id = s->id,
		.version = s->version,
		.start = fg_spark_time(s->start),
		.depths = s->depths,
		.counts = s->counts
	};
	return true;
}

FgSpark *
fg_spark_open(FgContext *ctx, uint64_t max_bytes)
{
	FgSpark    *s = fg_alloc_zero(ctx, 1, sizeof(FgSpark));

	if (s == NULL)
		return NULL;
	s->ctx = ctx;
	s->max_bytes = max_bytes;
	s->reader = fg_spark_reader_open(ctx, take_event, s);
	if (s->reader != NULL && fg_names_begin(ctx, &s->names) &&
		fg_names_begin(ctx, &s->executors))
		return s;
	fg_spark_close(s);
	return NULL;
}

void
fg_spark_close(FgSpark *s)
{
	if (s == NULL)
		return;
	fg_spark_reader_close(s->reader);
	fg_gunzip_free(s->gunzip);
	fg_names_free(&s->names);
	fg_names_free(&s->executors);
	fg_release(s->ctx, s->cores);
	fg_release(s->ctx, s->jobs);
	fg_release(s->ctx, s->listed);
	fg_release(s->ctx, s->stages);
	fg_release(s->ctx, s->parents);
	fg_release(s->ctx, s->tasks);
	fg_release(s->ctx, s->started);
	fg_release(s->ctx, s->stage_order);
	fg_release(s->ctx, s->task_order);
	fg_release(s->ctx, s->executor_order);
	fg_release(s->ctx, s->boxes);
	fg_release(s->ctx, s);
}
