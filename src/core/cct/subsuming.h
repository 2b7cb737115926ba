/*
 * subsuming.h
 *	  Subsuming methods: entry points of repeated patterns of calls, to which the
 *	  costs of what they call are given (Maplesden et al. as described by Lumnitz
 *	  2021, section 6.3).
 *
 * The height H(m) of a method is the greatest height of a subtree of one of its
 * nodes.  A method p != m dominates m when each node of m has an ancestor of p;
 * its distance is the greatest number of calls from a node of m up to the nearest
 * of these, and dmd_min(m) the smallest distance of a dominating method, infinite
 * without one.  m is subsuming when H(m) > min_height and dmd_min(m) >
 * min_distance.  The own value of a node goes to the nearest subsuming method on
 * its way to the root, its own included, or to the virtual root.
 */
#ifndef FG_SUBSUMING_H
#define FG_SUBSUMING_H

#include "core/profile/tree.h"

#define FG_NOT_DOMINATED UINT32_MAX

typedef struct FgSubsuming
{
	uint32_t	height;
	uint32_t	distance;		/* FG_NOT_DOMINATED for infinite */
	bool		subsuming;
	double		cost;			/* induced, in the unit of the values */
} FgSubsuming;

/*
 * methods[f] for each frame of the dictionary; *unclaimed is what went to the
 * virtual root.  FG_ERROR_RANGE when a cost overflows.
 */
extern bool fg_subsuming(FgContext *ctx, const FgTree *tree, uint32_t min_height,
						 uint32_t min_distance, FgSubsuming *methods, double *unclaimed);

#endif							/* FG_SUBSUMING_H */
