/*
 * leaf_bottlenecks.c
 *	  Limits of leaves, from what segments say of each kind of use (see leaf_bottlenecks.h).
 */
#include "core/bottlenecks/leaf_bottlenecks.h"

#include "core/base/order.h"

#include <math.h>

/* Segments that say the same of a kind of use. */
typedef struct SegmentRun
{
	uint32_t	start;
	uint32_t	end;
	FgBottleneckScope scope;
} SegmentRun;

typedef struct Finder
{
	const FgAnalysis *analysis;
	FgLeafBottlenecks *result;
	SegmentRun *runs;
	size_t		run_count;
	size_t		run_capacity;
	uint32_t   *next_run;		/* by segment: the first run that ends behind it */
	size_t		next_capacity;
	uint32_t   *users;			/* by kind */
	size_t		user_capacity;
	uint32_t   *first_user;		/* by kind, one more */
	size_t		first_capacity;
	bool		causes;			/* whether one leaf uses half of a resource */
	double	   *largest_cap;	/* by segment: of the greedy leaves that are active */
	size_t		largest_capacity;
	uint32_t   *unset;			/* by segment: towards the next one that has no cap yet */
	size_t		unset_capacity;
	double	   *caps;			/* by kind */
	size_t		cap_capacity;
	uint32_t   *order;			/* kinds, the largest caps first */
	size_t		order_capacity;
} Finder;

/* --- segments ----------------------------------------------------------------------------- */

/* A resource is at its delta: does one leaf use at least half of it? */
static FgBottleneckScope
shortage(const Finder *f, const FgWorkload *w, uint32_t segment, double usage)
{
	const FgSegment *at = &w->segments[segment];
	FgShares	shares = fg_shares_of(usage, w->capacity, at->greedy, at->sinks);
	double		most = fmax(f->largest_cap[segment] * shares.greedy_used, shares.sink_used);

	return fg_at_limit(most, w->capacity, 0.5, w->capacity) ? FG_SCOPE_SATURATED :
		FG_SCOPE_RESOURCE;
}

/* False when the segment limits no leaf of this kind. */
static inline bool
limits(const Finder *f, const FgWorkload *w, const FgUseKind *kind, uint32_t segment,
	   double usage, FgBottleneckScope *scope)
{
	const FgSegment *at = &w->segments[segment];
	FgShares	shares;

	*scope = FG_SCOPE_RESOURCE;
	if (fg_at_limit(usage, w->capacity, w->delta, w->capacity))
	{
		if (f->causes)
			*scope = shortage(f, w, segment, usage);
		return true;
	}
	*scope = FG_SCOPE_PHASE;
	shares = fg_shares_of(usage, w->capacity, at->greedy, at->sinks);
	return fg_at_limit(fg_used_by(kind, &shares), fg_available_to(kind, &shares), kind->delta,
					   w->capacity);
}

static bool
add_run(Finder *f, uint32_t segment, FgBottleneckScope scope)
{
	SegmentRun *last = f->run_count > 0 ? &f->runs[f->run_count - 1] : NULL;

	if (last != NULL && last->end == segment && last->scope == scope)
	{
		last->end++;
		return true;
	}
	if (!fg_reserve(f->analysis->ctx, (void **) &f->runs, &f->run_capacity, f->run_count + 1,
					sizeof(SegmentRun)))
		return false;
	f->runs[f->run_count++] = (SegmentRun) {segment, segment + 1, scope};
	return true;
}

static bool
find_runs(Finder *f, const FgWorkload *w, const FgSamples *samples, const FgUseKind *kind)
{
	f->run_count = 0;
	for (uint32_t i = 0; i < w->segment_count; i++)
	{
		FgBottleneckScope scope;

		if (limits(f, w, kind, i, samples->usage[i], &scope) && !add_run(f, i, scope))
			return false;
		/* the run it is in, or the next one that will be made */
		f->next_run[i] = (uint32_t) f->run_count;
		if (f->run_count > 0 && f->runs[f->run_count - 1].end == i + 1)
			f->next_run[i]--;
		if (!fg_check_every(f->analysis->ctx, i))
			return false;
	}
	return true;
}

/* --- leaves ------------------------------------------------------------------------------- */

static bool
add_limit(Finder *f, uint32_t slot, const FgWorkload *w, uint32_t start, uint32_t end,
		  FgBottleneckScope scope)
{
	FgLeafBottlenecks *result = f->result;

	if (!fg_reserve(f->analysis->ctx, (void **) &result->limits, &result->limit_capacity,
					result->limit_count + 1, sizeof(FgLimit)))
		return false;
	if (result->limit_count >= FG_UNKNOWN)
		return fg_fail(f->analysis->ctx, FG_ERROR_LIMIT, "there are too many bottlenecks");
	result->limits[result->limit_count++] =
		(FgLimit) {{w->segments[start].start, w->segments[end].start}, scope};
	result->count[slot]++;
	return true;
}

/* What the runs have in common with the active times of a leaf. */
static bool
find_limits(Finder *f, const FgWorkload *w, const FgUser *user)
{
	uint32_t	end = fg_user_end(w, user);

	f->result->first[user->slot] = (uint32_t) f->result->limit_count;
	for (uint32_t i = user->first_span; i < end; i++)
	{
		const FgSegmentSpan *span = &w->spans[i];

		for (uint32_t r = f->next_run[span->start];
			 r < f->run_count && f->runs[r].start < span->end; r++)
		{
			const SegmentRun *run = &f->runs[r];

			if (!add_limit(f, user->slot, w, run->start > span->start ? run->start : span->start,
						   run->end < span->end ? run->end : span->end, run->scope) ||
				!fg_steps(f->analysis->ctx, 1))
				return false;
		}
	}
	return fg_steps(f->analysis->ctx, (size_t) (end - user->first_span) + 1);
}

static bool
group_users(Finder *f, const FgWorkload *w)
{
	FgContext  *ctx = f->analysis->ctx;
	uint32_t	sum = 0;

	if (!fg_reserve(ctx, (void **) &f->users, &f->user_capacity, w->user_count,
					sizeof(uint32_t)) ||
		!fg_reserve(ctx, (void **) &f->first_user, &f->first_capacity,
					(size_t) w->kind_count + 1, sizeof(uint32_t)))
		return false;
	memset(f->first_user, 0, ((size_t) w->kind_count + 1) * sizeof(uint32_t));
	for (uint32_t u = 0; u < w->user_count; u++)
		f->first_user[w->users[u].kind]++;
	for (uint32_t k = 0; k <= w->kind_count; k++)
	{
		sum += f->first_user[k];
		f->first_user[k] = sum;
	}
	for (uint32_t u = w->user_count; u-- > 0;)
		f->users[--f->first_user[w->users[u].kind]] = u;
	return fg_steps(ctx, w->user_count);
}

/* --- the largest caps ----------------------------------------------------------------------- */

/* The first segment from "i" on that has no cap yet, or the count; shortens the way to it. */
static uint32_t
next_unset(uint32_t *unset, uint32_t i)
{
	while (unset[i] != i)
	{
		unset[i] = unset[unset[i]];
		i = unset[i];
	}
	return i;
}

/* The segments of a kind's active times that no larger cap has taken. */
static bool
set_caps(Finder *f, const FgWorkload *w, uint32_t kind)
{
	for (uint32_t i = f->first_user[kind]; i < f->first_user[kind + 1]; i++)
	{
		const FgUser *user = &w->users[f->users[i]];
		uint32_t	end = fg_user_end(w, user);

		for (uint32_t s = user->first_span; s < end; s++)
		{
			for (uint32_t at = next_unset(f->unset, w->spans[s].start); at < w->spans[s].end;
				 at = next_unset(f->unset, at))
			{
				f->largest_cap[at] = w->kinds[kind].cap;
				f->unset[at] = at + 1;
			}
		}
		if (!fg_steps(f->analysis->ctx, (size_t) (end - user->first_span) + 1))
			return false;
	}
	return true;
}

/* largest_cap[], from the kinds with the largest caps to those with the smallest. */
static bool
find_largest_caps(Finder *f, const FgWorkload *w)
{
	FgContext  *ctx = f->analysis->ctx;

	if (!fg_reserve(ctx, (void **) &f->largest_cap, &f->largest_capacity, w->segment_count,
					sizeof(double)) ||
		!fg_reserve(ctx, (void **) &f->unset, &f->unset_capacity,
					(size_t) w->segment_count + 1, sizeof(uint32_t)) ||
		!fg_reserve(ctx, (void **) &f->caps, &f->cap_capacity, w->kind_count, sizeof(double)) ||
		!fg_reserve(ctx, (void **) &f->order, &f->order_capacity, w->kind_count,
					sizeof(uint32_t)))
		return false;
	for (uint32_t i = 0; i <= w->segment_count; i++)
	{
		f->unset[i] = i;
		if (i < w->segment_count)
			f->largest_cap[i] = 0;
		if (!fg_check_every(ctx, i))
			return false;
	}
	for (uint32_t k = 0; k < w->kind_count; k++)
		f->caps[k] = w->kinds[k].cap;
	if (!fg_order_descending(ctx, f->caps, w->kind_count, f->order))
		return false;
	for (uint32_t i = 0; i < w->kind_count && f->caps[f->order[i]] > 0; i++)
	{
		if (!set_caps(f, w, f->order[i]))
			return false;
	}
	return true;
}

static bool
find_in_resource(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	Finder	   *f = arg;

	if (!group_users(f, w) ||
		!fg_reserve(f->analysis->ctx, (void **) &f->next_run, &f->next_capacity,
					w->segment_count, sizeof(uint32_t)) ||
		(f->causes && !find_largest_caps(f, w)))
		return false;
	for (uint32_t k = 0; k < w->kind_count; k++)
	{
		if (!find_runs(f, w, samples, &w->kinds[k]))
			return false;
		for (uint32_t i = f->first_user[k]; i < f->first_user[k + 1]; i++)
		{
			if (!find_limits(f, w, &w->users[f->users[i]]))
				return false;
		}
	}
	return true;
}

static bool
make(const FgAnalysis *analysis, bool causes, FgLeafBottlenecks *result)
{
	FgContext  *ctx = analysis->ctx;
	size_t		slots = analysis->uses.first_slot[analysis->job->phase_count];
	Finder		f = {.analysis = analysis, .result = result, .causes = causes};
	bool		ok;

	*result = (FgLeafBottlenecks) {.limits = NULL};
	result->first = fg_alloc_zero(ctx, slots, sizeof(uint32_t));
	result->count = fg_alloc_zero(ctx, slots, sizeof(uint32_t));
	ok = result->first != NULL && result->count != NULL &&
		fg_visit_resources(analysis, FG_NONE, find_in_resource, &f);
	fg_release(ctx, f.runs);
	fg_release(ctx, f.next_run);
	fg_release(ctx, f.users);
	fg_release(ctx, f.first_user);
	fg_release(ctx, f.largest_cap);
	fg_release(ctx, f.unset);
	fg_release(ctx, f.caps);
	fg_release(ctx, f.order);
	return ok;
}

bool
fg_leaf_bottlenecks_make(const FgAnalysis *analysis, FgLeafBottlenecks *result)
{
	return make(analysis, false, result);
}

bool
fg_leaf_bottlenecks_make_causes(const FgAnalysis *analysis, FgLeafBottlenecks *result)
{
	return make(analysis, true, result);
}

void
fg_leaf_bottlenecks_free(FgContext *ctx, FgLeafBottlenecks *bottlenecks)
{
	fg_release(ctx, bottlenecks->limits);
	fg_release(ctx, bottlenecks->first);
	fg_release(ctx, bottlenecks->count);
}
