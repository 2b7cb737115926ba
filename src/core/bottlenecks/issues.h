/*
 * issues.h
 *	  The framework of analysis rules (Hegeman 2024, Algorithm 3): what is known of leaves is
 *	  put together along the tree of phases, and what matters is extracted from each phase.
 *
 * A rule is three functions.  leaf() gives the records of a leaf, composite() those of a
 * phase from the records of its direct children, extract() gets the records of every phase.
 * Phases come children before parents; records of children are gone once their
 * parent has been asked, so memory is that of the open branches.
 */
#ifndef FG_ISSUES_H
#define FG_ISSUES_H

#include "core/jobs/job.h"

/* Records of one size, appended one by one. */
typedef struct FgRecords
{
	FgContext  *ctx;
	size_t		size;			/* of one */
	char	   *bytes;
	size_t		count;
	size_t		capacity;
} FgRecords;

/* Those of one child. */
typedef struct FgChildRecords
{
	uint32_t	phase;
	const void *records;
	size_t		count;
} FgChildRecords;

typedef struct FgIssueRule
{
	size_t		record_size;
	bool		(*leaf) (void *arg, uint32_t phase, FgRecords *to);
	/* children in the order of the tree; to is empty at first, and none of their records */
	bool		(*composite) (void *arg, uint32_t phase, const FgChildRecords *children,
							  uint32_t count, FgRecords *to);
	bool		(*extract) (void *arg, uint32_t phase, const void *records, size_t count);
} FgIssueRule;

/* A new record to be filled in, NULL (with the error set) when there is no room. */
extern void *fg_records_add(FgRecords *records);

/* Runs a rule over a prepared job. */
extern bool fg_apply_rule(FgContext *ctx, const FgJob *job, const FgIssueRule *rule, void *arg);

#endif							/* FG_ISSUES_H */
