/*
 * jobs_issues.c
 *	  What phases lose: phase_imbalance(), imbalance_issues(), bottleneck_issues(),
 *	  performance_issues().
 */
#include "pg/jobs/jobs_call.h"

#include "utils/builtins.h"

#include "core/bottlenecks/bottleneck_issues.h"
#include "core/bottlenecks/imbalance.h"
#include "core/bottlenecks/ranking.h"
#include "pg/jobs/issue_rules.h"
#include "pg/jobs/shared_analysis.h"

#define must(call, done) \
	do { \
		if (!(done)) \
			fg_throw(&(call)->ctx, "job"); \
	} while (0)

/* The impact and its share of the duration of the phase, into two columns. */
static void
set_impact(const FgJobCall *call, uint32 phase, double impact, Datum *values, bool *nulls)
{
	values[0] = fg_finite(impact, "an impact");
	values[1] = fg_share(impact, fg_analysis_duration(&call->analysis, phase), &nulls[1]);
}

static void
set_makespan(const FgJobCall *call, uint32 phase, const FgMakespan *makespan, Datum *values)
{
	values[0] = fg_phase_id_datum(call, phase);
	values[1] = call->phase_types[makespan->type];
	values[2] = fg_finite(makespan->actual, "a makespan");
	values[3] = fg_finite(makespan->optimal, "a makespan");
}

static bool
add_makespan(void *arg, uint32_t phase, const FgMakespan *makespan)
{
	FgJobCall  *call = arg;
	Datum		values[4];
	bool		nulls[4] = {false};

	set_makespan(call, phase, makespan, values);
	fg_job_call_add(call, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_phase_imbalance);
Datum
jobs_phase_imbalance(PG_FUNCTION_ARGS)
{
	FgJobCall	call;

	fg_job_call(fcinfo, &call);
	must(&call, fg_imbalance(&call.analysis, add_makespan, &call));
	return fg_job_call_end(&call);
}

static bool
add_imbalance_issue(void *arg, uint32_t phase, const FgMakespan *makespan)
{
	FgJobCall  *call = arg;
	Datum		values[6];
	bool		nulls[6] = {false};

	if (!fg_is_imbalanced(makespan))
		return true;
	set_makespan(call, phase, makespan, values);
	set_impact(call, phase, makespan->actual - makespan->optimal, values + 4, nulls + 4);
	fg_job_call_add(call, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_imbalance_issues);
Datum
jobs_imbalance_issues(PG_FUNCTION_ARGS)
{
	FgJobCall	call;

	fg_job_call(fcinfo, &call);
	must(&call, fg_imbalance(&call.analysis, add_imbalance_issue, &call));
	return fg_job_call_end(&call);
}

static bool
add_bottleneck_issue(void *arg, uint32_t phase, uint32_t resource_type, double impact)
{
	FgJobCall  *call = arg;
	Datum		values[4];
	bool		nulls[4] = {false};

	values[0] = fg_phase_id_datum(call, phase);
	values[1] = call->resource_types[resource_type];
	set_impact(call, phase, impact, values + 2, nulls + 2);
	fg_job_call_add(call, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_bottleneck_issues);
Datum
jobs_bottleneck_issues(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	const FgBottlenecks *leaves;

	fg_job_call(fcinfo, &call);
	leaves = fg_bottlenecks_borrow(&call.analysis, FG_OF_LEAVES);
	must(&call, fg_bottleneck_issues(&call.analysis, leaves, add_bottleneck_issue, &call));
	return fg_job_call_end(&call);
}

static Datum
span_datum(FgSpan text)
{
	return PointerGetDatum(fg_varlena(text.bytes, text.size));
}

/* What the issue is, and where it comes from: "words" has those of the built-in kinds. */
static void
name_issue(const FgJobCall *call, const FgIssue *issue, const FgNamedIssue *named,
		   const Datum *words, Datum *values)
{
	switch (issue->kind)
	{
		case FG_ISSUE_NAMED:
			values[0] = span_datum(named[issue->source].rule);
			values[1] = span_datum(named[issue->source].source);
			return;
		case FG_ISSUE_BOTTLENECK:
			values[1] = call->resource_types[issue->source];
			break;
		case FG_ISSUE_IMBALANCE:
			values[1] = call->phase_types[issue->source];
			break;
	}
	values[0] = words[issue->kind];
}

static void
add_issue(FgJobCall *call, const FgIssue *issue, const FgNamedIssue *named, const Datum *words)
{
	Datum		values[6];
	bool		nulls[6] = {false};

	fg_rows_begin_row(&call->rows);
	values[0] = fg_phase_id_datum(call, issue->phase);
	name_issue(call, issue, named, words, values + 1);
	set_impact(call, issue->phase, issue->impact, values + 3, nulls + 3);
	values[5] = Int32GetDatum((int32) issue->rank);
	fg_rows_end_row(&call->rows, values, nulls);
}

PG_FUNCTION_INFO_V1(jobs_performance_issues);
Datum
jobs_performance_issues(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	const FgBottlenecks *leaves;
	FgNamedIssue *named;
	size_t		named_count;
	FgIssue    *issues;
	size_t		count;
	Datum		words[2];

	fg_job_call(fcinfo, &call);
	words[FG_ISSUE_BOTTLENECK] = CStringGetTextDatum("bottleneck");
	words[FG_ISSUE_IMBALANCE] = CStringGetTextDatum("imbalance");
	fg_issue_rules_run(&call, &named, &named_count);
	leaves = fg_bottlenecks_borrow(&call.analysis, FG_OF_LEAVES);
	must(&call, fg_rank_all_issues(&call.analysis, leaves, named, named_count, &issues, &count));
	for (size_t i = 0; i < count; i++)
		add_issue(&call, &issues[i], named, words);
	return fg_job_call_end(&call);
}
