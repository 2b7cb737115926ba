/*
 * stable_factor.c
 *	  A size factor from what did not change (see stable_factor.h).
 */
#include "core/compare/stable_factor.h"

#include "core/profile/walk.h"

#include <math.h>
#include <string.h>

/* A likelihood ratio above this, and twice the logarithm of the number of contexts, is no noise. */
#define LEAST_RATIO 20

/* --- the stacks ------------------------------------------------------------------------------ */

/* Inclusive values become those of stacks. */
static bool
subtract_children(FgStableFactor *stable, double *values)
{
	double	   *inclusive = fg_alloc(stable->ctx, (size_t) stable->nnodes + 1, sizeof(double));

	if (inclusive == NULL)
		return false;
	memcpy(inclusive, values, ((size_t) stable->nnodes + 1) * sizeof(double));
	for (uint32_t i = 1; i <= stable->nnodes; i++)
		values[stable->parents[i]] -= inclusive[i];
	fg_release(stable->ctx, inclusive);
	return fg_check(stable->ctx);
}

/* What is below 0 is rounding, or of profiles with signs, which have no shares. */
static bool
fill_sums(FgStableFactor *stable, const FgDifference *rows, const FgKeySpread *spreads,
		  uint32_t count, FgLevel level)
{
	for (int g = 0; g < 2; g++)
	{
		double	   *self = stable->self[g];

		for (uint32_t i = 0; i < count; i++)
			self[rows[i].node] = spreads[i].sum[g];
		if (level == FG_LEVEL_NODE && !subtract_children(stable, self))
			return false;
		for (uint32_t i = 0; i <= stable->nnodes; i++)
			self[i] = level == FG_LEVEL_NODE && i == 0 ? 0 : fmax(self[i], 0);
	}
	return fg_check(stable->ctx);
}

/* Of counts of samples 1, and less where few keys have most of them. */
static double
dispersion_of(const FgKeyTesting *testing, const FgKeySpread *spreads, uint32_t count)
{
	double		variance = 0;
	double		mean = 0;

	for (int g = 0; g < 2; g++)
	{
		for (uint32_t i = 0; testing->n[g] > 1 && i < count; i++)
		{
			variance += spreads[i].variance[g] * testing->n[g];
			mean += fabs(spreads[i].mean[g]);
		}
	}
	return mean > 0 ? variance / mean : 0;
}

bool
fg_stable_begin(FgContext *ctx, const FgTree *keys, FgLevel level, const FgKeyTesting *testing,
				const FgDifference *rows, const FgKeySpread *spreads, uint32_t count,
				FgStableFactor *stable)
{
	size_t		nodes = (size_t) keys->nnodes + 1;

	*stable = (FgStableFactor) {
		.ctx = ctx, .n = {testing->n[0], testing->n[1]}, .nnodes = keys->nnodes,
		.tree = level == FG_LEVEL_STACK || level == FG_LEVEL_NODE,
		.dispersion = dispersion_of(testing, spreads, count)
	};
	stable->parents = fg_alloc(ctx, nodes, sizeof(uint32_t));
	stable->self[0] = fg_alloc_zero(ctx, nodes, sizeof(double));
	stable->self[1] = fg_alloc_zero(ctx, nodes, sizeof(double));
	stable->out = fg_alloc_zero(ctx, nodes, sizeof(bool));
	stable->called = fg_alloc_zero(ctx, nodes, sizeof(bool));
	if (stable->parents != NULL && stable->self[0] != NULL && stable->self[1] != NULL &&
		stable->out != NULL && stable->called != NULL &&
		fg_tree_parents(ctx, keys, stable->parents) &&
		fill_sums(stable, rows, spreads, count, level))
		return true;
	fg_stable_end(stable);
	return false;
}

void
fg_stable_end(FgStableFactor *stable)
{
	fg_release(stable->ctx, stable->parents);
	fg_release(stable->ctx, stable->self[0]);
	fg_release(stable->ctx, stable->self[1]);
	fg_release(stable->ctx, stable->out);
	fg_release(stable->ctx, stable->called);
	stable->parents = NULL;
	stable->self[0] = stable->self[1] = NULL;
	stable->out = stable->called = NULL;
}

/* --- the scan ---------------------------------------------------------------------------------- */

/* Of what is not left out, below and at each node. */
typedef struct Inside
{
	double	   *sum[2];
	double	   *stacks;
} Inside;

static double
part(double observed, double expected)
{
	return observed > 0 ? observed * log(observed / expected) : 0;
}

/* Twice the logarithm of the likelihood ratio: one rate inside and one outside against one for all. */
static double
likelihood_ratio(const Inside *inside, uint32_t node)
{
	double		before = inside->sum[0][0];
	double		after = inside->sum[1][0];
	double		in[2] = {inside->sum[0][node], inside->sum[1][node]};
	double		out[2] = {before - in[0], after - in[1]};
	double		share = before / (before + after);

	if (!(out[0] > 0 && out[1] > 0) || 2 * inside->stacks[node] >= inside->stacks[0])
		return 0;
	return 2 * (part(in[0], (in[0] + in[1]) * share) + part(in[1], (in[0] + in[1]) * (1 - share)) +
				part(out[0], (out[0] + out[1]) * share) +
				part(out[1], (out[0] + out[1]) * (1 - share)));
}

static bool
sum_inside(const FgStableFactor *stable, Inside *inside)
{
	for (uint32_t i = 0; i <= stable->nnodes; i++)
	{
		bool		part_of = !stable->out[i];

		inside->sum[0][i] = part_of ? stable->self[0][i] : 0;
		inside->sum[1][i] = part_of ? stable->self[1][i] : 0;
		inside->stacks[i] = part_of && stable->self[0][i] + stable->self[1][i] > 0;
	}
	for (uint32_t i = stable->nnodes; i > 0; i--)
	{
		uint32_t	parent = stable->parents[i];

		inside->sum[0][parent] += inside->sum[0][i];
		inside->sum[1][parent] += inside->sum[1][i];
		inside->stacks[parent] += inside->stacks[i];
	}
	return fg_check(stable->ctx);
}

/* The context that differs most; 0 when none differs by more than noise. */
static bool
find_context(const FgStableFactor *stable, Inside *inside, uint32_t *context)
{
	double		total;
	double		least;

	if (!sum_inside(stable, inside))
		return false;
	total = inside->sum[0][0] + inside->sum[1][0];
	/* sums of values that are not whole are rounded */
	least = fmax((LEAST_RATIO + 2 * log((double) stable->nnodes + 1)) * stable->dispersion,
				 FG_SUM_ROUNDING * total);
	*context = 0;
	for (uint32_t i = 1; i <= stable->nnodes; i++)
	{
		double		ratio = likelihood_ratio(inside, i);

		if (!fg_check_every(stable->ctx, i))
			return false;
		if (ratio > least)
		{
			least = ratio;
			*context = i;
		}
	}
	return true;
}

static void
leave_out(FgStableFactor *stable, uint32_t context)
{
	bool	   *out = stable->out;

	/* those left out before stay out: below them all are */
	out[context] = true;
	for (uint32_t i = context + 1; i <= stable->nnodes; i++)
		out[i] |= out[stable->parents[i]];
}

bool
fg_stable_scan(FgStableFactor *stable)
{
	FgContext  *ctx = stable->ctx;
	size_t		nodes = (size_t) stable->nnodes + 1;
	Inside		inside = {.stacks = fg_alloc(ctx, nodes, sizeof(double))};
	bool		ok;

	inside.sum[0] = fg_alloc(ctx, nodes, sizeof(double));
	inside.sum[1] = fg_alloc(ctx, nodes, sizeof(double));
	ok = inside.stacks != NULL && inside.sum[0] != NULL && inside.sum[1] != NULL;
	for (int i = 0; ok && stable->tree && i < FG_STABLE_ROUNDS; i++)
	{
		uint32_t	context;

		ok = find_context(stable, &inside, &context);
		if (!ok || context == 0)
			break;
		leave_out(stable, context);
	}
	fg_release(ctx, inside.stacks);
	fg_release(ctx, inside.sum[0]);
	fg_release(ctx, inside.sum[1]);
	return ok;
}

/* --- the rest ------------------------------------------------------------------------------------ */

bool
fg_stable_call(FgStableFactor *stable, const FgDifference *rows, uint32_t count, bool *same)
{
	*same = true;
	for (uint32_t i = 0; i < count; i++)
	{
		bool		called = rows[i].q <= FG_STABLE_ALPHA;

		*same &= stable->called[rows[i].node] == called;
		stable->called[rows[i].node] = called;
	}
	return fg_steps(stable->ctx, count);
}

bool
fg_stable_factor(FgStableFactor *stable, double *factor)
{
	double		sum[2] = {0, 0};
	double		ratio;

	for (uint32_t i = 0; i <= stable->nnodes; i++)
	{
		if (stable->out[i] || stable->called[i])
			continue;
		sum[0] += stable->self[0][i];
		sum[1] += stable->self[1][i];
	}
	ratio = sum[1] / stable->n[1] / (sum[0] / stable->n[0]);
	if (sum[0] > 0 && sum[1] > 0 && isfinite(ratio) && ratio > 0)
		*factor = ratio;
	return fg_check(stable->ctx);
}
