/*
 * percentile.h
 *	  The percentiles of many profiles, stack by stack.
 */
#ifndef FG_PERCENTILE_H
#define FG_PERCENTILE_H

#include "core/samples/profiles.h"

/*
 * The value of each stack of the result lies where "fraction" (0 to 1) of its values in
 * all profiles are below it, between two of them in proportion; a profile without the
 * stack has 0 there.  Needs a double for each stack of each profile.
 */
extern bool fg_percentile(FgContext *ctx, const FgProfiles *profiles, double fraction,
						  FgTree *result);

#endif							/* FG_PERCENTILE_H */
