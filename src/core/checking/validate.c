/*
 * validate.c
 *	  The errors of a job (see validate.h), and what all checks share.
 */
#include "core/checking/validate_internal.h"

bool
fg_check_known(FgCheck *check, uint32_t reference, const FgProblem *problem)
{
	if (reference != FG_UNKNOWN || check->job->found_count > 0)
		return true;
	return fg_check_emit(check, problem);
}

bool
fg_check_times(FgCheck *check, const FgProblem *problem)
{
	FgProblem	infinite = *problem;

	if (fg_times_work(problem->start, problem->end))
		return true;
	infinite.code = FG_PROBLEM_BAD_TIME;
	return fg_check_emit(check, &infinite);
}

/* --- cycles -------------------------------------------------------------------------- */

static inline uint32_t
parent_at(const uint32_t *parents, size_t stride, uint32_t node)
{
	return *(const uint32_t *) ((const char *) parents + node * stride);
}

/*
 * Walks up from a node until the end, or to a node that was seen: FG_NONE, or one on a cycle
 * that this walk is the first to meet.  walk[] says which walk has seen a node, from 1.
 */
static bool
walk_up(FgContext *ctx, const uint32_t *parents, size_t stride, uint32_t start, uint32_t *walk,
		uint32_t *met)
{
	uint32_t	node = start;

	*met = FG_NONE;
	while (fg_is_known(node) && walk[node] == 0)
	{
		walk[node] = start + 1;
		node = parent_at(parents, stride, node);
		if (!fg_steps(ctx, 1))
			return false;
	}
	if (fg_is_known(node) && walk[node] == start + 1)
		*met = node;
	return true;
}

/* The first node of a cycle, and how many it has. */
static bool
go_round(FgContext *ctx, const uint32_t *parents, size_t stride, uint32_t met, uint32_t *first,
		 uint64_t *count)
{
	uint32_t	node = met;

	*first = met;
	*count = 0;
	do
	{
		if (node < *first)
			*first = node;
		(*count)++;
		node = parent_at(parents, stride, node);
		if (!fg_steps(ctx, 1))
			return false;
	} while (node != met);
	return true;
}

static bool
each_cycle(FgCheck *check, const uint32_t *parents, size_t stride, uint32_t count, uint32_t *walk,
		   FgProblem (*describe) (const FgJob *job, uint32_t node))
{
	for (uint32_t n = 0; n < count; n++)
	{
		uint32_t	met = FG_NONE;
		uint32_t	first;
		FgProblem	problem;
		uint64_t	length;

		if (!fg_check_every(check->ctx, n) ||
			(walk[n] == 0 && !walk_up(check->ctx, parents, stride, n, walk, &met)))
			return false;
		if (met == FG_NONE)
			continue;
		if (!go_round(check->ctx, parents, stride, met, &first, &length))
			return false;
		problem = describe(check->job, first);
		problem.count = length;
		if (!fg_check_emit(check, &problem))
			return false;
	}
	return true;
}

bool
fg_check_cycles(FgCheck *check, const uint32_t *parents, size_t stride, uint32_t count,
				FgProblem (*describe) (const FgJob *job, uint32_t node))
{
	uint32_t   *walk = fg_alloc_zero(check->ctx, count, sizeof(uint32_t));
	bool		go_on = walk != NULL && each_cycle(check, parents, stride, count, walk, describe);

	fg_release(check->ctx, walk);
	return go_on;
}

static bool
note_cycle(void *arg, const FgProblem *problem)
{
	(void) problem;
	*(bool *) arg = true;
	return false;
}

static FgProblem
describe_nothing(const FgJob *job, uint32_t node)
{
	(void) job;
	(void) node;
	return (FgProblem) {.code = FG_PROBLEM_PHASE_CYCLE};
}

bool
fg_has_cycle(FgContext *ctx, const uint32_t *parents, size_t stride, uint32_t count, bool *has)
{
	FgCheck		check = {.ctx = ctx, .emit = note_cycle, .arg = has};

	*has = false;
	return fg_check_cycles(&check, parents, stride, count, describe_nothing) || check.enough;
}

/* --- all ----------------------------------------------------------------------------- */

bool
fg_pair_phases(FgContext *ctx, const FgJob *job, FgPairs *pairs, uint32_t *pair_of)
{
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		const FgPhase *phase = &job->phases[p];

		pair_of[p] = FG_NONE;
		if (!fg_check_every(ctx, p))
			return false;
		if (fg_is_known(phase->parent) && fg_is_known(phase->type) &&
			!fg_pairs_add(pairs, phase->parent, phase->type, &pair_of[p]))
			return false;
	}
	return true;
}

static bool
tell_found(FgCheck *check)
{
	for (uint32_t i = 0; i < check->job->found_count; i++)
	{
		if (!fg_check_emit(check, &check->job->found[i]) || !fg_check_every(check->ctx, i))
			return false;
	}
	return true;
}

bool
fg_job_validate(FgContext *ctx, const FgJob *job, FgProblemEmit emit, void *arg)
{
	FgCheck		check = {.ctx = ctx, .job = job, .emit = emit, .arg = arg};

	return (tell_found(&check) && fg_check_model(&check) && fg_check_phases(&check) &&
			fg_check_resources(&check) && fg_check_mappings(&check) &&
			fg_check_measurements(&check)) || check.enough;
}
