/*
 * diff_colors.h
 *	  What the boxes and stripes of a difference are filled with, by palette.
 *
 * Whatever the palette is, more and less are told apart, and what is not known to have
 * changed is the same grey:
 *
 *		warm	RdBu of ColorBrewer (Brewer 2003): red is more, blue is less
 *		safe	Okabe and Ito (2008): vermilion is more, blue is less
 *		grey	plain is more, lined is less, darker is further: for print without colours
 *
 * Classes go from light to dark.  What is new is dotted, what is gone is striped, in all of
 * them.  Text has a contrast of 4.5:1 on each ground and on its marks.
 */
#ifndef FG_DIFF_COLORS_H
#define FG_DIFF_COLORS_H

#include "core/picture/verdicts.h"
#include "core/svg/document.h"

/* What is the same, noise, or not tested; stripes: what is common, and the line above them. */
#define FG_COLOR_SAME			0xE0E0E0
#define FG_COLOR_COMMON			0x949494
#define FG_COLOR_STRIPE_EDGE	0xFFFFFF

extern FgFill fg_diff_fill(FgPalette palette, FgDiffState state);

/* A piece of a stripe; 0 .. 4 as FgPiece (change_parts.h). */
extern FgFill fg_stripe_fill(FgPalette palette, int piece);

/* The dashed border of what is new or gone. */
extern FgColor fg_diff_border(FgPalette palette, FgDiffState state);

/* What the legend says of stripes. */
extern const char *fg_stripe_words(FgPalette palette);

/* The patterns that fills of a palette name. */
extern const FgTexture *fg_diff_textures(FgPalette palette, uint32_t *count);

#endif							/* FG_DIFF_COLORS_H */
