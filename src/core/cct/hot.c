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

bool
fg_largest_stacks(FgContext *ctx, const FgTree *tree, uint32_t most, uint32_t *nodes,
				  uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		double		value = fabs(tree->self[i]);
		uint32_t	at = *count;

		if (!fg_check_every(ctx, i))
			return false;
		if (value == 0 || most == 0 ||
			(*count == most && value <= fabs(tree->self[nodes[most - 1]])))
			continue;
		if (*count < most)
			(*count)++;
		else
			at--;
		for (; at > 0 && fabs(tree->self[nodes[at - 1]]) < value; at--)
			nodes[at] = nodes[at - 1];
		nodes[at] = i;
	}
	return true;
}
