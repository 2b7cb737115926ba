/*
 * color.h
 *	  Colours of boxes: by name, module, kind, own share or depth, and the colour of text on
 *	  them.
 *
 * A colour is 0xRRGGBB.  Contrast is that of WCAG 2.1 (relative luminance, section 1.4.3):
 * black or white, whichever stands out more, has at least 4.58:1 on any colour.
 *
 * Colours by name come from the bytes of the name (FNV-1a of 64 bits), so a function has
 * the same one in every picture.
 */
#ifndef FG_COLOR_H
#define FG_COLOR_H

#include "core/base/context.h"

typedef uint32_t FgColor;

typedef enum FgColorMode
{
	FG_COLOR_FRAME,
	FG_COLOR_MODULE,
	FG_COLOR_KIND,
	FG_COLOR_SELF,
	FG_COLOR_DEPTH,
	FG_COLOR_NONE
} FgColorMode;

typedef enum FgPalette
{
	FG_PALETTE_WARM,
	FG_PALETTE_SAFE,			/* Okabe and Ito (2008): told apart by the colour-blind, too */
	FG_PALETTE_GREY
} FgPalette;

/* By what the suffix of a name says of the code. */
typedef enum FgFrameKind
{
	FG_KIND_NATIVE,				/* none of the others */
	FG_KIND_KERNEL,				/* _[k] */
	FG_KIND_COMPILED,			/* _[j] */
	FG_KIND_INLINED,			/* _[i] */
	FG_KIND_INTERPRETED,		/* _[0] */
	FG_KIND_FIRST_TIER,			/* _[1] */
	FG_KIND_UNKNOWN				/* [unknown] */
} FgFrameKind;

#define FG_FRAME_KINDS 7

/* Shares and depths have so many shades. */
#define FG_SHADES 8

/* The colour of hatched boxes, of their lines, and of the box "all". */
#define FG_COLOR_HATCH	0xE4E4E4
#define FG_COLOR_HATCH_LINE	0x808080
#define FG_COLOR_ALL	0xD9D9D9

extern uint64_t fg_fnv1a(const char *bytes, size_t length);

/* Only for FG_COLOR_FRAME, FG_COLOR_MODULE, FG_COLOR_KIND and FG_COLOR_NONE. */
extern FgColor fg_color_of_name(FgColorMode mode, FgPalette palette, const char *name,
								size_t length);

extern FgFrameKind fg_frame_kind(const char *name, size_t length);
extern FgColor fg_color_of_kind(FgPalette palette, FgFrameKind kind);

/* What legends call it. */
extern const char *fg_kind_name(FgFrameKind kind);

/* One of FG_SHADES, from light to dark. */
extern FgColor fg_color_shade(FgPalette palette, int shade);

/* The shade of self/total, and of a depth; depths come around again. */
extern int	fg_shade_of_share(double self, double total);
extern int	fg_shade_of_depth(uint32_t depth);

/* --- contrast --------------------------------------------------------------------- */

extern double fg_contrast(FgColor a, FgColor b);

/* Black or white. */
extern FgColor fg_text_color(FgColor fill);

#endif							/* FG_COLOR_H */
