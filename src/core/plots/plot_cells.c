/*
 * plot_cells.c
 *	  Many points as cells of pixels: a square in the middle of each cell, the larger, the more
 *	  points there are in it.
 *
 * Size and not shade, so that the colour is free for the series, and few points are as easy
 * to see as many.
 */
#include "core/plots/plot_internal.h"

#include "core/base/order.h"
#include "core/svg/units.h"

#define CELL	4

/* Squares of cells with at least so many points; hundredths of pixels. */
static const struct
{
	uint32_t	points;
	int64_t		side;
	const char *label;
}			sizes[] = {
	{1, 150, "1 point"}, {2, 240, "2 to 9"}, {10, 320, "10 to 99"},
	{100, 400, "100 and more points in a cell of 4 x 4 px"}
};

#define SIZES 4

typedef struct Cells
{
	uint32_t   *cell;			/* by point */
	uint32_t   *order;			/* of points by their cells */
	uint32_t	count;
	uint32_t	columns;
} Cells;

static int
compare(const void *arg, uint32_t a, uint32_t b)
{
	const uint32_t *cell = arg;

	return cell[a] < cell[b] ? -1 : cell[a] > cell[b];
}

/* Points at the right and the lower edge belong to the last cells. */
static uint32_t
cell_number(double offset, double length)
{
	uint32_t	last = (uint32_t) ceil(length / CELL) - 1;
	double		number = floor(offset / CELL);

	if (number < 0)
		return 0;
	return number > last ? last : (uint32_t) number;
}

/* Points without a place come last, as FG_NONE. */
static bool
find_cells(FgPlotDrawing *d, const FgLayer *layer, Cells *cells)
{
	const FgPlotPanel *panel = &d->panels[layer->panel];

	cells->columns = (uint32_t) ceil(d->width / CELL);
	for (uint32_t i = 0; i < cells->count; i++)
	{
		uint32_t	x;
		uint32_t	y;

		cells->cell[i] = FG_NONE;
		if (!fg_steps(d->ctx, 4))
			return false;
		if (!fg_plot_has_place(d, layer, i))
			continue;
		x = cell_number(fg_plot_x(d, layer->panel, layer->x[i]) - panel->left, d->width);
		y = cell_number(fg_plot_y(d, layer->panel, layer->y[i]) - panel->top, d->height);
		cells->cell[i] = y * cells->columns + x;
	}
	return fg_order_by(d->ctx, cells->count, compare, cells->cell, cells->order);
}

static int64_t
side_of(uint32_t points)
{
	int			size = SIZES - 1;

	while (size > 0 && points < sizes[size].points)
		size--;
	return sizes[size].side;
}

static void
put_square(FgXml *xml, int64_t x, int64_t y, int64_t side)
{
	fg_xml_put(xml, "<rect x=\"");
	fg_xml_hundredths(xml, x - side / 2);
	fg_xml_put(xml, "\" y=\"");
	fg_xml_hundredths(xml, y - side / 2);
	fg_xml_put(xml, "\" width=\"");
	fg_xml_hundredths(xml, side);
	fg_xml_put(xml, "\" height=\"");
	fg_xml_hundredths(xml, side);
	fg_xml_put(xml, "\"");
}

/* The count is exact; where the points are, a pixel says well enough. */
static void
put_between(FgPlotDrawing *d, const char *word, double lo, double hi)
{
	FgXml	   *xml = &d->document.xml;
	char		number[FG_UNITS_SIZE];

	fg_xml_put(xml, word);
	fg_xml_bytes(xml, number, fg_units_rounded(lo, 6, number));
	if (lo == hi)
		return;
	fg_xml_put(xml, " to ");
	fg_xml_bytes(xml, number, fg_units_rounded(hi, 6, number));
}

/* The points order[start .. end) are in one cell. */
static void
put_cell(FgPlotDrawing *d, const FgLayer *layer, const Cells *cells, uint32_t start, uint32_t end)
{
	FgXml	   *xml = &d->document.xml;
	const FgPlotPanel *panel = &d->panels[layer->panel];
	uint32_t	cell = cells->cell[cells->order[start]];
	uint32_t	column = cell % cells->columns;
	uint32_t	line = cell / cells->columns;
	double		x[] = {INFINITY, -INFINITY};
	double		y[] = {INFINITY, -INFINITY};

	for (uint32_t i = start; i < end; i++)
	{
		uint32_t	point = cells->order[i];

		x[0] = fmin(x[0], layer->x[point]);
		x[1] = fmax(x[1], layer->x[point]);
		y[0] = fmin(y[0], layer->y[point]);
		y[1] = fmax(y[1], layer->y[point]);
	}
	put_square(xml, fg_hundredths(panel->left + CELL * column + CELL / 2.0),
			   fg_hundredths(panel->top + CELL * line + CELL / 2.0),
			   side_of(end - start));
	fg_xml_format(xml, "><title>%u %s", end - start, end - start == 1 ? "point: " : "points: ");
	if (d->options->x_scale == FG_SCALE_TIME || d->plot->names != NULL)
	{
		fg_plot_put_x(d, x[0]);
		if (x[0] < x[1])
			fg_xml_put(xml, " to ");
		if (x[0] < x[1])
			fg_plot_put_x(d, x[1]);
	}
	else
		put_between(d, "x ", x[0], x[1]);
	put_between(d, ", y ", y[0], y[1]);
	fg_xml_put(xml, "</title></rect>\n");
}

static bool
put_all(FgPlotDrawing *d, const FgLayer *layer, const Cells *cells)
{
	uint32_t	end;

	for (uint32_t start = 0; start < cells->count; start = end)
	{
		uint32_t	cell = cells->cell[cells->order[start]];

		if (cell == FG_NONE)
			break;
		for (end = start; end < cells->count && cells->cell[cells->order[end]] == cell; end++)
			;
		put_cell(d, layer, cells, start, end);
		if (!fg_steps(d->ctx, end - start) || !d->document.xml.ok)
			return false;
	}
	return true;
}

bool
fg_plot_put_cells(FgPlotDrawing *d, const FgLayer *layer)
{
	Cells		cells = {.count = (uint32_t) layer->n};
	bool		ok;

	cells.cell = fg_alloc(d->ctx, layer->n, sizeof(uint32_t));
	cells.order = fg_alloc(d->ctx, layer->n, sizeof(uint32_t));
	ok = cells.cell != NULL && cells.order != NULL && find_cells(d, layer, &cells) &&
		put_all(d, layer, &cells);
	fg_release(d->ctx, cells.cell);
	fg_release(d->ctx, cells.order);
	return ok;
}

static void
put_sample(FgDocument *document, uint32_t what, uint32_t x, uint32_t y)
{
	FgXml	   *xml = &document->xml;

	put_square(xml, 100 * (int64_t) x + 50 * FG_SAMPLE_WIDTH, 100 * (int64_t) y,
			   sizes[what].side);
	fg_put_fill(xml, fg_series_color(FG_PLAIN_STYLE));
	fg_xml_put(xml, "/>");
}

void
fg_plot_cells_legend(FgDocument *document)
{
	for (uint32_t s = 0; s < SIZES; s++)
		fg_document_legend(document, (FgLegendEntry) {
			.label = sizes[s].label, .sample = put_sample, .what = s
		});
}
