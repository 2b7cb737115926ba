/*
 * timeline.h
 *	  Which types of resources limit a phase at a time (Hegeman 2024, Figure 4.11).
 */
#ifndef FG_TIMELINE_H
#define FG_TIMELINE_H

#include "core/bottlenecks/bottlenecks.h"

/* From one change to the next; types by index, there may be none. */
typedef bool (*FgTimelineEmit) (void *arg, uint32_t phase, FgTimeRange time,
								const uint32_t *types, size_t count);

/* Covers the life of each phase, by phase and time. */
extern bool fg_bottleneck_timelines(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
									FgTimelineEmit emit, void *arg);

#endif							/* FG_TIMELINE_H */
