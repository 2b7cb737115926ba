/*
 * parametric.c
 *	  Parametric regression (see parametric.h).
 *
 * All sums are of deviations from the mean, scaled by powers of two so that no square
 * overflows or vanishes; the scaling costs no accuracy.  Logarithms are taken once,
 * also when bisection fits the same points again and again.
 */
#include "core/models/parametric.h"

#include "core/base/series.h"
#include "core/base/choice.h"

#include <math.h>
#include <string.h>

/* A model within this of the largest R^2 is as good. */
#define R_SQUARE_TIE 1e-9

/* Those that need logarithms, be it to judge the constant by. */
#define LOGARITHMS \
	(FG_ALL_FORMULAS & ~(FG_FORMULA_BIT(FG_LINEAR) | FG_FORMULA_BIT(FG_QUADRATIC)))

#define LEAST_POINTS 3
#define LEAST_BISECTED 6

static const char *const formula_words[FG_FORMULAS] = {
	"constant", "logarithmic", "linear", "quadratic", "power", "exponential"
};

const char *
fg_formula_word(FgFormula formula)
{
	return formula_words[formula];
}

bool
fg_formula_parse(FgContext *ctx, const char *text, size_t length, FgFormula *formula)
{
	static const FgChoice choice = {
		"model", "Available: constant, logarithmic, linear, quadratic, power, exponential.",
		formula_words, FG_FORMULAS
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*formula = (FgFormula) place;
	return true;
}

/* --- points --------------------------------------------------------------------- */

typedef struct Fit
{
	FgContext  *ctx;
	const double *x;
	const double *y;
	double	   *log_x;			/* NaN where x is not positive */
	double	   *log_y;
	double	   *u;				/* v = c0 + c1 u; then the fitted values of y */
	double	   *v;
	double	   *used_y;
	FgParametric *list;			/* of interval and bisection */
	size_t		count;
	size_t		capacity;
} Fit;

static bool
take_logarithms(FgContext *ctx, const double *from, size_t n, double *to)
{
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		to[i] = from[i] > 0 ? log(from[i]) : NAN;
	}
	return true;
}

/* fit_end must follow, also when it failed. */
static bool
fit_begin(Fit *fit, FgContext *ctx, const double *x, const double *y, size_t n, unsigned wanted)
{
	*fit = (Fit) {.ctx = ctx, .x = x, .y = y};
	fit->log_x = fg_alloc(ctx, n, sizeof(double));
	fit->log_y = fg_alloc(ctx, n, sizeof(double));
	fit->u = fg_alloc(ctx, n, sizeof(double));
	fit->v = fg_alloc(ctx, n, sizeof(double));
	fit->used_y = fg_alloc(ctx, n, sizeof(double));
	if (fit->log_x == NULL || fit->log_y == NULL || fit->u == NULL || fit->v == NULL ||
		fit->used_y == NULL)
		return false;
	return (wanted & LOGARITHMS) == 0 ||
		(take_logarithms(ctx, x, n, fit->log_x) && take_logarithms(ctx, y, n, fit->log_y));
}

static void
fit_end(Fit *fit)
{
	fg_release(fit->ctx, fit->log_x);
	fg_release(fit->ctx, fit->log_y);
	fg_release(fit->ctx, fit->u);
	fg_release(fit->ctx, fit->v);
	fg_release(fit->ctx, fit->used_y);
}

static bool
has_log_y(FgFormula formula)
{
	return formula == FG_POWER || formula == FG_EXPONENTIAL;
}

/* Puts the points that the formula can use into u, v and used_y. */
static bool
gather(Fit *fit, size_t start, size_t end, FgParametric *model)
{
	bool		log_x = model->formula == FG_LOGARITHMIC || model->formula == FG_POWER;
	const double *u = log_x ? fit->log_x : fit->x;
	const double *v = has_log_y(model->formula) ? fit->log_y : fit->y;
	size_t		used = 0;

	model->x_start = INFINITY;
	model->x_end = -INFINITY;
	for (size_t i = start; i < end; i++)
	{
		if (!fg_check_every(fit->ctx, i))
			return false;
		if (isnan(u[i]) || isnan(v[i]))
			continue;
		fit->u[used] = u[i];
		fit->v[used] = v[i];
		fit->used_y[used++] = fit->y[i];
		model->x_start = fit->x[i] < model->x_start ? fit->x[i] : model->x_start;
		model->x_end = fit->x[i] > model->x_end ? fit->x[i] : model->x_end;
	}
	model->n_used = used;
	return true;
}

/* --- deviations from the mean --------------------------------------------------- */

typedef struct Centre
{
	double		mean;
	double		scale;			/* power of two that takes the largest to 1/2 .. 1 */
	bool		equal;			/* all values are */
	bool		two;			/* there are only two different values, or one */
} Centre;

static double
power_of_two_above(double value)
{
	int			exponent;

	(void) frexp(value, &exponent);
	return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

static bool
find_centre(FgContext *ctx, const double *values, size_t n, Centre *centre)
{
	double		least = INFINITY;
	double		greatest = -INFINITY;
	double		between = NAN;
	double		largest;

	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		least = values[i] < least ? values[i] : least;
		greatest = values[i] > greatest ? values[i] : greatest;
	}
	for (size_t i = 0; i < n && isnan(between); i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (values[i] != least && values[i] != greatest)
			between = values[i];
	}
	centre->equal = least == greatest;
	centre->two = isnan(between);
	centre->mean = centre->equal ? least : fg_mean(values, n);
	largest = fmax(greatest - centre->mean, centre->mean - least);
	/* an infinite deviation leaves no model: its sums are NaN */
	centre->scale = isfinite(largest) ? power_of_two_above(largest) : NAN;
	return fg_check(ctx);
}

static inline double
deviation(const Centre *centre, double value)
{
	return (value - centre->mean) * centre->scale;
}

/* --- lines ---------------------------------------------------------------------- */

/*
 * v = c0 + c1 u by least squares.  The fitted values of y go to u; they are taken from
 * the middle of the line, where they are most exact.
 */
static bool
fit_line(Fit *fit, FgParametric *model, bool *exists)
{
	size_t		n = model->n_used;
	Centre		u;
	Centre		v;
	double		suu = 0;
	double		suv = 0;
	double		svv = 0;
	double		slope;

	if (!find_centre(fit->ctx, fit->u, n, &u) || !find_centre(fit->ctx, fit->v, n, &v))
		return false;
	*exists = !u.equal;
	if (!*exists)
		return true;
	for (size_t i = 0; i < n; i++)
	{
		double		du = deviation(&u, fit->u[i]);
		double		dv = deviation(&v, fit->v[i]);

		if (!fg_check_every(fit->ctx, i))
			return false;
		suu += du * du;
		suv += du * dv;
		svv += dv * dv;
	}
	slope = v.equal ? 0 : suv / suu * (u.scale / v.scale);
	model->b[0] = v.mean - slope * u.mean;
	model->b[1] = slope;
	model->r_square = v.equal ? 0 : fmin(suv / suu * (suv / svv), 1);
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(fit->ctx, i))
			return false;
		fit->u[i] = v.mean + slope * (fit->u[i] - u.mean);
	}
	return true;
}

/* The line was fitted to log y: back to y. */
static bool
undo_logarithm(Fit *fit, FgParametric *model, bool *exists)
{
	double	   *fitted = fit->u;

	model->b[0] = exp(model->b[0]);
	if (model->formula == FG_EXPONENTIAL)
		model->b[1] = exp(model->b[1]);
	/* b1 = 0 is an underflow: 0^x has nothing to do with the line */
	*exists = model->b[0] > 0 && (model->formula != FG_EXPONENTIAL || model->b[1] > 0);
	for (size_t i = 0; *exists && i < model->n_used; i++)
	{
		if (!fg_check_every(fit->ctx, i))
			return false;
		fitted[i] = exp(fitted[i]);
		*exists = isfinite(fitted[i]);
	}
	return true;
}

/* --- quadratic ------------------------------------------------------------------ */

/*
 * y = mean + a1 z + a2 (z^2 - mean of z^2), with z = (x - mean) / deviation.  z^2 is
 * made orthogonal to z first, so that a2 is a quotient of two sums and not of two
 * differences of products, which would cancel.
 */
typedef struct Parabola
{
	Centre		x;
	Centre		y;
	double		spread;			/* population deviation of scaled x */
	double		szz;
	double		square;			/* mean of z^2 */
	double		tilt;			/* of z^2 along z */
	double		a1;
	double		a2;
} Parabola;

/* u becomes z, v becomes the part of z^2 that is orthogonal to 1 and z. */
static bool
make_orthogonal(Fit *fit, size_t n, Parabola *p)
{
	double		sum = 0;
	double		cubes = 0;

	for (size_t i = 0; i < n; i++)
	{
		double		d = deviation(&p->x, fit->u[i]);

		if (!fg_check_every(fit->ctx, i))
			return false;
		sum += d * d;
	}
	p->spread = sqrt(sum / (double) n);
	p->szz = 0;
	for (size_t i = 0; i < n; i++)
	{
		double		z = deviation(&p->x, fit->u[i]) / p->spread;

		if (!fg_check_every(fit->ctx, i))
			return false;
		fit->u[i] = z;
		p->szz += z * z;
		cubes += z * z * z;
	}
	p->square = p->szz / (double) n;
	p->tilt = cubes / p->szz;
	for (size_t i = 0; i < n; i++)
	{
		double		z = fit->u[i];

		if (!fg_check_every(fit->ctx, i))
			return false;
		fit->v[i] = z * z - p->square - p->tilt * z;
	}
	return true;
}

/* Finds a1 and a2; the fitted values of y go to u. */
static bool
solve_parabola(Fit *fit, size_t n, Parabola *p, double *r_square)
{
	double		szy = 0;
	double		sww = 0;
	double		swy = 0;
	double		syy = 0;
	double		left = 0;
	double		slope;

	for (size_t i = 0; i < n; i++)
	{
		double		dy = deviation(&p->y, fit->used_y[i]);

		if (!fg_check_every(fit->ctx, i))
			return false;
		szy += fit->u[i] * dy;
		sww += fit->v[i] * fit->v[i];
		swy += fit->v[i] * dy;
		syy += dy * dy;
	}
	slope = p->y.equal ? 0 : szy / p->szz;
	p->a2 = p->y.equal ? 0 : swy / sww;
	p->a1 = slope - p->a2 * p->tilt;
	for (size_t i = 0; i < n; i++)
	{
		double		curve = slope * fit->u[i] + p->a2 * fit->v[i];
		double		residual = deviation(&p->y, fit->used_y[i]) - curve;

		if (!fg_check_every(fit->ctx, i))
			return false;
		left += residual * residual;
		fit->u[i] = p->y.mean + curve / p->y.scale;
	}
	*r_square = p->y.equal ? 0 : fmax(1 - left / syy, 0);
	return true;
}

static bool
fit_quadratic(Fit *fit, FgParametric *model, bool *exists)
{
	size_t		n = model->n_used;
	Parabola	p;
	double		ratio;
	double		a1;
	double		a2;

	if (!find_centre(fit->ctx, fit->u, n, &p.x) || !find_centre(fit->ctx, fit->v, n, &p.y))
		return false;
	*exists = !p.x.two;
	if (!*exists)
		return true;
	if (!make_orthogonal(fit, n, &p) || !solve_parabola(fit, n, &p, &model->r_square))
		return false;
	ratio = p.x.scale / p.spread;	/* z per x */
	a1 = p.a1 / p.y.scale;
	a2 = p.a2 / p.y.scale;
	model->b[0] = p.y.mean - a2 * p.square - p.x.mean * ratio * (a1 - a2 * p.x.mean * ratio);
	model->b[1] = ratio * (a1 - 2 * a2 * p.x.mean * ratio);
	model->b[2] = a2 * ratio * ratio;
	return true;
}

/* --- all formulas --------------------------------------------------------------- */

static bool
fit_constant(Fit *fit, FgParametric *model)
{
	Centre		centre;

	if (!find_centre(fit->ctx, fit->v, model->n_used, &centre))
		return false;
	model->b[0] = centre.mean;
	for (size_t i = 0; i < model->n_used; i++)
	{
		if (!fg_check_every(fit->ctx, i))
			return false;
		fit->u[i] = centre.mean;
	}
	return true;
}

static bool
fit_shape(Fit *fit, FgParametric *model, bool *exists)
{
	if (model->formula == FG_CONSTANT)
		return fit_constant(fit, model);
	if (model->formula == FG_QUADRATIC)
		return fit_quadratic(fit, model, exists);
	if (!fit_line(fit, model, exists))
		return false;
	return !*exists || !has_log_y(model->formula) || undo_logarithm(fit, model, exists);
}

static bool
fit_formula(Fit *fit, size_t start, size_t end, FgFormula formula, FgParametric *model,
			bool *exists)
{
	memset(model, 0, sizeof(*model));
	model->formula = formula;
	model->nb = formula == FG_CONSTANT ? 1 : formula == FG_QUADRATIC ? 3 : 2;
	*exists = false;
	if (!gather(fit, start, end, model))
		return false;
	if (model->n_used < LEAST_POINTS)
		return true;
	*exists = true;
	if (!fit_shape(fit, model, exists))
		return false;
	*exists = *exists && isfinite(model->b[0]) && isfinite(model->b[1]) &&
		isfinite(model->b[2]) && isfinite(model->r_square);
	return !*exists ||
		fg_r_square(fit->ctx, fit->used_y, fit->u, model->n_used, &model->r_square_y);
}

/* The first of those that are as good as the best. */
static int
find_best(const FgParametric *models, uint32_t count)
{
	double		top = -INFINITY;

	for (uint32_t i = 0; i < count; i++)
		top = models[i].r_square > top ? models[i].r_square : top;
	for (uint32_t i = 0; i < count; i++)
	{
		if (models[i].r_square >= top - R_SQUARE_TIE)
			return (int) i;
	}
	return -1;
}

/* A constant is as good as the best of all other models is bad, wanted or not. */
static bool
fit_part(Fit *fit, size_t start, size_t end, unsigned wanted, FgParametric *models,
		 uint32_t *count, int *best)
{
	unsigned	needed = wanted & FG_FORMULA_BIT(FG_CONSTANT) ? FG_ALL_FORMULAS : wanted;
	double		others = 0;

	*count = 0;
	for (int formula = 0; formula < FG_FORMULAS; formula++)
	{
		FgParametric model;
		bool		exists;

		if (!(needed & FG_FORMULA_BIT(formula)))
			continue;
		if (!fit_formula(fit, start, end, (FgFormula) formula, &model, &exists))
			return false;
		if (exists && formula != FG_CONSTANT)
			others = fmax(others, model.r_square);
		if (exists && wanted & FG_FORMULA_BIT(formula))
			models[(*count)++] = model;
	}
	if (*count > 0 && models[0].formula == FG_CONSTANT)
		models[0].r_square = 1 - others;
	*best = find_best(models, *count);
	if (*best >= 0)
		models[*best].best = true;
	return true;
}

bool
fg_parametric_fit(FgContext *ctx, const double *x, const double *y, size_t n, unsigned wanted,
				  FgParametric *models, uint32_t *count, int *best)
{
	Fit			fit;
	bool		ok = fit_begin(&fit, ctx, x, y, n, wanted) &&
		fit_part(&fit, 0, n, wanted, models, count, best);

	fit_end(&fit);
	return ok;
}

/* --- parts ---------------------------------------------------------------------- */

static bool
best_of_part(Fit *fit, size_t start, size_t end, unsigned wanted, FgParametric *model,
			 bool *exists)
{
	FgParametric models[FG_FORMULAS];
	uint32_t	count;
	int			best;

	if (!fit_part(fit, start, end, wanted, models, &count, &best))
		return false;
	*exists = best >= 0;
	if (*exists)
		*model = models[best];
	return true;
}

static bool
emit(Fit *fit, const FgParametric *model)
{
	if (!fg_reserve(fit->ctx, (void **) &fit->list, &fit->capacity, fit->count + 1,
					sizeof(FgParametric)))
		return false;
	fit->list[fit->count++] = *model;
	return true;
}

static bool
finish_list(Fit *fit, bool ok, FgParametric **models, size_t *count)
{
	fit_end(fit);
	if (!ok)
		fg_release(fit->ctx, fit->list);
	*models = ok ? fit->list : NULL;
	*count = ok ? fit->count : 0;
	return ok;
}

static bool
check_steps(FgContext *ctx, size_t n, int64_t steps)
{
	if (steps < 1)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "It is the number of parts.",
						  "steps must be at least 1");
	if (n > 0 && n / (uint64_t) steps < LEAST_POINTS)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Each part needs at least three points; ask for fewer steps.",
						  "steps is too large: %zu points cannot be split into %lld parts", n,
						  (long long) steps);
	return true;
}

/* Parts differ by one point at most, the larger ones first. */
static bool
fit_intervals(Fit *fit, size_t n, size_t steps, unsigned wanted)
{
	size_t		length = n / steps;
	size_t		longer = n % steps;
	size_t		start = 0;

	for (size_t i = 0; n > 0 && i < steps; i++)
	{
		size_t		end = start + length + (i < longer);
		FgParametric model;
		bool		exists;

		if (!fg_check_every(fit->ctx, i) ||
			!best_of_part(fit, start, end, wanted, &model, &exists) ||
			(exists && !emit(fit, &model)))
			return false;
		start = end;
	}
	return true;
}

bool
fg_parametric_interval(FgContext *ctx, const double *x, const double *y, size_t n, int64_t steps,
					   unsigned wanted, FgParametric **models, size_t *count)
{
	Fit			fit;
	bool		ok;

	*models = NULL;
	*count = 0;
	if (!check_steps(ctx, n, steps))
		return false;
	ok = fit_begin(&fit, ctx, x, y, n, wanted) && fit_intervals(&fit, n, (size_t) steps, wanted);
	return finish_list(&fit, ok, models, count);
}

/* A part and its best model; as deep as the points can be halved. */
static bool
bisect(Fit *fit, size_t start, size_t end, unsigned wanted, const FgParametric *whole)
{
	size_t		middle = end - (end - start) / 2;	/* the first half is the larger one */
	FgParametric half[2];
	bool		exists[2];

	if (end - start < LEAST_BISECTED)
		return emit(fit, whole);
	if (!best_of_part(fit, start, middle, wanted, &half[0], &exists[0]) ||
		!best_of_part(fit, middle, end, wanted, &half[1], &exists[1]))
		return false;
	if (!exists[0] || !exists[1] ||
		(half[0].formula == whole->formula && half[1].formula == whole->formula))
		return emit(fit, whole);
	for (int i = 0; i < 2; i++)
	{
		bool		differs = half[i].formula != whole->formula;

		if (!(differs ? bisect(fit, i == 0 ? start : middle, i == 0 ? middle : end, wanted,
							   &half[i])
			  : emit(fit, &half[i])))
			return false;
	}
	return true;
}

bool
fg_parametric_bisection(FgContext *ctx, const double *x, const double *y, size_t n,
						unsigned wanted, FgParametric **models, size_t *count)
{
	Fit			fit;
	FgParametric whole;
	bool		exists;
	bool		ok = fit_begin(&fit, ctx, x, y, n, wanted) &&
		best_of_part(&fit, 0, n, wanted, &whole, &exists) &&
		(!exists || bisect(&fit, 0, n, wanted, &whole));

	return finish_list(&fit, ok, models, count);
}
