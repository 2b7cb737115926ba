/*
 * builder.h
 *	  Builds a tree from stacks in any order.
 *
 * Two ways of working, chosen by the input.  As long as the stacks come in an
 * order in which each new node is the next one in preorder (up to frame order
 * equal to sorted input, which is what most folding tools write), nodes are
 * simply appended.  The first stack out of order turns the nodes into a hash
 * trie; fg_builder_finish then sorts it, in linear time once the frame names are
 * sorted.  In both ways a stack shares what it can with the one before: only the
 * frames behind the common prefix are looked up.
 *
 * Frames are interned by hash and checked (fg_frame_valid) when they are new, so
 * that a check costs nothing per stack.
 */
#ifndef FG_BUILDER_H
#define FG_BUILDER_H

#include "core/profile/tree.h"

typedef struct FgBuilder FgBuilder;

/* NULL with the error set when there is no memory. */
extern FgBuilder *fg_builder_create(FgContext *ctx);
extern void fg_builder_free(FgBuilder *builder);

/*
 * Frames with control characters (0x01 .. 0x1F, 0x7F) are refused too, with
 * FG_ERROR_SYNTAX, for readers that clean foreign text.
 */
extern void fg_builder_forbid_controls(FgBuilder *builder);

/*
 * Adds value to the stack "path", whose frames are joined by the separator byte.
 * Unless "stable", the bytes need only live during the call; otherwise until the
 * next call or the end of the builder.  Errors: an illegal frame (with its
 * column in the path), FG_ERROR_LIMIT, FG_ERROR_RANGE when a stack's sum
 * overflows.  After an error the value has not been added and the builder can
 * still be used.
 */
extern bool fg_builder_add(FgBuilder *builder, const char *path, size_t length, char separator,
						   bool stable, double value);

/* The bytes of a stable path are no longer needed: keeps a copy of them.  False without memory. */
extern bool fg_builder_settle(FgBuilder *builder);

/*
 * The same for stable paths whose first "same" bytes are known to be those of the path added before
 * (path_order.h finds that out, too), and no more of them.
 */
extern bool fg_builder_add_sorted(FgBuilder *builder, const char *path, size_t length, char separator,
								  size_t same, double value);

/* Takes memory for so many more nodes at once: growing leaves holes of twice the size, and copies. */
extern bool fg_builder_reserve(FgBuilder *builder, size_t nodes);

/* Whether all nodes have come in preorder so far. */
extern bool fg_builder_in_order(const FgBuilder *builder);

/*
 * The same in steps, for transformations that walk a tree and keep the node of
 * each image at hand: the number of a frame, the child of a node with that
 * frame (node 0 is the root), and a value for a node.  As long as each new child is the next
 * node in preorder (of bytewise order) it is just appended, as with paths.
 */
extern bool fg_builder_frame(FgBuilder *builder, const char *frame, size_t length,
							 uint32_t *number);
extern bool fg_builder_child(FgBuilder *builder, uint32_t parent, uint32_t frame, uint32_t *node);

/* The child of the first, its child, and so on: "count" frames, and as many nodes. */
extern bool fg_builder_children(FgBuilder *builder, uint32_t parent, const uint32_t *frames, size_t count,
								uint32_t *nodes);
extern bool fg_builder_add_value(FgBuilder *builder, uint32_t node, double value);

/*
 * A stack has one value, number 0, and may have further ones beside it: adds to
 * number 1 or 2 of the stack that a value was added to last, be that 0.
 */
#define FG_BUILDER_VALUES 3

extern bool fg_builder_add_further(FgBuilder *builder, int number, double value);

/* Adds to the first "count" values of a node at once, so many times; sums round as if each time came alone. */
extern bool fg_builder_add_values(FgBuilder *builder, uint32_t node, const double *values, int count,
								  size_t times);

/* Makes the canonical tree of value 0; the builder is then freed, or asked for other trees. */
extern bool fg_builder_finish(FgBuilder *builder, FgTree *tree);

/*
 * A tree of one of the values with all nodes of the builder, so that the trees of
 * all numbers have the same nodes; fg_tree_prune_zeros makes it canonical.
 */
extern bool fg_builder_tree(FgBuilder *builder, int number, FgTree *tree);

/*
 * For who keeps a node beside each of many rows: the number of the node that a value was added
 * to last, which it keeps while the builder grows; and a tree of value 0 with all nodes, where
 * (*place)[number] is such a node's place, to be released.
 */
extern uint32_t fg_builder_newest(const FgBuilder *builder);
extern bool fg_builder_numbered_tree(FgBuilder *builder, FgTree *tree, uint32_t **place);

#endif							/* FG_BUILDER_H */
