/*
 * sandwich.h
 *	  One function in SVG: who calls it above, what it calls below.
 *
 * Below are the stacks through the frame from its outermost occurrence on (fg_focus), above
 * those that lead to it, reversed (fg_callers_of, fg_invert): the nearest caller stands
 * next to the frame.  Both halves have the frame's recursion-free total and one scale: the
 * frame is as wide as the picture.  The frame's own row is drawn once, between them.
 *
 * data-n of the frame and of boxes below it is the node in nodes(focus(fg, frame)), of
 * boxes above it, which are in a group of class "callers", the node in
 * nodes(invert(callers_of(fg, frame))).  Shares are those of the whole profile.
 */
#ifndef FG_SANDWICH_H
#define FG_SANDWICH_H

#include "core/picture/flame_options.h"
#include "core/profile/tree_pair.h"

/* The halves by their place in the arrays below. */
enum
{
	FG_CALLERS,
	FG_CALLEES,
	FG_HALVES
};

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

/*
 * Appends the document.  What is highlighted is asked of the halves: by the stacks that are
 * drawn, from the frame outwards.  With interactive the data are those of the whole profile.
 */
extern bool fg_sandwich_svg(const FgSandwich *sandwich, const FgFlameOptions *options,
							FgBuffer *svg);

#endif							/* FG_SANDWICH_H */
