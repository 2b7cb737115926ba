/*
 * kernel_regression.c
 *	  Kernel regression (see kernel_regression.h).
 */
#include "core/models/kernel_regression.h"

#include "core/base/series.h"
#include "core/models/bandwidth.h"
#include "core/models/compact_sums.h"

#include <math.h>
#include <string.h>

/* Work arrays are this long: they stay in the first cache. */
#define BLOCK 256

/* --- words and parameters ----------------------------------------------------------- */

static const char *const estimator_words[FG_ESTIMATORS] = {
	"nadaraya_watson", "local_linear", "local_polynomial"
};

const char *
fg_estimator_word(FgEstimator estimator)
{
	return estimator_words[estimator];
}

bool
fg_estimator_of_word(FgContext *ctx, const char *word, size_t length, FgEstimator *estimator)
{
	static const struct
	{
		const char *word;
		FgEstimator estimator;
	}			known[] = {
		{"nadaraya_watson", FG_NADARAYA_WATSON}, {"local_linear", FG_LOCAL_LINEAR},
		{"local_polynomial", FG_LOCAL_POLYNOMIAL}, {"spatial-average", FG_NADARAYA_WATSON},
		{"lc", FG_NADARAYA_WATSON}, {"ll", FG_LOCAL_LINEAR}
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		if (length == strlen(known[i].word) && memcmp(word, known[i].word, length) == 0)
		{
			*estimator = known[i].estimator;
			return true;
		}
	}
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
					  "Use nadaraya_watson (lc, spatial-average), local_linear (ll) or "
					  "local_polynomial.",
					  "method \"%.*s\" does not exist", length < 60 ? (int) length : 60, word);
}

bool
fg_estimator_degree(FgContext *ctx, FgEstimator estimator, int64_t order, uint32_t *degree)
{
	if (estimator == FG_LOCAL_POLYNOMIAL && (order < 0 || order > FG_MAX_DEGREE))
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Use a whole number from 0 to 20.",
						  "degree must not be %lld", (long long) order);
	*degree = estimator == FG_LOCAL_POLYNOMIAL ? (uint32_t) order :
		estimator == FG_LOCAL_LINEAR ? 1 : 0;
	return true;
}

static bool
check_bandwidth(FgContext *ctx, const char *name, double bandwidth)
{
	if (bandwidth > 0 && isfinite(bandwidth))
		return true;
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
					  "A bandwidth is a positive number in the units of x; or leave it to a rule: "
					  "scott, silverman, cv_ls or aic.",
					  "%s must not be %g", name, bandwidth);
}

static bool
check_candidates(FgContext *ctx, const FgKernelOptions *options)
{
	if (options->candidates == NULL)
		return true;
	if (options->rule != FG_BANDWIDTH_CV_LS && options->rule != FG_BANDWIDTH_AIC)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Use rule cv_ls or aic.",
						  "candidates need a rule that compares them");
	if (options->ncandidates == 0)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Give at least one bandwidth, or no candidates.",
						  "candidates must not be empty");
	for (size_t i = 0; i < options->ncandidates; i++)
	{
		if (!fg_check_every(ctx, i) ||
			!check_bandwidth(ctx, "a bandwidth in candidates", options->candidates[i]))
			return false;
	}
	return true;
}

bool
fg_kernel_options_check(FgContext *ctx, const FgKernelOptions *options)
{
	uint32_t	degree;

	if (options->rule == FG_BANDWIDTH_GIVEN && !check_bandwidth(ctx, "bandwidth", options->bandwidth))
		return false;
	return fg_estimator_degree(ctx, FG_LOCAL_POLYNOMIAL, options->degree, &degree) &&
		check_candidates(ctx, options);
}

/* --- a single estimate, by the definition --------------------------------------------- */

#define NOTHING_LEFT_OUT SIZE_MAX

typedef struct Smooth
{
	FgContext  *ctx;
	const FgSmoother *smoother;
	const double *x;
	const double *y;
	size_t		n;
	double		h;
	double		radius;			/* in units of h */
	double		at_zero;		/* the kernel there */
	bool		signed_weights;	/* it has negative values */
	size_t		unchecked;
	double	   *z;				/* of the points in the window, in n places each */
	double	   *w;
	double	   *p;				/* a polynomial, the one before it, what is left of y; */
	double	   *q;				/* NULL where the degree is 0 */
	double	   *rest;
	double	   *matrix;			/* degree + 1 rows of degree + 2; of 4th-order kernels */
} Smooth;

/* An estimate, and the weight of a point in its own; NaN: there is none. */
typedef struct Estimate
{
	double		value;
	double		hat;
} Estimate;

static const Estimate no_estimate = {NAN, NAN};

static bool
smooth_begin(Smooth *s)
{
	size_t		terms = (size_t) s->smoother->degree + 1;

	s->h = s->smoother->bandwidth;
	s->radius = fg_kernel_radius(s->smoother->kernel);
	s->at_zero = fg_kernel_value(s->smoother->kernel, 0);
	s->signed_weights = s->smoother->kernel == FG_GAUSSIAN4 ||
		s->smoother->kernel == FG_EPANECHNIKOV4;
	s->z = fg_alloc(s->ctx, s->n, sizeof(double));
	s->w = fg_alloc(s->ctx, s->n, sizeof(double));
	if (s->z == NULL || s->w == NULL || terms == 1)
		return s->z != NULL && s->w != NULL;
	s->p = fg_alloc(s->ctx, s->n, sizeof(double));
	s->q = fg_alloc(s->ctx, s->n, sizeof(double));
	s->rest = fg_alloc(s->ctx, s->n, sizeof(double));
	s->matrix = fg_alloc(s->ctx, terms * (terms + 1), sizeof(double));
	return s->p != NULL && s->q != NULL && s->rest != NULL && s->matrix != NULL;
}

static void
smooth_end(Smooth *s)
{
	fg_release(s->ctx, s->z);
	fg_release(s->ctx, s->w);
	fg_release(s->ctx, s->p);
	fg_release(s->ctx, s->q);
	fg_release(s->ctx, s->rest);
	fg_release(s->ctx, s->matrix);
}

/* Work is counted in kernel values, or what takes as long. */
static inline bool
did_work(Smooth *s, size_t work)
{
	s->unchecked += work;
	if (s->unchecked < FG_CHECK_NODES)
		return true;
	s->unchecked = 0;
	return fg_check(s->ctx);
}

static inline size_t
block_of(size_t done, size_t n)
{
	return n - done < BLOCK ? n - done : BLOCK;
}

/* The first point from "from" on with z >= limit, or with z > limit. */
static size_t
find_point(const Smooth *s, size_t from, double t, double limit, bool beyond)
{
	size_t		to = s->n;

	while (from < to)
	{
		size_t		middle = from + (to - from) / 2;
		double		z = (s->x[middle] - t) / s->h;

		if (z < limit || (beyond && z == limit))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The window: points from "start" on, as many as there are z and w. */
typedef struct Window
{
	size_t		start;
	size_t		count;
	double		largest;		/* |K|: B of the specification */
	double		factor;			/* that the weights have been multiplied by */
} Window;

static inline double
larger(double a, double b)
{
	return a > b ? a : b;
}

/* Side by side for the same reason as in fg_dot(). */
static double
largest_size(const double *w, size_t n)
{
	double		part[4] = {0};
	size_t		i = 0;

	for (; i + 4 <= n; i += 4)
	{
		for (size_t l = 0; l < 4; l++)
			part[l] = larger(fabs(w[i + l]), part[l]);
	}
	for (; i < n; i++)
		part[0] = larger(fabs(w[i]), part[0]);
	return larger(larger(part[0], part[1]), larger(part[2], part[3]));
}

/* Sets z and w = K(z); leaves one point out. */
static bool
weigh(Smooth *s, double t, size_t left_out, Window *window)
{
	size_t		start = find_point(s, 0, t, -s->radius, false);
	size_t		count = find_point(s, start, t, s->radius, true) - start;
	double		h = s->h;

	*window = (Window) {start, count, 0, 1};

	for (size_t done = 0; done < count; done += BLOCK)
	{
		size_t		block = block_of(done, count);
		const double *x = s->x + start + done;
		double	   *z = s->z + done;
		double	   *w = s->w + done;

		for (size_t i = 0; i < block; i++)
			z[i] = (x[i] - t) / h;
		fg_kernel_values(s->smoother->kernel, z, w, block);
		if (left_out >= start + done && left_out < start + done + block)
			w[left_out - start - done] = 0;
		window->largest = larger(window->largest, largest_size(w, block));
		if (!did_work(s, block))
			return false;
	}
	return did_work(s, 16);
}

/* Distinct x with a weight that matters, from the middle out; stops at "enough". */
static bool
count_distinct(Smooth *s, const Window *window, double t, uint32_t enough, uint32_t *distinct)
{
	const double *x = s->x + window->start;
	double		least = 1e-10 * window->largest;
	size_t		middle = find_point(s, window->start, t, 0, false) - window->start;
	size_t		last = SIZE_MAX;

	*distinct = 0;
	for (size_t i = middle; i < window->count && *distinct < enough; i++)
	{
		if (fabs(s->w[i]) > least && (last == SIZE_MAX || x[i] != x[last]))
		{
			last = i;
			++*distinct;
		}
		if (!did_work(s, 1))
			return false;
	}
	last = SIZE_MAX;
	for (size_t i = middle; i-- > 0 && *distinct < enough;)
	{
		if (fabs(s->w[i]) > least && (last == SIZE_MAX || x[i] != x[last]))
		{
			last = i;
			++*distinct;
		}
		if (!did_work(s, 1))
			return false;
	}
	return true;
}

static Estimate
ratio(double sum_k, double sum_ky, double at_zero)
{
	if (!(sum_k > 0))
		return no_estimate;
	return (Estimate) {sum_ky / sum_k, at_zero / sum_k};
}

static bool
mean_of_window(Smooth *s, const Window *window, Estimate *estimate)
{
	double		sum_k = 0;
	double		sum_ky = 0;

	for (size_t done = 0; done < window->count; done += BLOCK)
	{
		size_t		block = block_of(done, window->count);

		sum_k += fg_sum(s->w + done, block);
		sum_ky += fg_dot(s->w + done, s->y + window->start + done, block);
		if (!did_work(s, block / 2))
			return false;
	}
	*estimate = ratio(sum_k, sum_ky, s->at_zero * window->factor);
	return true;
}

/*
 * The weights divided by the power of two below the largest one: then no product of them
 * is too small, and sums that are exactly 0 stay so.
 */
static bool
scale_weights(Smooth *s, Window *window)
{
	double		factor = ldexp(1, -ilogb(window->largest));

	window->factor = factor;
	for (size_t done = 0; done < window->count; done += BLOCK)
	{
		size_t		block = block_of(done, window->count);

		for (size_t i = 0; i < block; i++)
			s->w[done + i] *= factor;
		if (!did_work(s, block / 2))
			return false;
	}
	return true;
}

/*
 * Polynomials P0 = 1, P1, ... in v that are orthogonal under the weights |K|, each from
 * the two before it: P[k + 1] = (v - alpha) P[k] - beta P[k - 1].  In them the local fit
 * is a sum of independent terms, where powers of v would give a matrix that has no digits
 * left when the weights differ as much as the tails of a Gaussian do (errors of 1e-7 at
 * degree 5).  v = z / scale, |v| <= 1, so that no bandwidth makes powers too small.
 */
typedef struct Basis
{
	double		alpha[FG_MAX_DEGREE + 1];
	double		beta[FG_MAX_DEGREE + 1];
	double		norm[FG_MAX_DEGREE + 1];	/* sum |w| P^2 */
	double		at_zero[FG_MAX_DEGREE + 1]; /* P at z = 0 */
	double		part[FG_MAX_DEGREE + 1];	/* of P in the fit, where no weight is negative */
} Basis;

/* What the last step of the recurrence needs; 0 for P0. */
typedef struct Step
{
	double		alpha;
	double		beta;
	double		part;
} Step;

/* A step in one block: p and q move on, and what p explains of y is taken off. */
static void
step_block(const Step *step, const double *restrict v, double *restrict p, double *restrict q,
		   double *restrict rest, size_t n)
{
	double		alpha = step->alpha;
	double		beta = step->beta;
	double		part = step->part;

	for (size_t i = 0; i < n; i++)
	{
		double		before = p[i];

		rest[i] -= part * before;
		p[i] = (v[i] - alpha) * before - beta * q[i];
		q[i] = before;
	}
}

/* One more polynomial: *norm, *alpha and *part of it. */
static bool
next_polynomial(Smooth *s, const Window *window, const Step *step, double *norm, double *alpha,
				double *part)
{
	double		sum_v = 0;
	double		sum_y = 0;
	double		wp[BLOCK];
	double		wpp[BLOCK];

	*norm = 0;
	for (size_t done = 0; done < window->count; done += BLOCK)
	{
		size_t		block = block_of(done, window->count);
		const double *w = s->w + done;
		double	   *p = s->p + done;

		if (step != NULL)
			step_block(step, s->z + done, p, s->q + done, s->rest + done, block);
		for (size_t i = 0; i < block; i++)
		{
			wp[i] = fabs(w[i]) * p[i];
			wpp[i] = wp[i] * p[i];
		}
		*norm += fg_sum(wpp, block);
		sum_v += fg_dot(wpp, s->z + done, block);
		sum_y += fg_dot(wp, s->rest + done, block);
		if (!did_work(s, block))
			return false;
	}
	*alpha = sum_v / *norm;
	*part = sum_y / *norm;
	return true;
}

/* z becomes v; p = 1, q = 0 and rest = y. */
static bool
begin_basis(Smooth *s, const Window *window)
{
	double		scale = larger(fabs(s->z[0]), fabs(s->z[window->count - 1]));
	double		inverse = 1 / scale;
	const double *y = s->y + window->start;

	for (size_t done = 0; done < window->count; done += BLOCK)
	{
		size_t		end = done + block_of(done, window->count);

		for (size_t i = done; i < end; i++)
		{
			s->z[i] *= inverse;
			s->p[i] = 1;
			s->q[i] = 0;
			s->rest[i] = y[i];
		}
		if (!did_work(s, BLOCK))
			return false;
	}
	return true;
}

/* *singular: the points do not carry so many polynomials. */
static bool
find_basis(Smooth *s, const Window *window, uint32_t degree, Basis *basis, bool *singular)
{
	*singular = false;
	if (!begin_basis(s, window))
		return false;
	for (uint32_t k = 0; k <= degree; k++)
	{
		Step		step = {0, 0, 0};

		basis->at_zero[k] = 1;
		if (k > 0)
		{
			step = (Step) {basis->alpha[k - 1], basis->beta[k - 1], basis->part[k - 1]};
			basis->at_zero[k] = -step.alpha * basis->at_zero[k - 1] -
				(k > 1 ? step.beta * basis->at_zero[k - 2] : 0);
		}
		if (!next_polynomial(s, window, k > 0 ? &step : NULL, &basis->norm[k], &basis->alpha[k],
							 &basis->part[k]))
			return false;
		if (!(basis->norm[k] > 0))
		{
			*singular = true;
			return true;
		}
		basis->beta[k] = k > 0 ? basis->norm[k] / basis->norm[k - 1] : 0;
	}
	return true;
}

static Estimate
sum_of_basis(const Smooth *s, const Window *window, uint32_t degree, const Basis *basis)
{
	Estimate	estimate = {0, 0};

	for (uint32_t k = 0; k <= degree; k++)
	{
		estimate.value += basis->part[k] * basis->at_zero[k];
		estimate.hat += basis->at_zero[k] * basis->at_zero[k] / basis->norm[k];
	}
	estimate.hat *= s->at_zero * window->factor;
	return estimate;
}

/* --- the same with negative weights ---------------------------------------------------- */

/*
 * Under weights of either sign the polynomials are not orthogonal, but still as far from
 * each other as can be: the equations in them, sum K P[j] P[k], need no more than a
 * stable solver.
 */
#define MATRIX_BLOCK 64

/* The polynomials of a block of points, each divided by the root of its norm. */
static void
basis_block(const Basis *basis, uint32_t degree, const double *v, size_t n,
			double p[FG_MAX_DEGREE + 1][MATRIX_BLOCK])
{
	for (size_t i = 0; i < n; i++)
	{
		double		before = 0;
		double		value = 1;

		for (uint32_t k = 0; k <= degree; k++)
		{
			double		next = (v[i] - basis->alpha[k]) * value - basis->beta[k] * before;

			p[k][i] = value / sqrt(basis->norm[k]);
			before = value;
			value = next;
		}
	}
}

/* The equations, with sum K P[j] y as the last column. */
static bool
find_matrix(Smooth *s, const Window *window, uint32_t degree, const Basis *basis)
{
	size_t		width = (size_t) degree + 2;
	double		p[FG_MAX_DEGREE + 1][MATRIX_BLOCK];
	double		wp[MATRIX_BLOCK];

	memset(s->matrix, 0, (width - 1) * width * sizeof(double));
	for (size_t done = 0; done < window->count; done += MATRIX_BLOCK)
	{
		size_t		left = window->count - done;
		size_t		block = left < MATRIX_BLOCK ? left : MATRIX_BLOCK;

		basis_block(basis, degree, s->z + done, block, p);
		for (uint32_t j = 0; j <= degree; j++)
		{
			for (size_t i = 0; i < block; i++)
				wp[i] = s->w[done + i] * p[j][i];
			for (uint32_t k = 0; k <= degree; k++)
				s->matrix[j * width + k] += fg_dot(wp, p[k], block);
			s->matrix[j * width + degree + 1] += fg_dot(wp, s->y + window->start + done, block);
		}
		if (!did_work(s, (size_t) (degree + 1) * (degree + 1) * block))
			return false;
	}
	return true;
}

/*
 * Solves matrix * g = right-hand side (the last column) by elimination with the largest
 * pivots; g replaces the last column.  False for a singular matrix.
 */
static bool
solve(double *matrix, size_t terms)
{
	size_t		width = terms + 1;

	for (size_t k = 0; k < terms; k++)
	{
		size_t		pivot = k;

		for (size_t i = k + 1; i < terms; i++)
		{
			if (fabs(matrix[i * width + k]) > fabs(matrix[pivot * width + k]))
				pivot = i;
		}
		if (matrix[pivot * width + k] == 0)
			return false;
		for (size_t j = k; j < width && pivot != k; j++)
		{
			double		swap = matrix[k * width + j];

			matrix[k * width + j] = matrix[pivot * width + j];
			matrix[pivot * width + j] = swap;
		}
		for (size_t i = k + 1; i < terms; i++)
		{
			double		factor = matrix[i * width + k] / matrix[k * width + k];

			for (size_t j = k + 1; j < width; j++)
				matrix[i * width + j] -= factor * matrix[k * width + j];
		}
	}
	for (size_t k = terms; k-- > 0;)
	{
		double	   *last = &matrix[k * width + terms];

		for (size_t j = k + 1; j < terms; j++)
			*last -= matrix[k * width + j] * matrix[j * width + terms];
		*last /= matrix[k * width + k];
	}
	return true;
}

/*
 * With p the polynomials at z = 0, M the matrix and V its last column, the estimate is
 * p' M^-1 V and the weight of a point there on itself K(0) p' M^-1 p.
 */
static Estimate
solution_at_zero(Smooth *s, const Window *window, uint32_t degree, const Basis *basis)
{
	size_t		width = (size_t) degree + 2;
	double		v[FG_MAX_DEGREE + 1];
	double		p[FG_MAX_DEGREE + 1];
	Estimate	estimate = {0, 0};

	for (uint32_t k = 0; k <= degree; k++)
	{
		p[k] = basis->at_zero[k] / sqrt(basis->norm[k]);
		v[k] = s->matrix[k * width + degree + 1];
		s->matrix[k * width + degree + 1] = p[k];
	}
	if (!solve(s->matrix, (size_t) degree + 1))
		return no_estimate;
	for (uint32_t k = 0; k <= degree; k++)
	{
		double		g = s->matrix[k * width + degree + 1];

		estimate.value += g * v[k];
		estimate.hat += g * p[k];
	}
	estimate.hat *= s->at_zero * window->factor;
	return estimate;
}

static bool
fit_polynomial(Smooth *s, const Window *window, uint32_t degree, Estimate *estimate)
{
	Basis		basis;
	bool		singular;

	if (!find_basis(s, window, degree, &basis, &singular))
		return false;
	if (singular)
		return true;
	if (!s->signed_weights)
	{
		*estimate = sum_of_basis(s, window, degree, &basis);
		return true;
	}
	if (!find_matrix(s, window, degree, &basis))
		return false;
	*estimate = solution_at_zero(s, window, degree, &basis);
	return did_work(s, (size_t) degree * degree * degree);
}

/* The estimate at t from all points but one. */
static bool
estimate_at(Smooth *s, double t, size_t left_out, Estimate *estimate)
{
	Window		window;
	uint32_t	distinct = 1;

	*estimate = no_estimate;
	if (!weigh(s, t, left_out, &window))
		return false;
	if (window.largest == 0)
		return true;
	if (s->smoother->degree > 0 &&
		!count_distinct(s, &window, t, s->smoother->degree + 1, &distinct))
		return false;
	if (!scale_weights(s, &window))
		return false;
	if (distinct == 1)
		return mean_of_window(s, &window, estimate);
	return fit_polynomial(s, &window, distinct - 1, estimate);
}

/* --- all estimates from sums over the kernel ---------------------------------------------- */

/*
 * A Gaussian or Epanechnikov kernel and a degree of at most 1 need nothing but the sums of
 * fg_gauss_sums() or fg_compact_sums(), which do not take n kernel values per estimate.
 * Where a sum is small
 * next to what it was subtracted from, the estimate is made by its definition; of those
 * there can only be few, because they have few neighbours.
 *
 * Below this number of points or of estimates it does not pay.
 */
#ifndef FG_SUMS_FROM
#define FG_SUMS_FROM 64
#endif

#define LOSS 1e-2				/* at most two digits */

static int
sums_of_degree(uint32_t degree)
{
	return degree == 0 ? 2 : FG_GAUSS_SUMS;
}

static bool
uses_sums(const FgSmoother *smoother, const double *x, size_t n, size_t count)
{
	if (smoother->degree > 1 || n < FG_SUMS_FROM || count < FG_SUMS_FROM)
		return false;
	return smoother->kernel == FG_GAUSSIAN ||
		(smoother->kernel == FG_EPANECHNIKOV &&
		 fg_compact_sums_exact(x, n, smoother->bandwidth, sums_of_degree(smoother->degree)));
}

typedef struct Sums
{
	double	   *sum[FG_GAUSS_SUMS];
	int			count;
	double		reach;
	double		least;			/* sum of the kernel that says something */
	size_t		below;			/* points left of the current target */
	size_t		upto;			/* and of those at it, too */
} Sums;

/*
 * The rule of the degree: do two distinct x have a weight above 1e-10 times the largest?
 * The kernel falls with the distance, so only the two nearest ones matter.
 */
static bool
has_slope(const Smooth *s, const Sums *sums, double t, bool at_t)
{
	const double *x = s->x;
	double		left = sums->below > 0 ? t - x[sums->below - 1] : INFINITY;
	double		right = sums->upto < s->n ? x[sums->upto] - t : INFINITY;
	double		nearest = at_t ? 0 : fmin(left, right);
	double		second = at_t ? fmin(left, right) : fmax(left, right);
	double		least = 1e-10 * fg_kernel_value(s->smoother->kernel, nearest / s->h);
	size_t		next;

	if (fg_kernel_value(s->smoother->kernel, second / s->h) > least)
		return true;
	if (at_t)
		return false;
	/* perhaps both of them are on the same side */
	if (left < right)
	{
		next = find_point(s, 0, x[sums->below - 1], 0, false);
		second = next > 0 ? t - x[next - 1] : INFINITY;
	}
	else
	{
		next = sums->upto < s->n ? find_point(s, sums->upto, x[sums->upto], 0, true) : s->n;
		second = next < s->n ? x[next] - t : INFINITY;
	}
	return fg_kernel_value(s->smoother->kernel, second / s->h) > least;
}

/* False when the sums have lost too many digits. */
static bool
estimate_of_sums(const Smooth *s, const Sums *sums, size_t i, double t, size_t left_out,
				 Estimate *estimate)
{
	bool		without = left_out != NOTHING_LEFT_OUT;
	double		k = sums->sum[FG_SUM_K][i];
	double		ky = sums->sum[FG_SUM_KY][i];
	double		mean_z;
	double		mean_zz;
	double		variance;
	double		slope;

	if (without)
	{
		k -= s->at_zero;
		ky -= s->at_zero * s->y[left_out];
	}
	if (!(k >= (without ? LOSS * s->at_zero : sums->least)))
		return false;
	*estimate = ratio(k, ky, s->at_zero);
	if (s->smoother->degree == 0 ||
		!has_slope(s, sums, t, sums->upto - sums->below > (without ? 1 : 0)))
		return true;
	mean_z = sums->sum[FG_SUM_KZ][i] / k;
	mean_zz = sums->sum[FG_SUM_KZZ][i] / k;
	variance = mean_zz - mean_z * mean_z;
	if (!(mean_zz >= LOSS * sums->reach * sums->reach && variance >= LOSS * mean_zz))
		return false;
	slope = (sums->sum[FG_SUM_KZY][i] / k - mean_z * estimate->value) / variance;
	estimate->value -= slope * mean_z;
	estimate->hat *= mean_zz / variance;
	return true;
}

static bool
sums_begin(Smooth *s, Sums *sums, const double *target, size_t count)
{
	memset(sums, 0, sizeof(*sums));
	sums->count = sums_of_degree(s->smoother->degree);
	for (int i = 0; i < sums->count; i++)
	{
		sums->sum[i] = fg_alloc_zero(s->ctx, count, sizeof(double));
		if (sums->sum[i] == NULL)
			return false;
	}
	if (s->smoother->kernel == FG_EPANECHNIKOV)
	{
		/* weights at the edge have few digits, by the definition too: as few as it has */
		sums->least = LOSS * s->at_zero;
		return fg_compact_sums(s->ctx, s->x, s->y, s->n, target, count, s->h, sums->count,
							   sums->sum);
	}
	sums->least = 1e-200;
	return fg_gauss_sums(s->ctx, s->x, s->y, s->n, target, count, s->h, sums->count, sums->sum,
						 &sums->reach);
}

static void
sums_end(Smooth *s, Sums *sums)
{
	for (int i = 0; i < sums->count; i++)
		fg_release(s->ctx, sums->sum[i]);
}

/* For the targets in ascending order. */
static void
move_to(const Smooth *s, Sums *sums, double t)
{
	while (sums->below < s->n && s->x[sums->below] < t)
		sums->below++;
	if (sums->upto < sums->below)
		sums->upto = sums->below;
	while (sums->upto < s->n && s->x[sums->upto] <= t)
		sums->upto++;
}

/* --- all estimates ------------------------------------------------------------------------ */

/*
 * At ascending targets; leave_one_out: the targets are the points.  sums may be NULL.
 * *trace is the sum of the weights of the targets on themselves.
 */
static bool
estimate_all(Smooth *s, Sums *sums, const double *target, size_t count, bool leave_one_out,
			 double *fitted, double *trace)
{
	*trace = 0;
	for (size_t i = 0; i < count; i++)
	{
		size_t		left_out = leave_one_out ? i : NOTHING_LEFT_OUT;
		Estimate	estimate;
		bool		done = false;

		if (sums != NULL)
		{
			move_to(s, sums, target[i]);
			done = estimate_of_sums(s, sums, i, target[i], left_out, &estimate);
		}
		if (!done && !estimate_at(s, target[i], left_out, &estimate))
			return false;
		fitted[i] = estimate.value;
		*trace += estimate.hat;
		if (!did_work(s, 8))
			return false;
	}
	return true;
}

static bool
smooth_targets(FgContext *ctx, const FgSmoother *smoother, const double *x, const double *y,
			   size_t n, const double *target, size_t count, bool leave_one_out, double *fitted,
			   double *trace)
{
	Smooth		s = {.ctx = ctx, .smoother = smoother, .x = x, .y = y, .n = n};
	Sums		sums = {.count = 0};
	bool		fast = uses_sums(smoother, x, n, count);
	bool		ok = smooth_begin(&s);

	if (ok && fast)
		ok = sums_begin(&s, &sums, target, count);
	ok = ok && estimate_all(&s, fast ? &sums : NULL, target, count, leave_one_out, fitted, trace);
	sums_end(&s, &sums);
	smooth_end(&s);
	return ok;
}

bool
fg_smooth_points(FgContext *ctx, const FgSmoother *smoother, const double *x, const double *y,
				 size_t n, bool leave_one_out, double *fitted, double *trace)
{
	return smooth_targets(ctx, smoother, x, y, n, x, n, leave_one_out, fitted, trace);
}

static bool
check_targets(FgContext *ctx, const double *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (!isfinite(at[i]))
			return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Use finite numbers.",
							  "at_x must not contain %g", at[i]);
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* A fitted value that exists but is too large to be written down. */
static bool
check_fitted(FgContext *ctx, const double *fitted, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (isinf(fitted[i]))
			return fg_fail(ctx, FG_ERROR_RANGE, "a fitted value is out of range");
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* The targets are sorted together with their places; the estimates go back there. */
bool
fg_smooth(FgContext *ctx, const FgSmoother *smoother, const double *x, const double *y, size_t n,
		  const double *at, size_t count, double *fitted)
{
	double	   *target = fg_alloc(ctx, count, sizeof(double));
	double	   *place = fg_alloc(ctx, count, sizeof(double));
	double	   *value = fg_alloc(ctx, count, sizeof(double));
	double		trace;
	bool		ok = target != NULL && place != NULL && value != NULL &&
		check_targets(ctx, at, count);

	for (size_t i = 0; ok && i < count; i++)
	{
		target[i] = at[i];
		place[i] = (double) i;
		ok = fg_check_every(ctx, i + 1);
	}
	ok = ok && fg_series_sort(ctx, target, place, count) &&
		smooth_targets(ctx, smoother, x, y, n, target, count, false, value, &trace);
	for (size_t i = 0; ok && i < count; i++)
	{
		fitted[(size_t) place[i]] = value[i];
		ok = fg_check_every(ctx, i + 1);
	}
	fg_release(ctx, target);
	fg_release(ctx, place);
	fg_release(ctx, value);
	return ok && check_fitted(ctx, fitted, count);
}

/* --- the model ---------------------------------------------------------------------------- */

static bool
fit_points(FgContext *ctx, const FgSmoother *smoother, const double *x, const double *y,
		   size_t n, double *fitted, FgKernelFit *fit)
{
	double		trace;

	fit->bandwidth = smoother->bandwidth;
	return fg_smooth_points(ctx, smoother, x, y, n, false, fitted, &trace) &&
		check_fitted(ctx, fitted, n) && fg_r_square(ctx, y, fitted, n, &fit->r_square);
}

bool
fg_kernel_regression(FgContext *ctx, const FgKernelOptions *options, const double *x,
					 const double *y, size_t n, const double *at, size_t count, double *fitted,
					 FgKernelFit *fit)
{
	FgSmoother	smoother = {options->kernel, options->degree, NAN};
	double	   *at_points = fitted;
	bool		ok;

	*fit = (FgKernelFit) {NAN, NAN, NAN, NAN, NAN};
	if (!fg_kernel_options_check(ctx, options))
		return false;
	for (size_t i = 0; at != NULL && i < count; i++)
		fitted[i] = NAN;
	if (n == 0)
		return at == NULL || check_targets(ctx, at, count);
	fit->x_start = x[0];
	fit->x_end = x[n - 1];
	if (!fg_bandwidth_choose(ctx, options, x, y, n, &smoother.bandwidth, &fit->score))
		return false;
	if (at != NULL)
		at_points = fg_alloc(ctx, n, sizeof(double));
	ok = at_points != NULL && fit_points(ctx, &smoother, x, y, n, at_points, fit);
	if (at != NULL)
	{
		ok = ok && fg_smooth(ctx, &smoother, x, y, n, at, count, fitted);
		fg_release(ctx, at_points);
	}
	return ok;
}
