/*
 * compact_sums.h
 *	  Sums over an Epanechnikov kernel at many targets, from prefix sums.
 *
 * The kernel is a polynomial on its support, so sums over a window are combinations of
 * power sums, which are differences of prefix sums: all targets cost O(n + targets),
 * however wide the window is.  The power sums have some 106 bits, so that the differences
 * lose nothing that a double shows.
 */
#ifndef FG_COMPACT_SUMS_H
#define FG_COMPACT_SUMS_H

#include "core/models/kernel.h"

/*
 * Whether the sums are exact to 1e-13 of the number of points: "sums" as in
 * fg_gauss_sums (2 or FG_GAUSS_SUMS).  Not so for windows that are very narrow next to
 * the range of x, which hold few points anyway.
 */
extern bool fg_compact_sums_exact(const double *x, size_t n, double h, int sums);

/*
 * Fills the first "sums" arrays, as fg_gauss_sums does; x and the targets ascend.
 * Where a sum is too large for that, FG_SUM_K is NaN.
 */
extern bool fg_compact_sums(FgContext *ctx, const double *x, const double *y, size_t n,
							const double *target, size_t targets, double h, int sums,
							double *const *sum);

#endif							/* FG_COMPACT_SUMS_H */
