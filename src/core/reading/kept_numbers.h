/*
 * kept_numbers.h
 *	  Numbers that wait until what they belong to is known, in few bytes.
 *
 * Samples of profilers are numbers of stacks, and times between them: small whole numbers,
 * which mostly differ little from the one before or not at all.  A whole number is written
 * as its difference from the last whole one, other numbers as their eight bytes, and what
 * comes again as how many times it does.  So a sample takes a byte or two, and a thread that
 * waits takes none.  Every number comes back bit for bit.
 */
#ifndef FG_KEPT_NUMBERS_H
#define FG_KEPT_NUMBERS_H

#include "core/reading/chunks.h"

typedef struct FgKeptNumbers
{
	FgChunks	chunks;
	size_t		count;
	uint64_t	last;			/* the bits of the last number */
	int64_t		whole;			/* the last whole one */
	uint64_t	again;			/* how often the last one came again, and that is not written yet */
} FgKeptNumbers;

typedef struct FgKeptWalk
{
	FgKeptNumbers   *kept;
	FgChunkWalk at;
	size_t		left;
	double		number;
	int64_t		whole;
	uint64_t	again;
	bool		drops;			/* gives memory back while it goes */
} FgKeptWalk;

extern void fg_kept_numbers_begin(FgContext *ctx, FgKeptNumbers *kept);
extern void fg_kept_numbers_free(FgKeptNumbers *kept);

/* A number that is not the last one again. */
extern bool fg_kept_numbers_add_other(FgKeptNumbers *kept, double number);

static inline bool
fg_kept_numbers_add(FgKeptNumbers *kept, double number)
{
	if (kept->count > 0 && fg_double_bits(number) == kept->last)
	{
		kept->again++;
		kept->count++;
		return true;
	}
	return fg_kept_numbers_add_other(kept, number);
}

/* From the first number on, while none is added; "drops": none are left behind the walk. */
extern FgKeptWalk fg_kept_numbers_walk(FgKeptNumbers *kept, bool drops);

extern void fg_kept_number_read(FgKeptWalk *walk);

/* The next number; false: there is none. */
static inline bool
fg_kept_number_next(FgKeptWalk *walk, double *number)
{
	if (walk->left == 0)
		return false;
	walk->left--;
	if (walk->again > 0)
		walk->again--;
	else
		fg_kept_number_read(walk);
	*number = walk->number;
	return true;
}

#endif							/* FG_KEPT_NUMBERS_H */
