/*
 * chart_boxes.c
 *	  The boxes of a flame chart (see chart_internal.h).
 *
 * A lane is a sequence of stacks.  A box opens where a frame comes onto the stack and closes
 * where it goes, so the work is as much as changes from one sample to the next.  Boxes get
 * their place when they close: children before their parents, each with the run of thin boxes
 * that stand below it.  A box that turns out to be thin goes into the run of its siblings, and
 * takes with it what was below.
 */
#include "core/picture/chart_internal.h"

#include "core/base/order.h"

#include <math.h>

/* Thin boxes of one row that stand side by side below one parent. */
typedef struct Run
{
	double		start;
	double		stop;
	double		total;			/* of the uppermost of them, as far as they are in the window */
	uint64_t	boxes;			/* with those below them */
	uint32_t	node;
} Run;

/* A box that is open; level 0 is the lane. */
typedef struct Level
{
	uint32_t	node;
	uint32_t	samples;
	double		start;
	double		total;
	double		self;
	Run			run;			/* below it; boxes 0: there is none */
	FgLeftOut	left_out;		/* of runs below it that have ended */
} Level;

typedef struct Layout
{
	FgContext  *ctx;
	const FgChartTime *time;
	const FgChartOptions *options;
	FgChartBoxes *result;
	double		width;
	uint32_t	lane;
	Level	   *levels;			/* by depth, as far as rows are drawn */
	uint32_t	depth;			/* of the deepest open one */
	uint32_t	leaf;			/* of the sample before; the frames below the last row included */
	double		stop;			/* of that */
	uint32_t   *path;			/* of the frames that open, deepest first */
	size_t		path_capacity;
	bool		full;			/* more boxes than allowed */
} Layout;

static double
pixels(const Layout *l, double time)
{
	return time / (l->time->to - l->time->from) * l->width;
}

/* The width of what is between two times. */
static double
pixels_within(const Layout *l, double start, double stop)
{
	double		within = fg_chart_within(l->time, start, stop);

	return within > 0 ? pixels(l, within) : 0;
}

static bool
add_box(Layout *l, FgChartBox box)
{
	FgChartBoxes *result = l->result;

	if (result->count >= l->options->look.max_boxes)
	{
		l->full = true;
		return true;
	}
	if (!fg_reserve(l->ctx, (void **) &result->boxes, &result->capacity,
					(size_t) result->count + 1, sizeof(FgChartBox)))
		return false;
	result->boxes[result->count++] = box;
	result->drawn += box.hidden == 0;
	return true;
}

/* --- what is too thin or too deep ------------------------------------------------------ */

/* The run below a level is over. */
static bool
end_run(Layout *l, uint32_t depth)
{
	Level	   *level = &l->levels[depth];
	Run			run = level->run;

	if (run.boxes == 0)
		return true;
	level->run.boxes = 0;
	level->left_out.nodes += run.boxes;
	level->left_out.total += run.total;
	if (pixels_within(l, run.start, run.stop) < l->result->min_width)
		return true;
	return add_box(l, (FgChartBox) {
		.lane = l->lane, .row = depth, .node = run.node,
		.hidden = run.boxes > UINT32_MAX ? UINT32_MAX : (uint32_t) run.boxes,
		.deeper = depth == l->result->max_rows, .start = run.start, .stop = run.stop,
		.total = run.total
	});
}

/* One more, from left to right; where it is far from those before there is a gap to be seen. */
static bool
extend_run(Layout *l, uint32_t depth, Run more)
{
	Run		   *run = &l->levels[depth].run;

	if (run->boxes > 0 && more.start > run->stop &&
		pixels(l, more.start - run->stop) >= l->result->min_width && !end_run(l, depth))
		return false;
	if (run->boxes == 0)
	{
		*run = more;
		return true;
	}
	run->stop = more.stop;
	run->total += more.total;
	run->boxes += more.boxes;
	return true;
}

/* Boxes below this level that are not drawn; those of the last row's are too deep. */
static void
count_left_out(Layout *l, uint32_t depth)
{
	FgLeftOut  *sum = depth == l->result->max_rows ? &l->result->deeper : &l->result->thin;

	sum->nodes += l->levels[depth].left_out.nodes;
	sum->total += l->levels[depth].left_out.total;
	l->levels[depth].left_out = (FgLeftOut) {0};
}

/* Frames of a sample in rows that are not drawn, of which "opened" were not there before. */
static bool
add_deeper(Layout *l, const FgChartSample *sample, uint32_t node, uint32_t opened)
{
	double		within = fg_chart_within(l->time, sample->start, sample->stop);

	if (!(within > 0))
		return true;
	/* the first that is seen of frames that opened outside of the window, or before a gap */
	if (opened == 0 && l->levels[l->depth].run.boxes == 0)
		opened = 1;
	l->result->all += opened;
	return extend_run(l, l->depth, (Run) {sample->start, sample->stop, within, opened, node});
}

/* --- boxes --------------------------------------------------------------------------- */

/* The deepest box that is open ends where the sample before did. */
static bool
close_box(Layout *l)
{
	uint32_t	depth = l->depth--;
	Level	   *level = &l->levels[depth];
	Level	   *parent = level - 1;
	double		within = fg_chart_within(l->time, level->start, l->stop);

	parent->total += level->total;
	parent->samples += level->samples;
	if (!(within > 0))
		return true;
	l->result->all++;
	if (pixels(l, within) < l->result->min_width)
	{
		Run			run = {level->start, l->stop, within, 1, level->node};

		run.boxes += level->run.boxes + level->left_out.nodes;
		return extend_run(l, depth - 1, run);
	}
	if (!end_run(l, depth - 1) || !end_run(l, depth))
		return false;
	count_left_out(l, depth);
	return add_box(l, (FgChartBox) {
		.lane = l->lane, .row = depth - 1, .node = level->node, .start = level->start,
		.stop = l->stop, .total = level->total, .self = level->self, .samples = level->samples
	});
}

static bool
close_to(Layout *l, uint32_t depth)
{
	while (l->depth > depth)
	{
		if (!close_box(l) || !fg_steps(l->ctx, 8))
			return false;
	}
	return true;
}

/* The frames of a node down from an ancestor, deepest first. */
static bool
path_from(Layout *l, uint32_t ancestor, uint32_t node, uint32_t *count)
{
	const FgChartTime *t = l->time;
	uint32_t	most = fg_key_depth(t->tree.key[node]) - fg_key_depth(t->tree.key[ancestor]);

	*count = 0;
	if (!fg_reserve(l->ctx, (void **) &l->path, &l->path_capacity, most, sizeof(uint32_t)))
		return false;
	for (; node != ancestor; node = t->parent[node])
		l->path[(*count)++] = node;
	return fg_steps(l->ctx, *count);
}

/* The deepest node that both stacks have; parents come before their children. */
static uint32_t
common_node(const FgChartTime *t, uint32_t a, uint32_t b)
{
	while (a != b)
	{
		if (a > b)
			a = t->parent[a];
		else
			b = t->parent[b];
	}
	return a;
}

static bool
add_sample(Layout *l, const FgChartSample *sample)
{
	const FgChartTime *t = l->time;
	double		gap = sample->start - l->stop;
	bool		touches = l->options->merge &&
		gap <= l->options->max_gap + fg_chart_touch(sample->start);
	uint32_t	common = touches ? common_node(t, l->leaf, sample->node) : 0;
	uint32_t	depth = fg_key_depth(t->tree.key[common]);
	uint32_t	count;
	uint32_t	rows = l->result->max_rows;

	if (!fg_steps(l->ctx, l->depth) || !close_to(l, depth) ||
		!path_from(l, common, sample->node, &count))
		return false;
	while (count > 0 && l->depth < rows)
	{
		l->levels[++l->depth] = (Level) {.node = l->path[--count], .start = sample->start};
	}
	l->levels[l->depth].samples++;
	l->levels[l->depth].total += sample->stop - sample->start;
	if (fg_key_depth(t->tree.key[sample->node]) <= rows)
		l->levels[l->depth].self += sample->stop - sample->start;
	else if (!add_deeper(l, sample, count > 0 ? l->path[count - 1] : sample->node, count))
		return false;
	l->leaf = sample->node;
	l->stop = sample->stop;
	return true;
}

static bool
add_lane(Layout *l, uint32_t lane)
{
	const FgChartTime *t = l->time;

	l->lane = lane;
	l->depth = 0;
	l->leaf = 0;
	l->stop = -INFINITY;
	l->levels[0] = (Level) {0};
	for (uint32_t i = t->lane_start[lane]; i < t->lane_start[lane + 1] && !l->full; i++)
	{
		if (!add_sample(l, &t->samples[t->by_lane[i]]))
			return false;
	}
	if (!close_to(l, 0) || !end_run(l, 0))
		return false;
	count_left_out(l, 0);
	return true;
}

/* --- limits -------------------------------------------------------------------------- */

static bool
try_limits(Layout *l, uint32_t lanes, double min_width, uint32_t max_rows)
{
	FgChartBoxes *result = l->result;

	*result = (FgChartBoxes) {.boxes = result->boxes, .capacity = result->capacity};
	result->min_width = min_width;
	result->max_rows = max_rows;
	l->full = false;
	for (uint32_t lane = 0; lane < lanes && !l->full; lane++)
	{
		if (!add_lane(l, lane))
			return false;
	}
	return true;
}

/* As in boxes.c: thinner than this no box can be seen; few abreast means that rows are too many. */
#define LEAST_WIDTH 0.01
#define MOST_ABREAST 32

static bool
fit(Layout *l, uint32_t lanes)
{
	double		width = l->options->look.min_width;
	uint32_t	rows = l->options->look.max_rows;

	if (!try_limits(l, lanes, width, rows))
		return false;
	while (l->full)
	{
		if (rows > 1 && MOST_ABREAST * width > l->width)
			rows /= 2;
		else
			width = width < LEAST_WIDTH ? LEAST_WIDTH : 2 * width;
		if (!try_limits(l, lanes, width, rows))
			return false;
	}
	return true;
}

/* Parents before children, from left to right, lane after lane. */
static int
compare_boxes(const void *arg, uint32_t left, uint32_t right)
{
	const FgChartBox *a = (const FgChartBox *) arg + left;
	const FgChartBox *b = (const FgChartBox *) arg + right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static bool
sort_boxes(FgContext *ctx, FgChartBoxes *result)
{
	uint32_t   *order = fg_alloc(ctx, result->count, sizeof(uint32_t));
	FgChartBox *sorted = fg_alloc(ctx, result->count, sizeof(FgChartBox));
	bool		ok = order != NULL && sorted != NULL &&
		fg_order_by(ctx, result->count, compare_boxes, result->boxes, order);

	for (uint32_t i = 0; ok && i < result->count; i++)
	{
		sorted[i] = result->boxes[order[i]];
		ok = fg_check_every(ctx, i);
	}
	fg_release(ctx, order);
	if (!ok)
	{
		fg_release(ctx, sorted);
		return false;
	}
	fg_release(ctx, result->boxes);
	result->boxes = sorted;
	result->capacity = result->count;
	return true;
}

bool
fg_chart_boxes(const FgChartTime *time, const FgChartOptions *options, uint32_t lanes,
			   double width, FgChartBoxes *boxes)
{
	FgContext  *ctx = time->ctx;
	Layout		l = {.ctx = ctx, .time = time, .options = options, .result = boxes,
		.width = width};
	size_t		rows = options->look.max_rows;
	bool		ok;

	*boxes = (FgChartBoxes) {.min_width = options->look.min_width, .max_rows = (uint32_t) rows};
	if (!(time->to > time->from))
		return true;
	l.levels = fg_alloc(ctx, rows + 1, sizeof(Level));
	ok = l.levels != NULL && fit(&l, lanes) && sort_boxes(ctx, boxes);
	fg_release(ctx, l.levels);
	fg_release(ctx, l.path);
	return ok;
}

void
fg_chart_boxes_free(FgContext *ctx, FgChartBoxes *boxes)
{
	fg_release(ctx, boxes->boxes);
	*boxes = (FgChartBoxes) {0};
}
