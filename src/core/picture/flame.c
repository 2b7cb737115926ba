/*
 * flame.c
 *	  Flame graphs in SVG (see flame.h).
 */
#include "core/picture/flame.h"

#include "core/picture/data.h"
#include "core/svg/drawing.h"
#include "core/svg/embedded.h"

typedef struct Flame
{
	FgContext  *ctx;
	const FgTree *tree;
	const FgFlameOptions *options;
	FgFacts		facts;
	FgDrawing	drawing;
	FgPanel		panel;
	FgBuffer	subtitle;
	FgBuffer	description;
	FgBuffer	footnote;
} Flame;

/* Of all that the picture shows. */
static bool
make_id(Flame *f)
{
	uint64_t	hash = 0;

	if (!fg_drawing_mix_nodes(&f->drawing, f->tree->self, &hash))
		return false;
	hash = fg_drawing_mix_options(&f->drawing, hash);
	f->drawing.document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

/* --- texts ------------------------------------------------------------------------ */

static bool
write_subtitle(Flame *f)
{
	FgBuffer   *text = &f->subtitle;

	return fg_drawing_value(&f->drawing, text, f->facts.total) && fg_text_put(text, ", ") &&
		fg_drawing_count(text, f->facts.nstacks, " stack, ", " stacks, ") &&
		fg_drawing_count(text, f->tree->frames.count, " frame", " frames");
}

/* The frames in which most is spent by themselves. */
static bool
largest_frames(Flame *f, FgLargest *largest)
{
	const FgTree *tree = f->tree;
	double	   *sums = fg_alloc_zero(f->ctx, tree->frames.count, sizeof(double));
	bool		ok = sums != NULL;

	for (uint32_t i = 1; ok && i <= tree->nnodes; i++)
	{
		sums[fg_key_frame(tree->key[i])] += tree->self[i];
		ok = fg_check_every(f->ctx, i);
	}
	for (uint32_t i = 0; ok && i < tree->frames.count; i++)
	{
		fg_largest_offer(largest, i, sums[i]);
		ok = fg_check_every(f->ctx, i);
	}
	fg_release(f->ctx, sums);
	return ok;
}

static bool
write_description(Flame *f)
{
	FgBuffer   *text = &f->description;
	FgLargest	largest = {.count = 0};
	bool		ok = fg_text_put(text, "Flame graph of ") &&
		fg_drawing_value(&f->drawing, text, f->facts.total) && fg_text_put(text, " in ") &&
		fg_drawing_count(text, f->facts.nstacks, " stack", " stacks") &&
		largest_frames(f, &largest);

	for (uint32_t i = 0; ok && i < largest.count; i++)
		ok = fg_text_put(text, i == 0 ? "; most in " : ", ") &&
			fg_drawing_short_name(&f->drawing, text, largest.frame[i]) &&
			fg_text_put(text, " (") &&
			fg_drawing_share(text, largest.value[i], f->facts.total) && fg_text_put(text, ")");
	return ok && fg_text_put(text, ".");
}

static bool
write_footnote(Flame *f)
{
	const uint8_t *highlight = f->drawing.highlight;
	FgHighlighted highlighted = {0, 0};

	if (f->panel.boxes.count == 0)
		return fg_text_put(&f->footnote, "empty profile");
	return fg_drawing_footnote(&f->drawing, &f->panel.boxes, (uint64_t) f->tree->nnodes + 1,
							   &f->footnote) &&
		fg_panel_highlighted(f->ctx, &f->panel, highlight, &highlighted) &&
		(highlight == NULL || fg_text_highlighted(&f->footnote, &highlighted));
}

/* --- document --------------------------------------------------------------------- */

static void
prepare_document(Flame *f)
{
	static const FgText name = {"Flame graph", 11};
	const FgFlameOptions *o = f->options;
	FgDocument *d = &f->drawing.document;

	d->name = o->title.length > 0 ? o->title : name;
	d->heading = o->title.bytes != NULL ? o->title : name;
	d->subtitle = o->subtitle.bytes != NULL ? o->subtitle : fg_text_of(&f->subtitle);
	d->footnote = fg_text_of(&f->footnote);
	d->notes = o->notes;
	fg_drawing_legend(&f->drawing);
	if (f->panel.boxes.count > f->panel.boxes.drawn)
		fg_document_legend(d, (FgLegendEntry) {.label = "several together", .hatched = true});
}

static void
put_data(Flame *f)
{
	const FgFlameOptions *o = f->options;
	FgDataOptions options = {.unit = o->unit, .search = o->search, .zoom = o->zoom,
		.max_nodes = o->max_nodes};

	options.view = (FgView) {
		.flame = o->flame, .by_value = o->by_value, .dark = o->theme == FG_THEME_DARK,
		.min_width = o->min_width, .max_boxes = o->max_boxes, .max_rows = o->max_rows,
		.frame_height = o->frame_height, .font_size = o->font_size, .truncate = o->truncate,
		.top = f->panel.top, .rows = f->panel.boxes.rows, .color = o->color,
		.palette = o->palette, .fills = f->drawing.fill, .marked = f->drawing.highlight
	};
	fg_data_write(&f->drawing.document.xml, f->tree, f->panel.total, &options);
	fg_document_script(&f->drawing.document, fg_viewer_script);
}

static bool
draw(Flame *f)
{
	FgDocument *d = &f->drawing.document;
	FgPanel    *panel = &f->panel;
	uint32_t	height = panel->boxes.rows * (f->options->frame_height + 1);

	panel->top = fg_document_above(d);
	fg_document_begin(d, panel->top + height + fg_document_below(d), fg_text_of(&f->description));
	fg_document_top(d);
	fg_xml_put(&d->xml, "<g class=\"v\" stroke-width=\".5\">\n");
	for (uint32_t i = 0; i < panel->boxes.count && d->xml.ok; i++)
		fg_drawing_put_box(&f->drawing, panel, &panel->boxes.boxes[i]);
	fg_xml_put(&d->xml, "</g>\n");
	fg_document_bottom(d, panel->top + height);
	if (f->options->interactive)
		put_data(f);
	fg_document_end(d);
	return d->xml.ok;
}

/* The panel is the tree itself, and owns its totals only. */
static bool
lay_out(Flame *f)
{
	f->panel = (FgPanel) {.tree = *f->tree, .left = FG_MARGIN};
	f->panel.total = fg_alloc(f->ctx, (size_t) f->tree->nnodes + 1, sizeof(double));
	if (f->panel.total == NULL || !fg_tree_totals(f->ctx, f->tree, f->panel.total))
		return false;
	f->drawing.whole = f->facts.total;
	return fg_panel_lay_out(&f->drawing, &f->panel, f->panel.total[0],
							f->options->width - 2.0 * FG_MARGIN);
}

bool
fg_flame_svg(const FgTree *tree, const FgFlameOptions *options, FgBuffer *svg)
{
	static const char hint[] = "A difference d is drawn by flamegraph_diff_svg(before, after), or "
		"flamegraph_diff_svg(negative_part(d), positive_part(d)).";
	FgContext  *ctx = svg->ctx;
	Flame		f = {.ctx = ctx, .tree = tree, .options = options, .subtitle.ctx = ctx,
		.description.ctx = ctx, .footnote.ctx = ctx};
	bool		ok;

	f.drawing.ctx = ctx;
	ok = fg_check_not_negative(ctx, tree, hint) && fg_tree_facts(ctx, tree, &f.facts) &&
		fg_drawing_begin(ctx, tree, options, &f.drawing) && lay_out(&f) && make_id(&f) &&
		write_subtitle(&f) && write_description(&f) && write_footnote(&f);
	if (ok)
	{
		f.drawing.document.xml = fg_xml_begin(*svg);
		prepare_document(&f);
		ok = draw(&f);
		*svg = f.drawing.document.xml.buffer;
	}
	fg_release(ctx, f.panel.total);
	fg_panel_free(ctx, &f.panel);
	fg_drawing_free(&f.drawing);
	fg_release(ctx, f.subtitle.data);
	fg_release(ctx, f.description.data);
	fg_release(ctx, f.footnote.data);
	return ok;
}
