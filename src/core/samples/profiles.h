/*
 * profiles.h
 *	  Many profiles that are read one at a time: arrays of values that nobody wants
 *	  decoded all at once.
 */
#ifndef FG_PROFILES_H
#define FG_PROFILES_H

#include "core/profile/tree.h"

typedef struct FgProfiles
{
	/* Profile number i, decoded; the caller releases it with fg_tree_free. */
	bool		(*read) (FgContext *ctx, void *arg, size_t i, FgTree *profile);
	void	   *arg;
	size_t		count;
} FgProfiles;

#endif							/* FG_PROFILES_H */
