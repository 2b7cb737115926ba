/*
 * plot_layout.c
 *	  The axes of a plot, and where its panels are (see plot_internal.h).
 */
#include "core/plots/plot_internal.h"

#include "core/base/series.h"
#include "core/svg/label.h"
#include "core/svg/units.h"

#include <string.h>

#define PANEL_GAP		16
#define TICK			4		/* length of its line */
#define LEAST_WIDTH		40		/* of a panel's inside */
#define LEAST_HEIGHT	80
#define PANEL_WIDTH		260		/* as many panels a row as have about this */

/* --- ranges ------------------------------------------------------------------------ */

typedef struct Range
{
	double		lo;
	double		hi;
} Range;

static const Range nothing = {INFINITY, -INFINITY};

static void
cover(Range *range, FgScale scale, double value)
{
	if (!fg_plot_drawable(scale, value))
		return;
	range->lo = fmin(range->lo, value);
	range->hi = fmax(range->hi, value);
}

static void
join(Range *all, Range range)
{
	all->lo = fmin(all->lo, range.lo);
	all->hi = fmax(all->hi, range.hi);
}

/* Adds a layer to the ranges of x and y, and counts its marks. */
static bool
cover_layer(FgPlotDrawing *d, const FgLayer *layer, Range *x, Range *y)
{
	const FgPlotOptions *o = d->options;

	for (size_t i = 0; i < layer->n; i++)
	{
		bool		here = fg_plot_has_place(d, layer, i);
		bool		range = fg_plot_has_range(d, layer, i);

		if (here || range)
			cover(x, o->x_scale, layer->x[i]);
		if (here)
			cover(y, o->y_scale, layer->y[i]);
		if (range)
		{
			cover(y, o->y_scale, layer->lower[i]);
			cover(y, o->y_scale, layer->upper[i]);
		}
		d->marks += here;
		if (!fg_steps(d->ctx, 4))
			return false;
	}
	if (layer->mark == FG_MARK_STEPS && layer->end != 0)
		cover(x, o->x_scale, layer->end);
	if (layer->mark == FG_MARK_BARS && o->y_scale == FG_SCALE_LINEAR)
		cover(y, o->y_scale, 0);
	return true;
}

/* As positions on the axis are: logarithms on that scale. */
static double
position_of(FgScale scale, double value)
{
	return scale == FG_SCALE_LOG ? log10(value) : value;
}

/* All places of bars. */
static bool
gather_bars(const FgPlotDrawing *d, double **places, size_t *count)
{
	size_t		total = 0;
	size_t		n = 0;

	for (size_t l = 0; l < d->plot->nlayers; l++)
		total += d->plot->layers[l].mark == FG_MARK_BARS ? d->plot->layers[l].n : 0;
	if (total > FG_MOST_POINTS)
		return fg_fail_at(d->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Add bars up, or draw points or steps.",
						  "a plot has at most %d bars, not %zu", FG_MOST_POINTS, total);
	*places = fg_alloc(d->ctx, total, sizeof(double));
	if (*places == NULL)
		return false;
	for (size_t l = 0; l < d->plot->nlayers; l++)
	{
		const FgLayer *layer = &d->plot->layers[l];

		for (size_t i = 0; layer->mark == FG_MARK_BARS && i < layer->n; i++)
		{
			if (fg_plot_has_place(d, layer, i))
				(*places)[n++] = position_of(d->options->x_scale, layer->x[i]);
		}
	}
	*count = n;
	return true;
}

/* How far bars are apart; the axis goes half of that beyond them. */
static bool
measure_bars(FgPlotDrawing *d, Range *x)
{
	double	   *places = NULL;
	size_t		count = 0;
	bool		ok = gather_bars(d, &places, &count) && fg_sort_values(d->ctx, places, count);
	double		least = INFINITY;

	for (size_t i = 1; ok && i < count; i++)
	{
		if (places[i] > places[i - 1])
			least = fmin(least, places[i] - places[i - 1]);
	}
	fg_release(d->ctx, places);
	if (!ok || !isfinite(least) || least <= 0)
		return ok;
	d->bar = least;
	if (d->options->x_scale == FG_SCALE_LOG)
		*x = (Range) {x->lo / pow(10, least / 2), x->hi * pow(10, least / 2)};
	else
		*x = (Range) {x->lo - least / 2, x->hi + least / 2};
	return true;
}

/* --- axes -------------------------------------------------------------------------- */

/* What the marks of a panel span. */
typedef struct PanelRanges
{
	Range		x;
	Range		y;
} PanelRanges;

/* Of panels with scales of their own; others, and those without marks, have that of all. */
static bool
make_x_axes(FgPlotDrawing *d, const PanelRanges *ranges)
{
	const FgPlotOptions *o = d->options;

	for (uint32_t p = 0; p < d->plot->npanels; p++)
	{
		Range		range = ranges[p].x;

		d->panels[p].x = d->x;
		if (o->free_x && range.lo <= range.hi &&
			!fg_axis_make(d->ctx, o->x_scale, range.lo, range.hi, 1, &d->panels[p].x))
			return false;
	}
	return true;
}

static bool
make_y_axes(FgPlotDrawing *d, const PanelRanges *ranges, Range all, double unit)
{
	const FgPlotOptions *o = d->options;

	for (uint32_t p = 0; p < d->plot->npanels; p++)
	{
		Range		range = o->free_y && ranges[p].y.lo <= ranges[p].y.hi ? ranges[p].y : all;

		if (o->y_zero)
			cover(&range, o->y_scale, 0);
		if (!fg_axis_make(d->ctx, o->y_scale, range.lo, range.hi, unit, &d->panels[p].y))
			return false;
	}
	return true;
}

/* "duration (ms)" */
static bool
write_words(FgBuffer *words, FgText label, FgText unit)
{
	if (label.length > 0 && (!fg_text_cut(words, label) ||
							 (unit.length > 0 && !fg_text_put(words, " ("))))
		return false;
	return fg_text_cut(words, unit) &&
		(label.length == 0 || unit.length == 0 || fg_text_put(words, ")"));
}

static bool
write_y_words(FgPlotDrawing *d, Range all, double *unit)
{
	const FgPlotOptions *o = d->options;
	FgBuffer	name = {.ctx = d->ctx};
	double		size = fmax(fabs(all.lo), fabs(all.hi));
	bool		ok = fg_units_scale(&name, size, o->unit.bytes, fg_text_shown(o->unit), unit) &&
		write_words(&d->y_words, o->y_label, fg_text_of(&name));

	if (o->unit.length == 0)
		*unit = 1;
	if (ok && o->unit.length == 0)
	{
		d->y_words.size = 0;
		ok = fg_text_cut(&d->y_words, o->y_label);
	}
	fg_release(d->ctx, name.data);
	return ok;
}

static bool
write_x_words(FgPlotDrawing *d)
{
	FgBuffer	name = {.ctx = d->ctx};
	bool		ok = true;

	if (d->options->x_scale == FG_SCALE_TIME && d->plot->names == NULL)
		ok = fg_text_put(&name, d->x.day) && (d->x.day[0] == '\0' || fg_text_put(&name, " ")) &&
			fg_text_put(&name, "UTC");
	ok = ok && write_words(&d->x_words, d->options->x_label, fg_text_of(&name));
	fg_release(d->ctx, name.data);
	return ok;
}

static bool
make_axes(FgPlotDrawing *d, Range x, const PanelRanges *ranges, Range y)
{
	double		unit;

	if (d->marks == 0 && !(x.lo <= x.hi && y.lo <= y.hi))
		return true;
	if (d->options->y_zero)
		cover(&y, d->options->y_scale, 0);
	if (d->plot->names != NULL)
		d->x = (FgAxis) {.unit = 1, .first = 0.5, .last = d->plot->nnames + 0.5};
	else if (!fg_axis_make(d->ctx, d->options->x_scale, x.lo, x.hi, 1, &d->x))
		return false;
	return write_x_words(d) && write_y_words(d, y, &unit) && make_x_axes(d, ranges) &&
		make_y_axes(d, ranges, y, unit);
}

static bool
find_axes(FgPlotDrawing *d)
{
	const FgPlot *plot = d->plot;
	PanelRanges *ranges = fg_alloc(d->ctx, plot->npanels, sizeof(PanelRanges));
	Range		x = nothing;
	Range		y = nothing;
	bool		ok = ranges != NULL;

	for (uint32_t p = 0; ok && p < plot->npanels; p++)
		ranges[p] = (PanelRanges) {nothing, nothing};
	for (size_t l = 0; ok && l < plot->nlayers; l++)
	{
		PanelRanges *range = &ranges[plot->layers[l].panel];

		ok = cover_layer(d, &plot->layers[l], &range->x, &range->y);
		join(&x, range->x);
		join(&y, range->y);
	}
	for (size_t s = 0; ok && s < plot->nshades; s++)
	{
		cover(&x, d->options->x_scale, plot->shades[s].from);
		cover(&x, d->options->x_scale, plot->shades[s].to);
	}
	ok = ok && measure_bars(d, &x) && make_axes(d, x, ranges, y);
	fg_release(d->ctx, ranges);
	return ok;
}

/* --- labels of x -------------------------------------------------------------------- */

FgText
fg_plot_label(const FgPlotDrawing *d, const FgPlotPanel *panel, uint32_t i, bool *cut)
{
	FgText		text;
	FgLabel		label;

	*cut = false;
	if (d->plot->names == NULL)
		return (FgText) {panel->x.ticks[i].label, panel->x.ticks[i].length};
	text = d->plot->names[i];
	text.length = fg_text_shown(text);
	label = fg_label_fit(text.bytes, text.length, FG_NAME_COLUMNS, FG_TRUNCATE_END);
	*cut = label.cut_end || label.end < d->plot->names[i].length;
	text.length = label.end;
	return text;
}

/* Panels with the same scale have the same labels. */
static uint32_t
panels_with_labels(const FgPlotDrawing *d)
{
	return d->options->free_x ? d->plot->npanels : 1;
}

static bool
make_labels(FgPlotDrawing *d)
{
	for (uint32_t p = 0; p < d->plot->npanels; p++)
	{
		FgPlotPanel *panel = &d->panels[p];

		panel->nlabels = d->plot->names == NULL ? panel->x.count : d->plot->nnames;
		panel->first_label = d->options->free_x ? d->nlabels : 0;
		d->nlabels = panel->first_label + panel->nlabels;
	}
	d->label_at = fg_alloc(d->ctx, d->nlabels, sizeof(double));
	d->label_width = fg_alloc(d->ctx, d->nlabels, sizeof(double));
	return d->label_at != NULL && d->label_width != NULL;
}

static bool
measure_labels(FgPlotDrawing *d)
{
	if (!make_labels(d))
		return false;
	for (uint32_t p = 0; p < panels_with_labels(d); p++)
	{
		const FgPlotPanel *panel = &d->panels[p];

		for (uint32_t i = 0; i < panel->nlabels; i++)
		{
			bool		cut;
			FgText		text = fg_plot_label(d, panel, i, &cut);

			d->label_width[panel->first_label + i] =
				((double) fg_columns(text.bytes, text.length) + cut) * FG_COLUMN_WIDTH *
				d->document.font_size;
			if (!fg_work(d->ctx, text.length))
				return false;
		}
	}
	return true;
}

/* Room that the labels of x need beside the inside of a panel. */
static void
widen_margins(FgPlotDrawing *d, const FgPlotPanel *panel)
{
	for (uint32_t i = 0; i < panel->nlabels; i += d->labels.every)
	{
		double		at = d->label_at[panel->first_label + i];
		double		width = d->label_width[panel->first_label + i];
		double		left = d->labels.turned ? width / sqrt(2) : width / 2;

		d->left = fmax(d->left, left - at);
		if (!d->labels.turned)
			d->right = fmax(d->right, width / 2 - (d->width - at));
		d->depth = fmax(d->depth, (d->labels.turned ? width / sqrt(2) : 0) +
						d->document.font_size);
	}
}

/* The widest label of y. */
static double
y_label_width(const FgPlotDrawing *d)
{
	size_t		columns = 0;

	for (uint32_t p = 0; p < d->plot->npanels; p++)
	{
		const FgAxis *y = &d->panels[p].y;

		for (uint32_t i = 0; i < y->count; i++)
			columns = y->ticks[i].length > columns ? y->ticks[i].length : columns;
	}
	return (double) columns * FG_COLUMN_WIDTH * d->document.font_size;
}

/* --- places ------------------------------------------------------------------------ */

static uint32_t
columns_of(const FgPlotDrawing *d)
{
	uint32_t	panels = d->plot->npanels;
	uint32_t	columns = d->options->columns;

	if (columns == 0)
		columns = d->options->width / PANEL_WIDTH;
	if (columns == 0)
		columns = 1;
	return columns < panels ? columns : panels;
}

/* From the left edge of a panel to that of the next one. */
static double
panel_step(const FgPlotDrawing *d)
{
	return (d->options->width - 2.0 * FG_MARGIN + PANEL_GAP) / d->columns;
}

/* Where labels are, and how those of all panels are written: turned where one of them has to. */
static bool
arrange_labels(FgPlotDrawing *d)
{
	d->labels = (FgLabels) {.every = 1};
	for (uint32_t p = 0; p < panels_with_labels(d); p++)
	{
		const FgPlotPanel *panel = &d->panels[p];
		double	   *at = d->label_at + panel->first_label;
		FgLabels	labels;

		for (uint32_t i = 0; i < panel->nlabels; i++)
			at[i] = d->width * fg_axis_share(&panel->x, d->plot->names == NULL
											 ? panel->x.ticks[i].at : i + 1.0);
		if (!fg_labels_arrange(d->ctx, at, d->label_width + panel->first_label, panel->nlabels,
							   d->document.font_size + 2, &labels))
			return false;
		d->labels.turned = d->labels.turned || labels.turned;
		d->labels.every = labels.every > d->labels.every ? labels.every : d->labels.every;
	}
	return true;
}

/* Labels decide how wide the inside is, and that decides how they are written. */
static bool
find_width(FgPlotDrawing *d)
{
	d->left = y_label_width(d) + TICK + 4;
	d->right = 4;
	for (int turn = 0; turn < 3; turn++)
	{
		d->width = fmax(LEAST_WIDTH, panel_step(d) - PANEL_GAP - d->left - d->right);
		if (!arrange_labels(d))
			return false;
		d->depth = 0;
		for (uint32_t p = 0; p < panels_with_labels(d); p++)
			widen_margins(d, &d->panels[p]);
	}
	return true;
}

/* One line of words of rules, or two where a panel has several. */
static void
count_rule_lines(FgPlotDrawing *d)
{
	const FgPlot *plot = d->plot;
	uint32_t	of_panel[FG_MOST_PANELS] = {0};

	for (size_t r = 0; r < plot->nrules; r++)
	{
		uint32_t	panel = plot->rules[r].panel;

		of_panel[panel] += of_panel[panel] < 2;
		d->rule_lines = of_panel[panel] > d->rule_lines ? of_panel[panel] : d->rule_lines;
	}
}

/* What stands above the marks in each panel. */
static uint32_t
words_above(const FgPlotDrawing *d)
{
	const FgPlot *plot = d->plot;
	uint32_t	line = fg_document_line_height(&d->document);
	uint32_t	height = 4;

	if (plot->panels != NULL)
		height += line;
	if (plot->facts != NULL)
		height += line;
	if (plot->nshades > 0)
		height += FG_SHADE_LINES * line;
	return height + d->rule_lines * line;
}

bool
fg_plot_has_x_labels(const FgPlotDrawing *d, uint32_t p)
{
	return d->options->free_x || p + d->columns >= d->plot->npanels;
}

static void
find_places(FgPlotDrawing *d)
{
	uint32_t	line = fg_document_line_height(&d->document);
	uint32_t	rows = (d->plot->npanels + d->columns - 1) / d->columns;
	uint32_t	above = fg_document_above(&d->document) + (d->y_words.size > 0 ? line : 0);
	uint32_t	below = d->x_words.size > 0 ? line : 0;
	uint32_t	depth = (uint32_t) ceil(d->depth);
	uint32_t	around = words_above(d) + TICK + (rows > 1 ? 14 : 6);
	double		room = (double) d->options->height - above - below - around - depth -
		fg_document_below(&d->document);

	d->height = fmax(LEAST_HEIGHT, floor(room));
	d->row = (uint32_t) d->height + around + (d->options->free_x ? depth : 0);
	d->top = above;
	d->bottom = above + rows * d->row + (d->options->free_x ? 0 : depth) + below;
	for (uint32_t p = 0; p < d->plot->npanels; p++)
	{
		uint32_t	row = p / d->columns;

		d->panels[p].left = FG_MARGIN + p % d->columns * panel_step(d) + d->left;
		d->panels[p].top = above + row * d->row + words_above(d);
	}
}

bool
fg_plot_lay_out(FgPlotDrawing *d)
{
	d->panels = fg_alloc_zero(d->ctx, d->plot->npanels, sizeof(FgPlotPanel));
	if (d->panels == NULL || !find_axes(d))
		return false;
	count_rule_lines(d);
	d->columns = columns_of(d);
	d->bottom = fg_document_above(&d->document);
	if (d->x.last <= d->x.first)
		return true;
	if (!measure_labels(d) || !find_width(d))
		return false;
	find_places(d);
	return true;
}

uint32_t
fg_plot_height(const FgPlotDrawing *d)
{
	return d->bottom + fg_document_below(&d->document);
}
