/*
 * blocks.h
 *	  Large blocks of memory that are kept for the next call when they are free.
 *
 * The core's large arrays come from arenas (core/base/arenas.h says why) that stay in a memory context of ours, up to
 * the setting flamegraph.kept_memory.  What other code of the session allocates is not touched.
 *
 * A block is lent to a memory context and comes back when that is reset or deleted, like
 * any chunk in it.  But it is no chunk: pfree() and repalloc() must never see one.
 * Hence what leaves the core as a value goes through fg_chunk() (memory.h).  Nor is it
 * counted as memory of its owner, by which a hashed aggregate decides to go to disk; the
 * setting bounds that, too.
 */
#ifndef FG_BLOCKS_H
#define FG_BLOCKS_H

#include "pg/base/pg_compat.h"

/* When the module is loaded: the setting. */
extern void fg_blocks_init(void);

/* A block of at least this size, or NULL when none is to be had: then use the owner itself. */
extern void *fg_block_lend(MemoryContext owner, Size size);

/* The size of a block; 0 when the pointer is a chunk of some memory context. */
extern Size fg_block_size(const void *pointer);

/* As fg_arenas_resize. */
extern bool fg_block_resize(void *pointer, Size size);

/* Takes a block back before its owner goes. */
extern void fg_block_return(void *pointer);

/* The bytes of all blocks that this owner has now. */
extern Size fg_blocks_lent(MemoryContext owner);

#endif							/* FG_BLOCKS_H */
