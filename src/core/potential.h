/*
 * potential.h
 *	  Subtree potentials (Lundberg & Rettig 2024, section 5): how much of the
 *	  whole lies within "degree" calls below a frame.
 *
 * The corrected potential of degree n of a frame A is the sum of the values of
 * the stacks that have A among their last n + 1 frames.  This equals the thesis'
 * recurrence with its correction term c_n: a stack with k such A within reach is
 * counted k times by the naive sum and corrected k - 1 times.  Degree 0 is the
 * code path potential: what is spent in the frame itself.
 *
 * A sum over a set of profiles is the potential of their sum, as everything here
 * is linear.
 */
#ifndef FG_POTENTIAL_H
#define FG_POTENTIAL_H

#include "tree.h"

/*
 * potential[f] and naive[f] for each frame f of the tree's dictionary, in the
 * unit of the values; naive[f] - potential[f] is the correction for recursion.
 * FG_ERROR_RANGE when a sum overflows.
 */
extern bool fg_subtree_potential(FgContext *ctx, const FgTree *tree, uint32_t degree,
								 double *potential, double *naive);

#endif							/* FG_POTENTIAL_H */
