/*
 * validate_job.c
 *	  validate_job(): what is wrong with a job, as rows.
 */
#include "pg/base/pg_compat.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/checking/validate.h"
#include "pg/base/arguments.h"
#include "pg/base/errors.h"
#include "pg/base/memory.h"
#include "pg/base/rows.h"
#include "pg/jobs/job_problems.h"
#include "pg/jobs/jobs_call.h"
#include "pg/jobs/read_job.h"
#include "pg/jobs/user_predicates.h"

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

/* Functions of users, which only the server can look for. */
static void
add_predicates(FgContext *ctx, const FgJob *job, Listener *listener)
{
	for (uint32 t = 0; t < job->phase_type_count; t++)
	{
		const FgPhaseType *type = &job->phase_types[t];
		FgFunctionFault fault;
		Datum		values[5] = {0};
		bool		nulls[5] = {false, false, true, true, false};

		CHECK_FOR_INTERRUPTS();
		if (fg_user_predicate_of_type(ctx, type, &fault))
			continue;
		fg_rows_begin_row(&listener->rows);
		values[0] = CStringGetTextDatum("error");
		values[1] = CStringGetTextDatum(fg_problem_word(FG_PROBLEM_BAD_PREDICATE));
		values[4] = CStringGetTextDatum(fg_user_predicate_problem(type, &fault));
		fg_rows_end_row(&listener->rows, values, nulls);
		listener->errors = true;
	}
}

/* Warnings make sense of a job that means something. */
static void
add_warnings(FgContext *ctx, FgJob *job, const FgJobOptions *options, Listener *listener)
{
	fg_must(ctx, fg_job_prepare(ctx, job) &&
			fg_job_warn(ctx, job, options, add_problem, listener));
}

Datum
jobs_validate_job(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	int64		job_id = DatumGetInt64(fg_required(fcinfo, 0, "job_id"));
	Listener	listener = {.rows = fg_rows_begin(fcinfo)};
	FgJobOptions options;
	FgJob	   *job;

	fg_job_call_slices(fcinfo, 1, 2, &options);
	job = fg_job_read_unchecked(&ctx, job_id);
	listener.job = job;
	if (job->found_count > 0 && job->found[0].code == FG_PROBLEM_UNKNOWN_JOB)
	{
		add_problem(&listener, job->found);
		return (Datum) 0;
	}
	fg_must(&ctx, fg_job_validate(&ctx, job, add_problem, &listener));
	add_predicates(&ctx, job, &listener);
	if (!listener.errors)
		add_warnings(&ctx, job, &options, &listener);
	return (Datum) 0;
}
