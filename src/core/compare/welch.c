/*
 * welch.c
 *	  Welch's t-test for every key of two groups of profiles (see welch.h).
 */
#include "core/compare/welch.h"

#include "core/base/distribution.h"
#include "core/profile/tree_pair.h"

#include <math.h>
#include <string.h>

/*
 * Sums of values that are not whole are rounded.  A deviation or a difference below
 * this part of the mean is such rounding: a key that every profile has at 0.1 is
 * constant.
 */
#define ROUNDING 1e-13

/* --- one key -------------------------------------------------------------------------- */

typedef struct Moments
{
	double		mean;
	double		variance;		/* of the mean */
} Moments;

static Moments
key_moments(const FgGroup *group, uint32_t node, double factor)
{
	const FgMoments *all = group->moments;
	double		n = (double) group->n;
	Moments		key = {all->sum[node] / n, 0};
	double		variance;

	if (n < 2)
	{
		key.mean /= factor;
		key.variance = NAN;
		return key;
	}
	variance = fg_sample_variance(all->support.self[node], all->sum[node], all->m2[node], n);
	if (sqrt(variance) > ROUNDING * fabs(key.mean))
		key.variance = variance / n / factor / factor;
	key.mean /= factor;
	return key;
}

/* Absent from all profiles of a group. */
static Moments
no_moments(const FgGroup *group)
{
	return (Moments) {0, group->n < 2 ? NAN : 0};
}

/* Both groups are constant. */
static void
test_constants(FgDifference *row)
{
	double		larger = fmax(fabs(row->mean_before), fabs(row->mean_after));

	row->df = NAN;
	if (fabs(row->delta) <= ROUNDING * larger)
	{
		row->delta = 0;
		row->t = 0;
		row->p = 1;
		return;
	}
	row->t = row->delta > 0 ? INFINITY : -INFINITY;
	row->p = 0;
}

/*
 * Welch (1947): t = delta / sqrt(v1 / n1 + v2 / n2).  The degrees of freedom are
 * written with the share of a variance in their sum, which does not overflow.
 */
static FgDifference
test_key(uint32_t node, Moments before, Moments after, double n1, double n2)
{
	double		variance = before.variance + after.variance;
	double		share = before.variance / variance;
	FgDifference row = {
		.node = node, .mean_before = before.mean, .mean_after = after.mean,
		.delta = after.mean - before.mean, .error = sqrt(variance)
	};

	if (isnan(variance))
	{
		row.t = row.df = row.p = NAN;
		return row;
	}
	if (variance == 0)
	{
		test_constants(&row);
		return row;
	}
	row.t = row.delta / row.error;
	row.df = 1 / (share * share / (n1 - 1) + (1 - share) * (1 - share) / (n2 - 1));
	row.p = fg_t_two_sided(row.t, row.df);
	return row;
}

/* --- all keys -------------------------------------------------------------------------- */

typedef struct Comparing
{
	FgContext  *ctx;
	const FgGroup *before;
	const FgGroup *after;
	double		min_df;
	FgTreePair	pair;
	size_t		capacity;		/* of result->rows */
	FgWelchComparison *result;
} Comparing;

/* FG_NONE stands for a group that lacks the node. */
static bool
compare_node(Comparing *c, uint32_t i, uint32_t j, uint32_t node)
{
	FgWelchComparison *result = c->result;
	double		k1 = i == FG_NONE ? 0 : c->before->moments->support.self[i];
	double		k2 = j == FG_NONE ? 0 : c->after->moments->support.self[j];
	FgDifference *row;

	result->keys.self[node] = k1 + k2;
	if (k1 + k2 == 0 || k1 + k2 < c->min_df)
		return true;
	if (!fg_reserve(c->ctx, (void **) &result->rows, &c->capacity, (size_t) result->count + 1,
					sizeof(FgDifference)))
		return false;
	row = &result->rows[result->count++];
	*row = test_key(node, k1 > 0 ? key_moments(c->before, i, 1) : no_moments(c->before),
					k2 > 0 ? key_moments(c->after, j, result->factor) : no_moments(c->after),
					(double) c->before->n, (double) c->after->n);
	/* a NaN says that one profile has no deviation */
	return (isfinite(row->delta) && !isinf(row->error)) ||
		fg_fail(c->ctx, FG_ERROR_RANGE, "a difference or its deviation is out of range");
}

static bool
compare_nodes(Comparing *c)
{
	FgTree	   *keys = &c->result->keys;
	FgTreeWalk	walk = fg_tree_pair_walk(&c->pair);

	while (fg_tree_pair_next(&walk))
	{
		/* a p-value is hundreds of steps */
		if ((walk.node % 64 == 0 && !fg_check(c->ctx)) ||
			!compare_node(c, walk.a, walk.b, walk.node))
			return false;
		keys->key[walk.node] = walk.key;
	}
	keys->nnodes = walk.node;
	return keys->nnodes <= FG_MAX_NODES ||
		fg_fail(c->ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
}

static bool
compare_all(Comparing *c)
{
	const FgTree *a = &c->before->moments->support;
	const FgTree *b = &c->after->moments->support;
	bool		ok;

	if (!fg_tree_pair_begin(c->ctx, a, b, &c->pair))
		return false;
	ok = fg_tree_alloc_unlimited(c->ctx, &c->result->keys, (uint64_t) a->nnodes + b->nnodes) &&
		compare_nodes(c) && fg_tree_pair_take_frames(c->ctx, &c->pair, &c->result->keys.frames);
	fg_tree_pair_end(c->ctx, &c->pair);
	return ok;
}

static bool
adjust_rows(FgContext *ctx, FgWelchComparison *result, FgCorrection correction)
{
	double	   *p = fg_alloc(ctx, result->count, sizeof(double));
	bool		ok = p != NULL;

	for (uint32_t i = 0; ok && i < result->count; i++)
	{
		ok = fg_check_every(ctx, i);
		p[i] = result->rows[i].p;
	}
	ok = ok && fg_adjust(ctx, p, result->count, correction, p);
	for (uint32_t i = 0; ok && i < result->count; i++)
	{
		ok = fg_check_every(ctx, i);
		result->rows[i].q = p[i];
	}
	fg_release(ctx, p);
	return ok;
}

/* --- interface ------------------------------------------------------------------------------ */

bool
fg_compare(FgContext *ctx, const FgGroup *before, const FgGroup *after,
		   const FgCompareOptions *options, FgWelchComparison *result)
{
	Comparing	comparing = {
		.ctx = ctx, .before = before, .after = after, .min_df = options->min_df, .result = result
	};

	memset(result, 0, sizeof(*result));
	if (before->n == 0 || after->n == 0)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Does the condition that selects them match any?",
						  "there is no profile %s the change",
						  before->n == 0 ? "before" : "after");
	if (fg_size_factor_of_groups(ctx, before, after, options->level, options->size,
								 options->min_mean, &result->factor) &&
		compare_all(&comparing) && adjust_rows(ctx, result, options->correction))
		return true;
	fg_comparison_free(ctx, result);
	return false;
}

bool
fg_compare_profiles(FgContext *ctx, const FgProfiles *before, const FgProfiles *after,
					const FgCompareOptions *options, FgKeptProfiles kept[2],
					FgWelchComparison *result)
{
	const FgProfiles *profiles[2] = {before, after};
	FgAccumulator sums[2];
	FgGroup		groups[2] = {{.n = 0}, {.n = 0}};
	bool		ok = true;

	for (int i = 0; i < 2; i++)
		fg_accumulator_init(ctx, &sums[i], FG_ACCUMULATE_MOMENTS);
	for (int i = 0; ok && i < 2; i++)
	{
		ok = fg_accumulate_profiles(ctx, profiles[i], options->level, &sums[i],
									kept == NULL ? NULL : &kept[i]);
		groups[i].n = profiles[i]->count;
		groups[i].moments = ok ? fg_accumulator_moments(&sums[i]) : NULL;
		ok = groups[i].moments != NULL;
	}
	ok = ok && fg_compare(ctx, &groups[0], &groups[1], options, result);
	for (int i = 0; i < 2; i++)
		fg_accumulator_free(&sums[i]);
	return ok;
}
