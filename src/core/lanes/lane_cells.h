/*
 * lane_cells.h
 *	  The pieces of time of a lane, and how high each series is in them.
 *
 * The pieces are what lies between neighbouring starts and stops, so a series is the same
 * all over one; where that would be more than FG_LANE_CELLS, they are equally long, one a
 * column of pixels, and a series has its mean there.
 */
#ifndef FG_LANE_CELLS_H
#define FG_LANE_CELLS_H

#include "core/base/context.h"

#define FG_LANE_CELLS	1000

/* Pixels. */
#define FG_LANE_COLUMN	2

typedef struct FgLaneRow
{
	uint32_t	lane;
	uint32_t	series;
	double		start;			/* finite, start <= stop */
	double		stop;
	double		value;			/* finite; of filled series not negative */
} FgLaneRow;

typedef struct FgLaneCells
{
	uint32_t	count;
	uint32_t	nseries;
	bool		exact;
	double	   *edges;			/* count + 1 of them, ascending */
	double	   *height;			/* of series s in cell c: height[c * nseries + s]; NaN: nothing */
} FgLaneCells;

/*
 * Of rows[from[0 .. n)], which are of one lane, in [lo, hi], lo < hi, in at most "columns"
 * columns.  What is outside is left out.  Release it with fg_lane_cells_free, also when it fails.
 */
extern bool fg_lane_cells_make(FgContext *ctx, const FgLaneRow *rows, const uint32_t *from,
							   size_t n, uint32_t nseries, double lo, double hi,
							   uint32_t columns, FgLaneCells *cells);
extern void fg_lane_cells_free(FgContext *ctx, FgLaneCells *cells);

#endif							/* FG_LANE_CELLS_H */
