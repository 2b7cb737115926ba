/*
 * kernel_regression.c
 *	  Kernel regression (see kernel_regression.h).
 */
#include "core/models/kernel_regression.h"

#include "core/base/choice.h"
#include "core/base/series.h"
#include "core/models/smoother.h"

#include <math.h>
#include <string.h>

/* --- words and degrees --------------------------------------------------------------- */

/* Three of them are other names. */
static const char *const estimator_words[] = {
	"nadaraya_watson", "local_linear", "local_polynomial", "spatial-average", "lc", "ll"
};

const char *
fg_estimator_word(FgEstimator estimator)
{
	return estimator_words[estimator];
}

bool
fg_estimator_parse(FgContext *ctx, const char *text, size_t length, FgEstimator *estimator)
{
	static const FgEstimator renamed[] = {FG_NADARAYA_WATSON, FG_NADARAYA_WATSON, FG_LOCAL_LINEAR};
	static const FgChoice choice = {
		"method",
		"Available: nadaraya_watson (lc, spatial-average), local_linear (ll), local_polynomial.",
		estimator_words, sizeof(estimator_words) / sizeof(estimator_words[0])
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*estimator = place < FG_ESTIMATORS ? (FgEstimator) place : renamed[place - FG_ESTIMATORS];
	return true;
}

bool
fg_estimator_degree(FgContext *ctx, FgEstimator estimator, int64_t order, uint32_t *degree)
{
	if (estimator == FG_LOCAL_POLYNOMIAL && !fg_degree_check(ctx, order))
		return false;
	*degree = estimator == FG_LOCAL_POLYNOMIAL ? (uint32_t) order :
		estimator == FG_LOCAL_LINEAR ? 1 : 0;
	return true;
}

/* --- the model ---------------------------------------------------------------------------- */

static bool
fit_points(FgContext *ctx, const FgSmoother *smoother, const double *x, const double *y,
		   size_t n, double *fitted, FgKernelFit *fit)
{
	double		trace;

	fit->bandwidth = smoother->bandwidth;
	return fg_smooth_points(ctx, smoother, x, y, n, false, fitted, &trace) &&
		fg_fitted_check(ctx, fitted, n) && fg_r_square(ctx, y, fitted, n, &fit->r_square);
}

bool
fg_kernel_regression(FgContext *ctx, const FgKernelOptions *options, const double *x,
					 const double *y, size_t n, const double *at, size_t count, double *fitted,
					 FgKernelFit *fit)
{
	FgSmoother	smoother = {options->kernel, options->degree, NAN};
	double	   *at_points = fitted;
	bool		ok;

	*fit = (FgKernelFit) {NAN, NAN, NAN, NAN, NAN};
	if (!fg_kernel_options_check(ctx, options))
		return false;
	if (n == 0)
		return at == NULL || fg_smooth(ctx, &smoother, x, y, 0, at, count, fitted);
	fit->x_start = x[0];
	fit->x_end = x[n - 1];
	if (!fg_bandwidth_choose(ctx, options, x, y, n, &smoother.bandwidth, &fit->score))
		return false;
	if (at != NULL)
		at_points = fg_alloc(ctx, n, sizeof(double));
	ok = at_points != NULL && fit_points(ctx, &smoother, x, y, n, at_points, fit);
	if (at != NULL)
	{
		ok = ok && fg_smooth(ctx, &smoother, x, y, n, at, count, fitted);
		fg_release(ctx, at_points);
	}
	return ok;
}
