/*
 * graph.c
 *	  Arithmetic of graph benchmarks (see graph.h).
 */
#include "core/jobs/graph.h"

#include <math.h>

#define TOLERANCE 1e-4

double
fg_quotient(double part, double whole)
{
	double		quotient = whole == 0 ? NAN : part / whole;

	return isfinite(quotient) ? quotient : NAN;
}

bool
fg_output_matches(double reference, double output)
{
	if (isinf(reference) || isinf(output))
		return reference == output;
	/* A difference of finite numbers may be infinite: then they do not match. */
	return fabs(output - reference) <= TOLERANCE * fabs(reference);
}

double
fg_coefficient_of_variation(double n, double sum, double squares)
{
	if (!(n >= 2) || sum == 0)
		return NAN;
	return sqrt(squares / (n - 1)) / (sum / n);
}
