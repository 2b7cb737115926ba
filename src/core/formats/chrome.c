/*
 * chrome.c
 *	  Chrome's trace events as JSON: what chrome://tracing, DevTools, clang -ftime-trace,
 *	  viztracer and many others write; a list of events, or an object with traceEvents.
 *
 * Of interest are the events that last: "X" with a duration, and the pairs "B" and "E".
 * Each thread has a stack of them, and a moment belongs to the stack that is open then, as
 * in speedscope's evented profiles.  Other events (instants, counters, flows, and the
 * asynchronous ones, which belong to no stack) are counted as comments.
 *
 * Events may come in any order, so they are kept, 32 bytes each, and sorted at the end: an
 * outer event is often written when it ends, behind all that is in it.  Then
 *
 *	- an "E" ends the innermost open "B" of its name, and what was begun in it; without a
 *	  name, the innermost one.  One that ends nothing is left out: the trace began in it;
 *	- what was never ended lasts until the last event of its thread;
 *	- an event that ends behind the one that holds it ends with it; one that begins a
 *	  step of a rounded clock before its neighbour ends begins behind it.
 *
 * None of these is an error, because tracing begins and ends in the midst of things and
 * clocks are rounded; but the recording is noted to have them.  Times are microseconds,
 * mostly with a fraction: they are taken as whole nanoseconds, so that sums are exact.
 */
#include "core/reading/sink.h"

#include "core/base/bytes.h"
#include "core/base/number.h"
#include "core/base/order.h"
#include "core/profile/names.h"
#include "core/reading/json_stream.h"
#include "core/reading/timeline.h"

#include <math.h>
#include <stdio.h>

/* Events that last; with their order each takes 36 bytes. */
#define MAX_EVENTS (UINT32_C(1) << 25)

/* 3e18 nanoseconds are 95 years; the sum of three fits 64 bits. */
#define MAX_TIME INT64_C(3000000000000000000)

/* Instead of an event's stop. */
#define BEGINS INT64_MAX		/* an "E" has to follow */
#define NEVER_ENDS (INT64_MAX - 1)	/* an "X" without a duration: tracing ended in it */
#define ENDS INT64_MIN			/* it is an "E" */

/* Clocks of whole microseconds say that neighbours overlap by as much. */
#define CLOCK_STEP 1000

typedef struct Event
{
	int64_t		start;			/* nanoseconds */
	int64_t		stop;
	uint32_t	frame;
	uint32_t	name;			/* of "B" and "E", by which they find each other; FG_NONE: it has none */
	uint32_t	lane;
} Event;

/*
 * What is known of the open events from the outermost up to one: its node in the profile, and
 * their notes.
 */
typedef struct Step
{
	uint32_t	node;
	uint32_t	unknown_frames;
	uint64_t	control_characters;
} Step;

/* The name of a thread in the texts of all; length 0: it has none. */
typedef struct Name
{
	size_t		start;
	size_t		length;
} Name;

/* The JSON object that is being read. */
typedef struct Fields
{
	char		phase;
	bool		is_named;
	bool		is_total;		/* clang's sums of events that are in the trace as well */
	bool		has_start;
	bool		has_duration;
	int64_t		start;
	int64_t		duration;
	FgBuffer	name;
	FgBuffer	detail;			/* these two of its arguments */
	FgBuffer	called;
	FgBuffer	process;
	FgBuffer	thread;
} Fields;

typedef struct Chrome
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;
	bool		is_list;		/* the document is one, or has one */
	bool		unbalanced;		/* see the first lines */
	bool		has_samples;	/* of V8's profiler */
	Fields		fields;
	FgBuffer	key;
	FgNames		names;			/* of frames */
	FgNames		lanes;			/* process, '/', thread */
	Name	   *lane_names;		/* by lane */
	size_t		lane_count;
	size_t		lane_capacity;
	FgBuffer	lane_texts;
	Event	   *events;
	uint32_t	count;
	size_t		capacity;
	uint32_t   *order;
	uint32_t   *open;			/* positions of events, the outermost first */
	uint32_t	depth;
	size_t		open_capacity;
	uint32_t   *open_names;		/* how many of each name are open */
	FgKnownFrame *known;		/* by frame */
	bool	   *is_known;
	Step		root;			/* of the thread */
	Step	   *steps;			/* of the first "stepped" open events */
	uint32_t	stepped;
	size_t		step_capacity;
	int64_t		clock;			/* up to when the thread's time was given out */
	int64_t		zero;			/* the earliest start */
} Chrome;

/* --- the object that is being read -------------------------------------------------- */

static void
begin_event(Chrome *c)
{
	Fields	   *f = &c->fields;

	f->phase = '\0';
	f->is_named = f->is_total = f->has_start = f->has_duration = false;
	f->name.size = f->detail.size = f->called.size = f->process.size = f->thread.size = 0;
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

/* Microseconds such as "12.345" in nanoseconds: times of today have more digits than a double. */
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
	if (value > MAX_TIME / 1000)
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

	if (parse_plain(value->text, value->length, time) && *time <= MAX_TIME && *time >= -MAX_TIME)
		return true;
	if (!fg_json_number(c->json, value, &number))
		return false;
	number = round(number * 1000);
	if (!(fabs(number) <= (double) MAX_TIME))
		return fg_json_fail(c->json, FG_ERROR_RANGE, NULL, "a time is too large");
	*time = (int64_t) number;
	return true;
}

/* --- events ---------------------------------------------------------------------------- */

/* The number of the thread. */
static bool
find_lane(Chrome *c, uint32_t *lane)
{
	const Fields *f = &c->fields;

	c->key.size = 0;
	if (!fg_buffer_append(&c->key, f->process.data, f->process.size) ||
		!fg_buffer_append(&c->key, "/", 1) ||
		!fg_buffer_append(&c->key, f->thread.data, f->thread.size) ||
		!fg_names_add(&c->lanes, (char *) c->key.data, c->key.size, lane))
		return false;
	if (*lane < c->lane_count)
		return true;
	if (c->lane_count >= FG_MAX_LANES)
		return fg_json_fail(c->json, FG_ERROR_LIMIT, NULL, "there are more than %u threads",
							FG_MAX_LANES);
	if (!fg_reserve(c->ctx, (void **) &c->lane_names, &c->lane_capacity, c->lane_count + 1,
					sizeof(Name)))
		return false;
	c->lane_names[c->lane_count++] = (Name) {0, 0};
	return true;
}

/* What clang and others say of an event, "Source /usr/include/vector", is part of its frame. */
static bool
find_frame(Chrome *c, uint32_t *frame)
{
	const Fields *f = &c->fields;

	c->key.size = 0;
	return fg_buffer_append(&c->key, f->name.data, f->name.size) &&
		(f->detail.size == 0 ||
		 ((f->name.size == 0 || fg_buffer_append(&c->key, " ", 1)) &&
		  fg_buffer_append(&c->key, f->detail.data, f->detail.size))) &&
		fg_buffer_room(&c->key, 1) &&
		fg_names_add(&c->names, (char *) c->key.data, c->key.size, frame);
}

/* The name alone: the end of an event is called as its begin, but has no details. */
static bool
find_name(Chrome *c, uint32_t *name)
{
	const Fields *f = &c->fields;

	return !f->is_named || (fg_buffer_room(&c->fields.name, 1) &&
							fg_names_add(&c->names, (char *) f->name.data, f->name.size, name));
}

static bool
add_event(Chrome *c)
{
	const Fields *f = &c->fields;
	Event		event = {.start = f->start, .name = FG_NONE};

	if (!f->has_start)
		return fg_json_fail(c->json, FG_ERROR_SYNTAX, "Events of the phases B, E and X have a time (ts).",
							"an event of phase %c has no time", f->phase);
	if (f->has_duration && f->duration < 0)
		return fg_json_fail(c->json, FG_ERROR_SYNTAX, NULL, "the duration of an event is below 0");
	if (c->count >= MAX_EVENTS)
		return fg_json_fail(c->json, FG_ERROR_LIMIT, NULL, "there are more than %u events that last",
							MAX_EVENTS);
	if (f->phase == 'X')
		event.stop = f->has_duration ? f->start + f->duration : NEVER_ENDS;
	else
		event.stop = f->phase == 'B' ? BEGINS : ENDS;
	if ((f->phase != 'E' && !find_frame(c, &event.frame)) ||
		(f->phase != 'X' && !find_name(c, &event.name)) || !find_lane(c, &event.lane) ||
		!fg_reserve(c->ctx, (void **) &c->events, &c->capacity, (size_t) c->count + 1, sizeof(Event)))
		return false;
	if (c->count == 0 || event.start < c->zero)
		c->zero = event.start;
	c->events[c->count++] = event;
	return true;
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

	if (!find_lane(c, &lane))
		return false;
	c->lane_names[lane] = (Name) {c->lane_texts.size, f->called.size};
	return fg_buffer_append(&c->lane_texts, f->called.data, f->called.size);
}

static bool
end_event(Chrome *c)
{
	const Fields *f = &c->fields;

	if ((f->phase == 'X' && !f->is_total) || f->phase == 'B' || f->phase == 'E')
		return add_event(c);
	fg_sink_noted(c->sink)->comments++;
	c->has_samples |= is_text(&f->name, "ProfileChunk");
	if (f->phase == 'M' && is_text(&f->name, "thread_name"))
		return name_lane(c);
	return true;
}

/* --- reading ------------------------------------------------------------------------------ */

enum
{
	EVENT = 1, EVENTS,
	PHASE, NAME, START, DURATION, PROCESS, THREAD, ARGUMENTS,
	DETAIL, CALLED, AVERAGE
};

#define TEXT_OR_NUMBER (FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL)

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, NULL, EVENT, FG_JSON_OBJECT},
	{FG_JSON_ROOT, "traceEvents", EVENTS, FG_JSON_ARRAY},
	{EVENTS, NULL, EVENT, FG_JSON_OBJECT},
	{EVENT, "ph", PHASE, FG_JSON_STRING},
	{EVENT, "name", NAME, TEXT_OR_NUMBER},
	{EVENT, "ts", START, FG_JSON_NUMBER},
	{EVENT, "dur", DURATION, FG_JSON_NUMBER},
	{EVENT, "pid", PROCESS, TEXT_OR_NUMBER},
	{EVENT, "tid", THREAD, TEXT_OR_NUMBER},
	{EVENT, "args", ARGUMENTS, FG_JSON_ANY},
	{ARGUMENTS, "detail", DETAIL, FG_JSON_ANY},
	{ARGUMENTS, "name", CALLED, FG_JSON_ANY},
	{ARGUMENTS, "avg ms", AVERAGE, FG_JSON_ANY},
	{0, NULL, 0, 0}
};

/* A second list of events would be another trace. */
static bool
begin_list(Chrome *c, const FgJsonValue *value)
{
	if (value->end)
		return true;
	if (c->is_list)
		return fg_json_fail(c->json, FG_ERROR_SYNTAX, NULL, "there are two lists of events");
	c->is_list = true;
	return true;
}

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
			return begin_list(c, value);
		case EVENT:
			if (value->end)
				return fg_json_at(c->json, end_event(c));
			begin_event(c);
			return true;
		case PHASE:
			f->phase = value->length == 1 ? value->text[0] : '\0';
			return true;
		case NAME:
			f->is_named = value->type != FG_JSON_NULL;
			return set_text(&f->name, value);
		case START:
			f->has_start = true;
			return take_time(c, value, &f->start);
		case DURATION:
			f->has_duration = true;
			return take_time(c, value, &f->duration);
		case PROCESS:
			return set_text(&f->process, value);
		case THREAD:
			return set_text(&f->thread, value);
		case DETAIL:
			return value->type != FG_JSON_STRING || set_text(&f->detail, value);
		case AVERAGE:
			f->is_total = true;
			return true;
		case CALLED:
			return value->type != FG_JSON_STRING || set_text(&f->called, value);
		default:
			return true;
	}
}

/* --- begins and ends ---------------------------------------------------------------------- */

static int
compare_times(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By thread, then by time; equal ones as in the file. */
static int
compare_starts(const void *arg, uint32_t a, uint32_t b)
{
	const Event *events = arg;
	const Event *x = &events[a];
	const Event *y = &events[b];

	return x->lane != y->lane ? (x->lane > y->lane) - (x->lane < y->lane)
		: compare_times(x->start, y->start);
}

/* The same, an event before what is in it. */
static int
compare_nesting(const void *arg, uint32_t a, uint32_t b)
{
	const Event *events = arg;
	int			order = compare_starts(arg, a, b);

	return order != 0 ? order : compare_times(events[b].stop, events[a].stop);
}

static bool
push(Chrome *c, uint32_t event)
{
	if (c->depth >= FG_MAX_DEPTH)
		return fg_fail(c->ctx, FG_ERROR_LIMIT, "a stack is deeper than %d", FG_MAX_DEPTH);
	if (!fg_reserve(c->ctx, (void **) &c->open, &c->open_capacity, (size_t) c->depth + 1,
					sizeof(uint32_t)))
		return false;
	c->open[c->depth++] = event;
	return true;
}

static bool
begin_open(Chrome *c, uint32_t event)
{
	uint32_t	name = c->events[event].name;

	if (name != FG_NONE)
		c->open_names[name]++;
	return push(c, event);
}

/* Everything that was begun behind the first "depth" ends. */
static void
end_open(Chrome *c, uint32_t depth, int64_t stop)
{
	while (c->depth > depth)
	{
		Event	   *event = &c->events[c->open[--c->depth]];

		event->stop = stop;
		if (event->name != FG_NONE)
			c->open_names[event->name]--;
	}
}

/* An "E": the events in it that have no end of their own end with it. */
static void
match_end(Chrome *c, const Event *end)
{
	uint32_t	depth = c->depth;

	if (depth == 0 || (end->name != FG_NONE && c->open_names[end->name] == 0))
	{
		c->unbalanced = true;
		return;
	}
	while (end->name != FG_NONE && c->events[c->open[depth - 1]].name != end->name)
		depth--;
	c->unbalanced |= depth != c->depth;
	end_open(c, depth - 1, end->start);
}

/* The last moment of the thread whose events begin at order[first]. */
static int64_t
last_moment(const Chrome *c, uint32_t first, uint32_t *end)
{
	uint32_t	lane = c->events[c->order[first]].lane;
	int64_t		last = INT64_MIN;
	uint32_t	i = first;

	for (; i < c->count && c->events[c->order[i]].lane == lane; i++)
	{
		const Event *event = &c->events[c->order[i]];
		int64_t		stop = event->stop == BEGINS || event->stop == NEVER_ENDS || event->stop == ENDS
			? event->start : event->stop;

		last = stop > last ? stop : last;
	}
	*end = i;
	return last;
}

/* Gives a stop to each "B" of a thread, and to each "X" that has none. */
static bool
end_lane(Chrome *c, uint32_t first, uint32_t end, int64_t last)
{
	c->depth = 0;
	for (uint32_t i = first; i < end; i++)
	{
		Event	   *event = &c->events[c->order[i]];

		if (!fg_check_every(c->ctx, i) || (event->stop == BEGINS && !begin_open(c, c->order[i])))
			return false;
		if (event->stop == ENDS)
			match_end(c, event);
		if (event->stop != NEVER_ENDS)
			continue;
		event->stop = last;
		c->unbalanced = true;
	}
	c->unbalanced |= c->depth > 0;
	end_open(c, 0, last);
	return true;
}

static bool
end_events(Chrome *c)
{
	uint32_t	end;

	c->open_names = fg_alloc_zero(c->ctx, c->names.count, sizeof(uint32_t));
	if (c->open_names == NULL ||
		!fg_order_by(c->ctx, c->count, compare_starts, c->events, c->order))
		return false;
	for (uint32_t first = 0; first < c->count; first = end)
	{
		int64_t		last = last_moment(c, first, &end);

		if (!fg_steps(c->ctx, end - first) || !end_lane(c, first, end, last))
			return false;
	}
	return true;
}

/* --- stacks --------------------------------------------------------------------------------- */

/* "CrRendererMain-12/34", or "12/34": process and thread tell two of a name apart. */
static bool
name_thread(Chrome *c, uint32_t lane)
{
	const Name *name = &c->lane_names[lane];

	c->key.size = 0;
	return (name->length == 0 ||
			(fg_buffer_append(&c->key, c->lane_texts.data + name->start, name->length) &&
			 fg_buffer_append(&c->key, "-", 1))) &&
		fg_buffer_append(&c->key, c->lanes.bytes + c->lanes.offset[lane], c->lanes.length[lane]);
}

/*
 * Collects the open events: for samples with times, and for stacks that are too deep to be
 * complete.
 */
static bool
add_collected(Chrome *c, uint32_t profile, int64_t from, int64_t until)
{
	const char *thread = (char *) c->key.data;

	fg_sink_clear(c->sink);
	if ((fg_sink_options(c->sink)->threads && !fg_sink_thread(c->sink, thread, c->key.size)) ||
		(fg_sink_is_timed(c->sink) && !fg_sink_lane(c->sink, thread, c->key.size)))
		return false;
	for (uint32_t i = 0; i < c->depth; i++)
	{
		uint32_t	frame = c->events[c->open[i]].frame;

		if (!fg_sink_frame(c->sink, c->names.bytes + c->names.offset[frame], c->names.length[frame]))
			return false;
	}
	fg_sink_time(c->sink, (double) (from - c->zero), (double) (until - c->zero));
	return fg_sink_add(c->sink, profile, FG_ROOT_FIRST, false, (double) (until - from)) &&
		fg_work(c->ctx, (size_t) c->depth * 16);
}

/* From the node of a stack to the one that has this frame, too. */
static bool
step(Chrome *c, uint32_t profile, const FgKnownFrame *known, const Step *from, Step *to)
{
	*to = *from;
	to->unknown_frames += known->unknown;
	to->control_characters += known->control_characters;
	return fg_sink_step(c->sink, profile, false, known, &to->node);
}

/* The node that the stacks of a thread begin at. */
static bool
begin_thread(Chrome *c, uint32_t profile)
{
	FgKnownFrame known;

	c->stepped = 0;
	c->root = (Step) {0};
	if (!fg_sink_options(c->sink)->threads || fg_sink_is_timed(c->sink) || profile == FG_UNWANTED)
		return true;
	return fg_sink_know(c->sink, profile, false, (char *) c->key.data, c->key.size, &known) &&
		step(c, profile, &known, &(Step) {0}, &c->root);
}

/*
 * The steps of the events that were opened since. A trace may have as many events open as it
 * begins, so what a moment costs must not be all of them.
 */
static bool
take_steps(Chrome *c, uint32_t profile)
{
	if (!fg_reserve(c->ctx, (void **) &c->steps, &c->step_capacity, c->depth, sizeof(Step)))
		return false;
	for (; c->stepped < c->depth; c->stepped++)
	{
		uint32_t	frame = c->events[c->open[c->stepped]].frame;

		if (!c->is_known[frame] &&
			!fg_sink_know(c->sink, profile, false, c->names.bytes + c->names.offset[frame],
						  c->names.length[frame], &c->known[frame]))
			return false;
		c->is_known[frame] = true;
		if (!fg_steps(c->ctx, 1) ||
			!step(c, profile, &c->known[frame],
				  c->stepped > 0 ? &c->steps[c->stepped - 1] : &c->root, &c->steps[c->stepped]))
			return false;
	}
	return true;
}

static bool
add_known(Chrome *c, uint32_t profile, double time)
{
	FgNoted    *noted = fg_sink_noted(c->sink);
	FgStackPlace place = {.number = profile};
	const Step *last;

	if (profile == FG_UNWANTED)
	{
		noted->other_events++;
		return true;
	}
	if (!take_steps(c, profile))
		return false;
	last = &c->steps[c->depth - 1];
	place.node = last->node;
	noted->unknown_frames += last->unknown_frames;
	noted->control_characters += last->control_characters;
	return fg_sink_add_at(c->sink, &place, time);
}

/* The time up to a moment belongs to the events that are open. */
static bool
add_span(Chrome *c, uint32_t profile, int64_t until)
{
	int64_t		from = c->clock;

	if (until <= from)
		return true;
	c->clock = until;
	if (c->depth == 0)
		return true;
	if (fg_sink_is_timed(c->sink) || fg_sink_is_deep(c->sink, c->depth))
		return add_collected(c, profile, from, until);
	return add_known(c, profile, (double) (until - from));
}

/* Ends the open events that end up to this moment. */
static bool
leave(Chrome *c, uint32_t profile, int64_t until)
{
	while (c->depth > 0 && c->events[c->open[c->depth - 1]].stop <= until)
	{
		if (!add_span(c, profile, c->events[c->open[c->depth - 1]].stop))
			return false;
		c->depth--;
		c->stepped = c->stepped < c->depth ? c->stepped : c->depth;
	}
	return true;
}

/* Two events of which neither holds the other. */
static void
cut_overlap(Chrome *c, Event *outer, Event *event)
{
	int64_t		overlap = outer->stop - event->start;
	int64_t		rest = event->stop - outer->stop;

	if (overlap <= CLOCK_STEP && overlap < rest)
	{
		outer->stop = event->start;
		return;
	}
	c->unbalanced |= rest > CLOCK_STEP;
	event->stop = outer->stop;
}

static bool
enter(Chrome *c, uint32_t profile, uint32_t number)
{
	Event	   *event = &c->events[number];

	if (!leave(c, profile, event->start))
		return false;
	while (c->depth > 0 && c->events[c->open[c->depth - 1]].stop < event->stop)
	{
		Event	   *outer = &c->events[c->open[c->depth - 1]];

		cut_overlap(c, outer, event);
		if (outer->stop == event->start && !leave(c, profile, event->start))
			return false;
	}
	return add_span(c, profile, event->start) && push(c, number);
}

static bool
add_stacks(Chrome *c, uint32_t profile)
{
	uint32_t	lane = FG_NONE;

	c->depth = 0;
	c->known = fg_alloc(c->ctx, c->names.count, sizeof(FgKnownFrame));
	c->is_known = fg_alloc_zero(c->ctx, c->names.count, sizeof(bool));
	if (c->known == NULL || c->is_known == NULL ||
		!fg_order_by(c->ctx, c->count, compare_nesting, c->events, c->order))
		return false;
	for (uint32_t i = 0; i < c->count; i++)
	{
		const Event *event = &c->events[c->order[i]];

		if (!fg_check_every(c->ctx, i))
			return false;
		if (event->stop == ENDS)
			continue;
		if (event->lane != lane)
		{
			if (!leave(c, profile, INT64_MAX) || !name_thread(c, event->lane) ||
				!begin_thread(c, profile))
				return false;
			lane = event->lane;
			c->clock = event->start;
		}
		if (!enter(c, profile, c->order[i]))
			return false;
	}
	return leave(c, profile, INT64_MAX);
}

/* --- the reader ------------------------------------------------------------------------------ */

static void
chrome_free(void *state)
{
	Chrome	   *c = state;

	if (c == NULL)
		return;
	fg_json_close(c->json);
	fg_names_free(&c->names);
	fg_names_free(&c->lanes);
	fg_release(c->ctx, c->fields.name.data);
	fg_release(c->ctx, c->fields.detail.data);
	fg_release(c->ctx, c->fields.called.data);
	fg_release(c->ctx, c->fields.process.data);
	fg_release(c->ctx, c->fields.thread.data);
	fg_release(c->ctx, c->key.data);
	fg_release(c->ctx, c->lane_names);
	fg_release(c->ctx, c->lane_texts.data);
	fg_release(c->ctx, c->events);
	fg_release(c->ctx, c->order);
	fg_release(c->ctx, c->open);
	fg_release(c->ctx, c->open_names);
	fg_release(c->ctx, c->known);
	fg_release(c->ctx, c->is_known);
	fg_release(c->ctx, c->steps);
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
	c->ctx = c->key.ctx = c->lane_texts.ctx = ctx;
	c->fields.name.ctx = c->fields.detail.ctx = c->fields.called.ctx = ctx;
	c->fields.process.ctx = c->fields.thread.ctx = ctx;
	fg_sink_ticks(sink, 1e9);
	c->json = fg_json_open(ctx, "Chrome trace", rules, take_value, c);
	if (c->json != NULL && fg_names_begin(ctx, &c->names) && fg_names_begin(ctx, &c->lanes))
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
	FgNoted    *noted = fg_sink_noted(c->sink);

	if (c->has_samples)
	{
		noted->warning = "the trace has samples of V8's profiler, which are left out";
		noted->hint = "Save the profile itself: node --cpu-prof, or a .cpuprofile of DevTools.";
	}
	else if (c->unbalanced)
	{
		noted->warning = "some events of the trace have no begin or no end, or overlap";
		noted->hint = "Without a begin they were left out, without an end they last until the last event "
			"of their thread, and what overlaps ends with what it began in.";
	}
}

static bool
chrome_finish(void *state)
{
	static const FgKind kind = {"wall", "wall", "nanoseconds", 0};
	Chrome	   *c = state;
	uint32_t	profile;

	if (!fg_json_finish(c->json))
		return false;
	if (!c->is_list)
		return fg_fail_at(c->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "A trace is a list of events, or an object with traceEvents.",
						  "the Chrome trace has no events");
	c->order = fg_alloc(c->ctx, c->count, sizeof(uint32_t));
	if (c->order == NULL || !fg_sink_default(c->sink, kind.name) ||
		!fg_sink_profile(c->sink, &kind, &profile) || !end_events(c) || !add_stacks(c, profile))
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
	size_t		at = 0;
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
