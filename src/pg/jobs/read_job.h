/*
 * read_job.h
 *	  Jobs from the tables of the extension flamegraph_jobs.
 */
#ifndef FG_READ_JOB_H
#define FG_READ_JOB_H

#include "pg/base/pg_compat.h"

#include "core/jobs/job.h"

/*
 * The job of this number as the tables are in the snapshot of the calling query, read with the
 * rights of the caller, valid and prepared; it lives in the memory of ctx.  The first
 * error that validation finds is thrown (job_problems.h).
 */
extern FgJob *fg_job_read(FgContext *ctx, int64 job_id);

/* The same, neither validated nor prepared: what is wrong is found by fg_job_validate(). */
extern FgJob *fg_job_read_unchecked(FgContext *ctx, int64 job_id);

#endif							/* FG_READ_JOB_H */
