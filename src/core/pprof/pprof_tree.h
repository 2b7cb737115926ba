/*
 * pprof_tree.h
 *	  The tree of a sample type, of stacks that are in the order of the tree.
 *
 * When all stacks are in order, and nothing is to be said about their frames, a tree is written down as it will be:
 * without a table of its nodes, which would be as large again, and without looking anything up.
 */
#ifndef FG_PPROF_TREE_H
#define FG_PPROF_TREE_H

#include "core/pprof/pprof_ranks.h"
#include "core/pprof/pprof_samples.h"
#include "core/profile/tree.h"

/* The labels of the lists are numbers of stacks, and all their frames are clean (fg_pprof_rank_is_clean). */
extern bool fg_pprof_tree(const FgStackLists *lists, const FgPprofRanks *ranks, const FgPprofSamples *samples,
						  size_t type, FgTree *tree);

#endif							/* FG_PPROF_TREE_H */
