/*
 * heat_map_colors.c
 *	  Colours between those of nine steps (see heat_map_colors.h).
 */
#include "core/heat_maps/heat_map_colors.h"

#define STEPS 9

static const FgColor steps[2][STEPS] = {
	{0xFEF5B9, 0xE9D78B, 0xCCBB7F, 0xADA07B, 0x8D8579, 0x696D7A, 0x475572, 0x263E65, 0x002656},
	{0x2166AC, 0x4393C3, 0x92C5DE, 0xD1E5F0, 0xFFFFFF, 0xFDDBC7, 0xF4A582, 0xD6604D, 0xB2182B}
};

FgColor
fg_heat_color(FgHeatScale scale, double share)
{
	double		place = (share <= 0 ? 0 : share >= 1 ? 1 : share) * (STEPS - 1);
	int			step = place < STEPS - 1 ? (int) place : STEPS - 2;
	FgColor		from = steps[scale][step];
	FgColor		to = steps[scale][step + 1];
	FgColor		color = 0;

	for (int shift = 16; shift >= 0; shift -= 8)
	{
		int			a = (int) (from >> shift & 0xFF);
		int			b = (int) (to >> shift & 0xFF);

		color = color << 8 | (FgColor) (a + (b - a) * (place - step) + 0.5);
	}
	return color;
}
