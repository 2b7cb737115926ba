/*
 * flame_options.h
 *	  How a picture of boxes is drawn; differences and parts of a change take the same.
 */
#ifndef FG_FLAME_OPTIONS_H
#define FG_FLAME_OPTIONS_H

#include "core/profile/tree.h"
#include "core/svg/color.h"
#include "core/svg/document.h"
#include "core/svg/label.h"

/*
 * Which boxes are outlined: matches[i] says so of node i of the tree that is drawn, which
 * may be one that the picture makes.  False with the error in ctx.
 */
typedef struct FgHighlight
{
	bool		(*match) (FgContext *ctx, void *arg, const FgTree *tree, uint8_t *matches);
	void	   *arg;
} FgHighlight;

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
	FgHighlight highlight;		/* match NULL: nothing is */
} FgFlameOptions;

extern FgFlameOptions fg_flame_defaults(void);

#endif							/* FG_FLAME_OPTIONS_H */
