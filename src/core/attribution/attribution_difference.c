/*
 * attribution_difference.c
 *	  Compares two attributions phase by phase (see attribution_difference.h).
 *
 * Each resource gives each phase a step function, in both analyses.  A source is one of these;
 * the difference is the sum of those of one phase, those of the baseline negative.  It is
 * summed anew at each step, so no rounding noise is left where sources cancel.
 */
#include "core/attribution/attribution_difference.h"

#include <math.h>

/* A source has this value during this time. */
typedef struct Piece
{
	uint32_t	phase;
	uint32_t	source;
	FgTimeRange time;
	double		value;
} Piece;

typedef struct Difference
{
	const FgAnalysis *analysis; /* the one at hand */
	FgContext  *ctx;
	uint32_t	source;
	double		sign;
	double		most_capacity;
	uint32_t   *target;			/* by phase: the phase of the type that it is below, FG_NONE */
	Piece	   *pieces;
	size_t		piece_count;
	size_t		piece_capacity;
	FgSortKey  *keys;
	FgSortKey  *spare;
	size_t		key_capacity;
	size_t		spare_capacity;
	uint32_t   *active;			/* by kind of use */
	size_t		active_capacity;
	double	   *sums;			/* a tree over the sources of a phase */
	size_t		sums_capacity;
	uint32_t   *place;			/* by source: its place in that tree */
	FgValues	values[2][FG_DIFFERENCE_MEASURES];	/* over, under */
} Difference;

static bool
reserve_keys(Difference *d, size_t count)
{
	return fg_reserve(d->ctx, (void **) &d->keys, &d->key_capacity, count, sizeof(FgSortKey)) &&
		fg_reserve(d->ctx, (void **) &d->spare, &d->spare_capacity, count, sizeof(FgSortKey));
}

/* --- step functions ------------------------------------------------------------------------- */

/* Extends the last piece where the value goes on. */
static bool
add_piece(Difference *d, uint32_t phase, const FgSegment *segment, double value)
{
	FgTimeRange time = {segment[0].start, segment[1].start};
	Piece	   *last = d->piece_count > 0 ? &d->pieces[d->piece_count - 1] : NULL;

	if (value == 0)
		return true;
	if (last != NULL && last->phase == phase && last->source == d->source &&
		last->time.end == time.start && last->value == value)
	{
		last->time.end = time.end;
		return true;
	}
	if (!fg_reserve(d->ctx, (void **) &d->pieces, &d->piece_capacity, d->piece_count + 1,
					sizeof(Piece)))
		return false;
	if (d->piece_count >= FG_MAX_NODES)
		return fg_fail(d->ctx, FG_ERROR_LIMIT, "the attributions differ too often");
	d->pieces[d->piece_count++] = (Piece) {phase, d->source, time, value};
	return true;
}

/* What the active leaves of one phase use in a segment. */
static double
usage_of(const Difference *d, const FgWorkload *w, uint32_t segment, double sample)
{
	FgShares	shares = fg_shares_of(sample, w->capacity, w->segments[segment].greedy,
									  w->segments[segment].sinks);
	double		usage = 0;

	for (uint32_t k = 0; k < w->kind_count; k++)
	{
		if (d->active[k] > 0)
			usage += d->active[k] * fg_used_by(&w->kinds[k], &shares);
	}
	return usage;
}

/* The users that belong to one phase: users[first .. end) in the order of keys. */
static bool
trace_phase(Difference *d, const FgWorkload *w, const FgSamples *samples, uint32_t phase,
			const FgSortKey *events, size_t count)
{
	for (size_t i = 0; i < count;)
	{
		uint32_t	segment = (uint32_t) events[i].key;
		uint32_t	end;

		for (; i < count && events[i].key == segment; i++)
			d->active[w->spans[events[i].item / 2].kind] += events[i].item % 2 ? UINT32_MAX : 1;
		end = i < count ? (uint32_t) events[i].key : segment;
		for (; segment < end; segment++)
		{
			if (!add_piece(d, phase, &w->segments[segment],
						   d->sign * usage_of(d, w, segment, samples->usage[segment])) ||
				!fg_steps(d->ctx, w->kind_count))
				return false;
		}
	}
	return true;
}

/* Users by the phase that they belong to; those of none come last. */
static bool
order_users(Difference *d, const FgWorkload *w, FgSortKey **order)
{
	*order = fg_alloc(d->ctx, w->user_count, sizeof(FgSortKey));
	if (*order == NULL || !reserve_keys(d, w->user_count))
		return false;
	for (uint32_t u = 0; u < w->user_count; u++)
		(*order)[u] = (FgSortKey) {d->target[w->users[u].leaf], u};
	return fg_sort_keys(d->ctx, *order, w->user_count, d->spare);
}

static bool
collect_spans(Difference *d, const FgWorkload *w, const FgSortKey *order, uint32_t first,
			  uint32_t end, size_t *count)
{
	size_t		spans = 0;

	for (uint32_t u = first; u < end; u++)
	{
		const FgUser *user = &w->users[order[u].item];

		spans += fg_user_end(w, user) - user->first_span;
	}
	if (!reserve_keys(d, spans * 2))
		return false;
	*count = 0;
	for (uint32_t u = first; u < end; u++)
	{
		const FgUser *user = &w->users[order[u].item];
		uint32_t	last = fg_user_end(w, user);

		for (uint32_t s = user->first_span; s < last; s++)
		{
			d->keys[(*count)++] = (FgSortKey) {w->spans[s].start, s * 2};
			d->keys[(*count)++] = (FgSortKey) {w->spans[s].end, s * 2 + 1};
		}
		if (!fg_steps(d->ctx, (size_t) (last - user->first_span) + 1))
			return false;
	}
	return fg_sort_keys(d->ctx, d->keys, *count, d->spare);
}

static bool
trace_resource(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	Difference *d = arg;
	FgSortKey  *order = NULL;
	bool		ok;

	d->most_capacity = fmax(d->most_capacity, w->capacity);
	ok = order_users(d, w, &order) &&
		fg_reserve(d->ctx, (void **) &d->active, &d->active_capacity, w->kind_count,
				   sizeof(uint32_t));
	for (uint32_t k = 0; ok && k < w->kind_count; k++)
		d->active[k] = 0;
	for (uint32_t first = 0, end; ok && first < w->user_count; first = end)
	{
		size_t		count;

		for (end = first + 1; end < w->user_count && order[end].key == order[first].key;)
			end++;
		if (order[first].key == FG_NONE)
			break;
		ok = collect_spans(d, w, order, first, end, &count) &&
			trace_phase(d, w, samples, (uint32_t) order[first].key, d->keys, count);
	}
	fg_release(d->ctx, order);
	d->source++;
	return ok;
}

/* --- runs of one sign ------------------------------------------------------------------------ */

typedef struct Run
{
	int			direction;		/* 0 over, 1 under, -1 none */
	int64_t		ticks;
	double		area;			/* times ticks */
} Run;

static bool
end_run(Difference *d, Run *run)
{
	const FgGrid *grid = &d->analysis->slices.grid;
	int			direction = run->direction;
	bool		ok = direction < 0 ||
		(fg_values_add(d->ctx, &d->values[direction][FG_DIFFERENCE_DURATION],
					   fg_grid_seconds(grid, run->ticks), 1) &&
		 fg_values_add(d->ctx, &d->values[direction][FG_DIFFERENCE_AREA],
					   run->area * fg_grid_seconds(grid, 1), 1));

	*run = (Run) {.direction = -1};
	return ok;
}

static bool
add_step(Difference *d, Run *run, int64_t ticks, double difference)
{
	bool		counts = fabs(difference) > 1e-9 * d->most_capacity;
	int			direction = !counts ? -1 : difference < 0;

	if (direction != run->direction && !end_run(d, run))
		return false;
	if (!counts)
		return true;
	run->direction = direction;
	run->ticks += ticks;
	run->area += fabs(difference) * (double) ticks;
	return fg_values_add(d->ctx, &d->values[direction][FG_DIFFERENCE_MAGNITUDE],
						 fabs(difference) * fg_grid_seconds(&d->analysis->slices.grid, 1),
						 (uint64_t) ticks);
}

/* A tree with room for each source among these pieces; returns where its leaves begin. */
static bool
plant_sums(Difference *d, const FgSortKey *order, size_t count, size_t *leaves)
{
	uint32_t	sources = 0;
	size_t		size = 1;

	/* pieces of one source stand beside each other */
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	source = d->pieces[order[i].item].source;

		if (i == 0 || source != d->pieces[order[i - 1].item].source)
			d->place[source] = sources++;
	}
	while (size < sources)
		size *= 2;
	*leaves = size;
	if (!fg_reserve(d->ctx, (void **) &d->sums, &d->sums_capacity, size * 2, sizeof(double)))
		return false;
	for (size_t i = 0; i < size * 2; i++)
		d->sums[i] = 0;
	return fg_steps(d->ctx, count + size);
}

/* The pieces of one phase, in the order of their making. */
static bool
compare_phase(Difference *d, const FgSortKey *order, size_t count)
{
	Run			run = {.direction = -1};
	size_t		leaves;

	if (!plant_sums(d, order, count, &leaves) || !reserve_keys(d, count * 2))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		const Piece *piece = &d->pieces[order[i].item];

		d->keys[i * 2] = (FgSortKey) {piece->time.start, order[i].item * 2};
		d->keys[i * 2 + 1] = (FgSortKey) {piece->time.end, order[i].item * 2 + 1};
	}
	/* stable: where one piece of a source follows another, the end comes first */
	if (!fg_sort_keys(d->ctx, d->keys, count * 2, d->spare))
		return false;
	for (size_t i = 0; i < count * 2;)
	{
		int64_t		time = d->keys[i].key;

		for (; i < count * 2 && d->keys[i].key == time; i++)
		{
			const Piece *piece = &d->pieces[d->keys[i].item / 2];
			size_t		at = leaves + d->place[piece->source];

			d->sums[at] = d->keys[i].item % 2 ? 0 : piece->value;
			for (at /= 2; at > 0; at /= 2)
				d->sums[at] = d->sums[at * 2] + d->sums[at * 2 + 1];
		}
		if (i < count * 2 && !add_step(d, &run, d->keys[i].key - time, d->sums[1]))
			return false;
		if (!fg_steps(d->ctx, 8))
			return false;
	}
	return end_run(d, &run);
}

static bool
compare_all(Difference *d)
{
	FgSortKey  *order = fg_alloc(d->ctx, d->piece_count, sizeof(FgSortKey));
	bool		ok = order != NULL && reserve_keys(d, d->piece_count);

	for (size_t i = 0; ok && i < d->piece_count; i++)
		order[i] = (FgSortKey) {d->pieces[i].phase, (uint32_t) i};
	ok = ok && fg_sort_keys(d->ctx, order, d->piece_count, d->spare);
	for (size_t first = 0, end; ok && first < d->piece_count; first = end)
	{
		for (end = first + 1; end < d->piece_count && order[end].key == order[first].key;)
			end++;
		ok = compare_phase(d, order + first, end - first);
	}
	fg_release(d->ctx, order);
	return ok;
}

/* --- beginning and end ----------------------------------------------------------------------- */

static bool
find_targets(Difference *d, uint32_t phase_type, FgAttributionDifference *result)
{
	const FgJob *job = d->analysis->job;

	d->target = fg_alloc(d->ctx, job->phase_count, sizeof(uint32_t));
	d->place = fg_alloc(d->ctx, (size_t) job->resource_count * 2, sizeof(uint32_t));
	if (d->target == NULL || d->place == NULL)
		return false;
	for (uint32_t i = 0; i < job->phase_count; i++)
	{
		uint32_t	phase = job->phase_tree.order[i];
		uint32_t	parent = job->phases[phase].parent;

		d->target[phase] = parent == FG_NONE ? FG_NONE : d->target[parent];
		if (job->phases[phase].type == phase_type)
		{
			d->target[phase] = phase;
			result->samples += (uint64_t) fg_interval_length(d->analysis->slices.life[phase]);
		}
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

static double
consumed(const Difference *d)
{
	double		sum = 0;

	for (size_t i = 0; i < d->piece_count; i++)
		sum += d->pieces[i].value * (double) fg_interval_length(d->pieces[i].time);
	/* pieces of the baseline are negative */
	return -sum * fg_grid_seconds(&d->analysis->slices.grid, 1) + 0.0;
}

bool
fg_attribution_difference(const FgAnalysis *baseline, const FgAnalysis *other,
						  uint32_t phase_type, uint32_t resource_type,
						  FgAttributionDifference *result)
{
	FgContext  *ctx = baseline->ctx;
	Difference	d = {
		.analysis = baseline, .ctx = ctx, .sign = -1
	};
	bool		ok;

	*result = (FgAttributionDifference) {.samples = 0};
	ok = find_targets(&d, phase_type, result) &&
		fg_visit_resources(baseline, resource_type, trace_resource, &d);
	if (ok)
		result->baseline_consumption = consumed(&d);
	d.analysis = other;
	d.sign = 1;
	ok = ok && fg_visit_resources(other, resource_type, trace_resource, &d) && compare_all(&d);
	for (int m = 0; m < FG_DIFFERENCE_MEASURES; m++)
	{
		ok = ok && fg_values_stats(ctx, &d.values[0][m], &result->over[m]) &&
			fg_values_stats(ctx, &d.values[1][m], &result->under[m]);
		fg_values_free(ctx, &d.values[0][m]);
		fg_values_free(ctx, &d.values[1][m]);
	}
	fg_release(ctx, d.target);
	fg_release(ctx, d.place);
	fg_release(ctx, d.pieces);
	fg_release(ctx, d.keys);
	fg_release(ctx, d.spare);
	fg_release(ctx, d.active);
	fg_release(ctx, d.sums);
	return ok;
}
