/*
 * leaf_bottlenecks.h
 *	  When a leaf is limited by which resource (Hegeman 2024, equations 4.2 to 4.4).
 *
 * By a blocking resource while it waits on it.  By a consumable one, in measured times in
 * which it waits on none, when the resource is at its delta, or the leaf at the delta of
 * what it may have.  Comparisons allow for rounding: a part in 10^9 of what is compared.
 */
#ifndef FG_LEAF_BOTTLENECKS_H
#define FG_LEAF_BOTTLENECKS_H

#include "core/attribution/attribution.h"

#define FG_BOTTLENECK_TOLERANCE 1e-9

typedef enum FgBottleneckScope
{
	FG_SCOPE_PHASE,				/* the leaf uses all that it may have */
	FG_SCOPE_RESOURCE,			/* the resource is used up */
	FG_SCOPE_BLOCKING,
	FG_SCOPE_SATURATED			/* used up, half of it or more by one leaf; only with causes */
} FgBottleneckScope;

/* Neighbours of equal scope are one. */
typedef struct FgLimit
{
	FgTimeRange time;
	FgBottleneckScope scope;
} FgLimit;

/* Of consumable resources: limits[first[slot] ..], count[slot] of them (FgUses.first_slot). */
typedef struct FgLeafBottlenecks
{
	FgLimit    *limits;
	size_t		limit_count;
	size_t		limit_capacity;
	uint32_t   *first;
	uint32_t   *count;
} FgLeafBottlenecks;

extern bool fg_leaf_bottlenecks_make(const FgAnalysis *analysis, FgLeafBottlenecks *result);

/* The same, and tells FG_SCOPE_SATURATED from FG_SCOPE_RESOURCE. */
extern bool fg_leaf_bottlenecks_make_causes(const FgAnalysis *analysis,
											FgLeafBottlenecks *result);
extern void fg_leaf_bottlenecks_free(FgContext *ctx, FgLeafBottlenecks *bottlenecks);

/*
 * The two conditions for consumable resources in one segment: x is at least y times delta,
 * and not nothing.
 */
static inline bool
fg_at_limit(double used, double available, double delta, double capacity)
{
	return used > FG_BOTTLENECK_TOLERANCE * capacity &&
		used >= delta * available * (1 - FG_BOTTLENECK_TOLERANCE);
}

#endif							/* FG_LEAF_BOTTLENECKS_H */
