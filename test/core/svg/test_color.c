/*
 * test_color.c
 *	  Colours: each name its own, text readable on all of them.
 */
#include "unit.h"

#include "core/picture/diff_colors.h"

#include <math.h>
#include <string.h>

/* WCAG 2.1 in the long form, with the library's pow(). */
static double
light(FgColor color, int shift)
{
	double		c = (color >> shift & 0xFF) / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
contrast(FgColor a, FgColor b)
{
	double		la = 0.2126 * light(a, 16) + 0.7152 * light(a, 8) + 0.0722 * light(a, 0);
	double		lb = 0.2126 * light(b, 16) + 0.7152 * light(b, 8) + 0.0722 * light(b, 0);

	return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

static void
check_fill(FgColor fill)
{
	unit_note("#%06x", fill);
	CHECK(contrast(fill, fg_text_color(fill)) >= 4.5);
}

static void
test_contrast(void)
{
	UnitRandom	random = {1};

	unit_case("contrast as WCAG has it");
	CHECK_NEAR(fg_contrast(0x000000, 0xFFFFFF), 21, 1e-9);
	for (int i = 0; i < 1000; i++)
	{
		FgColor		a = (FgColor) unit_random(&random) & 0xFFFFFF;
		FgColor		b = (FgColor) unit_random(&random) & 0xFFFFFF;

		CHECK_NEAR(fg_contrast(a, b), contrast(a, b), 1e-3);
	}
	unit_case("text on every fill");
	for (int p = 0; p < 3; p++)
	{
		for (int s = 0; s < FG_SHADES; s++)
		{
			check_fill(fg_color_shade((FgPalette) p, s));
			CHECK(contrast(fg_color_shade((FgPalette) p, s), fg_background(FG_THEME_DARK)) >= 2);
		}
		for (int k = 0; k < FG_FRAME_KINDS; k++)
			check_fill(fg_color_of_kind((FgPalette) p, (FgFrameKind) k));
		for (int i = 0; i < 20000; i++)
		{
			char		name[40];
			size_t		length = (size_t) snprintf(name, sizeof(name), "m%d::f%d", i % 97, i);

			check_fill(fg_color_of_name(FG_COLOR_FRAME, (FgPalette) p, name, length));
			check_fill(fg_color_of_name(FG_COLOR_MODULE, (FgPalette) p, name, length));
		}
	}
	check_fill(FG_COLOR_ALL);
	check_fill(0x757575);		/* where black and white are nearly as good */
	CHECK(contrast(FG_COLOR_HATCH, 0) >= 4.5 && contrast(FG_COLOR_HATCH_LINE, 0) >= 4.5);
	unit_case("text on the background");
	for (int t = 0; t < 3; t++)
		CHECK(contrast(fg_background((FgTheme) t), fg_foreground((FgTheme) t)) >= 4.5);
	/* lines of the legend's squares, in light and dark */
	CHECK(contrast(0x888888, fg_background(FG_THEME_LIGHT)) >= 3);
	CHECK(contrast(0x888888, fg_background(FG_THEME_DARK)) >= 3);
	/* stripes of what stands for several */
	CHECK(contrast(FG_COLOR_HATCH_LINE, FG_COLOR_HATCH) >= 3);
}

static void
test_names(void)
{
	unit_case("colours by name");
	/* the test vectors of the authors of FNV-1a, 64 bits */
	CHECK(fg_fnv1a("", 0) == UINT64_C(0xcbf29ce484222325));
	CHECK(fg_fnv1a("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	CHECK(fg_fnv1a("foobar", 6) == UINT64_C(0x85944171f73967e8));
	/* h = 0x85944171f73967e8: r = 205 + h % 51, g = 80 + (h >> 8) % 150, b = (h >> 16) % 56 */
	CHECK_COUNT(fg_color_of_name(FG_COLOR_FRAME, FG_PALETTE_WARM, "foobar", 6),
				(205 + 9625390261332436968ull % 51) << 16 |
				(80 + 37599180708329831ull % 150) << 8 | 146871799641913ull % 56);
	CHECK_COUNT(fg_color_of_name(FG_COLOR_NONE, FG_PALETTE_WARM, "a", 1), FG_COLOR_ALL);
	CHECK_COUNT(fg_frame_kind("do_sys_[k]", 10), FG_KIND_KERNEL);
	CHECK_COUNT(fg_frame_kind("f_[j]", 5), FG_KIND_COMPILED);
	CHECK_COUNT(fg_frame_kind("f_[i]", 5), FG_KIND_INLINED);
	CHECK_COUNT(fg_frame_kind("f_[0]", 5), FG_KIND_INTERPRETED);
	CHECK_COUNT(fg_frame_kind("f_[1]", 5), FG_KIND_FIRST_TIER);
	CHECK_COUNT(fg_frame_kind("[unknown]", 9), FG_KIND_UNKNOWN);
	CHECK_COUNT(fg_frame_kind("f_[2]", 5), FG_KIND_NATIVE);
	CHECK_COUNT(fg_frame_kind("[k]", 3), FG_KIND_NATIVE);
	CHECK_COUNT(fg_frame_kind("f_[k", 4), FG_KIND_NATIVE);
	unit_case("one hue for a module");
	CHECK(fg_color_of_name(FG_COLOR_MODULE, FG_PALETTE_GREY, "a::b", 4) ==
		  fg_color_of_name(FG_COLOR_MODULE, FG_PALETTE_GREY, "a::c", 4));
}

static void
test_shades(void)
{
	unit_case("shades");
	CHECK(fg_shade_of_share(0, 10) == 0 && fg_shade_of_share(10, 10) == FG_SHADES - 1);
	CHECK(fg_shade_of_share(1.24, 10) == 0 && fg_shade_of_share(1.25, 10) == 1);
	CHECK(fg_shade_of_share(0, 0) == 0 && fg_shade_of_share(5e-324, 5e-324) == FG_SHADES - 1);
	for (uint32_t d = 0; d < 70000; d++)
	{
		int			step = fg_shade_of_depth(d + 1) - fg_shade_of_depth(d);

		if (!CHECK((step == 1 || step == -1) && fg_shade_of_depth(d) >= 0 &&
				   fg_shade_of_depth(d) < FG_SHADES))
			return;
	}
	for (int p = 0; p < 3; p++)
	{
		for (int s = 1; s < FG_SHADES; s++)
			CHECK(fg_contrast(fg_color_shade((FgPalette) p, s), 0xFFFFFF) >
				  fg_contrast(fg_color_shade((FgPalette) p, s - 1), 0xFFFFFF));
	}
}

/* Text on a ground can be read on its texture's marks, too. */
static void
check_textures(FgPalette palette)
{
	uint32_t	count;
	const FgTexture *textures = fg_diff_textures(palette, &count);

	for (uint32_t i = 0; i < count; i++)
	{
		FgColor		text = fg_text_color(textures[i].ground);

		unit_note("%s", textures[i].name);
		CHECK(contrast(textures[i].ground, text) >= 4.5);
		CHECK(contrast(textures[i].mark, text) >= 4.5);
		/* as the viewer takes it: black where the name has an m */
		CHECK_COUNT(text == 0, strchr(textures[i].name, 'm') != NULL);
	}
}

/* All fills of a palette are different, but for those that mean the same. */
static void
check_states(FgPalette palette)
{
	for (int a = FG_DIFF_UNTESTED; a < FG_DIFF_STATES; a++)
	{
		FgFill		fill = fg_diff_fill(palette, (FgDiffState) a);

		check_fill(fill.color);
		for (int b = FG_DIFF_UNTESTED; b < a; b++)
		{
			FgFill		other = fg_diff_fill(palette, (FgDiffState) b);

			unit_note("states %d and %d", a, b);
			CHECK(fill.color != other.color || fill.texture != other.texture);
		}
	}
	for (int c = 1; c < FG_DIFF_CLASSES; c++)
	{
		FgFill		more = fg_diff_fill(palette, (FgDiffState) (FG_DIFF_INCREASE + c));
		FgFill		before = fg_diff_fill(palette, (FgDiffState) (FG_DIFF_INCREASE + c - 1));

		CHECK(contrast(more.color, 0xFFFFFF) > contrast(before.color, 0xFFFFFF));
	}
}

static void
test_differences(void)
{
	unit_case("colours of differences");
	for (int p = 0; p < 3; p++)
	{
		check_textures((FgPalette) p);
		check_states((FgPalette) p);
		/* pieces of a stripe stand side by side */
		for (int piece = 1; piece < 5; piece++)
			CHECK(contrast(fg_stripe_fill((FgPalette) p, piece).color, FG_COLOR_COMMON) >= 1.9);
	}
	CHECK_COUNT(fg_diff_fill(FG_PALETTE_GREY, FG_DIFF_SAME).color, FG_COLOR_SAME);
}

int
main(void)
{
	test_differences();
	test_contrast();
	test_names();
	test_shades();
	return unit_finish();
}
