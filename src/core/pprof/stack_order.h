/*
 * stack_order.h
 *	  Stacks of numbers in the order of a tree: each follows the one that it shares most with.
 *
 * Stacks that go into a tree in its own order cost a step for each node that is new, and no
 * table of the nodes there are; in no order they cost a look-up for each of their frames.  So
 * many stacks are kept, put in order, and added.
 *
 * They lie one behind the other, from their roots, each with a 0 behind it; numbers count from 1 and take two bytes
 * where they can.  Ranks take their place when all are there, with the high byte first, so that eight bytes of a stack
 * are a key: four frames, or two.  Keys are sorted by digits, beside them lies where their stacks are, and what is equal is
 * sorted by the next eight bytes.  Work and polls go with the frames, however long the stacks are and however alike.
 *
 * Memory is taken once, for as much as may come: lists that grow would leave holes of several times their size.
 */
#ifndef FG_STACK_ORDER_H
#define FG_STACK_ORDER_H

#include "core/base/context.h"

#define FG_STACKS_AHEAD 16

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
	uint32_t	begin;			/* in the numbers */
	uint32_t	label;			/* the caller's */
} FgStackEntry;

typedef struct FgStackLists
{
	FgContext  *ctx;
	bool		wide;			/* numbers of four bytes */
	void	   *numbers;
	size_t		size;			/* how many, with the zeros */
	FgStackEntry *entries;		/* in order, after fg_stack_lists_order */
	uint32_t	count;
	size_t		nodes;			/* of the tree of all, when they are in order */
} FgStackLists;

/* There will be so many stacks at most, of so many frames together, with numbers up to "largest". */
extern bool fg_stack_lists_begin(FgContext *ctx, FgStackLists *lists, uint32_t stacks, size_t frames,
								 uint32_t largest);
extern void fg_stack_lists_free(FgStackLists *lists);

/* A stack of numbers from 0, the innermost first; these are one more from now on. */
extern bool fg_stack_lists_add(FgStackLists *lists, const uint32_t *stack, size_t depth, uint32_t label);

/*
 * Puts them in order by the ranks of their numbers, which are from 1 and not larger; rank[0] is 0.  One that begins another
 * comes first, and equal ones stay in the order in which they came.
 */
extern bool fg_stack_lists_order(FgStackLists *lists, const uint32_t *rank);

/* There are none any more. */
static inline void
fg_stack_lists_clear(FgStackLists *lists)
{
	lists->size = lists->count = 0;
}

/* A rank of a stack in order; 0 behind its last one. */
static inline uint32_t
fg_stack_rank(const FgStackLists *lists, size_t at)
{
	const uint8_t *bytes = (const uint8_t *) lists->numbers + at * (lists->wide ? 4 : 2);
	uint32_t	high = (uint32_t) bytes[0] << 8 | bytes[1];

	return lists->wide ? high << 16 | (uint32_t) bytes[2] << 8 | bytes[3] : high;
}

/* Stacks that are next to each other lie apart: asks for the one that comes some places later. */
static inline void
fg_stack_lists_ahead(const FgStackLists *lists, uint32_t at)
{
	if (lists->count - at > FG_STACKS_AHEAD)
		__builtin_prefetch((const uint8_t *) lists->numbers +
						   (size_t) lists->entries[at + FG_STACKS_AHEAD].begin * (lists->wide ? 4 : 2));
}

#endif							/* FG_STACK_ORDER_H */
