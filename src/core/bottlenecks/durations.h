/*
 * durations.h
 *	  How long phases are limited, and how long by nothing (Hegeman 2024, Table 5.12); and
 *	  what all phases of one type have together.
 */
#ifndef FG_DURATIONS_H
#define FG_DURATIONS_H

#include "core/attribution/attribution.h"
#include "core/bottlenecks/bottlenecks.h"

/* Seconds; the fraction is NaN for phases without a duration. */
typedef struct FgBottleneckDuration
{
	uint32_t	phase;			/* or the type of phases */
	uint32_t	resource_type;	/* FG_NONE: without any bottleneck */
	double		duration;
	double		bottleneck_time;
	double		fraction;
} FgBottleneckDuration;

typedef bool (*FgBottleneckDurationEmit) (void *arg, const FgBottleneckDuration *duration);

/* By phase, each with the types that it is defined for and FG_NONE behind them. */
extern bool fg_bottleneck_durations(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
									FgBottleneckDurationEmit emit, void *arg);

/* The sums over the phases of a type, whose duration is that of all of them together. */
extern bool fg_bottleneck_summary(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
								  FgBottleneckDurationEmit emit, void *arg);

typedef bool (*FgConsumptionEmit) (void *arg, uint32_t phase_type, uint32_t resource_type,
								   const FgConsumption *consumption);

/* The consumption of all phases of a type, by type of the resources. */
extern bool fg_consumption_summary(const FgAnalysis *analysis,
								   const FgConsumptions *consumptions, FgConsumptionEmit emit,
								   void *arg);

#endif							/* FG_DURATIONS_H */
