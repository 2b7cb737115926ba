/*
 * change_parts.c
 *	  The pieces of the boxes of a difference (see change_parts.h).
 */
#include "core/picture/change_parts.h"

#include <string.h>

const char *
fg_piece_word(FgPiece piece)
{
	static const char *const words[FG_PIECES] = {
		"common", "grown", "appeared", "shrunk", "disappeared"
	};

	return words[piece];
}

bool
fg_settle_rounding(FgContext *ctx, FgTreeUnion *both, double least)
{
	double	   *before = both->self[FG_BEFORE];
	double	   *after = both->self[FG_AFTER];
	FgTree		view = both->tree;

	for (uint32_t i = 0; i <= both->tree.nnodes; i++)
	{
		bool		both_sides = before[i] > 0 && after[i] > 0;

		if (fg_is_unchanged(before[i], after[i]) ||
			(both_sides && fabs(after[i] - before[i]) <= least))
			both->tree.self[i] = after[i] = before[i];
		if (!fg_check_every(ctx, i))
			return false;
	}
	view.self = after;
	return fg_tree_totals(ctx, &view, both->total[FG_AFTER]);
}

bool
fg_piece_values(FgContext *ctx, const FgTreeUnion *both, FgPiece piece, double *self,
				double *total)
{
	FgTree		view = both->tree;

	for (uint32_t i = 0; i <= view.nnodes; i++)
	{
		self[i] = fg_piece_of(piece, both->self[FG_BEFORE][i], both->self[FG_AFTER][i]);
		if (!fg_check_every(ctx, i))
			return false;
	}
	view.self = self;
	return fg_tree_totals(ctx, &view, total);
}

bool
fg_change_parts(FgContext *ctx, const FgTreeUnion *both, FgChangeParts *parts)
{
	size_t		nodes = (size_t) both->tree.nnodes + 1;
	double	   *self = fg_alloc(ctx, nodes, sizeof(double));
	bool		ok = self != NULL;

	memset(parts, 0, sizeof(*parts));
	for (FgPiece p = 0; ok && p < FG_PIECES; p++)
	{
		parts->total[p] = fg_alloc(ctx, nodes, sizeof(double));
		ok = parts->total[p] != NULL && fg_piece_values(ctx, both, p, self, parts->total[p]);
	}
	fg_release(ctx, self);
	return ok;
}

void
fg_change_parts_free(FgContext *ctx, FgChangeParts *parts)
{
	for (int p = 0; p < FG_PIECES; p++)
		fg_release(ctx, parts->total[p]);
	memset(parts, 0, sizeof(*parts));
}

bool
fg_sum_of_parts(FgContext *ctx, const FgChangeParts *parts, unsigned pieces, uint32_t nnodes,
				double *total)
{
	for (uint32_t i = 0; i <= nnodes; i++)
	{
		total[i] = 0;
		for (int p = 0; p < FG_PIECES; p++)
			total[i] += pieces >> p & 1 ? parts->total[p][i] : 0;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return isfinite(total[0]) ||
		fg_fail(ctx, FG_ERROR_RANGE, "the sum of both profiles is out of range");
}
