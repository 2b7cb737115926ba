/*
 * curve.h
 *	  A performance model as a function on an interval: points joined by lines, steps, or
 *	  a formula.
 *
 * A value that does not exist is a NaN.  A curve made of points of which none has a
 * value exists, but nowhere: its ends are NaN and it shares no interval with any other.
 */
#ifndef FG_CURVE_H
#define FG_CURVE_H

#include "core/base/context.h"
#include "core/models/formula.h"

typedef enum FgCurveKind
{
	FG_CURVE_POINTS,			/* moving averages, kernel regression */
	FG_CURVE_STEPS,				/* regressogram */
	FG_CURVE_FORMULA			/* parametric */
} FgCurveKind;

typedef struct FgCurve
{
	FgCurveKind kind;
	double		start;
	double		end;
	double		r_square;		/* of the model; NaN: none */
	size_t		n;				/* points or steps */
	double	   *x;				/* n points, strictly ascending; or n + 1 edges */
	double	   *y;				/* n */
	FgFormula	formula;
	double		b[3];
} FgCurve;

/*
 * From fitted values, aligned with x: those that are NaN are left out, those at equal x
 * averaged.  Sorts when it has to.  FG_ERROR_RANGE for anything infinite.
 */
extern bool fg_curve_points(FgContext *ctx, const double *x, const double *fitted, size_t n,
							double r_square, FgCurve *curve);

/*
 * From n + 1 ascending edges and n values; an empty step (NaN) takes the value of the
 * nearest one on its left that is not, and stays without a value when there is none.
 */
extern bool fg_curve_steps(FgContext *ctx, const double *edges, const double *values, size_t n,
						   double r_square, FgCurve *curve);

/* b has as many coefficients as the formula. Needs no fg_curve_free. */
extern FgCurve fg_curve_formula(FgFormula formula, const double *b, double start, double end,
								double r_square);

extern void fg_curve_free(FgContext *ctx, FgCurve *curve);

/* How many coefficients a formula has: 1 to 3. */
extern uint32_t fg_formula_coefficients(FgFormula formula);

/*
 * The curve at t.  Outside of its interval points go on with the value of their end,
 * formulas are extrapolated, and steps have no value.
 */
extern double fg_curve_value(const FgCurve *curve, double t);

/* The definite integral, exact but for rounding; negative of the other way for from > to. */
extern double fg_curve_integral(const FgCurve *curve, double from, double to);

#endif							/* FG_CURVE_H */
