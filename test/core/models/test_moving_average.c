/*
 * test_moving_average.c
 *	  Moving averages and window weights: by hand, and against sums, medians and weights
 *	  taken anew for each point.
 */
#include "unit.h"

#include "core/base/series.h"
#include "core/models/moving_average.h"
#include "core/models/window_internal.h"

#include <math.h>

#define ROOM 300

static double
uniform(UnitRandom *random)
{
	return (double) (unit_random(random) >> 11) * 0x1p-53;
}

static const double *
positions(void)
{
	static double x[ROOM];

	for (int i = 0; i < ROOM; i++)
		x[i] = i;
	return x;
}

static FgMovingAverage
average(const double *y, size_t n, const FgAverageOptions *options)
{
	FgContext	ctx = fg_malloc_context();
	FgMovingAverage result;

	if (!CHECK(fg_moving_average(&ctx, positions(), y, n, options, &result)))
		printf("%s\n", ctx.error.reason);
	return result;
}

static void
release(FgMovingAverage *result)
{
	FgContext	ctx = fg_malloc_context();

	fg_moving_average_free(&ctx, result);
}

static FgAverageOptions
windows_of(FgAverage method, int64_t size, int64_t min_periods, bool center)
{
	FgAverageOptions o = fg_average_defaults(method);

	o.window_size = size;
	o.min_periods = min_periods;
	o.center = center;
	return o;
}

static void
check_values(const char *name, const FgAverageOptions *o, const double *y, size_t n,
			 const double *expected)
{
	FgMovingAverage result;

	unit_case("%s", name);
	result = average(y, n, o);
	for (size_t i = 0; result.fitted != NULL && i < n; i++)
	{
		if (isnan(expected[i]))
			CHECK_DOUBLE(result.fitted[i], NAN);
		else
			CHECK(fabs(result.fitted[i] - expected[i]) <= 1e-15 * fabs(expected[i]));
	}
	release(&result);
}

/* --- words ---------------------------------------------------------------------- */

static void
test_words(void)
{
	FgContext	ctx = fg_malloc_context();
	FgAverage	method;
	FgWindow	window;

	unit_case("words of methods and windows, there and back");
	for (int i = 0; i <= FG_EMA; i++)
	{
		const char *word = fg_average_word((FgAverage) i);

		CHECK(fg_average_parse(&ctx, word, strlen(word), &method));
		CHECK_COUNT(method, i);
	}
	for (int i = 0; i <= FG_WINDOW_KAISER; i++)
	{
		const char *word = fg_window_word((FgWindow) i);

		CHECK(fg_window_parse(&ctx, word, strlen(word), &window));
		CHECK_COUNT(window, i);
	}
	unit_case("unknown methods and windows");
	CHECK_ERROR(fg_average_parse(&ctx, "wma", 3, &method), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_window_parse(&ctx, "gauss", 5, &window), &ctx, FG_ERROR_ARGUMENT);
	CHECK(strstr(ctx.error.reason, "gauss") != NULL && strstr(ctx.error.hint, "barthann") != NULL);
}

/* --- weights -------------------------------------------------------------------- */

/* (1 / pi) * the integral of exp(x (cos t - 1)) over [0, pi]; trapezoids converge at once. */
static double
naive_i0_scaled(double x, int points)
{
	long double sum = 0;

	for (int k = 0; k < points; k++)
		sum += expl(fabs(x) * (cosl((k + 0.5L) * acosl(-1) / points) - 1));
	return (double) (sum / points);
}

static void
test_bessel(void)
{
	unit_case("Bessel function");
	CHECK_DOUBLE(fg_bessel_i0_scaled(0), 1);
	CHECK_NEAR(fg_bessel_i0_scaled(1) * exp(1), 1.2660658777520084, 1e-15);
	CHECK_NEAR(fg_bessel_i0_scaled(14) * exp(14), 129418.56270064856, 1e-15);
	for (double x = 0.125; x < 1e5; x *= 1.3)
	{
		unit_note("[%g]", x);
		CHECK_NEAR(fg_bessel_i0_scaled(x), naive_i0_scaled(x, 4000), 3e-15);
		CHECK_DOUBLE(fg_bessel_i0_scaled(-x), fg_bessel_i0_scaled(x));
	}
}

/* Section 4.3 as it is written. */
static double
naive_weight(FgWindow window, double w, double k, double beta)
{
	double		t = k / (w - 1);
	double		a = fabs(k - (w - 1) / 2);
	double		j = fmin(k, w - 1 - k);
	double		pi = acos(-1);
	double		u;

	if (w == 1)
		return 1;
	switch (window)
	{
		case FG_WINDOW_BOXCAR:
			return 1;
		case FG_WINDOW_TRIANG:
			return fmod(w, 2) != 0 ? 2 * (j + 1) / (w + 1) : (2 * j + 1) / w;
		case FG_WINDOW_BARTLETT:
			return 2 * j / (w - 1);
		case FG_WINDOW_BLACKMAN:
			return 0.42 - 0.5 * cos(2 * pi * t) + 0.08 * cos(4 * pi * t);
		case FG_WINDOW_HAMMING:
			return 0.54 - 0.46 * cos(2 * pi * t);
		case FG_WINDOW_BLACKMANHARRIS:
			return 0.35875 - 0.48829 * cos(2 * pi * t) + 0.14128 * cos(4 * pi * t) -
				0.01168 * cos(6 * pi * t);
		case FG_WINDOW_NUTTALL:
			return 0.3635819 - 0.4891775 * cos(2 * pi * t) + 0.1365995 * cos(4 * pi * t) -
				0.0106411 * cos(6 * pi * t);
		case FG_WINDOW_PARZEN:
			u = a / (w / 2);
			return a <= (w - 1) / 4 ? 1 - 6 * u * u + 6 * u * u * u : 2 * pow(1 - u, 3);
		case FG_WINDOW_BOHMAN:
			u = fabs(2 * t - 1);
			return j == 0 ? 0 : (1 - u) * cos(pi * u) + sin(pi * u) / pi;
		case FG_WINDOW_BARTHANN:
			u = fabs(t - 0.5);
			return 0.62 - 0.48 * u + 0.38 * cos(2 * pi * u);
		case FG_WINDOW_KAISER:
			u = sqrt(fmax(1 - (2 * t - 1) * (2 * t - 1), 0));
			return naive_i0_scaled(beta * u, 60) / naive_i0_scaled(beta, 60) *
				exp(fabs(beta) * (u - 1));
	}
	return NAN;
}

static void
test_weights(void)
{
	FgContext	ctx = fg_malloc_context();
	double		weights[64];

	for (int window = 0; window <= FG_WINDOW_KAISER; window++)
	{
		unit_case("weights of %s", fg_window_word((FgWindow) window));
		for (int w = 1; w <= 40; w += w < 12 ? 1 : 7)
		{
			double		beta = w % 3 == 0 ? FG_KAISER_BETA : w % 3 == 1 ? 0 : -2.5;

			unit_note("[%d]", w);
			CHECK(fg_window_weights(&ctx, (FgWindow) window, beta, w, 0, (size_t) w, weights));
			for (int k = 0; k < w; k++)
			{
				CHECK(fabs(weights[k] - naive_weight((FgWindow) window, w, k, beta)) < 2e-15);
				CHECK(weights[k] == 0 || fabs(weights[k]) >= 1e-15);
				CHECK_DOUBLE(weights[k], weights[w - 1 - k]);
			}
			/* a part of them */
			if (w > 4)
			{
				double		part[3];

				CHECK(fg_window_weights(&ctx, (FgWindow) window, beta, w, 2, 3, part));
				CHECK_BYTES(part, sizeof(part), weights + 2, sizeof(part));
			}
		}
	}
	unit_case("ends that are exactly 0");
	for (int i = 0; i < 4; i++)
	{
		FgWindow	window = (FgWindow[]) {FG_WINDOW_BARTLETT, FG_WINDOW_BLACKMAN, FG_WINDOW_BOHMAN,
			FG_WINDOW_BARTHANN}[i];

		for (int w = 2; w < 50; w++)
		{
			CHECK(fg_window_weights(&ctx, window, NAN, w, 0, 1, weights));
			CHECK_DOUBLE(weights[0], 0);
		}
	}
	unit_case("a beta for which I0 overflows");
	CHECK(fg_window_weights(&ctx, FG_WINDOW_KAISER, 5000, 3, 0, 3, weights));
	CHECK_DOUBLE(weights[0], 0);
	CHECK_DOUBLE(weights[1], 1);
	unit_case("widths that are not positive");
	for (int w = -1; w <= 0; w++)
		CHECK_ERROR(fg_window_weights(&ctx, FG_WINDOW_BOXCAR, NAN, w, 0, 0, weights), &ctx,
					FG_ERROR_ARGUMENT);
}

/* --- by hand -------------------------------------------------------------------- */

static const double by_hand[] = {4, 1, 7, 2, 6, 16};

static void
test_by_hand(void)
{
	const double *y = by_hand;
	FgAverageOptions o = windows_of(FG_SMA, 3, FG_NOT_GIVEN, true);

	check_values("sma of 3", &o, y, 6,
				 (double[]) {NAN, 4, 10.0 / 3, 5, 8, NAN});
	o.min_periods = 1;
	check_values("sma of 3, cut", &o, y, 6,
				 (double[]) {2.5, 4, 10.0 / 3, 5, 8, 11});
	o.center = false;
	check_values("sma of 3, trailing, cut", &o, y, 6,
				 (double[]) {4, 2.5, 4, 10.0 / 3, 5, 8});
	o = windows_of(FG_SMA, 4, FG_NOT_GIVEN, true);
	check_values("sma of 4 looks further back", &o, y, 6,
				 (double[]) {NAN, NAN, 3.5, 4, 7.75, NAN});
	o = windows_of(FG_SMA, 2, 1, true);
	check_values("sma of 2 looks back only", &o, y, 6,
				 (double[]) {4, 2.5, 4, 4.5, 4, 11});
	o = windows_of(FG_SMA, 1, FG_NOT_GIVEN, true);
	check_values("sma of 1", &o, y, 6, y);
	o = windows_of(FG_SMM, 1, FG_NOT_GIVEN, false);
	check_values("smm of 1", &o, y, 6, y);
	o = windows_of(FG_SMM, 3, FG_NOT_GIVEN, true);
	check_values("smm of 3", &o, y, 6, (double[]) {NAN, 4, 2, 6, 6, NAN});
	o = windows_of(FG_SMM, 4, 2, false);
	check_values("smm of 4, trailing, cut", &o, y, 6, (double[]) {NAN, 2.5, 4, 3, 4, 6.5});
}

static void
test_weights_by_hand(void)
{
	const double *y = by_hand;
	FgAverageOptions o = windows_of(FG_SMA, 3, 1, true);

	o.weighted = true;
	o.window_type = FG_WINDOW_TRIANG;	/* 1/2, 1, 1/2 */
	check_values("weighted, cut windows keep their weights", &o, y, 6,
				 (double[]) {3, 3.25, 4.25, 4.25, 7.5, 38.0 / 3});
	o.window_type = FG_WINDOW_BARTLETT;	/* 0, 1, 0 */
	check_values("weights of 0 at the ends", &o, y, 6, y);
	o.center = false;
	check_values("nothing but a weight of 0", &o, y, 6, (double[]) {NAN, 4, 1, 7, 2, 6});
	o.window_size = 2;
	check_values("all weights 0", &o, y, 6, (double[]) {NAN, NAN, NAN, NAN, NAN, NAN});
}

static void
test_wide_windows_by_hand(void)
{
	const double *y = by_hand;
	FgAverageOptions o = windows_of(FG_SMA, 9, FG_NOT_GIVEN, true);

	check_values("a window wider than the points", &o, y, 6,
				 (double[]) {NAN, NAN, NAN, NAN, NAN, NAN});
	o.min_periods = 6;
	check_values("a window wider than the points, min_periods", &o, y, 6,
				 (double[]) {NAN, 6, 6, 6, 6, NAN});
}

static void
test_exponential_by_hand(void)
{
	const double *y = by_hand;
	FgAverageOptions o = fg_average_defaults(FG_EMA);

	o.alpha = 0.5;
	check_values("ema adjusted", &o, y, 3, (double[]) {4, 2, 5.0 - 1.0 / 7});
	o.adjust = false;
	check_values("ema recursive", &o, y, 3, (double[]) {4, 2.5, 4.75});
	o.min_periods = 3;
	check_values("ema min_periods", &o, y, 3, (double[]) {NAN, NAN, 4.75});
}

static void
test_facts(void)
{
	const double *y = by_hand;
	FgAverageOptions o = windows_of(FG_SMA, 3, FG_NOT_GIVEN, true);
	FgMovingAverage result;

	unit_case("facts of a result");
	result = average(y, 6, &o);
	CHECK_COUNT((uint64_t) result.window_size, 3);
	CHECK_DOUBLE(result.x_start, 0);
	CHECK_DOUBLE(result.x_end, 5);
	/* y 1 7 2 6, mean 4: residuals 3, 11/3, 3, 2 of SS 26 */
	CHECK_NEAR(result.r_square, 1 - (22 + 121.0 / 9) / 26, 1e-14);
	release(&result);
}

static void
test_few_points(void)
{
	const double *y = by_hand;
	FgAverageOptions o;
	FgMovingAverage result;

	unit_case("no points");
	for (int method = 0; method <= FG_EMA; method++)
	{
		o = fg_average_defaults((FgAverage) method);
		o.alpha = method == FG_EMA ? 0.5 : NAN;
		result = average(y, 0, &o);
		CHECK(result.fitted == NULL && isnan(result.x_start) && isnan(result.r_square));
		release(&result);
	}
	unit_case("one point");
	for (int method = 0; method <= FG_EMA; method++)
	{
		o = fg_average_defaults((FgAverage) method);
		o.span = method == FG_EMA ? 3 : NAN;
		result = average(y, 1, &o);
		CHECK_DOUBLE(result.fitted[0], 4);
		CHECK_DOUBLE(result.r_square, NAN);
		CHECK(result.window_size == (method == FG_EMA ? FG_NOT_GIVEN : 1));
		release(&result);
	}
	unit_case("equal y");
	for (int method = 0; method <= FG_EMA; method++)
	{
		o = windows_of((FgAverage) method, method == FG_EMA ? FG_NOT_GIVEN : 3, 1, true);
		o.com = method == FG_EMA ? 3 : NAN;
		result = average((double[]) {0.1, 0.1, 0.1, 0.1, 0.1}, 5, &o);
		CHECK_DOUBLE(result.r_square, 1);
		release(&result);
	}
}

/* --- options -------------------------------------------------------------------- */

typedef struct BadOptions
{
	const char *what;
	FgAverage	method;
	int64_t		size;
	int64_t		min_periods;
	FgWindow	window;			/* boxcar: not given */
	double		beta;
	double		com;
	double		span;
	double		halflife;
	double		alpha;
} BadOptions;

static void
test_options(void)
{
	const int64_t none = FG_NOT_GIVEN;
	const FgWindow plain = FG_WINDOW_BOXCAR;
	const BadOptions rows[] = {
		{"window_size", FG_SMA, 0, none, plain, NAN, NAN, NAN, NAN, NAN},
		{"window_size", FG_SMM, -3, none, plain, NAN, NAN, NAN, NAN, NAN},
		{"min_periods", FG_SMA, 3, 4, plain, NAN, NAN, NAN, NAN, NAN},
		{"min_periods", FG_SMA, 3, 0, plain, NAN, NAN, NAN, NAN, NAN},
		{"min_periods", FG_SMM, none, -1, plain, NAN, NAN, NAN, NAN, NAN},
		{"min_periods", FG_EMA, none, 0, plain, NAN, 1, NAN, NAN, NAN},
		{"window_type", FG_SMM, 3, none, FG_WINDOW_PARZEN, NAN, NAN, NAN, NAN, NAN},
		{"window_type", FG_EMA, none, none, FG_WINDOW_PARZEN, NAN, 1, NAN, NAN, NAN},
		{"window_size", FG_EMA, 3, none, plain, NAN, 1, NAN, NAN, NAN},
		{"beta", FG_SMA, 3, none, FG_WINDOW_PARZEN, 3, NAN, NAN, NAN, NAN},
		{"beta", FG_SMA, 3, none, plain, 3, NAN, NAN, NAN, NAN},
		{"beta", FG_SMM, 3, none, plain, 3, NAN, NAN, NAN, NAN},
		{"beta", FG_SMA, 3, none, FG_WINDOW_KAISER, INFINITY, NAN, NAN, NAN, NAN},
		{"com", FG_SMA, 3, none, plain, NAN, 1, NAN, NAN, NAN},
		{"alpha", FG_SMM, 3, none, plain, NAN, NAN, NAN, NAN, 0.5},
		{"ema", FG_EMA, none, none, plain, NAN, NAN, NAN, NAN, NAN},
		{"ema", FG_EMA, none, none, plain, NAN, 1, 3, NAN, NAN},
		{"ema", FG_EMA, none, none, plain, NAN, NAN, NAN, 1, 0.5},
		{"com", FG_EMA, none, none, plain, NAN, -0.1, NAN, NAN, NAN},
		{"com", FG_EMA, none, none, plain, NAN, INFINITY, NAN, NAN, NAN},
		{"span", FG_EMA, none, none, plain, NAN, NAN, 0.5, NAN, NAN},
		{"span", FG_EMA, none, none, plain, NAN, NAN, INFINITY, NAN, NAN},
		{"halflife", FG_EMA, none, none, plain, NAN, NAN, NAN, 0, NAN},
		{"halflife", FG_EMA, none, none, plain, NAN, NAN, NAN, INFINITY, NAN},
		{"alpha", FG_EMA, none, none, plain, NAN, NAN, NAN, NAN, 0},
		{"alpha", FG_EMA, none, none, plain, NAN, NAN, NAN, NAN, 1.5}
	};
	FgContext	ctx = fg_malloc_context();
	double		y[3] = {1, 2, 3};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgAverageOptions o = windows_of(rows[i].method, rows[i].size, rows[i].min_periods, true);
		FgMovingAverage result;

		o.weighted = rows[i].window != FG_WINDOW_BOXCAR;
		o.window_type = rows[i].window;
		o.beta = rows[i].beta;
		o.com = rows[i].com;
		o.span = rows[i].span;
		o.halflife = rows[i].halflife;
		o.alpha = rows[i].alpha;
		unit_case("refused: %s, row %zu", rows[i].what, i);
		for (size_t n = 0; n <= 3; n += 3)
		{
			CHECK_ERROR(fg_moving_average(&ctx, y, y, n, &o, &result), &ctx, FG_ERROR_ARGUMENT);
			CHECK(result.fitted == NULL && ctx.error.hint != NULL);
			CHECK(strstr(ctx.error.reason, rows[i].what) != NULL);
		}
	}
}

/* --- against the definition ----------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

static double
naive_value(const double *y, int64_t n, int64_t i, const FgAverageOptions *o)
{
	int64_t		w = o->window_size;
	int64_t		right = i + (o->center ? (w - 1) / 2 : 0);
	int64_t		left = right - w + 1;
	int64_t		least = o->min_periods == FG_NOT_GIVEN ? w : o->min_periods;
	double		inside[ROOM];
	int64_t		m = 0;
	long double sum = 0;
	long double weight = 0;

	for (int64_t p = left; p <= right; p++)
	{
		double		k = !o->weighted ? 1
			: naive_weight(o->window_type, (double) w, (double) (p - left), 14);

		if (p < 0 || p >= n)
			continue;
		inside[m++] = y[p];
		k = fabs(k) < 1e-15 ? 0 : k;
		sum += (long double) k * y[p];
		weight += k;
	}
	if (m < least || weight == 0)
		return NAN;
	if (o->method == FG_SMA)
		return (double) (sum / weight);
	qsort(inside, (size_t) m, sizeof(double), compare);
	return (inside[(m - 1) / 2] + inside[m / 2]) / 2;
}

static void
check_definition(const double *y, size_t n, const FgAverageOptions *o)
{
	FgMovingAverage result = average(y, n, o);

	for (size_t i = 0; result.fitted != NULL && i < n; i++)
	{
		double		expected = naive_value(y, (int64_t) n, (int64_t) i, o);

		if (isnan(expected) || o->method == FG_SMM)
			CHECK_DOUBLE(result.fitted[i], expected);
		else if (!o->weighted)
			CHECK_NEAR(result.fitted[i], expected, 4e-16);
		else
			CHECK(fabs(result.fitted[i] - expected) <= 1e-13);
	}
	release(&result);
}

static void
test_random(void)
{
	UnitRandom	random = {11};
	double		y[ROOM];

	unit_case("random points");
	for (int round = 0; round < 1500; round++)
	{
		size_t		n = 1 + unit_below(&random, round < 1400 ? 30 : 200);
		int64_t		w = 1 + unit_below(&random, 40);
		FgAverageOptions o = windows_of(round % 2 ? FG_SMA : FG_SMM, w, FG_NOT_GIVEN,
										round % 4 < 2);

		unit_note("[round %d]", round);
		if (round % 8 < 6)
			o.min_periods = 1 + unit_below(&random, (uint32_t) w);
		o.weighted = o.method == FG_SMA && round % 3 == 0;
		o.window_type = (FgWindow) unit_below(&random, FG_WINDOW_KAISER + 1);
		for (size_t i = 0; i < n; i++)
			y[i] = round % 5 == 0 ? unit_below(&random, 4) : uniform(&random) * 20 - 10;
		check_definition(y, n, &o);
	}
}

/* Sums in which much cancels, and values that nothing is left of when they are gone. */
static void
test_cancelling(void)
{
	UnitRandom	random = {12};
	double		y[ROOM];

	for (int kind = 0; kind < 4; kind++)
	{
		unit_case("sums that cancel, kind %d", kind);
		for (int64_t w = 1; w < 30; w++)
		{
			FgAverageOptions o = windows_of(FG_SMA, w, 1, w % 2 == 0);

			unit_note("[%d]", (int) w);
			for (int i = 0; i < ROOM; i++)
			{
				double		small = uniform(&random);

				y[i] = kind == 0 ? (i % 2 ? 1 : -1) * 1e15 * (1 + small * 1e-10)
					: kind == 1 ? (i % 40 == 0 ? 1e300 : small)
					: kind == 2 ? (i % 3 - 1) * 4e15 + (i % 3 == 2) : (i % 50 - 25) * 1e-3;
			}
			check_definition(y, ROOM, &o);
		}
	}
}

/* Values so large that the sums of some overflow. */
static void
fill_extremes(double *y)
{
	for (int i = 0; i < ROOM; i++)
		y[i] = i % 100 < 50 ? 1.7e308 : i % 100 < 60 ? -1.7e308 : 1e307;
}

static void
test_overflow(void)
{
	double		y[ROOM];

	unit_case("sums that overflow");
	fill_extremes(y);
	for (int64_t w = 1; w < 30; w += 4)
	{
		FgAverageOptions o = windows_of(w % 8 == 1 ? FG_SMA : FG_SMM, w, 1, true);

		if (o.method == FG_SMA)
			check_definition(y, ROOM, &o);
		else
		{
			FgMovingAverage result = average(y, ROOM, &o);

			CHECK_DOUBLE(result.fitted[20], 1.7e308);
			release(&result);
		}
	}
}

static void
test_time_of_overflow(void)
{
	size_t		n = 1000000;
	double	   *large = malloc(n * sizeof(double));
	FgContext	ctx = fg_malloc_context();
	FgAverageOptions o = windows_of(FG_SMA, 400001, 1, true);
	FgMovingAverage result;

	unit_case("sums that overflow take no more than twice the time");
	/* a window at a time would be 4e11 additions */
	for (size_t i = 0; i < n; i++)
		large[i] = i % 2 == 0 ? 0x1.8p1023 : 0x1p1023;
	CHECK(fg_moving_average(&ctx, large, large, n, &o, &result));
	CHECK_NEAR(result.fitted[0], 0x1.4p1023, 1e-5);
	CHECK_NEAR(result.fitted[n / 2], 0x1.4p1023, 1e-5);
	CHECK_NEAR(result.fitted[n - 1], 0x1.4p1023, 1e-5);
	fg_moving_average_free(&ctx, &result);
	free(large);
}

static void
test_average_overflow(void)
{
	FgContext	ctx = fg_malloc_context();
	FgAverageOptions o = windows_of(FG_SMA, 30, 1, true);
	FgMovingAverage result;
	double		y[ROOM];

	unit_case("averages that overflow");
	fill_extremes(y);
	o.weighted = true;
	o.window_type = FG_WINDOW_HAMMING;
	CHECK_ERROR(fg_moving_average(&ctx, positions(), y, ROOM, &o, &result), &ctx,
				FG_ERROR_RANGE);
	o = fg_average_defaults(FG_EMA);
	o.com = 100;
	CHECK_ERROR(fg_moving_average(&ctx, positions(), y, ROOM, &o, &result), &ctx,
				FG_ERROR_RANGE);
}

static void
test_wide_windows(void)
{
	static const double y[] = {3, 1, 2, 8};

	unit_case("windows wider than memory");
	for (int kind = 0; kind < 6; kind++)
	{
		FgAverageOptions o = windows_of(kind % 3 == 0 ? FG_SMM : FG_SMA, INT64_MAX, 1,
										kind % 2 == 0);
		FgMovingAverage result;

		o.weighted = kind % 3 == 1;
		o.window_type = FG_WINDOW_HAMMING;
		result = average(y, 4, &o);
		for (int i = 0; i < 4; i++)
		{
			/* trailing, weights are 0.08 at the newest points */
			double		all = o.method == FG_SMM ? 2.5 : 3.5;
			double		past = o.method == FG_SMM ? ((double[]) {3, 2, 2, 2.5})[i]
				: ((double[]) {3, 2, 2, 3.5})[i];

			CHECK_NEAR(result.fitted[i], o.center ? all : past, 1e-14);
		}
		release(&result);
	}
}

static void
naive_automatic(const double *y, size_t n, FgAverageOptions o, FgMovingAverage *result)
{
	int64_t		w = (int64_t) n / 20 > 1 ? (int64_t) n / 20 : 1;
	int64_t		given = o.min_periods;

	for (;;)
	{
		double		r;
		double		d;
		int64_t		next;

		o.window_size = w;
		o.min_periods = given != FG_NOT_GIVEN && given > w ? w : given;
		*result = average(y, n, &o);
		r = isnan(result->r_square) ? 0 : result->r_square;
		if (r >= 0.88)
			return;
		d = trunc(fmin(0.9 * (double) w - 1, 0.15 * (double) (w - 1) * (0.88 - r)));
		next = w - (int64_t) fmax(1, d) > 1 ? w - (int64_t) fmax(1, d) : 1;
		if (next == w)
			return;
		release(result);
		w = next;
	}
}

static void
test_automatic(void)
{
	UnitRandom	random = {13};
	int			shrunk = 0;
	double		y[ROOM];

	unit_case("automatic windows");
	for (int round = 0; round < 120; round++)
	{
		size_t		n = 1 + unit_below(&random, ROOM);
		FgAverageOptions o = fg_average_defaults(round % 2 ? FG_SMA : FG_SMM);
		FgMovingAverage got;
		FgMovingAverage expected;

		unit_note("[round %d]", round);
		o.min_periods = round % 3 ? FG_NOT_GIVEN : 1 + unit_below(&random, 20);
		o.weighted = round % 4 == 3;
		o.window_type = FG_WINDOW_BARTLETT;
		for (size_t i = 0; i < n; i++)
			y[i] = sin((double) i / 5) * (round % 5) + uniform(&random);
		got = average(y, n, &o);
		naive_automatic(y, n, o, &expected);
		CHECK_COUNT((uint64_t) got.window_size, (uint64_t) expected.window_size);
		CHECK_DOUBLE(got.r_square, expected.r_square);
		for (size_t i = 0; i < n; i++)
			CHECK_DOUBLE(got.fitted[i], expected.fitted[i]);
		shrunk += got.window_size > 1 && got.window_size < (int64_t) n / 20;
		release(&got);
		release(&expected);
	}
	CHECK(shrunk > 10);
}

/* The weight of a point is a power of what is kept, for adjusted averages over their sum. */
static void
test_exponential(void)
{
	UnitRandom	random = {14};
	double		y[ROOM];

	unit_case("exponential averages");
	for (int round = 0; round < 80; round++)
	{
		size_t		n = 1 + unit_below(&random, 100);
		FgAverageOptions o = fg_average_defaults(FG_EMA);
		double		by = uniform(&random) * 20;
		double		alpha;
		FgMovingAverage result;

		unit_note("[round %d]", round);
		o.adjust = round % 8 < 4;
		if (round % 4 == 0)
			alpha = 1 / (1 + (o.com = by));
		else if (round % 4 == 1)
			alpha = 2 / ((o.span = by + 1) + 1);
		else if (round % 4 == 2)
			alpha = 1 - pow(0.5, 1 / (o.halflife = by + 0.01));
		else
			alpha = o.alpha = 1 - by / 20;
		for (size_t i = 0; i < n; i++)
			y[i] = uniform(&random);
		result = average(y, n, &o);
		for (size_t i = 0; i < n; i++)
		{
			long double sum = 0;
			long double weight = 0;

			for (size_t k = 0; k <= i; k++)
			{
				long double share = powl(1 - (long double) alpha, (long double) k) *
					(o.adjust || k == i ? 1 : alpha);

				sum += share * y[i - k];
				weight += share;
			}
			CHECK_NEAR(result.fitted[i], (double) (sum / weight), 1e-12);
		}
		release(&result);
	}
}

/* --- memory and interrupts ------------------------------------------------------ */

typedef struct Points
{
	double	   *y;
	size_t		n;
	int64_t		window;
} Points;

static bool
average_all_ways(FgContext *ctx, void *arg)
{
	Points	   *p = arg;

	for (int kind = 0; kind < 4; kind++)
	{
		FgAverageOptions o = fg_average_defaults(kind == 0 ? FG_SMM : kind == 3 ? FG_EMA : FG_SMA);
		FgMovingAverage result;

		o.window_size = kind == 3 ? FG_NOT_GIVEN : p->window;
		o.weighted = kind == 2;
		o.window_type = FG_WINDOW_HAMMING;
		o.span = kind == 3 ? 5 : NAN;
		if (!fg_moving_average(ctx, p->y, p->y, p->n, &o, &result))
			return false;
		fg_moving_average_free(ctx, &result);
	}
	return true;
}

static void
test_sweeps(void)
{
	UnitRandom	random = {5};
	Points		p = {malloc(300000 * sizeof(double)), 300000, 7};

	for (size_t i = 0; i < p.n; i++)
		p.y[i] = uniform(&random);
	unit_sweep_interrupts("moving averages", average_all_ways, &p, 40);
	p.n = 2000;
	p.window = 150001;
	unit_sweep_interrupts("wide moving averages", average_all_ways, &p, 60);
	p.n = 50;
	p.window = 7;
	unit_sweep_memory("moving averages", average_all_ways, &p);
	p.window = FG_NOT_GIVEN;
	unit_sweep_memory("automatic moving averages", average_all_ways, &p);
	free(p.y);
}

int
main(void)
{
	test_words();
	test_bessel();
	test_weights();
	test_by_hand();
	test_weights_by_hand();
	test_wide_windows_by_hand();
	test_exponential_by_hand();
	test_facts();
	test_few_points();
	test_options();
	test_random();
	test_cancelling();
	test_overflow();
	test_time_of_overflow();
	test_average_overflow();
	test_wide_windows();
	test_automatic();
	test_exponential();
	test_sweeps();
	return unit_finish();
}
