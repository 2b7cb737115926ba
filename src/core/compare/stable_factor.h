/*
 * stable_factor.h
 *	  A size factor from what did not change.
 *
 * The median of the ratios after / before is wrong twice.  It is pushed by the keys that grew,
 * by half a percent, which is seen in a context that has most of the samples; and where more
 * than half of the frequent stacks grew, it is their ratio.  So after the median:
 *
 * 1. The calling context that differs most from all others is looked for, by the likelihood
 *	  ratio of one rate inside and one outside (the scan statistic of Kulldorff 1997, over
 *	  subtrees), and left out if it differs by more than noise; at most three of them.  It
 *	  holds less than half of the stacks: a subtree that grew and everything else that shrank
 *	  look alike, but only one of the two is a subtree.
 * 2. The factor is the ratio of the totals of the rest.  All keys are tested with it, those
 *	  that are called different are left out, too, and so on until the same keys are called, at most
 *	  three times.
 *
 * Totals are those of stacks, which do not overlap.  Of contexts (inclusive values) a stack is
 * left out when its own context is called: a caller is called for what is below it.  Functions
 * have no tree; of them only step 2 is done, with the keys' own totals.
 */
#ifndef FG_STABLE_FACTOR_H
#define FG_STABLE_FACTOR_H

#include "core/compare/key_test.h"
#include "core/samples/level.h"

#define FG_STABLE_ROUNDS 3
#define FG_STABLE_ALPHA 0.05

typedef struct FgStableFactor
{
	FgContext  *ctx;
	double		n[2];			/* runs */
	double		dispersion;		/* variance of a value / its mean, over all keys */
	bool		tree;			/* keys contain each other */
	uint32_t	nnodes;			/* of the keys; arrays have the root, too */
	uint32_t   *parents;
	double	   *self[2];		/* by node: the sum over the runs of what no child has */
	bool	   *out;			/* by node: in a context that is left out */
	bool	   *called;			/* by node */
} FgStableFactor;

/* rows and spreads are those of a comparison, in preorder of the keys. */
extern bool fg_stable_begin(FgContext *ctx, const FgTree *keys, FgLevel level,
							const FgKeyTesting *testing, const FgDifference *rows,
							const FgKeySpread *spreads, uint32_t count, FgStableFactor *stable);
extern void fg_stable_end(FgStableFactor *stable);

/* Leaves the contexts out that differ most. */
extern bool fg_stable_scan(FgStableFactor *stable);

/* Notes the rows with q <= FG_STABLE_ALPHA; *same: they are those of last time. */
extern bool fg_stable_call(FgStableFactor *stable, const FgDifference *rows, uint32_t count,
						   bool *same);

/* The factor of what is left; as it was where nothing is. */
extern bool fg_stable_factor(FgStableFactor *stable, double *factor);

#endif							/* FG_STABLE_FACTOR_H */
