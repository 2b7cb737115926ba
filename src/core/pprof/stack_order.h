/*
 * stack_order.h
 *	  Stacks of numbers in the order of a tree: each follows the one that it shares most with.
 *
 * Stacks that go into a tree in its own order cost a step for each node that is new, and no
 * table of the nodes there are; in no order they cost a look-up for each of their frames.  So
 * many stacks are kept, put in order, and added.
 *
 * They lie one behind the other, from their roots, each with a 0 behind it; a frame is its rank, from 1, and takes two
 * bytes where it can, the high one first, so that eight bytes of a stack are a key: four frames, or two.  Keys are
 * sorted by digits, beside them lies where their stacks are, and what is equal is sorted by the next eight bytes before
 * anything behind it: stacks that are next to each other in order lie apart, and are read while they are in the cache.
 * What a stack does not share with the one before is written down then, so that who adds them reads one list from its
 * beginning to its end.  Work and polls go with the frames, however long the stacks are and however alike.
 *
 * Memory is taken once, for as much as may come: lists that grow would leave holes of several times their size.
 */
#ifndef FG_STACK_ORDER_H
#define FG_STACK_ORDER_H

#include "core/base/context.h"

#include <string.h>

typedef struct FgStackEntry
{
	union
	{
		uint64_t	key;		/* of some frames; 0 behind the last one */
		struct
		{
			uint32_t	depth;
			uint32_t	same;	/* as many frames are those of the stack before */
		}			sorted;		/* in order */
	};
	uint32_t	begin;			/* in the ranks */
	uint32_t	label;			/* the caller's */
} FgStackEntry;

typedef struct FgStackLists
{
	FgContext  *ctx;
	bool		wide;			/* ranks of four bytes */
	void	   *ranks;
	size_t		size;			/* how many, with the zeros */
	FgStackEntry *entries;		/* in order, after fg_stack_lists_order */
	uint32_t	count;
	void	   *rest;			/* in order: the ranks that each stack does not share with the one before */
	size_t		nodes;			/* of the tree of all, when they are in order: as many as there are in the rest */
	uint32_t	deepest;		/* frames of the longest stack, when they are in order */
} FgStackLists;

/* There will be so many stacks at most, of so many frames together, with ranks up to "largest". */
extern bool fg_stack_lists_begin(FgContext *ctx, FgStackLists *lists, uint32_t stacks, size_t frames,
								 uint32_t largest);
extern void fg_stack_lists_free(FgStackLists *lists);

/* A stack of ranks, the innermost first. */
extern bool fg_stack_lists_add(FgStackLists *lists, const uint32_t *stack, size_t depth, uint32_t label);

/* One whose ranks the caller has put behind lists->size, the outermost first. */
extern bool fg_stack_lists_take(FgStackLists *lists, size_t depth, uint32_t label);

static inline size_t
fg_stack_bytes(bool wide)
{
	return wide ? sizeof(uint32_t) : sizeof(uint16_t);
}

/* Where the next stack goes; a rank takes fg_stack_bytes. */
static inline uint8_t *
fg_stack_lists_next(const FgStackLists *lists)
{
	return (uint8_t *) lists->ranks + lists->size * fg_stack_bytes(lists->wide);
}

/* "wide" is that of the lists, and known to the compiler. */
static inline void
fg_stack_put(uint8_t *to, bool wide, uint32_t rank)
{
	uint16_t	narrow = (uint16_t) rank;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	rank = __builtin_bswap32(rank);
	narrow = __builtin_bswap16(narrow);
#endif
	if (wide)
		memcpy(to, &rank, sizeof(rank));
	else
		memcpy(to, &narrow, sizeof(narrow));
}

/*
 * Puts them in order: one that begins another comes first, and equal ones stay in the order in which they came.
 * "last": no others will come, so that only what is in order is kept.
 */
extern bool fg_stack_lists_order(FgStackLists *lists, bool last);

/* There are none any more. */
extern void fg_stack_lists_clear(FgStackLists *lists);

/* Where a rank of the rest lies; others follow. */
static inline const uint8_t *
fg_stack_rest(const FgStackLists *lists, size_t at)
{
	return (const uint8_t *) lists->rest + at * fg_stack_bytes(lists->wide);
}

static inline uint32_t
fg_stack_get(const uint8_t *from, bool wide)
{
	uint32_t	high = (uint32_t) from[0] << 8 | from[1];

	return wide ? high << 16 | (uint32_t) from[2] << 8 | from[3] : high;
}

#endif							/* FG_STACK_ORDER_H */
