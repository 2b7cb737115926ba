/*
 * diff_colors.c
 *	  Fills of differences (see diff_colors.h).
 */
#include "core/picture/diff_colors.h"

#include "core/picture/change_parts.h"

#define DOTS(ground, mark)		{"n", ground, mark, 5, 0, 1, 1, 2, 2}
#define STRIPES(ground, mark)	{"g", ground, mark, 5, -45, 0, 0, 2, 5}
#define LINES(name, ground, mark, size, width)	{name, ground, mark, size, 0, 0, 0, width, size}

/* The first two are those of what is new and gone, as every palette has them. */
static const FgTexture warm[] = {DOTS(0xB2182B, 0x67001F), STRIPES(0x2166AC, 0x053061)};
static const FgTexture safe[] = {DOTS(0x9E4600, 0x5C2900), STRIPES(0x004B75, 0x00253A)};

static const FgTexture grey[] = {
	DOTS(0x2B2B2B, 0x767676), STRIPES(0x2B2B2B, 0x767676), LINES("m1", 0xD4D4D4, 0x767676, 9, 1),
	LINES("m2", 0xD4D4D4, 0x767676, 6, 1), LINES("m3", 0xD4D4D4, 0x767676, 6, 2),
	LINES("l", 0x2B2B2B, 0x767676, 6, 1)
};

static const struct
{
	const FgTexture *textures;
	uint32_t	count;
	FgColor		more[FG_DIFF_CLASSES];
	FgColor		less[FG_DIFF_CLASSES];
	int			lined;			/* the texture of the first class of what is less; 0: plain */
	FgColor		grown;			/* in stripes */
	FgColor		shrunk;
	const char *stripe;
}			palettes[] = {
	[FG_PALETTE_WARM] = {
		warm, 2, {0xFDDBC7, 0xF4A582, 0xD6604D, 0xB2182B}, {0xD1E5F0, 0x92C5DE, 0x4393C3, 0x2166AC},
		0, 0xB2182B, 0x2166AC,
		"stripe of a box: grey common, red grown, dotted new, blue shrunk, striped gone"
	},
	[FG_PALETTE_SAFE] = {
		safe, 2, {0xFBDCC4, 0xF2A974, 0xD55E00, 0x9E4600}, {0xC9E2F2, 0x7FBCE0, 0x0072B2, 0x004B75},
		0, 0x9E4600, 0x004B75,
		"stripe of a box: grey common, orange grown, dotted new, blue shrunk, striped gone"
	},
	[FG_PALETTE_GREY] = {
		grey, 6, {0xC6C6C6, 0xA0A0A0, 0x6A6A6A, 0x2B2B2B}, {0xD4D4D4, 0xD4D4D4, 0xD4D4D4, 0x2B2B2B},
		2, 0x2B2B2B, 0xF4F4F4,
		"stripe of a box: grey common, dark grown, dotted new, light shrunk, striped gone"
	}
};

FgFill
fg_diff_fill(FgPalette palette, FgDiffState state)
{
	int			class = (int) state - (int) FG_DIFF_DECREASE;

	if (state == FG_DIFF_APPEARED || state == FG_DIFF_DISAPPEARED)
	{
		const FgTexture *texture = &palettes[palette].textures[state == FG_DIFF_DISAPPEARED];

		return (FgFill) {texture->ground, texture->name};
	}
	if (fg_is_increase(state))
		return (FgFill) {palettes[palette].more[state - FG_DIFF_INCREASE], NULL};
	if (!fg_is_decrease(state))
		return (FgFill) {FG_COLOR_SAME, NULL};
	return (FgFill) {
		palettes[palette].less[class],
		palettes[palette].lined == 0 ? NULL
		: palettes[palette].textures[palettes[palette].lined + class].name
	};
}

FgFill
fg_stripe_fill(FgPalette palette, int piece)
{
	switch (piece)
	{
		case FG_COMMON:
			return (FgFill) {FG_COLOR_COMMON, NULL};
		case FG_GROWN:
			return (FgFill) {palettes[palette].grown, NULL};
		case FG_SHRUNK:
			return (FgFill) {palettes[palette].shrunk, NULL};
		default:
			return fg_diff_fill(palette, piece == FG_APPEARED ? FG_DIFF_APPEARED
								: FG_DIFF_DISAPPEARED);
	}
}

FgColor
fg_diff_border(FgPalette palette, FgDiffState state)
{
	return palettes[palette].textures[state == FG_DIFF_DISAPPEARED].mark;
}

const char *
fg_stripe_words(FgPalette palette)
{
	return palettes[palette].stripe;
}

const FgTexture *
fg_diff_textures(FgPalette palette, uint32_t *count)
{
	*count = palettes[palette].count;
	return palettes[palette].textures;
}
