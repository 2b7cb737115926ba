/*
 * shared_job.h
 *	  The last job that was read, for the next function of the transaction that asks for it.
 *
 * Who wants attribution, bottlenecks and issues of a job calls three functions, in one
 * statement or one after the other; reading and validating would take half of their
 * time.
 */
#ifndef FG_SHARED_JOB_H
#define FG_SHARED_JOB_H

#include "pg/base/pg_compat.h"

#include "core/jobs/job.h"

/*
 * A job, read, valid and prepared (fg_job_read), that lives as long as the current memory
 * context.  What it returns is what reading would find now: a job is kept only for
 * the same snapshot and user, and only where the tables are plain ones without row security
 * that this user may read; one whose arrays fit into work_mem, until the transaction ends.
 */
extern const FgJob *fg_job_borrow(int64 job_id);

#endif							/* FG_SHARED_JOB_H */
