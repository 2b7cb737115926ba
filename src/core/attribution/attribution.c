/*
 * attribution.c
 *	  Algorithm 2 in closed form, and what it adds up to (see attribution.h).
 */
#include "core/attribution/attribution.h"

#include "core/base/sums.h"

#include <math.h>

FgShares
fg_shares_of(double sample, double capacity, double greedy, uint32_t sinks)
{
	FgShares	shares = {0, 0, 0, 0};

	if (isnan(sample))
		sample = 0;
	if (greedy > 0)
	{
		shares.greedy_used = fg_lesser(1, sample / greedy);
		shares.greedy_available = fg_lesser(1, capacity / greedy);
	}
	if (sinks > 0)
	{
		shares.sink_used = fg_greater(sample - greedy, 0) / sinks;
		shares.sink_available = fg_greater(capacity - greedy, 0) / sinks;
	}
	return shares;
}

double
fg_unattributed(double sample, double greedy, uint32_t sinks)
{
	return sinks > 0 || isnan(sample) ? 0 : fg_greater(sample - greedy, 0);
}

/* --- leaves ----------------------------------------------------------------------------- */

/*
 * Integrals from the first segment on, of one of the four shares.  In twice the precision,
 * so that a short active time in a long job has no rounding noise of the job.
 */
typedef struct Integrals
{
	const FgAnalysis *analysis;
	FgDouble2  *until;			/* by segment */
	size_t		capacity;
	FgConsumption *by_slot;
} Integrals;

static double
share_number(const FgShares *shares, bool greedy, bool available)
{
	if (greedy)
		return available ? shares->greedy_available : shares->greedy_used;
	return available ? shares->sink_available : shares->sink_used;
}

static bool
integrate(Integrals *t, const FgWorkload *w, const FgSamples *samples, bool greedy,
		  bool available)
{
	FgContext  *ctx = t->analysis->ctx;
	FgDouble2	sum = {0, 0};

	if (!fg_reserve(ctx, (void **) &t->until, &t->capacity, (size_t) w->segment_count + 1,
					sizeof(FgDouble2)))
		return false;
	for (uint32_t i = 0; i < w->segment_count; i++)
	{
		const FgSegment *segment = &w->segments[i];
		FgShares	shares = fg_shares_of(samples->usage[i], w->capacity, segment->greedy,
										  segment->sinks);
		double		here = share_number(&shares, greedy, available) *
			fg_grid_seconds(&t->analysis->slices.grid, fg_segment_ticks(segment));

		t->until[i] = sum;
		fg_double2_add(&sum, (FgDouble2) {here, 0});
		if (!fg_check_every(ctx, i))
			return false;
	}
	t->until[w->segment_count] = sum;
	return isfinite(sum.high) ||
		fg_fail(ctx, FG_ERROR_RANGE, "the consumption of a resource is out of range");
}

static double
total_over(const Integrals *t, const FgSegmentSpan *spans, uint32_t count)
{
	double		total = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		FgDouble2	part = t->until[spans[i].end];

		fg_double2_subtract(&part, t->until[spans[i].start]);
		total += part.high;
	}
	return total;
}

static bool
add_up(Integrals *t, const FgWorkload *w, bool greedy, bool available)
{
	for (uint32_t u = 0; u < w->user_count; u++)
	{
		const FgUser *user = &w->users[u];
		const FgUseKind *kind = &w->kinds[user->kind];
		uint32_t	count = fg_user_end(w, user) - user->first_span;
		FgConsumption *to = &t->by_slot[user->slot];
		double		total;

		if ((kind->kind == FG_RULE_GREEDY) != greedy)
			continue;
		total = total_over(t, w->spans + user->first_span, count) * (greedy ? kind->cap : 1);
		if (available)
			to->available = total;
		else
			to->used = total;
		if (!fg_steps(t->analysis->ctx, (size_t) count + 1))
			return false;
	}
	return true;
}

static bool
consume(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	Integrals  *t = arg;
	bool		has[2] = {false, false};

	for (uint32_t k = 0; k < w->kind_count; k++)
		has[w->kinds[k].kind == FG_RULE_GREEDY] = true;
	for (int part = 0; part < 4; part++)
	{
		bool		greedy = part < 2;
		bool		available = part % 2 != 0;

		if (has[greedy] &&
			!(integrate(t, w, samples, greedy, available) && add_up(t, w, greedy, available)))
			return false;
	}
	return true;
}

bool
fg_consumption_of_leaves(const FgAnalysis *analysis, uint32_t resource_type,
						 FgConsumption **by_slot)
{
	size_t		slots = analysis->uses.first_slot[analysis->job->phase_count];
	Integrals	t = {.analysis = analysis};
	bool		ok = (t.by_slot = fg_alloc_zero(analysis->ctx, slots, sizeof(FgConsumption))) != NULL &&
		fg_visit_resources(analysis, resource_type, consume, &t);

	fg_release(analysis->ctx, t.until);
	*by_slot = t.by_slot;
	if (ok)
		return true;
	fg_release(analysis->ctx, t.by_slot);
	*by_slot = NULL;
	return false;
}

/* --- phases ------------------------------------------------------------------------------- */

/* Rows are made children first, so those of a phase come behind those of its children. */
typedef struct Sums
{
	const FgAnalysis *analysis;
	const FgConsumption *by_slot;
	FgPhaseConsumption *rows;
	size_t		count;
	size_t		capacity;
	size_t	   *first;			/* by phase */
	size_t	   *end;
	uint32_t   *place;			/* by resource: where its row of this phase is */
	uint32_t   *generation;		/* by resource: the phase that place[] is of */
	FgSortKey  *keys;
	FgSortKey  *spare;
	FgPhaseConsumption *sorted;
} Sums;

static bool
add_row(Sums *s, uint32_t phase, uint32_t resource, FgConsumption consumption)
{
	FgContext  *ctx = s->analysis->ctx;
	FgConsumption *sum;

	if (s->generation[resource] != phase)
	{
		s->generation[resource] = phase;
		s->place[resource] = (uint32_t) (s->count - s->first[phase]);
		if (!fg_reserve(ctx, (void **) &s->rows, &s->capacity, s->count + 1,
						sizeof(FgPhaseConsumption)))
			return false;
		s->rows[s->count++] = (FgPhaseConsumption) {resource, consumption};
		return true;
	}
	sum = &s->rows[s->first[phase] + s->place[resource]].consumption;
	sum->used += consumption.used;
	sum->available += consumption.available;
	return isfinite(sum->used) && isfinite(sum->available) ? true :
		fg_fail(ctx, FG_ERROR_RANGE, "the consumption of a phase is out of range");
}

static bool
add_leaf(Sums *s, uint32_t leaf)
{
	const FgUses *uses = &s->analysis->uses;
	const FgUseList *list = fg_uses_of(uses, leaf);

	for (uint32_t i = 0; i < list->consumable; i++)
	{
		if (!add_row(s, leaf, uses->uses[list->first + i].resource,
					 s->by_slot[uses->first_slot[leaf] + i]))
			return false;
	}
	return fg_steps(s->analysis->ctx, list->consumable);
}

static bool
add_composite(Sums *s, uint32_t phase)
{
	const FgJobTree *tree = &s->analysis->job->phase_tree;

	for (uint32_t c = tree->first_child[phase]; c < tree->first_child[phase + 1]; c++)
	{
		uint32_t	child = tree->child[c];

		for (size_t i = s->first[child]; i < s->end[child]; i++)
		{
			if (!add_row(s, phase, s->rows[i].resource, s->rows[i].consumption))
				return false;
		}
		if (!fg_steps(s->analysis->ctx, s->end[child] - s->first[child] + 1))
			return false;
	}
	return true;
}

/* The rows of a phase by resource. */
static bool
sort_rows(Sums *s, uint32_t phase)
{
	size_t		count = s->count - s->first[phase];
	FgPhaseConsumption *rows;

	if (count == 0)
		return true;
	rows = s->rows + s->first[phase];
	for (size_t i = 0; i < count; i++)
		s->keys[i] = (FgSortKey) {rows[i].resource, (uint32_t) i};
	if (!fg_sort_keys(s->analysis->ctx, s->keys, count, s->spare))
		return false;
	for (size_t i = 0; i < count; i++)
		s->sorted[i] = rows[s->keys[i].item];
	return fg_copy(s->analysis->ctx, rows, s->sorted, count * sizeof(FgPhaseConsumption));
}

static bool
sums_begin(Sums *s)
{
	FgContext  *ctx = s->analysis->ctx;
	const FgJob *job = s->analysis->job;

	s->first = fg_alloc(ctx, job->phase_count, sizeof(size_t));
	s->end = fg_alloc(ctx, job->phase_count, sizeof(size_t));
	s->place = fg_alloc(ctx, job->resource_count, sizeof(uint32_t));
	s->generation = fg_alloc(ctx, job->resource_count, sizeof(uint32_t));
	s->keys = fg_alloc(ctx, job->resource_count, sizeof(FgSortKey));
	s->spare = fg_alloc(ctx, job->resource_count, sizeof(FgSortKey));
	s->sorted = fg_alloc(ctx, job->resource_count, sizeof(FgPhaseConsumption));
	if (s->first == NULL || s->end == NULL || s->place == NULL || s->generation == NULL ||
		s->keys == NULL || s->spare == NULL || s->sorted == NULL)
		return false;
	for (uint32_t r = 0; r < job->resource_count; r++)
		s->generation[r] = FG_NONE;
	return true;
}

static void
sums_free(Sums *s)
{
	FgContext  *ctx = s->analysis->ctx;

	fg_release(ctx, s->rows);
	fg_release(ctx, s->first);
	fg_release(ctx, s->end);
	fg_release(ctx, s->place);
	fg_release(ctx, s->generation);
	fg_release(ctx, s->keys);
	fg_release(ctx, s->spare);
	fg_release(ctx, s->sorted);
}

/* The rows of one phase after the other. */
static bool
gather(Sums *s, FgConsumptions *result)
{
	FgContext  *ctx = s->analysis->ctx;
	uint32_t	phases = s->analysis->job->phase_count;
	size_t		next = 0;

	result->rows = fg_alloc(ctx, s->count, sizeof(FgPhaseConsumption));
	result->first = fg_alloc(ctx, (size_t) phases + 1, sizeof(size_t));
	if (result->rows == NULL || result->first == NULL)
		return false;
	for (uint32_t p = 0; p < phases; p++)
	{
		size_t		count = s->end[p] - s->first[p];

		result->first[p] = next;
		if (!fg_check_every(ctx, p) ||
			!fg_copy(ctx, result->rows + next, s->rows + s->first[p],
					 count * sizeof(FgPhaseConsumption)))
			return false;
		next += count;
	}
	result->first[phases] = next;
	return true;
}

bool
fg_consumptions_make(const FgAnalysis *analysis, FgConsumptions *result)
{
	const FgJobTree *tree = &analysis->job->phase_tree;
	Sums		s = {.analysis = analysis};
	FgConsumption *by_slot = NULL;
	bool		ok = sums_begin(&s) && fg_consumption_of_leaves(analysis, FG_NONE, &by_slot);

	*result = (FgConsumptions) {.rows = NULL};
	s.by_slot = by_slot;
	for (uint32_t i = tree->count; ok && i-- > 0;)
	{
		uint32_t	phase = tree->order[i];

		s.first[phase] = s.count;
		ok = fg_check_every(analysis->ctx, i) && (fg_phase_is_leaf(analysis->job, phase) ? add_leaf(&s, phase) :
			  add_composite(&s, phase)) && sort_rows(&s, phase);
		s.end[phase] = s.count;
	}
	ok = ok && gather(&s, result);
	sums_free(&s);
	fg_release(analysis->ctx, by_slot);
	return ok;
}

void
fg_consumptions_free(FgContext *ctx, FgConsumptions *consumptions)
{
	fg_release(ctx, consumptions->rows);
	fg_release(ctx, consumptions->first);
}
