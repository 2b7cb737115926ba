/*
 * hot.c
 *	  Hot calling contexts (see hot.h).
 */
#include "core/cct/hot.h"

#include "core/base/sums.h"

#include <math.h>

bool
fg_hot_contexts(FgContext *ctx, const FgTree *tree, double phi, uint8_t *hot)
{
	double		total;
	double		norm;

	if (!fg_sums(ctx, tree->self, (size_t) tree->nnodes + 1, &total, &norm))
		return false;
	if (!isfinite(total))
		return fg_fail(ctx, FG_ERROR_RANGE, "the total is out of range");
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		hot[i] = tree->self[i] != 0 && tree->self[i] > phi * total;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}
