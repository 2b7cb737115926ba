/*
 * boxes.c
 *	  The boxes of a tree (see boxes.h).
 */
#include "core/svg/boxes.h"

#include "core/base/order.h"
#include "core/profile/walk.h"
#include "core/svg/xml.h"

#include <math.h>
#include <string.h>

/* A node whose children are being laid out; by row. */
typedef struct Level
{
	uint32_t	node;
	uint32_t	next;			/* the child to come, 0 for none */
	double		at;				/* where it begins */
	double		end;			/* of the parent's own box: rounding must not lead beyond */
	double		run_start;		/* of the thin siblings since the last wide one */
	double		run_end;
	double		run_total;
	uint64_t	run_nodes;
} Level;

typedef struct Layout
{
	FgContext  *ctx;
	const FgBoxesInput *input;
	FgBoxes    *result;
	uint32_t   *size;			/* by node: nodes of its subtree, itself included */
	uint32_t   *first_child;	/* by node; NULL when siblings are in the order of nodes */
	uint32_t   *next_sibling;
	Level	   *levels;
	bool		full;			/* more boxes than allowed */
} Layout;

/* --- order of siblings ------------------------------------------------------------- */

static bool
subtree_sizes(Layout *l)
{
	const FgTree *tree = l->input->tree;
	uint32_t   *parent = fg_alloc(l->ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	bool		ok = parent != NULL && fg_tree_parents(l->ctx, tree, parent);

	for (uint32_t i = 0; ok && i <= tree->nnodes; i++)
	{
		l->size[i] = 1;
		ok = fg_check_every(l->ctx, i);
	}
	for (uint32_t i = tree->nnodes; ok && i > 0; i--)
	{
		l->size[parent[i]] += l->size[i];
		ok = fg_check_every(l->ctx, i);
	}
	fg_release(l->ctx, parent);
	return ok;
}

/* Links siblings by falling total: the smallest is put in front first. */
static bool
link_by_value(Layout *l)
{
	const FgTree *tree = l->input->tree;
	size_t		nodes = (size_t) tree->nnodes + 1;
	uint32_t   *parent = fg_alloc(l->ctx, nodes, sizeof(uint32_t));
	uint32_t   *order = fg_alloc(l->ctx, nodes, sizeof(uint32_t));
	bool		ok;

	l->first_child = fg_alloc_zero(l->ctx, nodes, sizeof(uint32_t));
	l->next_sibling = fg_alloc_zero(l->ctx, nodes, sizeof(uint32_t));
	ok = parent != NULL && order != NULL && l->first_child != NULL && l->next_sibling != NULL &&
		fg_tree_parents(l->ctx, tree, parent) &&
		fg_order_descending(l->ctx, l->input->total, (uint32_t) nodes, order);
	for (size_t i = nodes; ok && i > 0; i--)
	{
		uint32_t	node = order[i - 1];

		ok = fg_check_every(l->ctx, i);
		if (node == 0)
			continue;
		l->next_sibling[node] = l->first_child[parent[node]];
		l->first_child[parent[node]] = node;
	}
	fg_release(l->ctx, parent);
	fg_release(l->ctx, order);
	return ok;
}

static uint32_t
first_child(const Layout *l, uint32_t node)
{
	if (l->size[node] == 1)
		return 0;
	return l->first_child != NULL ? l->first_child[node] : node + 1;
}

static uint32_t
next_sibling(const Layout *l, uint32_t node)
{
	const FgTree *tree = l->input->tree;
	uint32_t	next = node + l->size[node];

	if (l->first_child != NULL)
		return l->next_sibling[node];
	if (next > tree->nnodes || fg_key_depth(tree->key[next]) != fg_key_depth(tree->key[node]))
		return 0;
	return next;
}

/* --- boxes ------------------------------------------------------------------------- */

/* value / whole first: a factor of width / whole may not be finite. */
static double
pixels(const Layout *l, double value)
{
	return value / l->input->whole * l->input->width;
}

static bool
add_box(Layout *l, FgBox box, double start, double end)
{
	FgBoxes    *result = l->result;

	if (result->count >= l->input->max_boxes)
	{
		l->full = true;
		return true;
	}
	box.left = fg_hundredths(pixels(l, start));
	box.right = fg_hundredths(pixels(l, end));
	if (!fg_reserve(l->ctx, (void **) &result->boxes, &result->capacity,
					(size_t) result->count + 1, sizeof(FgBox)))
		return false;
	result->boxes[result->count++] = box;
	result->drawn += box.hidden == 0;
	if (box.row >= result->rows)
		result->rows = box.row + 1;
	return true;
}

/* "nodes" nodes from start to end, below the one of a level, are not drawn themselves. */
static bool
add_hidden(Layout *l, FgBox box, uint64_t nodes, double start, double end)
{
	FgLeftOut  *left_out = box.deeper ? &l->result->deeper : &l->result->thin;

	left_out->nodes += nodes;
	left_out->total += box.total;
	if (pixels(l, box.total) < l->result->min_width)
		return true;
	box.hidden = (uint32_t) nodes;
	return add_box(l, box, start, end);
}

static bool
end_run(Layout *l, Level *level, uint32_t row)
{
	uint64_t	nodes = level->run_nodes;

	if (nodes == 0)
		return true;
	level->run_nodes = 0;
	return add_hidden(l, (FgBox) {.node = level->node, .row = row, .total = level->run_total},
					  nodes, level->run_start, level->run_end);
}

static void
extend_run(Layout *l, Level *level, uint32_t node, double start, double end)
{
	if (level->run_nodes == 0)
	{
		level->run_start = start;
		level->run_total = 0;
	}
	level->run_nodes += l->size[node];
	level->run_total += l->input->total[node];
	level->run_end = end;
}

/* What is below the last row. */
static bool
add_deeper(Layout *l, uint32_t node, uint32_t row, double start, double end)
{
	double		total = 0;

	if (l->size[node] == 1)
		return true;
	for (uint32_t child = first_child(l, node); child != 0; child = next_sibling(l, child))
	{
		total += l->input->total[child];
		if (!fg_steps(l->ctx, 1))
			return false;
	}
	return add_hidden(l, (FgBox) {.node = node, .row = row, .deeper = true, .total = total},
					  l->size[node] - 1, start, fmin(start + total, end));
}

static void
open_level(Layout *l, uint32_t row, uint32_t node, double start, double end)
{
	l->levels[row] = (Level) {.node = node, .next = first_child(l, node), .at = start, .end = end};
}

/* The next child of a level; *opened is whether its own children come next. */
static bool
next_box(Layout *l, Level *level, uint32_t row, bool *opened)
{
	uint32_t	node = level->next;
	double		start = level->at;
	double		end = fmin(start + l->input->total[node], level->end);

	*opened = false;
	level->next = next_sibling(l, node);
	level->at = end;
	if (pixels(l, l->input->total[node]) < l->result->min_width)
	{
		extend_run(l, level, node, start, end);
		return true;
	}
	if (!end_run(l, level, row) ||
		!add_box(l, (FgBox) {.node = node, .row = row, .total = l->input->total[node]}, start, end))
		return false;
	if (row + 1 >= l->result->max_rows)
		return add_deeper(l, node, row + 1, start, end);
	open_level(l, row, node, start, end);
	*opened = l->levels[row].next != 0;
	return true;
}

/* levels[r] holds the node in row r whose children stand in row r + 1. */
static bool
lay_out(Layout *l)
{
	double		end = l->input->total[0];
	uint32_t	row = 0;

	if (!add_box(l, (FgBox) {.total = end}, 0, end))
		return false;
	if (l->result->max_rows <= 1)
		return add_deeper(l, 0, 1, 0, end);
	open_level(l, 0, 0, 0, end);
	for (;;)
	{
		Level	   *level = &l->levels[row];
		bool		opened;

		if (l->full || !fg_steps(l->ctx, 1))
			return l->full;
		if (level->next != 0)
		{
			if (!next_box(l, level, row + 1, &opened))
				return false;
			row += opened;
			continue;
		}
		if (!end_run(l, level, row + 1))
			return false;
		if (row == 0)
			return true;
		row--;
	}
}

/* Once with these limits; true in l->full when there are too many boxes. */
static bool
try_limits(Layout *l, double min_width, uint32_t max_rows)
{
	FgBoxes    *result = l->result;

	*result = (FgBoxes) {.boxes = result->boxes, .capacity = result->capacity};
	result->min_width = min_width;
	result->max_rows = max_rows;
	l->full = false;
	return lay_out(l);
}

/* Thinner than this no box can be seen, as its edges have two decimals. */
#define LEAST_WIDTH 0.01

/* Where no more than so many boxes are side by side, there are too many rows. */
#define MOST_ABREAST 32

static bool
fit(Layout *l)
{
	double		width = l->input->min_width;
	uint32_t	rows = l->input->max_rows;

	if (!try_limits(l, width, rows))
		return false;
	while (l->full)
	{
		if (rows > 1 && MOST_ABREAST * width > l->input->width)
			rows /= 2;
		else
			width = width < LEAST_WIDTH ? LEAST_WIDTH : 2 * width;
		if (!try_limits(l, width, rows))
			return false;
	}
	return true;
}

bool
fg_boxes(FgContext *ctx, const FgBoxesInput *input, FgBoxes *boxes)
{
	Layout		l = {.ctx = ctx, .input = input, .result = boxes};
	uint32_t	depth = fg_tree_depth_bound(input->tree);
	size_t		rows = depth < input->max_rows ? depth : input->max_rows;
	bool		ok;

	*boxes = (FgBoxes) {.min_width = input->min_width, .max_rows = input->max_rows};
	if (!(input->whole > 0) || !(input->total[0] > 0))
		return true;
	l.size = fg_alloc(ctx, (size_t) input->tree->nnodes + 1, sizeof(uint32_t));
	l.levels = fg_alloc(ctx, rows + 1, sizeof(Level));
	ok = l.size != NULL && l.levels != NULL && subtree_sizes(&l) &&
		(!input->by_value || link_by_value(&l)) && fit(&l);
	fg_release(ctx, l.size);
	fg_release(ctx, l.levels);
	fg_release(ctx, l.first_child);
	fg_release(ctx, l.next_sibling);
	if (!ok)
		fg_boxes_free(ctx, boxes);
	return ok;
}

void
fg_boxes_free(FgContext *ctx, FgBoxes *boxes)
{
	fg_release(ctx, boxes->boxes);
	*boxes = (FgBoxes) {0};
}
