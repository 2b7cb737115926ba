/*
 * lanes.h
 *	  Lanes over one axis of time in SVG: what was the case when, and how much of it.
 *
 * A lane has parts on top of each other, each of a series, from a start to a stop and so high
 * as its value.  In a band the height is shares of one (what is above it is not drawn), in a
 * chart it is numbers on an axis, on which series may also be lines.  What several rows of a
 * series say of the same time is added up.
 *
 * Up to FG_LANE_CELLS pieces of time a lane is drawn exactly, and each rectangle has a title
 * with its numbers; of more it is the mean of each FG_LANE_COLUMN pixels, and the footnote
 * says so (lane_cells.h).
 */
#ifndef FG_LANES_H
#define FG_LANES_H

#include "core/lanes/lane_cells.h"
#include "core/plots/plot.h"

#define FG_MOST_LANES	500

/* Series that are filled; half of them have a colour of their own, half are striped, too. */
#define FG_MOST_FILLED	16

/* Lines on charts: solid, dashed. */
#define FG_MOST_LINES	2

typedef enum FgLaneKind
{
	FG_LANE_PART,				/* filled */
	FG_LANE_REST,				/* filled, what belongs to nobody: hatched */
	FG_LANE_LINE
} FgLaneKind;

typedef struct FgLaneSeries
{
	FgText		name;
	FgLaneKind	kind;
} FgLaneSeries;

typedef struct FgLane
{
	FgText		label;
	FgText		group;			/* a heading above the first lane of each */
	double		from;			/* the life of what it is about; NaN: none is drawn */
	double		to;
	uint32_t	height;			/* of a chart, in pixels; 0: a band */
} FgLane;

typedef struct FgLanes
{
	FgText		name;			/* "Timeline" */
	FgText		subtitle;
	const FgLane *lanes;
	uint32_t	nlanes;
	const FgLaneSeries *series;
	uint32_t	nseries;
	const FgLaneRow *rows;		/* in any order */
	size_t		nrows;
} FgLanes;

/*
 * Appends the document: of options title, subtitle, notes, x_label, unit (that of charts),
 * width, theme, grid and legend count.  Times are seconds.  FG_ERROR_ARGUMENT for too many
 * lanes or series, FG_ERROR_RANGE for numbers that cannot be drawn (axis.h).
 */
extern bool fg_lanes_svg(const FgLanes *lanes, const FgPlotOptions *options, FgBuffer *svg);

#endif							/* FG_LANES_H */
