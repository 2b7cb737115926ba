/*
 * linalg.h
 *	  What the core asks of a linear algebra library.
 *
 * The core links none: BLAS libraries start threads when they are loaded, and few
 * processes need them.  Whoever can provide these functions hands them in: the server
 * from a module of its own, loaded on first use.
 *
 * Matrices are stored by columns; element (i, j) of a matrix with leading dimension
 * "stride" is a[i + j * stride].
 */
#ifndef FG_LINALG_H
#define FG_LINALG_H

#include <stddef.h>

typedef enum FgLinalgResult
{
	FG_LINALG_OK,
	FG_LINALG_NO_MEMORY,
	FG_LINALG_DIVERGED			/* an iteration did not converge */
} FgLinalgResult;

typedef struct FgLinalg
{
	/*
	 * a = Q R; rows >= columns.  The upper triangle of the first "columns" rows becomes R,
	 * what is below it is not defined.
	 */
	FgLinalgResult (*qr) (double *a, int rows, int columns, int stride);

	/*
	 * An estimate of 1 / (|r| |r^-1|) in the 1-norm, r an upper triangle; too large, if
	 * anything, and hardly ever by more than a factor of 3 (Higham 1988).
	 */
	FgLinalgResult (*condition) (const double *r, int n, int stride, double *reciprocal);

	/* All of them, the largest first; rows >= columns; a is destroyed. */
	FgLinalgResult (*singular_values) (double *a, int rows, int columns, int stride,
									   double *values);
} FgLinalg;

#endif							/* FG_LINALG_H */
