/*
 * arenas.h
 *	  Large blocks of memory, cut from arenas that are kept and lie in large pages where the system has them.
 *
 * A profile of 60,000 nodes is some arrays of half a megabyte, and each function has its own.  malloc gives blocks of
 * this size back to the system as soon as they are free, and the next call then pays a page fault for every 4 kB of them
 * again.  And what walks a tree or looks something up in a table waits for the translation of addresses, of which a
 * processor keeps two thousand or so: 8 MB of pages of 4 kB, and all that there is of pages of 2 MB.
 *
 * So blocks of FG_ARENA_SMALLEST and more are cut from arenas of some megabytes, which ask for large pages (madvise).  Free
 * blocks next to each other are one, and the first place that has room is taken, so that few arenas are touched.
 * An arena stays when all of it is free, until others need what is left of the limit.
 *
 * What cannot be lent (it is small or very large, or the limit is reached) comes from elsewhere: NULL is no error.
 *
 * Measured in turns: trees added up in the core, 174 and 205 million nodes a second, encoded ones 217 and 237; 300,000
 * stacks of pprof that are all distinct, 162 and 173 MB/s.  In SQL, where much else is done, sum(fg) and a - b take the same
 * time within noise, from_folded is 2 % faster, regression_report of 190 profiles 7 % slower.
 */
#ifndef FG_ARENAS_H
#define FG_ARENAS_H

#include "core/base/context.h"

/*
 * Blocks are odd multiples of it, a page: who goes through many arrays of one size at once, such as the values of a hundred
 * profiles, would find all of them in the same few sets of the cache if they were multiples of more.
 */
#define FG_ARENA_UNIT ((size_t) 4096)

/* Smaller blocks cost malloc little. */
#define FG_ARENA_SMALLEST ((size_t) 16 * 1024)

/* Smaller blocks are cut from the arenas that there are: for them alone a large page is too much. */
#define FG_ARENA_BEGIN FG_LARGE_ARRAY

/* Larger blocks are rare, and copying one when it grows must not take long. */
#define FG_ARENA_LARGEST ((size_t) 64 * 1024 * 1024)

typedef struct FgArena FgArena;

typedef struct FgArenas
{
	void	   *(*take) (void *arg, size_t size);	/* memory of an arena; NULL: there is none */
	void		(*give) (void *arg, void *memory);
	void	   *arg;
	size_t		limit;			/* bytes of all arenas */
	size_t		total;			/* of those there are */
	FgArena    *first;			/* the latest one */
} FgArenas;

/* A block of at least this size, or NULL. */
extern void *fg_arenas_lend(FgArenas *arenas, size_t size);

/* The size of a block; 0: it is none of theirs. */
extern size_t fg_arenas_size(const FgArenas *arenas, const void *block);

/* Makes the block larger where it is, if there is room behind it, or smaller; false: nothing is done. */
extern bool fg_arenas_resize(FgArenas *arenas, void *block, size_t size);

extern void fg_arenas_return(FgArenas *arenas, void *block);

/* Arenas that are free are given back until the others are within the limit. */
extern void fg_arenas_set_limit(FgArenas *arenas, size_t limit);

/*
 * A context over malloc that takes its large blocks from these arenas, which are empty and get malloc's memory, up to a
 * limit: as in a session of the server, for the benchmarks.
 */
extern FgContext fg_arenas_context(FgArenas *arenas, size_t limit);

/* Asks for large pages where a block that is none of theirs has whole ones. */
extern void fg_ask_for_large_pages(void *block, size_t size);

#endif							/* FG_ARENAS_H */
