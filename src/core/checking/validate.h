/*
 * validate.h
 *	  Says what is wrong with a job before anything is computed from it.
 *
 * A job is rows that people loaded, so anything can be wrong with it: phases below
 * themselves, a million of them, ten thousand deep, names that do not exist.  All checks are
 * loops over arrays, nothing recurses, and the time is linear but for sorting.
 */
#ifndef FG_VALIDATE_H
#define FG_VALIDATE_H

#include "core/checking/problem.h"
#include "core/jobs/job.h"
#include "core/jobs/job_options.h"

/*
 * Tells of every error: what was found while reading, then the model, the phases, the
 * resources, what was measured.  A job without errors can be prepared and analysed.
 * What is behind a reference that is FG_UNKNOWN is not looked at; of measurements on a
 * resource that has none, of unknown resources and of cycles there is one problem each,
 * with a count.  False when it could not finish: the error is in ctx.
 */
extern bool fg_job_validate(FgContext *ctx, const FgJob *job, FgProblemEmit emit, void *arg);

/*
 * Tells of every warning, for a job that is prepared.  Of the options slice and origin
 * count, and the switches, because they decide who uses what.
 */
extern bool fg_job_warn(FgContext *ctx, const FgJob *job, const FgJobOptions *options,
						FgProblemEmit emit, void *arg);

#endif							/* FG_VALIDATE_H */
