/*
 * heat_map_bar.c
 *	  The bar that says which number has which colour (see heat_map_internal.h).
 */
#include "core/heat_maps/heat_map_internal.h"

#include "core/plots/plot_style.h"

#define HEIGHT		12
#define TICK		4
#define LONGEST		320			/* pixels, and not less than the shortest */
#define SHORTEST	40
#define PIECES		64

typedef struct Bar
{
	double		left;
	double		width;
} Bar;

/* Labels at its ends stay within the picture. */
static Bar
bar_of(const FgHeatDrawing *d)
{
	double		label = fg_heat_tick_width(d);
	double		room = d->options->width - 2.0 * FG_MARGIN - label;

	return (Bar) {FG_MARGIN + label / 2, fmax(SHORTEST, fmin(room, LONGEST))};
}

/* Each piece goes on to the bar's end under the next one, so no gap is seen between them. */
static void
put_pieces(FgHeatDrawing *d, const Bar *bar)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<g class=\"e\" shape-rendering=\"crispEdges\">\n");
	for (int i = 0; i < PIECES; i++)
	{
		double		from = bar->width * i / PIECES;

		fg_xml_put(xml, "<rect");
		fg_xml_pixels(xml, "x", bar->left + from);
		fg_xml_format(xml, " y=\"%u\"", d->bar);
		fg_xml_pixels(xml, "width", bar->width - from);
		fg_xml_format(xml, " height=\"%d\"", HEIGHT);
		fg_put_fill(xml, fg_heat_color(d->options->scale, (i + 0.5) / PIECES));
		fg_xml_put(xml, "/>\n");
	}
	fg_xml_put(xml, "</g>\n");
}

/* The frame, and a line at each tick. */
static void
put_lines(FgHeatDrawing *d, const Bar *bar, uint32_t every)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_format(xml, "<g stroke=\"#%06x\">\n<rect fill=\"none\"",
				  fg_series_color(FG_PLAIN_STYLE));
	fg_xml_pixels(xml, "x", bar->left);
	fg_xml_format(xml, " y=\"%u\"", d->bar);
	fg_xml_pixels(xml, "width", bar->width);
	fg_xml_format(xml, " height=\"%d\"/>\n", HEIGHT);
	for (uint32_t i = 0; i < d->axis.count; i += every)
	{
		double		x = bar->left + bar->width * fg_axis_share(&d->axis, d->axis.ticks[i].at);

		fg_xml_put(xml, "<line");
		fg_xml_pixels(xml, "x1", x);
		fg_xml_format(xml, " y1=\"%u\"", d->bar + HEIGHT);
		fg_xml_pixels(xml, "x2", x);
		fg_xml_format(xml, " y2=\"%u\"/>\n", d->bar + HEIGHT + TICK);
	}
	fg_xml_put(xml, "</g>\n");
}

static void
put_labels(FgHeatDrawing *d, const Bar *bar, uint32_t every)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<g class=\"p\"");
	fg_put_fill(xml, fg_foreground(d->options->theme));
	fg_xml_put(xml, " text-anchor=\"middle\">\n");
	for (uint32_t i = 0; i < d->axis.count; i += every)
	{
		const FgTick *tick = &d->axis.ticks[i];

		fg_xml_put(xml, "<text class=\"at\"");
		fg_xml_pixels(xml, "x", bar->left + bar->width * fg_axis_share(&d->axis, tick->at));
		fg_xml_format(xml, " y=\"%u\">", d->bar + HEIGHT + TICK + d->document.font_size);
		fg_xml_bytes(xml, tick->label, tick->length);
		fg_xml_put(xml, "</text>\n");
	}
	fg_xml_put(xml, "</g>\n");
}

bool
fg_heat_put_bar(FgHeatDrawing *d)
{
	Bar			bar = bar_of(d);
	FgText		unit = fg_text_of(&d->unit_name);
	double		at[FG_MOST_TICKS];
	FgLabels	labels;

	for (uint32_t i = 0; i < d->axis.count; i++)
		at[i] = bar.width * fg_axis_share(&d->axis, d->axis.ticks[i].at);
	if (!fg_labels_stack(d->ctx, at, d->axis.count, fg_heat_tick_width(d) + 6, &labels))
		return false;
	if (d->options->unit.length > 0)
		fg_document_heading(&d->document, unit, FG_MARGIN,
							d->bar - fg_document_line_height(&d->document),
							d->options->width - 2 * FG_MARGIN);
	put_pieces(d, &bar);
	put_lines(d, &bar, labels.every);
	put_labels(d, &bar, labels.every);
	return d->document.xml.ok;
}
