/*
 * tracks.h
 *	  When each phase is limited by which type of resource, and why: what bottlenecks.h makes,
 *	  and parts.h works on.
 *
 * Why it is limited, its cause, is of the resource that limits a leaf; of several resources,
 * and of the parts of a composite that are limited then, the first that there is in the
 * order saturated, contended, allocation.  So the times of causes are kept as levels, each
 * within the one before, and a composite's are what its parts' have in common with its own.
 */
#ifndef FG_TRACKS_H
#define FG_TRACKS_H

#include "core/jobs/intervals.h"

typedef enum FgCauseLevel
{
	FG_LEVEL_KNOWN,				/* there is one: not where only a user's function says so */
	FG_LEVEL_SHORT,				/* a resource is at its delta: contended, or the next one */
	FG_LEVEL_SATURATED,			/* and one leaf uses at least half of its capacity */
	FG_CAUSE_LEVELS
} FgCauseLevel;

/* Of one track: times.list[first[level] ..], count[level] of them, a normal list. */
typedef struct FgCauseTimes
{
	size_t		first[FG_CAUSE_LEVELS];
	uint32_t	count[FG_CAUSE_LEVELS];
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
	bool		asked;			/* functions of the user's decided for some composites */
} FgBottlenecks;

#endif							/* FG_TRACKS_H */
