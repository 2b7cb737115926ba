/*
 * distances.h
 *	  The L1 distances between all pairs of many profiles.
 *
 * Workload: a hundred profiles of sixty thousand nodes, so five thousand pairs.  The
 * stacks of all profiles are numbered once; then a profile is a sorted list of numbers
 * and values, which is smaller than its tree, knows no frames and merges quickly.  The
 * lists need not all fit into memory: beyond a limit they are made block by block.
 */
#ifndef FG_DISTANCES_H
#define FG_DISTANCES_H

#include "core/samples/profiles.h"

/* The square of distances of so many takes half a gigabyte. */
#define FG_MAX_COMPARED 8192

/* For lists of stacks and values. */
#define FG_DISTANCES_MEMORY ((size_t) 512 << 20)

typedef struct FgDistances
{
	size_t		count;
	double	   *distance;		/* count * count, by rows */
	uint64_t   *content;		/* a hash of each profile, the same everywhere */
} FgDistances;

static inline const double *
fg_distances_of(const FgDistances *distances, size_t i)
{
	return distances->distance + i * distances->count;
}

/*
 * "normalised" divides each profile by its norm first; empty ones stay empty, and have
 * the distance 1 from all others.  "memory" is in bytes; two profiles always fit.
 * FG_ERROR_LIMIT beyond FG_MAX_COMPARED profiles, FG_ERROR_RANGE for a distance or the
 * sum of them all that does not fit a double.
 */
extern bool fg_distances(FgContext *ctx, const FgProfiles *profiles, bool normalised,
						 size_t memory, FgDistances *distances);
extern void fg_distances_free(FgContext *ctx, FgDistances *distances);

#endif							/* FG_DISTANCES_H */
