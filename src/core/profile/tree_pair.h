/*
 * tree_pair.h
 *	  Two trees over one dictionary, and the walk over the nodes of both.
 *
 * Both are read as preorder streams.  The smaller key comes first (tree.h says why),
 * so the walk is one linear pass that meets every node of either tree once, in
 * preorder of the union.  Trees over different dictionaries are first renumbered to
 * the union of these, which keeps their order.
 *
 *		FgTreeWalk	walk = fg_tree_pair_walk(&pair);
 *
 *		while (fg_tree_pair_next(&walk))
 *			... walk.a, walk.b, walk.key
 */
#ifndef FG_TREE_PAIR_H
#define FG_TREE_PAIR_H

#include "core/profile/tree.h"

/*
 * key_a and key_b are the keys of a and b by the common dictionary, to be read and
 * not kept.  Ends with fg_tree_pair_end; before that the dictionary can be taken for
 * a result.
 */
typedef struct FgTreePair
{
	const FgTree *a;
	const FgTree *b;
	const uint64_t *key_a;
	const uint64_t *key_b;
	uint64_t   *own_a;			/* what has to be released, or NULL */
	uint64_t   *own_b;
	FgFrames	frames;			/* the union, empty when both have the same */
	bool		shared;
} FgTreePair;

extern bool fg_tree_pair_begin(FgContext *ctx, const FgTree *a, const FgTree *b, FgTreePair *pair);
extern bool fg_tree_pair_take_frames(FgContext *ctx, FgTreePair *pair, FgFrames *frames);
extern void fg_tree_pair_end(FgContext *ctx, FgTreePair *pair);

/*
 * The keys of a tree by a larger dictionary, in which map says where its frames are, to be released; NULL when
 * they are what they were.
 */
extern bool fg_tree_renumber(FgContext *ctx, const FgTree *tree, const uint32_t *map, uint64_t **keys);

/* A node of the union: where it stands in each tree, FG_NONE in one that lacks it. */
typedef struct FgTreeWalk
{
	const FgTreePair *pair;
	uint32_t	next_a;
	uint32_t	next_b;
	uint32_t	node;			/* in the union, counted from the root's 0 */
	uint32_t	a;
	uint32_t	b;
	uint64_t	key;
} FgTreeWalk;

/* Stands before the root, which both trees have. */
static inline FgTreeWalk
fg_tree_pair_walk(const FgTreePair *pair)
{
	return (FgTreeWalk) {.pair = pair, .node = FG_NONE};
}

/* False behind the last node, where the walk stays. */
static inline bool
fg_tree_pair_next(FgTreeWalk *walk)
{
	const FgTreePair *pair = walk->pair;
	bool		more_a = walk->next_a <= pair->a->nnodes;
	bool		more_b = walk->next_b <= pair->b->nnodes;
	uint64_t	a = more_a ? pair->key_a[walk->next_a] : UINT64_MAX;
	uint64_t	b = more_b ? pair->key_b[walk->next_b] : UINT64_MAX;

	if (!more_a && !more_b)
		return false;
	walk->key = a < b ? a : b;
	walk->a = a <= b ? walk->next_a : FG_NONE;
	walk->b = b <= a ? walk->next_b : FG_NONE;
	walk->next_a += a <= b;
	walk->next_b += b <= a;
	walk->node++;
	return true;
}

#endif							/* FG_TREE_PAIR_H */
