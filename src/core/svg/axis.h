/*
 * axis.h
 *	  Scales of plots: ticks at round numbers around the data, their labels, and where a
 *	  value lies between them.
 *
 * Linear scales have ticks at 1, 2 or 5 times a power of ten, logarithmic ones at these
 * numbers or at powers of ten (at round numbers like linear ones where the data span less),
 * scales of time at round times in UTC from seconds to years.  There are FG_LEAST_TICKS to
 * FG_MOST_TICKS of them, the finest that are not more, and all data lie between the first
 * and the last.  Labels are made of whole numbers, so they are exact.
 *
 * Times are seconds since 1970-01-01 in UTC.
 */
#ifndef FG_AXIS_H
#define FG_AXIS_H

#include "core/base/context.h"

typedef enum FgScale
{
	FG_SCALE_LINEAR,
	FG_SCALE_LOG,
	FG_SCALE_TIME
} FgScale;

#define FG_LEAST_TICKS	4
#define FG_MOST_TICKS	9

/* Larger numbers, and on logarithmic scales smaller ones than 1 / this, are not drawn. */
#define FG_AXIS_LARGEST	1e200

/* Longest label, the final NUL included. */
#define FG_TICK_SIZE	40

typedef struct FgTick
{
	double		at;
	size_t		length;
	char		label[FG_TICK_SIZE];
} FgTick;

typedef struct FgAxis
{
	FgScale		scale;
	double		unit;			/* what the labels' 1 is */
	double		first;			/* of what positions are linear in: logarithms on that scale */
	double		last;
	uint32_t	count;
	FgTick		ticks[FG_MOST_TICKS];
	char		day[FG_TICK_SIZE];	/* of times whose labels do not say it, else "" */
} FgAxis;

/*
 * An axis over [lo, hi], finite and lo <= hi; positive on logarithmic scales.  Where both are
 * (nearly) the same, it goes some way to both sides.  FG_ERROR_RANGE for numbers that are too
 * large or too small to be drawn.
 */
extern bool fg_axis_make(FgContext *ctx, FgScale scale, double lo, double hi, double unit,
						 FgAxis *axis);

/* Where a value is: 0 at the first tick, 1 at the last one. */
extern double fg_axis_share(const FgAxis *axis, double value);

/* --- times ------------------------------------------------------------------------ */

/* "2026-11-23 15:08:12.5", as many decimals as are needed, at most six; returns the length. */
extern size_t fg_time_print(double seconds, char *to);

/* The ticks of a scale of time (axis_time.c). */
extern void fg_axis_times(double lo, double hi, FgAxis *axis);

/* --- labels along an axis ----------------------------------------------------------- */

/* How labels are written so that none overlaps another. */
typedef struct FgLabels
{
	bool		turned;			/* by 45 degrees */
	uint32_t	every;			/* only every so many-th is written */
} FgLabels;

/*
 * For labels of these widths below these places, all in pixels: level where there is room,
 * else turned, else the fewest that have to be are left out.  "line" is the height of a line.
 */
extern bool fg_labels_arrange(FgContext *ctx, const double *at, const double *width, size_t count,
							  double line, FgLabels *labels);

/* The same for labels on top of each other: "every" alone. */
extern bool fg_labels_stack(FgContext *ctx, const double *at, size_t count, double line,
							FgLabels *labels);

#endif							/* FG_AXIS_H */
