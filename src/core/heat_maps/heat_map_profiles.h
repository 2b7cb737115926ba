/*
 * heat_map_profiles.h
 *	  Heat maps of profiles: functions, contexts or stacks by runs.
 *
 * The lines are the keys of a level (level.h) with the largest sums of squares over all runs,
 * largest first, equal ones in the order of their names.  A key that a run does not have is 0
 * there; only a run that is null has no values.
 */
#ifndef FG_HEAT_MAP_PROFILES_H
#define FG_HEAT_MAP_PROFILES_H

#include "core/heat_maps/heat_map.h"
#include "core/samples/profiles.h"

typedef struct FgHeatRuns
{
	FgProfiles	profiles;		/* those that are not null */
	const uint32_t *column;		/* by profile: its run */
	const FgText *labels;		/* of runs */
	uint32_t	count;
	FgLevel		level;
	uint32_t	max_rows;
	size_t		memory;			/* bytes for values; where it is not enough, profiles are read again */
} FgHeatRuns;

extern bool fg_heat_runs_svg(const FgHeatRuns *runs, const FgHeatOptions *options, FgBuffer *svg);

#endif							/* FG_HEAT_MAP_PROFILES_H */
