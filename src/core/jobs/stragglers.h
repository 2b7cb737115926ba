/*
 * stragglers.h
 *	  Phases that take longer than those of their kind beside them (Hegeman 2024, 5.5.3.2,
 *	  Figure 5.15).
 */
#ifndef FG_STRAGGLERS_H
#define FG_STRAGGLERS_H

#include "core/jobs/job.h"

/* Times in seconds. */
typedef struct FgStraggler
{
	uint32_t	phase;
	uint32_t	parent;
	double		duration;
	double		median;			/* of all phases of its type below its parent */
	double		ratio;			/* duration / median; NaN when the median is 0 */
} FgStraggler;

typedef bool (*FgStragglerEmit) (void *arg, const FgStraggler *straggler);

/*
 * Phases of a type, or of all (FG_NONE), that take more than "threshold" (finite, not
 * negative; 0.1: 10 %) over the median of their group, by more than rounding.  Groups in
 * the order of their parents, then types; each group's by index.
 */
extern bool fg_stragglers(FgContext *ctx, const FgJob *job, uint32_t type, double threshold,
						  FgStragglerEmit emit, void *arg);

#endif							/* FG_STRAGGLERS_H */
