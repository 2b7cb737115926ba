/*
 * compact_sums.c
 *	  Sums over an Epanechnikov kernel (see compact_sums.h).
 */
#include "core/models/compact_sums.h"

#include "core/base/sums.h"

#include <math.h>
#include <string.h>

/*
 * With u = (x - centre) / scale, |u| <= 1, a target at v and w = u - v, the weight is
 * K(0) (1 - (g w)^2 / 5), g = scale / h.  So sum K z^j needs the sums of w^j and w^(j+2),
 * which follow from those of u^0 .. u^(j+2).
 */
#define X_POWERS 5				/* u^0 .. u^4 */
#define Y_POWERS 4				/* u^0 y .. u^3 y */

/* Splits a double into halves whose products are exact (Dekker 1971). */
static inline FgDouble2
exact_product(double a, double b)
{
	const double splitter = 134217729;	/* 2^27 + 1 */
	double		product = a * b;
	double		a_high = splitter * a - (splitter * a - a);
	double		b_high = splitter * b - (splitter * b - b);
	double		a_low = a - a_high;
	double		b_low = b - b_high;

	return (FgDouble2) {
		product,
		((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
	};
}

static inline FgDouble2
renormalise(double high, double low)
{
	double		sum = high + low;

	return (FgDouble2) {sum, low - (sum - high)};
}

static inline FgDouble2
product(FgDouble2 a, FgDouble2 b)
{
	FgDouble2	result = exact_product(a.high, b.high);

	return renormalise(result.high, result.low + (a.high * b.low + a.low * b.high));
}

static inline FgDouble2
times(FgDouble2 a, double b)
{
	FgDouble2	result = exact_product(a.high, b);

	return renormalise(result.high, result.low + a.low * b);
}

static inline FgDouble2
difference(FgDouble2 a, FgDouble2 b)
{
	fg_double2_subtract(&a, b);
	return a;
}

typedef struct Compact
{
	FgContext  *ctx;
	size_t		n;
	double		centre;
	double		scale;			/* a power of two, so that dividing by it is exact */
	int			x_powers;
	int			y_powers;
	FgDouble2  *x_sum[X_POWERS];	/* over the points before i, for i = 0 .. n */
	FgDouble2  *y_sum[Y_POWERS];
} Compact;

/* The power of two above half of the range. */
static double
scale_of(const double *x, size_t n)
{
	double		half = x[n - 1] / 2 - x[0] / 2;

	return half > 0 ? ldexp(1, ilogb(half) + 1) : 1;
}

bool
fg_compact_sums_exact(const double *x, size_t n, double h, int sums)
{
	double		g = scale_of(x, n) / h;
	double		power = sums == 2 ? g * g : g * g * g * g;

	/* the sums of u^k are known to n 2^-104 or so */
	return (power + 1) * (double) n * 0x1p-100 <= 1e-13;
}

/* (x - centre) / scale, exactly. */
static inline FgDouble2
position(const Compact *c, double x)
{
	double		high = x - c->centre;
	double		part = high - x;
	double		low = (x - (high - part)) + (-c->centre - part);

	return (FgDouble2) {high / c->scale, low / c->scale};
}

static bool
prepare(Compact *c, const double *x, const double *y)
{
	c->scale = scale_of(x, c->n);
	c->centre = x[0] / 2 + x[c->n - 1] / 2;
	for (int k = 0; k < c->x_powers; k++)
	{
		c->x_sum[k] = fg_alloc(c->ctx, c->n + 1, sizeof(FgDouble2));
		if (c->x_sum[k] == NULL)
			return false;
		c->x_sum[k][0] = (FgDouble2) {0, 0};
	}
	for (int k = 0; k < c->y_powers; k++)
	{
		c->y_sum[k] = fg_alloc(c->ctx, c->n + 1, sizeof(FgDouble2));
		if (c->y_sum[k] == NULL)
			return false;
		c->y_sum[k][0] = (FgDouble2) {0, 0};
	}
	for (size_t i = 0; i < c->n; i++)
	{
		FgDouble2	u = position(c, x[i]);
		FgDouble2	power = {1, 0};

		for (int k = 0; k < c->x_powers; k++)
		{
			FgDouble2	sum = c->x_sum[k][i];

			fg_double2_add(&sum, power);
			c->x_sum[k][i + 1] = sum;
			if (k < c->y_powers)
			{
				sum = c->y_sum[k][i];
				fg_double2_add(&sum, times(power, y[i]));
				c->y_sum[k][i + 1] = sum;
			}
			power = product(power, u);
		}
		if (i % (FG_CHECK_NODES / 16) == 0 && !fg_check(c->ctx))
			return false;
	}
	return true;
}

static void
release(Compact *c)
{
	for (int k = 0; k < X_POWERS; k++)
		fg_release(c->ctx, c->x_sum[k]);
	for (int k = 0; k < Y_POWERS; k++)
		fg_release(c->ctx, c->y_sum[k]);
}

/* Turns sums of u^k over the points [from, to) into those of (u - v)^k. */
static void
centred_sums(FgDouble2 *const *sums, int powers, size_t from, size_t to, FgDouble2 v,
			 double *result)
{
	FgDouble2	sum[X_POWERS];

	for (int k = 0; k < powers; k++)
		sum[k] = difference(sums[k][to], sums[k][from]);
	/* (u - v)^k from (u - v)^(k - 1), as in Horner's scheme: all powers at once */
	for (int k = 1; k < powers; k++)
	{
		for (int j = powers - 1; j >= k; j--)
			sum[j] = difference(sum[j], product(v, sum[j - 1]));
	}
	for (int k = 0; k < powers; k++)
		result[k] = sum[k].high;
}

/* The window of the target: |z| < sqrt 5; where exactly it ends has weight 0. */
static void
move_window(const Compact *c, const double *x, double t, double h, size_t *from, size_t *to)
{
	double		radius = 2.2360679774997896 * h;

	while (*from < c->n && x[*from] - t <= -radius)
		++*from;
	if (*to < *from)
		*to = *from;
	while (*to < c->n && x[*to] - t < radius)
		++*to;
}

static bool
sum_targets(const Compact *c, const double *x, const double *target, size_t targets, double h,
			double *const *sum)
{
	double		at_zero = fg_kernel_value(FG_EPANECHNIKOV, 0);
	double		g = c->scale / h;
	double		fifth = g * g / 5;
	size_t		from = 0;
	size_t		to = 0;

	for (size_t j = 0; j < targets; j++)
	{
		FgDouble2	v = position(c, target[j]);
		double		w[X_POWERS] = {0};
		double		wy[Y_POWERS] = {0};

		move_window(c, x, target[j], h, &from, &to);
		centred_sums(c->x_sum, c->x_powers, from, to, v, w);
		centred_sums(c->y_sum, c->y_powers, from, to, v, wy);
		sum[FG_SUM_K][j] = at_zero * (w[0] - fifth * w[2]);
		sum[FG_SUM_KY][j] = at_zero * (wy[0] - fifth * wy[2]);
		if (c->x_powers == X_POWERS)
		{
			sum[FG_SUM_KZ][j] = at_zero * g * (w[1] - fifth * w[3]);
			sum[FG_SUM_KZZ][j] = at_zero * g * g * (w[2] - fifth * w[4]);
			sum[FG_SUM_KZY][j] = at_zero * g * (wy[1] - fifth * wy[3]);
		}
		if (!isfinite(sum[FG_SUM_KY][j]))
			sum[FG_SUM_K][j] = NAN;
		if (j % (FG_CHECK_NODES / 16) == 0 && !fg_check(c->ctx))
			return false;
	}
	return true;
}

bool
fg_compact_sums(FgContext *ctx, const double *x, const double *y, size_t n, const double *target,
				size_t targets, double h, int sums, double *const *sum)
{
	Compact		c = {
		.ctx = ctx, .n = n, .x_powers = sums == 2 ? 3 : X_POWERS,
		.y_powers = sums == 2 ? 3 : Y_POWERS
	};
	bool		ok = n == 0 || (prepare(&c, x, y) &&
								sum_targets(&c, x, target, targets, h, sum));

	release(&c);
	return ok;
}
