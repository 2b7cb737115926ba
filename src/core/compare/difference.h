/*
 * difference.h
 *	  What a comparison of two groups of profiles says about each key, and what is asked
 *	  of it afterwards: the order of the keys, the kind of a change, its interval.
 */
#ifndef FG_DIFFERENCE_H
#define FG_DIFFERENCE_H

#include "core/profile/algebra.h"
#include "core/profile/tree.h"

/*
 * A key that was tested.  t is infinite and df NaN where both groups are constant but
 * different; t 0, p 1 where they are equal.  With fewer than two profiles in a group
 * (moderated: in both) error, t, df, p, q and stddev are NaN.
 */
typedef struct FgDifference
{
	uint32_t	node;			/* of FgWelchComparison.keys */
	double		mean_before;
	double		mean_after;		/* divided by the size factor */
	double		delta;			/* after - before */
	double		error;			/* standard error of delta */
	double		t;
	double		df;				/* of t (key_test.h) */
	double		p;				/* two-sided */
	double		q;				/* p adjusted for the number of keys */
	double		stddev;			/* of a run: error / sqrt(1 / n1 + 1 / n2) */
} FgDifference;

typedef struct FgWelchComparison
{
	FgTree		keys;			/* those of both groups; self = profiles that have the key */
	double		factor;			/* the size factor */
	uint32_t	count;
	FgDifference *rows;			/* in preorder of the keys */
} FgWelchComparison;

extern void fg_comparison_free(FgContext *ctx, FgWelchComparison *comparison);

/* order[i] = number of the row with the i-th smallest p; equal ones by their keys. */
extern bool fg_comparison_order(FgContext *ctx, const FgWelchComparison *comparison,
								uint32_t *order);

/* The part of the change that a row belongs to; false without a change. */
extern bool fg_difference_change(const FgDifference *row, FgChange *change);

/*
 * The interval of delta at confidence 1 - alpha, of this key alone.  Quantiles are
 * remembered: many keys have the same degrees of freedom.
 */
typedef struct FgIntervals
{
	double		alpha;
	double		df;				/* 0 at first */
	double		quantile;
} FgIntervals;

extern void fg_difference_interval(const FgDifference *row, FgIntervals *intervals,
								   double *lower, double *upper);

#endif							/* FG_DIFFERENCE_H */
