/*
 * percentile.c
 *	  The percentiles of many profiles (see percentile.h).
 *
 * Two passes over the profiles: the first one counts in how many each stack occurs,
 * which is how much room its values take; the second one puts them there.
 */
#include "core/samples/percentile.h"

#include "core/base/series.h"
#include "core/profile/tree_pair.h"
#include "core/samples/keys.h"

#include <math.h>

/* values[start[i] .. end[i]) are those of node i of the keys' tree that are not 0. */
typedef struct Values
{
	const FgKeys *keys;
	double	   *value;
	size_t	   *start;
	size_t	   *end;
} Values;

static bool
make_room(FgContext *ctx, Values *values)
{
	const FgTree *tree = &values->keys->tree;
	size_t		nodes = (size_t) tree->nnodes + 1;
	size_t		count = 0;

	values->start = fg_alloc(ctx, nodes, sizeof(size_t));
	values->end = fg_alloc(ctx, nodes, sizeof(size_t));
	if (values->start == NULL || values->end == NULL)
		return false;
	for (size_t i = 0; i < nodes; i++)
	{
		values->start[i] = values->end[i] = count;
		count += (size_t) tree->self[i];
		if (!fg_check_every(ctx, i))
			return false;
	}
	values->value = fg_alloc(ctx, count, sizeof(double));
	return values->value != NULL;
}

/* Every stack of the profile is one of the keys. */
static bool
put_values(FgContext *ctx, const FgTree *profile, Values *values)
{
	FgTreePair	pair;
	FgTreeWalk	walk;
	bool		ok = fg_tree_pair_begin(ctx, profile, &values->keys->tree, &pair);

	if (!ok)
		return false;
	walk = fg_tree_pair_walk(&pair);
	while (ok && fg_tree_pair_next(&walk))
	{
		if (walk.a != FG_NONE && profile->self[walk.a] != 0)
			values->value[values->end[walk.b]++] = profile->self[walk.a];
		ok = fg_check_every(ctx, walk.node);
	}
	fg_tree_pair_end(ctx, &pair);
	return ok;
}

static bool
collect_values(FgContext *ctx, const FgProfiles *profiles, Values *values)
{
	for (size_t i = 0; i < profiles->count; i++)
	{
		FgTree		profile;
		bool		ok;

		if (!fg_check(ctx) || !fg_profiles_read(ctx, profiles, i, FG_LEVEL_STACK, &profile))
			return false;
		ok = put_values(ctx, &profile, values);
		fg_tree_free(ctx, &profile);
		if (!ok)
			return false;
	}
	return true;
}

/* Number i of the sorted values and the zeros that belong between the signs. */
static double
value_at(const double *sorted, size_t count, size_t zeros, size_t negative, size_t i)
{
	if (i < negative)
		return sorted[i];
	if (i < negative + zeros)
		return 0;
	return i - zeros < count ? sorted[i - zeros] : 0;
}

/* As percentile_cont() has it: at fraction * (n - 1), counted from 0. */
static double
percentile_of(const double *sorted, size_t count, size_t n, double fraction)
{
	double		place = fraction * (double) (n - 1);
	size_t		below = (size_t) floor(place);
	size_t		above = (size_t) ceil(place);
	size_t		low = 0;
	size_t		high = count;
	double		a;
	double		b;

	while (low < high)			/* how many are negative */
	{
		size_t		middle = low + (high - low) / 2;

		if (sorted[middle] < 0)
			low = middle + 1;
		else
			high = middle;
	}
	a = value_at(sorted, count, n - count, low, below);
	b = value_at(sorted, count, n - count, low, above);
	return below == above ? a : fg_between(a, b, place - (double) below);
}

/* Puts the percentiles where the tree has its document frequencies. */
static bool
take_percentiles(FgContext *ctx, const Values *values, size_t n, double fraction, FgTree *tree)
{
	for (size_t i = 0; i <= tree->nnodes; i++)
	{
		double	   *value = values->value + values->start[i];
		size_t		count = values->end[i] - values->start[i];

		if (!fg_check_every(ctx, i))
			return false;
		if (count == 0)
			continue;
		if (!fg_sort_values(ctx, value, count) || !fg_steps(ctx, count))
			return false;
		tree->self[i] = percentile_of(value, count, n, fraction);
	}
	return fg_tree_prune_zeros(ctx, tree);
}

bool
fg_percentile(FgContext *ctx, const FgProfiles *profiles, double fraction, FgTree *result)
{
	FgKeys		keys;
	Values		values = {.keys = &keys};
	bool		ok;

	if (!fg_keys_find(ctx, profiles, 1, FG_LEVEL_STACK, 1, NULL, &keys))
		return false;
	ok = make_room(ctx, &values) && collect_values(ctx, profiles, &values) &&
		take_percentiles(ctx, &values, profiles->count, fraction, &keys.tree);
	fg_release(ctx, values.value);
	fg_release(ctx, values.start);
	fg_release(ctx, values.end);
	if (!ok)
	{
		fg_keys_free(ctx, &keys);
		return false;
	}
	*result = keys.tree;
	return true;
}
