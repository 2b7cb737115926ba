/*
 * deviation_spread.c
 *	  What the variance of each key is taken to be, when keys lend each other theirs or
 *	  the noise of the recordings is known (see deviation.h).
 *
 * A run's value differs from the next run's by the noise of sampling, which a recording
 * knows, times what all else adds to it.  This factor is what functions have in common,
 * so it is what they lend each other; a variance, over three powers of ten of means, is not.
 */
#include "core/compare/deviation_internal.h"

#include "core/base/distribution.h"
#include "core/compare/moderation.h"

#include <math.h>
#include <string.h>

/*
 * The prior of the factor is worth no more than so many degrees of freedom: noise of
 * machines has heavier tails than the model of Smyth (2004) gives it.
 */
#define MOST_PRIOR_DF 20

/*
 * What has at most this part of everything has many others of its size, and the model of
 * Smyth fits it: in 10,500 recorded benchmark-nights without a change that were drawn anew,
 * p-values of 1e-3 and 1e-4 came less often than they promise.  Those of functions that have
 * a fifth to a half of everything came up to five times as often.
 */
#define COMMON_SHARE 0.1
#define MOST_COMMON_DF 100

/* The others say nothing about a key whose factor the prior gives with less than this probability. */
#define UNLIKE_OTHERS 0.001

/* A variance between repetitions that sampling gives so often is explained by it. */
#define EXPLAINED 0.05

#define INFINITE_DF 1e10

typedef struct Spread
{
	const FgScoring *scoring;
	const FgDeviationNoise *noise;
	FgModeration moderation;
	double	   *variance;		/* by row: what is moderated */
	double	   *covariate;
	double		n;
	double		explained;		/* variance between repetitions over their noise, by sampling alone */
} Spread;

static double
square(double x)
{
	return x * x;
}

/* --- what is moderated -------------------------------------------------------------------- */

/*
 * Of a function that is more than half of everything the common factor's own uncertainty is
 * no small part of the variance.
 */
static void
add_factor_noise(const FgDeviationNoise *noise, FgDeviation *row)
{
	double		mean2 = square(row->expected);

	row->whole = row->expected > noise->total / 2;
	if (!row->whole)
		return;
	row->noise_before += noise->rest * mean2;
	row->noise_now += noise->rest_now * mean2;
}

/* The same function as it was: it deviates by what runs have in common, too. */
static void
undo_common_factor(const FgDeviationNoise *noise, FgDeviation *row)
{
	double		mean2 = square(row->expected);

	row->raw = true;
	row->actual *= noise->factor;
	row->diff = row->actual - row->expected;
	row->variance += noise->spread * mean2;
	row->noise_before += noise->spread * mean2;
	row->noise_now = row->noise_now * square(noise->factor) + noise->spread_now * mean2;
}

double
fg_deviation_lent(const FgDeviation *row, bool with_noise)
{
	if (!with_noise)
		return row->variance;
	return row->noise_before > 0 ? row->variance / row->noise_before : NAN;
}

static bool
moderate(FgDeviations *result, Spread *spread)
{
	FgContext  *ctx = result->ctx;
	bool		ok;

	spread->variance = fg_alloc(ctx, result->count, sizeof(double));
	spread->covariate = fg_alloc(ctx, result->count, sizeof(double));
	ok = spread->variance != NULL && spread->covariate != NULL;
	for (uint32_t i = 0; ok && i < result->count; i++)
	{
		const FgDeviation *row = &result->rows[i];

		spread->variance[i] = fg_deviation_lent(row, spread->noise != NULL);
		spread->covariate[i] = row->expected > 0 ? log(row->expected) : NAN;
		ok = fg_check_every(ctx, i);
	}
	ok = ok && fg_moderate(ctx, spread->variance, spread->covariate, result->count,
						   spread->n - 1, &spread->moderation);
	fg_release(ctx, spread->covariate);
	return ok;
}

/* --- one row ---------------------------------------------------------------------------------- */

static bool
took_part(const Spread *spread, uint32_t i)
{
	return spread->moderation.count > 0 && !isnan(spread->moderation.prior[i]);
}

static double
degrees_of_freedom(const Spread *spread, const FgDeviation *row, uint32_t i)
{
	const FgModeration *m = &spread->moderation;
	double		own = spread->n - 1;

	if (m->count == 0 || row->raw)
		return own;
	if (spread->noise == NULL)
		return took_part(spread, i) ? m->total_df : own;
	return fmin(own + fmin(m->prior_df, MOST_PRIOR_DF), own * fmax(m->used, 1));
}

/* The variances of a run of the history and of the new one; moderated may be NaN. */
static void
variances_of(const FgScoring *scoring, bool with_noise, double moderated, const FgDeviation *row,
			 double *before, double *now)
{
	double		least = square(fg_deviation_floor(scoring, row->expected));
	double		factor;

	if (!with_noise)
	{
		*before = *now = fmax(isnan(moderated) ? row->variance : moderated, least);
		return;
	}
	factor = isnan(moderated) ? 1 : fmax(moderated, 1);
	*before = fmax(fmax(row->variance, row->noise_before * factor), least);
	*now = fmax(fmax(*before, row->noise_now * factor), row->variance_within);
}

bool
fg_deviation_spread(FgContext *ctx, const FgScoring *scoring, bool with_noise, double moderated,
					double n, FgDeviation *row)
{
	double		before;
	double		now;

	variances_of(scoring, with_noise, moderated, row, &before, &now);
	/* of the difference from the mean, as the variance of one run */
	row->stddev = sqrt((now + before / n) / (1 + 1 / n));
	if (!isfinite(row->stddev) || !isfinite(row->diff))
		return fg_fail(ctx, FG_ERROR_RANGE, "the deviation of a value is out of range");
	row->score = fg_deviation_score(scoring, row->diff, row->stddev);
	return true;
}

/* --- one row of a small share -------------------------------------------------------------------- */

static bool
has_common_share(const Spread *spread, const FgDeviation *row)
{
	return spread->noise != NULL && spread->scoring->moderated && spread->noise->total > 0 &&
		row->expected <= COMMON_SHARE * spread->noise->total;
}

/* The factor over the noise, which may be below 1, and by how much it is known. */
static void
common_factor(const Spread *spread, const FgDeviation *row, uint32_t i, double *factor, double *df)
{
	const FgModeration *m = &spread->moderation;
	double		own = spread->n - 1;
	double		ratio = row->noise_before > 0 ? row->variance / row->noise_before : 1;

	*factor = took_part(spread, i) ? m->posterior[i] : 1;
	*df = fmin(own + fmin(m->prior_df, MOST_COMMON_DF), own * fmax(m->used, 1));
	if (ratio > 1 && (!took_part(spread, i) ||
					  fg_f_survival(ratio / m->prior[i], own,
									fmin(m->prior_df, INFINITE_DF)) < UNLIKE_OTHERS))
	{
		*factor = ratio;
		*df = own;
	}
}

/*
 * Of the difference from the mean: what the noise alone gives it, and what the runs before
 * say.  Repetitions count where they differ more than sampling explains.
 */
static void
common_variances(const Spread *spread, const FgDeviation *row, double factor, double *by_noise,
				 double *by_runs)
{
	double		least = fmax(row->noise_before,
							 square(fg_deviation_floor(spread->scoring, row->expected)));
	double		before = fmax(row->noise_before * factor, square(spread->scoring->min_std));
	double		within = row->variance_within;

	if (within <= row->noise_now * spread->explained)
		within = 0;
	if (row->variance > row->noise_before)
		before = fmax(before, row->variance);
	*by_noise = fmax(fmax(least, row->noise_now), within) + least / spread->n;
	*by_runs = fmax(fmax(before, row->noise_now * factor), within) + before / spread->n;
}

/*
 * The factor is at least 1, and estimated.  Where f is what the runs say of it, P(|Z| > z)
 * with a variance of max(1, f) is at most the sum of the two with 1 and with f; over all f
 * that the runs leave possible, the latter is Student's t.
 */
static double
common_p_value(const FgDeviation *row, double by_noise, double by_runs)
{
	double		p;

	if (row->score == 0)
		return 1;
	if (isinf(row->score))
		return 0;
	p = by_noise > 0 ? 2 * fg_normal_survival(fabs(row->diff) / sqrt(by_noise)) : 0;
	return fmin(1, p + (by_runs > 0 ? fg_t_two_sided(row->diff / sqrt(by_runs), row->df) : 0));
}

static bool
spread_common_row(FgDeviations *result, const Spread *spread, uint32_t i)
{
	FgDeviation *row = &result->rows[i];
	double		factor;
	double		by_noise;
	double		by_runs;

	common_factor(spread, row, i, &factor, &row->df);
	common_variances(spread, row, factor, &by_noise, &by_runs);
	row->stddev = sqrt(fmax(by_noise, by_runs) / (1 + 1 / spread->n));
	if (!isfinite(row->stddev) || !isfinite(row->diff))
		return fg_fail(result->ctx, FG_ERROR_RANGE, "the deviation of a value is out of range");
	row->score = fg_deviation_score(spread->scoring, row->diff, row->stddev);
	result->p_value[i] = common_p_value(row, by_noise, by_runs);
	return true;
}

static bool
test_row(FgContext *ctx, const Spread *spread, uint32_t i, FgDeviation *row, double *p)
{
	double		moderated = took_part(spread, i) ? spread->moderation.posterior[i] : NAN;

	if (!fg_deviation_spread(ctx, spread->scoring, spread->noise != NULL, moderated, spread->n,
							 row))
		return false;
	row->df = degrees_of_freedom(spread, row, i);
	*p = isinf(row->score) ? 0 : fg_t_two_sided(row->score / sqrt(1 + 1 / spread->n), row->df);
	return true;
}

/*
 * What has more than half of everything is compared twice, for twice the p-value: at the
 * common speed, where its own change shows, and as it is, since a change of everything is no
 * difference at a common speed.
 */
static bool
spread_row(FgDeviations *result, const Spread *spread, uint32_t i)
{
	FgDeviation *row = &result->rows[i];
	double	   *p = &result->p_value[i];
	FgDeviation raw = *row;
	double		p_raw;

	if (has_common_share(spread, row))
		return spread_common_row(result, spread, i);
	if (!test_row(result->ctx, spread, i, row, p))
		return false;
	if (!row->whole)
		return true;
	undo_common_factor(spread->noise, &raw);
	if (!test_row(result->ctx, spread, i, &raw, &p_raw))
		return false;
	if (p_raw < *p)
	{
		*row = raw;
		*p = p_raw;
	}
	*p = fmin(1, 2 * *p);
	return true;
}

bool
fg_deviations_spread(FgDeviations *result, const FgScoring *scoring, const FgDeviationNoise *noise)
{
	Spread		spread = {.scoring = scoring, .noise = noise, .n = (double) result->n};
	bool		ok = true;

	if (noise != NULL && noise->repetitions > 1)
		spread.explained = fg_f_upper_quantile(EXPLAINED, noise->repetitions - 1, INFINITE_DF);
	for (uint32_t i = 0; noise != NULL && noise->factor > 0 && i < result->count; i++)
		add_factor_noise(noise, &result->rows[i]);
	if (scoring->moderated)
		ok = moderate(result, &spread);
	for (uint32_t i = 0; ok && i < result->count; i++)
		ok = fg_check_every(result->ctx, i) && spread_row(result, &spread, i);
	fg_release(result->ctx, spread.variance);
	fg_moderation_free(result->ctx, &spread.moderation);
	return ok;
}
