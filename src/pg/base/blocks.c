/*
 * blocks.c
 *	  Large blocks of memory that are kept when they are free (see blocks.h).
 */
#include "pg/base/blocks.h"

#include "lib/ilist.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "core/base/arenas.h"

typedef struct Owner
{
	MemoryContext memory;		/* the key */
	dlist_head	blocks;			/* lent to it */
	MemoryContextCallback callback;
} Owner;

typedef struct Block
{
	void	   *pointer;		/* the key */
	dlist_node	node;			/* among its owner's blocks */
} Block;

static int	kept_memory = 32 * 1024;	/* the setting, in kB */
static MemoryContext blocks_memory = NULL;	/* holds the arenas and both tables */
static HTAB *blocks = NULL;		/* those that are lent */
static HTAB *owners = NULL;
static FgArenas arenas;

/* --- arenas ------------------------------------------------------------------------ */

static void *
take_memory(void *arg, size_t size)
{
	(void) arg;
	return MemoryContextAllocExtended(blocks_memory, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void
give_memory(void *arg, void *memory)
{
	(void) arg;
	pfree(memory);
}

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
	arenas.take = take_memory;
	arenas.give = give_memory;
}

/* --- owners ------------------------------------------------------------------------ */

static void
forget_block(Block *block)
{
	void	   *pointer = block->pointer;

	dlist_delete(&block->node);
	hash_search(blocks, &pointer, HASH_REMOVE, NULL);
	fg_arenas_return(&arenas, pointer);
}

/* The owner is reset or deleted. */
static void
take_back(void *arg)
{
	Owner	   *owner = arg;
	MemoryContext memory = owner->memory;

	while (!dlist_is_empty(&owner->blocks))
		forget_block(dlist_head_element(Block, node, &owner->blocks));
	hash_search(owners, &memory, HASH_REMOVE, NULL);
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
	void	   *pointer = NULL;
	Owner	   *borrower;
	Block	   *block;

	if (size < FG_ARENA_SMALLEST || size > FG_ARENA_LARGEST || kept_memory == 0)
		return NULL;
	create_tables();
	borrower = find_owner(owner);
	/*
	 * The entry comes first: making it may throw, and then no memory must be lost.  It
	 * stands under NULL as long as it has none, and is found there the next time.
	 */
	block = hash_search(blocks, &pointer, HASH_ENTER, NULL);
	pointer = fg_arenas_lend(&arenas, size);
	if (pointer == NULL)
		return NULL;
	hash_update_hash_key(blocks, block, &pointer);
	dlist_push_head(&borrower->blocks, &block->node);
	return pointer;
}

Size
fg_block_size(const void *pointer)
{
	return fg_arenas_size(&arenas, pointer);
}

bool
fg_block_resize(void *pointer, Size size)
{
	return fg_arenas_resize(&arenas, pointer, size);
}

void
fg_block_return(void *pointer)
{
	Block	   *block = hash_search(blocks, &pointer, HASH_FIND, NULL);

	Assert(block != NULL);
	forget_block(block);
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
		lent += fg_block_size(dlist_container(Block, node, i.cur)->pointer);
	return lent;
}

/* --- the setting --------------------------------------------------------------------- */

static void
set_kept_memory(int kilobytes, void *extra)
{
	(void) extra;
	fg_arenas_set_limit(&arenas, (Size) kilobytes * 1024);
}

void
fg_blocks_init(void)
{
	DefineCustomIntVariable("flamegraph.kept_memory",
							"Memory for large arrays that a session keeps from one call to the next.",
							"0 keeps none.", &kept_memory, kept_memory, 0, 1024 * 1024, PGC_USERSET,
							GUC_UNIT_KB, NULL, set_kept_memory, NULL);
}
