/*
 * job.h
 *	  A job of a distributed system as Grade10 sees it (Hegeman 2024, chapter 4): a tree of
 *	  phases, a tree of resources, what was measured of them, and the model of the
 *	  platform that says what phases and resources are like.
 *
 * Whoever makes one fills the arrays, in the orders given here, and calls
 * fg_job_validate(); after that, and not before, fg_job_prepare() adds what follows from
 * the arrays.  The analyses take prepared jobs.
 *
 * References are dense indexes into the arrays: FG_NONE says that there is none (the
 * parent of a root), FG_UNKNOWN that what is named does not exist, which only
 * validation meets.  Times are microseconds after 2000-01-01 00:00 UTC.  A number that
 * does not exist (SQL's NULL) is a NaN.  The job owns nothing: names and arrays live at
 * least as long as it does.
 */
#ifndef FG_JOB_H
#define FG_JOB_H

#include <math.h>

#include "core/base/context.h"
#include "core/base/span.h"

#define FG_UNKNOWN (FG_NONE - 1)

typedef enum FgRepeat
{
	FG_REPEAT_ONCE,				/* at most one under each parent */
	FG_REPEAT_SEQUENTIAL,		/* one after the other */
	FG_REPEAT_CONCURRENT
} FgRepeat;

typedef enum FgResourceClass
{
	FG_RESOURCE_CONTAINER,		/* no phase uses it; holds others */
	FG_RESOURCE_CONSUMABLE,		/* used at a rate up to its capacity */
	FG_RESOURCE_BLOCKING		/* blocked or not */
} FgResourceClass;

typedef enum FgRuleKind
{
	FG_RULE_NONE,				/* does not use it, is not blocked by it */
	FG_RULE_FULL,				/* waits whenever it is blocked */
	FG_RULE_GREEDY,				/* uses up to a cap, served first */
	FG_RULE_SINK				/* an equal share of what the greedy ones leave */
} FgRuleKind;

/*
 * Numbers that may be absent: NaN.  One that a row has although no constraint would let it is
 * told apart by its sign, so that validation finds it; after that isnan() will do.
 */
#define FG_GIVEN_NAN (-(double) NAN)

/* Usage, capacities and caps: sums over time of squares of them are still finite. */
#define FG_MAX_USAGE 1e100

static inline bool
fg_is_given(double number)
{
	return !isnan(number) || signbit(number);
}

/* Sorted bytewise by name, as resource types are. */
typedef struct FgPhaseType
{
	FgSpan		name;
	uint32_t	parent;
	FgRepeat	repeat;
	FgSpan		predicate;		/* of composites of this type; bytes NULL: none of its own */
} FgPhaseType;

/* Phases of type "after" start when those of type "before" under the same parent have ended. */
typedef struct FgPrecedence
{
	uint32_t	before;
	uint32_t	after;
} FgPrecedence;

typedef struct FgResourceType
{
	FgSpan		name;
	uint32_t	parent;
	FgResourceClass class;
} FgResourceType;

/* In any order, at most one for each pair. */
typedef struct FgRule
{
	uint32_t	phase_type;
	uint32_t	resource_type;
	FgRuleKind	kind;
	double		cap;			/* of greedy rules, in units of the resource */
	double		delta;			/* 0 < delta <= 1, or NaN: the argument's */
} FgRule;

/* Sorted by id, as resources are. */
typedef struct FgPhase
{
	int64_t		id;
	uint32_t	parent;
	uint32_t	type;
	FgSpan		instance;
	int64_t		start;
	int64_t		end;
} FgPhase;

typedef struct FgResource
{
	int64_t		id;
	uint32_t	parent;
	uint32_t	type;
	double		capacity;		/* of consumable ones, NaN for others */
	double		delta;			/* as in FgRule */
} FgResource;

/* The phase has access to the resource and to all below it. */
typedef struct FgMapping
{
	uint32_t	phase;
	uint32_t	resource;
} FgMapping;

/* Sorted by resource, start, end, as blocked intervals are.  The mean over [start, end). */
typedef struct FgUsage
{
	uint32_t	resource;
	int64_t		start;
	int64_t		end;
	double		usage;
} FgUsage;

typedef struct FgBlocking
{
	uint32_t	resource;
	int64_t		start;
	int64_t		end;
} FgBlocking;

/*
 * A forest in preorder, children in the order of their indexes.  order[] has the nodes,
 * parents first; place[] is its inverse.  What lies below node n, itself included, is
 * order[place[n] .. last[n]], so a subtree is a range and no walk recurses.  The children
 * of n are child[first_child[n] .. first_child[n + 1]), ends excluded.
 */
typedef struct FgJobTree
{
	uint32_t	count;
	uint32_t   *order;
	uint32_t   *place;
	uint32_t   *last;			/* by node: the place of the last one below it */
	uint32_t   *first_child;	/* count + 1 numbers */
	uint32_t   *child;
} FgJobTree;

typedef struct FgJob
{
	int64_t		id;
	FgPhaseType *phase_types;
	uint32_t	phase_type_count;
	FgPrecedence *precedences;
	uint32_t	precedence_count;
	FgResourceType *resource_types;
	uint32_t	resource_type_count;
	FgRule	   *rules;
	uint32_t	rule_count;
	FgPhase    *phases;
	uint32_t	phase_count;
	FgResource *resources;
	uint32_t	resource_count;
	FgMapping  *mappings;
	uint32_t	mapping_count;
	FgUsage    *usages;
	uint32_t	usage_count;
	FgBlocking *blockings;
	uint32_t	blocking_count;
	const struct FgProblem *found;	/* what was wrong with the rows it comes from, or NULL */
	uint32_t	found_count;

	/* Made by fg_job_prepare(). */
	uint32_t	root;			/* the phase without a parent */
	FgJobTree	phase_tree;
	FgJobTree	phase_type_tree;
	FgJobTree	resource_tree;
	uint32_t   *first_usage;	/* by resource, resource_count + 1: its rows of usages */
	uint32_t   *first_blocking;	/* the same of blockings */
} FgJob;

/*
 * Adds the derived members to a job without errors; they are released by fg_job_free(),
 * the arrays are not.  Linear.  A phase, type or resource below itself, or a number of
 * roots other than one, is FG_ERROR_ARGUMENT.
 */
extern bool fg_job_prepare(FgContext *ctx, FgJob *job);
extern void fg_job_free(FgContext *ctx, FgJob *job);

static inline bool
fg_phase_is_leaf(const FgJob *job, uint32_t phase)
{
	return job->phase_tree.first_child[phase] == job->phase_tree.first_child[phase + 1];
}

static inline FgResourceClass
fg_resource_class(const FgJob *job, uint32_t resource)
{
	return job->resource_types[job->resources[resource].type].class;
}

/*
 * Makes a tree of nodes with these parents (FG_NONE: a root of the forest), given every
 * "stride" bytes; false when some are below themselves.  Released by fg_job_tree_free().
 */
extern bool fg_job_tree_make(FgContext *ctx, const uint32_t *parents, size_t stride,
							 uint32_t count, FgJobTree *tree);
extern void fg_job_tree_free(FgContext *ctx, FgJobTree *tree);

#endif							/* FG_JOB_H */
