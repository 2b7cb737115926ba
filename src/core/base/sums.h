/*
 * sums.h
 *	  Sums and norms of arrays of doubles, as exact as they are cheap.
 *
 * Whole numbers whose absolute values stay below 2^53 are summed plainly: that
 * is exact in any order.  Other sums are compensated (Neumaier 1974), and taken
 * of scaled-down values when an intermediate sum overflows, so that a sum is
 * infinite only when it does not fit a double.  The result depends on nothing
 * but the values and their order (compile with -ffp-contract=off).
 */
#ifndef FG_SUMS_H
#define FG_SUMS_H

#include "core/base/context.h"

#include <math.h>

/*
 * Counts x among numbers whose sums are exact, in any order and of any of them: whole
 * numbers whose absolute values, "norm" so far, add up to less than 2^53.
 */
static inline bool
fg_sums_exactly(double *norm, double x)
{
	*norm += fabs(x);
	return *norm < 0x1p53 && (double) (int64_t) x == x;
}

/* Both sums at once; fewer than 2^32 values.  False only when work must end. */
extern bool fg_sums(FgContext *ctx, const double *values, size_t count, double *sum,
					double *absolute);

extern double fg_max_absolute(const double *values, size_t count);

/* sqrt of the sum of squares, without overflow on the way; may be infinite. */
extern double fg_euclidean(const double *values, size_t count);

/*
 * A number as the unevaluated sum of two doubles (Dekker 1971): some 106 bits,
 * for differences of sums that would cancel.
 */
typedef struct FgDouble2
{
	double		high;
	double		low;
} FgDouble2;

static inline void
fg_double2_add(FgDouble2 *a, FgDouble2 b)
{
	double		sum = a->high + b.high;
	double		part = sum - a->high;
	double		error = (a->high - (sum - part)) + (b.high - part) + a->low + b.low;

	a->high = sum + error;
	a->low = error - (a->high - sum);
}

static inline void
fg_double2_subtract(FgDouble2 *a, FgDouble2 b)
{
	FgDouble2	negative = {-b.high, -b.low};

	fg_double2_add(a, negative);
}

#endif							/* FG_SUMS_H */
