/*
 * test_graph.c
 *	  Arithmetic of graph benchmarks: the edges of its definitions.
 */
#include "unit.h"

#include "core/jobs/graph.h"

#include <float.h>
#include <math.h>

static void
test_quotient(void)
{
	unit_case("quotients that are no number");
	CHECK_DOUBLE(fg_quotient(1, 4), 0.25);
	CHECK_DOUBLE(fg_quotient(0, 4), 0);
	CHECK(isnan(fg_quotient(1, 0)));
	CHECK(isnan(fg_quotient(0, 0)));
	CHECK(isnan(fg_quotient(1e300, 1e-300)));
	CHECK(isnan(fg_quotient(INFINITY, 1)));
	CHECK(isnan(fg_quotient(NAN, 1)));
}

static void
test_matches(void)
{
	unit_case("within a ten thousandth of the reference");
	CHECK(fg_output_matches(1, 1.0000999));
	CHECK(!fg_output_matches(1, 1.0001001));
	CHECK(fg_output_matches(-1, -1.0000999));
	CHECK(!fg_output_matches(1, -1));
	CHECK(fg_output_matches(0, 0));
	CHECK(!fg_output_matches(0, DBL_TRUE_MIN));
	CHECK(fg_output_matches(DBL_TRUE_MIN, DBL_TRUE_MIN));
	CHECK(!fg_output_matches(DBL_MAX, -DBL_MAX));
	unit_case("infinite values and no numbers");
	CHECK(fg_output_matches(INFINITY, INFINITY));
	CHECK(!fg_output_matches(INFINITY, -INFINITY));
	CHECK(!fg_output_matches(INFINITY, DBL_MAX));
	CHECK(!fg_output_matches(1, INFINITY));
	CHECK(!fg_output_matches(NAN, NAN));
	CHECK(!fg_output_matches(1, NAN));
	CHECK(!fg_output_matches(NAN, INFINITY));
}

static void
test_variation(void)
{
	unit_case("coefficient of variation");
	/* 10, 12, 8: mean 10, squares 8, deviation 2 */
	CHECK_NEAR(fg_coefficient_of_variation(3, 30, 8), 0.2, 1e-15);
	CHECK(isnan(fg_coefficient_of_variation(0, 0, 0)));
	CHECK(isnan(fg_coefficient_of_variation(1, 5, 0)));
	CHECK(isnan(fg_coefficient_of_variation(2, 0, 2)));
	CHECK(isnan(fg_coefficient_of_variation(NAN, 5, 0)));
	CHECK(isnan(fg_coefficient_of_variation(2, NAN, 0)));
	CHECK_DOUBLE(fg_coefficient_of_variation(4, 4, 0), 0);
}

int
main(void)
{
	test_quotient();
	test_matches();
	test_variation();
	return unit_finish();
}
