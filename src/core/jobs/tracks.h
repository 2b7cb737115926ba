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

/*
 * Of one track: how many times each level has.  They lie behind those of the track itself,
 * one level after the other, each a normal list.
 */
typedef struct FgCauseTimes
{
	uint32_t	count[FG_CAUSE_LEVELS];	/* of FG_LEVEL_KNOWN 0, unless functions were asked */
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

/* The times of a level of causes; NULL for none. */
static inline const FgTimeRange *
fg_cause_times(const FgBottlenecks *bottlenecks, size_t track, FgCauseLevel level,
			   uint32_t *count)
{
	const FgTrack *at = &bottlenecks->tracks[track];
	const FgCauseTimes *causes = &bottlenecks->causes[track];
	size_t		first = at->first;

	*count = at->count;
	if (level != FG_LEVEL_KNOWN || bottlenecks->asked)
	{
		first += at->count;
		for (int l = 0; l < (int) level; l++)
			first += causes->count[l];
		*count = causes->count[level];
	}
	return *count == 0 ? NULL : bottlenecks->times.list + first;
}

#endif							/* FG_TRACKS_H */
