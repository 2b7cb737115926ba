/*
 * chart_internal.h
 *	  What the files that draw a flame chart share: its samples in order, lanes, boxes.
 */
#ifndef FG_CHART_INTERNAL_H
#define FG_CHART_INTERNAL_H

#include "core/picture/chart.h"
#include "core/svg/axis.h"
#include "core/svg/drawing.h"

/* Lanes that are drawn, and rows of one; deeper frames are one box. */
#define FG_CHART_LANES	1000
#define FG_CHART_ROWS	400

/* A thread, in the order of their first samples. */
typedef struct FgChartThread
{
	uint32_t	name;			/* in the dictionary of threads */
	uint32_t	samples;
	uint32_t	first_lane;
	uint32_t	lanes;			/* more than one where samples overlap */
	double		busy;			/* time within the window with at least one sample */
} FgChartThread;

/* The samples in order of time, with their nodes in a tree, and by lane. */
typedef struct FgChartTime
{
	FgContext  *ctx;
	FgTree		tree;			/* self: the duration of the samples that end there */
	uint32_t   *parent;			/* by node */
	FgFrames	threads;		/* the names */
	FgChartSample *samples;		/* by start, stop, stack, thread; thread: number in "thread" */
	uint32_t	count;
	FgChartThread *thread;
	uint32_t	nthreads;
	uint32_t   *by_lane;		/* numbers of samples */
	uint32_t   *lane_start;		/* nlanes + 1 */
	uint32_t	nlanes;
	double		first;			/* of the data */
	double		last;
	double		from;			/* of what is drawn */
	double		to;
	uint32_t	outside;		/* samples that are not within */
	uint64_t	instants;		/* samples without duration, which are not in "samples" */
	double		total;			/* duration of the samples within, as far as they are */
} FgChartTime;

/* Release it with fg_chart_time_free, also when it fails.  No samples: no lanes, from == to. */
extern bool fg_chart_time(FgChart *chart, const FgChartOptions *options, FgChartTime *time);
extern void fg_chart_time_free(FgChartTime *time);

/* Lanes of the samples, and the threads' numbers, counts and busy time (chart_lanes.c). */
extern bool fg_chart_lanes(FgChartTime *time);

/* Rounding alone does not part two samples: so far behind "a" is still where it is. */
extern double fg_chart_touch(double a);

/*
 * So many decimals of times are worth reading: ten digits of the time from the first sample to
 * the last.  What follows them is mostly what adding up has made.
 */
extern int	fg_chart_decimals(const FgChartTime *time);

/* Behind this and before that a sample lasts within the window; <= 0: it does not. */
static inline double
fg_chart_within(const FgChartTime *time, double start, double stop)
{
	double		left = start > time->from ? start : time->from;
	double		right = stop < time->to ? stop : time->to;

	return right - left;
}

/* --- boxes -------------------------------------------------------------------------- */

typedef struct FgChartBox
{
	uint32_t	lane;
	uint32_t	row;
	uint32_t	node;			/* of hidden boxes: the first of them */
	uint32_t	hidden;			/* for how many boxes this one stands; 0: for itself */
	bool		deeper;			/* these are in rows that are not drawn */
	double		start;			/* of all of it, also outside of the window */
	double		stop;
	double		total;			/* duration of the samples in it; of hidden ones: of the boxes */
	double		self;			/* of those that end in this frame */
	uint32_t	samples;
} FgChartBox;

typedef struct FgChartBoxes
{
	FgChartBox *boxes;			/* by lane, start and row */
	size_t		capacity;
	uint32_t	count;
	uint32_t	drawn;			/* boxes that stand for themselves */
	uint64_t	all;			/* within the window, drawn or not */
	double		min_width;		/* doubled until max_boxes were enough */
	uint32_t	max_rows;		/* halved where that alone would have left nothing */
	FgLeftOut	thin;
	FgLeftOut	deeper;
} FgChartBoxes;

/* The boxes of the first "lanes" lanes, "width" pixels for the window. */
extern bool fg_chart_boxes(const FgChartTime *time, const FgChartOptions *options, uint32_t lanes,
						   double width, FgChartBoxes *boxes);
extern void fg_chart_boxes_free(FgContext *ctx, FgChartBoxes *boxes);

#endif							/* FG_CHART_INTERNAL_H */
