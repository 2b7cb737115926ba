/*
 * jfr_chunk.h
 *	  What a chunk of a binary Flight Recorder file comes to: its events become samples when
 *	  it is whole.
 *
 * A chunk has a description of its types, events, and checkpoints with constants, in any
 * order: events come before the constants that they refer to, and from several buffers, so
 * that they are not in the order of their times.  Of an event of a type that becomes a profile
 * some numbers are kept; events of others are passed over by their sizes.  When the chunk ends,
 * the events are put in the order of the times at which they ended, as "jfr print" has them.
 *
 * Memory: 48 bytes for an event that is kept; for a constant of a wanted class its bytes and
 * some 20 more; for each stack that was met 64; all of one chunk.
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

/* What is kept of an event. */
typedef struct FgJfrEvent
{
	int64_t		start;			/* ticks */
	int64_t		duration;		/* ticks, where the type has one */
	double		value;
	uint64_t	stack;
	uint64_t	thread;
	uint32_t	plan;
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
	bool		asked;			/* for its profile, in this chunk */
	uint32_t	profile;
} FgJfrPlan;

/* Types of the same name would have a plan each; nobody writes so many. */
#define FG_JFR_MAX_PLANS 64

/* Of a chunk. */
#define FG_JFR_MAX_EVENTS (UINT32_C(1) << 24)

typedef struct FgJfrChunk
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgJfrCounting counting;
	bool		threads;
	bool		timed;
	bool		has_zero;		/* of the times */
	int64_t		zero;			/* nanoseconds of the first event */
	FgJfrClock	clock;
	bool		described;
	FgJfrMetadata metadata;
	FgJfrStacks stacks;
	FgJfrPlan	plans[FG_JFR_MAX_PLANS];
	uint32_t	plan_count;
	FgJfrEvent *events;
	size_t		event_count;
	size_t		event_room;
	FgPairs		lanes;			/* of a thread and a profile */
	FgPairs		stands;			/* of a stack and a lane */
	FgStackPlace *places;		/* where those went */
	size_t		place_room;
	const FgJfrEvent *before;	/* the event that was added last; NULL: none was */
	uint32_t	stand;			/* its own */
} FgJfrChunk;

extern void fg_jfr_chunk_create(FgJfrChunk *chunk, FgSink *sink);
extern void fg_jfr_chunk_free(FgJfrChunk *chunk);

/* Begins the next one. */
extern void fg_jfr_chunk_begin(FgJfrChunk *chunk, const FgJfrClock *clock);

/* The body of the description, before any other event. */
extern bool fg_jfr_chunk_describe(FgJfrChunk *chunk, FgJfrBytes *bytes);

/* The body of an event of this type, behind it. */
extern bool fg_jfr_chunk_event(FgJfrChunk *chunk, uint64_t type, FgJfrBytes *bytes);

/* The body of a checkpoint. */
extern bool fg_jfr_chunk_checkpoint(FgJfrChunk *chunk, FgJfrBytes *bytes);

/* Hands the samples to the sink. */
extern bool fg_jfr_chunk_finish(FgJfrChunk *chunk);

#endif							/* FG_JFR_CHUNK_H */
