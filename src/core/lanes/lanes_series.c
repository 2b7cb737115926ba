/*
 * lanes_series.c
 *	  The series of lanes: which colour each has, and the legend that says so.
 */
#include "core/lanes/lanes_internal.h"

#include <stdio.h>

/* Colours in the order of series; behind the last one they come again, with stripes. */
bool
fg_lanes_choose_fills(FgLanesDrawing *d)
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
		snprintf(d->texture_names[t], FG_STRIPE_NAME, "s%u", t);
		d->textures[t] = (FgTexture) {
			.name = d->texture_names[t], .ground = fg_series_color(t), .mark = 0xFFFFFF,
			.size = 6, .angle = 45, .width = 2, .height = 6
		};
	}
	d->document.textures = d->textures;
	d->document.ntextures = filled > FG_SERIES ? filled - FG_SERIES : 0;
	return true;
}

FgFill
fg_lanes_fill(const FgLanesDrawing *d, uint32_t series)
{
	uint32_t	fill = d->fill_of[series];

	if (d->lanes->series[series].kind == FG_LANE_REST)
		return (FgFill) {.texture = "m"};
	if (fill >= FG_SERIES)
		return (FgFill) {.texture = d->textures[fill - FG_SERIES].name};
	return (FgFill) {.color = fg_series_color(fill)};
}

const char *
fg_lanes_dashes(uint32_t line)
{
	return line == 0 ? "" : " stroke-dasharray=\"8 4\"";
}

static void
put_line_sample(FgDocument *document, uint32_t what, uint32_t x, uint32_t y)
{
	fg_xml_format(&document->xml, "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" "
				  "stroke=\"#%06x\" stroke-width=\"2\"%s/>", x, y, x + FG_SAMPLE_WIDTH, y,
				  fg_series_color(FG_PLAIN_STYLE), fg_lanes_dashes(what));
}

bool
fg_lanes_legend(FgLanesDrawing *d)
{
	for (uint32_t s = 0; s < d->lanes->nseries; s++)
	{
		const FgLaneSeries *series = &d->lanes->series[s];
		FgLegendEntry entry = {.swatch = series->kind != FG_LANE_LINE, .fill = fg_lanes_fill(d, s)};

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
