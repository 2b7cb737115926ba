/*
 * issue_rules.h
 *	  Rules that users have written to find issues: rows of jobs.issue_rule.
 */
#ifndef FG_ISSUE_RULES_H
#define FG_ISSUE_RULES_H

#include "pg/jobs/jobs_call.h"

#include "core/bottlenecks/ranking.h"

/* All that the rules find in the job of a call; in its memory. */
extern void fg_issue_rules_run(FgJobCall *call, FgNamedIssue **issues, size_t *count);

#endif							/* FG_ISSUE_RULES_H */
