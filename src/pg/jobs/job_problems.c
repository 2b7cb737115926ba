/*
 * job_problems.c
 *	  What is wrong with a job, in words (see job_problems.h).
 */
#include "pg/jobs/job_problems.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/base/errors.h"

static const char *const table_names[] = {
	"job", "phase_type", "phase_type_precedence", "resource_type", "attribution_rule", "phase",
	"resource", "phase_resource", "usage_measurement", "blocking_interval"
};

/* --- parts of sentences -------------------------------------------------------------- */

static void
put_name(StringInfo text, FgSpan name)
{
	appendStringInfoChar(text, '"');
	appendBinaryStringInfo(text, name.size == 0 ? "" : name.bytes, (int) name.size);
	appendStringInfoChar(text, '"');
}

static void
put_time(StringInfo text, int64 time)
{
	if (!TIMESTAMP_NOT_FINITE(time) && !IS_VALID_TIMESTAMP(time))
		appendStringInfoString(text, "a time that does not exist");
	else
		appendStringInfoString(text, timestamptz_to_str(time));
}

static void
put_number(StringInfo text, double number)
{
	char	   *digits;

	if (!fg_is_given(number))
	{
		appendStringInfoString(text, "none");
		return;
	}
	digits = DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(number)));
	appendStringInfoString(text, digits);
	pfree(digits);
}

/* "phase 4 of job 3", "the period from … to … of resource 2 of job 3" */
static void
put_place(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	bool		period = problem->table == FG_TABLE_USAGE || problem->table == FG_TABLE_BLOCKING;

	if (period && problem->has_times)
	{
		appendStringInfoString(text, problem->table == FG_TABLE_USAGE ? "the measurement from "
							   : "the blocked interval from ");
		put_time(text, problem->start);
		appendStringInfoString(text, " to ");
		put_time(text, problem->end);
		appendStringInfoString(text, " of ");
	}
	if (problem->has_phase)
		appendStringInfo(text, "phase " INT64_FORMAT " of ", (int64) problem->phase);
	if (problem->has_resource)
		appendStringInfo(text, "resource " INT64_FORMAT " of ", (int64) problem->resource);
	appendStringInfo(text, "job " INT64_FORMAT, (int64) job->id);
}

static void
put_rule(StringInfo text, const FgProblem *problem)
{
	appendStringInfoString(text, "the rule for phase type ");
	put_name(text, problem->name);
	appendStringInfoString(text, " and resource type ");
	put_name(text, problem->second);
}

static void
put_rows(StringInfo text, const FgProblem *problem)
{
	appendStringInfo(text, UINT64_FORMAT " row%s of jobs.%s", (uint64) problem->count,
					 problem->count == 1 ? "" : "s", table_names[problem->table]);
}

/* --- what is not there --------------------------------------------------------------- */

static void
unknown_type(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	appendStringInfo(text, "%s type ",
					 problem->code == FG_PROBLEM_UNKNOWN_PHASE_TYPE ? "phase" : "resource");
	put_name(text, problem->name);
	if (problem->has_phase || problem->has_resource)
	{
		appendStringInfoString(text, " of ");
		put_place(text, job, problem);
		appendStringInfoString(text, " is none of its model");
		return;
	}
	appendStringInfo(text, " in a row of jobs.%s, with ", table_names[problem->table]);
	put_name(text, problem->second);
	appendStringInfo(text, ", is none of the model of job " INT64_FORMAT, (int64) job->id);
}

static void
unknown_id(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	if (problem->table == FG_TABLE_PHASE || problem->table == FG_TABLE_RESOURCE)
	{
		put_place(text, job, problem);
		appendStringInfo(text, " has the parent " INT64_FORMAT ", which does not exist",
						 (int64) problem->other);
		return;
	}
	put_place(text, job, problem);
	appendStringInfoString(text, " does not exist, but is named by ");
	put_rows(text, problem);
}

static void
duplicate_key(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	if (problem->has_phase || problem->has_resource)
		put_place(text, job, problem);
	else
	{
		appendStringInfo(text, "%s type ",
						 problem->table == FG_TABLE_PHASE_TYPE ? "phase" : "resource");
		put_name(text, problem->name);
	}
	appendStringInfo(text, " is in jobs.%s more than once", table_names[problem->table]);
}

/* --- the model ----------------------------------------------------------------------- */

static void
cycle_of_types(StringInfo text, const FgProblem *problem)
{
	appendStringInfo(text, "%s type ",
					 problem->code == FG_PROBLEM_RESOURCE_TYPE_CYCLE ? "resource" : "phase");
	put_name(text, problem->name);
	appendStringInfo(text, problem->code == FG_PROBLEM_PRECEDENCE_CYCLE
					 ? " has to wait for itself, in a cycle of " UINT64_FORMAT
					 : " stands below itself, in a cycle of " UINT64_FORMAT,
					 (uint64) problem->count);
}

static void
root_types(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	if (problem->count == 0)
	{
		appendStringInfo(text, "the model of job " INT64_FORMAT
						 " has no phase type without a parent", (int64) job->id);
		return;
	}
	appendStringInfoString(text, "phase type ");
	put_name(text, problem->name);
	appendStringInfo(text, " is number " UINT64_FORMAT
					 " of its model without a parent; one is the job", (uint64) problem->count);
}

static bool
put_model_problem(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	switch (problem->code)
	{
		case FG_PROBLEM_UNKNOWN_MODEL:
			appendStringInfo(text, "job " INT64_FORMAT " has the model ", (int64) job->id);
			put_name(text, problem->name);
			appendStringInfoString(text, ", which does not exist");
			return true;
		case FG_PROBLEM_ROOT_TYPE_COUNT:
			root_types(text, job, problem);
			return true;
		case FG_PROBLEM_ROOT_TYPE_REPEATABLE:
			appendStringInfoString(text, "phase type ");
			put_name(text, problem->name);
			appendStringInfoString(text, " has no parent, so there is one of it in a job, "
								   "but its repeat is not once");
			return true;
		case FG_PROBLEM_PHASE_TYPE_CYCLE:
		case FG_PROBLEM_RESOURCE_TYPE_CYCLE:
		case FG_PROBLEM_PRECEDENCE_CYCLE:
			cycle_of_types(text, problem);
			return true;
		case FG_PROBLEM_BAD_PREDICATE:
			appendStringInfoString(text, "phase type ");
			put_name(text, problem->name);
			appendStringInfoString(text, " has the bottleneck predicate ");
			put_name(text, problem->second);
			appendStringInfoString(text, ", which is none");
			return true;
		case FG_PROBLEM_PRECEDENCE_NOT_SIBLINGS:
			appendStringInfoString(text, "phase types ");
			put_name(text, problem->name);
			appendStringInfoString(text, " and ");
			put_name(text, problem->second);
			appendStringInfoString(text, " have a precedence, but not the same parent");
			return true;
		default:
			return false;
	}
}

static bool
put_rule_problem(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	const char *words;

	if (problem->table != FG_TABLE_RULE)
		return false;
	put_rule(text, problem);
	switch (problem->code)
	{
		case FG_PROBLEM_DUPLICATE_RULE:
			words = " is in jobs.attribution_rule more than once";
			break;
		case FG_PROBLEM_RULE_CLASS_MISMATCH:
			words = " does not fit its class: full is for blocking resources, greedy and sink "
				"for consumable ones";
			break;
		case FG_PROBLEM_UNUSED_RULE:
			words = " is used by no leaf";
			break;
		default:
			appendStringInfo(text, " has the %s ",
							 problem->code == FG_PROBLEM_BAD_CAP ? "cap" : "delta");
			put_number(text, problem->value);
			words = problem->code == FG_PROBLEM_BAD_CAP
				? ": greedy rules have a positive number up to 1e100, others have none"
				: ", which is not above 0 and up to 1";
	}
	appendStringInfoString(text, words);
	return true;
}

/* --- phases -------------------------------------------------------------------------- */

static void
type_mismatch(StringInfo text, const FgProblem *problem)
{
	appendStringInfoString(text, " has the type ");
	put_name(text, problem->name);
	if (problem->second.bytes == NULL)
	{
		appendStringInfoString(text, ", which has a parent, but is below none");
		return;
	}
	appendStringInfoString(text, ", which does not belong below the type of its parent, ");
	put_name(text, problem->second);
}

static void
beside_another(StringInfo text, const FgProblem *problem)
{
	if (problem->code == FG_PROBLEM_DUPLICATE_INSTANCE)
	{
		appendStringInfoString(text, " has the instance ");
		put_name(text, problem->second);
		appendStringInfoString(text, " and the parent and type ");
	}
	else
		appendStringInfoString(text, problem->code == FG_PROBLEM_REPEATED_ONCE_TYPE
							   ? " has a type of which there is one below a parent, "
							   : problem->code == FG_PROBLEM_SEQUENTIAL_OVERLAP
							   ? " starts before another one of its sequential type ends, "
							   : " starts before it is its turn, after phases of type ");
	put_name(text, problem->name);
	appendStringInfo(text, problem->code == FG_PROBLEM_PRECEDENCE_VIOLATED
					 ? ": the last one is phase " INT64_FORMAT : ", as has phase " INT64_FORMAT,
					 (int64) problem->other);
}

static bool
put_phase_problem(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	if (problem->table != FG_TABLE_PHASE)
		return false;
	if (!problem->has_phase)
	{
		appendStringInfo(text, "job " INT64_FORMAT " has no phase without a parent",
						 (int64) job->id);
		return true;
	}
	put_place(text, job, problem);
	switch (problem->code)
	{
		case FG_PROBLEM_BAD_TIME:
			appendStringInfoString(text, " has a time that is infinite or after the year 99999");
			break;
		case FG_PROBLEM_PHASE_END_BEFORE_START:
			appendStringInfoString(text, " ends before it starts");
			break;
		case FG_PROBLEM_ROOT_COUNT:
			appendStringInfo(text, " is number " UINT64_FORMAT " without a parent; one is the job",
							 (uint64) problem->count);
			break;
		case FG_PROBLEM_PHASE_CYCLE:
			appendStringInfo(text, " stands below itself, in a cycle of " UINT64_FORMAT,
							 (uint64) problem->count);
			break;
		case FG_PROBLEM_PHASE_TYPE_MISMATCH:
			type_mismatch(text, problem);
			break;
		case FG_PROBLEM_CHILD_OUTSIDE_PARENT:
			appendStringInfo(text, " reaches outside its parent, phase " INT64_FORMAT,
							 (int64) problem->other);
			break;
		case FG_PROBLEM_EMPTY_PHASE:
			appendStringInfoString(text, " has no slice of time");
			break;
		default:
			beside_another(text, problem);
	}
	return true;
}

/* --- resources ----------------------------------------------------------------------- */

static bool
put_resource_problem(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	switch (problem->code)
	{
		case FG_PROBLEM_BAD_CAPACITY:
			put_place(text, job, problem);
			appendStringInfoString(text, ", of type ");
			put_name(text, problem->name);
			appendStringInfoString(text, ", has the capacity ");
			put_number(text, problem->value);
			appendStringInfoString(text, ": consumable ones have a number from 0 to 1e100, "
								   "others have none");
			return true;
		case FG_PROBLEM_BAD_DELTA:
			put_place(text, job, problem);
			appendStringInfoString(text, " has the delta ");
			put_number(text, problem->value);
			appendStringInfoString(text, ", which is not above 0 and up to 1");
			return true;
		case FG_PROBLEM_RESOURCE_CYCLE:
			put_place(text, job, problem);
			appendStringInfo(text, " stands below itself, in a cycle of " UINT64_FORMAT,
							 (uint64) problem->count);
			return true;
		case FG_PROBLEM_MAPPING_NOT_SUBSET:
			appendStringInfo(text, "phase " INT64_FORMAT " of job " INT64_FORMAT
							 " is mapped to resource " INT64_FORMAT
							 ", which its parent has no access to, by the rows of phase "
							 INT64_FORMAT, (int64) problem->phase, (int64) job->id,
							 (int64) problem->resource, (int64) problem->other);
			return true;
		default:
			return false;
	}
}

static void
put_measured_warning(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	FgProblem	place = *problem;

	place.has_phase = place.has_times = false;
	put_place(text, job, &place);
	if (problem->code == FG_PROBLEM_UNMEASURED_LIFE)
	{
		appendStringInfo(text, " has no measurements for part of the life of " UINT64_FORMAT
						 " leaves that can use it, the first one phase " INT64_FORMAT,
						 (uint64) problem->count, (int64) problem->phase);
		return;
	}
	appendStringInfo(text, " has " UINT64_FORMAT " measurement%s ", (uint64) problem->count,
					 problem->count == 1 ? "" : "s");
	if (problem->code == FG_PROBLEM_EMPTY_MEASUREMENT)
		appendStringInfoString(text, "without a slice of time");
	else
	{
		appendStringInfoString(text, "above its capacity, the largest ");
		put_number(text, problem->value);
	}
	appendStringInfoString(text, ", the first one from ");
	put_time(text, problem->start);
}

static void
put_measured_problem(StringInfo text, const FgJob *job, const FgProblem *problem)
{
	FgProblem	place = *problem;

	switch (problem->code)
	{
		case FG_PROBLEM_USAGE_ON_NON_CONSUMABLE:
		case FG_PROBLEM_BLOCKING_ON_NON_BLOCKING:
			place.has_times = false;
			put_place(text, job, &place);
			appendStringInfo(text, " is not %s, but has ",
							 problem->code == FG_PROBLEM_USAGE_ON_NON_CONSUMABLE ? "consumable"
							 : "blocking");
			put_rows(text, problem);
			return;
		case FG_PROBLEM_EMPTY_MEASUREMENT:
		case FG_PROBLEM_USAGE_ABOVE_CAPACITY:
		case FG_PROBLEM_UNMEASURED_LIFE:
			put_measured_warning(text, job, problem);
			return;
		default:
			break;
	}
	put_place(text, job, problem);
	if (problem->code == FG_PROBLEM_BAD_TIME)
		appendStringInfoString(text, " has a time that is infinite or after the year 99999");
	else if (problem->code == FG_PROBLEM_OVERLAPPING_MEASUREMENTS)
		appendStringInfoString(text, " overlaps one before it");
	else if (problem->code == FG_PROBLEM_BAD_USAGE)
	{
		appendStringInfoString(text, " has the usage ");
		put_number(text, isnan(problem->value) ? FG_GIVEN_NAN : problem->value);
		appendStringInfoString(text, ", which is no number from 0 to 1e100");
	}
	else
		appendStringInfoString(text, " ends before it starts");
}

/* --- all ----------------------------------------------------------------------------- */

char *
fg_problem_text(const FgJob *job, const FgProblem *problem)
{
	StringInfoData text;

	initStringInfo(&text);
	switch (problem->code)
	{
		case FG_PROBLEM_UNKNOWN_JOB:
			appendStringInfo(&text, "job " INT64_FORMAT " does not exist", (int64) job->id);
			break;
		case FG_PROBLEM_UNKNOWN_PHASE_TYPE:
		case FG_PROBLEM_UNKNOWN_RESOURCE_TYPE:
			unknown_type(&text, job, problem);
			break;
		case FG_PROBLEM_UNKNOWN_PHASE:
		case FG_PROBLEM_UNKNOWN_RESOURCE:
			unknown_id(&text, job, problem);
			break;
		case FG_PROBLEM_DUPLICATE_KEY:
			duplicate_key(&text, job, problem);
			break;
		default:
			if (!put_model_problem(&text, job, problem) &&
				!put_rule_problem(&text, job, problem) &&
				!put_phase_problem(&text, job, problem) &&
				!put_resource_problem(&text, job, problem))
				put_measured_problem(&text, job, problem);
	}
	return text.data;
}

void
fg_problem_throw(const FgJob *job, const FgProblem *problem)
{
	bool		no_job = problem->code == FG_PROBLEM_UNKNOWN_JOB;

	ereport(ERROR,
			(errcode(no_job ? ERRCODE_INVALID_PARAMETER_VALUE : ERRCODE_CHECK_VIOLATION),
			 errmsg_internal("%s", fg_problem_text(job, problem)),
			 errdetail_internal("%s", fg_problem_word(problem->code)),
			 no_job ? errhint("The numbers of jobs are in jobs.job.")
			 : errhint("Correct it in jobs.%s; SELECT * FROM jobs.validate_job(" INT64_FORMAT
					   ") lists all that is wrong with the job.", table_names[problem->table],
					   (int64) job->id)));
}
