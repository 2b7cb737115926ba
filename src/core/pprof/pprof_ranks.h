/*
 * pprof_ranks.h
 *	  The frames of a pprof profile in the order of their texts, and the stacks of ids as ranks in it.
 *
 * Frames of one text have one rank, from 1.  Of most locations there is nothing to tell but their frames, one or those
 * that a compiler has inlined there, and most writers count them from 1: a stack of such ones is a look-up for each id.
 */
#ifndef FG_PPROF_RANKS_H
#define FG_PPROF_RANKS_H

#include "core/pprof/pprof_code.h"
#include "core/pprof/stack_order.h"

typedef struct FgPprofRanks
{
	FgContext  *ctx;
	const FgPprofCode *code;
	uint32_t   *rank;			/* of each frame */
	uint32_t   *frame;			/* one of each rank */
	bool	   *clean;			/* of each rank */
	uint32_t	count;
	uint32_t   *plain;			/* by its id: the rank of a location's only frame, or which location of several it
								 * is (pprof_ranks.c); 0: there is something to tell */
	uint64_t	plain_count;
} FgPprofRanks;

/* The code is finished, and stays. */
extern bool fg_pprof_ranks_make(FgContext *ctx, FgPprofRanks *ranks, const FgPprofCode *code);
extern void fg_pprof_ranks_free(FgPprofRanks *ranks);

/*
 * Writes a stack of ids to the room for the next one of the lists, which is taken by fg_stack_lists_take.
 * *depth: how many frames it has.  false: some id is no plain location, or they are too many, and nothing is said about it.
 */
extern bool fg_pprof_ranks_write(const FgPprofRanks *ranks, FgReader ids, const FgStackLists *lists, size_t *depth);

/* Can nothing be wrong with the frame, and is nothing to be told of it, in however deep a stack? */
static inline bool
fg_pprof_rank_is_clean(const FgPprofRanks *ranks, uint32_t rank)
{
	return ranks->clean[rank];
}

/* The text of a rank. */
static inline FgPprofText
fg_pprof_rank_text(const FgPprofRanks *ranks, uint32_t rank)
{
	return fg_pprof_code_frame(ranks->code, ranks->frame[rank]);
}

#endif							/* FG_PPROF_RANKS_H */
