/*
 * shared_analysis.c
 *	  One analysis is kept from one call of a query to the next (see shared_analysis.h).
 *
 * Its memory contexts hang below that of the job that is kept, so they never outlive it.  Each
 * begins below the call that makes it, and moves there when it is whole: what an
 * error leaves behind goes with the call.
 */
#include "pg/jobs/shared_analysis.h"

#include "utils/memutils.h"

#include "pg/base/errors.h"
#include "pg/base/memory.h"
#include "pg/jobs/shared_job.h"

static struct
{
	MemoryContext memory;		/* NULL: none is kept */
	MemoryContextCallback callback;
	FgAnalysis	analysis;		/* its context is gone */
} kept;

static struct
{
	MemoryContext memory;		/* below that of the analysis; NULL: none are kept */
	MemoryContextCallback callback;
	FgBottlenecks bottlenecks;
	FgBottleneckExtent extent;
	FgPredicate predicate;
} limits;

static void
forget(void *arg)
{
	*(MemoryContext *) arg = NULL;
}

/* Memory of a call becomes kept memory, which is noted in *memory while it is there. */
static void
move(MemoryContext memory, MemoryContext parent, MemoryContext *note,
	 MemoryContextCallback *callback)
{
	if (*note != NULL)
		MemoryContextDelete(*note);
	*note = memory;
	*callback = (MemoryContextCallback) {.func = forget, .arg = note};
	MemoryContextRegisterResetCallback(memory, callback);
	MemoryContextSetParent(memory, parent);
}

/* --- the analysis ---------------------------------------------------------------------- */

/* All but the predicate, which nothing but bottlenecks of composites depends on. */
static bool
same_options(const FgJobOptions *a, const FgJobOptions *b)
{
	return a->slice == b->slice && a->origin_given == b->origin_given &&
		(!a->origin_given || a->origin == b->origin) && a->sampling == b->sampling &&
		a->delta == b->delta && a->use_greedy == b->use_greedy &&
		a->use_blocking == b->use_blocking;
}

void
fg_analysis_borrow(FgContext *ctx, const FgJob *job, const FgJobOptions *options,
				   FgAnalysis *analysis)
{
	bool		alone = false;
	MemoryContext shelf = fg_job_shelf(job, &alone);
	MemoryContext memory;
	FgContext	inner;

	if (shelf != NULL && kept.memory != NULL && same_options(&kept.analysis.options, options))
	{
		*analysis = kept.analysis;
		analysis->ctx = ctx;
		analysis->options = *options;
		return;
	}
	if (shelf == NULL || (kept.memory != NULL && !alone))
	{
		fg_must(ctx, fg_analysis_begin(ctx, job, options, analysis));
		return;
	}
	memory = AllocSetContextCreate(CurrentMemoryContext, "analysis of a job",
								   ALLOCSET_DEFAULT_SIZES);
	inner = fg_context_in(memory);
	fg_must(&inner, fg_analysis_begin(&inner, job, options, analysis));
	analysis->ctx = ctx;
	move(memory, shelf, &kept.memory, &kept.callback);
	kept.analysis = *analysis;
}

/* --- bottlenecks ----------------------------------------------------------------------- */

/* Those of leaves depend on no predicate; what functions say may change from call to call. */
static bool
are_kept(const FgAnalysis *analysis, FgBottleneckExtent extent)
{
	const FgPredicate *a = &analysis->options.predicate;
	const FgPredicate *b = &limits.predicate;

	return limits.memory != NULL && limits.extent >= extent &&
		(extent == FG_OF_LEAVES ||
		 (!limits.bottlenecks.asked && a->kind == b->kind && a->by_type == b->by_type &&
		  a->fraction == b->fraction));
}

static bool
make(const FgAnalysis *analysis, FgBottleneckExtent extent, FgBottlenecks *result)
{
	return extent == FG_OF_ALL_WITH_CAUSES ? fg_bottlenecks_make_causes(analysis, result) :
		fg_bottlenecks_make(analysis, extent == FG_OF_LEAVES, result);
}

const FgBottlenecks *
fg_bottlenecks_borrow(const FgAnalysis *analysis, FgBottleneckExtent extent)
{
	bool		ours = kept.memory != NULL && kept.analysis.slices.life == analysis->slices.life;
	bool		alone = false;
	MemoryContext memory;
	FgContext	ctx;
	FgAnalysis	inner = *analysis;
	FgBottlenecks *result;

	if (ours && are_kept(analysis, extent))
		return &limits.bottlenecks;
	memory = AllocSetContextCreate(CurrentMemoryContext, "bottlenecks of a job",
								   ALLOCSET_DEFAULT_SIZES);
	ctx = fg_context_in(memory);
	inner.ctx = &ctx;
	result = palloc(sizeof(FgBottlenecks));
	if (!make(&inner, extent, result))
		fg_throw(&ctx, "job");
	if (!ours || fg_job_shelf(analysis->job, &alone) == NULL || (limits.memory != NULL && !alone))
		return result;
	move(memory, kept.memory, &limits.memory, &limits.callback);
	limits.bottlenecks = *result;
	limits.extent = extent;
	limits.predicate = analysis->options.predicate;
	return &limits.bottlenecks;
}
