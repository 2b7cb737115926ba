/*
 * what_if.c
 *	  Replays a job (see what_if.h).
 *
 * Children of a phase are visited by the topological place of their type, then by time: so
 * whatever a phase waited for has been replayed, with all below it, when its turn comes.
 */
#include "core/bottlenecks/what_if.h"

#include "core/base/order.h"
#include "core/bottlenecks/bottlenecks.h"
#include "core/jobs/precedence.h"

#include <math.h>

/* What is known of a phase while its children are replayed. */
typedef struct Open
{
	uint32_t	next;			/* place of the next child in sorted[] */
	uint32_t	group;			/* place of the first child of the type at hand */
	uint32_t	ended;			/* sequential types: place in by_end[] of those not looked at */
	int64_t		ended_was;		/* the latest end of those looked at, as recorded */
	int64_t		ended_now;		/* and replayed */
	int64_t		last_was;		/* the latest end of all children, as recorded */
	int64_t		last_now;
} Open;

typedef struct Replay
{
	FgContext  *ctx;
	const FgAnalysis *analysis;
	const FgJob *job;
	FgPrecedenceOrder order;
	FgTimeRange *was;			/* by phase, microseconds */
	FgTimeRange *now;
	bool	   *done;			/* by phase */
	uint32_t   *sorted;			/* children as in the tree, by place of type, start, end */
	uint32_t   *by_end;			/* the same groups, by end */
	int64_t    *latest;			/* by place in by_end[]: latest replayed end of a group up to it */
	Open	   *open;			/* by phase */
	int64_t    *removed;		/* by phase, or NULL */
	double	   *factor;			/* by phase: of all that is within it, or NULL */
	int64_t    *fixed;			/* by phase: its duration, below 0 where it follows; or NULL */
} Replay;

/* --- order ------------------------------------------------------------------------------ */

static int
compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Groups are the children of one type of one parent; the root comes last. */
static int
compare_groups(const Replay *r, uint32_t a, uint32_t b)
{
	const FgPhase *p = &r->job->phases[a];
	const FgPhase *q = &r->job->phases[b];

	if (p->parent != q->parent)
		return p->parent < q->parent ? -1 : 1;
	return compare_numbers(r->order.place[p->type], r->order.place[q->type]);
}

static int
compare_starts(const void *arg, uint32_t a, uint32_t b)
{
	const Replay *r = arg;
	int			result = compare_groups(r, a, b);

	if (result == 0)
		result = compare_numbers(r->was[a].start, r->was[b].start);
	return result != 0 ? result : compare_numbers(r->was[a].end, r->was[b].end);
}

static int
compare_ends(const void *arg, uint32_t a, uint32_t b)
{
	const Replay *r = arg;
	int			result = compare_groups(r, a, b);

	if (result == 0)
		result = compare_numbers(r->was[a].end, r->was[b].end);
	return result != 0 ? result : compare_numbers(r->was[a].start, r->was[b].start);
}

/* --- numbers ---------------------------------------------------------------------------- */

static bool
add_times(FgContext *ctx, int64_t a, int64_t b, int64_t *sum)
{
	if (__builtin_add_overflow(a, b, sum) || *sum > FG_MAX_TICKS || *sum < -FG_MAX_TICKS)
		return fg_fail(ctx, FG_ERROR_RANGE, "a simulated time is out of range");
	return true;
}

static bool
scale_time(FgContext *ctx, int64_t time, double factor, int64_t *scaled)
{
	double		product = (double) time * factor;

	*scaled = time;
	if (factor == 1)
		return true;
	if (!(fabs(product) < (double) FG_MAX_TICKS))
		return fg_fail(ctx, FG_ERROR_RANGE, "a simulated time is out of range");
	*scaled = llround(product);
	return true;
}

static double
factor_of(const Replay *r, uint32_t phase)
{
	return r->factor == NULL ? 1 : r->factor[phase];
}

static int64_t
length_of(const Replay *r, uint32_t phase)
{
	return fg_interval_length(r->was[phase]);
}

/* --- what lets a phase start ------------------------------------------------------------ */

/* The first place in [low, high) of sorted[] whose type has at least this place. */
static uint32_t
seek_group(const Replay *r, uint32_t low, uint32_t high, uint32_t place)
{
	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (r->order.place[r->job->phases[r->sorted[middle]].type] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Those of a type that precedes, which ended by the start of the phase. */
static void
wait_for_type(const Replay *r, uint32_t phase, uint32_t place, int64_t *was, int64_t *now)
{
	const Open *open = &r->open[r->job->phases[phase].parent];
	uint32_t	first = r->job->phase_tree.first_child[r->job->phases[phase].parent];
	uint32_t	low = seek_group(r, first, open->group, place);
	uint32_t	begin = low;
	uint32_t	high = seek_group(r, low, open->group, place + 1);

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (r->was[r->by_end[middle]].end <= r->was[phase].start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == begin)
		return;
	if (r->was[r->by_end[low - 1]].end > *was)
		*was = r->was[r->by_end[low - 1]].end;
	if (r->latest[low - 1] > *now)
		*now = r->latest[low - 1];
}

/*
 * Those of its own, sequential type.  They are replayed in the order of their starts, so
 * each that ended in time is looked at once; of empty ones at the same time some may not
 * have been replayed yet, and these follow.
 */
static bool
wait_for_siblings(Replay *r, uint32_t phase, int64_t *was, int64_t *now)
{
	uint32_t	parent = r->job->phases[phase].parent;
	Open	   *open = &r->open[parent];
	uint32_t	end = r->job->phase_tree.first_child[parent + 1];
	uint32_t	before = open->ended;

	for (; open->ended < end; open->ended++)
	{
		uint32_t	sibling = r->by_end[open->ended];

		if (!r->done[sibling] || r->was[sibling].end > r->was[phase].start)
			break;
		if (open->ended == open->group || r->was[sibling].end > open->ended_was)
			open->ended_was = r->was[sibling].end;
		if (open->ended == open->group || r->now[sibling].end > open->ended_now)
			open->ended_now = r->now[sibling].end;
	}
	if (open->ended > open->group)
	{
		*was = open->ended_was > *was ? open->ended_was : *was;
		*now = open->ended_now > *now ? open->ended_now : *now;
	}
	return fg_steps(r->ctx, open->ended - before + 1);
}

/* The children of one type are all replayed: the latest ends of the first ones to end. */
static bool
close_group(Replay *r, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
	{
		int64_t		now = r->now[r->by_end[i]].end;

		r->latest[i] = i > first && r->latest[i - 1] > now ? r->latest[i - 1] : now;
	}
	return fg_steps(r->ctx, end - first);
}

static bool
begin_group(Replay *r, Open *open, uint32_t place)
{
	if (!close_group(r, open->group, place))
		return false;
	open->group = open->ended = place;
	return true;
}

static bool
start_phase(Replay *r, uint32_t phase, uint32_t place)
{
	const FgPhase *p = &r->job->phases[phase];
	const FgPrecedenceOrder *order = &r->order;
	Open	   *open = &r->open[p->parent];
	int64_t		was = r->was[p->parent].start;
	int64_t		now = r->now[p->parent].start;
	int64_t		lag;

	if (r->job->phases[r->sorted[open->group]].type != p->type && !begin_group(r, open, place))
		return false;
	for (uint32_t b = order->first_before[p->type]; b < order->first_before[p->type + 1]; b++)
	{
		wait_for_type(r, phase, order->place[order->before[b]], &was, &now);
		if (!fg_steps(r->ctx, 16))
			return false;
	}
	if (r->job->phase_types[p->type].repeat == FG_REPEAT_SEQUENTIAL &&
		!wait_for_siblings(r, phase, &was, &now))
		return false;
	return scale_time(r->ctx, r->was[phase].start - was, factor_of(r, p->parent), &lag) &&
		add_times(r->ctx, now, lag, &r->now[phase].start);
}

/* --- what lets it end ------------------------------------------------------------------- */

/* A leaf takes its time; a composite goes on after its last child as it did. */
static bool
end_of_work(Replay *r, uint32_t phase, int64_t *end)
{
	const Open *open = &r->open[phase];
	int64_t		from = r->now[phase].start;
	int64_t		rest = length_of(r, phase);

	if (!fg_phase_is_leaf(r->job, phase))
	{
		from = open->last_now;
		rest = r->was[phase].end - open->last_was;
	}
	else if (r->removed != NULL)
		rest -= r->removed[phase];
	return scale_time(r->ctx, rest, factor_of(r, phase), &rest) &&
		add_times(r->ctx, from, rest, end);
}

static bool
end_phase(Replay *r, uint32_t phase)
{
	uint32_t	parent = r->job->phases[phase].parent;
	FgTimeRange *now = &r->now[phase];
	Open	   *open;

	if (r->fixed != NULL && r->fixed[phase] >= 0)
	{
		if (!add_times(r->ctx, now->start, r->fixed[phase], &now->end))
			return false;
	}
	else if (!end_of_work(r, phase, &now->end))
		return false;
	/* children that outlived their parent do not make it end before it starts */
	if (now->end < now->start)
		now->end = now->start;
	r->done[phase] = true;
	if (parent == FG_NONE)
		return true;
	open = &r->open[parent];
	open->last_was = r->was[phase].end > open->last_was ? r->was[phase].end : open->last_was;
	open->last_now = now->end > open->last_now ? now->end : open->last_now;
	return true;
}

static bool
replay(Replay *r)
{
	const FgJobTree *tree = &r->job->phase_tree;
	uint32_t	phase = r->job->root;

	r->now[phase].start = r->was[phase].start;
	while (phase != FG_NONE)
	{
		Open	   *open = &r->open[phase];

		if (open->next < tree->first_child[phase + 1])
		{
			phase = r->sorted[open->next];
			if (!start_phase(r, phase, open->next++))
				return false;
		}
		else
		{
			if (!end_phase(r, phase))
				return false;
			phase = r->job->phases[phase].parent;
		}
		if (!fg_steps(r->ctx, 8))
			return false;
	}
	return true;
}

/* --- changes ---------------------------------------------------------------------------- */

static bool
remove_bottlenecks(Replay *r, uint32_t resource_type)
{
	FgBottlenecks leaves = {.tracks = NULL};
	bool		ok = (r->removed = fg_alloc_zero(r->ctx, r->job->phase_count,
												  sizeof(int64_t))) != NULL &&
		fg_bottlenecks_make(r->analysis, true, &leaves);

	for (uint32_t p = 0; ok && p < r->job->phase_count; p++)
	{
		const FgTrack *tracks = leaves.tracks + leaves.first[p];

		for (uint32_t t = 0; t < leaves.count[p]; t++)
		{
			if (tracks[t].type == resource_type)
				r->removed[p] = fg_track_ticks(&leaves, &tracks[t]) * r->analysis->slices.grid.slice;
		}
		ok = fg_steps(r->ctx, leaves.count[p] + 1);
	}
	fg_bottlenecks_free(r->ctx, &leaves);
	return ok;
}

static bool
make_factors(Replay *r)
{
	r->factor = fg_alloc(r->ctx, r->job->phase_count, sizeof(double));
	for (uint32_t p = 0; r->factor != NULL && p < r->job->phase_count; p++)
	{
		r->factor[p] = 1;
		if (!fg_check_every(r->ctx, p))
			return false;
	}
	return r->factor != NULL;
}

/* Of leaves only: lags and tails of composites stay. */
static bool
scale_leaves(Replay *r, uint32_t type, double factor)
{
	const FgJobTree *types = &r->job->phase_type_tree;

	if (!make_factors(r))
		return false;
	for (uint32_t p = 0; p < r->job->phase_count; p++)
	{
		uint32_t	place = types->place[r->job->phases[p].type];

		if (fg_phase_is_leaf(r->job, p) && place >= types->place[type] &&
			place <= types->last[type])
			r->factor[p] = factor;
		if (!fg_check_every(r->ctx, p))
			return false;
	}
	return true;
}

/* How many phases up from one of the type its group is; an error if none run at a time. */
static bool
group_distance(Replay *r, uint32_t type, uint32_t *distance)
{
	const FgPhaseType *types = r->job->phase_types;
	uint32_t	at = type;

	for (*distance = 1; at != FG_NONE && types[at].repeat == FG_REPEAT_ONCE; (*distance)++)
	{
		at = types[at].parent;
		if (!fg_steps(r->ctx, 1))
			return false;
	}
	if (at == FG_NONE || types[at].repeat != FG_REPEAT_CONCURRENT)
		return fg_fail_at(r->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Balance a concurrent type, or one that is once within each of those.",
						  "the phases of the type to balance do not run at a time");
	return true;
}

static bool
group_of(Replay *r, uint32_t phase, uint32_t distance, uint32_t *group)
{
	*group = phase;
	for (uint32_t i = 0; i < distance; i++)
		*group = r->job->phases[*group].parent;
	return fg_steps(r->ctx, distance);
}

/* What is within a phase takes as many times as long as the phase itself. */
static bool
spread_factors(Replay *r)
{
	const FgJobTree *tree = &r->job->phase_tree;

	for (uint32_t i = 0; i < tree->count; i++)
	{
		uint32_t	p = tree->order[i];
		uint32_t	parent = r->job->phases[p].parent;

		if (parent != FG_NONE && r->fixed[p] < 0)
			r->factor[p] = r->factor[parent];
		if (!fg_check_every(r->ctx, i))
			return false;
	}
	return true;
}

static bool
set_means(Replay *r, uint32_t type, uint32_t distance, double *sum, uint32_t *count)
{
	uint32_t	group;

	for (uint32_t p = 0; p < r->job->phase_count; p++)
	{
		if (!fg_check_every(r->ctx, p))
			return false;
		r->fixed[p] = -1;
		if (r->job->phases[p].type != type)
			continue;
		if (!group_of(r, p, distance, &group))
			return false;
		sum[group] += (double) length_of(r, p);
		count[group]++;
	}
	for (uint32_t p = 0; p < r->job->phase_count; p++)
	{
		if (!fg_check_every(r->ctx, p))
			return false;
		if (r->job->phases[p].type != type)
			continue;
		if (!group_of(r, p, distance, &group))
			return false;
		r->fixed[p] = llround(sum[group] / count[group]);
		r->factor[p] = length_of(r, p) > 0 ? (double) r->fixed[p] / (double) length_of(r, p) : 1;
	}
	return true;
}

static bool
balance(Replay *r, uint32_t type)
{
	double	   *sum = fg_alloc_zero(r->ctx, r->job->phase_count, sizeof(double));
	uint32_t   *count = fg_alloc_zero(r->ctx, r->job->phase_count, sizeof(uint32_t));
	uint32_t	distance;
	bool		ok = sum != NULL && count != NULL && group_distance(r, type, &distance) &&
		make_factors(r) &&
		(r->fixed = fg_alloc(r->ctx, r->job->phase_count, sizeof(int64_t))) != NULL &&
		set_means(r, type, distance, sum, count) && spread_factors(r);

	fg_release(r->ctx, sum);
	fg_release(r->ctx, count);
	return ok;
}

static bool
apply(Replay *r, const FgWhatIf *change)
{
	if (change->balance != FG_NONE && (change->remove != FG_NONE || change->scale != FG_NONE))
		return fg_fail_at(r->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "The means are those of the job as it was recorded.",
						  "a simulation balances phases, or changes them otherwise");
	if (change->balance != FG_NONE)
		return balance(r, change->balance);
	return (change->remove == FG_NONE || remove_bottlenecks(r, change->remove)) &&
		(change->scale == FG_NONE || scale_leaves(r, change->scale, change->factor));
}

/* --- all -------------------------------------------------------------------------------- */

static bool
prepare(Replay *r)
{
	const FgJobTree *tree = &r->job->phase_tree;
	uint32_t	phases = r->job->phase_count;

	if ((r->was = fg_alloc(r->ctx, phases, sizeof(FgTimeRange))) == NULL ||
		(r->done = fg_alloc_zero(r->ctx, phases, sizeof(bool))) == NULL ||
		(r->sorted = fg_alloc(r->ctx, phases, sizeof(uint32_t))) == NULL ||
		(r->by_end = fg_alloc(r->ctx, phases, sizeof(uint32_t))) == NULL ||
		(r->latest = fg_alloc(r->ctx, phases, sizeof(int64_t))) == NULL ||
		(r->open = fg_alloc(r->ctx, phases, sizeof(Open))) == NULL)
		return false;
	for (uint32_t p = 0; p < phases; p++)
	{
		const FgTimeRange *life = &r->analysis->slices.life[p];

		r->was[p].start = fg_grid_time(&r->analysis->slices.grid, life->start);
		r->was[p].end = fg_grid_time(&r->analysis->slices.grid, life->end);
		r->open[p] = (Open) {
			.next = tree->first_child[p], .group = tree->first_child[p],
			.ended = tree->first_child[p], .last_was = INT64_MIN, .last_now = INT64_MIN
		};
		if (!fg_check_every(r->ctx, p))
			return false;
	}
	return fg_precedence_order(r->ctx, r->job, &r->order) &&
		fg_order_by(r->ctx, phases, compare_starts, r, r->sorted) &&
		fg_order_by(r->ctx, phases, compare_ends, r, r->by_end);
}

bool
fg_what_if(const FgAnalysis *analysis, const FgWhatIf *change, FgTimeRange *times)
{
	FgContext  *ctx = analysis->ctx;
	Replay		r = {.ctx = ctx, .analysis = analysis, .job = analysis->job, .now = times};
	bool		ok = prepare(&r) && apply(&r, change) && replay(&r);

	fg_precedence_order_free(ctx, &r.order);
	fg_release(ctx, r.was);
	fg_release(ctx, r.done);
	fg_release(ctx, r.sorted);
	fg_release(ctx, r.by_end);
	fg_release(ctx, r.latest);
	fg_release(ctx, r.open);
	fg_release(ctx, r.removed);
	fg_release(ctx, r.factor);
	fg_release(ctx, r.fixed);
	return ok;
}
