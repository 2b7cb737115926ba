/*
 * local_fit.c
 *	  One estimate of a local polynomial (see local_fit.h).
 */
#include "core/models/local_fit.h"

#include "core/base/series.h"

#include <math.h>
#include <string.h>

/* Work arrays are this long: they stay in the first cache. */
#define BLOCK 256

#define NO_ESTIMATE ((FgEstimate) {NAN, NAN})

/* --- degrees -------------------------------------------------------------------------- */

bool
fg_degree_check(FgContext *ctx, int64_t degree)
{
	return (degree >= 0 && degree <= FG_MAX_DEGREE) ||
		fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Use a whole number from 0 to 20.",
				   "degree must not be %lld", (long long) degree);
}

/* --- a single estimate, by the definition --------------------------------------------- */

bool
fg_local_fit_begin(FgLocalFit *s)
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

void
fg_local_fit_end(FgLocalFit *s)
{
	fg_release(s->ctx, s->z);
	fg_release(s->ctx, s->w);
	fg_release(s->ctx, s->p);
	fg_release(s->ctx, s->q);
	fg_release(s->ctx, s->rest);
	fg_release(s->ctx, s->matrix);
}

static inline size_t
block_of(size_t done, size_t n)
{
	return n - done < BLOCK ? n - done : BLOCK;
}

size_t
fg_local_fit_point(const FgLocalFit *s, size_t from, double t, double limit, bool beyond)
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
	double		largest;		/* |K| of them all */
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
weigh(FgLocalFit *s, double t, size_t left_out, Window *window)
{
	size_t		start = fg_local_fit_point(s, 0, t, -s->radius, false);
	size_t		count = fg_local_fit_point(s, start, t, s->radius, true) - start;
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
		if (!fg_steps(s->ctx, block))
			return false;
	}
	return fg_steps(s->ctx, 16);
}

/* Distinct x with a weight that matters, from the middle out; stops at "enough". */
static bool
count_distinct(FgLocalFit *s, const Window *window, double t, uint32_t enough, uint32_t *distinct)
{
	const double *x = s->x + window->start;
	double		least = 1e-10 * window->largest;
	size_t		middle = fg_local_fit_point(s, window->start, t, 0, false) - window->start;
	size_t		last = SIZE_MAX;

	*distinct = 0;
	for (size_t i = middle; i < window->count && *distinct < enough; i++)
	{
		if (fabs(s->w[i]) > least && (last == SIZE_MAX || x[i] != x[last]))
		{
			last = i;
			++*distinct;
		}
		if (!fg_steps(s->ctx, 1))
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
		if (!fg_steps(s->ctx, 1))
			return false;
	}
	return true;
}

static bool
mean_of_window(FgLocalFit *s, const Window *window, FgEstimate *estimate)
{
	double		sum_k = 0;
	double		sum_ky = 0;

	for (size_t done = 0; done < window->count; done += BLOCK)
	{
		size_t		block = block_of(done, window->count);

		sum_k += fg_sum(s->w + done, block);
		sum_ky += fg_dot(s->w + done, s->y + window->start + done, block);
		if (!fg_steps(s->ctx, block / 2))
			return false;
	}
	*estimate = fg_weighted_mean(sum_k, sum_ky, s->at_zero * window->factor);
	return true;
}

/*
 * The weights divided by the power of two below the largest one: then no product of them
 * is too small, and sums that are exactly 0 stay so.
 */
static bool
scale_weights(FgLocalFit *s, Window *window)
{
	double		factor = ldexp(1, -ilogb(window->largest));

	window->factor = factor;
	for (size_t done = 0; done < window->count; done += BLOCK)
	{
		size_t		block = block_of(done, window->count);

		for (size_t i = 0; i < block; i++)
			s->w[done + i] *= factor;
		if (!fg_steps(s->ctx, block / 2))
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
next_polynomial(FgLocalFit *s, const Window *window, const Step *step, double *norm, double *alpha,
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
		if (!fg_steps(s->ctx, block))
			return false;
	}
	*alpha = sum_v / *norm;
	*part = sum_y / *norm;
	return true;
}

/* z becomes v; p = 1, q = 0 and rest = y. */
static bool
begin_basis(FgLocalFit *s, const Window *window)
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
		if (!fg_steps(s->ctx, BLOCK))
			return false;
	}
	return true;
}

/* *singular: the points do not carry so many polynomials. */
static bool
find_basis(FgLocalFit *s, const Window *window, uint32_t degree, Basis *basis, bool *singular)
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

static FgEstimate
sum_of_basis(const FgLocalFit *s, const Window *window, uint32_t degree, const Basis *basis)
{
	FgEstimate	estimate = {0, 0};

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
find_matrix(FgLocalFit *s, const Window *window, uint32_t degree, const Basis *basis)
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
		if (!fg_steps(s->ctx, (size_t) (degree + 1) * (degree + 1) * block))
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
static FgEstimate
solution_at_zero(FgLocalFit *s, const Window *window, uint32_t degree, const Basis *basis)
{
	size_t		width = (size_t) degree + 2;
	double		v[FG_MAX_DEGREE + 1];
	double		p[FG_MAX_DEGREE + 1];
	FgEstimate	estimate = {0, 0};

	for (uint32_t k = 0; k <= degree; k++)
	{
		p[k] = basis->at_zero[k] / sqrt(basis->norm[k]);
		v[k] = s->matrix[k * width + degree + 1];
		s->matrix[k * width + degree + 1] = p[k];
	}
	if (!solve(s->matrix, (size_t) degree + 1))
		return NO_ESTIMATE;
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
fit_polynomial(FgLocalFit *s, const Window *window, uint32_t degree, FgEstimate *estimate)
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
	return fg_steps(s->ctx, (size_t) degree * degree * degree);
}

bool
fg_local_fit_at(FgLocalFit *s, double t, size_t left_out, FgEstimate *estimate)
{
	Window		window;
	uint32_t	distinct = 1;

	*estimate = NO_ESTIMATE;
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
