/*
 * plot.h
 *	  Plots in SVG: panels with axes (axis.h), and on them points, lines, steps, bars, bands
 *	  and whatever a picture marks besides.
 *
 * A plot is made of layers, each with its marks in one panel, drawn in their order.  Marks
 * whose place does not exist (NaN, or not positive on a logarithmic scale) are not drawn; a
 * line or a band has a gap there.  All panels have the same scales, unless it is said that
 * each has its own.
 *
 * Every mark has a title with its exact numbers.  Of more than FG_MOST_POINTS points cells of
 * pixels are drawn, each the larger, the more points it has; lines of more points are drawn
 * by the first, least, largest and last of each pixel's, which looks the same.
 */
#ifndef FG_PLOT_H
#define FG_PLOT_H

#include "core/plots/plot_style.h"
#include "core/svg/axis.h"
#include "core/svg/document.h"

#define FG_MOST_POINTS		5000
#define FG_MOST_PANELS		100

/* Lines have a mark with a title for each of so many points. */
#define FG_MOST_VERTICES	500

typedef enum FgMark
{
	FG_MARK_POINTS,				/* with lower and upper: a range */
	FG_MARK_LINE,				/* x ascending; with lower and upper: a band */
	FG_MARK_STEPS,				/* the same; y holds up to the next x */
	FG_MARK_BARS				/* from 0, with lower and upper: a range */
} FgMark;

typedef struct FgLayer
{
	FgMark		mark;
	uint32_t	panel;
	uint32_t	style;			/* of the series (plot_style.h) */
	uint32_t	side;			/* of bars at the same x: this one of so many */
	uint32_t	sides;			/* 0: alone */
	FgText		name;			/* of the series; empty: none */
	size_t		n;
	const double *x;
	const double *y;
	const double *lower;		/* NULL: none */
	const double *upper;
	double		end;			/* where the last step ends, if it is not 0 or NaN */
	const FgText *more;			/* what else each title says; NULL: nothing */
	const FgText *words;		/* beside points, where there is room; NULL: none */
	const char *dashes;			/* instead of the series' own; NULL: those */
	bool		bare;			/* a curve: no marks of its points */
	bool		filled;			/* points that stand out */
	bool		unnamed;		/* is not in the legend */
} FgLayer;

/* A part of a panel from left to right, under the marks, with words at its top. */
typedef struct FgShade
{
	uint32_t	panel;
	double		from;
	double		to;
	FgFill		fill;
	FgText		label;
	FgText		title;
} FgShade;

/* A vertical line over the whole panel, with words at its upper end; in the order of x. */
typedef struct FgPlotRule
{
	uint32_t	panel;
	double		at;
	FgText		label;
	FgText		title;
	bool		flag;			/* a number in a box: a finding */
} FgPlotRule;

typedef struct FgPlotOptions
{
	FgText		title;			/* not given: the plot's name; empty: no heading */
	FgText		subtitle;		/* not given: the plot's own */
	FgText		notes;
	FgText		x_label;
	FgText		y_label;
	FgText		unit;			/* of y; empty: none */
	uint32_t	width;
	uint32_t	height;			/* with one row of panels */
	FgScale		x_scale;
	FgScale		y_scale;
	FgTheme		theme;
	uint32_t	columns;		/* panels a row; 0: as many as have room */
	bool		y_zero;
	bool		grid;
	bool		legend;
	bool		free_y;
	bool		free_x;			/* each panel has its own; not with bars or names of places */
} FgPlotOptions;

typedef struct FgPlot
{
	FgText		name;			/* "Plot" */
	FgText		subtitle;
	FgText		description;
	FgText		footnote;
	const FgText *panels;		/* their headings; NULL: none */
	const FgText *facts;		/* a line below each heading; NULL: none */
	uint32_t	npanels;
	const FgText *names;		/* of x = 1, 2, ... instead of numbers; NULL: none */
	uint32_t	nnames;
	const FgLayer *layers;
	size_t		nlayers;
	const FgShade *shades;
	size_t		nshades;
	const FgPlotRule *rules;
	size_t		nrules;
	const FgTexture *textures;
	uint32_t	ntextures;
	const FgLegendEntry *legend;	/* behind the series */
	uint32_t	nlegend;
	bool		ranges;			/* what lower and upper are has no words of its own */
} FgPlot;

extern FgPlotOptions fg_plot_defaults(void);

/*
 * Appends the document.  FG_ERROR_ARGUMENT for more than FG_MOST_POINTS bars, FG_ERROR_RANGE
 * for numbers that cannot be drawn (axis.h), FG_ERROR_LIMIT when it is too large.
 */
extern bool fg_plot_svg(const FgPlot *plot, const FgPlotOptions *options, FgBuffer *svg);

#endif							/* FG_PLOT_H */
