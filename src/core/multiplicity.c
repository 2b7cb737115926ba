/*
 * multiplicity.c
 *	  Adjusted p-values (see multiplicity.h).
 */
#include "multiplicity.h"

#include "order.h"

#include <math.h>

static double
at_most_one(double p)
{
	return p < 1 ? p : 1;
}

/* The i-th smallest of m (from 1) becomes p m / i, or what a larger one becomes when that is less. */
static void
step_up(const double *p, const uint32_t *order, uint32_t m, double *q)
{
	double		least = 1;

	for (uint32_t i = 0; i < m; i++)
	{
		double		value = p[order[i]] * m / (m - i);

		least = value < least ? value : least;
		q[order[i]] = least;
	}
}

/* ... p (m - i + 1), or what a smaller one becomes when that is more. */
static void
step_down(const double *p, const uint32_t *order, uint32_t m, double *q)
{
	double		most = 0;

	for (uint32_t i = m; i-- > 0;)
	{
		double		value = at_most_one(p[order[i]] * (i + 1));

		most = value > most ? value : most;
		q[order[i]] = most;
	}
}

bool
fg_adjust(FgContext *ctx, const double *p, uint32_t count, FgCorrection correction, double *q)
{
	uint32_t   *order;
	uint32_t	m = 0;
	bool		ok;

	for (uint32_t i = 0; i < count; i++)
	{
		m += !isnan(p[i]);
		q[i] = p[i];
	}
	if (correction == FG_CORRECT_NONE)
		return true;
	if (correction == FG_CORRECT_BONFERRONI)
	{
		for (uint32_t i = 0; i < count; i++)
			q[i] = isnan(p[i]) ? p[i] : at_most_one(p[i] * m);
		return true;
	}
	order = fg_alloc(ctx, count, sizeof(uint32_t));
	ok = order != NULL && fg_order_descending(ctx, p, count, order);
	if (ok && correction == FG_CORRECT_BH)
		step_up(p, order, m, q);
	else if (ok)
		step_down(p, order, m, q);
	fg_release(ctx, order);
	return ok;
}
