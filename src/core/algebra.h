/*
 * algebra.h
 *	  The vector space of profiles (Tornetta 2023): linear combinations, norms,
 *	  distance, similarity, positive and negative part.
 *
 * Two trees are walked together as two preorder streams; the smaller key comes
 * first (tree.h), so each costs one linear pass without branches that depend on
 * the data.  Trees over different dictionaries are first renumbered to the union
 * of these, which keeps their order.
 *
 * A result that does not fit a double, and a product that underflows to 0, is
 * FG_ERROR_RANGE.
 */
#ifndef FG_ALGEBRA_H
#define FG_ALGEBRA_H

#include "tree.h"

/* x*a + y*b, canonical.  a and b may be the same tree. */
extern bool fg_combine(FgContext *ctx, const FgTree *a, double x, const FgTree *b, double y,
					   FgTree *result);

/* k*a.  k = 0 gives the empty tree. */
extern bool fg_scale(FgContext *ctx, const FgTree *a, double k, FgTree *result);

/* a/k: correctly rounded, as k * (1/a) would not be; k != 0. */
extern bool fg_divide(FgContext *ctx, const FgTree *a, double k, FgTree *result);

typedef enum FgPart
{
	FG_PART_POSITIVE,			/* max(v, 0) */
	FG_PART_NEGATIVE,			/* max(-v, 0): a = positive - negative */
	FG_PART_ABSOLUTE			/* |v| */
} FgPart;

extern bool fg_part(FgContext *ctx, const FgTree *a, FgPart part, FgTree *result);

/* The p-norm for p = 1, 2 or INFINITY; FG_ERROR_ARGUMENT for any other p. */
extern bool fg_norm(FgContext *ctx, const FgTree *a, double p, double *norm);

/* The p-norm of a - b, without building it. */
extern bool fg_distance(FgContext *ctx, const FgTree *a, const FgTree *b, double p,
						double *distance);

/*
 * 1 - |a-b| / (|a|+|b|) with L1 norms (Tornetta 2023, section 3.2), in [0, 1]; 1
 * for two empty profiles.  Taken of values divided by the largest, so it exists
 * even where the norms overflow.
 */
extern bool fg_similarity(FgContext *ctx, const FgTree *a, const FgTree *b, double *similarity);

#endif							/* FG_ALGEBRA_H */
