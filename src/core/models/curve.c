/*
 * curve.c
 *	  Performance models as functions (see curve.h).
 */
#include "core/models/curve.h"

#include "core/base/series.h"

#include <math.h>
#include <string.h>

uint32_t
fg_formula_coefficients(FgFormula formula)
{
	return formula == FG_CONSTANT ? 1 : formula == FG_QUADRATIC ? 3 : 2;
}

/* --- construction ----------------------------------------------------------------- */

static bool
curve_begin(FgContext *ctx, FgCurveKind kind, size_t n, double r_square, FgCurve *curve)
{
	memset(curve, 0, sizeof(*curve));
	curve->kind = kind;
	curve->start = NAN;
	curve->end = NAN;
	curve->r_square = r_square;
	curve->x = fg_alloc(ctx, n + 1, sizeof(double));
	curve->y = fg_alloc(ctx, n, sizeof(double));
	return curve->x != NULL && curve->y != NULL;
}

static bool
take_fitted(FgContext *ctx, const double *x, const double *fitted, size_t n, FgCurve *curve)
{
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (!isfinite(x[i]) || isinf(fitted[i]))
			return fg_fail(ctx, FG_ERROR_RANGE, "fitted point %zu is not finite", i + 1);
		if (isnan(fitted[i]))
			continue;
		curve->x[curve->n] = x[i];
		curve->y[curve->n++] = fitted[i];
	}
	return true;
}

/* Fitted values mostly come in the order of x; then equal x stay as they are. */
static bool
sort_points(FgContext *ctx, FgCurve *curve)
{
	for (size_t i = 1; i < curve->n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (curve->x[i] < curve->x[i - 1])
			return fg_series_sort(ctx, curve->x, curve->y, curve->n);
	}
	return true;
}

static bool
average_ties(FgContext *ctx, FgCurve *curve)
{
	size_t		kept = 0;
	size_t		end;

	for (size_t i = 0; i < curve->n; i = end)
	{
		for (end = i; end < curve->n && curve->x[end] == curve->x[i]; end++)
		{
			if (!fg_check_every(ctx, end))
				return false;
		}
		curve->x[kept] = curve->x[i];
		curve->y[kept++] = fg_mean(curve->y + i, end - i);
	}
	curve->n = kept;
	return true;
}

bool
fg_curve_points(FgContext *ctx, const double *x, const double *fitted, size_t n, double r_square,
				FgCurve *curve)
{
	if (!curve_begin(ctx, FG_CURVE_POINTS, n, r_square, curve) ||
		!take_fitted(ctx, x, fitted, n, curve) || !sort_points(ctx, curve) ||
		!average_ties(ctx, curve))
	{
		fg_curve_free(ctx, curve);
		return false;
	}
	if (curve->n > 0)
	{
		curve->start = curve->x[0];
		curve->end = curve->x[curve->n - 1];
	}
	return true;
}

static bool
fill_steps(FgContext *ctx, const double *edges, const double *values, size_t n, FgCurve *curve)
{
	double		last = NAN;

	curve->n = n;
	curve->x[0] = edges[0];
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (!isnan(values[i]))
			last = values[i];
		curve->x[i + 1] = edges[i + 1];
		curve->y[i] = last;
	}
	return true;
}

bool
fg_curve_steps(FgContext *ctx, const double *edges, const double *values, size_t n,
			   double r_square, FgCurve *curve)
{
	if (!curve_begin(ctx, FG_CURVE_STEPS, n, r_square, curve) ||
		(n > 0 && !fill_steps(ctx, edges, values, n, curve)))
	{
		fg_curve_free(ctx, curve);
		return false;
	}
	if (n > 0)
	{
		curve->start = edges[0];
		curve->end = edges[n];
	}
	return true;
}

FgCurve
fg_curve_formula(FgFormula formula, const double *b, double start, double end, double r_square)
{
	FgCurve		curve = {
		.kind = FG_CURVE_FORMULA, .start = start, .end = end, .r_square = r_square,
		.formula = formula
	};

	memcpy(curve.b, b, fg_formula_coefficients(formula) * sizeof(double));
	return curve;
}

void
fg_curve_free(FgContext *ctx, FgCurve *curve)
{
	fg_release(ctx, curve->x);
	fg_release(ctx, curve->y);
	memset(curve, 0, sizeof(*curve));
}

/* --- values and integrals ----------------------------------------------------------- */

/* How many of the ascending numbers are <= t. */
static size_t
count_until(const double *x, size_t n, double t)
{
	size_t		low = 0;
	size_t		high = n;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (x[middle] <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* After "before" of the points. */
static double
value_between(const FgCurve *curve, size_t before, double t)
{
	const double *x = curve->x + before;
	const double *y = curve->y + before;

	if (before == 0)
		return y[0];
	if (before == curve->n || x[-1] == t)
		return y[-1];
	/* halves where a difference would overflow */
	if (isinf(x[0] - x[-1]))
		return fg_between(y[-1], y[0], (t / 2 - x[-1] / 2) / (x[0] / 2 - x[-1] / 2));
	return fg_between(y[-1], y[0], (t - x[-1]) / (x[0] - x[-1]));
}

static double
integral_of_points(const FgCurve *curve, double from, double to)
{
	size_t		i = count_until(curve->x, curve->n, from);
	double		x = from;
	double		y = value_between(curve, i, from);
	double		sum = 0;

	for (; i < curve->n && curve->x[i] <= to; i++)
	{
		sum += fg_middle(y, curve->y[i]) * (curve->x[i] - x);
		x = curve->x[i];
		y = curve->y[i];
	}
	return sum + fg_middle(y, value_between(curve, i, to)) * (to - x);
}

/* The step that holds t, which is inside: the last one has its right edge, too. */
static size_t
step_at(const FgCurve *curve, double t)
{
	size_t		edges = count_until(curve->x, curve->n, t);

	return edges == 0 ? 0 : edges - 1;
}

static double
integral_of_steps(const FgCurve *curve, double from, double to)
{
	double		sum = 0;

	if (from < curve->start || to > curve->end)
		return NAN;
	for (size_t i = step_at(curve, from); i < curve->n && curve->x[i] < to; i++)
	{
		double		left = curve->x[i] > from ? curve->x[i] : from;
		double		right = curve->x[i + 1] < to ? curve->x[i + 1] : to;

		/* an empty overlap with a step without value does no harm */
		if (left < right)
			sum += curve->y[i] * (right - left);
	}
	return sum;
}

double
fg_curve_value(const FgCurve *curve, double t)
{
	if (curve->kind == FG_CURVE_FORMULA)
		return fg_formula_value(curve->formula, curve->b, t);
	if (curve->n == 0 || isnan(t))
		return NAN;
	if (curve->kind == FG_CURVE_POINTS)
		return value_between(curve, count_until(curve->x, curve->n, t), t);
	return t < curve->start || t > curve->end ? NAN : curve->y[step_at(curve, t)];
}

double
fg_curve_integral(const FgCurve *curve, double from, double to)
{
	if (!isfinite(from) || !isfinite(to))
		return NAN;
	if (curve->kind == FG_CURVE_FORMULA)
		return fg_formula_integral(curve->formula, curve->b, from, to);
	if (curve->n == 0)
		return NAN;
	if (from > to)
		return -fg_curve_integral(curve, to, from);
	return curve->kind == FG_CURVE_POINTS ? integral_of_points(curve, from, to) :
		integral_of_steps(curve, from, to);
}
