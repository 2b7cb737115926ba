/*
 * plot_rows.c
 *	  Rows become layers of a plot (see plot_rows.h).
 */
#include "core/plots/plot_rows.h"

#include "core/base/order.h"
#include "core/plots/plot_words.h"

#include <math.h>

typedef struct Rows
{
	FgContext  *ctx;
	const FgPlotRows *rows;
	const FgPlotOptions *options;
	FgPlotWords series;
	FgPlotWords panels;
	uint32_t   *group;			/* by row: panel and series as one number; FG_NONE: dropped */
	uint32_t   *order;			/* of rows: by group, and by x where that counts */
	double	   *numbers;		/* x, y, lower, upper of rows in that order */
	FgLayer    *layers;
	size_t		nlayers;
	size_t		kept;
	size_t		missing;		/* dropped as NaN */
	size_t		not_positive;
	FgBuffer	footnote;
	FgBuffer	description;
} Rows;

/* --- groups ------------------------------------------------------------------------- */

static bool
fits_scale(FgScale scale, double value)
{
	return scale != FG_SCALE_LOG || value > 0;
}

static bool
group_rows(Rows *r)
{
	const FgPlotRows *rows = r->rows;

	for (size_t i = 0; i < rows->n; i++)
	{
		uint32_t	series = 0;
		uint32_t	panel = 0;

		if ((rows->series != NULL && !fg_plot_word(r->ctx, &r->series, rows->series[i], &series)) ||
			(rows->panels != NULL && !fg_plot_word(r->ctx, &r->panels, rows->panels[i], &panel)) ||
			!fg_steps(r->ctx, 4))
			return false;
		r->group[i] = FG_NONE;
		if (isnan(rows->x[i]) || isnan(rows->y[i]))
			r->missing++;
		else if (!fits_scale(r->options->x_scale, rows->x[i]) ||
				 !fits_scale(r->options->y_scale, rows->y[i]))
			r->not_positive++;
		else
		{
			r->group[i] = panel * FG_SERIES + series;
			r->kept++;
		}
	}
	return true;
}

static int
compare(const void *arg, uint32_t a, uint32_t b)
{
	const Rows *r = arg;
	const double *x = r->rows->x;

	if (r->group[a] != r->group[b])
		return r->group[a] < r->group[b] ? -1 : 1;
	if (r->rows->mark != FG_MARK_LINE && r->rows->mark != FG_MARK_STEPS)
		return 0;
	return x[a] < x[b] ? -1 : x[a] > x[b];
}

/* Numbers in the order of rows. */
static bool
put_in_order(Rows *r, const double *from, double *to)
{
	for (size_t i = 0; i < r->kept; i++)
	{
		to[i] = from[r->order[i]];
		if (!fg_steps(r->ctx, 1))
			return false;
	}
	return true;
}

/* --- layers ------------------------------------------------------------------------- */

static FgLayer
layer_of(const Rows *r, size_t start, size_t end)
{
	uint32_t	group = r->group[r->order[start]];
	size_t		kept = r->kept;

	return (FgLayer) {
		.mark = r->rows->mark, .panel = group / FG_SERIES, .style = group % FG_SERIES,
		.side = group % FG_SERIES, .sides = r->series.count, .n = end - start,
		.name = r->rows->series == NULL ? (FgText) {"", 0} : r->series.texts[group % FG_SERIES],
		.x = r->numbers + start, .y = r->numbers + kept + start,
		.lower = r->rows->lower == NULL ? NULL : r->numbers + 2 * kept + start,
		.upper = r->rows->lower == NULL ? NULL : r->numbers + 3 * kept + start
	};
}

/* lower and upper may come the wrong way round. */
static bool
order_ranges(Rows *r)
{
	double	   *lower = r->numbers + 2 * r->kept;
	double	   *upper = r->numbers + 3 * r->kept;

	for (size_t i = 0; i < r->kept; i++)
	{
		double		lo = lower[i];

		if (!fg_check_every(r->ctx, i))
			return false;
		if (lo <= upper[i])
			continue;
		lower[i] = upper[i];
		upper[i] = lo;
	}
	return true;
}

static bool
fill_numbers(Rows *r)
{
	const FgPlotRows *rows = r->rows;

	r->numbers = fg_alloc(r->ctx, 4 * r->kept, sizeof(double));
	if (r->numbers == NULL || !put_in_order(r, rows->x, r->numbers) ||
		!put_in_order(r, rows->y, r->numbers + r->kept))
		return false;
	if (rows->lower == NULL)
		return true;
	if (!put_in_order(r, rows->lower, r->numbers + 2 * r->kept) ||
		!put_in_order(r, rows->upper, r->numbers + 3 * r->kept))
		return false;
	return order_ranges(r);
}

static bool
make_layers(Rows *r)
{
	size_t		end;

	if (r->panels.count == 0)
		r->panels.count = 1;
	if (r->series.count == 0)
		r->series.count = 1;
	r->order = fg_alloc(r->ctx, r->rows->n, sizeof(uint32_t));
	r->layers = fg_alloc(r->ctx, (size_t) FG_SERIES * r->panels.count, sizeof(FgLayer));
	if (r->order == NULL || r->layers == NULL ||
		!fg_order_by(r->ctx, (uint32_t) r->rows->n, compare, r, r->order) || !fill_numbers(r))
		return false;
	for (size_t start = 0; start < r->kept; start = end)
	{
		uint32_t	group = r->group[r->order[start]];

		for (end = start; end < r->kept && r->group[r->order[end]] == group; end++)
		{
			if (!fg_check_every(r->ctx, end))
				return false;
		}
		r->layers[r->nlayers++] = layer_of(r, start, end);
	}
	return true;
}

/* --- texts -------------------------------------------------------------------------- */

static bool
put_count(FgBuffer *text, size_t count, const char *one, const char *many)
{
	return fg_text_count(text, count) && fg_text_put(text, count == 1 ? one : many);
}

static const char *const nouns[][2] = {
	{" point", " points"}, {" point", " points"},
	{" step", " steps"}, {" bar", " bars"}
};

static bool
write_footnote(Rows *r)
{
	const char *const *noun = nouns[r->rows->mark];
	FgBuffer   *text = &r->footnote;

	if (!(r->kept == 0 ? fg_text_put(text, "nothing to draw")
		  : put_count(text, r->kept, noun[0], noun[1])))
		return false;
	if (r->missing > 0 &&
		!(fg_text_put(text, "; ") && put_count(text, r->missing, " dropped (null or not a number)",
											   " dropped (null or not a number)")))
		return false;
	if (r->not_positive > 0 &&
		!(fg_text_put(text, "; ") &&
		  put_count(text, r->not_positive, " dropped: not positive, on a logarithmic scale",
					" dropped: not positive, on a logarithmic scale")))
		return false;
	if (r->rows->mark == FG_MARK_POINTS && r->kept > FG_MOST_POINTS && r->rows->lower != NULL)
		return fg_text_put(text, "; so many points are drawn without their ranges");
	return true;
}

static bool
write_description(Rows *r)
{
	const char *const *noun = nouns[r->rows->mark];
	FgBuffer   *text = &r->description;

	if (!fg_text_put(text, "Plot of ") || !put_count(text, r->kept, noun[0], noun[1]))
		return false;
	if (r->rows->series != NULL &&
		!(fg_text_put(text, " in ") && put_count(text, r->series.count, " series", " series")))
		return false;
	if (r->rows->panels != NULL &&
		!(fg_text_put(text, ", ") && put_count(text, r->panels.count, " panel", " panels")))
		return false;
	return fg_text_put(text, ".");
}

/* --- plot --------------------------------------------------------------------------- */

static bool
draw(Rows *r, FgBuffer *svg)
{
	FgPlot		plot = {
		.name = {"Plot", 4}, .description = fg_text_of(&r->description),
		.footnote = fg_text_of(&r->footnote),
		.panels = r->rows->panels == NULL ? NULL : r->panels.texts, .npanels = r->panels.count,
		.names = r->rows->names, .nnames = r->rows->nnames, .layers = r->layers, .nlayers = r->nlayers
	};

	return fg_plot_svg(&plot, r->options, svg);
}

bool
fg_plot_rows_svg(const FgPlotRows *rows, const FgPlotOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Rows		r = {
		.ctx = ctx, .rows = rows, .options = options, .series.limit = FG_SERIES,
		.panels.limit = FG_MOST_PANELS, .footnote.ctx = ctx, .description.ctx = ctx
	};
	bool		ok;

	r.group = fg_alloc(ctx, rows->n, sizeof(uint32_t));
	ok = r.group != NULL && group_rows(&r) && make_layers(&r) && write_footnote(&r) &&
		write_description(&r) && draw(&r, svg);
	fg_release(ctx, r.group);
	fg_release(ctx, r.order);
	fg_release(ctx, r.numbers);
	fg_release(ctx, r.layers);
	fg_release(ctx, r.footnote.data);
	fg_release(ctx, r.description.data);
	return ok;
}
