/*
 * color.c
 *	  Colours (see color.h).
 */
#include "core/svg/color.h"

#include "core/svg/label.h"

#include <string.h>

/* Okabe and Ito (2008), with a grey for their black. */
static const FgColor okabe_ito[8] = {
	0xE69F00, 0x56B4E9, 0x009E73, 0xF0E442, 0x0072B2, 0xD55E00, 0xCC79A7, 0x999999
};

uint64_t
fg_fnv1a(const char *bytes, size_t length)
{
	uint64_t	hash = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char) bytes[i]) * UINT64_C(0x100000001B3);
	return hash;
}

static FgColor
rgb(unsigned red, unsigned green, unsigned blue)
{
	return red << 16 | green << 8 | blue;
}

/* "parts" sixteenths of white in a colour. */
static FgColor
lightened(FgColor color, unsigned parts)
{
	FgColor		result = 0;

	for (int shift = 16; shift >= 0; shift -= 8)
	{
		unsigned	channel = color >> shift & 0xFF;

		result = result << 8 | (channel + (255 - channel) * parts / 16);
	}
	return result;
}

/* --- names ------------------------------------------------------------------------ */

static FgColor
warm(uint64_t hash)
{
	return rgb(205 + (unsigned) (hash % 51), 80 + (unsigned) ((hash >> 8) % 150),
			   (unsigned) ((hash >> 16) % 56));
}

static FgColor
grey(uint64_t hash)
{
	unsigned	level = 0xB8 + (unsigned) (hash >> 8) % 0x40;

	return rgb(level, level, level);
}

static FgColor
color_of_frame(FgPalette palette, uint64_t hash)
{
	switch (palette)
	{
		case FG_PALETTE_SAFE:
			return lightened(okabe_ito[hash % 8], (unsigned) (hash >> 8) % 8);
		case FG_PALETTE_GREY:
			return grey(hash);
		default:
			return warm(hash);
	}
}

static FgColor
color_of_module(FgPalette palette, const char *name, size_t length)
{
	size_t		qualifiers = fg_label_qualifiers(name, length);
	uint64_t	module = fg_fnv1a(name, qualifiers);
	uint64_t	own = fg_fnv1a(name + qualifiers, length - qualifiers);

	if (palette == FG_PALETTE_GREY)
		return grey(module);
	return lightened(okabe_ito[module % 8], (unsigned) (own >> 8) % 8);
}

FgFrameKind
fg_frame_kind(const char *name, size_t length)
{
	if (length == 9 && memcmp(name, "[unknown]", 9) == 0)
		return FG_KIND_UNKNOWN;
	if (length < 4 || memcmp(name + length - 4, "_[", 2) != 0 || name[length - 1] != ']')
		return FG_KIND_NATIVE;
	switch (name[length - 2])
	{
		case 'k':
			return FG_KIND_KERNEL;
		case 'j':
			return FG_KIND_COMPILED;
		case 'i':
			return FG_KIND_INLINED;
		case '0':
			return FG_KIND_INTERPRETED;
		case '1':
			return FG_KIND_FIRST_TIER;
		default:
			return FG_KIND_NATIVE;
	}
}

FgColor
fg_color_of_kind(FgPalette palette, FgFrameKind kind)
{
	static const FgColor colors[FG_FRAME_KINDS] = {
		0xF0E442, 0xE69F00, 0x009E73, 0x56B4E9, 0xCC79A7, 0xD5A6C4, 0xBBBBBB
	};
	static const FgColor greys[FG_FRAME_KINDS] = {
		0xE4E4E4, 0x8C8C8C, 0xB8B8B8, 0xC7C7C7, 0xD6D6D6, 0xA9A9A9, 0x9A9A9A
	};

	return palette == FG_PALETTE_GREY ? greys[kind] : colors[kind];
}

const char *
fg_kind_name(FgFrameKind kind)
{
	static const char *const names[FG_FRAME_KINDS] = {
		"other", "kernel _[k]", "compiled _[j]", "inlined _[i]", "interpreted _[0]",
		"first tier _[1]", "[unknown]"
	};

	return names[kind];
}

FgColor
fg_color_of_name(FgColorMode mode, FgPalette palette, const char *name, size_t length)
{
	switch (mode)
	{
		case FG_COLOR_FRAME:
			return color_of_frame(palette, fg_fnv1a(name, length));
		case FG_COLOR_MODULE:
			return color_of_module(palette, name, length);
		case FG_COLOR_KIND:
			return fg_color_of_kind(palette, fg_frame_kind(name, length));
		default:
			return FG_COLOR_ALL;
	}
}

/* --- shades ----------------------------------------------------------------------- */

FgColor
fg_color_shade(FgPalette palette, int shade)
{
	/*
	 * Sequential scales of nine classes of ColorBrewer (Brewer 2003), YlOrRd and Blues,
	 * without the first, which cannot be told from paper, and with lighter ones at the end,
	 * which can be told from a dark page; and greys.
	 */
	static const FgColor shades[3][FG_SHADES] = {
		{0xFFEDA0, 0xFED976, 0xFEB24C, 0xFD8D3C, 0xFC4E2A, 0xE31A1C, 0xC10824, 0x9E0026},
		{0xDEEBF7, 0xC6DBEF, 0x9ECAE1, 0x6BAED6, 0x4292C6, 0x2979B9, 0x1561A9, 0x08509B},
		{0xE4E4E4, 0xD0D0D0, 0xBDBDBD, 0xA6A6A6, 0x909090, 0x787878, 0x626262, 0x4D4D4D}
	};

	return shades[palette][shade];
}

int
fg_shade_of_share(double self, double total)
{
	double		share = total > 0 ? self / total : 0;

	return share >= 1 ? FG_SHADES - 1 : (int) (share * FG_SHADES);
}

int
fg_shade_of_depth(uint32_t depth)
{
	/* up and down again, so that neighbours are always near */
	uint32_t	place = depth % (2 * FG_SHADES - 2);

	return (int) (place < FG_SHADES ? place : 2 * FG_SHADES - 2 - place);
}

/* --- contrast --------------------------------------------------------------------- */

/*
 * The light of a channel of sRGB (IEC 61966-2-1) of 65535.  A table, because no picture may
 * depend on how a library rounds pow().
 */
static const uint16_t channel_light[256] = {
	0, 20, 40, 60, 80, 99, 119, 139, 159, 179, 199, 219, 241, 264, 288, 313, 340, 367, 396,
	427, 458, 491, 526, 562, 599, 637, 677, 718, 761, 805, 851, 898, 947, 997, 1048, 1101,
	1156, 1212, 1270, 1330, 1391, 1453, 1517, 1583, 1651, 1720, 1790, 1863, 1937, 2013, 2090,
	2170, 2250, 2333, 2418, 2504, 2592, 2681, 2773, 2866, 2961, 3058, 3157, 3258, 3360, 3464,
	3570, 3678, 3788, 3900, 4014, 4129, 4247, 4366, 4488, 4611, 4736, 4864, 4993, 5124, 5257,
	5392, 5530, 5669, 5810, 5953, 6099, 6246, 6395, 6547, 6700, 6856, 7014, 7174, 7335, 7500,
	7666, 7834, 8004, 8177, 8352, 8528, 8708, 8889, 9072, 9258, 9445, 9635, 9828, 10022, 10219,
	10417, 10619, 10822, 11028, 11235, 11446, 11658, 11873, 12090, 12309, 12530, 12754, 12980,
	13209, 13440, 13673, 13909, 14146, 14387, 14629, 14874, 15122, 15371, 15623, 15878, 16135,
	16394, 16656, 16920, 17187, 17456, 17727, 18001, 18277, 18556, 18837, 19121, 19407, 19696,
	19987, 20281, 20577, 20876, 21177, 21481, 21787, 22096, 22407, 22721, 23038, 23357, 23678,
	24002, 24329, 24658, 24990, 25325, 25662, 26001, 26344, 26688, 27036, 27386, 27739, 28094,
	28452, 28813, 29176, 29542, 29911, 30282, 30656, 31033, 31412, 31794, 32179, 32567, 32957,
	33350, 33745, 34143, 34544, 34948, 35355, 35764, 36176, 36591, 37008, 37429, 37852, 38278,
	38706, 39138, 39572, 40009, 40449, 40891, 41337, 41785, 42236, 42690, 43147, 43606, 44069,
	44534, 45002, 45473, 45947, 46423, 46903, 47385, 47871, 48359, 48850, 49344, 49841, 50341,
	50844, 51349, 51858, 52369, 52884, 53401, 53921, 54445, 54971, 55500, 56032, 56567, 57105,
	57646, 58190, 58737, 59287, 59840, 60396, 60955, 61517, 62082, 62650, 63221, 63795, 64372,
	64952, 65535
};

static double
luminance(FgColor color)
{
	double		red = channel_light[color >> 16 & 0xFF];
	double		green = channel_light[color >> 8 & 0xFF];
	double		blue = channel_light[color & 0xFF];

	return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 65535;
}

double
fg_contrast(FgColor a, FgColor b)
{
	double		la = luminance(a);
	double		lb = luminance(b);

	return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}

FgColor
fg_text_color(FgColor fill)
{
	return fg_contrast(fill, 0x000000) >= fg_contrast(fill, 0xFFFFFF) ? 0x000000 : 0xFFFFFF;
}
