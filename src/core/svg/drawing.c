/*
 * drawing.c
 *	  What pictures made of boxes have in common (see drawing.h).
 */
#include "core/svg/drawing.h"

#include "core/base/number.h"
#include "core/svg/label.h"
#include "core/svg/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pixels between a label and the edges of its box. */
#define PADDING 3

/* A label needs so many columns. */
#define LEAST_COLUMNS 3

/*
 * Names with more units of UTF-16 lose their end, however others are shortened: the data have
 * their beginning only (data.h), and the viewer counts as its language does.
 */
#define MOST_UNITS 10000

/* From this width on, hundredths of pixels, a box is parted from its neighbours. */
#define PARTED_WIDTH 200

/* --- options ---------------------------------------------------------------------- */

FgFlameOptions
fg_flame_defaults(void)
{
	return (FgFlameOptions) {
		.unit = {"samples", 7}, .width = 1200, .min_width = 0.5, .frame_height = 17,
		.font_size = 12, .max_boxes = 20000, .max_rows = 400, .max_nodes = 200000
	};
}

/* --- names ------------------------------------------------------------------------- */

bool
fg_check_not_negative(FgContext *ctx, const FgTree *tree, const char *hint)
{
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (tree->self[i] < 0)
			return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint, "profile has negative values");
	}
	return true;
}

/* Characters, and those among them that UTF-16 has two units for. */
static uint32_t
count_characters(const char *name, uint32_t length, uint32_t *twofold)
{
	uint32_t	count = 0;

	*twofold = 0;
	for (uint32_t i = 0; i < length; i++)
	{
		count += ((unsigned char) name[i] & 0xC0) != 0x80;
		*twofold += (unsigned char) name[i] >= 0xF0;
	}
	return count;
}

static bool
look_at_names(FgDrawing *d)
{
	const FgFrames *frames = &d->tree->frames;
	const FgFlameOptions *o = d->options;

	d->hash = fg_alloc(d->ctx, frames->count, sizeof(uint64_t));
	d->characters = fg_alloc_zero(d->ctx, frames->count, sizeof(uint32_t));
	d->loses_end = fg_alloc_zero(d->ctx, frames->count, sizeof(uint8_t));
	d->fill = fg_alloc(d->ctx, frames->count, sizeof(FgColor));
	if (d->hash == NULL || d->characters == NULL || d->loses_end == NULL || d->fill == NULL)
		return false;
	for (uint32_t i = 0; i < frames->count; i++)
	{
		const char *name = fg_frame_bytes(frames, i);
		uint32_t	length = fg_frame_length(frames, i);
		uint32_t	twofold;

		d->hash[i] = fg_fnv1a(name, length);
		d->fill[i] = fg_color_of_name(o->color, o->palette, name, length);
		if (length > FG_MOST_SHOWN)
		{
			d->characters[i] = count_characters(name, length, &twofold);
			d->loses_end[i] = d->characters[i] + twofold > MOST_UNITS;
		}
		if (!fg_work(d->ctx, length))
			return false;
	}
	return true;
}

/* A byte for each node of a tree, which the caller releases. */
bool
fg_highlight_of(FgContext *ctx, const FgHighlight *highlight, const FgTree *tree,
				uint8_t **matches)
{
	*matches = NULL;
	if (highlight->match == NULL)
		return true;
	*matches = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint8_t));
	return *matches != NULL && highlight->match(ctx, highlight->arg, tree, *matches);
}

bool
fg_drawing_begin(FgContext *ctx, const FgTree *tree, const FgFlameOptions *options, FgDrawing *d)
{
	*d = (FgDrawing) {.ctx = ctx, .tree = tree, .options = options, .unit.ctx = ctx};
	d->document.width = options->width;
	d->document.font_size = options->font_size;
	d->document.theme = options->theme;
	return fg_text_cut(&d->unit, options->unit) && look_at_names(d) &&
		fg_highlight_of(ctx, &options->highlight, tree, &d->highlight);
}

void
fg_drawing_free(FgDrawing *d)
{
	fg_release(d->ctx, d->hash);
	fg_release(d->ctx, d->fill);
	fg_release(d->ctx, d->characters);
	fg_release(d->ctx, d->loses_end);
	fg_release(d->ctx, d->highlight);
	fg_release(d->ctx, d->unit.data);
}

/* --- panels ------------------------------------------------------------------------ */

bool
fg_panel_of(const FgDrawing *d, const double *self, const double *total, FgPanel *panel)
{
	size_t		nodes = (size_t) d->tree->nnodes + 1;
	uint32_t	kept = 0;

	*panel = (FgPanel) {.own = true, .left = FG_MARGIN};
	panel->tree.key = fg_alloc(d->ctx, nodes, sizeof(uint64_t));
	panel->tree.self = fg_alloc(d->ctx, nodes, sizeof(double));
	panel->total = fg_alloc(d->ctx, nodes, sizeof(double));
	panel->node = fg_alloc(d->ctx, nodes, sizeof(uint32_t));
	if (panel->tree.key == NULL || panel->tree.self == NULL || panel->total == NULL ||
		panel->node == NULL)
		return false;
	for (uint32_t i = 0; i < nodes; i++)
	{
		panel->tree.key[kept] = d->tree->key[i];
		panel->tree.self[kept] = self[i];
		panel->total[kept] = total[i];
		panel->node[kept] = i;
		kept += i == 0 || total[i] > 0;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	panel->tree.nnodes = kept - 1;
	return true;
}

void
fg_panel_free(FgContext *ctx, FgPanel *panel)
{
	if (panel->own)
	{
		fg_release(ctx, panel->tree.key);
		fg_release(ctx, panel->tree.self);
		fg_release(ctx, panel->total);
		fg_release(ctx, panel->node);
	}
	fg_boxes_free(ctx, &panel->boxes);
}

bool
fg_panel_lay_out(const FgDrawing *d, FgPanel *panel, double whole, double width)
{
	const FgFlameOptions *o = d->options;
	FgBoxesInput input = {
		.tree = &panel->tree, .total = panel->total, .whole = whole, .width = width,
		.min_width = o->min_width, .max_boxes = o->max_boxes, .max_rows = o->max_rows,
		.by_value = o->by_value
	};

	return fg_boxes(d->ctx, &input, &panel->boxes);
}

FgPlace
fg_panel_place(const FgDrawing *d, const FgPanel *panel, const FgBox *box)
{
	const FgFlameOptions *o = d->options;
	uint32_t	row = o->flame ? panel->boxes.rows - 1 - box->row : box->row;

	return (FgPlace) {
		.x = fg_hundredths(panel->left) + box->left,
		.y = 100 * (panel->top + (int64_t) row * (o->frame_height + 1)),
		.width = box->right - box->left, .height = 100 * (int64_t) o->frame_height
	};
}

/* --- identity --------------------------------------------------------------------- */

bool
fg_drawing_mix_nodes(const FgDrawing *d, const double *values, uint64_t *result)
{
	const FgTree *tree = d->tree;
	const uint8_t *highlight = d->highlight;
	uint64_t	hash = fg_mix(*result ^ tree->nnodes, tree->frames.count);

	for (uint32_t i = 0; i < tree->frames.count; i++)
	{
		hash = fg_mix(hash, d->hash[i]);
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		hash = fg_mix(fg_mix(hash, tree->key[i]), fg_double_bits(values[i] + 0.0));
		if (highlight != NULL)
			hash = fg_mix(hash, highlight[i]);
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	*result = hash;
	return true;
}

static uint64_t
mix_text(uint64_t hash, FgText text)
{
	return fg_mix(hash, text.bytes == NULL ? 1 : fg_fnv1a(text.bytes, text.length));
}

uint64_t
fg_drawing_mix_options(const FgDrawing *d, uint64_t hash)
{
	const FgFlameOptions *o = d->options;

	hash = mix_text(mix_text(mix_text(hash, o->title), o->subtitle), o->notes);
	hash = mix_text(mix_text(mix_text(hash, o->unit), o->search), o->zoom);
	hash = fg_mix(fg_mix(hash, o->width), fg_double_bits(o->min_width));
	hash = fg_mix(hash, (uint64_t) o->flame | (uint64_t) o->by_value << 1 |
				  (uint64_t) o->interactive << 2 | (uint64_t) o->color << 8 |
				  (uint64_t) o->palette << 16 | (uint64_t) o->theme << 24 |
				  (uint64_t) o->truncate << 32);
	hash = fg_mix(fg_mix(hash, o->frame_height), o->font_size);
	return fg_mix(fg_mix(fg_mix(hash, o->max_boxes), o->max_rows), o->max_nodes);
}

/* --- texts outside of boxes -------------------------------------------------------- */

bool
fg_drawing_value(const FgDrawing *d, FgBuffer *text, double value)
{
	return fg_units_value(text, value, (const char *) d->unit.data, d->unit.size);
}

bool
fg_drawing_share(FgBuffer *text, double part, double whole)
{
	char		share[FG_UNITS_SIZE];

	return fg_buffer_append(text, share, fg_units_share(part, whole, share));
}

bool
fg_drawing_count(FgBuffer *text, uint64_t count, const char *one, const char *many)
{
	return fg_text_count(text, count) && fg_text_put(text, count == 1 ? one : many);
}

static bool
put_left_out(const FgDrawing *d, FgBuffer *text, const FgLeftOut *left_out, const char *what,
			 double limit, const char *unit)
{
	char		number[FG_NUMBER_SIZE];

	if (left_out->nodes == 0)
		return true;
	return fg_text_put(text, "; ") && fg_text_count(text, left_out->nodes) &&
		fg_text_put(text, what) &&
		fg_buffer_append(text, number, fg_number_print(limit, number)) &&
		fg_text_put(text, unit) && fg_drawing_value(d, text, left_out->total) &&
		fg_text_put(text, " (") && fg_drawing_share(text, left_out->total, d->whole) &&
		fg_text_put(text, ")");
}

/* What the limit of boxes left out, besides what the other limits did. */
static bool
put_limits(FgBuffer *text, const FgBoxes *boxes, const FgFlameOptions *o)
{
	bool		narrowed = boxes->min_width != o->min_width;
	bool		deeper = boxes->max_rows != o->max_rows;
	bool		thinner = narrowed && boxes->thin.nodes > 0;

	if (!narrowed && !deeper)
		return true;
	return fg_text_put(text, "; ") &&
		fg_text_put(text, thinner ? "boxes thinner than that" : "") &&
		fg_text_put(text, thinner && deeper ? " and " : "") &&
		fg_text_put(text, deeper ? "deeper rows" : thinner ? "" : "boxes of several") &&
		fg_text_put(text, " are left out to draw at most ") && fg_text_count(text, o->max_boxes);
}

bool
fg_drawing_footnote(const FgDrawing *d, const FgBoxes *boxes, uint64_t nodes, FgBuffer *text)
{
	const FgFlameOptions *o = d->options;

	if (!fg_drawing_count(text, boxes->drawn, " box drawn of ", " boxes drawn of ") ||
		!fg_text_count(text, nodes) ||
		!put_left_out(d, text, &boxes->thin, " thinner than ", boxes->min_width,
					  " px, together ") ||
		!put_left_out(d, text, &boxes->deeper, " deeper than ", boxes->max_rows,
					  boxes->max_rows == 1 ? " row, together " : " rows, together "))
		return false;
	return put_limits(text, boxes, o);
}

bool
fg_panel_highlighted(FgContext *ctx, const FgPanel *panel, const uint8_t *highlight,
					 FgHighlighted *sum)
{
	if (highlight == NULL)
		return true;
	for (uint32_t i = 0; i <= panel->tree.nnodes; i++)
	{
		sum->nodes += highlight[fg_panel_number(panel, i)] != 0;
		if (!fg_check_every(ctx, i))
			return false;
	}
	for (uint32_t i = 0; i < panel->boxes.count; i++)
	{
		const FgBox *box = &panel->boxes.boxes[i];

		sum->drawn += box->hidden == 0 && highlight[fg_panel_number(panel, box->node)] != 0;
	}
	return true;
}

bool
fg_text_highlighted(FgBuffer *text, const FgHighlighted *sum)
{
	return fg_text_put(text, "; ") && fg_text_count(text, sum->nodes) &&
		fg_text_put(text, " highlighted, ") && fg_text_count(text, sum->drawn) &&
		fg_text_put(text, " of them drawn");
}

void
fg_largest_offer(FgLargest *l, uint32_t frame, double value)
{
	uint32_t	place = l->count;

	while (place > 0 && value > l->value[place - 1])
		place--;
	if (value == 0 || place == FG_LARGEST)
		return;
	l->count += l->count < FG_LARGEST;
	for (uint32_t p = l->count - 1; p > place; p--)
	{
		l->frame[p] = l->frame[p - 1];
		l->value[p] = l->value[p - 1];
	}
	l->frame[place] = frame;
	l->value[place] = value;
}

bool
fg_drawing_short_name(const FgDrawing *d, FgBuffer *text, uint32_t frame)
{
	const char *name = fg_frame_bytes(&d->tree->frames, frame);
	size_t		length = fg_frame_length(&d->tree->frames, frame);

	if (length <= 200)
		return fg_buffer_append(text, name, length);
	for (length = 200; ((unsigned char) name[length] & 0xC0) == 0x80; length--)
		;
	return fg_buffer_append(text, name, length) && fg_text_put(text, "\xE2\x80\xA6");
}

/* --- the parts of a box ------------------------------------------------------------ */

void
fg_put_rect(FgXml *xml, FgPlace place)
{
	fg_xml_put(xml, "<rect x=\"");
	fg_xml_hundredths(xml, place.x);
	fg_xml_put(xml, "\" y=\"");
	fg_xml_hundredths(xml, place.y);
	fg_xml_put(xml, "\" width=\"");
	fg_xml_hundredths(xml, place.width);
	fg_xml_put(xml, "\" height=\"");
	fg_xml_hundredths(xml, place.height);
	fg_xml_put(xml, "\"");
}

void
fg_drawing_put_parting(FgDrawing *d, const FgPlace *place)
{
	if (place->width >= PARTED_WIDTH)
		fg_xml_format(&d->document.xml, " stroke=\"#%06x\"", fg_background(d->options->theme));
}

FgText
fg_drawing_name(const FgDrawing *d, uint64_t key)
{
	const FgFrames *frames = &d->tree->frames;
	uint32_t	frame = fg_key_frame(key);

	if (key == FG_ROOT_KEY)
		return (FgText) {"all", 3};
	return (FgText) {fg_frame_bytes(frames, frame), fg_frame_length(frames, frame)};
}

/* Counting the characters of a long name is done once for the frame. */
void
fg_drawing_put_name(FgDrawing *d, uint64_t key)
{
	FgXml	   *xml = &d->document.xml;
	FgText		name = fg_drawing_name(d, key);
	uint32_t	characters = key == FG_ROOT_KEY ? 0 : d->characters[fg_key_frame(key)];

	fg_xml_text(xml, name.bytes, fg_text_shown(name), FG_MOST_SHOWN);
	if (characters > FG_MOST_SHOWN)
		fg_xml_format(xml, "\xE2\x80\xA6 (%u characters)", characters);
}

void
fg_drawing_put_value(FgDrawing *d, double value)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_number(xml, value);
	if (d->unit.size > 0)
		fg_xml_put(xml, " ");
	fg_xml_text(xml, (const char *) d->unit.data, d->unit.size, d->unit.size);
}

/* A share as text: there is "<" in some. */
void
fg_drawing_put_share(FgDrawing *d, double part, double whole)
{
	char		share[FG_UNITS_SIZE];

	fg_xml_text(&d->document.xml, share, fg_units_share(part, whole, share), sizeof(share));
}

/* "60 samples, 60 % of all" */
static void
put_total(FgDrawing *d, double total)
{
	FgXml	   *xml = &d->document.xml;

	fg_drawing_put_value(d, total);
	if (d->change != NULL)
		fg_xml_format(xml, " %s", d->change);
	fg_xml_put(xml, ", ");
	fg_drawing_put_share(d, total, d->whole);
	fg_xml_format(xml, " of %s", d->side != NULL ? d->side : "all");
}

void
fg_drawing_put_hidden(FgDrawing *d, const FgBox *box)
{
	fg_xml_format(&d->document.xml, box->deeper ? "(%u deeper)\n" : "(%u more)\n", box->hidden);
	put_total(d, box->total);
}

/* --- labels ------------------------------------------------------------------------ */

/* What is written of a name in so many columns; looking through a long one takes its time. */
static FgLabel
label_of(FgDrawing *d, uint64_t key, FgText name, size_t columns)
{
	FgTruncate	how = d->options->truncate;

	if (name.length > MOST_UNITS && d->loses_end[fg_key_frame(key)] != 0)
		how = FG_TRUNCATE_END;
	if (how == FG_TRUNCATE_QUALIFIER && name.length > FG_MOST_SHOWN)
		d->document.xml.ok = d->document.xml.ok && fg_work(d->ctx, name.length);
	return fg_label_fit(name.bytes, name.length, columns, how);
}

/* The text's opening tag. */
static void
begin_label(FgDrawing *d, const FgBox *box, FgPlace place, FgFill fill)
{
	FgXml	   *xml = &d->document.xml;
	const FgFlameOptions *o = d->options;
	bool		black = box->hidden > 0 || fg_text_color(fill.color) == 0;

	fg_xml_put(xml, "<text unicode-bidi=\"isolate\" x=\"");
	fg_xml_hundredths(xml, place.x + 100 * PADDING);
	fg_xml_put(xml, "\" y=\"");
	fg_xml_hundredths(xml, place.y + 100 *
					  (int64_t) floor((place.height / 100.0 + 0.75 * o->font_size) / 2 + 0.5));
	fg_xml_put(xml, black ? "\"" : "\" fill=\"#fff\"");
	if (d->bold != 0 && box->node == d->bold && box->hidden == 0)
		fg_xml_put(xml, " font-weight=\"bold\"");
	/* a rim, so that marks do not cross letters */
	if (box->hidden > 0 || fill.texture != NULL)
		fg_xml_format(xml, " paint-order=\"stroke\" stroke=\"#%06x\" stroke-width=\"3\"",
					  box->hidden > 0 ? FG_COLOR_HATCH : fill.color);
	fg_xml_put(xml, ">");
}

static bool
fits_behind(FgText name, FgLabel label, const char *more, size_t columns)
{
	return *more != '\0' && !label.cut_start && !label.cut_end &&
		fg_columns(name.bytes, name.length) + 1 + strlen(more) <= columns;
}

void
fg_drawing_put_label(FgDrawing *d, uint64_t key, const FgBox *box, FgPlace place, FgFill fill,
					 const char *more)
{
	FgXml	   *xml = &d->document.xml;
	double		room = (double) place.width / 100 - 2 * PADDING;
	double		columns = floor(room / (FG_COLUMN_WIDTH * d->options->font_size));
	char		words[40];
	FgText		name = {words, 0};
	FgLabel		label;

	if (columns < LEAST_COLUMNS)
		return;
	if (box->hidden > 0)
		name.length = (size_t) snprintf(words, sizeof(words),
										box->deeper ? "(%u deeper)" : "(%u more)", box->hidden);
	else
		name = fg_drawing_name(d, key);
	label = label_of(d, key, name, (size_t) columns);
	begin_label(d, box, place, fill);
	if (label.cut_start)
		fg_xml_put(xml, "\xE2\x80\xA6");
	fg_xml_text(xml, name.bytes + label.start, label.end - label.start, FG_MOST_SHOWN);
	if (label.cut_end)
		fg_xml_put(xml, "\xE2\x80\xA6");
	if (fits_behind(name, label, more, (size_t) columns))
	{
		fg_xml_put(xml, " ");
		fg_xml_text(xml, more, strlen(more), FG_MOST_SHOWN);
	}
	fg_xml_put(xml, "</text>");
}

/* --- boxes of flame graphs --------------------------------------------------------- */

static FgColor
fill_of(const FgDrawing *d, const FgPanel *panel, const FgBox *box)
{
	const FgFlameOptions *o = d->options;
	uint64_t	key = panel->tree.key[box->node];

	if (box->node == 0)
		return FG_COLOR_ALL;
	if (o->color == FG_COLOR_SELF)
		return fg_color_shade(o->palette,
							  fg_shade_of_share(panel->tree.self[box->node], box->total));
	if (o->color == FG_COLOR_DEPTH)
		return fg_color_shade(o->palette, fg_shade_of_depth(fg_key_depth(key)));
	return d->fill[fg_key_frame(key)];
}

/* "60 samples, 60 % of all, self 10 (10 %)" */
static void
put_measures(FgDrawing *d, double total, double self)
{
	FgXml	   *xml = &d->document.xml;

	put_total(d, total);
	fg_xml_put(xml, ", self ");
	fg_xml_number(xml, self);
	if (self == 0)
		return;
	fg_xml_put(xml, " (");
	fg_drawing_put_share(d, self, d->whole);
	fg_xml_put(xml, ")");
}

static void
put_tooltip(FgDrawing *d, const FgPanel *panel, const FgBox *box)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<title>");
	if (box->hidden > 0)
		fg_drawing_put_hidden(d, box);
	else
	{
		fg_drawing_put_name(d, panel->tree.key[box->node]);
		fg_xml_put(xml, "\n");
		put_measures(d, box->total, panel->tree.self[box->node]);
	}
	fg_xml_put(xml, "</title>");
}

/* A rectangle of a path, clockwise; the other way round it is a hole in the one before. */
static void
put_rectangle(FgXml *xml, FgPlace place, bool hole)
{
	int64_t		across = hole ? place.height : place.width;
	int64_t		steps[] = {across, place.width + place.height - across, -across};

	fg_xml_put(xml, "M");
	fg_xml_hundredths(xml, place.x);
	fg_xml_put(xml, " ");
	fg_xml_hundredths(xml, place.y);
	for (int i = 0; i < 3; i++)
	{
		fg_xml_put(xml, (i == 1) == hole ? "h" : "v");
		fg_xml_hundredths(xml, steps[i]);
	}
	fg_xml_put(xml, "z");
}

static FgPlace
within(FgPlace place, int64_t rim)
{
	return (FgPlace) {place.x + rim, place.y + rim, place.width - 2 * rim, place.height - 2 * rim};
}

/* As outline() of viewer/draw.js does, so that the same pixels come of it. */
void
fg_drawing_put_outline(FgDrawing *d, const FgPanel *panel, const FgBox *box, FgPlace place,
					   FgColor color)
{
	FgXml	   *xml = &d->document.xml;

	if (d->highlight == NULL || box->hidden > 0 ||
		d->highlight[fg_panel_number(panel, box->node)] == 0)
		return;
	fg_xml_put(xml, "<path d=\"");
	if (place.width < 600)
	{
		place.y += place.height / 4;
		place.height /= 2;
		put_rectangle(xml, place, false);
	}
	else
	{
		/* Its own colour is around it, whatever the page is. */
		put_rectangle(xml, within(place, 100), false);
		put_rectangle(xml, within(place, 300), true);
	}
	fg_xml_put(xml, color == 0 ? "\"/>" : "\" fill=\"#fff\"/>");
}

void
fg_drawing_begin_box(FgDrawing *d, const FgPanel *panel, const FgBox *box)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, box->hidden > 0 ? "<g class=\"f m\" data-n=\"" : "<g class=\"f\" data-n=\"");
	fg_xml_count(xml, fg_panel_number(panel, box->node));
	fg_xml_put(xml, "\">");
}

void
fg_drawing_put_box(FgDrawing *d, const FgPanel *panel, const FgBox *box)
{
	FgXml	   *xml = &d->document.xml;
	FgPlace		place = fg_panel_place(d, panel, box);
	FgColor		fill = fill_of(d, panel, box);
	FgColor		text = box->hidden > 0 ? 0 : fg_text_color(fill);

	fg_drawing_begin_box(d, panel, box);
	put_tooltip(d, panel, box);
	fg_put_rect(xml, place);
	if (box->hidden > 0)
		fg_xml_format(xml, " fill=\"url(#fg%08x-m)\"", d->document.id);
	else
		fg_put_fill(xml, fill);
	fg_drawing_put_parting(d, &place);
	fg_xml_put(xml, "/>");
	fg_drawing_put_outline(d, panel, box, place, text);
	fg_drawing_put_label(d, panel->tree.key[box->node], box, place, (FgFill) {fill, NULL}, "");
	fg_xml_put(xml, "</g>\n");
}

static void
add_shades(FgDocument *document, FgPalette palette)
{
	static const char *const shares[] = {
		"self/total: 0 %", "12.5 %", "25 %", "37.5 %", "50 %", "62.5 %", "75 %", "87.5 to 100 %"
	};

	for (int s = 0; s < FG_SHADES; s++)
		fg_document_legend(document, (FgLegendEntry) {
			.label = shares[s], .fill = {fg_color_shade(palette, s), NULL}, .swatch = true
		});
}

void
fg_drawing_legend(FgDrawing *d)
{
	static const char *const words[] = {
		[FG_COLOR_MODULE] = "hue: what stands before the last part of a name; lightness: that part",
		[FG_COLOR_DEPTH] = "colour: depth"
	};
	const FgFlameOptions *o = d->options;

	if (o->color == FG_COLOR_MODULE || o->color == FG_COLOR_DEPTH)
		fg_document_legend(&d->document, (FgLegendEntry) {.label = words[o->color]});
	for (int k = 0; o->color == FG_COLOR_KIND && k < FG_FRAME_KINDS; k++)
		fg_document_legend(&d->document, (FgLegendEntry) {
			.label = fg_kind_name((FgFrameKind) k),
			.fill = {fg_color_of_kind(o->palette, (FgFrameKind) k), NULL}, .swatch = true
		});
	if (o->color == FG_COLOR_SELF)
		add_shades(&d->document, o->palette);
}
