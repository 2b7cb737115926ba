/*
 * moderation.c
 *	  Moderated variances (see moderation.h).
 */
#include "core/compare/moderation.h"

#include "core/base/distribution.h"
#include "core/base/order.h"
#include "core/base/series.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A variance below this part of the median would be an outlier among logarithms. */
#define LEAST_PART 1e-5

/*
 * A sample variance is an outlier when the prior gives one as large with less than this
 * probability, for the number of keys.  It is so small because priors are not quite of this
 * form: among keys whose noise differs lognormally none is meant.
 */
#define OUTLIER 1e-12
#define LEAST_FOR_OUTLIERS 10

/* Columns of the spline, and what is left of a column that depends on the others. */
#define MOST_COLUMNS 4
#define DEPENDENT 1e-9

/* --- the spline ------------------------------------------------------------------------- */

/* The keys that take part; all of u, e and a column are "count" long. */
typedef struct Fit
{
	FgContext  *ctx;
	uint32_t	count;
	double		df;
	double	   *u;				/* covariate, scaled to 0 .. 1 */
	double	   *logs;			/* logarithms of the variances, without bias */
	double		bias;			/* that they had */
	double	   *e;				/* the variances; then what is fitted; then the residuals */
	double	   *trend;
	double	   *sorted;			/* room for a sorted copy */
	const double *weight;		/* 0 for what does not count, else 1; NULL: all count */
	uint32_t	counted;
	uint32_t	columns;		/* that the spline should have */
	uint32_t	rank;			/* of the columns so far */
	double	   *column[MOST_COLUMNS];	/* orthonormal */
	double		squares;		/* sum of e^2 */
	double		prior_df;
	double		limit;			/* logarithm of how many times its prior an outlier is */
} Fit;

static double
weight_of(const Fit *fit, uint32_t i)
{
	return fit->weight == NULL ? 1 : fit->weight[i];
}

/* A power of the distance from a knot, zero before the knot, with a second derivative of 1 at u = 1. */
typedef struct Power
{
	double		knot;
	int			exponent;		/* 3; 2 for the second of two equal knots */
} Power;

static double
power_at(Power power, double u)
{
	double		w = u - power.knot;

	if (w <= 0)
		return 0;
	return power.exponent == 3 ? w * w * w / (6 * (1 - power.knot)) : w * w / 2;
}

/* How many columns the spline has: limma's choice, 1 for a constant. */
static uint32_t
wanted_columns(const Fit *fit)
{
	uint32_t	columns = 1 + (fit->count >= 3) + (fit->count >= 6) + (fit->count >= 30);
	uint32_t	distinct = 1;

	for (uint32_t i = 1; i < fit->count && distinct < columns; i++)
		distinct += fit->sorted[i] > fit->sorted[i - 1];
	return distinct < columns ? distinct : columns;
}

/*
 * The lower boundary and the inner knots, at equally spaced quantiles.  A knot on a boundary
 * bends nothing.  Two equal ones let the second derivative jump, as they do in splines::ns.
 */
static uint32_t
place_knots(const Fit *fit, uint32_t columns, Power powers[MOST_COLUMNS])
{
	uint32_t	inner = columns - 2;
	uint32_t	count = 1;

	powers[0] = (Power) {0, 3};
	for (uint32_t i = 1; i <= inner; i++)
	{
		double		knot = fg_quantile(fit->sorted, fit->count, (double) i / (inner + 1));

		if (knot <= 0 || knot >= 1)
			continue;
		powers[count] = (Power) {knot, knot > powers[count - 1].knot ? 3 : 2};
		count++;
	}
	return count;
}

static bool
subtract_part(Fit *fit, const double *column, double *from)
{
	double		product = 0;

	for (uint32_t i = 0; i < fit->count; i++)
		product += weight_of(fit, i) * column[i] * from[i];
	for (uint32_t i = 0; i < fit->count; i++)
		from[i] -= product * column[i];
	return fg_steps(fit->ctx, 2 * (size_t) fit->count);
}

/* What is left of a vector without the columns; twice is as orthogonal as can be (Giraud et al. 2005). */
static bool
subtract_columns(Fit *fit, double *from)
{
	for (uint32_t i = 0; i < 2 * fit->rank; i++)
	{
		if (!subtract_part(fit, fit->column[i % fit->rank], from))
			return false;
	}
	return true;
}

static double
length_of(const Fit *fit, const double *values)
{
	double		squares = 0;

	for (uint32_t i = 0; i < fit->count; i++)
		squares += weight_of(fit, i) * values[i] * values[i];
	return sqrt(squares);
}

/* fit->column[fit->rank] has been filled; it counts unless it depends on those before it. */
static bool
take_column(Fit *fit)
{
	double	   *column = fit->column[fit->rank];
	double		length = length_of(fit, column);
	double		rest;

	if (!subtract_columns(fit, column))
		return false;
	rest = length_of(fit, column);
	if (!(rest > DEPENDENT * length))
		return true;
	for (uint32_t i = 0; i < fit->count; i++)
		column[i] /= rest;
	fit->rank++;
	return true;
}

/* 1, u, and differences of powers, whose second derivatives are 0 at both ends. */
static bool
fill_columns(Fit *fit, uint32_t columns)
{
	Power		powers[MOST_COLUMNS];
	uint32_t	count = columns < 3 ? 1 : place_knots(fit, columns, powers);

	for (uint32_t i = 0; i < fit->count; i++)
		fit->column[0][i] = 1;
	if (!take_column(fit))
		return false;
	if (columns < 2)
		return true;
	memcpy(fit->column[fit->rank], fit->u, fit->count * sizeof(double));
	if (!take_column(fit))
		return false;
	for (uint32_t k = 0; k + 1 < count; k++)
	{
		for (uint32_t i = 0; i < fit->count; i++)
			fit->column[fit->rank][i] = power_at(powers[k], fit->u[i]) -
				power_at(powers[count - 1], fit->u[i]);
		if (!take_column(fit))
			return false;
	}
	return true;
}

/* u becomes 0 .. 1, so that cubes neither overflow nor cancel. */
static bool
scale_covariate(Fit *fit)
{
	double		low;
	double		range;

	memcpy(fit->sorted, fit->u, fit->count * sizeof(double));
	if (!fg_sort_values(fit->ctx, fit->sorted, fit->count))
		return false;
	low = fit->sorted[0];
	range = fit->sorted[fit->count - 1] - low;
	for (uint32_t i = 0; range > 0 && i < fit->count; i++)
	{
		fit->u[i] = (fit->u[i] - low) / range;
		fit->sorted[i] = (fit->sorted[i] - low) / range;
	}
	fit->columns = wanted_columns(fit);
	return fg_check(fit->ctx);
}

/* May be called again with other weights and other numbers in e. */
static bool
fit_trend(Fit *fit)
{
	fit->rank = 0;
	if (!fill_columns(fit, fit->columns))
		return false;
	memcpy(fit->trend, fit->e, fit->count * sizeof(double));
	if (!subtract_columns(fit, fit->e))
		return false;
	fit->squares = 0;
	for (uint32_t i = 0; i < fit->count; i++)
	{
		fit->trend[i] -= fit->e[i];
		fit->squares += weight_of(fit, i) * fit->e[i] * fit->e[i];
	}
	return fg_check(fit->ctx);
}

/* --- variances ------------------------------------------------------------------------------ */

static bool
takes_part(double variance, double covariate)
{
	return isfinite(variance) && isfinite(covariate);
}

/* e from the variances in it: unbiased for the logarithm of the true ones. */
static bool
take_logarithms(Fit *fit)
{
	double		median;
	double		least;

	memcpy(fit->sorted, fit->e, fit->count * sizeof(double));
	if (!fg_sort_values(fit->ctx, fit->sorted, fit->count))
		return false;
	median = fg_median(fit->sorted, fit->count);
	least = fmax(LEAST_PART * (median > 0 ? median : 1), DBL_MIN);
	fit->bias = fg_digamma(fit->df / 2) - log(fit->df / 2);
	for (uint32_t i = 0; i < fit->count; i++)
	{
		if (!fg_check_every(fit->ctx, i))
			return false;
		fit->logs[i] = log(fmax(fit->e[i], least)) - fit->bias;
	}
	return true;
}

/* The mean variance of those that count. */
static double
mean_variance(const Fit *fit)
{
	double		sum = 0;

	for (uint32_t i = 0; i < fit->count; i++)
		sum += weight_of(fit, i) * exp(fit->logs[i] + fit->bias) / fit->counted;
	return sum;
}

/* d0 and, in place of the trend, s0^2, from those that count. */
static bool
find_prior(Fit *fit)
{
	double		v;
	double		d0;
	double		shift;
	double		mean;

	memcpy(fit->e, fit->logs, fit->count * sizeof(double));
	if (!fit_trend(fit))
		return false;
	v = fit->squares / (fit->counted - fit->rank) - fg_trigamma(fit->df / 2);
	d0 = v > 0 ? 2 * fg_trigamma_inverse(v) : INFINITY;
	shift = isinf(d0) ? 0 : fg_digamma(d0 / 2) - log(d0 / 2);
	mean = isinf(d0) && fit->rank == 1 ? mean_variance(fit) : NAN;
	for (uint32_t i = 0; i < fit->count; i++)
		fit->trend[i] = isnan(mean) ? exp(fit->trend[i] + shift) : mean;
	fit->prior_df = d0;
	return fg_check(fit->ctx);
}

/* --- outliers -------------------------------------------------------------------------------- */

/* The hundredth part of the keys with the largest residuals, and at least one, does not count. */
static bool
trim(Fit *fit, double *weights)
{
	double	   *residuals = fg_alloc(fit->ctx, fit->count, sizeof(double));
	uint32_t	left_out = fit->count < 200 ? 1 : fit->count / 100;
	bool		ok = residuals != NULL;

	if (ok)
		memcpy(residuals, fit->e, fit->count * sizeof(double));
	ok = ok && fg_sort_values(fit->ctx, residuals, fit->count);
	fit->counted = 0;
	for (uint32_t i = 0; ok && i < fit->count; i++)
	{
		weights[i] = fit->e[i] < residuals[fit->count - left_out];
		fit->counted += weights[i] > 0;
	}
	fg_release(fit->ctx, residuals);
	return ok && fg_check(fit->ctx);
}

/* A key counts unless no variance of the prior is likely to give it such a sample variance. */
static bool
judge(Fit *fit, double *weights)
{
	double		probability = OUTLIER / fit->count;

	fit->limit = log(fg_f_upper_quantile(probability, fit->df, fmin(fit->prior_df, 1e10)));
	fit->counted = 0;
	for (uint32_t i = 0; i < fit->count; i++)
	{
		weights[i] = fit->logs[i] + fit->bias - log(fit->trend[i]) <= fit->limit;
		fit->counted += weights[i] > 0;
	}
	return fg_check(fit->ctx);
}

/*
 * The prior of those that are no outliers.  They are judged by the prior without the keys that vary
 * most, or one wild key would hide itself by making all priors wide.
 */
static bool
find_robust_prior(Fit *fit)
{
	double	   *weights;
	bool		ok;

	fit->counted = fit->count;
	fit->limit = INFINITY;
	if (!find_prior(fit))
		return false;
	if (fit->count < LEAST_FOR_OUTLIERS)
		return true;
	weights = fg_alloc(fit->ctx, fit->count, sizeof(double));
	ok = weights != NULL && trim(fit, weights);
	fit->weight = weights;
	ok = ok && (fit->counted < LEAST_FOR_OUTLIERS - 1 || find_prior(fit)) && judge(fit, weights);
	if (fit->counted < fit->count / 2)
	{
		fit->counted = fit->count;	/* so many are no outliers */
		fit->limit = INFINITY;
	}
	if (fit->counted == fit->count)
		fit->weight = NULL;
	ok = ok && find_prior(fit);
	for (uint32_t i = 0; ok && fit->weight != NULL && i < fit->count; i++)
		fit->trend[i] = weights[i] > 0 ? fit->trend[i] : NAN;
	fit->weight = NULL;
	fg_release(fit->ctx, weights);
	return ok;
}

/* --- all keys --------------------------------------------------------------------------------- */

static bool
fit_alloc(Fit *fit)
{
	double	  **arrays[] = {&fit->u, &fit->logs, &fit->e, &fit->trend, &fit->sorted,
		&fit->column[0], &fit->column[1], &fit->column[2], &fit->column[3]};
	bool		ok = true;

	for (size_t i = 0; ok && i < sizeof(arrays) / sizeof(arrays[0]); i++)
	{
		*arrays[i] = fg_alloc(fit->ctx, fit->count, sizeof(double));
		ok = *arrays[i] != NULL;
	}
	return ok;
}

static void
fit_free(Fit *fit)
{
	fg_release(fit->ctx, fit->u);
	fg_release(fit->ctx, fit->logs);
	fg_release(fit->ctx, fit->e);
	fg_release(fit->ctx, fit->trend);
	fg_release(fit->ctx, fit->sorted);
	for (int i = 0; i < MOST_COLUMNS; i++)
		fg_release(fit->ctx, fit->column[i]);
}

static bool
fit_prior(FgContext *ctx, const double *variance, const double *covariate, FgModeration *result)
{
	Fit			fit = {.ctx = ctx, .count = result->used, .df = result->df};
	bool		ok = fit_alloc(&fit);
	uint32_t	next = 0;

	for (uint32_t i = 0; ok && i < result->count; i++)
	{
		if (!takes_part(variance[i], covariate[i]))
			continue;
		fit.u[next] = covariate[i];
		fit.e[next++] = variance[i];
	}
	ok = ok && take_logarithms(&fit) && scale_covariate(&fit) && find_robust_prior(&fit);
	next = 0;
	for (uint32_t i = 0; ok && i < result->count; i++)
	{
		if (takes_part(variance[i], covariate[i]))
			result->prior[i] = fit.trend[next++];
	}
	if (ok)
	{
		result->prior_df = fit.prior_df;
		result->used = fit.counted;
		result->outlier = exp(fit.limit);
	}
	fit_free(&fit);
	return ok;
}

/* --- any trend -------------------------------------------------------------------------------- */

static bool
fit_values(Fit *fit, const double *values, const double *covariate, uint32_t count,
		   double *weights)
{
	uint32_t	next = 0;
	double		squares = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		if (!isfinite(covariate[i]))
			continue;
		weights[next] = !isnan(values[i]);
		fit->u[next] = covariate[i];
		fit->e[next] = isnan(values[i]) ? 0 : values[i];
		squares += fit->e[next] * fit->e[next];
		next++;
	}
	fit->weight = weights;
	if (!scale_covariate(fit) || !fit_trend(fit))
		return false;
	fit->squares = squares - fit->squares;
	return true;
}

bool
fg_trend(FgContext *ctx, const double *values, const double *covariate, uint32_t count,
		 double *trend, double *explained)
{
	Fit			fit = {.ctx = ctx};
	double	   *weights;
	uint32_t	next = 0;
	bool		ok;

	for (uint32_t i = 0; i < count; i++)
		fit.count += isfinite(covariate[i]);
	weights = fg_alloc(ctx, fit.count, sizeof(double));
	ok = weights != NULL && fit_alloc(&fit) &&
		(fit.count == 0 || fit_values(&fit, values, covariate, count, weights));
	*explained = fit.squares;
	for (uint32_t i = 0; ok && i < count; i++)
		trend[i] = isfinite(covariate[i]) ? fit.trend[next++] : NAN;
	fg_release(ctx, weights);
	fit_free(&fit);
	return ok;
}

/* --- interface ------------------------------------------------------------------------------- */

static double
posterior_of(const FgModeration *m, double variance, double prior)
{
	double		sum = m->prior_df + m->df;

	if (isnan(prior) || m->prior_df == 0)
		return variance;
	return isinf(sum) ? prior : m->prior_df / sum * prior + m->df / sum * variance;
}

static bool
moderation_begin(FgContext *ctx, const double *variance, const double *covariate, uint32_t count,
				 FgModeration *result)
{
	result->prior = fg_alloc(ctx, count, sizeof(double));
	result->posterior = fg_alloc(ctx, count, sizeof(double));
	if (result->prior == NULL || result->posterior == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		bool		part = takes_part(variance[i], covariate[i]);

		result->prior[i] = part ? variance[i] : NAN;
		result->used += part;
	}
	return fg_steps(ctx, count);
}

bool
fg_moderate(FgContext *ctx, const double *variance, const double *covariate, uint32_t count,
			double df, FgModeration *result)
{
	*result = (FgModeration) {.count = count, .df = df, .outlier = INFINITY};
	if (!moderation_begin(ctx, variance, covariate, count, result) ||
		(result->used > 1 && !fit_prior(ctx, variance, covariate, result)))
	{
		fg_moderation_free(ctx, result);
		return false;
	}
	result->total_df = fmin(df + result->prior_df, df * result->used);
	for (uint32_t i = 0; i < count; i++)
		result->posterior[i] = posterior_of(result, variance[i], result->prior[i]);
	return true;
}

void
fg_moderation_free(FgContext *ctx, FgModeration *result)
{
	fg_release(ctx, result->prior);
	fg_release(ctx, result->posterior);
	*result = (FgModeration) {.count = 0};
}

/* --- other keys ------------------------------------------------------------------------------ */

/* The keys that lend, by their covariates. */
static bool
fill_lender(FgContext *ctx, const double *covariate, const uint32_t *order, FgLender *lender)
{
	const FgModeration *m = lender->moderation;

	for (uint32_t k = m->count; k > 0; k--)
	{
		uint32_t	i = order[k - 1];	/* the largest comes first */

		if (!fg_check_every(ctx, k))
			return false;
		if (isnan(m->prior[i]) || !isfinite(covariate[i]))
			continue;
		lender->covariate[lender->count] = covariate[i];
		/* a prior of 0 is that of keys none of which varies */
		lender->log_prior[lender->count++] = log(fmax(m->prior[i], DBL_MIN));
	}
	return true;
}

bool
fg_lender_begin(FgContext *ctx, const FgModeration *moderation, const double *covariate,
				FgLender *lender)
{
	uint32_t   *order = fg_alloc(ctx, moderation->count, sizeof(uint32_t));
	bool		ok;

	*lender = (FgLender) {.moderation = moderation};
	lender->covariate = fg_alloc(ctx, moderation->count, sizeof(double));
	lender->log_prior = fg_alloc(ctx, moderation->count, sizeof(double));
	ok = order != NULL && lender->covariate != NULL && lender->log_prior != NULL &&
		fg_order_descending(ctx, covariate, moderation->count, order) &&
		fill_lender(ctx, covariate, order, lender);
	fg_release(ctx, order);
	if (!ok)
		fg_lender_free(ctx, lender);
	return ok;
}

void
fg_lender_free(FgContext *ctx, FgLender *lender)
{
	fg_release(ctx, lender->covariate);
	fg_release(ctx, lender->log_prior);
	*lender = (FgLender) {.count = 0};
}

/* How many of the covariates are below x. */
static uint32_t
count_below(const FgLender *lender, double x)
{
	uint32_t	low = 0;
	uint32_t	high = lender->count;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (lender->covariate[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double
prior_at(const FgLender *lender, double x)
{
	uint32_t	i = count_below(lender, x);
	double		share;

	if (i == lender->count || i == 0 || lender->covariate[i] == x)
		return exp(lender->log_prior[i - (i == lender->count)]);
	share = (x - lender->covariate[i - 1]) / (lender->covariate[i] - lender->covariate[i - 1]);
	return exp(lender->log_prior[i - 1] + share * (lender->log_prior[i] - lender->log_prior[i - 1]));
}

double
fg_lender_posterior(const FgLender *lender, double variance, double covariate)
{
	double		prior;

	if (lender->count == 0 || !takes_part(variance, covariate))
		return NAN;
	prior = prior_at(lender, covariate);
	return variance > prior * lender->moderation->outlier ? NAN
		: posterior_of(lender->moderation, variance, prior);
}
