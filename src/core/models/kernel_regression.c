/*
 * kernel_regression.c
 *	  Kernel regression (see kernel_regression.h).
 */
#include "core/models/kernel_regression.h"

#include "core/base/series.h"
#include "core/models/smoother.h"

#include <math.h>
#include <string.h>

/* --- words and degrees --------------------------------------------------------------- */

static const char *const estimator_words[FG_ESTIMATORS] = {
	"nadaraya_watson", "local_linear", "local_polynomial"
};

const char *
fg_estimator_word(FgEstimator estimator)
{
	return estimator_words[estimator];
}

bool
fg_estimator_of_word(FgContext *ctx, const char *word, size_t length, FgEstimator *estimator)
{
	static const struct
	{
		const char *word;
		FgEstimator estimator;
	}			known[] = {
		{"nadaraya_watson", FG_NADARAYA_WATSON}, {"local_linear", FG_LOCAL_LINEAR},
		{"local_polynomial", FG_LOCAL_POLYNOMIAL}, {"spatial-average", FG_NADARAYA_WATSON},
		{"lc", FG_NADARAYA_WATSON}, {"ll", FG_LOCAL_LINEAR}
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		if (length == strlen(known[i].word) && memcmp(word, known[i].word, length) == 0)
		{
			*estimator = known[i].estimator;
			return true;
		}
	}
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
					  "Use nadaraya_watson (lc, spatial-average), local_linear (ll) or "
					  "local_polynomial.",
					  "method \"%.*s\" does not exist", length < 60 ? (int) length : 60, word);
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
