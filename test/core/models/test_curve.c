/*
 * test_curve.c
 *	  Formulas and curves: by hand, and against sums over many thin slices.
 */
#include "unit.h"

#include "core/models/curve.h"

#include <math.h>

static double
random_between(UnitRandom *random, double lo, double hi)
{
	return lo + (hi - lo) * unit_below(random, 1000000) / 1e6;
}

/* --- formulas ---------------------------------------------------------------------- */

static void
test_given_formulas(void)
{
	static const struct
	{
		const char *name;
		FgFormula formula;
		double		b[3];
		double		from;
		double		to;
		double		at_to;
		double		integral;
	}			rows[] = {
		{"constant", FG_CONSTANT, {3, 0, 0}, -1, 4, 3, 15},
		{"linear", FG_LINEAR, {1, 2, 0}, 1, 3, 7, 10},
		{"quadratic", FG_QUADRATIC, {1, 2, 3}, -1, 2, 17, 15},
		{"logarithmic from 0", FG_LOGARITHMIC, {2, 1, 0}, 0, 1, 2, 1},
		{"logarithmic, nothing at 0", FG_LOGARITHMIC, {2, 1, 0}, 0, 0, NAN, 0},
		{"logarithmic below 0", FG_LOGARITHMIC, {2, 1, 0}, -1, 1, 2, NAN},
		{"logarithmic to e", FG_LOGARITHMIC, {0, 1, 0}, 1, M_E, 1, 1},
		{"power", FG_POWER, {2, 3, 0}, 1, 2, 16, 7.5},
		{"power from 0", FG_POWER, {2, 0.5, 0}, 0, 4, 4, 32.0 / 3},
		{"power, an integrable pole", FG_POWER, {1, -0.5, 0}, 0, 4, 0.5, 4},
		{"power, no integral at 0", FG_POWER, {1, -1, 0}, 0, 4, 0.25, NAN},
		{"power, no value at 0", FG_POWER, {1, -1, 0}, -1, 0, NAN, NAN},
		{"power, value at 0", FG_POWER, {1, 0, 0}, 0, 0, 1, 0},
		{"power -1", FG_POWER, {3, -1, 0}, 2, 8, 0.375, 3 * 1.3862943611198906},
		{"power near -1", FG_POWER, {3, -1 + 1e-9, 0}, 2, 8, 0.375, 3 * 1.3862943611198906},
		{"exponential", FG_EXPONENTIAL, {3, 2, 0}, 0, 3, 24, 21 / 0.6931471805599453},
		{"exponential of 1", FG_EXPONENTIAL, {3, 1, 0}, 2, 6, 3, 12},
		{"falling exponential", FG_EXPONENTIAL, {2, 0.5, 0}, 1, 2, 0.5, 0.5 / 0.6931471805599453},
		{"exponential from far below", FG_EXPONENTIAL, {1, 2, 0}, -5000, 0, 1,
		1 / 0.6931471805599453},
		{"falling exponential to far", FG_EXPONENTIAL, {1, 0.5, 0}, 0, 5000, 0,
		1 / 0.6931471805599453},
		{"exponential of 0", FG_EXPONENTIAL, {1, 0, 0}, 0, 1, 0, NAN},
		{"exponential whose power overflows", FG_EXPONENTIAL, {0x1p-1000, 16, 0}, 256, 280,
		0x1p120, (0x1p120 - 0x1p24) / 2.772588722239781},
		{"exponential whose power vanishes", FG_EXPONENTIAL, {0x1p1000, 0.0625, 0}, 280, 300,
		0x1p-200, (0x1p-120 - 0x1p-200) / 2.772588722239781},
		{"power that overflows", FG_POWER, {0x1p-1000, 4, 0}, 0x1p279, 0x1p280, 0x1p120,
		0x1p400 * (1 - 0x1p-5) / 5},
		{"power that vanishes, from 0", FG_POWER, {0x1p1000, 4, 0}, 0, 0x1p-280, 0x1p-120,
		0x1p-400 / 5}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		const double *b = rows[i].b;
		double		value = fg_formula_value(rows[i].formula, b, rows[i].to);
		double		integral = fg_formula_integral(rows[i].formula, b, rows[i].from, rows[i].to);
		double		back = fg_formula_integral(rows[i].formula, b, rows[i].to, rows[i].from);

		unit_case("formula: %s", rows[i].name);
		CHECK(isnan(rows[i].at_to) ? isnan(value) : unit_near(value, rows[i].at_to, 1e-8));
		CHECK(isnan(rows[i].integral) ? isnan(integral) :
			  unit_near(integral, rows[i].integral, 1e-8));
		CHECK(isnan(rows[i].integral) ? isnan(back) : back == -integral);
	}
}

/* Simpson's rule with many intervals. */
static double
sliced_integral(FgFormula formula, const double *b, double from, double to)
{
	int			slices = 2000;
	double		sum = 0;

	for (int i = 0; i <= slices; i++)
	{
		double		t = from + (to - from) * i / slices;

		sum += fg_formula_value(formula, b, t) * (i == 0 || i == slices ? 1 : i % 2 == 1 ? 4 : 2);
	}
	return sum * (to - from) / slices / 3;
}

static void
test_sliced_formulas(void)
{
	UnitRandom	random = {11};

	unit_case("formulas: integrals are sums of slices");
	for (int round = 0; round < 600; round++)
	{
		FgFormula	formula = (FgFormula) (round % FG_FORMULAS);
		double		b[3] = {
			random_between(&random, 0.5, 5), random_between(&random, 0.2, 2),
			random_between(&random, -1, 3)
		};
		double		from = random_between(&random, 1, 5);
		double		width = round % 5 == 0 ? 1e-4 : random_between(&random, 0.01, 6);
		double		middle = from + width / 3;
		double		whole;

		unit_note("[round %d, formula %d]", round, (int) formula);
		if (formula == FG_POWER && round % 2 == 0)
			b[1] = -b[1];
		whole = fg_formula_integral(formula, b, from, from + width);
		CHECK_NEAR(whole, sliced_integral(formula, b, from, from + width), 1e-9);
		CHECK_NEAR(fg_formula_integral(formula, b, from, middle) +
				   fg_formula_integral(formula, b, middle, from + width), whole, 1e-11);
	}
}

/* --- curves by hand ----------------------------------------------------------------- */

static void
test_given_points(void)
{
	static const double x[] = {0, 1, 1, 2, 3, 4};
	static const double fitted[] = {NAN, 2, 4, 3, NAN, 5};
	static const double mixed_x[] = {4, 1, 2, 1};
	static const double mixed[] = {5, 4, 3, 2};
	FgContext	ctx = fg_malloc_context();
	FgCurve		curve;

	for (int sorted = 0; sorted < 2; sorted++)
	{
		unit_case("points: NaN left out, ties averaged%s", sorted ? "" : ", unsorted");
		if (!CHECK(sorted ? fg_curve_points(&ctx, x, fitted, 6, 0.5, &curve) :
				   fg_curve_points(&ctx, mixed_x, mixed, 4, 0.5, &curve)))
			continue;
		CHECK_COUNT(curve.n, 3);
		CHECK_DOUBLE(curve.start, 1);
		CHECK_DOUBLE(curve.end, 4);
		CHECK_DOUBLE(curve.r_square, 0.5);
		CHECK_DOUBLE(fg_curve_value(&curve, 1), 3);
		CHECK_DOUBLE(fg_curve_value(&curve, 2), 3);
		CHECK_DOUBLE(fg_curve_value(&curve, 3), 4);
		CHECK_DOUBLE(fg_curve_value(&curve, 4), 5);
		CHECK_DOUBLE(fg_curve_value(&curve, -10), 3);
		CHECK_DOUBLE(fg_curve_value(&curve, 10), 5);
		CHECK(isnan(fg_curve_value(&curve, NAN)));
		CHECK_DOUBLE(fg_curve_integral(&curve, 1, 4), 11);
		CHECK_DOUBLE(fg_curve_integral(&curve, 4, 1), -11);
		CHECK_DOUBLE(fg_curve_integral(&curve, 2, 3), 3.5);
		CHECK_DOUBLE(fg_curve_integral(&curve, -1, 1), 6);
		CHECK_DOUBLE(fg_curve_integral(&curve, 4, 6), 10);
		CHECK_DOUBLE(fg_curve_integral(&curve, 0, 6), 24);
		CHECK_DOUBLE(fg_curve_integral(&curve, 2.5, 2.5), 0);
		CHECK(isnan(fg_curve_integral(&curve, 1, INFINITY)));
		CHECK(isnan(fg_curve_integral(&curve, NAN, 1)));
		fg_curve_free(&ctx, &curve);
	}
}

static void
test_few_points(void)
{
	static const double nothing[] = {NAN, NAN};
	static const double infinite[] = {1, -INFINITY};
	static const double x[] = {2, 5};
	FgContext	ctx = fg_malloc_context();
	FgCurve		curve;

	unit_case("points: none");
	CHECK(fg_curve_points(&ctx, x, nothing, 2, NAN, &curve));
	CHECK(isnan(curve.start) && isnan(curve.end));
	CHECK(isnan(fg_curve_value(&curve, 2)));
	CHECK(isnan(fg_curve_integral(&curve, 2, 5)));
	fg_curve_free(&ctx, &curve);
	CHECK(fg_curve_points(&ctx, NULL, NULL, 0, NAN, &curve));
	CHECK(isnan(curve.start));
	fg_curve_free(&ctx, &curve);

	unit_case("points: one");
	CHECK(fg_curve_points(&ctx, x, infinite, 1, NAN, &curve));
	CHECK_DOUBLE(curve.start, 2);
	CHECK_DOUBLE(curve.end, 2);
	CHECK_DOUBLE(fg_curve_value(&curve, 7), 1);
	CHECK_DOUBLE(fg_curve_integral(&curve, 0, 3), 3);
	fg_curve_free(&ctx, &curve);

	unit_case("points: differences that overflow");
	{
		const double far[] = {-0x1p1023, 0x1.8p1023};

		CHECK(fg_curve_points(&ctx, far, far, 2, NAN, &curve));
		CHECK_NEAR(fg_curve_value(&curve, 0x1p1022), 0x1p1022, 1e-15);
		fg_curve_free(&ctx, &curve);
		CHECK(fg_curve_points(&ctx, x, far, 2, NAN, &curve));
		CHECK_NEAR(fg_curve_value(&curve, 3.5), 0x1p1021, 1e-15);
		fg_curve_free(&ctx, &curve);
	}

	unit_case("points: infinities");
	CHECK_ERROR(fg_curve_points(&ctx, x, infinite, 2, NAN, &curve), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_curve_points(&ctx, infinite, x, 2, NAN, &curve), &ctx, FG_ERROR_RANGE);
}

static void
test_given_steps(void)
{
	static const double edges[] = {0, 1, 2, 3, 4, 5};
	static const double values[] = {2, NAN, NAN, 4, 3};
	static const double late[] = {NAN, 2, 3};
	FgContext	ctx = fg_malloc_context();
	FgCurve		curve;

	unit_case("steps: an empty one takes the value on its left");
	CHECK(fg_curve_steps(&ctx, edges, values, 5, 1, &curve));
	CHECK_DOUBLE(curve.start, 0);
	CHECK_DOUBLE(curve.end, 5);
	CHECK_DOUBLE(fg_curve_value(&curve, 0), 2);
	CHECK_DOUBLE(fg_curve_value(&curve, 2.99), 2);
	CHECK_DOUBLE(fg_curve_value(&curve, 3), 4);
	CHECK_DOUBLE(fg_curve_value(&curve, 4), 3);
	CHECK_DOUBLE(fg_curve_value(&curve, 5), 3);
	CHECK(isnan(fg_curve_value(&curve, -0.01)) && isnan(fg_curve_value(&curve, 5.01)));
	CHECK_DOUBLE(fg_curve_integral(&curve, 0, 5), 13);
	CHECK_DOUBLE(fg_curve_integral(&curve, 2.5, 3.5), 3);
	CHECK_DOUBLE(fg_curve_integral(&curve, 3.5, 2.5), -3);
	CHECK_DOUBLE(fg_curve_integral(&curve, 5, 5), 0);
	CHECK(isnan(fg_curve_integral(&curve, -1, 5)) && isnan(fg_curve_integral(&curve, 0, 6)));
	fg_curve_free(&ctx, &curve);

	unit_case("steps: no value on the left");
	CHECK(fg_curve_steps(&ctx, edges, late, 3, 1, &curve));
	CHECK(isnan(fg_curve_value(&curve, 0.5)));
	CHECK(isnan(fg_curve_integral(&curve, 0.5, 3)));
	CHECK_DOUBLE(fg_curve_integral(&curve, 1, 3), 5);
	fg_curve_free(&ctx, &curve);

	unit_case("steps: none");
	CHECK(fg_curve_steps(&ctx, NULL, NULL, 0, 1, &curve));
	CHECK(isnan(fg_curve_value(&curve, 0)) && isnan(fg_curve_integral(&curve, 0, 1)));
	fg_curve_free(&ctx, &curve);
}

static void
test_formula_curve(void)
{
	double		b[] = {1, 2};
	FgContext	ctx = fg_malloc_context();
	FgCurve		curve = fg_curve_formula(FG_LINEAR, b, 1, 3, 0.75);

	unit_case("formula as a curve");
	CHECK_DOUBLE(curve.start, 1);
	CHECK_DOUBLE(curve.end, 3);
	CHECK_DOUBLE(curve.r_square, 0.75);
	CHECK_DOUBLE(fg_curve_value(&curve, 10), 21);
	CHECK_DOUBLE(fg_curve_integral(&curve, 1, 3), 10);
	CHECK_COUNT(fg_formula_coefficients(FG_CONSTANT), 1);
	CHECK_COUNT(fg_formula_coefficients(FG_QUADRATIC), 3);
	CHECK_COUNT(fg_formula_coefficients(FG_POWER), 2);
	fg_curve_free(&ctx, &curve);
}

/* --- random curves ------------------------------------------------------------------ */

#define MOST 40

/* The mean of what is at x[i], joined by lines; every point is looked at. */
static double
naive_points(const double *x, const double *y, size_t n, double t)
{
	double		left_x = -INFINITY;
	double		right_x = INFINITY;
	double		left = 0;
	double		right = 0;

	for (size_t i = 0; i < n; i++)
	{
		if (!isnan(y[i]) && x[i] <= t && x[i] > left_x)
			left_x = x[i];
		if (!isnan(y[i]) && x[i] >= t && x[i] < right_x)
			right_x = x[i];
	}
	for (int side = 0; side < 2; side++)
	{
		double		sum = 0;
		double		count = 0;

		for (size_t i = 0; i < n; i++)
		{
			if (isnan(y[i]) || x[i] != (side == 0 ? left_x : right_x))
				continue;
			sum += y[i];
			count++;
		}
		*(side == 0 ? &left : &right) = sum / count;
	}
	if (isinf(left_x))
		return right;
	if (isinf(right_x) || left_x == right_x)
		return left;
	return left + (right - left) * (t - left_x) / (right_x - left_x);
}

static double
naive_steps(const double *edges, const double *values, size_t n, double t)
{
	size_t		step = 0;

	for (size_t i = 0; i < n; i++)
	{
		if (edges[i] <= t)
			step = i;
	}
	while (isnan(values[step]))
		step--;
	return values[step];
}

static void
test_random_points(void)
{
	UnitRandom	random = {5};
	FgContext	ctx = fg_malloc_context();

	unit_case("random points");
	for (int round = 0; round < 300; round++)
	{
		double		x[MOST];
		double		y[MOST];
		size_t		n = 1 + unit_below(&random, MOST);
		FgCurve		curve;
		double		from = random_between(&random, -2, 12);
		double		to = from + random_between(&random, 0, 6);
		double		sum = 0;
		int			slices = 20000;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < n; i++)
		{
			/* few different ones, so that some are equal */
			x[i] = unit_below(&random, 20) / 2.0;
			y[i] = i > 0 && unit_below(&random, 6) == 0 ? NAN : random_between(&random, 1, 9);
		}
		if (!CHECK(fg_curve_points(&ctx, x, y, n, NAN, &curve)))
			continue;
		for (int i = 0; i < 50; i++)
		{
			double		t = i % 2 ? unit_below(&random, 20) / 2.0 : random_between(&random, -1, 11);

			CHECK_NEAR(fg_curve_value(&curve, t), naive_points(x, y, n, t), 1e-12);
		}
		for (int i = 0; i < slices; i++)
			sum += fg_curve_value(&curve, from + (to - from) * (i + 0.5) / slices);
		CHECK(fabs(fg_curve_integral(&curve, from, to) - sum * (to - from) / slices) < 1e-4);
		CHECK_NEAR(fg_curve_integral(&curve, from, (from + to) / 2) +
				   fg_curve_integral(&curve, (from + to) / 2, to),
				   fg_curve_integral(&curve, from, to), 1e-12);
		fg_curve_free(&ctx, &curve);
	}
}

static void
test_random_steps(void)
{
	UnitRandom	random = {6};
	FgContext	ctx = fg_malloc_context();

	unit_case("random steps");
	for (int round = 0; round < 300; round++)
	{
		double		edges[MOST + 1];
		double		values[MOST];
		size_t		n = 1 + unit_below(&random, MOST);
		FgCurve		curve;
		double		from;
		double		to;
		double		sum = 0;

		unit_note("[round %d]", round);
		edges[0] = random_between(&random, -5, 5);
		for (size_t i = 0; i < n; i++)
		{
			edges[i + 1] = edges[i] + random_between(&random, 0.1, 1);
			values[i] = i > 0 && unit_below(&random, 4) == 0 ? NAN : random_between(&random, 1, 9);
		}
		if (!CHECK(fg_curve_steps(&ctx, edges, values, n, NAN, &curve)))
			continue;
		for (int i = 0; i < 50; i++)
		{
			double		t = i % 2 ? edges[unit_below(&random, (uint32_t) n + 1)] :
				random_between(&random, edges[0], edges[n]);

			CHECK_DOUBLE(fg_curve_value(&curve, t), naive_steps(edges, values, n, t));
		}
		from = random_between(&random, edges[0], edges[n]);
		to = random_between(&random, from, edges[n]);
		for (size_t i = 0; i < n; i++)
			sum += naive_steps(edges, values, n, edges[i]) *
				fmax(0, fmin(to, edges[i + 1]) - fmax(from, edges[i]));
		CHECK_NEAR(fg_curve_integral(&curve, from, to), sum, 1e-12);
		fg_curve_free(&ctx, &curve);
	}
}

/* --- failures ----------------------------------------------------------------------- */

#define MANY (4 * FG_CHECK_NODES)

typedef struct Input
{
	size_t		n;
	double	   *x;
	double	   *y;
} Input;

static bool
run_points(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgCurve		curve;

	if (!fg_curve_points(ctx, input->x, input->y, input->n, NAN, &curve))
		return false;
	fg_curve_free(ctx, &curve);
	return true;
}

static bool
run_steps(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgCurve		curve;

	if (!fg_curve_steps(ctx, input->x, input->y, input->n - 1, NAN, &curve))
		return false;
	fg_curve_free(ctx, &curve);
	return true;
}

static void
test_failures(void)
{
	Input		input = {MANY, malloc(MANY * sizeof(double)), malloc(MANY * sizeof(double))};

	for (size_t i = 0; i < MANY; i++)
	{
		input.x[i] = (double) (i * 7 % MANY);
		input.y[i] = (double) (i % 10);
	}
	unit_sweep_interrupts("fg_curve_points", run_points, &input, 12);
	unit_sweep_interrupts("fg_curve_steps", run_steps, &input, 4);
	input.n = 20;
	unit_sweep_memory("fg_curve_points", run_points, &input);
	unit_sweep_memory("fg_curve_steps", run_steps, &input);
	free(input.x);
	free(input.y);
}

int
main(void)
{
	test_given_formulas();
	test_sliced_formulas();
	test_given_points();
	test_few_points();
	test_given_steps();
	test_formula_curve();
	test_random_points();
	test_random_steps();
	test_failures();
	return unit_finish();
}
