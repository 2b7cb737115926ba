/*
 * transform.h
 *	  Linear maps of profiles: each sends every stack to a stack or to nothing,
 *	  and f(a + b) = f(a) + f(b).
 *
 * Most maps shorten stacks frame by frame; then the image of a node follows from
 * that of its parent, and a tree is mapped in one pass over its nodes.  Results
 * are canonical.  Frames are given as numbers of the tree's dictionary,
 * FG_NONE standing for a frame that does not occur, or as a flag for each.
 */
#ifndef FG_TRANSFORM_H
#define FG_TRANSFORM_H

#include "core/profile/tree.h"

/* Cuts the flagged frames out of the stacks; the total is kept. */
extern bool fg_drop_frames(FgContext *ctx, const FgTree *tree, const uint8_t *drop,
						   FgTree *result);

/*
 * Stacks through a frame, cut to start at its outermost occurrence (focus) or to
 * end there (callers): both totals are the frame's recursion-free total.
 */
extern bool fg_focus(FgContext *ctx, const FgTree *tree, uint32_t frame, FgTree *result);
extern bool fg_callers_of(FgContext *ctx, const FgTree *tree, uint32_t frame, FgTree *result);

/* Reversed stacks; the last k + 1 frames; the first "depth"; all but those. */
extern bool fg_invert(FgContext *ctx, const FgTree *tree, FgTree *result);
extern bool fg_k_context(FgContext *ctx, const FgTree *tree, uint32_t k, FgTree *result);
extern bool fg_cut_depth(FgContext *ctx, const FgTree *tree, uint32_t depth, FgTree *result);
extern bool fg_strip_outer(FgContext *ctx, const FgTree *tree, uint32_t depth, FgTree *result);

/* Equal neighbours become one frame. */
extern bool fg_collapse_direct(FgContext *ctx, const FgTree *tree, FgTree *result);

/* A repeated frame cuts the stack back to its first occurrence. */
extern bool fg_collapse_cycles(FgContext *ctx, const FgTree *tree, FgTree *result);

/* The inclusive value of every node but the root, as a vector. */
extern bool fg_cumulate(FgContext *ctx, const FgTree *tree, FgTree *result);

/* Recursion-free inclusive value of each frame; totals[frame]. */
extern bool fg_frame_total_values(FgContext *ctx, const FgTree *tree, double *totals);

/* The same as a vector of one-frame stacks. */
extern bool fg_frame_totals(FgContext *ctx, const FgTree *tree, FgTree *result);

/* The sum of the stacks that end in this frame. */
extern bool fg_frame_self_value(FgContext *ctx, const FgTree *tree, uint32_t frame,
								double *self);

/* New names: frame f becomes bytes[f] (length[f]), which must be legal. */
extern bool fg_rename_frames(FgContext *ctx, const FgTree *tree, const char *const *bytes,
							 const size_t *length, FgTree *result);

/* The stacks whose nodes are flagged; keep has nnodes + 1 entries. */
extern bool fg_select_stacks(FgContext *ctx, const FgTree *tree, const uint8_t *keep,
							 FgTree *result);

/* weight[i] = sum |v| at and below node i, for i = 0 .. nnodes. */
extern bool fg_subtree_weights(FgContext *ctx, const FgTree *tree, double *weight);

/*
 * Keeps the nodes below which sum |v| >= share * |f|; what is cut off goes to a
 * child "other" of its deepest kept ancestor, or away when other is NULL.
 * Lumping it into the parent would inflate the parent's own value.
 */
extern bool fg_prune(FgContext *ctx, const FgTree *tree, double share, const char *other,
					 size_t other_length, FgTree *result);

#endif							/* FG_TRANSFORM_H */
