/*
 * group_means.h
 *	  Groups of profiles that a picture compares: what their test needs and the means that
 *	  are drawn, from profiles that are decoded once.
 */
#ifndef FG_GROUP_MEANS_H
#define FG_GROUP_MEANS_H

#include "core/compare/welch.h"

/* What to do about negative values. */
extern const char fg_negative_hint[];

/*
 * Profiles of which none may have a negative value: reading such a one is an
 * FG_ERROR_ARGUMENT, which says which one it is (counted from 1) of the argument "name".
 */
typedef struct FgCheckedProfiles
{
	FgProfiles	profiles;		/* read through this; it stays where it is */
	const FgProfiles *from;
	const char *name;
} FgCheckedProfiles;

extern void fg_check_profiles(const FgProfiles *from, const char *name,
							  FgCheckedProfiles *checked);

/* Reads all of them, for who has nothing to compare them with. */
extern bool fg_checked_profiles_read(FgContext *ctx, const FgCheckedProfiles *checked);

/*
 * Profiles that are added up as somebody else reads them: each one when it is read first, in
 * rising order.
 */
typedef struct FgTee
{
	FgProfiles	profiles;		/* read through this; it stays where it is */
	const FgProfiles *from;
	FgAccumulator sum;
	size_t		added;			/* how many were read */
	size_t		next;			/* the first that was not */
} FgTee;

extern void fg_tee_begin(FgContext *ctx, const FgProfiles *from, FgTee *tee);
extern void fg_tee_end(FgTee *tee);

/* The mean of those that were read, divided by a factor. */
extern bool fg_tee_mean(FgContext *ctx, FgTee *tee, double factor, FgTree *mean);

/*
 * The moments of not negative profiles at level stack or node, from which their mean follows,
 * too: for fg_compare.  The accumulator (FG_ACCUMULATE_MOMENTS) keeps them.
 */
extern bool fg_group_of_stacks(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
							   FgAccumulator *moments, FgGroup *group);
extern bool fg_group_mean(FgContext *ctx, const FgGroup *group, double factor, FgTree *mean);

/* Divides where there is something to divide by; the result is a new tree in any case. */
extern bool fg_divided(FgContext *ctx, const FgTree *tree, double factor, FgTree *result);

#endif							/* FG_GROUP_MEANS_H */
