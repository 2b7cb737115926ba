/*
 * partial.h
 *	  Merging stacks whose outermost frames were cut off into complete ones: maximal
 *	  common merging (Serrano & Zhuang as described by Lumnitz 2021, listing 3.2).
 *
 * The candidates of a partial stack are the nodes whose path ends with its first
 * frames.  Frame by frame the candidates become fewer: with none left the stack
 * stays unmatched; with exactly one, after more than "threshold" frames, it goes on
 * from there; when it ends with several, or too early, it is ambiguous.
 *
 * Lumnitz's listing merges stack by stack, so its result depends on their order.
 * Here all pending stacks are judged against one state, those with a place are merged
 * together, and the others are judged again, until none finds a place any more.
 * Nothing is dropped: every partial stack is in one of the three results.  An empty
 * partial stack fits anywhere: it is ambiguous.
 *
 * Workload: a hundred thousand partial stacks, a million nodes, recursions of sixty
 * thousand calls.  The first round is a pass over the nodes, each further one over
 * those that were added.
 */
#ifndef FG_PARTIAL_H
#define FG_PARTIAL_H

#include "core/profile/tree.h"

typedef struct FgPartialResult
{
	FgTree		merged;			/* the complete stacks and those that found a place */
	FgTree		ambiguous;
	FgTree		unmatched;
	uint32_t	rounds;			/* in which something was merged */
} FgPartialResult;

/* FG_ERROR_LIMIT when a merged stack is too deep, FG_ERROR_RANGE when a value overflows. */
extern bool fg_merge_partial(FgContext *ctx, const FgTree *tree, const FgTree *partial,
							 uint32_t threshold, FgPartialResult *result);

#endif							/* FG_PARTIAL_H */
