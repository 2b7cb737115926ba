/*
 * walk.h
 *	  A walk over a tree in preorder that knows the path to the current node.
 *
 * Workload: one pass over a million nodes, or a chain of sixty thousand; nothing
 * is recursive, and a step costs the depth that it leaves behind.
 *
 *		fg_walk_begin(ctx, tree, &walk) and then
 *		while (fg_walk_next(&walk)) ...
 *		return fg_walk_end(&walk);			false when work had to end
 *
 * Sets of nodes are counted without recursion by their members that have no
 * proper ancestor in the set (Lumnitz 2021, equation 3.4, corrected: the nearest
 * ancestor of the same method need not be a member).  Whoever remembers the
 * outermost member met last can ask fg_walk_below whether the walk is still
 * below it, and needs no notice when a subtree is left.
 */
#ifndef FG_WALK_H
#define FG_WALK_H

#include "core/profile/tree.h"

typedef struct FgWalk
{
	FgContext  *ctx;
	const FgTree *tree;
	uint32_t	node;			/* the current one; 0 before the first */
	uint32_t	depth;
	uint32_t	frame;
	uint32_t   *path;			/* by depth: the node there, the current one included */
	bool		ok;
} FgWalk;

extern bool fg_walk_begin(FgContext *ctx, const FgTree *tree, FgWalk *walk);
extern bool fg_walk_end(FgWalk *walk);

/* Enters the next node; false behind the last one or when work must end. */
static inline bool
fg_walk_next(FgWalk *walk)
{
	uint32_t	node = walk->node + 1;
	uint64_t	key;

	if (!walk->ok || node > walk->tree->nnodes)
		return false;
	if (!fg_check_every(walk->ctx, node))
		return walk->ok = false;
	key = walk->tree->key[node];
	walk->node = node;
	walk->depth = fg_key_depth(key);
	walk->frame = fg_key_frame(key);
	walk->path[walk->depth] = node;
	return true;
}

/* The parent of the current node; 0 is the root. */
static inline uint32_t
fg_walk_parent(const FgWalk *walk)
{
	return walk->path[walk->depth - 1];
}

/* Is "node", met before (or 0 for none), a proper ancestor of the current one? */
static inline bool
fg_walk_below(const FgWalk *walk, uint32_t node)
{
	uint32_t	depth = fg_key_depth(walk->tree->key[node]);

	return node != 0 && depth < walk->depth && walk->path[depth] == node;
}

/* parents[i] for i = 0 .. nnodes; the root is its own. */
extern bool fg_tree_parents(FgContext *ctx, const FgTree *tree, uint32_t *parents);

#endif							/* FG_WALK_H */
