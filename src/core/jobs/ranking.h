/*
 * ranking.h
 *	  All performance issues of a job, those of each phase by what they cost.
 */
#ifndef FG_RANKING_H
#define FG_RANKING_H

#include "core/jobs/bottlenecks.h"

/* In the order of their words. */
typedef enum FgIssueKind
{
	FG_ISSUE_BOTTLENECK,
	FG_ISSUE_IMBALANCE
} FgIssueKind;

typedef struct FgIssue
{
	uint32_t	phase;
	FgIssueKind kind;
	uint32_t	source;			/* the resource type, or the phase type that is imbalanced */
	uint32_t	rank;			/* from 1 in each phase */
	double		impact;			/* seconds */
} FgIssue;

/*
 * By phase and rank; released by the caller.  Impacts that are equal at a resolution of a
 * microsecond are ranked by kind, then by the name of the source.
 */
extern bool fg_rank_issues(const FgAnalysis *analysis, const FgBottlenecks *leaves,
						   FgIssue **issues, size_t *count);

#endif							/* FG_RANKING_H */
