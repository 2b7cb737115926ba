/*
 * bottlenecks.h
 *	  When each phase is limited by which type of resource (Hegeman 2024, equations 4.1 and
 *	  4.5 to 4.7).
 *
 * A leaf is, by a type that it uses any resource of, while any of these limits it.  A
 * composite is while a predicate holds of its subphases: of those that are alive, and have
 * a leaf below them that uses the type.
 *
 * Why it is limited, its cause, is of the resource that limits a leaf; of several resources,
 * and of the parts of a composite that are limited then, the first that there is in the
 * order saturated, contended, allocation.  So the times of causes are kept as levels, each
 * within the one before, and a composite's are what its parts' have in common with its own.
 */
#ifndef FG_BOTTLENECKS_H
#define FG_BOTTLENECKS_H

#include "core/jobs/leaf_bottlenecks.h"

typedef enum FgCauseLevel
{
	FG_LEVEL_KNOWN,				/* there is a cause: not where only a function of the user's says so */
	FG_LEVEL_SHORT,				/* a resource is at its delta: contended, or the next one */
	FG_LEVEL_SATURATED,			/* and one leaf uses at least half of its capacity */
	FG_LEVELS
} FgCauseLevel;

/* Of one track: times.list[first[level] ..], count[level] of them, a normal list. */
typedef struct FgCauseTimes
{
	size_t		first[FG_LEVELS];
	uint32_t	count[FG_LEVELS];
} FgCauseTimes;

/* Of one phase and a resource type that is defined for it: when it is limited. */
typedef struct FgTrack
{
	uint32_t	type;
	uint32_t	count;
	size_t		first;			/* times.list[first ..], a normal list */
} FgTrack;

/* tracks[first[p] ..], count[p] of them, are those of phase p, by type. */
typedef struct FgBottlenecks
{
	FgTimeRanges times;
	FgTrack    *tracks;
	size_t		track_count;
	size_t		track_capacity;
	size_t	   *first;
	uint32_t   *count;
	FgCauseTimes *causes;		/* by track; NULL when they were not asked for */
	size_t		cause_capacity;
} FgBottlenecks;

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
