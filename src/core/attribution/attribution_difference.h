/*
 * attribution_difference.h
 *	  What another choice of options changes in the attribution of a resource type to the
 *	  phases of one type (Hegeman 2024, 5.5.1.1, 5.5.1.2).
 */
#ifndef FG_ATTRIBUTION_DIFFERENCE_H
#define FG_ATTRIBUTION_DIFFERENCE_H

#include "core/attribution/attribution.h"
#include "core/attribution/value_stats.h"

typedef enum FgDifferenceMeasure
{
	FG_DIFFERENCE_MAGNITUDE,	/* of each slice, units times seconds */
	FG_DIFFERENCE_DURATION,		/* of each run of slices of one sign in a phase, seconds */
	FG_DIFFERENCE_AREA,			/* of each such run, units times seconds */
	FG_DIFFERENCE_MEASURES
} FgDifferenceMeasure;

/*
 * Other minus baseline, where that is more than a part in 10^9 of the largest capacity.
 */
typedef struct FgAttributionDifference
{
	uint64_t	samples;		/* slices of all phases of the type */
	double		baseline_consumption;
	FgValueStats over[FG_DIFFERENCE_MEASURES];
	FgValueStats under[FG_DIFFERENCE_MEASURES];
} FgAttributionDifference;

/* Two analyses of one job on one grid. */
extern bool fg_attribution_difference(const FgAnalysis *baseline, const FgAnalysis *other,
									  uint32_t phase_type, uint32_t resource_type,
									  FgAttributionDifference *result);

#endif							/* FG_ATTRIBUTION_DIFFERENCE_H */
