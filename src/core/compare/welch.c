/*
 * welch.c
 *	  The t-test of every key of two groups of profiles (see welch.h).
 */
#include "core/compare/welch.h"

#include "core/compare/stable_factor.h"
#include "core/profile/tree_pair.h"

#include <math.h>
#include <string.h>

/* --- one key -------------------------------------------------------------------------- */

static void
spread_of(const FgGroup *group, uint32_t node, int place, FgKeySpread *spread)
{
	const FgMoments *all = group->moments;
	double		n = (double) group->n;
	double		variance;

	spread->sum[place] = all->sum[node];
	spread->mean[place] = all->sum[node] / n;
	if (n < 2)
		return;
	variance = fg_sample_variance(all->support.self[node], all->sum[node], all->m2[node], n);
	if (sqrt(variance) > FG_SUM_ROUNDING * fabs(spread->mean[place]))
		spread->variance[place] = variance / n;
}

/* --- all keys -------------------------------------------------------------------------- */

typedef struct Comparing
{
	FgContext  *ctx;
	const FgGroup *before;
	const FgGroup *after;
	const FgCompareOptions *options;
	FgTreePair	pair;
	size_t		row_capacity;	/* of result->rows */
	FgKeySpread *spreads;		/* by row */
	size_t		spread_capacity;
	FgWelchComparison *result;
} Comparing;

/* FG_NONE stands for a group that lacks the node. */
static bool
compare_node(Comparing *c, uint32_t i, uint32_t j, uint32_t node)
{
	FgWelchComparison *result = c->result;
	double		k1 = i == FG_NONE ? 0 : c->before->moments->support.self[i];
	double		k2 = j == FG_NONE ? 0 : c->after->moments->support.self[j];
	FgKeySpread *spread;

	result->keys.self[node] = k1 + k2;
	if (k1 + k2 == 0 || k1 + k2 < c->options->min_df)
		return true;
	if (!fg_reserve(c->ctx, (void **) &result->rows, &c->row_capacity, (size_t) result->count + 1,
					sizeof(FgDifference)) ||
		!fg_reserve(c->ctx, (void **) &c->spreads, &c->spread_capacity,
					(size_t) result->count + 1, sizeof(FgKeySpread)))
		return false;
	result->rows[result->count] = (FgDifference) {.node = node};
	spread = &c->spreads[result->count++];
	*spread = (FgKeySpread) {
		.variance = {c->before->n < 2 ? NAN : 0, c->after->n < 2 ? NAN : 0}
	};
	if (k1 > 0)
		spread_of(c->before, i, 0, spread);
	if (k2 > 0)
		spread_of(c->after, j, 1, spread);
	return true;
}

static bool
compare_nodes(Comparing *c)
{
	FgTree	   *keys = &c->result->keys;
	FgTreeWalk	walk = fg_tree_pair_walk(&c->pair);

	while (fg_tree_pair_next(&walk))
	{
		if (!fg_check_every(c->ctx, walk.node) ||
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

/* --- floors ------------------------------------------------------------------------------- */

/* Noise of a key that is not tested is left out. */
static bool
walk_noise(Comparing *c, const FgTreePair *pair, int place, double n)
{
	FgTreeWalk	walk = fg_tree_pair_walk(pair);
	uint32_t	row = 0;

	while (fg_tree_pair_next(&walk))
	{
		double		noise = walk.b == FG_NONE ? 0 : pair->b->self[walk.b];

		if (!fg_check_every(c->ctx, walk.node))
			return false;
		if (!isfinite(noise))
			return fg_fail(c->ctx, FG_ERROR_RANGE, "the noise of a group is out of range");
		if (noise < 0)
			return fg_fail_at(c->ctx, FG_ERROR_ARGUMENT, 0, 0,
							  "Noise is a sum of squared weights of samples.",
							  "noise must not be negative");
		while (row < c->result->count && walk.a != FG_NONE && c->result->rows[row].node < walk.a)
			row++;
		if (row < c->result->count && walk.a != FG_NONE && c->result->rows[row].node == walk.a)
			c->spreads[row].floor[place] = noise / n / n;
	}
	return true;
}

static bool
floors_by_noise(Comparing *c, const FgGroup *group, int place)
{
	FgTreePair	pair;
	bool		ok;

	if (group->noise == NULL)
		return true;
	if (!fg_tree_pair_begin(c->ctx, &c->result->keys, group->noise, &pair))
		return false;
	ok = walk_noise(c, &pair, place, (double) group->n);
	fg_tree_pair_end(c->ctx, &pair);
	return ok;
}

/* A count of samples has the variance of its mean. */
static bool
floors_by_unit(Comparing *c)
{
	double		unit = c->options->poisson_unit;

	for (uint32_t i = 0; i < c->result->count; i++)
	{
		FgKeySpread *spread = &c->spreads[i];

		if (!fg_check_every(c->ctx, i))
			return false;
		spread->floor[0] = fmax(spread->floor[0],
								unit * fabs(spread->mean[0]) / (double) c->before->n);
		spread->floor[1] = fmax(spread->floor[1],
								unit * fabs(spread->mean[1]) / (double) c->after->n);
	}
	return true;
}

static bool
set_floors(Comparing *c)
{
	return floors_by_noise(c, c->before, 0) && floors_by_noise(c, c->after, 1) &&
		(c->options->poisson_unit == 0 || floors_by_unit(c));
}

/* --- tests ---------------------------------------------------------------------------------- */

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

static bool
check_groups(FgContext *ctx, const FgGroup *before, const FgGroup *after,
			 const FgCompareOptions *options)
{
	if (before->n == 0 || after->n == 0)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Does the condition that selects them match any?",
						  "there is no profile %s the change",
						  before->n == 0 ? "before" : "after");
	if (!isfinite(options->poisson_unit))
		return fg_fail(ctx, FG_ERROR_RANGE, "poisson_unit must be a finite number");
	if (options->poisson_unit < 0)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "0 means no floor under the deviation.",
						  "poisson_unit must not be negative");
	if ((before->noise == NULL) != (after->noise == NULL))
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Give the noise of both groups, or of none.",
						  "there is noise of one group only");
	return true;
}

static FgKeyTesting
testing_of(const Comparing *c)
{
	return (FgKeyTesting) {
		.n = {(double) c->before->n, (double) c->after->n}, .factor = c->result->factor,
		.variance = c->options->variance,
		.floors = c->before->noise != NULL || c->options->poisson_unit > 0
	};
}

static bool
test_groups(Comparing *c, FgCorrection correction)
{
	FgKeyTesting testing = testing_of(c);

	return fg_test_keys(c->ctx, &testing, c->spreads, c->result->count, c->result->rows) &&
		adjust_rows(c->ctx, c->result, correction);
}

/* The size factor from what is not called different by it. */
static bool
find_stable_factor(Comparing *c)
{
	FgWelchComparison *result = c->result;
	FgKeyTesting testing = testing_of(c);
	FgStableFactor stable;
	bool		same = false;
	bool		ok;

	if (c->options->size != FG_SIZE_STABLE || !fg_can_test(&testing))
		return true;
	if (!fg_stable_begin(c->ctx, &result->keys, c->options->level, &testing, result->rows,
						 c->spreads, result->count, &stable))
		return false;
	ok = fg_stable_scan(&stable) && (!stable.tree || fg_stable_factor(&stable, &result->factor));
	for (int i = 0; ok && i < FG_STABLE_ROUNDS; i++)
	{
		ok = test_groups(c, FG_CORRECT_BH) &&
			fg_stable_call(&stable, result->rows, result->count, &same);
		if (!ok || (same && i > 0))
			break;
		ok = fg_stable_factor(&stable, &result->factor);
	}
	fg_stable_end(&stable);
	return ok;
}

bool
fg_compare(FgContext *ctx, const FgGroup *before, const FgGroup *after,
		   const FgCompareOptions *options, FgWelchComparison *result)
{
	Comparing	comparing = {
		.ctx = ctx, .before = before, .after = after, .options = options, .result = result
	};
	bool		ok;

	memset(result, 0, sizeof(*result));
	if (!check_groups(ctx, before, after, options))
		return false;
	ok = fg_size_factor_of_groups(ctx, before, after, options->level, options->size,
								  options->min_mean, &result->factor) &&
		compare_all(&comparing) && set_floors(&comparing) &&
		find_stable_factor(&comparing) && test_groups(&comparing, options->correction);
	fg_release(ctx, comparing.spreads);
	if (!ok)
		fg_comparison_free(ctx, result);
	return ok;
}

/* Noise is a sum below a node, as values are. */
static bool
sum_noise(FgContext *ctx, const FgProfiles noise[2], int i, size_t profiles, FgLevel level,
		  FgAccumulator *sum, FgGroup *group)
{
	if (noise == NULL || noise[i].count == 0)
		return true;
	if (noise[i].count != profiles)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "there are %zu profiles %s the change, and noise of %zu",
					   profiles, i == 0 ? "before" : "after", noise[i].count);
	if (!fg_accumulate_profiles(ctx, &noise[i], level, sum, NULL))
		return false;
	group->noise = fg_accumulator_total(sum);
	return group->noise != NULL;
}

bool
fg_compare_profiles(FgContext *ctx, const FgProfiles *before, const FgProfiles *after,
					const FgProfiles noise[2], const FgCompareOptions *options,
					FgKeptProfiles kept[2], FgWelchComparison *result)
{
	const FgProfiles *profiles[2] = {before, after};
	FgAccumulator sums[4];
	FgGroup		groups[2] = {{.n = 0}, {.n = 0}};
	bool		ok = true;

	for (int i = 0; i < 4; i++)
		fg_accumulator_init(ctx, &sums[i], i < 2 ? FG_ACCUMULATE_MOMENTS : FG_ACCUMULATE_SUM);
	for (int i = 0; ok && i < 2; i++)
	{
		ok = fg_accumulate_profiles(ctx, profiles[i], options->level, &sums[i],
									kept == NULL ? NULL : &kept[i]);
		groups[i].n = profiles[i]->count;
		groups[i].moments = ok ? fg_accumulator_moments(&sums[i]) : NULL;
		ok = groups[i].moments != NULL &&
			sum_noise(ctx, noise, i, profiles[i]->count, options->level, &sums[2 + i], &groups[i]);
	}
	ok = ok && fg_compare(ctx, &groups[0], &groups[1], options, result);
	for (int i = 0; i < 4; i++)
		fg_accumulator_free(&sums[i]);
	return ok;
}
