/*
 * chunks.c
 *	  Bytes that wait, in chunks (see chunks.h).
 */
#include "core/reading/chunks.h"

void
fg_chunks_drop(FgChunks *chunks, const FgChunk *before)
{
	while (chunks->first != NULL && chunks->first != before)
	{
		FgChunk    *next = chunks->first->next;

		fg_release(chunks->ctx, chunks->first);
		chunks->first = next;
	}
	if (chunks->first == NULL)
		chunks->last = NULL;
}

void
fg_chunks_free(FgChunks *chunks)
{
	fg_chunks_drop(chunks, NULL);
}

bool
fg_chunks_grow(FgChunks *chunks, size_t bytes)
{
	FgChunk    *chunk;

	if (bytes > FG_CHUNK_BYTES)
		return fg_fail(chunks->ctx, FG_ERROR_LIMIT, "a piece of %zu bytes is too large", bytes);
	chunk = fg_alloc(chunks->ctx, 1, sizeof(FgChunk));
	if (chunk == NULL)
		return false;
	chunk->next = NULL;
	chunk->size = 0;
	if (chunks->last != NULL)
		chunks->last->next = chunk;
	else
		chunks->first = chunk;
	chunks->last = chunk;
	return true;
}

FgChunkWalk
fg_chunks_walk(const FgChunks *chunks)
{
	return (FgChunkWalk) {chunks->first, chunks->first != NULL ? chunks->first->bytes : NULL};
}
