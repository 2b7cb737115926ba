/*
 * tally.h
 *	  Inclusive values of sets of nodes that are named by a pair of numbers: a call
 *	  between two functions, a function in a thread, a call from a line.
 *
 * Each set is counted without recursion: only its members that have no proper
 * ancestor in it (walk.h), so a stack counts once however often it passes.
 */
#ifndef FG_TALLY_H
#define FG_TALLY_H

#include "core/base/pairs.h"
#include "core/profile/walk.h"

typedef struct FgTally
{
	FgPairs		pairs;			/* a or b may be FG_NONE */
	double	   *value;			/* by pair */
	size_t		value_capacity;
	uint32_t   *outermost;		/* by pair: the member counted last */
	size_t		outermost_capacity;
	uint32_t   *order;			/* see fg_tally_finish */
} FgTally;

extern bool fg_tally_begin(FgContext *ctx, FgTally *tally);
extern void fg_tally_free(FgTally *tally);

/* The current node of the walk, whose inclusive value is "total", belongs to (a, b). */
extern bool fg_tally_node(FgTally *tally, const FgWalk *walk, uint32_t a, uint32_t b,
						  double total);

/* Adds a value to (a, b), whatever was counted. */
extern bool fg_tally_add(FgTally *tally, uint32_t a, uint32_t b, double value);

/*
 * order[i] becomes the number of the pair with the i-th largest value; pairs with
 * equal values go by a, then by b, FG_NONE last.  Numbers are below "limit".
 * FG_ERROR_RANGE when a value overflowed.
 */
extern bool fg_tally_finish(FgTally *tally, uint32_t limit);

#endif							/* FG_TALLY_H */
