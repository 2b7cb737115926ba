/*
 * recursion.h
 *	  Recursion edges: from a node to the nearest node of the same frame above it.
 *
 * A node has at most one such edge, "never past its first recurrence in each
 * branch" (Lundberg & Rettig 2024, section 4.1.1; Lumnitz 2021, listing 3.3).  One
 * pass, where following each path to the root takes O(nodes * depth).
 */
#ifndef FG_RECURSION_H
#define FG_RECURSION_H

#include "core/profile/tree.h"

/*
 * nearest[i] becomes the nearest proper ancestor of node i with the same frame, 0
 * for none; room for nnodes + 1.  NULL: only count.
 */
extern bool fg_recursion_edges(FgContext *ctx, const FgTree *tree, uint32_t *nearest,
							   uint64_t *count);

#endif							/* FG_RECURSION_H */
