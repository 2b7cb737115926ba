/*
 * split.h
 *	  One profile as several: the stacks at and below each of some calling contexts.
 *
 * Workload: a profile with a handful of threads, or one context with a hundred
 * thousand children; a part must cost its own size, not that of the whole.
 */
#ifndef FG_SPLIT_H
#define FG_SPLIT_H

#include "core/profile/subset.h"

typedef struct FgSplit
{
	FgContext  *ctx;
	const FgTree *tree;
	const uint8_t *starts;		/* by node: a part starts here, unless inside another */
	uint32_t	next;			/* the first node not looked at yet */
	uint32_t   *path;			/* by depth: the node on the way to the latest part */
	FgSubset	subset;
} FgSplit;

/* tree and starts (nnodes + 1 flags; the root's is ignored) must outlive it. */
extern bool fg_split_begin(FgContext *ctx, const FgTree *tree, const uint8_t *starts,
						   FgSplit *split);
extern void fg_split_end(FgSplit *split);

/*
 * The next part: complete stacks from the root.  *node is where it starts, 0 after
 * the last part; path[1] .. path[depth of *node] lead there.
 */
extern bool fg_split_next(FgSplit *split, uint32_t *node, FgTree *part);

#endif							/* FG_SPLIT_H */
