/*
 * detection.c
 *	  Integral comparison and the detections without curves (see detection.h).
 */
#include "core/models/detection.h"

#include "core/base/series.h"
#include "core/models/detection_internal.h"
#include "core/models/parametric.h"

#include <math.h>

const char *
fg_change_verdict_word(FgChangeVerdict result)
{
	static const char *const words[] = {
		"no_change", "maybe_degradation", "degradation", "maybe_optimization", "optimization",
		"unknown"
	};

	return words[result];
}

bool
fg_thresholds_check(FgContext *ctx, const FgThresholds *thresholds)
{
	static const char *const hint = "Use 0 <= no_change <= change, for example 0.10 and 0.25.";

	if (!(thresholds->no_change >= 0 && isfinite(thresholds->no_change)))
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint,
						  "no_change must be a number of at least 0");
	if (!(thresholds->change >= thresholds->no_change && isfinite(thresholds->change)))
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint,
						  "change must be a number of at least no_change");
	return true;
}

bool
fg_parts_check(FgContext *ctx, const char *name, int64_t count, int64_t least)
{
	if (count >= least && count <= FG_MAX_PARTS)
		return true;
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
					  least == 1 ? "Use a number from 1 to 1000000." :
					  "Use a number from 2 to 1000000.",
					  "%s must not be %lld", name, (long long) count);
}

double
fg_relative(double target, double baseline)
{
	if (baseline != 0 || isnan(target))
		return (target - baseline) / baseline;
	return target == 0 ? 0 : copysign(INFINITY, target);
}

FgChangeVerdict
fg_changed(double sign, bool maybe)
{
	if (sign > 0)
		return maybe ? FG_MAYBE_DEGRADATION : FG_DEGRADATION;
	return maybe ? FG_MAYBE_OPTIMIZATION : FG_OPTIMIZATION;
}

FgChangeVerdict
fg_classify(double relative, const FgThresholds *thresholds)
{
	if (isnan(relative))
		return FG_UNKNOWN;
	if (fabs(relative) <= thresholds->no_change + FG_SLACK)
		return FG_NO_CHANGE;
	return fg_changed(relative, fabs(relative) <= thresholds->change + FG_SLACK);
}

bool
fg_common_interval(const FgCurve *baseline, const FgCurve *target, double *lo, double *hi)
{
	if (isnan(baseline->start) || isnan(target->start))
		return false;
	*lo = baseline->start > target->start ? baseline->start : target->start;
	*hi = baseline->end < target->end ? baseline->end : target->end;
	return *lo < *hi;
}

double
fg_confidence(const FgCurve *baseline, const FgCurve *target)
{
	if (isnan(baseline->r_square) || isnan(target->r_square))
		return NAN;
	return baseline->r_square < target->r_square ? baseline->r_square : target->r_square;
}

double
fg_spaced(double lo, double hi, size_t i, size_t count)
{
	double		part = (hi - lo) * (double) i / (double) count;
	double		x = isfinite(part) ? lo + part : fg_between(lo, hi, (double) i / (double) count);

	/* roundings must not leave the interval, beyond which curves may have no value */
	return i == count || x > hi ? hi : x;
}

/* --- shared points ------------------------------------------------------------------ */

static bool
shared_begin(FgContext *ctx, size_t n, FgSharedPoints *shared)
{
	shared->n = 0;
	shared->x = fg_alloc(ctx, n, sizeof(double));
	shared->baseline = fg_alloc(ctx, n, sizeof(double));
	shared->target = fg_alloc(ctx, n, sizeof(double));
	return shared->x != NULL && shared->baseline != NULL && shared->target != NULL;
}

void
fg_shared_points_free(FgContext *ctx, FgSharedPoints *shared)
{
	fg_release(ctx, shared->x);
	fg_release(ctx, shared->baseline);
	fg_release(ctx, shared->target);
}

static bool
shared_fill(FgContext *ctx, const double *x, const double *baseline, const double *target,
			size_t n, bool ascending, FgSharedPoints *shared)
{
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (!isfinite(x[i]) || isinf(baseline[i]) || isinf(target[i]))
			return fg_fail(ctx, FG_ERROR_RANGE, "point %zu is not finite", i + 1);
		if (ascending && i > 0 && !(x[i] > x[i - 1]))
			return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
							  "Sort the points by x and keep one of those at equal x.",
							  "x must ascend strictly, and value %zu does not", i + 1);
		if (isnan(baseline[i]) || isnan(target[i]))
			continue;
		shared->x[shared->n] = x[i];
		shared->baseline[shared->n] = baseline[i];
		shared->target[shared->n++] = target[i];
	}
	return true;
}

bool
fg_shared_points_copy(FgContext *ctx, const double *x, const double *baseline, const double *target,
					  size_t n, bool ascending, FgSharedPoints *shared)
{
	if (shared_begin(ctx, n, shared) &&
		shared_fill(ctx, x, baseline, target, n, ascending, shared))
		return true;
	fg_shared_points_free(ctx, shared);
	return false;
}

static bool
shared_sample(FgContext *ctx, const FgCurve *baseline, const FgCurve *target, double lo,
			  double hi, size_t samples, FgSharedPoints *shared)
{
	for (size_t i = 0; i < samples; i++)
	{
		double		x = fg_spaced(lo, hi, i, samples - 1);
		double		before = fg_curve_value(baseline, x);
		double		after = fg_curve_value(target, x);

		if (!fg_check_every(ctx, i))
			return false;
		if (!isfinite(before) || !isfinite(after))
			continue;
		shared->x[shared->n] = x;
		shared->baseline[shared->n] = before;
		shared->target[shared->n++] = after;
	}
	return true;
}

bool
fg_shared_points_of_curves(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
						   double lo, double hi, size_t samples, FgSharedPoints *shared)
{
	if (shared_begin(ctx, samples, shared) &&
		shared_sample(ctx, baseline, target, lo, hi, samples, shared))
		return true;
	fg_shared_points_free(ctx, shared);
	return false;
}

/* --- integrals ---------------------------------------------------------------------- */

static const FgIntegralComparison incomparable = {FG_UNKNOWN, NAN, NAN, NAN, NAN, NAN, NAN};

static FgIntegralComparison
compare(double baseline, double target, double from, double to, double confidence,
		const FgThresholds *thresholds)
{
	FgIntegralComparison comparison = {
		.relative_error = fg_relative(target, baseline),
		.confidence = confidence,
		.baseline_integral = baseline, .target_integral = target,
		.x_from = from, .x_to = to
	};

	comparison.result = fg_classify(comparison.relative_error, thresholds);
	return comparison;
}

static FgIntegralComparison
compare_curves(const FgCurve *baseline, const FgCurve *target, double from, double to,
			   const FgThresholds *thresholds)
{
	return compare(fg_curve_integral(baseline, from, to), fg_curve_integral(target, from, to),
				   from, to, fg_confidence(baseline, target), thresholds);
}

bool
fg_integral_comparison(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
					   const FgThresholds *thresholds, FgIntegralComparison *comparison)
{
	double		lo;
	double		hi;

	*comparison = incomparable;
	if (!fg_thresholds_check(ctx, thresholds) || !fg_check(ctx))
		return false;
	if (fg_common_interval(baseline, target, &lo, &hi))
		*comparison = compare_curves(baseline, target, lo, hi, thresholds);
	else
		comparison->confidence = fg_confidence(baseline, target);
	return true;
}

bool
fg_integral_intervals(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
					  int64_t intervals, const FgThresholds *thresholds,
					  FgIntegralComparison **parts, size_t *count)
{
	size_t		n = (size_t) intervals;
	double		lo;
	double		hi;

	*parts = NULL;
	*count = 0;
	if (!fg_thresholds_check(ctx, thresholds) || !fg_parts_check(ctx, "intervals", intervals, 1))
		return false;
	if (!fg_common_interval(baseline, target, &lo, &hi))
		return true;
	*parts = fg_alloc(ctx, n, sizeof(FgIntegralComparison));
	for (size_t i = 0; *parts != NULL && i < n; i++)
	{
		(*parts)[i] = compare_curves(baseline, target, fg_spaced(lo, hi, i, n),
									 fg_spaced(lo, hi, i + 1, n), thresholds);
		/* one interval can hold all of the points */
		if (fg_check(ctx))
			continue;
		fg_release(ctx, *parts);
		*parts = NULL;
	}
	*count = *parts == NULL ? 0 : n;
	return *parts != NULL;
}

bool
fg_integral_merge(FgContext *ctx, FgIntegralComparison *parts, size_t *count)
{
	size_t		kept = 0;
	bool		open = false;

	for (size_t i = 0; i < *count; i++)
	{
		FgIntegralComparison *last;

		if (!fg_check_every(ctx, i))
			return false;
		if (parts[i].result == FG_NO_CHANGE || parts[i].result == FG_UNKNOWN)
		{
			open = false;
			continue;
		}
		if (!open || parts[kept - 1].result != parts[i].result)
		{
			parts[kept++] = parts[i];
			open = true;
			continue;
		}
		last = &parts[kept - 1];
		last->x_to = parts[i].x_to;
		last->baseline_integral += parts[i].baseline_integral;
		last->target_integral += parts[i].target_integral;
		last->relative_error = fg_relative(last->target_integral, last->baseline_integral);
	}
	*count = kept;
	return true;
}

static double
trapezoid(const double *x, const double *y, size_t n)
{
	double		sum = 0;

	for (size_t i = 1; i < n; i++)
		sum += fg_middle(y[i - 1], y[i]) * (x[i] - x[i - 1]);
	return sum;
}

/* Over an even number of intervals; n is odd. */
static double
simpson(const double *x, const double *y, size_t n)
{
	double		sum = 0;

	for (size_t i = 0; i + 2 < n; i += 2)
	{
		double		h0 = x[i + 1] - x[i];
		double		h1 = x[i + 2] - x[i + 1];
		double		width = h0 + h1;

		sum += width / 6 * ((2 - h1 / h0) * y[i] + width / h0 * (width / h1) * y[i + 1] +
							(2 - h0 / h1) * y[i + 2]);
	}
	return sum;
}

double
fg_integral_of(FgIntegralRule rule, const double *x, const double *y, size_t n)
{
	if (rule == FG_TRAPEZOID || n <= 2)
		return trapezoid(x, y, n);
	if (n % 2 == 1)
		return simpson(x, y, n);
	return (simpson(x, y, n - 1) + trapezoid(x + n - 2, y + n - 2, 2) +
			trapezoid(x, y, 2) + simpson(x + 1, y + 1, n - 1)) / 2;
}

bool
fg_integral_points(FgContext *ctx, const double *x, const double *baseline, const double *target,
				   size_t n, FgIntegralRule rule, const FgThresholds *thresholds,
				   FgIntegralComparison *comparison)
{
	FgSharedPoints shared;

	*comparison = incomparable;
	if (!fg_thresholds_check(ctx, thresholds) ||
		!fg_shared_points_copy(ctx, x, baseline, target, n, true, &shared))
		return false;
	if (shared.n >= 2)
		*comparison = compare(fg_integral_of(rule, shared.x, shared.baseline, shared.n),
							  fg_integral_of(rule, shared.x, shared.target, shared.n),
							  shared.x[0], shared.x[shared.n - 1], NAN, thresholds);
	fg_shared_points_free(ctx, &shared);
	return true;
}

/* --- without curves ----------------------------------------------------------------- */

static bool
mean_of(FgContext *ctx, const double *values, size_t n, double *mean)
{
	*mean = n == 0 ? NAN : fg_mean(values, n);
	return fg_series_check(ctx, values, n);
}

bool
fg_average_amount(FgContext *ctx, const double *baseline, size_t nbaseline, const double *target,
				  size_t ntarget, FgAverageAmount *amount)
{
	amount->result = FG_UNKNOWN;
	amount->ratio = NAN;
	if (!mean_of(ctx, baseline, nbaseline, &amount->baseline_mean) ||
		!mean_of(ctx, target, ntarget, &amount->target_mean))
		return false;
	if (nbaseline == 0 || ntarget == 0)
		return true;
	if (amount->baseline_mean != 0)
		amount->ratio = amount->target_mean / amount->baseline_mean;
	else
		amount->ratio = amount->target_mean == 0 ? 1 : copysign(INFINITY, amount->target_mean);
	if (amount->ratio >= 2)
		amount->result = FG_DEGRADATION;
	else if (amount->ratio >= 0 && amount->ratio <= 0.5)
		amount->result = FG_OPTIMIZATION;
	else
		amount->result = FG_NO_CHANGE;
	return true;
}

FgModelOrder
fg_best_model_order(FgFormula baseline, double baseline_r_square, FgFormula target,
					double target_r_square)
{
	FgModelOrder order = {
		FG_NO_CHANGE, 0, baseline_r_square < target_r_square ? baseline_r_square : target_r_square
	};

	if (isnan(baseline_r_square) || isnan(target_r_square))
		return (FgModelOrder) {FG_UNKNOWN, 0, NAN};
	if (order.confidence < 0.9 || baseline == target)
		return order;
	order.rate = (int) target - (int) baseline;
	order.result = fg_changed(order.rate, false);
	return order;
}

/* --- the difference of two formulas ------------------------------------------------- */

typedef struct Differences
{
	size_t		n;
	const double *x;
	double	   *e;				/* target - baseline */
	double		sum;
	double		relative;		/* mean of those that are finite */
} Differences;

/* Every coefficient within 5 % of what it was. */
static bool
same_formula(const FgCurve *baseline, const FgCurve *target)
{
	if (baseline->formula != target->formula)
		return false;
	for (uint32_t i = 0; i < fg_formula_coefficients(baseline->formula); i++)
	{
		if (!(fabs(target->b[i] - baseline->b[i]) <= (0.05 + FG_SLACK) * fabs(baseline->b[i])))
			return false;
	}
	return true;
}

/* The differences take the place of the target's values. */
static Differences
take_differences(FgSharedPoints *points)
{
	Differences d = {.x = points->x, .e = points->target};
	double		relatives = 0;
	size_t		finite = 0;

	for (size_t i = 0; i < points->n; i++)
	{
		double		relative = fg_relative(points->target[i], points->baseline[i]);
		double		e = points->target[i] - points->baseline[i];

		if (!isfinite(e))
			continue;
		points->x[d.n] = points->x[i];
		points->target[d.n++] = e;
		d.sum += e;
		if (!isfinite(relative))
			continue;
		relatives += relative;
		finite++;
	}
	if (finite > 0)
		d.relative = relatives / (double) finite;
	else
		d.relative = d.sum == 0 ? 0 : copysign(INFINITY, d.sum);
	return d;
}

/* By a power of two, which is exact, so that no sum of squares overflows or vanishes. */
static void
scale_differences(Differences *d)
{
	double		largest = 0;
	int			exponent;

	for (size_t i = 0; i < d->n; i++)
		largest = fmax(largest, fabs(d->e[i]));
	frexp(largest, &exponent);
	for (size_t i = 0; i < d->n; i++)
		d->e[i] = ldexp(d->sum < 0 ? -d->e[i] : d->e[i], -exponent);
}

/* Takes from v its part along u; both have n elements. */
static void
take_away(double *v, const double *u, size_t n)
{
	double		dot = 0;
	double		square = 0;

	for (size_t i = 0; i < n; i++)
	{
		dot += v[i] * u[i];
		square += u[i] * u[i];
	}
	if (square == 0)
		return;
	for (size_t i = 0; i < n; i++)
		v[i] -= dot / square * u[i];
}

static double
square_of(const double *v, size_t n)
{
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i] * v[i];
	return sum;
}

/*
 * The least degree whose fit leaves 1 % of the squares.  The basis 1, z, z^2 is made
 * orthogonal, so that each degree only takes its own part from the residuals.
 */
static bool
classify_polynomial(FgContext *ctx, const Differences *d, int *kind)
{
	static const FgFormula kinds[] = {FG_CONSTANT, FG_LINEAR, FG_QUADRATIC};
	double		limit = 0.01 * square_of(d->e, d->n);
	double	   *basis = fg_alloc(ctx, d->n, 3 * sizeof(double));
	double	   *rest = fg_alloc(ctx, d->n, sizeof(double));
	double		middle = d->x[0] / 2 + d->x[d->n - 1] / 2;
	double		width = d->x[d->n - 1] / 2 - d->x[0] / 2;
	bool		ok = basis != NULL && rest != NULL;

	*kind = FG_NO_FORMULA;
	ok = ok && fg_copy(ctx, rest, d->e, d->n * sizeof(double));
	for (int degree = 0; ok && degree < 3; degree++)
	{
		double	   *own = basis + (size_t) degree * d->n;

		for (size_t i = 0; i < d->n; i++)
		{
			double		z = width > 0 ? (d->x[i] - middle) / width : 0;

			own[i] = degree == 0 ? 1 : degree == 1 ? z : z * z;
		}
		for (int lower = 0; lower < degree; lower++)
			take_away(own, basis + (size_t) lower * d->n, d->n);
		take_away(rest, own, d->n);
		ok = fg_check(ctx);
		if (square_of(rest, d->n) > limit)
			continue;
		*kind = kinds[degree];
		break;
	}
	fg_release(ctx, basis);
	fg_release(ctx, rest);
	return ok;
}

static bool
classify_fast(FgContext *ctx, const Differences *d, int *kind)
{
	FgParametric models[FG_FORMULAS];
	uint32_t	count;
	int			best;

	*kind = FG_NO_FORMULA;
	if (!fg_parametric_fit(ctx, d->x, d->e, d->n, FG_ALL_FORMULAS, models, &count, &best))
		return false;
	if (best >= 0)
		*kind = (int) models[best].formula;
	return true;
}

static FgChangeVerdict
classify_difference(const FgModelDifference *difference, const FgThresholds *thresholds)
{
	double		limit = thresholds->change + FG_SLACK;

	if (difference->sum_error == 0)
		return FG_NO_CHANGE;
	if (difference->sum_error > 0)
		return fg_changed(1, difference->relative_error <= limit);
	return fg_changed(-1, difference->relative_error >= -limit);
}

static bool
judge_differences(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
				  FgSharedPoints *points, const FgThresholds *thresholds,
				  FgModelDifference *difference)
{
	Differences d = take_differences(points);

	if (d.n == 0)
		return true;
	difference->relative_error = d.relative;
	difference->sum_error = d.sum;
	difference->result = same_formula(baseline, target) ? FG_NO_CHANGE :
		classify_difference(difference, thresholds);
	scale_differences(&d);
	return classify_polynomial(ctx, &d, &difference->polynomial) &&
		classify_fast(ctx, &d, &difference->fast_check);
}

bool
fg_model_difference(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
					int64_t samples, const FgThresholds *thresholds, FgModelDifference *difference)
{
	FgSharedPoints points;
	double		lo;
	double		hi;
	bool		ok;

	*difference = (FgModelDifference) {FG_UNKNOWN, NAN, NAN, FG_NO_FORMULA, FG_NO_FORMULA};
	if (baseline->kind != FG_CURVE_FORMULA || target->kind != FG_CURVE_FORMULA)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Fit a parametric model to both.",
						  "%s must be a parametric model",
						  baseline->kind != FG_CURVE_FORMULA ? "baseline" : "target");
	if (!fg_thresholds_check(ctx, thresholds) || !fg_parts_check(ctx, "samples", samples, 2))
		return false;
	if (!fg_common_interval(baseline, target, &lo, &hi))
		return true;
	if (!fg_shared_points_of_curves(ctx, baseline, target, lo, hi, (size_t) samples, &points))
		return false;
	ok = judge_differences(ctx, baseline, target, &points, thresholds, difference);
	fg_shared_points_free(ctx, &points);
	return ok;
}
