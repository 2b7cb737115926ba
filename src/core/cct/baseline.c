/*
 * baseline.c
 *	  The arrow between two shares (see baseline.h).
 */
#include "core/cct/baseline.h"

#include <math.h>

/*
 * Listing 3.6 of the thesis tests the clamped ratio for >= 0, which is always
 * true; with >= 1 it gives table 3.2.
 */
static double
change_angle(double baseline, double current)
{
	double		ratio;

	if (baseline == 0)
		return current == 0 ? 0 : -45;
	if (current == 0)
		return 45;
	ratio = fmax(0.5, fmin(2, current / baseline));
	return 90 * (ratio >= 1 ? 1 - ratio : 1 / ratio - 1);
}

FgArrow
fg_arrow(double baseline, double current)
{
	FgArrow		arrow = {.angle = change_angle(baseline, current)};
	int			colour;

	arrow.shown = (int) arrow.angle;
	colour = (int) floor(fabs((double) arrow.shown) * 255 / 90 + 0.5);
	arrow.red = arrow.shown < 0 ? colour : 0;
	arrow.green = arrow.shown > 0 ? colour : 0;
	arrow.blue = 255 - colour;
	return arrow;
}
