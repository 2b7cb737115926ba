/*
 * trailing_band.c
 *	  Mean and deviation of the values before each (see trailing_band.h).
 *
 * Each window is summed by itself: a running sum would forget its small numbers when a large
 * one has passed.
 */
#include "core/models/trailing_band.h"

#include "core/base/series.h"

#include <math.h>

static bool
check(FgContext *ctx, int64_t window, double k)
{
	if (window < 2 || window > FG_MOST_TRAILING)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "window_size must be between 2 and %d, not %lld",
					   FG_MOST_TRAILING, (long long) window);
	if (!(k > 0 && isfinite(k)))
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "k must be positive and finite, not %g", k);
	return true;
}

bool
fg_trailing_band(FgContext *ctx, const double *values, size_t n, int64_t window, double k,
				 double *mean, double *lower, double *upper)
{
	if (!check(ctx, window, k))
		return false;
	for (size_t i = 0; i < n; i++)
	{
		size_t		count = i < (size_t) window ? i : (size_t) window;
		const double *before = values + i - count;
		double		deviation;

		mean[i] = lower[i] = upper[i] = NAN;
		if (!fg_steps(ctx, count + 1))
			return false;
		if (count < 2)
			continue;
		mean[i] = fg_mean(before, count);
		deviation = fg_deviation(before, count, count - 1);
		lower[i] = mean[i] - k * deviation;
		upper[i] = mean[i] + k * deviation;
	}
	return true;
}
