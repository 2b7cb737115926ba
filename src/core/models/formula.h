/*
 * formula.h
 *	  The formulas of parametric models: value and integral.
 */
#ifndef FG_FORMULA_H
#define FG_FORMULA_H

#include <stdbool.h>

/* In the order of complexity, which decides ties. */
typedef enum FgFormula
{
	FG_CONSTANT,				/* b0 */
	FG_LOGARITHMIC,				/* b0 + b1 log x */
	FG_LINEAR,					/* b0 + b1 x */
	FG_QUADRATIC,				/* b0 + b1 x + b2 x^2 */
	FG_POWER,					/* b0 x^b1 */
	FG_EXPONENTIAL				/* b0 b1^x */
} FgFormula;

#define FG_FORMULAS 6

/* The formula at t; NaN where it is not defined. */
extern double fg_formula_value(FgFormula formula, const double *b, double t);

/* The definite integral over [from, to]; NaN where it is not defined. */
extern double fg_formula_integral(FgFormula formula, const double *b, double from, double to);

#endif							/* FG_FORMULA_H */
