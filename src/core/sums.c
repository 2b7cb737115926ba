/*
 * sums.c
 *	  Sums and norms of arrays of doubles (see sums.h).
 */
#include "sums.h"

#include <math.h>

/*
 * Adding and taking away 1.5 * 2^52 rounds to a whole number.  Lanes let the
 * compiler use vector registers without reordering floating-point sums, which
 * would be wrong elsewhere but is exact here.
 */
#define LANES 4

static bool
sum_whole_numbers(const double *values, size_t count, double *sum, double *absolute)
{
	double		sums[LANES] = {0};
	double		absolutes[LANES] = {0};
	double		fractions[LANES] = {0};
	size_t		i = 0;

	for (; i + LANES <= count; i += LANES)
	{
		for (size_t lane = 0; lane < LANES; lane++)
		{
			double		value = values[i + lane];

			fractions[lane] += fabs(value + 0x1.8p52 - 0x1.8p52 - value);
			sums[lane] += value;
			absolutes[lane] += fabs(value);
		}
	}
	for (; i < count; i++)
	{
		fractions[0] += fabs(values[i] + 0x1.8p52 - 0x1.8p52 - values[i]);
		sums[0] += values[i];
		absolutes[0] += fabs(values[i]);
	}
	*sum = sums[0] + sums[1] + sums[2] + sums[3];
	*absolute = absolutes[0] + absolutes[1] + absolutes[2] + absolutes[3];
	/* above 2^53 the trick with 1.5 * 2^52 says nothing, but then this is false */
	return fractions[0] + fractions[1] + fractions[2] + fractions[3] == 0 && *absolute < 0x1p53;
}

static double
sum_compensated(const double *values, size_t count, bool absolute, double scale)
{
	double		sum = 0;
	double		error = 0;

	for (size_t i = 0; i < count; i++)
	{
		double		value = (absolute ? fabs(values[i]) : values[i]) * scale;
		double		next = sum + value;

		error += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
		sum = next;
	}
	return sum + error;
}

static double
sum_safely(const double *values, size_t count, bool absolute)
{
	double		sum = sum_compensated(values, count, absolute, 1);

	if (isfinite(sum))
		return sum;
	return sum_compensated(values, count, absolute, 0x1p-32) * 0x1p32;
}

void
fg_sums(const double *values, size_t count, double *sum, double *absolute)
{
	if (sum_whole_numbers(values, count, sum, absolute))
		return;
	*sum = sum_safely(values, count, false);
	*absolute = sum_safely(values, count, true);
}

double
fg_max_absolute(const double *values, size_t count)
{
	double		largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
	return largest;
}

double
fg_euclidean(const double *values, size_t count)
{
	double		largest = fg_max_absolute(values, count);
	double		sum = 0;
	double		scale;
	int			exponent;

	if (largest == 0 || !isfinite(largest))
		return largest;
	frexp(largest, &exponent);
	scale = ldexp(1, -exponent < -1022 ? -1022 : (-exponent > 1022 ? 1022 : -exponent));
	for (size_t i = 0; i < count; i++)
		sum += values[i] * scale * (values[i] * scale);
	return sqrt(sum) / scale;
}
