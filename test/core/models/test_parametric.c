/*
 * test_parametric.c
 *	  Parametric regression: exact formulas, normal equations in long double, parts cut
 *	  by hand, and points on which models do not exist.
 */
#include "unit.h"

#include "core/models/parametric.h"

#include <math.h>

#define ROOM 400

typedef struct Fitted
{
	FgParametric models[FG_FORMULAS];
	uint32_t	count;
	int			best;
} Fitted;

static double
uniform(UnitRandom *random)
{
	return (double) (unit_random(random) >> 11) * 0x1p-53;
}

static Fitted
fit(const double *x, const double *y, size_t n, unsigned wanted)
{
	FgContext	ctx = fg_malloc_context();
	Fitted		fitted;

	CHECK(fg_parametric_fit(&ctx, x, y, n, wanted, fitted.models, &fitted.count, &fitted.best));
	for (uint32_t i = 0; i < fitted.count; i++)
	{
		CHECK(fitted.models[i].best == ((int) i == fitted.best));
		CHECK(i == 0 || fitted.models[i].formula > fitted.models[i - 1].formula);
	}
	return fitted;
}

static const FgParametric *
find(const Fitted *fitted, FgFormula formula)
{
	for (uint32_t i = 0; i < fitted->count; i++)
	{
		if (fitted->models[i].formula == formula)
			return &fitted->models[i];
	}
	return NULL;
}

static unsigned
formulas_of(const Fitted *fitted)
{
	unsigned	set = 0;

	for (uint32_t i = 0; i < fitted->count; i++)
		set |= FG_FORMULA_BIT(fitted->models[i].formula);
	return set;
}

static bool
near(double got, double expected, double absolute)
{
	return fabs(got - expected) <= absolute;
}

/* --- words ---------------------------------------------------------------------- */

static void
test_words(void)
{
	FgContext	ctx = fg_malloc_context();
	FgFormula	formula;

	unit_case("words of formulas, there and back");
	for (int f = 0; f < FG_FORMULAS; f++)
	{
		const char *word = fg_formula_word((FgFormula) f);

		CHECK(fg_formula_parse(&ctx, word, strlen(word), &formula));
		CHECK_COUNT(formula, f);
	}
	CHECK(strcmp(fg_formula_word(FG_LOGARITHMIC), "logarithmic") == 0);
	unit_case("unknown formulas");
	CHECK_ERROR(fg_formula_parse(&ctx, "linear ", 7, &formula), &ctx, FG_ERROR_ARGUMENT);
	CHECK(strcmp(ctx.error.reason, "unrecognized model \"linear \"") == 0);
	CHECK(ctx.error.hint != NULL && strstr(ctx.error.hint, "exponential") != NULL);
	CHECK_ERROR(fg_formula_parse(&ctx, "linea", 5, &formula), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_formula_parse(&ctx, "", 0, &formula), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_formula_parse(&ctx, "Linear", 6, &formula), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_formula_parse(&ctx,
								 "0123456789012345678901234567890123456789012345678901234567890",
								 61, &formula), &ctx, FG_ERROR_ARGUMENT);
	CHECK(strcmp(ctx.error.reason, "unrecognized model") == 0);
}

/* --- exact formulas ------------------------------------------------------------- */

static void
test_exact(void)
{
	static const struct
	{
		FgFormula	formula;
		double		b[3];
		double		start;
	}			rows[] = {
		{FG_CONSTANT, {7.25, 0, 0}, -3}, {FG_LOGARITHMIC, {1, 2, 0}, 1},
		{FG_LINEAR, {3, -2, 0}, -5}, {FG_QUADRATIC, {1, -2, 0.5}, -4}, {FG_POWER, {2, 2.5, 0}, 1},
		{FG_POWER, {2, -0.5, 0}, 1}, {FG_EXPONENTIAL, {3, 0.5, 0}, -2},
		{FG_EXPONENTIAL, {0.25, 1.5, 0}, 0}
	};

	for (size_t r = 0; r < COUNT(rows); r++)
	{
		double		x[10];
		double		y[10];
		Fitted		fitted;
		const FgParametric *model;

		unit_case("exact: %s %zu", fg_formula_word(rows[r].formula), r);
		for (int i = 0; i < 10; i++)
		{
			x[i] = rows[r].start + i;
			y[i] = fg_formula_value(rows[r].formula, rows[r].b, x[i]);
		}
		fitted = fit(x, y, 10, FG_ALL_FORMULAS);
		if (!CHECK(fitted.best >= 0))
			continue;
		model = &fitted.models[fitted.best];
		CHECK_COUNT(model->formula, rows[r].formula);
		CHECK_COUNT(model->nb, ((uint32_t[]) {1, 2, 2, 3, 2, 2})[rows[r].formula]);
		for (int k = 0; k < 3; k++)
			CHECK(near(model->b[k], rows[r].b[k], 1e-13));
		CHECK_NEAR(model->r_square, 1, 1e-14);
		CHECK_NEAR(model->r_square_y, 1, 1e-14);
		CHECK_COUNT(model->n_used, 10);
		CHECK_DOUBLE(model->x_start, x[0]);
		CHECK_DOUBLE(model->x_end, x[9]);
	}
}

static void
test_by_hand(void)
{
	static const double x[] = {4, 1, 2};
	static const double y[] = {1.25, 3, 4.5};
	Fitted		fitted;

	unit_case("three points by hand");
	fitted = fit(x, y, 3, FG_ALL_FORMULAS);
	CHECK_COUNT(fitted.count, 6);
	CHECK_COUNT(fitted.models[fitted.best].formula, FG_QUADRATIC);
	CHECK_NEAR(find(&fitted, FG_CONSTANT)->b[0], 8.75 / 3, 1e-15);
	CHECK(near(find(&fitted, FG_CONSTANT)->r_square, 0, 1e-14));
	CHECK(near(find(&fitted, FG_CONSTANT)->r_square_y, 0, 1e-14));
	CHECK_NEAR(find(&fitted, FG_LINEAR)->b[0], 4.625, 1e-15);
	CHECK_NEAR(find(&fitted, FG_LINEAR)->b[1], -41.0 / 56, 1e-15);
	CHECK_NEAR(find(&fitted, FG_QUADRATIC)->b[0], -7.0 / 12, 1e-13);
	CHECK_NEAR(find(&fitted, FG_QUADRATIC)->b[1], 4.625, 1e-13);
	CHECK_NEAR(find(&fitted, FG_QUADRATIC)->b[2], -25.0 / 24, 1e-13);

	unit_case("without order, the same in any order");
	{
		static const double x2[] = {1, 2, 4};
		static const double y2[] = {3, 4.5, 1.25};
		Fitted		sorted = fit(x2, y2, 3, FG_ALL_FORMULAS);

		for (uint32_t i = 0; i < 6; i++)
			CHECK_NEAR(sorted.models[i].r_square_y, fitted.models[i].r_square_y, 1e-13);
	}
}

/* --- models that do not exist --------------------------------------------------- */

static void
test_few_points(void)
{
	double		x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	double		y[8] = {2, 4, 3, 5, 4, 6, 5, 9};
	Fitted		fitted;

	unit_case("fewer than three points");
	for (size_t n = 0; n < 3; n++)
	{
		fitted = fit(x, y, n, FG_ALL_FORMULAS);
		CHECK_COUNT(fitted.count, 0);
		CHECK(fitted.best == -1);
	}
	unit_case("three points");
	CHECK_COUNT(formulas_of(&(Fitted) {.count = 0}), 0);
	fitted = fit(x, y, 3, FG_ALL_FORMULAS);
	CHECK_COUNT(formulas_of(&fitted), FG_ALL_FORMULAS);

	unit_case("no formula is wanted");
	fitted = fit(x, y, 8, 0);
	CHECK_COUNT(fitted.count, 0);
	CHECK(fitted.best == -1);
}

static void
test_equal(void)
{
	double		x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	double		y[8] = {2, 4, 3, 5, 4, 6, 5, 9};
	Fitted		fitted;

	unit_case("all x equal");
	fitted = fit((double[]) {4, 4, 4, 4}, y, 4, FG_ALL_FORMULAS);
	CHECK_COUNT(formulas_of(&fitted), 1U << FG_CONSTANT);
	CHECK_DOUBLE(fitted.models[0].b[0], 3.5);
	CHECK_DOUBLE(fitted.models[0].r_square, 1);
	CHECK(near(fitted.models[0].r_square_y, 0, 1e-15));
	CHECK(fitted.best == 0);

	unit_case("two different x: no quadratic");
	fitted = fit((double[]) {2, 2, 5, 5, 5}, y, 5, FG_ALL_FORMULAS);
	CHECK_COUNT(formulas_of(&fitted), FG_ALL_FORMULAS & ~(1U << FG_QUADRATIC));

	unit_case("x that differ, but their logarithms do not");
	fitted = fit((double[]) {0x1p52, 0x1p52 + 1, 0x1p52 + 2}, y, 3, FG_ALL_FORMULAS);
	CHECK(find(&fitted, FG_LOGARITHMIC) == NULL && find(&fitted, FG_LINEAR) != NULL);

	unit_case("all y equal");
	for (int i = 0; i < 8; i++)
		y[i] = 0.1;
	fitted = fit(x, y, 8, FG_ALL_FORMULAS);
	CHECK_COUNT(formulas_of(&fitted), FG_ALL_FORMULAS);
	CHECK(fitted.best == 0);
	for (uint32_t i = 0; i < 6; i++)
	{
		CHECK_DOUBLE(fitted.models[i].r_square, i == 0);
		CHECK_DOUBLE(fitted.models[i].r_square_y, 1);
	}
	CHECK_DOUBLE(find(&fitted, FG_LINEAR)->b[0], 0.1);
	CHECK_DOUBLE(find(&fitted, FG_QUADRATIC)->b[2], 0);
}

static void
test_not_positive(void)
{
	static const unsigned no_log_x = FG_ALL_FORMULAS & ~(1U << FG_LOGARITHMIC | 1U << FG_POWER);
	static const unsigned no_log_y = FG_ALL_FORMULAS & ~(1U << FG_EXPONENTIAL | 1U << FG_POWER);
	double		x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	double		y[8] = {2, 4, 3, 5, 4, 6, 5, 9};
	Fitted		fitted;

	unit_case("y that is not positive");
	memcpy(y, (double[]) {-2, -4, -3, -5, -4, -6, -5, -9}, sizeof(y));
	fitted = fit(x, y, 8, FG_ALL_FORMULAS);
	CHECK_COUNT(formulas_of(&fitted), no_log_y);
	y[5] = y[7] = 1;
	fitted = fit(x, y, 8, FG_ALL_FORMULAS);
	CHECK_COUNT(formulas_of(&fitted), no_log_y);
	y[3] = 2;
	fitted = fit(x, y, 8, FG_ALL_FORMULAS);
	CHECK_COUNT(formulas_of(&fitted), FG_ALL_FORMULAS);
	CHECK_COUNT(find(&fitted, FG_POWER)->n_used, 3);
	CHECK_DOUBLE(find(&fitted, FG_POWER)->x_start, 4);
	CHECK_DOUBLE(find(&fitted, FG_POWER)->x_end, 8);
	CHECK_COUNT(find(&fitted, FG_LINEAR)->n_used, 8);

	unit_case("x that is not positive");
	memcpy(y, (double[]) {2, 4, 3, 5, 4, 6, 5, 9}, sizeof(y));
	memcpy(x, (double[]) {-3, -2, -1, 0, 0, 0, 1, 2}, sizeof(x));
	fitted = fit(x, y, 8, FG_ALL_FORMULAS);
	CHECK_COUNT(formulas_of(&fitted), no_log_x);
	x[5] = 0.5;
	fitted = fit(x, y, 8, FG_ALL_FORMULAS);
	CHECK_COUNT(find(&fitted, FG_LOGARITHMIC)->n_used, 3);
	CHECK_DOUBLE(find(&fitted, FG_LOGARITHMIC)->x_start, 0.5);
	CHECK_COUNT(find(&fitted, FG_EXPONENTIAL)->n_used, 8);
}

static void
test_overflow(void)
{
	double		x[5];
	double		y[5];
	Fitted		fitted;

	unit_case("bases of exponentials that overflow or vanish");
	for (int sign = -1; sign <= 1; sign += 2)
	{
		for (int i = 0; i < 5; i++)
		{
			x[i] = 1e-4 * i;
			y[i] = exp(sign * 1e4 * x[i]) * (1 + 0.1 * (i == 2));
		}
		fitted = fit(x, y, 5, FG_ALL_FORMULAS);
		CHECK(find(&fitted, FG_EXPONENTIAL) == NULL && find(&fitted, FG_LINEAR) != NULL);
	}
	unit_case("factors of powers that vanish");
	for (int i = 0; i < 5; i++)
	{
		x[i] = 1000 + i;
		y[i] = pow(x[i] / 1000, 200);
	}
	fitted = fit(x, y, 5, FG_ALL_FORMULAS);
	CHECK(find(&fitted, FG_POWER) == NULL && find(&fitted, FG_EXPONENTIAL) != NULL);
}

static void
test_overflow_of_sums(void)
{
	double		x[5];
	double		y[5];
	Fitted		fitted;
	const FgParametric *line;

	unit_case("squares that would overflow or vanish");
	for (int e = -300; e <= 300; e += 100)
	{
		unit_note("[1e%d]", e);
		for (int i = 0; i < 5; i++)
		{
			x[i] = pow(10, e) * (i + 1);
			y[i] = pow(10, e) * (i == 2 ? 4 : i + 1);
		}
		fitted = fit(x, y, 5, 1U << FG_LINEAR);
		if (!CHECK(fitted.count == 1))
			continue;
		CHECK_NEAR(fitted.models[0].b[1], 1, 1e-13);
		CHECK_NEAR(fitted.models[0].r_square, 1 / 1.08, 1e-13);
		CHECK_NEAR(fitted.models[0].r_square_y, 1 / 1.08, 1e-13);
	}
	unit_case("slopes that overflow");
	fitted = fit((double[]) {1e-200, 2e-200, 3e-200}, (double[]) {1e200, 2e200, 4e200}, 3,
				 1U << FG_LINEAR | 1U << FG_POWER);
	CHECK_COUNT(formulas_of(&fitted), 0);
	unit_case("sums that would overflow");
	for (int i = 0; i < 5; i++)
	{
		x[i] = i;
		y[i] = 0x1p1023 + i * 0x1p1020;
	}
	fitted = fit(x, y, 5, FG_ALL_FORMULAS);
	line = find(&fitted, FG_LINEAR);
	CHECK(line != NULL);
	CHECK_DOUBLE(line->b[0], 0x1p1023);
	CHECK_DOUBLE(line->b[1], 0x1p1020);
	CHECK_DOUBLE(line->r_square_y, 1);

	unit_case("a range that overflows leaves no line");
	fitted = fit((double[]) {-1.7e308, 0, 1.7e308}, (double[]) {1, 2, 4}, 3, FG_ALL_FORMULAS);
	CHECK(find(&fitted, FG_CONSTANT) != NULL);
}

/* --- against plain sums --------------------------------------------------------- */

static void
check_line(const FgParametric *model, const double *x, const double *y, size_t n)
{
	bool		log_x = model->formula == FG_LOGARITHMIC || model->formula == FG_POWER;
	bool		log_y = model->formula == FG_POWER || model->formula == FG_EXPONENTIAL;
	long double s[5] = {0, 0, 0, 0, 0};
	long double k = 0;
	long double slope;
	long double start;
	long double square;

	for (size_t i = 0; i < n; i++)
	{
		long double u = log_x ? logl(x[i]) : x[i];
		long double v = log_y ? logl(y[i]) : y[i];

		if ((log_x && x[i] <= 0) || (log_y && y[i] <= 0))
			continue;
		k++;
		s[0] += u;
		s[1] += v;
		s[2] += u * u;
		s[3] += u * v;
		s[4] += v * v;
	}
	slope = (s[3] - s[0] * s[1] / k) / (s[2] - s[0] * s[0] / k);
	start = s[1] / k - slope * s[0] / k;
	square = slope * (s[3] - s[0] * s[1] / k) / (s[4] - s[1] * s[1] / k);
	CHECK_COUNT(model->n_used, (uint64_t) k);
	CHECK_NEAR(model->b[0], (double) (log_y ? expl(start) : start), 1e-11);
	CHECK_NEAR(model->b[1], (double) (model->formula == FG_EXPONENTIAL ? expl(slope) : slope),
			   1e-11);
	CHECK(near(model->r_square, (double) square, 1e-12));
}

/* A minimum of the squares: the residuals are orthogonal to 1, x and x^2. */
static void
check_parabola(const FgParametric *model, const double *x, const double *y, size_t n)
{
	for (int power = 0; power < 3; power++)
	{
		long double sum = 0;
		long double size = 0;

		for (size_t i = 0; i < n; i++)
		{
			long double t = x[i];
			long double fitted = model->b[0] + t * (model->b[1] + t * model->b[2]);

			sum += (y[i] - fitted) * powl(x[i], power);
			size += fabsl(y[i] * powl(x[i], power));
		}
		CHECK(fabsl(sum) <= 1e-12L * size);
	}
}

static void
check_r_square_y(const FgParametric *model, const double *x, const double *y, size_t n)
{
	bool		log_x = model->formula == FG_LOGARITHMIC || model->formula == FG_POWER;
	bool		log_y = model->formula == FG_POWER || model->formula == FG_EXPONENTIAL;
	long double sum = 0;
	long double left = 0;
	long double total = 0;

	for (size_t i = 0; i < n; i++)
		sum += (log_x && x[i] <= 0) || (log_y && y[i] <= 0) ? 0 : y[i];
	for (size_t i = 0; i < n; i++)
	{
		if ((log_x && x[i] <= 0) || (log_y && y[i] <= 0))
			continue;
		left += powl(y[i] - fg_formula_value(model->formula, model->b, x[i]), 2);
		total += powl(y[i] - sum / model->n_used, 2);
	}
	CHECK(near(model->r_square_y, (double) (1 - left / total), 1e-10));
}

static void
test_random(void)
{
	UnitRandom	random = {3};

	unit_case("random points");
	for (int round = 0; round < 300; round++)
	{
		size_t		n = 3 + unit_below(&random, 60);
		double		x[64];
		double		y[64];
		double		others = 0;
		Fitted		fitted;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < n; i++)
		{
			x[i] = uniform(&random) * 20 - (round % 3 == 0 ? 5 : 0);
			y[i] = (round % 4 - 1.5) * x[i] + uniform(&random) * 10;
		}
		fitted = fit(x, y, n, FG_ALL_FORMULAS);
		for (uint32_t i = 0; i < fitted.count; i++)
		{
			const FgParametric *model = &fitted.models[i];

			if (model->formula != FG_CONSTANT)
				others = fmax(others, model->r_square);
			if (model->formula == FG_QUADRATIC)
				check_parabola(model, x, y, n);
			else if (model->formula != FG_CONSTANT)
				check_line(model, x, y, n);
			check_r_square_y(model, x, y, n);
		}
		CHECK_NEAR(fitted.models[0].r_square, 1 - others, 1e-15);
		/* the constant is as good without the others, too */
		{
			double		alone = fitted.models[0].r_square;

			fitted = fit(x, y, n, 1U << FG_CONSTANT | 1U << FG_POWER);
			CHECK_DOUBLE(fitted.models[0].r_square, alone);
			CHECK(fitted.count <= 2);
		}
	}
}

static void
test_large_offset(void)
{
	double		x[50];
	double		y[50];
	Fitted		fitted;

	unit_case("x far from 0");
	for (int i = 0; i < 50; i++)
	{
		x[i] = 1e9 + i;
		y[i] = 5 * i + (i % 2 ? 0.25 : -0.25);
	}
	fitted = fit(x, y, 50, FG_ALL_FORMULAS);
	CHECK_NEAR(find(&fitted, FG_LINEAR)->b[1], 5 + 6.25 / 10412.5, 1e-9);
	CHECK_NEAR(find(&fitted, FG_LINEAR)->b[0], -5e9, 1e-3);
	CHECK(find(&fitted, FG_QUADRATIC)->r_square >= find(&fitted, FG_LINEAR)->r_square - 1e-13);
}

/* --- parts ---------------------------------------------------------------------- */

static bool
same_model(const FgParametric *a, const FgParametric *b)
{
	return a->formula == b->formula && memcmp(a->b, b->b, sizeof(a->b)) == 0 &&
		a->r_square == b->r_square && a->r_square_y == b->r_square_y &&
		a->n_used == b->n_used && a->x_start == b->x_start && a->x_end == b->x_end && a->best;
}

static void
test_interval(void)
{
	static const int64_t bad[] = {INT64_MIN, -1, 0, 4, 10, INT64_MAX};
	FgContext	ctx = fg_malloc_context();
	FgParametric *models;
	size_t		count;
	double		x[11];
	double		y[11];

	for (int i = 0; i < 11; i++)
	{
		x[i] = i - 3;
		y[i] = i % 4 == 0 ? 5 : i;
	}
	unit_case("parts of 11 points");
	for (int steps = 1; steps <= 3; steps++)
	{
		size_t		start = 0;

		CHECK(fg_parametric_interval(&ctx, x, y, 11, steps, FG_ALL_FORMULAS, &models, &count));
		CHECK_COUNT(count, steps);
		for (int i = 0; i < steps; i++)
		{
			size_t		length = (size_t) (11 / steps + (i < 11 % steps));
			Fitted		fitted = fit(x + start, y + start, length, FG_ALL_FORMULAS);

			CHECK(same_model(&models[i], &fitted.models[fitted.best]));
			start += length;
		}
		fg_release(&ctx, models);
	}
	unit_case("parts without a model are left out");
	CHECK(fg_parametric_interval(&ctx, x, y, 11, 3, 1U << FG_LOGARITHMIC, &models, &count));
	CHECK_COUNT(count, 2);
	CHECK_DOUBLE(models[0].x_start, 1);
	CHECK_DOUBLE(models[1].x_start, 5);
	fg_release(&ctx, models);
	unit_case("steps out of range");
	for (size_t i = 0; i < COUNT(bad); i++)
	{
		CHECK_ERROR(fg_parametric_interval(&ctx, x, y, 11, bad[i], FG_ALL_FORMULAS, &models,
										   &count), &ctx, FG_ERROR_ARGUMENT);
		CHECK(models == NULL && ctx.error.hint != NULL);
		CHECK(strstr(ctx.error.reason, "steps") != NULL);
	}
	unit_case("parts of no points");
	CHECK_ERROR(fg_parametric_interval(&ctx, x, y, 0, 0, FG_ALL_FORMULAS, &models, &count), &ctx,
				FG_ERROR_ARGUMENT);
	CHECK(fg_parametric_interval(&ctx, x, y, 0, 3, FG_ALL_FORMULAS, &models, &count));
	CHECK_COUNT(count, 0);
	fg_release(&ctx, models);
}

/* The definition, step by step. */
static void
naive_bisection(const double *x, const double *y, size_t n, unsigned wanted,
				const FgParametric *whole, FgParametric *list, size_t *count)
{
	size_t		first = n / 2 + n % 2;
	Fitted		half[2];

	if (n >= 6)
	{
		half[0] = fit(x, y, first, wanted);
		half[1] = fit(x + first, y + first, n - first, wanted);
	}
	if (n < 6 || half[0].best < 0 || half[1].best < 0 ||
		(half[0].models[half[0].best].formula == whole->formula &&
		 half[1].models[half[1].best].formula == whole->formula))
	{
		list[(*count)++] = *whole;
		return;
	}
	for (int i = 0; i < 2; i++)
	{
		const FgParametric *best = &half[i].models[half[i].best];

		if (best->formula != whole->formula)
			naive_bisection(i == 0 ? x : x + first, i == 0 ? y : y + first,
							i == 0 ? first : n - first, wanted, best, list, count);
		else
			list[(*count)++] = *best;
	}
}

static void
test_bisection(void)
{
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {9};
	size_t		most = 0;
	double		x[ROOM];
	double		y[ROOM];
	FgParametric *models;
	size_t		count;

	unit_case("bisection against its definition");
	for (int round = 0; round < 60; round++)
	{
		size_t		n = unit_below(&random, round < 40 ? 30 : ROOM);
		unsigned	wanted = round % 3 == 0 ? FG_ALL_FORMULAS : 1 + unit_below(&random, 63);
		FgParametric list[ROOM];
		size_t		expected = 0;
		Fitted		whole;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < n; i++)
		{
			x[i] = (double) i - (round % 2 ? 8 : -1);
			y[i] = uniform(&random) * 4 + (i < n / 2 ? x[i] : 0.1 * x[i] * x[i]);
		}
		whole = fit(x, y, n, wanted);
		if (whole.best >= 0)
			naive_bisection(x, y, n, wanted, &whole.models[whole.best], list, &expected);
		CHECK(fg_parametric_bisection(&ctx, x, y, n, wanted, &models, &count));
		if (CHECK_COUNT(count, expected))
		{
			for (size_t i = 0; i < count; i++)
				CHECK(same_model(&models[i], &list[i]));
		}
		most = count > most ? count : most;
		fg_release(&ctx, models);
	}
	CHECK(most > 3);
}

/* --- memory and interrupts ------------------------------------------------------ */

typedef struct Points
{
	double	   *x;
	double	   *y;
	size_t		n;
} Points;

static bool
fit_all_ways(FgContext *ctx, void *arg)
{
	Points	   *p = arg;
	FgParametric models[FG_FORMULAS];
	FgParametric *list = NULL;
	uint32_t	count;
	size_t		parts;
	int			best;
	bool		ok = fg_parametric_fit(ctx, p->x, p->y, p->n, FG_ALL_FORMULAS, models, &count,
									   &best) &&
		fg_parametric_interval(ctx, p->x, p->y, p->n, 3, FG_ALL_FORMULAS, &list, &parts);

	if (!ok)
		return false;
	fg_release(ctx, list);
	if (!fg_parametric_bisection(ctx, p->x, p->y, p->n, FG_ALL_FORMULAS, &list, &parts))
		return false;
	fg_release(ctx, list);
	return true;
}

static void
test_sweeps(void)
{
	UnitRandom	random = {5};
	Points		p = {malloc(200000 * sizeof(double)), malloc(200000 * sizeof(double)), 200000};

	for (size_t i = 0; i < p.n; i++)
	{
		p.x[i] = (double) i;
		p.y[i] = uniform(&random) * 100 + (double) (i < 90000 ? i : 90000);
	}
	unit_sweep_interrupts("parametric", fit_all_ways, &p, 100);
	p.n = 50;
	unit_sweep_memory("parametric", fit_all_ways, &p);
	free(p.x);
	free(p.y);
}

int
main(void)
{
	test_words();
	test_exact();
	test_by_hand();
	test_few_points();
	test_equal();
	test_not_positive();
	test_overflow();
	test_overflow_of_sums();
	test_random();
	test_large_offset();
	test_interval();
	test_bisection();
	test_sweeps();
	return unit_finish();
}
