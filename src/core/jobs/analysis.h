/*
 * analysis.h
 *	  What all analyses of a job begin with: its times on the grid, who uses what, who is
 *	  active when.
 */
#ifndef FG_ANALYSIS_H
#define FG_ANALYSIS_H

#include "core/jobs/activity.h"

typedef struct FgAnalysis
{
	FgContext  *ctx;
	const FgJob *job;
	FgJobOptions options;
	FgSlices	slices;
	FgUses		uses;
	FgActivity	activity;
} FgAnalysis;

/*
 * Of a prepared job, which outlives it, with options that have been checked.  Must be freed
 * when it fails, too.
 */
extern bool fg_analysis_begin(FgContext *ctx, const FgJob *job, const FgJobOptions *options,
							  FgAnalysis *analysis);
extern void fg_analysis_free(FgAnalysis *analysis);

/* The life of a phase in seconds. */
static inline double
fg_analysis_duration(const FgAnalysis *analysis, uint32_t phase)
{
	return fg_grid_seconds(&analysis->slices.grid,
						   fg_interval_length(analysis->slices.life[phase]));
}

#endif							/* FG_ANALYSIS_H */
