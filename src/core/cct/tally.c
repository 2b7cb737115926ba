/*
 * tally.c
 *	  Inclusive values of sets of nodes named by pairs (see tally.h).
 */
#include "core/cct/tally.h"

#include "core/base/order.h"

#include <math.h>
#include <string.h>

bool
fg_tally_begin(FgContext *ctx, FgTally *tally)
{
	memset(tally, 0, sizeof(*tally));
	return fg_pairs_begin(ctx, &tally->pairs);
}

void
fg_tally_free(FgTally *tally)
{
	FgContext  *ctx = tally->pairs.ctx;

	if (ctx == NULL)
		return;
	fg_pairs_free(&tally->pairs);
	fg_release(ctx, tally->value);
	fg_release(ctx, tally->outermost);
	fg_release(ctx, tally->order);
	memset(tally, 0, sizeof(*tally));
}

static bool
find_set(FgTally *tally, uint32_t a, uint32_t b, uint32_t *set)
{
	FgContext  *ctx = tally->pairs.ctx;
	uint32_t	count = tally->pairs.count;

	if (!fg_pairs_add(&tally->pairs, a, b, set))
		return false;
	if (*set < count)
		return true;
	if (!fg_reserve(ctx, (void **) &tally->value, &tally->value_capacity, (size_t) count + 1,
					sizeof(double)) ||
		!fg_reserve(ctx, (void **) &tally->outermost, &tally->outermost_capacity,
					(size_t) count + 1, sizeof(uint32_t)))
		return false;
	tally->value[count] = 0;
	tally->outermost[count] = 0;
	return true;
}

bool
fg_tally_node(FgTally *tally, const FgWalk *walk, uint32_t a, uint32_t b, double total)
{
	uint32_t	set;

	if (!find_set(tally, a, b, &set))
		return false;
	if (fg_walk_below(walk, tally->outermost[set]))
		return true;
	tally->outermost[set] = walk->node;
	tally->value[set] += total;
	return true;
}

bool
fg_tally_add(FgTally *tally, uint32_t a, uint32_t b, double value)
{
	uint32_t	set;

	if (!find_set(tally, a, b, &set))
		return false;
	tally->value[set] += value;
	return true;
}

/* Sorts by pair first; the sort by value keeps the places of equal ones. */
static bool
order_sets(FgTally *tally, uint32_t limit, uint32_t *by_pair, double *value)
{
	FgContext  *ctx = tally->pairs.ctx;
	uint32_t	count = tally->pairs.count;

	if (!fg_pairs_order(&tally->pairs, limit, by_pair))
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		value[i] = tally->value[by_pair[i]];
		if (!isfinite(value[i]))
			return fg_fail(ctx, FG_ERROR_RANGE, "an inclusive value is out of range");
	}
	if (!fg_order_descending(ctx, value, count, tally->order))
		return false;
	for (uint32_t i = 0; i < count; i++)
		tally->order[i] = by_pair[tally->order[i]];
	return true;
}

bool
fg_tally_finish(FgTally *tally, uint32_t limit)
{
	FgContext  *ctx = tally->pairs.ctx;
	uint32_t	count = tally->pairs.count;
	uint32_t   *by_pair = fg_alloc(ctx, count, sizeof(uint32_t));
	double	   *value = fg_alloc(ctx, count, sizeof(double));
	bool		ok;

	tally->order = fg_alloc(ctx, count, sizeof(uint32_t));
	ok = by_pair != NULL && value != NULL && tally->order != NULL &&
		order_sets(tally, limit, by_pair, value);
	fg_release(ctx, by_pair);
	fg_release(ctx, value);
	return ok;
}
