/*
 * problem.h
 *	  What can be wrong with a job, as facts; their words are the glue's.
 *
 * Errors leave no meaning to an analysis, warnings are what somebody who loads jobs
 * probably did not want.
 */
#ifndef FG_PROBLEM_H
#define FG_PROBLEM_H

#include "core/base/context.h"
#include "core/base/span.h"

typedef enum FgProblemCode
{
	/* errors: what a row refers to is not there, or there twice */
	FG_PROBLEM_UNKNOWN_JOB,
	FG_PROBLEM_UNKNOWN_MODEL,
	FG_PROBLEM_UNKNOWN_PHASE_TYPE,
	FG_PROBLEM_UNKNOWN_RESOURCE_TYPE,
	FG_PROBLEM_UNKNOWN_PHASE,
	FG_PROBLEM_UNKNOWN_RESOURCE,
	FG_PROBLEM_DUPLICATE_KEY,
	/* the model */
	FG_PROBLEM_ROOT_TYPE_COUNT,
	FG_PROBLEM_ROOT_TYPE_REPEATABLE,
	FG_PROBLEM_PHASE_TYPE_CYCLE,
	FG_PROBLEM_RESOURCE_TYPE_CYCLE,
	FG_PROBLEM_BAD_PREDICATE,
	FG_PROBLEM_PRECEDENCE_NOT_SIBLINGS,
	FG_PROBLEM_PRECEDENCE_CYCLE,
	FG_PROBLEM_DUPLICATE_RULE,
	FG_PROBLEM_RULE_CLASS_MISMATCH,
	FG_PROBLEM_BAD_CAP,
	FG_PROBLEM_BAD_DELTA,
	/* phases */
	FG_PROBLEM_BAD_TIME,
	FG_PROBLEM_PHASE_END_BEFORE_START,
	FG_PROBLEM_ROOT_COUNT,
	FG_PROBLEM_PHASE_CYCLE,
	FG_PROBLEM_PHASE_TYPE_MISMATCH,
	FG_PROBLEM_REPEATED_ONCE_TYPE,
	FG_PROBLEM_DUPLICATE_INSTANCE,
	/* resources */
	FG_PROBLEM_BAD_CAPACITY,
	FG_PROBLEM_RESOURCE_CYCLE,
	FG_PROBLEM_MAPPING_NOT_SUBSET,
	/* what was measured */
	FG_PROBLEM_USAGE_ON_NON_CONSUMABLE,
	FG_PROBLEM_MEASUREMENT_END_BEFORE_START,
	FG_PROBLEM_BAD_USAGE,
	FG_PROBLEM_OVERLAPPING_MEASUREMENTS,
	FG_PROBLEM_BLOCKING_ON_NON_BLOCKING,
	FG_PROBLEM_BLOCKING_END_BEFORE_START,
	/* warnings */
	FG_PROBLEM_CHILD_OUTSIDE_PARENT,
	FG_PROBLEM_SEQUENTIAL_OVERLAP,
	FG_PROBLEM_PRECEDENCE_VIOLATED,
	FG_PROBLEM_EMPTY_PHASE,
	FG_PROBLEM_EMPTY_MEASUREMENT,
	FG_PROBLEM_USAGE_ABOVE_CAPACITY,
	FG_PROBLEM_UNMEASURED_LIFE,
	FG_PROBLEM_UNUSED_RULE,
	FG_PROBLEM_CODES
} FgProblemCode;

/* Tables that rows are in, for problems that several can have. */
typedef enum FgJobTable
{
	FG_TABLE_JOB,
	FG_TABLE_PHASE_TYPE,
	FG_TABLE_PRECEDENCE,
	FG_TABLE_RESOURCE_TYPE,
	FG_TABLE_RULE,
	FG_TABLE_PHASE,
	FG_TABLE_RESOURCE,
	FG_TABLE_MAPPING,
	FG_TABLE_USAGE,
	FG_TABLE_BLOCKING
} FgJobTable;

/* Members that say nothing about a problem are 0. */
typedef struct FgProblem
{
	FgProblemCode code;
	FgJobTable	table;			/* in which the row is that has to change */
	bool		has_phase;
	bool		has_resource;
	int64_t		phase;			/* ids, also of phases that do not exist */
	int64_t		resource;
	int64_t		other;			/* the id of another phase */
	FgSpan		name;			/* of a type, or what stands in the place of one */
	FgSpan		second;			/* of another type */
	bool		has_times;
	int64_t		start;			/* microseconds after 2000-01-01 00:00 UTC */
	int64_t		end;
	double		value;			/* the number that is wrong, NaN where there is none */
	uint64_t	count;			/* how many rows, or how long a cycle is */
} FgProblem;

/* Is told of each problem; false when it wants to hear of no more. */
typedef bool (*FgProblemEmit) (void *arg, const FgProblem *problem);

/* The word for a code, as SQL has it. */
extern const char *fg_problem_word(FgProblemCode code);

static inline bool
fg_problem_is_error(FgProblemCode code)
{
	return code < FG_PROBLEM_CHILD_OUTSIDE_PARENT;
}

#endif							/* FG_PROBLEM_H */
