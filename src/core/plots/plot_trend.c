/*
 * plot_trend.c
 *	  A trend as layers of a plot (see plot_trend.h).
 */
#include "core/plots/plot_trend_internal.h"

#include "core/base/order.h"
#include "core/base/series.h"
#include "core/models/trailing_band.h"

#include <math.h>

/* Band, line, runs outside, means between changes. */
#define LAYERS 4

#define OUTSIDE_STYLE	1
#define LEVEL_STYLE		2

/* --- runs ---------------------------------------------------------------------------- */

static bool
group_runs(FgTrendDrawing *d)
{
	const FgTrend *t = d->trend;

	for (size_t i = 0; i < t->n; i++)
	{
		uint32_t	panel = 0;

		if ((t->panels != NULL && !fg_plot_word(d->ctx, &d->panels, t->panels[i], &panel)) ||
			!fg_steps(d->ctx, 4))
			return false;
		d->panel[i] = FG_NONE;
		if (isnan(t->y[i]) || (t->start != NULL && isnan(t->start[i])))
			continue;
		d->panel[i] = panel;
		d->kept++;
	}
	if (t->panels == NULL || t->n == 0)
		d->panels.count = 1;
	return true;
}

static int
compare(const void *arg, uint32_t a, uint32_t b)
{
	const FgTrendDrawing *d = arg;
	const double *start = d->trend->start;

	if (d->panel[a] != d->panel[b])
		return d->panel[a] < d->panel[b] ? -1 : 1;
	if (start == NULL || d->panel[a] == FG_NONE)
		return 0;
	return start[a] < start[b] ? -1 : start[a] > start[b];
}

static bool
order_runs(FgTrendDrawing *d)
{
	uint32_t	panel = 0;

	if (!fg_order_by(d->ctx, (uint32_t) d->trend->n, compare, d, d->order))
		return false;
	for (size_t i = 0; i < d->trend->n; i++)
	{
		d->place[d->order[i]] = i < d->kept ? (uint32_t) i : FG_NONE;
		while (i < d->kept && panel < d->panel[d->order[i]])
			d->first[++panel] = i;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	while (panel < d->panels.count)
		d->first[++panel] = d->kept;
	return true;
}

/* --- places -------------------------------------------------------------------------- */

/* Do all panels have the same labels at the same places, as far as they go? */
static bool
share_labels(FgTrendDrawing *d, uint32_t longest, bool *shared)
{
	const FgText *labels = d->trend->labels;

	*shared = true;
	for (uint32_t p = 0; *shared && p < d->panels.count; p++)
	{
		for (size_t i = d->first[p]; *shared && i < d->first[p + 1]; i++)
		{
			FgText		label = labels[d->order[i]];

			*shared = fg_text_equal(label,
									labels[d->order[d->first[longest] + i - d->first[p]]]);
			if (!fg_work(d->ctx, label.length + 8))
				return false;
		}
	}
	return true;
}

/* Runs at equal distances are numbered in their panel; their labels are those of the axis. */
static bool
name_places(FgTrendDrawing *d, FgText *names, uint32_t *count)
{
	uint32_t	longest = 0;
	bool		shared;

	for (uint32_t p = 1; p < d->panels.count; p++)
	{
		if (d->first[p + 1] - d->first[p] > d->first[longest + 1] - d->first[longest])
			longest = p;
	}
	*count = (uint32_t) (d->first[longest + 1] - d->first[longest]);
	if (!share_labels(d, longest, &shared))
		return false;
	if (!shared)
		return true;
	for (size_t i = 0; i < *count; i++)
		names[i] = d->trend->labels[d->order[d->first[longest] + i]];
	d->names = names;
	return true;
}

/* --- numbers ------------------------------------------------------------------------- */

static bool
put_in_order(FgTrendDrawing *d, const double *from, double *to)
{
	for (size_t i = 0; i < d->kept; i++)
	{
		to[i] = from[d->order[i]];
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

static bool
place_runs(FgTrendDrawing *d, double *x)
{
	if (d->trend->start != NULL && d->trend->labels == NULL)
		return put_in_order(d, d->trend->start, x);
	for (uint32_t p = 0; p < d->panels.count; p++)
	{
		for (size_t i = d->first[p]; i < d->first[p + 1]; i++)
		{
			x[i] = (double) (i - d->first[p] + 1);
			if (!fg_check_every(d->ctx, i))
				return false;
		}
	}
	return true;
}

/* NaN where nothing is given. */
static bool
put_given(FgTrendDrawing *d, const double *from, double *to)
{
	if (from != NULL)
		return put_in_order(d, from, to);
	for (size_t i = 0; i < d->kept; i++)
	{
		to[i] = NAN;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

static bool
find_band(FgTrendDrawing *d, double *mean, double *lower, double *upper)
{
	const FgTrend *t = d->trend;

	if (t->mean == NULL && t->lower == NULL)
	{
		for (uint32_t p = 0; p < d->panels.count; p++)
		{
			size_t		at = d->first[p];

			if (!fg_trailing_band(d->ctx, d->y + at, d->first[p + 1] - at, t->window, t->k,
								  mean + at, lower + at, upper + at))
				return false;
		}
	}
	else if (!put_given(d, t->mean, mean) || !put_given(d, t->lower, lower) ||
			 !put_given(d, t->upper, upper))
		return false;
	d->mean = mean;
	d->lower = t->lower != NULL || t->mean == NULL ? lower : NULL;
	d->upper = d->lower == NULL ? NULL : upper;
	return true;
}

/* Ends that were given the wrong way round; a half of a band is none. */
static void
order_ends(double *lower, double *upper)
{
	double		lo = *lower;

	if (isnan(lo) || isnan(*upper))
		*lower = *upper = NAN;
	else if (lo > *upper)
	{
		*lower = *upper;
		*upper = lo;
	}
}

/* A value on the band's edge is inside, as it is for frame_trend(). */
static bool
find_outside(FgTrendDrawing *d)
{
	for (size_t i = 0; i < d->kept; i++)
	{
		double		deviation;

		order_ends(&d->numbers[3 * d->kept + i], &d->numbers[4 * d->kept + i]);
		deviation = d->upper == NULL ? NAN : (d->upper[i] - d->mean[i]) / d->trend->k;

		d->is_outside[i] = d->lower != NULL && (d->y[i] < d->lower[i] || d->y[i] > d->upper[i]);
		d->outside += d->is_outside[i];
		d->score[i] = deviation > 0 ? (d->y[i] - d->mean[i]) / deviation : NAN;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

static bool
find_numbers(FgTrendDrawing *d)
{
	size_t		kept = d->kept;

	d->numbers = fg_alloc(d->ctx, 5 * kept, sizeof(double));
	d->score = fg_alloc(d->ctx, kept, sizeof(double));
	d->is_outside = fg_alloc_zero(d->ctx, kept, 1);
	if (d->numbers == NULL || d->score == NULL || d->is_outside == NULL)
		return false;
	d->x = d->numbers;
	d->y = d->numbers + kept;
	return place_runs(d, d->numbers) && put_in_order(d, d->trend->y, d->numbers + kept) &&
		find_band(d, d->numbers + 2 * kept, d->numbers + 3 * kept, d->numbers + 4 * kept) &&
		find_outside(d);
}

/* --- changes and findings ------------------------------------------------------------- */

/* The run of an element; of a dropped one the next in its panel.  FG_NONE: there is none. */
static bool
find_run(const FgTrendDrawing *d, size_t element, uint32_t *run)
{
	const FgTrend *t = d->trend;

	*run = FG_NONE;
	for (size_t i = element; *run == FG_NONE && i < t->n; i++)
	{
		if (t->panels == NULL || fg_text_equal(t->panels[i], t->panels[element]))
			*run = d->place[i];
		if (!fg_steps(d->ctx, 1))
			return false;
	}
	return true;
}

/* By run; changes in front of findings, these in their order. */
static int
compare_marks(const void *arg, uint32_t a, uint32_t b)
{
	const FgTrendMark *marks = arg;

	if (marks[a].at != marks[b].at)
		return marks[a].at < marks[b].at ? -1 : 1;
	if ((marks[a].findings == 0) != (marks[b].findings == 0))
		return marks[a].findings == 0 ? -1 : 1;
	return 0;
}

static bool
gather_marks(FgTrendDrawing *d, FgTrendMark *marks, uint32_t *count)
{
	const FgTrend *t = d->trend;

	*count = 0;
	for (size_t i = 0; i < t->nchanges + t->nfindings; i++)
	{
		bool		change = i < t->nchanges;
		uint32_t	run;

		if (!find_run(d, change ? t->changes[i] : t->findings[i - t->nchanges].at, &run))
			return false;
		if (run != FG_NONE)
			marks[(*count)++] = (FgTrendMark) {
				.at = run, .finding = change ? 0 : i - t->nchanges, .findings = !change,
				.before = NAN, .after = NAN
			};
	}
	return true;
}

/* Changes at one run are one. */
static bool
order_marks(FgTrendDrawing *d)
{
	size_t		all = d->trend->nchanges + d->trend->nfindings;
	FgTrendMark *marks = fg_alloc(d->ctx, all, sizeof(FgTrendMark));
	uint32_t   *order = fg_alloc(d->ctx, all, sizeof(uint32_t));
	uint32_t	count;
	bool		ok = marks != NULL && order != NULL && gather_marks(d, marks, &count) &&
		fg_order_by(d->ctx, count, compare_marks, marks, order);

	d->marks = fg_alloc(d->ctx, all, sizeof(FgTrendMark));
	ok = ok && d->marks != NULL;
	for (uint32_t i = 0; ok && i < count; i++)
	{
		const FgTrendMark *mark = &marks[order[i]];
		const FgTrendMark *last = d->nmarks == 0 ? NULL : &d->marks[d->nmarks - 1];

		if (mark->findings == 0 && last != NULL && last->findings == 0 && last->at == mark->at)
			continue;
		d->marks[d->nmarks++] = *mark;
	}
	fg_release(d->ctx, marks);
	fg_release(d->ctx, order);
	return ok;
}

/* The mark of the next change in front of run "end"; nmarks: none. */
static size_t
next_change(const FgTrendDrawing *d, size_t from, size_t end)
{
	while (from < d->nmarks && d->marks[from].at < end && d->marks[from].findings > 0)
		from++;
	return from < d->nmarks && d->marks[from].at < end ? from : d->nmarks;
}

/* From run "start" to the change at run "until", or over the last run: two places and a gap. */
static void
add_level(FgTrendDrawing *d, size_t start, size_t until, size_t end, double level)
{
	double	   *x = d->level_numbers + d->nlevels;
	double	   *y = x + d->level_room;

	x[0] = d->x[start];
	x[1] = x[2] = d->x[until < end ? until : end - 1];
	y[0] = y[1] = level;
	y[2] = NAN;
	d->nlevels += 3;
}

/* Means between the changes of a panel, none where there is no change. */
static bool
find_levels(FgTrendDrawing *d, size_t start, size_t end)
{
	size_t		m = 0;
	FgTrendMark *last = NULL;

	while (m < d->nmarks && d->marks[m].at < start)
		m++;
	m = next_change(d, m, end);
	while (start < end && (m < d->nmarks || last != NULL))
	{
		size_t		until = m < d->nmarks ? d->marks[m].at : end;
		double		level = until > start ? fg_mean(d->y + start, until - start) : NAN;

		if (until > start)
			add_level(d, start, until, end, level);
		if (last != NULL)
			last->after = level;
		if (!fg_steps(d->ctx, until - start + 1))
			return false;
		if (m == d->nmarks)
			break;
		d->marks[m].before = level;
		last = &d->marks[m];
		start = until;
		m = next_change(d, m + 1, end);
	}
	return true;
}

static bool
find_all_levels(FgTrendDrawing *d)
{
	d->level_room = 3 * (d->panels.count + d->nmarks);
	d->level_numbers = fg_alloc(d->ctx, 2 * d->level_room, sizeof(double));
	if (d->level_numbers == NULL)
		return false;
	for (uint32_t p = 0; p < d->panels.count; p++)
	{
		d->first_level[p] = d->nlevels;
		if (!find_levels(d, d->first[p], d->first[p + 1]))
			return false;
	}
	d->first_level[d->panels.count] = d->nlevels;
	return true;
}

/* --- layers -------------------------------------------------------------------------- */

static void
add_layer(FgTrendDrawing *d, FgLayer layer)
{
	if (layer.n > 0)
		d->layers[d->nlayers++] = layer;
}

static bool
add_outside(FgTrendDrawing *d, uint32_t panel, size_t *used)
{
	size_t		start = *used;

	for (size_t i = d->first[panel]; i < d->first[panel + 1]; i++)
	{
		if (!fg_check_every(d->ctx, i))
			return false;
		if (!d->is_outside[i])
			continue;
		d->outside_numbers[*used] = d->x[i];
		d->outside_numbers[d->outside + *used] = d->y[i];
		d->more[d->kept + *used] = d->more[i];
		(*used)++;
	}
	add_layer(d, (FgLayer) {
		.mark = FG_MARK_POINTS, .panel = panel, .style = OUTSIDE_STYLE, .filled = true,
		.name = {"outside, with its score", 23}, .n = *used - start,
		.x = d->outside_numbers + start, .y = d->outside_numbers + d->outside + start,
		.more = d->more + d->kept + start, .words = d->words + start
	});
	return true;
}

/* Is there a mean or a band anywhere? */
static bool
find_expected(const FgTrendDrawing *d, size_t from, size_t to, bool *found)
{
	*found = false;
	for (size_t i = from; !*found && i < to; i++)
	{
		*found = !isnan(d->mean[i]) || (d->lower != NULL && !isnan(d->lower[i]));
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

static bool
add_panel(FgTrendDrawing *d, uint32_t panel, size_t *outside)
{
	size_t		at = d->first[panel];
	size_t		n = d->first[panel + 1] - at;
	const double *levels = d->level_numbers + d->first_level[panel];
	bool		expected;

	if (!find_expected(d, at, at + n, &expected))
		return false;
	add_layer(d, (FgLayer) {
		.mark = FG_MARK_LINE, .panel = panel, .style = FG_PLAIN_STYLE, .dashes = fg_dotted,
		.bare = true, .name = fg_text_of(&d->expected.text),
		.n = expected ? n : 0, .x = d->x + at, .y = d->mean + at,
		.lower = d->lower == NULL ? NULL : d->lower + at,
		.upper = d->lower == NULL ? NULL : d->upper + at
	});
	add_layer(d, (FgLayer) {
		.mark = FG_MARK_LINE, .panel = panel, .style = LEVEL_STYLE, .bare = true,
		.name = {"mean between changes", 20},
		.n = d->first_level[panel + 1] - d->first_level[panel], .x = levels,
		.y = levels + d->level_room
	});
	add_layer(d, (FgLayer) {
		.mark = FG_MARK_LINE, .panel = panel, .name = {"run", 3}, .n = n, .x = d->x + at,
		.y = d->y + at, .more = d->more + at
	});
	return add_outside(d, panel, outside);
}

static bool
make_layers(FgTrendDrawing *d)
{
	size_t		outside = 0;

	d->outside_numbers = fg_alloc(d->ctx, 2 * d->outside, sizeof(double));
	d->layers = fg_alloc(d->ctx, (size_t) LAYERS * d->panels.count, sizeof(FgLayer));
	if (d->outside_numbers == NULL || d->layers == NULL)
		return false;
	for (uint32_t p = 0; p < d->panels.count; p++)
	{
		if (!add_panel(d, p, &outside))
			return false;
	}
	return true;
}

/* --- plot ---------------------------------------------------------------------------- */

static bool
draw(FgTrendDrawing *d, uint32_t nnames, FgBuffer *svg)
{
	FgPlot		plot = {
		.name = {"Trend", 5}, .subtitle = fg_text_of(&d->subtitle.text),
		.description = fg_text_of(&d->description.text),
		.footnote = fg_text_of(&d->footnote.text),
		.panels = d->trend->panels == NULL ? NULL : d->panels.texts, .npanels = d->panels.count,
		.names = d->names, .nnames = nnames, .layers = d->layers, .nlayers = d->nlayers,
		.rules = d->rules, .nrules = d->nmarks
	};

	d->options.x_scale = FG_SCALE_LINEAR;
	if (d->trend->start != NULL && d->trend->labels == NULL)
		d->options.x_scale = FG_SCALE_TIME;
	else if (d->names == NULL)
		d->options.x_label = (FgText) {"run", 3};
	return fg_plot_svg(&plot, &d->options, svg);
}

static bool
prepare(FgTrendDrawing *d)
{
	size_t		n = d->trend->n;

	d->panel = fg_alloc(d->ctx, n, sizeof(uint32_t));
	d->order = fg_alloc(d->ctx, n, sizeof(uint32_t));
	d->place = fg_alloc(d->ctx, n, sizeof(uint32_t));
	return d->panel != NULL && d->order != NULL && d->place != NULL && group_runs(d) &&
		order_runs(d) && find_numbers(d) && order_marks(d) && find_all_levels(d);
}

static void
release(FgTrendDrawing *d)
{
	void	   *all[] = {
		d->panel, d->order, d->place, d->numbers, d->score, d->is_outside, d->outside_numbers,
		d->level_numbers, d->more, d->words, d->marks, d->rules, d->layers, d->said.text.data,
		d->expected.text.data, d->subtitle.text.data, d->footnote.text.data,
		d->description.text.data
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		fg_release(d->ctx, all[i]);
}

bool
fg_trend_svg(const FgTrend *trend, const FgPlotOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	FgTrendDrawing d = {
		.ctx = ctx, .trend = trend, .options = *options, .panels.limit = FG_MOST_PANELS,
		.said = fg_say_begin(ctx), .expected = fg_say_begin(ctx), .subtitle = fg_say_begin(ctx),
		.footnote = fg_say_begin(ctx), .description = fg_say_begin(ctx)
	};
	FgText	   *names = NULL;
	uint32_t	nnames = 0;
	bool		ok = prepare(&d);

	if (ok && trend->labels != NULL)
	{
		names = fg_alloc(ctx, d.kept, sizeof(FgText));
		ok = names != NULL && name_places(&d, names, &nnames);
	}
	ok = ok && fg_trend_write(&d) && make_layers(&d) && draw(&d, nnames, svg);
	fg_release(ctx, names);
	release(&d);
	return ok;
}
