/*
 * activity.c
 *	  Lives without the times of waiting (see activity.h).
 */
#include "core/jobs/activity.h"

bool
fg_waiting_add(FgContext *ctx, const FgSlices *slices, uint32_t leaf, uint32_t resource,
			   FgTimeRanges *to)
{
	uint32_t	first = slices->first_blocked[resource];
	uint32_t	count = slices->first_blocked[resource + 1] - first;
	FgTimeRange life = slices->life[leaf];

	if (count == 0)
		return true;
	return fg_intervals_add_clipped(ctx, to, slices->blocked.list + first, count, life.start,
									life.end);
}

/* A life minus a normal list of times within it. */
static bool
add_rest(FgContext *ctx, FgTimeRange life, const FgTimeRanges *waiting, FgTimeRanges *active)
{
	int64_t		start = life.start;

	for (size_t i = 0; i < waiting->count; i++)
	{
		if (!fg_intervals_add(ctx, active, start, waiting->list[i].start))
			return false;
		start = waiting->list[i].end;
	}
	return fg_intervals_add(ctx, active, start, life.end);
}

static bool
add_leaf(FgContext *ctx, const FgSlices *slices, const FgUses *uses, uint32_t leaf,
		 FgTimeRanges *waiting, FgTimeRanges *spare, FgTimeRanges *active)
{
	const FgUseList *list = fg_uses_of(uses, leaf);

	fg_intervals_clear(waiting);
	for (uint32_t i = list->consumable; i < list->count; i++)
	{
		if (!fg_waiting_add(ctx, slices, leaf, uses->uses[list->first + i].resource, waiting) ||
			!fg_steps(ctx, 1))
			return false;
	}
	return fg_intervals_unite(ctx, waiting, spare) &&
		add_rest(ctx, slices->life[leaf], waiting, active);
}

bool
fg_activity_make(FgContext *ctx, const FgJob *job, const FgSlices *slices, const FgUses *uses,
				 FgActivity *activity)
{
	FgTimeRanges waiting = {.list = NULL};
	FgTimeRanges spare = {.list = NULL};
	bool		ok;

	*activity = (FgActivity) {.first = NULL};
	activity->first = fg_alloc(ctx, (size_t) job->phase_count + 1, sizeof(uint32_t));
	ok = activity->first != NULL;
	for (uint32_t p = 0; ok && p < job->phase_count; p++)
	{
		activity->first[p] = (uint32_t) activity->active.count;
		ok = fg_check_every(ctx, p) &&
			(uses->list_of[p] == FG_NONE ||
			 add_leaf(ctx, slices, uses, p, &waiting, &spare, &activity->active));
		if (ok && activity->active.count >= FG_UNKNOWN)
			ok = fg_fail(ctx, FG_ERROR_LIMIT, "phases wait too often");
	}
	if (ok)
		activity->first[job->phase_count] = (uint32_t) activity->active.count;
	fg_intervals_free(ctx, &waiting);
	fg_intervals_free(ctx, &spare);
	return ok;
}

void
fg_activity_free(FgContext *ctx, FgActivity *activity)
{
	fg_intervals_free(ctx, &activity->active);
	fg_release(ctx, activity->first);
}
