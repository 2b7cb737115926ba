/*
 * predicate.h
 *	  When a composite phase is bottlenecked, given how many of its subphases are (Hegeman
 *	  2024, Table 4.3).
 *
 * Only subphases that are defined count: those that are alive and have a leaf that can use
 * the resource type.  None defined, or none of them bottlenecked, is never a bottleneck.
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
	FG_PREDICATE_AT_LEAST		/* a fraction */
} FgPredicateKind;

typedef struct FgPredicate
{
	FgPredicateKind kind;
	bool		by_type;		/* holds within at least one type of subphases */
	double		fraction;		/* of FG_PREDICATE_AT_LEAST: 0 < fraction <= 1 */
} FgPredicate;

/*
 * any, all, majority, majority_any, strict_majority, strict_majority_any, or at_least:F with
 * 0 < F <= 1.  Anything else is FG_ERROR_ARGUMENT, with a hint that names them.
 */
extern bool fg_predicate_parse(FgContext *ctx, FgSpan text, FgPredicate *predicate);

/* Of these so many are defined and so many of those bottlenecked. */
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
			break;
	}
	return true;
}

#endif							/* FG_PREDICATE_H */
