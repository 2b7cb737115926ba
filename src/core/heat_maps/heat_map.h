/*
 * heat_map.h
 *	  Heat maps in SVG: numbers by line and column as colours.
 *
 *		numbers by the names of their columns and lines		heat_map_pairs.h
 *		functions (or stacks) by runs						heat_map_profiles.h
 *
 * Lines go down and columns to the right in their order.  A cell is at least FG_HEAT_LEAST pixels
 * wide: where there are more columns than have room, so many neighbours are one column that they
 * do, which has the mean of the numbers that are there.  A cell without any is hatched.  Every
 * cell has a title with its exact number; where all of them have room for it, the number stands
 * in the cell, too.
 *
 * The scale goes from one round number to another (axis.h), with the numbers that are drawn
 * between them; a diverging one has 0 in the middle.
 */
#ifndef FG_HEAT_MAP_H
#define FG_HEAT_MAP_H

#include "core/heat_maps/heat_map_colors.h"
#include "core/svg/document.h"
#include "core/svg/label.h"

/* Pixels. */
#define FG_HEAT_LEAST	4
#define FG_HEAT_HEIGHT	18

#define FG_HEAT_MOST_LINES	10000
#define FG_HEAT_MOST_CELLS	1000000

/* A line and a column have one cell or none. */
typedef struct FgHeatCell
{
	uint32_t	line;
	uint32_t	column;
	double		value;			/* NaN: none */
} FgHeatCell;

typedef struct FgHeatMap
{
	FgText		subtitle;
	FgText		description;
	FgText		footnote;
	const FgText *lines;
	uint32_t	nlines;
	const FgText *columns;
	uint32_t	ncolumns;
	const FgHeatCell *cells;
	size_t		ncells;
	FgTruncate	truncate;		/* names of lines */
} FgHeatMap;

typedef struct FgHeatOptions
{
	FgText		title;			/* not given: 'Heat map'; empty: no heading */
	FgText		subtitle;		/* not given: the picture's own */
	FgText		notes;
	FgText		unit;			/* empty: none */
	FgHeatScale scale;
	FgTheme		theme;
	uint32_t	width;
	uint32_t	cell_height;
	bool		legend;
	bool		shortened;		/* names of lines are shortened as "truncate" says */
	FgTruncate	truncate;
} FgHeatOptions;

extern FgHeatOptions fg_heat_defaults(void);

/*
 * Appends the document.  FG_ERROR_ARGUMENT for more than FG_HEAT_MOST_LINES lines,
 * FG_ERROR_RANGE for numbers that cannot be drawn (axis.h), FG_ERROR_LIMIT when it is too large.
 */
extern bool fg_heat_map_svg(const FgHeatMap *map, const FgHeatOptions *options, FgBuffer *svg);

#endif							/* FG_HEAT_MAP_H */
