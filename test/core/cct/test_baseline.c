/*
 * test_baseline.c
 *	  Arrows of a value beside its baseline, against their definition.
 */
#include "unit.h"

#include "core/cct/baseline.h"

#include <math.h>

static void
test_given_arrows(void)
{
	static const struct
	{
		double		baseline;
		double		current;
		FgArrow		arrow;
	}			rows[] = {
		/* table 3.2, the shown angle; the exact ones are those of golden baseline_table_3_2 */
		{0.1, 0.05, {90, 90, 0, 255, 0}}, {0.1, 0.067, {44.32835820895521, 44, 0, 125, 130}},
		{0.1, 0.083, {18.433734939759045, 18, 0, 51, 204}}, {0.1, 0.1, {0, 0, 0, 0, 255}},
		{0.1, 0.133, {-29.7, -29, 82, 0, 173}}, {0.1, 0.167, {-60.3, -60, 170, 0, 85}},
		{0.1, 0.2, {-90, -90, 255, 0, 0}},
		/* golden baseline_special */
		{0, 0, {0, 0, 0, 0, 255}}, {0.3, 0, {45, 45, 0, 128, 127}},
		{0, 0.3, {-45, -45, 128, 0, 127}}, {1, 0.25, {90, 90, 0, 255, 0}},
		{0.1, 0.9, {-90, -90, 255, 0, 0}}, {0.5, 0.5, {0, 0, 0, 0, 255}},
		/* far apart: the ratio may overflow or vanish */
		{1e-300, 1e300, {-90, -90, 255, 0, 0}}, {1e300, 1e-300, {90, 90, 0, 255, 0}},
		{5e-324, 1, {-90, -90, 255, 0, 0}}, {1, 5e-324, {90, 90, 0, 255, 0}},
		{0.5, 0.5000001, {-1.8e-05, 0, 0, 0, 255}}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgArrow		arrow = fg_arrow(rows[i].baseline, rows[i].current);

		unit_case("arrow from %g to %g", rows[i].baseline, rows[i].current);
		CHECK(unit_near(arrow.angle, rows[i].arrow.angle, 1e-6));
		CHECK(arrow.shown == rows[i].arrow.shown);
		CHECK(arrow.red == rows[i].arrow.red);
		CHECK(arrow.green == rows[i].arrow.green);
		CHECK(arrow.blue == rows[i].arrow.blue);
	}
}

/* Listing 3.6, with the test in its line 22 corrected. */
static double
listed_angle(double baseline, double current)
{
	double		change;

	if (baseline == 0)
		return current == 0 ? 0 : -45;
	if (current == 0)
		return 45;
	change = current / baseline;
	change = change < 0.5 ? 0.5 : change > 2 ? 2 : change;
	if (change >= 1)
		change = -1 * (change - 1);
	else
		change = (1 / change) - 1;
	return 90 * change;
}

static void
test_arrows(void)
{
	UnitRandom	random = {84};
	double		last = 91;

	unit_case("arrows as listing 3.6 has them");
	for (int round = 0; round < 20000; round++)
	{
		double		baseline = unit_below(&random, 1000) / 999.0;
		double		current = unit_below(&random, 3) == 0 ? unit_below(&random, 1000) / 999.0
			: baseline * (0.4 + unit_below(&random, 2000) / 1000.0);
		FgArrow		arrow = fg_arrow(baseline, current);
		double		angle = listed_angle(baseline, current);
		int			strength = (int) lround(255.0 * abs(arrow.shown) / 90);

		unit_note("[%.17g to %.17g]", baseline, current);
		CHECK(fabs(arrow.angle - angle) <= 1e-9);
		CHECK(arrow.shown == (int) arrow.angle);
		CHECK(arrow.red == (arrow.shown < 0 ? strength : 0));
		CHECK(arrow.green == (arrow.shown > 0 ? strength : 0));
		CHECK(arrow.blue == 255 - strength);
	}
	unit_case("the more, the further up");
	for (int i = 1; i < 300; i++)
	{
		double		angle = fg_arrow(1, i / 100.0).angle;

		CHECK(angle < last || angle == 90 || angle == -90);
		last = angle;
	}
}

int
main(void)
{
	test_given_arrows();
	test_arrows();
	return unit_finish();
}
