/*
 * potential.c
 *	  Subtree potentials (see potential.h).
 *
 * Two ways to the same numbers.  For a small degree the last frames of each
 * stack are visited: sums of the values themselves, at most DIRECT_FRAMES steps a
 * stack.  For a large degree that would be quadratic in the depth; then each frame
 * gets the inclusive values of its nodes and gives back what lies out of reach,
 * two steps a node whatever the degree.  These differences cancel, so they are
 * taken of double-double numbers.
 */
#include "core/cct/potential.h"

#include "core/base/sums.h"

#include <math.h>
#include <string.h>

#define DIRECT_FRAMES 64

typedef struct Potential
{
	FgContext  *ctx;
	const FgTree *tree;
	uint32_t	degree;
	double	   *potential;
	double	   *naive;
	uint32_t   *path;			/* by depth: frames, or nodes */
	uint32_t   *mark;			/* by frame */
} Potential;

/* mark[f] is the last stack that was counted for f. */
static bool
visit_stacks(Potential *p)
{
	const FgTree *tree = p->tree;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	stop = depth > p->degree ? depth - p->degree : 1;
		double		value = tree->self[i];

		if (!fg_check_every(p->ctx, i))
			return false;
		p->path[depth] = fg_key_frame(tree->key[i]);
		if (value == 0)
			continue;
		for (uint32_t d = depth; d >= stop; d--)
		{
			uint32_t	frame = p->path[d];

			p->naive[frame] += value;
			if (p->mark[frame] == i)
				continue;
			p->mark[frame] = i;
			p->potential[frame] += value;
		}
	}
	return true;
}

/* Degree 0: what the last frame of each stack has. */
static bool
visit_leaves(Potential *p)
{
	const FgTree *tree = p->tree;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(p->ctx, i))
			return false;
		p->potential[fg_key_frame(tree->key[i])] += tree->self[i];
	}
	memcpy(p->naive, p->potential, tree->frames.count * sizeof(double));
	return true;
}

static bool
visit_last_frames(Potential *p)
{
	return p->degree == 0 ? visit_leaves(p) : visit_stacks(p);
}

/*
 * Differences of inclusive values, for each node u or for all nodes of a frame
 * together.  A node w adds its total to what u = w has within reach, and the
 * ancestor u at distance degree + 1 loses it again.  Likewise the correction
 * c_n(u): w adds its total to that of its nearest ancestor u of the same frame, if
 * that has w within reach; and what lies at distance degree + 1 of u is taken back
 * from u's correction if there is such a recursion on the way, which is so when a
 * nearer ancestor has u's frame.
 *
 * mark[f] is the deepest node of frame f on the current path, 0 for none; outer[i]
 * is what mark was above node i.
 */
typedef struct Reach
{
	bool		by_node;		/* else by frame */
	FgDouble2  *total;			/* by node */
	FgDouble2  *within;
	FgDouble2  *correction;
	uint32_t   *outer;			/* by node */
} Reach;

static void
give_back(Potential *p, const Reach *reach, uint32_t node, uint32_t depth)
{
	const uint64_t *key = p->tree->key;
	uint32_t	frame = fg_key_frame(key[node]);
	uint32_t	nearest = p->mark[frame];
	FgDouble2	total = reach->total[node];

	fg_double2_add(&reach->within[reach->by_node ? node : frame], total);
	if (nearest != 0 && depth - fg_key_depth(key[nearest]) <= p->degree)
		fg_double2_add(&reach->correction[reach->by_node ? nearest : frame], total);
	if (depth > p->degree + 1)
	{
		uint32_t	far = p->path[depth - p->degree - 1];
		uint32_t	far_frame = fg_key_frame(key[far]);
		uint32_t	slot = reach->by_node ? far : far_frame;

		fg_double2_subtract(&reach->within[slot], total);
		if (p->mark[far_frame] != far)
			fg_double2_subtract(&reach->correction[slot], total);
	}
}

static bool
subtract_unreachable(Potential *p, const Reach *reach)
{
	const FgTree *tree = p->tree;
	uint32_t	current = 0;	/* depth of the path that mark describes */

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);

		if (!fg_check_every(p->ctx, i))
			return false;
		for (; current >= depth; current--)
		{
			uint32_t	left = p->path[current];

			p->mark[fg_key_frame(tree->key[left])] = reach->outer[left];
		}
		give_back(p, reach, i, depth);
		reach->outer[i] = p->mark[frame];
		p->mark[frame] = i;
		p->path[depth] = i;
		current = depth;
	}
	return true;
}

/* Inclusive values: each node hands its own to its parent, from the right. */
static bool
exact_totals(Potential *p, FgDouble2 *total)
{
	const FgTree *tree = p->tree;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
		total[i].high = tree->self[i];
	/* path[d]: the node at depth d whose subtree is not closed yet */
	for (uint32_t i = 1, current = 0; i <= tree->nnodes + 1; i++)
	{
		uint32_t	depth = i <= tree->nnodes ? fg_key_depth(tree->key[i]) : 1;

		if (!fg_check_every(p->ctx, i))
			return false;
		for (; current >= depth; current--)
		{
			if (current > 1)
				fg_double2_add(&total[p->path[current - 1]], total[p->path[current]]);
		}
		if (i <= tree->nnodes)
			p->path[depth] = i;
		current = depth;
	}
	return true;
}

static bool
reach_begin(Potential *p, Reach *reach, bool by_node)
{
	size_t		nodes = (size_t) p->tree->nnodes + 1;
	size_t		slots = by_node ? nodes : p->tree->frames.count;

	*reach = (Reach) {
		.by_node = by_node,
		.total = fg_alloc_zero(p->ctx, nodes, sizeof(FgDouble2)),
		.within = fg_alloc_zero(p->ctx, slots, sizeof(FgDouble2)),
		.correction = fg_alloc_zero(p->ctx, slots, sizeof(FgDouble2)),
		.outer = fg_alloc(p->ctx, nodes, sizeof(uint32_t))
	};
	return reach->total != NULL && reach->within != NULL && reach->correction != NULL &&
		reach->outer != NULL && exact_totals(p, reach->total) && subtract_unreachable(p, reach);
}

static void
reach_end(Potential *p, Reach *reach)
{
	fg_release(p->ctx, reach->total);
	fg_release(p->ctx, reach->within);
	fg_release(p->ctx, reach->correction);
	fg_release(p->ctx, reach->outer);
}

static bool
potential_of_any_degree(Potential *p)
{
	Reach		reach;
	bool		ok = reach_begin(p, &reach, false);

	for (uint32_t f = 0; ok && f < p->tree->frames.count; f++)
	{
		FgDouble2	potential = reach.within[f];

		fg_double2_subtract(&potential, reach.correction[f]);
		p->potential[f] = potential.high;
		p->naive[f] = reach.within[f].high;
	}
	reach_end(p, &reach);
	return ok;
}

static bool
potential_begin(Potential *p)
{
	if (p->degree > FG_MAX_DEPTH)
		p->degree = FG_MAX_DEPTH;
	p->path = fg_alloc_zero(p->ctx, (size_t) fg_tree_depth_bound(p->tree) + 1, sizeof(uint32_t));
	p->mark = fg_alloc_zero(p->ctx, p->tree->frames.count, sizeof(uint32_t));
	return p->path != NULL && p->mark != NULL;
}

/* Releases the work space; the results must be finite. */
static bool
potential_end(Potential *p, bool ok, const double *a, const double *b, size_t count)
{
	double		check = 0;

	fg_release(p->ctx, p->path);
	fg_release(p->ctx, p->mark);
	for (size_t i = 0; ok && i < count; i++)
	{
		check += a[i] * 0 + b[i] * 0;
		ok = fg_check_every(p->ctx, i);
	}
	if (check != 0)
		return fg_fail(p->ctx, FG_ERROR_RANGE, "a potential is out of range");
	return ok;
}

bool
fg_subtree_potential(FgContext *ctx, const FgTree *tree, uint32_t degree, double *potential,
					 double *naive)
{
	uint32_t	nframes = tree->frames.count;
	Potential	p = {ctx, tree, degree, potential, naive, NULL, NULL};
	bool		ok;

	memset(potential, 0, nframes * sizeof(double));
	memset(naive, 0, nframes * sizeof(double));
	ok = potential_begin(&p) &&
		(p.degree < DIRECT_FRAMES ? visit_last_frames(&p) : potential_of_any_degree(&p));
	return potential_end(&p, ok, potential, naive, nframes);
}

bool
fg_node_potential(FgContext *ctx, const FgTree *tree, uint32_t degree, double *potential,
				  double *correction)
{
	Potential	p = {ctx, tree, degree, NULL, NULL, NULL, NULL};
	Reach		reach = {0};
	bool		ok = potential_begin(&p) && reach_begin(&p, &reach, true);

	potential[0] = correction[0] = 0;
	for (uint32_t i = 1; ok && i <= tree->nnodes; i++)
	{
		ok = fg_check_every(ctx, i);
		potential[i] = reach.within[i].high;
		correction[i] = reach.correction[i].high;
	}
	reach_end(&p, &reach);
	return potential_end(&p, ok, potential, correction, (size_t) tree->nnodes + 1);
}
