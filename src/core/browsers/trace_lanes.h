/*
 * trace_lanes.h
 *	  The threads of a trace: each is a process and a thread, and may have a name.
 */
#ifndef FG_TRACE_LANES_H
#define FG_TRACE_LANES_H

#include "core/base/bytes.h"
#include "core/profile/names.h"

/* The name of a thread in the texts of all; length 0: it has none. */
typedef struct FgLaneName
{
	size_t		start;
	size_t		length;
} FgLaneName;

typedef struct FgTraceLanes
{
	FgContext  *ctx;
	FgNames		ids;			/* process, '/', thread */
	FgLaneName *names;			/* by lane */
	size_t		count;
	size_t		capacity;
	uint32_t	last;			/* the lane that was found last */
	FgBuffer	texts;
	FgBuffer	text;
} FgTraceLanes;

extern bool fg_trace_lanes_begin(FgContext *ctx, FgTraceLanes *lanes);
extern void fg_trace_lanes_free(FgTraceLanes *lanes);

/* The number of the thread.  More than FG_MAX_LANES are an error. */
extern bool fg_trace_lane(FgTraceLanes *lanes, const FgBuffer *process, const FgBuffer *thread,
						  uint32_t *lane);
extern bool fg_trace_lane_name(FgTraceLanes *lanes, uint32_t lane, const FgBuffer *name);

/*
 * "CrRendererMain-12/34", or "12/34": process and thread tell two of a name apart.  In
 * lanes->text until the next call.
 */
extern bool fg_trace_lane_text(FgTraceLanes *lanes, uint32_t lane);

#endif							/* FG_TRACE_LANES_H */
