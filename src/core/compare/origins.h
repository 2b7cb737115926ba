/*
 * origins.h
 *	  Of functions or calling contexts that changed together because they call each other,
 *	  those that the change comes from.
 *
 * Each stack's difference belongs to the innermost of them on that stack.  One to which
 * less than half of its inclusive difference belongs is explained by what it calls: it
 * leaves, the least explained by itself first, and what was its own goes to the next one
 * further up.  So in a chain of callers the innermost stays, and in a circle of functions
 * that call each other, of which all have the same inclusive difference, the one whose own
 * difference is largest.  At least one stays.
 */
#ifndef FG_ORIGINS_H
#define FG_ORIGINS_H

#include "core/profile/tree.h"
#include "core/samples/level.h"

typedef struct FgOriginKey
{
	const char *path;			/* as in path.h; of a function the last frame counts */
	size_t		length;
	bool		stays;			/* the answer */
} FgOriginKey;

/*
 * "difference" of two profiles or of means of profiles; level frame or node.  Fewer than
 * 2^32 keys; of two keys that are the same one stays at most.  FG_ERROR_RANGE when a
 * sum of differences does not fit a double.
 */
extern bool fg_origins(FgContext *ctx, const FgTree *difference, FgLevel level,
					   FgOriginKey *keys, uint32_t count);

#endif							/* FG_ORIGINS_H */
