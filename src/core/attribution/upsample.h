/*
 * upsample.h
 *	  The usage of a resource in each segment of its workload, from its mean over the
 *	  periods that were measured (Hegeman 2024, 4.4.2.4, 4.4.2.5 and Algorithm 1).
 *
 * Phase-aware samples are what the greedy leaves are expected to use, then equal
 * shares of what is left for the sinks, then a background; each up to what room the
 * capacity leaves, and as much of it in all as was measured.  So the mean of a period is
 * the one measured, unless that is above the capacity.  Algorithm 1 looks at slices; w
 * slices of one segment have equal ratios of load to room, stand beside each other
 * in its order and get the same, so it may look at segments as well.
 */
#ifndef FG_UPSAMPLE_H
#define FG_UPSAMPLE_H

#include "core/attribution/workload.h"

/* Of two numbers; fmin() and fmax() are calls, because they also look for NaN. */
static inline double
fg_lesser(double a, double b)
{
	return a < b ? a : b;
}

static inline double
fg_greater(double a, double b)
{
	return a > b ? a : b;
}

/* By segment; NaN where nothing was measured.  The parts are of phase-aware samples only. */
typedef struct FgSamples
{
	double	   *usage;
	double	   *greedy;
	double	   *sink;
	double	   *background;
	size_t		capacities[4];
} FgSamples;

/* What the fills of one period work on; kept from one to the next. */
typedef struct FgFiller
{
	FgContext  *ctx;
	double	   *load;
	double	   *room;
	double	   *width;
	double	   *ratio;
	double	   *behind;			/* the load from here to the end of the order */
	uint32_t   *order;
	size_t		capacities[6];
} FgFiller;

extern void fg_samples_free(FgContext *ctx, FgSamples *samples);
extern void fg_filler_free(FgFiller *filler);

/* Room for the samples of so many segments. */
extern bool fg_samples_reserve(FgContext *ctx, FgSamples *samples, uint32_t segments);

/*
 * Algorithm 1 for one period: segments[first .. end) of a resource of this capacity, whose
 * mean usage was measured.  segments[end] is where the last one ends.  What is above the
 * capacity on average finds no room.
 */
extern bool fg_upsample_period(FgFiller *filler, const FgSegment *segments, uint32_t first,
							   uint32_t end, double capacity, double mean, FgSamples *samples);

/* All segments of a resource, as the options of the analysis say. */
extern bool fg_upsample(FgFiller *filler, const FgWorkload *workload, FgSamples *samples);

/* Units times seconds of a row of usages that find no room, with phase-aware samples. */
extern double fg_unplaced(const FgAnalysis *analysis, uint32_t row);

/* The work of the analyses: each consumable resource, with its workload and its samples. */
typedef bool (*FgResourceVisit) (void *arg, const FgWorkload *workload,
								 const FgSamples *samples);

/* Those of one type, or all (FG_NONE). */
extern bool fg_visit_resources(const FgAnalysis *analysis, uint32_t type, FgResourceVisit visit,
							   void *arg);

#endif							/* FG_UPSAMPLE_H */
