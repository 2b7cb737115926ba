/*
 * test_detection.c
 *	  Classes of changes, integral comparison, the detections without curves, and
 *	  outliers: by hand, and against sums made another way.
 */
#include "unit.h"

#include "core/models/detection.h"
#include "core/models/detection_internal.h"
#include "core/models/outliers.h"

#include <math.h>

static const FgThresholds usual = {0.10, 0.25};

static double
random_between(UnitRandom *random, double lo, double hi)
{
	return lo + (hi - lo) * unit_below(random, 1000000) / 1e6;
}

static FgCurve
points_of(FgContext *ctx, const double *x, const double *y, size_t n, double r_square)
{
	FgCurve		curve;

	CHECK(fg_curve_points(ctx, x, y, n, r_square, &curve));
	return curve;
}

/* The parameter at fault is named, and there is a hint. */
static void
check_argument(FgContext *ctx, bool ok, const char *name)
{
	CHECK_ERROR(ok, ctx, FG_ERROR_ARGUMENT);
	CHECK(strstr(ctx->error.reason, name) != NULL);
	CHECK(ctx->error.hint != NULL);
}

/* --- classes ------------------------------------------------------------------------ */

static void
test_classes(void)
{
	static const struct
	{
		double		target;
		double		baseline;
		double		relative;
		const char *word;
	}			rows[] = {
		{5, 5, 0, "no_change"},
		{11, 10, 0.1, "no_change"},
		{9, 10, -0.1, "no_change"},
		{1.1, 1, 0.1, "no_change"},
		{11.001, 10, 0.1001, "maybe_degradation"},
		{12.5, 10, 0.25, "maybe_degradation"},
		{7.5, 10, -0.25, "maybe_optimization"},
		{13, 10, 0.3, "degradation"},
		{7, 10, -0.3, "optimization"},
		{0, 0, 0, "no_change"},
		{-0.0, 0, 0, "no_change"},
		{1, 0, INFINITY, "degradation"},
		{-1, 0, -INFINITY, "optimization"},
		{1, -0.0, INFINITY, "degradation"},
		{0, 4, -1, "optimization"},
		{-3, -2, 0.5, "degradation"},
		{NAN, 0, NAN, "unknown"},
		{NAN, 1, NAN, "unknown"},
		{1, NAN, NAN, "unknown"},
		{INFINITY, INFINITY, NAN, "unknown"}
	};
	FgThresholds none = {0, 0};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		double		relative = fg_relative(rows[i].target, rows[i].baseline);

		unit_case("%g after %g", rows[i].target, rows[i].baseline);
		CHECK(isnan(rows[i].relative) ? isnan(relative) :
			  unit_near(relative, rows[i].relative, 1e-10));
		CHECK(strcmp(fg_change_verdict_word(fg_classify(relative, &usual)), rows[i].word) == 0);
	}
	unit_case("thresholds 0");
	CHECK_COUNT(fg_classify(0, &none), FG_NO_CHANGE);
	CHECK_COUNT(fg_classify(1e-13, &none), FG_NO_CHANGE);
	CHECK_COUNT(fg_classify(1e-11, &none), FG_DEGRADATION);
	CHECK_COUNT(fg_classify(-1e-11, &none), FG_OPTIMIZATION);
}

static void
test_spaced(void)
{
	unit_case("equally spaced points");
	CHECK_DOUBLE(fg_spaced(1, 2, 0, 3), 1);
	CHECK_DOUBLE(fg_spaced(1, 2, 1, 4), 1.25);
	CHECK_DOUBLE(fg_spaced(0.1, 0.7, 3, 3), 0.7);
	CHECK_DOUBLE(fg_spaced(-0x1p1023, 0x1.8p1023, 0, 5), -0x1p1023);
	CHECK_DOUBLE(fg_spaced(-0x1p1023, 0x1.8p1023, 2, 4), 0x1p1021);
	CHECK_DOUBLE(fg_spaced(0, 0x1p1020, 1000, 2000), 0x1p1019);
}

static void
test_parameters(void)
{
	static const struct
	{
		FgThresholds thresholds;
		const char *name;
	}			rows[] = {
		{{-0.1, 0.25}, "no_change"},
		{{NAN, 0.25}, "no_change"},
		{{INFINITY, INFINITY}, "no_change"},
		{{0.1, 0.05}, "change"},
		{{0.1, NAN}, "change"},
		{{0.1, INFINITY}, "change"}
	};
	double		b[] = {1, 2};
	FgContext	ctx = fg_malloc_context();
	FgCurve		line = fg_curve_formula(FG_LINEAR, b, 0, 1, NAN);
	FgCurve		points = points_of(&ctx, b, b, 2, NAN);
	FgIntegralComparison comparison;
	FgIntegralComparison *parts;
	FgModelDifference difference;
	size_t		count;

	unit_case("parameters");
	CHECK(fg_thresholds_check(&ctx, &usual));
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		const FgThresholds *t = &rows[i].thresholds;

		unit_note("[row %zu]", i);
		check_argument(&ctx, fg_integral_comparison(&ctx, &line, &line, t, &comparison),
					   rows[i].name);
		check_argument(&ctx, fg_integral_intervals(&ctx, &line, &line, 3, t, &parts, &count),
					   rows[i].name);
		check_argument(&ctx, fg_integral_points(&ctx, b, b, b, 2, FG_SIMPSON, t, &comparison),
					   rows[i].name);
		check_argument(&ctx, fg_model_difference(&ctx, &line, &line, 10, t, &difference),
					   rows[i].name);
	}
	unit_note(" ");
	for (int i = 0; i < 4; i++)
	{
		int64_t		bad = (int64_t[]) {0, -1, FG_MAX_PARTS + 1, INT64_MIN}[i];

		check_argument(&ctx, fg_integral_intervals(&ctx, &line, &line, bad, &usual, &parts, &count),
					   "intervals");
		CHECK(parts == NULL && count == 0);
		check_argument(&ctx, fg_model_difference(&ctx, &line, &line, bad, &usual, &difference),
					   "samples");
	}
	check_argument(&ctx, fg_model_difference(&ctx, &line, &line, 1, &usual, &difference),
				   "samples");
	check_argument(&ctx, fg_model_difference(&ctx, &points, &line, 9, &usual, &difference),
				   "baseline");
	check_argument(&ctx, fg_model_difference(&ctx, &line, &points, 9, &usual, &difference),
				   "target");
	fg_curve_free(&ctx, &points);
}

/* --- integrals of curves ------------------------------------------------------------ */

static void
check_unknown(FgContext *ctx, const FgCurve *baseline, const FgCurve *target)
{
	FgIntegralComparison comparison;
	FgIntegralComparison *parts;
	size_t		count;

	CHECK(fg_integral_comparison(ctx, baseline, target, &usual, &comparison));
	CHECK_COUNT(comparison.result, FG_UNKNOWN);
	CHECK(isnan(comparison.relative_error) && isnan(comparison.baseline_integral) &&
		  isnan(comparison.x_from));
	CHECK(fg_integral_intervals(ctx, baseline, target, 4, &usual, &parts, &count));
	CHECK(parts == NULL && count == 0);
}

static void
test_no_interval(void)
{
	static const double x[] = {0, 1, 2, 3};
	static const double gap[] = {NAN, NAN, NAN, NAN};
	FgContext	ctx = fg_malloc_context();
	FgCurve		left = points_of(&ctx, x, x, 2, 0.5);
	FgCurve		right = points_of(&ctx, x + 2, x, 2, 0.7);
	FgCurve		touching = points_of(&ctx, x + 1, x, 2, 0.7);
	FgCurve		one = points_of(&ctx, x, x, 1, 0.7);
	FgCurve		none = points_of(&ctx, x, gap, 4, 0.7);
	FgIntegralComparison comparison;

	unit_case("no common interval");
	check_unknown(&ctx, &left, &right);
	check_unknown(&ctx, &right, &left);
	check_unknown(&ctx, &left, &touching);
	check_unknown(&ctx, &one, &left);
	check_unknown(&ctx, &one, &one);
	check_unknown(&ctx, &none, &left);
	check_unknown(&ctx, &left, &none);
	CHECK(fg_integral_comparison(&ctx, &left, &right, &usual, &comparison));
	CHECK_DOUBLE(comparison.confidence, 0.5);
	fg_curve_free(&ctx, &left);
	fg_curve_free(&ctx, &right);
	fg_curve_free(&ctx, &touching);
	fg_curve_free(&ctx, &one);
	fg_curve_free(&ctx, &none);
}

static void
test_confidence(void)
{
	static const double r[][3] = {
		{0.5, 0.9, 0.5}, {0.9, 0.5, 0.5}, {-3, 1, -3}, {NAN, 1, NAN}, {1, NAN, NAN}
	};
	double		b[] = {1};

	unit_case("confidence");
	for (size_t i = 0; i < COUNT(r); i++)
	{
		FgCurve		baseline = fg_curve_formula(FG_CONSTANT, b, 0, 1, r[i][0]);
		FgCurve		target = fg_curve_formula(FG_CONSTANT, b, 0, 1, r[i][1]);

		CHECK_DOUBLE(fg_confidence(&baseline, &target), r[i][2]);
	}
}

static void
test_given_intervals(void)
{
	static const double x[] = {0, 5, 10};
	static const double before[] = {0, 0, 10};
	static const double after[] = {1, 1, 10};
	FgContext	ctx = fg_malloc_context();
	FgCurve		baseline = points_of(&ctx, x, before, 3, 1);
	FgCurve		target = points_of(&ctx, x, after, 3, 1);
	FgIntegralComparison whole;
	FgIntegralComparison *parts;
	size_t		count;

	unit_case("a baseline that is zero in part");
	CHECK(fg_integral_comparison(&ctx, &baseline, &target, &usual, &whole));
	CHECK_COUNT(whole.result, FG_DEGRADATION);
	CHECK_DOUBLE(whole.baseline_integral, 25);
	CHECK_DOUBLE(whole.target_integral, 32.5);
	CHECK_DOUBLE(whole.relative_error, 0.3);
	CHECK(fg_integral_intervals(&ctx, &baseline, &target, 10, &usual, &parts, &count));
	CHECK_COUNT(count, 10);
	for (size_t i = 0; i < count; i++)
	{
		CHECK_DOUBLE(parts[i].x_from, (double) i);
		CHECK_DOUBLE(parts[i].x_to, (double) i + 1);
		CHECK_COUNT(isinf(parts[i].relative_error) != 0, i < 5);
	}
	CHECK_COUNT(parts[9].result, FG_NO_CHANGE);

	unit_case("merged, with the error of the joined integrals");
	CHECK(fg_integral_merge(&ctx, parts, &count));
	CHECK_COUNT(count, 2);
	CHECK_COUNT(parts[0].result, FG_DEGRADATION);
	CHECK_DOUBLE(parts[0].x_from, 0);
	CHECK_DOUBLE(parts[0].x_to, 6);
	CHECK_NEAR(parts[0].baseline_integral, 1, 1e-12);
	CHECK_NEAR(parts[0].target_integral, 6.9, 1e-12);
	CHECK_DOUBLE(parts[0].relative_error,
				 fg_relative(parts[0].target_integral, parts[0].baseline_integral));
	CHECK_COUNT(parts[1].result, FG_MAYBE_DEGRADATION);
	CHECK_DOUBLE(parts[1].x_to, 7);
	fg_release(&ctx, parts);
	fg_curve_free(&ctx, &baseline);
	fg_curve_free(&ctx, &target);
}

static void
test_merge(void)
{
	static const char *const classes = "NDDNDOOUmmNUU";
	static const char *const merged = "DDOm";
	static const double ends[][2] = {{1, 3}, {4, 5}, {5, 7}, {8, 10}};
	static const char *const letters = "NmDoOU";
	FgContext	ctx = fg_malloc_context();
	FgIntegralComparison parts[13];
	size_t		count = strlen(classes);

	unit_case("merging");
	for (size_t i = 0; i < count; i++)
		parts[i] = (FgIntegralComparison) {
			.result = (FgChangeVerdict) (strchr(letters, classes[i]) - letters),
			.x_from = (double) i, .x_to = (double) i + 1
		};
	CHECK(fg_integral_merge(&ctx, parts, &count));
	CHECK_COUNT(count, strlen(merged));
	for (size_t i = 0; i < count; i++)
	{
		CHECK_COUNT(letters[parts[i].result], merged[i]);
		CHECK_DOUBLE(parts[i].x_from, ends[i][0]);
		CHECK_DOUBLE(parts[i].x_to, ends[i][1]);
	}
	count = 0;
	CHECK(fg_integral_merge(&ctx, parts, &count));
	CHECK_COUNT(count, 0);
}

static FgCurve
random_curve(FgContext *ctx, UnitRandom *random, int kind)
{
	double		x[31];
	double		y[31];
	double		b[3];

	x[0] = random_between(random, 1, 10);
	for (size_t i = 0; i < COUNT(x); i++)
	{
		if (i > 0)
			x[i] = x[i - 1] + random_between(random, 0.1, 1);
		y[i] = random_between(random, 0.5, 9);
	}
	for (size_t i = 0; i < COUNT(b); i++)
		b[i] = random_between(random, 0.5, 1.5);
	if (kind == 0)
		return points_of(ctx, x, y, COUNT(x), NAN);
	if (kind > 1)
		return fg_curve_formula((FgFormula) unit_below(random, FG_FORMULAS), b, x[0], x[30], NAN);

	FgCurve		steps;

	CHECK(fg_curve_steps(ctx, x, y, COUNT(x) - 1, NAN, &steps));
	return steps;
}

/* Parts add up to the whole, and both are what thin slices add up to. */
static void
check_parts(FgContext *ctx, const FgCurve *baseline, const FgCurve *target, size_t intervals)
{
	FgIntegralComparison whole;
	FgIntegralComparison *parts;
	size_t		count;
	double		before = 0;
	double		after = 0;
	double		slices = 0;

	CHECK(fg_integral_comparison(ctx, baseline, target, &usual, &whole));
	CHECK(fg_integral_intervals(ctx, baseline, target, (int64_t) intervals, &usual, &parts,
								&count));
	if (!CHECK_COUNT(count, intervals))
		return;
	for (size_t i = 0; i < count; i++)
	{
		before += parts[i].baseline_integral;
		after += parts[i].target_integral;
		CHECK_DOUBLE(parts[i].x_from, i == 0 ? whole.x_from : parts[i - 1].x_to);
		CHECK_DOUBLE(parts[i].relative_error,
					 fg_relative(parts[i].target_integral, parts[i].baseline_integral));
		CHECK_COUNT(parts[i].result, fg_classify(parts[i].relative_error, &usual));
	}
	CHECK_DOUBLE(parts[count - 1].x_to, whole.x_to);
	CHECK_NEAR(before, whole.baseline_integral, 1e-11);
	CHECK_NEAR(after, whole.target_integral, 1e-11);
	for (int i = 0; i < 4000; i++)
		slices += fg_curve_value(baseline, whole.x_from +
								 (whole.x_to - whole.x_from) * (i + 0.5) / 4000);
	CHECK_NEAR(slices * (whole.x_to - whole.x_from) / 4000, whole.baseline_integral, 5e-3);
	fg_release(ctx, parts);
}

static void
test_random_curves(void)
{
	UnitRandom	random = {77};
	FgContext	ctx = fg_malloc_context();

	unit_case("random curves");
	for (int round = 0; round < 150; round++)
	{
		FgCurve		baseline = random_curve(&ctx, &random, round % 3);
		FgCurve		target = random_curve(&ctx, &random, round / 3 % 3);
		double		lo;
		double		hi;

		unit_note("[round %d]", round);
		if (fg_common_interval(&baseline, &target, &lo, &hi))
			check_parts(&ctx, &baseline, &target, 1 + unit_below(&random, 30));
		fg_curve_free(&ctx, &baseline);
		fg_curve_free(&ctx, &target);
	}
}

/* --- shared abscissae --------------------------------------------------------------- */

static void
test_rules(void)
{
	static const double x[] = {0, 1, 3, 4, 4.5, 7, 9};
	double		square[COUNT(x)];
	double		line[COUNT(x)];

	unit_case("trapezoids and Simpson's rule");
	for (size_t i = 0; i < COUNT(x); i++)
	{
		square[i] = 3 * x[i] * x[i] + 1;
		line[i] = 2 * x[i] + 1;
	}
	for (size_t n = 2; n <= COUNT(x); n++)
	{
		double		end = x[n - 1];

		unit_note("[%zu points]", n);
		CHECK_NEAR(fg_integral_of(FG_TRAPEZOID, x, line, n), end * end + end, 1e-13);
		CHECK_NEAR(fg_integral_of(FG_SIMPSON, x, line, n), end * end + end, 1e-13);
		if (n % 2 == 1)
			CHECK_NEAR(fg_integral_of(FG_SIMPSON, x, square, n), end * end * end + end, 1e-13);
	}
	/* exact on [0, 3] and [1, 4], one trapezoid each */
	CHECK_NEAR(fg_integral_of(FG_SIMPSON, x, square, 4),
			   ((27 + 3 + (28 + 49) / 2.0) + ((1 + 4) / 2.0 + 64 + 4 - 2)) / 2, 1e-13);
	CHECK_DOUBLE(fg_integral_of(FG_SIMPSON, x, square, 2), 2.5);
	CHECK_DOUBLE(fg_integral_of(FG_SIMPSON, x, square, 1), 0);
	CHECK_DOUBLE(fg_integral_of(FG_TRAPEZOID, x, square, 0), 0);
}

static void
test_shared(void)
{
	static const double x[] = {1, 2, 3, 5};
	static const double back[] = {1, 3, 2};
	static const double equal[] = {1, 2, 2};
	static const double before[] = {1, NAN, 1, 1};
	static const double after[] = {2, 2, 2, NAN};
	static const double infinite[] = {1, INFINITY, 1, 1};
	FgContext	ctx = fg_malloc_context();
	FgIntegralComparison c;

	unit_case("integral at shared points");
	CHECK(fg_integral_points(&ctx, x, before, after, 4, FG_TRAPEZOID, &usual, &c));
	CHECK_COUNT(c.result, FG_DEGRADATION);
	CHECK_DOUBLE(c.relative_error, 1);
	CHECK_DOUBLE(c.baseline_integral, 2);
	CHECK_DOUBLE(c.target_integral, 4);
	CHECK_DOUBLE(c.x_from, 1);
	CHECK_DOUBLE(c.x_to, 3);
	CHECK(isnan(c.confidence));
	CHECK(fg_integral_points(&ctx, x, before, after, 2, FG_TRAPEZOID, &usual, &c));
	CHECK_COUNT(c.result, FG_UNKNOWN);
	CHECK(fg_integral_points(&ctx, x, before, after, 0, FG_SIMPSON, &usual, &c));
	CHECK_COUNT(c.result, FG_UNKNOWN);
	check_argument(&ctx, fg_integral_points(&ctx, back, x, x, 3, FG_SIMPSON, &usual, &c), "x");
	check_argument(&ctx, fg_integral_points(&ctx, equal, x, x, 3, FG_SIMPSON, &usual, &c), "x");
	CHECK_ERROR(fg_integral_points(&ctx, x, infinite, x, 4, FG_SIMPSON, &usual, &c), &ctx,
				FG_ERROR_RANGE);
	CHECK_ERROR(fg_integral_points(&ctx, x, x, infinite, 4, FG_SIMPSON, &usual, &c), &ctx,
				FG_ERROR_RANGE);
	CHECK_ERROR(fg_integral_points(&ctx, infinite, x, x, 4, FG_SIMPSON, &usual, &c), &ctx,
				FG_ERROR_RANGE);
}

/* --- without curves ----------------------------------------------------------------- */

static void
test_average_amount(void)
{
	static const struct
	{
		double		baseline;
		double		target;
		double		ratio;
		FgChangeVerdict result;
	}			rows[] = {
		{2, 4, 2, FG_DEGRADATION},
		{2, 3.9, 1.95, FG_NO_CHANGE},
		{4, 2, 0.5, FG_OPTIMIZATION},
		{4, 2.1, 0.525, FG_NO_CHANGE},
		{4, 0, 0, FG_OPTIMIZATION},
		{4, -1, -0.25, FG_NO_CHANGE},
		{0, 0, 1, FG_NO_CHANGE},
		{0, 1, INFINITY, FG_DEGRADATION},
		{0, -1, -INFINITY, FG_NO_CHANGE}
	};
	static const double huge[] = {1.7e308, 1.7e308};
	static const double missing = NAN;
	FgContext	ctx = fg_malloc_context();
	FgAverageAmount amount;

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		double		baseline[] = {rows[i].baseline - 1, rows[i].baseline + 1};

		unit_case("average amount: %g after %g", rows[i].target, rows[i].baseline);
		CHECK(fg_average_amount(&ctx, baseline, 2, &rows[i].target, 1, &amount));
		CHECK_COUNT(amount.result, rows[i].result);
		CHECK_DOUBLE(amount.ratio, rows[i].ratio);
		CHECK_DOUBLE(amount.baseline_mean, rows[i].baseline);
		CHECK_DOUBLE(amount.target_mean, rows[i].target);
	}
	unit_case("average amount: empty and out of range");
	CHECK(fg_average_amount(&ctx, NULL, 0, huge, 1, &amount));
	CHECK_COUNT(amount.result, FG_UNKNOWN);
	CHECK(isnan(amount.ratio) && isnan(amount.baseline_mean));
	CHECK(fg_average_amount(&ctx, huge, 1, NULL, 0, &amount));
	CHECK_COUNT(amount.result, FG_UNKNOWN);
	CHECK(fg_average_amount(&ctx, huge, 2, huge, 1, &amount));
	CHECK_DOUBLE(amount.ratio, 1);
	CHECK_ERROR(fg_average_amount(&ctx, &missing, 1, huge, 1, &amount), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_average_amount(&ctx, huge, 1, &missing, 1, &amount), &ctx, FG_ERROR_RANGE);
}

static void
test_model_order(void)
{
	FgModelOrder order = fg_best_model_order(FG_LINEAR, 0.95, FG_EXPONENTIAL, 0.9);

	unit_case("best model order");
	CHECK_COUNT(order.result, FG_DEGRADATION);
	CHECK(order.rate == 3);
	CHECK_DOUBLE(order.confidence, 0.9);
	order = fg_best_model_order(FG_POWER, 1, FG_CONSTANT, 1);
	CHECK_COUNT(order.result, FG_OPTIMIZATION);
	CHECK(order.rate == -4);
	order = fg_best_model_order(FG_POWER, 1, FG_POWER, 1);
	CHECK_COUNT(order.result, FG_NO_CHANGE);
	order = fg_best_model_order(FG_POWER, 0.89, FG_LINEAR, 1);
	CHECK_COUNT(order.result, FG_NO_CHANGE);
	CHECK(order.rate == 0);
	CHECK_COUNT(fg_best_model_order(FG_POWER, NAN, FG_LINEAR, 1).result, FG_UNKNOWN);
	CHECK_COUNT(fg_best_model_order(FG_POWER, 1, FG_LINEAR, NAN).result, FG_UNKNOWN);
}

typedef struct DifferenceCase
{
	const char *name;
	FgFormula	before;
	double		b[3];
	FgFormula	after;
	double		a[3];
	FgChangeVerdict result;
	double		relative;	/* NaN: not looked at */
	int			polynomial;
	int			fast_check;
} DifferenceCase;

static const DifferenceCase difference_cases[] = {
	{"within 5 percent", FG_LINEAR, {100, 2, 0}, FG_LINEAR, {105, 1.9, 0},
	FG_NO_CHANGE, NAN, FG_LINEAR, FG_LINEAR},
	{"5 percent of a negative one", FG_LINEAR, {-100, 2, 0}, FG_LINEAR, {-105, 2, 0},
	FG_NO_CHANGE, NAN, FG_CONSTANT, FG_CONSTANT},
	{"the sign of a coefficient", FG_CONSTANT, {0, 0, 0}, FG_CONSTANT, {1, 0, 0},
	FG_DEGRADATION, INFINITY, FG_CONSTANT, FG_CONSTANT},
	{"down from zero", FG_CONSTANT, {0, 0, 0}, FG_CONSTANT, {-1, 0, 0},
	FG_OPTIMIZATION, -INFINITY, FG_CONSTANT, FG_CONSTANT},
	{"the same", FG_CONSTANT, {8, 0, 0}, FG_LINEAR, {8, 0, 0}, FG_NO_CHANGE, 0,
	FG_CONSTANT, FG_CONSTANT},
	{"exactly 25 percent", FG_CONSTANT, {8, 0, 0}, FG_CONSTANT, {10, 0, 0},
	FG_MAYBE_DEGRADATION, 0.25, FG_CONSTANT, FG_CONSTANT},
	{"exactly -25 percent", FG_CONSTANT, {8, 0, 0}, FG_CONSTANT, {6, 0, 0},
	FG_MAYBE_OPTIMIZATION, -0.25, FG_CONSTANT, FG_CONSTANT},
	{"slope", FG_LINEAR, {1, 1, 0}, FG_LINEAR, {1, 2, 0}, FG_DEGRADATION, NAN,
	FG_LINEAR, FG_LINEAR},
	{"less slope", FG_LINEAR, {1, 3, 0}, FG_LINEAR, {1, 1, 0}, FG_OPTIMIZATION, NAN,
	FG_LINEAR, FG_LINEAR},
	{"bend", FG_QUADRATIC, {1, 0, 1}, FG_QUADRATIC, {1, 0, 4}, FG_DEGRADATION, NAN,
	FG_QUADRATIC, FG_QUADRATIC},
	{"a wall", FG_CONSTANT, {1, 0, 0}, FG_EXPONENTIAL, {1, 30, 0}, FG_DEGRADATION,
	NAN, FG_NO_FORMULA, FG_EXPONENTIAL},
	{"a huge wall", FG_CONSTANT, {0, 0, 0}, FG_EXPONENTIAL, {1e280, 12, 0},
	FG_DEGRADATION, INFINITY, FG_NO_FORMULA, FG_EXPONENTIAL},
	{"tiny", FG_CONSTANT, {0, 0, 0}, FG_LINEAR, {0, 1e-300, 0}, FG_DEGRADATION,
	INFINITY, FG_LINEAR, FG_LINEAR},
	{"overflow", FG_CONSTANT, {-1.5e308, 0, 0}, FG_CONSTANT, {1.5e308, 0, 0}, FG_UNKNOWN, NAN,
	FG_NO_FORMULA, FG_NO_FORMULA},
	{"undefined", FG_CONSTANT, {1, 0, 0}, FG_LINEAR, {NAN, 1, 0}, FG_UNKNOWN, NAN,
	FG_NO_FORMULA, FG_NO_FORMULA}
};

static void
test_model_difference(void)
{
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(difference_cases); i++)
	{
		const DifferenceCase *row = &difference_cases[i];
		FgCurve		before = fg_curve_formula(row->before, row->b, 1, 21, NAN);
		FgCurve		after = fg_curve_formula(row->after, row->a, 0, 20, NAN);
		FgModelDifference d;

		unit_case("model difference: %s", row->name);
		CHECK(fg_model_difference(&ctx, &before, &after, 300, &usual, &d));
		CHECK_COUNT(d.result, row->result);
		CHECK(isnan(row->relative) || unit_near(d.relative_error, row->relative, 1e-12));
		CHECK(d.polynomial == row->polynomial);
		CHECK(d.fast_check == row->fast_check);
	}
}

static void
test_few_differences(void)
{
	double		b[] = {1, 1};
	double		a[] = {2, 3};
	FgContext	ctx = fg_malloc_context();
	FgCurve		before = fg_curve_formula(FG_LINEAR, b, 0, 8, NAN);
	FgCurve		after = fg_curve_formula(FG_LINEAR, a, 0, 8, NAN);
	FgCurve		apart = fg_curve_formula(FG_LINEAR, a, 8, 9, NAN);
	FgCurve		logs = fg_curve_formula(FG_LOGARITHMIC, a, -8, 8, NAN);
	FgModelDifference d;

	unit_case("model difference: two samples");
	CHECK(fg_model_difference(&ctx, &before, &after, 2, &usual, &d));
	CHECK_DOUBLE(d.sum_error, 1 + 17);
	CHECK(d.polynomial == FG_LINEAR);
	CHECK(d.fast_check == FG_NO_FORMULA);

	unit_case("model difference: no common interval");
	CHECK(fg_model_difference(&ctx, &before, &apart, 2, &usual, &d));
	CHECK_COUNT(d.result, FG_UNKNOWN);

	unit_case("model difference: one point where both are defined");
	CHECK(fg_model_difference(&ctx, &before, &logs, 2, &usual, &d));
	CHECK_DOUBLE(d.sum_error, 2 + 3 * log(8) - 9);
	CHECK(d.polynomial == FG_CONSTANT);
	CHECK(d.fast_check == FG_NO_FORMULA);
}

/* --- outliers ----------------------------------------------------------------------- */

static void
test_given_outliers(void)
{
	static const double before[] = {10, 10, 10, 10, 10, 10, 10, 0, 10};
	static const double after[] = {11, 12, 13, 10, 9, 110, -40, 2, 99};
	static const bool in_before[] = {true, true, true, true, true, true, true, false, true};
	static const bool in_after[] = {true, true, true, true, true, true, true, true, false};
	static const FgOutlierClass classes[] = {
		FG_OUTLIER_NONE, FG_OUTLIER_NONE, FG_OUTLIER_MAYBE_DEGRADATION, FG_OUTLIER_NONE,
		FG_OUTLIER_NONE, FG_OUTLIER_SEVERE_DEGRADATION,
		FG_OUTLIER_SEVERE_OPTIMIZATION, FG_OUTLIER_NOT_IN_BASELINE, FG_OUTLIER_NOT_IN_TARGET
	};
	FgContext	ctx = fg_malloc_context();
	FgOutliers	outliers;

	/* changes 1 2 3 0 -1 100 -50 2 -10: median 1, deviations 0 1 2 1 2 99 51 1 11 */
	unit_case("outliers");
	CHECK(fg_outliers(&ctx, before, after, in_before, in_after, 9, 0, &outliers));
	CHECK_COUNT(outliers.count, 9);
	CHECK_DOUBLE(outliers.total_delta, 47);
	CHECK_COUNT(outliers.result, FG_OUTLIER_TOTAL_DEGRADATION);
	for (size_t i = 0; i < outliers.count; i++)
	{
		unit_note("[function %zu]", i);
		CHECK_COUNT(outliers.rows[i].function, i);
		CHECK_COUNT(outliers.rows[i].result, classes[i]);
		CHECK_DOUBLE(outliers.rows[i].share, outliers.rows[i].delta / 127);
	}
	CHECK_DOUBLE(outliers.rows[5].modified_z, 0.6745 * 99 / 2);
	CHECK_DOUBLE(outliers.rows[5].iqr_multiple, (100 - 2) / 3.0);
	CHECK_DOUBLE(outliers.rows[6].iqr_multiple, 49 / 3.0);
	CHECK(isnan(outliers.rows[0].iqr_multiple));
	CHECK_DOUBLE(outliers.rows[8].delta, -10);
	/* those left are 1 2 3 0 -1 2 */
	CHECK_NEAR(outliers.rows[5].stddev_multiple, 100 / sqrt(65.0 / 6 / 5), 1e-12);
	fg_release(&ctx, outliers.rows);

	unit_case("outliers: cutoff");
	CHECK(fg_outliers(&ctx, before, after, in_before, in_after, 9, 10.0 / 127, &outliers));
	CHECK_COUNT(outliers.count, 3);
	CHECK_COUNT(outliers.rows[0].function, 5);
	CHECK_COUNT(outliers.rows[2].function, 8);
	CHECK_DOUBLE(outliers.total_delta, 47);
	fg_release(&ctx, outliers.rows);
	check_argument(&ctx, fg_outliers(&ctx, before, after, in_before, in_after, 9, -1, &outliers),
				   "cutoff");
	check_argument(&ctx, fg_outliers(&ctx, before, after, in_before, in_after, 9, NAN, &outliers),
				   "cutoff");
}

static void
test_edge_outliers(void)
{
	static const double shifted[] = {20, 20, 20, 20, 10};
	static const double tens[] = {10, 10, 10, 10, 10};
	static const double zeros[] = {0, 0, 0, 0, 0};
	static const bool all[] = {true, true, true, true, true};
	FgContext	ctx = fg_malloc_context();
	FgOutliers	outliers;

	unit_case("outliers: the one that did not change");
	CHECK(fg_outliers(&ctx, tens, shifted, all, all, 5, 0, &outliers));
	CHECK_DOUBLE(outliers.rows[4].modified_z, INFINITY);
	CHECK_DOUBLE(outliers.rows[4].iqr_multiple, INFINITY);
	CHECK_DOUBLE(outliers.rows[4].stddev_multiple, 0);
	CHECK_COUNT(outliers.rows[4].result, FG_OUTLIER_NONE);
	CHECK_DOUBLE(outliers.rows[0].modified_z, 0);
	CHECK_DOUBLE(outliers.rows[0].stddev_multiple, INFINITY);
	CHECK_COUNT(outliers.rows[0].result, FG_OUTLIER_MAYBE_DEGRADATION);
	fg_release(&ctx, outliers.rows);

	unit_case("outliers: nothing left in the target");
	CHECK(fg_outliers(&ctx, tens, zeros, all, all, 5, 0.5, &outliers));
	CHECK_COUNT(outliers.count, 5);
	CHECK(isnan(outliers.rows[0].share));
	CHECK_DOUBLE(outliers.rows[0].stddev_multiple, -INFINITY);
	CHECK_COUNT(outliers.result, FG_OUTLIER_TOTAL_OPTIMIZATION);
	fg_release(&ctx, outliers.rows);

	unit_case("outliers: no change at all, one function, none");
	CHECK(fg_outliers(&ctx, tens, tens, all, all, 5, 0, &outliers));
	CHECK_COUNT(outliers.result, FG_OUTLIER_NONE);
	CHECK_COUNT(outliers.rows[3].result, FG_OUTLIER_NONE);
	fg_release(&ctx, outliers.rows);
	CHECK(fg_outliers(&ctx, tens, shifted, all, all, 1, 0, &outliers));
	CHECK_COUNT(outliers.count, 1);
	CHECK_DOUBLE(outliers.rows[0].modified_z, 0);
	fg_release(&ctx, outliers.rows);
	CHECK(fg_outliers(&ctx, NULL, NULL, NULL, NULL, 0, 0, &outliers));
	CHECK(outliers.rows == NULL && outliers.count == 0);
}

static void
test_measures_of_outliers(void)
{
	/* of one z is too large, one is only beyond the fence, one only twice the deviation */
	static const double spread[] = {0, 1, -1, 2, -2, 1.5, -1.5, 0.5, -0.5, 7.2};
	static const double fence[] = {0, 1, -1, 2, -2, 1.5, -1.5, 0.5, -0.5, 6};
	static const double calm[] = {0, 0.1, -0.1, 0.2, -0.2, 0.15, -0.15, 0.05, -0.05, 0.45};
	static const double none[10] = {0};
	static const bool all[] = {true, true, true, true, true, true, true, true, true, true};
	FgContext	ctx = fg_malloc_context();
	FgOutliers	outliers;

	unit_case("outliers: by each of the measures");
	CHECK(fg_outliers(&ctx, none, spread, all, all, 10, 0, &outliers));
	CHECK_COUNT(outliers.rows[9].result, FG_OUTLIER_SEVERE_DEGRADATION);
	fg_release(&ctx, outliers.rows);
	CHECK(fg_outliers(&ctx, spread, none, all, all, 10, 0, &outliers));
	CHECK_COUNT(outliers.rows[9].result, FG_OUTLIER_SEVERE_OPTIMIZATION);
	fg_release(&ctx, outliers.rows);
	CHECK(fg_outliers(&ctx, none, fence, all, all, 10, 0, &outliers));
	CHECK_COUNT(outliers.rows[9].result, FG_OUTLIER_DEGRADATION);
	fg_release(&ctx, outliers.rows);
	CHECK(fg_outliers(&ctx, fence, none, all, all, 10, 0, &outliers));
	CHECK_COUNT(outliers.rows[9].result, FG_OUTLIER_OPTIMIZATION);
	fg_release(&ctx, outliers.rows);
	CHECK(fg_outliers(&ctx, none, calm, all, all, 10, 0, &outliers));
	CHECK_COUNT(outliers.rows[9].result, FG_OUTLIER_MAYBE_DEGRADATION);
	fg_release(&ctx, outliers.rows);
	CHECK(fg_outliers(&ctx, calm, none, all, all, 10, 0, &outliers));
	CHECK_COUNT(outliers.rows[9].result, FG_OUTLIER_MAYBE_OPTIMIZATION);
	fg_release(&ctx, outliers.rows);
}

static void
test_outliers_out_of_range(void)
{
	static const double tens[] = {10, 10, 10, 10, 10};
	static const double zeros[] = {0, 0, 0, 0, 0};
	static const double huge[] = {1.7e308, 1.7e308, 0, 0, 0};
	static const double missing[] = {NAN, 10, 10, 10, 10};
	static const bool all[] = {true, true, true, true, true};
	static const bool first_new[] = {false, true, true, true, true};
	FgContext	ctx = fg_malloc_context();
	FgOutliers	outliers;

	unit_case("outliers: out of range");
	CHECK_ERROR(fg_outliers(&ctx, zeros, huge, all, all, 5, 0, &outliers), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_outliers(&ctx, missing, tens, all, all, 5, 0, &outliers), &ctx, FG_ERROR_RANGE);
	CHECK(fg_outliers(&ctx, missing, tens, first_new, all, 5, 0, &outliers));
	CHECK_DOUBLE(outliers.rows[0].delta, 10);
	fg_release(&ctx, outliers.rows);
}

static void
test_words(void)
{
	unit_case("words of outliers");
	CHECK(strcmp(fg_outlier_word(FG_OUTLIER_NONE), "no_change") == 0);
	CHECK(strcmp(fg_outlier_word(FG_OUTLIER_NOT_IN_TARGET), "not_in_target") == 0);
	CHECK(strcmp(fg_outlier_word(FG_OUTLIER_SEVERE_OPTIMIZATION), "severe_optimization") == 0);
	CHECK(strcmp(fg_outlier_word(FG_OUTLIER_MAYBE_OPTIMIZATION), "maybe_optimization") == 0);
	CHECK(strcmp(fg_outlier_word(FG_OUTLIER_TOTAL_OPTIMIZATION), "total_optimization") == 0);
}

/* --- failures ----------------------------------------------------------------------- */

#define MANY (4 * FG_CHECK_NODES)

typedef struct Input
{
	size_t		n;
	double	   *x;
	double	   *y;
	bool	   *present;
	FgCurve		before;
	FgCurve		after;
} Input;

static bool
run_comparison(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgIntegralComparison comparison;

	return fg_integral_comparison(ctx, &input->before, &input->after, &usual, &comparison);
}

static bool
run_intervals(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgIntegralComparison *parts;
	size_t		count;

	if (!fg_integral_intervals(ctx, &input->before, &input->after, 20, &usual, &parts, &count))
		return false;
	fg_release(ctx, parts);
	return true;
}

static bool
run_shared(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgIntegralComparison comparison;

	return fg_integral_points(ctx, input->x, input->x, input->y, input->n, FG_SIMPSON, &usual,
							  &comparison);
}

static bool
run_average(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgAverageAmount amount;

	return fg_average_amount(ctx, input->x, input->n, input->y, input->n, &amount);
}

static bool
run_difference(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgModelDifference difference;

	return fg_model_difference(ctx, &input->before, &input->after, (int64_t) input->n, &usual,
							   &difference);
}

static bool
run_outliers(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgOutliers	outliers;

	if (!fg_outliers(ctx, input->x, input->y, input->present, input->present, input->n, 0,
					 &outliers))
		return false;
	fg_release(ctx, outliers.rows);
	return true;
}

static void
test_failures(void)
{
	static const struct
	{
		const char *name;
		UnitOperation operation;
		size_t		polls;
		bool		allocates;
	}			rows[] = {
		{"fg_integral_comparison", run_comparison, 1, false},
		{"fg_integral_intervals", run_intervals, 20, true},
		{"fg_integral_points", run_shared, 4, true},
		{"fg_average_amount", run_average, 8, false},
		{"fg_model_difference", run_difference, 7, true},
		{"fg_outliers", run_outliers, 30, true}
	};
	static const double b[] = {1, 2};
	static const double a[] = {2, 3};
	Input		input = {
		.x = malloc(MANY * sizeof(double)), .y = malloc(MANY * sizeof(double)),
		.present = malloc(MANY * sizeof(bool)),
		.before = fg_curve_formula(FG_LOGARITHMIC, b, 1, 9, NAN),
		.after = fg_curve_formula(FG_LINEAR, a, 2, 8, NAN)
	};

	for (size_t i = 0; i < MANY; i++)
	{
		input.x[i] = (double) i;
		input.y[i] = (double) (i * 7 % 1000);
		input.present[i] = true;
	}
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		input.n = MANY;
		unit_sweep_interrupts(rows[i].name, rows[i].operation, &input, rows[i].polls);
		input.n = 30;
		if (rows[i].allocates)
			unit_sweep_memory(rows[i].name, rows[i].operation, &input);
	}
	free(input.x);
	free(input.y);
	free(input.present);
}

int
main(void)
{
	test_classes();
	test_spaced();
	test_parameters();
	test_no_interval();
	test_confidence();
	test_given_intervals();
	test_merge();
	test_random_curves();
	test_rules();
	test_shared();
	test_average_amount();
	test_model_order();
	test_model_difference();
	test_few_differences();
	test_given_outliers();
	test_edge_outliers();
	test_measures_of_outliers();
	test_outliers_out_of_range();
	test_words();
	test_failures();
	return unit_finish();
}
