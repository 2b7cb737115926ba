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

#include "core/picture/color.h"
#include "core/picture/document.h"
#include "core/picture/label.h"
#include "core/profile/tree.h"

typedef struct FgFlameOptions
{
	FgText		title;			/* not given: 'Flame graph'; empty: no heading */
	FgText		subtitle;		/* not given: total, stacks, frames */
	FgText		notes;
	FgText		unit;
	FgText		search;			/* the viewer's state at its start */
	FgText		zoom;
	uint32_t	width;
	double		min_width;		/* pixels */
	bool		flame;			/* the root is at the bottom */
	bool		by_value;
	bool		interactive;
	FgColorMode color;
	FgPalette	palette;
	FgTheme		theme;
	FgTruncate	truncate;
	uint32_t	frame_height;
	uint32_t	font_size;
	uint32_t	max_boxes;
	uint32_t	max_rows;
	uint32_t	max_nodes;		/* of the data */
	const uint8_t *highlight;	/* by node, or NULL */
} FgFlameOptions;

extern FgFlameOptions fg_flame_defaults(void);

/*
 * Appends the document.  FG_ERROR_ARGUMENT for negative values, FG_ERROR_RANGE when a
 * value overflows, FG_ERROR_LIMIT when it is too large.
 */
extern bool fg_flame_svg(const FgTree *tree, const FgFlameOptions *options, FgBuffer *svg);

#endif							/* FG_FLAME_H */
