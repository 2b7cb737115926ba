/*
 * multiplicity.c
 *	  Adjusted p-values (see multiplicity.h).
 */
#include "core/compare/multiplicity.h"

#include "core/base/order.h"

#include <math.h>

static double
at_most_one(double p)
{
	return p < 1 ? p : 1;
}

/* The i-th smallest of m (from 1) becomes p m / i, or what a larger one becomes when that is less. */
static bool
step_up(FgContext *ctx, const double *p, const uint32_t *order, uint32_t m, double *q)
{
	double		least = 1;

	for (uint32_t i = 0; i < m; i++)
	{
		double		value = p[order[i]] * m / (m - i);

		if (!fg_check_every(ctx, i))
			return false;
		least = value < least ? value : least;
		q[order[i]] = least;
	}
	return true;
}

/* ... p (m - i + 1), or what a smaller one becomes when that is more. */
static bool
step_down(FgContext *ctx, const double *p, const uint32_t *order, uint32_t m, double *q)
{
	double		most = 0;

	for (uint32_t i = m; i-- > 0;)
	{
		double		value = at_most_one(p[order[i]] * (i + 1));

		if (!fg_check_every(ctx, i))
			return false;
		most = value > most ? value : most;
		q[order[i]] = most;
	}
	return true;
}

bool
fg_adjust(FgContext *ctx, const double *p, uint32_t count, FgCorrection correction, double *q)
{
	uint32_t   *order;
	uint32_t	m = 0;
	bool		ok;

	for (uint32_t i = 0; i < count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		m += !isnan(p[i]);
		q[i] = p[i];
	}
	if (correction == FG_CORRECT_NONE)
		return true;
	if (correction == FG_CORRECT_BONFERRONI)
	{
		for (uint32_t i = 0; i < count; i++)
		{
			if (!fg_check_every(ctx, i))
				return false;
			q[i] = isnan(p[i]) ? p[i] : at_most_one(p[i] * m);
		}
		return true;
	}
	order = fg_alloc(ctx, count, sizeof(uint32_t));
	ok = order != NULL && fg_order_descending(ctx, p, count, order);
	if (ok && correction == FG_CORRECT_BH)
		ok = step_up(ctx, p, order, m, q);
	else if (ok)
		ok = step_down(ctx, p, order, m, q);
	fg_release(ctx, order);
	return ok;
}
