/*
 * tasks.h
 *	  Tasks: names for parts of a program, carried by frames and inherited by what
 *	  they call (Lumnitz 2021, section 3.3.3).
 *
 * The metrics of a task are those of the profile cut to start at the first frame
 * that carries it (equations 3.23 to 3.25): the frames above are not part of the
 * task, and a task within itself is not counted twice.  So a task needs no label in
 * any node, and a new one costs a pass over the profile.
 */
#ifndef FG_TASKS_H
#define FG_TASKS_H

#include "core/profile/subset.h"

/*
 * The tasks of each frame: task[first[f]] .. task[first[f + 1] - 1], numbers below
 * ntasks, each at most once per frame.
 */
typedef struct FgFrameTasks
{
	uint32_t	ntasks;
	uint32_t   *first;			/* nframes + 1 */
	uint32_t   *task;
} FgFrameTasks;

/* The stacks from their first flagged frame on; those without one are dropped. */
extern bool fg_task_view(FgContext *ctx, const FgTree *tree, const uint8_t *flags,
						 FgTree *result);

/*
 * The roots of each task, the nodes that carry it and are not below another one
 * that does: node[first[t]] .. node[first[t + 1] - 1], in preorder.
 */
typedef struct FgTaskRoots
{
	uint32_t   *first;			/* ntasks + 1 */
	uint32_t   *node;
} FgTaskRoots;

extern bool fg_task_roots(FgContext *ctx, const FgTree *tree, const FgFrameTasks *tasks,
						  FgTaskRoots *roots);
/* samples[t]: the sum of the inclusive values of its roots; FG_ERROR_RANGE. */
extern bool fg_task_samples(FgContext *ctx, const FgTree *tree, const FgTaskRoots *roots,
							uint32_t ntasks, double *samples);
extern void fg_task_roots_free(FgContext *ctx, FgTaskRoots *roots);

/*
 * Sums of subtrees: what all of them need is found once, so each costs its own
 * size.
 */
typedef struct FgSubtreeItem
{
	uint64_t	place;			/* frame, then node: the order among siblings */
	uint32_t	depth;			/* in the result */
} FgSubtreeItem;

typedef struct FgSubtrees
{
	FgContext  *ctx;
	const FgTree *tree;
	uint32_t   *end;			/* by node: behind the last node of its subtree */
	FgSubset	subset;
	FgSubtreeItem *items;
	size_t		capacity;
	size_t		count;
	uint64_t   *children;		/* of the nodes that are merged, and room to sort them */
	size_t		children_capacity;
	FgTree	   *result;
	uint32_t	nodes;			/* of the result */
	double		check;			/* not 0 when a value is out of range */
	bool		vanished;		/* values have cancelled, so a leaf may have none */
} FgSubtrees;

extern bool fg_subtrees_begin(FgContext *ctx, const FgTree *tree, FgSubtrees *subtrees);
extern void fg_subtrees_end(FgSubtrees *subtrees);

/*
 * The sum of the subtrees of these nodes, each starting at its node.  The nodes
 * ascend, and none is below another.  FG_ERROR_RANGE when a value overflows.
 */
extern bool fg_subtrees_sum(FgSubtrees *subtrees, const uint32_t *nodes, uint32_t count,
							FgTree *result);

#endif							/* FG_TASKS_H */
