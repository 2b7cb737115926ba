/*
 * moment.h
 *	  The moments of one stack in a sample, and what they are in two samples together.
 *
 * n is in how many profiles the stack has a value other than 0, sum that of these values, and
 * m2 their squared deviations from their mean.  Where n is 0, so are the others.
 */
#ifndef FG_MOMENT_H
#define FG_MOMENT_H

#include <math.h>

typedef struct FgMoment
{
	double		n;
	double		sum;
	double		m2;
} FgMoment;

static inline FgMoment
fg_moment_of(double value)
{
	return (FgMoment) {value != 0, value, 0};
}

/* Chan, Golub & LeVeque 1979, eq. 2.1. */
static inline FgMoment
fg_moment_merge(FgMoment a, FgMoment b)
{
	FgMoment	both = {a.n + b.n, a.sum + b.sum, a.m2 + b.m2};
	double		cross;
	double		difference;

	if (a.n == 0 || b.n == 0)
		return both;
	/* exact for whole counts, where a difference of means would be rounded twice */
	cross = a.sum * b.n - b.sum * a.n;
	if (isfinite(cross * cross))
		both.m2 += cross * cross / (a.n * b.n * both.n);
	else
	{
		difference = a.sum / a.n - b.sum / b.n;
		both.m2 += difference * difference * (a.n * b.n / both.n);
	}
	return both;
}

#endif							/* FG_MOMENT_H */
