/*
 * bottlenecks.c
 *	  Limits by type: of leaves, and of composites from those of their children (see
 *	  bottlenecks.h).
 *
 * Phases are taken from the last one in preorder to the first, so children come before
 * their parents, and nothing recurses.
 */
#include "core/jobs/bottlenecks.h"

/* A child of the composite at hand that is defined for a type. */
typedef struct Part
{
	uint32_t	child;
	size_t		track;
} Part;

/* Events of a predicate: one child more or fewer is defined, or bottlenecked. */
enum
{
	DEFINED, UNDEFINED, LIMITED, FREE
};

typedef struct Maker
{
	const FgAnalysis *analysis;
	const FgLeafBottlenecks *leaves;
	FgBottlenecks *result;
	FgPredicate *predicate;		/* by phase type */
	Part	   *parts;			/* of one type after the other */
	size_t		part_capacity;
	uint32_t   *types;			/* of the composite at hand */
	size_t		type_count;
	size_t		type_capacity;
	uint32_t   *part_count;		/* by resource type: of the composite at hand, else 0 */
	size_t	   *part_end;		/* by resource type */
	FgSortKey  *keys;
	FgSortKey  *spare_keys;
	size_t		key_capacity;
	size_t		spare_capacity;
	FgTimeRanges found;
	FgTimeRanges united;
	FgTimeRanges spare;
} Maker;

static bool
reserve_keys(Maker *m, size_t count)
{
	FgContext  *ctx = m->analysis->ctx;

	return fg_reserve(ctx, (void **) &m->keys, &m->key_capacity, count, sizeof(FgSortKey)) &&
		fg_reserve(ctx, (void **) &m->spare_keys, &m->spare_capacity, count, sizeof(FgSortKey));
}

static bool
add_track(Maker *m, uint32_t phase, FgTrack track)
{
	FgBottlenecks *result = m->result;

	if (!fg_reserve(m->analysis->ctx, (void **) &result->tracks, &result->track_capacity,
					result->track_count + 1, sizeof(FgTrack)))
		return false;
	result->tracks[result->track_count++] = track;
	result->count[phase]++;
	return true;
}

/* A track of times that are a normal list. */
static bool
add_times(Maker *m, uint32_t phase, uint32_t type, const FgTimeRanges *times)
{
	FgTimeRanges *pool = &m->result->times;
	FgTrack		track = {type, (uint32_t) times->count, pool->count};

	if (times->count >= FG_UNKNOWN)
		return fg_fail(m->analysis->ctx, FG_ERROR_LIMIT, "there are too many bottlenecks");
	for (size_t i = 0; i < times->count; i++)
	{
		if (!fg_intervals_add(m->analysis->ctx, pool, times->list[i].start, times->list[i].end))
			return false;
	}
	return fg_steps(m->analysis->ctx, times->count) && add_track(m, phase, track);
}

/* --- leaves ------------------------------------------------------------------------------- */

static uint32_t
use_type(const Maker *m, const FgUseList *list, uint32_t i)
{
	return m->analysis->job->resources[m->analysis->uses.uses[list->first + i].resource].type;
}

/* The limits by one resource. */
static bool
collect_limits(Maker *m, uint32_t leaf, const FgUseList *list, uint32_t i)
{
	const FgAnalysis *analysis = m->analysis;
	uint32_t	slot = analysis->uses.first_slot[leaf] + i;

	if (i >= list->consumable)
		return fg_waiting_add(analysis->ctx, &analysis->slices, leaf,
							  analysis->uses.uses[list->first + i].resource, &m->found);
	for (uint32_t l = 0; l < m->leaves->count[slot]; l++)
	{
		FgTimeRange time = m->leaves->limits[m->leaves->first[slot] + l].time;

		if (!fg_intervals_add(analysis->ctx, &m->found, time.start, time.end))
			return false;
	}
	return fg_steps(analysis->ctx, m->leaves->count[slot]);
}

/* One type: the uses from *i on, which moves behind them. */
static bool
add_leaf_type(Maker *m, uint32_t leaf, const FgUseList *list, uint32_t end, uint32_t *i)
{
	uint32_t	type = use_type(m, list, *i);

	fg_intervals_clear(&m->found);
	for (; *i < end && use_type(m, list, *i) == type; ++*i)
	{
		if (!collect_limits(m, leaf, list, *i) || !fg_steps(m->analysis->ctx, 1))
			return false;
	}
	return fg_intervals_unite(m->analysis->ctx, &m->found, &m->spare) &&
		add_times(m, leaf, type, &m->found);
}

/* Consumable and blocking types are each in order, and are merged. */
static bool
add_leaf(Maker *m, uint32_t leaf)
{
	const FgUseList *list = fg_uses_of(&m->analysis->uses, leaf);
	uint32_t	consumable = 0;
	uint32_t	blocking = list->consumable;

	while (consumable < list->consumable || blocking < list->count)
	{
		bool		first = blocking == list->count ||
			(consumable < list->consumable &&
			 use_type(m, list, consumable) < use_type(m, list, blocking));

		if (!(first ? add_leaf_type(m, leaf, list, list->consumable, &consumable) :
			  add_leaf_type(m, leaf, list, list->count, &blocking)))
			return false;
	}
	return true;
}

/* --- predicates ----------------------------------------------------------------------------- */

static const FgTimeRange *
part_times(const Maker *m, const Part *part, uint32_t *count)
{
	const FgTrack *track = &m->result->tracks[part->track];

	*count = track->count;
	return m->result->times.list + track->first;
}

/* The union over the parts, within a life. */
static bool
unite_parts(Maker *m, const Part *parts, size_t count, FgTimeRange life, FgTimeRanges *to)
{
	FgContext  *ctx = m->analysis->ctx;

	for (size_t i = 0; i < count; i++)
	{
		uint32_t	ntimes;
		const FgTimeRange *times = part_times(m, &parts[i], &ntimes);

		if (!fg_intervals_add_clipped(ctx, to, times, ntimes, life.start, life.end) ||
			!fg_steps(ctx, 1))
			return false;
	}
	return true;
}

static void
add_events(Maker *m, size_t *count, FgTimeRange time, FgTimeRange life, uint32_t begin)
{
	int64_t		start = time.start > life.start ? time.start : life.start;
	int64_t		end = time.end < life.end ? time.end : life.end;

	if (start >= end)
		return;
	m->keys[(*count)++] = (FgSortKey) {start, begin};
	m->keys[(*count)++] = (FgSortKey) {end, begin + 1};
}

static bool
collect_events(Maker *m, const Part *parts, size_t count, FgTimeRange life, size_t *events)
{
	size_t		most = 0;

	*events = 0;
	for (size_t i = 0; i < count; i++)
		most += 1 + m->result->tracks[parts[i].track].count;
	if (!reserve_keys(m, most * 2))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	ntimes;
		const FgTimeRange *times = part_times(m, &parts[i], &ntimes);

		add_events(m, events, m->analysis->slices.life[parts[i].child], life, DEFINED);
		for (uint32_t t = 0; t < ntimes; t++)
			add_events(m, events, times[t], life, LIMITED);
		if (!fg_steps(m->analysis->ctx, ntimes))
			return false;
	}
	return fg_sort_keys(m->analysis->ctx, m->keys, *events, m->spare_keys);
}

/* When the predicate holds of these parts, by counting how many are defined and limited. */
static bool
count_parts(Maker *m, const FgPredicate *predicate, const Part *parts, size_t count,
			FgTimeRange life, FgTimeRanges *to)
{
	static const int64_t change[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	int64_t		defined = 0;
	int64_t		limited = 0;
	size_t		from = to->count;
	size_t		events;

	if (!collect_events(m, parts, count, life, &events))
		return false;
	for (size_t i = 0; i < events;)
	{
		int64_t		time = m->keys[i].key;

		for (; i < events && m->keys[i].key == time; i++)
		{
			defined += change[m->keys[i].item][0];
			limited += change[m->keys[i].item][1];
		}
		if (fg_predicate_holds(predicate, (uint32_t) defined, (uint32_t) limited) &&
			!fg_intervals_extend(m->analysis->ctx, to, from, time, m->keys[i].key))
			return false;
		if (!fg_steps(m->analysis->ctx, 1))
			return false;
	}
	return true;
}

/* The parts of one type of subphases after the other. */
static bool
sort_parts(Maker *m, Part *parts, size_t count)
{
	const FgPhase *phases = m->analysis->job->phases;
	size_t		unsorted = 0;

	for (size_t i = 1; i < count; i++)
		unsorted += phases[parts[i].child].type < phases[parts[i - 1].child].type;
	if (unsorted == 0)
		return true;
	/* the order of children within a type does not matter: a sort in place */
	if (!reserve_keys(m, count))
		return false;
	for (size_t i = 0; i < count; i++)
		m->keys[i] = (FgSortKey) {phases[parts[i].child].type, (uint32_t) i};
	if (!fg_sort_keys(m->analysis->ctx, m->keys, count, m->spare_keys))
		return false;
	for (size_t i = 0; i < count; i++)
		m->spare_keys[i].key = (int64_t) parts[m->keys[i].item].track;
	for (size_t i = 0; i < count; i++)
		m->spare_keys[i].item = parts[m->keys[i].item].child;
	for (size_t i = 0; i < count; i++)
		parts[i] = (Part) {m->spare_keys[i].item, (size_t) m->spare_keys[i].key};
	return fg_steps(m->analysis->ctx, count);
}

/* Within at least one type of subphases. */
static bool
count_by_type(Maker *m, const FgPredicate *predicate, Part *parts, size_t count,
			  FgTimeRange life)
{
	const FgPhase *phases = m->analysis->job->phases;

	if (!sort_parts(m, parts, count))
		return false;
	for (size_t first = 0, end; first < count; first = end)
	{
		size_t		from = m->found.count;

		for (end = first + 1;
			 end < count && phases[parts[end].child].type == phases[parts[first].child].type;)
			end++;
		fg_intervals_clear(&m->united);
		if (!count_parts(m, predicate, parts + first, end - first, life, &m->united))
			return false;
		for (size_t i = 0; i < m->united.count; i++)
		{
			if (!fg_intervals_add(m->analysis->ctx, &m->found, m->united.list[i].start,
								  m->united.list[i].end))
				return false;
		}
		if (!fg_steps(m->analysis->ctx, m->found.count - from))
			return false;
	}
	return fg_intervals_unite(m->analysis->ctx, &m->found, &m->spare);
}

/* --- composites ----------------------------------------------------------------------------- */

/* Of a single child: all predicates say what it says.  Its times are shared, if they may be. */
static bool
take_over(Maker *m, uint32_t phase, uint32_t type, const Part *part)
{
	FgTimeRange life = m->analysis->slices.life[phase];
	FgTimeRange child = m->analysis->slices.life[part->child];

	if (child.start >= life.start && child.end <= life.end)
	{
		FgTrack		track = m->result->tracks[part->track];

		return add_track(m, phase, track);
	}
	return unite_parts(m, part, 1, life, &m->found) && add_times(m, phase, type, &m->found);
}

static bool
add_composite_type(Maker *m, uint32_t phase, uint32_t type, Part *parts, size_t count)
{
	const FgPredicate *predicate = &m->predicate[m->analysis->job->phases[phase].type];
	FgTimeRange life = m->analysis->slices.life[phase];
	bool		ok;

	fg_intervals_clear(&m->found);
	if (count == 1)
		return take_over(m, phase, type, parts);
	if (predicate->kind == FG_PREDICATE_ANY)
		ok = unite_parts(m, parts, count, life, &m->found) &&
			fg_intervals_unite(m->analysis->ctx, &m->found, &m->spare);
	else if (predicate->by_type)
		ok = count_by_type(m, predicate, parts, count, life);
	else
		ok = count_parts(m, predicate, parts, count, life, &m->found);
	return ok && add_times(m, phase, type, &m->found);
}

/* Which types the children of a composite are defined for, and how many for each. */
static bool
count_types(Maker *m, uint32_t phase, size_t *parts)
{
	const FgJobTree *tree = &m->analysis->job->phase_tree;
	FgContext  *ctx = m->analysis->ctx;

	m->type_count = 0;
	*parts = 0;
	for (uint32_t c = tree->first_child[phase]; c < tree->first_child[phase + 1]; c++)
	{
		uint32_t	child = tree->child[c];
		const FgTrack *track = m->result->tracks + m->result->first[child];

		for (uint32_t t = 0; t < m->result->count[child]; t++)
		{
			if (m->part_count[track[t].type]++ > 0)
				continue;
			if (!fg_reserve(ctx, (void **) &m->types, &m->type_capacity, m->type_count + 1,
							sizeof(uint32_t)))
				return false;
			m->types[m->type_count++] = track[t].type;
		}
		*parts += m->result->count[child];
		if (!fg_steps(ctx, m->result->count[child]))
			return false;
	}
	return true;
}

static bool
sort_types(Maker *m)
{
	if (!reserve_keys(m, m->type_count))
		return false;
	for (size_t i = 0; i < m->type_count; i++)
		m->keys[i] = (FgSortKey) {m->types[i], 0};
	if (!fg_sort_keys(m->analysis->ctx, m->keys, m->type_count, m->spare_keys))
		return false;
	for (size_t i = 0; i < m->type_count; i++)
		m->types[i] = (uint32_t) m->keys[i].key;
	return true;
}

/* parts[] of each type, one type behind the other. */
static bool
collect_parts(Maker *m, uint32_t phase, size_t count)
{
	const FgJobTree *tree = &m->analysis->job->phase_tree;
	size_t		sum = 0;

	if (!fg_reserve(m->analysis->ctx, (void **) &m->parts, &m->part_capacity, count, sizeof(Part)))
		return false;
	for (size_t i = 0; i < m->type_count; i++)
	{
		m->part_end[m->types[i]] = sum;	/* its begin, until the parts are filled in */
		sum += m->part_count[m->types[i]];
	}
	for (uint32_t c = tree->first_child[phase]; c < tree->first_child[phase + 1]; c++)
	{
		uint32_t	child = tree->child[c];

		for (uint32_t t = 0; t < m->result->count[child]; t++)
		{
			size_t		track = m->result->first[child] + t;

			m->parts[m->part_end[m->result->tracks[track].type]++] = (Part) {child, track};
		}
		if (!fg_steps(m->analysis->ctx, m->result->count[child]))
			return false;
	}
	return true;
}

static bool
add_composite(Maker *m, uint32_t phase)
{
	size_t		count;
	bool		ok = count_types(m, phase, &count) && sort_types(m) &&
		collect_parts(m, phase, count);

	for (size_t i = 0; i < m->type_count; i++)
	{
		uint32_t	type = m->types[i];
		size_t		n = m->part_count[type];

		ok = ok && add_composite_type(m, phase, type, m->parts + m->part_end[type] - n, n);
		m->part_count[type] = 0;
	}
	return ok;
}

/* --- beginning and end -------------------------------------------------------------------- */

static bool
maker_begin(Maker *m)
{
	const FgJob *job = m->analysis->job;
	FgContext  *ctx = m->analysis->ctx;

	m->predicate = fg_alloc(ctx, job->phase_type_count, sizeof(FgPredicate));
	m->part_count = fg_alloc_zero(ctx, job->resource_type_count, sizeof(uint32_t));
	m->part_end = fg_alloc(ctx, job->resource_type_count, sizeof(size_t));
	if (m->predicate == NULL || m->part_count == NULL || m->part_end == NULL)
		return false;
	for (uint32_t t = 0; t < job->phase_type_count; t++)
	{
		m->predicate[t] = m->analysis->options.predicate;
		if (job->phase_types[t].predicate.bytes != NULL &&
			!fg_predicate_parse(ctx, job->phase_types[t].predicate, &m->predicate[t]))
			return false;
	}
	return true;
}

static void
maker_free(Maker *m)
{
	FgContext  *ctx = m->analysis->ctx;

	fg_release(ctx, m->predicate);
	fg_release(ctx, m->parts);
	fg_release(ctx, m->types);
	fg_release(ctx, m->part_count);
	fg_release(ctx, m->part_end);
	fg_release(ctx, m->keys);
	fg_release(ctx, m->spare_keys);
	fg_intervals_free(ctx, &m->found);
	fg_intervals_free(ctx, &m->united);
	fg_intervals_free(ctx, &m->spare);
}

static bool
make_all(Maker *m, bool leaves)
{
	const FgJob *job = m->analysis->job;

	for (uint32_t i = job->phase_count; i-- > 0;)
	{
		uint32_t	phase = job->phase_tree.order[i];
		bool		leaf = fg_phase_is_leaf(job, phase);

		m->result->first[phase] = m->result->track_count;
		if (!fg_check_every(m->analysis->ctx, i))
			return false;
		if (leaf ? !add_leaf(m, phase) : !leaves && !add_composite(m, phase))
			return false;
	}
	return true;
}

bool
fg_bottlenecks_make(const FgAnalysis *analysis, bool leaves, FgBottlenecks *result)
{
	FgContext  *ctx = analysis->ctx;
	FgLeafBottlenecks limits;
	Maker		m = {.analysis = analysis, .leaves = &limits, .result = result};
	bool		ok = fg_leaf_bottlenecks_make(analysis, &limits);

	*result = (FgBottlenecks) {.tracks = NULL};
	result->first = fg_alloc_zero(ctx, analysis->job->phase_count, sizeof(size_t));
	result->count = fg_alloc_zero(ctx, analysis->job->phase_count, sizeof(uint32_t));
	ok = ok && result->first != NULL && result->count != NULL && maker_begin(&m) &&
		make_all(&m, leaves);
	maker_free(&m);
	fg_leaf_bottlenecks_free(ctx, &limits);
	return ok;
}

void
fg_bottlenecks_free(FgContext *ctx, FgBottlenecks *bottlenecks)
{
	fg_intervals_free(ctx, &bottlenecks->times);
	fg_release(ctx, bottlenecks->tracks);
	fg_release(ctx, bottlenecks->first);
	fg_release(ctx, bottlenecks->count);
}

/* --- what follows from them ------------------------------------------------------------------ */

int64_t
fg_track_ticks(const FgBottlenecks *bottlenecks, const FgTrack *track)
{
	int64_t		ticks = 0;

	for (uint32_t i = 0; i < track->count; i++)
		ticks += fg_interval_length(bottlenecks->times.list[track->first + i]);
	return ticks;
}

bool
fg_bottleneck_free_times(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
						 uint32_t phase, FgTimeRanges *to, FgTimeRanges *spare)
{
	FgContext  *ctx = analysis->ctx;
	FgTimeRange life = analysis->slices.life[phase];
	FgTimeRanges limited = {.list = NULL};
	int64_t		start = life.start;
	bool		ok = true;

	for (uint32_t t = 0; ok && t < bottlenecks->count[phase]; t++)
	{
		const FgTrack *track = &bottlenecks->tracks[bottlenecks->first[phase] + t];

		ok = fg_intervals_add_clipped(ctx, &limited, bottlenecks->times.list + track->first,
									  track->count, life.start, life.end);
	}
	ok = ok && fg_intervals_unite(ctx, &limited, spare);
	for (size_t i = 0; ok && i < limited.count; i++)
	{
		ok = fg_intervals_add(ctx, to, start, limited.list[i].start);
		start = limited.list[i].end;
	}
	ok = ok && fg_intervals_add(ctx, to, start, life.end);
	fg_intervals_free(ctx, &limited);
	return ok;
}
