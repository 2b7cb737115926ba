/*
 * algorithms.h
 *	  The algorithms of the analysis by themselves, on one period or one slice, as the thesis
 *	  writes them (Hegeman 2024, Algorithms 1 and 2, Table 4.3): to try out what a rule does.
 */
#ifndef FG_ALGORITHMS_H
#define FG_ALGORITHMS_H

#include "core/attribution/upsample.h"

/*
 * Algorithm 1: "count" slices with their greedy demand, finite and not negative, and their
 * sinks; samples for each.  The capacity and the mean are finite and not negative.
 */
extern bool fg_algorithm1(FgContext *ctx, double mean, double capacity, const double *greedy,
						  const uint32_t *sinks, uint32_t count, FgSamples *samples);

/* A subphase on one slice. */
typedef struct FgSubphase
{
	FgSpan		name;			/* of its type */
	bool		defined;
	bool		bottlenecked;
} FgSubphase;

/*
 * The predicate on one slice; sorts the subphases by type.  One that is a function is asked
 * of "functions", about a resource type of this name.
 */
extern bool fg_predicate_of(FgContext *ctx, const FgPredicate *predicate,
							const FgPredicateFunctions *functions, FgSpan resource_type,
							FgSubphase *subphases, size_t count, bool *holds);

#endif							/* FG_ALGORITHMS_H */
