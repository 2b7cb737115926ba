/*
 * lanes_axes.c
 *	  Axes of lanes: time below all of them, numbers to the left of each chart.
 */
#include "core/lanes/lanes_internal.h"

#include "core/svg/label.h"

#include <math.h>

/* --- writing ------------------------------------------------------------------------------ */

static void
put_line(FgLanesDrawing *d, double x1, double y1, double x2, double y2)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<line");
	fg_xml_pixels(xml, "x1", x1);
	fg_xml_pixels(xml, "y1", y1);
	fg_xml_pixels(xml, "x2", x2);
	fg_xml_pixels(xml, "y2", y2);
	fg_xml_put(xml, "/>\n");
}

void
fg_lanes_put_text(FgLanesDrawing *d, FgText text, double x, double y, const char *anchor,
				  double room)
{
	FgXml	   *xml = &d->document.xml;
	double		columns = fmax(floor(room / (FG_COLUMN_WIDTH * FG_LANES_FONT)), 1);
	FgLabel		label = fg_label_fit(text.bytes, fg_text_shown(text), (size_t) columns,
									 FG_TRUNCATE_END);

	fg_xml_put(xml, "<text unicode-bidi=\"isolate\"");
	fg_xml_pixels(xml, "x", x);
	fg_xml_pixels(xml, "y", y);
	fg_xml_format(xml, " text-anchor=\"%s\">", anchor);
	fg_xml_text(xml, text.bytes, label.end, FG_MOST_SHOWN);
	if (label.end < text.length)
		fg_xml_put(xml, "\xE2\x80\xA6");
	fg_xml_put(xml, "</text>\n");
}

void
fg_lanes_begin_words(FgLanesDrawing *d, const char *more)
{
	fg_xml_put(&d->document.xml, "<g class=\"p\"");
	fg_put_fill(&d->document.xml, fg_foreground(d->options->theme));
	fg_xml_format(&d->document.xml, "%s>\n", more);
}

static void
begin_lines(FgLanesDrawing *d, const char *more)
{
	fg_xml_format(&d->document.xml, "<g stroke=\"#%06x\"%s>\n", fg_series_color(FG_PLAIN_STYLE),
				  more);
}

void
fg_lanes_end_group(FgLanesDrawing *d)
{
	fg_xml_put(&d->document.xml, "</g>\n");
}

/* --- axes --------------------------------------------------------------------------------- */

static FgText
tick_text(const FgTick *tick)
{
	return (FgText) {tick->label, tick->length};
}

static double
tick_x(const FgLanesDrawing *d, uint32_t i)
{
	return fg_lanes_x(d, d->x.ticks[i].at);
}

/* Every so many-th label of time has room. */
static uint32_t
label_step(const FgLanesDrawing *d)
{
	double		widest = 0;
	double		apart = d->x.count < 2 ? d->width : tick_x(d, 1) - tick_x(d, 0);
	uint32_t	step = 1;

	for (uint32_t i = 0; i < d->x.count; i++)
		widest = fmax(widest, fg_lanes_text_width(tick_text(&d->x.ticks[i])) + 8);
	while (step < d->x.count && apart * step < widest)
		step++;
	return step;
}

void
fg_lanes_put_time(FgLanesDrawing *d)
{
	uint32_t	step = label_step(d);
	double		y = d->bottom;

	begin_lines(d, " stroke-opacity=\".25\"");
	for (uint32_t i = 0; d->options->grid && i < d->x.count; i += step)
		put_line(d, tick_x(d, i), d->start, tick_x(d, i), y);
	fg_lanes_end_group(d);
	begin_lines(d, "");
	put_line(d, d->left, y, d->left + d->width, y);
	for (uint32_t i = 0; i < d->x.count; i++)
		put_line(d, tick_x(d, i), y, tick_x(d, i), y + FG_LANES_TICK);
	fg_lanes_end_group(d);
	fg_lanes_begin_words(d, "");
	for (uint32_t i = 0; i < d->x.count; i += step)
		fg_lanes_put_text(d, tick_text(&d->x.ticks[i]), tick_x(d, i),
						  y + FG_LANES_TICK + FG_LANES_FONT, "middle", d->width);
	fg_lanes_put_text(d, fg_text_of(&d->x_words), d->left + d->width / 2,
					  y + FG_LANES_TICK + 2.2 * FG_LANES_FONT + 4, "middle", d->width);
	fg_lanes_end_group(d);
}

void
fg_lanes_put_values(FgLanesDrawing *d, uint32_t lane)
{
	const FgAxis *axis = &d->y[lane];
	double		apart = fg_lanes_height(d, lane) / (axis->count < 2 ? 1 : axis->count - 1);
	uint32_t	step = apart < FG_LANES_FONT + 2 ? 2 : 1;

	begin_lines(d, " stroke-opacity=\".25\"");
	for (uint32_t i = 0; d->options->grid && i < axis->count; i++)
		put_line(d, d->left, fg_lanes_y(d, lane, axis->ticks[i].at), d->left + d->width,
				 fg_lanes_y(d, lane, axis->ticks[i].at));
	fg_lanes_end_group(d);
	begin_lines(d, "");
	put_line(d, d->left, d->top[lane], d->left, d->top[lane] + fg_lanes_height(d, lane));
	fg_lanes_end_group(d);
	fg_lanes_begin_words(d, "");
	for (uint32_t i = 0; i < axis->count; i += step)
		fg_lanes_put_text(d, tick_text(&axis->ticks[i]), d->left - 4,
						  fg_lanes_y(d, lane, axis->ticks[i].at) + 4, "end",
						  d->left - FG_MARGIN - 4);
	fg_lanes_end_group(d);
}
