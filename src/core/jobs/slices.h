/*
 * slices.h
 *	  The times of a job on a grid of slices (Hegeman 2024, section 4.4.1.1).
 *
 * With a slice every time moves to the nearest bound of slices, exact halves upwards.  That
 * is monotone, so order and disjointness survive; phases and periods may become empty.
 * Without one the grid is that of microseconds, and nothing moves.  A tick is a
 * number of slices after the origin.
 *
 * Ticks are at most 2^62 apart from 0, so differences of two of them never overflow; jobs
 * whose times lie farther apart (146,000 years) or are infinite are errors.
 */
#ifndef FG_SLICES_H
#define FG_SLICES_H

#include "core/jobs/intervals.h"
#include "core/jobs/job.h"
#include "core/jobs/job_options.h"

typedef struct FgGrid
{
	int64_t		origin;
	int64_t		slice;			/* microseconds, at least 1 */
} FgGrid;

typedef struct FgSlices
{
	FgGrid		grid;
	FgTimeRange *life;			/* by phase; may be empty */
	FgTimeRanges blocked;		/* of one resource after the other, each list normal */
	uint32_t   *first_blocked;	/* by resource, resource_count + 1 */
} FgSlices;

/* The bound of slices at or before a distance from the origin, or the next one. */
static inline int64_t
fg_round_ticks(int64_t distance, int64_t slice)
{
	int64_t		tick = distance / slice;
	int64_t		rest = distance % slice;

	if (rest < 0)
	{
		rest += slice;
		tick--;
	}
	return rest >= slice - rest ? tick + 1 : tick;
}

/*
 * The period of a row of usages; may be empty.  Not kept by row: there are more rows than of
 * anything else, and each is looked at a few times.
 */
static inline FgTimeRange
fg_period_of(const FgGrid *grid, const FgUsage *usage)
{
	int64_t		start = usage->start - grid->origin;
	int64_t		end = usage->end - grid->origin;

	if (grid->slice == 1)
		return (FgTimeRange) {start, end};
	return (FgTimeRange) {
		fg_round_ticks(start, grid->slice), fg_round_ticks(end, grid->slice)
	};
}

/* FG_ERROR_RANGE for a time that has no tick. */
extern bool fg_grid_tick(FgContext *ctx, const FgGrid *grid, int64_t time, int64_t *tick);

/* The time of a tick that fg_grid_tick() gave, and of all ticks between two such. */
static inline int64_t
fg_grid_time(const FgGrid *grid, int64_t tick)
{
	return grid->origin + tick * grid->slice;
}

static inline double
fg_grid_seconds(const FgGrid *grid, int64_t ticks)
{
	return (double) ticks * (double) grid->slice / 1e6;
}

static inline int64_t
fg_interval_length(FgTimeRange interval)
{
	return interval.end - interval.start;
}

extern bool fg_slices_make(FgContext *ctx, const FgJob *job, const FgJobOptions *options,
						   FgSlices *slices);
extern void fg_slices_free(FgContext *ctx, FgSlices *slices);

#endif							/* FG_SLICES_H */
