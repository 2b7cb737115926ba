/*
 * groups.h
 *	  What is spent in groups of functions, such as modules or libraries.
 */
#ifndef FG_GROUPS_H
#define FG_GROUPS_H

#include "core/profile/tree.h"

/*
 * group[f] < ngroups is the group of frame f.  self[g] becomes the sum of the stacks that
 * end in a function of the group, total[g] that of the stacks that have one, each once.
 * FG_ERROR_RANGE when a sum overflows.
 */
extern bool fg_group_values(FgContext *ctx, const FgTree *tree, const uint32_t *group,
							uint32_t ngroups, double *self, double *total);

#endif							/* FG_GROUPS_H */
