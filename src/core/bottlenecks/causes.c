/*
 * causes.c
 *	  Pieces of time with one cause each, from levels that lie within each other (see
 *	  causes.h).
 */
#include "core/bottlenecks/causes.h"

/* What is left of the times of a level. */
typedef struct Level
{
	const FgTimeRange *time;
	const FgTimeRange *end;
} Level;

/* Is a level on at this time?  "until" becomes when that changes, if it is earlier. */
static bool
is_on(Level *level, int64_t time, int64_t *until)
{
	int64_t		changes;

	while (level->time < level->end && level->time->end <= time)
		level->time++;
	if (level->time == level->end)
		return false;
	changes = level->time->start > time ? level->time->start : level->time->end;
	*until = changes < *until ? changes : *until;
	return level->time->start <= time;
}

bool
fg_causes_visit(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks, size_t track,
				FgCauseEmit emit, void *arg)
{
	const FgTrack *at = &bottlenecks->tracks[track];
	bool		blocking = analysis->job->resource_types[at->type].class == FG_RESOURCE_BLOCKING;
	Level		levels[FG_CAUSE_LEVELS];

	if (at->count == 0)
		return true;
	for (int l = 0; l < FG_CAUSE_LEVELS; l++)
	{
		uint32_t	count;
		const FgTimeRange *times = fg_cause_times(bottlenecks, track, (FgCauseLevel) l, &count);

		levels[l] = (Level) {times, count == 0 ? times : times + count};
	}
	for (uint32_t i = 0; i < at->count; i++)
	{
		FgTimeRange time = bottlenecks->times.list[at->first + i];

		for (int64_t start = time.start, end; start < time.end; start = end)
		{
			int			on = 0;

			end = time.end;
			for (int l = 0; l < FG_CAUSE_LEVELS; l++)
				on += is_on(&levels[l], start, &end);
			if (!emit(arg, (FgTimeRange) {start, end},
					  blocking && on > 0 ? FG_CAUSE_BLOCKING : (FgCause) on))
				return false;
		}
	}
	return true;
}
