/*
 * local_fit.h
 *	  One estimate of a smoother by its definition: a polynomial fitted to the points
 *	  around a place, with weights that fall with the distance from it.  At degree 0 this
 *	  is the weighted mean of Nadaraya and Watson (1964), above it the local polynomial of
 *	  Fan and Gijbels (1996).
 *
 * The degree is at most one less than the number of distinct x whose weight is above
 * 1e-10 times the largest: a small bandwidth leaves weights like 1 and 1e-200, and what a
 * polynomial through such points is depends on the solver.  There is no estimate where
 * all weights are 0, where their sum at degree 0 is not positive, and where the equations
 * are singular.
 *
 * x and y are finite and sorted (fg_series_sort).  smoother.h makes many estimates.
 */
#ifndef FG_LOCAL_FIT_H
#define FG_LOCAL_FIT_H

#include "core/models/kernel.h"

#include <math.h>

/* Beyond this degree double precision has nothing left to say. */
#define FG_MAX_DEGREE 20

/* FG_ERROR_ARGUMENT outside 0 .. FG_MAX_DEGREE. */
extern bool fg_degree_check(FgContext *ctx, int64_t degree);

/* How y is smoothed: the kernel, the degree of the polynomial, and the bandwidth. */
typedef struct FgSmoother
{
	FgKernel	kernel;
	uint32_t	degree;
	double		bandwidth;
} FgSmoother;

/* The caller sets the first five members, fg_local_fit_begin the others. */
typedef struct FgLocalFit
{
	FgContext  *ctx;
	const FgSmoother *smoother;
	const double *x;
	const double *y;
	size_t		n;
	double		h;
	double		radius;			/* in units of h */
	double		at_zero;		/* the kernel there */
	bool		signed_weights;	/* the kernel has negative values */
	double	   *z;				/* of the points in the window, in n places each */
	double	   *w;
	double	   *p;				/* a polynomial, the one before it, what is left of y; */
	double	   *q;				/* NULL where the degree is 0 */
	double	   *rest;
	double	   *matrix;			/* degree + 1 rows of degree + 2; of 4th-order kernels */
} FgLocalFit;

/* An estimate, and the weight of a point in its own; NaN: there is none. */
typedef struct FgEstimate
{
	double		value;
	double		hat;
} FgEstimate;

/* The estimate of degree 0 from the sums of K and of K y; none where the weights cancel out. */
static inline FgEstimate
fg_weighted_mean(double sum_k, double sum_ky, double at_zero)
{
	if (!(sum_k > 0))
		return (FgEstimate) {NAN, NAN};
	return (FgEstimate) {sum_ky / sum_k, at_zero / sum_k};
}

/* fg_local_fit_end is needed in any case. */
extern bool fg_local_fit_begin(FgLocalFit *s);
extern void fg_local_fit_end(FgLocalFit *s);

/* The first point from "from" on with (x - t) / h >= limit, or "beyond" it. */
extern size_t fg_local_fit_point(const FgLocalFit *s, size_t from, double t, double limit,
								 bool beyond);

#define FG_NOTHING_LEFT_OUT SIZE_MAX

/* The estimate at t from all points but one. */
extern bool fg_local_fit_at(FgLocalFit *s, double t, size_t left_out, FgEstimate *estimate);

#endif							/* FG_LOCAL_FIT_H */
