/*
 * predicate_memo.h
 *	  Predicates that are functions of the user's, each asked the same question only once.
 *
 * Workload: some thousands of different questions, asked millions of times by the steps of
 * a job that look alike.
 */
#ifndef FG_PREDICATE_MEMO_H
#define FG_PREDICATE_MEMO_H

#include "core/jobs/predicate.h"

typedef struct FgPredicateMemo
{
	FgContext  *ctx;
	const FgPredicateFunctions *functions;
	uint32_t   *words;			/* the questions that were asked, one behind the other */
	size_t		word_count;
	size_t		word_capacity;
	struct FgPredicateAnswer *answers;
	size_t		answer_count;
	size_t		answer_capacity;
	uint32_t   *slots;			/* a power of two: places of answers, FG_NONE */
	size_t		slot_count;
} FgPredicateMemo;

extern void fg_predicate_memo_begin(FgPredicateMemo *memo, FgContext *ctx,
									const FgPredicateFunctions *functions);
extern void fg_predicate_memo_free(FgPredicateMemo *memo);

/* The number of the function of a predicate; FG_ERROR_ARGUMENT where none can be called. */
extern bool fg_predicate_memo_find(FgPredicateMemo *memo, const FgPredicate *predicate,
								   uint32_t *function);

/* The answer of the function, or the one that it gave before. */
extern bool fg_predicate_memo_ask(FgPredicateMemo *memo, const FgPredicateQuestion *question,
								  bool *holds);

#endif							/* FG_PREDICATE_MEMO_H */
