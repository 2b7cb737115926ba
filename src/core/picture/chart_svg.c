/*
 * chart_svg.c
 *	  Flame charts as documents (see chart.h).
 */
#include "core/picture/chart_internal.h"

#include "core/picture/chart_data.h"
#include "core/svg/embedded.h"
#include "core/svg/label.h"
#include "core/svg/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pixels below a thread. */
#define THREAD_GAP 6

/* Units with more columns than this stand once, in the subtitle, and not at each tick. */
#define MOST_UNIT_COLUMNS 12

typedef struct Picture
{
	FgContext  *ctx;
	const FgChart *chart;
	const FgChartOptions *options;
	FgChartTime time;
	FgChartBoxes boxes;
	FgDrawing	drawing;
	FgAxis		axis;
	FgBuffer	tick_unit;
	uint32_t	lanes;			/* that are drawn */
	uint32_t   *lane_top;		/* by lane */
	uint32_t	top;			/* of the ruler */
	uint32_t	bottom;
	FgBuffer	subtitle;
	FgBuffer	description;
	FgBuffer	footnote;
} Picture;

static double
width_of(const Picture *p)
{
	return p->options->look.width - 2.0 * FG_MARGIN;
}

/* Hundredths of pixels of a time, at the edges of the window where it is beyond. */
static int64_t
place_of(const Picture *p, double time)
{
	const FgChartTime *t = &p->time;

	time = fmin(fmax(time, t->from), t->to);
	return fg_hundredths((time - t->from) / (t->to - t->from) * width_of(p)) + 100 * FG_MARGIN;
}

/* --- texts ------------------------------------------------------------------------ */

static bool
put_window(Picture *p, FgBuffer *text)
{
	const FgChartTime *t = &p->time;

	return fg_drawing_value(&p->drawing, text, t->to - t->from) && fg_text_put(text, " from ") &&
		fg_drawing_value(&p->drawing, text, t->from) && fg_text_put(text, " to ") &&
		fg_drawing_value(&p->drawing, text, t->to);
}

static bool
put_counts(Picture *p, FgBuffer *text)
{
	const FgChartTime *t = &p->time;

	return fg_drawing_count(text, t->count - t->outside, " sample of ", " samples of ") &&
		fg_drawing_count(text, t->nthreads, " thread", " threads");
}

static bool
write_subtitle(Picture *p)
{
	FgBuffer   *text = &p->subtitle;

	return put_window(p, text) && fg_text_put(text, "; ") && put_counts(p, text) &&
		fg_text_put(text, ", ") &&
		fg_drawing_count(text, p->time.tree.frames.count, " frame", " frames");
}

/* The frames that most of all samples end in. */
static bool
largest_frames(Picture *p, FgLargest *largest, double *total)
{
	const FgTree *tree = &p->time.tree;
	double	   *sums = fg_alloc_zero(p->ctx, tree->frames.count, sizeof(double));
	bool		ok = sums != NULL;

	*total = 0;
	for (uint32_t i = 1; ok && i <= tree->nnodes; i++)
	{
		sums[fg_key_frame(tree->key[i])] += tree->self[i];
		*total += tree->self[i];
		ok = fg_check_every(p->ctx, i);
	}
	for (uint32_t i = 0; ok && i < tree->frames.count; i++)
	{
		fg_largest_offer(largest, i, sums[i]);
		ok = fg_check_every(p->ctx, i);
	}
	fg_release(p->ctx, sums);
	*total += tree->self[0];
	return ok;
}

static bool
write_description(Picture *p)
{
	FgBuffer   *text = &p->description;
	FgLargest	largest = {.count = 0};
	double		total = 0;
	bool		ok = fg_text_put(text, "Flame chart of ") && put_window(p, text) &&
		fg_text_put(text, ", ") && put_counts(p, text) && largest_frames(p, &largest, &total);

	for (uint32_t i = 0; ok && i < largest.count; i++)
		ok = fg_text_put(text, i == 0 ? "; most of all samples in " : ", ") &&
			fg_drawing_short_name(&p->drawing, text, largest.frame[i]) &&
			fg_text_put(text, " (") && fg_drawing_share(text, largest.value[i], total) &&
			fg_text_put(text, ")");
	return ok && fg_text_put(text, ".");
}

/* Lanes beyond the limit, and how much is in them. */
static bool
put_lanes_left_out(Picture *p)
{
	const FgChartTime *t = &p->time;
	FgBuffer   *text = &p->footnote;
	double		total = 0;

	if (p->lanes == t->nlanes)
		return true;
	for (uint32_t i = t->lane_start[p->lanes]; i < t->count; i++)
	{
		const FgChartSample *sample = &t->samples[t->by_lane[i]];

		total += fmax(fg_chart_within(t, sample->start, sample->stop), 0);
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	return fg_text_put(text, "; ") && fg_text_count(text, t->nlanes - p->lanes) &&
		fg_text_put(text, " lanes beyond the first ") && fg_text_count(text, p->lanes) &&
		fg_text_put(text, " are not drawn, together ") && fg_drawing_value(&p->drawing, text, total);
}

static bool
write_footnote(Picture *p)
{
	const FgChartTime *t = &p->time;
	FgBuffer   *text = &p->footnote;
	FgBoxes		boxes = {.drawn = p->boxes.drawn, .min_width = p->boxes.min_width,
		.max_rows = p->boxes.max_rows, .thin = p->boxes.thin, .deeper = p->boxes.deeper};

	if (t->count == 0 ? !fg_text_put(text, "no sample has a duration")
		: t->count == t->outside ? !fg_text_put(text, "no sample is in this time")
		: !fg_drawing_footnote(&p->drawing, &boxes, p->boxes.all, text))
		return false;
	if (t->outside > 0 &&
		(!fg_text_put(text, "; ") ||
		 !fg_drawing_count(text, t->outside, " sample is", " samples are") ||
		 !fg_text_put(text, " outside of this time")))
		return false;
	if (t->instants > 0 &&
		(!fg_text_put(text, "; ") ||
		 !fg_drawing_count(text, t->instants, " sample has", " samples have") ||
		 !fg_text_put(text, " no duration")))
		return false;
	return put_lanes_left_out(p);
}

/* "main, busy 87 %" */
static bool
write_heading(Picture *p, const FgChartThread *thread, FgBuffer *text)
{
	const FgChartTime *t = &p->time;
	FgText		name = {fg_frame_bytes(&t->threads, thread->name),
		fg_frame_length(&t->threads, thread->name)};

	if (name.length == 0 && t->nthreads > 1)
		name = (FgText) {"no thread", 9};
	return fg_text_cut(text, name) && fg_text_put(text, name.length > 0 ? ", busy " : "busy ") &&
		fg_drawing_share(text, thread->busy, t->to - t->from);
}

/* --- ruler ------------------------------------------------------------------------- */

/*
 * What the ruler's unit is chosen for: that of the time from one end to the other, but minutes
 * and hours have no tenths that people know.
 */
static double
size_for_unit(const Picture *p)
{
	static const struct
	{
		const char *unit;
		double		most;
	}			limits[] = {{"seconds", 59}, {"milliseconds", 59e3}, {"microseconds", 59e6},
							{"nanoseconds", 59e9}};
	double		size = p->time.to - p->time.from;
	FgText		unit = fg_text_of(&p->drawing.unit);

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (unit.length == strlen(limits[i].unit) &&
			memcmp(unit.bytes, limits[i].unit, unit.length) == 0)
			return fmin(size, limits[i].most);
	return size;
}

static bool
make_axis(Picture *p)
{
	const FgChartTime *t = &p->time;
	FgText		unit = fg_text_of(&p->drawing.unit);
	double		factor;

	if (!(t->to > t->from))
		return true;
	if (!fg_units_scale(&p->tick_unit, size_for_unit(p), unit.bytes, unit.length, &factor))
		return false;
	if (fg_columns((const char *) p->tick_unit.data, p->tick_unit.size) > MOST_UNIT_COLUMNS)
		p->tick_unit.size = 0;
	return fg_axis_make(p->ctx, FG_SCALE_LINEAR, t->from, t->to, factor, &p->axis);
}

static bool
is_within(const Picture *p, const FgTick *tick)
{
	return tick->at >= p->time.from && tick->at <= p->time.to;
}

/* Pixels that the longest label takes, with a blank behind it. */
static double
label_width(const Picture *p)
{
	size_t		columns = 0;

	for (uint32_t i = 0; i < p->axis.count; i++)
		if (p->axis.ticks[i].length > columns)
			columns = p->axis.ticks[i].length;
	columns += 2 + fg_columns((const char *) p->tick_unit.data, p->tick_unit.size);
	return (double) columns * FG_COLUMN_WIDTH * p->options->look.font_size;
}

static void
put_tick(Picture *p, const FgTick *tick, bool labelled)
{
	FgXml	   *xml = &p->drawing.document.xml;
	int64_t		x = place_of(p, tick->at);

	fg_xml_put(xml, "<path d=\"M");
	fg_xml_hundredths(xml, x);
	fg_xml_format(xml, " %uv%u\" stroke=\"#888\"/>", p->top, p->bottom - p->top);
	if (!labelled)
		return;
	fg_xml_put(xml, "<text x=\"");
	fg_xml_hundredths(xml, x + 300);
	fg_xml_format(xml, "\" y=\"%u\">", p->top + p->options->look.font_size);
	fg_xml_bytes(xml, tick->label, tick->length);
	fg_xml_put(xml, p->tick_unit.size > 0 ? " " : "");
	fg_xml_text(xml, (const char *) p->tick_unit.data, p->tick_unit.size, FG_MOST_SHOWN);
	fg_xml_put(xml, "</text>\n");
}

/* Labels stand beside their lines; those without room are left out. */
static void
put_ruler(Picture *p)
{
	FgXml	   *xml = &p->drawing.document.xml;
	double		width = label_width(p);
	double		right = FG_MARGIN + width_of(p);
	double		end = 0;		/* of the label before */

	fg_xml_put(xml, "<g class=\"p\"");
	fg_put_fill(xml, fg_foreground(p->options->look.theme));
	fg_xml_put(xml, ">\n");
	for (uint32_t i = 0; i < p->axis.count; i++)
	{
		const FgTick *tick = &p->axis.ticks[i];
		double		x = (double) place_of(p, tick->at) / 100;
		bool		labelled = x >= end && x + width <= right + 10;

		if (!is_within(p, tick))
			continue;
		put_tick(p, tick, labelled);
		if (labelled)
			end = x + width;
	}
	fg_xml_put(xml, "</g>\n");
}

/* --- boxes ------------------------------------------------------------------------- */

static FgColor
fill_of(const Picture *p, const FgChartBox *box)
{
	const FgFlameOptions *o = &p->options->look;
	uint64_t	key = p->time.tree.key[box->node];

	if (o->color == FG_COLOR_SELF)
		return fg_color_shade(o->palette, fg_shade_of_share(box->self, box->total));
	if (o->color == FG_COLOR_DEPTH)
		return fg_color_shade(o->palette, fg_shade_of_depth(fg_key_depth(key)));
	return p->drawing.fill[fg_key_frame(key)];
}

/* A duration, which is a difference or a sum: without the digits that computing made. */
static void
put_duration(Picture *p, double value)
{
	FgXml	   *xml = &p->drawing.document.xml;
	char		number[FG_UNITS_SIZE];

	fg_xml_bytes(xml, number, fg_units_rounded(value, 12, number));
	if (p->drawing.unit.size > 0)
		fg_xml_put(xml, " ");
	fg_xml_text(xml, (const char *) p->drawing.unit.data, p->drawing.unit.size, FG_MOST_SHOWN);
}

static void
put_time(Picture *p, double value)
{
	char		rounded[128];

	/* one that large has no decimals, and all of its digits have no room */
	if (fabs(value) < 0x1p53)
	{
		snprintf(rounded, sizeof(rounded), "%.*f", fg_chart_decimals(&p->time), value);
		value = strtod(rounded, NULL);
	}
	fg_xml_number(&p->drawing.document.xml, value);
}

static void
put_tooltip(Picture *p, const FgChartBox *box)
{
	FgXml	   *xml = &p->drawing.document.xml;

	fg_xml_put(xml, "<title>");
	if (box->hidden > 0)
		fg_xml_format(xml, box->deeper ? "(%u deeper)" : "(%u more)", box->hidden);
	else
		fg_drawing_put_name(&p->drawing, p->time.tree.key[box->node]);
	fg_xml_put(xml, "\n");
	put_duration(p, box->total);
	fg_xml_put(xml, ", from ");
	put_time(p, box->start);
	fg_xml_put(xml, " to ");
	put_time(p, box->stop);
	if (box->hidden == 0)
	{
		fg_xml_format(xml, "; %u sample%s, self ", box->samples, box->samples == 1 ? "" : "s");
		put_duration(p, box->self);
	}
	fg_xml_put(xml, "</title>");
}

static void
put_box(Picture *p, const FgChartBox *box)
{
	FgDrawing  *d = &p->drawing;
	FgXml	   *xml = &d->document.xml;
	uint32_t	height = p->options->look.frame_height;
	FgFill		fill = {box->hidden > 0 ? 0 : fill_of(p, box), NULL};
	FgBox		label = {.node = box->node, .hidden = box->hidden, .deeper = box->deeper};
	FgPlace		place = {.x = place_of(p, box->start), .height = 100 * (int64_t) height};

	place.y = 100 * ((int64_t) p->lane_top[box->lane] + box->row * (int64_t) (height + 1));
	place.width = place_of(p, box->stop) - place.x;
	fg_xml_put(xml, box->hidden > 0 ? "<g class=\"f m\" data-n=\"" : "<g class=\"f\" data-n=\"");
	fg_xml_count(xml, box->node);
	fg_xml_put(xml, "\">");
	put_tooltip(p, box);
	fg_put_rect(xml, place);
	if (box->hidden > 0)
		fg_xml_format(xml, " fill=\"url(#fg%08x-m)\"", d->document.id);
	else
		fg_put_fill(xml, fill.color);
	fg_drawing_put_parting(d, &place);
	fg_xml_put(xml, "/>");
	fg_drawing_put_label(d, p->time.tree.key[box->node], &label, place, fill, "");
	fg_xml_put(xml, "</g>\n");
}

/* --- lanes -------------------------------------------------------------------------- */

/* Rows of each lane, then where the first of them is; also writes the headings, if asked. */
static bool
walk_threads(Picture *p, const uint32_t *rows, bool write)
{
	FgDocument *d = &p->drawing.document;
	uint32_t	row = p->options->look.frame_height + 1;
	uint32_t	y = p->top + fg_document_line_height(d);
	FgBuffer	text = {.ctx = p->ctx};
	bool		ok = true;

	for (uint32_t k = 0; ok && k < p->time.nthreads; k++)
	{
		const FgChartThread *thread = &p->time.thread[k];
		uint32_t	end = thread->first_lane + thread->lanes;

		if (thread->first_lane >= p->lanes)
			break;
		text.size = 0;
		ok = write_heading(p, thread, &text);
		if (ok && write)
			fg_document_heading(d, fg_text_of(&text), FG_MARGIN, y, (uint32_t) width_of(p));
		y += fg_document_line_height(d) *
			fg_document_heading_lines(d, fg_text_of(&text), (uint32_t) width_of(p));
		for (uint32_t lane = thread->first_lane; lane < end && lane < p->lanes; lane++)
		{
			p->lane_top[lane] = y;
			y += rows[lane] * row;
		}
		y += THREAD_GAP;
	}
	p->bottom = y;
	fg_release(p->ctx, text.data);
	return ok;
}

static uint32_t *
count_rows(Picture *p)
{
	uint32_t   *rows = fg_alloc_zero(p->ctx, (size_t) p->lanes + 1, sizeof(uint32_t));

	for (uint32_t i = 0; rows != NULL && i < p->boxes.count; i++)
	{
		const FgChartBox *box = &p->boxes.boxes[i];

		if (box->row >= rows[box->lane])
			rows[box->lane] = box->row + 1;
	}
	return rows;
}

/* --- document ----------------------------------------------------------------------- */

static bool
make_id(Picture *p)
{
	const FgChartTime *t = &p->time;
	const FgChartOptions *o = p->options;
	uint64_t	hash = fg_fnv1a("chart", 5);

	if (!fg_drawing_mix_nodes(&p->drawing, t->tree.self, &hash))
		return false;
	for (uint32_t i = 0; i < t->count; i++)
	{
		const FgChartSample *sample = &t->samples[i];

		hash = fg_mix(fg_mix(hash, fg_double_bits(sample->start)), fg_double_bits(sample->stop));
		hash = fg_mix(hash, (uint64_t) sample->node << 32 | sample->thread);
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	for (uint32_t k = 0; k < t->nthreads; k++)
		hash = fg_mix(hash, fg_fnv1a(fg_frame_bytes(&t->threads, t->thread[k].name),
									 fg_frame_length(&t->threads, t->thread[k].name)));
	hash = fg_drawing_mix_options(&p->drawing, fg_mix(hash, p->chart->instants));
	hash = fg_mix(fg_mix(hash, fg_double_bits(t->from)), fg_double_bits(t->to));
	hash = fg_mix(fg_mix(hash, fg_double_bits(o->max_gap)), o->merge);
	hash = fg_mix(hash, o->max_samples);
	p->drawing.document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

static void
prepare_document(Picture *p)
{
	static const FgText name = {"Flame chart", 11};
	const FgFlameOptions *o = &p->options->look;
	FgDocument *d = &p->drawing.document;

	d->name = o->title.length > 0 ? o->title : name;
	d->heading = o->title.bytes != NULL ? o->title : name;
	d->subtitle = fg_text_of(&p->subtitle);
	d->footnote = fg_text_of(&p->footnote);
	fg_drawing_legend(&p->drawing);
	if (p->boxes.count > p->boxes.drawn)
		fg_document_legend(d, (FgLegendEntry) {.label = "several together", .hatched = true});
}

static bool
draw(Picture *p)
{
	FgDocument *d = &p->drawing.document;
	uint32_t   *rows = count_rows(p);

	p->lane_top = fg_alloc(p->ctx, (size_t) p->lanes + 1, sizeof(uint32_t));
	p->top = fg_document_above(d);
	if (rows == NULL || p->lane_top == NULL || !walk_threads(p, rows, false))
	{
		fg_release(p->ctx, rows);
		return false;
	}
	fg_document_begin(d, p->bottom + fg_document_below(d), fg_text_of(&p->description));
	fg_document_top(d);
	fg_xml_put(&d->xml, "<g class=\"v\" stroke-width=\".5\">\n");
	put_ruler(p);
	d->xml.ok &= walk_threads(p, rows, true);
	fg_release(p->ctx, rows);
	for (uint32_t i = 0; i < p->boxes.count && d->xml.ok; i++)
		put_box(p, &p->boxes.boxes[i]);
	fg_xml_put(&d->xml, "</g>\n");
	fg_document_bottom(d, p->bottom);
	if (p->options->look.interactive)
	{
		fg_chart_data(&d->xml, &p->time, p->options, p->drawing.fill, p->top);
		fg_document_script(d, fg_chart_script);
	}
	fg_document_end(d);
	return d->xml.ok;
}

static bool
prepare(Picture *p)
{
	const FgChartTime *t = &p->time;

	p->lanes = t->nlanes < FG_CHART_LANES ? t->nlanes : FG_CHART_LANES;
	p->drawing.whole = t->total;
	return fg_chart_boxes(t, p->options, p->lanes, width_of(p), &p->boxes) && make_axis(p) &&
		make_id(p) && write_subtitle(p) && write_description(p) && write_footnote(p);
}

bool
fg_chart_svg(FgChart *chart, const FgChartOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = chart->ctx;
	Picture		p = {.ctx = ctx, .chart = chart, .options = options, .tick_unit.ctx = ctx,
		.subtitle.ctx = ctx, .description.ctx = ctx, .footnote.ctx = ctx};
	bool		ok;

	p.drawing.ctx = ctx;
	ok = fg_chart_time(chart, options, &p.time) &&
		fg_drawing_begin(ctx, &p.time.tree, &options->look, &p.drawing) && prepare(&p);
	if (ok)
	{
		p.drawing.document.xml = fg_xml_begin(*svg);
		prepare_document(&p);
		ok = draw(&p);
		*svg = p.drawing.document.xml.buffer;
	}
	if (!ok && ctx->error.code != FG_OK)
		svg->ctx->error = ctx->error;
	fg_release(ctx, p.lane_top);
	fg_chart_boxes_free(ctx, &p.boxes);
	fg_drawing_free(&p.drawing);
	fg_chart_time_free(&p.time);
	fg_release(ctx, p.tick_unit.data);
	fg_release(ctx, p.subtitle.data);
	fg_release(ctx, p.description.data);
	fg_release(ctx, p.footnote.data);
	return ok;
}
