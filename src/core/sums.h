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

#include <stdbool.h>
#include <stddef.h>

/* Both sums at once; fewer than 2^32 finite values. */
extern void fg_sums(const double *values, size_t count, double *sum, double *absolute);

extern double fg_max_absolute(const double *values, size_t count);

/* sqrt of the sum of squares, without overflow on the way; may be infinite. */
extern double fg_euclidean(const double *values, size_t count);

#endif							/* FG_SUMS_H */
