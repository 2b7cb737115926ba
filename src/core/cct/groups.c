/*
 * groups.c
 *	  What is spent in groups of functions (see groups.h).
 */
#include "core/cct/groups.h"

#include "core/profile/walk.h"

#include <math.h>
#include <string.h>

/* A node counts when the outermost node of its group that came last is not above it. */
static bool
add_nodes(FgContext *ctx, const FgTree *tree, const uint32_t *group, const double *totals,
		  uint32_t *outermost, double *self, double *total)
{
	FgWalk		walk;

	if (!fg_walk_begin(ctx, tree, &walk))
		return false;
	while (fg_walk_next(&walk))
	{
		uint32_t	g = group[walk.frame];

		self[g] += tree->self[walk.node];
		if (fg_walk_below(&walk, outermost[g]))
			continue;
		outermost[g] = walk.node;
		total[g] += totals[walk.node];
	}
	return fg_walk_end(&walk);
}

static bool
check_finite(FgContext *ctx, const double *values, uint32_t count)
{
	double		check = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		check += values[i] * 0;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return check == 0 || fg_fail(ctx, FG_ERROR_RANGE, "the value of a group is out of range");
}

bool
fg_group_values(FgContext *ctx, const FgTree *tree, const uint32_t *group, uint32_t ngroups,
				double *self, double *total)
{
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	uint32_t   *outermost = fg_alloc_zero(ctx, ngroups, sizeof(uint32_t));
	bool		ok;

	memset(self, 0, ngroups * sizeof(double));
	memset(total, 0, ngroups * sizeof(double));
	ok = totals != NULL && outermost != NULL && fg_tree_totals(ctx, tree, totals) &&
		add_nodes(ctx, tree, group, totals, outermost, self, total) &&
		check_finite(ctx, self, ngroups) && check_finite(ctx, total, ngroups);
	fg_release(ctx, totals);
	fg_release(ctx, outermost);
	return ok;
}
