/*
 * shared_analysis.h
 *	  What functions of one query that analyse the same job would all work out: who is active
 *	  when, and what limits whom.
 *
 * It is kept with the job (shared_job.h) until the query ends: only the last of it, and only
 * for the same options.
 */
#ifndef FG_SHARED_ANALYSIS_H
#define FG_SHARED_ANALYSIS_H

#include "pg/base/pg_compat.h"

#include "core/bottlenecks/bottlenecks.h"

/*
 * The analysis of a job that was borrowed, or throws; with memory and errors of this
 * context.  It lives as long as the current memory context.
 */
extern void fg_analysis_borrow(FgContext *ctx, const FgJob *job, const FgJobOptions *options,
							   FgAnalysis *analysis);

/* How much of the bottlenecks is wanted. */
typedef enum FgBottleneckExtent
{
	FG_OF_LEAVES,				/* at least */
	FG_OF_ALL,
	FG_OF_ALL_WITH_CAUSES
} FgBottleneckExtent;

/* The bottlenecks by an analysis that was borrowed, likewise. */
extern const FgBottlenecks *fg_bottlenecks_borrow(const FgAnalysis *analysis,
												  FgBottleneckExtent extent);

#endif							/* FG_SHARED_ANALYSIS_H */
