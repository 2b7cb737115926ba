/*
 * sandwich_halves.h
 *	  One function as two profiles: who calls it, what it calls.
 *
 * Below are the stacks through the frame from its outermost occurrence on (fg_focus), above
 * those that lead to it, reversed (fg_callers_of, fg_invert): the nearest caller stands
 * next to the frame.  Both halves have the frame's recursion-free total.
 */
#ifndef FG_SANDWICH_HALVES_H
#define FG_SANDWICH_HALVES_H

#include "core/profile/tree_pair.h"
#include "core/svg/document.h"

/* The halves by their place in the arrays below. */
enum
{
	FG_CALLERS,
	FG_CALLEES,
	FG_HALVES
};

#define FG_SANDWICH_FRAME 1		/* the frame's number in a half: behind the root */

typedef struct FgSandwich
{
	const FgTree *tree;			/* the whole profile */
	FgText		frame;
	FgTree		half[FG_HALVES];	/* empty when the frame does not occur */
	FgTreePair	pair[FG_HALVES];	/* with the whole profile: their keys by its frames */
	bool		found;
} FgSandwich;

/*
 * frame: its number in the tree's dictionary, FG_NONE when it does not occur; "name" has to
 * outlive the sandwich.  FG_ERROR_ARGUMENT for negative values.  Release it with
 * fg_sandwich_end, also when this fails.
 */
extern bool fg_sandwich_begin(FgContext *ctx, const FgTree *tree, uint32_t frame, FgText name,
							  FgSandwich *sandwich);
extern void fg_sandwich_end(FgContext *ctx, FgSandwich *sandwich);

#endif							/* FG_SANDWICH_HALVES_H */
