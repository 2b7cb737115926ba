/*
 * sandwich_marks.h
 *	  What is highlighted in a sandwich, for the viewer, which makes the halves anew from the
 *	  nodes of the whole profile.
 *
 * A half's nodes are numbered there in the order in which sandwichOf() (viewer/profile.js)
 * makes them, from 0, the frame: for each outermost occurrence of the frame, in preorder, its
 * callers from the nearest outwards, or what is below it in preorder.
 */
#ifndef FG_SANDWICH_MARKS_H
#define FG_SANDWICH_MARKS_H

#include "core/picture/sandwich_halves.h"

/*
 * marks[h] gets a digit for each node of a half: 1 where highlight[h], by the half's own
 * numbers (0 is its root, 1 the frame), is not 0.
 */
extern bool fg_sandwich_marks(FgContext *ctx, const FgSandwich *sandwich,
							  uint8_t *const highlight[FG_HALVES], FgBuffer marks[FG_HALVES]);

#endif							/* FG_SANDWICH_MARKS_H */
