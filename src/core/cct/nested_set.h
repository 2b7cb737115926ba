/*
 * nested_set.h
 *	  A profile, or two on one tree, as rows that nest by their levels: level, inclusive
 *	  value, own value, label, parents before children, as Grafana's flame graph panel
 *	  reads them.
 *
 * Level 0 is the root alone, whose own value is that of the empty stack.  The rows of a
 * node that is left out and of all below it are missing without a stand-in, since a
 * viewer would rank that as a function; the values of what is above stay as they are.
 */
#ifndef FG_NESTED_SET_H
#define FG_NESTED_SET_H

#include "core/merging/tree_union.h"

/*
 * The nodes that are rows, in preorder from the root on: *nodes, count of them, to be
 * released.  total[s] are the inclusive values of a side; one of the two may be NULL.  A
 * node is a row when its parent is one, its depth is at most max_depth and its value is,
 * on a side that has it, at least min_share of that side's total.  Values are not
 * negative.
 */
extern bool fg_nested_set(FgContext *ctx, const FgTree *tree,
						  const double *const total[FG_SIDES], double min_share,
						  uint32_t max_depth, uint32_t **nodes, uint32_t *count);

#endif							/* FG_NESTED_SET_H */
