/*
 * bottleneck_issues.h
 *	  What could be gained at most if a type of resource were no bottleneck (Hegeman 2024,
 *	  Algorithm 5).
 */
#ifndef FG_BOTTLENECK_ISSUES_H
#define FG_BOTTLENECK_ISSUES_H

#include "core/bottlenecks/bottlenecks.h"

/* Seconds that a phase is estimated to lose by a type of resource, above 0. */
typedef bool (*FgBottleneckIssueEmit) (void *arg, uint32_t phase, uint32_t resource_type,
									   double impact);

/* All of a job, children before parents; "leaves" are the bottlenecks of at least the leaves. */
extern bool fg_bottleneck_issues(const FgAnalysis *analysis, const FgBottlenecks *leaves,
								 FgBottleneckIssueEmit emit, void *arg);

#endif							/* FG_BOTTLENECK_ISSUES_H */
