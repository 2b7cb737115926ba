/*
 * plot_scaling.h
 *	  How much faster more workers are: speed-ups, the ideal, and Amdahl's law (amdahl.h).
 */
#ifndef FG_PLOT_SCALING_H
#define FG_PLOT_SCALING_H

#include "core/plots/plot.h"

/* Numbers of workers that a law takes. */
#define FG_LEAST_SCALES 3

typedef struct FgScaling
{
	size_t		n;
	const double *workers;		/* positive and finite, as the times are */
	const double *times;
	size_t		missing;		/* pairs that were dropped before */
	FgText		unit;			/* of the times; empty: none */
} FgScaling;

/*
 * Pairs are sorted by workers, and those of equal ones by time.  Speed-ups are the mean time of
 * one worker, or of the fewest, over the mean time of each number of workers; ranges are from
 * that mean over the longest time to that over the shortest one.  FG_ERROR_RANGE for numbers
 * that cannot be drawn.
 */
extern bool fg_scaling_svg(const FgScaling *scaling, const FgPlotOptions *options, FgBuffer *svg);

#endif							/* FG_PLOT_SCALING_H */
