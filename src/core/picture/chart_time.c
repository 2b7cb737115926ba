/*
 * chart_time.c
 *	  The samples of a flame chart in order of time, and the window that is drawn (see
 *	  chart_internal.h).
 */
#include "core/picture/chart_internal.h"

#include "core/base/order.h"
#include "core/profile/walk.h"

#include <float.h>
#include <math.h>

/* Two ways to the same time, start + duration and the next start, differ by a few roundings. */
double
fg_chart_touch(double a)
{
	return 8 * DBL_EPSILON * fabs(a);
}

int
fg_chart_decimals(const FgChartTime *time)
{
	double		span = time->last - time->first;
	double		decimals = span > 0 ? 10 - floor(log10(span)) : 12;

	/* the viewer can write so many */
	return decimals < 0 ? 0 : decimals > 100 ? 100 : (int) decimals;
}

/* --- order -------------------------------------------------------------------------- */

/* Below 0 when a comes before b; the same samples come out the same, whatever order they had. */
static int
compare_samples(const void *arg, uint32_t left, uint32_t right)
{
	const FgChartSample *a = (const FgChartSample *) arg + left;
	const FgChartSample *b = (const FgChartSample *) arg + right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->stop != b->stop)
		return a->stop < b->stop ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Samples with the nodes of the tree and the threads by name, as they come. */
static bool
renumber(const FgChart *chart, const uint32_t *place, const uint32_t *rank, FgChartSample *samples)
{
	for (uint32_t i = 0; i < chart->count; i++)
	{
		samples[i] = chart->samples[i];
		samples[i].node = place[samples[i].node];
		samples[i].thread = rank[samples[i].thread];
		if (!fg_check_every(chart->ctx, i))
			return false;
	}
	return true;
}

static bool
is_sorted(FgContext *ctx, const FgChartSample *samples, uint32_t count, bool *sorted)
{
	*sorted = true;
	for (uint32_t i = 1; *sorted && i < count; i++)
	{
		*sorted = compare_samples(samples, i - 1, i) <= 0;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* Most recordings come in order already. */
static bool
sort_samples(FgChartTime *t)
{
	FgContext  *ctx = t->ctx;
	bool		sorted;
	uint32_t   *order;
	FgChartSample *samples;
	bool		ok;

	if (!is_sorted(ctx, t->samples, t->count, &sorted))
		return false;
	if (sorted)
		return true;
	order = fg_alloc(ctx, t->count, sizeof(uint32_t));
	samples = fg_alloc(ctx, t->count, sizeof(FgChartSample));
	ok = order != NULL && samples != NULL &&
		fg_order_by(ctx, t->count, compare_samples, t->samples, order);
	for (uint32_t i = 0; ok && i < t->count; i++)
	{
		samples[i] = t->samples[order[i]];
		ok = fg_check_every(ctx, i);
	}
	fg_release(ctx, order);
	if (!ok)
	{
		fg_release(ctx, samples);
		return false;
	}
	fg_release(ctx, t->samples);
	t->samples = samples;
	return true;
}

/* The tree, the names of threads and the samples with both. */
static bool
take_samples(FgChart *chart, FgChartTime *t)
{
	FgContext  *ctx = chart->ctx;
	uint32_t   *place = NULL;
	uint32_t   *rank = fg_alloc(ctx, chart->threads.count, sizeof(uint32_t));
	bool		ok;

	t->count = chart->count;
	t->samples = fg_alloc(ctx, chart->count, sizeof(FgChartSample));
	ok = rank != NULL && t->samples != NULL &&
		fg_builder_numbered_tree(chart->stacks, &t->tree, &place) &&
		fg_names_sort(&chart->threads, &t->threads, rank) &&
		renumber(chart, place, rank, t->samples) && sort_samples(t);
	fg_release(ctx, place);
	fg_release(ctx, rank);
	return ok;
}

/* --- times -------------------------------------------------------------------------- */

/* Also the sums of the tree, in the order of time: no other order is that of the picture. */
static bool
find_ends(FgChartTime *t)
{
	if (t->count == 0)
		return true;
	t->first = t->samples[0].start;
	t->last = t->samples[0].stop;
	for (uint32_t i = 0; i < t->count; i++)
	{
		const FgChartSample *sample = &t->samples[i];

		t->last = sample->stop > t->last ? sample->stop : t->last;
		t->tree.self[sample->node] += sample->stop - sample->start;
		if (!fg_check_every(t->ctx, i))
			return false;
	}
	return true;
}

static bool
find_window(FgChartTime *t, const FgChartOptions *o)
{
	t->from = o->has_from ? o->from : t->first;
	t->to = o->has_to ? o->to : t->last;
	if (o->has_from && o->has_to && !(t->to > t->from))
		return fg_fail(t->ctx, FG_ERROR_ARGUMENT, "from_time %.17g is not before to_time %.17g",
					   t->from, t->to);
	/* the one that was given lies outside of the samples: there is nothing to draw */
	if (!(t->to > t->from))
		t->from = t->to = o->has_from ? t->from : t->to;
	if (!isfinite(t->to - t->from))
		return fg_fail(t->ctx, FG_ERROR_RANGE, "the time from the first to the last sample is out "
					   "of range");
	for (uint32_t i = 0; i < t->count; i++)
	{
		double		within = fg_chart_within(t, t->samples[i].start, t->samples[i].stop);

		t->outside += !(within > 0);
		t->total += within > 0 ? within : 0;
		if (!fg_check_every(t->ctx, i))
			return false;
	}
	if (!isfinite(t->total))
		return fg_fail(t->ctx, FG_ERROR_RANGE, "the duration of all samples is out of range");
	return true;
}

bool
fg_chart_time(FgChart *chart, const FgChartOptions *options, FgChartTime *t)
{
	*t = (FgChartTime) {.ctx = chart->ctx, .instants = chart->instants};
	if (!take_samples(chart, t))
		return false;
	t->parent = fg_alloc(t->ctx, (size_t) t->tree.nnodes + 1, sizeof(uint32_t));
	return t->parent != NULL && fg_tree_parents(t->ctx, &t->tree, t->parent) && find_ends(t) &&
		find_window(t, options) && fg_chart_lanes(t);
}

void
fg_chart_time_free(FgChartTime *t)
{
	fg_tree_free(t->ctx, &t->tree);
	fg_frames_free(t->ctx, &t->threads);
	fg_release(t->ctx, t->parent);
	fg_release(t->ctx, t->samples);
	fg_release(t->ctx, t->thread);
	fg_release(t->ctx, t->by_lane);
	fg_release(t->ctx, t->lane_start);
}
