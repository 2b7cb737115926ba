/*
 * lane_cells.c
 *	  Pieces of time and what series are in them (see lane_cells.h).
 */
#include "core/lanes/lane_cells.h"

#include "core/base/order.h"

#include <math.h>

/* --- edges -------------------------------------------------------------------------- */

static int
compare_numbers(const void *arg, uint32_t a, uint32_t b)
{
	const double *numbers = arg;

	return (numbers[a] > numbers[b]) - (numbers[a] < numbers[b]);
}

/* Starts and stops within [lo, hi], each once, ascending; false in *few for too many of them. */
static bool
exact_edges(FgContext *ctx, const FgLaneRow *rows, const uint32_t *from, size_t n,
			double lo, double hi, FgLaneCells *cells, bool *few)
{
	uint32_t	count = 2 * (uint32_t) n + 2;
	double	   *all = fg_alloc(ctx, count, sizeof(double));
	uint32_t   *order = fg_alloc(ctx, count, sizeof(uint32_t));
	bool		ok = all != NULL && order != NULL;

	*few = true;
	for (size_t i = 0; ok && i < n; i++)
	{
		all[2 * i] = fmin(fmax(rows[from[i]].start, lo), hi);
		all[2 * i + 1] = fmin(fmax(rows[from[i]].stop, lo), hi);
		ok = fg_check_every(ctx, i);
	}
	if (ok)
	{
		all[count - 2] = lo;
		all[count - 1] = hi;
		ok = fg_order_by(ctx, count, compare_numbers, all, order);
	}
	for (uint32_t i = 0; ok && *few && i < count; i++)
	{
		double		edge = all[order[i]];

		if (i > 0 && edge <= cells->edges[cells->count])
			continue;
		if (i > 0 && cells->count == FG_LANE_CELLS)
			*few = false;
		else
			cells->edges[i == 0 ? 0 : ++cells->count] = edge;
	}
	fg_release(ctx, all);
	fg_release(ctx, order);
	return ok;
}

static void
column_edges(double lo, double hi, uint32_t columns, FgLaneCells *cells)
{
	cells->count = columns;
	cells->exact = false;
	for (uint32_t c = 0; c <= columns; c++)
		cells->edges[c] = c == columns ? hi : lo + (hi - lo) * c / columns;
}

/* --- heights ------------------------------------------------------------------------ */

/* The cell in which a time lies, or the last one. */
static uint32_t
cell_of(const FgLaneCells *cells, double time)
{
	uint32_t	low = 0;
	uint32_t	high = cells->count;

	while (high - low > 1)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (cells->edges[middle] <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool
add_row(FgContext *ctx, FgLaneCells *cells, const FgLaneRow *row)
{
	for (uint32_t c = cell_of(cells, row->start); c < cells->count; c++)
	{
		double		length = cells->edges[c + 1] - cells->edges[c];
		double		start = fmax(row->start, cells->edges[c]);
		double		stop = fmin(row->stop, cells->edges[c + 1]);
		double	   *height = &cells->height[(size_t) c * cells->nseries + row->series];

		if (cells->edges[c] >= row->stop)
			break;
		if (stop <= start)
			continue;
		if (isnan(*height))
			*height = 0;
		*height += stop - start == length ? row->value : row->value * ((stop - start) / length);
		if (!fg_steps(ctx, 1))
			return false;
	}
	return true;
}

bool
fg_lane_cells_make(FgContext *ctx, const FgLaneRow *rows, const uint32_t *from, size_t n,
				   uint32_t nseries, double lo, double hi, uint32_t columns, FgLaneCells *cells)
{
	uint32_t	most = columns > FG_LANE_CELLS ? columns : FG_LANE_CELLS;
	bool		few = n <= 50 * (size_t) FG_LANE_CELLS;

	*cells = (FgLaneCells) {.nseries = nseries, .exact = true};
	cells->edges = fg_alloc(ctx, (size_t) most + 1, sizeof(double));
	if (cells->edges == NULL ||
		(few && !exact_edges(ctx, rows, from, n, lo, hi, cells, &few)))
		return false;
	if (!few)
		column_edges(lo, hi, columns, cells);
	cells->height = fg_alloc(ctx, (size_t) cells->count * nseries + 1, sizeof(double));
	if (cells->height == NULL)
		return false;
	for (size_t i = 0; i < (size_t) cells->count * nseries; i++)
		cells->height[i] = NAN;
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i) || !add_row(ctx, cells, &rows[from[i]]))
			return false;
	}
	return true;
}

void
fg_lane_cells_free(FgContext *ctx, FgLaneCells *cells)
{
	fg_release(ctx, cells->edges);
	fg_release(ctx, cells->height);
	*cells = (FgLaneCells) {0};
}
