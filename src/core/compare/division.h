/*
 * division.h
 *	  Dividing a sequence where it changes: E-divisive (Matteson and James 2014), which
 *	  change_points.h describes, for whatever has distances.
 *
 * Workload: 60 runs of a benchmark, or a thousand, shuffled a thousand times for each
 * division.  A shuffle costs some two nanoseconds a pair of elements.
 */
#ifndef FG_DIVISION_H
#define FG_DIVISION_H

#include "core/samples/distances.h"

typedef struct FgChangeOptions
{
	int32_t		min_segment;	/* elements between two changes, at least 2 */
	double		min_effect;		/* smaller changes, relative to what was before, are left out */
	double		alpha;
	int32_t		permutations;	/* at least 1 */
	uint64_t	seed;
} FgChangeOptions;

typedef struct FgChangePoint
{
	size_t		at;				/* the first element after the change, from 0 */
	double		before;			/* means of a series up to the next change on either side */
	double		after;
	double		distance;		/* of the mean profiles there */
	double		statistic;
	double		p_value;
} FgChangePoint;

/* Exactly one of the two is there. */
typedef struct FgSequence
{
	size_t		n;
	const double *values;
	const FgDistances *distances;
} FgSequence;

/* Significant cuts in the order of the sequence; at, statistic and p_value are set. */
extern bool fg_divisions(FgContext *ctx, const FgSequence *sequence,
						 const FgChangeOptions *options, FgChangePoint **points, size_t *count);

#endif							/* FG_DIVISION_H */
