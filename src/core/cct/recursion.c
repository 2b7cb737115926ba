/*
 * recursion.c
 *	  Recursion edges (see recursion.h).
 */
#include "core/cct/recursion.h"

/*
 * deepest[f] is the deepest node of frame f on the current path, 0 for none.  A
 * step of the path remembers what it replaced, so that leaving its subtree
 * restores the path of its siblings.
 */
typedef struct Step
{
	uint32_t	frame;
	uint32_t	replaced;
} Step;

static bool
find_nearest(FgContext *ctx, const FgTree *tree, uint32_t *deepest, Step *path,
			 uint32_t *nearest, uint64_t *count)
{
	uint32_t	current = 0;

	*count = 0;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);

		if (!fg_check_every(ctx, i))
			return false;
		for (; current >= depth; current--)
			deepest[path[current].frame] = path[current].replaced;
		path[depth] = (Step) {frame, deepest[frame]};
		*count += deepest[frame] != 0;
		if (nearest != NULL)
			nearest[i] = deepest[frame];
		deepest[frame] = i;
		current = depth;
	}
	return true;
}

bool
fg_recursion_edges(FgContext *ctx, const FgTree *tree, uint32_t *nearest, uint64_t *count)
{
	uint32_t   *deepest = fg_alloc_zero(ctx, tree->frames.count, sizeof(uint32_t));
	Step	   *path = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(Step));
	bool		ok = deepest != NULL && path != NULL;

	if (nearest != NULL)
		nearest[0] = 0;
	ok = ok && find_nearest(ctx, tree, deepest, path, nearest, count);
	fg_release(ctx, deepest);
	fg_release(ctx, path);
	return ok;
}
