/*
 * durations.c
 *	  Sums of bottlenecks and of consumption (see durations.h).
 */
#include "core/bottlenecks/durations.h"

#include "core/base/pairs.h"

#include <math.h>

static FgBottleneckDuration
duration_of(uint32_t phase, uint32_t type, double duration, double time)
{
	return (FgBottleneckDuration) {phase, type, duration, time,
		duration > 0 ? time / duration : NAN};
}

static bool
durations_of_phase(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks, uint32_t phase,
				   FgTimeRanges spare[2], FgBottleneckDurationEmit emit, void *arg)
{
	const FgGrid *grid = &analysis->slices.grid;
	double		life = fg_analysis_duration(analysis, phase);
	FgBottleneckDuration duration;
	int64_t		rest = 0;

	for (uint32_t t = 0; t < bottlenecks->count[phase]; t++)
	{
		const FgTrack *track = &bottlenecks->tracks[bottlenecks->first[phase] + t];

		duration = duration_of(phase, track->type, life,
							   fg_grid_seconds(grid, fg_track_ticks(bottlenecks, track)));
		if (!emit(arg, &duration) || !fg_steps(analysis->ctx, (size_t) track->count + 1))
			return false;
	}
	fg_intervals_clear(&spare[0]);
	if (!fg_bottleneck_free_times(analysis, bottlenecks, phase, &spare[0], &spare[1]))
		return false;
	for (size_t i = 0; i < spare[0].count; i++)
		rest += fg_interval_length(spare[0].list[i]);
	duration = duration_of(phase, FG_NONE, life, fg_grid_seconds(grid, rest));
	return emit(arg, &duration);
}

bool
fg_bottleneck_durations(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
						FgBottleneckDurationEmit emit, void *arg)
{
	FgTimeRanges spare[2] = {{.list = NULL}, {.list = NULL}};
	bool		ok = true;

	for (uint32_t p = 0; ok && p < analysis->job->phase_count; p++)
		ok = fg_check_every(analysis->ctx, p) &&
			durations_of_phase(analysis, bottlenecks, p, spare, emit, arg);
	fg_intervals_free(analysis->ctx, &spare[0]);
	fg_intervals_free(analysis->ctx, &spare[1]);
	return ok;
}

/* --- by type of phases --------------------------------------------------------------------- */

/* Two sums for each pair of a phase type and a resource type. */
typedef struct Summary
{
	const FgAnalysis *analysis;
	FgPairs		pairs;
	FgConsumption *sums;		/* or duration and bottleneck time */
	size_t		capacity;
} Summary;

static bool
add(Summary *s, uint32_t phase, uint32_t resource_type, double first, double second)
{
	uint32_t	before = s->pairs.count;
	uint32_t	number;

	if (!fg_pairs_add(&s->pairs, s->analysis->job->phases[phase].type, resource_type, &number))
		return false;
	if (number == before)
	{
		if (!fg_reserve(s->analysis->ctx, (void **) &s->sums, &s->capacity, (size_t) number + 1,
						sizeof(FgConsumption)))
			return false;
		s->sums[number] = (FgConsumption) {0, 0};
	}
	s->sums[number].used += first;
	s->sums[number].available += second;
	return true;
}

static bool
add_duration(void *arg, const FgBottleneckDuration *duration)
{
	return add(arg, duration->phase, duration->resource_type, duration->duration,
			   duration->bottleneck_time);
}

/* The pairs by phase type, then by resource type, FG_NONE last. */
static uint32_t *
order_pairs(Summary *s)
{
	const FgJob *job = s->analysis->job;
	uint32_t	limit = job->phase_type_count > job->resource_type_count ?
		job->phase_type_count : job->resource_type_count;
	uint32_t   *order = fg_alloc(s->analysis->ctx, s->pairs.count, sizeof(uint32_t));

	if (order == NULL || fg_pairs_order(&s->pairs, limit, order))
		return order;
	fg_release(s->analysis->ctx, order);
	return NULL;
}

static void
summary_free(Summary *s, uint32_t *order)
{
	fg_pairs_free(&s->pairs);
	fg_release(s->analysis->ctx, s->sums);
	fg_release(s->analysis->ctx, order);
}

bool
fg_bottleneck_summary(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
					  FgBottleneckDurationEmit emit, void *arg)
{
	Summary		s = {.analysis = analysis};
	uint32_t   *order = NULL;
	bool		ok = fg_pairs_begin(analysis->ctx, &s.pairs) &&
		fg_bottleneck_durations(analysis, bottlenecks, add_duration, &s) &&
		(order = order_pairs(&s)) != NULL;

	for (uint32_t i = 0; ok && i < s.pairs.count; i++)
	{
		FgNumberPair pair = s.pairs.pairs[order[i]];
		/* each phase has a row without a resource type */
		double		all = s.sums[fg_pairs_find(&s.pairs, pair.a, FG_NONE)].used;
		FgBottleneckDuration duration = duration_of(pair.a, pair.b, all,
													s.sums[order[i]].available);

		ok = emit(arg, &duration);
	}
	summary_free(&s, order);
	return ok;
}

bool
fg_consumption_summary(const FgAnalysis *analysis, const FgConsumptions *consumptions,
					   FgConsumptionEmit emit, void *arg)
{
	const FgJob *job = analysis->job;
	Summary		s = {.analysis = analysis};
	uint32_t   *order = NULL;
	bool		ok = fg_pairs_begin(analysis->ctx, &s.pairs);

	for (uint32_t p = 0; ok && p < job->phase_count; p++)
	{
		for (size_t i = consumptions->first[p]; ok && i < consumptions->first[p + 1]; i++)
			ok = add(&s, p, job->resources[consumptions->rows[i].resource].type,
					 consumptions->rows[i].consumption.used,
					 consumptions->rows[i].consumption.available) && fg_steps(analysis->ctx, 1);
		ok = ok && fg_check_every(analysis->ctx, p);
	}
	ok = ok && (order = order_pairs(&s)) != NULL;
	for (uint32_t i = 0; ok && i < s.pairs.count; i++)
	{
		FgNumberPair pair = s.pairs.pairs[order[i]];

		ok = emit(arg, pair.a, pair.b, &s.sums[order[i]]);
	}
	summary_free(&s, order);
	return ok;
}
