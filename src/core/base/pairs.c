/*
 * pairs.c
 *	  A hash table of pairs of numbers (see pairs.h).
 */
#include "core/base/pairs.h"

#include <string.h>

#define FIRST_SLOTS 1024
#define MOST_PAIRS (UINT32_C(1) << 30)

bool
fg_pairs_begin(FgContext *ctx, FgPairs *pairs)
{
	*pairs = (FgPairs) {.ctx = ctx};
	pairs->slot = fg_alloc_zero(ctx, FIRST_SLOTS, sizeof(uint32_t));
	pairs->mask = FIRST_SLOTS - 1;
	return pairs->slot != NULL;
}

void
fg_pairs_free(FgPairs *pairs)
{
	fg_release(pairs->ctx, pairs->pairs);
	fg_release(pairs->ctx, pairs->slot);
	pairs->pairs = NULL;
	pairs->slot = NULL;
}

static void
put(const FgPairs *pairs, uint32_t number, uint32_t *slot, uint32_t mask)
{
	FgNumberPair pair = pairs->pairs[number];
	uint32_t	at = fg_hash_pair(pairs->ctx->seed, pair.a, pair.b) & mask;

	while (slot[at] != 0)
		at = (at + 1) & mask;
	slot[at] = number + 1;
}

/* Twice as many slots; half of them stay free.  The old ones hold until the new ones are full. */
static bool
grow(FgPairs *pairs)
{
	uint32_t	mask = pairs->mask * 2 + 1;
	uint32_t   *slot = fg_alloc_zero(pairs->ctx, (size_t) mask + 1, sizeof(uint32_t));

	if (slot == NULL)
		return false;
	for (uint32_t i = 0; i < pairs->count; i++)
	{
		if (!fg_check_every(pairs->ctx, i))
		{
			fg_release(pairs->ctx, slot);
			return false;
		}
		put(pairs, i, slot, mask);
	}
	fg_release(pairs->ctx, pairs->slot);
	pairs->slot = slot;
	pairs->mask = mask;
	return true;
}

bool
fg_pairs_add_at(FgPairs *pairs, uint32_t a, uint32_t b, uint32_t at)
{
	bool		full = pairs->count > pairs->mask / 2;

	if (pairs->count >= MOST_PAIRS)
		return fg_fail(pairs->ctx, FG_ERROR_LIMIT, "there are more than %u pairs", MOST_PAIRS);
	if ((full && !grow(pairs)) ||
		!fg_reserve(pairs->ctx, (void **) &pairs->pairs, &pairs->capacity,
					(size_t) pairs->count + 1, sizeof(FgNumberPair)))
		return false;
	pairs->pairs[pairs->count++] = (FgNumberPair) {a, b};
	if (full)
		put(pairs, pairs->count - 1, pairs->slot, pairs->mask);
	else
		pairs->slot[at] = pairs->count;
	return true;
}

bool
fg_pairs_add(FgPairs *pairs, uint32_t a, uint32_t b, uint32_t *number)
{
	uint32_t	at;

	*number = fg_pairs_look(pairs, a, b, &at);
	if (*number != FG_NONE)
		return true;
	*number = pairs->count;
	return fg_pairs_add_at(pairs, a, b, at);
}

/* One pass of a radix sort, stable: by the second number, or by the first. */
static bool
counting_pass(const FgPairs *pairs, bool by_a, uint32_t limit, uint32_t *start,
			  const uint32_t *from, uint32_t *to)
{
	uint32_t	sum = 0;

	memset(start, 0, ((size_t) limit + 2) * sizeof(uint32_t));
	for (uint32_t i = 0; i < pairs->count; i++)
	{
		uint32_t	digit = by_a ? pairs->pairs[i].a : pairs->pairs[i].b;

		start[digit == FG_NONE ? limit : digit]++;
		if (!fg_check_every(pairs->ctx, i))
			return false;
	}
	for (uint32_t d = 0; d <= limit; d++)
	{
		uint32_t	here = start[d];

		start[d] = sum;
		sum += here;
	}
	for (uint32_t i = 0; i < pairs->count; i++)
	{
		uint32_t	number = from != NULL ? from[i] : i;
		uint32_t	digit = by_a ? pairs->pairs[number].a : pairs->pairs[number].b;

		to[start[digit == FG_NONE ? limit : digit]++] = number;
		if (!fg_check_every(pairs->ctx, i))
			return false;
	}
	return true;
}

bool
fg_pairs_order(const FgPairs *pairs, uint32_t limit, uint32_t *order)
{
	uint32_t   *start = fg_alloc(pairs->ctx, (size_t) limit + 2, sizeof(uint32_t));
	uint32_t   *by_b = fg_alloc(pairs->ctx, pairs->count, sizeof(uint32_t));
	bool		ok;

	ok = start != NULL && by_b != NULL &&
		counting_pass(pairs, false, limit, start, NULL, by_b) &&
		counting_pass(pairs, true, limit, start, by_b, order);
	fg_release(pairs->ctx, start);
	fg_release(pairs->ctx, by_b);
	return ok;
}
