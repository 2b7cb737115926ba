/*
 * spark_events.c
 *	  Lines of a Spark event log (see spark_events.h).
 */
#include "core/traces/spark_events.h"

#include "core/base/number.h"
#include "core/profile/frames.h"
#include "core/reading/json_stream.h"

/* Enough for the name of an event that stands first. */
#define HEAD_BYTES 160

typedef enum LineState
{
	IN_HEAD,
	IN_JSON,
	SKIPPED,					/* to its end: not needed, or not readable */
} LineState;

/* The places of values (json_stream.h); numbers, texts and flags follow each other. */
enum
{
	EVENT = 1,
	STAGE_INFO, TASK_INFO, TASK_METRICS, SHUFFLE_READ, SHUFFLE_WRITE, EXECUTOR_INFO, END_REASON,
	STAGE_IDS, JOB_STAGE, PARENT_IDS, PARENT,
	NUMBER,
	TEXT = NUMBER + FG_SPARK_NUMBERS,
	FLAG = TEXT + FG_SPARK_TEXTS
};

struct FgSparkReader
{
	FgContext  *ctx;
	FgSparkTake take;
	void	   *arg;
	FgSparkLines counts;

	LineState	state;
	uint64_t	line;			/* from 1 */
	bool		blank;			/* nothing but blanks so far */
	size_t		head_size;
	char		head[HEAD_BYTES];

	FgJson	   *json;
	bool		used;			/* the document has begun */
	bool		named;			/* the line has an event's name */
	bool		foreign;		/* which is none of Spark's */
	FgSparkEvent event;
	char		text[FG_SPARK_TEXTS][FG_SPARK_TEXT];
	int64_t    *stages;
	size_t		stage_capacity;
	int64_t    *parents;
	size_t		parent_capacity;
};

/* A value of the wrong type is as good as none, so every place takes every type. */
#define ANY 63

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "Event", EVENT, ANY},
	{FG_JSON_ROOT, "Stage Info", STAGE_INFO, ANY},
	{FG_JSON_ROOT, "Task Info", TASK_INFO, ANY},
	{FG_JSON_ROOT, "Task Metrics", TASK_METRICS, ANY},
	{FG_JSON_ROOT, "Executor Info", EXECUTOR_INFO, ANY},
	{FG_JSON_ROOT, "Task End Reason", END_REASON, ANY},
	{FG_JSON_ROOT, "Stage IDs", STAGE_IDS, ANY},
	{FG_JSON_ROOT, "Timestamp", NUMBER + FG_SPARK_TIMESTAMP, ANY},
	{FG_JSON_ROOT, "Job ID", NUMBER + FG_SPARK_JOB_ID, ANY},
	{FG_JSON_ROOT, "Submission Time", NUMBER + FG_SPARK_SUBMISSION, ANY},
	{FG_JSON_ROOT, "Completion Time", NUMBER + FG_SPARK_COMPLETION, ANY},
	{FG_JSON_ROOT, "Stage ID", NUMBER + FG_SPARK_STAGE_ID, ANY},
	{FG_JSON_ROOT, "Stage Attempt ID", NUMBER + FG_SPARK_STAGE_ATTEMPT, ANY},
	{FG_JSON_ROOT, "Spark Version", TEXT + FG_SPARK_VERSION, ANY},
	{FG_JSON_ROOT, "App Name", TEXT + FG_SPARK_APPLICATION_NAME, ANY},
	{FG_JSON_ROOT, "App ID", TEXT + FG_SPARK_APPLICATION_ID, ANY},
	{FG_JSON_ROOT, "App Attempt ID", TEXT + FG_SPARK_APPLICATION_ATTEMPT, ANY},
	{FG_JSON_ROOT, "Executor ID", TEXT + FG_SPARK_EXECUTOR, ANY},
	{STAGE_IDS, NULL, JOB_STAGE, ANY},
	{STAGE_INFO, "Stage ID", NUMBER + FG_SPARK_INFO_ID, ANY},
	{STAGE_INFO, "Stage Attempt ID", NUMBER + FG_SPARK_INFO_ATTEMPT, ANY},
	{STAGE_INFO, "Submission Time", NUMBER + FG_SPARK_INFO_SUBMISSION, ANY},
	{STAGE_INFO, "Completion Time", NUMBER + FG_SPARK_INFO_COMPLETION, ANY},
	{STAGE_INFO, "Stage Name", TEXT + FG_SPARK_STAGE_NAME, ANY},
	{STAGE_INFO, "Parent IDs", PARENT_IDS, ANY},
	{PARENT_IDS, NULL, PARENT, ANY},
	{TASK_INFO, "Task ID", NUMBER + FG_SPARK_TASK_ID, ANY},
	{TASK_INFO, "Index", NUMBER + FG_SPARK_TASK_INDEX, ANY},
	{TASK_INFO, "Attempt", NUMBER + FG_SPARK_TASK_ATTEMPT, ANY},
	{TASK_INFO, "Launch Time", NUMBER + FG_SPARK_LAUNCH, ANY},
	{TASK_INFO, "Getting Result Time", NUMBER + FG_SPARK_GETTING_RESULT, ANY},
	{TASK_INFO, "Finish Time", NUMBER + FG_SPARK_FINISH, ANY},
	{TASK_INFO, "Executor ID", TEXT + FG_SPARK_TASK_EXECUTOR, ANY},
	{TASK_INFO, "Speculative", FLAG + FG_SPARK_SPECULATIVE, ANY},
	{TASK_INFO, "Failed", FLAG + FG_SPARK_FAILED, ANY},
	{TASK_INFO, "Killed", FLAG + FG_SPARK_KILLED, ANY},
	{TASK_METRICS, "Executor Deserialize Time", NUMBER + FG_SPARK_DESERIALIZE, ANY},
	{TASK_METRICS, "Executor Deserialize CPU Time", NUMBER + FG_SPARK_DESERIALIZE_CPU_NS, ANY},
	{TASK_METRICS, "Executor Run Time", NUMBER + FG_SPARK_RUN, ANY},
	{TASK_METRICS, "Executor CPU Time", NUMBER + FG_SPARK_CPU_NS, ANY},
	{TASK_METRICS, "JVM GC Time", NUMBER + FG_SPARK_GC_TIME, ANY},
	{TASK_METRICS, "Result Serialization Time", NUMBER + FG_SPARK_SERIALIZE, ANY},
	{TASK_METRICS, "Shuffle Read Metrics", SHUFFLE_READ, ANY},
	{TASK_METRICS, "Shuffle Write Metrics", SHUFFLE_WRITE, ANY},
	{SHUFFLE_READ, "Fetch Wait Time", NUMBER + FG_SPARK_FETCH_WAIT, ANY},
	{SHUFFLE_WRITE, "Shuffle Write Time", NUMBER + FG_SPARK_WRITE_NS, ANY},
	{EXECUTOR_INFO, "Total Cores", NUMBER + FG_SPARK_CORES, ANY},
	{END_REASON, "Reason", TEXT + FG_SPARK_REASON, ANY},
	{0, NULL, 0, 0}
};

/* --- events by name ------------------------------------------------------------- */

static const char *const event_names[] = {
	[FG_SPARK_LOG_START] = "SparkListenerLogStart",
	[FG_SPARK_APPLICATION_START] = "SparkListenerApplicationStart",
	[FG_SPARK_APPLICATION_END] = "SparkListenerApplicationEnd",
	[FG_SPARK_JOB_START] = "SparkListenerJobStart",
	[FG_SPARK_JOB_END] = "SparkListenerJobEnd",
	[FG_SPARK_STAGE_SUBMITTED] = "SparkListenerStageSubmitted",
	[FG_SPARK_STAGE_COMPLETED] = "SparkListenerStageCompleted",
	[FG_SPARK_TASK_START] = "SparkListenerTaskStart",
	[FG_SPARK_TASK_END] = "SparkListenerTaskEnd",
	[FG_SPARK_EXECUTOR_ADDED] = "SparkListenerExecutorAdded",
};

static bool
begins_with(const char *text, size_t length, const char *start)
{
	return length >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
}

static FgSparkEventKind
event_by_name(const char *name, size_t length, bool *foreign)
{
	for (int kind = 0; kind < FG_SPARK_OTHER; kind++)
	{
		if (strlen(event_names[kind]) == length && memcmp(event_names[kind], name, length) == 0)
			return (FgSparkEventKind) kind;
	}
	*foreign = !begins_with(name, length, "SparkListener") &&
		!begins_with(name, length, "org.apache.spark.");
	return FG_SPARK_OTHER;
}

static void
take_name(FgSparkReader *r, const char *name, size_t length)
{
	r->named = true;
	r->foreign = false;
	r->event.kind = event_by_name(name, length, &r->foreign);
}

/* --- values ---------------------------------------------------------------------- */

/* Whole numbers that a double holds; others are missing. */
static bool
take_number(FgSparkReader *r, const FgJsonValue *value, int64_t *number)
{
	const double limit = 9007199254740992.0;
	double		wide = 0;
	FgNumberResult result;

	if (value->type != FG_JSON_NUMBER)
		return false;
	result = fg_number_parse(r->ctx, value->text, value->length, &wide);
	if (result != FG_NUMBER_OK || !(wide > -limit && wide < limit) ||
		wide != (double) (int64_t) wide)
		return false;
	*number = (int64_t) wide;
	return true;
}

static void
take_text(FgSparkReader *r, FgSparkText field, const FgJsonValue *value)
{
	char	   *to = r->text[field];
	size_t		length = value->length < FG_SPARK_TEXT ? value->length : FG_SPARK_TEXT;

	if (value->type != FG_JSON_STRING)
		return;
	length = fg_utf8_prefix(value->text, length);
	for (size_t i = 0; i < length; i++)
		to[i] = (unsigned char) value->text[i] < 0x20 || value->text[i] == 0x7F ? ' ' : value->text[i];
	r->event.text[field] = (FgSpan) {to, length};
}

/* An id of a list; false without memory. */
static bool
take_listed(FgSparkReader *r, const FgJsonValue *value, int64_t **list, size_t *count,
			size_t *capacity)
{
	int64_t		number;

	if (!take_number(r, value, &number) || number < 0)
		return r->ctx->error.code == FG_OK;
	if (!fg_reserve(r->ctx, (void **) list, capacity, *count + 1, sizeof(int64_t)))
		return false;
	(*list)[(*count)++] = number;
	return true;
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	FgSparkReader *r = arg;
	FgSparkEvent *event = &r->event;

	if (value->end)
		return true;
	if (place >= FLAG)
		event->flag[place - FLAG] = value->type == FG_JSON_BOOL && value->truth;
	else if (place >= TEXT)
		take_text(r, (FgSparkText) (place - TEXT), value);
	else if (place >= NUMBER)
		event->has[place - NUMBER] = take_number(r, value, &event->number[place - NUMBER]);
	else if (place == EVENT && value->type == FG_JSON_STRING)
		take_name(r, value->text, value->length);
	else if (place == TASK_METRICS)
		event->flag[FG_SPARK_METRICS] = value->type == FG_JSON_OBJECT;
	else if (place == STAGE_IDS)
		event->flag[FG_SPARK_STAGE_LIST] = value->type == FG_JSON_ARRAY;
	else if (place == JOB_STAGE)
		return take_listed(r, value, &r->stages, &event->stage_count, &r->stage_capacity);
	else if (place == PARENT)
		return take_listed(r, value, &r->parents, &event->parent_count, &r->parent_capacity);
	return r->ctx->error.code == FG_OK;
}

/* --- lines ------------------------------------------------------------------------ */

/* An error of the line is counted and forgotten; one of the surroundings stays. */
static bool
line_failed(FgSparkReader *r)
{
	FgErrorCode code = r->ctx->error.code;

	if (code == FG_ERROR_MEMORY || code == FG_ERROR_CANCELLED)
		return false;
	memset(&r->ctx->error, 0, sizeof(r->ctx->error));
	if (r->counts.unreadable++ == 0)
		r->counts.first_unreadable = r->line;
	r->state = SKIPPED;
	return true;
}

static bool
feed_json(FgSparkReader *r, const char *bytes, size_t size)
{
	return fg_json_feed(r->json, bytes, size) || line_failed(r);
}

static bool
begin_json(FgSparkReader *r)
{
	memset(&r->event, 0, sizeof(r->event));
	r->named = false;
	r->state = IN_JSON;
	if (r->used && !fg_json_restart(r->json))
		return false;
	r->used = true;
	return feed_json(r, r->head, r->head_size);
}

/* Characters of the name of a class, whose JSON is the name itself. */
static bool
is_plain(const char *name, const char *stop)
{
	while (name < stop && *name > ' ' && *name < 0x7F && *name != '\\')
		name++;
	return name == stop;
}

/* Is it an event that nobody needs?  Spark writes its name first. */
static bool
skip_by_name(FgSparkReader *r)
{
	static const char start[] = "{\"Event\":\"";
	const char *name = r->head + sizeof(start) - 1;
	const char *stop;
	bool		foreign = false;

	if (!begins_with(r->head, r->head_size, start))
		return false;
	stop = memchr(name, '"', (size_t) (r->head + r->head_size - name));
	if (stop == NULL || !is_plain(name, stop) ||
		event_by_name(name, (size_t) (stop - name), &foreign) != FG_SPARK_OTHER)
		return false;
	if (foreign)
		r->counts.unknown++;
	else
		r->counts.events++;
	return true;
}

/* The head is full, or the line ends. */
static bool
end_head(FgSparkReader *r)
{
	if (!skip_by_name(r))
		return begin_json(r);
	r->state = SKIPPED;
	return true;
}

/* Part of a line, without its line feed. */
static bool
take_part(FgSparkReader *r, const char *bytes, size_t size)
{
	if (r->state == IN_HEAD)
	{
		size_t		room = HEAD_BYTES - r->head_size;
		size_t		part = size < room ? size : room;

		memcpy(r->head + r->head_size, bytes, part);
		r->head_size += part;
		bytes += part;
		size -= part;
		if (r->head_size == HEAD_BYTES && !end_head(r))
			return false;
	}
	return fg_work(r->ctx, size) && (r->state != IN_JSON || size == 0 || feed_json(r, bytes, size));
}

static bool
hand_on(FgSparkReader *r)
{
	FgSparkEvent *event = &r->event;

	if (!r->named)
		return line_failed(r);
	if (r->foreign)
	{
		r->counts.unknown++;
		return true;
	}
	r->counts.events++;
	event->line = r->line;
	event->stages = r->stages;
	event->parents = r->parents;
	return event->kind == FG_SPARK_OTHER || r->take(r->arg, event);
}

static bool
head_is_blank(const FgSparkReader *r)
{
	for (size_t i = 0; i < r->head_size; i++)
	{
		if (strchr(" \t\r", r->head[i]) == NULL || r->head[i] == '\0')
			return false;
	}
	return true;
}

static bool
end_line(FgSparkReader *r)
{
	bool		blank = r->state == IN_HEAD && head_is_blank(r);
	bool		ok = blank || r->state != IN_HEAD || end_head(r);

	r->counts.lines += !blank;
	if (ok && r->state == IN_JSON)
		ok = fg_json_finish(r->json) ? hand_on(r) : line_failed(r);
	r->state = IN_HEAD;
	r->head_size = 0;
	r->line++;
	return ok;
}

bool
fg_spark_reader_feed(FgSparkReader *r, const char *bytes, size_t size)
{
	const char *end = bytes + size;

	while (bytes < end)
	{
		const char *stop = memchr(bytes, '\n', (size_t) (end - bytes));

		if (!take_part(r, bytes, (size_t) ((stop != NULL ? stop : end) - bytes)))
			return false;
		if (stop == NULL)
			return true;
		if (!end_line(r))
			return false;
		bytes = stop + 1;
	}
	return true;
}

bool
fg_spark_reader_finish(FgSparkReader *r, FgSparkLines *lines)
{
	if (!end_line(r))
		return false;
	*lines = r->counts;
	return true;
}

FgSparkReader *
fg_spark_reader_open(FgContext *ctx, FgSparkTake take, void *arg)
{
	FgSparkReader *r = fg_alloc_zero(ctx, 1, sizeof(FgSparkReader));

	if (r == NULL)
		return NULL;
	r->ctx = ctx;
	r->take = take;
	r->arg = arg;
	r->line = 1;
	r->json = fg_json_open(ctx, "Spark event", rules, take_value, r);
	if (r->json != NULL)
		return r;
	fg_spark_reader_close(r);
	return NULL;
}

void
fg_spark_reader_close(FgSparkReader *r)
{
	if (r == NULL)
		return;
	fg_json_close(r->json);
	fg_release(r->ctx, r->stages);
	fg_release(r->ctx, r->parents);
	fg_release(r->ctx, r);
}
