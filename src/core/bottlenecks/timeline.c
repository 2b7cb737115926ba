/*
 * timeline.c
 *	  Merges the tracks of a phase (see timeline.h).
 */
#include "core/bottlenecks/timeline.h"

typedef struct Timeline
{
	const FgAnalysis *analysis;
	const FgBottlenecks *bottlenecks;
	FgTimelineEmit emit;
	void	   *arg;
	FgSortKey  *keys;
	FgSortKey  *spare;
	size_t		key_capacity;
	size_t		spare_capacity;
	bool	   *limited;		/* by track of the phase */
	size_t		limited_capacity;
	uint32_t   *types;
	size_t		type_capacity;
} Timeline;

/* Two for each time, one with the end of the phase, in the order of time. */
static bool
collect_changes(Timeline *t, uint32_t phase, size_t *count)
{
	const FgTrack *tracks = t->bottlenecks->tracks + t->bottlenecks->first[phase];
	uint32_t	ntracks = t->bottlenecks->count[phase];
	FgContext  *ctx = t->analysis->ctx;
	size_t		most = 0;

	for (uint32_t i = 0; i < ntracks; i++)
		most += (size_t) tracks[i].count * 2;
	if (!fg_reserve(ctx, (void **) &t->keys, &t->key_capacity, most, sizeof(FgSortKey)) ||
		!fg_reserve(ctx, (void **) &t->spare, &t->spare_capacity, most, sizeof(FgSortKey)) ||
		!fg_reserve(ctx, (void **) &t->limited, &t->limited_capacity, ntracks, sizeof(bool)) ||
		!fg_reserve(ctx, (void **) &t->types, &t->type_capacity, ntracks, sizeof(uint32_t)))
		return false;
	*count = 0;
	for (uint32_t i = 0; i < ntracks; i++)
	{
		t->limited[i] = false;
		for (uint32_t j = 0; j < tracks[i].count; j++)
		{
			FgTimeRange time = t->bottlenecks->times.list[tracks[i].first + j];

			t->keys[(*count)++] = (FgSortKey) {time.start, i};
			t->keys[(*count)++] = (FgSortKey) {time.end, i};
		}
		if (!fg_steps(ctx, (size_t) tracks[i].count + 1))
			return false;
	}
	return fg_sort_keys(ctx, t->keys, most, t->spare);
}

static bool
emit_state(Timeline *t, uint32_t phase, int64_t start, int64_t end)
{
	const FgTrack *tracks = t->bottlenecks->tracks + t->bottlenecks->first[phase];
	size_t		count = 0;

	if (start >= end)
		return true;
	for (uint32_t i = 0; i < t->bottlenecks->count[phase]; i++)
	{
		if (t->limited[i])
			t->types[count++] = tracks[i].type;
	}
	return fg_steps(t->analysis->ctx, (size_t) t->bottlenecks->count[phase] + 1) &&
		t->emit(t->arg, phase, (FgTimeRange) {start, end}, t->types, count);
}

/* Tracks are by type, so the types of a state are in order. */
static bool
emit_phase(Timeline *t, uint32_t phase)
{
	FgTimeRange life = t->analysis->slices.life[phase];
	int64_t		start = life.start;
	size_t		count;

	if (!collect_changes(t, phase, &count))
		return false;
	for (size_t i = 0; i < count;)
	{
		int64_t		time = t->keys[i].key;

		if (!emit_state(t, phase, start, time))
			return false;
		for (; i < count && t->keys[i].key == time; i++)
			t->limited[t->keys[i].item] = !t->limited[t->keys[i].item];
		start = time;
	}
	return emit_state(t, phase, start, life.end);
}

bool
fg_bottleneck_timelines(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
						FgTimelineEmit emit, void *arg)
{
	FgContext  *ctx = analysis->ctx;
	Timeline	t = {
		.analysis = analysis, .bottlenecks = bottlenecks, .emit = emit, .arg = arg
	};
	bool		ok = true;

	for (uint32_t p = 0; ok && p < analysis->job->phase_count; p++)
		ok = fg_check_every(ctx, p) && emit_phase(&t, p);
	fg_release(ctx, t.keys);
	fg_release(ctx, t.spare);
	fg_release(ctx, t.limited);
	fg_release(ctx, t.types);
	return ok;
}
