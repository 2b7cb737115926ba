/*
 * plot_trend_internal.h
 *	  A trend on its way to a plot, for the modules that make its layers and its texts.
 */
#ifndef FG_PLOT_TREND_INTERNAL_H
#define FG_PLOT_TREND_INTERNAL_H

#include "core/plots/plot_say.h"
#include "core/plots/plot_trend.h"
#include "core/plots/plot_words.h"

/* A vertical line: a change, or the findings about one run. */
typedef struct FgTrendMark
{
	size_t		at;				/* the kept run */
	size_t		finding;		/* the first of them */
	size_t		findings;		/* how many; 0: a change */
	double		before;			/* means; NaN: no run before */
	double		after;
} FgTrendMark;

/* Kept runs stand by panel, and in each in their order. */
typedef struct FgTrendDrawing
{
	FgContext  *ctx;
	const FgTrend *trend;
	FgPlotOptions options;
	FgPlotWords panels;
	size_t		first[FG_MOST_PANELS + 1];
	uint32_t   *panel;			/* by element; FG_NONE: dropped */
	uint32_t   *order;			/* elements: those that are kept come first */
	uint32_t   *place;			/* by element: its kept run; FG_NONE: dropped */
	size_t		kept;
	double	   *numbers;		/* x, y, mean, lower, upper of kept runs */
	const double *x;
	const double *y;
	const double *mean;			/* NULL: none */
	const double *lower;
	const double *upper;
	double	   *score;			/* deviations from the mean; NaN: none */
	uint8_t    *is_outside;
	size_t		outside;
	double	   *outside_numbers;	/* x, y */
	double	   *level_numbers;	/* x, and y from level_room on: means between changes */
	size_t		level_room;
	size_t		nlevels;
	size_t		first_level[FG_MOST_PANELS + 1];
	FgText	   *more;			/* by kept run, then those outside: of titles */
	FgText	   *words;			/* of those outside: their scores */
	FgTrendMark *marks;
	size_t		nmarks;
	FgPlotRule *rules;
	FgLayer    *layers;
	size_t		nlayers;
	const FgText *names;		/* of places; NULL: these are numbers */
	FgSaid		said;			/* what more, words and rules point to */
	FgSaid		expected;		/* of the legend */
	FgSaid		subtitle;
	FgSaid		footnote;
	FgSaid		description;
} FgTrendDrawing;

static inline size_t
fg_trend_element(const FgTrendDrawing *d, size_t run)
{
	return d->order[run];
}

/* What run it is: its label, its start, or its number. */
extern void fg_trend_say_run(const FgTrendDrawing *d, FgSaid *said, size_t run);

/* All texts: of legend, marks, and around the plot. */
extern bool fg_trend_write(FgTrendDrawing *d);

#endif							/* FG_PLOT_TREND_INTERNAL_H */
