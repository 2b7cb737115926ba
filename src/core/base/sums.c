/*
 * sums.c
 *	  Sums and norms of arrays of doubles (see sums.h).
 */
#include "core/base/sums.h"

#include <math.h>

/*
 * Adding and taking away 1.5 * 2^52 rounds to a whole number.  Lanes let the
 * compiler use vector registers without reordering floating-point sums, which
 * would be wrong elsewhere but is exact here.
 */
#define LANES 4

typedef struct Lanes
{
	double		sum[LANES];
	double		absolute[LANES];
	double		fraction[LANES];
} Lanes;

static void
add_block(Lanes *lanes, const double *values, size_t count)
{
	size_t		i = 0;

	for (; i + LANES <= count; i += LANES)
	{
		for (size_t lane = 0; lane < LANES; lane++)
		{
			double		value = values[i + lane];

			lanes->fraction[lane] += fabs(value + 0x1.8p52 - 0x1.8p52 - value);
			lanes->sum[lane] += value;
			lanes->absolute[lane] += fabs(value);
		}
	}
	for (; i < count; i++)
	{
		lanes->fraction[0] += fabs(values[i] + 0x1.8p52 - 0x1.8p52 - values[i]);
		lanes->sum[0] += values[i];
		lanes->absolute[0] += fabs(values[i]);
	}
}

static double
add_lanes(const double *lane)
{
	return lane[0] + lane[1] + lane[2] + lane[3];
}

/* *exact: all are whole and the sums below 2^53. */
static bool
sum_whole_numbers(FgContext *ctx, const double *values, size_t count, double *sum,
				  double *absolute, bool *exact)
{
	Lanes		lanes = {0};

	for (size_t start = 0, end = 0; start < count; start = end)
	{
		if (!fg_next_block(ctx, start, count, &end))
			return false;
		add_block(&lanes, values + start, end - start);
	}
	*sum = add_lanes(lanes.sum);
	*absolute = add_lanes(lanes.absolute);
	/* above 2^53 the trick with 1.5 * 2^52 says nothing, but then this is false */
	*exact = add_lanes(lanes.fraction) == 0 && *absolute < 0x1p53;
	return true;
}

static bool
sum_compensated(FgContext *ctx, const double *values, size_t count, bool absolute, double scale,
				double *result)
{
	double		sum = 0;
	double		error = 0;

	for (size_t i = 0; i < count; i++)
	{
		double		value = (absolute ? fabs(values[i]) : values[i]) * scale;
		double		next = sum + value;

		error += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
		sum = next;
		if (!fg_check_every(ctx, i))
			return false;
	}
	*result = sum + error;
	return true;
}

static bool
sum_safely(FgContext *ctx, const double *values, size_t count, bool absolute, double *sum)
{
	if (!sum_compensated(ctx, values, count, absolute, 1, sum))
		return false;
	if (isfinite(*sum))
		return true;
	if (!sum_compensated(ctx, values, count, absolute, 0x1p-32, sum))
		return false;
	*sum *= 0x1p32;
	return true;
}

bool
fg_sums(FgContext *ctx, const double *values, size_t count, double *sum, double *absolute)
{
	bool		exact;

	if (!sum_whole_numbers(ctx, values, count, sum, absolute, &exact))
		return false;
	return exact || (sum_safely(ctx, values, count, false, sum) &&
					 sum_safely(ctx, values, count, true, absolute));
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
