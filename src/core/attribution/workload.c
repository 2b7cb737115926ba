/*
 * workload.c
 *	  A sweep over the change points of a resource (see workload.h).
 */
#include "core/attribution/workload.h"

#include <math.h>

#define MOST_SPANS (UINT32_C(1) << 30)

/* An event is the start of a span, or its end. */
#define EVENT(span, ends) ((span) * 2 + (ends))

bool
fg_workload_begin(const FgAnalysis *analysis, FgWorkload *workload)
{
	size_t		rules = (size_t) analysis->job->rule_count + 1;

	*workload = (FgWorkload) {.analysis = analysis};
	workload->kind_of_rule = fg_alloc(analysis->ctx, rules, sizeof(uint32_t));
	if (workload->kind_of_rule == NULL)
		return false;
	for (size_t i = 0; i < rules; i++)
		workload->kind_of_rule[i] = FG_NONE;
	return true;
}

void
fg_workload_free(FgWorkload *workload)
{
	FgContext  *ctx = workload->analysis->ctx;

	fg_release(ctx, workload->segments);
	fg_release(ctx, workload->kinds);
	fg_release(ctx, workload->users);
	fg_release(ctx, workload->spans);
	fg_release(ctx, workload->events);
	fg_release(ctx, workload->spare);
	fg_release(ctx, workload->unsorted);
	fg_release(ctx, workload->kind_of_rule);
	fg_release(ctx, workload->active);
	fg_release(ctx, workload->sums);
}

/* --- users ---------------------------------------------------------------------------- */

static uint32_t
rule_index(const FgWorkload *w, const FgUse *use)
{
	return use->rule == FG_NONE ? w->analysis->job->rule_count : use->rule;
}

static bool
find_kind(FgWorkload *w, const FgUse *use, uint32_t *kind)
{
	uint32_t	rule = rule_index(w, use);

	if (w->kind_of_rule[rule] == FG_NONE)
	{
		if (!fg_reserve(w->analysis->ctx, (void **) &w->kinds, &w->kind_capacity,
						(size_t) w->kind_count + 1, sizeof(FgUseKind)))
			return false;
		w->kinds[w->kind_count] = (FgUseKind) {use->kind, use->cap, use->delta};
		w->kind_of_rule[rule] = w->kind_count++;
	}
	*kind = w->kind_of_rule[rule];
	return true;
}

/* The leaves of one list, whose number of this use in the list is "place". */
static bool
add_users(FgWorkload *w, uint32_t list, uint32_t place, uint32_t kind)
{
	const FgUses *uses = &w->analysis->uses;
	FgContext  *ctx = w->analysis->ctx;
	uint32_t	first = uses->first_leaf[list];
	uint32_t	end = uses->first_leaf[list + 1];

	if (!fg_reserve(ctx, (void **) &w->unsorted, &w->unsorted_capacity,
					(size_t) w->user_count + (end - first), sizeof(FgUser)))
		return false;
	for (uint32_t i = first; i < end; i++)
	{
		uint32_t	leaf = uses->leaf[i];

		w->unsorted[w->user_count++] =
			(FgUser) {.leaf = leaf, .slot = uses->first_slot[leaf] + place, .kind = kind};
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static bool
reserve_events(FgWorkload *w, size_t count)
{
	FgContext  *ctx = w->analysis->ctx;

	return fg_reserve(ctx, (void **) &w->events, &w->event_capacity, count, sizeof(FgSortKey)) &&
		fg_reserve(ctx, (void **) &w->spare, &w->spare_capacity, count, sizeof(FgSortKey));
}

static bool
sort_users(FgWorkload *w)
{
	FgContext  *ctx = w->analysis->ctx;

	if (!reserve_events(w, w->user_count) ||
		!fg_reserve(ctx, (void **) &w->users, &w->user_capacity, w->user_count, sizeof(FgUser)))
		return false;
	for (uint32_t i = 0; i < w->user_count; i++)
		w->events[i] = (FgSortKey) {w->unsorted[i].leaf, i};
	if (!fg_sort_keys(ctx, w->events, w->user_count, w->spare))
		return false;
	for (uint32_t i = 0; i < w->user_count; i++)
		w->users[i] = w->unsorted[w->events[i].item];
	return true;
}

static bool
find_users(FgWorkload *w)
{
	const FgUses *uses = &w->analysis->uses;
	bool		ok = true;

	w->user_count = 0;
	w->kind_count = 0;
	for (uint32_t i = uses->first_by_resource[w->resource];
		 ok && i < uses->first_by_resource[w->resource + 1]; i++)
	{
		uint32_t	list = uses->list_by_resource[i];
		uint32_t	place = uses->by_resource[i] - uses->lists[list].first;
		uint32_t	kind;

		ok = find_kind(w, &uses->uses[uses->by_resource[i]], &kind) &&
			add_users(w, list, place, kind);
	}
	/* what was noted by rule is not for the next resource */
	for (uint32_t i = uses->first_by_resource[w->resource];
		 i < uses->first_by_resource[w->resource + 1]; i++)
		w->kind_of_rule[rule_index(w, &uses->uses[uses->by_resource[i]])] = FG_NONE;
	return ok && sort_users(w);
}

/* --- change points ---------------------------------------------------------------------- */

static bool
add_spans(FgWorkload *w, FgUser *user)
{
	const FgActivity *activity = &w->analysis->activity;
	uint32_t	first = activity->first[user->leaf];
	uint32_t	end = activity->first[user->leaf + 1];

	user->first_span = w->span_count;
	for (uint32_t i = first; i < end; i++)
	{
		FgSortKey  *event = &w->events[(size_t) w->span_count * 2];

		event[0] = (FgSortKey) {activity->active.list[i].start, EVENT(w->span_count, 0)};
		event[1] = (FgSortKey) {activity->active.list[i].end, EVENT(w->span_count, 1)};
		w->spans[w->span_count++] = (FgSegmentSpan) {.kind = user->kind};
		if (!fg_check_every(w->analysis->ctx, i))
			return false;
	}
	return true;
}

static bool
collect_events(FgWorkload *w)
{
	const FgActivity *activity = &w->analysis->activity;
	FgContext  *ctx = w->analysis->ctx;
	uint64_t	spans = 0;

	for (uint32_t u = 0; u < w->user_count; u++)
	{
		uint32_t	leaf = w->users[u].leaf;

		spans += activity->first[leaf + 1] - activity->first[leaf];
		if (!fg_check_every(ctx, u))
			return false;
	}
	if (spans > MOST_SPANS)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a resource is used too often");
	w->span_count = 0;
	if (!reserve_events(w, (size_t) spans * 2) ||
		!fg_reserve(ctx, (void **) &w->spans, &w->span_capacity, (size_t) spans,
					sizeof(FgSegmentSpan)))
		return false;
	for (uint32_t u = 0; u < w->user_count; u++)
	{
		if (!add_spans(w, &w->users[u]) || !fg_check_every(ctx, u))
			return false;
	}
	return fg_sort_keys(ctx, w->events, (size_t) w->span_count * 2, w->spare);
}

/* --- the sweep ---------------------------------------------------------------------------- */

/* Where the sweep stands: the next change of users, the next bound of a period. */
typedef struct Sweep
{
	FgWorkload *w;
	const FgSortKey *event;
	const FgSortKey *last_event;
	const FgUsage *usages;
	const FgGrid *grid;
	uint32_t	row;			/* of usages: the one that is next, or that the sweep is in */
	uint32_t	last_row;
	FgTimeRange period;			/* of that row */
	bool		in_period;
	bool		has_bound;
	bool		each_slice;		/* is a segment */
	int64_t		bound;
	uint32_t	sinks;
	size_t		first_sum;		/* of kinds, in the tree of sums */
} Sweep;

/* To the next period that is not empty. */
static void
next_period(Sweep *s)
{
	for (; s->row < s->last_row; s->row++)
	{
		s->period = fg_period_of(s->grid, &s->usages[s->row]);
		if (fg_interval_length(s->period) > 0)
			break;
	}
	s->has_bound = s->row < s->last_row;
	s->bound = s->period.start;
}

static void
pass_bounds(Sweep *s, int64_t time)
{
	while (s->has_bound && s->bound == time)
	{
		if (s->in_period && time < s->period.end)
			s->bound++;
		else if (s->in_period)
		{
			s->in_period = false;
			s->row++;
			next_period(s);
		}
		else
		{
			s->in_period = true;
			s->bound = s->each_slice ? time + 1 : s->period.end;
		}
	}
}

/* Another number of leaves of a kind is active. */
static void
count_kind(Sweep *s, uint32_t kind, bool ends)
{
	FgWorkload *w = s->w;
	const FgUseKind *k = &w->kinds[kind];
	size_t		at = s->first_sum + kind;

	w->active[kind] += ends ? UINT32_MAX : 1;
	if (k->kind == FG_RULE_SINK)
	{
		s->sinks += ends ? UINT32_MAX : 1;
		return;
	}
	w->sums[at] = k->cap * w->active[kind];
	for (at /= 2; at > 0; at /= 2)
		w->sums[at] = w->sums[at * 2] + w->sums[at * 2 + 1];
}

static void
pass_events(Sweep *s, int64_t time)
{
	for (; s->event < s->last_event && s->event->key == time; s->event++)
	{
		FgSegmentSpan *span = &s->w->spans[s->event->item / 2];
		bool		ends = s->event->item % 2 != 0;

		if (ends)
			span->end = s->w->segment_count;
		else
			span->start = s->w->segment_count;
		count_kind(s, span->kind, ends);
	}
}

static bool
next_time(const Sweep *s, int64_t *time)
{
	bool		has_event = s->event < s->last_event;

	if (!has_event && !s->has_bound)
		return false;
	*time = has_event && (!s->has_bound || s->event->key < s->bound) ? s->event->key : s->bound;
	return true;
}

static bool
begin_sums(Sweep *s)
{
	FgWorkload *w = s->w;
	FgContext  *ctx = w->analysis->ctx;
	size_t		size = 1;

	while (size < w->kind_count)
		size *= 2;
	s->first_sum = size;
	if (!fg_reserve(ctx, (void **) &w->sums, &w->sums_capacity, size * 2, sizeof(double)) ||
		!fg_reserve(ctx, (void **) &w->active, &w->active_capacity, size, sizeof(uint32_t)))
		return false;
	for (size_t i = 0; i < size * 2; i++)
		w->sums[i] = 0;
	for (size_t i = 0; i < size; i++)
		w->active[i] = 0;
	return true;
}

/* Each turn ends a segment at a change point and begins the next. */
static bool
sweep(Sweep *s)
{
	FgWorkload *w = s->w;
	FgContext  *ctx = w->analysis->ctx;
	int64_t		time;

	w->segment_count = 0;
	next_period(s);
	while (next_time(s, &time))
	{
		FgSegment  *segment;

		if (w->segment_count == FG_MAX_NODES)
			return fg_fail_at(ctx, FG_ERROR_LIMIT, 0, 0, "Take a larger slice.",
							  "the usage of a resource changes too often");
		if (!fg_reserve(ctx, (void **) &w->segments, &w->segment_capacity,
						(size_t) w->segment_count + 2, sizeof(FgSegment)) ||
			!fg_check_every(ctx, w->segment_count))
			return false;
		pass_events(s, time);
		pass_bounds(s, time);
		segment = &w->segments[w->segment_count++];
		*segment = (FgSegment) {
			time, w->sums[1], s->sinks, s->in_period ? s->row : FG_NONE
		};
		if (!isfinite(segment->greedy))
			return fg_fail(ctx, FG_ERROR_RANGE, "the sum of the caps of a resource is out of range");
	}
	/* the last one begins where all is over */
	w->segment_count -= w->segment_count > 0;
	return true;
}

bool
fg_workload_load(FgWorkload *w, uint32_t resource)
{
	const FgAnalysis *analysis = w->analysis;
	const FgJob *job = analysis->job;
	double		delta = job->resources[resource].delta;
	Sweep		s = {.w = w};

	w->resource = resource;
	w->capacity = job->resources[resource].capacity;
	w->delta = isnan(delta) ? analysis->options.delta : delta;
	if (!find_users(w) || !collect_events(w) || !begin_sums(&s))
		return false;
	s.event = w->events;
	s.last_event = w->events;	/* NULL as long as nobody has used anything */
	if (w->span_count > 0)
		s.last_event += (size_t) w->span_count * 2;
	s.usages = job->usages;
	s.grid = &analysis->slices.grid;
	s.row = job->first_usage[resource];
	s.last_row = job->first_usage[resource + 1];
	s.each_slice = analysis->options.sampling == FG_USAGE_LINEAR;
	return sweep(&s);
}
