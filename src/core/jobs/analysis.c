/*
 * analysis.c
 *	  The first steps of every analysis (see analysis.h).
 */
#include "core/jobs/analysis.h"

bool
fg_analysis_begin(FgContext *ctx, const FgJob *job, const FgJobOptions *options,
				  FgAnalysis *analysis)
{
	*analysis = (FgAnalysis) {.ctx = ctx, .job = job, .options = *options};
	return fg_slices_make(ctx, job, options, &analysis->slices) &&
		fg_uses_make(ctx, job, options, &analysis->uses) &&
		fg_activity_make(ctx, job, &analysis->slices, &analysis->uses, &analysis->activity);
}

void
fg_analysis_free(FgAnalysis *analysis)
{
	fg_slices_free(analysis->ctx, &analysis->slices);
	fg_uses_free(analysis->ctx, &analysis->uses);
	fg_activity_free(analysis->ctx, &analysis->activity);
}
