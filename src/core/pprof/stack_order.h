/*
 * stack_order.h
 *	  Stacks of numbers in the order of a tree: each follows the one that it shares most with.
 *
 * Stacks that go into a tree in its own order cost a step for each node that is new, and no
 * table of the nodes there are; in no order they cost a look-up for each of their frames.  So
 * many stacks are kept, put in order, and added.
 *
 * Four frames of each stack make a key (two where there are too many numbers), which lies
 * beside the stack's place; these are sorted by digits, and what is equal is sorted by the next
 * four.  Work and polls go with the frames, however long the stacks are and however alike.
 */
#ifndef FG_STACK_ORDER_H
#define FG_STACK_ORDER_H

#include "core/base/context.h"

typedef struct FgStackLists
{
	FgContext  *ctx;
	uint32_t   *numbers;		/* of all stacks, from their roots */
	size_t		size;
	size_t		room;
	size_t	   *ends;			/* of each stack's own */
	size_t		ends_room;
	uint32_t	count;
} FgStackLists;

extern void fg_stack_lists_free(FgStackLists *lists);

/* order[i] becomes the i-th stack, by the ranks of its numbers; one that begins another comes first. */
extern bool fg_stack_lists_order(const FgStackLists *lists, const uint32_t *rank, uint32_t ranks, uint32_t *order);

#endif							/* FG_STACK_ORDER_H */
