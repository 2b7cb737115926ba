/*
 * packed_numbers.h
 *	  Columns of numbers that wait until what they belong to is known, in few bits each.
 *
 * The samples of a thread are columns: numbers of stacks, weights, times.  A reader takes each column as it stands in
 * the file, and reads them side by side when the thread has ended.  The last numbers of a column lie as they are, in a
 * list that grows with them, so a thread of few samples takes little.  When a block of them is full it is packed: each
 * number as its distance from the least of its block, in as many bits as the largest distance has.  Numbers with up to
 * six decimals are whole ones of thousandths or millionths; a block with others keeps their bits.  Every number comes
 * back bit for bit, but for the kind of a NaN.
 *
 * Blocks lie in chunks that are as large as all before them together, up to 64 kB.
 */
#ifndef FG_PACKED_NUMBERS_H
#define FG_PACKED_NUMBERS_H

#include "core/base/context.h"

#define FG_PACKED_BLOCK 1024

typedef struct FgPackedChunk
{
	struct FgPackedChunk *next;
	size_t		size;
	size_t		room;
	uint8_t		bytes[];
} FgPackedChunk;

typedef struct FgPackedBlocks
{
	FgPackedChunk *first;
	FgPackedChunk *last;
	size_t		bytes;			/* of all chunks */
	size_t		count;			/* numbers in them */
} FgPackedBlocks;

typedef struct FgPackedIndices
{
	FgPackedBlocks blocks;
	uint32_t   *items;			/* behind the blocks */
	size_t		count;
	size_t		capacity;		/* at most FG_PACKED_BLOCK */
} FgPackedIndices;

typedef struct FgPackedDoubles
{
	FgPackedBlocks blocks;
	double	   *items;
	size_t		count;
	size_t		capacity;
} FgPackedDoubles;

extern void fg_packed_indices_free(FgContext *ctx, FgPackedIndices *numbers);
extern void fg_packed_doubles_free(FgContext *ctx, FgPackedDoubles *numbers);

/* Room for a number at least, behind items[count - 1]; an error when there are "limit" numbers. */
extern bool fg_packed_indices_room(FgContext *ctx, FgPackedIndices *numbers, size_t limit);
extern bool fg_packed_doubles_room(FgContext *ctx, FgPackedDoubles *numbers, size_t limit);

static inline size_t
fg_packed_indices_count(const FgPackedIndices *numbers)
{
	return numbers->blocks.count + numbers->count;
}

static inline size_t
fg_packed_doubles_count(const FgPackedDoubles *numbers)
{
	return numbers->blocks.count + numbers->count;
}

/* --- from the first number on, while none is added -------------------------------------- */

typedef struct FgPackedWalk
{
	const FgPackedChunk *chunk;
	const uint8_t *next;
	bool		ended;			/* nothing is left behind the block that is read */
} FgPackedWalk;

typedef struct FgIndexWalk
{
	const FgPackedIndices *numbers;
	FgPackedWalk at;
	const uint32_t *items;
	size_t		left;
	uint32_t	block[FG_PACKED_BLOCK];
} FgIndexWalk;

typedef struct FgDoubleWalk
{
	const FgPackedDoubles *numbers;
	FgPackedWalk at;
	const double *items;
	size_t		left;
	double		block[FG_PACKED_BLOCK];
} FgDoubleWalk;

extern void fg_index_walk(FgIndexWalk *walk, const FgPackedIndices *numbers);
extern void fg_double_walk(FgDoubleWalk *walk, const FgPackedDoubles *numbers);

/* The next numbers become the items of the walk; false: there are none. */
extern bool fg_index_walk_on(FgIndexWalk *walk);
extern bool fg_double_walk_on(FgDoubleWalk *walk);

static inline bool
fg_index_next(FgIndexWalk *walk, uint32_t *number)
{
	if (walk->left == 0 && !fg_index_walk_on(walk))
		return false;
	walk->left--;
	*number = *walk->items++;
	return true;
}

static inline bool
fg_double_next(FgDoubleWalk *walk, double *number)
{
	if (walk->left == 0 && !fg_double_walk_on(walk))
		return false;
	walk->left--;
	*number = *walk->items++;
	return true;
}

#endif							/* FG_PACKED_NUMBERS_H */
