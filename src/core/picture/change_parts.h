/*
 * change_parts.h
 *	  The pieces of which a box of a difference is made, exactly.
 *
 * Of each stack the smaller of its two values is common, and the rest is one of the four
 * parts of a change (Tornetta 2023, section 3.1): it has grown or shrunk, appeared or
 * disappeared.  So before = common + shrunk + disappeared, after = common + grown +
 * appeared, and the larger of both is the sum of all five.
 *
 * Means, and what is divided by a size factor, are rounded: what differs by no more than that
 * has not changed (fg_is_unchanged).
 */
#ifndef FG_CHANGE_PARTS_H
#define FG_CHANGE_PARTS_H

#include "core/merging/tree_union.h"

#include <math.h>

/* In the order in which a box shows them, from left to right. */
typedef enum FgPiece
{
	FG_COMMON,
	FG_GROWN,
	FG_APPEARED,
	FG_SHRUNK,
	FG_DISAPPEARED,
	FG_PIECES
} FgPiece;

/* A set of pieces. */
#define FG_PIECE(piece)		(1u << (piece))
#define FG_ALL_PIECES		(FG_PIECE(FG_PIECES) - 1)

extern const char *fg_piece_word(FgPiece piece);

/* Sums of up to a million values are nearer to each other than this, of the larger one. */
#define FG_ROUNDING 1e-9

/*
 * Are two values, not negative, the same but for rounding?  What is new or gone never is; nor
 * are different numbers near the least that a double can be, which have few digits.
 */
static inline bool
fg_is_unchanged(double before, double after)
{
	return before == after || (before > 0 && after > 0 &&
							   fabs(after - before) <= FG_ROUNDING * fmax(before, after));
}

/*
 * Values after become those before where they are the same, or differ by up to "least" (0 but
 * for values that are left of larger ones), on both sides of which there is something: so what
 * is computed from them agrees exactly.  FG_ERROR_RANGE when a sum overflows.
 */
extern bool fg_settle_rounding(FgContext *ctx, FgTreeUnion *both, double least);

/* That of a stack; values are not negative. */
static inline double
fg_piece_of(FgPiece piece, double before, double after)
{
	if (fg_is_unchanged(before, after))
		return piece == FG_COMMON ? fmin(before, after) : 0;
	switch (piece)
	{
		case FG_COMMON:
			return before < after ? before : after;
		case FG_GROWN:
			return before > 0 && after > before ? after - before : 0;
		case FG_APPEARED:
			return before == 0 ? after : 0;
		case FG_SHRUNK:
			return after > 0 && before > after ? before - after : 0;
		default:
			return after == 0 ? before : 0;
	}
}

/* self becomes that of each node, total what all stacks at and below it have. */
extern bool fg_piece_values(FgContext *ctx, const FgTreeUnion *both, FgPiece piece, double *self,
							double *total);

typedef struct FgChangeParts
{
	double	   *total[FG_PIECES];	/* by node of the union */
} FgChangeParts;

/* FG_ERROR_RANGE when one overflows.  Free with fg_change_parts_free, also when it fails. */
extern bool fg_change_parts(FgContext *ctx, const FgTreeUnion *both, FgChangeParts *parts);
extern void fg_change_parts_free(FgContext *ctx, FgChangeParts *parts);

/* total[i] = the sum of some pieces. */
extern bool fg_sum_of_parts(FgContext *ctx, const FgChangeParts *parts, unsigned pieces,
							uint32_t nnodes, double *total);

#endif							/* FG_CHANGE_PARTS_H */
