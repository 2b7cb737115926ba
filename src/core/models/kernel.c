/*
 * kernel.c
 *	  Kernels, and sums over a Gaussian one (see kernel.h).
 */
#include "core/models/kernel.h"

#include "core/base/choice.h"

#include <math.h>
#include <string.h>

#define GAUSS_FACTOR	0.3989422804014327	/* 1 / sqrt(2 pi) */
#define GAUSS_LEAST		1e-290				/* of the values that count */
#define TRICUBE_C		0.37951669503554068 /* sqrt(35 / 243) */

/* --- words ------------------------------------------------------------------------ */

/* Two of them have another name, too. */
static const char *const words[] = {
	"gaussian", "epanechnikov", "tricube", "gaussian4", "epanechnikov4", "normal", "normal4"
};

const char *
fg_kernel_word(FgKernel kernel)
{
	return words[kernel];
}

bool
fg_kernel_parse(FgContext *ctx, const char *text, size_t length, FgKernel *kernel)
{
	static const FgKernel renamed[] = {FG_GAUSSIAN, FG_GAUSSIAN4};
	static const FgChoice choice = {
		"kernel",
		"Available: gaussian (normal), epanechnikov, tricube, gaussian4 (normal4), epanechnikov4.",
		words, sizeof(words) / sizeof(words[0])
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*kernel = place < FG_KERNELS ? (FgKernel) place : renamed[place - FG_KERNELS];
	return true;
}

/* --- values ----------------------------------------------------------------------- */

/*
 * exp(v) for |v| < 708, within one unit in the last place: 2^n (1 + r + r^2 Q(r)), n the
 * whole number nearest to v / log 2 and Q interpolated at Chebyshev nodes (error 2e-17).
 * The C library's exp differs between machines, by whether they have fused operations, and
 * a fitted value is part of stored bytes.  Having no branch and no table, this one also
 * lets the compiler make vectors of the loops around it: 2.7 ns a kernel value instead of
 * 3.3 where the library's is at its best.
 */
static inline double
exponential(double v)
{
	/* adding 1.5 * 2^52 rounds to a whole number, which is then in the lowest bits */
	union
	{
		double		value;
		uint64_t	bits;
	}			n = {v * 1.4426950408889634 + 6755399441055744.0},
				result;
	double		whole = n.value - 6755399441055744.0;
	double		r = v - whole * 0x1.62e42fefa0000p-1 - whole * 0x1.cf79abc9e3b3ap-40;
	double		q = 0x1.af38a9b0ec855p-26;

	q = q * r + 0x1.289185613a3d6p-22;
	q = q * r + 0x1.71de0dae63bb3p-19;
	q = q * r + 0x1.a019b90d2ae7ap-16;
	q = q * r + 0x1.a01a01a7c41d5p-13;
	q = q * r + 0x1.6c16c1788bd90p-10;
	q = q * r + 0x1.11111111109b3p-7;
	q = q * r + 0x1.5555555553d63p-5;
	q = q * r + 0x1.5555555555556p-3;
	q = q * r + 0x1.0000000000001p-1;
	result.value = 1 + (r + r * r * q);
	result.bits += n.bits << 52;
	return result.value;
}

/* Work arrays are this long: they stay in the first cache. */
#define BLOCK 256

static inline size_t
block_of(size_t done, size_t n)
{
	return n - done < BLOCK ? n - done : BLOCK;
}

/*
 * The loops below do a single thing each and choose between computed values only: a branch
 * would keep the compiler from making vectors of them.
 */

/* u = z^2 / 2, but not beyond what exponential() can take; the kernel is 0 long before. */
static inline void
half_squares(const double *restrict z, double *restrict u, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		double		square = z[i] * z[i] * 0.5;

		u[i] = square < 705 ? square : 705;
	}
}

static inline void
drop_least(double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = fabs(values[i]) < GAUSS_LEAST ? 0 : values[i];
}

static inline void
gaussian_block(const double *restrict z, double *restrict values, size_t n)
{
	double		u[BLOCK];

	half_squares(z, u, n);
	for (size_t i = 0; i < n; i++)
		values[i] = GAUSS_FACTOR * exponential(-u[i]);
	drop_least(values, n);
}

static inline void
gaussian4_block(const double *restrict z, double *restrict values, size_t n)
{
	double		u[BLOCK];

	half_squares(z, u, n);
	for (size_t i = 0; i < n; i++)
		values[i] = (1.5 - u[i]) * (GAUSS_FACTOR * exponential(-u[i]));
	drop_least(values, n);
}

static inline void
epanechnikov_block(const double *restrict z, double *restrict values, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		double		k = 0.33541019662496846 * (1 - z[i] * z[i] * 0.2);

		values[i] = k > 0 ? k : 0;
	}
}

static inline void
tricube_block(const double *restrict z, double *restrict values, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		double		u = fabs(TRICUBE_C * z[i]);
		double		v = 1 - u * u * u;

		values[i] = v > 0 ? v : 0;
	}
	for (size_t i = 0; i < n; i++)
		values[i] = 70.0 / 81 * TRICUBE_C * (values[i] * values[i] * values[i]);
}

static inline void
epanechnikov4_block(const double *restrict z, double *restrict values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = (9 - 15 * z[i] * z[i]) * 0.125;
	for (size_t i = 0; i < n; i++)
		values[i] = fabs(z[i]) <= 1 ? values[i] : 0;
}

void
fg_kernel_values(FgKernel kernel, const double *z, double *values, size_t n)
{
	static void (*const block[FG_KERNELS]) (const double *restrict z, double *restrict values,
											size_t n) = {
		gaussian_block, epanechnikov_block, tricube_block, gaussian4_block, epanechnikov4_block
	};

	for (size_t start = 0; start < n; start += BLOCK)
		block[kernel] (z + start, values + start, block_of(start, n));
}

double
fg_kernel_value(FgKernel kernel, double z)
{
	double		value = 0;

	if (isnan(z))
		return z;
	fg_kernel_values(kernel, &z, &value, 1);
	return value;
}

double
fg_kernel_radius(FgKernel kernel)
{
	static const double radius[FG_KERNELS] = {36.52, 2.2361, 2.635, 36.7, 1};

	return radius[kernel];
}

/* --- plain sums --------------------------------------------------------------------- */

/*
 * Four sums side by side, because a compiler may not change the order of additions: one
 * sum would wait for each of them (0.13 ns a product instead of 0.49).
 */
#define LANES 4

double
fg_dot(const double *a, const double *b, size_t n)
{
	double		part[LANES] = {0};
	size_t		i = 0;

	for (; i + LANES <= n; i += LANES)
	{
		for (size_t l = 0; l < LANES; l++)
			part[l] += a[i + l] * b[i + l];
	}
	for (size_t l = 0; i < n; i++, l++)
		part[l] += a[i] * b[i];
	return (part[0] + part[1]) + (part[2] + part[3]);
}

double
fg_sum(const double *a, size_t n)
{
	double		part[LANES] = {0};
	size_t		i = 0;

	for (; i + LANES <= n; i += LANES)
	{
		for (size_t l = 0; l < LANES; l++)
			part[l] += a[i + l];
	}
	for (size_t l = 0; i < n; i++, l++)
		part[l] += a[i];
	return (part[0] + part[1]) + (part[2] + part[3]);
}

/* --- sums over a Gaussian kernel ------------------------------------------------------ */

/*
 * n kernel values for each of n targets are what makes kernel regression slow.  But a
 * Gaussian separates: with a cluster of points around c, a = (x[i] - c) / h, and a target
 * at u = (t - c) / h, and any m,
 *
 *		exp(-(a - u)^2 / 2) = exp(-u^2 / 2) exp(m a - a^2 / 2) exp(a (u - m))
 *
 * Where |a| <= 1 and |u - m| <= 1, the last factor is the first TERMS terms of its power
 * series, with a relative error below 1e-18.  So for each cluster and each even m the
 * points are summed up once, as TERMS moments sum exp(m a - a^2 / 2) a^k / k!, and all
 * targets with u in [m - 1, m + 1] take their sum from a polynomial in u - m.  This is not
 * a grid that values are rounded to: each product is that of the definition, up to the
 * rounding of an ordinary sum.  Measured for n = 10,000: 4 ms instead of 370 for all
 * estimates at one bandwidth, 0.27 s instead of 11.9 for a search.
 */
#define TERMS 20

/* Fewer points than this are not worth moments, whatever the number of targets. */
#define FEW_POINTS 4

typedef struct Gauss
{
	FgContext  *ctx;
	const double *target;
	double		h;
	int			sums;
	double	   *sum[FG_GAUSS_SUMS];
} Gauss;

typedef struct Cluster
{
	const double *x;
	const double *y;
	size_t		n;
	double		centre;
} Cluster;

/* The first target from "from" on that is larger than limit. */
static size_t
targets_until(const double *target, size_t from, size_t to, double limit)
{
	while (from < to)
	{
		size_t		middle = from + (to - from) / 2;

		if (target[middle] <= limit)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The kernel values of one point. */
static void
add_point(Gauss *g, double x, double y, size_t start, size_t count)
{
	const double *restrict target = g->target + start;
	double	   *restrict k_sum = g->sum[FG_SUM_K] + start;
	double	   *restrict ky_sum = g->sum[FG_SUM_KY] + start;
	double		h = g->h;
	double		k[BLOCK];
	double		z[BLOCK];

	if (count == 0)
		return;
	for (size_t j = 0; j < count; j++)
		z[j] = (x - target[j]) / h;
	gaussian_block(z, k, count);
	for (size_t j = 0; j < count; j++)
	{
		k_sum[j] += k[j];
		ky_sum[j] += k[j] * y;
	}
	if (g->sums == FG_GAUSS_SUMS)
	{
		double	   *restrict kz_sum = g->sum[FG_SUM_KZ] + start;
		double	   *restrict kzz_sum = g->sum[FG_SUM_KZZ] + start;
		double	   *restrict kzy_sum = g->sum[FG_SUM_KZY] + start;

		for (size_t j = 0; j < count; j++)
		{
			double		kz = k[j] * z[j];

			kz_sum[j] += kz;
			kzz_sum[j] += kz * z[j];
			kzy_sum[j] += kz * y;
		}
	}
}

/* The same for one target: sums in blocks, which also lose less than one long sum does. */
static bool
add_to_target(Gauss *g, const Cluster *cluster, size_t j)
{
	double		t = g->target[j];
	double		h = g->h;
	double		k[BLOCK];
	double		z[BLOCK];
	double		kz[BLOCK];

	for (size_t start = 0; start < cluster->n; start += BLOCK)
	{
		size_t		count = block_of(start, cluster->n);
		const double *x = cluster->x + start;
		const double *y = cluster->y + start;

		for (size_t i = 0; i < count; i++)
			z[i] = (x[i] - t) / h;
		gaussian_block(z, k, count);
		g->sum[FG_SUM_K][j] += fg_sum(k, count);
		g->sum[FG_SUM_KY][j] += fg_dot(k, y, count);
		if (g->sums == FG_GAUSS_SUMS)
		{
			for (size_t i = 0; i < count; i++)
				kz[i] = k[i] * z[i];
			g->sum[FG_SUM_KZ][j] += fg_sum(kz, count);
			g->sum[FG_SUM_KZZ][j] += fg_dot(kz, z, count);
			g->sum[FG_SUM_KZY][j] += fg_dot(kz, y, count);
		}
		if (!fg_steps(g->ctx, count + 4))
			return false;
	}
	return true;
}

/* Kernel values of each point and each target. */
static bool
add_points(Gauss *g, const Cluster *cluster, size_t from, size_t to)
{
	for (size_t j = from; j < to && to - from < cluster->n; j++)
	{
		if (!add_to_target(g, cluster, j))
			return false;
	}
	for (size_t start = from; start < to && to - from >= cluster->n; start += BLOCK)
	{
		size_t		count = block_of(start, to);

		for (size_t i = 0; i < cluster->n; i++)
		{
			add_point(g, cluster->x[i], cluster->y[i], start, count);
			if (!fg_steps(g->ctx, count + 4))
				return false;
		}
	}
	return true;
}

/* Moments of a cluster: sums of exp(m a - a^2 / 2) a^k, and the same times y. */
typedef struct Moments
{
	double		k[TERMS + 2];
	double		ky[TERMS + 2];
} Moments;

static bool
find_moments(Gauss *g, const Cluster *cluster, double m, Moments *moments)
{
	int			terms = g->sums == FG_GAUSS_SUMS ? TERMS + 2 : TERMS;
	double		centre = cluster->centre;
	double		h = g->h;
	double		a[BLOCK];
	double		w[BLOCK];

	memset(moments, 0, sizeof(*moments));
	for (size_t start = 0; start < cluster->n; start += BLOCK)
	{
		size_t		count = block_of(start, cluster->n);
		const double *x = cluster->x + start;

		for (size_t i = 0; i < count; i++)
			a[i] = (x[i] - centre) / h;
		for (size_t i = 0; i < count; i++)
			w[i] = exponential(a[i] * (m - a[i] * 0.5));
		for (int k = 0; k < terms; k++)
		{
			moments->k[k] += fg_sum(w, count);
			moments->ky[k] += fg_dot(w, cluster->y + start, count);
			for (size_t i = 0; i < count; i++)
				w[i] *= a[i];
		}
		if (!fg_steps(g->ctx, 4 * count))
			return false;
	}
	return true;
}

/* value[j] = sum over k of moment[k] r[j]^k / k!, for a block of targets */
static void
evaluate(const double *moment, double *restrict r, double *restrict value, size_t count)
{
	double		c[TERMS];
	double		factorial = 1;

	for (int k = 0; k < TERMS; k++)
	{
		c[k] = moment[k] / factorial;
		factorial *= k + 1;
	}
	for (size_t j = 0; j < count; j++)
		value[j] = ((c[TERMS - 1] * r[j] + c[TERMS - 2]) * r[j] + c[TERMS - 3]) * r[j] +
			c[TERMS - 4];
	/* four terms at a time: a value is loaded and stored five times, not twenty */
	for (int k = TERMS - 5; k > 0; k -= 4)
	{
		for (size_t j = 0; j < count; j++)
			value[j] = (((value[j] * r[j] + c[k]) * r[j] + c[k - 1]) * r[j] + c[k - 2]) * r[j] +
				c[k - 3];
	}
}

/* The sums of one cluster at targets from m - 1 to m + 1 times h away from its centre. */
static void
add_block(Gauss *g, const Cluster *cluster, const Moments *moments, double m, size_t start,
		  size_t count)
{
	const double *restrict target = g->target + start;
	double		centre = cluster->centre;
	double		h = g->h;
	double		u[BLOCK];
	double		r[BLOCK];
	double		e[BLOCK];
	double		k[BLOCK];
	double		ky[BLOCK];
	double		ka[BLOCK];
	double		other[BLOCK];

	for (size_t j = 0; j < count; j++)
	{
		u[j] = (target[j] - centre) / h;
		r[j] = u[j] - m;
		e[j] = GAUSS_FACTOR * exponential(u[j] * u[j] * -0.5);
	}
	evaluate(moments->k, r, k, count);
	evaluate(moments->ky, r, ky, count);
	for (size_t j = 0; j < count; j++)
	{
		g->sum[FG_SUM_K][start + j] += e[j] * k[j];
		g->sum[FG_SUM_KY][start + j] += e[j] * ky[j];
	}
	if (g->sums < FG_GAUSS_SUMS)
		return;
	evaluate(moments->k + 1, r, ka, count);
	evaluate(moments->ky + 1, r, other, count);
	for (size_t j = 0; j < count; j++)
	{
		g->sum[FG_SUM_KZ][start + j] += e[j] * (ka[j] - u[j] * k[j]);
		g->sum[FG_SUM_KZY][start + j] += e[j] * (other[j] - u[j] * ky[j]);
	}
	evaluate(moments->k + 2, r, other, count);
	for (size_t j = 0; j < count; j++)
		g->sum[FG_SUM_KZZ][start + j] += e[j] * (other[j] - u[j] * (2 * ka[j] - u[j] * k[j]));
}

static bool
add_moments(Gauss *g, const Cluster *cluster, double m, size_t from, size_t to)
{
	Moments		moments;

	if (!find_moments(g, cluster, m, &moments))
		return false;
	for (size_t start = from; start < to; start += BLOCK)
	{
		size_t		count = block_of(start, to);

		add_block(g, cluster, &moments, m, start, count);
		if (!fg_steps(g->ctx, 8 * count))
			return false;
	}
	return true;
}

static bool
add_cluster(Gauss *g, const Cluster *cluster, size_t from, size_t to)
{
	if (cluster->n < FEW_POINTS)
		return add_points(g, cluster, from, to);
	while (from < to)
	{
		double		u = (g->target[from] - cluster->centre) / g->h;
		double		m = 2 * rint(u * 0.5);
		size_t		end = targets_until(g->target, from + 1, to,
										cluster->centre + (m + 1) * g->h);
		size_t		count = end - from;
		bool		few = cluster->n * count <= 4 * (cluster->n + count);

		if (!(few ? add_points(g, cluster, from, end) : add_moments(g, cluster, m, from, end)))
			return false;
		from = end;
	}
	return true;
}

static bool
add_clusters(Gauss *g, const double *x, const double *y, size_t n, size_t targets, double *reach)
{
	/* narrower ones when h is large, or small z would be differences of large a and u */
	double		width = fmin(2 * g->h, (x[n - 1] - x[0]) / 16);
	double		window = (fg_kernel_radius(FG_GAUSSIAN) + 1) * g->h;
	size_t		from = 0;

	for (size_t i = 0, end; i < n; i = end)
	{
		double		half;
		Cluster		cluster = {.x = x + i, .y = y + i};

		end = targets_until(x, i + 1, n, x[i] + width);
		half = (x[end - 1] - x[i]) / 2;
		cluster.n = end - i;
		cluster.centre = x[i] + half;
		*reach = fmax(*reach, half / g->h);
		from = targets_until(g->target, from, targets, cluster.centre - window);
		if (!fg_steps(g->ctx, 16) ||
			!add_cluster(g, &cluster, from,
						 targets_until(g->target, from, targets, cluster.centre + window)))
			return false;
	}
	return true;
}

bool
fg_gauss_sums(FgContext *ctx, const double *x, const double *y, size_t n, const double *target,
			  size_t targets, double h, int sums, double *const *sum, double *reach)
{
	Gauss		g = {.ctx = ctx, .target = target, .h = h, .sums = sums};

	*reach = 0;
	for (int s = 0; s < sums; s++)
		g.sum[s] = sum[s];
	return n == 0 || add_clusters(&g, x, y, n, targets, reach);
}
