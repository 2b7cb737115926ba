/*
 * split.c
 *	  One profile as several (see split.h).
 */
#include "core/profile/split.h"

#include <string.h>

bool
fg_split_begin(FgContext *ctx, const FgTree *tree, const uint8_t *starts, FgSplit *split)
{
	memset(split, 0, sizeof(*split));
	split->ctx = ctx;
	split->tree = tree;
	split->starts = starts;
	split->next = 1;
	split->path = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	if (split->path != NULL && fg_subset_begin(ctx, &tree->frames, &split->subset))
		return true;
	fg_split_end(split);
	return false;
}

void
fg_split_end(FgSplit *split)
{
	fg_release(split->ctx, split->path);
	fg_subset_end(&split->subset);
	memset(split, 0, sizeof(*split));
}

/* Copies the ancestors, without values, and the subtree. */
static bool
copy_nodes(FgSplit *split, uint32_t node, uint32_t end, FgTree *part)
{
	const FgTree *tree = split->tree;
	uint32_t	depth = fg_key_depth(tree->key[node]);
	size_t		count = end - node;

	for (uint32_t d = 1; d < depth; d++)
	{
		part->key[d] = tree->key[split->path[d]];
		part->self[d] = 0;
	}
	return fg_copy(split->ctx, part->key + depth, tree->key + node, count * sizeof(uint64_t)) &&
		fg_copy(split->ctx, part->self + depth, tree->self + node, count * sizeof(double));
}

static bool
make_part(FgSplit *split, uint32_t node, uint32_t end, FgTree *part)
{
	uint32_t	depth = fg_key_depth(split->tree->key[node]);

	if (!fg_tree_alloc(split->ctx, part, depth - 1 + (end - node)))
		return false;
	if (copy_nodes(split, node, end, part) && fg_subset_take(&split->subset, part))
		return true;
	fg_tree_free(split->ctx, part);
	return false;
}

bool
fg_split_next(FgSplit *split, uint32_t *node, FgTree *part)
{
	const FgTree *tree = split->tree;
	uint32_t	start = split->next;
	uint32_t	depth = 0;

	for (; start <= tree->nnodes; start++)
	{
		if (!fg_check_every(split->ctx, start))
			return false;
		depth = fg_key_depth(tree->key[start]);
		split->path[depth] = start;
		if (split->starts[start])
			break;
	}
	*node = start <= tree->nnodes ? start : 0;
	split->next = start + 1;
	if (*node == 0)
		return true;
	while (split->next <= tree->nnodes && fg_key_depth(tree->key[split->next]) > depth)
		split->next++;
	return make_part(split, start, split->next, part);
}
