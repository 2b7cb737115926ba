/*
 * sampling.c
 *	  Two recordings compared by the noise of sampling (see sampling.h).
 */
#include "core/compare/sampling.h"

#include "core/base/distribution.h"
#include "core/compare/multiplicity.h"
#include "core/profile/tree_pair.h"

#include <math.h>
#include <string.h>

/* --- one key ----------------------------------------------------------------------- */

/* P(X >= after) or P(X <= after), whichever is smaller, X binomial. */
static double
smaller_tail(double before, double after, double p)
{
	double		n = before + after;

	if (n > FG_MOST_EXACT_SAMPLES)
		return fg_normal_survival(fabs(after - n * p) / sqrt(n * p * (1 - p)));
	if (after > n * p)
		return fg_beta_cdf(p, after, before + 1);
	return before == 0 ? 1 : fg_beta_survival(p, after + 1, before);
}

double
fg_counts_p_value(double before, double after, double odds)
{
	if (before + after == 0)
		return 1;
	if (odds > 1)				/* 1 - p would lose what is left of it */
		return fmin(1, 2 * smaller_tail(after, before, 1 / (1 + odds)));
	return fmin(1, 2 * smaller_tail(before, after, odds / (1 + odds)));
}

/* --- all keys ---------------------------------------------------------------------- */

/* Most keys have few samples, and those of a chain have the same: p is computed once for them. */
#define FEW 64

typedef struct Sampling
{
	FgContext  *ctx;
	double		factor;
	double		unit;
	double		last[3];		/* two counts and their p */
	double	   *few;			/* p by two counts below FEW; 0: not computed yet */
	size_t		capacity;
	FgWelchComparison *result;
} Sampling;

static double
p_value(Sampling *s, double before, double after)
{
	double	   *few = before < FEW && after < FEW ? &s->few[(int) before * FEW + (int) after] : NULL;

	if (few != NULL)
	{
		if (*few == 0)
			*few = fg_counts_p_value(before, after, s->factor);
		return *few;
	}
	if (before != s->last[0] || after != s->last[1])
	{
		s->last[0] = before;
		s->last[1] = after;
		s->last[2] = fg_counts_p_value(before, after, s->factor);
	}
	return s->last[2];
}

static bool
add_row(Sampling *s, uint32_t node, double before, double after)
{
	FgWelchComparison *result = s->result;
	FgDifference *row;

	if (!fg_reserve(s->ctx, (void **) &result->rows, &s->capacity, (size_t) result->count + 1,
					sizeof(FgDifference)))
		return false;
	row = &result->rows[result->count++];
	*row = (FgDifference) {
		.node = node, .mean_before = before, .mean_after = after / s->factor, .error = NAN,
		.t = NAN, .df = NAN, .p = NAN, .q = NAN, .stddev = NAN
	};
	row->delta = row->mean_after - before;
	if (!isfinite(row->mean_after) || !isfinite(row->delta))
		return fg_fail(s->ctx, FG_ERROR_RANGE, "a difference is out of range");
	if (s->unit == 0 || before < 0 || after < 0)
		return true;			/* what is below 0 is no count of samples */
	row->p = p_value(s, rint(before / s->unit), rint(after / s->unit));
	/* many samples take thousands of terms */
	return fg_work(s->ctx, before + after > 1e4 * s->unit ? FG_CHECK_BYTES / 64 : 64);
}

static bool
add_rows(Sampling *s, const FgTreePair *pair)
{
	FgTree	   *keys = &s->result->keys;
	FgTreeWalk	walk = fg_tree_pair_walk(pair);

	while (fg_tree_pair_next(&walk))
	{
		double		before = walk.a == FG_NONE ? 0 : pair->a->self[walk.a];
		double		after = walk.b == FG_NONE ? 0 : pair->b->self[walk.b];

		keys->key[walk.node] = walk.key;
		keys->self[walk.node] = (before != 0) + (after != 0);
		if (!fg_check_every(s->ctx, walk.node) ||
			(keys->self[walk.node] > 0 && !add_row(s, walk.node, before, after)))
			return false;
	}
	keys->nnodes = walk.node;
	return keys->nnodes <= FG_MAX_NODES ||
		fg_fail(s->ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
}

static bool
adjust(FgContext *ctx, FgWelchComparison *result)
{
	double	   *p = fg_alloc(ctx, result->count, sizeof(double));
	bool		ok = p != NULL;

	for (uint32_t i = 0; ok && i < result->count; i++)
		p[i] = result->rows[i].p;
	ok = ok && fg_check(ctx) && fg_adjust(ctx, p, result->count, FG_CORRECT_BH, p);
	for (uint32_t i = 0; ok && i < result->count; i++)
		result->rows[i].q = p[i];
	fg_release(ctx, p);
	return ok;
}

static bool
compare_levels(Sampling *s, const FgTree *before, const FgTree *after)
{
	FgTreePair	pair;
	bool		ok;

	if (!fg_tree_pair_begin(s->ctx, before, after, &pair))
		return false;
	ok = fg_tree_alloc_unlimited(s->ctx, &s->result->keys,
								 (uint64_t) before->nnodes + after->nnodes) &&
		add_rows(s, &pair) &&
		fg_tree_pair_take_frames(s->ctx, &pair, &s->result->keys.frames);
	fg_tree_pair_end(s->ctx, &pair);
	return ok && (s->unit == 0 || adjust(s->ctx, s->result));
}

static bool
check_unit(FgContext *ctx, double unit)
{
	if (!isfinite(unit))
		return fg_fail(ctx, FG_ERROR_RANGE, "poisson_unit must be a finite number");
	if (unit < 0)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "It is the value of one sample.",
						  "poisson_unit must not be negative");
	return true;
}

bool
fg_compare_recordings(FgContext *ctx, const FgTree *before, const FgTree *after, FgLevel level,
					  double factor, double unit, FgWelchComparison *result)
{
	Sampling	s = {
		.ctx = ctx, .factor = factor, .unit = unit, .last = {NAN, NAN, NAN}, .result = result
	};
	FgTree		a;
	FgTree		b;
	bool		ok;

	memset(result, 0, sizeof(*result));
	result->factor = factor;
	if (!check_unit(ctx, unit) || !fg_level_apply(ctx, before, level, &a))
		return false;
	ok = fg_level_apply(ctx, after, level, &b);
	if (ok)
	{
		s.few = fg_alloc_zero(ctx, FEW * FEW, sizeof(double));
		ok = s.few != NULL && compare_levels(&s, &a, &b);
		fg_release(ctx, s.few);
		fg_tree_free(ctx, &b);
	}
	fg_tree_free(ctx, &a);
	if (!ok)
		fg_comparison_free(ctx, result);
	return ok;
}
