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
#include "potential.h"

#include "sums.h"

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

		if (i % FG_CHECK_NODES == 0 && !fg_check(p->ctx))
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

/*
 * Differences of inclusive values.  A node w with frame A adds its total to A.
 * For the naive sum the ancestor u at distance degree + 1 loses the total of w,
 * which is out of its reach.  For the corrected sum, w's nearest ancestor of the
 * same frame loses it if w is within its reach (w counts those stacks itself),
 * and u loses it unless a nearer ancestor has u's frame (which lost it, or was
 * counted instead).
 *
 * mark[f] is the deepest node of frame f on the current path, 0 for none; outer[i]
 * is what mark was above node i.
 */
typedef struct Reach
{
	FgDouble2  *total;			/* by node */
	FgDouble2  *potential;		/* by frame */
	FgDouble2  *naive;
	uint32_t   *outer;			/* by node */
} Reach;

static void
give_back(Potential *p, const Reach *reach, uint32_t node, uint32_t depth)
{
	const uint64_t *key = p->tree->key;
	uint32_t	frame = fg_key_frame(key[node]);
	uint32_t	nearest = p->mark[frame];
	FgDouble2	total = reach->total[node];

	fg_double2_add(&reach->potential[frame], total);
	fg_double2_add(&reach->naive[frame], total);
	if (nearest != 0 && depth - fg_key_depth(key[nearest]) <= p->degree)
		fg_double2_subtract(&reach->potential[frame], total);
	if (depth > p->degree + 1)
	{
		uint32_t	far = p->path[depth - p->degree - 1];
		uint32_t	far_frame = fg_key_frame(key[far]);

		fg_double2_subtract(&reach->naive[far_frame], total);
		if (p->mark[far_frame] == far)
			fg_double2_subtract(&reach->potential[far_frame], total);
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
potential_of_any_degree(Potential *p)
{
	size_t		nodes = (size_t) p->tree->nnodes + 1;
	uint32_t	nframes = p->tree->frames.count;
	Reach		reach = {
		.total = fg_alloc_zero(p->ctx, nodes, sizeof(FgDouble2)),
		.potential = fg_alloc_zero(p->ctx, nframes, sizeof(FgDouble2)),
		.naive = fg_alloc_zero(p->ctx, nframes, sizeof(FgDouble2)),
		.outer = fg_alloc(p->ctx, nodes, sizeof(uint32_t))
	};
	bool		ok;

	ok = reach.total != NULL && reach.potential != NULL && reach.naive != NULL &&
		reach.outer != NULL && exact_totals(p, reach.total) && subtract_unreachable(p, &reach);
	for (uint32_t f = 0; ok && f < nframes; f++)
	{
		p->potential[f] = reach.potential[f].high;
		p->naive[f] = reach.naive[f].high;
	}
	fg_release(p->ctx, reach.total);
	fg_release(p->ctx, reach.potential);
	fg_release(p->ctx, reach.naive);
	fg_release(p->ctx, reach.outer);
	return ok;
}

bool
fg_subtree_potential(FgContext *ctx, const FgTree *tree, uint32_t degree, double *potential,
					 double *naive)
{
	uint32_t	nframes = tree->frames.count;
	Potential	p = {ctx, tree, degree, potential, naive, NULL, NULL};
	double		check = 0;
	bool		ok;

	if (p.degree > FG_MAX_DEPTH)
		p.degree = FG_MAX_DEPTH;
	memset(potential, 0, nframes * sizeof(double));
	memset(naive, 0, nframes * sizeof(double));
	p.path = fg_alloc_zero(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	p.mark = fg_alloc_zero(ctx, nframes, sizeof(uint32_t));
	ok = p.path != NULL && p.mark != NULL &&
		(p.degree < DIRECT_FRAMES ? visit_stacks(&p) : potential_of_any_degree(&p));
	fg_release(ctx, p.path);
	fg_release(ctx, p.mark);
	for (uint32_t f = 0; ok && f < nframes; f++)
		check += potential[f] * 0 + naive[f] * 0;
	if (check != 0)
		return fg_fail(ctx, FG_ERROR_RANGE, "a potential is out of range");
	return ok;
}
