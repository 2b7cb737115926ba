/*
 * moments.c
 *	  Moments of samples of profiles (see moments.h).
 */
#include "core/samples/moments.h"

#include "core/profile/tree_pair.h"
#include "core/samples/moment.h"

#include <math.h>
#include <string.h>

bool
fg_moments_of_one(FgContext *ctx, FgTree *profile, FgMoments *moments)
{
	size_t		nodes = (size_t) profile->nnodes + 1;

	*moments = (FgMoments) {.support = *profile, .sum = profile->self};
	memset(profile, 0, sizeof(*profile));
	moments->m2 = fg_alloc_zero(ctx, nodes, sizeof(double));
	moments->support.self = fg_alloc(ctx, nodes, sizeof(double));
	if (moments->m2 == NULL || moments->support.self == NULL)
	{
		fg_moments_free(ctx, moments);
		return false;
	}
	for (size_t i = 0; i < nodes; i++)
		moments->support.self[i] = moments->sum[i] != 0;
	if (fg_check(ctx))
		return true;
	fg_moments_free(ctx, moments);
	return false;
}

bool
fg_moments_of_contexts(FgContext *ctx, FgTree *profile, FgMoments *moments)
{
	double	   *total = fg_alloc(ctx, (size_t) profile->nnodes + 1, sizeof(double));
	double	   *own = profile->self;

	if (total == NULL || !fg_tree_totals(ctx, profile, total))
	{
		fg_release(ctx, total);
		fg_tree_free(ctx, profile);
		return false;
	}
	total[0] = 0;				/* the empty stack is no context */
	profile->self = total;
	if (!fg_moments_of_one(ctx, profile, moments))
	{
		fg_release(ctx, own);
		return false;
	}
	moments->own = own;
	return true;
}

/* A copy of an array of moments, or NULL of one that there is not; false without memory. */
static bool
copy_array(FgContext *ctx, const double *from, size_t nodes, double **to)
{
	if (from == NULL)
		return true;
	*to = fg_alloc(ctx, nodes, sizeof(double));
	if (*to == NULL)
		return false;
	memcpy(*to, from, nodes * sizeof(double));
	return true;
}

bool
fg_moments_copy(FgContext *ctx, const FgMoments *moments, FgMoments *copy)
{
	size_t		nodes = (size_t) moments->support.nnodes + 1;

	memset(copy, 0, sizeof(*copy));
	if (!fg_tree_copy(ctx, &moments->support, &copy->support))
		return false;
	if (copy_array(ctx, moments->sum, nodes, &copy->sum) &&
		copy_array(ctx, moments->m2, nodes, &copy->m2) &&
		copy_array(ctx, moments->own, nodes, &copy->own))
		return true;
	fg_moments_free(ctx, copy);
	return false;
}

void
fg_moments_free(FgContext *ctx, FgMoments *moments)
{
	fg_release(ctx, moments->sum);
	fg_release(ctx, moments->m2);
	fg_release(ctx, moments->own);
	fg_tree_free(ctx, &moments->support);
	memset(moments, 0, sizeof(*moments));
}

static inline FgMoment
moment_at(const FgMoments *moments, uint32_t i)
{
	return (FgMoment) {moments->support.self[i], moments->sum[i], moments->m2[i]};
}

static void
merge_stack(const FgMoments *a, uint32_t i, const FgMoments *b, uint32_t j, FgMoments *result,
			uint32_t n)
{
	FgMoment	both = fg_moment_merge(moment_at(a, i), moment_at(b, j));

	result->support.self[n] = both.n;
	result->sum[n] = both.sum;
	result->m2[n] = both.m2;
	if (result->own != NULL)
		result->own[n] = a->own[i] + b->own[j];
}

static void
copy_stack(const FgMoments *from, uint32_t i, FgMoments *result, uint32_t n)
{
	result->support.self[n] = from->support.self[i];
	result->sum[n] = from->sum[i];
	result->m2[n] = from->m2[i];
	if (result->own != NULL)
		result->own[n] = from->own[i];
}

static bool
merge_moments(FgContext *ctx, const FgTreePair *pair, const FgMoments *a, const FgMoments *b,
			  FgMoments *result)
{
	FgTreeWalk	walk = fg_tree_pair_walk(pair);

	while (fg_tree_pair_next(&walk))
	{
		if (!fg_check_every(ctx, walk.node))
			return false;
		if (walk.b == FG_NONE)
			copy_stack(a, walk.a, result, walk.node);
		else if (walk.a == FG_NONE)
			copy_stack(b, walk.b, result, walk.node);
		else
			merge_stack(a, walk.a, b, walk.b, result, walk.node);
		result->support.key[walk.node] = walk.key;
	}
	result->support.nnodes = walk.node;
	return true;
}

bool
fg_moments_finite(const FgMoments *moments)
{
	double		check = 0;

	for (uint32_t i = 0; i <= moments->support.nnodes; i++)
		check += moments->sum[i] * 0 + moments->m2[i] * 0;
	if (moments->own != NULL)
		check += moments->own[0] * 0;	/* no other is larger than its sum */
	return check == 0;
}

bool
fg_moments_check(FgContext *ctx, const FgMoments *moments)
{
	return fg_moments_finite(moments) || fg_fail(ctx, FG_ERROR_RANGE, "a moment is out of range");
}

bool
fg_moments_merge(FgContext *ctx, const FgMoments *a, const FgMoments *b, FgMoments *result)
{
	uint64_t	capacity = (uint64_t) a->support.nnodes + b->support.nnodes;
	FgTreePair	pair;
	bool		ok;

	memset(result, 0, sizeof(*result));
	if (!fg_tree_pair_begin(ctx, &a->support, &b->support, &pair))
		return false;
	ok = fg_tree_alloc_unlimited(ctx, &result->support, capacity);
	result->sum = ok ? fg_alloc(ctx, capacity + 1, sizeof(double)) : NULL;
	result->m2 = ok ? fg_alloc(ctx, capacity + 1, sizeof(double)) : NULL;
	ok = result->sum != NULL && result->m2 != NULL;
	if (ok && a->own != NULL)
		ok = (result->own = fg_alloc(ctx, capacity + 1, sizeof(double))) != NULL;
	ok = ok && merge_moments(ctx, &pair, a, b, result) &&
		fg_tree_pair_take_frames(ctx, &pair, &result->support.frames) && fg_moments_check(ctx, result);
	if (ok && result->support.nnodes > FG_MAX_NODES)
		ok = fg_fail(ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
	fg_tree_pair_end(ctx, &pair);
	if (!ok)
		fg_moments_free(ctx, result);
	return ok;
}

static bool
finish_result(FgContext *ctx, FgTree *result)
{
	double		check = 0;
	bool		ok = true;

	for (uint32_t i = 0; ok && i <= result->nnodes; i++)
	{
		check += result->self[i] * 0;
		ok = fg_check_every(ctx, i);
	}
	if (ok && check != 0)
		ok = fg_fail(ctx, FG_ERROR_RANGE, "a value of the result is out of range");
	if (ok && fg_tree_prune_zeros(ctx, result))
		return true;
	fg_tree_free(ctx, result);
	return false;
}

bool
fg_moments_sum(FgContext *ctx, const FgMoments *moments, FgTree *result)
{
	if (!fg_tree_copy(ctx, &moments->support, result))
		return false;
	if (moments->sum != NULL)
		memcpy(result->self, moments->sum, ((size_t) result->nnodes + 1) * sizeof(double));
	return finish_result(ctx, result);
}

bool
fg_moments_mean(FgContext *ctx, const FgMoments *moments, double n, FgTree *result)
{
	bool		vanished = false;

	if (!fg_tree_copy(ctx, &moments->support, result))
		return false;
	for (uint32_t i = 0; i <= result->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
		{
			fg_tree_free(ctx, result);
			return false;
		}
		result->self[i] = moments->sum[i] / n;
		vanished |= (result->self[i] == 0) & (moments->sum[i] != 0);
	}
	if (!vanished)
		return finish_result(ctx, result);
	fg_tree_free(ctx, result);
	return fg_fail(ctx, FG_ERROR_RANGE, "a value of the result is too small");
}

bool
fg_moments_variance(FgContext *ctx, const FgMoments *moments, double n, bool root,
					FgTree *result)
{
	if (!fg_tree_copy(ctx, &moments->support, result))
		return false;
	for (uint32_t i = 0; i <= result->nnodes; i++)
	{
		double		variance = fg_sample_variance(moments->support.self[i], moments->sum[i],
												  moments->m2[i], n);

		if (!fg_check_every(ctx, i))
		{
			fg_tree_free(ctx, result);
			return false;
		}
		result->self[i] = root ? sqrt(variance) : variance;
	}
	return finish_result(ctx, result);
}
