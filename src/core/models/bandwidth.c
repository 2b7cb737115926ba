/*
 * bandwidth.c
 *	  The bandwidth of kernel regression (see bandwidth.h).
 */
#include "core/models/bandwidth.h"

#include "core/base/choice.h"
#include "core/base/series.h"
#include "core/models/bandwidth_internal.h"
#include "core/models/smoother.h"

#include <math.h>
#include <string.h>

/* --- words -------------------------------------------------------------------------- */

static const char *const words[FG_BANDWIDTH_RULES] = {
	"user", "scott", "silverman", "cv_ls", "aic"
};

const char *
fg_bandwidth_rule_word(FgBandwidthRule rule)
{
	return words[rule];
}

/* "user" is what a fit says of a bandwidth that it was given. */
bool
fg_bandwidth_rule_parse(FgContext *ctx, const char *text, size_t length, FgBandwidthRule *rule)
{
	static const FgChoice choice = {
		"rule", "Available: scott, silverman, cv_ls, aic.", words + FG_BANDWIDTH_SCOTT,
		FG_BANDWIDTH_RULES - FG_BANDWIDTH_SCOTT
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*rule = (FgBandwidthRule) (FG_BANDWIDTH_SCOTT + place);
	return true;
}

/* --- options ------------------------------------------------------------------------ */

static bool
check_bandwidth(FgContext *ctx, const char *name, double bandwidth)
{
	if (bandwidth > 0 && isfinite(bandwidth))
		return true;
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
					  "A bandwidth is a positive number in the units of x; or leave it to a rule: "
					  "scott, silverman, cv_ls or aic.",
					  "%s must not be %g", name, bandwidth);
}

static bool
check_candidates(FgContext *ctx, const FgKernelOptions *options)
{
	if (options->candidates == NULL)
		return true;
	if (options->rule != FG_BANDWIDTH_CV_LS && options->rule != FG_BANDWIDTH_AIC)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Use rule cv_ls or aic.",
						  "candidates need a rule that compares them");
	if (options->ncandidates == 0)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Give at least one bandwidth, or no candidates.",
						  "candidates must not be empty");
	for (size_t i = 0; i < options->ncandidates; i++)
	{
		if (!fg_check_every(ctx, i) ||
			!check_bandwidth(ctx, "a bandwidth in candidates", options->candidates[i]))
			return false;
	}
	return true;
}

bool
fg_kernel_options_check(FgContext *ctx, const FgKernelOptions *options)
{
	if (options->rule == FG_BANDWIDTH_GIVEN && !check_bandwidth(ctx, "bandwidth", options->bandwidth))
		return false;
	return fg_degree_check(ctx, options->degree) &&
		check_candidates(ctx, options);
}

/* --- rules of thumb ------------------------------------------------------------------- */

static double
rule_of_thumb(const double *x, size_t n, double factor)
{
	double		spread;
	double		quartiles;

	if (n < 2)
		return 1;
	spread = fg_deviation(x, n, n - 1);
	quartiles = fg_quantile(x, n, 0.75) - fg_quantile(x, n, 0.25);
	if (quartiles != 0)
		spread = fmin(spread, quartiles / 1.349);
	return spread == 0 ? 1 : factor * spread * pow((double) n, -0.2);
}

double
fg_bandwidth_scott(const double *x, size_t n)
{
	return rule_of_thumb(x, n, 1.059);
}

double
fg_bandwidth_silverman(const double *x, size_t n)
{
	return rule_of_thumb(x, n, 0.9);
}

/* --- objectives ------------------------------------------------------------------------- */

/*
 * y is taken relative to its first value, which changes no residual: so the objective of
 * equal y is exact, where it would be noise otherwise.
 */
typedef struct Search
{
	FgContext  *ctx;
	const double *x;
	double	   *y;
	double	   *fitted;
	size_t		n;
	double		squares;		/* SS(y) */
	FgBandwidthRule rule;
	FgSmoother	smoother;
} Search;

static bool
search_begin(Search *s, const double *y)
{
	s->y = fg_alloc(s->ctx, s->n, sizeof(double));
	s->fitted = fg_alloc(s->ctx, s->n, sizeof(double));
	if (s->y == NULL || s->fitted == NULL)
		return false;
	for (size_t i = 0; i < s->n; i++)
	{
		if (!fg_check_every(s->ctx, i + 1))
			return false;
		s->y[i] = y[i] - y[0];
	}
	s->squares = fg_sum_squares(s->y, s->n);
	return true;
}

static void
search_end(Search *s)
{
	fg_release(s->ctx, s->y);
	fg_release(s->ctx, s->fitted);
}

/* sum (y - f)^2 / n; NaN when an f does not exist. */
static bool
mean_residual_square(Search *s, double *mean)
{
	double		sum = 0;

	for (size_t i = 0; i < s->n; i++)
	{
		double		residual = s->y[i] - s->fitted[i];

		if (!fg_check_every(s->ctx, i + 1))
			return false;
		sum += residual * residual;
	}
	*mean = sum / (double) s->n;
	return true;
}

static bool
cv_ls(Search *s, double *value)
{
	double		trace;

	return fg_smooth_points(s->ctx, &s->smoother, s->x, s->y, s->n, true, s->fitted, &trace) &&
		mean_residual_square(s, value);
}

static bool
aicc(Search *s, double *value)
{
	double		n = (double) s->n;
	double		trace;
	double		variance;

	*value = INFINITY;
	if (!fg_smooth_points(s->ctx, &s->smoother, s->x, s->y, s->n, false, s->fitted, &trace) ||
		!mean_residual_square(s, &variance))
		return false;
	if (isnan(variance) || !(trace + 2 < n))
		return true;
	variance = fmax(variance, 1e-20 * s->squares / n);
	*value = log(variance) + (1 + trace / n) / (1 - (trace + 2) / n);
	return true;
}

static bool
objective(Search *s, double h, double *value)
{
	s->smoother.bandwidth = h;
	if (!fg_check(s->ctx) || !(s->rule == FG_BANDWIDTH_CV_LS ? cv_ls(s, value) : aicc(s, value)))
		return false;
	if (isnan(*value))
		*value = INFINITY;
	return true;
}

bool
fg_bandwidth_objective(FgContext *ctx, const FgSmoother *smoother, const double *x,
					   const double *y, size_t n, double *cv_value, double *aicc_value)
{
	Search		s = {.ctx = ctx, .x = x, .n = n, .smoother = *smoother};
	FgKernelOptions options = {
		.kernel = smoother->kernel, .degree = smoother->degree, .bandwidth = smoother->bandwidth
	};
	bool		ok;

	*cv_value = NAN;
	*aicc_value = NAN;
	if (!fg_kernel_options_check(ctx, &options))
		return false;
	if (n == 0)
		return true;
	ok = search_begin(&s, y);
	s.rule = FG_BANDWIDTH_CV_LS;
	ok = ok && objective(&s, smoother->bandwidth, cv_value);
	s.rule = FG_BANDWIDTH_AIC;
	ok = ok && objective(&s, smoother->bandwidth, aicc_value);
	search_end(&s);
	return ok;
}

/* --- searches --------------------------------------------------------------------------- */

#define FIRST_STEP	(-14)
#define LAST_STEP	10
#define STEPS		(LAST_STEP - FIRST_STEP + 1)

/* h0 * 2^(k / 2) */
static double
candidate(double h0, int k)
{
	return ldexp(k % 2 == 0 ? h0 : h0 * 1.4142135623730951, (k - (k & 1)) / 2);
}

/*
 * Golden section between the neighbours of the best candidate; takes its result only when
 * it is better than that candidate.
 */
static bool
refine(Search *s, double from, double to, double *h, double *score)
{
	double		golden = (sqrt(5) - 1) / 2;
	double		a = log(from);
	double		b = log(to);
	double		c = b - golden * (b - a);
	double		d = a + golden * (b - a);
	double		at_c;
	double		at_d;
	double		value;

	if (!objective(s, exp(c), &at_c) || !objective(s, exp(d), &at_d))
		return false;
	for (int turn = 1; turn <= 16; turn++)
	{
		bool		left = at_c <= at_d;
		double		next;

		if (left)
		{
			b = d;
			d = c;
			at_d = at_c;
			c = b - golden * (b - a);
		}
		else
		{
			a = c;
			c = d;
			at_c = at_d;
			d = a + golden * (b - a);
		}
		next = left ? c : d;
		/* nothing is compared after the last turn */
		if (turn < 16 && !objective(s, exp(next), left ? &at_c : &at_d))
			return false;
	}
	if (!objective(s, exp((a + b) / 2), &value))
		return false;
	if (value <= *score)
	{
		*h = exp((a + b) / 2);
		*score = value;
	}
	return true;
}

/* *score stays NaN when there is nothing to find. */
static bool
search(Search *s, double h0, double *h, double *score)
{
	double		tolerance = s->rule == FG_BANDWIDTH_CV_LS ? 1e-12 * s->squares / (double) s->n :
		1e-12;
	double		value[STEPS];
	double		least = INFINITY;
	int			best = STEPS - 1;

	for (int i = 0; i < STEPS; i++)
	{
		if (!objective(s, candidate(h0, FIRST_STEP + i), &value[i]))
			return false;
		least = fmin(least, value[i]);
	}
	if (least == INFINITY)
		return true;
	while (!(value[best] <= least + tolerance))
		best--;
	*h = candidate(h0, FIRST_STEP + best);
	*score = value[best];
	if (best == 0 || best == STEPS - 1)
		return true;
	return refine(s, candidate(h0, FIRST_STEP + best - 1), candidate(h0, FIRST_STEP + best + 1),
				  h, score);
}

static bool
search_candidates(Search *s, const FgKernelOptions *options, double *h, double *score)
{
	for (size_t i = 0; i < options->ncandidates; i++)
	{
		double		value;

		if (!objective(s, options->candidates[i], &value))
			return false;
		if (i > 0 && !(value < *score))
			continue;
		*h = options->candidates[i];
		*score = value;
	}
	return true;
}

static bool
search_any(Search *s, const FgKernelOptions *options, double *h, double *score)
{
	double		spread = fg_deviation(s->x, s->n, s->n);
	double		h0 = 1.06 * spread * pow((double) s->n, -0.2);

	if (options->candidates != NULL)
		return search_candidates(s, options, h, score);
	*h = fg_bandwidth_scott(s->x, s->n);
	if (s->n < 3 || spread == 0)
		return true;
	if (!(h0 > 1e-300 && h0 < 1e300))
		return fg_fail(s->ctx, FG_ERROR_RANGE, "the bandwidth is out of range");
	if (s->squares == 0)
	{
		*h = candidate(h0, LAST_STEP);
		return true;
	}
	return search(s, h0, h, score);
}

bool
fg_bandwidth_choose(FgContext *ctx, const FgKernelOptions *options, const double *x,
					const double *y, size_t n, double *bandwidth, double *score)
{
	Search		s = {
		.ctx = ctx, .x = x, .n = n, .rule = options->rule,
		.smoother = {.kernel = options->kernel, .degree = options->degree}
	};
	bool		ok = true;

	*score = NAN;
	*bandwidth = options->bandwidth;
	switch (options->rule)
	{
		case FG_BANDWIDTH_GIVEN:
			break;
		case FG_BANDWIDTH_SCOTT:
			*bandwidth = fg_bandwidth_scott(x, n);
			break;
		case FG_BANDWIDTH_SILVERMAN:
			*bandwidth = fg_bandwidth_silverman(x, n);
			break;
		case FG_BANDWIDTH_CV_LS:
		case FG_BANDWIDTH_AIC:
			ok = search_begin(&s, y) && search_any(&s, options, bandwidth, score);
			search_end(&s);
			break;
	}
	if (ok && !(*bandwidth > 0 && isfinite(*bandwidth)))
		return fg_fail(ctx, FG_ERROR_RANGE, "the bandwidth is out of range");
	return ok;
}
