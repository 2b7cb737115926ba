/*
 * validate_model.c
 *	  Errors of the model of a platform: its types, precedences and rules.
 */
#include "core/checking/validate_internal.h"

#include "core/jobs/predicate.h"

#include <math.h>

/* --- types --------------------------------------------------------------------------- */

static FgProblem
phase_type_cycle(const FgJob *job, uint32_t type)
{
	return fg_type_problem(FG_PROBLEM_PHASE_TYPE_CYCLE, FG_TABLE_PHASE_TYPE,
						   job->phase_types[type].name);
}

static FgProblem
resource_type_cycle(const FgJob *job, uint32_t type)
{
	return fg_type_problem(FG_PROBLEM_RESOURCE_TYPE_CYCLE, FG_TABLE_RESOURCE_TYPE,
						   job->resource_types[type].name);
}

static bool
check_predicate(FgCheck *check, const FgPhaseType *type)
{
	FgPredicate predicate;
	FgProblem	problem;

	if (type->predicate.bytes == NULL ||
		fg_predicate_parse(check->ctx, type->predicate, &predicate))
		return true;
	if (check->ctx->error.code != FG_ERROR_ARGUMENT)
		return false;
	memset(&check->ctx->error, 0, sizeof(FgError));
	problem = fg_type_problem(FG_PROBLEM_BAD_PREDICATE, FG_TABLE_PHASE_TYPE, type->name);
	problem.second = type->predicate;
	return fg_check_emit(check, &problem);
}

static bool
check_phase_type(FgCheck *check, uint32_t t)
{
	const FgPhaseType *type = &check->job->phase_types[t];
	FgProblem	problem = fg_type_problem(FG_PROBLEM_UNKNOWN_PHASE_TYPE, FG_TABLE_PHASE_TYPE,
										  type->name);

	if (!fg_check_known(check, type->parent, &problem))
		return false;
	if (t > 0 && fg_span_equal(type[-1].name, type->name))
	{
		problem.code = FG_PROBLEM_DUPLICATE_KEY;
		if (!fg_check_emit(check, &problem))
			return false;
	}
	if (type->parent == FG_NONE && type->repeat != FG_REPEAT_ONCE)
	{
		problem.code = FG_PROBLEM_ROOT_TYPE_REPEATABLE;
		if (!fg_check_emit(check, &problem))
			return false;
	}
	return check_predicate(check, type);
}

/* The model has one root: the others are told of, or that there is none. */
static bool
check_root_types(FgCheck *check)
{
	const FgJob *job = check->job;
	FgProblem	problem = {.code = FG_PROBLEM_ROOT_TYPE_COUNT, .table = FG_TABLE_PHASE_TYPE};
	uint64_t	roots = 0;

	for (uint32_t t = 0; t < job->phase_type_count; t++)
	{
		if (!fg_check_every(check->ctx, t))
			return false;
		if (job->phase_types[t].parent != FG_NONE || ++roots == 1)
			continue;
		problem.name = job->phase_types[t].name;
		problem.count = roots;
		if (!fg_check_emit(check, &problem))
			return false;
	}
	return roots > 0 || fg_check_emit(check, &problem);
}

static bool
check_types(FgCheck *check)
{
	const FgJob *job = check->job;
	const uint32_t *phase_parents = job->phase_type_count == 0 ? NULL : &job->phase_types->parent;
	const uint32_t *resource_parents =
		job->resource_type_count == 0 ? NULL : &job->resource_types->parent;

	for (uint32_t t = 0; t < job->phase_type_count; t++)
	{
		if (!fg_check_every(check->ctx, t) || !check_phase_type(check, t))
			return false;
	}
	for (uint32_t t = 0; t < job->resource_type_count; t++)
	{
		const FgResourceType *type = &job->resource_types[t];
		FgProblem	problem = fg_type_problem(FG_PROBLEM_UNKNOWN_RESOURCE_TYPE,
											  FG_TABLE_RESOURCE_TYPE, type->name);

		if (!fg_check_every(check->ctx, t) || !fg_check_known(check, type->parent, &problem))
			return false;
		problem.code = FG_PROBLEM_DUPLICATE_KEY;
		if (t > 0 && fg_span_equal(type[-1].name, type->name) && !fg_check_emit(check, &problem))
			return false;
	}
	return check_root_types(check) &&
		fg_check_cycles(check, phase_parents, sizeof(FgPhaseType), job->phase_type_count,
						phase_type_cycle) &&
		fg_check_cycles(check, resource_parents, sizeof(FgResourceType), job->resource_type_count,
						resource_type_cycle);
}

/* --- precedences --------------------------------------------------------------------- */

/* The graph of precedences between siblings: edges by the type they start from. */
typedef struct Precedences
{
	uint32_t   *first;			/* by phase type, one more */
	uint32_t   *after;
	uint32_t   *waits;			/* by phase type: edges to it that are not taken away */
	uint32_t   *queue;
	uint32_t   *next;			/* by phase type: one that it waits for and that is left, FG_NONE */
} Precedences;

static bool
are_siblings(const FgJob *job, const FgPrecedence *precedence)
{
	uint32_t	parent = job->phase_types[precedence->before].parent;

	return fg_is_known(parent) && parent == job->phase_types[precedence->after].parent;
}

static bool
is_edge(const FgJob *job, const FgPrecedence *precedence)
{
	return fg_is_known(precedence->before) && fg_is_known(precedence->after) &&
		are_siblings(job, precedence);
}

static FgProblem
precedence_problem(FgProblemCode code, const FgJob *job, const FgPrecedence *precedence)
{
	FgProblem	problem = {.code = code, .table = FG_TABLE_PRECEDENCE};

	if (fg_is_known(precedence->before))
		problem.name = job->phase_types[precedence->before].name;
	if (fg_is_known(precedence->after))
		problem.second = job->phase_types[precedence->after].name;
	return problem;
}

static bool
check_precedence(FgCheck *check, const FgPrecedence *precedence)
{
	const FgJob *job = check->job;
	FgProblem	problem = precedence_problem(FG_PROBLEM_UNKNOWN_PHASE_TYPE, job, precedence);

	if (!fg_check_known(check, precedence->before, &problem) ||
		!fg_check_known(check, precedence->after, &problem))
		return false;
	if (!fg_is_known(precedence->before) || !fg_is_known(precedence->after) ||
		are_siblings(job, precedence))
		return true;
	problem.code = FG_PROBLEM_PRECEDENCE_NOT_SIBLINGS;
	return fg_check_emit(check, &problem);
}

static bool
fill_edges(FgCheck *check, Precedences *graph)
{
	const FgJob *job = check->job;
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < job->precedence_count; i++)
	{
		const FgPrecedence *precedence = &job->precedences[i];

		if (!fg_check_every(check->ctx, i))
			return false;
		if (!is_edge(job, precedence))
			continue;
		graph->first[precedence->before]++;
		graph->waits[precedence->after]++;
	}
	for (uint32_t t = 0; t <= job->phase_type_count; t++)
	{
		sum += graph->first[t];
		graph->first[t] = sum;
	}
	for (uint32_t i = 0; i < job->precedence_count; i++)
	{
		const FgPrecedence *precedence = &job->precedences[i];

		if (is_edge(job, precedence))
			graph->after[--graph->first[precedence->before]] = precedence->after;
	}
	return true;
}

/* Takes away types that wait for nothing that is left; what stays waits for a cycle (Kahn 1962). */
static bool
take_away(FgCheck *check, Precedences *graph)
{
	uint32_t	count = check->job->phase_type_count;
	uint32_t	end = 0;

	for (uint32_t t = 0; t < count; t++)
	{
		graph->next[t] = FG_NONE;
		if (graph->waits[t] == 0)
			graph->queue[end++] = t;
	}
	for (uint32_t i = 0; i < end; i++)
	{
		uint32_t	t = graph->queue[i];

		for (uint32_t e = graph->first[t]; e < graph->first[t + 1]; e++)
		{
			if (!fg_steps(check->ctx, 1))
				return false;
			if (--graph->waits[graph->after[e]] == 0)
				graph->queue[end++] = graph->after[e];
		}
	}
	/* Each of those left waits for one that is left, so the way back ends in a cycle. */
	for (uint32_t t = 0; t < count; t++)
	{
		for (uint32_t e = graph->first[t]; e < graph->first[t + 1]; e++)
		{
			if (graph->waits[t] > 0 && graph->waits[graph->after[e]] > 0)
				graph->next[graph->after[e]] = t;
		}
	}
	return true;
}

static FgProblem
precedence_cycle(const FgJob *job, uint32_t type)
{
	return fg_type_problem(FG_PROBLEM_PRECEDENCE_CYCLE, FG_TABLE_PRECEDENCE,
						   job->phase_types[type].name);
}

static bool
check_precedences(FgCheck *check)
{
	FgContext  *ctx = check->ctx;
	size_t		types = (size_t) check->job->phase_type_count + 1;
	Precedences graph = {
		.first = fg_alloc_zero(ctx, types, sizeof(uint32_t)),
		.after = fg_alloc(ctx, check->job->precedence_count, sizeof(uint32_t)),
		.waits = fg_alloc_zero(ctx, types, sizeof(uint32_t)),
		.queue = fg_alloc(ctx, types, sizeof(uint32_t)),
		.next = fg_alloc(ctx, types, sizeof(uint32_t))
	};
	bool		go_on = graph.first != NULL && graph.after != NULL && graph.waits != NULL &&
		graph.queue != NULL && graph.next != NULL;

	for (uint32_t i = 0; go_on && i < check->job->precedence_count; i++)
		go_on = fg_check_every(ctx, i) && check_precedence(check, &check->job->precedences[i]);
	go_on = go_on && fill_edges(check, &graph) && take_away(check, &graph) &&
		fg_check_cycles(check, graph.next, sizeof(uint32_t), check->job->phase_type_count,
						precedence_cycle);
	fg_release(ctx, graph.first);
	fg_release(ctx, graph.after);
	fg_release(ctx, graph.waits);
	fg_release(ctx, graph.queue);
	fg_release(ctx, graph.next);
	return go_on;
}

/* --- rules --------------------------------------------------------------------------- */

static bool
fits_class(FgRuleKind kind, FgResourceClass class)
{
	if (kind == FG_RULE_NONE)
		return true;
	return class == (kind == FG_RULE_FULL ? FG_RESOURCE_BLOCKING : FG_RESOURCE_CONSUMABLE);
}

static bool
is_share(double delta)
{
	return !fg_is_given(delta) || (delta > 0 && delta <= 1);
}

static bool
cap_works(const FgRule *rule)
{
	if (rule->kind != FG_RULE_GREEDY)
		return !fg_is_given(rule->cap);
	return rule->cap > 0 && rule->cap <= FG_MAX_USAGE;
}

static bool
check_rule(FgCheck *check, const FgRule *rule)
{
	const FgJob *job = check->job;
	FgProblem	problem = {.code = FG_PROBLEM_UNKNOWN_PHASE_TYPE, .table = FG_TABLE_RULE};

	if (fg_is_known(rule->phase_type))
		problem.name = job->phase_types[rule->phase_type].name;
	if (fg_is_known(rule->resource_type))
		problem.second = job->resource_types[rule->resource_type].name;
	if (!fg_check_known(check, rule->phase_type, &problem))
		return false;
	problem.code = FG_PROBLEM_UNKNOWN_RESOURCE_TYPE;
	if (!fg_check_known(check, rule->resource_type, &problem))
		return false;
	problem.code = FG_PROBLEM_RULE_CLASS_MISMATCH;
	if (fg_is_known(rule->resource_type) &&
		!fits_class(rule->kind, job->resource_types[rule->resource_type].class) &&
		!fg_check_emit(check, &problem))
		return false;
	problem.code = FG_PROBLEM_BAD_CAP;
	problem.value = rule->cap;
	if (!cap_works(rule) && !fg_check_emit(check, &problem))
		return false;
	problem.code = FG_PROBLEM_BAD_DELTA;
	problem.value = rule->delta;
	return is_share(rule->delta) || fg_check_emit(check, &problem);
}

static bool
check_rules(FgCheck *check, FgPairs *pairs)
{
	const FgJob *job = check->job;

	for (uint32_t i = 0; i < job->rule_count; i++)
	{
		const FgRule *rule = &job->rules[i];
		uint32_t	before = pairs->count;
		uint32_t	number;
		FgProblem	problem = {.code = FG_PROBLEM_DUPLICATE_RULE, .table = FG_TABLE_RULE};

		if (!fg_check_every(check->ctx, i) || !check_rule(check, rule))
			return false;
		if (!fg_is_known(rule->phase_type) || !fg_is_known(rule->resource_type))
			continue;
		if (!fg_pairs_add(pairs, rule->phase_type, rule->resource_type, &number))
			return false;
		problem.name = job->phase_types[rule->phase_type].name;
		problem.second = job->resource_types[rule->resource_type].name;
		if (number < before && !fg_check_emit(check, &problem))
			return false;
	}
	return true;
}

bool
fg_check_model(FgCheck *check)
{
	FgPairs		pairs;
	bool		go_on;

	if (!check_types(check) || !check_precedences(check) || !fg_pairs_begin(check->ctx, &pairs))
		return false;
	go_on = check_rules(check, &pairs);
	fg_pairs_free(&pairs);
	return go_on;
}
