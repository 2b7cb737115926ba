/*
 * outline.c
 *	  Outlines of trees (see outline.h).
 */
#include "core/cct/outline.h"

#include "core/base/order.h"
#include "core/profile/transform.h"
#include "core/profile/walk.h"

#include <math.h>
#include <string.h>

/* What a node has below it. */
typedef struct Below
{
	uint32_t	first_child;	/* of those shown; 0 for none */
	uint32_t	next_sibling;
	uint32_t	hidden;
	double		hidden_total;
	double		hidden_weight;
} Below;

typedef struct Outline
{
	FgContext  *ctx;
	const FgTree *tree;
	double		least;
	uint32_t	max_depth;
	bool		changes;		/* nodes without weight are left out; order by size */
	double	   *total;			/* by node */
	double	   *weight;			/* by node: sum |v| at and below it */
	Below	   *below;			/* by node */
	uint32_t   *shown;			/* the nodes shown, in preorder */
	uint32_t   *parent;			/* of these */
	uint32_t	nshown;
	FgOutlineRow *rows;
	size_t		capacity;
	uint32_t	count;
} Outline;

static bool
choose_nodes(Outline *o)
{
	FgWalk		walk;

	if (!fg_walk_begin(o->ctx, o->tree, &walk))
		return false;
	while (fg_walk_next(&walk))
	{
		uint32_t	parent = fg_walk_parent(&walk);
		Below	   *above = &o->below[parent];

		if (walk.depth > o->max_depth || (o->changes && o->weight[walk.node] == 0))
			continue;
		if (o->weight[walk.node] >= o->least)
		{
			o->shown[o->nshown] = walk.node;
			o->parent[o->nshown++] = parent;
			continue;
		}
		above->hidden++;
		above->hidden_total += o->total[walk.node];
		above->hidden_weight += o->weight[walk.node];
	}
	return fg_walk_end(&walk);
}

static double
rank_of(const Outline *o, uint32_t node)
{
	return o->changes ? fabs(o->total[node]) : o->total[node];
}

/* Links siblings: the smallest is put in front first. */
static bool
link_nodes(Outline *o)
{
	double	   *by_total = fg_alloc(o->ctx, o->nshown, sizeof(double));
	uint32_t   *order = fg_alloc(o->ctx, o->nshown, sizeof(uint32_t));
	bool		ok = by_total != NULL && order != NULL;

	for (uint32_t i = 0; ok && i < o->nshown; i++)
		by_total[i] = rank_of(o, o->shown[i]);
	ok = ok && fg_order_descending(o->ctx, by_total, o->nshown, order);
	for (uint32_t i = o->nshown; ok && i > 0; i--)
	{
		uint32_t	node = o->shown[order[i - 1]];
		Below	   *above = &o->below[o->parent[order[i - 1]]];

		o->below[node].next_sibling = above->first_child;
		above->first_child = node;
		ok = fg_check_every(o->ctx, i);
	}
	fg_release(o->ctx, by_total);
	fg_release(o->ctx, order);
	return ok;
}

static bool
add_row(Outline *o, FgOutlineRow row)
{
	if (!fg_check_every(o->ctx, o->count) ||
		!fg_reserve(o->ctx, (void **) &o->rows, &o->capacity, (size_t) o->count + 1,
					sizeof(FgOutlineRow)))
		return false;
	o->rows[o->count++] = row;
	return true;
}

static bool
add_hidden(Outline *o, uint32_t node, uint32_t depth)
{
	const Below *below = &o->below[node];

	if (below->hidden == 0 || below->hidden_weight < o->least)
		return true;
	return add_row(o, (FgOutlineRow) {0, below->hidden, depth, below->hidden_total, 0});
}

/* path[d]: the node shown at depth d; its siblings follow when it is left. */
static bool
list_rows(Outline *o, uint32_t *path)
{
	const FgTree *tree = o->tree;
	uint32_t	depth = 0;
	uint32_t	node = o->below[0].first_child;

	path[0] = 0;
	if (tree->self[0] != 0 && fabs(tree->self[0]) >= o->least &&
		!add_row(o, (FgOutlineRow) {0, 0, 1, tree->self[0], tree->self[0]}))
		return false;
	for (;;)
	{
		if (node != 0)
		{
			path[++depth] = node;
			if (!add_row(o, (FgOutlineRow) {node, 0, depth, o->total[node], tree->self[node]}))
				return false;
			node = o->below[node].first_child;
			continue;
		}
		if (!add_hidden(o, path[depth], depth + 1))
			return false;
		if (depth == 0)
			return true;
		node = o->below[path[depth--]].next_sibling;
	}
}

static bool
outline(Outline *o, double min_share)
{
	const FgTree *tree = o->tree;
	size_t		nodes = (size_t) tree->nnodes + 1;
	uint32_t   *path = fg_alloc(o->ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	bool		ok;

	o->total = fg_alloc(o->ctx, nodes, sizeof(double));
	o->weight = fg_alloc(o->ctx, nodes, sizeof(double));
	o->below = fg_alloc_zero(o->ctx, nodes, sizeof(Below));
	o->shown = fg_alloc(o->ctx, nodes, sizeof(uint32_t));
	o->parent = fg_alloc(o->ctx, nodes, sizeof(uint32_t));
	ok = path != NULL && o->total != NULL && o->weight != NULL && o->below != NULL &&
		o->shown != NULL && o->parent != NULL &&
		fg_tree_totals(o->ctx, tree, o->total) && fg_subtree_weights(o->ctx, tree, o->weight);
	if (ok)
		o->least = min_share * o->weight[0];
	ok = ok && choose_nodes(o) && link_nodes(o) && list_rows(o, path);
	fg_release(o->ctx, path);
	fg_release(o->ctx, o->total);
	fg_release(o->ctx, o->weight);
	fg_release(o->ctx, o->below);
	fg_release(o->ctx, o->shown);
	fg_release(o->ctx, o->parent);
	return ok;
}

static bool
take_rows(Outline *o, bool ok, FgOutlineRow **rows, uint32_t *count)
{
	*rows = o->rows;
	*count = o->count;
	if (ok)
		return true;
	fg_release(o->ctx, o->rows);
	*rows = NULL;
	return false;
}

bool
fg_outline(FgContext *ctx, const FgTree *tree, double min_share, uint32_t max_depth,
		   FgOutlineRow **rows, uint32_t *count)
{
	Outline		o = {.ctx = ctx, .tree = tree, .max_depth = max_depth};

	return take_rows(&o, outline(&o, min_share), rows, count);
}

bool
fg_outline_changes(FgContext *ctx, FgTreeUnion *both, double min_share, uint32_t max_depth,
				   FgOutlineRow **rows, uint32_t *count)
{
	Outline		o = {.ctx = ctx, .tree = &both->tree, .max_depth = max_depth, .changes = true};
	bool		ok = true;

	for (uint32_t i = 0; ok && i <= both->tree.nnodes; i++)
	{
		both->tree.self[i] = both->self[FG_AFTER][i] - both->self[FG_BEFORE][i];
		ok = fg_check_every(ctx, i);
	}
	return take_rows(&o, ok && outline(&o, min_share), rows, count);
}
