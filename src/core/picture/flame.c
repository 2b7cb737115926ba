/*
 * flame.c
 *	  Flame graphs in SVG (see flame.h).
 */
#include "core/picture/flame.h"

#include "core/base/number.h"
#include "core/picture/boxes.h"
#include "core/picture/data.h"
#include "core/picture/units.h"
#include "core/profile/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pixels between a label and the edges of its box. */
#define PADDING 3

/* A label needs so many columns. */
#define LEAST_COLUMNS 3

/* Labels of longer names are made from so many bytes of their end or beginning. */
#define MOST_LABEL_BYTES 4096

/* From this width on, hundredths of pixels, a box is parted from its neighbours. */
#define PARTED_WIDTH 200

#define LARGEST_FRAMES 3

typedef struct Flame
{
	FgContext  *ctx;
	const FgTree *tree;
	const FgFlameOptions *options;
	FgFacts		facts;
	double	   *total;			/* by node */
	FgColor    *fill;			/* by frame, for colours by name */
	uint64_t   *hash;			/* by frame, of the name */
	uint32_t   *characters;		/* by frame, of long names; 0 for others */
	uint32_t   *last_part;		/* by frame, of names too long for a label: where it begins */
	FgBuffer	unit;			/* what is shown of it */
	FgBoxes		boxes;
	FgDocument	document;
	FgBuffer	subtitle;
	FgBuffer	description;
	FgBuffer	footnote;
	uint32_t	top;			/* y of the uppermost row */
} Flame;

FgFlameOptions
fg_flame_defaults(void)
{
	return (FgFlameOptions) {
		.unit = {"samples", 7}, .width = 1200, .min_width = 0.5, .frame_height = 17,
		.font_size = 12, .max_boxes = 20000, .max_rows = 400, .max_nodes = 200000
	};
}

/* --- what is known of the profile ------------------------------------------------- */

static bool
check_values(FgContext *ctx, const FgTree *tree)
{
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (tree->self[i] < 0)
			return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
							  "A difference d is drawn by flamegraph_diff_svg(before, after), or "
							  "flamegraph_diff_svg(negative_part(d), positive_part(d)).",
							  "profile has negative values");
	}
	return true;
}

static uint32_t
count_characters(const char *name, uint32_t length)
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < length; i++)
		count += ((unsigned char) name[i] & 0xC0) != 0x80;
	return count;
}

static bool
look_at_names(Flame *f)
{
	const FgFrames *frames = &f->tree->frames;
	const FgFlameOptions *o = f->options;

	f->fill = fg_alloc(f->ctx, frames->count, sizeof(FgColor));
	f->hash = fg_alloc(f->ctx, frames->count, sizeof(uint64_t));
	f->characters = fg_alloc_zero(f->ctx, frames->count, sizeof(uint32_t));
	f->last_part = fg_alloc_zero(f->ctx, frames->count, sizeof(uint32_t));
	if (f->fill == NULL || f->hash == NULL || f->characters == NULL || f->last_part == NULL)
		return false;
	for (uint32_t i = 0; i < frames->count; i++)
	{
		const char *name = fg_frame_bytes(frames, i);
		uint32_t	length = fg_frame_length(frames, i);

		f->hash[i] = fg_fnv1a(name, length);
		f->fill[i] = fg_color_of_name(o->color, o->palette, name, length);
		if (length > FG_MOST_SHOWN)
			f->characters[i] = count_characters(name, length);
		if (length > MOST_LABEL_BYTES)
			f->last_part[i] = (uint32_t) fg_label_qualifiers(name, length);
		if (!fg_work(f->ctx, length))
			return false;
	}
	return true;
}

static uint64_t
mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x100000001B3);
	return hash ^ hash >> 29;
}

static uint64_t
mix_text(uint64_t hash, FgText text)
{
	return mix(hash, text.bytes == NULL ? 1 : fg_fnv1a(text.bytes, text.length));
}

static bool
mix_tree(const Flame *f, uint64_t *result)
{
	const FgTree *tree = f->tree;
	const uint8_t *highlight = f->options->highlight;
	uint64_t	hash = mix(tree->nnodes, tree->frames.count);

	for (uint32_t i = 0; i < tree->frames.count; i++)
	{
		hash = mix(hash, f->hash[i]);
		if (!fg_check_every(f->ctx, i))
			return false;
	}
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		hash = mix(mix(hash, tree->key[i]), fg_double_bits(tree->self[i] + 0.0));
		if (highlight != NULL)
			hash = mix(hash, highlight[i]);
		if (!fg_check_every(f->ctx, i))
			return false;
	}
	*result = hash;
	return true;
}

/* Of all that the picture shows; not secret, and the same on every machine. */
static bool
make_id(Flame *f)
{
	const FgFlameOptions *o = f->options;
	uint64_t	hash;

	if (!mix_tree(f, &hash))
		return false;
	hash = mix_text(mix_text(mix_text(hash, o->title), o->subtitle), o->notes);
	hash = mix_text(mix_text(mix_text(hash, o->unit), o->search), o->zoom);
	hash = mix(mix(hash, o->width), fg_double_bits(o->min_width));
	hash = mix(hash, (uint64_t) o->flame | (uint64_t) o->by_value << 1 |
			   (uint64_t) o->interactive << 2 | (uint64_t) o->color << 8 |
			   (uint64_t) o->palette << 16 | (uint64_t) o->theme << 24 |
			   (uint64_t) o->truncate << 32);
	hash = mix(mix(hash, o->frame_height), o->font_size);
	hash = mix(mix(mix(hash, o->max_boxes), o->max_rows), o->max_nodes);
	f->document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

/* --- texts ------------------------------------------------------------------------ */

static bool
put_value(Flame *f, FgBuffer *text, double value)
{
	return fg_units_value(text, value, (const char *) f->unit.data, f->unit.size);
}

static bool
put_share(Flame *f, FgBuffer *text, double value)
{
	char		share[FG_UNITS_SIZE];

	return fg_buffer_append(text, share, fg_units_share(value, f->facts.total, share));
}

static bool
write_subtitle(Flame *f)
{
	FgBuffer   *text = &f->subtitle;

	return put_value(f, text, f->facts.total) && fg_text_put(text, ", ") &&
		fg_text_count(text, f->facts.nstacks) &&
		fg_text_put(text, f->facts.nstacks == 1 ? " stack, " : " stacks, ") &&
		fg_text_count(text, f->tree->frames.count) &&
		fg_text_put(text, f->tree->frames.count == 1 ? " frame" : " frames");
}

/* The frames in which most is spent by themselves: the largest first, equal ones by name. */
static bool
largest_frames(Flame *f, uint32_t *largest, double *self, uint32_t *count)
{
	const FgTree *tree = f->tree;
	double	   *sums = fg_alloc_zero(f->ctx, tree->frames.count, sizeof(double));
	bool		ok = sums != NULL;

	*count = 0;
	for (uint32_t i = 1; ok && i <= tree->nnodes; i++)
	{
		sums[fg_key_frame(tree->key[i])] += tree->self[i];
		ok = fg_check_every(f->ctx, i);
	}
	for (uint32_t i = 0; ok && i < tree->frames.count; i++)
	{
		uint32_t	place = *count;

		ok = fg_check_every(f->ctx, i);
		while (place > 0 && sums[i] > self[place - 1])
			place--;
		if (sums[i] == 0 || place == LARGEST_FRAMES)
			continue;
		*count += *count < LARGEST_FRAMES;
		for (uint32_t p = *count - 1; p > place; p--)
		{
			largest[p] = largest[p - 1];
			self[p] = self[p - 1];
		}
		largest[place] = i;
		self[place] = sums[i];
	}
	fg_release(f->ctx, sums);
	return ok;
}

/* Bytes of a name for a sentence: not more than 200, and no part of a character. */
static size_t
short_name(const char *name, size_t length)
{
	if (length <= 200)
		return length;
	for (length = 200; ((unsigned char) name[length] & 0xC0) == 0x80; length--)
		;
	return length;
}

static bool
write_description(Flame *f)
{
	FgBuffer   *text = &f->description;
	uint32_t	largest[LARGEST_FRAMES];
	double		self[LARGEST_FRAMES];
	uint32_t	count = 0;
	bool		ok = fg_text_put(text, "Flame graph of ") && put_value(f, text, f->facts.total) &&
		fg_text_put(text, " in ") && fg_text_count(text, f->facts.nstacks) &&
		fg_text_put(text, f->facts.nstacks == 1 ? " stack" : " stacks") &&
		largest_frames(f, largest, self, &count);

	for (uint32_t i = 0; ok && i < count; i++)
	{
		const char *name = fg_frame_bytes(&f->tree->frames, largest[i]);
		size_t		length = fg_frame_length(&f->tree->frames, largest[i]);
		size_t		shown = short_name(name, length);

		ok = fg_text_put(text, i == 0 ? "; most in " : ", ") &&
			fg_buffer_append(text, name, shown) &&
			fg_text_put(text, shown < length ? "\xE2\x80\xA6 (" : " (") &&
			put_share(f, text, self[i]) && fg_text_put(text, ")");
	}
	return ok && fg_text_put(text, ".");
}

static bool
write_left_out(Flame *f, const FgLeftOut *left_out, const char *what, double limit,
			   const char *unit)
{
	FgBuffer   *text = &f->footnote;
	char		number[FG_NUMBER_SIZE];

	if (left_out->nodes == 0)
		return true;
	return fg_text_put(text, "; ") && fg_text_count(text, left_out->nodes) &&
		fg_text_put(text, what) &&
		fg_buffer_append(text, number, fg_number_print(limit, number)) &&
		fg_text_put(text, unit) && put_value(f, text, left_out->total) &&
		fg_text_put(text, " (") && put_share(f, text, left_out->total) && fg_text_put(text, ")");
}

/* How many nodes the highlight is about, and how many of them have a box. */
static bool
write_highlight(Flame *f)
{
	FgBuffer   *text = &f->footnote;
	const uint8_t *highlight = f->options->highlight;
	uint64_t	matching = 0;
	uint64_t	drawn = 0;

	if (highlight == NULL)
		return true;
	for (uint32_t i = 0; i <= f->tree->nnodes; i++)
	{
		matching += highlight[i] != 0;
		if (!fg_check_every(f->ctx, i))
			return false;
	}
	for (uint32_t i = 0; i < f->boxes.count; i++)
		drawn += f->boxes.boxes[i].hidden == 0 && highlight[f->boxes.boxes[i].node] != 0;
	return fg_text_put(text, "; ") && fg_text_count(text, matching) &&
		fg_text_put(text, " highlighted, ") && fg_text_count(text, drawn) &&
		fg_text_put(text, " of them drawn");
}

static bool
write_footnote(Flame *f)
{
	FgBuffer   *text = &f->footnote;
	const FgBoxes *b = &f->boxes;

	if (b->count == 0)
		return fg_text_put(text, "empty profile");
	if (!fg_text_count(text, b->drawn) ||
		!fg_text_put(text, b->drawn == 1 ? " box drawn of " : " boxes drawn of ") ||
		!fg_text_count(text, (uint64_t) f->tree->nnodes + 1) ||
		!write_left_out(f, &b->thin, " thinner than ", b->min_width, " px, together ") ||
		!write_left_out(f, &b->deeper, " deeper than ", f->options->max_rows, " rows, together "))
		return false;
	if (b->min_width != f->options->min_width &&
		(!fg_text_put(text, "; boxes thinner than that are left out to draw at most ") ||
		 !fg_text_count(text, f->options->max_boxes)))
		return false;
	return write_highlight(f);
}

static void
add_legend(Flame *f)
{
	static const char *const words[] = {
		[FG_COLOR_MODULE] = "hue: what stands before the last part of a name; lightness: that part",
		[FG_COLOR_DEPTH] = "colour: depth"
	};
	const FgFlameOptions *o = f->options;
	FgDocument *d = &f->document;

	if (o->color == FG_COLOR_MODULE || o->color == FG_COLOR_DEPTH)
		fg_document_legend(d, (FgLegendEntry) {.label = words[o->color]});
	for (int k = 0; o->color == FG_COLOR_KIND && k < FG_FRAME_KINDS; k++)
		fg_document_legend(d, (FgLegendEntry) {fg_kind_name((FgFrameKind) k),
							   fg_color_of_kind(o->palette, (FgFrameKind) k), true, false});
	if (o->color == FG_COLOR_SELF)
	{
		static const char *const shares[] = {
			"self/total: 0 %", "12.5 %", "25 %", "37.5 %", "50 %", "62.5 %", "75 %",
			"87.5 to 100 %"
		};

		for (int s = 0; s < FG_SHADES; s++)
			fg_document_legend(d, (FgLegendEntry) {shares[s], fg_color_shade(o->palette, s), true,
								   false});
	}
	if (f->boxes.count > f->boxes.drawn)
		fg_document_legend(d, (FgLegendEntry) {"several together", 0, false, true});
}

/* --- boxes ------------------------------------------------------------------------ */

static FgColor
fill_of(const Flame *f, const FgBox *box)
{
	const FgFlameOptions *o = f->options;
	uint64_t	key = f->tree->key[box->node];

	if (box->node == 0)
		return FG_COLOR_ALL;
	if (o->color == FG_COLOR_SELF)
		return fg_color_shade(o->palette, fg_shade_of_share(f->tree->self[box->node], box->total));
	if (o->color == FG_COLOR_DEPTH)
		return fg_color_shade(o->palette, fg_shade_of_depth(fg_key_depth(key)));
	return f->fill[fg_key_frame(key)];
}

/* A share as text: there is "<" in some. */
static void
put_share_text(Flame *f, double value)
{
	char		share[FG_UNITS_SIZE];

	fg_xml_text(&f->document.xml, share, fg_units_share(value, f->facts.total, share),
				sizeof(share));
}

/* "60 samples, 60 % of all" */
static void
put_measure(Flame *f, double value)
{
	FgXml	   *xml = &f->document.xml;

	fg_xml_number(xml, value);
	if (f->unit.size > 0)
		fg_xml_put(xml, " ");
	fg_xml_text(xml, (const char *) f->unit.data, f->unit.size, f->unit.size);
	fg_xml_put(xml, ", ");
	put_share_text(f, value);
	fg_xml_put(xml, " of all");
}

static FgText
name_of(const Flame *f, uint32_t node)
{
	const FgFrames *frames = &f->tree->frames;
	uint32_t	frame = fg_key_frame(f->tree->key[node]);

	if (node == 0)
		return (FgText) {"all", 3};
	return (FgText) {fg_frame_bytes(frames, frame), fg_frame_length(frames, frame)};
}

/* Counting the characters of a long name is done once for the frame. */
static void
put_name(Flame *f, uint32_t node)
{
	FgXml	   *xml = &f->document.xml;
	FgText		name = name_of(f, node);
	uint32_t	characters = node == 0 ? 0 : f->characters[fg_key_frame(f->tree->key[node])];

	fg_xml_text(xml, name.bytes, fg_text_shown(name), FG_MOST_SHOWN);
	if (characters > FG_MOST_SHOWN)
		fg_xml_format(xml, "\xE2\x80\xA6 (%u characters)", characters);
}

static void
put_tooltip(Flame *f, const FgBox *box)
{
	FgXml	   *xml = &f->document.xml;
	double		self = f->tree->self[box->node];

	fg_xml_put(xml, "<title>");
	if (box->hidden > 0)
	{
		fg_xml_format(xml, box->deeper ? "(%u deeper)\n" : "(%u more)\n", box->hidden);
		put_measure(f, box->total);
		fg_xml_put(xml, "</title>");
		return;
	}
	put_name(f, box->node);
	fg_xml_put(xml, "\n");
	put_measure(f, box->total);
	fg_xml_put(xml, ", self ");
	fg_xml_number(xml, self);
	if (self > 0)
	{
		fg_xml_put(xml, " (");
		put_share_text(f, self);
		fg_xml_put(xml, ")");
	}
	fg_xml_put(xml, "</title>");
}

static void
put_geometry(FgXml *xml, int64_t x, int64_t y, int64_t width, int64_t height)
{
	fg_xml_put(xml, "<rect x=\"");
	fg_xml_hundredths(xml, x);
	fg_xml_put(xml, "\" y=\"");
	fg_xml_hundredths(xml, y);
	fg_xml_put(xml, "\" width=\"");
	fg_xml_hundredths(xml, width);
	fg_xml_put(xml, "\" height=\"");
	fg_xml_hundredths(xml, height);
	fg_xml_put(xml, "\"");
}

/* Two pixels within the box, so that it stands out against its colour in light and dark. */
static void
put_outline(Flame *f, const FgBox *box, int64_t x, int64_t y, FgColor color)
{
	FgXml	   *xml = &f->document.xml;
	int64_t		width = box->right - box->left;
	int64_t		height = 100 * (int64_t) f->options->frame_height;

	if (width < 600)
	{
		put_geometry(xml, x, y + height / 4, width, height / 2);
		fg_put_fill(xml, color);
		fg_xml_put(xml, "/>");
		return;
	}
	put_geometry(xml, x + 100, y + 100, width - 200, height - 200);
	fg_xml_put(xml, " fill=\"none\" stroke-width=\"2\" stroke=");
	fg_xml_put(xml, color == 0 ? "\"#000\"/>" : "\"#fff\"/>");
}

/* The part of a long name that a label can be made of. */
static FgLabel
label_source(const Flame *f, uint32_t node, FgText name)
{
	size_t		end = f->options->truncate == FG_TRUNCATE_END ? 0 : name.length;

	if (name.length <= MOST_LABEL_BYTES)
		return (FgLabel) {0, name.length, false, false};
	if (f->options->truncate == FG_TRUNCATE_QUALIFIER)
		end = f->last_part[fg_key_frame(f->tree->key[node])];
	/* the last part does not fit: its beginning is shown */
	if (name.length - end > MOST_LABEL_BYTES)
		return (FgLabel) {end, end + MOST_LABEL_BYTES, false, true};
	end = name.length - MOST_LABEL_BYTES;
	while (((unsigned char) name.bytes[end] & 0xC0) == 0x80)
		end++;
	return (FgLabel) {end, name.length, true, false};
}

/* What is written of a name in so many columns. */
static FgLabel
label_of(const Flame *f, uint32_t node, FgText name, size_t columns)
{
	FgLabel		from = label_source(f, node, name);
	FgTruncate	how = from.cut_end ? FG_TRUNCATE_END : f->options->truncate;
	FgLabel		label = fg_label_fit(name.bytes + from.start, from.end - from.start, columns, how);

	label.cut_start |= from.cut_start && label.start == 0 && !label.cut_end;
	label.cut_end |= from.cut_end;
	label.start += from.start;
	label.end += from.start;
	return label;
}

static void
put_label(Flame *f, const FgBox *box, int64_t x, int64_t y, FgColor color)
{
	FgXml	   *xml = &f->document.xml;
	const FgFlameOptions *o = f->options;
	double		room = (double) (box->right - box->left) / 100 - 2 * PADDING;
	double		columns = floor(room / (FG_COLUMN_WIDTH * o->font_size));
	char		words[40];
	FgText		name = {words, 0};
	FgLabel		label;

	if (columns < LEAST_COLUMNS)
		return;
	if (box->hidden > 0)
		name.length = (size_t) snprintf(words, sizeof(words),
										box->deeper ? "(%u deeper)" : "(%u more)", box->hidden);
	else
		name = name_of(f, box->node);
	label = label_of(f, box->node, name, (size_t) columns);
	fg_xml_put(xml, "<text unicode-bidi=\"isolate\" x=\"");
	fg_xml_hundredths(xml, x + 100 * PADDING);
	fg_xml_put(xml, "\" y=\"");
	fg_xml_hundredths(xml, y + 100 * (int64_t) rint((o->frame_height + 0.75 * o->font_size) / 2));
	fg_xml_put(xml, color == 0 ? "\"" : "\" fill=\"#fff\"");
	/* a rim, so that stripes do not cross letters */
	if (box->hidden > 0)
		fg_xml_format(xml, " paint-order=\"stroke\" stroke=\"#%06x\" stroke-width=\"3\"",
					  FG_COLOR_HATCH);
	fg_xml_put(xml, ">");
	if (label.cut_start)
		fg_xml_put(xml, "\xE2\x80\xA6");
	fg_xml_text(xml, name.bytes + label.start, label.end - label.start, FG_MOST_SHOWN);
	if (label.cut_end)
		fg_xml_put(xml, "\xE2\x80\xA6");
	fg_xml_put(xml, "</text>");
}

static void
put_box(Flame *f, const FgBox *box)
{
	FgXml	   *xml = &f->document.xml;
	const FgFlameOptions *o = f->options;
	uint32_t	row = o->flame ? f->boxes.rows - 1 - box->row : box->row;
	int64_t		x = 100 * FG_MARGIN + box->left;
	int64_t		y = 100 * (f->top + (int64_t) row * (o->frame_height + 1));
	FgColor		fill = fill_of(f, box);
	FgColor		text = box->hidden > 0 ? 0 : fg_text_color(fill);

	fg_xml_put(xml, box->hidden > 0 ? "<g class=\"f m\" data-n=\"" : "<g class=\"f\" data-n=\"");
	fg_xml_count(xml, box->node);
	fg_xml_put(xml, "\">");
	put_tooltip(f, box);
	put_geometry(xml, x, y, box->right - box->left, 100 * (int64_t) o->frame_height);
	if (box->hidden > 0)
		fg_xml_format(xml, " fill=\"url(#fg%08x-m)\"", f->document.id);
	else
		fg_put_fill(xml, fill);
	if (box->right - box->left >= PARTED_WIDTH)
		fg_xml_format(xml, " stroke=\"#%06x\"", fg_background(o->theme));
	fg_xml_put(xml, "/>");
	if (o->highlight != NULL && box->hidden == 0 && o->highlight[box->node] != 0)
		put_outline(f, box, x, y, text);
	put_label(f, box, x, y, text);
	fg_xml_put(xml, "</g>\n");
}

/* --- document --------------------------------------------------------------------- */

static bool
lay_out(Flame *f)
{
	const FgFlameOptions *o = f->options;
	FgBoxesInput input = {
		.tree = f->tree, .total = f->total, .whole = f->total[0],
		.width = o->width - 2.0 * FG_MARGIN, .min_width = o->min_width, .max_boxes = o->max_boxes,
		.max_rows = o->max_rows, .by_value = o->by_value
	};

	return fg_boxes(f->ctx, &input, &f->boxes);
}

static void
prepare_document(Flame *f)
{
	static const FgText name = {"Flame graph", 11};
	const FgFlameOptions *o = f->options;
	FgDocument *d = &f->document;

	d->width = o->width;
	d->font_size = o->font_size;
	d->theme = o->theme;
	d->name = o->title.length > 0 ? o->title : name;
	d->heading = o->title.bytes != NULL ? o->title : name;
	d->subtitle = o->subtitle.bytes != NULL ? o->subtitle : fg_text_of(&f->subtitle);
	d->footnote = fg_text_of(&f->footnote);
	d->notes = o->notes;
	add_legend(f);
}

static void
put_data(Flame *f)
{
	const FgFlameOptions *o = f->options;
	FgDataOptions options = {o->unit, o->search, o->zoom, o->max_nodes};

	fg_data_write(&f->document.xml, f->tree, f->total, &options);
}

static bool
draw(Flame *f)
{
	FgDocument *d = &f->document;
	uint32_t	height = f->boxes.rows * (f->options->frame_height + 1);

	f->top = fg_document_above(d);
	fg_document_begin(d, f->top + height + fg_document_below(d), fg_text_of(&f->description));
	fg_document_top(d);
	fg_xml_put(&d->xml, "<g stroke-width=\".5\">\n");
	for (uint32_t i = 0; i < f->boxes.count && d->xml.ok; i++)
		put_box(f, &f->boxes.boxes[i]);
	fg_xml_put(&d->xml, "</g>\n");
	fg_document_bottom(d, f->top + height);
	if (f->options->interactive)
		put_data(f);
	fg_document_end(d);
	return d->xml.ok;
}

bool
fg_flame_svg(const FgTree *tree, const FgFlameOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Flame		f = {.ctx = ctx, .tree = tree, .options = options, .subtitle.ctx = ctx,
		.description.ctx = ctx, .footnote.ctx = ctx, .unit.ctx = ctx};
	bool		ok;

	f.total = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	ok = f.total != NULL && check_values(ctx, tree) && fg_tree_facts(ctx, tree, &f.facts) &&
		fg_tree_totals(ctx, tree, f.total) && fg_text_cut(&f.unit, options->unit) &&
		look_at_names(&f) && make_id(&f) && lay_out(&f) &&
		write_subtitle(&f) && write_description(&f) && write_footnote(&f);
	if (ok)
	{
		f.document.xml = fg_xml_begin(*svg);
		prepare_document(&f);
		ok = draw(&f);
		*svg = f.document.xml.buffer;
	}
	fg_release(ctx, f.total);
	fg_release(ctx, f.fill);
	fg_release(ctx, f.hash);
	fg_release(ctx, f.characters);
	fg_release(ctx, f.last_part);
	fg_release(ctx, f.unit.data);
	fg_release(ctx, f.subtitle.data);
	fg_release(ctx, f.description.data);
	fg_release(ctx, f.footnote.data);
	fg_boxes_free(ctx, &f.boxes);
	return ok;
}
