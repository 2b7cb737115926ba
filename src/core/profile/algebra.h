/*
 * algebra.h
 *	  The vector space of profiles (Tornetta 2023): linear combinations, norms,
 *	  distance, similarity, positive and negative part.
 *
 * Two trees are walked together (tree_pair.h), so each operation costs one linear
 * pass over both.
 *
 * A result that does not fit a double, and a product that underflows to 0, is
 * FG_ERROR_RANGE.
 */
#ifndef FG_ALGEBRA_H
#define FG_ALGEBRA_H

#include "core/profile/tree.h"

/* x*a + y*b, canonical.  a and b may be the same tree. */
extern bool fg_combine(FgContext *ctx, const FgTree *a, double x, const FgTree *b, double y,
					   FgTree *result);

/*
 * Makes a tree canonical whose values were added up in place: FG_ERROR_RANGE when one is not
 * finite; leaves whose values have cancelled go, and room beyond what "capacity" nodes take is
 * given back.
 */
extern bool fg_settle(FgContext *ctx, FgTree *tree, uint32_t capacity);

/* k*a.  k = 0 gives the empty tree. */
extern bool fg_scale(FgContext *ctx, const FgTree *a, double k, FgTree *result);

/* a/k: correctly rounded, as k * (1/a) would not be; k != 0. */
extern bool fg_divide(FgContext *ctx, const FgTree *a, double k, FgTree *result);

/*
 * Each value rounded to so many decimal places as printf's %.*f does it (to the nearest,
 * exactly, ties to the even digit); with negative digits to tens, hundreds, ...  Stacks
 * whose value becomes 0 go.
 */
extern bool fg_round(FgContext *ctx, const FgTree *a, int digits, FgTree *result);

typedef enum FgSignPart
{
	FG_PART_POSITIVE,			/* max(v, 0) */
	FG_PART_NEGATIVE,			/* max(-v, 0): a = positive - negative */
	FG_PART_ABSOLUTE			/* |v| */
} FgSignPart;

extern bool fg_part(FgContext *ctx, const FgTree *a, FgSignPart part, FgTree *result);

/*
 * The change from "before" to "after" falls into four disjoint parts, each with
 * positive values (Tornetta 2023, section 3.1; for signed profiles the sign of
 * the difference decides, and "appeared" means absent before):
 *	after - before = appeared + grown - disappeared - shrunk
 */
typedef enum FgChange
{
	FG_CHANGE_APPEARED,
	FG_CHANGE_GROWN,
	FG_CHANGE_DISAPPEARED,
	FG_CHANGE_SHRUNK
} FgChange;

extern bool fg_change(FgContext *ctx, const FgTree *before, const FgTree *after, FgChange part,
					  FgTree *result);

/* The smaller or larger value of each stack, absent = 0. */
extern bool fg_min(FgContext *ctx, const FgTree *a, const FgTree *b, FgTree *result);
extern bool fg_max(FgContext *ctx, const FgTree *a, const FgTree *b, FgTree *result);

/* The values of a at the stacks of "which". */
extern bool fg_restrict(FgContext *ctx, const FgTree *a, const FgTree *which, FgTree *result);

/* 1 for each stack of a. */
extern bool fg_support(FgContext *ctx, const FgTree *a, FgTree *result);

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
