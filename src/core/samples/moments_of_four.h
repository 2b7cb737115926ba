/*
 * moments_of_four.h
 *	  The moments of four profiles in one pass.
 *
 * Samples grow by merging two of about one size (accumulator.h), so half of all merges would
 * be between single profiles and a quarter between two and two, whose counts and squared
 * deviations would be written only to be read again.  Here they stay in registers: what a
 * profile of n nodes moves through memory falls from some 500 n bytes to 200 n.
 */
#ifndef FG_MOMENTS_OF_FOUR_H
#define FG_MOMENTS_OF_FOUR_H

#include "core/samples/moments.h"

#define FG_FOUR 4

/*
 * The same to the last bit as the first two profiles merged by fg_moments_merge, the last two
 * likewise, and then both.  The profiles stay the caller's.  FG_ERROR_RANGE when a
 * moment overflows, FG_ERROR_LIMIT when there are too many nodes.
 */
extern bool fg_moments_of_four(FgContext *ctx, const FgTree profiles[FG_FOUR], FgMoments *moments);

#endif							/* FG_MOMENTS_OF_FOUR_H */
