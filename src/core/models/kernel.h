/*
 * kernel.h
 *	  The kernels of kernel regression, and sums over a Gaussian one.
 *
 * Those of second order are scaled to variance 1, so that one bandwidth means the same
 * smoothing for each of them: the Epanechnikov kernel lives on |z| < sqrt 5.
 *
 * All results are the same on every machine: the exponential function is our own, and
 * every sum has an order of its own that does not depend on the width of registers.
 */
#ifndef FG_KERNEL_H
#define FG_KERNEL_H

#include "core/base/context.h"

typedef enum FgKernel
{
	FG_GAUSSIAN,
	FG_EPANECHNIKOV,
	FG_TRICUBE,
	FG_GAUSSIAN4,				/* of fourth order: these two have negative values */
	FG_EPANECHNIKOV4
} FgKernel;

#define FG_KERNELS (FG_EPANECHNIKOV4 + 1)

extern const char *fg_kernel_word(FgKernel kernel);

/* The kernel of a word, aliases included; FG_ERROR_ARGUMENT for any other word. */
extern bool fg_kernel_parse(FgContext *ctx, const char *text, size_t length, FgKernel *kernel);

/* NaN for NaN.  A Gaussian below 1e-290 is 0. */
extern double fg_kernel_value(FgKernel kernel, double z);

/* The same for many z at once, none of them NaN. */
extern void fg_kernel_values(FgKernel kernel, const double *z, double *values, size_t n);

/* The kernel is 0 where |z| is larger. */
extern double fg_kernel_radius(FgKernel kernel);

/* Sums of products in four interleaved parts; fg_sum is that of the values themselves. */
extern double fg_dot(const double *a, const double *b, size_t n);
extern double fg_sum(const double *a, size_t n);

/*
 * Sums over the points i of a Gaussian kernel K, z = (x[i] - t) / h, for each target t.
 * Those after the second are only computed on demand: they cost as much again.
 */
typedef enum FgGaussSum
{
	FG_SUM_K,
	FG_SUM_KY,
	FG_SUM_KZ,
	FG_SUM_KZZ,
	FG_SUM_KZY
} FgGaussSum;

#define FG_GAUSS_SUMS (FG_SUM_KZY + 1)

/*
 * Adds to the first "sums" (2 or FG_GAUSS_SUMS) arrays; x and the targets ascend.  Relative
 * to the same sum with |y| the error of a sum is some 1e-15; that of the sums with z is
 * relative to one with |z| + *reach.  Values below 1e-290 may or may not be in the sums.
 */
extern bool fg_gauss_sums(FgContext *ctx, const double *x, const double *y, size_t n,
						  const double *target, size_t targets, double h, int sums,
						  double *const *sum, double *reach);

#endif							/* FG_KERNEL_H */
