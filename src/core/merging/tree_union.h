/*
 * tree_union.h
 *	  Two profiles on one tree: every node of either with its values in both, for what
 *	  shows two side by side.
 *
 * Workload: one linear pass (tree_pair.h) and the totals of each tree by itself, so
 * these are the numbers that nodes() gives for the single profile.
 *
 * Unlike fg_max the tree keeps nodes whose values cancel: its shape is that of the two
 * sets of stacks, whatever their values are.
 */
#ifndef FG_TREE_UNION_H
#define FG_TREE_UNION_H

#include "core/profile/tree.h"

/* The place of each side in the arrays below. */
enum
{
	FG_BEFORE,
	FG_AFTER,
	FG_SIDES
};

/*
 * tree.self is the larger of the two values of a stack, absent = 0, so the widths of the
 * union add up; with negative values its leaves may be 0, and it is not canonical then.
 */
typedef struct FgTreeUnion
{
	FgTree		tree;
	uint32_t   *node[FG_SIDES];	/* by node of the union: its number there, or FG_NONE */
	double	   *self[FG_SIDES]; /* by node of the union; 0 where a side lacks it */
	double	   *total[FG_SIDES];	/* inclusive values */
} FgTreeUnion;

/*
 * FG_ERROR_RANGE when an inclusive value overflows, FG_ERROR_LIMIT for too many nodes.
 * Release it with fg_tree_union_free.
 */
extern bool fg_tree_union(FgContext *ctx, const FgTree *before, const FgTree *after,
						  FgTreeUnion *both);
extern void fg_tree_union_free(FgContext *ctx, FgTreeUnion *both);

#endif							/* FG_TREE_UNION_H */
