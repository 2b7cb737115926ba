/*
 * change_points.h
 *	  When did a sequence change?  E-divisive (Matteson and James 2014) on energy
 *	  distance, for numbers and for profiles.
 *
 * Two adjacent parts of a segment, of n and m elements, have the statistic
 *		Q = nm / (n + m) (2 mean d(x, y) - mean d(x, x') - mean d(y, y')),
 * with means over all pairs of different elements (their equations 5 and 7 with
 * alpha = 1); d is |x - y| or the L1 distance of two profiles.  The first part starts with
 * the segment; the second may end before it does, or a rise that is taken back would be
 * seen in neither of the two.  The sequence is cut between the parts with the largest Q,
 * if the largest Q after shuffling the elements inside each segment is rarely as large,
 * and so on with what is left and right of the cut.
 */
#ifndef FG_CHANGE_POINTS_H
#define FG_CHANGE_POINTS_H

#include "core/compare/division.h"
#include "core/samples/profiles.h"

/* Of numbers; of profiles FG_MAX_COMPARED. */
#define FG_MAX_SEQUENCE (1 << 16)

/* FG_ERROR_ARGUMENT for options outside their domain, FG_ERROR_RANGE for a NaN or infinity in them. */
extern bool fg_change_options_check(FgContext *ctx, const FgChangeOptions *options);

/*
 * In the order of the sequence; the caller releases them.  Values are finite.  Changes
 * whose effect is too small are taken back at the end, the smallest first, because a
 * step up and down again is no change of the mean until both are found.
 */
extern bool fg_change_points_of_series(FgContext *ctx, const double *values, size_t n,
									   const FgChangeOptions *options, FgChangePoint **points,
									   size_t *count);
extern bool fg_change_points_of_profiles(FgContext *ctx, const FgProfiles *profiles,
										 const FgChangeOptions *options, FgChangePoint **points,
										 size_t *count);

#endif							/* FG_CHANGE_POINTS_H */
