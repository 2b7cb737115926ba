/*
 * suggest.c
 *	  A greedy search among attribution rules (see suggest.h).
 *
 * Each type of leaves gets a rule of its own for the resource type, so that changing one
 * changes no other.
 */
#include "core/attribution/suggest.h"

#include "core/attribution/sampling_error.h"

#include <math.h>

/* An error counts as smaller from this part on. */
#define WORTHWHILE 1e-6

#define MOST_CHOICES 10

typedef struct Choice
{
	FgRuleKind	kind;
	double		cap;
} Choice;

/* A phase type whose leaves have access. */
typedef struct Candidate
{
	uint32_t	type;
	uint32_t	rule;			/* its place in rules[] */
	Choice		now;			/* as the model has it */
	Choice		best;
} Candidate;

/* Weighted sums over measurements: n active leaves, u usage. */
typedef struct Squares
{
	double		w;
	double		n;
	double		u;
	double		nn;
	double		nu;
} Squares;

typedef struct Search
{
	FgContext  *ctx;
	const FgAnalysis *analysis;
	const FgSuggestLimits *limits;
	uint32_t	type;			/* of resources */
	FgRule	   *rules;			/* those of the model without this type, then the candidates' */
	uint32_t	rule_count;
	Candidate  *candidates;
	uint32_t	candidate_count;
	FgWorkload	workload;		/* with all candidates as sinks */
	double	   *active;			/* by segment: leaves of one type, then of others that disturb */
	size_t		active_capacity;
	double		error;			/* of the best rules */
	double		found;			/* by the last evaluation; NaN where nothing is used */
	uint64_t	tried;
} Search;

/* --- one set of rules ------------------------------------------------------------------- */

static bool
note_error(void *arg, const FgSamplingError *error)
{
	if (error->sampling == FG_USAGE_PHASE_AWARE)
		((Search *) arg)->found = error->relative_error;
	return true;
}

/* The job with the rules of the search. */
static FgJob
job_with_rules(const Search *s)
{
	FgJob		job = *s->analysis->job;

	job.rules = s->rules;
	job.rule_count = s->rule_count;
	return job;
}

static bool
evaluate(Search *s)
{
	FgJob		job = job_with_rules(s);
	FgAnalysis	analysis = {.ctx = s->ctx};
	bool		ok;

	s->found = NAN;
	s->tried++;
	ok = fg_analysis_begin(s->ctx, &job, &s->analysis->options, &analysis) &&
		fg_sampling_errors(&analysis, &s->limits->factor, 1, s->type, note_error, s);
	fg_analysis_free(&analysis);
	return ok;
}

static void
set_rule(Search *s, const Candidate *candidate, Choice choice)
{
	FgRule	   *rule = &s->rules[candidate->rule];

	rule->kind = choice.kind;
	rule->cap = choice.kind == FG_RULE_GREEDY ? choice.cap : NAN;
}

/* --- caps ------------------------------------------------------------------------------- */

/* Adds the active times of a user to a list of changes by segment. */
static bool
add_user(Search *s, uint32_t user, double *changes)
{
	const FgWorkload *w = &s->workload;
	uint32_t	end = fg_user_end(w, &w->users[user]);

	for (uint32_t i = w->users[user].first_span; i < end; i++)
	{
		changes[w->spans[i].start]++;
		changes[w->spans[i].end]--;
	}
	return fg_steps(s->ctx, end - w->users[user].first_span + 1);
}

static bool
disturbs(const Search *s, const Candidate *candidate, uint32_t type, bool alone)
{
	if (type == candidate->type || alone)
		return type != candidate->type;
	for (uint32_t c = 0; c < s->candidate_count; c++)
	{
		if (s->candidates[c].type == type)
			return s->candidates[c].best.kind == FG_RULE_GREEDY;
	}
	return false;
}

/* By segment: active leaves of the candidate, and of other types: all, or greedy ones. */
static bool
count_active(Search *s, const Candidate *candidate, bool alone)
{
	const FgWorkload *w = &s->workload;
	size_t		segments = (size_t) w->segment_count + 1;
	double	   *other;

	if (!fg_reserve(s->ctx, (void **) &s->active, &s->active_capacity, 2 * segments,
					sizeof(double)))
		return false;
	other = s->active + segments;
	for (size_t i = 0; i < 2 * segments; i++)
		s->active[i] = 0;
	for (uint32_t u = 0; u < w->user_count; u++)
	{
		uint32_t	type = s->analysis->job->phases[w->users[u].leaf].type;

		if (!fg_steps(s->ctx, s->candidate_count) ||
			(type == candidate->type && !add_user(s, u, s->active)) ||
			(disturbs(s, candidate, type, alone) && !add_user(s, u, other)))
			return false;
	}
	for (size_t i = 1; i < segments; i++)
	{
		s->active[i] += s->active[i - 1];
		other[i] += other[i - 1];
	}
	return fg_steps(s->ctx, 2 * segments);
}

/* Measurements during which none of the other types is active. */
static bool
add_squares(Search *s, Squares *sums)
{
	const FgWorkload *w = &s->workload;
	const double *other = s->active + w->segment_count + 1;

	for (uint32_t i = 0, end; i < w->segment_count; i = end)
	{
		double		ticks = 0;
		double		leaves = 0;
		double		others = 0;
		double		usage;

		for (end = i; end < w->segment_count && w->segments[end].row == w->segments[i].row; end++)
		{
			double		width = (double) fg_segment_ticks(&w->segments[end]);

			ticks += width;
			leaves += width * s->active[end];
			others += other[end];
		}
		if (!fg_steps(s->ctx, end - i))
			return false;
		if (w->segments[i].row == FG_NONE || others > 0 || !(ticks > 0))
			continue;
		leaves /= ticks;
		usage = s->analysis->job->usages[w->segments[i].row].usage;
		sums->w += ticks;
		sums->n += ticks * leaves;
		sums->u += ticks * usage;
		sums->nn += ticks * leaves * leaves;
		sums->nu += ticks * leaves * usage;
	}
	return true;
}

static bool
sum_squares(Search *s, const Candidate *candidate, bool alone, Squares *sums)
{
	const FgJob *job = s->analysis->job;

	*sums = (Squares) {0, 0, 0, 0, 0};
	for (uint32_t r = 0; r < job->resource_count; r++)
	{
		if (job->resources[r].type == s->type &&
			(!fg_workload_load(&s->workload, r) || !count_active(s, candidate, alone) ||
			 !add_squares(s, sums)))
			return false;
	}
	return fg_steps(s->ctx, job->resource_count);
}

static void
add_cap(Choice *choices, uint32_t *count, double cap)
{
	if (isfinite(cap) && cap > 0)
		choices[(*count)++] = (Choice) {FG_RULE_GREEDY, cap};
}

/* What a candidate may become; at most MOST_CHOICES. */
static bool
list_choices(Search *s, const Candidate *candidate, Choice *choices, uint32_t *count)
{
	static const double steps[] = {0.5, 0.9, 1.1, 2};
	Squares		q;

	*count = 0;
	choices[(*count)++] = (Choice) {FG_RULE_NONE, 0};
	choices[(*count)++] = (Choice) {FG_RULE_SINK, 0};
	for (int alone = 1; alone >= 0; alone--)
	{
		if (!sum_squares(s, candidate, alone == 1, &q))
			return false;
		add_cap(choices, count, q.nu / q.nn);
		add_cap(choices, count, (q.w * q.nu - q.n * q.u) / (q.w * q.nn - q.n * q.n));
	}
	for (int i = 0; i < 4 && candidate->best.kind == FG_RULE_GREEDY; i++)
		add_cap(choices, count, candidate->best.cap * steps[i]);
	return true;
}

/* --- the search ------------------------------------------------------------------------- */

/* The change of one rule that lowers the error most, if one does. */
static bool
improve(Search *s, bool *improved)
{
	Candidate  *winner = NULL;
	Choice		winning = {FG_RULE_NONE, 0};
	double		least = s->error * (1 - WORTHWHILE);

	for (uint32_t c = 0; c < s->candidate_count; c++)
	{
		Candidate  *candidate = &s->candidates[c];
		Choice		choices[MOST_CHOICES];
		uint32_t	count;

		if (!list_choices(s, candidate, choices, &count))
			return false;
		for (uint32_t i = 0; i < count && s->tried < s->limits->most; i++)
		{
			if (choices[i].kind == candidate->best.kind && choices[i].cap == candidate->best.cap)
				continue;
			set_rule(s, candidate, choices[i]);
			if (!evaluate(s))
				return false;
			if (s->found < least)
			{
				least = s->found;
				winner = candidate;
				winning = choices[i];
			}
		}
		set_rule(s, candidate, candidate->best);
	}
	*improved = winner != NULL;
	if (winner == NULL)
		return true;
	winner->best = winning;
	s->error = least;
	set_rule(s, winner, winning);
	return true;
}

static bool
emit_changes(const Search *s, double now, FgSuggestionEmit emit, void *arg)
{
	for (uint32_t c = 0; c < s->candidate_count; c++)
	{
		const Candidate *candidate = &s->candidates[c];
		FgSuggestion suggestion = {
			candidate->type, s->type, candidate->best.kind, candidate->best.cap, now, s->error
		};

		if ((candidate->best.kind != candidate->now.kind ||
			 candidate->best.cap != candidate->now.cap) && !emit(arg, &suggestion))
			return false;
	}
	return true;
}

/* --- what is there ---------------------------------------------------------------------- */

/* The rule of the model: of the type, or of the nearest one above it; else sink. */
static bool
rule_of_model(Search *s, uint32_t type, Choice *choice, double *delta)
{
	const FgJob *job = s->analysis->job;

	*choice = (Choice) {FG_RULE_SINK, 0};
	*delta = NAN;
	for (; type != FG_NONE; type = job->phase_types[type].parent)
	{
		for (uint32_t i = 0; i < job->rule_count; i++)
		{
			const FgRule *rule = &job->rules[i];

			if (rule->phase_type != type || rule->resource_type != s->type)
				continue;
			*choice = (Choice) {rule->kind, rule->kind == FG_RULE_GREEDY ? rule->cap : 0};
			*delta = rule->delta;
			return true;
		}
		if (!fg_steps(s->ctx, job->rule_count + 1))
			return false;
	}
	return true;
}

/* Every type with leaves, as a sink of its own. */
static bool
list_candidates(Search *s)
{
	const FgJob *job = s->analysis->job;
	bool	   *seen = fg_alloc_zero(s->ctx, job->phase_type_count, sizeof(bool));
	bool		ok = seen != NULL;

	s->rule_count = s->candidate_count = 0;
	for (uint32_t i = 0; i < job->rule_count; i++)
	{
		if (job->rules[i].resource_type != s->type)
			s->rules[s->rule_count++] = job->rules[i];
	}
	for (uint32_t p = 0; ok && p < job->phase_count; p++)
	{
		seen[job->phases[p].type] |= fg_phase_is_leaf(job, p);
		ok = fg_check_every(s->ctx, p);
	}
	for (uint32_t t = 0; ok && t < job->phase_type_count; t++)
	{
		Candidate  *candidate = &s->candidates[s->candidate_count];
		FgRule	   *rule = &s->rules[s->rule_count];

		if (!seen[t])
			continue;
		*rule = (FgRule) {t, s->type, FG_RULE_SINK, NAN, NAN};
		*candidate = (Candidate) {.type = t, .rule = s->rule_count};
		ok = rule_of_model(s, t, &candidate->now, &rule->delta);
		candidate->best = candidate->now;
		s->candidate_count++;
		s->rule_count++;
	}
	fg_release(s->ctx, seen);
	return ok;
}

/* Takes out those whose leaves have no access; their rules stay, as nothing uses them. */
static bool
drop_strangers(Search *s, const FgAnalysis *sinks)
{
	const FgJob *job = sinks->job;
	bool	   *seen = fg_alloc_zero(s->ctx, job->phase_type_count, sizeof(bool));
	uint32_t	kept = 0;
	bool		ok = seen != NULL;

	for (uint32_t p = 0; ok && p < job->phase_count; p++)
	{
		const FgUseList *list = fg_phase_is_leaf(job, p) ? fg_uses_of(&sinks->uses, p) : NULL;
		uint32_t	count = list == NULL || seen[job->phases[p].type] ? 0 : list->consumable;

		for (uint32_t i = 0; i < count; i++)
			seen[job->phases[p].type] |=
				job->resources[sinks->uses.uses[list->first + i].resource].type == s->type;
		ok = fg_steps(s->ctx, count + 1);
	}
	for (uint32_t c = 0; ok && c < s->candidate_count; c++)
	{
		if (seen[s->candidates[c].type])
			s->candidates[kept++] = s->candidates[c];
	}
	s->candidate_count = kept;
	fg_release(s->ctx, seen);
	return ok;
}

static bool
search(Search *s, const FgAnalysis *sinks, FgSuggestionEmit emit, void *arg)
{
	bool		improved = true;
	double		now;

	if (!drop_strangers(s, sinks))
		return false;
	for (uint32_t c = 0; c < s->candidate_count; c++)
		set_rule(s, &s->candidates[c], s->candidates[c].now);
	if (!evaluate(s))
		return false;
	now = s->error = s->found;
	while (improved && s->error > 0 && s->tried < s->limits->most)
	{
		if (!improve(s, &improved))
			return false;
	}
	return emit_changes(s, now, emit, arg);
}

static bool
suggest(Search *s, FgSuggestionEmit emit, void *arg)
{
	FgJob		job;
	FgAnalysis	sinks = {.ctx = s->ctx};
	bool		ok;

	if (!list_candidates(s))
		return false;
	job = job_with_rules(s);
	ok = fg_analysis_begin(s->ctx, &job, &s->analysis->options, &sinks) &&
		fg_workload_begin(&sinks, &s->workload) && search(s, &sinks, emit, arg);
	fg_workload_free(&s->workload);
	s->workload = (FgWorkload) {.analysis = s->analysis};
	fg_analysis_free(&sinks);
	return ok;
}

bool
fg_suggest_rules(const FgAnalysis *analysis, const FgSuggestLimits *limits,
				 FgSuggestionEmit emit, void *arg, uint64_t *tried)
{
	FgContext  *ctx = analysis->ctx;
	const FgJob *job = analysis->job;
	Search		s = {
		.ctx = ctx, .analysis = analysis, .limits = limits, .workload = {.analysis = analysis},
		.rules = fg_alloc(ctx, (size_t) job->rule_count + job->phase_type_count, sizeof(FgRule)),
		.candidates = fg_alloc(ctx, job->phase_type_count, sizeof(Candidate))
	};
	bool		ok = s.rules != NULL && s.candidates != NULL;

	for (uint32_t t = 0; ok && t < job->resource_type_count && s.tried < limits->most; t++)
	{
		if ((limits->type != FG_NONE && limits->type != t) ||
			job->resource_types[t].class != FG_RESOURCE_CONSUMABLE)
			continue;
		s.type = t;
		ok = suggest(&s, emit, arg);
	}
	*tried = s.tried;
	fg_release(ctx, s.rules);
	fg_release(ctx, s.candidates);
	fg_release(ctx, s.active);
	return ok;
}
