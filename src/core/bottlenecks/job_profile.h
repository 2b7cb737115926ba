/*
 * job_profile.h
 *	  A job as a profile: the tree of its phases is one of calling contexts, so whatever is
 *	  measured of leaves is a value over stacks of phase types.
 *
 * The stack of a leaf are the types of the phases from the root down to it; leaves of equal
 * stacks add up.  Only leaves have values: what holds for a phase with parts is the total
 * of its stack.
 */
#ifndef FG_JOB_PROFILE_H
#define FG_JOB_PROFILE_H

#include "core/jobs/analysis.h"
#include "core/profile/tree.h"

typedef enum FgJobMeasure
{
	FG_MEASURE_TIME,			/* seconds of life */
	FG_MEASURE_USAGE,			/* attributed, in units of the resource times seconds */
	FG_MEASURE_AVAILABLE,		/* what could have been used, likewise */
	FG_MEASURE_WAITING,			/* seconds in which blocking resources held it up */
	FG_MEASURE_BOTTLENECK,		/* seconds in which any resource limited it */
	FG_JOB_MEASURES
} FgJobMeasure;

typedef struct FgJobProfileOptions
{
	FgJobMeasure measure;
	uint32_t	resource_type;	/* only this one; FG_NONE: all, or none for time */
	bool		instances;		/* frames are "type:instance" where there is an instance */
} FgJobProfileOptions;

/* The names of the measures. */
extern bool fg_job_measure_parse(FgContext *ctx, FgSpan word, FgJobMeasure *measure);

/*
 * The profile, canonical; released by fg_tree_free().  Bytes that no frame may have (line
 * ends) become blanks.  FG_ERROR_ARGUMENT for a measure with a resource type that it cannot
 * have, or without one that it needs; FG_ERROR_LIMIT for phases that are nested deeper
 * than stacks are.
 */
extern bool fg_job_profile(const FgAnalysis *analysis, const FgJobProfileOptions *options,
						   FgTree *tree);

#endif							/* FG_JOB_PROFILE_H */
