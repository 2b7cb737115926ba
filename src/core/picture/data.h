/*
 * data.h
 *	  The profile within its picture: all nodes in a few bytes each, for the viewer, and
 *	  to be read back.
 *
 * An element metadata with one JSON object:
 *
 *	format		1
 *	unit		as given
 *	total		the total
 *	complete	is this the whole profile, with whole names?
 *	frames		the names, sorted bytewise
 *	values		the distinct values of nodes, in the order in which they come
 *	nodes		base64 of three varints (LEB128) for each node in preorder: depth of the node
 *				before (0 at first) + 1 - its own depth; frame; position in values + 1, or 0
 *				for no value.  Where the empty stack has a value the root comes first, as a
 *				node of depth 0 and of frame 0
 *	view		how the picture is drawn, so that the viewer can draw it anew (FgView)
 *	search, zoom, sandwich	the viewer's state at its start, where given
 *	marks		of a sandwich with a highlight: two texts (sandwich_marks.h)
 *
 * Of more than max_nodes nodes the largest are written, and complete is false.  What is
 * left out below a node comes behind its other children as one node whose frame is the
 * number of frames, with a fourth varint: how many nodes it stands for.  Frames are then those
 * of the nodes that are written, and of a sandwich its own.
 *
 * Names have 10,000 characters at most; characters of markup and those that deceive
 * (xml.h) are \u escapes, so no entity is needed.
 */
#ifndef FG_DATA_H
#define FG_DATA_H

#include "core/profile/tree.h"
#include "core/svg/document.h"
#include "core/svg/label.h"

#define FG_DATA_FORMAT 1

/*
 * Member view: "flame", "value" (sorted by), "dark" are 0 or 1; "min_width", "max_boxes",
 * "max_rows", "row", "font" as in FgFlameOptions; "cut" is FgTruncate; "top" the y of the
 * uppermost row; "rows" how many are drawn; "scale" the steps of the unit, a name and a size
 * each (fg_units_step).  Colours: "mode" is "self" or "depth" with
 * "shades" for them, or "" with "fills", six digits for each frame.  "marked" has a digit
 * for the root and each node behind it that is written: 1 is highlighted.
 */
typedef struct FgView
{
	bool		flame;
	bool		by_value;
	bool		dark;
	double		min_width;
	uint32_t	max_boxes;
	uint32_t	max_rows;
	uint32_t	frame_height;
	uint32_t	font_size;
	FgTruncate	truncate;
	uint32_t	top;
	uint32_t	rows;
	FgColorMode color;
	FgPalette	palette;
	const FgColor *fills;		/* by frame; NULL: colours are said elsewhere */
	const uint8_t *marked;		/* by node, or NULL */
} FgView;

/*
 * Of a difference or its parts tree->self are the values before.  Each node has two more varints: the
 * value after, likewise, and the number of what is said of its change + 1, or 0 (diff_data.c
 * writes these members, parts.c those of the four parts, whose verdict is always 0); one that stands for several has both inclusive values.
 */
typedef struct FgDataSides
{
	const double *after;		/* by node */
	const double *total[2];		/* by node, inclusive */
	const uint32_t *verdict;	/* by node */
	void		(*put_members) (FgXml *xml, const void *arg);	/* each with a comma in front */
	const void *arg;
} FgDataSides;

typedef struct FgDataOptions
{
	FgText		unit;
	FgText		search;
	FgText		zoom;
	FgText		sandwich;		/* the name of a frame */
	FgText		marks[2];		/* what of it is highlighted (sandwich_marks.h); or nothing */
	uint32_t	max_nodes;
	FgView		view;
	const FgDataSides *sides;	/* NULL: of one profile */
} FgDataOptions;

/* total: by node, the inclusive values.  Errors are those of the writer. */
extern void fg_data_write(FgXml *xml, const FgTree *tree, const double *total,
						  const FgDataOptions *options);

/* A string of JSON as names are written in the data; base64 without quotes. */
extern void fg_data_string(FgXml *xml, const char *text, size_t length);
extern void fg_data_base64(FgXml *xml, const uint8_t *bytes, size_t count);

/*
 * The profile of a document that fg_data_write was part of, whatever became of the rest of
 * it.  FG_ERROR_SYNTAX when there is none or it is damaged, FG_ERROR_ARGUMENT when it is
 * not complete or of another kind.
 */
extern bool fg_data_read(FgContext *ctx, const char *svg, size_t length, FgTree *tree);

#endif							/* FG_DATA_H */
