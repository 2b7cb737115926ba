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

/* Profile number i at a level; the caller releases it with fg_tree_free. */
extern bool fg_profiles_read(FgContext *ctx, const FgProfiles *profiles, size_t i, FgLevel level,
							 FgTree *values);

/* Adds all profiles at a level to an accumulator, one at a time. */
extern bool fg_accumulate_profiles(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
								   FgAccumulator *accumulator);

#endif							/* FG_PROFILES_H */
