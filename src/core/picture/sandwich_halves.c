/*
 * sandwich_halves.c
 *	  The two profiles of a sandwich (see sandwich_halves.h).
 */
#include "core/picture/sandwich_halves.h"

#include "core/profile/transform.h"
#include "core/svg/drawing.h"

#include <string.h>

static bool
callers_of(FgContext *ctx, const FgTree *tree, uint32_t frame, FgTree *callers)
{
	FgTree		stacks;
	bool		ok = fg_callers_of(ctx, tree, frame, &stacks);

	if (!ok)
		return false;
	ok = fg_invert(ctx, &stacks, callers);
	fg_tree_free(ctx, &stacks);
	return ok;
}

bool
fg_sandwich_begin(FgContext *ctx, const FgTree *tree, uint32_t frame, FgText name,
				  FgSandwich *sandwich)
{
	static const char hint[] =
		"Of a difference, positive_part() and negative_part() have one each.";

	memset(sandwich, 0, sizeof(*sandwich));
	sandwich->tree = tree;
	sandwich->frame = name;
	if (!fg_check_not_negative(ctx, tree, hint))
		return false;
	if (frame == FG_NONE)
		return true;
	sandwich->found = true;
	return callers_of(ctx, tree, frame, &sandwich->half[FG_CALLERS]) &&
		fg_focus(ctx, tree, frame, &sandwich->half[FG_CALLEES]) &&
		fg_tree_pair_begin(ctx, tree, &sandwich->half[FG_CALLERS], &sandwich->pair[FG_CALLERS]) &&
		fg_tree_pair_begin(ctx, tree, &sandwich->half[FG_CALLEES], &sandwich->pair[FG_CALLEES]);
}

void
fg_sandwich_end(FgContext *ctx, FgSandwich *sandwich)
{
	for (int h = 0; h < FG_HALVES; h++)
	{
		fg_tree_pair_end(ctx, &sandwich->pair[h]);
		fg_tree_free(ctx, &sandwich->half[h]);
	}
	memset(sandwich, 0, sizeof(*sandwich));
}
