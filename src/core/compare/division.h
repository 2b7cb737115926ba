/*
 * division.h
 *	  The divisions of E-divisive (change_points.h), for whatever has distances.
 *
 * Workload: 60 runs of a benchmark, or a thousand, shuffled a thousand times for each
 * division.  A shuffle costs some two nanoseconds a pair of elements.
 */
#ifndef FG_DIVISION_H
#define FG_DIVISION_H

#include "core/compare/change_points.h"
#include "core/samples/distances.h"

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
