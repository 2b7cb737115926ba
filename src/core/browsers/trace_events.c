/*
 * trace_events.c
 *	  The events of a trace that last, as stacks (see trace_events.h).
 */
#include "core/browsers/trace_events.h"

#include "core/base/order.h"

#include <string.h>

/* Clocks of whole microseconds say that neighbours overlap by as much. */
#define CLOCK_STEP 1000

bool
fg_trace_events_begin(FgSink *sink, FgTraceLanes *lanes, FgTraceEvents *t)
{
	FgContext  *ctx = fg_sink_context(sink);

	*t = (FgTraceEvents) {.ctx = ctx, .sink = sink, .lanes = lanes};
	return fg_names_begin(ctx, &t->names);
}

void
fg_trace_events_free(FgTraceEvents *t)
{
	if (t->ctx == NULL)
		return;
	fg_names_free(&t->names);
	fg_release(t->ctx, t->events);
	fg_release(t->ctx, t->order);
	fg_release(t->ctx, t->open);
	fg_release(t->ctx, t->open_names);
	fg_release(t->ctx, t->known);
	fg_release(t->ctx, t->is_known);
	fg_release(t->ctx, t->steps);
}

bool
fg_trace_events_keep(FgTraceEvents *t, const FgTraceEvent *event)
{
	if (!fg_reserve(t->ctx, (void **) &t->events, &t->capacity, (size_t) t->count + 1,
					sizeof(FgTraceEvent)))
		return false;
	if (t->count == 0 || event->start < t->zero)
		t->zero = event->start;
	t->has_halves |= event->stop == FG_TRACE_BEGINS || event->stop == FG_TRACE_NEVER_ENDS ||
		event->stop == FG_TRACE_ENDS;
	t->events[t->count++] = *event;
	return true;
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
	const FgTraceEvent *events = arg;
	const FgTraceEvent *x = &events[a];
	const FgTraceEvent *y = &events[b];

	return x->lane != y->lane ? (x->lane > y->lane) - (x->lane < y->lane)
		: compare_times(x->start, y->start);
}

/* The same, an event before what is in it. */
static int
compare_nesting(const void *arg, uint32_t a, uint32_t b)
{
	const FgTraceEvent *events = arg;
	int			order = compare_starts(arg, a, b);

	return order != 0 ? order : compare_times(events[b].stop, events[a].stop);
}

static bool
push(FgTraceEvents *t, uint32_t event)
{
	if (t->depth >= FG_MAX_DEPTH)
		return fg_fail(t->ctx, FG_ERROR_LIMIT, "a stack is deeper than %d", FG_MAX_DEPTH);
	if (!fg_reserve(t->ctx, (void **) &t->open, &t->open_capacity, (size_t) t->depth + 1,
					sizeof(uint32_t)))
		return false;
	t->open[t->depth++] = event;
	return true;
}

static bool
begin_open(FgTraceEvents *t, uint32_t event)
{
	uint32_t	name = t->events[event].name;

	if (name != FG_NONE)
		t->open_names[name]++;
	return push(t, event);
}

/* Everything that was begun behind the first "depth" ends. */
static void
end_open(FgTraceEvents *t, uint32_t depth, int64_t stop)
{
	while (t->depth > depth)
	{
		FgTraceEvent *event = &t->events[t->open[--t->depth]];

		event->stop = stop;
		if (event->name != FG_NONE)
			t->open_names[event->name]--;
	}
}

/* An "E": the events in it that have no end of their own end with it. */
static void
match_end(FgTraceEvents *t, const FgTraceEvent *end)
{
	uint32_t	depth = t->depth;

	if (depth == 0 || (end->name != FG_NONE && t->open_names[end->name] == 0))
	{
		t->unbalanced = true;
		return;
	}
	while (end->name != FG_NONE && t->events[t->open[depth - 1]].name != end->name)
		depth--;
	t->unbalanced |= depth != t->depth;
	end_open(t, depth - 1, end->start);
}

/* The last moment of the thread whose events begin at order[first]. */
static int64_t
last_moment(const FgTraceEvents *t, uint32_t first, uint32_t *end)
{
	uint32_t	lane = t->events[t->order[first]].lane;
	int64_t		last = INT64_MIN;
	uint32_t	i = first;

	for (; i < t->count && t->events[t->order[i]].lane == lane; i++)
	{
		const FgTraceEvent *event = &t->events[t->order[i]];
		int64_t		stop = event->stop == FG_TRACE_BEGINS || event->stop == FG_TRACE_NEVER_ENDS || event->stop == FG_TRACE_ENDS
			? event->start : event->stop;

		last = stop > last ? stop : last;
	}
	*end = i;
	return last;
}

/* Gives a stop to each "B" of a thread, and to each "X" that has none. */
static bool
end_lane(FgTraceEvents *t, uint32_t first, uint32_t end, int64_t last)
{
	t->depth = 0;
	for (uint32_t i = first; i < end; i++)
	{
		FgTraceEvent *event = &t->events[t->order[i]];

		if (!fg_check_every(t->ctx, i) || (event->stop == FG_TRACE_BEGINS && !begin_open(t, t->order[i])))
			return false;
		if (event->stop == FG_TRACE_ENDS)
			match_end(t, event);
		if (event->stop != FG_TRACE_NEVER_ENDS)
			continue;
		event->stop = last;
		t->unbalanced = true;
	}
	t->unbalanced |= t->depth > 0;
	end_open(t, 0, last);
	return true;
}

static bool
end_events(FgTraceEvents *t)
{
	uint32_t	end;

	if (!t->has_halves)
		return true;
	t->open_names = fg_alloc_zero(t->ctx, t->names.count, sizeof(uint32_t));
	if (t->open_names == NULL ||
		!fg_order_by(t->ctx, t->count, compare_starts, t->events, t->order))
		return false;
	for (uint32_t first = 0; first < t->count; first = end)
	{
		int64_t		last = last_moment(t, first, &end);

		if (!fg_steps(t->ctx, end - first) || !end_lane(t, first, end, last))
			return false;
	}
	return true;
}

/* --- stacks --------------------------------------------------------------------------------- */

/*
 * Collects the open events: for samples with times, and for stacks that are too deep to be
 * complete.
 */
static bool
add_collected(FgTraceEvents *t, uint32_t profile, int64_t from, int64_t until)
{
	const char *thread = (char *) t->lanes->text.data;
	size_t		length = t->lanes->text.size;

	fg_sink_clear(t->sink);
	if ((fg_sink_options(t->sink)->threads && !fg_sink_thread(t->sink, thread, length)) ||
		(fg_sink_is_timed(t->sink) && !fg_sink_lane(t->sink, thread, length)))
		return false;
	for (uint32_t i = 0; i < t->depth; i++)
	{
		uint32_t	frame = t->events[t->open[i]].frame;

		if (!fg_sink_frame(t->sink, t->names.bytes + t->names.offset[frame], t->names.length[frame]))
			return false;
	}
	fg_sink_time(t->sink, (double) (from - t->zero), (double) (until - t->zero));
	return fg_sink_add(t->sink, profile, FG_ROOT_FIRST, false, (double) (until - from)) &&
		fg_work(t->ctx, (size_t) t->depth * 16);
}

/* From the node of a stack to the one that has this frame, too. */
static bool
step(FgTraceEvents *t, uint32_t profile, const FgKnownFrame *known, const FgTraceStep *from, FgTraceStep *to)
{
	*to = *from;
	to->unknown_frames += known->unknown;
	to->control_characters += known->control_characters;
	return fg_sink_step(t->sink, profile, false, known, &to->node);
}

/* The node that the stacks of a thread begin at. */
static bool
begin_thread(FgTraceEvents *t, uint32_t profile)
{
	FgKnownFrame known;

	t->stepped = 0;
	t->root = (FgTraceStep) {0};
	if (!fg_sink_options(t->sink)->threads || fg_sink_is_timed(t->sink) || profile == FG_UNWANTED)
		return true;
	return fg_sink_know(t->sink, profile, false, (char *) t->lanes->text.data, t->lanes->text.size,
						&known) &&
		step(t, profile, &known, &(FgTraceStep) {0}, &t->root);
}

/*
 * The steps of the events that were opened since. A trace may have as many events open as it
 * begins, so what a moment costs must not be all of them.
 */
static bool
take_steps(FgTraceEvents *t, uint32_t profile)
{
	if (!fg_reserve(t->ctx, (void **) &t->steps, &t->step_capacity, t->depth, sizeof(FgTraceStep)))
		return false;
	for (; t->stepped < t->depth; t->stepped++)
	{
		uint32_t	frame = t->events[t->open[t->stepped]].frame;

		if (!t->is_known[frame] &&
			!fg_sink_know(t->sink, profile, false, t->names.bytes + t->names.offset[frame],
						  t->names.length[frame], &t->known[frame]))
			return false;
		t->is_known[frame] = true;
		if (!fg_steps(t->ctx, 1) ||
			!step(t, profile, &t->known[frame],
				  t->stepped > 0 ? &t->steps[t->stepped - 1] : &t->root, &t->steps[t->stepped]))
			return false;
	}
	return true;
}

static bool
add_known(FgTraceEvents *t, uint32_t profile, double time)
{
	FgNoted    *noted = fg_sink_noted(t->sink);
	FgStackPlace place = {.number = profile};
	const FgTraceStep *last;

	if (profile == FG_UNWANTED)
	{
		noted->other_events++;
		return true;
	}
	if (!take_steps(t, profile))
		return false;
	last = &t->steps[t->depth - 1];
	place.node = last->node;
	noted->unknown_frames += last->unknown_frames;
	noted->control_characters += last->control_characters;
	return fg_sink_add_at(t->sink, &place, time);
}

/* The time up to a moment belongs to the events that are open. */
static bool
add_span(FgTraceEvents *t, uint32_t profile, int64_t until)
{
	int64_t		from = t->clock;

	if (until <= from)
		return true;
	t->clock = until;
	if (t->depth == 0)
		return true;
	if (fg_sink_is_timed(t->sink) || fg_sink_is_deep(t->sink, t->depth))
		return add_collected(t, profile, from, until);
	return add_known(t, profile, (double) (until - from));
}

/* Ends the open events that end up to this moment. */
static bool
leave(FgTraceEvents *t, uint32_t profile, int64_t until)
{
	while (t->depth > 0 && t->events[t->open[t->depth - 1]].stop <= until)
	{
		if (!add_span(t, profile, t->events[t->open[t->depth - 1]].stop))
			return false;
		t->depth--;
		t->stepped = t->stepped < t->depth ? t->stepped : t->depth;
	}
	return true;
}

/* Two events of which neither holds the other. */
static void
cut_overlap(FgTraceEvents *t, FgTraceEvent *outer, FgTraceEvent *event)
{
	int64_t		overlap = outer->stop - event->start;
	int64_t		rest = event->stop - outer->stop;

	if (overlap <= CLOCK_STEP && overlap < rest)
	{
		outer->stop = event->start;
		return;
	}
	t->unbalanced |= rest > CLOCK_STEP;
	event->stop = outer->stop;
}

static bool
enter(FgTraceEvents *t, uint32_t profile, uint32_t number)
{
	FgTraceEvent *event = &t->events[number];

	if (!leave(t, profile, event->start))
		return false;
	while (t->depth > 0 && t->events[t->open[t->depth - 1]].stop < event->stop)
	{
		FgTraceEvent *outer = &t->events[t->open[t->depth - 1]];

		cut_overlap(t, outer, event);
		if (outer->stop == event->start && !leave(t, profile, event->start))
			return false;
	}
	return add_span(t, profile, event->start) && push(t, number);
}

static bool
add_stacks(FgTraceEvents *t, uint32_t profile)
{
	uint32_t	lane = FG_NONE;

	t->depth = 0;
	t->known = fg_alloc(t->ctx, t->names.count, sizeof(FgKnownFrame));
	t->is_known = fg_alloc_zero(t->ctx, t->names.count, sizeof(bool));
	if (t->known == NULL || t->is_known == NULL ||
		!fg_order_by(t->ctx, t->count, compare_nesting, t->events, t->order))
		return false;
	for (uint32_t i = 0; i < t->count; i++)
	{
		const FgTraceEvent *event = &t->events[t->order[i]];

		if (!fg_check_every(t->ctx, i))
			return false;
		if (event->stop == FG_TRACE_ENDS)
			continue;
		if (event->lane != lane)
		{
			if (!leave(t, profile, INT64_MAX) || !fg_trace_lane_text(t->lanes, event->lane) ||
				!begin_thread(t, profile))
				return false;
			lane = event->lane;
			t->clock = event->start;
		}
		if (!enter(t, profile, t->order[i]))
			return false;
	}
	return leave(t, profile, INT64_MAX);
}

bool
fg_trace_events_add(FgTraceEvents *t, uint32_t profile)
{
	t->order = fg_alloc(t->ctx, t->count, sizeof(uint32_t));
	return t->order != NULL && end_events(t) && add_stacks(t, profile);
}
