/*
 * shared_job.h
 *	  The last job that was read, for the next function of the transaction that asks for it.
 *
 * Who wants attribution, bottlenecks and issues of a job calls three functions, in one
 * statement or one after the other; reading and validating would take half of their
 * time.  What they make of the job in the same way is shared within one query
 * (shared_analysis.h).
 */
#ifndef FG_SHARED_JOB_H
#define FG_SHARED_JOB_H

#include "pg/base/pg_compat.h"

#include "core/jobs/job.h"

/*
 * A job, read, valid and prepared (fg_job_read), that lives as long as the current memory
 * context.  What it returns is what reading would find now: a job is kept only for
 * the same snapshot and user, and only where the tables are plain ones without row security
 * that this user may read.  One whose arrays fit into work_mem stays until the transaction
 * ends, a larger one until the query does, whose memory context this is; NULL: not at all.
 */
extern const FgJob *fg_job_borrow(int64 job_id, MemoryContext query);

/*
 * The parent for memory of what is made of a job that was borrowed for a query, and may be
 * used by the next call until the query ends; NULL when the job is not kept.  "alone" says
 * that no other call is under way that may use it, too.
 */
extern MemoryContext fg_job_shelf(const FgJob *job, bool *alone);

#endif							/* FG_SHARED_JOB_H */
