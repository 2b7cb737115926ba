/*
 * hot.h
 *	  Hot calling contexts (D'Elia et al. as described by Lumnitz 2021, section 6.2):
 *	  those whose own value exceeds a share of the whole; and the few hottest ones.
 */
#ifndef FG_HOT_H
#define FG_HOT_H

#include "core/profile/tree.h"

/*
 * hot[i] for i = 0 .. nnodes: is there a value, and is it > phi * total?  D'Elia et al.
 * round phi * total down, which is not done here: for whole counts it changes nothing,
 * in seconds it would make every context hot.  FG_ERROR_RANGE when the total overflows.
 */
extern bool fg_hot_contexts(FgContext *ctx, const FgTree *tree, double phi, uint8_t *hot);

/*
 * The "most" stacks with the largest values, whatever their signs: their nodes, the
 * largest first, of equal ones the first in order.  For a few of them: each node is
 * compared with the smallest that is kept.  *count is how many there are.
 */
extern bool fg_largest_stacks(FgContext *ctx, const FgTree *tree, uint32_t most, uint32_t *nodes,
							  uint32_t *count);

#endif							/* FG_HOT_H */
