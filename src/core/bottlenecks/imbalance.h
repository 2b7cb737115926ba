/*
 * imbalance.h
 *	  What it costs that phases of one type take unequally long (Hegeman 2024, Algorithm 4).
 */
#ifndef FG_IMBALANCE_H
#define FG_IMBALANCE_H

#include "core/jobs/analysis.h"

/*
 * Of all phases of one type below a phase: how long they take together, and how long if those
 * that run at a time took equally long.  In seconds.
 */
typedef struct FgMakespan
{
	uint32_t	type;
	double		actual;
	double		optimal;
} FgMakespan;

typedef bool (*FgMakespanEmit) (void *arg, uint32_t phase, const FgMakespan *makespan);

/* All of a job, children before parents, the own type of a phase first. */
extern bool fg_imbalance(const FgAnalysis *analysis, FgMakespanEmit emit, void *arg);

/* Is the difference more than rounding? */
static inline bool
fg_is_imbalanced(const FgMakespan *makespan)
{
	return makespan->actual > makespan->optimal * (1 + 1e-9);
}

#endif							/* FG_IMBALANCE_H */
