/*
 * path_order.h
 *	  Puts the stacks of a text in the order of the tree, so that a builder only has to
 *	  append.
 *
 * Stacks of a program are long and share much: two neighbours of a sorted text of some
 * thousand stacks have half of their two kilobytes in common.  So this is a merge sort that
 * keeps, beside each stack, how many bytes it shares with the one before it (Ng and
 * Kakehi, "Merging string sequences by longest common prefixes", 2008).  Where those numbers
 * differ they decide which of two stacks comes first, and bytes that were found equal
 * are not read again.  Stacks that come in order, or are added while those next to them
 * are still in the cache, are merged there.
 *
 * Equal stacks stay in the order in which they came: their values are added in it, and
 * sums of fractions depend on that.
 */
#ifndef FG_PATH_ORDER_H
#define FG_PATH_ORDER_H

#include "core/base/context.h"

typedef struct FgTextPath
{
	const char *path;			/* must live as long as the order */
	uint32_t	length;
	double		value;
} FgTextPath;

typedef struct FgPathPlace
{
	uint64_t	word;			/* the eight bytes of the path from the last multiple of 8 up to "same" on */
	uint32_t	same;			/* bytes shared with the stack at the place before */
	uint32_t	stack;
} FgPathPlace;

/* Each run of places is sorted; each but the first is at most half as long as the one before. */
#define FG_PATH_RUNS 34

typedef struct FgPathOrder
{
	FgContext  *ctx;
	char		separator;		/* comes before all other bytes */
	FgTextPath    *stacks;			/* as they were added */
	size_t		stacks_capacity;
	FgPathPlace *places;		/* in order, after fg_path_order_finish */
	size_t		places_capacity;
	FgPathPlace *aside;		/* the left one of two runs that are merged */
	size_t		aside_capacity;
	uint32_t	count;
	uint32_t	run[FG_PATH_RUNS]; /* where they start */
	uint32_t	nruns;
} FgPathOrder;

extern void fg_path_order_begin(FgContext *ctx, FgPathOrder *order, char separator);
extern bool fg_path_order_add(FgPathOrder *order, const char *path, uint32_t length, double value);
extern bool fg_path_order_finish(FgPathOrder *order);
extern void fg_path_order_free(FgPathOrder *order);

#endif							/* FG_PATH_ORDER_H */
