/*
 * outline.h
 *	  The tree as an outline to be read: the large branches, the largest first.
 *
 * A node is shown when sum |v| at and below it is at least a share of that of the
 * whole (the rule of fg_prune), and it is not too deep.  Where the children of a
 * node that are too small are together as large as that, a row says how many and
 * how much they are.
 */
#ifndef FG_OUTLINE_H
#define FG_OUTLINE_H

#include "core/merging/tree_union.h"

typedef struct FgOutlineRow
{
	uint32_t	node;			/* 0: the empty stack, or "hidden" nodes */
	uint32_t	hidden;			/* how many nodes this row stands for, 0 for one that is shown */
	uint32_t	depth;
	double		total;
	double		self;			/* of hidden nodes: 0 */
} FgOutlineRow;

/*
 * Parents before children; siblings by total, equal ones by frame, the empty stack in
 * front of all.  Free with fg_release.  FG_ERROR_RANGE when an inclusive value
 * overflows.
 */
extern bool fg_outline(FgContext *ctx, const FgTree *tree, double min_share, uint32_t max_depth,
					   FgOutlineRow **rows, uint32_t *count);

/*
 * The same of what changed from one profile to another: total and self are after - before,
 * and the largest change comes first, whatever its sign.  A node below which nothing
 * changed is no row, and is counted in none.  both->tree.self becomes after - before.
 */
extern bool fg_outline_changes(FgContext *ctx, FgTreeUnion *both, double min_share,
							   uint32_t max_depth, FgOutlineRow **rows, uint32_t *count);

#endif							/* FG_OUTLINE_H */
