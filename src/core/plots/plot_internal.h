/*
 * plot_internal.h
 *	  A plot on its way to SVG, for the modules that draw it.
 */
#ifndef FG_PLOT_INTERNAL_H
#define FG_PLOT_INTERNAL_H

#include "core/plots/plot.h"

#include <math.h>

/* Where a panel's marks are, in pixels; width and height are those of all panels. */
typedef struct FgPlotPanel
{
	double		left;
	double		top;
	FgAxis		x;				/* without ticks where x has names */
	FgAxis		y;
	uint32_t	first_label;	/* of x: those of all panels may be the same */
	uint32_t	nlabels;
} FgPlotPanel;

typedef struct FgPlotDrawing
{
	FgContext  *ctx;
	const FgPlot *plot;
	const FgPlotOptions *options;
	FgDocument	document;
	FgPlotPanel *panels;
	FgAxis		x;				/* of all panels */
	double		width;			/* of a panel's inside */
	double		height;
	double		left;			/* from a panel's edge to its inside, and from there to the right */
	double		right;
	uint32_t	columns;
	uint32_t	top;			/* y of the first row of panels */
	uint32_t	row;			/* from one row to the next */
	uint32_t	bottom;			/* y below the last one and its title */
	uint32_t	nlabels;		/* of x, of all panels */
	double	   *label_at;		/* from the inside's left edge */
	double	   *label_width;
	FgLabels	labels;
	double		depth;			/* of these labels */
	double		bar;			/* from one bar to the next, as positions on the axis are; 0: alone */
	uint32_t	rule_lines;		/* of words of rules above each panel */
	uint64_t	marks;			/* whose place exists */
	uint64_t	points;			/* of marks "points" */
	bool		cells;			/* instead of points */
	FgBuffer	x_words;		/* titles of the axes */
	FgBuffer	y_words;
	FgBuffer	subtitle;		/* what is shown of texts */
	FgBuffer	entries[FG_MOST_ENTRIES];
} FgPlotDrawing;

/* Does this number have a place on a scale? */
static inline bool
fg_plot_drawable(FgScale scale, double value)
{
	return isfinite(value) && (scale != FG_SCALE_LOG || value > 0);
}

static inline bool
fg_plot_has_place(const FgPlotDrawing *d, const FgLayer *layer, size_t i)
{
	return fg_plot_drawable(d->options->x_scale, layer->x[i]) &&
		fg_plot_drawable(d->options->y_scale, layer->y[i]);
}

static inline bool
fg_plot_has_range(const FgPlotDrawing *d, const FgLayer *layer, size_t i)
{
	return layer->lower != NULL && fg_plot_drawable(d->options->x_scale, layer->x[i]) &&
		fg_plot_drawable(d->options->y_scale, layer->lower[i]) &&
		fg_plot_drawable(d->options->y_scale, layer->upper[i]);
}

/* Pixels of the picture. */
static inline double
fg_plot_x(const FgPlotDrawing *d, uint32_t panel, double value)
{
	return d->panels[panel].left + d->width * fg_axis_share(&d->panels[panel].x, value);
}

static inline double
fg_plot_y(const FgPlotDrawing *d, uint32_t panel, double value)
{
	return d->panels[panel].top + d->height * (1 - fg_axis_share(&d->panels[panel].y, value));
}

/* Lines of words above shades. */
#define FG_SHADE_LINES 2

/* Axes and places (plot_layout.c); the document's texts are known. */
extern bool fg_plot_lay_out(FgPlotDrawing *d);

/* Of the whole picture. */
extern uint32_t fg_plot_height(const FgPlotDrawing *d);

/* The frame of a panel, its ticks and labels, what stands below and above its marks. */
extern bool fg_plot_put_panel(FgPlotDrawing *d, uint32_t panel);
extern bool fg_plot_put_rules(FgPlotDrawing *d, uint32_t panel);

/* Titles of the axes, once for all panels. */
extern void fg_plot_put_words(FgPlotDrawing *d);

/* The marks of a layer (plot_marks.c). */
extern bool fg_plot_put_layer(FgPlotDrawing *d, const FgLayer *layer);

/* Words beside the points of all layers of a panel, as far as none lies on another. */
extern bool fg_plot_put_labels(FgPlotDrawing *d, uint32_t panel);

/* Points of a layer as cells (plot_cells.c), and what their sizes mean. */
extern bool fg_plot_put_cells(FgPlotDrawing *d, const FgLayer *layer);
extern void fg_plot_cells_legend(FgDocument *document);

/* A text with its opening tag, cut to so many pixels; anchor "start", "middle" or "end". */
extern void fg_plot_put_text(FgPlotDrawing *d, FgText text, double x, double y,
							 const char *anchor, double room);

/* Of tooltips: x as its scale has it, y with its unit. */
extern void fg_plot_put_x(FgPlotDrawing *d, double x);
extern void fg_plot_put_y(FgPlotDrawing *d, double y);

/* Columns of a label of x are not more. */
#define FG_NAME_COLUMNS 24

/* Panels that share their scale have labels below the lowest one of each column. */
extern bool fg_plot_has_x_labels(const FgPlotDrawing *d, uint32_t panel);

/* What is written of the i-th label of x of a panel. */
extern FgText fg_plot_label(const FgPlotDrawing *d, const FgPlotPanel *panel, uint32_t i,
							bool *cut);

#endif							/* FG_PLOT_INTERNAL_H */
