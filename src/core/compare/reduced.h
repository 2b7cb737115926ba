/*
 * reduced.h
 *	  The difference of two groups of profiles where it is more than noise: zero at every
 *	  key that a test does not call different (Tornetta 2023, section 3.4).
 *
 * Of Hotelling's test it is fg_hotelling_reduced (hotelling.h).
 */
#ifndef FG_REDUCED_H
#define FG_REDUCED_H

#include "core/compare/moderation.h"
#include "core/samples/level.h"
#include "core/samples/profiles.h"

/*
 * The differences of the means of the keys that the t-test calls different at level alpha,
 * after Benjamini and Hochberg: Welch's, or by moderated variances (key_test.h).  Both groups
 * have two profiles at least.
 */
extern bool fg_reduced_welch(FgContext *ctx, const FgProfiles *before, const FgProfiles *after,
							 FgLevel level, uint32_t min_df, FgVariance variance, double alpha,
							 FgTree *result);

#endif							/* FG_REDUCED_H */
