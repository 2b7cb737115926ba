/*
 * profiles.h
 *	  Many profiles that are read one at a time: arrays of values that nobody wants
 *	  decoded all at once.
 */
#ifndef FG_PROFILES_H
#define FG_PROFILES_H

#include "core/samples/accumulator.h"
#include "core/samples/level.h"

typedef struct FgProfiles
{
	/* Profile number i, decoded; the caller releases it with fg_tree_free. */
	bool		(*read) (FgContext *ctx, void *arg, size_t i, FgTree *profile);
	void	   *arg;
	size_t		count;
} FgProfiles;

/*
 * Profiles at a level that are needed a second time: reading one means to decode it, which
 * takes longer than most of what is done with it.  They are kept while there is room, so
 * that all but the largest samples are read once.
 */
typedef struct FgKeptProfiles
{
	FgTree	   *tree;			/* key is NULL where one is not kept */
	size_t		count;
	size_t		room;			/* bytes that are left */
} FgKeptProfiles;

/* The memory of copies that is usual for one sample. */
#define FG_KEPT_MEMORY ((size_t) 256 << 20)

/* For "count" profiles in some bytes of memory; fg_kept_end is needed in any case. */
extern bool fg_kept_begin(FgContext *ctx, FgKeptProfiles *kept, size_t count, size_t memory);
extern void fg_kept_end(FgContext *ctx, FgKeptProfiles *kept);

/* Keeps a copy of profile number i at the level where there is room. */
extern bool fg_kept_copy(FgContext *ctx, FgKeptProfiles *kept, size_t i, const FgTree *values);

/* Keeps profile number i at the level, or releases it where there is no room. */
extern void fg_kept_give(FgContext *ctx, FgKeptProfiles *kept, size_t i, FgTree *values);

/* Profile number i at the level, kept or read again; it is the caller's now, and not kept. */
extern bool fg_kept_take(FgContext *ctx, FgKeptProfiles *kept, const FgProfiles *profiles,
						 size_t i, FgLevel level, FgTree *values);

/* Profile number i at a level; the caller releases it with fg_tree_free. */
extern bool fg_profiles_read(FgContext *ctx, const FgProfiles *profiles, size_t i, FgLevel level,
							 FgTree *values);

/*
 * Adds all profiles at a level to an accumulator, one at a time.  Keeps copies of them
 * where "kept" is not NULL.
 */
extern bool fg_accumulate_profiles(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
								   FgAccumulator *accumulator, FgKeptProfiles *kept);

#endif							/* FG_PROFILES_H */
