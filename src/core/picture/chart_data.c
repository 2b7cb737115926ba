/*
 * chart_data.c
 *	  The samples within the picture of a flame chart: writing (see chart_data.h).
 */
#include "core/picture/chart_data.h"

#include "core/picture/data.h"

#include <math.h>

/* Decimals that are tried, and whole numbers that a script has exactly. */
#define MOST_DECIMALS 9
#define LARGEST_EXACT 0x1p53

/* A time is zero + number / scale. */
typedef struct Clock
{
	double		zero;
	double		scale;
} Clock;

static double
number_of(const Clock *clock, double time)
{
	return rint((time - clock->zero) * clock->scale);
}

/* Are all times whole numbers of it, to the last bit? */
static bool
is_exact(const FgChartTime *t, const Clock *clock, uint32_t count, bool *exact)
{
	*exact = fmax(fabs(t->first), fabs(t->last)) * clock->scale < LARGEST_EXACT;
	for (uint32_t i = 0; *exact && i < count; i++)
	{
		double		start = t->samples[i].start;
		double		stop = t->samples[i].stop;

		*exact = number_of(clock, start) / clock->scale == start &&
			number_of(clock, stop) / clock->scale == stop;
		if (!fg_check_every(t->ctx, i))
			return false;
	}
	return true;
}

/* The fewest decimals that all times have; else parts of the whole time that nobody sees. */
static bool
find_clock(const FgChartTime *t, uint32_t count, Clock *clock)
{
	bool		exact = false;

	*clock = (Clock) {0, 1};
	for (int decimals = 0; decimals <= MOST_DECIMALS; decimals++, clock->scale *= 10)
	{
		if (!is_exact(t, clock, count, &exact))
			return false;
		if (exact)
			return true;
	}
	*clock = (Clock) {t->first, 0x1p40 / (t->last - t->first)};
	if (!isfinite(clock->scale) || clock->scale == 0)
		clock->scale = 1;
	return true;
}

static bool
write_samples(const FgChartTime *t, uint32_t count, const Clock *clock, FgBuffer *bytes)
{
	double		before = count == 0 ? 0 : number_of(clock, t->samples[0].start);

	for (uint32_t i = 0; i < count; i++)
	{
		const FgChartSample *sample = &t->samples[i];
		double		start = number_of(clock, sample->start);

		if (!fg_check_every(t->ctx, i) || !fg_buffer_room(bytes, 4 * FG_VARINT_MAX))
			return false;
		fg_put_varint(bytes, (uint64_t) (start - before));
		fg_put_varint(bytes, (uint64_t) (number_of(clock, sample->stop) - start));
		fg_put_varint(bytes, sample->node);
		fg_put_varint(bytes, sample->thread);
		before = start;
	}
	return true;
}

static bool
write_tree(const FgTree *tree, FgContext *ctx, FgBuffer *bytes)
{
	uint32_t	depth = 0;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	own = fg_key_depth(tree->key[i]);

		if (!fg_check_every(ctx, i) || !fg_buffer_room(bytes, 2 * FG_VARINT_MAX))
			return false;
		fg_put_varint(bytes, (uint64_t) depth + 1 - own);
		fg_put_varint(bytes, fg_key_frame(tree->key[i]));
		depth = own;
	}
	return true;
}

static void
put_names(FgXml *xml, FgContext *ctx, const FgFrames *names)
{
	for (uint32_t f = 0; f < names->count && xml->ok; f++)
	{
		fg_xml_put(xml, f == 0 ? "" : ",");
		fg_data_string(xml, fg_frame_bytes(names, f), fg_frame_length(names, f));
		xml->ok &= fg_work(ctx, fg_frame_length(names, f));
	}
}

static void
put_threads(FgXml *xml, const FgChartTime *t)
{
	for (uint32_t k = 0; k < t->nthreads && xml->ok; k++)
	{
		uint32_t	name = t->thread[k].name;

		fg_xml_put(xml, k == 0 ? "" : ",");
		fg_data_string(xml, fg_frame_bytes(&t->threads, name),
					   fg_frame_length(&t->threads, name));
		xml->ok &= fg_work(t->ctx, fg_frame_length(&t->threads, name));
	}
}

static void
put_colors(FgXml *xml, const FgChartTime *t, const FgFlameOptions *look, const FgColor *fills)
{
	bool		shaded = look->color == FG_COLOR_SELF || look->color == FG_COLOR_DEPTH;

	fg_xml_put(xml, ",\"fills\":\"");
	for (uint32_t f = 0; !shaded && f < t->tree.frames.count && xml->ok; f++)
		fg_xml_format(xml, "%06x", fills[f]);
	fg_xml_format(xml, "\",\"mode\":\"%s\",\"shades\":[", !shaded ? "" :
				  look->color == FG_COLOR_SELF ? "self" : "depth");
	for (int s = 0; shaded && s < FG_SHADES; s++)
		fg_xml_format(xml, "%s\"#%06x\"", s == 0 ? "" : ",", fg_color_shade(look->palette, s));
	fg_xml_put(xml, "]");
}

static void
put_member(FgXml *xml, const char *name, double value)
{
	fg_xml_format(xml, ",\"%s\":", name);
	fg_xml_number(xml, value);
}

static void
put_view(FgXml *xml, const FgChartTime *t, const FgChartOptions *o, uint32_t top)
{
	const FgFlameOptions *look = &o->look;

	fg_xml_format(xml, ",\"view\":{\"merge\":%d,\"dark\":%d,\"max_boxes\":%u,\"max_rows\":%u,"
				  "\"row\":%u,\"font\":%u,\"cut\":%d,\"top\":%u,\"lanes\":%d,\"point\":%d", o->merge,
				  look->theme == FG_THEME_DARK, look->max_boxes, look->max_rows,
				  look->frame_height, look->font_size, (int) look->truncate, top, FG_CHART_LANES,
				  fg_chart_decimals(t));
	put_member(xml, "from", t->from);
	put_member(xml, "to", t->to);
	put_member(xml, "gap", o->max_gap);
	put_member(xml, "min_width", look->min_width);
	fg_xml_put(xml, "}");
}

void
fg_chart_data(FgXml *xml, const FgChartTime *t, const FgChartOptions *o, const FgColor *fills,
			  uint32_t top)
{
	uint32_t	count = t->count < o->max_samples ? t->count : o->max_samples;
	FgBuffer	samples = {.ctx = t->ctx};
	FgBuffer	tree = {.ctx = t->ctx};
	Clock		clock;

	if (!xml->ok)
		return;
	xml->ok = find_clock(t, count, &clock) && write_samples(t, count, &clock, &samples) &&
		write_tree(&t->tree, t->ctx, &tree);
	fg_xml_format(xml, "<g class=\"c\"><metadata>{\"format\":%d,\"unit\":", FG_DATA_FORMAT);
	fg_data_string(xml, o->look.unit.bytes, o->look.unit.length);
	fg_xml_format(xml, ",\"complete\":%s,\"count\":%u", count == t->count ? "true" : "false",
				  t->count);
	fg_xml_put(xml, ",\"instants\":");
	fg_xml_count(xml, t->instants);
	put_view(xml, t, o, top);
	put_colors(xml, t, &o->look, fills);
	/* the first of the samples' numbers counts from there */
	put_member(xml, "zero", clock.zero);
	put_member(xml, "scale", clock.scale);
	put_member(xml, "start", count == 0 ? 0 : number_of(&clock, t->samples[0].start));
	fg_xml_put(xml, ",\"frames\":[");
	put_names(xml, t->ctx, &t->tree.frames);
	fg_xml_put(xml, "],\"threads\":[");
	put_threads(xml, t);
	fg_xml_put(xml, "],\"tree\":\"");
	fg_data_base64(xml, tree.data, tree.size);
	fg_xml_put(xml, "\",\"samples\":\"");
	fg_data_base64(xml, samples.data, samples.size);
	fg_xml_put(xml, "\"}</metadata></g>\n");
	fg_release(t->ctx, samples.data);
	fg_release(t->ctx, tree.data);
}
