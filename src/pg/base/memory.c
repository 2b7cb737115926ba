/*
 * memory.c
 *	  Memory and interrupts of the core in a server process (see memory.h).
 */
#include "pg/base/memory.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/base/arenas.h"
#include "pg/base/blocks.h"

/* Decoded profiles may exceed 1 GB (codec.h), hence the huge allocations. */
static void *
context_alloc(void *arg, size_t size)
{
	void	   *block = fg_block_lend((MemoryContext) arg, size);

	if (block != NULL)
		return block;
	block = MemoryContextAllocExtended((MemoryContext) arg, size, MCXT_ALLOC_HUGE);
	fg_ask_for_large_pages(block, size);
	return block;
}

static void
context_release(void *arg, void *pointer)
{
	(void) arg;
	if (fg_block_size(pointer) > 0)
		fg_block_return(pointer);
	else
		pfree(pointer);
}

static void
copy_in_steps(char *to, const char *from, Size size)
{
	for (Size done = 0; done < size; done += FG_CHECK_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(to + done, from + done, Min(size - done, FG_CHECK_BYTES));
	}
}

static void *
context_resize(void *arg, void *pointer, size_t size)
{
	Size		room = fg_block_size(pointer);
	void	   *moved;

	if (room == 0)
		return repalloc_huge(pointer, size);
	if (fg_block_resize(pointer, size))
		return pointer;
	moved = context_alloc(arg, size);
	copy_in_steps(moved, pointer, room);
	fg_block_return(pointer);
	return moved;
}

static bool
context_interrupted(void *arg)
{
	(void) arg;
	CHECK_FOR_INTERRUPTS();
	return false;
}

/* One secret for the life of the process; hash tables need no better. */
static uint64
process_seed(void)
{
	static uint64 seed = 0;

	while (seed == 0)
	{
		if (!pg_strong_random(&seed, sizeof(seed)))
			seed = (uint64) GetCurrentTimestamp() ^ (uint64) MyProcPid << 32;
	}
	return seed;
}

FgContext
fg_context_in(MemoryContext memory)
{
	FgContext	ctx;

	memset(&ctx, 0, sizeof(ctx));
	ctx.seed = process_seed();
	ctx.alloc = context_alloc;
	ctx.resize = context_resize;
	ctx.release = context_release;
	ctx.interrupted = context_interrupted;
	ctx.arg = memory;
	return ctx;
}

void *
fg_chunk(FgContext *ctx, void *bytes, size_t size)
{
	void	   *chunk;

	if (fg_block_size(bytes) == 0)
		return bytes;
	chunk = MemoryContextAllocExtended((MemoryContext) ctx->arg, size, MCXT_ALLOC_HUGE);
	copy_in_steps(chunk, bytes, size);
	fg_block_return(bytes);
	return chunk;
}
