/*
 * test_series.c
 *	  Sorting, sums and statistics of series: by hand, against the C library's sort and
 *	  against sums in more precision.
 */
#include "unit.h"

#include "core/base/series.h"

#include <float.h>
#include <math.h>

static double
uniform(UnitRandom *random)
{
	return (double) (unit_random(random) >> 11) * 0x1p-53;
}

/* --- checks ------------------------------------------------------------------------ */

static void
test_check(void)
{
	FgContext	ctx = fg_malloc_context();
	double		values[] = {DBL_MAX, -DBL_MAX, 5e-324, -0.0};

	unit_case("finite numbers only");
	CHECK(fg_series_check(&ctx, values, 4));
	CHECK(fg_series_check(&ctx, NULL, 0));
	for (int i = 0; i < 4; i++)
	{
		char		place[32];

		snprintf(place, sizeof(place), "measurement %d is", i + 1);
		values[i] = i % 2 == 0 ? NAN : i == 1 ? INFINITY : -INFINITY;
		CHECK_ERROR(fg_series_check(&ctx, values, 4), &ctx, FG_ERROR_RANGE);
		CHECK(strncmp(ctx.error.reason, place, strlen(place)) == 0);
		values[i] = i;
	}
}

/* --- sorting -------------------------------------------------------------------------- */

typedef struct Pair
{
	double		x;
	double		y;
} Pair;

static int
compare_pairs(const void *left, const void *right)
{
	const Pair *a = left;
	const Pair *b = right;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return a->y < b->y ? -1 : a->y > b->y;
}

/* Numbers of every size and sign, with ties; kind 3 differs in the lowest bits only. */
static double
any_number(UnitRandom *random, int kind)
{
	if (kind == 0)
		return unit_below(random, 12) - 6.0;
	if (kind == 1)
		return ldexp(uniform(random) - 0.5, (int) unit_below(random, 2090) - 1070);
	if (kind == 2)
		return unit_below(random, 3) == 0 ? 7 : uniform(random);
	return 1 + unit_below(random, 4000) * DBL_EPSILON;
}

static void
check_sorted(UnitRandom *random, size_t n, int kind)
{
	FgContext	ctx = fg_malloc_context();
	Pair	   *expected = malloc((n + 1) * sizeof(Pair));
	double	   *x = malloc((n + 1) * sizeof(double));
	double	   *y = malloc((n + 1) * sizeof(double));

	for (size_t i = 0; i < n; i++)
	{
		x[i] = any_number(random, kind);
		y[i] = any_number(random, kind == 1 ? 1 : 0);
		expected[i] = (Pair) {x[i], y[i]};
	}
	qsort(expected, n, sizeof(Pair), compare_pairs);
	for (int again = 0; again < 2; again++)
	{
		CHECK(fg_series_sort(&ctx, x, y, n));
		for (size_t i = 0; i < n; i++)
		{
			if (!CHECK(x[i] == expected[i].x && y[i] == expected[i].y))
				break;
		}
	}
	/* falling, and without y */
	for (size_t i = 0; i < n; i++)
		x[i] = expected[n - 1 - i].x;
	CHECK(fg_sort_values(&ctx, x, n));
	for (size_t i = 0; i < n; i++)
	{
		if (!CHECK(x[i] == expected[i].x))
			break;
	}
	free(expected);
	free(x);
	free(y);
}

static void
test_sort(void)
{
	static const size_t sizes[] = {0, 1, 2, 3, 17, 1023, 1024, 1025, 3000, 70000};
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {21};
	double		x[2048];
	double		y[2048];

	for (int kind = 0; kind < 4; kind++)
	{
		unit_case("sorting numbers of kind %d", kind);
		for (size_t i = 0; i < COUNT(sizes); i++)
		{
			unit_note("[%zu pairs]", sizes[i]);
			check_sorted(&random, sizes[i], kind);
		}
	}
	unit_case("sorting: equal zeros are ordered by y");
	for (size_t n = 4; n <= 2048; n *= 512)
	{
		for (size_t i = 0; i < n; i++)
		{
			x[i] = i % 2 == 0 ? 0.0 : -0.0;
			y[i] = (double) (n - i);
		}
		CHECK(fg_series_sort(&ctx, x, y, n));
		for (size_t i = 0; i < n; i++)
			CHECK_DOUBLE(y[i], (double) (i + 1));
	}
}

/* --- statistics -------------------------------------------------------------------------- */

static void
test_means(void)
{
	FgDouble2	sum = {0, 0};
	UnitRandom	random = {22};
	double		values[500];

	unit_case("sums in twice the precision");
	fg_sum_twice(&sum, 1e16);
	for (int i = 0; i < 10; i++)
		fg_sum_twice(&sum, 0.1);
	fg_sum_twice(&sum, -1e16);
	CHECK_NEAR(sum.high + sum.low, 1, 1e-15);
	unit_case("means");
	for (int round = 0; round < 40; round++)
	{
		size_t		n = 1 + unit_below(&random, 500);
		long double exact = 0;
		long double squares = 0;

		for (size_t i = 0; i < n; i++)
		{
			values[i] = (uniform(&random) - 0.5) * (i % 7 == 0 ? 1e9 : 1) + 1e6;
			exact += values[i];
		}
		exact /= n;
		for (size_t i = 0; i < n; i++)
			squares += (values[i] - exact) * (values[i] - exact);
		CHECK_NEAR(fg_mean(values, n), (double) exact, 1e-15);
		CHECK(n == 1 || unit_near(fg_sum_squares(values, n), (double) squares, 1e-12));
		CHECK(n == 1 || fg_deviation(values, n, n) == sqrt(fg_sum_squares(values, n) / (double) n));
	}
	unit_case("means of sums that overflow");
	CHECK_DOUBLE(fg_mean((double[]) {DBL_MAX, DBL_MAX, DBL_MAX}, 3), DBL_MAX);
	CHECK_DOUBLE(fg_mean((double[]) {DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX}, 4), 0);
	CHECK_DOUBLE(fg_middle(DBL_MAX, DBL_MAX), DBL_MAX);
	CHECK_DOUBLE(fg_middle(1, 4), 2.5);
	CHECK_DOUBLE(fg_middle(5e-324, 5e-324), 5e-324);
}

/* A power of two in front changes nothing but the result's exponent. */
static void
test_deviations(void)
{
	for (int e = -1070; e <= 1000; e += 90)
	{
		double		values[] = {ldexp(2, e), ldexp(4, e), ldexp(9, e)};

		unit_case("deviation of numbers near 2^%d", e);
		CHECK_NEAR(fg_deviation(values, 3, 2), ldexp(sqrt(13), e), e < -1060 ? 0.01 : 1e-15);
	}
	unit_case("deviations of equal numbers");
	CHECK_DOUBLE(fg_deviation((double[]) {0.1, 0.1, 0.1}, 3, 3), 0);
	CHECK_DOUBLE(fg_deviation((double[]) {1e300, 1e300, 1e300}, 3, 3), 0);
	CHECK_DOUBLE(fg_sum_squares((double[]) {0.1, 0.1, 0.1}, 3), 0);
	unit_case("deviations of which the difference overflows");
	CHECK_NEAR(fg_deviation((double[]) {-0x1.8p1023, 0x1.8p1023, 0x1.8p1023}, 3, 3),
			   sqrt(2) * 0x1p1023, 1e-15);
}

static void
test_quantiles(void)
{
	static const double sorted[] = {1, 2, 4, 8, 16};

	unit_case("quantiles of type 7");
	CHECK_DOUBLE(fg_quantile(sorted, 5, 0), 1);
	CHECK_DOUBLE(fg_quantile(sorted, 5, 0.25), 2);
	CHECK_DOUBLE(fg_quantile(sorted, 5, 0.3), 2 + 2 * (0.3 * 4 - 1));
	CHECK_DOUBLE(fg_quantile(sorted, 4, 0.75), 5);
	CHECK_DOUBLE(fg_quantile(sorted, 5, 1), 16);
	CHECK_DOUBLE(fg_quantile(sorted, 1, 0.75), 1);
	unit_case("quantiles between numbers whose difference overflows");
	CHECK_NEAR(fg_quantile((double[]) {-1.7e308, 1.7e308}, 2, 0.25), -0.85e308, 1e-15);
	CHECK_DOUBLE(fg_quantile((double[]) {-1.7e308, 1.7e308, 1.7e308}, 3, 0.5), 1.7e308);
	CHECK_DOUBLE(fg_between(-DBL_MAX, DBL_MAX, 0), -DBL_MAX);
	CHECK_DOUBLE(fg_between(-DBL_MAX, DBL_MAX, 1), DBL_MAX);
	unit_case("medians");
	CHECK_DOUBLE(fg_median(sorted, 1), 1);
	CHECK_DOUBLE(fg_median(sorted, 2), 1.5);
	CHECK_DOUBLE(fg_median(sorted, 3), 2);
	CHECK_DOUBLE(fg_median(sorted, 4), 3);
	CHECK_DOUBLE(fg_median((double[]) {1.5e308, 1.7e308}, 2), 1.6e308);
}

/* --- R^2 ----------------------------------------------------------------------------------- */

static double
r_square(const double *y, const double *fitted, size_t n)
{
	FgContext	ctx = fg_malloc_context();
	double		result;

	CHECK(fg_r_square(&ctx, y, fitted, n, &result));
	return result;
}

static void
test_r_square(void)
{
	unit_case("R^2 is that of the definition, in any unit");
	for (int e = -1000; e <= 1000; e += 125)
	{
		double		y[] = {ldexp(1, e), ldexp(2, e), ldexp(4, e), ldexp(9, e)};
		double		fitted[] = {ldexp(1, e), NAN, ldexp(5, e), ldexp(8, e)};

		unit_note("[2^%d]", e);
		/* of 1, 4, 9: the mean is 14/3, the squares 121/9, 4/9 and 169/9 */
		CHECK_NEAR(r_square(y, fitted, 4), 1 - 2 / (294.0 / 9), 1e-15);
	}
	unit_case("R^2 of the least numbers");
	CHECK_DOUBLE(r_square((double[]) {0, 5e-324}, (double[]) {0, 5e-324}, 2), 1);
	unit_case("R^2 where a deviation overflows");
	/* in units of 0x1p1023 the deviations are -2, 1, 1, and 1.5 is left */
	CHECK_NEAR(r_square((double[]) {-0x1.8p1023, 0x1.8p1023, 0x1.8p1023},
						(double[]) {-0x1.8p1023, 0, 0x1.8p1023}, 3), 0.625, 1e-15);
	unit_case("R^2 of a fit far away");
	CHECK_DOUBLE(r_square((double[]) {1, 3}, (double[]) {1e300, 3}, 2), -DBL_MAX);
	unit_case("R^2 of equal y");
	CHECK_DOUBLE(r_square((double[]) {8, 8}, (double[]) {8, 8 + 7e-12}, 2), 1);
	CHECK_DOUBLE(r_square((double[]) {8, 8}, (double[]) {8, 8 + 9e-12}, 2), 0);
	CHECK_DOUBLE(r_square((double[]) {8, 8}, (double[]) {NAN, 8}, 2), NAN);
}

/* --- memory and interrupts -------------------------------------------------------------------- */

typedef struct Points
{
	double	   *x;
	double	   *y;
	size_t		n;
} Points;

static bool
run_sort(FgContext *ctx, void *arg)
{
	Points	   *p = arg;
	double	   *x = fg_alloc(ctx, p->n, sizeof(double));
	double	   *y = fg_alloc(ctx, p->n, sizeof(double));
	bool		ok = x != NULL && y != NULL && fg_copy(ctx, x, p->x, p->n * sizeof(double)) &&
		fg_copy(ctx, y, p->y, p->n * sizeof(double)) && fg_series_sort(ctx, x, y, p->n) &&
		fg_sort_values(ctx, y, p->n);

	fg_release(ctx, x);
	fg_release(ctx, y);
	return ok;
}

static bool
run_r_square(FgContext *ctx, void *arg)
{
	Points	   *p = arg;
	double		result;

	return fg_series_check(ctx, p->x, p->n) && fg_r_square(ctx, p->y, p->x, p->n, &result);
}

static void
test_sweeps(void)
{
	UnitRandom	random = {23};
	Points		p = {malloc(300000 * sizeof(double)), malloc(300000 * sizeof(double)), 300000};

	for (size_t i = 0; i < p.n; i++)
	{
		p.x[i] = uniform(&random);
		p.y[i] = uniform(&random);
	}
	unit_sweep_interrupts("fg_series_sort", run_sort, &p, 4 * 5 * 4);
	unit_sweep_interrupts("fg_r_square", run_r_square, &p, 5 + 4 + 4);
	/* ties: runs of three, and one of all */
	for (size_t i = 0; i < p.n; i++)
		p.x[i] = (double) (i / 3 * 7919 % 100003);
	unit_sweep_interrupts("fg_series_sort with ties", run_sort, &p, 4 * 5 * 4);
	for (size_t i = 0; i < p.n; i++)
		p.x[i] = i == p.n - 1 ? 0 : 1;
	unit_sweep_interrupts("fg_series_sort with one x", run_sort, &p, 4 * 5 * 4);
	for (p.n = 50; p.n < 5000; p.n *= 30)
		unit_sweep_memory("fg_series_sort", run_sort, &p);
	free(p.x);
	free(p.y);
}

int
main(void)
{
	test_check();
	test_sort();
	test_means();
	test_deviations();
	test_quantiles();
	test_r_square();
	test_sweeps();
	return unit_finish();
}
