/*
 * lanes_internal.h
 *	  Lanes on their way to SVG, for the modules that draw them.
 */
#ifndef FG_LANES_INTERNAL_H
#define FG_LANES_INTERNAL_H

#include "core/lanes/lanes.h"
#include "core/svg/drawing.h"

#define FG_LANES_FONT	12
#define FG_LANES_TICK	4
#define FG_LANES_UNIT	16		/* height of the line above a chart that says its unit */

/* Bytes of the name of a texture. */
#define FG_STRIPE_NAME	8

typedef struct FgLanesDrawing
{
	FgContext  *ctx;
	const FgLanes *lanes;
	const FgPlotOptions *options;
	FgDocument	document;
	FgLaneCells *cells;			/* by lane */
	uint32_t   *rows;			/* their numbers, sorted by lane */
	double	   *top;			/* by lane, of its inside */
	FgAxis	   *y;				/* by lane, of charts */
	FgAxis		x;
	double		left;			/* of the inside of all lanes */
	double		width;
	double		bottom;
	uint32_t	start;			/* y of what is below the document's top */
	bool		means;			/* some lane has more pieces than are drawn */
	uint32_t	fill_of[FG_MOST_ENTRIES];	/* by series, which of the colours or lines it has */
	FgTexture	textures[FG_MOST_FILLED - FG_SERIES];
	char		texture_names[FG_MOST_FILLED - FG_SERIES][FG_STRIPE_NAME];
	FgBuffer	entries[FG_MOST_ENTRIES];
	FgBuffer	x_words;
	FgBuffer	y_words;
	FgBuffer	footnote;
	FgBuffer	description;
} FgLanesDrawing;

/* Fills and lines in the order of the series (lanes_series.c), and their legend. */
extern bool fg_lanes_choose_fills(FgLanesDrawing *d);
extern bool fg_lanes_legend(FgLanesDrawing *d);
extern FgFill fg_lanes_fill(const FgLanesDrawing *d, uint32_t series);

/* An attribute, or nothing, for the line-th line. */
extern const char *fg_lanes_dashes(uint32_t line);

/* Columns, cells and axes (lanes_layout.c); and rows, when the document's texts are known. */
extern bool fg_lanes_lay_out(FgLanesDrawing *d);
extern void fg_lanes_place(FgLanesDrawing *d);

/* Does a heading stand above this lane? */
extern bool fg_lanes_begins_group(const FgLanes *lanes, uint32_t l);

/* Pixels of the picture. */
extern double fg_lanes_x(const FgLanesDrawing *d, double time);
extern double fg_lanes_y(const FgLanesDrawing *d, uint32_t lane, double value);
extern double fg_lanes_height(const FgLanesDrawing *d, uint32_t lane);
extern double fg_lanes_text_width(FgText text);

/* The axis of time, and that of a chart (lanes_axes.c). */
extern void fg_lanes_put_time(FgLanesDrawing *d);
extern void fg_lanes_put_values(FgLanesDrawing *d, uint32_t lane);

/* As much of a text as has room; y is its base line. */
extern void fg_lanes_put_text(FgLanesDrawing *d, FgText text, double x, double y,
							  const char *anchor, double room);

/* A group of texts, with more attributes; and the end of a group. */
extern void fg_lanes_begin_words(FgLanesDrawing *d, const char *more);
extern void fg_lanes_end_group(FgLanesDrawing *d);

/* What a lane has of a series (lanes_marks.c). */
extern bool fg_lanes_put_series(FgLanesDrawing *d, uint32_t lane, uint32_t series);

#endif							/* FG_LANES_INTERNAL_H */
