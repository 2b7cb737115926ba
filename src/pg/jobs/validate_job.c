/*
 * validate_job.c
 *	  validate_job(): what is wrong with a job, as rows.
 */
#include "pg/base/pg_compat.h"

#include "utils/builtins.h"

#include "core/jobs/validate.h"
#include "pg/base/errors.h"
#include "pg/base/memory.h"
#include "pg/base/rows.h"
#include "pg/jobs/job_problems.h"
#include "pg/jobs/read_job.h"

PG_FUNCTION_INFO_V1(jobs_validate_job);

typedef struct Listener
{
	const FgJob *job;
	FgRows		rows;
	bool		errors;			/* there was one */
} Listener;

static bool
add_problem(void *arg, const FgProblem *problem)
{
	Listener   *listener = arg;
	bool		error = fg_problem_is_error(problem->code);
	Datum		values[5];
	bool		nulls[5] = {false, false, !problem->has_phase, !problem->has_resource, false};

	fg_rows_begin_row(&listener->rows);
	values[0] = CStringGetTextDatum(error ? "error" : "warning");
	values[1] = CStringGetTextDatum(fg_problem_word(problem->code));
	values[2] = Int64GetDatum(problem->phase);
	values[3] = Int64GetDatum(problem->resource);
	values[4] = CStringGetTextDatum(fg_problem_text(listener->job, problem));
	fg_rows_end_row(&listener->rows, values, nulls);
	listener->errors = listener->errors || error;
	return true;
}

Datum
jobs_validate_job(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	Listener	listener = {.rows = fg_rows_begin(fcinfo)};
	FgJob	   *job;

	if (PG_ARGISNULL(0))
		return (Datum) 0;
	job = fg_job_read_unchecked(&ctx, PG_GETARG_INT64(0));
	listener.job = job;
	if (job->found_count == 0 || job->found[0].code != FG_PROBLEM_UNKNOWN_JOB)
		fg_must(&ctx, fg_job_validate(&ctx, job, add_problem, &listener));
	else
		add_problem(&listener, job->found);
	return (Datum) 0;
}
