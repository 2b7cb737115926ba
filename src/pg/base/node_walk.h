/*
 * node_walk.h
 *	  A walk over the nodes of a profile that lasts from call to call, for
 *	  set-returning functions with a row a node.
 *
 * Results with a path column are returned a value per call: a million paths in a
 * tuplestore would go to disk, in the select list they cost nothing but themselves.
 * The path of a node shares the memory of its parent's, so that a row costs one
 * copy.
 */
#ifndef FG_NODE_WALK_H
#define FG_NODE_WALK_H

#include "pg/base/rows.h"

#include "core/base/bytes.h"
#include "pg/base/values.h"

typedef struct FgNodeWalk
{
	FgContext	ctx;
	FgTree		tree;			/* its own: decoded, or copied */
	const FgTree *source;
	uint32_t	node;			/* the current one; 0 before the first */
	FgBuffer	path;			/* its stack */
	size_t	   *end;			/* where the frame at each depth ends in path */
	uint32_t   *at;				/* the node at each depth */
	double		total;			/* of the whole, as total(fg) has it */
	double	   *totals;			/* of each node */
	uint32_t   *open;			/* by frame: nodes of it on the path; NULL if not asked for */
} FgNodeWalk;

/* Starts before the first node; everything lives as long as the calls go on. */
extern FgNodeWalk *fg_node_walk_begin(FuncCallContext *call, Datum value);

/*
 * Makes "node", which has to be the next one, the current one: leaves its elder
 * sibling's subtree, enters it.  With the path, where rows have one, all nodes have
 * to be entered so; a path beyond 1 GB is error 54000.
 */
extern void fg_node_walk_enter(FgNodeWalk *walk, uint32_t node);
extern void fg_node_walk_enter_path(FgNodeWalk *walk, uint32_t node);

/* The path of the current node, or of its ancestor at this depth, as a stackpath. */
extern Datum fg_node_walk_stack(const FgNodeWalk *walk);
extern Datum fg_node_walk_ancestor(const FgNodeWalk *walk, uint32_t depth);

/*
 * The same for rows in another order: some nodes of a tree, by a value.  The caller
 * fills nodes[0 .. count), in preorder, and sorts them by values[node], the largest
 * first; equal ones stay in preorder, which is that of their stacks.
 */
typedef struct FgNodeList
{
	FgContext	ctx;
	FgTree		tree;
	uint32_t   *parents;		/* walk.h */
	uint32_t   *nodes;			/* room for all of them and the root */
	uint32_t	count;
} FgNodeList;

extern FgNodeList *fg_node_list_begin(FuncCallContext *call, Datum value);
extern void fg_node_list_sort(FgNodeList *list, const double *values);

/* The path of any node, as a stackpath; 54000 beyond 1 GB. */
extern Datum fg_node_list_stack(FgNodeList *list, uint32_t node);

#endif							/* FG_NODE_WALK_H */
