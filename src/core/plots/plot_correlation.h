/*
 * plot_correlation.h
 *	  What a function costs against what its run costs, a panel for each benchmark
 *	  (correlation.h; Lundberg & Rettig 2024, sections 5.3 and 6.2).
 *
 * Another program has another scale, so each panel has scales of its own, unless the options say
 * otherwise.
 */
#ifndef FG_PLOT_CORRELATION_H
#define FG_PLOT_CORRELATION_H

#include "core/compare/correlation.h"
#include "core/plots/plot.h"

/* The points of one benchmark. */
typedef struct FgCorrelationPanel
{
	FgText		benchmark;		/* bytes NULL: it has no name */
	size_t		n;				/* at least 1 */
	double	   *x;				/* of the function */
	double	   *y;				/* of the run */
	double		pearson;		/* NaN of fewer than two points */
	double		spearman;
} FgCorrelationPanel;

typedef struct FgCorrelationPlot
{
	FgText		frame;
	FgText		level;
	FgCorrelationPanel *panels;
	size_t		npanels;
	FgCorrelationScore score;	/* Pearson's, over the benchmarks */
	size_t		missing;		/* runs without a metric */
	size_t		without;		/* runs that were left out since they have no such function */
} FgCorrelationPlot;

/* FG_ERROR_ARGUMENT for more than FG_MOST_PANELS panels, FG_ERROR_RANGE as in plot.h. */
extern bool fg_correlation_svg(const FgCorrelationPlot *given, const FgPlotOptions *options,
							   FgBuffer *svg);

#endif							/* FG_PLOT_CORRELATION_H */
