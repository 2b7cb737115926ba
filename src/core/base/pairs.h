/*
 * pairs.h
 *	  Distinct pairs of numbers, each with a number of its own: calls between
 *	  functions, functions in threads, the nodes of a profile under construction by
 *	  parent and frame.
 *
 * Either number may be FG_NONE, for "no caller" or "no thread".  Pairs are numbered
 * from 0 in the order in which they come.  Workload: a million questions about some ten
 * thousand pairs, so the table stays in the cache; nodes may be a million.
 */
#ifndef FG_PAIRS_H
#define FG_PAIRS_H

#include "core/base/context.h"
#include "core/base/hash.h"

typedef struct FgNumberPair
{
	uint32_t	a;
	uint32_t	b;
} FgNumberPair;

typedef struct FgPairs
{
	FgContext  *ctx;
	FgNumberPair *pairs;
	size_t		capacity;
	uint32_t	count;
	uint32_t   *slot;			/* number + 1 of the pair that lies there, 0 for none */
	uint32_t	mask;
} FgPairs;

extern bool fg_pairs_begin(FgContext *ctx, FgPairs *pairs);
extern void fg_pairs_free(FgPairs *pairs);

/* The number of a pair, FG_NONE when it has not come yet; *at is its slot, or the one for it. */
static inline uint32_t
fg_pairs_look(const FgPairs *pairs, uint32_t a, uint32_t b, uint32_t *at)
{
	*at = fg_hash_pair(pairs->ctx->seed, a, b) & pairs->mask;
	for (;;)
	{
		uint32_t	number = pairs->slot[*at];

		if (number == 0)
			return FG_NONE;
		if (pairs->pairs[number - 1].a == a && pairs->pairs[number - 1].b == b)
			return number - 1;
		*at = (*at + 1) & pairs->mask;
	}
}

static inline uint32_t
fg_pairs_find(const FgPairs *pairs, uint32_t a, uint32_t b)
{
	uint32_t	at;

	return fg_pairs_look(pairs, a, b, &at);
}

/* Adds a pair that was looked for just before and has not come yet; its number is the count. */
extern bool fg_pairs_add_at(FgPairs *pairs, uint32_t a, uint32_t b, uint32_t at);

/* The number of a pair, which is new when it equals the count from before. */
extern bool fg_pairs_add(FgPairs *pairs, uint32_t a, uint32_t b, uint32_t *number);

/*
 * order[i] becomes the number of the i-th pair, by a, then by b; each is below
 * "limit" or FG_NONE.  Linear.
 */
extern bool fg_pairs_order(const FgPairs *pairs, uint32_t limit, uint32_t *order);

#endif							/* FG_PAIRS_H */
