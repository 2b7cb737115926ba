/*
 * welch.h
 *	  Two groups of profiles compared key by key by Welch's t-test (1947).
 *
 * Keys are the stacks, contexts or functions that any profile has (level.h); where a
 * profile lacks one its value is 0.  All is computed from moments, so that stored
 * statistics give the same answer as the profiles themselves.
 */
#ifndef FG_WELCH_H
#define FG_WELCH_H

#include "core/compare/multiplicity.h"
#include "core/profile/algebra.h"
#include "core/samples/accumulator.h"
#include "core/samples/level.h"
#include "core/samples/moments.h"
#include "core/samples/profiles.h"
#include "core/samples/size_factor.h"

/* A sample with squared deviations: of n profiles at a level. */
typedef struct FgGroup
{
	uint64_t	n;
	const FgMoments *moments;
} FgGroup;

typedef struct FgCompareOptions
{
	FgLevel		level;			/* of both groups */
	FgSizeFactor size;			/* by which values of "after" are divided */
	double		min_mean;		/* of the size factor */
	double		min_df;			/* least number of profiles, of both together, with a key */
	FgCorrection correction;
} FgCompareOptions;

/*
 * A key that was tested.  t is infinite and df NaN where both groups are constant but
 * different; t 0, p 1 where they are equal.  With fewer than two profiles in a group
 * error, t, df, p and q are NaN.
 */
typedef struct FgDifference
{
	uint32_t	node;			/* of FgWelchComparison.keys */
	double		mean_before;
	double		mean_after;		/* divided by the size factor */
	double		delta;			/* after - before */
	double		error;			/* standard error of delta */
	double		t;
	double		df;				/* after Welch and Satterthwaite */
	double		p;				/* two-sided */
	double		q;				/* p adjusted for the number of keys */
} FgDifference;

typedef struct FgWelchComparison
{
	FgTree		keys;			/* those of both groups; self = profiles that have the key */
	double		factor;			/* the size factor */
	uint32_t	count;
	FgDifference *rows;			/* in preorder of the keys */
} FgWelchComparison;

/*
 * FG_ERROR_ARGUMENT when a group is empty or the size factor is not defined.  Release
 * the result with fg_comparison_free.
 */
extern bool fg_compare(FgContext *ctx, const FgGroup *before, const FgGroup *after,
					   const FgCompareOptions *options, FgWelchComparison *result);
extern void fg_comparison_free(FgContext *ctx, FgWelchComparison *comparison);

/* The same of profiles, which are read one at a time. */
extern bool fg_compare_profiles(FgContext *ctx, const FgProfiles *before, const FgProfiles *after,
								const FgCompareOptions *options, FgWelchComparison *result);

/* Adds profiles at a level to an accumulator of moments, one at a time. */
extern bool fg_accumulate_profiles(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
								   FgAccumulator *accumulator);

/* order[i] = number of the row with the i-th smallest p; equal ones by their keys. */
extern bool fg_comparison_order(FgContext *ctx, const FgWelchComparison *comparison,
								uint32_t *order);

/* The part of the change that a row belongs to; false without a change. */
extern bool fg_difference_change(const FgDifference *row, FgChange *change);

/*
 * The interval of delta at confidence 1 - alpha, of this key alone.  Quantiles are
 * remembered: many keys have the same degrees of freedom.
 */
typedef struct FgIntervals
{
	double		alpha;
	double		df;				/* 0 at first */
	double		quantile;
} FgIntervals;

extern void fg_difference_interval(const FgDifference *row, FgIntervals *intervals,
								   double *lower, double *upper);

#endif							/* FG_WELCH_H */
