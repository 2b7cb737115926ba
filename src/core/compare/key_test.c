/*
 * key_test.c
 *	  The t-tests of the keys of two groups (see key_test.h).
 */
#include "core/compare/key_test.h"

#include "core/base/distribution.h"

#include <math.h>

/* --- one key ---------------------------------------------------------------------------------- */

/* Both groups are constant. */
static void
test_constants(FgDifference *row)
{
	double		larger = fmax(fabs(row->mean_before), fabs(row->mean_after));

	row->df = NAN;
	if (fabs(row->delta) <= FG_SUM_ROUNDING * larger)
	{
		row->delta = 0;
		row->t = 0;
		row->p = 1;
		return;
	}
	row->t = row->delta > 0 ? INFINITY : -INFINITY;
	row->p = 0;
}

/* "variance" is that of delta; NaN says that there are too few runs. */
static void
test_difference(FgDifference *row, double variance, double df)
{
	row->error = sqrt(variance);
	if (isnan(variance))
		row->t = row->df = row->p = NAN;
	else if (variance == 0)
		test_constants(row);
	else
	{
		row->t = row->delta / row->error;
		row->df = df;
		row->p = fg_t_two_sided(row->t, row->df);
	}
}

/* The floors under the variances of the means, after in the unit before; 0 where there are none. */
static void
floors_of(const FgKeyTesting *testing, const FgKeySpread *spread, double floor[2])
{
	double		n[2] = {testing->n[0], testing->n[1]};
	double		sum;
	double		common;

	floor[0] = floor[1] = 0;
	if (!testing->floors)
		return;
	floor[0] = spread->floor[0];
	floor[1] = spread->floor[1] / testing->factor / testing->factor;
	sum = floor[0] + floor[1];
	common = (floor[0] * n[0] * n[0] + floor[1] * n[1] * n[1]) / (n[0] + n[1]) *
		(1 / n[0] + 1 / n[1]);
	if (common <= sum)
		return;
	floor[0] *= common / sum;
	floor[1] *= common / sum;
}

/* The variance of a mean, floored, and of values after in the unit before. */
static double
mean_variance(const FgKeyTesting *testing, const FgKeySpread *spread, int group, double floor)
{
	double		variance = spread->variance[group];

	if (group == 1)
		variance = variance / testing->factor / testing->factor;
	return floor > variance ? floor : variance;
}

/* Satterthwaite's degrees of freedom are written with the share of a variance in the sum, which does not overflow. */
static void
test_own(const FgKeyTesting *testing, const FgKeySpread *spread, FgDifference *row)
{
	double		floor[2];
	double		before;
	double		after;
	double		variance;
	double		share;

	floors_of(testing, spread, floor);
	before = mean_variance(testing, spread, 0, floor[0]);
	after = mean_variance(testing, spread, 1, floor[1]);
	variance = before + after;
	share = before / variance;
	test_difference(row, variance,
					1 / (share * share / (testing->n[0] - 1) +
						 (1 - share) * (1 - share) / (testing->n[1] - 1)));
}

/* --- what is moderated --------------------------------------------------------------------------- */

static double
degrees(const FgKeyTesting *testing)
{
	return testing->n[0] + testing->n[1] - 2;
}

bool
fg_can_test(const FgKeyTesting *testing)
{
	return testing->variance == FG_VARIANCE_MODERATED ? degrees(testing) > 0 :
		testing->n[0] > 1 && testing->n[1] > 1;
}

/* The variance of a run, after in the unit before. */
static double
run_variance(const FgKeyTesting *testing, const double variance[2], int group)
{
	double		run = testing->n[group] * variance[group];

	return group == 0 ? run : run / testing->factor / testing->factor;
}

/*
 * The pooled variance of a run from variances of means, of one after "ratio" times that of one
 * before; a group of one run adds nothing.
 */
static double
pooled(const FgKeyTesting *testing, const double variance[2], double ratio)
{
	double		sum = 0;

	if (testing->n[0] > 1)
		sum += (testing->n[0] - 1) * run_variance(testing, variance, 0);
	if (testing->n[1] > 1)
		sum += (testing->n[1] - 1) * run_variance(testing, variance, 1) / ratio;
	return sum / degrees(testing);
}

static double
mean_of_all(const FgKeyTesting *testing, const FgKeySpread *spread)
{
	return (spread->sum[0] + spread->sum[1] / testing->factor) / (testing->n[0] + testing->n[1]);
}

/* The floor under the variance of a mean that a single run has counts among the others. */
static double
pooled_floor(const FgKeyTesting *testing, const FgKeySpread *spread)
{
	double		floor = pooled(testing, spread->floor, 1);

	return floor > 0 ? floor : NAN;
}

/* The variance of delta; "moderated" is s~^2, or the factor over the floor. */
static double
moderated_variance(const FgKeyTesting *testing, const FgKeySpread *spread, double moderated,
				   double own, double ratio)
{
	double		floor[2];

	if (!testing->floors)
		return moderated * (1 / testing->n[0] + ratio / testing->n[1]);
	floors_of(testing, spread, floor);
	return fmax(fmax(moderated, own), 1) * (floor[0] + floor[1]);
}

/* Tested alone although its neighbours lend: of two runs and more by Welch's test. */
static void
test_alone(const FgKeyTesting *testing, const FgKeySpread *spread, FgDifference *row)
{
	double		variance = pooled(testing, spread->variance, 1);

	if (testing->n[0] > 1 && testing->n[1] > 1)
	{
		test_own(testing, spread, row);
		return;
	}
	if (testing->floors)
		variance = fmax(variance, fmax(pooled(testing, spread->floor, 1),
									   spread->floor[0] * testing->n[0]));
	test_difference(row, variance * (1 / testing->n[0] + 1 / testing->n[1]), degrees(testing));
}

typedef struct Moderating
{
	double	   *variance;		/* by key: pooled, or the factor over the pooled floor */
	double	   *covariate;
	double	   *ratio;			/* by key: variance after / before */
	FgModeration result;
} Moderating;

static void
test_moderated(const FgKeyTesting *testing, const Moderating *moderating,
			   const FgKeySpread *spreads, uint32_t key, FgDifference *row)
{
	const FgModeration *result = &moderating->result;
	double		df = result->total_df;

	if (isnan(result->prior[key]))
	{
		test_alone(testing, &spreads[key], row);
		return;
	}
	if (testing->floors)
		df = fmin(df, result->df + FG_FLOOR_DF);
	test_difference(row, moderated_variance(testing, &spreads[key], result->posterior[key],
											moderating->variance[key], moderating->ratio[key]), df);
}

/* The logarithm of the ratio of the variances without bias; NaN where one is 0. */
static double
log_ratio(const FgKeyTesting *testing, const FgKeySpread *spread)
{
	double		before = run_variance(testing, spread->variance, 0);
	double		after = run_variance(testing, spread->variance, 1);
	double		half[2] = {(testing->n[0] - 1) / 2, (testing->n[1] - 1) / 2};

	if (!(before > 0 && after > 0))
		return NAN;
	return log(after) - fg_digamma(half[1]) + log(half[1]) -
		(log(before) - fg_digamma(half[0]) + log(half[0]));
}

/* Is one group noisier, by what all keys show?  The covariates are there. */
static bool
find_ratios(FgContext *ctx, const FgKeyTesting *testing, const FgKeySpread *spreads,
			uint32_t count, Moderating *moderating)
{
	double		error;
	double		explained;
	bool		unequal;

	for (uint32_t i = 0; i < count; i++)
		moderating->ratio[i] = 1;
	if (testing->floors || testing->n[0] < 2 || testing->n[1] < 2)
		return fg_check(ctx);
	error = fg_trigamma((testing->n[0] - 1) / 2) + fg_trigamma((testing->n[1] - 1) / 2);
	/* the room of the variances, which come next */
	for (uint32_t i = 0; i < count; i++)
		moderating->variance[i] = log_ratio(testing, &spreads[i]);
	if (!fg_trend(ctx, moderating->variance, moderating->covariate, count, moderating->ratio,
				  &explained))
		return false;
	unequal = explained > FG_UNEQUAL * error;
	for (uint32_t i = 0; i < count; i++)
	{
		double		ratio = exp(moderating->ratio[i]);

		moderating->ratio[i] = unequal && ratio > 0 && isfinite(ratio) ? ratio : 1;
	}
	return fg_check(ctx);
}

static bool
moderating_begin(FgContext *ctx, const FgKeyTesting *testing, const FgKeySpread *spreads,
				 uint32_t count, Moderating *moderating)
{
	moderating->variance = fg_alloc(ctx, count, sizeof(double));
	moderating->covariate = fg_alloc(ctx, count, sizeof(double));
	moderating->ratio = fg_alloc(ctx, count, sizeof(double));
	if (moderating->variance == NULL || moderating->covariate == NULL ||
		moderating->ratio == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		moderating->covariate[i] = log(mean_of_all(testing, &spreads[i]));
	}
	return find_ratios(ctx, testing, spreads, count, moderating);
}

static bool
moderate_keys(FgContext *ctx, const FgKeyTesting *testing, const FgKeySpread *spreads,
			  uint32_t count, Moderating *moderating)
{
	if (!moderating_begin(ctx, testing, spreads, count, moderating))
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		moderating->variance[i] = pooled(testing, spreads[i].variance, moderating->ratio[i]);
		if (testing->floors)
			moderating->variance[i] /= pooled_floor(testing, &spreads[i]);
	}
	return fg_moderate(ctx, moderating->variance, moderating->covariate, count, degrees(testing),
					   &moderating->result);
}

/* --- all keys ---------------------------------------------------------------------------------- */

static bool
start_row(FgContext *ctx, const FgKeyTesting *testing, const FgKeySpread *spread,
		  FgDifference *row)
{
	row->mean_before = spread->mean[0];
	row->mean_after = spread->mean[1] / testing->factor;
	row->delta = row->mean_after - row->mean_before;
	return isfinite(row->delta) ||
		fg_fail(ctx, FG_ERROR_RANGE, "a difference or its deviation is out of range");
}

/* The deviation of a run from which the error follows. */
static bool
finish_row(FgContext *ctx, const FgKeyTesting *testing, FgDifference *row)
{
	row->stddev = row->error / sqrt(1 / testing->n[0] + 1 / testing->n[1]);
	/* a NaN says that one profile has no deviation */
	return !isinf(row->error) ||
		fg_fail(ctx, FG_ERROR_RANGE, "a difference or its deviation is out of range");
}

static bool
test_rows(FgContext *ctx, const FgKeyTesting *testing, const FgKeySpread *spreads,
		  uint32_t count, const Moderating *moderating, FgDifference *rows)
{
	for (uint32_t i = 0; i < count; i++)
	{
		/* a p-value is hundreds of steps */
		if ((i % 64 == 0 && !fg_check(ctx)) || !start_row(ctx, testing, &spreads[i], &rows[i]))
			return false;
		if (moderating != NULL)
			test_moderated(testing, moderating, spreads, i, &rows[i]);
		else
			test_own(testing, &spreads[i], &rows[i]);
		if (!finish_row(ctx, testing, &rows[i]))
			return false;
	}
	return true;
}

bool
fg_test_keys(FgContext *ctx, const FgKeyTesting *testing, const FgKeySpread *spreads,
			 uint32_t count, FgDifference *rows)
{
	Moderating	moderating = {.variance = NULL};
	bool		ok;

	if (testing->variance == FG_VARIANCE_OWN || degrees(testing) < 1)
		return test_rows(ctx, testing, spreads, count, NULL, rows);
	ok = moderate_keys(ctx, testing, spreads, count, &moderating) &&
		test_rows(ctx, testing, spreads, count, &moderating, rows);
	fg_release(ctx, moderating.variance);
	fg_release(ctx, moderating.covariate);
	fg_release(ctx, moderating.ratio);
	fg_moderation_free(ctx, &moderating.result);
	return ok;
}
