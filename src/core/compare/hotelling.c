/*
 * hotelling.c
 *	  Hotelling's T^2 of two samples of profiles (see hotelling.h).
 *
 * With Z the data less the means of their samples, each column divided by its pooled
 * deviation, S = D Z'Z D / (n1 + n2 - 2), so that from Z = QR
 *		d' S^-1 d = (n1 + n2 - 2) |R'^-1 D^-1 d|^2.
 * No product Z'Z is formed, which would square the condition.  Z comes in blocks of
 * rows: the R of a block and the rows that follow have the R of all together.  R has the
 * singular values of Z, so the rank is found there.
 */
#include "core/compare/hotelling.h"

#include "core/base/distribution.h"
#include "core/compare/hotelling_internal.h"

#include <math.h>
#include <string.h>

/* Singular values below this share of the largest one are zeros. */
#define RANK_TOLERANCE	1e-10

/*
 * Better conditioned matrices (1-norm, estimated) need no singular values:
 * the 2-norm changes that by a factor of FG_HOTELLING_MAX_KEYS at most.
 */
#define SURELY_REGULAR	1e-6

/* No third reading of the profiles when there are at most so many values: 16 MB. */
#define KEPT_VALUES		((size_t) 2 << 20)

const char *
fg_hotelling_word(FgHotellingStatus status)
{
	static const char *const words[] = {
		"ok", "too_many_stacks", "singular", "no_variation", "too_few_profiles"
	};

	return words[status];
}

/* --- moments of the keys -------------------------------------------------------------- */

/*
 * Of one key in one sample, shifted by its first value: a constant is seen exactly, and
 * as the shift is one of the values, squares - shifted^2 / n loses no more than a factor
 * of n.
 */
typedef struct Moments
{
	double		first;
	double		shifted;
	double		squares;
	bool		varies;
} Moments;

static double
mean_of(const Moments *moments, double n)
{
	return moments->varies ? (moments->first * n + moments->shifted) / n : moments->first;
}

static bool
add_values(FgContext *ctx, const double *values, uint32_t count, bool first, Moments *moments)
{
	for (uint32_t k = 0; k < count; k++)
	{
		Moments    *m = &moments[k];
		double		difference;

		if (!fg_check_every(ctx, k))
			return false;
		if (first)
			m->first = values[k];
		difference = values[k] - m->first;
		m->shifted += difference;
		m->squares += difference * difference;
		m->varies |= difference != 0;
	}
	return true;
}

/* The work of one test. */
typedef struct Test
{
	FgContext  *ctx;
	FgHotelling *result;
	const FgProfiles *samples;	/* before, after */
	FgLevel		level;
	Moments    *moments[2];		/* by key */
	double	   *values;			/* of a profile, by key; of all profiles when they are few */
	bool		all_values;
	double	   *block;			/* rows of Z under the R of those before */
	int			stride;
	int			rows;
} Test;

/* Where the values of a profile go, or are. */
static double *
values_of(const Test *test, int s, size_t i)
{
	size_t		row = s == 0 ? i : test->samples[0].count + i;

	return test->all_values ? test->values + row * test->result->keys.count : test->values;
}

/* Differences and pooled variances; counts the keys that vary. */
static bool
pool_moments(Test *test)
{
	FgHotelling *result = test->result;
	double		n[2] = {(double) result->n1, (double) result->n2};

	for (uint32_t k = 0; k < result->keys.count; k++)
	{
		const Moments *before = &test->moments[0][k];
		const Moments *after = &test->moments[1][k];

		if (!fg_check_every(test->ctx, k))
			return false;
		result->delta[k] = mean_of(after, n[1]) - mean_of(before, n[0]);
		result->variance[k] = 0;
		if (before->varies || after->varies)
		{
			result->variance[k] = (before->squares - before->shifted * before->shifted / n[0] +
								   after->squares - after->shifted * after->shifted / n[1]) /
				(n[0] + n[1] - 2);
			result->p++;
			if (!(result->variance[k] > 0))
				return fg_fail(test->ctx, FG_ERROR_RANGE, "a variance is out of range");
		}
		if (!isfinite(result->delta[k]) || !isfinite(result->variance[k]))
			return fg_fail(test->ctx, FG_ERROR_RANGE, "a mean or a variance is out of range");
	}
	return true;
}

static bool
measure(Test *test)
{
	FgContext  *ctx = test->ctx;
	FgHotelling *result = test->result;
	uint32_t	count = result->keys.count;
	FgDouble2	dropped = {0, 0};

	test->all_values = count > 0 && result->n1 + result->n2 <= KEPT_VALUES / count;
	test->values = fg_alloc(ctx, test->all_values ? (result->n1 + result->n2) * count : count,
							sizeof(double));
	test->moments[0] = fg_alloc_zero(ctx, count, sizeof(Moments));
	test->moments[1] = fg_alloc_zero(ctx, count, sizeof(Moments));
	if (test->values == NULL || test->moments[0] == NULL || test->moments[1] == NULL)
		return false;
	for (int s = 0; s < 2; s++)
	{
		for (size_t i = 0; i < test->samples[s].count; i++)
		{
			double	   *values = values_of(test, s, i);

			if (!fg_keys_values(ctx, &result->keys, &test->samples[s], i, test->level, values,
								&dropped) ||
				!add_values(ctx, values, count, i == 0, test->moments[s]))
				return false;
		}
	}
	result->dropped_weight = dropped.high + dropped.low;
	if (!isfinite(result->dropped_weight))
		return fg_fail(ctx, FG_ERROR_RANGE, "the weight of the dropped keys is out of range");
	return true;
}

/* --- the factor R ------------------------------------------------------------------------- */

static bool
linalg_must(FgContext *ctx, FgLinalgResult result)
{
	if (result == FG_LINALG_OK)
		return true;
	if (result == FG_LINALG_NO_MEMORY)
		return fg_fail(ctx, FG_ERROR_MEMORY, "out of memory in the linear algebra library");
	return fg_fail(ctx, FG_ERROR_RANGE, "the singular values do not converge");
}

/* Leaves R, zeros below it, in the first p rows of the block. */
static bool
factorise(Test *test, const FgLinalg *linalg)
{
	int			p = (int) test->result->p;

	if (!fg_check(test->ctx) ||
		!linalg_must(test->ctx, linalg->qr(test->block, test->rows, p, test->stride)))
		return false;
	for (int column = 0; column < p; column++)
	{
		double	   *top = test->block + (size_t) column * (size_t) test->stride;

		memset(top + column + 1, 0, (size_t) (p - column - 1) * sizeof(double));
	}
	test->rows = p;
	return true;
}

static void
add_row(Test *test, int s, const double *values)
{
	const FgHotelling *result = test->result;
	double		n = (double) (s == 0 ? result->n1 : result->n2);
	double	   *to = test->block + test->rows++;

	for (uint32_t k = 0; k < result->keys.count; k++)
	{
		if (result->variance[k] == 0)
			continue;
		*to = (values[k] - mean_of(&test->moments[s][k], n)) / sqrt(result->variance[k]);
		to += test->stride;
	}
}

static bool
find_factor(Test *test, const FgLinalg *linalg)
{
	const FgHotelling *result = test->result;
	FgDouble2	dropped = {0, 0};

	test->stride = result->p > 512 ? 2 * (int) result->p : 1024;
	if ((size_t) test->stride > result->n1 + result->n2)
		test->stride = (int) (result->n1 + result->n2);
	test->block = fg_alloc(test->ctx, (size_t) test->stride * result->p, sizeof(double));
	if (test->block == NULL)
		return false;
	for (int s = 0; s < 2; s++)
	{
		for (size_t i = 0; i < test->samples[s].count; i++)
		{
			if (test->rows == test->stride && !factorise(test, linalg))
				return false;
			if (!test->all_values &&
				!fg_keys_values(test->ctx, &result->keys, &test->samples[s], i, test->level,
								test->values, &dropped))
				return false;
		{
			add_row(test, s, values_of(test, s, i));
			if (!fg_check(test->ctx))
				return false;
		}
		}
	}
	return factorise(test, linalg);
}

static bool
is_regular(Test *test, const FgLinalg *linalg, bool *regular)
{
	FgContext  *ctx = test->ctx;
	int			p = (int) test->result->p;
	double		reciprocal;
	double	   *copy;
	double	   *singular;
	bool		ok;

	if (!linalg_must(ctx, linalg->condition(test->block, p, test->stride, &reciprocal)))
		return false;
	*regular = reciprocal >= SURELY_REGULAR;
	if (*regular)
		return true;
	singular = fg_alloc(ctx, (size_t) p, sizeof(double));
	copy = fg_alloc(ctx, (size_t) p * (size_t) p, sizeof(double));
	ok = singular != NULL && copy != NULL;
	for (int column = 0; ok && column < p; column++)
		memcpy(copy + (size_t) column * (size_t) p,
			   test->block + (size_t) column * (size_t) test->stride, (size_t) p * sizeof(double));
	ok = ok && fg_check(ctx) && linalg_must(ctx, linalg->singular_values(copy, p, p, p, singular));
	*regular = ok && singular[p - 1] > RANK_TOLERANCE * singular[0];
	fg_release(ctx, singular);
	fg_release(ctx, copy);
	return ok;
}

/* |R'^-1 D^-1 d|^2 by forward substitution; y is room for p numbers. */
static double
squared_solution(const Test *test, double *y)
{
	const FgHotelling *result = test->result;
	const double *column = test->block;
	double		sum = 0;
	uint32_t	j = 0;

	for (uint32_t k = 0; k < result->keys.count; k++)
	{
		double		rest;

		if (result->variance[k] == 0)
			continue;
		rest = result->delta[k] / sqrt(result->variance[k]);
		for (uint32_t i = 0; i < j; i++)
			rest -= column[i] * y[i];
		y[j] = rest / column[j];
		sum += y[j] * y[j];
		column += test->stride;
		j++;
	}
	return sum;
}

/* --- the test ------------------------------------------------------------------------------- */

static bool
find_statistic(Test *test, const FgLinalg *linalg)
{
	FgHotelling *result = test->result;
	double		n1 = (double) result->n1;
	double		n2 = (double) result->n2;
	double	   *y;
	bool		regular;

	if (!find_factor(test, linalg) || !is_regular(test, linalg, &regular))
		return false;
	if (!regular)
	{
		result->status = FG_HOTELLING_SINGULAR;
		return true;
	}
	y = fg_alloc(test->ctx, result->p, sizeof(double));
	if (y == NULL)
		return false;
	result->t2 = (n1 + n2 - 2) * (n1 * n2 / (n1 + n2)) * squared_solution(test, y);
	fg_release(test->ctx, y);
	result->f = result->df2 / ((n1 + n2 - 2) * result->df1) * result->t2;
	result->p_value = fg_f_survival(result->f, result->df1, result->df2);
	return true;
}

static bool
run(Test *test, const FgLinalg *(*linalg) (void))
{
	FgHotelling *result = test->result;

	if (!measure(test))
		return false;
	if (result->n1 < 2 || result->n2 < 2)
	{
		result->status = FG_HOTELLING_TOO_FEW;
		return true;
	}
	if (!pool_moments(test))
		return false;
	result->df1 = (double) result->p;
	result->df2 = (double) (result->n1 + result->n2) - result->df1 - 1;
	result->status = FG_HOTELLING_OK;
	if (result->p == 0)
		result->status = FG_HOTELLING_NO_VARIATION;
	else if (result->df2 < 1 || result->p > FG_HOTELLING_MAX_KEYS)
		result->status = FG_HOTELLING_TOO_MANY;
	if (result->status != FG_HOTELLING_OK)
		return true;
	result->f_critical = fg_f_upper_quantile(result->alpha, result->df1, result->df2);
	return find_statistic(test, linalg());
}

bool
fg_hotelling(FgContext *ctx, const FgProfiles *before, const FgProfiles *after, FgLevel level,
			 uint32_t min_df, double alpha, const FgLinalg *(*linalg) (void), FgHotelling *result)
{
	FgProfiles	samples[2] = {*before, *after};
	Test		test = {.ctx = ctx, .result = result, .samples = samples, .level = level};
	bool		ok;

	memset(result, 0, sizeof(*result));
	result->n1 = before->count;
	result->n2 = after->count;
	result->alpha = alpha;
	result->t2 = result->f = result->df1 = result->df2 = NAN;
	result->p_value = result->f_critical = NAN;
	if (!(alpha > 0 && alpha < 1))
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "alpha must be between 0 and 1");
	if (!fg_keys_find(ctx, samples, 2, level, min_df, NULL, &result->keys))
		return false;
	result->delta = fg_alloc_zero(ctx, result->keys.count, sizeof(double));
	result->variance = fg_alloc_zero(ctx, result->keys.count, sizeof(double));
	ok = result->delta != NULL && result->variance != NULL && run(&test, linalg);
	fg_release(ctx, test.moments[0]);
	fg_release(ctx, test.moments[1]);
	fg_release(ctx, test.values);
	fg_release(ctx, test.block);
	if (!ok)
		fg_hotelling_free(ctx, result);
	return ok;
}

void
fg_hotelling_free(FgContext *ctx, FgHotelling *result)
{
	fg_keys_free(ctx, &result->keys);
	fg_release(ctx, result->delta);
	fg_release(ctx, result->variance);
	result->delta = result->variance = NULL;
}

/* --- intervals ---------------------------------------------------------------------------------- */

/*
 * Tornetta 2023, section 3.3, with its G^2.  The intervals printed in example 3.1 there
 * follow only without the factor n1 n2 / (n1 + n2), which the formula has.
 */
double
fg_hotelling_half_width(size_t n1, size_t n2, uint32_t p, double f_critical, double variance)
{
	double		n = (double) n1 + (double) n2;
	double		g2 = (n - p - 1) / ((n - 2) * p) * ((double) n1 * (double) n2 / n);

	return sqrt(f_critical / g2) * sqrt(variance);
}

FgInterval
fg_hotelling_interval(const FgHotelling *test, uint32_t key)
{
	FgInterval	interval = {NAN, NAN, false, false, false};
	double		delta = test->delta[key];
	double		half = 0;

	if (test->status == FG_HOTELLING_TOO_FEW)
		return interval;
	if (test->variance[key] != 0)
	{
		if (test->status == FG_HOTELLING_TOO_MANY)
			return interval;
		half = fg_hotelling_half_width(test->n1, test->n2, test->p, test->f_critical,
									   test->variance[key]);
	}
	else
		interval.certain = delta != 0;
	interval.exists = true;
	interval.significant = fabs(delta) > half;
	interval.lower = delta - half;
	interval.upper = delta + half;
	return interval;
}

bool
fg_hotelling_reduced(FgContext *ctx, const FgHotelling *test, FgTree *result)
{
	uint32_t	key = 0;

	if (!fg_tree_copy(ctx, &test->keys.tree, result))
		return false;
	for (uint32_t i = 0; i <= result->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
		{
			fg_tree_free(ctx, result);
			return false;
		}
		if (result->self[i] == 0)
			continue;
		result->self[i] = fg_hotelling_interval(test, key).significant ? test->delta[key] : 0;
		key++;
	}
	if (fg_tree_prune_zeros(ctx, result))
		return true;
	fg_tree_free(ctx, result);
	return false;
}
