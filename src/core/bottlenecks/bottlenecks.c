/*
 * bottlenecks.c
 *	  Limits by type: of leaves, and of composites from those of their children (see
 *	  bottlenecks.h).
 *
 * Phases are taken from the last one in preorder to the first, so children come before
 * their parents, and nothing recurses.
 */
#include "core/bottlenecks/bottlenecks.h"

#include "core/jobs/parts.h"

/* What says when a composite is limited: a predicate, and the number of its function. */
typedef struct Decision
{
	FgPredicate predicate;
	uint32_t	function;
} Decision;

typedef struct Maker
{
	const FgAnalysis *analysis;
	const FgLeafBottlenecks *leaves;
	FgBottlenecks *result;
	bool		causes;			/* are wanted */
	bool		asks;			/* there are functions of the user's among the predicates */
	Decision   *decision;		/* by phase type */
	FgPartCounter counter;
	FgPart	   *parts;			/* of one type after the other */
	size_t		part_capacity;
	uint32_t   *types;			/* of the composite at hand */
	size_t		type_count;
	size_t		type_capacity;
	uint32_t   *part_count;		/* by resource type: of the composite at hand, else 0 */
	size_t	   *part_end;		/* by resource type */
	FgTimeRanges found;
	FgTimeRanges level[FG_CAUSE_LEVELS];	/* causes of what was found */
	FgTimeRanges all;
	FgTimeRanges spare;
} Maker;

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

/* The causes of the last track. */
static bool
add_causes(Maker *m, const FgCauseTimes *causes)
{
	FgBottlenecks *result = m->result;

	if (!fg_reserve(m->analysis->ctx, (void **) &result->causes, &result->cause_capacity,
					result->track_count, sizeof(FgCauseTimes)))
		return false;
	result->causes[result->track_count - 1] = *causes;
	return true;
}

/* Copies a normal list into the pool. */
static bool
keep_times(Maker *m, const FgTimeRanges *times, size_t *first, uint32_t *count)
{
	FgTimeRanges *pool = &m->result->times;

	*first = pool->count;
	*count = (uint32_t) times->count;
	if (times->count >= FG_UNKNOWN)
		return fg_fail(m->analysis->ctx, FG_ERROR_LIMIT, "there are too many bottlenecks");
	for (size_t i = 0; i < times->count; i++)
	{
		if (!fg_intervals_add(m->analysis->ctx, pool, times->list[i].start, times->list[i].end))
			return false;
	}
	return fg_steps(m->analysis->ctx, times->count);
}

/* A track of the times that were found, which are a normal list, with their causes. */
static bool
add_found(Maker *m, uint32_t phase, uint32_t type)
{
	FgTrack		track = {.type = type};
	FgCauseTimes causes = {{0}};

	if (!keep_times(m, &m->found, &track.first, &track.count) || !add_track(m, phase, track))
		return false;
	if (!m->causes)
		return true;
	for (int l = m->asks ? FG_LEVEL_KNOWN : FG_LEVEL_SHORT; l < FG_CAUSE_LEVELS; l++)
	{
		size_t		first;

		if (!keep_times(m, &m->level[l], &first, &causes.count[l]))
			return false;
	}
	return add_causes(m, &causes);
}

static void
clear_found(Maker *m)
{
	fg_intervals_clear(&m->found);
	for (int l = 0; l < FG_CAUSE_LEVELS; l++)
		fg_intervals_clear(&m->level[l]);
}

/* --- leaves --------------------------------------------------------------------------- */

static uint32_t
use_type(const Maker *m, const FgUseList *list, uint32_t i)
{
	return m->analysis->job->resources[m->analysis->uses.uses[list->first + i].resource].type;
}

static bool
add_shortage(Maker *m, const FgLimit *limit)
{
	FgContext  *ctx = m->analysis->ctx;
	FgTimeRange time = limit->time;

	if (limit->scope == FG_SCOPE_PHASE)
		return true;
	return fg_intervals_add(ctx, &m->level[FG_LEVEL_SHORT], time.start, time.end) &&
		(limit->scope != FG_SCOPE_SATURATED ||
		 fg_intervals_add(ctx, &m->level[FG_LEVEL_SATURATED], time.start, time.end));
}

/* Those of a leaf were added by resource; all that limits it has a cause. */
static bool
unite_shortages(Maker *m)
{
	FgContext  *ctx = m->analysis->ctx;

	return fg_intervals_unite(ctx, &m->level[FG_LEVEL_SHORT], &m->spare) &&
		fg_intervals_unite(ctx, &m->level[FG_LEVEL_SATURATED], &m->spare) &&
		(!m->asks || fg_intervals_add_clipped(ctx, &m->level[FG_LEVEL_KNOWN], m->found.list,
											  m->found.count, -FG_MAX_TICKS, FG_MAX_TICKS));
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
		const FgLimit *limit = &m->leaves->limits[m->leaves->first[slot] + l];

		if (!fg_intervals_add(analysis->ctx, &m->found, limit->time.start, limit->time.end) ||
			(m->causes && !add_shortage(m, limit)))
			return false;
	}
	return fg_steps(analysis->ctx, m->leaves->count[slot]);
}

/* One type: the uses from *i on, which moves behind them. */
static bool
add_leaf_type(Maker *m, uint32_t leaf, const FgUseList *list, uint32_t end, uint32_t *i)
{
	uint32_t	type = use_type(m, list, *i);

	clear_found(m);
	for (; *i < end && use_type(m, list, *i) == type; ++*i)
	{
		if (!collect_limits(m, leaf, list, *i) || !fg_steps(m->analysis->ctx, 1))
			return false;
	}
	return fg_intervals_unite(m->analysis->ctx, &m->found, &m->spare) &&
		(!m->causes || unite_shortages(m)) && add_found(m, leaf, type);
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

/* --- composites ------------------------------------------------------------------------- */

/* The causes of what was found: when those of its parts hold, within its own times. */
static bool
find_causes(Maker *m, const FgPart *parts, size_t count, FgTimeRange life)
{
	FgContext  *ctx = m->analysis->ctx;

	for (int l = m->asks ? FG_LEVEL_KNOWN : FG_LEVEL_SHORT; l < FG_CAUSE_LEVELS; l++)
	{
		fg_intervals_clear(&m->all);
		for (size_t i = 0; i < count; i++)
		{
			uint32_t	ntimes;
			const FgTimeRange *times = fg_cause_times(m->result, parts[i].track,
													  (FgCauseLevel) l, &ntimes);

			if (!fg_steps(ctx, 1) || !fg_intervals_add_clipped(ctx, &m->all, times, ntimes,
															   life.start, life.end))
				return false;
		}
		if (!fg_intervals_unite(ctx, &m->all, &m->spare) ||
			!fg_intervals_intersect(ctx, &m->all, &m->found, &m->level[l]))
			return false;
	}
	return true;
}

/* Of a single child: all words say what it says.  Its times are shared, if they may be. */
static bool
take_over(Maker *m, uint32_t phase, uint32_t type, const FgPart *part)
{
	FgTimeRange life = m->analysis->slices.life[phase];
	FgTimeRange child = m->analysis->slices.life[part->child];

	if (child.start >= life.start && child.end <= life.end)
	{
		FgTrack		track = m->result->tracks[part->track];
		FgCauseTimes causes;

		if (!m->causes)
			return add_track(m, phase, track);
		causes = m->result->causes[part->track];
		return add_track(m, phase, track) && add_causes(m, &causes);
	}
	return fg_parts_add_times(&m->counter, part, 1, life, &m->found) &&
		(!m->causes || find_causes(m, part, 1, life)) && add_found(m, phase, type);
}

static bool
add_composite_type(Maker *m, uint32_t phase, uint32_t type, FgPart *parts, size_t count)
{
	const Decision *decision = &m->decision[m->analysis->job->phases[phase].type];
	FgTimeRange life = m->analysis->slices.life[phase];
	bool		ok;

	clear_found(m);
	if (decision->predicate.kind == FG_PREDICATE_FUNCTION)
		ok = fg_parts_ask(&m->counter, decision->function, phase, type, parts, count, &m->found);
	else if (count == 1)
		return take_over(m, phase, type, parts);
	else
		ok = fg_parts_hold(&m->counter, &decision->predicate, parts, count, life, &m->found);
	return ok && (!m->causes || find_causes(m, parts, count, life)) && add_found(m, phase, type);
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
	FgPartCounter *c = &m->counter;

	if (!fg_part_counter_reserve(c, m->type_count))
		return false;
	for (size_t i = 0; i < m->type_count; i++)
		c->keys[i] = (FgSortKey) {m->types[i], 0};
	if (!fg_sort_keys(m->analysis->ctx, c->keys, m->type_count, c->spare_keys))
		return false;
	for (size_t i = 0; i < m->type_count; i++)
		m->types[i] = (uint32_t) c->keys[i].key;
	return true;
}

/* parts[] of each type, one type behind the other. */
static bool
collect_parts(Maker *m, uint32_t phase, size_t count)
{
	const FgJobTree *tree = &m->analysis->job->phase_tree;
	size_t		sum = 0;

	if (!fg_reserve(m->analysis->ctx, (void **) &m->parts, &m->part_capacity, count,
					sizeof(FgPart)))
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

			m->parts[m->part_end[m->result->tracks[track].type]++] = (FgPart) {child, track};
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

/* --- beginning and end ---------------------------------------------------------------- */

static bool
settle(Maker *m, Decision *decision)
{
	if (decision->predicate.kind != FG_PREDICATE_FUNCTION)
		return true;
	m->asks = true;
	return fg_predicate_memo_find(&m->counter.memo, &decision->predicate, &decision->function);
}

/* By phase type: its own predicate, or that of the options. */
static bool
decide(Maker *m)
{
	const FgJob *job = m->analysis->job;
	FgContext  *ctx = m->analysis->ctx;
	Decision	common = {.predicate = m->analysis->options.predicate};

	if (!settle(m, &common))
		return false;
	for (uint32_t t = 0; t < job->phase_type_count; t++)
	{
		m->decision[t] = common;
		if (job->phase_types[t].predicate.bytes != NULL &&
			!(fg_predicate_parse(ctx, job->phase_types[t].predicate,
								 &m->decision[t].predicate) &&
			  settle(m, &m->decision[t])))
			return false;
	}
	return true;
}

static bool
maker_begin(Maker *m, bool leaves)
{
	const FgJob *job = m->analysis->job;
	FgContext  *ctx = m->analysis->ctx;

	if (!fg_part_counter_begin(m->analysis, m->result, &m->counter))
		return false;
	m->decision = fg_alloc(ctx, job->phase_type_count, sizeof(Decision));
	m->part_count = fg_alloc_zero(ctx, job->resource_type_count, sizeof(uint32_t));
	m->part_end = fg_alloc(ctx, job->resource_type_count, sizeof(size_t));
	if (m->decision == NULL || m->part_count == NULL || m->part_end == NULL ||
		(!leaves && !decide(m)))
		return false;
	m->result->asked = m->asks;
	return true;
}

static void
maker_free(Maker *m)
{
	FgContext  *ctx = m->analysis->ctx;

	fg_part_counter_free(&m->counter);
	fg_release(ctx, m->decision);
	fg_release(ctx, m->parts);
	fg_release(ctx, m->types);
	fg_release(ctx, m->part_count);
	fg_release(ctx, m->part_end);
	fg_intervals_free(ctx, &m->found);
	for (int l = 0; l < FG_CAUSE_LEVELS; l++)
		fg_intervals_free(ctx, &m->level[l]);
	fg_intervals_free(ctx, &m->all);
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

static bool
make(const FgAnalysis *analysis, bool leaves, bool causes, FgBottlenecks *result)
{
	FgContext  *ctx = analysis->ctx;
	FgLeafBottlenecks limits;
	Maker		m = {
		.analysis = analysis, .leaves = &limits, .result = result, .causes = causes,
		.counter = {.analysis = analysis, .memo = {.ctx = ctx}}
	};
	bool		ok = causes ? fg_leaf_bottlenecks_make_causes(analysis, &limits) :
		fg_leaf_bottlenecks_make(analysis, &limits);

	*result = (FgBottlenecks) {.tracks = NULL};
	result->first = fg_alloc_zero(ctx, analysis->job->phase_count, sizeof(size_t));
	result->count = fg_alloc_zero(ctx, analysis->job->phase_count, sizeof(uint32_t));
	ok = ok && result->first != NULL && result->count != NULL && maker_begin(&m, leaves) &&
		make_all(&m, leaves);
	maker_free(&m);
	fg_leaf_bottlenecks_free(ctx, &limits);
	return ok;
}

bool
fg_bottlenecks_make(const FgAnalysis *analysis, bool leaves, FgBottlenecks *result)
{
	return make(analysis, leaves, false, result);
}

bool
fg_bottlenecks_make_causes(const FgAnalysis *analysis, FgBottlenecks *result)
{
	return make(analysis, false, true, result);
}

void
fg_bottlenecks_free(FgContext *ctx, FgBottlenecks *bottlenecks)
{
	fg_intervals_free(ctx, &bottlenecks->times);
	fg_release(ctx, bottlenecks->tracks);
	fg_release(ctx, bottlenecks->first);
	fg_release(ctx, bottlenecks->count);
	fg_release(ctx, bottlenecks->causes);
}

/* --- what follows from them -------------------------------------------------------------- */

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
