/*
 * lanes.c
 *	  Lanes over one axis of time (see lanes.h): where they are, and what stands in them.
 */
#include "core/picture/lanes.h"

#include "core/picture/drawing.h"
#include "core/picture/label.h"
#include "core/picture/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FONT_SIZE	12
#define BAND		16			/* height of a lane that is no chart */
#define GAP			5			/* below a lane */
#define CHART_GAP	14
#define HEADING		24			/* of a group */
#define TICK		4
#define MOST_NAME	0.3			/* of the width, that names of lanes take */
#define STRIPE_NAME	8

typedef struct LanesDrawing
{
	FgContext  *ctx;
	const FgLanes *lanes;
	const FgPlotOptions *options;
	FgDocument	document;
	FgLaneCells *cells;			/* by lane */
	uint32_t   *rows;			/* their numbers, sorted by lane */
	double	   *top;			/* by lane, of its inside */
	FgAxis	   *y;				/* by lane, of charts */
	FgAxis		x;
	double		left;			/* of the inside of all lanes */
	double		width;
	double		bottom;
	uint32_t	start;			/* y of what is below the document's top */
	bool		means;			/* some lane has more pieces than are drawn */
	uint32_t	fill_of[FG_MOST_ENTRIES];	/* by series, which of the colours or lines it has */
	FgTexture	textures[FG_MOST_FILLED - FG_SERIES];
	char		texture_names[FG_MOST_FILLED - FG_SERIES][STRIPE_NAME];
	FgBuffer	entries[FG_MOST_ENTRIES];
	FgBuffer	x_words;
	FgBuffer	y_words;
	FgBuffer	footnote;
	FgBuffer	description;
} LanesDrawing;

/* --- series --------------------------------------------------------------------------- */

/* Colours in the order of series; behind the last one they come again, with stripes. */
static bool
choose_fills(LanesDrawing *d)
{
	uint32_t	filled = 0;
	uint32_t	lines = 0;

	if (d->lanes->nseries > FG_MOST_ENTRIES)
		filled = FG_MOST_FILLED + 1;
	for (uint32_t s = 0; s < d->lanes->nseries && filled <= FG_MOST_FILLED; s++)
	{
		FgLaneKind	kind = d->lanes->series[s].kind;

		d->fill_of[s] = kind == FG_LANE_PART ? filled++ : kind == FG_LANE_LINE ? lines++ : 0;
	}
	if (filled > FG_MOST_FILLED || lines > FG_MOST_LINES)
		return fg_fail_at(d->ctx, FG_ERROR_ARGUMENT, 0, 0, "Add up those that matter least.",
						  "there are too many series: %d filled ones and %d lines at most",
						  FG_MOST_FILLED, FG_MOST_LINES);
	for (uint32_t t = 0; t < FG_MOST_FILLED - FG_SERIES; t++)
	{
		snprintf(d->texture_names[t], STRIPE_NAME, "s%u", t);
		d->textures[t] = (FgTexture) {
			.name = d->texture_names[t], .ground = fg_series_color(t), .mark = 0xFFFFFF,
			.size = 6, .angle = 45, .width = 2, .height = 6
		};
	}
	d->document.textures = d->textures;
	d->document.ntextures = filled > FG_SERIES ? filled - FG_SERIES : 0;
	return true;
}

static FgFill
fill_of(const LanesDrawing *d, uint32_t series)
{
	uint32_t	fill = d->fill_of[series];

	if (d->lanes->series[series].kind == FG_LANE_REST)
		return (FgFill) {.texture = "m"};
	if (fill >= FG_SERIES)
		return (FgFill) {.texture = d->textures[fill - FG_SERIES].name};
	return (FgFill) {.color = fg_series_color(fill)};
}

static const char *
dashes_of(uint32_t line)
{
	return line == 0 ? "" : " stroke-dasharray=\"8 4\"";
}

static void
put_line_sample(FgDocument *document, uint32_t what, uint32_t x, uint32_t y)
{
	fg_xml_format(&document->xml, "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" "
				  "stroke=\"#%06x\" stroke-width=\"2\"%s/>", x, y, x + FG_SAMPLE_WIDTH, y,
				  fg_series_color(FG_PLAIN_STYLE), dashes_of(what));
}

static bool
make_legend(LanesDrawing *d)
{
	for (uint32_t s = 0; s < d->lanes->nseries; s++)
	{
		const FgLaneSeries *series = &d->lanes->series[s];
		FgLegendEntry entry = {.swatch = series->kind != FG_LANE_LINE, .fill = fill_of(d, s)};

		if (!fg_text_cut(&d->entries[s], series->name) ||
			!fg_buffer_append(&d->entries[s], "", 1))
			return false;
		entry.label = (const char *) d->entries[s].data;
		entry.sample = series->kind == FG_LANE_LINE ? put_line_sample : NULL;
		entry.what = d->fill_of[s];
		fg_document_legend(&d->document, entry);
	}
	return true;
}

/* --- what there is of each lane --------------------------------------------------------- */

/* Numbers of rows by lane, and where those of each lane begin. */
static bool
sort_rows(LanesDrawing *d, uint32_t *begin)
{
	const FgLanes *lanes = d->lanes;

	d->rows = fg_alloc(d->ctx, lanes->nrows + 1, sizeof(uint32_t));
	if (d->rows == NULL)
		return false;
	for (size_t i = 0; i < lanes->nrows; i++)
	{
		begin[lanes->rows[i].lane + 2]++;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	for (uint32_t l = 2; l <= lanes->nlanes + 1; l++)
		begin[l] += begin[l - 1];
	for (size_t i = 0; i < lanes->nrows; i++)
	{
		d->rows[begin[lanes->rows[i].lane + 1]++] = (uint32_t) i;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

/* From the first start to the last stop of anything. */
static bool
time_axis(LanesDrawing *d)
{
	const FgLanes *lanes = d->lanes;
	double		lo = INFINITY;
	double		hi = -INFINITY;
	double		unit = 1;
	FgBuffer	name = {.ctx = d->ctx};
	bool		ok;

	for (size_t i = 0; i < lanes->nrows; i++)
	{
		lo = fmin(lo, lanes->rows[i].start);
		hi = fmax(hi, lanes->rows[i].stop);
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	for (uint32_t l = 0; l < lanes->nlanes; l++)
	{
		lo = fmin(lo, isnan(lanes->lanes[l].from) ? lo : lanes->lanes[l].from);
		hi = fmax(hi, isnan(lanes->lanes[l].to) ? hi : lanes->lanes[l].to);
	}
	if (!(lo <= hi))
		lo = hi = 0;
	ok = fg_units_scale(&name, fmax(fabs(lo), fabs(hi)), "seconds", 7, &unit) &&
		fg_axis_make(d->ctx, FG_SCALE_LINEAR, lo, hi, unit, &d->x) &&
		fg_text_cut(&d->x_words, d->options->x_label) &&
		(d->options->x_label.length == 0 || fg_text_put(&d->x_words, ", ")) &&
		fg_buffer_append(&d->x_words, name.data, name.size);
	fg_release(d->ctx, name.data);
	return ok;
}

/* The highest stack and the highest line of a chart. */
static double
largest_of(const LanesDrawing *d, const FgLaneCells *cells)
{
	double		largest = 0;

	for (uint32_t c = 0; c < cells->count; c++)
	{
		double		stack = 0;

		for (uint32_t s = 0; s < cells->nseries; s++)
		{
			double		height = cells->height[(size_t) c * cells->nseries + s];

			if (isnan(height))
				continue;
			if (d->lanes->series[s].kind == FG_LANE_LINE)
				largest = fmax(largest, height);
			else
				stack += height;
		}
		largest = fmax(largest, stack);
	}
	return largest;
}

static bool
make_cells(LanesDrawing *d)
{
	const FgLanes *lanes = d->lanes;
	uint32_t   *begin = fg_alloc_zero(d->ctx, (size_t) lanes->nlanes + 2, sizeof(uint32_t));
	uint32_t	columns = (uint32_t) fmax(d->width / FG_LANE_COLUMN, 10);
	bool		ok = begin != NULL && sort_rows(d, begin);

	for (uint32_t l = 0; ok && l < lanes->nlanes; l++)
	{
		ok = fg_lane_cells_make(d->ctx, lanes->rows, d->rows + begin[l], begin[l + 1] - begin[l],
								lanes->nseries, d->x.first, d->x.last, columns, &d->cells[l]);
		d->means |= ok && !d->cells[l].exact;
	}
	fg_release(d->ctx, begin);
	return ok;
}

/* All charts have one scale, so that they can be compared. */
static bool
value_axes(LanesDrawing *d)
{
	const FgPlotOptions *o = d->options;
	double		largest = 0;
	double		unit = 1;
	bool		charts = false;

	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
	{
		if (d->lanes->lanes[l].height > 0)
			largest = fmax(largest, largest_of(d, &d->cells[l]));
		charts |= d->lanes->lanes[l].height > 0;
	}
	if (!charts)
		return true;
	if (o->unit.length > 0 &&
		!fg_units_scale(&d->y_words, largest, o->unit.bytes, fg_text_shown(o->unit), &unit))
		return false;
	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
	{
		if (d->lanes->lanes[l].height > 0 &&
			!fg_axis_make(d->ctx, FG_SCALE_LINEAR, 0, largest > 0 ? largest : 1, unit, &d->y[l]))
			return false;
	}
	return true;
}

/* --- places ----------------------------------------------------------------------------- */

static double
text_width(FgText text)
{
	return FG_COLUMN_WIDTH * FONT_SIZE * (double) fg_columns(text.bytes, fg_text_shown(text));
}

/* Names of lanes stand to the left, where charts have their numbers, too. */
static void
place_columns(LanesDrawing *d)
{
	double		names = 8 * FG_COLUMN_WIDTH * FONT_SIZE;

	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
		names = fmax(names, text_width(d->lanes->lanes[l].label));
	names = fmin(names, MOST_NAME * d->options->width);
	d->left = FG_MARGIN + ceil(names) + 8;
	d->width = fmax(d->options->width - d->left - 2 * FG_MARGIN, 20);
}

static bool
begins_group(const FgLanes *lanes, uint32_t l)
{
	FgText		group = lanes->lanes[l].group;

	if (l == 0 || group.length == 0)
		return group.length > 0;
	return group.length != lanes->lanes[l - 1].group.length ||
		memcmp(group.bytes, lanes->lanes[l - 1].group.bytes, group.length) != 0;
}

static void
place_lanes(LanesDrawing *d)
{
	double		y = d->start = fg_document_above(&d->document);

	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
	{
		uint32_t	height = d->lanes->lanes[l].height;

		if (begins_group(d->lanes, l))
			y += HEADING;
		d->top[l] = y + (height > 0 ? 4 : 0);
		y = d->top[l] + (height > 0 ? height + CHART_GAP : BAND + GAP);
	}
	d->bottom = y;
}

static double
x_of(const LanesDrawing *d, double time)
{
	return d->left + d->width * fg_axis_share(&d->x, time);
}

static double
height_of(const LanesDrawing *d, uint32_t lane)
{
	uint32_t	height = d->lanes->lanes[lane].height;

	return height > 0 ? height : BAND;
}

static double
y_of(const LanesDrawing *d, uint32_t lane, double value)
{
	double		share = d->lanes->lanes[lane].height > 0 ? fg_axis_share(&d->y[lane], value)
		: fmin(value, 1);

	return d->top[lane] + height_of(d, lane) * (1 - share);
}

/* --- identity --------------------------------------------------------------------------- */

static uint64_t
mix_text(uint64_t hash, FgText text)
{
	return fg_mix(fg_mix(hash, text.length), fg_fnv1a(text.bytes, text.length));
}

static bool
make_id(LanesDrawing *d)
{
	const FgLanes *lanes = d->lanes;
	const FgPlotOptions *o = d->options;
	uint64_t	hash = mix_text(UINT64_C(0xCBF29CE484222325), lanes->name);

	hash = mix_text(mix_text(mix_text(hash, o->title), o->subtitle), o->notes);
	hash = mix_text(mix_text(mix_text(hash, o->unit), o->x_label), lanes->subtitle);
	hash = fg_mix(fg_mix(hash, o->width), (uint64_t) o->theme << 2 |
				  (uint64_t) o->grid << 1 | (uint64_t) o->legend);
	for (uint32_t s = 0; s < lanes->nseries; s++)
		hash = fg_mix(mix_text(hash, lanes->series[s].name), lanes->series[s].kind);
	for (uint32_t l = 0; l < lanes->nlanes; l++)
	{
		const FgLane *lane = &lanes->lanes[l];

		hash = fg_mix(mix_text(mix_text(hash, lane->label), lane->group), lane->height);
		hash = fg_mix(fg_mix(hash, fg_double_bits(lane->from)), fg_double_bits(lane->to));
	}
	for (size_t i = 0; i < lanes->nrows; i++)
	{
		const FgLaneRow *row = &lanes->rows[i];

		hash = fg_mix(fg_mix(hash, (uint64_t) row->lane << 32 | row->series),
					  fg_double_bits(row->value));
		hash = fg_mix(fg_mix(hash, fg_double_bits(row->start)), fg_double_bits(row->stop));
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	d->document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

/* --- writing ------------------------------------------------------------------------------ */

static void
put_attribute(FgXml *xml, const char *name, double pixels)
{
	fg_xml_put(xml, " ");
	fg_xml_put(xml, name);
	fg_xml_put(xml, "=\"");
	fg_xml_hundredths(xml, fg_hundredths(pixels));
	fg_xml_put(xml, "\"");
}

static void
put_line(LanesDrawing *d, double x1, double y1, double x2, double y2)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<line");
	put_attribute(xml, "x1", x1);
	put_attribute(xml, "y1", y1);
	put_attribute(xml, "x2", x2);
	put_attribute(xml, "y2", y2);
	fg_xml_put(xml, "/>\n");
}

/* As much of a text as has room; y is its base line. */
static void
put_text(LanesDrawing *d, FgText text, double x, double y, const char *anchor, double room)
{
	FgXml	   *xml = &d->document.xml;
	double		columns = fmax(floor(room / (FG_COLUMN_WIDTH * FONT_SIZE)), 1);
	FgLabel		label = fg_label_fit(text.bytes, fg_text_shown(text), (size_t) columns,
									 FG_TRUNCATE_END);

	fg_xml_put(xml, "<text unicode-bidi=\"isolate\"");
	put_attribute(xml, "x", x);
	put_attribute(xml, "y", y);
	fg_xml_format(xml, " text-anchor=\"%s\">", anchor);
	fg_xml_text(xml, text.bytes, label.end, FG_MOST_SHOWN);
	if (label.end < text.length)
		fg_xml_put(xml, "\xE2\x80\xA6");
	fg_xml_put(xml, "</text>\n");
}

static void
begin_words(LanesDrawing *d, const char *more)
{
	fg_xml_put(&d->document.xml, "<g class=\"p\"");
	fg_put_fill(&d->document.xml, fg_foreground(d->options->theme));
	fg_xml_format(&d->document.xml, "%s>\n", more);
}

static void
begin_lines(LanesDrawing *d, const char *more)
{
	fg_xml_format(&d->document.xml, "<g stroke=\"#%06x\"%s>\n", fg_series_color(FG_PLAIN_STYLE),
				  more);
}

static void
end_group(LanesDrawing *d)
{
	fg_xml_put(&d->document.xml, "</g>\n");
}

/* --- axes --------------------------------------------------------------------------------- */

static FgText
tick_text(const FgTick *tick)
{
	return (FgText) {tick->label, tick->length};
}

/* Every so many-th label of time has room. */
static uint32_t
label_step(const LanesDrawing *d)
{
	double		widest = 0;
	double		apart = d->x.count < 2 ? d->width
		: x_of(d, d->x.ticks[1].at) - x_of(d, d->x.ticks[0].at);
	uint32_t	step = 1;

	for (uint32_t i = 0; i < d->x.count; i++)
		widest = fmax(widest, text_width(tick_text(&d->x.ticks[i])) + 8);
	while (step < d->x.count && apart * step < widest)
		step++;
	return step;
}

static void
put_time(LanesDrawing *d)
{
	uint32_t	step = label_step(d);
	double		y = d->bottom;

	begin_lines(d, " stroke-opacity=\".25\"");
	for (uint32_t i = 0; d->options->grid && i < d->x.count; i += step)
		put_line(d, x_of(d, d->x.ticks[i].at), d->start, x_of(d, d->x.ticks[i].at), y);
	end_group(d);
	begin_lines(d, "");
	put_line(d, d->left, y, d->left + d->width, y);
	for (uint32_t i = 0; i < d->x.count; i++)
		put_line(d, x_of(d, d->x.ticks[i].at), y, x_of(d, d->x.ticks[i].at), y + TICK);
	end_group(d);
	begin_words(d, "");
	for (uint32_t i = 0; i < d->x.count; i += step)
		put_text(d, tick_text(&d->x.ticks[i]), x_of(d, d->x.ticks[i].at), y + TICK + FONT_SIZE,
				 "middle", d->width);
	put_text(d, fg_text_of(&d->x_words), d->left + d->width / 2, y + TICK + 2.2 * FONT_SIZE + 4,
			 "middle", d->width);
	end_group(d);
}

static void
put_values(LanesDrawing *d, uint32_t lane)
{
	const FgAxis *axis = &d->y[lane];
	double		apart = height_of(d, lane) / (axis->count < 2 ? 1 : axis->count - 1);
	uint32_t	step = apart < FONT_SIZE + 2 ? 2 : 1;

	begin_lines(d, " stroke-opacity=\".25\"");
	for (uint32_t i = 0; d->options->grid && i < axis->count; i++)
		put_line(d, d->left, y_of(d, lane, axis->ticks[i].at), d->left + d->width,
				 y_of(d, lane, axis->ticks[i].at));
	end_group(d);
	begin_lines(d, "");
	put_line(d, d->left, d->top[lane], d->left, d->top[lane] + height_of(d, lane));
	end_group(d);
	begin_words(d, "");
	for (uint32_t i = 0; i < axis->count; i += step)
		put_text(d, tick_text(&axis->ticks[i]), d->left - 4,
				 y_of(d, lane, axis->ticks[i].at) + 4, "end", d->left - FG_MARGIN - 4);
	end_group(d);
}

/* --- lanes -------------------------------------------------------------------------------- */

/* A series of a lane, and what it lies on in each cell. */
typedef struct Strip
{
	uint32_t	lane;
	uint32_t	series;
	const FgLaneCells *cells;
} Strip;

static double
height_at(const Strip *strip, uint32_t cell)
{
	return strip->cells->height[(size_t) cell * strip->cells->nseries + strip->series];
}

/* The sum of the filled series before this one. */
static double
ground_at(const LanesDrawing *d, const Strip *strip, uint32_t cell)
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
put_title(LanesDrawing *d, const Strip *strip, uint32_t from, uint32_t to)
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
same_until(const LanesDrawing *d, const Strip *strip, uint32_t from)
{
	uint32_t	to = from + 1;

	while (to < strip->cells->count && height_at(strip, to) == height_at(strip, from) &&
		   ground_at(d, strip, to) == ground_at(d, strip, from))
		to++;
	return to;
}

/* A rectangle for each stretch. */
static bool
put_rects(LanesDrawing *d, const Strip *strip)
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
		upper = y_of(d, strip->lane, ground + height_at(strip, c));
		lower = y_of(d, strip->lane, ground);
		fg_xml_put(xml, "<rect");
		put_attribute(xml, "x", x_of(d, strip->cells->edges[c]));
		put_attribute(xml, "y", upper);
		put_attribute(xml, "width", x_of(d, strip->cells->edges[to]) -
					  x_of(d, strip->cells->edges[c]));
		put_attribute(xml, "height", lower - upper);
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
put_stretch(LanesDrawing *d, const Strip *strip, uint32_t from, uint32_t to)
{
	FgXml	   *xml = &d->document.xml;

	put_place(xml, 'M', x_of(d, strip->cells->edges[from]));
	for (uint32_t c = from; c < to; c++)
	{
		put_place(xml, c == from ? ' ' : 'V', y_of(d, strip->lane, ground_at(d, strip, c) +
												   height_at(strip, c)));
		put_place(xml, 'H', x_of(d, strip->cells->edges[c + 1]));
	}
	for (uint32_t c = to; c-- > from;)
	{
		put_place(xml, 'V', y_of(d, strip->lane, ground_at(d, strip, c)));
		put_place(xml, 'H', x_of(d, strip->cells->edges[c]));
	}
	fg_xml_put(xml, "z");
}

/* One shape of many small ones. */
static bool
put_area(LanesDrawing *d, const Strip *strip)
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
	fg_xml_put(xml, "\"><title>");
	fg_xml_text(xml, d->lanes->series[strip->series].name.bytes,
				d->lanes->series[strip->series].name.length, FG_MOST_SHOWN);
	fg_xml_put(xml, "</title></path>\n");
	return xml->ok;
}

static bool
put_line_of(LanesDrawing *d, const Strip *strip)
{
	FgXml	   *xml = &d->document.xml;
	bool		gap = true;

	fg_xml_format(xml, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"2\"%s d=\"M0 0",
				  fg_series_color(FG_PLAIN_STYLE), dashes_of(d->fill_of[strip->series]));
	for (uint32_t c = 0; c < strip->cells->count; c++)
	{
		double		value = height_at(strip, c);

		if (!isnan(value))
		{
			if (gap)
				put_place(xml, 'M', x_of(d, strip->cells->edges[c]));
			put_place(xml, gap ? ' ' : 'V', y_of(d, strip->lane, value));
			put_place(xml, 'H', x_of(d, strip->cells->edges[c + 1]));
		}
		gap = isnan(value);
		if (!fg_steps(d->ctx, 4) || !xml->ok)
			return false;
	}
	fg_xml_put(xml, "\"><title>");
	fg_xml_text(xml, d->lanes->series[strip->series].name.bytes,
				d->lanes->series[strip->series].name.length, FG_MOST_SHOWN);
	fg_xml_put(xml, "</title></path>\n");
	return xml->ok;
}

static bool
put_strip(LanesDrawing *d, const Strip *strip)
{
	bool		ok;

	if (d->lanes->series[strip->series].kind == FG_LANE_LINE)
		return d->lanes->lanes[strip->lane].height == 0 || put_line_of(d, strip);
	fg_xml_format(&d->document.xml, "<g class=\"s\" data-s=\"%u\"", strip->series);
	fg_document_put_fill(&d->document, fill_of(d, strip->series));
	fg_xml_put(&d->document.xml, ">\n");
	ok = strip->cells->exact ? put_rects(d, strip) : put_area(d, strip);
	end_group(d);
	return ok;
}

/* When what the lane is about begins and ends. */
static void
put_life(LanesDrawing *d, uint32_t l)
{
	const FgLane *lane = &d->lanes->lanes[l];
	FgXml	   *xml = &d->document.xml;

	if (isnan(lane->from) || isnan(lane->to))
		return;
	fg_xml_format(xml, "<rect class=\"life\" fill=\"none\" stroke=\"#%06x\"",
				  fg_series_color(FG_PLAIN_STYLE));
	put_attribute(xml, "x", x_of(d, lane->from));
	put_attribute(xml, "y", d->top[l]);
	put_attribute(xml, "width", x_of(d, lane->to) - x_of(d, lane->from));
	put_attribute(xml, "height", height_of(d, l));
	fg_xml_put(xml, "/>\n");
}

static bool
put_lane(LanesDrawing *d, uint32_t l)
{
	const FgLane *lane = &d->lanes->lanes[l];
	FgXml	   *xml = &d->document.xml;

	if (begins_group(d->lanes, l))
	{
		begin_words(d, " font-weight=\"bold\"");
		put_text(d, lane->group, FG_MARGIN, d->top[l] - (lane->height > 0 ? 4 : 0) - 6, "start",
				 d->options->width - 2 * FG_MARGIN);
		end_group(d);
	}
	fg_xml_format(xml, "<g class=\"lane\" data-l=\"%u\">\n", l);
	if (lane->height > 0)
		put_values(d, l);
	else
	{
		begin_words(d, "");
		fg_xml_put(xml, "<g><title>");
		fg_xml_text(xml, lane->label.bytes, lane->label.length, FG_MOST_SHOWN);
		fg_xml_put(xml, "</title>");
		put_text(d, lane->label, FG_MARGIN, d->top[l] + 12, "start", d->left - FG_MARGIN - 6);
		fg_xml_put(xml, "</g>\n");
		end_group(d);
	}
	for (uint32_t s = 0; s < d->lanes->nseries; s++)
	{
		if (!put_strip(d, &(Strip) {l, s, &d->cells[l]}))
			return false;
	}
	put_life(d, l);
	end_group(d);
	return xml->ok;
}

/* --- document ------------------------------------------------------------------------------ */

static bool
write_notes(LanesDrawing *d)
{
	char		text[200];

	if (!d->means)
		return true;
	snprintf(text, sizeof(text), "more pieces of time than can be seen: what is drawn are means of "
			 "%d pixels each", FG_LANE_COLUMN);
	if (!fg_text_put(&d->footnote, text))
		return false;
	d->document.footnote = fg_text_of(&d->footnote);
	return true;
}

static bool
write_description(LanesDrawing *d)
{
	char		text[100];

	snprintf(text, sizeof(text), "%u lanes over time, with %u series: ", d->lanes->nlanes,
			 d->lanes->nseries);
	if (!fg_text_put(&d->description, text))
		return false;
	for (uint32_t s = 0; s < d->lanes->nseries; s++)
	{
		if ((s > 0 && !fg_text_put(&d->description, ", ")) ||
			!fg_text_cut(&d->description, d->lanes->series[s].name))
			return false;
	}
	return true;
}

static bool
prepare(LanesDrawing *d)
{
	const FgPlotOptions *o = d->options;
	FgDocument *document = &d->document;

	document->width = o->width;
	document->font_size = FONT_SIZE;
	document->theme = o->theme;
	document->name = o->title.length > 0 ? o->title : d->lanes->name;
	document->heading = o->title.bytes != NULL ? o->title : d->lanes->name;
	document->subtitle = o->subtitle.bytes != NULL ? o->subtitle : d->lanes->subtitle;
	document->notes = o->notes;
	place_columns(d);
	if (!choose_fills(d) || (o->legend && !make_legend(d)) || !time_axis(d) || !make_cells(d) ||
		!value_axes(d) || !write_notes(d) || !write_description(d) || !make_id(d))
		return false;
	place_lanes(d);
	return true;
}

static bool
draw(LanesDrawing *d)
{
	FgDocument *document = &d->document;
	uint32_t	bottom = (uint32_t) d->bottom + TICK + 3 * FONT_SIZE + 4;

	fg_document_begin(document, bottom + fg_document_below(document),
					  fg_text_of(&d->description));
	fg_document_top(document);
	put_time(d);
	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
	{
		if (!put_lane(d, l))
			return false;
	}
	fg_document_bottom(document, bottom);
	fg_document_end(document);
	return document->xml.ok;
}

static void
release(LanesDrawing *d)
{
	for (uint32_t l = 0; d->cells != NULL && l < d->lanes->nlanes; l++)
		fg_lane_cells_free(d->ctx, &d->cells[l]);
	fg_release(d->ctx, d->cells);
	fg_release(d->ctx, d->rows);
	fg_release(d->ctx, d->top);
	fg_release(d->ctx, d->y);
	fg_release(d->ctx, d->x_words.data);
	fg_release(d->ctx, d->y_words.data);
	fg_release(d->ctx, d->footnote.data);
	fg_release(d->ctx, d->description.data);
	for (int i = 0; i < FG_MOST_ENTRIES; i++)
		fg_release(d->ctx, d->entries[i].data);
}

bool
fg_lanes_svg(const FgLanes *lanes, const FgPlotOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	LanesDrawing d = {
		.ctx = ctx, .lanes = lanes, .options = options, .x_words.ctx = ctx, .y_words.ctx = ctx,
		.footnote.ctx = ctx, .description.ctx = ctx
	};
	bool		ok;

	if (lanes->nlanes > FG_MOST_LANES)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Choose those that matter most.",
						  "%u lanes are more than the %d that can be drawn", lanes->nlanes,
						  FG_MOST_LANES);
	for (int i = 0; i < FG_MOST_ENTRIES; i++)
		d.entries[i].ctx = ctx;
	d.cells = fg_alloc_zero(ctx, (size_t) lanes->nlanes + 1, sizeof(FgLaneCells));
	d.top = fg_alloc(ctx, (size_t) lanes->nlanes + 1, sizeof(double));
	d.y = fg_alloc(ctx, (size_t) lanes->nlanes + 1, sizeof(FgAxis));
	ok = d.cells != NULL && d.top != NULL && d.y != NULL && prepare(&d);
	if (ok)
	{
		d.document.xml = fg_xml_begin(*svg);
		ok = draw(&d);
		*svg = d.document.xml.buffer;
	}
	release(&d);
	return ok;
}
