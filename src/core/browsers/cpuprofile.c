/*
 * cpuprofile.c
 *	  V8's .cpuprofile (node --cpu-prof, Chrome's JavaScript profiler).
 *
 * A list of nodes, the samples and the microseconds between them (see v8_profile.h).  Without
 * times the value is the number of samples.
 *
 * Before 2016 V8 had a "head" in place of the list, a node with its children in it; modules
 * such as v8-profiler write that today.  Functions and files are in the nodes themselves,
 * whose lines count from 1, the file begins and ends in seconds, and samples have
 * timestamps; one timestamp more than samples is the end of the last one.
 */
#include "core/browsers/v8_stream.h"

typedef struct CpuProfile
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;
	FgV8Texts	texts;
	FgV8Profile profile;
	FgV8Stream	stream;
	bool		has_nodes;		/* or a head, when they are by_place */
	bool		has_start;
	bool		has_frames;		/* some node has one */
} CpuProfile;

/* --- reading ---------------------------------------------------------------------- */

enum
{
	NODES = 1, HEAD, START_TIME, END_TIME, SAMPLES, TIME_DELTAS, TIMESTAMPS,
	NODE, NODE_ID, CALL_FRAME, HIT_COUNT, CHILDREN, PARENT,
	FUNCTION_NAME, URL, LINE_NUMBER, COLUMN_NUMBER,
	INNER_CHILDREN, CHILD, SAMPLE, DELTA
};

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "nodes", NODES, FG_JSON_ARRAY},
	{FG_JSON_ROOT, "head", HEAD, FG_JSON_OBJECT},
	{FG_JSON_ROOT, "startTime", START_TIME, FG_JSON_NUMBER},
	{FG_JSON_ROOT, "endTime", END_TIME, FG_JSON_NUMBER},
	{FG_JSON_ROOT, "samples", SAMPLES, FG_JSON_ARRAY | FG_JSON_NULL},
	{FG_JSON_ROOT, "timeDeltas", TIME_DELTAS, FG_JSON_ARRAY | FG_JSON_NULL},
	{FG_JSON_ROOT, "timestamps", TIMESTAMPS, FG_JSON_ARRAY | FG_JSON_NULL},
	{NODES, NULL, NODE, FG_JSON_OBJECT},
	{NODE, "id", NODE_ID, FG_JSON_NUMBER},
	{NODE, "callFrame", CALL_FRAME, FG_JSON_OBJECT},
	{NODE, "hitCount", HIT_COUNT, FG_JSON_NUMBER},
	{NODE, "children", CHILDREN, FG_JSON_ARRAY},
	{NODE, "parent", PARENT, FG_JSON_NUMBER},
	{CALL_FRAME, "functionName", FUNCTION_NAME, FG_JSON_STRING},
	{CALL_FRAME, "url", URL, FG_JSON_STRING | FG_JSON_NULL},
	{CALL_FRAME, "lineNumber", LINE_NUMBER, FG_JSON_NUMBER | FG_JSON_STRING},
	{CALL_FRAME, "columnNumber", COLUMN_NUMBER, FG_JSON_NUMBER | FG_JSON_STRING},
	{CHILDREN, NULL, CHILD, FG_JSON_NUMBER},
	{HEAD, "id", NODE_ID, FG_JSON_NUMBER},
	{HEAD, "hitCount", HIT_COUNT, FG_JSON_NUMBER},
	{HEAD, "functionName", FUNCTION_NAME, FG_JSON_STRING},
	{HEAD, "url", URL, FG_JSON_STRING | FG_JSON_NULL},
	{HEAD, "lineNumber", LINE_NUMBER, FG_JSON_NUMBER | FG_JSON_STRING},
	{HEAD, "columnNumber", COLUMN_NUMBER, FG_JSON_NUMBER | FG_JSON_STRING},
	{HEAD, "children", INNER_CHILDREN, FG_JSON_ARRAY | FG_JSON_NULL},
	{INNER_CHILDREN, NULL, HEAD, FG_JSON_OBJECT},
	{SAMPLES, NULL, SAMPLE, FG_JSON_NUMBER},
	{TIME_DELTAS, NULL, DELTA, FG_JSON_NUMBER},
	{TIMESTAMPS, NULL, DELTA, FG_JSON_NUMBER},
	{0, NULL, 0, 0}
};

/*
 * Lines and columns count from 0 in our nodes; those of a head count from 1, 0 is none.  Tools that convert profiles
 * write them as texts.
 */
static bool
take_position(CpuProfile *p, const FgJsonValue *value, double *position)
{
	FgJsonValue number = *value;

	number.type = FG_JSON_NUMBER;
	if (!fg_json_number(p->json, &number, position))
		return false;
	*position -= p->profile.by_place ? 1 : 0;
	return true;
}

/* One of the head, or the head itself. */
static bool
take_head(CpuProfile *p, const FgJsonValue *value)
{
	FgV8Profile *v8 = &p->profile;

	if (value->end)
		return fg_v8_close(v8, p->json);
	if (v8->open == FG_NONE && !fg_json_once(p->json, value, &p->has_nodes, "nodes"))
		return false;
	v8->by_place = true;
	return fg_v8_open(v8, p->json);
}

static bool
take_of_node(CpuProfile *p, int place, const FgJsonValue *value)
{
	FgV8Profile *v8 = &p->profile;
	FgV8Node   *node = &v8->nodes[v8->open];

	switch (place)
	{
		case NODE_ID:
			return fg_json_index(p->json, value, &node->id);
		case CALL_FRAME:
			p->has_frames = true;
			return true;
		case PARENT:
			return fg_json_index(p->json, value, &node->parent_id);
		case HIT_COUNT:
			return fg_json_number(p->json, value, &node->hits);
		case FUNCTION_NAME:
			return fg_v8_text(v8, p->json, value, &node->function);
		case URL:
			return fg_v8_url(v8, p->json, value);
		case LINE_NUMBER:
			return take_position(p, value, &node->line);
		case COLUMN_NUMBER:
			return take_position(p, value, &node->column);
		case CHILD:
			return fg_v8_children(v8, p->json, value);
		default:
			return true;
	}
}

/* Is the number of samples wanted, and not their times? */
static bool
wants_counts(const CpuProfile *p)
{
	const char *selection = fg_sink_options(p->sink)->selection;

	return selection != NULL && strcmp(selection, "samples") == 0;
}

/* A list at the root that has begun before has ended, too. */
static bool
begin_deltas(CpuProfile *p, const FgJsonValue *value)
{
	FgV8Profile *v8 = &p->profile;

	if (!fg_json_once(p->json, value, &v8->has_deltas, "times"))
		return false;
	if (value->type != FG_JSON_ARRAY || value->end || !p->has_nodes || !v8->has_samples || !p->has_start ||
		fg_sink_is_timed(p->sink) || wants_counts(p))
		return true;
	return fg_v8_stream_merge(&p->stream);
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	CpuProfile *p = arg;
	FgV8Profile *v8 = &p->profile;

	switch (place)
	{
		case FG_JSON_ROOT:
			return true;
		case NODES:
			return fg_json_once(p->json, value, &p->has_nodes, "nodes");
		case SAMPLES:
			return fg_json_once(p->json, value, &v8->has_samples, "samples");
		case TIMESTAMPS:
			p->stream.are_times |= value->type != FG_JSON_NULL;
			return fg_json_once(p->json, value, &v8->has_deltas, "times");
		case TIME_DELTAS:
			return begin_deltas(p, value);
		case START_TIME:
			p->has_start = true;
			return fg_json_number(p->json, value, &v8->start);
		case END_TIME:
			v8->has_end = true;
			return fg_json_number(p->json, value, &v8->end);
		case NODE:
			return value->end ? fg_v8_close(v8, p->json) : fg_v8_open(v8, p->json);
		case HEAD:
			return take_head(p, value);
		case SAMPLE:
			return fg_v8_stream_sample(&p->stream, p->json, value);
		case DELTA:
			return fg_v8_stream_delta(&p->stream, p->json, value);
		default:
			return take_of_node(p, place, value);
	}
}

/* --- the reader --------------------------------------------------------------------------- */

static void
cpuprofile_free(void *state)
{
	CpuProfile *p = state;

	if (p == NULL)
		return;
	fg_json_close(p->json);
	fg_v8_stream_free(&p->stream);
	fg_v8_free(&p->profile);
	fg_v8_texts_free(&p->texts);
	fg_release(p->ctx, p);
}

static void *
cpuprofile_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	CpuProfile *p = fg_alloc_zero(ctx, 1, sizeof(CpuProfile));

	if (p == NULL)
		return NULL;
	p->sink = sink;
	p->ctx = ctx;
	fg_sink_ticks(sink, 1e6);
	fg_v8_begin(ctx, &p->texts, &p->profile);
	fg_v8_stream_begin(ctx, &p->profile, &p->stream);
	p->json = fg_json_open(ctx, "V8 CPU profile", rules, take_value, p);
	if (p->json != NULL && fg_v8_texts_begin(ctx, &p->texts))
		return p;
	cpuprofile_free(p);
	return NULL;
}

static bool
cpuprofile_feed(void *state, const char *bytes, size_t size)
{
	return fg_json_feed(((CpuProfile *) state)->json, bytes, size);
}

static bool
add_samples(CpuProfile *p, bool counts, uint32_t profile)
{
	FgV8Profile *v8 = &p->profile;

	if (!v8->has_samples || !v8->has_deltas)
		return fg_fail(p->ctx, FG_ERROR_ARGUMENT, "the V8 CPU profile has no times");
	return fg_v8_stream_take(&p->stream, &(FgV8Handing) {
		.sink = p->sink, .number = profile, .counts = counts, .ticks = 1
	});
}

static bool
add_values(CpuProfile *p, bool times, uint32_t profile)
{
	if (!(times ? fg_v8_stream_times(&p->stream) : fg_v8_stream_count(&p->stream) && fg_v8_counts(&p->profile)))
		return false;
	fg_sink_weights(p->sink, profile, &p->stream.weights);
	return fg_v8_add(&p->profile, p->sink, profile);
}

static bool
cpuprofile_finish(void *state)
{
	static const FgKind time_kind = {"cpu", "cpu", "microseconds", 0};
	static const FgKind count_kind = {"cpu", "samples", "samples", 1};
	CpuProfile *p = state;
	bool		counts = wants_counts(p);
	bool		times;
	uint32_t	profile;

	if (!fg_json_finish(p->json))
		return false;
	if (!p->has_nodes)
		return fg_fail_at(p->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "A .cpuprofile has a list of nodes and the samples that refer to them.",
						  "the V8 CPU profile has no nodes");
	times = p->profile.has_samples && p->profile.has_deltas && !counts;
	if (!fg_sink_profile(p->sink, times ? &time_kind : &count_kind, &profile))
		return false;
	/* with times of their own samples the file begins and ends in seconds */
	if (p->stream.are_times)
	{
		p->profile.start = 0;
		p->profile.end *= 1e6;
	}
	if (!(fg_sink_is_timed(p->sink) ? add_samples(p, counts, profile) : add_values(p, times, profile)))
		return false;
	/* tools make trees of such a profile for themselves, whose nodes refer to places elsewhere in the file */
	return p->has_frames || p->profile.by_place || p->profile.count == 0 ||
		fg_fail(p->ctx, FG_ERROR_SYNTAX, "no node of the V8 CPU profile has a callFrame");
}

static bool
cpuprofile_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	if (!fg_json_begins(head, size))
		return false;
	return (fg_json_holds(head, size, "\"nodes\"") && fg_json_holds(head, size, "\"callFrame\"")) ||
		(fg_json_holds(head, size, "\"head\"") && fg_json_holds(head, size, "\"functionName\"") &&
		 fg_json_holds(head, size, "\"hitCount\""));
}

const FgFormatReader fg_cpuprofile_reader = {
	.format = FG_FORMAT_CPUPROFILE,
	.unsure = true,
	.recognise = cpuprofile_recognise,
	.begin = cpuprofile_begin,
	.feed = cpuprofile_feed,
	.finish = cpuprofile_finish,
	.free = cpuprofile_free
};
