/*
 * keys_sort.c
 *	  A radix sort, the lowest digits first (see keys_sort.h).
 */
#include "core/jobs/keys_sort.h"

#include <string.h>

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

/* Fewer than this are inserted one by one: counting digits would take longer. */
#define FEW 64

static void
insert_each(FgSortKey *keys, size_t count)
{
	for (size_t i = 1; i < count; i++)
	{
		FgSortKey	key = keys[i];
		size_t		at = i;

		for (; at > 0 && keys[at - 1].key > key.key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

/* The range of the keys; false in *unsorted when they are in order already. */
static bool
survey(FgContext *ctx, const FgSortKey *keys, size_t count, int64_t *least, uint64_t *range,
	   bool *unsorted)
{
	int64_t		most = keys[0].key;

	*least = keys[0].key;
	*unsorted = false;
	for (size_t i = 1; i < count; i++)
	{
		int64_t		key = keys[i].key;

		*unsorted |= key < keys[i - 1].key;
		*least = key < *least ? key : *least;
		most = key > most ? key : most;
		if (!fg_check_every(ctx, i))
			return false;
	}
	*range = (uint64_t) most - (uint64_t) *least;
	return true;
}

/* By one digit, from one array to the other. */
static bool
distribute(FgContext *ctx, const FgSortKey *from, FgSortKey *to, size_t count, int64_t least,
		   unsigned shift)
{
	size_t		next[DIGITS] = {0};
	size_t		sum = 0;

	for (size_t i = 0; i < count; i++)
	{
		next[((uint64_t) from[i].key - (uint64_t) least) >> shift & (DIGITS - 1)]++;
		if (!fg_check_every(ctx, i))
			return false;
	}
	for (size_t d = 0; d < DIGITS; d++)
	{
		size_t		here = next[d];

		next[d] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
	{
		to[next[((uint64_t) from[i].key - (uint64_t) least) >> shift & (DIGITS - 1)]++] = from[i];
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

bool
fg_sort_keys(FgContext *ctx, FgSortKey *keys, size_t count, FgSortKey *spare)
{
	FgSortKey  *from = keys;
	FgSortKey  *to = spare;
	int64_t		least;
	uint64_t	range;
	bool		unsorted;

	if (count < FEW)
	{
		insert_each(keys, count);
		return true;
	}
	if (!survey(ctx, keys, count, &least, &range, &unsorted))
		return false;
	for (unsigned shift = 0; unsorted && shift < 64 && range >> shift != 0; shift += DIGIT_BITS)
	{
		FgSortKey  *swap = from;

		if (!distribute(ctx, from, to, count, least, shift))
			return false;
		from = to;
		to = swap;
	}
	return from == keys || fg_copy(ctx, keys, from, count * sizeof(FgSortKey));
}
