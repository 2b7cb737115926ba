/*
 * chunks.h
 *	  Bytes that wait until something behind them in the file is known.
 *
 * They lie in chunks of one size that never move: a list that doubles has twice as much for a
 * while, and a walk can give chunks back while it goes.  What is written at once lies in one
 * chunk, so who reads it in the same pieces needs no checks of its own.
 */
#ifndef FG_CHUNKS_H
#define FG_CHUNKS_H

#include "core/base/bytes.h"

#define FG_CHUNK_BYTES 65520

typedef struct FgChunk
{
	struct FgChunk *next;
	size_t		size;
	uint8_t		bytes[FG_CHUNK_BYTES];
} FgChunk;

typedef struct FgChunks
{
	FgContext  *ctx;
	FgChunk    *first;
	FgChunk    *last;
} FgChunks;

/* The next piece to be read. */
typedef struct FgChunkWalk
{
	const FgChunk *chunk;
	const uint8_t *next;
} FgChunkWalk;

extern void fg_chunks_free(FgChunks *chunks);

/* A chunk that has room for another piece of so many bytes, which are at most FG_CHUNK_BYTES. */
extern bool fg_chunks_grow(FgChunks *chunks, size_t bytes);

/* Room for a piece in the last chunk; fg_chunks_written says where it has ended. */
static inline uint8_t *
fg_chunks_room(FgChunks *chunks, size_t bytes)
{
	if ((chunks->last == NULL || FG_CHUNK_BYTES - chunks->last->size < bytes) &&
		!fg_chunks_grow(chunks, bytes))
		return NULL;
	return chunks->last->bytes + chunks->last->size;
}

static inline void
fg_chunks_written(FgChunks *chunks, const uint8_t *end)
{
	chunks->last->size = (size_t) (end - chunks->last->bytes);
}

extern FgChunkWalk fg_chunks_walk(const FgChunks *chunks);

/* Gives back what lies in front of a chunk. */
extern void fg_chunks_drop(FgChunks *chunks, const FgChunk *before);

/* Is there another piece? */
static inline bool
fg_chunk_walk_more(FgChunkWalk *walk)
{
	while (walk->chunk != NULL && walk->next == walk->chunk->bytes + walk->chunk->size)
	{
		walk->chunk = walk->chunk->next;
		walk->next = walk->chunk != NULL ? walk->chunk->bytes : NULL;
	}
	return walk->chunk != NULL;
}

/* Numbers within a piece, as varints. */
static inline uint8_t *
fg_chunk_put(uint8_t *to, uint64_t value)
{
	while (value >= 0x80)
	{
		*to++ = (uint8_t) (value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t) value;
	return to;
}

static inline uint64_t
fg_chunk_take(FgChunkWalk *walk)
{
	uint64_t	value = *walk->next & 0x7F;

	for (unsigned shift = 7; *walk->next++ >= 0x80; shift += 7)
		value |= (uint64_t) (*walk->next & 0x7F) << shift;
	return value;
}

#endif							/* FG_CHUNKS_H */
