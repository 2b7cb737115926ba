/*
 * chart_data.h
 *	  The samples within the picture of a flame chart, for its viewer.
 *
 * An element metadata within a group, where the viewer of flame graphs does not look for it,
 * with one JSON object:
 *
 *	format		1
 *	unit		as given
 *	complete	are these all samples?  Else the first max_samples in order of time
 *	count		how many there are
 *	instants	samples without duration, which are not among them
 *	start		the number of the first start
 *	frames		the names, sorted bytewise
 *	fills		six digits of colour for each frame, or "" with "mode" and "shades" (data.h)
 *	tree		base64 of two varints (LEB128) for each node in preorder: depth of the node
 *				before (0 at first) + 1 - its own depth; frame
 *	threads		the names in the order of their first samples, "" for none
 *	zero, scale	a time of the samples is zero + number / scale, exactly where that is possible
 *	samples		base64 of four varints for each sample in order of start: start less that of the
 *				one before, duration, both as numbers; node; thread
 *	view		"from", "to": of the picture; "gap", "merge"; "dark", "min_width", "max_boxes",
 *				"max_rows", "row", "font", "cut" as in data.h; "top" the y of the ruler; "lanes"
 *				how many lanes are drawn at most
 */
#ifndef FG_CHART_DATA_H
#define FG_CHART_DATA_H

#include "core/picture/chart_internal.h"

/* fills: by frame.  Errors are those of the writer. */
extern void fg_chart_data(FgXml *xml, const FgChartTime *time, const FgChartOptions *options,
						  const FgColor *fills, uint32_t top);

#endif							/* FG_CHART_DATA_H */
