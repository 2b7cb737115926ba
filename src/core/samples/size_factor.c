/*
 * size_factor.c
 *	  Size factor between two groups of recordings (see size_factor.h).
 */
#include "core/samples/size_factor.h"

#include "core/base/order.h"
#include "core/profile/tree_pair.h"

#include <math.h>

/* --- of two profiles -------------------------------------------------------------------- */

/* The ratios after / before of the stacks that are common enough in both. */
static bool
collect_ratios(FgContext *ctx, const FgTreePair *pair, double min_mean, double *ratios,
			   uint32_t *count)
{
	uint32_t	i = 0;
	uint32_t	j = 0;

	*count = 0;
	while (i <= pair->a->nnodes && j <= pair->b->nnodes)
	{
		uint64_t	a = pair->key_a[i];
		uint64_t	b = pair->key_b[j];

		if (!fg_check_every(ctx, (size_t) i + j))
			return false;
		if (a == b && pair->a->self[i] > 0 && pair->b->self[j] > 0 &&
			(pair->a->self[i] + pair->b->self[j]) / 2 >= min_mean)
			ratios[(*count)++] = pair->b->self[j] / pair->a->self[i];
		i += a <= b;
		j += b <= a;
	}
	return true;
}

static bool
median(FgContext *ctx, const double *values, uint32_t count, double *result)
{
	uint32_t   *order = fg_alloc(ctx, count, sizeof(uint32_t));
	bool		ok = order != NULL && fg_order_descending(ctx, values, count, order);

	if (ok)
		*result = count % 2 == 1 ? values[order[count / 2]]
			: (values[order[count / 2 - 1]] + values[order[count / 2]]) / 2;
	fg_release(ctx, order);
	return ok;
}

static bool
median_ratio(FgContext *ctx, const FgTree *before, const FgTree *after, double min_mean,
			 double *factor, bool *defined)
{
	double	   *ratios = fg_alloc(ctx, (size_t) before->nnodes + 1, sizeof(double));
	uint32_t	count = 0;
	FgTreePair	pair;
	bool		ok;

	if (ratios == NULL)
		return false;
	ok = fg_tree_pair_begin(ctx, before, after, &pair);
	if (ok)
	{
		ok = collect_ratios(ctx, &pair, min_mean, ratios, &count);
		fg_tree_pair_end(ctx, &pair);
	}
	*defined = count > 0;
	if (ok && *defined)
		ok = median(ctx, ratios, count, factor);
	fg_release(ctx, ratios);
	return ok;
}

bool
fg_size_factor(FgContext *ctx, const FgTree *before, const FgTree *after, FgSizeFactor method,
			   double min_mean, double *factor, bool *defined)
{
	FgFacts		a;
	FgFacts		b;

	*factor = 1;
	*defined = true;
	if (!isfinite(min_mean))
		return fg_fail(ctx, FG_ERROR_RANGE, "the least mean must be finite");
	if (method == FG_SIZE_NONE)
		return true;
	if (method == FG_SIZE_MEDIAN_RATIO || method == FG_SIZE_STABLE)
	{
		if (!median_ratio(ctx, before, after, min_mean, factor, defined))
			return false;
	}
	else
	{
		if (!fg_tree_facts(ctx, before, &a) || !fg_tree_facts(ctx, after, &b))
			return false;
		*defined = a.total > 0 && b.total > 0;
		if (*defined)
			*factor = b.total / a.total;
	}
	if (!*defined || (isfinite(*factor) && *factor > 0))
		return true;
	return fg_fail(ctx, FG_ERROR_RANGE, "the size factor is out of range");
}

/* --- of two groups ---------------------------------------------------------------------- */

/* Inclusive values count a sample at each depth: those of the outermost contexts add up to the total. */
static bool
outermost(FgContext *ctx, FgTree *mean)
{
	for (size_t i = 0; i <= mean->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (fg_key_depth(mean->key[i]) != 1)
			mean->self[i] = 0;
	}
	return fg_tree_prune_zeros(ctx, mean);
}

static bool
mean_for_factor(FgContext *ctx, const FgGroup *group, FgLevel level, FgSizeFactor method,
				FgTree *mean)
{
	if (!fg_moments_mean(ctx, group->moments, (double) group->n, mean))
		return false;
	if (method != FG_SIZE_TOTAL || level != FG_LEVEL_NODE || outermost(ctx, mean))
		return true;
	fg_tree_free(ctx, mean);
	return false;
}

const char fg_min_mean_hint[] = "A smaller min_mean takes rarer stacks into account.";

static bool
factor_exists(FgContext *ctx, FgSizeFactor method, double min_mean, bool defined)
{
	if (defined)
		return true;
	if (method == FG_SIZE_TOTAL)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "the size factor is not defined: a total is not positive");
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, fg_min_mean_hint,
					  "the size factor is not defined: nothing has a mean of %g in both groups",
					  min_mean);
}

bool
fg_size_factor_of_groups(FgContext *ctx, const FgGroup *before, const FgGroup *after,
						 FgLevel level, FgSizeFactor method, double min_mean, double *factor)
{
	FgTree		a;
	FgTree		b;
	bool		defined = true;
	bool		ok;

	*factor = 1;
	if (method == FG_SIZE_NONE)
		return true;
	if (!mean_for_factor(ctx, before, level, method, &a))
		return false;
	ok = mean_for_factor(ctx, after, level, method, &b);
	if (ok)
	{
		ok = fg_size_factor(ctx, &a, &b, method, min_mean, factor, &defined);
		fg_tree_free(ctx, &b);
	}
	fg_tree_free(ctx, &a);
	return ok && factor_exists(ctx, method, min_mean, defined);
}
