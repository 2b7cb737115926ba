/*
 * user_predicates.h
 *	  Bottleneck predicates that are functions of users:
 *	  f(phase_types text[], defined bool[], bottlenecked bool[], resource_type text).
 */
#ifndef FG_USER_PREDICATES_H
#define FG_USER_PREDICATES_H

#include "pg/jobs/user_functions.h"

#include "core/jobs/job.h"
#include "core/jobs/predicate.h"

typedef struct FgUserPredicates
{
	FgPredicateFunctions functions;
	MemoryContext memory;
	FgUserFunction *list;
	uint32		count;
	uint32		capacity;
} FgUserPredicates;

/* What the core calls predicates through; lives as long as the current memory context. */
extern void fg_user_predicates_begin(FgUserPredicates *predicates);

/* Throws bad_predicate for an argument whose function cannot be called. */
extern void fg_user_predicate_check(const FgPredicate *predicate);

/* Of phase types: true when there is none, or its function can be called. */
extern bool fg_user_predicate_of_type(FgContext *ctx, const FgPhaseType *type,
									  FgFunctionFault *fault);

/* Throws bad_predicate for the first phase type whose function cannot be called. */
extern void fg_user_predicates_check_job(FgContext *ctx, const FgJob *job);

/* What is wrong with the predicate of a phase type, as a sentence. */
extern char *fg_user_predicate_problem(const FgPhaseType *type, const FgFunctionFault *fault);

#endif							/* FG_USER_PREDICATES_H */
