/*
 * validate_phases.c
 *	  Errors of the phases of a job: their times, their tree, what stands beside each other.
 */
#include "core/checking/validate_internal.h"

#include "core/base/hash.h"

/* --- one phase ----------------------------------------------------------------------- */

static FgProblem
phase_cycle(const FgJob *job, uint32_t phase)
{
	return fg_phase_problem(FG_PROBLEM_PHASE_CYCLE, &job->phases[phase]);
}

/* The type of the parent is the parent of the type. */
static bool
check_type(FgCheck *check, const FgPhase *phase)
{
	const FgJob *job = check->job;
	FgProblem	problem = fg_phase_problem(FG_PROBLEM_PHASE_TYPE_MISMATCH, phase);
	uint32_t	above;
	uint32_t	expected;

	if (!fg_is_known(phase->type) || phase->parent == FG_UNKNOWN)
		return true;
	expected = job->phase_types[phase->type].parent;
	above = phase->parent == FG_NONE ? FG_NONE : job->phases[phase->parent].type;
	if (above == expected || above == FG_UNKNOWN || expected == FG_UNKNOWN)
		return true;
	problem.name = job->phase_types[phase->type].name;
	if (above != FG_NONE)
		problem.second = job->phase_types[above].name;
	return fg_check_emit(check, &problem);
}

static bool
check_phase(FgCheck *check, uint32_t p)
{
	const FgPhase *phase = &check->job->phases[p];
	FgProblem	problem = fg_phase_problem(FG_PROBLEM_UNKNOWN_PHASE_TYPE, phase);

	if (!fg_check_known(check, phase->type, &problem))
		return false;
	problem.code = FG_PROBLEM_UNKNOWN_PHASE;
	if (!fg_check_known(check, phase->parent, &problem))
		return false;
	problem.code = FG_PROBLEM_DUPLICATE_KEY;
	if (p > 0 && phase[-1].id == phase->id && !fg_check_emit(check, &problem))
		return false;
	if (!fg_check_times(check, &problem))
		return false;
	problem.code = FG_PROBLEM_PHASE_END_BEFORE_START;
	if (phase->end < phase->start && !fg_check_emit(check, &problem))
		return false;
	return check_type(check, phase);
}

/* One phase is the whole job: the others without a parent are told of, or that there is none. */
static bool
check_roots(FgCheck *check)
{
	const FgJob *job = check->job;
	uint64_t	roots = 0;
	FgProblem	none = {.code = FG_PROBLEM_ROOT_COUNT, .table = FG_TABLE_PHASE};

	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		FgProblem	problem;

		if (!fg_check_every(check->ctx, p))
			return false;
		if (job->phases[p].parent != FG_NONE || ++roots == 1)
			continue;
		problem = fg_phase_problem(FG_PROBLEM_ROOT_COUNT, &job->phases[p]);
		problem.count = roots;
		if (!fg_check_emit(check, &problem))
			return false;
	}
	return roots > 0 || fg_check_emit(check, &none);
}

/* --- phases beside each other -------------------------------------------------------- */

static uint32_t
hash_span(uint64_t seed, FgSpan span)
{
	uint64_t	hash = seed ^ span.size;
	size_t		at = 0;

	for (; at + 8 <= span.size; at += 8)
	{
		uint64_t	word;

		memcpy(&word, span.bytes + at, 8);
		hash = fg_fold_multiply(hash ^ word, seed ^ UINT64_C(0x9E3779B97F4A7C15));
	}
	for (; at < span.size; at++)
		hash = fg_fold_multiply(hash ^ (unsigned char) span.bytes[at],
								seed ^ UINT64_C(0xD1B54A32D192ED03));
	hash = fg_fold_multiply(hash, seed ^ UINT64_C(0x94D049BB133111EB));
	return (uint32_t) (hash ^ hash >> 32);
}

typedef struct Siblings
{
	FgPairs		pairs;			/* of parents and types */
	uint32_t   *pair_of;		/* by phase */
	uint32_t   *first;			/* by pair: its first phase */
	uint32_t   *same;			/* by phase: one before it of its pair and instance, or FG_NONE */
	FgSortKey  *keys;
	FgSortKey  *spare;
} Siblings;

/* Phases with a parent by their pair, then by a hash of the instance; equal ones by number. */
static bool
sort_siblings(FgContext *ctx, const FgJob *job, Siblings *siblings, size_t *count)
{
	*count = 0;
	if (!fg_pair_phases(ctx, job, &siblings->pairs, siblings->pair_of))
		return false;
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		uint32_t	pair = siblings->pair_of[p];
		uint32_t	hash;

		siblings->first[p] = FG_NONE;	/* there are no more pairs than phases */
		siblings->same[p] = FG_NONE;
		if (pair == FG_NONE)
			continue;
		hash = hash_span(ctx->seed, job->phases[p].instance);
		if (!fg_work(ctx, job->phases[p].instance.size))
			return false;
		siblings->keys[(*count)++] = (FgSortKey) {(int64_t) ((uint64_t) pair << 32 | hash), p};
	}
	return fg_sort_keys(ctx, siblings->keys, *count, siblings->spare);
}

/* Equal hashes stand together, so the nearest one with the same instance is a step away. */
static bool
find_same(FgContext *ctx, const FgJob *job, Siblings *siblings, size_t count)
{
	const FgSortKey *keys = siblings->keys;

	for (size_t i = 0; i < count; i++)
	{
		const FgPhase *phase = &job->phases[keys[i].item];

		for (size_t j = i; j-- > 0 && keys[j].key == keys[i].key;)
		{
			if (!fg_steps(ctx, 1))
				return false;
			if (!fg_span_equal(job->phases[keys[j].item].instance, phase->instance))
				continue;
			siblings->same[keys[i].item] = keys[j].item;
			break;
		}
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static bool
check_sibling(FgCheck *check, Siblings *siblings, uint32_t p)
{
	const FgJob *job = check->job;
	FgProblem	problem = fg_phase_problem(FG_PROBLEM_REPEATED_ONCE_TYPE, &job->phases[p]);
	uint32_t   *first = &siblings->first[siblings->pair_of[p]];

	problem.name = job->phase_types[job->phases[p].type].name;
	if (*first == FG_NONE)
	{
		*first = p;
		return true;
	}
	problem.other = job->phases[*first].id;
	if (job->phase_types[job->phases[p].type].repeat == FG_REPEAT_ONCE &&
		!fg_check_emit(check, &problem))
		return false;
	if (siblings->same[p] == FG_NONE)
		return true;
	problem.code = FG_PROBLEM_DUPLICATE_INSTANCE;
	problem.second = job->phases[p].instance;
	problem.other = job->phases[siblings->same[p]].id;
	return fg_check_emit(check, &problem);
}

static bool
check_siblings(FgCheck *check)
{
	FgContext  *ctx = check->ctx;
	uint32_t	phases = check->job->phase_count;
	Siblings	siblings = {
		.pair_of = fg_alloc(ctx, phases, sizeof(uint32_t)),
		.first = fg_alloc(ctx, phases, sizeof(uint32_t)),
		.same = fg_alloc(ctx, phases, sizeof(uint32_t)),
		.keys = fg_alloc(ctx, phases, sizeof(FgSortKey)),
		.spare = fg_alloc(ctx, phases, sizeof(FgSortKey))
	};
	size_t		count = 0;
	bool		go_on = siblings.pair_of != NULL && siblings.first != NULL &&
		siblings.same != NULL && siblings.keys != NULL && siblings.spare != NULL &&
		fg_pairs_begin(ctx, &siblings.pairs) &&
		sort_siblings(ctx, check->job, &siblings, &count) &&
		find_same(ctx, check->job, &siblings, count);

	for (uint32_t p = 0; go_on && p < phases; p++)
		go_on = fg_check_every(ctx, p) &&
			(siblings.pair_of[p] == FG_NONE || check_sibling(check, &siblings, p));
	if (siblings.pairs.ctx != NULL)
		fg_pairs_free(&siblings.pairs);
	fg_release(ctx, siblings.pair_of);
	fg_release(ctx, siblings.first);
	fg_release(ctx, siblings.same);
	fg_release(ctx, siblings.keys);
	fg_release(ctx, siblings.spare);
	return go_on;
}

bool
fg_check_phases(FgCheck *check)
{
	const FgJob *job = check->job;

	/* types form a tree, so a cycle has a wrong type somewhere: what is told first is the cause */
	if (!check_roots(check) ||
		!fg_check_cycles(check, job->phase_count == 0 ? NULL : &job->phases->parent,
						 sizeof(FgPhase), job->phase_count, phase_cycle))
		return false;
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		if (!fg_check_every(check->ctx, p) || !check_phase(check, p))
			return false;
	}
	return check_siblings(check);
}
