/*
 * sample_check.c
 *	  Checks of what tests assume (see sample_check.h).
 */
#include "core/compare/sample_check.h"

#include "core/base/distribution.h"
#include "core/base/order.h"
#include "core/base/series.h"
#include "core/compare/multiplicity.h"
#include "core/compare/sample_check_internal.h"
#include "core/compare/welch.h"
#include "core/profile/tree_pair.h"
#include "core/samples/accumulator.h"

#include <math.h>
#include <string.h>

#define LEAST_FOR_TOTALS	5
#define LEAST_FOR_NORMAL	8
#define LEAST_FOR_KURTOSIS	20
#define EXACT_DRIFT			30	/* values; above that Kendall's S is normal enough */

/* Twice the smaller tail. */
static double
two_sided(double lower, double upper)
{
	return fmin(1, 2 * fmin(lower, upper));
}

/* --- drift: Mann and Kendall --------------------------------------------------------- */

/*
 * P(S <= s), P(S >= s) when all orders are equally likely: the number of inversions of
 * 1, 2, ... n values, each from that of one value less.
 */
static double
exact_drift(double s, size_t n)
{
	double		chance[EXACT_DRIFT * (EXACT_DRIFT - 1) / 2 + 1] = {1};
	double		next[EXACT_DRIFT * (EXACT_DRIFT - 1) / 2 + 1];
	size_t		most = 0;
	size_t		inversions = (size_t) (((double) n * (double) (n - 1) / 2 - s) / 2);
	double		fewer = 0;
	double		more = 0;

	for (size_t k = 2; k <= n; k++)
	{
		size_t		before = most;

		most += k - 1;
		for (size_t i = 0; i <= most; i++)
		{
			next[i] = 0;
			for (size_t j = i < k - 1 ? 0 : i - (k - 1); j <= i && j <= before; j++)
				next[i] += chance[j];
			next[i] /= (double) k;
		}
		memcpy(chance, next, (most + 1) * sizeof(double));
	}
	for (size_t i = 0; i <= most; i++)
	{
		fewer += i <= inversions ? chance[i] : 0;
		more += i >= inversions ? chance[i] : 0;
	}
	return two_sided(fewer, more);
}

/* Of values in ascending order: sums over groups of t equal ones. */
static void
count_ties(const double *sorted, size_t n, double *pairs, double *variance)
{
	*pairs = *variance = 0;
	for (size_t i = 0, end; i < n; i = end)
	{
		double		t;

		for (end = i + 1; end < n && sorted[end] == sorted[i]; end++)
			;
		t = (double) (end - i);
		*pairs += t * (t - 1) / 2;
		*variance += t * (t - 1) * (2 * t + 5);
	}
}

static bool
kendall_sum(FgContext *ctx, const double *values, size_t n, double *s)
{
	*s = 0;
	for (size_t i = 0; i < n; i++)
	{
		for (size_t j = 0; j < i; j++)
			*s += (values[i] > values[j]) - (values[i] < values[j]);
		if (!fg_check(ctx))
			return false;
	}
	return true;
}

bool
fg_drift_test(FgContext *ctx, const double *values, size_t n, double *tau, double *p)
{
	double	   *sorted = fg_alloc(ctx, n, sizeof(double));
	double		all = (double) n * ((double) n - 1) / 2;
	double		s = 0;
	double		tied = 0;
	double		variance = 0;
	bool		ok = sorted != NULL;

	if (ok && n > 0)
		memcpy(sorted, values, n * sizeof(double));
	ok = ok && fg_sort_values(ctx, sorted, n) && kendall_sum(ctx, values, n, &s);
	if (ok)
		count_ties(sorted, n, &tied, &variance);
	fg_release(ctx, sorted);
	*tau = tied == all ? 0 : s / (sqrt(all) * sqrt(all - tied));
	if (tied == all)
		*p = 1;
	else if (tied == 0 && n <= EXACT_DRIFT)
		*p = exact_drift(s, n);
	else
	{
		variance = ((double) n * ((double) n - 1) * (2 * (double) n + 5) - variance) / 18;
		*p = fmin(1, 2 * fg_normal_survival(fabs(s) / sqrt(variance)));
	}
	return ok;
}

/* --- neighbours: Bartels --------------------------------------------------------------- */

/* Ranks from 1, those of equal values shared. */
static bool
ranks_of(FgContext *ctx, const double *values, size_t n, double *rank)
{
	uint32_t   *order = fg_alloc(ctx, n, sizeof(uint32_t));
	bool		ok = order != NULL && fg_order_descending(ctx, values, (uint32_t) n, order);

	for (size_t i = 0, end; ok && i < n; i = end)
	{
		for (end = i + 1; end < n && values[order[end]] == values[order[i]]; end++)
			;
		for (size_t k = i; k < end; k++)
			rank[order[k]] = (double) n - (double) (i + end - 1) / 2;
	}
	fg_release(ctx, order);
	return ok;
}

bool
fg_neighbour_test(FgContext *ctx, const double *values, size_t n, double *r, double *p)
{
	double	   *rank = fg_alloc(ctx, n, sizeof(double));
	double		m = (double) n;
	double		shape = 5 * m * (m + 1) * (m - 1) * (m - 1) /
		(2 * (m - 2) * (5 * m * m - 2 * m - 9)) - 0.5;
	double		squares = 0;
	double		steps = 0;
	double		x;
	bool		ok = rank != NULL && ranks_of(ctx, values, n, rank);

	for (size_t i = 0; ok && i < n; i++)
	{
		double		deviation = rank[i] - (m + 1) / 2;
		double		step = i == 0 ? 0 : rank[i] - rank[i - 1];

		squares += deviation * deviation;
		steps += step * step;
	}
	fg_release(ctx, rank);
	*r = squares == 0 ? 0 : 1 - steps / squares / 2;
	x = fmin(1, (1 - *r) / 2);	/* RVN / 4 */
	*p = squares == 0 ? 1
		: two_sided(fg_beta_cdf(x, shape, shape), fg_beta_survival(x, shape, shape));
	return ok;
}

/* --- outliers: Rosner --------------------------------------------------------------------- */

/* The value farthest from the mean of m ascending ones stands at an end. */
static double
grubbs_p_value(const double *sorted, size_t m, bool *last)
{
	double		mean = fg_mean(sorted, m);
	double		s = sqrt(fg_sum_squares(sorted, m) / (double) (m - 1));
	double		low = mean - sorted[0];
	double		high = sorted[m - 1] - mean;
	double		g = fmax(low, high) / s;
	double		rest = ((double) m - 1) * ((double) m - 1) - (double) m * g * g;

	*last = high >= low;
	if (!(s > 0))
		return 1;
	if (rest <= 0)
		return 0;
	return fmin(1, (double) m * fg_t_two_sided(g * sqrt((double) m * ((double) m - 2) / rest),
											   (double) m - 2));
}

bool
fg_outlier_test(FgContext *ctx, const double *values, size_t n, double alpha, size_t *outliers,
				double *p)
{
	double	   *copy = fg_alloc(ctx, n, sizeof(double));
	const double *sorted = copy;
	size_t		most = n / 10 > 1 ? n / 10 : 1;
	size_t		left = n;
	bool		ok = copy != NULL;

	*outliers = 0;
	*p = 1;
	if (ok)
		memcpy(copy, values, n * sizeof(double));
	ok = ok && fg_sort_values(ctx, copy, n);
	for (size_t i = 1; ok && i <= most && left > 3; i++, left--)
	{
		bool		last;
		double		step = grubbs_p_value(sorted, left, &last);

		if (step < alpha)
			*outliers = i;
		*p = fmin(*p, step);
		if (!last)
			sorted++;
		ok = fg_check(ctx);
	}
	fg_release(ctx, copy);
	return ok;
}

/* --- normality: D'Agostino and Pearson -------------------------------------------------------- */

/* D'Agostino (1970) of the skewness: standard normal, from 8 values on. */
static double
skewness_z(double skewness, double n)
{
	double		y = skewness * sqrt((n + 1) * (n + 3) / (6 * (n - 2)));
	double		kurtosis = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) /
		((n - 2) * (n + 5) * (n + 7) * (n + 9));
	double		w2 = sqrt(2 * (kurtosis - 1)) - 1;

	return asinh(y / sqrt(2 / (w2 - 1))) / sqrt(0.5 * log(w2));
}

/* Anscombe and Glynn (1983) of the kurtosis: standard normal, from 20 values on. */
static double
kurtosis_z(double kurtosis, double n)
{
	double		mean = 3 * (n - 1) / (n + 1);
	double		variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
	double		x = (kurtosis - mean) / sqrt(variance);
	double		skewness = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) *
		sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)));
	double		a = 6 + 8 / skewness * (2 / skewness + sqrt(1 + 4 / (skewness * skewness)));
	double		base = 1 + x * sqrt(2 / (a - 4));

	return (1 - 2 / (9 * a) - cbrt((1 - 2 / a) / base)) / sqrt(2 / (9 * a));
}

/*
 * Far from normal is what harms a test of means, skewness first.  Counts are not
 * continuous, which tests of the distribution's shape would take for a departure.
 */
void
fg_normal_test(const double *values, size_t n, double *k2, double *p)
{
	double		mean = fg_mean(values, n);
	double		s = sqrt(fg_sum_squares(values, n) / (double) n);
	double		third = 0;
	double		fourth = 0;
	double		z;

	*k2 = *p = NAN;
	if (n < LEAST_FOR_NORMAL)
		return;
	*k2 = 0;
	*p = 1;
	if (!(s > 0))
		return;					/* all the same */
	for (size_t i = 0; i < n; i++)
	{
		double		d = (values[i] - mean) / s;

		third += d * d * d;
		fourth += d * d * d * d;
	}
	z = skewness_z(third / (double) n, (double) n);
	*k2 = z * z;
	*p = fmin(1, 2 * fg_normal_survival(fabs(z)));
	if (n < LEAST_FOR_KURTOSIS)
		return;
	z = kurtosis_z(fourth / (double) n, (double) n);
	*k2 += z * z;
	*p = exp(-*k2 / 2);			/* chi-squared with two degrees of freedom */
}

/* --- the values ---------------------------------------------------------------------------------- */

typedef struct Sample
{
	FgContext  *ctx;
	const FgProfiles *profiles;
	FgLevel		level;
	double	   *total;			/* by profile */
	const FgMoments *moments;	/* of the keys */
	uint32_t   *row;			/* by node of moments->support: its place in values, or none */
	double	   *values;			/* keys that are tested, one after the other: by profile */
	uint32_t	keys;
} Sample;

#define NO_ROW FG_NONE

/* Those that vary and that at least half of the profiles have. */
static bool
choose_keys(Sample *s)
{
	const FgMoments *moments = s->moments;
	double		n = (double) s->profiles->count;

	s->row = fg_alloc(s->ctx, (size_t) moments->support.nnodes + 1, sizeof(uint32_t));
	if (s->row == NULL)
		return false;
	for (uint32_t i = 0; i <= moments->support.nnodes; i++)
	{
		double		support = moments->support.self[i];
		bool		tested = support > 0 && 2 * support >= n &&
			fg_sample_variance(support, moments->sum[i], moments->m2[i], n) > 0;

		s->row[i] = tested ? s->keys++ : NO_ROW;
		if (!fg_check_every(s->ctx, i))
			return false;
	}
	s->values = fg_alloc_zero(s->ctx, (size_t) s->keys * s->profiles->count, sizeof(double));
	return s->values != NULL;
}

/* The profile's vector is a part of the keys. */
static bool
place_values(Sample *s, const FgTree *vector, size_t profile)
{
	size_t		n = s->profiles->count;
	uint32_t	j = 1;
	FgTreePair	pair;
	bool		ok = true;

	if (!fg_tree_pair_begin(s->ctx, &s->moments->support, vector, &pair))
		return false;
	if (s->row[0] != NO_ROW)
		s->values[s->row[0] * n + profile] = vector->self[0];
	for (uint32_t i = 1; ok && i <= s->moments->support.nnodes && j <= vector->nnodes; i++)
	{
		ok = fg_check_every(s->ctx, i);
		if (pair.key_a[i] != pair.key_b[j])
			continue;
		if (s->row[i] != NO_ROW)
			s->values[s->row[i] * n + profile] = vector->self[j];
		j++;
	}
	fg_tree_pair_end(s->ctx, &pair);
	return ok;
}

static bool
read_profile(Sample *s, size_t i)
{
	FgTree		profile;
	FgTree		vector = {0};
	FgFacts		facts;
	bool		ok;

	if (!s->profiles->read(s->ctx, s->profiles->arg, i, &profile))
		return false;
	ok = fg_tree_facts(s->ctx, &profile, &facts) &&
		(isfinite(facts.total) || fg_fail(s->ctx, FG_ERROR_RANGE, "a total is out of range"));
	if (ok && s->keys > 0)
		ok = fg_level_apply(s->ctx, &profile, s->level, &vector) && place_values(s, &vector, i);
	if (ok)
		s->total[i] = facts.total;
	fg_tree_free(s->ctx, &vector);
	fg_tree_free(s->ctx, &profile);
	return ok;
}

/* --- the checks ------------------------------------------------------------------------------------ */

static bool
test_keys(Sample *s, FgSampleCheck *check)
{
	size_t		n = s->profiles->count;
	double	   *p = fg_alloc(s->ctx, s->keys, sizeof(double));
	double		rejected = 0;
	bool		ok = p != NULL;

	check->p_value = 1;
	check->statistic = 0;
	for (uint32_t k = 0; ok && k < s->keys; k++)
	{
		double		k2;

		ok = fg_check(s->ctx);
		fg_normal_test(s->values + (size_t) k * n, n, &k2, &p[k]);
	}
	ok = ok && fg_adjust(s->ctx, p, s->keys, FG_CORRECT_BH, p);
	for (uint32_t k = 0; ok && k < s->keys; k++)
	{
		rejected += p[k] < FG_CHECK_ALPHA;
		check->p_value = fmin(check->p_value, p[k]);
	}
	if (s->keys > 0)
		check->statistic = rejected / s->keys;
	fg_release(s->ctx, p);
	return ok;
}

static bool
run_checks(Sample *s, FgSampleCheck *checks)
{
	FgContext  *ctx = s->ctx;
	size_t		n = s->profiles->count;
	size_t		outliers;

	if (n >= LEAST_FOR_TOTALS)
	{
		if (!fg_drift_test(ctx, s->total, n, &checks[0].statistic, &checks[0].p_value) ||
			!fg_neighbour_test(ctx, s->total, n, &checks[1].statistic, &checks[1].p_value) ||
			!fg_outlier_test(ctx, s->total, n, FG_CHECK_ALPHA, &outliers, &checks[2].p_value))
			return false;
		checks[2].statistic = (double) outliers;
	}
	return n < LEAST_FOR_NORMAL || test_keys(s, &checks[3]);
}

static void
give_verdicts(FgSampleCheck *checks)
{
	for (int i = 0; i < FG_SAMPLE_CHECKS; i++)
	{
		bool		suspicious = i < 3 ? checks[i].p_value < FG_CHECK_ALPHA
			: checks[i].statistic > FG_CHECK_KEYS;

		checks[i].verdict = isnan(checks[i].statistic) ? "too_few_profiles"
			: suspicious ? "suspicious" : "ok";
	}
}

bool
fg_sample_check(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
				FgSampleCheck checks[FG_SAMPLE_CHECKS])
{
	static const char *const names[] = {"drift", "autocorrelation", "outliers", "normality"};
	Sample		s = {.ctx = ctx, .profiles = profiles, .level = level};
	FgAccumulator keys;
	bool		ok;

	for (int i = 0; i < FG_SAMPLE_CHECKS; i++)
		checks[i] = (FgSampleCheck) {names[i], NAN, NAN, ""};
	fg_accumulator_init(ctx, &keys, FG_ACCUMULATE_MOMENTS);
	s.total = fg_alloc(ctx, profiles->count, sizeof(double));
	ok = s.total != NULL;
	if (ok && profiles->count >= LEAST_FOR_NORMAL)
		ok = fg_accumulate_profiles(ctx, profiles, level, &keys, NULL) &&
			(s.moments = fg_accumulator_moments(&keys)) != NULL && choose_keys(&s);
	for (size_t i = 0; ok && i < profiles->count; i++)
		ok = read_profile(&s, i);
	ok = ok && run_checks(&s, checks);
	fg_accumulator_free(&keys);
	fg_release(ctx, s.total);
	fg_release(ctx, s.row);
	fg_release(ctx, s.values);
	give_verdicts(checks);
	return ok;
}
