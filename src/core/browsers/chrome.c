/*
 * chrome.c
 *	  Chrome's trace events as JSON: what chrome://tracing, DevTools, clang -ftime-trace,
 *	  viztracer and many others write; a list of events, or an object with traceEvents.
 *
 * Of interest are the events that last (trace_events.h), and CPU profiles that a trace may
 * hold as well, those of V8 (trace_v8.h) and of Hermes (trace_samples.h).  These are an event
 * of their own, cpu, beside that of the events, wall.  An event of a moment that has a stack is
 * a sample by its name.  Other events (counters, flows, and the asynchronous ones, which belong
 * to no stack) are counted as comments.
 *
 * Events that last may have stacks, too: where they began and where they ended.  Neither is known
 * to hold for the time between, so they stand in no profile, which a warning says.
 *
 * Times are microseconds, mostly with a fraction: they are taken as whole nanoseconds, so that
 * sums are exact.  An "X" with the length of a thread's clock alone (tdur) lasts as long as
 * that says.
 */
#include "core/reading/sink.h"

#include "core/base/bytes.h"
#include "core/browsers/trace_events.h"
#include "core/browsers/trace_samples.h"
#include "core/browsers/trace_v8.h"
#include "core/profile/names.h"
#include "core/reading/json_stream.h"

#include <math.h>

/* The JSON object that is being read. */
typedef struct Fields
{
	char		phase;
	bool		is_named;
	bool		is_total;		/* clang's sums of events that are in the trace as well */
	bool		has_start;
	bool		has_duration;
	bool		has_thread_duration;
	int64_t		start;
	int64_t		duration;
	int64_t		thread_duration;
	FgBuffer	name;
	FgBuffer	detail;			/* these two of its arguments */
	FgBuffer	called;
	FgBuffer	process;
	FgBuffer	thread;
	FgBuffer	id;
} Fields;

typedef struct Chrome
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;
	bool		is_list;		/* the document is one, or has one */
	bool		is_open;		/* and it is one without an end */
	Fields		fields;
	FgBuffer	key;
	FgTraceLanes lanes;
	FgTraceV8	v8;
	FgTraceSamples samples;
	FgTraceEvents events;
	bool		left_stacks;	/* some that last have stacks */
} Chrome;

/* --- the object that is being read -------------------------------------------------- */

static void
begin_event(Chrome *c)
{
	Fields	   *f = &c->fields;

	f->phase = '\0';
	f->is_named = f->is_total = f->has_start = f->has_duration = f->has_thread_duration = false;
	f->name.size = f->detail.size = f->called.size = f->process.size = f->thread.size = 0;
	f->id.size = 0;
	fg_trace_v8_clear(&c->v8);
	fg_trace_samples_clear(&c->samples);
}

static bool
set_text(FgBuffer *text, const FgJsonValue *value)
{
	text->size = 0;
	return (value->type != FG_JSON_STRING && value->type != FG_JSON_NUMBER) ||
		fg_buffer_append(text, value->text, value->length);
}

static bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/*
 * Microseconds such as "12.345" in nanoseconds: times of today have more digits than a double.
 * Hermes writes them as strings.
 */
static bool
parse_plain(const char *text, size_t length, int64_t *time)
{
	bool		negative = length > 0 && text[0] == '-';
	size_t		i = negative;
	int64_t		value = 0;
	size_t		digits = 0;
	size_t		decimals = 0;

	for (; i < length && is_digit(text[i]) && digits < 16; i++, digits++)
		value = value * 10 + (text[i] - '0');
	if (value > FG_MAX_TRACE_TIME / 1000)
		return false;
	if (i < length && text[i] == '.')
	{
		for (i++; i < length && is_digit(text[i]) && decimals < 3; i++, decimals++)
			value = value * 10 + (text[i] - '0');
	}
	for (; decimals < 3; decimals++)
		value *= 10;
	if (i < length && is_digit(text[i]) && digits < 16)
	{
		value += text[i] >= '5';
		while (i < length && is_digit(text[i]))
			i++;
	}
	*time = negative ? -value : value;
	return i == length && digits > 0;
}

static bool
take_time(Chrome *c, const FgJsonValue *value, int64_t *time)
{
	double		number;

	if (parse_plain(value->text, value->length, time) && *time <= FG_MAX_TRACE_TIME &&
		*time >= -FG_MAX_TRACE_TIME)
		return true;
	if (!fg_json_number(c->json, value, &number))
		return false;
	number = round(number * 1000);
	if (!(fabs(number) <= (double) FG_MAX_TRACE_TIME))
		return fg_json_fail(c->json, FG_ERROR_RANGE, NULL, "a time is too large");
	*time = (int64_t) number;
	return true;
}

/* --- events ---------------------------------------------------------------------------- */

/* The number of the thread. */
static bool
find_lane(Chrome *c, uint32_t *lane)
{
	return fg_trace_lane(&c->lanes, &c->fields.process, &c->fields.thread, lane);
}

static bool
add_name(Chrome *c, FgBuffer *text, uint32_t *name)
{
	return fg_buffer_room(text, 1) && fg_names_add(&c->events.names, (char *) text->data, text->size, name);
}

/* What clang and others say of an event, "Source /usr/include/vector", is part of its frame. */
static bool
find_frame(Chrome *c, uint32_t *frame)
{
	Fields	   *f = &c->fields;

	if (f->detail.size == 0)
		return add_name(c, &f->name, frame);
	c->key.size = 0;
	return fg_buffer_append(&c->key, f->name.data, f->name.size) &&
		(f->name.size == 0 || fg_buffer_append(&c->key, " ", 1)) &&
		fg_buffer_append(&c->key, f->detail.data, f->detail.size) && add_name(c, &c->key, frame);
}

/* The name alone: the end of an event is called as its begin, but has no details. */
static bool
find_name(Chrome *c, uint32_t *name)
{
	return !c->fields.is_named || add_name(c, &c->fields.name, name);
}

static bool
add_event(Chrome *c)
{
	Fields	   *f = &c->fields;
	FgTraceEvent event = {.start = f->start, .name = FG_NONE};

	if (!f->has_duration && f->has_thread_duration)
		f->duration = f->thread_duration;
	f->has_duration |= f->has_thread_duration;

	if (!f->has_start)
		return fg_json_fail(c->json, FG_ERROR_SYNTAX, "Events of the phases B, E and X have a time (ts).",
							"an event of phase %c has no time", f->phase);
	if (f->has_duration && f->duration < 0)
		return fg_json_fail(c->json, FG_ERROR_SYNTAX, NULL, "the duration of an event is below 0");
	if (c->events.count >= FG_MAX_TRACE_EVENTS)
		return fg_json_fail(c->json, FG_ERROR_LIMIT, NULL, "there are more than %u events that last",
							FG_MAX_TRACE_EVENTS);
	if (f->phase == 'X')
		event.stop = f->has_duration ? f->start + f->duration : FG_TRACE_NEVER_ENDS;
	else
		event.stop = f->phase == 'B' ? FG_TRACE_BEGINS : FG_TRACE_ENDS;
	return (f->phase == 'E' || find_frame(c, &event.frame)) &&
		(f->phase == 'X' || find_name(c, &event.name)) && find_lane(c, &event.lane) &&
		fg_trace_events_keep(&c->events, &event);
}

static bool
is_text(const FgBuffer *text, const char *word)
{
	return text->size == strlen(word) && memcmp(text->data, word, text->size) == 0;
}

static bool
name_lane(Chrome *c)
{
	const Fields *f = &c->fields;
	uint32_t	lane;

	return find_lane(c, &lane) && fg_trace_lane_name(&c->lanes, lane, &f->called);
}

/* Events about a profile of V8: it is known by its process and id. */
static bool
take_profile(Chrome *c, bool begins)
{
	Fields	   *f = &c->fields;
	uint32_t	lane;

	return find_lane(c, &lane) &&
		fg_trace_v8_event(&c->v8, c->json, &f->process, f->id.size > 0 ? &f->id : &f->thread, lane,
						  f->has_start ? f->start : 0, begins);
}

/* Instants, of old and new traces, and the sample events of old ones. */
static bool
is_moment(char phase)
{
	return phase == 'i' || phase == 'I' || phase == 'R' || phase == 'P';
}

static bool
keep_moment(Chrome *c)
{
	const Fields *f = &c->fields;
	uint32_t	lane;

	if (!f->has_start)
		return fg_json_fail(c->json, FG_ERROR_SYNTAX, NULL, "an event of phase %c has no time", f->phase);
	return find_lane(c, &lane) &&
		fg_trace_samples_keep(&c->samples, c->json, &f->name, lane, (double) f->start / 1000);
}

static bool
end_event(Chrome *c)
{
	const Fields *f = &c->fields;

	if (fg_trace_samples_has_stack(&c->samples))
	{
		if (is_moment(f->phase))
			return keep_moment(c);
		c->left_stacks = true;
	}
	if ((f->phase == 'X' && !f->is_total) || f->phase == 'B' || f->phase == 'E')
		return add_event(c);
	if (is_text(&f->name, "ProfileChunk"))
		return take_profile(c, false);
	if (is_text(&f->name, "Profile") || is_text(&f->name, "CpuProfile"))
		return take_profile(c, true);
	fg_sink_noted(c->sink)->comments++;
	if (f->phase == 'M' && is_text(&f->name, "thread_name"))
		return name_lane(c);
	return true;
}

/* --- reading ------------------------------------------------------------------------------ */

enum
{
	EVENT = 1, EVENTS,
	PHASE, NAME, START, DURATION, THREAD_DURATION, PROCESS, THREAD, ID, SCOPED_ID, ARGUMENTS,
	DETAIL, CALLED, AVERAGE
};

#define TEXT_OR_NUMBER (FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL)

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, NULL, EVENT, FG_JSON_OBJECT},
	{FG_JSON_ROOT, "traceEvents", EVENTS, FG_JSON_ARRAY},
	FG_TRACE_SAMPLES_ROOT,
	{EVENTS, NULL, EVENT, FG_JSON_OBJECT},
	{EVENT, "ph", PHASE, FG_JSON_STRING},
	{EVENT, "name", NAME, TEXT_OR_NUMBER},
	{EVENT, "ts", START, TEXT_OR_NUMBER},
	{EVENT, "dur", DURATION, FG_JSON_NUMBER | FG_JSON_STRING},
	{EVENT, "tdur", THREAD_DURATION, FG_JSON_NUMBER | FG_JSON_STRING},
	{EVENT, "pid", PROCESS, TEXT_OR_NUMBER},
	{EVENT, "tid", THREAD, TEXT_OR_NUMBER},
	{EVENT, "id", ID, FG_JSON_ANY},
	{EVENT, "id2", SCOPED_ID, FG_JSON_ANY},
	{EVENT, "args", ARGUMENTS, FG_JSON_ANY},
	FG_TRACE_SAMPLES_OF(EVENT),
	{SCOPED_ID, "local", ID, FG_JSON_ANY},
	{SCOPED_ID, "global", ID, FG_JSON_ANY},
	{ARGUMENTS, "detail", DETAIL, FG_JSON_ANY},
	{ARGUMENTS, "name", CALLED, FG_JSON_ANY},
	{ARGUMENTS, "avg ms", AVERAGE, FG_JSON_ANY},
	{ARGUMENTS, "data", FG_TRACE_DATA, FG_JSON_ANY},
	FG_TRACE_V8_RULES,
	FG_TRACE_SAMPLES_RULES,
	{0, NULL, 0, 0}
};

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	Chrome	   *c = arg;
	Fields	   *f = &c->fields;

	switch (place)
	{
		case FG_JSON_ROOT:
			c->is_list |= value->type == FG_JSON_ARRAY;
			return true;
		case EVENTS:
			return fg_json_once(c->json, value, &c->is_list, "events");
		case EVENT:
			if (value->end)
				return fg_json_at(c->json, end_event(c));
			begin_event(c);
			return true;
		case PHASE:
			f->phase = value->length == 1 ? value->text[0] : '\0';
			return true;
		case NAME:
			/* an end that says no name may also say an empty one */
			f->is_named = value->length > 0;
			return set_text(&f->name, value);
		case START:
			f->has_start = value->type != FG_JSON_NULL;
			return !f->has_start || take_time(c, value, &f->start);
		case DURATION:
			f->has_duration = true;
			return take_time(c, value, &f->duration);
		case THREAD_DURATION:
			f->has_thread_duration = true;
			return take_time(c, value, &f->thread_duration);
		case PROCESS:
			return set_text(&f->process, value);
		case THREAD:
			return set_text(&f->thread, value);
		case ID:
			return set_text(&f->id, value);
		case DETAIL:
			return value->type != FG_JSON_STRING || set_text(&f->detail, value);
		case AVERAGE:
			f->is_total = true;
			return true;
		case CALLED:
			return value->type != FG_JSON_STRING || set_text(&f->called, value);
		default:
			return place < FG_TRACE_V8_END
				? fg_trace_v8_take(&c->v8, c->json, place, value)
				: fg_trace_samples_take(&c->samples, &c->lanes, c->json, place, value);
	}
}

/* --- the reader ------------------------------------------------------------------------------ */

static void
chrome_free(void *state)
{
	Chrome	   *c = state;

	if (c == NULL)
		return;
	fg_json_close(c->json);
	fg_trace_lanes_free(&c->lanes);
	fg_trace_events_free(&c->events);
	fg_trace_v8_free(&c->v8);
	fg_trace_samples_free(&c->samples);
	fg_release(c->ctx, c->fields.name.data);
	fg_release(c->ctx, c->fields.detail.data);
	fg_release(c->ctx, c->fields.called.data);
	fg_release(c->ctx, c->fields.process.data);
	fg_release(c->ctx, c->fields.thread.data);
	fg_release(c->ctx, c->fields.id.data);
	fg_release(c->ctx, c->key.data);
	fg_release(c->ctx, c);
}

static void *
chrome_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Chrome	   *c = fg_alloc_zero(ctx, 1, sizeof(Chrome));

	if (c == NULL)
		return NULL;
	c->sink = sink;
	c->ctx = c->key.ctx = c->fields.id.ctx = ctx;
	c->fields.name.ctx = c->fields.detail.ctx = c->fields.called.ctx = ctx;
	c->fields.process.ctx = c->fields.thread.ctx = ctx;
	fg_sink_ticks(sink, 1e9);
	c->json = fg_json_open(ctx, "Chrome trace", rules, take_value, c);
	if (c->json != NULL && fg_trace_lanes_begin(ctx, &c->lanes) &&
		fg_trace_events_begin(sink, &c->lanes, &c->events) && fg_trace_v8_begin(sink, &c->v8) &&
		fg_trace_samples_begin(sink, &c->samples))
	{
		fg_json_allow_array(c->json);
		return c;
	}
	chrome_free(c);
	return NULL;
}

static bool
chrome_feed(void *state, const char *bytes, size_t size)
{
	return fg_json_feed(((Chrome *) state)->json, bytes, size);
}

static void
warn(const Chrome *c)
{
	const struct
	{
		bool		met;
		FgWarning	warning;
	}			kinds[] = {
		{c->is_open, {
			.text = "the list of events has no end, so the trace may be cut off",
			.hint = "The format allows that: what writes events as they come leaves it out."
		}},
		{c->v8.overlap && fg_sink_options(c->sink)->profile < 0, {
			.text = "two CPU profiles of one thread overlap, so that time counts twice",
			.hint = "Choose one by its number: profile 0, 1, …."
		}},
		{c->v8.without_begin, {
			.text = "the trace has the rest of a CPU profile that began before it, which is left out",
			.hint = "Begin the profile while the trace is being recorded."
		}},
		{c->v8.has_gaps, {
			.text = "a CPU profile lacks some of its parts; stacks that are not known whole are kept apart",
			.hint = "Record for a shorter time, or with a larger buffer."
		}},
		{c->events.unbalanced, {
			.text = "some events of the trace have no begin or no end, or overlap",
			.hint = "Without a begin they were left out, without an end they last until the last event of their thread, "
				"and what overlaps ends with what it began in."
		}},
		{c->left_stacks, {
			.text = "events of the trace that last have stacks (sf, stack), which are in no profile",
			.hint = "They say where an event began or ended, and not where its time went."
		}}
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
	{
		if (kinds[i].met)
			fg_sink_warn(c->sink, &kinds[i].warning);
	}
}

/* The time of the events; it is there as well where there is nothing at all. */
static bool
add_events(Chrome *c)
{
	static const FgKind kind = {"wall", "wall", "nanoseconds", 0};
	uint32_t	profile;

	if (c->events.count == 0 && c->v8.count + c->samples.count > 0)
		return true;
	return fg_sink_profile(c->sink, &kind, &profile) && fg_trace_events_add(&c->events, profile);
}

/* CPU profiles, in the same events and units as those of a .cpuprofile. */
static bool
add_profiles(Chrome *c, bool has_cpu, bool counts)
{
	static const FgKind time_kind = {"cpu", "cpu", "microseconds", 0};
	static const FgKind count_kind = {"cpu", "samples", "samples", 1};
	double		zero = (double) c->events.zero / 1000;
	uint32_t	profile = FG_UNWANTED;

	return (!has_cpu || fg_sink_profile(c->sink, counts ? &count_kind : &time_kind, &profile)) &&
		(c->v8.count == 0 || fg_trace_v8_add(&c->v8, &c->lanes, profile, counts, zero)) &&
		(c->samples.count == 0 ||
		 fg_trace_samples_add(&c->samples, &c->lanes, profile, counts, zero));
}

/* Where all times count from. */
static void
find_zero(Chrome *c)
{
	double		zero = fmin(fg_trace_v8_zero(&c->v8), fg_trace_samples_zero(&c->samples));

	if (fabs(zero) <= (double) FG_MAX_TRACE_TIME / 1000 &&
		(c->events.count == 0 || (int64_t) floor(zero * 1000) < c->events.zero))
		c->events.zero = (int64_t) floor(zero * 1000);
}

static bool
chrome_finish(void *state)
{
	Chrome	   *c = state;
	const char *selection = fg_sink_options(c->sink)->selection;
	bool		counts = selection != NULL && strcmp(selection, "samples") == 0;
	bool		has_cpu;

	if (!fg_json_finish_list(c->json, &c->is_open))
		return false;
	if (!c->is_list && !c->samples.has_list)
		return fg_fail_at(c->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "A trace is a list of events, or an object with traceEvents.",
						  "the Chrome trace has no events");
	if (!fg_trace_v8_finish(&c->v8))
		return false;
	find_zero(c);
	has_cpu = c->v8.count > 0 || c->samples.unnamed > 0;
	/* where there are named samples only, their name is the one that is meant */
	if (((has_cpu || c->events.count > 0 || c->samples.count == 0) &&
		 !fg_sink_default(c->sink, has_cpu ? "cpu" : "wall")) ||
		!add_events(c) || !add_profiles(c, has_cpu, counts))
		return false;
	warn(c);
	return true;
}

static bool
is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* A list of objects. */
static bool
is_list(const char *head, size_t size)
{
	size_t		at = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	bool		open = false;

	for (; at < size && (is_blank(head[at]) || (head[at] == '[' && !open)); at++)
		open |= head[at] == '[';
	return open && at < size && head[at] == '{';
}

static bool
chrome_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	if (fg_json_begins(head, size) && fg_json_holds(head, size, "\"traceEvents\""))
		return true;
	return is_list(head, size) && fg_json_holds(head, size, "\"ph\"") &&
		(fg_json_holds(head, size, "\"ts\"") || fg_json_holds(head, size, "\"pid\""));
}

const FgFormatReader fg_chrome_reader = {
	.format = FG_FORMAT_CHROME,
	.recognise = chrome_recognise,
	.begin = chrome_begin,
	.feed = chrome_feed,
	.finish = chrome_finish,
	.free = chrome_free
};
