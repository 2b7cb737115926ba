/*
 * plot_curve.h
 *	  A model as a layer of a plot: a curve at FG_CURVE_PLACES places of its interval, equally
 *	  far from each other on the picture, or the steps of a regressogram.
 */
#ifndef FG_PLOT_CURVE_H
#define FG_PLOT_CURVE_H

#include "core/models/model.h"
#include "core/plots/plot.h"

/* Places of a curve. */
#define FG_CURVE_PLACES 200

typedef struct FgPlotCurve
{
	FgLayer		layer;			/* without a band */
	FgBuffer	name;			/* of it: kind, formula, R^2; who adds to it sets it again */
	double	   *numbers;		/* x, y, and room for the two ends of a band */
	FgBuffer   *words;			/* of buckets: how many points */
	FgText	   *more;
	size_t		nwords;
} FgPlotCurve;

/* What was made is to be freed also when this fails. */
extern bool fg_plot_curve(FgContext *ctx, const FgModel *model, FgScale scale, uint32_t style,
						  FgPlotCurve *curve);
extern void fg_plot_curve_free(FgContext *ctx, FgPlotCurve *curve);

#endif							/* FG_PLOT_CURVE_H */
