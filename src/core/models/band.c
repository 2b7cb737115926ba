/*
 * band.c
 *	  The confidence band of a model's mean (see band.h).
 *
 * The variance of the mean at a place is the sum of squares of polynomials there that are
 * orthonormal on the points, so nothing has to be inverted.
 */
#include "core/models/band.h"

#include "core/base/distribution.h"
#include "core/base/series.h"

#include <math.h>
#include <string.h>

/* Work with a point, in steps of interrupts. */
#define STEPS_OF_POINT 8

#define MOST_TERMS 3

/* A formula in the scale in which it is linear. */
typedef struct Line
{
	FgContext  *ctx;
	bool		ok;				/* false: cancelled, and all numbers are of no worth */
	FgFormula	formula;
	const double *b;
	uint32_t	terms;
	double		middle;			/* of the points' places there, and how far these are from it */
	double		scale;
	double		basis[MOST_TERMS][MOST_TERMS];	/* coefficients of orthonormal polynomials */
} Line;

static double
place_of(const Line *line, double x)
{
	return line->formula == FG_LOGARITHMIC || line->formula == FG_POWER ? log(x) : x;
}

static bool
is_logarithm(const Line *line)
{
	return line->formula == FG_POWER || line->formula == FG_EXPONENTIAL;
}

static double
polynomial(const double *coefficients, uint32_t terms, double u)
{
	double		value = 0;

	for (uint32_t t = terms; t-- > 0;)
		value = value * u + coefficients[t];
	return value;
}

/* Where the points lie: from -1 to 1. */
static double
scaled(const Line *line, double x)
{
	return (place_of(line, x) - line->middle) / line->scale;
}

static void
find_middle(Line *line, const double *x, size_t n)
{
	double		lo = INFINITY;
	double		hi = -INFINITY;

	for (size_t i = 0; i < n && line->ok; i++)
	{
		line->ok = fg_steps(line->ctx, STEPS_OF_POINT);
		lo = fmin(lo, place_of(line, x[i]));
		hi = fmax(hi, place_of(line, x[i]));
	}
	line->middle = fg_middle(lo, hi);
	line->scale = hi > lo ? hi - line->middle : 1;
}

/* The sum over the points of the product of two polynomials. */
static double
product(Line *line, const double *a, const double *b, const double *x, size_t n)
{
	FgDouble2	sum = {0, 0};

	for (size_t i = 0; i < n && line->ok; i++)
	{
		double		u = scaled(line, x[i]);

		line->ok = fg_steps(line->ctx, STEPS_OF_POINT);
		fg_sum_twice(&sum, polynomial(a, line->terms, u) * polynomial(b, line->terms, u));
	}
	return sum.high + sum.low;
}

/* Gram and Schmidt, twice, so that rounding does not matter; false for too few places. */
static bool
make_basis(Line *line, const double *x, size_t n)
{
	memset(line->basis, 0, sizeof(line->basis));
	for (uint32_t t = 0; t < line->terms; t++)
	{
		double	   *own = line->basis[t];
		double		norm;

		own[t] = 1;
		for (int turn = 0; turn < 2; turn++)
		{
			for (uint32_t before = 0; before < t; before++)
			{
				double		part = product(line, own, line->basis[before], x, n);

				for (uint32_t c = 0; c < line->terms; c++)
					own[c] -= part * line->basis[before][c];
			}
		}
		norm = sqrt(product(line, own, own, x, n));
		if (!(norm > 1e-10))
			return false;
		for (uint32_t c = 0; c < line->terms; c++)
			own[c] /= norm;
	}
	return true;
}

/* In the scale of the line. */
static double
fitted(const Line *line, double x)
{
	double		value = fg_formula_value(line->formula, line->b, x);

	return is_logarithm(line) ? log(value) : value;
}

static double
residual_squares(Line *line, const double *x, const double *y, size_t n)
{
	FgDouble2	sum = {0, 0};

	for (size_t i = 0; i < n && line->ok; i++)
	{
		double		residual = (is_logarithm(line) ? log(y[i]) : y[i]) - fitted(line, x[i]);

		line->ok = fg_steps(line->ctx, STEPS_OF_POINT);
		fg_sum_twice(&sum, residual * residual);
	}
	return sum.high + sum.low;
}

static bool
band_of_formula(FgContext *ctx, const FgModel *model, const double *x, const double *y, size_t n,
				double confidence, const double *at, size_t count, double *lower, double *upper,
				bool *exists)
{
	Line		line = {.ctx = ctx, .ok = true, .formula = (FgFormula) model->kind,
	.b = model->column[0]};
	double		width;

	line.terms = fg_formula_coefficients(line.formula);
	/* An exponential and a power have two terms, in logarithms; so have all but these. */
	*exists = n == model->n && n > line.terms;
	if (!*exists)
		return fg_steps(ctx, n);
	find_middle(&line, x, n);
	*exists = make_basis(&line, x, n);
	width = residual_squares(&line, x, y, n);
	*exists = *exists && isfinite(width);
	width = sqrt(width / (double) (n - line.terms)) *
		fg_t_upper_quantile((1 - confidence) / 2, (double) (n - line.terms));
	for (size_t i = 0; i < count && *exists; i++)
	{
		double		squares = 0;
		double		value = fitted(&line, at[i]);

		for (uint32_t t = 0; t < line.terms; t++)
		{
			double		q = polynomial(line.basis[t], line.terms, scaled(&line, at[i]));

			squares += q * q;
		}
		lower[i] = value - width * sqrt(squares);
		upper[i] = value + width * sqrt(squares);
		if (is_logarithm(&line))
		{
			lower[i] = exp(lower[i]);
			upper[i] = exp(upper[i]);
		}
	}
	return line.ok && fg_steps(ctx, 8 * count);
}

/* Is it one of means?  The parameters are text that fitting has written. */
static bool
has_word(const FgModel *model, const char *word)
{
	size_t		length = strlen(word);

	for (size_t i = 0; i + length <= model->parameters_size; i++)
	{
		if (memcmp(model->parameters + i, word, length) == 0)
			return true;
	}
	return false;
}

/* Points are sorted by x; those of a bucket are in one piece. */
static bool
band_of_buckets(FgContext *ctx, const FgModel *model, const double *x, const double *y, size_t n,
				double confidence, double *lower, double *upper, bool *exists)
{
	const double *edge = model->column[0];
	size_t		start = 0;

	*exists = n == model->n && !has_word(model, "\"median\"");
	for (size_t b = 0; b < model->rows && *exists; b++)
	{
		size_t		end = start;
		size_t		points;
		double		half;

		for (; end < n && (x[end] < edge[b + 1] || b + 1 == model->rows); end++)
		{
			if (!fg_check_every(ctx, end))
				return false;
		}
		points = end - start;
		if (!fg_steps(ctx, 4 * points))
			return false;
		*exists = (double) points == model->column[1][b];
		lower[b] = upper[b] = NAN;
		if (points > 1)
		{
			half = fg_t_upper_quantile((1 - confidence) / 2, (double) (points - 1)) *
				fg_deviation(y + start, points, points - 1) / sqrt((double) points);
			lower[b] = fg_mean(y + start, points) - half;
			upper[b] = fg_mean(y + start, points) + half;
		}
		start = end;
		if (!fg_steps(ctx, 4 + points))
			return false;
	}
	return true;
}

bool
fg_model_band(FgContext *ctx, const FgModel *model, const double *x, const double *y, size_t n,
			  double confidence, const double *at, size_t count, double *lower, double *upper,
			  bool *exists)
{
	*exists = false;
	if (model->kind < FG_FORMULAS)
		return band_of_formula(ctx, model, x, y, n, confidence, at, count, lower, upper, exists);
	if (model->kind == FG_MODEL_REGRESSOGRAM)
		return band_of_buckets(ctx, model, x, y, n, confidence, lower, upper, exists);
	return true;
}
