/*
 * tree_sum.h
 *	  A sum of profiles that grows in place.
 *
 * Workload: hundreds of recordings of one program.  The sum has three times the nodes of a
 * recording, and nearly all nodes of the next recording are among them.  A merge writes a new
 * tree of all nodes; here the values are added where they are, and subtrees that the recording
 * lacks are passed in one step.  What the sum lacks comes back as a tree of its own, for its
 * owner to gather and to merge when it is worth it.
 *
 * Invariants:
 *	- the shape and the dictionary of the sum never change; leaves may have the value 0 when
 *	  values cancel, and values may be infinite or NaN when they overflow: fg_tree_sum_take
 *	  looks at that
 *	- sum before + tree = sum after + rest, stack by stack
 */
#ifndef FG_TREE_SUM_H
#define FG_TREE_SUM_H

#include "core/profile/tree.h"

typedef struct FgTreeSum
{
	FgTree		tree;
	uint32_t   *end;			/* by node: the first one behind its subtree */
} FgTreeSum;

/* Takes the tree over, also when it fails. */
extern bool fg_tree_sum_begin(FgContext *ctx, FgTree *tree, FgTreeSum *sum);

/*
 * Adds a tree.  "rest" becomes the tree of those of its stacks that the sum lacks, empty when it
 * has them all; its dictionary has the frames that it uses.
 */
extern bool fg_tree_sum_add(FgContext *ctx, FgTreeSum *sum, const FgTree *tree, FgTree *rest);

/*
 * Ends the sum and hands its tree out, canonical.  FG_ERROR_RANGE when a value is not finite;
 * the sum is then released.
 */
extern bool fg_tree_sum_take(FgContext *ctx, FgTreeSum *sum, FgTree *tree);
extern void fg_tree_sum_free(FgContext *ctx, FgTreeSum *sum);

#endif							/* FG_TREE_SUM_H */
