/*
 * hot.h
 *	  Hot calling contexts (D'Elia et al. as described by Lumnitz 2021, section 6.2):
 *	  those whose own value exceeds a share of the whole.
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

#endif							/* FG_HOT_H */
