/*
 * diff_runs.h
 *	  Pictures of differences of recordings, of groups of runs, of one run against its
 *	  history, and of samples' statistics: each compared as the functions that give rows do.
 */
#ifndef FG_DIFF_RUNS_H
#define FG_DIFF_RUNS_H

#include "core/compare/welch.h"
#include "core/picture/diff.h"

/* unit: the value of one sample, or 0: nothing is tested (sampling.h). */
extern bool fg_diff_recordings(const FgTree *before, const FgTree *after, double unit,
							   const FgDiffOptions *options, FgBuffer *svg);

typedef struct FgDiffTest
{
	FgCorrection correction;
	bool		max_t;			/* instead of a correction (max_t.h) */
	uint32_t	permutations;
	uint64_t	seed;
} FgDiffTest;

/*
 * Verdicts of Welch's test of every key; drawn are the means.  An empty group: nothing to
 * compare.  FG_ERROR_ARGUMENT for a profile with a negative value, which is named.
 */
extern bool fg_diff_groups(const FgProfiles *before, const FgProfiles *after,
						   const FgDiffTest *test, const FgDiffOptions *options, FgBuffer *svg);

/* The same from statistics of level node or stack (FG_ERROR_ARGUMENT for others). */
extern bool fg_diff_stats(const FgGroup *before, const FgGroup *after, const FgDiffTest *test,
						  const FgDiffOptions *options, FgBuffer *svg);

/*
 * The last "window" runs of a history, oldest first, against one: verdicts of deviation.h
 * by function, whatever level the options say.
 */
extern bool fg_diff_history(const FgProfiles *history, const FgTree *run, int64_t window,
							double unit, const FgDiffOptions *options, FgBuffer *svg);

#endif							/* FG_DIFF_RUNS_H */
