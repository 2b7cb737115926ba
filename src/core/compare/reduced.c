/*
 * reduced.c
 *	  Differences without noise (see reduced.h).
 */
#include "core/compare/reduced.h"

#include "core/compare/welch.h"

#include <string.h>

static bool
significant_part(FgContext *ctx, const FgWelchComparison *comparison, double alpha, FgTree *result)
{
	if (!fg_tree_copy(ctx, &comparison->keys, result))
		return false;
	memset(result->self, 0, ((size_t) result->nnodes + 1) * sizeof(double));
	for (uint32_t i = 0; i < comparison->count; i++)
	{
		const FgDifference *row = &comparison->rows[i];

		if (row->q <= alpha)
			result->self[row->node] = row->delta;
	}
	if (fg_check(ctx) && fg_tree_prune_zeros(ctx, result))
		return true;
	fg_tree_free(ctx, result);
	return false;
}

bool
fg_reduced_welch(FgContext *ctx, const FgProfiles *before, const FgProfiles *after, FgLevel level,
				 uint32_t min_df, FgVariance variance, double alpha, FgTree *result)
{
	FgCompareOptions options = {
		.level = level, .size = FG_SIZE_NONE, .min_df = min_df, .correction = FG_CORRECT_BH,
		.variance = variance
	};
	FgWelchComparison comparison;
	bool		ok;

	if (!fg_compare_profiles(ctx, before, after, NULL, &options, NULL, &comparison))
		return false;
	ok = significant_part(ctx, &comparison, alpha, result);
	fg_comparison_free(ctx, &comparison);
	return ok;
}
