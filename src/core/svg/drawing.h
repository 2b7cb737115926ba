/*
 * drawing.h
 *	  What all pictures made of boxes have in common: names and their labels, numbers in
 *	  the picture's unit, what is not drawn, rectangles, the text that identifies a picture.
 */
#ifndef FG_DRAWING_H
#define FG_DRAWING_H

#include "core/svg/boxes.h"
#include "core/svg/document.h"
#include "core/svg/flame_options.h"

typedef struct FgDrawing
{
	FgContext  *ctx;
	const FgTree *tree;			/* its frames are the names */
	const FgFlameOptions *options;
	double		whole;			/* of which shares are */
	const char *side;			/* the whole's name; NULL: all */
	const char *change;			/* what the values are: grown or so; NULL: nothing else */
	FgColor    *fill;			/* by frame, for colours by name */
	FgDocument	document;
	FgBuffer	unit;			/* what is shown of it */
	uint64_t   *hash;			/* by frame, of the name */
	uint32_t   *characters;		/* by frame, of long names; 0 for others */
	uint8_t    *loses_end;		/* by frame: its label can lose its end only */
	uint8_t    *highlight;		/* by node: is it outlined?  NULL: none is */
	uint32_t	bold;			/* the node whose label is; 0: no label is */
} FgDrawing;

/*
 * Looks at the names, asks what is highlighted.  Release it with fg_drawing_free, also when
 * it fails.
 */
extern bool fg_drawing_begin(FgContext *ctx, const FgTree *tree, const FgFlameOptions *options,
							 FgDrawing *drawing);
extern void fg_drawing_free(FgDrawing *drawing);

/* What is highlighted of a tree, by node, to be released also when this fails; NULL: nothing. */
extern bool fg_highlight_of(FgContext *ctx, const FgHighlight *highlight, const FgTree *tree,
							uint8_t **matches);

/* Fails with FG_ERROR_ARGUMENT where a value is negative. */
extern bool fg_check_not_negative(FgContext *ctx, const FgTree *tree, const char *hint);

/* --- panels ------------------------------------------------------------------------ */

/*
 * A tree as boxes at a place of the picture.  Its frames are numbers of the drawing's tree,
 * but it may have fewer nodes.
 */
typedef struct FgPanel
{
	FgTree		tree;			/* key, self and nnodes */
	double	   *total;			/* by node: the width */
	uint32_t   *node;			/* by node: its number in the drawing's tree; NULL: the same */
	FgBoxes		boxes;
	double		left;			/* of the root, in pixels */
	uint32_t	top;			/* y of the uppermost row */
	bool		own;			/* what it points to is to be released */
} FgPanel;

/* The nodes of the drawing's tree whose total is positive, and the root. */
extern bool fg_panel_of(const FgDrawing *drawing, const double *self, const double *total,
						FgPanel *panel);
extern void fg_panel_free(FgContext *ctx, FgPanel *panel);

/* Its boxes; "whole" is as wide as "width" pixels. */
extern bool fg_panel_lay_out(const FgDrawing *drawing, FgPanel *panel, double whole, double width);

static inline uint32_t
fg_panel_number(const FgPanel *panel, uint32_t node)
{
	return panel->node == NULL ? node : panel->node[node];
}

/* --- identity --------------------------------------------------------------------- */

/* A hash of all that is drawn; not secret, and the same on every machine. */
static inline uint64_t
fg_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x100000001B3);
	return hash ^ hash >> 29;
}

/* Adds names, nodes with their values, and which of them are highlighted. */
extern bool fg_drawing_mix_nodes(const FgDrawing *drawing, const double *values, uint64_t *hash);
extern uint64_t fg_drawing_mix_options(const FgDrawing *drawing, uint64_t hash);

/* --- texts outside of boxes -------------------------------------------------------- */

extern bool fg_drawing_value(const FgDrawing *drawing, FgBuffer *text, double value);
extern bool fg_drawing_share(FgBuffer *text, double part, double whole);

/* " stack" or " stacks" behind their number, and the like. */
extern bool fg_drawing_count(FgBuffer *text, uint64_t count, const char *one, const char *many);

/* "K boxes drawn of N", and what the others have; N nodes with the root. */
extern bool fg_drawing_footnote(const FgDrawing *drawing, const FgBoxes *boxes, uint64_t nodes,
								FgBuffer *text);

/* Of highlighted nodes: how many there are and how many have a box. */
typedef struct FgHighlighted
{
	uint64_t	nodes;
	uint64_t	drawn;
} FgHighlighted;

/* Adds those of a panel; "highlight" is by number of the panel's nodes, or NULL. */
extern bool fg_panel_highlighted(FgContext *ctx, const FgPanel *panel, const uint8_t *highlight,
								 FgHighlighted *sum);

/* "; 3 highlighted, 2 of them drawn" */
extern bool fg_text_highlighted(FgBuffer *text, const FgHighlighted *sum);

/* The frames with the largest values; equal ones in the order in which they come. */
#define FG_LARGEST 3

typedef struct FgLargest
{
	uint32_t	frame[FG_LARGEST];
	double		value[FG_LARGEST];
	uint32_t	count;
} FgLargest;

extern void fg_largest_offer(FgLargest *largest, uint32_t frame, double value);

/* A name for a sentence, not longer than 200 bytes. */
extern bool fg_drawing_short_name(const FgDrawing *drawing, FgBuffer *text, uint32_t frame);

/* --- the parts of a box ------------------------------------------------------------ */

/* Where the box of a picture is; hundredths of pixels. */
typedef struct FgPlace
{
	int64_t		x;
	int64_t		y;
	int64_t		width;
	int64_t		height;
} FgPlace;

/* Its opening tag without the end: attributes follow. */
extern void fg_put_rect(FgXml *xml, FgPlace place);

extern FgPlace fg_panel_place(const FgDrawing *drawing, const FgPanel *panel, const FgBox *box);

/* Of a node by its key; "all" is the root's name. */
extern FgText fg_drawing_name(const FgDrawing *drawing, uint64_t key);

/* In tooltips: a name of FG_MOST_SHOWN characters at most; an exact value and its unit; a share. */
extern void fg_drawing_put_name(FgDrawing *drawing, uint64_t key);
extern void fg_drawing_put_value(FgDrawing *drawing, double value);
extern void fg_drawing_put_share(FgDrawing *drawing, double part, double whole);

/*
 * The name's label, or of several nodes their number; behind it "more", where there is room.
 * Marks of a texture leave a rim around the letters.
 */
extern void fg_drawing_put_label(FgDrawing *drawing, uint64_t key, const FgBox *box,
								 FgPlace place, FgFill fill, const char *more);

/* What a hatched box says that stands for several nodes. */
extern void fg_drawing_put_hidden(FgDrawing *drawing, const FgBox *box);

/* The opening tag of a box's group. */
extern void fg_drawing_begin_box(FgDrawing *drawing, const FgPanel *panel, const FgBox *box);

/* A line between neighbours, for boxes that are wide enough for it. */
extern void fg_drawing_put_parting(FgDrawing *drawing, const FgPlace *place);

/* A frame of two pixels within the box, where its node is highlighted; color: that of its text. */
extern void fg_drawing_put_outline(FgDrawing *drawing, const FgPanel *panel, const FgBox *box,
								   FgPlace place, FgColor color);

/* The whole box of a flame graph: name, value and share, colour by the options. */
extern void fg_drawing_put_box(FgDrawing *drawing, const FgPanel *panel, const FgBox *box);

/* What its colours mean. */
extern void fg_drawing_legend(FgDrawing *drawing);

#endif							/* FG_DRAWING_H */
