/*
 * id_index.h
 *	  Where in a list an id is: formats number nodes, functions and locations as
 *	  they like.
 */
#ifndef FG_ID_INDEX_H
#define FG_ID_INDEX_H

#include "core/base/context.h"

typedef struct FgIdIndex
{
	const uint64_t *ids;		/* the caller's */
	size_t		count;
	uint32_t   *slots;			/* positions + 1 by hash, 0 where free */
	uint32_t	mask;
	uint64_t	seed;
} FgIdIndex;

/*
 * For ids[0 .. count).  When two are equal it fails with "the same" positions set and
 * no error in ctx; otherwise same[0] = same[1] = 0.
 */
extern bool fg_id_index_make(FgContext *ctx, FgIdIndex *index, const uint64_t *ids, size_t count,
							 size_t same[2]);
extern void fg_id_index_free(FgContext *ctx, FgIdIndex *index);

/* SIZE_MAX when it is not there. */
extern size_t fg_id_index_find(const FgIdIndex *index, uint64_t id);

#endif							/* FG_ID_INDEX_H */
