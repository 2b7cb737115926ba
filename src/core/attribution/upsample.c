/*
 * upsample.c
 *	  Algorithm 1 on segments, and the two plain ways to sample (see upsample.h).
 */
#include "core/attribution/upsample.h"

#include "core/base/order.h"

#include <math.h>

/* Shares of the capacity, and of what a period began with, that are nothing. */
#define NO_ROOM 1e-12
#define NO_REST 1e-14

void
fg_samples_free(FgContext *ctx, FgSamples *samples)
{
	fg_release(ctx, samples->usage);
	fg_release(ctx, samples->greedy);
	fg_release(ctx, samples->sink);
	fg_release(ctx, samples->background);
	*samples = (FgSamples) {.usage = NULL};
}

void
fg_filler_free(FgFiller *filler)
{
	fg_release(filler->ctx, filler->load);
	fg_release(filler->ctx, filler->room);
	fg_release(filler->ctx, filler->width);
	fg_release(filler->ctx, filler->ratio);
	fg_release(filler->ctx, filler->behind);
	fg_release(filler->ctx, filler->order);
}

bool
fg_samples_reserve(FgContext *ctx, FgSamples *samples, uint32_t segments)
{
	double	  **const arrays[] = {
		&samples->usage, &samples->greedy, &samples->sink, &samples->background
	};

	for (size_t i = 0; i < 4; i++)
	{
		if (!fg_reserve(ctx, (void **) arrays[i], &samples->capacities[i], segments,
						sizeof(double)))
			return false;
	}
	return true;
}

static bool
filler_reserve(FgFiller *f, uint32_t count)
{
	double	  **const arrays[] = {&f->load, &f->room, &f->width, &f->ratio, &f->behind};

	for (size_t i = 0; i < 5; i++)
	{
		if (!fg_reserve(f->ctx, (void **) arrays[i], &f->capacities[i], (size_t) count + 1,
						sizeof(double)))
			return false;
	}
	return fg_reserve(f->ctx, (void **) &f->order, &f->capacities[5], count, sizeof(uint32_t));
}

/* --- one fill --------------------------------------------------------------------------- */

/* By the ratio of load to room, the largest first. */
static bool
order_by_ratio(FgFiller *f, uint32_t count)
{
	/* below this the order is made by insertion, which allocates nothing */
	enum {few = 24};

	for (uint32_t i = 0; i < count; i++)
		f->ratio[i] = f->room[i] > 0 ? f->load[i] / f->room[i] : 0;
	if (count > few)
		return fg_order_descending(f->ctx, f->ratio, count, f->order);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	at = i;

		for (; at > 0 && f->ratio[f->order[at - 1]] < f->ratio[i]; at--)
			f->order[at] = f->order[at - 1];
		f->order[at] = i;
	}
	return true;
}

/*
 * The loop of Algorithm 1.  The loads that are left are summed from the end of the order,
 * because subtracting one after the other would leave rounding noise.
 */
static bool
fill_in_order(FgFiller *f, uint32_t count, double *rest, double *samples)
{
	if (!order_by_ratio(f, count))
		return false;
	f->behind[count] = 0;
	for (uint32_t i = count; i-- > 0;)
		f->behind[i] = f->behind[i + 1] + f->width[f->order[i]] * f->load[f->order[i]];
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	at = f->order[i];

		samples[at] = 0;
		if (!(f->ratio[at] > 0))
			continue;
		samples[at] = fg_lesser(*rest * (f->load[at] / f->behind[i]), f->room[at]);
		*rest = fg_greater(*rest - f->width[at] * samples[at], 0);
	}
	return fg_steps(f->ctx, count);
}

/*
 * Distributes the rest over load[], up to room[], for width[] ticks each.  The two ends
 * are what happens most, and take no order: it fills all rooms, or none.
 */
static bool
fill(FgFiller *f, uint32_t count, double least, double *rest, double *samples)
{
	double		all_load = 0;
	double		all_room = 0;
	double		most = 0;		/* ratio of load to room */

	for (uint32_t i = 0; i < count; i++)
	{
		if (!(f->load[i] > 0 && f->room[i] > 0))
			f->load[i] = f->room[i] = 0;
		else
			most = fg_greater(most, f->load[i] / f->room[i]);
		all_load += f->width[i] * f->load[i];
		all_room += f->width[i] * f->room[i];
	}
	if (!isfinite(all_load) || !isfinite(all_room))
		return fg_fail(f->ctx, FG_ERROR_RANGE, "the load of a resource is out of range");
	if (*rest <= least)
		*rest = 0;
	if (*rest > 0 && *rest < all_room && *rest * (most / all_load) > 1)
		return fill_in_order(f, count, rest, samples);
	for (uint32_t i = 0; i < count; i++)
	{
		if (*rest >= all_room)
			samples[i] = f->room[i];
		else
			samples[i] = *rest == 0 ? 0 : fg_lesser(*rest * (f->load[i] / all_load), f->room[i]);
	}
	*rest = *rest >= all_room ? *rest - all_room : 0;
	return fg_steps(f->ctx, count);
}

/* --- Algorithm 1 ------------------------------------------------------------------------ */

/* Less room than this is none. */
static inline double
room_left(double room, double capacity)
{
	return room > NO_ROOM * capacity ? room : 0;
}

static void
set_loads(FgFiller *f, const FgSegment *segments, uint32_t count, int stage, double capacity,
		  const double *greedy, const double *sink)
{
	for (uint32_t i = 0; i < count; i++)
	{
		if (stage == 0)
		{
			f->load[i] = segments[i].greedy;
			f->room[i] = room_left(fg_lesser(segments[i].greedy, capacity), capacity);
		}
		else if (stage == 1)
		{
			f->load[i] = segments[i].sinks;
			f->room[i] = room_left(capacity - greedy[i], capacity);
		}
		else
		{
			f->load[i] = 1;
			f->room[i] = room_left(capacity - greedy[i] - sink[i], capacity);
		}
	}
}

bool
fg_upsample_period(FgFiller *f, const FgSegment *segments, uint32_t first, uint32_t end,
				   double capacity, double mean, FgSamples *samples)
{
	uint32_t	count = end - first;
	const FgSegment *own = segments + first;
	double	   *const parts[] = {
		samples->greedy + first, samples->sink + first, samples->background + first
	};
	double		ticks = (double) (segments[end].start - own->start);
	double		rest = mean * ticks;
	double		least = fg_greater(NO_ROOM * capacity, NO_REST * rest);

	if (!isfinite(rest))
		return fg_fail(f->ctx, FG_ERROR_RANGE, "the usage of a resource is out of range");
	if (!filler_reserve(f, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		f->width[i] = (double) fg_segment_ticks(&own[i]);
	for (int stage = 0; stage < 3; stage++)
	{
		set_loads(f, own, count, stage, capacity, parts[0], parts[1]);
		if (!fill(f, count, least, &rest, parts[stage]))
			return false;
	}
	for (uint32_t i = 0; i < count; i++)
		samples->usage[first + i] = parts[0][i] + parts[1][i] + parts[2][i];
	return true;
}

/* --- all of a resource --------------------------------------------------------------------- */

/* The line through the usage at the two ends of a period, at the centre of a slice. */
static double
interpolate(const FgAnalysis *analysis, uint32_t row, uint32_t first_row, int64_t tick)
{
	const FgUsage *usages = analysis->job->usages;
	const FgGrid *grid = &analysis->slices.grid;
	FgTimeRange period = fg_period_of(grid, &usages[row]);
	bool		follows = row > first_row && fg_period_of(grid, &usages[row - 1]).end == period.start;
	double		before = follows ? usages[row - 1].usage : usages[row].usage;
	double		share = ((double) (tick - period.start) + 0.5) / (double) fg_interval_length(period);

	return before + (usages[row].usage - before) * share;
}

static void
sample_plainly(const FgWorkload *workload, uint32_t first, uint32_t end, FgSamples *samples)
{
	const FgAnalysis *analysis = workload->analysis;
	uint32_t	row = workload->segments[first].row;
	uint32_t	first_row = analysis->job->first_usage[workload->resource];

	for (uint32_t i = first; i < end; i++)
	{
		samples->usage[i] = analysis->options.sampling == FG_USAGE_LINEAR ?
			interpolate(analysis, row, first_row, workload->segments[i].start) :
			analysis->job->usages[row].usage;
	}
}

/* The segments from here on that belong to one measurement, or to none. */
static uint32_t
row_end(const FgWorkload *workload, uint32_t first)
{
	uint32_t	end = first + 1;

	while (end < workload->segment_count &&
		   workload->segments[end].row == workload->segments[first].row)
		end++;
	return end;
}

bool
fg_upsample(FgFiller *filler, const FgWorkload *workload, FgSamples *samples)
{
	const FgAnalysis *analysis = workload->analysis;
	const FgSegment *segments = workload->segments;
	uint32_t	end;

	if (!fg_samples_reserve(filler->ctx, samples, workload->segment_count))
		return false;
	for (uint32_t first = 0; first < workload->segment_count; first = end)
	{
		end = row_end(workload, first);
		if (segments[first].row == FG_NONE)
		{
			for (uint32_t i = first; i < end; i++)
				samples->usage[i] = NAN;
		}
		else if (analysis->options.sampling != FG_USAGE_PHASE_AWARE)
			sample_plainly(workload, first, end, samples);
		else if (!fg_upsample_period(filler, segments, first, end, workload->capacity,
									 analysis->job->usages[segments[first].row].usage, samples))
			return false;
		if (!fg_steps(filler->ctx, end - first))
			return false;
	}
	return true;
}

double
fg_unplaced(const FgAnalysis *analysis, uint32_t row)
{
	const FgUsage *usage = &analysis->job->usages[row];
	double		capacity = analysis->job->resources[usage->resource].capacity;
	int64_t		ticks = fg_interval_length(fg_period_of(&analysis->slices.grid, usage));
	double		rest = (usage->usage - capacity) * (double) ticks;

	if (analysis->options.sampling != FG_USAGE_PHASE_AWARE || !(rest > NO_ROOM * capacity))
		return 0;
	return (usage->usage - capacity) * fg_grid_seconds(&analysis->slices.grid, ticks);
}

bool
fg_visit_resources(const FgAnalysis *analysis, uint32_t type, FgResourceVisit visit, void *arg)
{
	const FgJob *job = analysis->job;
	FgFiller	filler = {.ctx = analysis->ctx};
	FgSamples	samples = {.usage = NULL};
	FgWorkload	workload;
	bool		ok = fg_workload_begin(analysis, &workload);

	for (uint32_t r = 0; ok && r < job->resource_count; r++)
	{
		ok = fg_check(analysis->ctx) &&
			(fg_resource_class(job, r) != FG_RESOURCE_CONSUMABLE ||
			 (type != FG_NONE && job->resources[r].type != type) ||
			 (fg_workload_load(&workload, r) && fg_upsample(&filler, &workload, &samples) &&
			  visit(arg, &workload, &samples)));
	}
	fg_workload_free(&workload);
	fg_samples_free(analysis->ctx, &samples);
	fg_filler_free(&filler);
	return ok;
}
