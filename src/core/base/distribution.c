/*
 * distribution.c
 *	  The beta, F, t and normal distributions (see distribution.h).
 *
 * All but the normal one are the incomplete beta function
 *		I_x(a, b) = x^a y^b / B(a, b) / (continued fraction),	y = 1 - x
 * (Didonato and Morris 1992, equations 9 and 10; its terms are positive where it is
 * used, on the side of the mean).  x^a y^b / B(a, b) is the density of log(x / y).  With
 * the means x0 = a / (a + b), y0 = 1 - x0, and u = x / x0 - 1, v = y / y0 - 1 it is
 *		sqrt(x0 b / 2 pi) exp(D(a + b) - D(a) - D(b) + a phi(u) + b phi(v)),
 * phi(w) = log(1 + w) - w and D the correction of Stirling's formula, because
 * a u + b v = 0 (after Loader 2000).  Both phi are negative: nothing cancels, and the
 * exponent is never larger than the logarithm of the result.
 */
#include "core/base/distribution.h"

#include "core/base/distribution_internal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* --- the density ------------------------------------------------------------------ */

/* log Gamma(z) less ((z - 1/2) log z - z + 1/2 log 2 pi): the correction of Stirling's formula. */
static double
stirling_correction(double z)
{
	double		steps = 0;
	double		r;

	while (z < 10)
	{
		steps += (z + 0.5) * log1p(1 / z) - 1;
		z++;
	}
	r = 1 / (z * z);
	return steps + (1. / 12 - r * (1. / 360 - r * (1. / 1260 - r * (1. / 1680 - r *
		(1. / 1188 - r * (691. / 360360 - r * (1. / 156))))))) / z;
}

/* log(ratio) - w for ratio = 1 + w, both exact to the last digits. */
static double
phi(double w, double ratio)
{
	double		s = w / (2 + w);
	double		square = s * s;
	double		power = 1;
	double		sum = 0;

	if (w < -0.7 || w > 2)
		return log(ratio) - w;
	/* log(1 + w) = 2 artanh(s), and 2 s - w = -s w */
	for (int odd = 3;; odd += 2)
	{
		sum += power / odd;
		power *= square;
		if (power <= 1e-18)
			break;
	}
	return s * (2 * square * sum - w);
}

/* A place on the line between 0 and 1, seen from both ends. */
typedef struct Point
{
	double		a;
	double		b;
	double		x;
	double		y;
	double		u;				/* x / x0 - 1 */
	double		v;
	double		ru;				/* x / x0 */
	double		rv;
	double		density;		/* of log(x / y) */
} Point;

static void
set_density(Point *point)
{
	double		a = point->a;
	double		b = point->b;
	double		exponent = stirling_correction(a + b) - stirling_correction(a) -
		stirling_correction(b);

	exponent += a * phi(point->u, point->ru) + b * phi(point->v, point->rv);
	point->density = sqrt(a / (a + b) * b / (2 * M_PI)) * exp(exponent);
}

static Point
point_of_x(double x, double a, double b)
{
	double		sum = a + b;
	double		part = sum - a;
	double		rest = (a - (sum - part)) + (b - part);
	double		product = x * sum;
	double		error = fma(x, sum, -product) + x * rest;
	double		difference = (product - a) + error; /* x (a + b) - a */
	Point		point = {
		.a = a, .b = b, .x = x, .y = 1 - x, .u = difference / a, .v = -difference / b,
		.ru = x / a * sum, .rv = (1 - x) / b * sum
	};

	set_density(&point);
	return point;
}

/* x / y = a f / b, 0 < f < infinity. */
static Point
point_of_f(double f, double a, double b)
{
	double		inverse = 1 / f;
	double		g = f > 1 ? 1 : f;	/* numerator and denominator divided by f > 1 */
	double		h = f > 1 ? inverse : 1;
	double		sum = a * g + b * h;
	double		shift = f > 1 ? (f < 2 ? (f - 1) / f : 1 - inverse) : f - 1;
	Point		point = {
		.a = a, .b = b, .x = a * g / sum, .y = b * h / sum, .u = shift * (b / sum),
		.v = -shift * (a / sum), .ru = g * ((a + b) / sum), .rv = h * ((a + b) / sum)
	};

	set_density(&point);
	return point;
}

/* --- the incomplete beta function --------------------------------------------------- */

/* By the continued fraction, evaluated after Lentz as modified by Thompson and Barnett (1986). */
static double
beta_fraction(double x, double a, double b, double u)
{
	const double tiny = 1e-280;
	double		lambda = -a * u;	/* a - (a + b) x */
	double		fraction = a * (lambda + 1) / (a + 1);
	double		c = fraction == 0 ? tiny : fraction;
	double		d = 0;

	fraction = c;
	for (int i = 1; i < 10000000; i++)
	{
		double		m = i;
		double		between = a + 2 * m - 1;
		double		numerator = (a + m - 1) / between * ((a + b + m - 1) * x / between) * m *
			((b - m) * x);
		double		denominator = m + m * ((b - m) * x) / between +
			(a + m) * (lambda + 1 + m * (2 - x)) / (a + 2 * m + 1);
		double		change;

		d = denominator + numerator * d;
		c = denominator + numerator / c;
		d = 1 / (d == 0 ? tiny : d);
		c = c == 0 ? tiny : c;
		change = c * d;
		fraction *= change;
		if (fabs(change - 1) <= DBL_EPSILON)
			break;
	}
	return fraction;
}

/* I_x(a, b) of the point, or its complement: the side of the mean is computed, the other the rest. */
static double
beta_tail(const Point *point, bool upper)
{
	bool		above = point->u > 0;
	double		tail;

	if (point->u == 0 && point->a == point->b)
		return 0.5;
	tail = point->density / (above ? beta_fraction(point->y, point->b, point->a, point->v) :
							 beta_fraction(point->x, point->a, point->b, point->u));
	return above == upper ? tail : 1 - tail;
}

/* Both parameters of the beta distribution, positive and finite (a NaN is not). */
static bool
in_domain(double a, double b)
{
	return a > 0 && b > 0 && a < INFINITY && b < INFINITY;
}

static double
beta_side(double x, double a, double b, bool upper)
{
	Point		point;

	if (!in_domain(a, b) || !(x >= 0 && x <= 1))
		return NAN;
	if (x == 0 || x == 1)
		return (x == 0) == upper ? 1 : 0;
	point = point_of_x(x, a, b);
	return beta_tail(&point, upper);
}

double
fg_beta_cdf(double x, double a, double b)
{
	return beta_side(x, a, b, false);
}

double
fg_beta_survival(double x, double a, double b)
{
	return beta_side(x, a, b, true);
}

/* --- the F distribution --------------------------------------------------------------- */

double
fg_f_survival(double f, double df1, double df2)
{
	Point		point;

	if (!in_domain(df1, df2) || isnan(f))
		return NAN;
	if (f <= 0 || isinf(f))
		return f <= 0 ? 1 : 0;
	point = point_of_f(f, df1 / 2, df2 / 2);
	return beta_tail(&point, true);
}

/* Between two positive numbers by their exponents, so that all of them can be reached. */
static double
halfway(double low, double high)
{
	return sqrt(low) * sqrt(high);
}

/*
 * The f at which x / y = a f / b has the given upper (or lower) tail: Newton's method for
 * log(tail) as a function of log(f), which is concave because the density is log-concave,
 * inside a bracket.  0 or infinity where f is no positive double.
 */
static double
f_of_tail(double tail, double a, double b, bool upper)
{
	double		low = DBL_MIN;
	double		high = DBL_MAX;
	double		f = 1;

	for (int i = 0; i < 3000; i++)
	{
		Point		point = point_of_f(f, a, b);
		double		value = beta_tail(&point, upper);
		double		step = log1p((value - tail) / tail) * value / point.density;
		double		next;

		if ((value > tail) == upper)
			low = f;
		else
			high = f;
		next = f * exp(upper ? step : -step);
		if (fabs(step) <= DBL_EPSILON)
			return next;
		if (!(next > low && next < high))
			next = halfway(low, high);
		if (next == f || high <= low * (1 + 2 * DBL_EPSILON))
			break;
		f = next;
	}
	if (f <= 2 * DBL_MIN)
		return 0;
	return f >= DBL_MAX / 2 ? INFINITY : f;
}

/* By the smaller tail: 1 - p is exact where p is the larger one. */
static double
f_upper_quantile(double p, double a, double b)
{
	if (p == 0 || p == 1)
		return p == 0 ? INFINITY : 0;
	return p <= 0.5 ? f_of_tail(p, a, b, true) : f_of_tail(1 - p, a, b, false);
}

double
fg_f_upper_quantile(double p, double df1, double df2)
{
	if (!in_domain(df1, df2) || !(p >= 0 && p <= 1))
		return NAN;
	return f_upper_quantile(p, df1 / 2, df2 / 2);
}

/* --- the normal distribution ------------------------------------------------------------ */

#define SQRT_HALF_LOW	-0x1.bdd3413b26456p-55	/* what M_SQRT1_2 lacks */

double
fg_normal_survival(double z)
{
	double		w = z * M_SQRT1_2;
	double		error = fma(z, M_SQRT1_2, -w) + z * SQRT_HALF_LOW;

	if (isnan(z) || isinf(z))
		return isnan(z) ? NAN : z < 0 ? 1 : 0;
	/* erfc would magnify the rounding of its argument 2 w^2 times */
	return 0.5 * (erfc(w) - M_2_SQRTPI * exp(-w * w) * error);
}

/* Newton's method for the logarithm of the tail, which is concave, from the right. */
static double
normal_tail_quantile(double p)
{
	double		z = sqrt(-2 * log(p));

	for (int i = 0; i < 100; i++)
	{
		double		tail = fg_normal_survival(z);
		double		step = log1p((tail - p) / p) * tail * sqrt(2 * M_PI) * exp(z * z / 2);

		z += step;
		if (fabs(step) <= DBL_EPSILON * z)
			break;
	}
	return z;
}

/* P(|Z| < z) = inside, which is concave for z > 0, from the left. */
static double
normal_centre_quantile(double inside)
{
	double		z = 0;

	for (int i = 0; i < 100; i++)
	{
		double		step = (inside - erf(z * M_SQRT1_2)) * sqrt(M_PI_2) * exp(z * z / 2);

		z += step;
		if (fabs(step) <= DBL_EPSILON * z)
			break;
	}
	return z;
}

double
fg_normal_upper_quantile(double p)
{
	if (!(p >= 0 && p <= 1))
		return NAN;
	if (p == 0 || p == 1)
		return p == 0 ? INFINITY : -INFINITY;
	if (p > 0.5)
		return -fg_normal_upper_quantile(1 - p);
	return p <= 0.25 ? normal_tail_quantile(p) : normal_centre_quantile(1 - 2 * p);
}

/* --- Student's t distribution ------------------------------------------------------------- */

#define NORMAL_DF	1e20		/* from here on t is normal to 1e-14 wherever it is above 1e-300 */
#define FAR_T		1e100		/* from here on t^2 / (t^2 + df) is 1 */

/* The logarithm of the limit of P(|T| > t) t^df. */
static double
log_far_factor(double df)
{
	double		a = 0.5;
	double		b = df / 2;

	return stirling_correction(a + b) - stirling_correction(a) - stirling_correction(b) +
		(a + b) * log1p(df) + log(sqrt(a / (a + b) / b / (2 * M_PI)));
}

double
fg_t_two_sided(double t, double df)
{
	t = fabs(t);
	if (isnan(t) || !(df > 0))
		return NAN;
	if (df >= NORMAL_DF)
		return 2 * fg_normal_survival(t);
	if (t > FAR_T)
		return exp(log_far_factor(df) - df * log(t));
	return fg_f_survival(t * t, 1, df);
}

double
fg_t_upper_quantile(double p, double df)
{
	double		f;

	if (!(p >= 0 && p <= 1) || !(df > 0))
		return NAN;
	if (df >= NORMAL_DF || p == 0 || p == 1)
		return fg_normal_upper_quantile(p);
	if (p > 0.5)
		return -fg_t_upper_quantile(1 - p, df);
	f = f_upper_quantile(2 * p, 0.5, df / 2);
	return f > FAR_T * FAR_T ? exp((log_far_factor(df) - log(2 * p)) / df) : sqrt(f);
}

/* --- derivatives of log Gamma ------------------------------------------------------------- */

#define FAR_ENOUGH	13			/* from here on the asymptotic series below are exact to 1e-17 */

double
fg_digamma(double x)
{
	double		steps = 0;
	double		r;

	if (!(x > 0))
		return NAN;
	while (x < FAR_ENOUGH)
	{
		steps += 1 / x;
		x += 1;
	}
	r = 1 / (x * x);
	return log(x) - 0.5 / x - r * (1. / 12 - r * (1. / 120 - r * (1. / 252 - r *
		(1. / 240 - r * (1. / 132 - r * (691. / 32760 - r * (1. / 12))))))) - steps;
}

double
fg_trigamma(double x)
{
	double		steps = 0;
	double		r;

	if (!(x > 0))
		return NAN;
	while (x < FAR_ENOUGH)
	{
		steps += 1 / (x * x);
		x += 1;
	}
	r = 1 / (x * x);
	return steps + (1 + 0.5 / x + r * (1. / 6 - r * (1. / 30 - r * (1. / 42 - r *
		(1. / 30 - r * (5. / 66 - r * (691. / 2730 - r * (7. / 6)))))))) / x;
}

/* The third derivative of log Gamma, negative; good enough for Newton's method. */
static double
tetragamma(double x)
{
	double		steps = 0;
	double		r;

	while (x < FAR_ENOUGH)
	{
		steps += 2 / (x * x * x);
		x += 1;
	}
	r = 1 / (x * x);
	return -steps - r * (1 + 1 / x + r * (1. / 2 - r * (1. / 6 - r * (1. / 6 - r * (3. / 10)))));
}

/*
 * Newton's method for 1 / trigamma, which is convex: from the right it never leaves that
 * side, and a first step from the left ends there.
 */
double
fg_trigamma_inverse(double y)
{
	double		x = y > 1e7 ? 1 / sqrt(y) : 0.5 + 1 / y;

	if (!(y > 0))
		return NAN;
	if (x == 0 || y < 1e-8)
		return x;				/* exact: the next term is y / 12 */
	for (int i = 0; i < 100; i++)
	{
		double		value = fg_trigamma(x);
		double		step = value * (1 - value / y) / tetragamma(x);

		x += step;
		if (fabs(step) <= 4 * DBL_EPSILON * x)
			break;
	}
	return x;
}
