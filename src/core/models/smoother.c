/*
 * smoother.c
 *	  Kernel smoothing at many places (see smoother.h).
 */
#include "core/models/smoother.h"

#include "core/base/series.h"
#include "core/models/compact_sums.h"

#include <math.h>
#include <string.h>

/* --- all estimates from sums over the kernel ---------------------------------------------- */

/*
 * A Gaussian or Epanechnikov kernel and a degree of at most 1 need nothing but the sums of
 * fg_gauss_sums() or fg_compact_sums(), which do not take n kernel values per estimate.
 * Where a sum is small next to what it was subtracted from, the estimate is made by its
 * definition; of those there can only be few, because they have few neighbours.
 *
 * Below this number of points or of estimates it does not pay.
 */
#ifndef FG_SUMS_FROM
#define FG_SUMS_FROM 64
#endif

#define LOSS 1e-2				/* at most two digits */

static int
sums_of_degree(uint32_t degree)
{
	return degree == 0 ? 2 : FG_GAUSS_SUMS;
}

static bool
uses_sums(const FgSmoother *smoother, const double *x, size_t n, size_t count)
{
	if (smoother->degree > 1 || n < FG_SUMS_FROM || count < FG_SUMS_FROM)
		return false;
	return smoother->kernel == FG_GAUSSIAN ||
		(smoother->kernel == FG_EPANECHNIKOV &&
		 fg_compact_sums_exact(x, n, smoother->bandwidth, sums_of_degree(smoother->degree)));
}

typedef struct Sums
{
	double	   *sum[FG_GAUSS_SUMS];
	int			count;
	double		reach;
	double		least;			/* sum of the kernel that says something */
	size_t		below;			/* points left of the current target */
	size_t		upto;			/* and of those at it, too */
} Sums;

/*
 * The rule of the degree: do two distinct x have a weight above 1e-10 times the largest?
 * The kernel falls with the distance, so only the two nearest ones matter.
 */
static bool
has_slope(const FgLocalFit *s, const Sums *sums, double t, bool at_t)
{
	const double *x = s->x;
	double		left = sums->below > 0 ? t - x[sums->below - 1] : INFINITY;
	double		right = sums->upto < s->n ? x[sums->upto] - t : INFINITY;
	double		nearest = at_t ? 0 : fmin(left, right);
	double		second = at_t ? fmin(left, right) : fmax(left, right);
	double		least = 1e-10 * fg_kernel_value(s->smoother->kernel, nearest / s->h);
	size_t		next;

	if (fg_kernel_value(s->smoother->kernel, second / s->h) > least)
		return true;
	if (at_t)
		return false;
	/* perhaps both of them are on the same side */
	if (left < right)
	{
		next = fg_local_fit_point(s, 0, x[sums->below - 1], 0, false);
		second = next > 0 ? t - x[next - 1] : INFINITY;
	}
	else
	{
		next = sums->upto < s->n ? fg_local_fit_point(s, sums->upto, x[sums->upto], 0, true)
			: s->n;
		second = next < s->n ? x[next] - t : INFINITY;
	}
	return fg_kernel_value(s->smoother->kernel, second / s->h) > least;
}

/* False when the sums have lost too many digits. */
static bool
estimate_of_sums(const FgLocalFit *s, const Sums *sums, size_t i, double t, size_t left_out,
				 FgEstimate *estimate)
{
	bool		without = left_out != FG_NOTHING_LEFT_OUT;
	double		k = sums->sum[FG_SUM_K][i];
	double		ky = sums->sum[FG_SUM_KY][i];
	double		mean_z;
	double		mean_zz;
	double		variance;
	double		slope;

	if (without)
	{
		k -= s->at_zero;
		ky -= s->at_zero * s->y[left_out];
	}
	if (!(k >= (without ? LOSS * s->at_zero : sums->least)))
		return false;
	*estimate = fg_weighted_mean(k, ky, s->at_zero);
	if (s->smoother->degree == 0 ||
		!has_slope(s, sums, t, sums->upto - sums->below > (without ? 1 : 0)))
		return true;
	mean_z = sums->sum[FG_SUM_KZ][i] / k;
	mean_zz = sums->sum[FG_SUM_KZZ][i] / k;
	variance = mean_zz - mean_z * mean_z;
	if (!(mean_zz >= LOSS * sums->reach * sums->reach && variance >= LOSS * mean_zz))
		return false;
	slope = (sums->sum[FG_SUM_KZY][i] / k - mean_z * estimate->value) / variance;
	estimate->value -= slope * mean_z;
	estimate->hat *= mean_zz / variance;
	return true;
}

static bool
sums_begin(FgLocalFit *s, Sums *sums, const double *target, size_t count)
{
	memset(sums, 0, sizeof(*sums));
	sums->count = sums_of_degree(s->smoother->degree);
	for (int i = 0; i < sums->count; i++)
	{
		sums->sum[i] = fg_alloc_zero(s->ctx, count, sizeof(double));
		if (sums->sum[i] == NULL)
			return false;
	}
	if (s->smoother->kernel == FG_EPANECHNIKOV)
	{
		/* weights at the edge have few digits, by the definition too: as few as it has */
		sums->least = LOSS * s->at_zero;
		return fg_compact_sums(s->ctx, s->x, s->y, s->n, target, count, s->h, sums->count,
							   sums->sum);
	}
	sums->least = 1e-200;
	return fg_gauss_sums(s->ctx, s->x, s->y, s->n, target, count, s->h, sums->count, sums->sum,
						 &sums->reach);
}

static void
sums_end(FgLocalFit *s, Sums *sums)
{
	for (int i = 0; i < sums->count; i++)
		fg_release(s->ctx, sums->sum[i]);
}

/* For the targets in ascending order. */
static void
move_to(const FgLocalFit *s, Sums *sums, double t)
{
	while (sums->below < s->n && s->x[sums->below] < t)
		sums->below++;
	if (sums->upto < sums->below)
		sums->upto = sums->below;
	while (sums->upto < s->n && s->x[sums->upto] <= t)
		sums->upto++;
}

/* --- all estimates ------------------------------------------------------------------------ */

/*
 * At ascending targets; leave_one_out: the targets are the points.  sums may be NULL.
 * *trace is the sum of the weights of the targets on themselves.
 */
static bool
estimate_all(FgLocalFit *s, Sums *sums, const double *target, size_t count, bool leave_one_out,
			 double *fitted, double *trace)
{
	*trace = 0;
	for (size_t i = 0; i < count; i++)
	{
		size_t		left_out = leave_one_out ? i : FG_NOTHING_LEFT_OUT;
		FgEstimate	estimate;
		bool		done = false;

		if (sums != NULL)
		{
			move_to(s, sums, target[i]);
			done = estimate_of_sums(s, sums, i, target[i], left_out, &estimate);
		}
		if (!done && !fg_local_fit_at(s, target[i], left_out, &estimate))
			return false;
		fitted[i] = estimate.value;
		*trace += estimate.hat;
		if (!fg_steps(s->ctx, 8))
			return false;
	}
	return true;
}

static bool
smooth_targets(FgContext *ctx, const FgSmoother *smoother, const double *x, const double *y,
			   size_t n, const double *target, size_t count, bool leave_one_out, double *fitted,
			   double *trace)
{
	FgLocalFit	s = {.ctx = ctx, .smoother = smoother, .x = x, .y = y, .n = n};
	Sums		sums = {.count = 0};
	bool		fast = uses_sums(smoother, x, n, count);
	bool		ok = fg_local_fit_begin(&s);

	if (ok && fast)
		ok = sums_begin(&s, &sums, target, count);
	ok = ok && estimate_all(&s, fast ? &sums : NULL, target, count, leave_one_out, fitted, trace);
	sums_end(&s, &sums);
	fg_local_fit_end(&s);
	return ok;
}

bool
fg_smooth_points(FgContext *ctx, const FgSmoother *smoother, const double *x, const double *y,
				 size_t n, bool leave_one_out, double *fitted, double *trace)
{
	return smooth_targets(ctx, smoother, x, y, n, x, n, leave_one_out, fitted, trace);
}

static bool
check_targets(FgContext *ctx, const double *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (!isfinite(at[i]))
			return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Use finite numbers.",
							  "at_x must not contain %g", at[i]);
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

bool
fg_fitted_check(FgContext *ctx, const double *fitted, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (isinf(fitted[i]))
			return fg_fail(ctx, FG_ERROR_RANGE, "a fitted value is out of range");
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* The targets are sorted together with their places; the estimates go back there. */
bool
fg_smooth(FgContext *ctx, const FgSmoother *smoother, const double *x, const double *y, size_t n,
		  const double *at, size_t count, double *fitted)
{
	double	   *target = fg_alloc(ctx, count, sizeof(double));
	double	   *place = fg_alloc(ctx, count, sizeof(double));
	double	   *value = fg_alloc(ctx, count, sizeof(double));
	double		trace;
	bool		ok = target != NULL && place != NULL && value != NULL &&
		check_targets(ctx, at, count);

	for (size_t i = 0; ok && i < count; i++)
	{
		target[i] = at[i];
		place[i] = (double) i;
		ok = fg_check_every(ctx, i + 1);
	}
	ok = ok && fg_series_sort(ctx, target, place, count) &&
		smooth_targets(ctx, smoother, x, y, n, target, count, false, value, &trace);
	for (size_t i = 0; ok && i < count; i++)
	{
		fitted[(size_t) place[i]] = value[i];
		ok = fg_check_every(ctx, i + 1);
	}
	fg_release(ctx, target);
	fg_release(ctx, place);
	fg_release(ctx, value);
	return ok && fg_fitted_check(ctx, fitted, count);
}
