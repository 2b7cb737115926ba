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
 *	search, zoom	the viewer's state at its start, where given
 *
 * Of more than max_nodes nodes the largest are written, and complete is false.  What is
 * left out below a node comes behind its other children as one node whose frame is the
 * number of frames, with a fourth varint: how many nodes it stands for.
 *
 * Names have 10,000 characters at most; characters of markup and those that deceive
 * (xml.h) are \u escapes, so no entity is needed.
 */
#ifndef FG_DATA_H
#define FG_DATA_H

#include "core/picture/document.h"
#include "core/profile/tree.h"

#define FG_DATA_FORMAT 1

typedef struct FgDataOptions
{
	FgText		unit;
	FgText		search;
	FgText		zoom;
	uint32_t	max_nodes;
} FgDataOptions;

/* total: by node, the inclusive values.  Errors are those of the writer. */
extern void fg_data_write(FgXml *xml, const FgTree *tree, const double *total,
						  const FgDataOptions *options);

/*
 * The profile of a document that fg_data_write was part of, whatever became of the rest of
 * it.  FG_ERROR_SYNTAX when there is none or it is damaged, FG_ERROR_ARGUMENT when it is
 * not complete or of another kind.
 */
extern bool fg_data_read(FgContext *ctx, const char *svg, size_t length, FgTree *tree);

#endif							/* FG_DATA_H */
