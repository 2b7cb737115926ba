/*
 * heat_map_cells.c
 *	  The cells of a heat map, the names of its lines and the labels of its columns (see
 *	  heat_map_internal.h).
 *
 * Edges are those of whole pixels of the screen (crispEdges), else neighbours would let the
 * background through; a pixel of it parts cells that are large enough.
 */
#include "core/heat_maps/heat_map_internal.h"

#include "core/plots/plot_style.h"
#include "core/svg/units.h"

#define TICK		4
#define LEAST_GAPPED 8			/* cells from this size on are parted */

/* --- titles ------------------------------------------------------------------------- */

/* It has been cut, and the words that say so are not to be. */
static void
put_user_text(FgXml *xml, FgText text)
{
	fg_xml_text(xml, text.bytes, text.length, 2 * FG_MOST_SHOWN);
}

/* "mean of 3 of 4: ", of several columns */
static void
put_mean(FgXml *xml, uint32_t count, uint32_t columns)
{
	fg_xml_format(xml, "mean of %u", count);
	if (count < columns)
		fg_xml_format(xml, " of %u", columns);
	fg_xml_put(xml, ": ");
}

static void
put_title(FgHeatDrawing *d, uint32_t line, uint32_t column)
{
	FgXml	   *xml = &d->document.xml;
	uint32_t	from;
	uint32_t	to;

	fg_heat_columns(d, column, &from, &to);
	fg_xml_put(xml, "<title>");
	put_user_text(xml, d->line_titles[line]);
	fg_xml_put(xml, "\n");
	put_user_text(xml, d->column_titles[from]);
	if (to - from > 1)
	{
		fg_xml_put(xml, " to ");
		put_user_text(xml, d->column_titles[to - 1]);
	}
	fg_xml_put(xml, "\n");
	if (fg_heat_empty(d, line, column))
		fg_xml_put(xml, "no value");
	else
	{
		if (to - from > 1)
			put_mean(xml, d->sums[(size_t) line * d->shown + column].count, to - from);
		fg_xml_number(xml, fg_heat_value(d, line, column));
		if (d->options->unit.length > 0)
			fg_xml_put(xml, " ");
		put_user_text(xml, d->unit_title);
	}
	fg_xml_put(xml, "</title>");
}

/* --- cells -------------------------------------------------------------------------- */

static FgColor
color_of(const FgHeatDrawing *d, double value)
{
	return fg_heat_color(d->options->scale, fg_axis_share(&d->axis, value));
}

static void
put_cell(FgHeatDrawing *d, uint32_t line, uint32_t column)
{
	FgXml	   *xml = &d->document.xml;
	int64_t		x1 = fg_hundredths(fg_heat_x(d, column));
	int64_t		x2 = fg_hundredths(fg_heat_x(d, column + 1));
	uint32_t	height = d->options->cell_height;

	fg_xml_put(xml, "<rect x=\"");
	fg_xml_hundredths(xml, x1);
	fg_xml_format(xml, "\" y=\"%u\" width=\"", fg_heat_y(d, line));
	fg_xml_hundredths(xml, x2 - x1 - (x2 - x1 >= 100 * LEAST_GAPPED ? 100 : 0));
	fg_xml_format(xml, "\" height=\"%u\"", height - (height >= LEAST_GAPPED));
	if (fg_heat_empty(d, line, column))
		fg_xml_format(xml, " fill=\"url(#fg%08x-m)\"", d->document.id);
	else
		fg_put_fill(xml, color_of(d, fg_heat_value(d, line, column)));
	fg_xml_put(xml, ">");
	put_title(d, line, column);
	fg_xml_put(xml, "</rect>\n");
}

static void
put_number(FgHeatDrawing *d, uint32_t line, uint32_t column)
{
	FgXml	   *xml = &d->document.xml;
	double		value = fg_heat_value(d, line, column);
	double		middle = fg_heat_y(d, line) + (d->options->cell_height - 1) / 2.0;
	char		text[FG_UNITS_SIZE];

	fg_xml_put(xml, "<text");
	fg_xml_pixels(xml, "x", d->label_at[column] - 0.5);
	fg_xml_pixels(xml, "y", middle + d->document.font_size / 3.0);
	fg_put_fill(xml, fg_text_color(color_of(d, value)));
	fg_xml_put(xml, ">");
	fg_xml_bytes(xml, text, fg_heat_print(d, value, text));
	fg_xml_put(xml, "</text>\n");
}

static bool
put_numbers(FgHeatDrawing *d)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<g class=\"n\" text-anchor=\"middle\" pointer-events=\"none\">\n");
	for (uint32_t l = 0; l < d->map->nlines; l++)
	{
		for (uint32_t c = 0; c < d->shown; c++)
		{
			if (!fg_heat_empty(d, l, c))
				put_number(d, l, c);
		}
		if (!xml->ok)
			return false;
	}
	fg_xml_put(xml, "</g>\n");
	return xml->ok;
}

/* A frame around all cells, which the lightest ones need. */
static void
put_frame(FgHeatDrawing *d)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_format(xml, "<path class=\"o\" fill=\"none\" stroke=\"#%06x\" d=\"M",
				  fg_series_color(FG_PLAIN_STYLE));
	fg_xml_hundredths(xml, fg_hundredths(d->left - 1));
	fg_xml_format(xml, " %uH", d->top - 1);
	fg_xml_hundredths(xml, fg_hundredths(d->right + 0.5));
	fg_xml_format(xml, "V%uH", d->bottom);
	fg_xml_hundredths(xml, fg_hundredths(d->left - 1));
	fg_xml_put(xml, "z\"/>\n");
}

bool
fg_heat_put_cells(FgHeatDrawing *d)
{
	FgXml	   *xml = &d->document.xml;

	put_frame(d);
	fg_xml_put(xml, "<g class=\"h\" shape-rendering=\"crispEdges\">\n");
	for (uint32_t l = 0; l < d->map->nlines; l++)
	{
		for (uint32_t c = 0; xml->ok && c < d->shown; c++)
			put_cell(d, l, c);
		if (!xml->ok)
			return false;
	}
	fg_xml_put(xml, "</g>\n");
	return !d->written || put_numbers(d);
}

/* --- names and labels --------------------------------------------------------------- */

static void
begin_words(FgHeatDrawing *d, const char *anchor)
{
	fg_xml_put(&d->document.xml, "<g class=\"p\"");
	fg_put_fill(&d->document.xml, fg_foreground(d->options->theme));
	fg_xml_format(&d->document.xml, " text-anchor=\"%s\">\n", anchor);
}

/* What a label says, and the end of its element. */
static void
put_label(FgXml *xml, FgText text, FgLabel label)
{
	static const char ellipsis[] = "\xE2\x80\xA6";

	fg_xml_put(xml, label.cut_start ? ellipsis : "");
	fg_xml_text(xml, text.bytes + label.start, label.end - label.start, FG_MOST_SHOWN);
	fg_xml_put(xml, label.cut_end ? ellipsis : "");
	fg_xml_put(xml, "</text>\n");
}

static bool
put_line_names(FgHeatDrawing *d)
{
	FgXml	   *xml = &d->document.xml;
	double	   *at = fg_alloc(d->ctx, d->map->nlines, sizeof(double));
	FgLabels	labels;
	bool		ok = at != NULL;

	for (uint32_t l = 0; ok && l < d->map->nlines; l++)
		at[l] = fg_heat_y(d, l);
	ok = ok && fg_labels_stack(d->ctx, at, d->map->nlines, d->document.font_size + 2, &labels);
	fg_release(d->ctx, at);
	if (!ok)
		return false;
	begin_words(d, "end");
	for (uint32_t l = 0; l < d->map->nlines; l += labels.every)
	{
		double		middle = fg_heat_y(d, l) + (d->options->cell_height - 1) / 2.0;
		double		pixels;
		FgLabel		label = fg_heat_name(d, l, &pixels);

		fg_xml_put(xml, "<text class=\"ay\" unicode-bidi=\"isolate\"");
		fg_xml_pixels(xml, "x", d->left - 6);
		fg_xml_pixels(xml, "y", middle + d->document.font_size / 3.0);
		fg_xml_put(xml, ">");
		put_label(xml, d->map->lines[l], label);
		if (!xml->ok || !fg_work(d->ctx, d->map->lines[l].length))
			return false;
	}
	fg_xml_put(xml, "</g>\n");
	return true;
}

static void
put_column_label(FgHeatDrawing *d, uint32_t column)
{
	FgXml	   *xml = &d->document.xml;
	double		x = d->label_at[column];
	double		y = d->bottom + TICK + 2.0;
	double		pixels;
	FgLabel		label = fg_heat_label(d, column, &pixels);

	fg_xml_put(xml, "<text class=\"ax\" unicode-bidi=\"isolate\"");
	if (d->labels.turned)
	{
		fg_xml_put(xml, " transform=\"translate(");
		fg_xml_hundredths(xml, fg_hundredths(x + d->document.font_size / 3.0));
		fg_xml_put(xml, " ");
		fg_xml_hundredths(xml, fg_hundredths(y + d->document.font_size / 2.0));
		fg_xml_put(xml, ")rotate(-45)\"");
	}
	else
	{
		fg_xml_pixels(xml, "x", x);
		fg_xml_pixels(xml, "y", y + d->document.font_size);
	}
	fg_xml_put(xml, ">");
	put_label(xml, d->map->columns[column * d->each], label);
}

static bool
put_column_labels(FgHeatDrawing *d)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_format(xml, "<g stroke=\"#%06x\">\n", fg_series_color(FG_PLAIN_STYLE));
	for (uint32_t c = 0; c < d->shown; c += d->labels.every)
	{
		fg_xml_put(xml, "<line");
		fg_xml_pixels(xml, "x1", d->label_at[c]);
		fg_xml_format(xml, " y1=\"%u\"", d->bottom);
		fg_xml_pixels(xml, "x2", d->label_at[c]);
		fg_xml_format(xml, " y2=\"%u\"/>\n", d->bottom + TICK);
	}
	fg_xml_put(xml, "</g>\n");
	begin_words(d, d->labels.turned ? "end" : "middle");
	for (uint32_t c = 0; c < d->shown; c += d->labels.every)
	{
		put_column_label(d, c);
		if (!xml->ok || !fg_work(d->ctx, d->map->columns[c * d->each].length))
			return false;
	}
	fg_xml_put(xml, "</g>\n");
	return true;
}

bool
fg_heat_put_names(FgHeatDrawing *d)
{
	return put_line_names(d) && put_column_labels(d);
}
