/*
 * validate_warnings.c
 *	  Warnings about a job that can be analysed (see validate.h).
 */
#include "core/checking/validate_internal.h"

#include "core/jobs/access.h"
#include "core/jobs/slices.h"

#include <math.h>

typedef struct Warner
{
	FgCheck		check;
	FgContext  *ctx;
	const FgJob *job;
	FgSlices	slices;
	FgUses		uses;
	FgPairs		pairs;			/* of the parent and type of phases */
	uint32_t   *pair_of;		/* by phase */
	uint32_t   *last;			/* by pair: the phase that ends last so far, or of all */
	uint32_t   *slowest;		/* by pair: the last one of those it has to wait for, or FG_NONE */
	FgSortKey  *keys;
	FgSortKey  *spare;
	uint32_t   *first_before;	/* by phase type, one more: its precedences in before[] */
	uint32_t   *before;
	FgPairs		ruled;			/* of the phase and resource type of rules */
	bool	   *used;			/* by rule */
	bool	   *lives;			/* by rule: there is a leaf of its type or below it */
} Warner;

/* --- phases within and beside each other --------------------------------------------- */

static bool
warn_of_phase(Warner *w, uint32_t p)
{
	const FgPhase *phase = &w->job->phases[p];
	FgProblem	problem = fg_phase_problem(FG_PROBLEM_CHILD_OUTSIDE_PARENT, phase);

	if (phase->parent != FG_NONE)
	{
		const FgPhase *parent = &w->job->phases[phase->parent];

		problem.other = parent->id;
		if ((phase->start < parent->start || phase->end > parent->end) &&
			!fg_check_emit(&w->check, &problem))
			return false;
	}
	problem.code = FG_PROBLEM_EMPTY_PHASE;
	return w->slices.life[p].start < w->slices.life[p].end || fg_check_emit(&w->check, &problem);
}

static bool
warn_of_beside(Warner *w, FgProblemCode code, uint32_t p, uint32_t other, uint32_t type)
{
	FgProblem	problem = fg_phase_problem(code, &w->job->phases[p]);

	problem.name = w->job->phase_types[type].name;
	problem.other = w->job->phases[other].id;
	return fg_check_emit(&w->check, &problem);
}

/* Phases by their start; the one of each pair that ends last goes with them. */
static bool
warn_of_overlaps(Warner *w)
{
	const FgJob *job = w->job;

	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		w->keys[p] = (FgSortKey) {job->phases[p].start, p};
		if (!fg_check_every(w->ctx, p))
			return false;
	}
	if (!fg_sort_keys(w->ctx, w->keys, job->phase_count, w->spare))
		return false;
	for (uint32_t i = 0; i < job->phase_count; i++)
	{
		uint32_t	p = w->keys[i].item;
		const FgPhase *phase = &job->phases[p];
		uint32_t   *last;

		if (!fg_check_every(w->ctx, i))
			return false;
		if (w->pair_of[p] == FG_NONE)
			continue;
		last = &w->last[w->pair_of[p]];
		if (*last != FG_NONE && job->phases[*last].end > phase->start &&
			job->phase_types[phase->type].repeat == FG_REPEAT_SEQUENTIAL &&
			!warn_of_beside(w, FG_PROBLEM_SEQUENTIAL_OVERLAP, p, *last, phase->type))
			return false;
		if (*last == FG_NONE || phase->end > job->phases[*last].end)
			*last = p;
	}
	return true;
}

/* The types that each type waits for. */
static bool
list_before(Warner *w)
{
	const FgJob *job = w->job;
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < job->precedence_count; i++)
		w->first_before[job->precedences[i].after]++;
	for (uint32_t t = 0; t <= job->phase_type_count; t++)
	{
		sum += w->first_before[t];
		w->first_before[t] = sum;
	}
	for (uint32_t i = 0; i < job->precedence_count; i++)
	{
		w->before[--w->first_before[job->precedences[i].after]] = job->precedences[i].before;
		if (!fg_check_every(w->ctx, i))
			return false;
	}
	return true;
}

/* Of the phases that those of a pair have to wait for, the one that ends last. */
static bool
find_slowest(Warner *w, uint32_t pair)
{
	const FgJob *job = w->job;
	uint32_t	parent = w->pairs.pairs[pair].a;
	uint32_t	type = w->pairs.pairs[pair].b;

	w->slowest[pair] = FG_NONE;
	for (uint32_t i = w->first_before[type]; i < w->first_before[type + 1]; i++)
	{
		uint32_t	other = fg_pairs_find(&w->pairs, parent, w->before[i]);

		if (!fg_steps(w->ctx, 1))
			return false;
		if (other != FG_NONE && (w->slowest[pair] == FG_NONE ||
								 job->phases[w->last[other]].end >
								 job->phases[w->slowest[pair]].end))
			w->slowest[pair] = w->last[other];
	}
	return true;
}

static bool
warn_of_precedences(Warner *w)
{
	const FgJob *job = w->job;

	if (!list_before(w))
		return false;
	for (uint32_t pair = 0; pair < w->pairs.count; pair++)
	{
		if (!find_slowest(w, pair))
			return false;
	}
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		uint32_t	slowest = w->pair_of[p] == FG_NONE ? FG_NONE : w->slowest[w->pair_of[p]];

		if (!fg_check_every(w->ctx, p))
			return false;
		if (slowest != FG_NONE && job->phases[slowest].end > job->phases[p].start &&
			!warn_of_beside(w, FG_PROBLEM_PRECEDENCE_VIOLATED, p, slowest,
							job->phases[slowest].type))
			return false;
	}
	return true;
}

static bool
warn_of_phases(Warner *w)
{
	for (uint32_t p = 0; p < w->job->phase_count; p++)
	{
		if (!fg_check_every(w->ctx, p) || !warn_of_phase(w, p))
			return false;
	}
	for (uint32_t i = 0; i < w->job->phase_count; i++)
	{
		w->last[i] = FG_NONE;
		if (!fg_check_every(w->ctx, i))
			return false;
	}
	return fg_pair_phases(w->ctx, w->job, &w->pairs, w->pair_of) && warn_of_overlaps(w) &&
		warn_of_precedences(w);
}

/* --- measurements -------------------------------------------------------------------- */

static bool
warn_of_usage(Warner *w, uint32_t r)
{
	const FgJob *job = w->job;
	FgProblem	above = fg_resource_problem(FG_PROBLEM_USAGE_ABOVE_CAPACITY, &job->resources[r]);
	FgProblem	empty = fg_resource_problem(FG_PROBLEM_EMPTY_MEASUREMENT, &job->resources[r]);

	for (uint32_t i = job->first_usage[r]; i < job->first_usage[r + 1]; i++)
	{
		const FgUsage *usage = &job->usages[i];
		FgTimeRange period = fg_period_of(&w->slices.grid, usage);

		if (!fg_check_every(w->ctx, i))
			return false;
		if (usage->usage > job->resources[r].capacity && above.count++ == 0)
			above.start = usage->start;
		if (usage->usage > job->resources[r].capacity && usage->usage > above.value)
			above.value = usage->usage;
		/* a sample at one point in time was meant to be one */
		if (usage->start < usage->end && period.start == period.end && empty.count++ == 0)
			empty.start = usage->start;
	}
	return (above.count == 0 || fg_check_emit(&w->check, &above)) &&
		(empty.count == 0 || fg_check_emit(&w->check, &empty));
}

/* The time that is measured, as a normal list: periods come sorted. */
static bool
measured(Warner *w, uint32_t r, FgTimeRanges *list)
{
	fg_intervals_clear(list);
	for (uint32_t i = w->job->first_usage[r]; i < w->job->first_usage[r + 1]; i++)
	{
		FgTimeRange period = fg_period_of(&w->slices.grid, &w->job->usages[i]);

		if (!fg_check_every(w->ctx, i) ||
			!fg_intervals_extend(w->ctx, list, 0, period.start, period.end))
			return false;
	}
	return true;
}

static bool
warn_of_unmeasured(Warner *w, uint32_t r, const FgTimeRanges *list)
{
	const FgUses *uses = &w->uses;
	FgProblem	problem = fg_resource_problem(FG_PROBLEM_UNMEASURED_LIFE, &w->job->resources[r]);
	uint32_t	first = FG_NONE;

	for (uint32_t u = uses->first_by_resource[r]; u < uses->first_by_resource[r + 1]; u++)
	{
		uint32_t	kind = uses->list_by_resource[u];

		for (uint32_t i = uses->first_leaf[kind]; i < uses->first_leaf[kind + 1]; i++)
		{
			FgTimeRange	life = w->slices.life[uses->leaf[i]];
			size_t		at = fg_intervals_seek(list->list, list->count, life.start);

			if (!fg_steps(w->ctx, 1))
				return false;
			if (life.start >= life.end || (at < list->count && list->list[at].start <= life.start &&
										   list->list[at].end >= life.end))
				continue;
			problem.count++;
			first = uses->leaf[i] < first ? uses->leaf[i] : first;
		}
	}
	if (problem.count == 0)
		return true;
	problem.has_phase = true;
	problem.phase = w->job->phases[first].id;
	return fg_check_emit(&w->check, &problem);
}

static bool
warn_of_resources(Warner *w)
{
	FgTimeRanges list = {.list = NULL};
	bool		go_on = true;

	for (uint32_t r = 0; go_on && r < w->job->resource_count; r++)
		go_on = fg_steps(w->ctx, 1) && warn_of_usage(w, r) && measured(w, r, &list) &&
			warn_of_unmeasured(w, r, &list);
	fg_intervals_free(w->ctx, &list);
	return go_on;
}

/* --- rules --------------------------------------------------------------------------- */

/* The rule that holds for a type, the nearest one on the way up. */
static bool
rule_of(Warner *w, uint32_t phase_type, uint32_t resource_type, uint32_t *rule)
{
	*rule = FG_NONE;
	for (uint32_t t = phase_type; t != FG_NONE; t = w->job->phase_types[t].parent)
	{
		*rule = fg_pairs_find(&w->ruled, t, resource_type);
		if (*rule != FG_NONE)
			return true;
		if (!fg_steps(w->ctx, 1))
			return false;
	}
	return true;
}

/* What lists of uses have is used. */
static bool
mark_used(Warner *w)
{
	const FgUses *uses = &w->uses;
	uint32_t	rule;

	for (size_t l = 0; l < uses->list_count; l++)
	{
		const FgUseList *list = &uses->lists[l];
		uint32_t	last = FG_NONE;

		if (uses->first_leaf[l] == uses->first_leaf[l + 1])
			continue;
		for (uint32_t u = list->first; u < list->first + list->count; u++)
		{
			uint32_t	resource_type = w->job->resources[uses->uses[u].resource].type;

			/* uses are sorted by type */
			if (resource_type == last)
				continue;
			last = resource_type;
			if (!rule_of(w, w->job->phases[uses->leaf[uses->first_leaf[l]]].type, resource_type,
						 &rule))
				return false;
			if (rule != FG_NONE)
				w->used[rule] = true;
		}
	}
	return true;
}

/*
 * A rule that says none leaves no use behind: it has done its work where a leaf stands below
 * its type.  Rules of types without leaves may be for other jobs of the platform.
 */
static bool
mark_lives(Warner *w)
{
	const FgJob *job = w->job;
	bool	   *has_leaf = fg_alloc_zero(w->ctx, job->phase_type_count, sizeof(bool));

	if (has_leaf == NULL)
		return false;
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		if (fg_phase_is_leaf(job, p))
			has_leaf[job->phases[p].type] = true;
	}
	for (uint32_t i = job->phase_type_count; i-- > 0;)
	{
		uint32_t	t = job->phase_type_tree.order[i];

		if (has_leaf[t] && job->phase_types[t].parent != FG_NONE)
			has_leaf[job->phase_types[t].parent] = true;
	}
	for (uint32_t i = 0; i < job->rule_count; i++)
		w->lives[i] = has_leaf[job->rules[i].phase_type] && job->rules[i].kind != FG_RULE_NONE;
	fg_release(w->ctx, has_leaf);
	return true;
}

static bool
warn_of_rules(Warner *w)
{
	const FgJob *job = w->job;
	uint32_t	number;

	for (uint32_t i = 0; i < job->rule_count; i++)
	{
		if (!fg_check_every(w->ctx, i) ||
			!fg_pairs_add(&w->ruled, job->rules[i].phase_type, job->rules[i].resource_type,
						  &number))
			return false;
	}
	if (!mark_used(w) || !mark_lives(w))
		return false;
	for (uint32_t i = 0; i < job->rule_count; i++)
	{
		FgProblem	problem = {.code = FG_PROBLEM_UNUSED_RULE, .table = FG_TABLE_RULE};

		if (w->used[i] || !w->lives[i])
			continue;
		problem.name = job->phase_types[job->rules[i].phase_type].name;
		problem.second = job->resource_types[job->rules[i].resource_type].name;
		if (!fg_check_emit(&w->check, &problem))
			return false;
	}
	return true;
}

/* --- all ----------------------------------------------------------------------------- */

static bool
allocate(Warner *w)
{
	const FgJob *job = w->job;

	w->pair_of = fg_alloc(w->ctx, job->phase_count, sizeof(uint32_t));
	w->last = fg_alloc(w->ctx, job->phase_count, sizeof(uint32_t));
	w->slowest = fg_alloc(w->ctx, job->phase_count, sizeof(uint32_t));
	w->keys = fg_alloc(w->ctx, job->phase_count, sizeof(FgSortKey));
	w->spare = fg_alloc(w->ctx, job->phase_count, sizeof(FgSortKey));
	w->first_before = fg_alloc_zero(w->ctx, (size_t) job->phase_type_count + 1, sizeof(uint32_t));
	w->before = fg_alloc(w->ctx, job->precedence_count, sizeof(uint32_t));
	w->used = fg_alloc_zero(w->ctx, job->rule_count, sizeof(bool));
	w->lives = fg_alloc_zero(w->ctx, job->rule_count, sizeof(bool));
	return w->pair_of != NULL && w->last != NULL && w->slowest != NULL && w->keys != NULL &&
		w->spare != NULL && w->first_before != NULL && w->before != NULL && w->used != NULL &&
		w->lives != NULL && fg_pairs_begin(w->ctx, &w->pairs) && fg_pairs_begin(w->ctx, &w->ruled);
}

static void
release(Warner *w)
{
	fg_release(w->ctx, w->pair_of);
	fg_release(w->ctx, w->last);
	fg_release(w->ctx, w->slowest);
	fg_release(w->ctx, w->keys);
	fg_release(w->ctx, w->spare);
	fg_release(w->ctx, w->first_before);
	fg_release(w->ctx, w->before);
	fg_release(w->ctx, w->used);
	fg_release(w->ctx, w->lives);
	if (w->pairs.ctx != NULL)
		fg_pairs_free(&w->pairs);
	if (w->ruled.ctx != NULL)
		fg_pairs_free(&w->ruled);
	fg_slices_free(w->ctx, &w->slices);
	fg_uses_free(w->ctx, &w->uses);
}

bool
fg_job_warn(FgContext *ctx, const FgJob *job, const FgJobOptions *options, FgProblemEmit emit,
			void *arg)
{
	Warner		warner = {
		.check = {.ctx = ctx, .job = job, .emit = emit, .arg = arg}, .ctx = ctx, .job = job
	};
	bool		finished = allocate(&warner) && fg_slices_make(ctx, job, options, &warner.slices) &&
		fg_uses_make(ctx, job, options, &warner.uses) && warn_of_phases(&warner) &&
		warn_of_resources(&warner) && warn_of_rules(&warner);

	release(&warner);
	return finished || warner.check.enough;
}
