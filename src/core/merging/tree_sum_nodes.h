/*
 * tree_sum_nodes.h
 *	  Numbers for the stacks of many profiles: those of the nodes of a sum that grows in place.
 *
 * Workload: a series (series/flameseries_build.h) keeps a node beside each of its values, millions
 * of them.  A profile has some hundred nodes, of which the trie of runs (tree_sum.h) has nearly
 * all, among ten or fifty times as many others.  It has its frames, too: known_frames.h numbers
 * those.
 *
 * Invariants:
 *	- nodes keep their numbers; the root is 0
 *	- nodes that a profile brings come behind the others, and have the value 0, whatever it has
 *	- the nodes of a profile are different ones, and in the tree that is made in the end they come
 *	  in the same order as in the profile
 */
#ifndef FG_TREE_SUM_NODES_H
#define FG_TREE_SUM_NODES_H

#include "core/merging/tree_sum.h"

/*
 * A sum to be used by these functions only.  NULL with the error set when there is no memory;
 * fg_tree_sum_free releases it.
 */
extern FgTreeSum *fg_tree_sum_nodes_create(FgContext *ctx);

/*
 * node[] by node of the tree, the root's first: its number.  The caller has room for nnodes + 1.
 * FG_ERROR_LIMIT when there are too many; the error of fg_frame_valid for a frame that is none;
 * FG_ERROR_CORRUPT when the dictionary is not in order.
 */
extern bool fg_tree_sum_nodes_of(FgTreeSum *sum, const FgTree *tree, uint32_t *node);

/*
 * The same of an encoded profile, of whose tree only keys and values are made, and no frames;
 * (*node)[] holds until the next one.  Errors as fg_codec_decode, too.  Of a dictionary that is not
 * in order nodes may come twice, or in another order than in the tree that is made in the end.
 */
extern bool fg_tree_sum_nodes_of_encoded(FgTreeSum *sum, const uint8_t *bytes, size_t size,
										 FgTree *tree, const uint32_t **node);

/* Adds so much to the value of a node. */
extern void fg_tree_sum_node_add(FgTreeSum *sum, uint32_t node, double value);

/*
 * The tree of all nodes with their values, whatever they are, and (*place)[] by number of a node:
 * its place in it, to be released.  The sum can only be freed then.
 */
extern bool fg_tree_sum_nodes_finish(FgTreeSum *sum, FgTree *tree, uint32_t **place);

#endif							/* FG_TREE_SUM_NODES_H */
