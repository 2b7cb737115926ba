/*
 * jfr_pools.h
 *	  The constants of a chunk: stacks, methods, names and threads that events refer to by keys.
 *
 * They come in checkpoints among the events, each with some constants of some classes.  A
 * constant may refer to others that come later, so nothing is looked up before the chunk is
 * whole.  Constants of the classes that are wanted are kept as they stand in the file, and a
 * table says where each key is.  A key that comes twice has its first constant, as the JDK has it; a
 * key that has none is null.
 */
#ifndef FG_JFR_POOLS_H
#define FG_JFR_POOLS_H

#include "core/jfr/jfr_metadata.h"

/* Classes of which constants are wanted: those of stacks, frames, threads and their texts. */
#define FG_JFR_MAX_POOLS 16

/* Of all wanted classes of a chunk. */
#define FG_JFR_MAX_CONSTANTS (UINT32_C(1) << 24)
#define FG_JFR_MAX_KEPT ((size_t) 512 << 20)

typedef struct FgJfrPool
{
	uint32_t	class_at;
	uint64_t   *keys;
	size_t		key_room;
	uint32_t   *places;			/* in the bytes that are kept */
	size_t		place_room;
	uint32_t	count;
	uint32_t   *slots;			/* numbers + 1 by hash, 0 where free */
	uint32_t	mask;
} FgJfrPool;

typedef struct FgJfrPools
{
	FgContext  *ctx;
	FgJfrMetadata *metadata;
	FgBuffer	kept;
	FgJfrPool	pools[FG_JFR_MAX_POOLS];
	int			count;
	int			texts;			/* the pool of java.lang.String; -1: none */
	uint64_t	constants;
	uint64_t	missing;		/* keys that were looked up and have no constant */
} FgJfrPools;

extern void fg_jfr_pools_begin(FgJfrPools *pools, FgContext *ctx);
extern void fg_jfr_pools_free(FgJfrPools *pools);

/* Forgets the constants of a chunk, and with "classes" also which are wanted. */
extern void fg_jfr_pools_clear(FgJfrPools *pools, bool classes);

/* The number of the pool of this class, which is wanted from now on; -1 with the error set. */
extern int	fg_jfr_pools_want(FgJfrPools *pools, uint32_t class_at);

/* All pools that the text of this field may be in. */
extern bool fg_jfr_pools_want_text(FgJfrPools *pools, const FgJfrField *field);

/* Enters the constants of a checkpoint, in the order of the file; its bytes are copied. */
extern bool fg_jfr_pools_enter(FgJfrPools *pools, FgJfrBytes *bytes);

/* The number of a constant in its pool, FG_NONE: there is none. */
extern uint32_t fg_jfr_pools_find(FgJfrPools *pools, int pool, uint64_t key);

/* The constant, and all that is kept behind it. */
extern FgJfrBytes fg_jfr_pools_constant(const FgJfrPools *pools, int pool, uint32_t number);

/* The text of a field at this place, where its program has put a mark; NULL: it has no such field. */
extern bool fg_jfr_pools_text(FgJfrPools *pools, const FgJfrField *field, const uint8_t *at,
							  FgBuffer *buffer, FgJfrText *text);

#endif							/* FG_JFR_POOLS_H */
