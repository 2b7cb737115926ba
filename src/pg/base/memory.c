/*
 * memory.c
 *	  Memory and interrupts of the core in a server process (see memory.h).
 */
#include "pg/base/memory.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* Decoded profiles may exceed 1 GB (codec.h), hence the huge allocations. */
static void *
context_alloc(void *arg, size_t size)
{
	return MemoryContextAllocExtended((MemoryContext) arg, size, MCXT_ALLOC_HUGE);
}

static void *
context_resize(void *arg, void *pointer, size_t size)
{
	(void) arg;
	return repalloc_huge(pointer, size);
}

static void
context_release(void *arg, void *pointer)
{
	(void) arg;
	pfree(pointer);
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
