/*
 * amdahl.c
 *	  Least squares of Amdahl's law (see amdahl.h).
 */
#include "core/models/amdahl.h"

#include "core/base/series.h"

#include <math.h>

static double
time_of(const FgAmdahl *fit, double workers)
{
	return fit->fixed + (1 - fit->fixed) * (fit->base / workers);
}

double
fg_amdahl_speedup(const FgAmdahl *fit, double workers)
{
	double		time = time_of(fit, workers);

	return time > 0 ? 1 / time : NAN;
}

/* r - base / n = f (1 - base / n): a line through 0, whose slope is f. */
static bool
find_fixed(FgContext *ctx, const double *workers, const double *relative, size_t n, FgAmdahl *fit)
{
	FgDouble2	products = {0, 0};
	FgDouble2	squares = {0, 0};
	double		total;

	for (size_t i = 0; i < n; i++)
	{
		double		parallel = fit->base / workers[i];

		fg_sum_twice(&products, (relative[i] - parallel) * (1 - parallel));
		fg_sum_twice(&squares, (1 - parallel) * (1 - parallel));
		if (!fg_check_every(ctx, i))
			return false;
	}
	total = squares.high + squares.low;
	if (total > 0 && isfinite(total))
		fit->fixed = (products.high + products.low) / total;
	if (!isfinite(fit->fixed))
		fit->fixed = NAN;
	return true;
}

/* t(1) over t(base) is f + (1 - f) base, and f of it is serial. */
static double
serial_of(const FgAmdahl *fit)
{
	double		one = fit->fixed * (1 - fit->base) + fit->base;

	return one > 0 ? fit->fixed / one : NAN;
}

bool
fg_amdahl_fit(FgContext *ctx, const double *workers, const double *relative, size_t n,
			  double base, FgAmdahl *fit)
{
	double	   *fitted;
	bool		ok;

	*fit = (FgAmdahl) {.base = base, .fixed = NAN, .serial = NAN, .r_square = NAN};
	if (!find_fixed(ctx, workers, relative, n, fit))
		return false;
	if (isnan(fit->fixed))
		return true;
	fit->serial = serial_of(fit);
	fitted = fg_alloc(ctx, n, sizeof(double));
	ok = fitted != NULL;
	for (size_t i = 0; ok && i < n; i++)
	{
		fitted[i] = time_of(fit, workers[i]);
		ok = fg_check_every(ctx, i);
	}
	ok = ok && fg_r_square(ctx, relative, fitted, n, &fit->r_square);
	fg_release(ctx, fitted);
	return ok;
}
