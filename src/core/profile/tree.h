/*
 * tree.h
 *	  A decoded profile: a sparse vector over call stacks, seen as the trie of
 *	  its stacks (the calling context tree).
 *
 * Node 0 is the virtual root (the empty stack); nodes 1 .. nnodes follow in
 * preorder, the children of a node in the bytewise order of their frames.  A
 * node is a prefix of some stack with a value; self[i] is the coefficient of
 * the stack that ends there, 0 for a mere prefix.
 *
 * key[i] packs depth and frame so that, in the merge of two preorder streams,
 * the smaller key comes first: a deeper node still belongs to the subtree that
 * the other stream has left, and at equal depth siblings follow their frames.
 *
 * Invariants of a canonical tree (fg_tree_check tests them):
 *	- key[0] is the root's; depth grows by at most 1 from a node to the next and
 *	  is at least 1 and at most FG_MAX_DEPTH
 *	- siblings have strictly increasing frames
 *	- every leaf but the root has self != 0; all values are finite
 *	- the dictionary is sorted, distinct, legal, and each frame is used
 * So equal vectors have equal trees, and (codec.h) equal bytes.
 */
#ifndef FG_TREE_H
#define FG_TREE_H

#include "core/base/context.h"
#include "core/profile/frames.h"

typedef struct FgTree
{
	FgFrames	frames;
	uint32_t	nnodes;			/* without the root */
	uint64_t   *key;			/* nnodes + 1 */
	double	   *self;			/* nnodes + 1 */
} FgTree;

/* key and self may have more room than this, for arrays that shrank. */

static inline uint64_t
fg_key(uint32_t depth, uint32_t frame)
{
	return (uint64_t) (FG_MAX_DEPTH - depth) << 32 | frame;
}

static inline uint32_t
fg_key_depth(uint64_t key)
{
	return FG_MAX_DEPTH - (uint32_t) (key >> 32);
}

static inline uint32_t
fg_key_frame(uint64_t key)
{
	return (uint32_t) key;
}

#define FG_ROOT_KEY fg_key(0, 0)

/* Facts of a tree that the header of an encoded value repeats (codec.h). */
typedef struct FgFacts
{
	uint32_t	nnodes;
	uint32_t	nstacks;		/* nodes with a value, the root included */
	uint32_t	nleaves;		/* the root not included */
	uint32_t	depth;
	double		total;			/* sum of the values; infinite when it does not fit */
	double		norm;			/* sum of their absolute values; likewise */
} FgFacts;

/* An empty tree over no frames.  Release it with fg_tree_free. */
extern bool fg_tree_empty(FgContext *ctx, FgTree *tree);

/* Node arrays for nnodes nodes and the root; the dictionary is left empty. */
extern bool fg_tree_alloc(FgContext *ctx, FgTree *tree, uint32_t nnodes);

/*
 * The same for a result whose final size is not known yet and may well be below
 * the limit; the caller checks.
 */
extern bool fg_tree_alloc_unlimited(FgContext *ctx, FgTree *tree, uint64_t nnodes);
extern bool fg_tree_copy(FgContext *ctx, const FgTree *tree, FgTree *copy);
extern void fg_tree_free(FgContext *ctx, FgTree *tree);

/*
 * Makes a tree canonical whose order and dictionary are right: drops the nodes
 * below which no value is left (a sum may cancel), then the unused frames.
 */
extern bool fg_tree_prune_zeros(FgContext *ctx, FgTree *tree);

/* The facts; the sums are those of sums.h over self in node order. */
extern bool fg_tree_facts(FgContext *ctx, const FgTree *tree, FgFacts *facts);

/* No node is deeper than this; quick, and enough to size a stack of depths. */
static inline uint32_t
fg_tree_depth_bound(const FgTree *tree)
{
	return tree->nnodes < FG_MAX_DEPTH ? tree->nnodes : FG_MAX_DEPTH;
}

/* Every invariant above; false with FG_ERROR_CORRUPT and the first one broken. */
extern bool fg_tree_check(FgContext *ctx, const FgTree *tree);

/*
 * totals[i] = sum of the values of node i and all below it, for i = 0 .. nnodes
 * (inclusive values).  FG_ERROR_RANGE when one does not fit a double.
 */
extern bool fg_tree_totals(FgContext *ctx, const FgTree *tree, double *totals);

/* The same for one node, compensated as sums.h says; infinite when it does not fit. */
extern bool fg_subtree_total(FgContext *ctx, const FgTree *tree, uint32_t node, double *total);

/*
 * The node at which the stack "path" (frames separated by NUL) ends; 0 for the
 * empty path, FG_NONE when the tree has no such node.
 */
extern uint32_t fg_tree_find(const FgTree *tree, const char *path, size_t length);

#endif							/* FG_TREE_H */
