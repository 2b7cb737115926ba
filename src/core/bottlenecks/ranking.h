/*
 * ranking.h
 *	  All performance issues of a job, those of each phase by what they cost.
 */
#ifndef FG_RANKING_H
#define FG_RANKING_H

#include "core/bottlenecks/bottlenecks.h"

typedef enum FgIssueKind
{
	FG_ISSUE_BOTTLENECK,
	FG_ISSUE_IMBALANCE,
	FG_ISSUE_NAMED				/* by a rule of the user's */
} FgIssueKind;

/* What a rule of the user's has found. */
typedef struct FgNamedIssue
{
	uint32_t	phase;
	FgSpan		rule;
	FgSpan		source;
	double		impact;			/* seconds; finite */
} FgNamedIssue;

typedef struct FgIssue
{
	uint32_t	phase;
	FgIssueKind kind;
	uint32_t	source;			/* resource type, imbalanced phase type, or named issue */
	uint32_t	rank;			/* from 1 in each phase */
	double		impact;			/* seconds */
} FgIssue;

/*
 * By phase and rank; released by the caller.  Impacts that are equal at a resolution of a
 * microsecond are ranked by kind, then by the name of the source.
 */
extern bool fg_rank_issues(const FgAnalysis *analysis, const FgBottlenecks *leaves,
						   FgIssue **issues, size_t *count);

/* The same together with those that rules of the user's have found. */
extern bool fg_rank_all_issues(const FgAnalysis *analysis, const FgBottlenecks *leaves,
							   const FgNamedIssue *named, size_t named_count, FgIssue **issues,
							   size_t *count);

#endif							/* FG_RANKING_H */
