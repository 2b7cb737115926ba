/*
 * causes.h
 *	  Why a phase is limited by a type of resources at a time: what would have to change.
 */
#ifndef FG_CAUSES_H
#define FG_CAUSES_H

#include "core/bottlenecks/bottlenecks.h"

typedef enum FgCause
{
	FG_CAUSE_UNKNOWN,			/* only a function of the user's says that it is limited */
	FG_CAUSE_ALLOCATION,		/* a leaf is at delta of what it may get, the resource is not */
	FG_CAUSE_CONTENDED,			/* the resource is at its delta, and no leaf uses half of it */
	FG_CAUSE_SATURATED,			/* the resource is at its delta, and one leaf uses half of it */
	FG_CAUSE_BLOCKING,			/* it waits */
	FG_CAUSES
} FgCause;

typedef bool (*FgCauseEmit) (void *arg, FgTimeRange time, FgCause cause);

/*
 * The times of a track in pieces of one cause each, in order; pieces that touch differ.  Of
 * bottlenecks with causes.
 */
extern bool fg_causes_visit(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
							size_t track, FgCauseEmit emit, void *arg);

#endif							/* FG_CAUSES_H */
