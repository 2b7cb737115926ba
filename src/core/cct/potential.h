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

#include "core/profile/tree.h"

/*
 * potential[f] and naive[f] for each frame f of the tree's dictionary, in the
 * unit of the values; naive[f] - potential[f] is the correction for recursion.
 * FG_ERROR_RANGE when a sum overflows.
 */
extern bool fg_subtree_potential(FgContext *ctx, const FgTree *tree, uint32_t degree,
								 double *potential, double *naive);

/*
 * The terms of that sum: for each node u = 1 .. nnodes p_n(u), what lies within
 * reach of u, and c_n(u), what of it a recursive call of u's frame counts again;
 * the sum of p_n - c_n over the nodes of a frame is its corrected potential.  Room
 * for nnodes + 1; the virtual root's are 0.  FG_ERROR_RANGE when an inclusive value
 * overflows, even one that is out of reach.
 */
extern bool fg_node_potential(FgContext *ctx, const FgTree *tree, uint32_t degree,
							  double *potential, double *correction);

#endif							/* FG_POTENTIAL_H */
