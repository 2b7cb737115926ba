/*
 * slices.c
 *	  Moves the times of a job to a grid (see slices.h).
 */
#include "core/jobs/slices.h"

static bool
fail_far(FgContext *ctx)
{
	return fg_fail_at(ctx, FG_ERROR_RANGE, 0, 0,
					  "Times are counted from the origin, which is the start of the job unless "
					  "another one is given.", "a time of the job is out of range");
}

bool
fg_grid_tick(FgContext *ctx, const FgGrid *grid, int64_t time, int64_t *tick)
{
	int64_t		distance;
	int64_t		moved;

	if (time == INT64_MIN || time == INT64_MAX)
		return fg_fail(ctx, FG_ERROR_RANGE, "a time of the job is infinite");
	if (__builtin_sub_overflow(time, grid->origin, &distance) || distance > FG_MAX_TICKS ||
		distance < -FG_MAX_TICKS)
		return fail_far(ctx);
	*tick = grid->slice == 1 ? distance : fg_round_ticks(distance, grid->slice);
	/* the bound itself may be out of range where the time is not */
	if (__builtin_mul_overflow(*tick, grid->slice, &moved) ||
		__builtin_add_overflow(moved, grid->origin, &moved))
		return fail_far(ctx);
	return true;
}

static bool
snap(FgContext *ctx, const FgGrid *grid, int64_t start, int64_t end, FgTimeRange *to)
{
	return fg_grid_tick(ctx, grid, start, &to->start) && fg_grid_tick(ctx, grid, end, &to->end);
}

static bool
snap_phases(FgContext *ctx, const FgJob *job, FgSlices *slices)
{
	slices->life = fg_alloc(ctx, job->phase_count, sizeof(FgTimeRange));
	if (slices->life == NULL)
		return false;
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		if (!snap(ctx, &slices->grid, job->phases[p].start, job->phases[p].end,
				  &slices->life[p]) || !fg_check_every(ctx, p))
			return false;
	}
	return true;
}

/* All of them have ticks when the first and the last one have. */
static bool
check_usages(FgContext *ctx, const FgJob *job, const FgGrid *grid)
{
	int64_t		least = INT64_MAX;
	int64_t		most = INT64_MIN;
	int64_t		tick;

	for (uint32_t u = 0; u < job->usage_count; u++)
	{
		int64_t		start = job->usages[u].start;
		int64_t		end = job->usages[u].end;

		least = start < least ? start : least;
		most = end > most ? end : most;
		if (!fg_check_every(ctx, u))
			return false;
	}
	return job->usage_count == 0 ||
		(fg_grid_tick(ctx, grid, least, &tick) && fg_grid_tick(ctx, grid, most, &tick));
}

/* The union of the blocked intervals of a resource, which are sorted by start. */
static bool
unite_blocked(FgContext *ctx, const FgJob *job, uint32_t resource, FgSlices *slices)
{
	FgTimeRanges *blocked = &slices->blocked;
	size_t		first = blocked->count;

	slices->first_blocked[resource] = (uint32_t) first;
	for (uint32_t b = job->first_blocking[resource]; b < job->first_blocking[resource + 1]; b++)
	{
		FgTimeRange	moved;

		if (!snap(ctx, &slices->grid, job->blockings[b].start, job->blockings[b].end, &moved) ||
			!fg_intervals_extend(ctx, blocked, first, moved.start, moved.end) ||
			!fg_check_every(ctx, b))
			return false;
	}
	return true;
}

static bool
snap_blockings(FgContext *ctx, const FgJob *job, FgSlices *slices)
{
	slices->first_blocked = fg_alloc(ctx, (size_t) job->resource_count + 1, sizeof(uint32_t));
	if (slices->first_blocked == NULL)
		return false;
	for (uint32_t r = 0; r < job->resource_count; r++)
	{
		if (!unite_blocked(ctx, job, r, slices) || !fg_check_every(ctx, r))
			return false;
	}
	slices->first_blocked[job->resource_count] = (uint32_t) slices->blocked.count;
	return true;
}

bool
fg_slices_make(FgContext *ctx, const FgJob *job, const FgJobOptions *options, FgSlices *slices)
{
	*slices = (FgSlices) {.life = NULL};
	slices->grid.origin = options->origin_given ? options->origin : job->phases[job->root].start;
	slices->grid.slice = options->slice > 0 ? options->slice : 1;
	return snap_phases(ctx, job, slices) && check_usages(ctx, job, &slices->grid) &&
		snap_blockings(ctx, job, slices);
}

void
fg_slices_free(FgContext *ctx, FgSlices *slices)
{
	fg_release(ctx, slices->life);
	fg_release(ctx, slices->first_blocked);
	fg_intervals_free(ctx, &slices->blocked);
}
