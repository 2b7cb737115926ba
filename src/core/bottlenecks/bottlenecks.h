/*
 * bottlenecks.h
 *	  When each phase is limited by which type of resource (Hegeman 2024, equations 4.1 and
 *	  4.5 to 4.7).
 *
 * A leaf is, by a type that it uses any resource of, while any of these limits it.  A
 * composite is while a predicate holds of its subphases: of those that are alive, and have
 * a leaf below them that uses the type.
 */
#ifndef FG_BOTTLENECKS_H
#define FG_BOTTLENECKS_H

#include "core/bottlenecks/leaf_bottlenecks.h"
#include "core/jobs/tracks.h"

/* Of leaves alone, when "leaves" says so: composites then have no tracks.  Without causes. */
extern bool fg_bottlenecks_make(const FgAnalysis *analysis, bool leaves, FgBottlenecks *result);

/* Of all phases, with causes. */
extern bool fg_bottlenecks_make_causes(const FgAnalysis *analysis, FgBottlenecks *result);
extern void fg_bottlenecks_free(FgContext *ctx, FgBottlenecks *bottlenecks);

/* The ticks of a track. */
extern int64_t fg_track_ticks(const FgBottlenecks *bottlenecks, const FgTrack *track);

/* Into "to": when no type at all limits the phase; a normal list. */
extern bool fg_bottleneck_free_times(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
									 uint32_t phase, FgTimeRanges *to, FgTimeRanges *spare);

#endif							/* FG_BOTTLENECKS_H */
