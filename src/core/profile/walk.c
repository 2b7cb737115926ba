/*
 * walk.c
 *	  Beginning and end of a walk over a tree (see walk.h).
 */
#include "core/profile/walk.h"

bool
fg_walk_begin(FgContext *ctx, const FgTree *tree, FgWalk *walk)
{
	*walk = (FgWalk) {.ctx = ctx, .tree = tree};
	walk->path = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	if (walk->path == NULL)
		return false;
	walk->path[0] = 0;
	walk->ok = true;
	return true;
}

bool
fg_walk_end(FgWalk *walk)
{
	fg_release(walk->ctx, walk->path);
	walk->path = NULL;
	return walk->ok;
}

bool
fg_tree_parents(FgContext *ctx, const FgTree *tree, uint32_t *parents)
{
	FgWalk		walk;

	if (!fg_walk_begin(ctx, tree, &walk))
		return false;
	parents[0] = 0;
	while (fg_walk_next(&walk))
		parents[walk.node] = fg_walk_parent(&walk);
	return fg_walk_end(&walk);
}
