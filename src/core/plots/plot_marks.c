/*
 * plot_marks.c
 *	  The marks of a plot's layers: points, lines, steps, bars, and their ranges and bands.
 */
#include "core/plots/plot_internal.h"

#include "core/svg/label.h"

#include <string.h>

#define RADIUS		350			/* of points, in hundredths of pixels */
#define VERTEX		250
#define STANDS_OUT	500
#define CAP			4			/* half of the line at the ends of a range */
#define BAR_ALONE	40			/* pixels */
#define BAR_SHARE	0.8			/* of the distance of bars */

/* --- titles ------------------------------------------------------------------------- */

void
fg_plot_put_x(FgPlotDrawing *d, double x)
{
	FgXml	   *xml = &d->document.xml;
	char		text[FG_TICK_SIZE];

	if (d->plot->names != NULL && x >= 1 && x <= d->plot->nnames && floor(x) == x)
	{
		FgText		name = d->plot->names[(size_t) x - 1];

		fg_xml_text(xml, name.bytes, name.length, FG_MOST_SHOWN);
	}
	else if (d->options->x_scale == FG_SCALE_TIME)
	{
		fg_xml_bytes(xml, text, fg_time_print(x, text));
		fg_xml_put(xml, " UTC");
	}
	else
	{
		fg_xml_put(xml, "x ");
		fg_xml_number(xml, x);
	}
}

void
fg_plot_put_y(FgPlotDrawing *d, double y)
{
	FgXml	   *xml = &d->document.xml;
	FgText		unit = d->options->unit;

	fg_xml_number(xml, y);
	if (unit.length > 0)
		fg_xml_put(xml, " ");
	fg_xml_text(xml, unit.bytes, unit.length, FG_MOST_SHOWN);
}

static void
put_name(FgPlotDrawing *d, const FgLayer *layer)
{
	fg_xml_text(&d->document.xml, layer->name.bytes, layer->name.length, FG_MOST_SHOWN);
	if (layer->name.length > 0)
		fg_xml_put(&d->document.xml, "\n");
}

static void
put_title(FgPlotDrawing *d, const FgLayer *layer, size_t i)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<title>");
	put_name(d, layer);
	fg_plot_put_x(d, layer->x[i]);
	if (isfinite(layer->y[i]))
	{
		fg_xml_put(xml, ", y ");
		fg_plot_put_y(d, layer->y[i]);
	}
	if (fg_plot_has_range(d, layer, i))
	{
		fg_xml_put(xml, ", ");
		fg_xml_number(xml, layer->lower[i]);
		fg_xml_put(xml, " to ");
		fg_xml_number(xml, layer->upper[i]);
	}
	if (layer->more != NULL && layer->more[i].length > 0)
	{
		fg_xml_put(xml, "\n");
		fg_xml_text(xml, layer->more[i].bytes, layer->more[i].length, FG_MOST_SHOWN);
	}
	fg_xml_put(xml, "</title>");
}

/* Of a whole line: how many points it has, from where to where. */
static void
put_line_title(FgPlotDrawing *d, const FgLayer *layer)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<title>");
	put_name(d, layer);
	fg_xml_count(xml, layer->n);
	fg_xml_put(xml, layer->n == 1 ? " point, " : " points, ");
	fg_plot_put_x(d, layer->x[0]);
	fg_xml_put(xml, " to ");
	fg_plot_put_x(d, layer->x[layer->n - 1]);
	fg_xml_put(xml, "</title>");
}

/* --- paths -------------------------------------------------------------------------- */

static void
put_place(FgXml *xml, char letter, double x, double y)
{
	char		command[] = {letter, '\0'};

	fg_xml_put(xml, command);
	fg_xml_hundredths(xml, fg_hundredths(x));
	fg_xml_put(xml, " ");
	fg_xml_hundredths(xml, fg_hundredths(y));
}

/* Which numbers of a layer a path is of. */
typedef struct Path
{
	const FgLayer *layer;
	const double *y;
	bool		steps;
} Path;

static bool
has_place(const FgPlotDrawing *d, const Path *path, size_t i)
{
	if (path->y != path->layer->y)
		return fg_plot_has_range(d, path->layer, i);
	return fg_plot_has_place(d, path->layer, i);
}

/* Where the step that begins at i ends: at the next one, or at the end of all. */
static double
step_end(const FgPlotDrawing *d, const FgLayer *layer, size_t i)
{
	double		end = i + 1 < layer->n ? layer->x[i + 1] : layer->end;

	if (i + 1 == layer->n && (end == 0 || !isfinite(end)))
		end = layer->x[i];
	return fg_plot_drawable(d->options->x_scale, end) ? end : layer->x[i];
}

static void
put_point(FgPlotDrawing *d, const Path *path, size_t i, char letter)
{
	const FgLayer *layer = path->layer;
	double		y = fg_plot_y(d, layer->panel, path->y[i]);

	put_place(&d->document.xml, letter, fg_plot_x(d, layer->panel, layer->x[i]), y);
	if (!path->steps)
		return;
	fg_xml_put(&d->document.xml, "H");
	fg_xml_hundredths(&d->document.xml,
					  fg_hundredths(fg_plot_x(d, layer->panel, step_end(d, layer, i))));
}

/* The points from "start" on that are in the same pixel's column and have places. */
static size_t
column_end(const FgPlotDrawing *d, const Path *path, size_t start, size_t *least, size_t *largest)
{
	const FgLayer *layer = path->layer;
	double		column = floor(fg_plot_x(d, layer->panel, layer->x[start]));
	size_t		i = start;

	*least = *largest = start;
	for (; i < layer->n && has_place(d, path, i); i++)
	{
		if (floor(fg_plot_x(d, layer->panel, layer->x[i])) != column)
			break;
		if (path->y[i] < path->y[*least])
			*least = i;
		if (path->y[i] > path->y[*largest])
			*largest = i;
	}
	return i;
}

/* First, least, largest and last point of a column, each once, in their order. */
static size_t
put_column(FgPlotDrawing *d, const Path *path, size_t start, char letter)
{
	size_t		least;
	size_t		largest;
	size_t		end = column_end(d, path, start, &least, &largest);
	size_t		middle[] = {least < largest ? least : largest, least < largest ? largest : least};

	put_point(d, path, start, letter);
	for (int m = 0; m < 2; m++)
	{
		if (middle[m] > start && middle[m] < end - 1 && (m == 0 || middle[m] > middle[0]))
			put_point(d, path, middle[m], 'L');
	}
	if (end - 1 > start)
		put_point(d, path, end - 1, 'L');
	return end;
}

/* From left to right, with a new beginning behind each gap. */
static bool
put_path(FgPlotDrawing *d, const Path *path)
{
	const FgLayer *layer = path->layer;
	bool		many = layer->n > FG_MOST_POINTS && !path->steps;
	char		letter = 'M';

	for (size_t i = 0; i < layer->n;)
	{
		if (!fg_steps(d->ctx, 16) || !d->document.xml.ok)
			return false;
		if (!has_place(d, path, i))
		{
			letter = 'M';
			i++;
			continue;
		}
		if (many)
			i = put_column(d, path, i, letter);
		else
			put_point(d, path, i++, letter);
		letter = 'L';
	}
	return true;
}

/* --- bands --------------------------------------------------------------------------- */

/* Back from the end of a piece to its start, along the lower edge. */
static void
put_way_back(FgPlotDrawing *d, const Path *path, size_t start, size_t end)
{
	const FgLayer *layer = path->layer;
	FgXml	   *xml = &d->document.xml;

	for (size_t i = end; i-- > start;)
	{
		double		y = fg_plot_y(d, layer->panel, path->y[i]);

		if (path->steps)
			put_place(xml, 'L', fg_plot_x(d, layer->panel, step_end(d, layer, i)), y);
		put_place(xml, 'L', fg_plot_x(d, layer->panel, layer->x[i]), y);
	}
	fg_xml_put(xml, "z");
}

static bool
put_band(FgPlotDrawing *d, const FgLayer *layer)
{
	FgXml	   *xml = &d->document.xml;
	bool		steps = layer->mark == FG_MARK_STEPS;
	Path		upper = {layer, layer->upper, steps};
	Path		lower = {layer, layer->lower, steps};
	size_t		end;

	fg_xml_format(xml, "<path class=\"band\" fill=\"#%06x\" fill-opacity=\".2\" stroke=\"#%06x\" "
				  "stroke-width=\".75\"%s d=\"", fg_series_color(layer->style),
				  fg_series_color(layer->style), fg_dotted);
	for (size_t start = 0; start < layer->n; start = end + 1)
	{
		for (end = start; end < layer->n && fg_plot_has_range(d, layer, end); end++)
		{
			put_point(d, &upper, end, end == start ? 'M' : 'L');
			if (!fg_steps(d->ctx, 16) || !xml->ok)
				return false;
		}
		if (end > start)
			put_way_back(d, &lower, start, end);
	}
	fg_xml_put(xml, "\">");
	put_line_title(d, layer);
	fg_xml_put(xml, "</path>\n");
	return true;
}

/* --- points -------------------------------------------------------------------------- */

/* From lower to upper, with lines at the ends. */
static void
put_range(FgPlotDrawing *d, const FgLayer *layer, size_t i, double x)
{
	FgXml	   *xml = &d->document.xml;
	double		y1 = fg_plot_y(d, layer->panel, layer->lower[i]);
	double		y2 = fg_plot_y(d, layer->panel, layer->upper[i]);

	fg_xml_format(xml, "<path class=\"range\" fill=\"none\" stroke=\"#%06x\" d=\"",
				  fg_series_color(layer->style));
	put_place(xml, 'M', x - CAP, y1);
	put_place(xml, 'L', x + CAP, y1);
	put_place(xml, 'M', x, y1);
	put_place(xml, 'L', x, y2);
	put_place(xml, 'M', x - CAP, y2);
	put_place(xml, 'L', x + CAP, y2);
	fg_xml_put(xml, "\"/>\n");
}

static bool
put_points(FgPlotDrawing *d, const FgLayer *layer, int64_t radius)
{
	FgXml	   *xml = &d->document.xml;
	uint32_t	shape = layer->filled ? FG_DIAMOND : layer->style;

	for (size_t i = 0; i < layer->n; i++)
	{
		double		x;

		if (!fg_steps(d->ctx, 16) || !xml->ok)
			return false;
		if (!fg_plot_has_place(d, layer, i))
			continue;
		x = fg_plot_x(d, layer->panel, layer->x[i]);
		if (layer->mark == FG_MARK_POINTS && fg_plot_has_range(d, layer, i))
			put_range(d, layer, i, x);
		fg_put_shape(xml, shape, fg_hundredths(x),
					 fg_hundredths(fg_plot_y(d, layer->panel, layer->y[i])), radius);
		put_title(d, layer, i);
		fg_xml_put(xml, fg_shape_end(shape));
	}
	return true;
}

/* --- bars ----------------------------------------------------------------------------- */

static void
put_bar(FgPlotDrawing *d, const FgLayer *layer, size_t i)
{
	FgXml	   *xml = &d->document.xml;
	double		all = d->bar == 0 ? BAR_ALONE
		: BAR_SHARE * d->width * d->bar / (d->x.last - d->x.first);
	uint32_t	sides = layer->sides == 0 ? 1 : layer->sides;
	double		width = all / sides;
	double		left = fg_plot_x(d, layer->panel, layer->x[i]) - all / 2 + layer->side * width;
	double		base = d->options->y_scale == FG_SCALE_LOG ? d->panels[layer->panel].top + d->height
		: fg_plot_y(d, layer->panel, 0);
	double		y = fg_plot_y(d, layer->panel, layer->y[i]);

	fg_xml_put(xml, "<rect");
	fg_xml_pixels(xml, "x", left);
	fg_xml_pixels(xml, "y", fmin(y, base));
	fg_xml_pixels(xml, "width", width);
	fg_xml_pixels(xml, "height", fabs(y - base));
	fg_xml_put(xml, ">");
	put_title(d, layer, i);
	fg_xml_put(xml, "</rect>\n");
}

static bool
put_bars(FgPlotDrawing *d, const FgLayer *layer)
{
	for (size_t i = 0; i < layer->n; i++)
	{
		if (!fg_steps(d->ctx, 16) || !d->document.xml.ok)
			return false;
		if (fg_plot_has_place(d, layer, i))
			put_bar(d, layer, i);
	}
	return true;
}

/* Ranges are in front of the bars, in the colour of text. */
static void
put_bar_ranges(FgPlotDrawing *d, const FgLayer *layer)
{
	FgLayer		grey = *layer;
	uint32_t	sides = layer->sides == 0 ? 1 : layer->sides;
	double		all = d->bar == 0 ? BAR_ALONE
		: BAR_SHARE * d->width * d->bar / (d->x.last - d->x.first);

	grey.style = FG_PLAIN_STYLE;
	for (size_t i = 0; i < layer->n; i++)
	{
		if (fg_plot_has_range(d, layer, i))
			put_range(d, &grey, i, fg_plot_x(d, layer->panel, layer->x[i]) - all / 2 +
					  (layer->side + 0.5) * all / sides);
	}
}

/* --- words beside points -------------------------------------------------------------- */

/* Words above and below points; more of them would be read by nobody. */
#define MOST_LABELS 200

/* Points in front of and behind a point that its words may lie on. */
#define NEAR_POINTS 50

typedef struct Labels
{
	uint32_t	count;
	struct
	{
		double		left;
		double		right;
		double		top;
	}			taken[MOST_LABELS];
} Labels;

/* No other words, and no point of the layer but this one. */
static bool
is_free(const FgPlotDrawing *d, const FgLayer *layer, size_t point, const Labels *labels,
		double left, double right, double top)
{
	size_t		first = point < NEAR_POINTS ? 0 : point - NEAR_POINTS;

	for (size_t i = first; i < layer->n && i < point + NEAR_POINTS; i++)
	{
		double		x = fg_plot_x(d, layer->panel, layer->x[i]);
		double		y = fg_plot_y(d, layer->panel, layer->y[i]);

		if (i != point && x > left - 3 && x < right + 3 && y > top - 5 &&
			y < top + d->document.font_size + 5)
			return false;
	}
	for (uint32_t i = 0; i < labels->count; i++)
	{
		if (left < labels->taken[i].right && labels->taken[i].left < right &&
			fabs(top - labels->taken[i].top) < d->document.font_size)
			return false;
	}
	return true;
}

/* A ground behind a label, through which a line is seen and does not strike it out. */
static void
put_ground(FgPlotDrawing *d, double left, double top, double width)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<rect class=\"b\" fill-opacity=\".7\"");
	fg_put_fill(xml, fg_background(d->options->theme));
	fg_xml_pixels(xml, "x", left - 1);
	fg_xml_pixels(xml, "y", top);
	fg_xml_pixels(xml, "width", width + 2);
	fg_xml_pixels(xml, "height", d->document.font_size + 1);
	fg_xml_put(xml, "/>\n");
}

/* Above the point, or below it, which negative ones try first; not where other words are. */
static void
put_label(FgPlotDrawing *d, const FgLayer *layer, size_t i, Labels *labels)
{
	const FgPlotPanel *panel = &d->panels[layer->panel];
	double		width = (double) fg_columns(layer->words[i].bytes, layer->words[i].length) *
		FG_COLUMN_WIDTH * d->document.font_size;
	double		x = fg_plot_x(d, layer->panel, layer->x[i]);
	double		y = fg_plot_y(d, layer->panel, layer->y[i]);
	double		left = fmin(fmax(x - width / 2, panel->left + 2), panel->left + d->width - width);
	double		above = y - 10 - d->document.font_size;
	bool		negative = layer->words[i].length > 0 && layer->words[i].bytes[0] == '-';
	double		tops[] = {negative ? y + 9 : above, negative ? above : y + 9};

	for (int t = 0; t < 2 && labels->count < MOST_LABELS; t++)
	{
		if (tops[t] < panel->top || tops[t] + d->document.font_size > panel->top + d->height ||
			!is_free(d, layer, i, labels, left - 4, left + width + 4, tops[t]))
			continue;
		labels->taken[labels->count].left = left;
		labels->taken[labels->count].right = left + width;
		labels->taken[labels->count++].top = tops[t];
		put_ground(d, left, tops[t], width);
		fg_plot_put_text(d, layer->words[i], left, tops[t] + d->document.font_size - 1, "start",
						 width + 1);
		return;
	}
}

static bool
has_words(const FgPlot *plot, uint32_t panel)
{
	for (size_t l = 0; l < plot->nlayers; l++)
	{
		if (plot->layers[l].panel == panel && plot->layers[l].words != NULL)
			return true;
	}
	return false;
}

bool
fg_plot_put_labels(FgPlotDrawing *d, uint32_t panel)
{
	const FgPlot *plot = d->plot;
	Labels		labels = {.count = 0};

	if (!has_words(plot, panel))
		return true;
	fg_xml_put(&d->document.xml, "<g class=\"p\"");
	fg_put_fill(&d->document.xml, fg_foreground(d->options->theme));
	fg_xml_put(&d->document.xml, ">\n");
	for (size_t l = 0; l < plot->nlayers && !d->cells; l++)
	{
		const FgLayer *layer = &plot->layers[l];

		for (size_t i = 0; layer->panel == panel && layer->words != NULL && i < layer->n; i++)
		{
			if (fg_plot_has_place(d, layer, i))
				put_label(d, layer, i, &labels);
			if (!fg_steps(d->ctx, 2 * NEAR_POINTS + labels.count))
				return false;
		}
	}
	fg_xml_put(&d->document.xml, "</g>\n");
	return d->document.xml.ok;
}

/* --- layers --------------------------------------------------------------------------- */

/* Is there anything of the line itself?  A band may be alone. */
static bool
has_line(FgPlotDrawing *d, const FgLayer *layer)
{
	for (size_t i = 0; i < layer->n; i++)
	{
		if (fg_plot_has_place(d, layer, i))
			return true;
	}
	return !fg_steps(d->ctx, layer->n);
}

static bool
put_curve(FgPlotDrawing *d, const FgLayer *layer)
{
	FgXml	   *xml = &d->document.xml;
	Path		path = {layer, layer->y, layer->mark == FG_MARK_STEPS};

	if (!has_line(d, layer))
		return true;
	fg_xml_format(xml, "<path class=\"line\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"2\"%s "
				  "stroke-linejoin=\"round\" d=\"", fg_series_color(layer->style),
				  layer->dashes != NULL ? layer->dashes : fg_series_dashes(layer->style));
	if (!put_path(d, &path))
		return false;
	fg_xml_put(xml, "\">");
	put_line_title(d, layer);
	fg_xml_put(xml, "</path>\n");
	return layer->bare || layer->n > FG_MOST_VERTICES || put_points(d, layer, VERTEX);
}

static bool
put_marks(FgPlotDrawing *d, const FgLayer *layer)
{
	if (layer->mark == FG_MARK_POINTS)
		return d->cells ? fg_plot_put_cells(d, layer) :
			put_points(d, layer, layer->filled ? STANDS_OUT : RADIUS);
	if (layer->mark == FG_MARK_BARS)
		return put_bars(d, layer);
	return put_curve(d, layer);
}

bool
fg_plot_put_layer(FgPlotDrawing *d, const FgLayer *layer)
{
	FgXml	   *xml = &d->document.xml;
	bool		curve = layer->mark == FG_MARK_LINE || layer->mark == FG_MARK_STEPS;

	if (layer->n == 0)
		return true;
	fg_xml_format(xml, "<g class=\"s\" data-s=\"%u\"", layer->style);
	fg_put_fill(xml, fg_series_color(layer->style));
	fg_xml_put(xml, ">\n");
	if (curve && layer->lower != NULL && !put_band(d, layer))
		return false;
	if (!put_marks(d, layer))
		return false;
	if (layer->mark == FG_MARK_BARS && layer->lower != NULL)
		put_bar_ranges(d, layer);
	fg_xml_put(xml, "</g>\n");
	return xml->ok;
}
