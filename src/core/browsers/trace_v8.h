/*
 * trace_v8.h
 *	  Profiles of V8 within a trace of Chrome: DevTools' Performance, node, React Native.
 *
 * An event "Profile" begins one, events "ProfileChunk" of the same process and id go on
 * with it: new nodes, the nodes of samples, and the times between these.  Chrome 65 and
 * earlier wrote it as a whole, in an event "CpuProfile".  Chunks come from another thread
 * than the profile, and may come in any order; that of their times is their order.
 *
 * A profile whose begin is not in the trace is left out: its nodes were written before.
 * One that lost a chunk is read; what is not known of its stacks is marked as cut off.
 */
#ifndef FG_TRACE_V8_H
#define FG_TRACE_V8_H

#include "core/browsers/trace_lanes.h"
#include "core/browsers/v8_profile.h"

/* Places of the values below args.data, and their rules. */
enum
{
	FG_TRACE_DATA = 100,
	FG_TRACE_CPU_PROFILE, FG_TRACE_START, FG_TRACE_END, FG_TRACE_NODES, FG_TRACE_SAMPLES,
	FG_TRACE_DELTAS, FG_TRACE_OWN_DELTAS, FG_TRACE_NODE, FG_TRACE_NODE_ID, FG_TRACE_PARENT, FG_TRACE_CHILDREN,
	FG_TRACE_CALL_FRAME, FG_TRACE_FUNCTION, FG_TRACE_URL, FG_TRACE_LINE, FG_TRACE_COLUMN,
	FG_TRACE_CHILD, FG_TRACE_SAMPLE, FG_TRACE_DELTA, FG_TRACE_OWN_DELTA,
	FG_TRACE_V8_END
};

#define FG_TRACE_V8_RULES \
	{FG_TRACE_DATA, "cpuProfile", FG_TRACE_CPU_PROFILE, FG_JSON_ANY}, \
	{FG_TRACE_DATA, "startTime", FG_TRACE_START, FG_JSON_ANY}, \
	{FG_TRACE_DATA, "endTime", FG_TRACE_END, FG_JSON_ANY}, \
	{FG_TRACE_DATA, "timeDeltas", FG_TRACE_DELTAS, FG_JSON_ARRAY | FG_JSON_NULL}, \
	{FG_TRACE_CPU_PROFILE, "nodes", FG_TRACE_NODES, FG_JSON_ARRAY | FG_JSON_NULL}, \
	{FG_TRACE_CPU_PROFILE, "samples", FG_TRACE_SAMPLES, FG_JSON_ARRAY | FG_JSON_NULL}, \
	{FG_TRACE_CPU_PROFILE, "timeDeltas", FG_TRACE_OWN_DELTAS, FG_JSON_ARRAY | FG_JSON_NULL}, \
	{FG_TRACE_CPU_PROFILE, "startTime", FG_TRACE_START, FG_JSON_ANY}, \
	{FG_TRACE_CPU_PROFILE, "endTime", FG_TRACE_END, FG_JSON_ANY}, \
	{FG_TRACE_NODES, NULL, FG_TRACE_NODE, FG_JSON_OBJECT}, \
	{FG_TRACE_NODE, "id", FG_TRACE_NODE_ID, FG_JSON_NUMBER}, \
	{FG_TRACE_NODE, "parent", FG_TRACE_PARENT, FG_JSON_NUMBER}, \
	{FG_TRACE_NODE, "children", FG_TRACE_CHILDREN, FG_JSON_ARRAY | FG_JSON_NULL}, \
	{FG_TRACE_NODE, "callFrame", FG_TRACE_CALL_FRAME, FG_JSON_OBJECT}, \
	{FG_TRACE_CHILDREN, NULL, FG_TRACE_CHILD, FG_JSON_NUMBER}, \
	{FG_TRACE_CALL_FRAME, "functionName", FG_TRACE_FUNCTION, FG_JSON_STRING}, \
	{FG_TRACE_CALL_FRAME, "url", FG_TRACE_URL, FG_JSON_STRING | FG_JSON_NULL}, \
	{FG_TRACE_CALL_FRAME, "lineNumber", FG_TRACE_LINE, FG_JSON_NUMBER}, \
	{FG_TRACE_CALL_FRAME, "columnNumber", FG_TRACE_COLUMN, FG_JSON_NUMBER}, \
	{FG_TRACE_SAMPLES, NULL, FG_TRACE_SAMPLE, FG_JSON_NUMBER}, \
	{FG_TRACE_DELTAS, NULL, FG_TRACE_DELTA, FG_JSON_NUMBER}, \
	{FG_TRACE_OWN_DELTAS, NULL, FG_TRACE_OWN_DELTA, FG_JSON_NUMBER}

typedef struct FgTraceChunk
{
	int64_t		time;
	size_t		first;			/* of its samples in the profile */
	size_t		count;
} FgTraceChunk;

typedef struct FgTraceProfile
{
	FgV8Profile v8;
	uint32_t	lane;			/* of the thread that it is about */
	bool		begun;
	FgTraceChunk *chunks;
	uint32_t	count;
	size_t		capacity;
} FgTraceProfile;

typedef struct FgTraceV8
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgV8Texts	texts;
	FgV8Profile part;			/* what the event that is being read has of one */
	bool		has_data;
	bool		has_start;
	bool		has_deltas;		/* beside the profile, which count where it has its own, too */
	FgNames		keys;			/* process, '/', id */
	FgBuffer	key;
	FgTraceProfile *profiles;
	uint32_t	count;
	size_t		capacity;
	bool		without_begin;	/* a profile was left out */
	bool		has_gaps;
	bool		overlap;		/* two profiles of a thread at one time */
} FgTraceV8;

extern bool fg_trace_v8_begin(FgSink *sink, FgTraceV8 *v8);
extern void fg_trace_v8_free(FgTraceV8 *v8);

/* An event begins; a value of it; it was one of a profile: "begins" one, or goes on. */
extern void fg_trace_v8_clear(FgTraceV8 *v8);
extern bool fg_trace_v8_take(FgTraceV8 *v8, FgJson *json, int place, const FgJsonValue *value);
extern bool fg_trace_v8_event(FgTraceV8 *v8, FgJson *json, const FgBuffer *process,
							  const FgBuffer *id, uint32_t lane, int64_t time, bool begins);

/* Puts chunks in order and drops profiles without a begin.  "count" is what is left. */
extern bool fg_trace_v8_finish(FgTraceV8 *v8);

/* The earliest time of a sample in microseconds; INFINITY: there is none. */
extern double fg_trace_v8_zero(const FgTraceV8 *v8);

/*
 * Adds the profiles, or the one of a number from 0: their times, or what they count.  Times
 * of samples count from "zero", in microseconds.
 */
extern bool fg_trace_v8_add(FgTraceV8 *v8, FgTraceLanes *lanes, uint32_t profile, bool counts,
							double zero);

#endif							/* FG_TRACE_V8_H */
