/*
 * boxes.h
 *	  The boxes of a tree: which nodes are drawn, in which row, from where to where.
 *
 * A box is as wide as its value is of the value that fills the full width.  Edges are
 * rounded, not widths, so neighbours touch and no child leaves its parent.  Siblings
 * that are too thin and stand side by side become one box when that is wide enough, and
 * empty space otherwise; everything left out is counted.  Time goes with what is visible
 * and its children, not with the tree (but for one pass for the sizes of subtrees).
 *
 * Values are widths: not negative.  They need not be those of the tree's stacks, so the
 * same boxes serve one profile, the union of two, or one of several on a common scale.
 */
#ifndef FG_BOXES_H
#define FG_BOXES_H

#include "core/profile/tree.h"

typedef struct FgBoxesInput
{
	const FgTree *tree;
	const double *total;		/* by node: its width, at least the sum of its children's */
	double		whole;			/* the value that is "width" wide */
	double		width;			/* pixels */
	double		min_width;		/* pixels; thinner boxes are not drawn by themselves */
	uint32_t	max_boxes;
	uint32_t	max_rows;		/* at least 1; deeper nodes are one box below the last row */
	bool		by_value;		/* siblings by falling total, else by name */
} FgBoxesInput;

typedef struct FgBox
{
	uint32_t	node;			/* of hidden nodes: their parent */
	uint32_t	hidden;			/* how many nodes this box stands for; 0: for "node" itself */
	uint32_t	row;			/* the root's is 0 */
	bool		deeper;			/* hidden because of max_rows */
	int64_t		left;			/* edges, in hundredths of a pixel from the left of the root */
	int64_t		right;
	double		total;
} FgBox;

/* Nodes that are not drawn by themselves, and their value (each stack once). */
typedef struct FgLeftOut
{
	uint64_t	nodes;
	double		total;
} FgLeftOut;

typedef struct FgBoxes
{
	FgBox	   *boxes;			/* in preorder, from left to right */
	size_t		capacity;
	uint32_t	count;
	uint32_t	drawn;			/* boxes that are nodes */
	uint32_t	rows;
	double		min_width;		/* doubled until max_boxes were enough */
	uint32_t	max_rows;		/* halved where that alone would have left nothing */
	FgLeftOut	thin;
	FgLeftOut	deeper;
} FgBoxes;

/* Free with fg_boxes_free.  A whole of 0 gives no box. */
extern bool fg_boxes(FgContext *ctx, const FgBoxesInput *input, FgBoxes *boxes);
extern void fg_boxes_free(FgContext *ctx, FgBoxes *boxes);

#endif							/* FG_BOXES_H */
