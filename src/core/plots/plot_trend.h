/*
 * plot_trend.h
 *	  Measurements of runs in their order: what was to be expected of each, which of them lie
 *	  outside, where the mean changed, what was found.
 */
#ifndef FG_PLOT_TREND_H
#define FG_PLOT_TREND_H

#include "core/plots/plot.h"

/* So many findings are listed below the plot; all are flags in it. */
#define FG_MOST_LISTED 50

typedef struct FgFinding
{
	size_t		at;				/* the element it is about, from 0 */
	FgText		label;			/* may be empty */
	FgText		kind;			/* the same */
} FgFinding;

/* Arrays have n elements. */
typedef struct FgTrend
{
	size_t		n;
	const double *start;		/* seconds since 1970-01-01 in UTC, NaN: none; NULL: positions */
	const double *y;			/* NaN: none */
	const double *mean;			/* NULL: not given; NaN: none */
	const double *lower;		/* both or none of these two */
	const double *upper;
	int64_t		window;			/* values before, for the band where nothing is given */
	double		k;				/* deviations from the mean to the ends of the band */
	const FgText *labels;		/* runs stand at equal distances then; NULL: none */
	const FgText *panels;		/* NULL: one without a heading */
	const size_t *changes;		/* first elements after a change, from 0, in any order */
	size_t		nchanges;
	const FgFinding *findings;
	size_t		nfindings;
} FgTrend;

/*
 * Runs are drawn in the order of their starts, equal ones in that of the arrays.  Those
 * without y or start are dropped and counted.  Without mean and band those of
 * trailing_band.h are drawn, of each panel by itself.  FG_ERROR_ARGUMENT for a window or k
 * outside of their domain and more than FG_MOST_PANELS panels, FG_ERROR_RANGE for numbers
 * that cannot be drawn (axis.h).
 */
extern bool fg_trend_svg(const FgTrend *trend, const FgPlotOptions *options, FgBuffer *svg);

#endif							/* FG_PLOT_TREND_H */
