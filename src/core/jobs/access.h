/*
 * access.h
 *	  Which leaf uses which resource, and by which rule (Hegeman 2024, 4.4.1.2 and 4.4.2.1).
 *
 * A phase that is mapped to resources has access to these and to all below them; others
 * have the access of their parent, and a root all of it.  A leaf uses what it has
 * access to unless its rule says none.  The rule is that of the nearest phase type on the
 * way up that has one for the type of the resource; else full for blocking resources, sink
 * for consumable ones.
 *
 * Many leaves use the same: the threads of a worker in each superstep.  So each kind of
 * leaf has one list, shared by all that have equal access and an equal type.
 */
#ifndef FG_ACCESS_H
#define FG_ACCESS_H

#include "core/jobs/job.h"
#include "core/jobs/job_options.h"

typedef struct FgUse
{
	uint32_t	resource;
	uint32_t	rule;			/* its index, FG_NONE for the default */
	FgRuleKind	kind;			/* full, greedy or sink */
	double		cap;			/* of greedy ones, 0 of others */
	double		delta;			/* that of the rule, or of the options */
} FgUse;

/* uses[first ..]: the consumable ones, then the blocking ones; each by type, then resource. */
typedef struct FgUseList
{
	uint32_t	first;
	uint32_t	consumable;		/* how many */
	uint32_t	count;			/* with the blocking ones */
} FgUseList;

typedef struct FgUses
{
	FgUse	   *uses;
	size_t		use_count;
	size_t		use_capacity;
	FgUseList  *lists;
	size_t		list_count;
	size_t		list_capacity;
	uint32_t   *list_of;		/* by phase; FG_NONE for composites */
	uint32_t   *leaf;			/* the leaves of one list after the other */
	uint32_t   *first_leaf;		/* by list, list_count + 1 */

	/*
	 * By phase, phase_count + 1: consumable uses of leaves before it.  So the i-th consumable
	 * use of a leaf has the number first_slot[leaf] + i, and arrays may be indexed by it.
	 */
	uint32_t   *first_slot;

	uint32_t   *by_resource;	/* the consumable uses of one resource after the other */
	uint32_t   *list_by_resource;	/* the list that each of these is in */
	uint32_t   *first_by_resource;	/* resource_count + 1 */
} FgUses;

extern bool fg_uses_make(FgContext *ctx, const FgJob *job, const FgJobOptions *options,
						 FgUses *uses);
extern void fg_uses_free(FgContext *ctx, FgUses *uses);

static inline const FgUseList *
fg_uses_of(const FgUses *uses, uint32_t leaf)
{
	return &uses->lists[uses->list_of[leaf]];
}

#endif							/* FG_ACCESS_H */
