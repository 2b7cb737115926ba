/*
 * flame.h
 *	  A profile as a flame graph in SVG, complete without a script.
 *
 * Row 0 is the box "all" = the total; below it (icicle) or above it (flame) the nodes in
 * their rows, as wide as their inclusive values.  data-n of a box is the number of its
 * node.  What is not drawn is counted in the footnote, with its value.
 *
 * Same tree, same options, same bytes: nothing else is read.
 */
#ifndef FG_FLAME_H
#define FG_FLAME_H

#include "core/profile/tree.h"
#include "core/svg/flame_options.h"

/*
 * Appends the document.  FG_ERROR_ARGUMENT for negative values, FG_ERROR_RANGE when a
 * value overflows, FG_ERROR_LIMIT when it is too large.
 */
extern bool fg_flame_svg(const FgTree *tree, const FgFlameOptions *options, FgBuffer *svg);

#endif							/* FG_FLAME_H */
