/*
 * what_if.h
 *	  When the phases of a job would have run had something been different (Hegeman 2024,
 *	  6.2.2(3) asks for it): a replay of the job with other durations of its leaves.
 *
 * What makes a phase start is the latest of three: the start of its parent; the ends of
 * siblings of types that precede its own; for a sequential type, the ends of siblings of
 * the same type.  Siblings count that had ended when it started.  How long after the latest
 * of these it started is its lag; how long a phase goes on after the last of its children
 * is its tail.  The replay keeps lags and tails, and takes the maxima anew.  So without a
 * change it gives the times that were recorded, exactly, and it is monotone: no phase ends
 * later because a leaf became shorter.
 *
 * What the replay cannot know: that a phase started late because a slot was not free is
 * nowhere in the model, so that is a lag and stays.
 */
#ifndef FG_WHAT_IF_H
#define FG_WHAT_IF_H

#include "core/jobs/analysis.h"

/* Each type is FG_NONE where nothing of the kind changes. */
typedef struct FgWhatIf
{
	uint32_t	remove;			/* the time that this resource type limits leaves, out of these */
	uint32_t	scale;			/* leaves of this phase type, or below, take so many times as long */
	double		factor;			/* finite, at least 0: of what is left to them */
	uint32_t	balance;		/* phases of this type take the mean of their group; stands alone */
} FgWhatIf;

/*
 * times[p] becomes when phase p would have run, in microseconds after 2000; room for all
 * phases.  The start of the root stays, and so its duration is the makespan.
 *
 * Balance: phases form a group that are below the same parent of a phase of the nearest
 * concurrent type, their own included: threads of one compute step, or the compute steps of
 * all workers of a superstep.  What is within a phase of the type is scaled as a whole.
 * FG_ERROR_ARGUMENT where no type between it and the next sequential one is concurrent.
 * FG_ERROR_RANGE when a time would leave the range.  n log n in the number of phases, and
 * n times the number of types that precede one.
 */
extern bool fg_what_if(const FgAnalysis *analysis, const FgWhatIf *change, FgTimeRange *times);

#endif							/* FG_WHAT_IF_H */
