/*
 * chart.h
 *	  Flame charts: which stack was on when, in SVG, complete without a script.
 *
 * Time goes to the right, a lane for each thread, stacks downwards.  Samples of a thread that
 * follow each other and touch share the boxes of the frames that their stacks begin with, so a
 * box is as long as its function was on.  Samples of a thread that overlap stand in further
 * rows of its lane.  Boxes that are too thin and stand side by side become one, which says how
 * many there are; what is not drawn is counted.
 *
 *		fg_chart_create, fg_chart_add for each sample in any order, fg_chart_svg, fg_chart_free
 *
 * A sample takes 24 bytes, and all stacks together are one tree.  The picture is one of the set
 * of samples: their order leaves no trace.
 */
#ifndef FG_CHART_H
#define FG_CHART_H

#include "core/profile/builder.h"
#include "core/profile/names.h"
#include "core/svg/flame_options.h"

typedef struct FgChartSample
{
	double		start;
	double		stop;			/* behind start */
	uint32_t	node;
	uint32_t	thread;
} FgChartSample;

typedef struct FgChart
{
	FgContext  *ctx;
	FgBuilder  *stacks;			/* of nodes by number of fg_builder_newest */
	FgNames		threads;		/* "": samples of no thread */
	FgChartSample *samples;
	size_t		capacity;
	uint32_t	count;
	uint64_t	instants;		/* samples without duration, which are counted alone */
} FgChart;

/* Not used of "look": subtitle, notes, search, zoom, flame, by_value, max_nodes, highlight. */
typedef struct FgChartOptions
{
	FgFlameOptions look;
	bool		has_from;		/* else from the first sample on */
	bool		has_to;
	double		from;
	double		to;
	double		max_gap;		/* samples that are this far apart still touch */
	bool		merge;			/* false: each sample has boxes of its own */
	uint32_t	max_samples;	/* of the data */
} FgChartOptions;

extern FgChartOptions fg_chart_defaults(void);

/* Also to be freed where it fails. */
extern bool fg_chart_begin(FgContext *ctx, FgChart *chart);
extern void fg_chart_free(FgChart *chart);

/*
 * The stack is a path (path.h).  FG_ERROR_RANGE for times that are not finite and a duration
 * that is not, FG_ERROR_ARGUMENT for a stop before the start; then nothing was added.
 */
extern bool fg_chart_add(FgChart *chart, FgText stack, double start, double stop, FgText thread);

/*
 * Appends the document and leaves the chart as it is.  FG_ERROR_ARGUMENT where "to" is not
 * behind "from", FG_ERROR_RANGE for sums and times that are too large, FG_ERROR_LIMIT.
 */
extern bool fg_chart_svg(FgChart *chart, const FgChartOptions *options, FgBuffer *svg);

#endif							/* FG_CHART_H */
