/*
 * formula.c
 *	  The formulas of parametric models (see formula.h).
 *
 * The integrals are rearranged where the textbook form subtracts two nearly equal
 * numbers or multiplies an underflow by an overflow.
 */
#include "core/models/formula.h"

#include <math.h>

/* Below this an exponent is taken for zero. */
#define NO_EXPONENT 1e-12

/*
 * factor * base^exponent.  The power alone may overflow or vanish where the product does
 * not, as that of an exponential far from 0 does; its square root is then applied twice.
 */
static double
scaled_power(double factor, double base, double exponent)
{
	double		power = pow(base, exponent);
	double		root;

	if (isnormal(power) || !(base > 0))
		return factor * power;
	root = pow(base, exponent / 2);
	return factor * root * root;
}

double
fg_formula_value(FgFormula formula, const double *b, double t)
{
	switch (formula)
	{
		case FG_CONSTANT:
			return isnan(t) ? NAN : b[0];
		case FG_LOGARITHMIC:
			return t > 0 ? b[0] + b[1] * log(t) : NAN;
		case FG_LINEAR:
			return b[0] + b[1] * t;
		case FG_QUADRATIC:
			return b[0] + b[1] * t + b[2] * t * t;
		case FG_POWER:
			return t < 0 || (t == 0 && b[1] < 0) ? NAN : scaled_power(b[0], t, b[1]);
		case FG_EXPONENTIAL:
			return scaled_power(b[0], b[1], t);
	}
	return NAN;
}

/* Of log t, with g(t) = t log t - t. */
static double
log_integral(double from, double to)
{
	double		width = to - from;

	if (from == 0)
		return to == 0 ? 0 : to * log(to) - to;
	if (width > from)
		return (to * log(to) - to) - (from * log(from) - from);
	/* g(to) - g(from) without the difference of two large terms */
	return width * (log(to) - 1) + from * log1p(width / from);
}

/* Of factor * t^(p - 1). */
static double
power_integral(double factor, double p, double from, double to)
{
	double		growth;

	if (from == 0)
		return p > 0 ? scaled_power(factor, to, p) / p : NAN;
	growth = log(to / from);
	if (fabs(p) < NO_EXPONENT)
		return factor * growth;
	if (fabs(p * growth) < 0.5)
		return scaled_power(factor, from, p) * expm1(p * growth) / p;
	return (scaled_power(factor, to, p) - scaled_power(factor, from, p)) / p;
}

/* Of factor * base^t, from that end of the interval where it is largest. */
static double
exponential_integral(double factor, double base, double from, double to)
{
	double		k = log(base);
	double		width = to - from;

	if (!(base > 0))
		return NAN;
	if (fabs(k * width) < NO_EXPONENT)
		return scaled_power(factor, base, from) * width;
	if (k > 0)
		return scaled_power(factor, base, to) * -expm1(-k * width) / k;
	return scaled_power(factor, base, from) * expm1(k * width) / k;
}

double
fg_formula_integral(FgFormula formula, const double *b, double from, double to)
{
	double		width = to - from;

	if (from > to)
		return -fg_formula_integral(formula, b, to, from);
	switch (formula)
	{
		case FG_CONSTANT:
			return b[0] * width;
		case FG_LOGARITHMIC:
			return from < 0 ? NAN : b[0] * width + b[1] * log_integral(from, to);
		case FG_LINEAR:
			return b[0] * width + b[1] * width * (from + to) / 2;
		case FG_QUADRATIC:
			return b[0] * width + b[1] * width * (from + to) / 2 +
				b[2] * width * (from * from + from * to + to * to) / 3;
		case FG_POWER:
			return from < 0 ? NAN : power_integral(b[0], b[1] + 1, from, to);
		case FG_EXPONENTIAL:
			return exponential_integral(b[0], b[1], from, to);
	}
	return NAN;
}
