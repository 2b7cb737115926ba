/*
 * predicate.h
 *	  When a composite phase is bottlenecked, given how many of its subphases are (Hegeman
 *	  2024, Table 4.3).
 *
 * Only subphases that are defined count: those that are alive and have a leaf that can use
 * the resource type.  None defined is never a bottleneck, and none of them bottlenecked is
 * none by any of the words; a function of the user's may say otherwise.
 */
#ifndef FG_PREDICATE_H
#define FG_PREDICATE_H

#include "core/base/context.h"
#include "core/base/span.h"

typedef enum FgPredicateKind
{
	FG_PREDICATE_ANY,
	FG_PREDICATE_ALL,
	FG_PREDICATE_MAJORITY,		/* at least half */
	FG_PREDICATE_STRICT_MAJORITY,	/* more than half */
	FG_PREDICATE_AT_LEAST,		/* a fraction */
	FG_PREDICATE_FUNCTION		/* of the user's */
} FgPredicateKind;

typedef struct FgPredicate
{
	FgPredicateKind kind;
	bool		by_type;		/* holds within at least one type of subphases */
	double		fraction;		/* of FG_PREDICATE_AT_LEAST: 0 < fraction <= 1 */
	FgSpan		name;			/* of FG_PREDICATE_FUNCTION, as it was written; borrowed */
} FgPredicate;

/* How many of the subphases of a type there are, and what they are at one time. */
typedef struct FgPartCount
{
	FgSpan		name;			/* of the type */
	uint32_t	type;
	uint32_t	all;			/* defined or not */
	uint32_t	defined;
	uint32_t	limited;		/* of those that are defined */
} FgPartCount;

/*
 * What a function of the user's is asked: does this make the phase a bottleneck of the
 * resource type?  Subphases of one type that are in the same state are alike, so they
 * are counted: phases with a thousand parts ask few different questions.
 */
typedef struct FgPredicateQuestion
{
	uint32_t	function;
	uint32_t	resource_type;
	FgSpan		resource_name;	/* bytes NULL: not known */
	const FgPartCount *parts;	/* by type */
	uint32_t	count;
} FgPredicateQuestion;

/* Whoever can call them: finds a function by its name, and asks it. */
typedef struct FgPredicateFunctions
{
	void	   *arg;
	bool		(*find) (void *arg, FgSpan name, uint32_t *function);
	bool		(*ask) (void *arg, const FgPredicateQuestion *question, bool *holds);
} FgPredicateFunctions;

/*
 * any, all, majority, majority_any, strict_majority, strict_majority_any, at_least:F with
 * 0 < F <= 1, or function:NAME, whose name is not looked at.  Anything else is
 * FG_ERROR_ARGUMENT, with a hint that names them.
 */
extern bool fg_predicate_parse(FgContext *ctx, FgSpan text, FgPredicate *predicate);

/* Of these so many are defined and so many of those bottlenecked; of the words. */
static inline bool
fg_predicate_holds(const FgPredicate *predicate, uint32_t defined, uint32_t bottlenecked)
{
	if (bottlenecked == 0)
		return false;
	switch (predicate->kind)
	{
		case FG_PREDICATE_ALL:
			return bottlenecked == defined;
		case FG_PREDICATE_MAJORITY:
			return (uint64_t) bottlenecked * 2 >= defined;
		case FG_PREDICATE_STRICT_MAJORITY:
			return (uint64_t) bottlenecked * 2 > defined;
		case FG_PREDICATE_AT_LEAST:
			/* 0.1 of 30 is 3, whatever the product rounds to */
			return bottlenecked >= predicate->fraction * defined * (1 - 1e-9);
		case FG_PREDICATE_ANY:
		case FG_PREDICATE_FUNCTION:
			break;
	}
	return true;
}

#endif							/* FG_PREDICATE_H */
