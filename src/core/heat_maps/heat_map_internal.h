/*
 * heat_map_internal.h
 *	  A heat map on its way to SVG, for the modules that draw it.
 */
#ifndef FG_HEAT_MAP_INTERNAL_H
#define FG_HEAT_MAP_INTERNAL_H

#include "core/base/sums.h"
#include "core/heat_maps/heat_map.h"
#include "core/svg/axis.h"

/* The numbers of a cell that is drawn: of one column, or of several neighbours. */
typedef struct FgHeatSum
{
	FgDouble2	sum;
	uint32_t	count;			/* 0: none */
} FgHeatSum;

typedef struct FgHeatDrawing
{
	FgContext  *ctx;
	const FgHeatMap *map;
	const FgHeatOptions *options;
	FgDocument	document;
	FgTruncate	truncate;
	FgBuffer	cut;			/* what titles say of long texts */
	FgText	   *line_titles;
	FgText	   *column_titles;
	FgText		unit_title;
	uint32_t	shown;			/* columns that are drawn */
	uint32_t	each;			/* columns of the map in each of them but the last */
	FgHeatSum  *sums;			/* of line l, column c: sums[l * shown + c] */
	uint64_t	empty;			/* cells that are drawn without a number */
	bool		scaled;			/* there are numbers, so there is a scale */
	FgAxis		axis;
	double		unit;			/* what 1 on the scale is */
	FgBuffer	unit_name;		/* of the scale */
	double		left;			/* the cells, in pixels */
	double		right;
	uint32_t	top;
	uint32_t	bottom;
	double		names;			/* pixels of the longest name of a line, as it is shown */
	double	   *label_at;		/* columns: their middles */
	double	   *label_width;
	FgLabels	labels;			/* of columns */
	double		depth;			/* of these labels */
	uint32_t	bar;			/* y of the scale's bar */
	uint32_t	end;			/* y below everything but the footnote */
	bool		written;		/* numbers stand in their cells */
	FgBuffer	footnote;
} FgHeatDrawing;

/* The mean of a cell that has numbers. */
static inline double
fg_heat_value(const FgHeatDrawing *d, uint32_t line, uint32_t column)
{
	const FgHeatSum *sum = &d->sums[(size_t) line * d->shown + column];

	return (sum->sum.high + sum->sum.low) / sum->count;
}

static inline bool
fg_heat_empty(const FgHeatDrawing *d, uint32_t line, uint32_t column)
{
	return d->sums[(size_t) line * d->shown + column].count == 0;
}

/* Edges of columns, from 0 to "shown". */
static inline double
fg_heat_x(const FgHeatDrawing *d, uint32_t column)
{
	return d->left + (d->right - d->left) * column / d->shown;
}

static inline uint32_t
fg_heat_y(const FgHeatDrawing *d, uint32_t line)
{
	return d->top + line * d->options->cell_height;
}

/* The columns of the map that are behind one that is drawn: [*from, *to). */
static inline void
fg_heat_columns(const FgHeatDrawing *d, uint32_t column, uint32_t *from, uint32_t *to)
{
	*from = column * d->each;
	*to = d->map->ncolumns - *from > d->each ? *from + d->each : d->map->ncolumns;
}

/* Places, columns, sums and the scale (heat_map_layout.c); the document's heading is known. */
extern bool fg_heat_lay_out(FgHeatDrawing *d);

/* What is written of a name, in how many pixels. */
extern FgLabel fg_heat_name(const FgHeatDrawing *d, uint32_t line, double *pixels);
extern FgLabel fg_heat_label(const FgHeatDrawing *d, uint32_t column, double *pixels);

/* Pixels that the colours' bar needs below the cells; its longest label. */
extern double fg_heat_tick_width(const FgHeatDrawing *d);

/* Cells, names and labels (heat_map_cells.c); the bar of colours (heat_map_bar.c). */
extern bool fg_heat_put_cells(FgHeatDrawing *d);
extern bool fg_heat_put_names(FgHeatDrawing *d);
extern bool fg_heat_put_bar(FgHeatDrawing *d);

/* The number in a cell, without its unit. */
extern size_t fg_heat_print(const FgHeatDrawing *d, double value, char *to);

#endif							/* FG_HEAT_MAP_INTERNAL_H */
