/*
 * tree_union.c
 *	  Two profiles on one tree (see tree_union.h).
 */
#include "core/merging/tree_union.h"

#include "core/profile/tree_pair.h"

#include <string.h>

/* The tree and its arrays, for as many nodes as the union has. */
static bool
allocate(FgContext *ctx, const FgTreePair *pair, FgTreeUnion *both)
{
	FgTreeWalk	walk = fg_tree_pair_walk(pair);
	size_t		nodes;

	while (fg_tree_pair_next(&walk))
		if (!fg_check_every(ctx, walk.node))
			return false;
	nodes = (size_t) walk.node + 1;
	if (!fg_tree_alloc(ctx, &both->tree, walk.node))
		return false;
	for (int side = 0; side < FG_SIDES; side++)
	{
		both->node[side] = fg_alloc(ctx, nodes, sizeof(uint32_t));
		both->self[side] = fg_alloc(ctx, nodes, sizeof(double));
		both->total[side] = fg_alloc(ctx, nodes, sizeof(double));
		if (both->node[side] == NULL || both->self[side] == NULL || both->total[side] == NULL)
			return false;
	}
	return true;
}

static bool
fill_nodes(FgContext *ctx, const FgTreePair *pair, FgTreeUnion *both)
{
	FgTreeWalk	walk = fg_tree_pair_walk(pair);

	while (fg_tree_pair_next(&walk))
	{
		uint32_t	i = walk.node;
		double		before = walk.a != FG_NONE ? pair->a->self[walk.a] : 0;
		double		after = walk.b != FG_NONE ? pair->b->self[walk.b] : 0;

		if (!fg_check_every(ctx, i))
			return false;
		both->tree.key[i] = walk.key;
		both->tree.self[i] = before > after ? before : after;
		both->node[FG_BEFORE][i] = walk.a;
		both->node[FG_AFTER][i] = walk.b;
		both->self[FG_BEFORE][i] = before;
		both->self[FG_AFTER][i] = after;
	}
	return true;
}

/* Sums of the whole tree, told to the nodes of the union. */
static bool
fill_totals(FgContext *ctx, const FgTree *tree, int side, FgTreeUnion *both)
{
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	bool		ok = totals != NULL && fg_tree_totals(ctx, tree, totals);

	for (uint32_t i = 0; ok && i <= both->tree.nnodes; i++)
	{
		uint32_t	node = both->node[side][i];

		both->total[side][i] = node != FG_NONE ? totals[node] : 0;
		ok = fg_check_every(ctx, i);
	}
	fg_release(ctx, totals);
	return ok;
}

bool
fg_tree_union(FgContext *ctx, const FgTree *before, const FgTree *after, FgTreeUnion *both)
{
	FgTreePair	pair;
	bool		ok;

	memset(both, 0, sizeof(*both));
	if (!fg_tree_pair_begin(ctx, before, after, &pair))
		return false;
	ok = allocate(ctx, &pair, both) && fill_nodes(ctx, &pair, both) &&
		fg_tree_pair_take_frames(ctx, &pair, &both->tree.frames) &&
		fill_totals(ctx, before, FG_BEFORE, both) && fill_totals(ctx, after, FG_AFTER, both);
	fg_tree_pair_end(ctx, &pair);
	if (!ok)
		fg_tree_union_free(ctx, both);
	return ok;
}

void
fg_tree_union_free(FgContext *ctx, FgTreeUnion *both)
{
	for (int side = 0; side < FG_SIDES; side++)
	{
		fg_release(ctx, both->node[side]);
		fg_release(ctx, both->self[side]);
		fg_release(ctx, both->total[side]);
	}
	fg_tree_free(ctx, &both->tree);
	memset(both, 0, sizeof(*both));
}
