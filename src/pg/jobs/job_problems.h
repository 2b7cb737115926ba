/*
 * job_problems.h
 *	  What is wrong with a job, in words.
 */
#ifndef FG_JOB_PROBLEMS_H
#define FG_JOB_PROBLEMS_H

#include "pg/base/pg_compat.h"

#include "core/checking/problem.h"
#include "core/jobs/job.h"

/* A sentence without a full stop: "phase 4 of job 3 ends before it starts". */
extern char *fg_problem_text(const FgJob *job, const FgProblem *problem);

/* Error 23514 with that sentence; the detail is the word for the code, and nothing else. */
pg_noreturn extern void fg_problem_throw(const FgJob *job, const FgProblem *problem);

#endif							/* FG_JOB_PROBLEMS_H */
