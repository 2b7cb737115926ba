/*
 * lanes_marks.c
 *	  What stands in a lane: rectangles, areas of many small ones, lines.
 */
#include "core/lanes/lanes_internal.h"

#include <math.h>

/* A series of a lane, and what it lies on in each cell. */
typedef struct Strip
{
	uint32_t	lane;
	uint32_t	series;
	const FgLaneCells *cells;
} Strip;

/* Where a cell begins. */
static double
x_of(const FgLanesDrawing *d, const Strip *strip, uint32_t cell)
{
	return fg_lanes_x(d, strip->cells->edges[cell]);
}

static double
height_at(const Strip *strip, uint32_t cell)
{
	return strip->cells->height[(size_t) cell * strip->cells->nseries + strip->series];
}

/* The sum of the filled series before this one. */
static double
ground_at(const FgLanesDrawing *d, const Strip *strip, uint32_t cell)
{
	double		sum = 0;

	for (uint32_t s = 0; s < strip->series; s++)
	{
		double		height = strip->cells->height[(size_t) cell * strip->cells->nseries + s];

		if (d->lanes->series[s].kind != FG_LANE_LINE && !isnan(height))
			sum += height;
	}
	return sum;
}

static bool
is_there(const Strip *strip, uint32_t cell)
{
	return height_at(strip, cell) > 0;
}

static void
put_title(FgLanesDrawing *d, const Strip *strip, uint32_t from, uint32_t to)
{
	FgXml	   *xml = &d->document.xml;
	const FgLane *lane = &d->lanes->lanes[strip->lane];
	FgText		name = d->lanes->series[strip->series].name;

	fg_xml_put(xml, "<title>");
	fg_xml_text(xml, name.bytes, name.length, FG_MOST_SHOWN);
	if (lane->label.length > 0)
		fg_xml_put(xml, "\n");
	fg_xml_text(xml, lane->label.bytes, lane->label.length, FG_MOST_SHOWN);
	fg_xml_put(xml, "\n");
	fg_xml_number(xml, strip->cells->edges[from]);
	fg_xml_put(xml, " s to ");
	fg_xml_number(xml, strip->cells->edges[to]);
	fg_xml_put(xml, " s");
	if (lane->height > 0)
	{
		fg_xml_put(xml, strip->cells->exact ? ": " : ", means of pixels: ");
		fg_xml_number(xml, height_at(strip, from));
		fg_xml_put(xml, d->options->unit.length > 0 ? " " : "");
		fg_xml_text(xml, d->options->unit.bytes, d->options->unit.length, FG_MOST_SHOWN);
	}
	fg_xml_put(xml, "</title>");
}

/* Up to which cell from here on nothing changes. */
static uint32_t
same_until(const FgLanesDrawing *d, const Strip *strip, uint32_t from)
{
	uint32_t	to = from + 1;

	while (to < strip->cells->count && height_at(strip, to) == height_at(strip, from) &&
		   ground_at(d, strip, to) == ground_at(d, strip, from))
		to++;
	return to;
}

/* A rectangle for each stretch. */
static bool
put_rects(FgLanesDrawing *d, const Strip *strip)
{
	FgXml	   *xml = &d->document.xml;
	uint32_t	to;

	for (uint32_t c = 0; c < strip->cells->count; c = to)
	{
		double		ground = ground_at(d, strip, c);
		double		upper;
		double		lower;

		to = same_until(d, strip, c);
		if (!fg_steps(d->ctx, 16 + to - c) || !xml->ok)
			return false;
		if (!is_there(strip, c))
			continue;
		upper = fg_lanes_y(d, strip->lane, ground + height_at(strip, c));
		lower = fg_lanes_y(d, strip->lane, ground);
		fg_xml_put(xml, "<rect");
		fg_xml_pixels(xml, "x", x_of(d, strip, c));
		fg_xml_pixels(xml, "y", upper);
		fg_xml_pixels(xml, "width", x_of(d, strip, to) - x_of(d, strip, c));
		fg_xml_pixels(xml, "height", lower - upper);
		fg_xml_put(xml, ">");
		put_title(d, strip, c, to);
		fg_xml_put(xml, "</rect>\n");
	}
	return true;
}

static void
put_place(FgXml *xml, char letter, double pixels)
{
	char		command[] = {letter, '\0'};

	fg_xml_put(xml, command);
	fg_xml_hundredths(xml, fg_hundredths(pixels));
}

/* The upper edge from left to right, and the lower one back. */
static void
put_stretch(FgLanesDrawing *d, const Strip *strip, uint32_t from, uint32_t to)
{
	FgXml	   *xml = &d->document.xml;

	put_place(xml, 'M', x_of(d, strip, from));
	for (uint32_t c = from; c < to; c++)
	{
		put_place(xml, c == from ? ' ' : 'V',
				  fg_lanes_y(d, strip->lane, ground_at(d, strip, c) + height_at(strip, c)));
		put_place(xml, 'H', x_of(d, strip, c + 1));
	}
	for (uint32_t c = to; c-- > from;)
	{
		put_place(xml, 'V', fg_lanes_y(d, strip->lane, ground_at(d, strip, c)));
		put_place(xml, 'H', x_of(d, strip, c));
	}
	fg_xml_put(xml, "z");
}

static void
end_path(FgLanesDrawing *d, const Strip *strip)
{
	FgXml	   *xml = &d->document.xml;
	FgText		name = d->lanes->series[strip->series].name;

	fg_xml_put(xml, "\"><title>");
	fg_xml_text(xml, name.bytes, name.length, FG_MOST_SHOWN);
	fg_xml_put(xml, "</title></path>\n");
}

/* One shape of many small ones. */
static bool
put_area(FgLanesDrawing *d, const Strip *strip)
{
	FgXml	   *xml = &d->document.xml;
	uint32_t	to = 0;
	uint32_t	first = 0;

	while (first < strip->cells->count && !is_there(strip, first))
		first++;
	if (first == strip->cells->count)
		return true;
	fg_xml_put(xml, "<path d=\"");
	for (uint32_t c = first; c < strip->cells->count; c = to + 1)
	{
		for (to = c; to < strip->cells->count && is_there(strip, to); to++)
			;
		if (to > c)
			put_stretch(d, strip, c, to);
		if (!fg_steps(d->ctx, 16 + to - c) || !xml->ok)
			return false;
	}
	end_path(d, strip);
	return xml->ok;
}

static bool
put_line_of(FgLanesDrawing *d, const Strip *strip)
{
	FgXml	   *xml = &d->document.xml;
	bool		gap = true;

	fg_xml_format(xml, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"2\"%s d=\"M0 0",
				  fg_series_color(FG_PLAIN_STYLE), fg_lanes_dashes(d->fill_of[strip->series]));
	for (uint32_t c = 0; c < strip->cells->count; c++)
	{
		double		value = height_at(strip, c);

		if (!isnan(value))
		{
			if (gap)
				put_place(xml, 'M', x_of(d, strip, c));
			put_place(xml, gap ? ' ' : 'V', fg_lanes_y(d, strip->lane, value));
			put_place(xml, 'H', x_of(d, strip, c + 1));
		}
		gap = isnan(value);
		if (!fg_steps(d->ctx, 4) || !xml->ok)
			return false;
	}
	end_path(d, strip);
	return xml->ok;
}

bool
fg_lanes_put_series(FgLanesDrawing *d, uint32_t lane, uint32_t series)
{
	Strip		strip = {lane, series, &d->cells[lane]};
	bool		ok;

	if (d->lanes->series[series].kind == FG_LANE_LINE)
		return d->lanes->lanes[lane].height == 0 || put_line_of(d, &strip);
	fg_xml_format(&d->document.xml, "<g class=\"s\" data-s=\"%u\"", series);
	fg_document_put_fill(&d->document, fg_lanes_fill(d, series));
	fg_xml_put(&d->document.xml, ">\n");
	ok = strip.cells->exact ? put_rects(d, &strip) : put_area(d, &strip);
	fg_lanes_end_group(d);
	return ok;
}
