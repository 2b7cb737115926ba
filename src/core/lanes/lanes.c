/*
 * lanes.c
 *	  Lanes over one axis of time (see lanes.h): the document around them.
 */
#include "core/lanes/lanes_internal.h"

#include <math.h>
#include <stdio.h>

static uint64_t
mix_text(uint64_t hash, FgText text)
{
	return fg_mix(fg_mix(hash, text.length), fg_fnv1a(text.bytes, text.length));
}

static bool
make_id(FgLanesDrawing *d)
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

/* When what the lane is about begins and ends. */
static void
put_life(FgLanesDrawing *d, uint32_t l)
{
	const FgLane *lane = &d->lanes->lanes[l];
	FgXml	   *xml = &d->document.xml;

	if (isnan(lane->from) || isnan(lane->to))
		return;
	fg_xml_format(xml, "<rect class=\"life\" fill=\"none\" stroke=\"#%06x\"",
				  fg_series_color(FG_PLAIN_STYLE));
	fg_xml_pixels(xml, "x", fg_lanes_x(d, lane->from));
	fg_xml_pixels(xml, "y", d->top[l]);
	fg_xml_pixels(xml, "width", fg_lanes_x(d, lane->to) - fg_lanes_x(d, lane->from));
	fg_xml_pixels(xml, "height", fg_lanes_height(d, l));
	fg_xml_put(xml, "/>\n");
}

static bool
put_lane(FgLanesDrawing *d, uint32_t l)
{
	const FgLane *lane = &d->lanes->lanes[l];
	FgXml	   *xml = &d->document.xml;
	double		above = d->top[l] - (lane->height > 0 ? 4 : 0) - 6;
	bool		unit = lane->height > 0 && d->y_words.size > 0;

	if (fg_lanes_begins_group(d->lanes, l))
	{
		fg_lanes_begin_words(d, " font-weight=\"bold\"");
		fg_lanes_put_text(d, lane->group, FG_MARGIN, above - (unit ? FG_LANES_UNIT : 0), "start",
						  d->options->width - 2 * FG_MARGIN);
		fg_lanes_end_group(d);
	}
	if (unit)
	{
		fg_lanes_begin_words(d, "");
		fg_lanes_put_text(d, fg_text_of(&d->y_words), FG_MARGIN, above, "start",
						  d->options->width - 2 * FG_MARGIN);
		fg_lanes_end_group(d);
	}
	fg_xml_format(xml, "<g class=\"lane\" data-l=\"%u\">\n", l);
	if (lane->height > 0)
		fg_lanes_put_values(d, l);
	else
	{
		fg_lanes_begin_words(d, "");
		fg_xml_put(xml, "<g><title>");
		fg_xml_text(xml, lane->label.bytes, lane->label.length, FG_MOST_SHOWN);
		fg_xml_put(xml, "</title>");
		fg_lanes_put_text(d, lane->label, FG_MARGIN, d->top[l] + 12, "start",
						  d->left - FG_MARGIN - 6);
		fg_xml_put(xml, "</g>\n");
		fg_lanes_end_group(d);
	}
	for (uint32_t s = 0; s < d->lanes->nseries; s++)
	{
		if (!fg_lanes_put_series(d, l, s))
			return false;
	}
	put_life(d, l);
	fg_lanes_end_group(d);
	return xml->ok;
}

static bool
write_notes(FgLanesDrawing *d)
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
write_description(FgLanesDrawing *d)
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
prepare(FgLanesDrawing *d)
{
	const FgPlotOptions *o = d->options;
	FgDocument *document = &d->document;

	document->width = o->width;
	document->font_size = FG_LANES_FONT;
	document->theme = o->theme;
	document->name = o->title.length > 0 ? o->title : d->lanes->name;
	document->heading = o->title.bytes != NULL ? o->title : d->lanes->name;
	document->subtitle = o->subtitle.bytes != NULL ? o->subtitle : d->lanes->subtitle;
	document->notes = o->notes;
	if (!fg_lanes_choose_fills(d) || (o->legend && !fg_lanes_legend(d)) || !fg_lanes_lay_out(d) ||
		!write_notes(d) || !write_description(d) || !make_id(d))
		return false;
	fg_lanes_place(d);
	return true;
}

static bool
draw(FgLanesDrawing *d)
{
	FgDocument *document = &d->document;
	uint32_t	bottom = (uint32_t) d->bottom + FG_LANES_TICK + 3 * FG_LANES_FONT + 4;

	fg_document_begin(document, bottom + fg_document_below(document),
					  fg_text_of(&d->description));
	fg_document_top(document);
	fg_lanes_put_time(d);
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
release(FgLanesDrawing *d)
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
	FgLanesDrawing d = {
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
