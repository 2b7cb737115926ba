/*
 * plot_rows.h
 *	  A plot of rows: x and y, and perhaps lower and upper, a series and a panel.
 *
 * Series and panels come in the order of their first rows.  Lines and steps go from left to
 * right, rows at the same x in their order.  A row whose x or y is NaN is dropped, and so is
 * one that is not positive on a logarithmic scale; the footnote counts both.
 */
#ifndef FG_PLOT_ROWS_H
#define FG_PLOT_ROWS_H

#include "core/plots/plot.h"

typedef struct FgPlotRows
{
	size_t		n;
	const double *x;
	const double *y;
	const double *lower;		/* NULL: none; NaN: none for this row */
	const double *upper;
	const FgText *series;		/* NULL: one without a name */
	const FgText *panels;		/* NULL: one without a heading */
	const FgText *names;		/* of x = 1, 2, ..., which each x then is; NULL: none */
	uint32_t	nnames;
	FgMark		mark;
} FgPlotRows;

/* FG_ERROR_ARGUMENT for more than FG_SERIES series or FG_MOST_PANELS panels. */
extern bool fg_plot_rows_svg(const FgPlotRows *rows, const FgPlotOptions *options, FgBuffer *svg);

#endif							/* FG_PLOT_ROWS_H */
