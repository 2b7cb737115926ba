/*
 * blocks.h
 *	  Large blocks of memory that are kept for the next call when they are free.
 *
 * A profile of 60,000 nodes is some arrays of half a megabyte, and each function has its
 * own.  malloc gives blocks of this size back to the system as soon as they are free,
 * and the next call then pays a page fault for every 4 kB of them again, which costs more
 * than the work on them.  So the core's large arrays come from blocks that stay in a
 * memory context of ours, up to the setting flamegraph.kept_memory.  What other code of
 * the session allocates is not touched.
 *
 * Measured as processor time of the backend, without kept memory and with 32 MB: sum(fg)
 * of 200 profiles of 60,000 nodes from 30.5 to 35.1 million nodes a second (33,600 and 14
 * page faults), a - b from 4.3 to 3.7 ms a pair (660 and 0), the best formula through a
 * million points from 212 to 188 ms.  8 MB do for a - b, 128 MB give the last one 5 ms more.
 *
 * A block is lent to a memory context and comes back when that is reset or deleted, like
 * any chunk in it.  But it is no chunk of it: pfree() and repalloc() must never see one.
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

/* The size of a block; 0 when the pointer is a chunk of some other memory context. */
extern Size fg_block_size(void *pointer);

/* Takes a block back before its owner goes. */
extern void fg_block_return(void *pointer);

/* The bytes of all blocks that this owner has now. */
extern Size fg_blocks_lent(MemoryContext owner);

#endif							/* FG_BLOCKS_H */
