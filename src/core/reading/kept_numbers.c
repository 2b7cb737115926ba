/*
 * kept_numbers.c
 *	  Numbers in few bytes (see kept_numbers.h).
 *
 * Pieces begin with a varint: an even one is the difference of a whole number from the last
 * whole one, zigzag and doubled; AGAIN goes before how often the last number comes again, RAW
 * before eight bytes.
 */
#include "core/reading/kept_numbers.h"

#include <math.h>

enum
{
	AGAIN = 1, RAW = 3
};

/* Whole numbers below are exact, and so are their differences. */
#define WHOLE_END 4503599627370496.0

#define PIECE_BYTES (2 * FG_VARINT_MAX)

void
fg_kept_numbers_begin(FgContext *ctx, FgKeptNumbers *kept)
{
	*kept = (FgKeptNumbers) {.chunks.ctx = ctx};
}

void
fg_kept_numbers_free(FgKeptNumbers *kept)
{
	fg_chunks_free(&kept->chunks);
}

static inline bool
is_whole(double number)
{
	return number > -WHOLE_END && number < WHOLE_END && (double) (int64_t) number == number &&
		!(number == 0 && signbit(number));
}

bool
fg_kept_numbers_add_other(FgKeptNumbers *kept, double number)
{
	uint8_t    *to = fg_chunks_room(&kept->chunks, 2 * PIECE_BYTES);

	if (to == NULL)
		return false;
	if (kept->again > 0)
		to = fg_chunk_put(fg_chunk_put(to, AGAIN), kept->again);
	if (is_whole(number))
	{
		int64_t		difference = (int64_t) number - kept->whole;

		to = fg_chunk_put(to, ((uint64_t) difference << 1 ^ (uint64_t) (difference >> 63)) << 1);
		kept->whole += difference;
	}
	else
	{
		to = fg_chunk_put(to, RAW);
		memcpy(to, &number, sizeof(number));
		to += sizeof(number);
	}
	fg_chunks_written(&kept->chunks, to);
	kept->again = 0;
	kept->last = fg_double_bits(number);
	kept->count++;
	return true;
}

FgKeptWalk
fg_kept_numbers_walk(FgKeptNumbers *kept, bool drops)
{
	FgKeptWalk walk = {
		.kept = kept, .at = fg_chunks_walk(&kept->chunks), .left = kept->count, .drops = drops
	};

	return walk;
}

void
fg_kept_number_read(FgKeptWalk *walk)
{
	const FgChunk *chunk = walk->at.chunk;
	uint64_t	head;

	/* what is not written is the last number again */
	if (!fg_chunk_walk_more(&walk->at))
		return;
	if (walk->drops && walk->at.chunk != chunk)
		fg_chunks_drop(&walk->kept->chunks, walk->at.chunk);
	head = fg_chunk_take(&walk->at);
	if (head == AGAIN)
		walk->again = fg_chunk_take(&walk->at) - 1;
	else if (head == RAW)
	{
		memcpy(&walk->number, walk->at.next, sizeof(double));
		walk->at.next += sizeof(double);
	}
	else
	{
		walk->whole += (int64_t) (head >> 2 ^ (0 - (head >> 1 & 1)));
		walk->number = (double) walk->whole;
	}
}
