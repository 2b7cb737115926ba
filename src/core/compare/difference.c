/*
 * difference.c
 *	  Differences of two groups, key by key (see difference.h).
 */
#include "core/compare/difference.h"

#include "core/base/distribution.h"
#include "core/base/order.h"

#include <string.h>

void
fg_comparison_free(FgContext *ctx, FgWelchComparison *comparison)
{
	fg_tree_free(ctx, &comparison->keys);
	fg_release(ctx, comparison->rows);
	memset(comparison, 0, sizeof(*comparison));
}

bool
fg_comparison_order(FgContext *ctx, const FgWelchComparison *comparison, uint32_t *order)
{
	double	   *negative = fg_alloc(ctx, comparison->count, sizeof(double));
	bool		ok;

	if (negative == NULL)
		return false;
	for (uint32_t i = 0; i < comparison->count; i++)
		negative[i] = -comparison->rows[i].p;
	ok = fg_order_descending(ctx, negative, comparison->count, order);
	fg_release(ctx, negative);
	return ok;
}

bool
fg_difference_change(const FgDifference *row, FgChange *change)
{
	if (row->delta > 0)
		*change = row->mean_before == 0 ? FG_CHANGE_APPEARED : FG_CHANGE_GROWN;
	else
		*change = row->mean_after == 0 ? FG_CHANGE_DISAPPEARED : FG_CHANGE_SHRUNK;
	return row->delta != 0;
}

void
fg_difference_interval(const FgDifference *row, FgIntervals *intervals, double *lower,
					   double *upper)
{
	double		half;

	if (row->error == 0)
	{
		*lower = *upper = row->delta;
		return;
	}
	if (row->df != intervals->df)
	{
		intervals->df = row->df;
		intervals->quantile = fg_t_upper_quantile(intervals->alpha / 2, row->df);
	}
	half = intervals->quantile * row->error;
	*lower = row->delta - half;
	*upper = row->delta + half;
}
