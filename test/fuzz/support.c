/*
 * support.c
 *	  Helpers of the fuzz targets (see support.h).
 */
#include "support.h"

#include "core/profile/codec.h"

#include <malloc.h>
#include <sanitizer/asan_interface.h>

#define FUZZ_MEMORY ((size_t) 256 * 1024 * 1024)

static size_t live_bytes;
static size_t live_blocks;

void
fuzz_violated(const char *file, int line, const char *property)
{
	fprintf(stderr, "%s:%d: violated: %s\n", file, line, property);
	abort();
}

/*
 * The core takes some arrays of a few hundred kB for every tree, however small.
 * From malloc under AddressSanitizer each of them is mapped and faulted in anew,
 * which is most of a run's time; so these are kept and poisoned here, where they
 * are not in use and behind their end.
 */
#define LARGE_BLOCKS	16
#define LARGE_CAPACITY	((size_t) 600 * 1024)
#define LARGE_SIZE		((size_t) 100 * 1024)

typedef struct LargeBlock
{
	uint8_t    *bytes;
	size_t		size;			/* 0 when it is free */
} LargeBlock;

static LargeBlock large_blocks[LARGE_BLOCKS];

static void *
large_alloc(size_t size)
{
	for (LargeBlock *block = large_blocks; block < large_blocks + LARGE_BLOCKS; block++)
	{
		if (block->size > 0)
			continue;
		if (block->bytes == NULL)
			block->bytes = malloc(LARGE_CAPACITY);
		block->size = size;
		__asan_poison_memory_region(block->bytes, LARGE_CAPACITY);
		__asan_unpoison_memory_region(block->bytes, size);
		return block->bytes;
	}
	return NULL;
}

static LargeBlock *
large_find(const void *pointer)
{
	for (LargeBlock *block = large_blocks; block < large_blocks + LARGE_BLOCKS; block++)
	{
		if (block->size > 0 && block->bytes == pointer)
			return block;
	}
	return NULL;
}

/* malloc_usable_size is exact under AddressSanitizer. */
static size_t
block_size(void *pointer)
{
	const LargeBlock *large = large_find(pointer);

	return large != NULL ? large->size : malloc_usable_size(pointer);
}

static void *
bounded_alloc(void *arg, size_t size)
{
	void	   *pointer = NULL;

	(void) arg;
	if (size > FUZZ_MEMORY - live_bytes)
		return NULL;
	if (size >= LARGE_SIZE && size < LARGE_CAPACITY)
		pointer = large_alloc(size);
	if (pointer == NULL)
		pointer = malloc(size);
	if (pointer == NULL)
		return NULL;
	live_bytes += block_size(pointer);
	live_blocks++;
	return pointer;
}

static void
bounded_release(void *arg, void *pointer)
{
	LargeBlock *large = large_find(pointer);

	(void) arg;
	live_bytes -= block_size(pointer);
	live_blocks--;
	if (large == NULL)
	{
		free(pointer);
		return;
	}
	large->size = 0;
	__asan_poison_memory_region(large->bytes, LARGE_CAPACITY);
}

/* Always moves, so that a pointer kept over a resize is noticed. */
static void *
bounded_resize(void *arg, void *pointer, size_t size)
{
	size_t		old = block_size(pointer);
	void	   *moved = bounded_alloc(arg, size);

	if (moved == NULL)
		return NULL;
	memcpy(moved, pointer, old < size ? old : size);
	bounded_release(arg, pointer);
	return moved;
}

FgContext
fuzz_context(void)
{
	FgContext	ctx;

	memset(&ctx, 0, sizeof(ctx));
	ctx.alloc = bounded_alloc;
	ctx.resize = bounded_resize;
	ctx.release = bounded_release;
	return ctx;
}

void
fuzz_finish(void)
{
	REQUIRE(live_blocks == 0);
	REQUIRE(live_bytes == 0);
}

bool
fuzz_same_tree(const FgTree *a, const FgTree *b)
{
	if (a->nnodes != b->nnodes || !fg_frames_equal(&a->frames, &b->frames))
		return false;
	for (uint32_t i = 0; i <= a->nnodes; i++)
	{
		if (a->key[i] != b->key[i] || a->self[i] != b->self[i])
			return false;
	}
	return true;
}

void
fuzz_require_codec(FgContext *ctx, const FgTree *tree)
{
	uint8_t    *bytes = NULL;
	uint8_t    *again = NULL;
	size_t		size;
	size_t		size_again;
	FgTree		decoded;

	if (!fg_codec_encode(ctx, tree, 4, &bytes, &size))
	{
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
		return;
	}
	if (!fg_codec_validate(ctx, bytes + 4, size, &decoded))
	{
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
		fg_release(ctx, bytes);
		return;
	}
	REQUIRE(fuzz_same_tree(tree, &decoded));
	if (fg_codec_encode(ctx, &decoded, 0, &again, &size_again))
		REQUIRE(size == size_again && memcmp(bytes + 4, again, size) == 0);
	fg_release(ctx, again);
	fg_release(ctx, bytes);
	fg_tree_free(ctx, &decoded);
}

uint8_t
fuzz_byte(FuzzInput *input)
{
	return input->next < input->end ? *input->next++ : 0;
}
