/*
 * memory.h
 *	  What the core needs of its surroundings (core/base/context.h), in a server process.
 */
#ifndef FG_MEMORY_H
#define FG_MEMORY_H

#include "pg/base/pg_compat.h"

#include "core/base/context.h"

/*
 * A core context whose memory comes from a MemoryContext: allocation throws, so
 * core functions see no failure, and the interrupt hook is
 * CHECK_FOR_INTERRUPTS().  Whatever they hold then goes with the context.
 */
extern FgContext fg_context_in(MemoryContext memory);
#define fg_current_context() fg_context_in(CurrentMemoryContext)

/*
 * Bytes that the core allocated in this context, as a chunk that may leave it: a value
 * that PostgreSQL may pfree().  Large ones are copied (blocks.h says why).
 */
extern void *fg_chunk(FgContext *ctx, void *bytes, size_t size);

#endif							/* FG_MEMORY_H */
