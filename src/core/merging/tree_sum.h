/*
 * tree_sum.h
 *	  A sum of profiles that grows in place.
 *
 * Workload: hundreds of recordings of one program.  The sum has three times the nodes of a
 * recording, and nearly all nodes of the next recording are among them.  A merge writes a new
 * tree of all nodes; here each node of a recording is looked at once, and its value added where
 * it is.
 *
 * Most nodes of a profile have one child: 60,000 nodes have 2,240 leaves, and a sum of 202,695
 * has 8,059.  So the sum is a trie of runs, chains of nodes without a branch.  The nodes of a run
 * lie behind each other, and they are compared with those of a profile eight at a time; only at
 * its end the next run is looked up by the frame that follows.  Of an encoded profile not even a
 * tree is made: its ranks (codec.h) are compared with those that the edges of the sum have in it.
 *
 * Invariants:
 *	- nodes keep their numbers, in the order in which they came; a run that gets a branch is cut
 *	- values of a stack are added in the order of the profiles; one may become 0, infinite or NaN:
 *	  fg_tree_sum_finish looks at that
 *	- a profile that is refused has added no value
 */
#ifndef FG_TREE_SUM_H
#define FG_TREE_SUM_H

#include "core/profile/tree.h"

typedef struct FgTreeSum FgTreeSum;

/* NULL with the error set when there is no memory. */
extern FgTreeSum *fg_tree_sum_create(FgContext *ctx);
extern void fg_tree_sum_free(FgTreeSum *sum);

/* Nodes so far, the root not counted; those whose values have cancelled are among them. */
extern uint32_t fg_tree_sum_nodes(const FgTreeSum *sum);

/* Adds a tree.  FG_ERROR_LIMIT when there are too many nodes. */
extern bool fg_tree_sum_add(FgTreeSum *sum, const FgTree *tree);

/*
 * Adds a profile by its encoded form; the same errors as fg_codec_decode.  Of bytes that no
 * encoder writes, such as a dictionary that has a frame twice, the one may take what is an error
 * to the other.
 */
extern bool fg_tree_sum_add_encoded(FgTreeSum *sum, const uint8_t *bytes, size_t size);

/*
 * The sum, canonical.  FG_ERROR_RANGE when a value is not finite.  The sum can only be freed then.
 */
extern bool fg_tree_sum_finish(FgTreeSum *sum, FgTree *tree);

#endif							/* FG_TREE_SUM_H */
