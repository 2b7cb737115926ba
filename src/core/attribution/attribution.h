/*
 * attribution.h
 *	  Which phase used how much of a resource, and how much it could have used (Hegeman
 *	  2024, 4.4.2.6 and Algorithm 2).
 *
 * Greedy leaves share a sample in proportion to their caps, up to these; the sinks get
 * equal shares of the rest.  So what a leaf has in a segment is its cap, or 1, times a
 * number that the segment gives to all of its kind: totals are differences of prefix sums,
 * whatever the number of slices and of other leaves is.
 */
#ifndef FG_ATTRIBUTION_H
#define FG_ATTRIBUTION_H

#include "core/attribution/upsample.h"

/* What a segment gives: greedy leaves by unit of their cap, sinks each. */
typedef struct FgShares
{
	double		greedy_used;
	double		greedy_available;
	double		sink_used;
	double		sink_available;
} FgShares;

/*
 * Algorithm 2: of a sample (NaN counts as 0) of a resource with this capacity, whose
 * active greedy leaves have caps of this sum, and that many sinks are active.
 */
extern FgShares fg_shares_of(double sample, double capacity, double greedy, uint32_t sinks);

/* The part of a sample that no leaf gets. */
extern double fg_unattributed(double sample, double greedy, uint32_t sinks);

static inline double
fg_used_by(const FgUseKind *kind, const FgShares *shares)
{
	return kind->kind == FG_RULE_GREEDY ? kind->cap * shares->greedy_used : shares->sink_used;
}

static inline double
fg_available_to(const FgUseKind *kind, const FgShares *shares)
{
	return kind->kind == FG_RULE_GREEDY ? kind->cap * shares->greedy_available :
		shares->sink_available;
}

typedef struct FgConsumption
{
	double		used;			/* units times seconds */
	double		available;
} FgConsumption;

/*
 * By slot (FgUses.first_slot); released by the caller.  Of resources of one type, others have
 * zeros; FG_NONE: of all.
 */
extern bool fg_consumption_of_leaves(const FgAnalysis *analysis, uint32_t resource_type,
									 FgConsumption **by_slot);

/* One row of phase_consumption. */
typedef struct FgPhaseConsumption
{
	uint32_t	resource;
	FgConsumption consumption;
} FgPhaseConsumption;

/*
 * rows[first[p] .. first[p + 1]) are what phase p has of each consumable resource that a
 * leaf below it uses, by index of the resource: leaves their own, composites the sum.
 */
typedef struct FgConsumptions
{
	FgPhaseConsumption *rows;
	size_t	   *first;
} FgConsumptions;

extern bool fg_consumptions_make(const FgAnalysis *analysis, FgConsumptions *result);
extern void fg_consumptions_free(FgContext *ctx, FgConsumptions *consumptions);

#endif							/* FG_ATTRIBUTION_H */
