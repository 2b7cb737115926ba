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

#include "core/picture/sandwich_halves.h"
#include "core/svg/flame_options.h"

/*
 * Appends the document.  What is highlighted is asked of the halves: by the stacks that are
 * drawn, from the frame outwards.  With interactive the data are those of the whole profile.
 */
extern bool fg_sandwich_svg(const FgSandwich *sandwich, const FgFlameOptions *options,
							FgBuffer *svg);

#endif							/* FG_SANDWICH_H */
