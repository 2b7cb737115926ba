/*
 * flameseries.h
 *	  A sequence of profiles over one tree: what a fleet records of one service.
 *
 * Profiles of one program share nearly all of their stacks.  A series holds their tree
 * once and for each profile a time, an instance (the machine or process it comes from)
 * and the sparse list of (node, value); so summing them up adds columns of numbers, and
 * merges no trees.
 *
 * A series is a multiset: profiles of the same time and instance may be in it more than
 * once.  Equal multisets are equal series, whatever was merged in which order.
 *
 * Invariants (fg_flameseries_build establishes them, flameseries_codec.h checks them):
 *	- profiles come by time, then by the bytes of their instance, then by their entries
 *	- the entries of a profile come by node; values are finite and not 0
 *	- tree.self[node] is the number of profiles with a value at the node, so the tree is
 *	  canonical, whatever the values are
 *	- instances are distinct, sorted and all in use; instance 0 is none, the others are
 *	  numbers of "instances" plus 1
 */
#ifndef FG_FLAMESERIES_H
#define FG_FLAMESERIES_H

#include "core/profile/subset.h"
#include "core/profile/tree.h"

/* Values and profiles of one series, so that decoded arrays stay below a gigabyte. */
#define FG_FLAMESERIES_MAX_VALUES	(UINT32_C(1) << 26)
#define FG_FLAMESERIES_MAX_PROFILES	(UINT32_C(1) << 24)

typedef struct FgFlameseries
{
	FgTree		tree;
	FgFrames	instances;
	uint32_t	count;			/* profiles */
	int64_t    *at;				/* by profile: microseconds, of whatever epoch */
	uint32_t   *instance;		/* by profile */
	uint32_t   *start;			/* count + 1: entries of profile p are start[p] .. start[p + 1] */
	uint32_t   *node;			/* by entry */
	double	   *value;			/* by entry */
} FgFlameseries;

extern void fg_flameseries_free(FgContext *ctx, FgFlameseries *series);

/*
 * The profiles of a series, one after the other or in any order: each costs its own size, and
 * that of the shared tree is paid once, at the begin.
 */
typedef struct FgFlameseriesProfiles
{
	FgContext  *ctx;
	const FgFlameseries *series;		/* must outlive it */
	FgSubset	subset;
	uint32_t   *parent;			/* by node of the shared tree */
	uint32_t   *taken;			/* by node: 1 + the profile that it was taken for last */
	uint32_t   *nodes;			/* of the profile at hand */
} FgFlameseriesProfiles;

extern bool fg_flameseries_profiles_begin(FgContext *ctx, const FgFlameseries *series,
									 FgFlameseriesProfiles *profiles);
extern void fg_flameseries_profiles_end(FgFlameseriesProfiles *profiles);

/* The profile of that number, canonical. */
extern bool fg_flameseries_profile(FgFlameseriesProfiles *profiles, uint32_t number, FgTree *tree);

/* A part of a series: times from since up to, not including, until; and instances. */
typedef struct FgFlameseriesWindow
{
	int64_t		since;			/* INT64_MIN: from the first */
	int64_t		until;			/* INT64_MAX: to the last, that time included */
	const bool *wanted;			/* by number of instance, or NULL: all */
} FgFlameseriesWindow;

#define FG_FLAMESERIES_WHOLE ((FgFlameseriesWindow) {INT64_MIN, INT64_MAX, NULL})

static inline bool
fg_flameseries_in_window(const FgFlameseriesWindow *window, int64_t at, uint32_t instance)
{
	return at >= window->since && (at < window->until || window->until == INT64_MAX) &&
		(window->wanted == NULL || window->wanted[instance]);
}

#endif							/* FG_FLAMESERIES_H */
