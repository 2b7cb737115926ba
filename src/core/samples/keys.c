/*
 * keys.c
 *	  Keys of samples of profiles by document frequency (see keys.h).
 */
#include "core/samples/keys.h"

#include "core/base/series.h"
#include "core/profile/tree_pair.h"
#include "core/samples/accumulator.h"

#include <math.h>
#include <string.h>

/* --- which keys ------------------------------------------------------------------- */

static bool
count_keys(FgContext *ctx, const FgProfiles *samples, size_t nsamples, FgLevel level,
		   FgKeptProfiles *kept, FgAccumulator *accumulator)
{
	size_t		number = 0;

	for (size_t s = 0; s < nsamples; s++)
	{
		for (size_t i = 0; i < samples[s].count; i++)
		{
			FgTree		vector;

			if (!fg_check(ctx) || !fg_profiles_read(ctx, &samples[s], i, level, &vector))
				return false;
			if (kept != NULL && !fg_kept_copy(ctx, kept, number++, &vector))
			{
				fg_tree_free(ctx, &vector);
				return false;
			}
			for (uint32_t k = 0; k <= vector.nnodes; k++)
				vector.self[k] = vector.self[k] != 0;
			if (!fg_accumulator_add(accumulator, &vector))
				return false;
		}
	}
	return true;
}

static bool
drop_rare(FgContext *ctx, uint32_t min_df, FgKeys *keys)
{
	FgTree	   *tree = &keys->tree;

	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (tree->self[i] == 0)
			continue;
		if (tree->self[i] >= min_df)
			keys->count++;
		else
		{
			keys->dropped++;
			tree->self[i] = 0;
		}
	}
	return keys->dropped == 0 || fg_tree_prune_zeros(ctx, tree);
}

bool
fg_keys_find(FgContext *ctx, const FgProfiles *samples, size_t nsamples, FgLevel level,
			 uint32_t min_df, FgKeptProfiles *kept, FgKeys *keys)
{
	FgAccumulator accumulator;
	const FgTree *counts = NULL;
	bool		ok;

	memset(keys, 0, sizeof(*keys));
	fg_accumulator_init(ctx, &accumulator, FG_ACCUMULATE_SUM);
	if (count_keys(ctx, samples, nsamples, level, kept, &accumulator))
		counts = fg_accumulator_total(&accumulator);
	ok = counts != NULL && fg_tree_copy(ctx, counts, &keys->tree);
	fg_accumulator_free(&accumulator);
	if (ok && drop_rare(ctx, min_df, keys))
		return true;
	if (ok)
		fg_keys_free(ctx, keys);
	return false;
}

void
fg_keys_free(FgContext *ctx, FgKeys *keys)
{
	fg_tree_free(ctx, &keys->tree);
	memset(keys, 0, sizeof(*keys));
}

/* --- values at the keys ------------------------------------------------------------- */

/* The pair is the vector and the keys. */
static bool
take_values(FgContext *ctx, const FgTreePair *pair, double *values, FgDouble2 *dropped)
{
	const double *frequency = pair->b->self;
	FgTreeWalk	walk = fg_tree_pair_walk(pair);

	while (fg_tree_pair_next(&walk))
	{
		double		value = walk.a != FG_NONE ? pair->a->self[walk.a] : 0;

		if (!fg_check_every(ctx, walk.node))
			return false;
		if (walk.b != FG_NONE && frequency[walk.b] != 0)
			*values++ = value;
		else
			fg_sum_twice(dropped, fabs(value));
	}
	return true;
}

bool
fg_keys_values_of(FgContext *ctx, const FgKeys *keys, const FgTree *profile, double *values,
				  FgDouble2 *dropped)
{
	FgTreePair	pair;
	bool		ok;

	if (!fg_tree_pair_begin(ctx, profile, &keys->tree, &pair))
		return false;
	ok = take_values(ctx, &pair, values, dropped);
	fg_tree_pair_end(ctx, &pair);
	return ok;
}

bool
fg_keys_values(FgContext *ctx, const FgKeys *keys, const FgProfiles *profiles, size_t i,
			   FgLevel level, double *values, FgDouble2 *dropped)
{
	FgTree		vector;
	bool		ok;

	if (!fg_check(ctx) || !fg_profiles_read(ctx, profiles, i, level, &vector))
		return false;
	ok = fg_keys_values_of(ctx, keys, &vector, values, dropped);
	fg_tree_free(ctx, &vector);
	return ok;
}
