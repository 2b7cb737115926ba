/*
 * heat_map_colors.h
 *	  The colours of heat maps: a number's place on a scale becomes a colour.
 *
 * Sequential scales go from light to dark through nine steps that are equally far apart in
 * lightness (CIE L* 96 to 16), yellow first and blue last, as cividis does (Nuñez, Anderton and
 * Renslow 2018): lightness alone gives the order, so it is the same for the colour-blind and in
 * print.  Diverging ones are white in the middle, blue below and red above, in the steps that
 * differences of profiles have (diff_colors.h).
 */
#ifndef FG_HEAT_MAP_COLORS_H
#define FG_HEAT_MAP_COLORS_H

#include "core/svg/color.h"

typedef enum FgHeatScale
{
	FG_HEAT_SEQUENTIAL,
	FG_HEAT_DIVERGING
} FgHeatScale;

/* share: 0 at the scale's beginning, 1 at its end; 0.5 is the white of diverging ones. */
extern FgColor fg_heat_color(FgHeatScale scale, double share);

#endif							/* FG_HEAT_MAP_COLORS_H */
