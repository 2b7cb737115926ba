/*
 * trace_events.h
 *	  The events of a trace that last: "X" with a duration, and the pairs "B" and "E".
 *
 * Each thread has a stack of them, and a moment belongs to the stack that is open then, as
 * in speedscope's evented profiles.  Events may come in any order, so they are kept, 32 bytes
 * each, and sorted at the end: an outer event is often written when it ends, behind all that
 * is in it.  Then
 *
 *	- an "E" ends the innermost open "B" of its name, and what was begun in it; without a
 *	  name, the innermost one.  One that ends nothing is left out: the trace began in it;
 *	- what was never ended lasts until the last event of its thread;
 *	- an event that ends behind the one that holds it ends with it; one that begins a
 *	  step of a rounded clock before its neighbour ends begins behind it.
 *
 * None of these is an error, because tracing begins and ends in the midst of things and
 * clocks are rounded; but it is noted.
 */
#ifndef FG_TRACE_EVENTS_H
#define FG_TRACE_EVENTS_H

#include "core/browsers/trace_lanes.h"
#include "core/reading/sink.h"

/* With their order each takes 36 bytes. */
#define FG_MAX_TRACE_EVENTS (UINT32_C(1) << 25)

/* 3e18 nanoseconds are 95 years; the sum of three fits 64 bits. */
#define FG_MAX_TRACE_TIME INT64_C(3000000000000000000)

/* Instead of an event's stop. */
#define FG_TRACE_BEGINS INT64_MAX	/* an "E" has to follow */
#define FG_TRACE_NEVER_ENDS (INT64_MAX - 1) /* an "X" without a duration: tracing ended in it */
#define FG_TRACE_ENDS INT64_MIN		/* it is an "E" */

typedef struct FgTraceEvent
{
	int64_t		start;			/* nanoseconds */
	int64_t		stop;
	uint32_t	frame;			/* of the names */
	uint32_t	name;			/* of "B" and "E", by which they find each other; FG_NONE: it has none */
	uint32_t	lane;
} FgTraceEvent;

/*
 * What is known of the open events from the outermost up to one: its node in the profile, and
 * their notes.
 */
typedef struct FgTraceStep
{
	uint32_t	node;
	uint32_t	unknown_frames;
	uint64_t	control_characters;
} FgTraceStep;

typedef struct FgTraceEvents
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTraceLanes *lanes;		/* the caller's */
	bool		unbalanced;		/* see the first lines */
	bool		has_halves;		/* some begin, or end, or never end: stops are to be found */
	FgNames		names;			/* of frames, and of begins and ends */
	FgTraceEvent *events;
	uint32_t	count;
	size_t		capacity;
	uint32_t   *order;
	uint32_t   *open;			/* positions of events, the outermost first */
	uint32_t	depth;
	size_t		open_capacity;
	uint32_t   *open_names;		/* how many of each name are open */
	FgKnownFrame *known;		/* by frame */
	bool	   *is_known;
	FgTraceStep root;			/* of the thread */
	FgTraceStep *steps;			/* of the first "stepped" open events */
	uint32_t	stepped;
	size_t		step_capacity;
	int64_t		clock;			/* up to when the thread's time was given out */
	int64_t		zero;			/* the earliest start; samples have times since then */
} FgTraceEvents;

extern bool fg_trace_events_begin(FgSink *sink, FgTraceLanes *lanes, FgTraceEvents *events);
extern void fg_trace_events_free(FgTraceEvents *events);
extern bool fg_trace_events_keep(FgTraceEvents *events, const FgTraceEvent *event);

/* Adds the time of their stacks, once. */
extern bool fg_trace_events_add(FgTraceEvents *events, uint32_t profile);

#endif							/* FG_TRACE_EVENTS_H */
