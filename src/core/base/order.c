/*
 * order.c
 *	  Stable, interruptible sort of rows by a number or a comparison (see order.h).
 */
#include "core/base/order.h"

#include <math.h>

/* Below 0 when a belongs before b. */
static inline int
descending(const void *arg, uint32_t a, uint32_t b)
{
	const double *values = arg;

	if (isnan(values[a]) || isnan(values[b]))
		return isnan(values[a]) - isnan(values[b]);
	return (values[a] < values[b]) - (values[a] > values[b]);
}

/* Inlined with its comparison, which a merge calls once for each element. */
__attribute__((always_inline))
static inline bool
merge_runs(FgContext *ctx, FgCompare compare, const void *arg, const uint32_t *from, uint32_t *to,
		   size_t start, size_t middle, size_t end)
{
	size_t		i = start;
	size_t		j = middle;

	for (size_t k = start; k < end; k++)
	{
		if (!fg_check_every(ctx, k))
			return false;
		if (i < middle && (j >= end || compare(arg, from[i], from[j]) <= 0))
			to[k] = from[i++];
		else
			to[k] = from[j++];
	}
	return true;
}

__attribute__((always_inline))
static inline bool
merge_sort(FgContext *ctx, uint32_t count, FgCompare compare, const void *arg, uint32_t *order)
{
	uint32_t   *spare = fg_alloc(ctx, count, sizeof(uint32_t));
	uint32_t   *from = order;
	uint32_t   *to = spare;
	bool		ok = spare != NULL;

	for (uint32_t i = 0; ok && i < count; i++)
	{
		ok = fg_check_every(ctx, i);
		order[i] = i;
	}
	for (size_t width = 1; ok && width < count; width *= 2)
	{
		uint32_t   *swap = from;

		for (size_t start = 0; ok && start < count; start += 2 * width)
		{
			size_t		middle = start + width < count ? start + width : count;
			size_t		end = start + 2 * width < count ? start + 2 * width : count;

			ok = merge_runs(ctx, compare, arg, from, to, start, middle, end);
		}
		from = to;
		to = swap;
	}
	if (ok && from != order)
		ok = fg_copy(ctx, order, from, (size_t) count * sizeof(uint32_t));
	fg_release(ctx, spare);
	return ok;
}

bool
fg_order_descending(FgContext *ctx, const double *values, uint32_t count, uint32_t *order)
{
	return merge_sort(ctx, count, descending, values, order);
}

bool
fg_order_by(FgContext *ctx, uint32_t count, FgCompare compare, const void *arg, uint32_t *order)
{
	return merge_sort(ctx, count, compare, arg, order);
}
