/*
 * sandwich.c
 *	  One function with its callers and callees in SVG (see sandwich.h).
 */
#include "core/picture/sandwich.h"

#include "core/patterns/find.h"
#include "core/picture/data.h"
#include "core/picture/sandwich_marks.h"
#include "core/svg/drawing.h"
#include "core/svg/embedded.h"

#include <math.h>

/* --- the picture ---------------------------------------------------------------------- */

typedef struct Drawn
{
	FgContext  *ctx;
	const FgSandwich *sandwich;
	uint8_t    *highlight[FG_HALVES];	/* by node of a half, or NULL */
	FgFlameOptions options;		/* with those of a half where they differ */
	FgFlameOptions half;
	double		total;			/* of the whole profile */
	FgDrawing	drawing;
	FgPanel		panel[FG_HALVES];
	double	   *nothing;		/* own values of callers: none of them ends its stack */
	FgBuffer	heading;
	FgBuffer	subtitle;
	FgBuffer	description;
	FgBuffer	footnote;
} Drawn;

/* Of the frame: the whole width. */
static double
frame_total(const Drawn *d)
{
	return d->sandwich->found ? d->panel[FG_CALLEES].total[0] : 0;
}

/* The root is not drawn, and the frame once: by the half below. */
static const uint32_t dropped_rows[FG_HALVES] = {[FG_CALLERS] = 2, [FG_CALLEES] = 1};

static void
drop_rows(FgBoxes *boxes, uint32_t rows)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < boxes->count; i++)
	{
		if (boxes->boxes[i].row < rows)
		{
			boxes->drawn--;
			continue;
		}
		boxes->boxes[kept] = boxes->boxes[i];
		boxes->boxes[kept++].row -= rows;
	}
	boxes->count = kept;
	boxes->rows = boxes->rows > rows ? boxes->rows - rows : 0;
}

static bool
make_panel(Drawn *d, int h)
{
	const FgTree *half = &d->sandwich->half[h];
	FgPanel    *panel = &d->panel[h];

	panel->left = FG_MARGIN;
	panel->tree = *half;
	panel->tree.key = (uint64_t *) d->sandwich->pair[h].key_b;
	panel->total = fg_alloc(d->ctx, (size_t) half->nnodes + 1, sizeof(double));
	if (panel->total == NULL || !fg_tree_totals(d->ctx, half, panel->total))
		return false;
	if (h == FG_CALLEES)
		return true;
	d->nothing = fg_alloc_zero(d->ctx, (size_t) half->nnodes + 1, sizeof(double));
	panel->tree.self = d->nothing;
	return d->nothing != NULL;
}

/*
 * Boxes of both halves, which have room for what is dropped again; where one needs a
 * larger min_width so does the other.
 */
static bool
lay_out(Drawn *d)
{
	double		width = d->options.width - 2.0 * FG_MARGIN;
	double		least;

	d->half = d->options;
	d->half.max_rows = d->options.max_rows + 1;
	d->half.max_boxes = d->options.max_boxes / 2 + 2;
	d->drawing.options = &d->half;
	if (!make_panel(d, FG_CALLERS) || !make_panel(d, FG_CALLEES))
		return false;
	for (int h = 0; h < FG_HALVES; h++)
		if (!fg_panel_lay_out(&d->drawing, &d->panel[h], frame_total(d), width))
			return false;
	least = fmax(d->panel[FG_CALLERS].boxes.min_width, d->panel[FG_CALLEES].boxes.min_width);
	for (int h = 0; h < FG_HALVES; h++)
	{
		if (d->panel[h].boxes.min_width == least)
			continue;
		d->half.min_width = least;
		fg_boxes_free(d->ctx, &d->panel[h].boxes);
		if (!fg_panel_lay_out(&d->drawing, &d->panel[h], frame_total(d), width))
			return false;
	}
	for (int h = 0; h < FG_HALVES; h++)
		drop_rows(&d->panel[h].boxes, dropped_rows[h]);
	return true;
}

/* What of the halves is highlighted and drawn. */
static bool
ask_highlight(Drawn *d, const FgHighlight *highlight)
{
	for (int h = 0; h < FG_HALVES && d->sandwich->found; h++)
	{
		const FgTree *half = &d->sandwich->half[h];

		if (!fg_highlight_of(d->ctx, highlight, half, &d->highlight[h]))
			return false;
		for (uint32_t i = 0; d->highlight[h] != NULL && i <= half->nnodes; i++)
		{
			if (fg_key_depth(half->key[i]) < dropped_rows[h])
				d->highlight[h][i] = 0;
			if (!fg_check_every(d->ctx, i))
				return false;
		}
	}
	return true;
}

/* --- texts --- */

/* How many functions are next to the frame: nodes of depth 2. */
static bool
count_next(const Drawn *d, int h, uint64_t *count)
{
	const FgTree *half = &d->sandwich->half[h];

	*count = 0;
	for (uint32_t i = 1; i <= half->nnodes; i++)
	{
		*count += fg_key_depth(half->key[i]) == 2;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

static bool
write_summary(Drawn *d, FgBuffer *text)
{
	uint64_t	callers;
	uint64_t	callees;

	return count_next(d, FG_CALLERS, &callers) && count_next(d, FG_CALLEES, &callees) &&
		fg_drawing_value(&d->drawing, text, frame_total(d)) && fg_text_put(text, ", ") &&
		fg_drawing_share(text, frame_total(d), d->total) && fg_text_put(text, " of all; ") &&
		fg_drawing_count(text, callers, " caller, ", " callers, ") &&
		fg_drawing_count(text, callees, " callee", " callees");
}

static bool
write_heading(Drawn *d)
{
	FgText		name = d->sandwich->frame;

	return fg_text_put(&d->heading, "Sandwich of ") && fg_text_cut(&d->heading, name);
}

/* What to say to somebody who asks for a frame that there is not. */
static bool
write_missing(Drawn *d)
{
	FgText		name = d->sandwich->frame;
	uint32_t	nearest[FG_MAX_NEAREST];
	uint32_t	count;

	if (!fg_text_put(&d->footnote, "the frame does not occur") ||
		!fg_nearest_frames(d->ctx, &d->sandwich->tree->frames, name.bytes, name.length, nearest,
						   &count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!fg_text_put(&d->footnote, i == 0 ? "; similar names: " : ", ") ||
			!fg_drawing_short_name(&d->drawing, &d->footnote, nearest[i]))
			return false;
	return true;
}

static bool
write_texts(Drawn *d)
{
	FgBuffer   *text = &d->description;

	if (!write_heading(d) || !fg_buffer_append(text, d->heading.data, d->heading.size))
		return false;
	if (!d->sandwich->found)
		return fg_text_put(text, ": the frame does not occur.") && write_missing(d);
	return write_summary(d, &d->subtitle) && fg_text_put(text, ": ") && write_summary(d, text) &&
		fg_text_put(text, ". Callers are above the frame, what it calls is below.");
}

static void
add_left_out(FgLeftOut *sum, const FgLeftOut *more)
{
	sum->nodes += more->nodes;
	sum->total += more->total;
}

/* Of both halves together. */
static bool
write_footnote(Drawn *d)
{
	FgBoxes		both = d->panel[FG_CALLEES].boxes;
	const FgBoxes *above = &d->panel[FG_CALLERS].boxes;
	uint64_t	nodes = (uint64_t) d->sandwich->half[FG_CALLERS].nnodes +
		d->sandwich->half[FG_CALLEES].nnodes - 1;
	FgHighlighted highlighted = {0, 0};

	if (both.count == 0)
		return true;
	both.drawn += above->drawn;
	if (above->max_rows < both.max_rows)
		both.max_rows = above->max_rows;
	both.max_rows--;			/* besides that of the frame */
	add_left_out(&both.thin, &above->thin);
	add_left_out(&both.deeper, &above->deeper);
	d->drawing.options = &d->options;
	for (int h = 0; h < FG_HALVES; h++)
		if (!fg_panel_highlighted(d->ctx, &d->panel[h], d->highlight[h], &highlighted))
			return false;
	return fg_drawing_footnote(&d->drawing, &both, nodes, &d->footnote) &&
		(d->highlight[0] == NULL || fg_text_highlighted(&d->footnote, &highlighted));
}

/* --- document --- */

static bool
make_id(Drawn *d)
{
	uint64_t	hash = fg_fnv1a(d->sandwich->frame.bytes, d->sandwich->frame.length);

	if (!fg_drawing_mix_nodes(&d->drawing, d->sandwich->tree->self, &hash))
		return false;
	for (int h = 0; h < FG_HALVES && d->sandwich->found; h++)
		for (uint32_t i = 0; d->highlight[h] != NULL && i <= d->sandwich->half[h].nnodes; i++)
		{
			hash = fg_mix(hash, d->highlight[h][i]);
			if (!fg_check_every(d->ctx, i))
				return false;
		}
	hash = fg_drawing_mix_options(&d->drawing, hash);
	d->drawing.document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

static void
prepare_document(Drawn *d)
{
	static const FgText name = {"Sandwich", 8};
	const FgFlameOptions *o = &d->options;
	FgDocument *document = &d->drawing.document;
	uint32_t	hidden = 0;

	document->name = o->title.length > 0 ? o->title : d->heading.size > 0
		? fg_text_of(&d->heading) : name;
	document->heading = o->title.bytes != NULL ? o->title : fg_text_of(&d->heading);
	document->subtitle = o->subtitle.bytes != NULL ? o->subtitle : fg_text_of(&d->subtitle);
	document->footnote = fg_text_of(&d->footnote);
	document->notes = o->notes;
	fg_drawing_legend(&d->drawing);
	for (int h = 0; h < FG_HALVES; h++)
		hidden += d->panel[h].boxes.count - d->panel[h].boxes.drawn;
	if (hidden > 0)
		fg_document_legend(document, (FgLegendEntry) {
			.label = "several together", .hatched = true
		});
}

static void
put_half(Drawn *d, int h)
{
	FgXml	   *xml = &d->drawing.document.xml;
	FgPanel    *panel = &d->panel[h];

	d->half.flame = h == FG_CALLERS;
	d->drawing.highlight = d->highlight[h];
	d->drawing.bold = h == FG_CALLEES ? FG_SANDWICH_FRAME : 0;
	d->drawing.options = &d->half;
	fg_xml_put(xml, h == FG_CALLERS ? "<g class=\"callers\">\n" : "<g class=\"callees\">\n");
	for (uint32_t i = 0; i < panel->boxes.count && xml->ok; i++)
		fg_drawing_put_box(&d->drawing, panel, &panel->boxes.boxes[i]);
	d->drawing.highlight = NULL;	/* it is not the drawing's own */
	fg_xml_put(xml, "</g>\n");
}

/* Callers grow upwards from the frame's row, callees downwards. */
static void
put_boxes(Drawn *d)
{
	uint32_t	row = d->options.frame_height + 1;
	uint32_t	top = fg_document_above(&d->drawing.document);

	d->panel[FG_CALLERS].top = top;
	d->panel[FG_CALLEES].top = top + d->panel[FG_CALLERS].boxes.rows * row;
	fg_xml_put(&d->drawing.document.xml, "<g class=\"v\" stroke-width=\".5\">\n");
	put_half(d, FG_CALLERS);
	put_half(d, FG_CALLEES);
	fg_xml_put(&d->drawing.document.xml, "</g>\n");
}

/* Those of the whole profile: the viewer makes sandwiches of other frames, too. */
static bool
put_data(Drawn *d)
{
	const FgFlameOptions *o = &d->options;
	const FgTree *tree = d->sandwich->tree;
	double	   *total = fg_alloc(d->ctx, (size_t) tree->nnodes + 1, sizeof(double));
	FgDataOptions options = {.unit = o->unit, .search = o->search, .zoom = o->zoom,
		.sandwich = d->sandwich->found ? d->sandwich->frame : (FgText) {0},
		.max_nodes = o->max_nodes};
	FgBuffer	marks[FG_HALVES] = {{.ctx = d->ctx}, {.ctx = d->ctx}};
	bool		ok = total != NULL && fg_tree_totals(d->ctx, tree, total);

	/* the viewer knows the halves' nodes by their order when it has them all */
	if (ok && d->highlight[0] != NULL && tree->nnodes <= o->max_nodes)
	{
		ok = fg_sandwich_marks(d->ctx, d->sandwich, d->highlight, marks);
		for (int h = 0; h < FG_HALVES; h++)
			options.marks[h] = fg_text_of(&marks[h]);
	}
	options.view = (FgView) {
		.dark = o->theme == FG_THEME_DARK, .min_width = o->min_width, .max_boxes = o->max_boxes,
		.max_rows = o->max_rows, .frame_height = o->frame_height, .font_size = o->font_size,
		.truncate = o->truncate, .top = d->panel[FG_CALLERS].top,
		.rows = d->panel[FG_CALLERS].boxes.rows + d->panel[FG_CALLEES].boxes.rows,
		.color = o->color, .palette = o->palette, .fills = d->drawing.fill
	};
	if (ok)
	{
		fg_data_write(&d->drawing.document.xml, tree, total, &options);
		fg_document_script(&d->drawing.document, fg_viewer_script);
	}
	for (int h = 0; h < FG_HALVES; h++)
		fg_release(d->ctx, marks[h].data);
	fg_release(d->ctx, total);
	return ok;
}

static bool
draw(Drawn *d)
{
	FgDocument *document = &d->drawing.document;
	uint32_t	rows = d->panel[FG_CALLERS].boxes.rows + d->panel[FG_CALLEES].boxes.rows;
	uint32_t	below = fg_document_above(document) + rows * (d->options.frame_height + 1);

	fg_document_begin(document, below + fg_document_below(document), fg_text_of(&d->description));
	fg_document_top(document);
	put_boxes(d);
	fg_document_bottom(document, below);
	d->drawing.options = &d->options;
	if (d->options.interactive && !put_data(d))
		return false;
	fg_document_end(document);
	return document->xml.ok;
}

static void
release(Drawn *d)
{
	for (int h = 0; h < FG_HALVES; h++)
	{
		fg_release(d->ctx, d->panel[h].total);
		fg_panel_free(d->ctx, &d->panel[h]);
		fg_release(d->ctx, d->highlight[h]);
	}
	fg_drawing_free(&d->drawing);
	fg_release(d->ctx, d->nothing);
	fg_release(d->ctx, d->heading.data);
	fg_release(d->ctx, d->subtitle.data);
	fg_release(d->ctx, d->description.data);
	fg_release(d->ctx, d->footnote.data);
}

bool
fg_sandwich_svg(const FgSandwich *sandwich, const FgFlameOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Drawn		d = {.ctx = ctx, .sandwich = sandwich, .options = *options,
		.heading.ctx = ctx, .subtitle.ctx = ctx, .description.ctx = ctx, .footnote.ctx = ctx};
	FgFacts		facts;
	bool		ok = fg_tree_facts(ctx, sandwich->tree, &facts);

	d.total = facts.total;
	d.options.highlight.match = NULL;	/* not of the whole profile */
	d.drawing.ctx = ctx;
	ok = ok && fg_drawing_begin(ctx, sandwich->tree, &d.options, &d.drawing);
	d.drawing.whole = d.total;
	ok = ok && (!sandwich->found || lay_out(&d)) && ask_highlight(&d, &options->highlight) &&
		make_id(&d) && write_texts(&d) && write_footnote(&d);
	if (ok)
	{
		d.drawing.document.xml = fg_xml_begin(*svg);
		prepare_document(&d);
		ok = draw(&d);
		*svg = d.drawing.document.xml.buffer;
	}
	release(&d);
	return ok;
}
