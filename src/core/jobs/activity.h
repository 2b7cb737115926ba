/*
 * activity.h
 *	  When leaves wait and when they are active (Hegeman 2024, 4.4.2.2 and 4.4.2.3).
 *
 * A leaf waits on a blocking resource that it uses while that is blocked during its life;
 * it is active while it lives and waits on none.
 */
#ifndef FG_ACTIVITY_H
#define FG_ACTIVITY_H

#include "core/jobs/access.h"
#include "core/jobs/slices.h"

typedef struct FgActivity
{
	FgTimeRanges active;		/* of one phase after the other, each list normal */
	uint32_t   *first;			/* by phase, phase_count + 1; composites have none */
} FgActivity;

/* A normal list: when a leaf waits on the resource of one of its uses. */
extern bool fg_waiting_add(FgContext *ctx, const FgSlices *slices, uint32_t leaf,
						   uint32_t resource, FgTimeRanges *to);

extern bool fg_activity_make(FgContext *ctx, const FgJob *job, const FgSlices *slices,
							 const FgUses *uses, FgActivity *activity);
extern void fg_activity_free(FgContext *ctx, FgActivity *activity);

#endif							/* FG_ACTIVITY_H */
