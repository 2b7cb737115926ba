/*
 * jfr_chunk.h
 *	  What a chunk of a binary Flight Recorder file comes to: its events become samples when
 *	  it is whole.
 *
 * A chunk has a description of its types, events, and checkpoints with constants, in any
 * order: events come before the constants that they refer to, and from several buffers, so
 * that they are not in the order of their times.  Events of a type that becomes a profile are
 * added up by their stacks (and threads, where these matter); events of others are passed over
 * by their sizes.  What an event refers to is looked up when the chunk ends.  The first event
 * of all counts: the order of the profiles and the way to estimate allocations follow from it; first is
 * which ended first, as "jfr print" has them.
 *
 * Where somebody wants the samples one by one, all events are kept until the chunk ends, and
 * handed on in the order in which they ended.
 *
 * Memory, all of one chunk: for a constant of a wanted class its bytes and some 20 more; for
 * each stack of a type of events some 120; for an event that is kept 64.
 */
#ifndef FG_JFR_CHUNK_H
#define FG_JFR_CHUNK_H

#include "core/base/pairs.h"
#include "core/jfr/jfr_events.h"
#include "core/jfr/jfr_stacks.h"

/* How the times of a chunk are counted. */
typedef struct FgJfrClock
{
	int64_t		start;			/* nanoseconds since 1970 ... */
	int64_t		start_ticks;	/* ... when ticks were these */
	double		ticks;			/* per nanosecond */
} FgJfrClock;

/* Events of a type that have the same stack, and the same thread where that matters. */
typedef struct FgJfrGroup
{
	uint64_t	stack;
	uint64_t	thread;			/* 0 where it does not matter */
	uint32_t	plan;
	FgSum		sum;
} FgJfrGroup;

/* What is kept of an event. */
typedef struct FgJfrEvent
{
	int64_t		start;			/* ticks */
	int64_t		duration;		/* ticks, where the type has one */
	double		value;
	uint32_t	group;
} FgJfrEvent;

/* How a type of events is read. */
typedef struct FgJfrPlan
{
	const FgJfrType *type;
	uint32_t	class_at;
	uint32_t	program;
	const FgJfrField *field[FG_JFR_MARKS];
	bool		has_start;		/* as whole numbers */
	bool		has_duration;
	double		tick;			/* nanoseconds of a unit of its durations; 0: ticks, NaN: not known */
	double		value_tick;		/* the same of its values, where these are spans of time */
	bool		asked;			/* for its profile, in this chunk */
	uint32_t	profile;
	uint64_t	first_end;		/* when the first of its events ended, in an order of its own */
	uint64_t	first;			/* which one that was */
	FgWeights	weights;		/* of its events; none: the chunk has none */
} FgJfrPlan;

/* Types of the same name would have a plan each; nobody writes so many. */
#define FG_JFR_MAX_PLANS 64

/* Of a chunk: groups, and events that are kept. */
#define FG_JFR_MAX_EVENTS (UINT32_C(1) << 24)

typedef struct FgJfrChunk
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgJfrCounting counting;
	bool		threads;
	bool		timed;
	bool		by_thread;		/* groups are of one thread each */
	bool		has_zero;		/* of the times */
	int64_t		zero;			/* nanoseconds of the first event */
	FgJfrClock	clock;
	bool		described;
	FgJfrMetadata metadata;
	FgJfrStacks stacks;
	FgJfrPlan	plans[FG_JFR_MAX_PLANS];
	uint32_t	plan_count;
	uint64_t	count;			/* of events that became samples */
	FgPairs		keys;			/* of stacks and threads, as their halves */
	FgPairs		lanes;			/* of a thread and a plan */
	FgPairs		stands;			/* of a stack and a lane: the groups */
	FgJfrGroup *groups;
	size_t		group_room;
	uint32_t	group;			/* of the event before; FG_NONE: there was none */
	FgJfrEvent *events;			/* where they are kept */
	size_t		event_count;
	size_t		event_room;
} FgJfrChunk;

extern void fg_jfr_chunk_create(FgJfrChunk *chunk, FgSink *sink);
extern void fg_jfr_chunk_free(FgJfrChunk *chunk);

/* Begins the next one. */
extern bool fg_jfr_chunk_begin(FgJfrChunk *chunk, const FgJfrClock *clock);

/* The body of the description, before any other event. */
extern bool fg_jfr_chunk_describe(FgJfrChunk *chunk, FgJfrBytes *bytes);

/* The body of an event of this type, behind it. */
extern bool fg_jfr_chunk_event(FgJfrChunk *chunk, uint64_t type, FgJfrBytes *bytes);

/* The body of a checkpoint. */
extern bool fg_jfr_chunk_checkpoint(FgJfrChunk *chunk, FgJfrBytes *bytes);

/* Hands the samples to the sink. */
extern bool fg_jfr_chunk_finish(FgJfrChunk *chunk);

#endif							/* FG_JFR_CHUNK_H */
