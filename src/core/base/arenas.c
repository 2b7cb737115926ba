/*
 * arenas.c
 *	  Large blocks of memory, cut from arenas (see arenas.h).
 *
 * An arena begins with what is known of it: for each unit how many its block has, if one begins there.  A look for room
 * goes from block to block; an arena of 8 MB has 2,000 units.
 */
#include "core/base/arenas.h"

#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#endif

#define PAGE ((size_t) 4096)
#define LARGE_PAGE ((size_t) 2 * 1024 * 1024)

/*
 * A block of more than half of it is an arena of its own.  With what malloc puts before it, it is some large pages as
 * they are, where the system lays large blocks at the beginning of one.
 */
#define ARENA_BYTES (4 * LARGE_PAGE - PAGE)

struct FgArena
{
	FgArena    *next;
	size_t		size;			/* that was taken */
	uint8_t    *begin;			/* of the first unit, on a page of its own */
	size_t		units;
	size_t		lent;			/* units */
	size_t		room;			/* no more units than these are free in a row */
	uint32_t	blocks[];		/* by unit: how many the block that begins there has */
};

/* --- pages ------------------------------------------------------------------------------ */

void
fg_ask_for_large_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t	begin = ((uintptr_t) block + PAGE - 1) / PAGE * PAGE;
	uintptr_t	end = ((uintptr_t) block + size) / PAGE * PAGE;

	/* where it is refused, pages are small */
	if (end > begin && end - begin >= LARGE_PAGE)
		(void) madvise((void *) begin, end - begin, MADV_HUGEPAGE);
#else
	(void) block;
	(void) size;
#endif
}

/* --- arenas ----------------------------------------------------------------------------- */

static size_t
units_of(size_t size)
{
	return (size + FG_ARENA_UNIT - 1) / FG_ARENA_UNIT | 1;
}

/* What stands before the units, and what is lost to begin on a page. */
static size_t
overhead(size_t units)
{
	return sizeof(FgArena) + units * sizeof(uint32_t) + PAGE;
}

static void
give_back(FgArenas *arenas, FgArena **link)
{
	FgArena    *arena = *link;

	*link = arena->next;
	arenas->total -= arena->size;
	arenas->give(arenas->arg, arena);
}

/* Until "more" bytes have room, if they ever can; the arenas that were not used for the longest time are the last ones. */
static bool
make_room(FgArenas *arenas, size_t more)
{
	if (more > arenas->limit)
		return false;
	while (arenas->total > arenas->limit || more > arenas->limit - arenas->total)
	{
		FgArena   **oldest = NULL;

		for (FgArena **link = &arenas->first; *link != NULL; link = &(*link)->next)
		{
			if ((*link)->lent == 0)
				oldest = link;
		}
		if (oldest == NULL)
			return false;
		give_back(arenas, oldest);
	}
	return true;
}

static FgArena *
make_arena(FgArenas *arenas, size_t units)
{
	size_t		size = units * FG_ARENA_UNIT + overhead(units);
	FgArena    *arena = make_room(arenas, size) ? arenas->take(arenas->arg, size) : NULL;
	uintptr_t	begin;

	if (arena == NULL)
		return NULL;
	begin = ((uintptr_t) arena + overhead(units) - 1) / PAGE * PAGE;
	*arena = (FgArena) {.next = arenas->first, .size = size, .begin = (uint8_t *) begin, .units = units, .room = units};
	memset(arena->blocks, 0, units * sizeof(uint32_t));
	fg_ask_for_large_pages(arena, size);
	arenas->first = arena;
	arenas->total += size;
	return arena;
}

/* How many units an arena of so many bytes has. */
static size_t
units_within(size_t size)
{
	size_t		most = size / FG_ARENA_UNIT;
	size_t		lost = (overhead(most) + FG_ARENA_UNIT - 1) / FG_ARENA_UNIT;

	return most > lost ? most - lost : 0;
}

/* An arena with room for a block: one as usual, or what is left of the limit. */
static FgArena *
new_arena(FgArenas *arenas, size_t units)
{
	size_t		usual = units_within(ARENA_BYTES);
	FgArena    *arena = units <= usual / 2 ? make_arena(arenas, usual) : NULL;
	size_t		left = arenas->limit > arenas->total ? units_within(arenas->limit - arenas->total) : 0;

	if (arena != NULL)
		return arena;
	return make_arena(arenas, left > units && left < usual ? left : units);
}

/* --- blocks ----------------------------------------------------------------------------- */

/* The first units in a row that are free, so many of them; arena->units: there are none. */
static size_t
find_room(FgArena *arena, size_t units)
{
	size_t		begin = 0;
	size_t		at = 0;

	if (units > arena->room)
		return arena->units;
	while (at < arena->units && at - begin < units)
	{
		if (arena->blocks[at] == 0)
			at++;
		else
			begin = at += arena->blocks[at];
	}
	if (at - begin == units)
		return begin;
	arena->room = units - 1;
	return arena->units;
}

static void *
cut(FgArena *arena, size_t begin, size_t units)
{
	arena->blocks[begin] = (uint32_t) units;
	arena->lent += units;
	return arena->begin + begin * FG_ARENA_UNIT;
}

void *
fg_arenas_lend(FgArenas *arenas, size_t size)
{
	size_t		units = units_of(size);
	FgArena    *arena;

	if (size < FG_ARENA_SMALLEST || size > FG_ARENA_LARGEST)
		return NULL;
	for (arena = arenas->first; arena != NULL; arena = arena->next)
	{
		size_t		begin = find_room(arena, units);

		if (begin < arena->units)
			return cut(arena, begin, units);
	}
	arena = size >= FG_ARENA_BEGIN ? new_arena(arenas, units) : NULL;
	return arena != NULL ? cut(arena, 0, units) : NULL;
}

/* The arena that a block is in. */
static FgArena *
find_arena(const FgArenas *arenas, const void *block)
{
	for (FgArena *arena = arenas->first; arena != NULL; arena = arena->next)
	{
		if ((uintptr_t) block - (uintptr_t) arena->begin < arena->units * FG_ARENA_UNIT)
			return arena;
	}
	return NULL;
}

static size_t
unit_of(const FgArena *arena, const void *block)
{
	return (size_t) ((const uint8_t *) block - arena->begin) / FG_ARENA_UNIT;
}

size_t
fg_arenas_size(const FgArenas *arenas, const void *block)
{
	const FgArena *arena = find_arena(arenas, block);

	return arena != NULL ? arena->blocks[unit_of(arena, block)] * FG_ARENA_UNIT : 0;
}

/* Are these units behind a block free? */
static bool
is_free(const FgArena *arena, size_t begin, size_t end)
{
	if (end > arena->units)
		return false;
	for (size_t at = begin; at < end; at++)
	{
		if (arena->blocks[at] != 0)
			return false;
	}
	return true;
}

bool
fg_arenas_resize(FgArenas *arenas, void *block, size_t size)
{
	FgArena    *arena = find_arena(arenas, block);
	size_t		unit = unit_of(arena, block);
	size_t		had = arena->blocks[unit];
	size_t		units;

	if (size > FG_ARENA_LARGEST)
		return false;
	units = units_of(size);
	if (units == had)
		return true;
	if (!is_free(arena, unit + had, unit + units))
		return false;
	arena->blocks[unit] = (uint32_t) units;
	arena->lent += units - had;
	if (units < had)
		arena->room = arena->units;
	return true;
}

void
fg_arenas_return(FgArenas *arenas, void *block)
{
	FgArena    *arena = find_arena(arenas, block);
	size_t		unit = unit_of(arena, block);

	arena->lent -= arena->blocks[unit];
	arena->blocks[unit] = 0;
	arena->room = arena->units;
	/* the limit may have become smaller meanwhile */
	make_room(arenas, 0);
}

void
fg_arenas_set_limit(FgArenas *arenas, size_t limit)
{
	arenas->limit = limit;
	make_room(arenas, 0);
}

/* --- a context over malloc -------------------------------------------------------------- */

static void *
take_memory(void *arg, size_t size)
{
	(void) arg;
	return malloc(size);
}

static void
give_memory(void *arg, void *memory)
{
	(void) arg;
	free(memory);
}

static void *
arenas_alloc(void *arg, size_t size)
{
	void	   *block = fg_arenas_lend(arg, size);

	if (block != NULL)
		return block;
	block = malloc(size);
	if (block != NULL)
		fg_ask_for_large_pages(block, size);
	return block;
}

static void
arenas_release(void *arg, void *pointer)
{
	if (fg_arenas_size(arg, pointer) > 0)
		fg_arenas_return(arg, pointer);
	else
		free(pointer);
}

static void *
arenas_resize(void *arg, void *pointer, size_t size)
{
	size_t		room = fg_arenas_size(arg, pointer);
	void	   *moved;

	if (room == 0)
		return realloc(pointer, size);
	if (fg_arenas_resize(arg, pointer, size))
		return pointer;
	moved = arenas_alloc(arg, size);
	if (moved == NULL)
		return NULL;
	memcpy(moved, pointer, room);
	fg_arenas_return(arg, pointer);
	return moved;
}

FgContext
fg_arenas_context(FgArenas *arenas, size_t limit)
{
	FgContext	ctx = fg_malloc_context();

	*arenas = (FgArenas) {.take = take_memory, .give = give_memory, .limit = limit};
	ctx.alloc = arenas_alloc;
	ctx.resize = arenas_resize;
	ctx.release = arenas_release;
	ctx.arg = arenas;
	return ctx;
}
