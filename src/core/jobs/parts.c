/*
 * parts.c
 *	  Counts parts that are defined and limited over time (see parts.h).
 */
#include "core/jobs/parts.h"

/*
 * Events of a predicate: one part more or fewer is defined, or limited.  The item of a key is
 * one of these, and above it the place of the part's type among its siblings, where that is
 * asked for.
 */
enum
{
	DEFINED, UNDEFINED, LIMITED, FREE, EVENTS
};

static const int64_t change[EVENTS][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

bool
fg_part_counter_begin(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
					  FgPartCounter *counter)
{
	const FgJobTree *types = &analysis->job->phase_type_tree;

	*counter = (FgPartCounter) {.analysis = analysis, .bottlenecks = bottlenecks};
	fg_predicate_memo_begin(&counter->memo, analysis->ctx, analysis->options.functions);
	counter->sibling = fg_alloc_zero(analysis->ctx, types->count, sizeof(uint32_t));
	if (counter->sibling == NULL)
		return false;
	for (uint32_t t = 0; t < types->count; t++)
	{
		for (uint32_t c = types->first_child[t]; c < types->first_child[t + 1]; c++)
			counter->sibling[types->child[c]] = c - types->first_child[t];
		if (!fg_check_every(analysis->ctx, t))
			return false;
	}
	return true;
}

void
fg_part_counter_free(FgPartCounter *counter)
{
	FgContext  *ctx = counter->analysis->ctx;

	fg_release(ctx, counter->keys);
	fg_release(ctx, counter->spare_keys);
	fg_intervals_free(ctx, &counter->united);
	fg_intervals_free(ctx, &counter->spare);
	fg_predicate_memo_free(&counter->memo);
	fg_release(ctx, counter->counts);
	fg_release(ctx, counter->sibling);
}

bool
fg_part_counter_reserve(FgPartCounter *counter, size_t count)
{
	FgContext  *ctx = counter->analysis->ctx;

	return fg_reserve(ctx, (void **) &counter->keys, &counter->key_capacity, count,
					  sizeof(FgSortKey)) &&
		fg_reserve(ctx, (void **) &counter->spare_keys, &counter->spare_capacity, count,
				   sizeof(FgSortKey));
}

static const FgTimeRange *
part_times(const FgPartCounter *c, const FgPart *part, uint32_t *count)
{
	const FgTrack *track = &c->bottlenecks->tracks[part->track];

	*count = track->count;
	return track->count == 0 ? NULL : c->bottlenecks->times.list + track->first;
}

bool
fg_parts_add_times(const FgPartCounter *counter, const FgPart *parts, size_t count,
				   FgTimeRange life, FgTimeRanges *to)
{
	FgContext  *ctx = counter->analysis->ctx;

	for (size_t i = 0; i < count; i++)
	{
		uint32_t	ntimes;
		const FgTimeRange *times = part_times(counter, &parts[i], &ntimes);

		if (!fg_intervals_add_clipped(ctx, to, times, ntimes, life.start, life.end) ||
			!fg_steps(ctx, 1))
			return false;
	}
	return true;
}

/* --- events ----------------------------------------------------------------------------- */

static void
add_events(FgPartCounter *c, size_t *count, FgTimeRange time, FgTimeRange life, uint32_t begin)
{
	int64_t		start = time.start > life.start ? time.start : life.start;
	int64_t		end = time.end < life.end ? time.end : life.end;

	if (start >= end)
		return;
	c->keys[(*count)++] = (FgSortKey) {start, begin};
	c->keys[(*count)++] = (FgSortKey) {end, begin + 1};
}

/* Of the parts within a life, by time; with the places of their types, or without. */
static bool
collect_events(FgPartCounter *c, const FgPart *parts, size_t count, FgTimeRange life,
			   bool by_type, size_t *events)
{
	const FgAnalysis *analysis = c->analysis;
	size_t		most = 0;

	*events = 0;
	for (size_t i = 0; i < count; i++)
		most += 1 + c->bottlenecks->tracks[parts[i].track].count;
	if (!fg_part_counter_reserve(c, most * 2))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	place = by_type ? c->sibling[analysis->job->phases[parts[i].child].type] : 0;
		uint32_t	ntimes;
		const FgTimeRange *times = part_times(c, &parts[i], &ntimes);

		add_events(c, events, analysis->slices.life[parts[i].child], life,
				   place * EVENTS + DEFINED);
		for (uint32_t t = 0; t < ntimes; t++)
			add_events(c, events, times[t], life, place * EVENTS + LIMITED);
		if (!fg_steps(analysis->ctx, ntimes))
			return false;
	}
	return fg_sort_keys(analysis->ctx, c->keys, *events, c->spare_keys);
}

/* --- words ------------------------------------------------------------------------------ */

/* When the predicate holds of these parts, by counting how many are defined and limited. */
static bool
count_parts(FgPartCounter *c, const FgPredicate *predicate, const FgPart *parts, size_t count,
			FgTimeRange life, FgTimeRanges *to)
{
	FgContext  *ctx = c->analysis->ctx;
	int64_t		defined = 0;
	int64_t		limited = 0;
	size_t		from = to->count;
	size_t		events;

	if (!collect_events(c, parts, count, life, false, &events))
		return false;
	for (size_t i = 0; i < events;)
	{
		int64_t		time = c->keys[i].key;

		for (; i < events && c->keys[i].key == time; i++)
		{
			defined += change[c->keys[i].item][0];
			limited += change[c->keys[i].item][1];
		}
		if (fg_predicate_holds(predicate, (uint32_t) defined, (uint32_t) limited) &&
			!fg_intervals_extend(ctx, to, from, time, c->keys[i].key))
			return false;
		if (!fg_steps(ctx, 1))
			return false;
	}
	return true;
}

/* The parts of one type of subphases after the other. */
static bool
sort_parts(FgPartCounter *c, FgPart *parts, size_t count)
{
	const FgPhase *phases = c->analysis->job->phases;
	size_t		unsorted = 0;

	for (size_t i = 1; i < count; i++)
		unsorted += phases[parts[i].child].type < phases[parts[i - 1].child].type;
	if (unsorted == 0)
		return true;
	/* the order of children within a type does not matter: a sort in place */
	if (!fg_part_counter_reserve(c, count))
		return false;
	for (size_t i = 0; i < count; i++)
		c->keys[i] = (FgSortKey) {phases[parts[i].child].type, (uint32_t) i};
	if (!fg_sort_keys(c->analysis->ctx, c->keys, count, c->spare_keys))
		return false;
	for (size_t i = 0; i < count; i++)
		c->spare_keys[i].key = (int64_t) parts[c->keys[i].item].track;
	for (size_t i = 0; i < count; i++)
		c->spare_keys[i].item = parts[c->keys[i].item].child;
	for (size_t i = 0; i < count; i++)
		parts[i] = (FgPart) {c->spare_keys[i].item, (size_t) c->spare_keys[i].key};
	return fg_steps(c->analysis->ctx, count);
}

/* Within at least one type of subphases. */
static bool
count_by_type(FgPartCounter *c, const FgPredicate *predicate, FgPart *parts, size_t count,
			  FgTimeRange life, FgTimeRanges *to)
{
	const FgPhase *phases = c->analysis->job->phases;
	FgContext  *ctx = c->analysis->ctx;

	if (!sort_parts(c, parts, count))
		return false;
	for (size_t first = 0, end; first < count; first = end)
	{
		size_t		from = to->count;

		for (end = first + 1;
			 end < count && phases[parts[end].child].type == phases[parts[first].child].type;)
			end++;
		fg_intervals_clear(&c->united);
		if (!count_parts(c, predicate, parts + first, end - first, life, &c->united))
			return false;
		for (size_t i = 0; i < c->united.count; i++)
		{
			if (!fg_intervals_add(ctx, to, c->united.list[i].start, c->united.list[i].end))
				return false;
		}
		if (!fg_steps(ctx, to->count - from))
			return false;
	}
	return fg_intervals_unite(ctx, to, &c->spare);
}

bool
fg_parts_hold(FgPartCounter *counter, const FgPredicate *predicate, FgPart *parts, size_t count,
			  FgTimeRange life, FgTimeRanges *to)
{
	if (predicate->kind == FG_PREDICATE_ANY)
		return fg_parts_add_times(counter, parts, count, life, to) &&
			fg_intervals_unite(counter->analysis->ctx, to, &counter->spare);
	return predicate->by_type ? count_by_type(counter, predicate, parts, count, life, to) :
		count_parts(counter, predicate, parts, count, life, to);
}

/* --- functions -------------------------------------------------------------------------- */

/* counts[]: all children of a phase by the places of their types, none defined yet. */
static bool
count_children(FgPartCounter *c, uint32_t phase, uint32_t *types)
{
	const FgJob *job = c->analysis->job;
	const FgJobTree *tree = &job->phase_tree;
	const FgJobTree *type_tree = &job->phase_type_tree;
	uint32_t	first = type_tree->first_child[job->phases[phase].type];

	*types = type_tree->first_child[job->phases[phase].type + 1] - first;
	if (!fg_reserve(c->analysis->ctx, (void **) &c->counts, &c->count_capacity, *types,
					sizeof(FgPartCount)))
		return false;
	for (uint32_t t = 0; t < *types; t++)
	{
		uint32_t	type = type_tree->child[first + t];

		c->counts[t] = (FgPartCount) {.name = job->phase_types[type].name, .type = type};
	}
	for (uint32_t i = tree->first_child[phase]; i < tree->first_child[phase + 1]; i++)
		c->counts[c->sibling[job->phases[tree->child[i]].type]].all++;
	return fg_steps(c->analysis->ctx,
					(size_t) *types + tree->first_child[phase + 1] - tree->first_child[phase]);
}

bool
fg_parts_ask(FgPartCounter *counter, uint32_t function, uint32_t phase, uint32_t resource_type,
			 const FgPart *parts, size_t count, FgTimeRanges *to)
{
	const FgAnalysis *analysis = counter->analysis;
	FgPredicateQuestion question = {
		.function = function, .resource_type = resource_type,
		.resource_name = analysis->job->resource_types[resource_type].name
	};
	int64_t		defined = 0;
	size_t		events;

	if (!count_children(counter, phase, &question.count) ||
		!collect_events(counter, parts, count, analysis->slices.life[phase], true, &events))
		return false;
	question.parts = counter->counts;
	for (size_t i = 0; i < events;)
	{
		int64_t		time = counter->keys[i].key;
		bool		holds = false;

		for (; i < events && counter->keys[i].key == time; i++)
		{
			const int64_t *by = change[counter->keys[i].item % EVENTS];
			FgPartCount *at = &counter->counts[counter->keys[i].item / EVENTS];

			at->defined = (uint32_t) (at->defined + by[0]);
			at->limited = (uint32_t) (at->limited + by[1]);
			defined += by[0];
		}
		if (defined > 0 && !fg_predicate_memo_ask(&counter->memo, &question, &holds))
			return false;
		if (holds && !fg_intervals_extend(analysis->ctx, to, 0, time, counter->keys[i].key))
			return false;
		if (!fg_steps(analysis->ctx, 1))
			return false;
	}
	return true;
}
