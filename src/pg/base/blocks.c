/*
 * blocks.c
 *	  Large blocks of memory that are kept when they are free (see blocks.h).
 */
#include "pg/base/blocks.h"

#include "lib/ilist.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* Smaller blocks cost little, and the more they are, the longer one is looked for. */
#define SMALLEST	((Size) 64 * 1024)

/* Larger ones are rare, and copying one when it grows must not take long. */
#define LARGEST		((Size) 64 * 1024 * 1024)

typedef struct Owner
{
	MemoryContext memory;		/* the key */
	dlist_head	blocks;			/* lent to it */
	MemoryContextCallback callback;
} Owner;

typedef struct Block
{
	void	   *pointer;		/* the key */
	Size		size;
	dlist_node	node;			/* among its owner's blocks, or in free_blocks */
} Block;

static int	kept_memory = 32 * 1024;	/* the setting, in kB */
static MemoryContext blocks_memory = NULL;	/* holds the blocks and both tables */
static HTAB *blocks = NULL;
static HTAB *owners = NULL;
static dlist_head free_blocks = DLIST_STATIC_INIT(free_blocks); /* the last one returned first */
static Size total = 0;			/* bytes of all blocks, lent or free */

/* --- free blocks ----------------------------------------------------------------- */

static void
forget_block(Block *block)
{
	void	   *pointer = block->pointer;

	dlist_delete(&block->node);
	total -= block->size;
	hash_search(blocks, &pointer, HASH_REMOVE, NULL);
	pfree(pointer);
}

/* Gives free blocks back to the system, the oldest first, until "more" bytes have room. */
static bool
make_room(Size more, Size limit)
{
	while (total + more > limit && !dlist_is_empty(&free_blocks))
		forget_block(dlist_container(Block, node, dlist_tail_node(&free_blocks)));
	return total + more <= limit;
}

/* The smallest free block that fits; one of more than twice the size is for somebody else. */
static Block *
find_free(Size size)
{
	Block	   *best = NULL;
	dlist_iter	i;

	dlist_foreach(i, &free_blocks)
	{
		Block	   *block = dlist_container(Block, node, i.cur);

		if (block->size >= size && block->size <= 2 * size &&
			(best == NULL || block->size < best->size))
			best = block;
		if (best != NULL && best->size == size)
			break;
	}
	if (best != NULL)
		dlist_delete(&best->node);
	return best;
}

/* --- new blocks ------------------------------------------------------------------- */

static HTAB *
create_table(const char *name, Size entry)
{
	HASHCTL		control = {
		.keysize = sizeof(void *),
		.entrysize = entry,
		.hcxt = blocks_memory
	};

	return hash_create(name, 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
create_tables(void)
{
	if (blocks_memory == NULL)
		blocks_memory = AllocSetContextCreate(TopMemoryContext, "flamegraph blocks",
											  ALLOCSET_DEFAULT_SIZES);
	if (blocks == NULL)
		blocks = create_table("flamegraph blocks", sizeof(Block));
	if (owners == NULL)
		owners = create_table("flamegraph owners", sizeof(Owner));
}

/* Sizes in steps of an eighth: the arrays of profiles that are much alike fit each other's. */
static Size
round_up(Size size)
{
	Size		step = SMALLEST / 8;

	while (step * 16 < size)
		step *= 2;
	return (size + step - 1) / step * step;
}

static Block *
new_block(Size size)
{
	void	   *pointer = NULL;
	Block	   *block;

	if (!make_room(size, (Size) kept_memory * 1024))
		return NULL;
	/*
	 * The entry comes first: making it may throw, and then no memory must be lost.  It
	 * stands under NULL as long as it has none, and is found there the next time.
	 */
	block = hash_search(blocks, &pointer, HASH_ENTER, NULL);
	pointer = MemoryContextAllocExtended(blocks_memory, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (pointer == NULL)
		return NULL;
	hash_update_hash_key(blocks, block, &pointer);
	block->size = size;
	total += size;
	return block;
}

/* --- owners ------------------------------------------------------------------------ */

/* The owner is reset or deleted. */
static void
take_back(void *arg)
{
	Owner	   *owner = arg;
	MemoryContext memory = owner->memory;

	while (!dlist_is_empty(&owner->blocks))
		dlist_push_head(&free_blocks, dlist_pop_head_node(&owner->blocks));
	hash_search(owners, &memory, HASH_REMOVE, NULL);
	/* the setting may have become smaller meanwhile */
	make_room(0, (Size) kept_memory * 1024);
}

static Owner *
find_owner(MemoryContext memory)
{
	bool		found;
	Owner	   *owner = hash_search(owners, &memory, HASH_ENTER, &found);

	if (!found)
	{
		dlist_init(&owner->blocks);
		owner->callback = (MemoryContextCallback) {.func = take_back, .arg = owner};
		MemoryContextRegisterResetCallback(memory, &owner->callback);
	}
	return owner;
}

/* --- lending ------------------------------------------------------------------------ */

void *
fg_block_lend(MemoryContext owner, Size size)
{
	Owner	   *borrower;
	Block	   *block;

	if (size < SMALLEST || size > LARGEST || kept_memory == 0)
		return NULL;
	create_tables();
	size = round_up(size);
	borrower = find_owner(owner);
	block = find_free(size);
	if (block == NULL)
		block = new_block(size);
	if (block == NULL)
		return NULL;
	dlist_push_head(&borrower->blocks, &block->node);
	return block->pointer;
}

static Block *
find_block(void *pointer)
{
	if (blocks_memory == NULL || GetMemoryChunkContext(pointer) != blocks_memory)
		return NULL;
	return hash_search(blocks, &pointer, HASH_FIND, NULL);
}

Size
fg_block_size(void *pointer)
{
	const Block *block = find_block(pointer);

	return block != NULL ? block->size : 0;
}

void
fg_block_return(void *pointer)
{
	Block	   *block = find_block(pointer);

	Assert(block != NULL);
	dlist_delete(&block->node);
	dlist_push_head(&free_blocks, &block->node);
	make_room(0, (Size) kept_memory * 1024);
}

Size
fg_blocks_lent(MemoryContext memory)
{
	Owner	   *owner = owners != NULL ? hash_search(owners, &memory, HASH_FIND, NULL) : NULL;
	Size		lent = 0;
	dlist_iter	i;

	if (owner == NULL)
		return 0;
	dlist_foreach(i, &owner->blocks)
		lent += dlist_container(Block, node, i.cur)->size;
	return lent;
}

/* --- the setting --------------------------------------------------------------------- */

static void
set_kept_memory(int kilobytes, void *extra)
{
	(void) extra;
	make_room(0, (Size) kilobytes * 1024);
}

void
fg_blocks_init(void)
{
	DefineCustomIntVariable("flamegraph.kept_memory",
							"Memory for large arrays that a session keeps from one call to the next.",
							"0 keeps none.", &kept_memory, kept_memory, 0, 1024 * 1024, PGC_USERSET,
							GUC_UNIT_KB, NULL, set_kept_memory, NULL);
}
