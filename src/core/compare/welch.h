/*
 * welch.h
 *	  Two groups of profiles compared key by key by a t-test (key_test.h).
 *
 * Keys are the stacks, contexts or functions that any profile has (level.h); where a
 * profile lacks one its value is 0.  All is computed from moments, so that stored
 * statistics give the same answer as the profiles themselves.
 */
#ifndef FG_WELCH_H
#define FG_WELCH_H

#include "core/compare/key_test.h"
#include "core/compare/multiplicity.h"
#include "core/samples/profiles.h"
#include "core/samples/size_factor.h"

typedef struct FgCompareOptions
{
	FgLevel		level;			/* of both groups */
	FgSizeFactor size;			/* by which values of "after" are divided */
	double		min_mean;		/* of the size factor */
	double		min_df;			/* least number of profiles, of both together, with a key */
	FgCorrection correction;
	FgVariance	variance;
	double		poisson_unit;	/* value of one sample, the floor of variances; 0: none */
} FgCompareOptions;

/*
 * FG_ERROR_ARGUMENT when a group is empty or the size factor is not defined, or for a
 * negative unit or noise.  Release the result with fg_comparison_free.
 */
extern bool fg_compare(FgContext *ctx, const FgGroup *before, const FgGroup *after,
					   const FgCompareOptions *options, FgWelchComparison *result);

/*
 * The same of profiles, which are read one at a time.  noise is NULL, or the noise of
 * both groups: one of each profile, or none (count 0).  "kept" is NULL or has room for the
 * profiles before and after.
 */
extern bool fg_compare_profiles(FgContext *ctx, const FgProfiles *before, const FgProfiles *after,
								const FgProfiles noise[2], const FgCompareOptions *options,
								FgKeptProfiles kept[2], FgWelchComparison *result);

#endif							/* FG_WELCH_H */
