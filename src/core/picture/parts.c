/*
 * parts.c
 *	  The four parts of a change as one picture (see parts.h).
 */
#include "core/picture/parts.h"

#include "core/picture/change_parts.h"
#include "core/picture/data.h"
#include "core/picture/group_means.h"
#include "core/svg/drawing.h"
#include "core/svg/embedded.h"

#include <math.h>
#include <string.h>

#define PANELS	4
#define GAP			10			/* pixels between panels side by side */
#define GAP_BELOW	6			/* and between those above and below */

/* As they are placed: from left to right, then the second row. */
static const FgPiece pieces[PANELS] = {FG_APPEARED, FG_GROWN, FG_DISAPPEARED, FG_SHRUNK};

/* What is drawn, and what shares are of. */
typedef struct Input
{
	const FgTree *before;
	const FgTree *after;
	double		whole[FG_SIDES];
	const char *test;			/* of groups */
	uint64_t	runs[FG_SIDES];
	double		alpha;
} Input;

typedef struct Parts
{
	FgContext  *ctx;
	const Input *input;			/* NULL: nothing to compare */
	const FgFlameOptions *options;
	FgTreeUnion both;
	FgDrawing	drawing;
	FgPanel		panels[PANELS];
	FgBuffer	headings[PANELS];
	FgBuffer	subtitle;
	FgBuffer	footnote;
} Parts;

static double
whole_of(const Parts *p, int panel)
{
	return p->input->whole[panel < 2 ? FG_AFTER : FG_BEFORE];
}

static const char *
side_of(int panel)
{
	return panel < 2 ? "after" : "before";
}

/* --- layout ------------------------------------------------------------------------- */

static double
column_width(const Parts *p)
{
	return (p->options->width - 2.0 * FG_MARGIN - GAP) / 2;
}

static bool
make_panels(Parts *p)
{
	size_t		nodes = (size_t) p->both.tree.nnodes + 1;
	double	   *self = fg_alloc(p->ctx, nodes, sizeof(double));
	double	   *total = fg_alloc(p->ctx, nodes, sizeof(double));
	bool		ok = self != NULL && total != NULL;

	for (int i = 0; ok && i < PANELS; i++)
		ok = fg_piece_values(p->ctx, &p->both, pieces[i], self, total) &&
			fg_panel_of(&p->drawing, self, total, &p->panels[i]);
	fg_release(p->ctx, self);
	fg_release(p->ctx, total);
	return ok;
}

/* The widest part fills its column; the others have its scale. */
static bool
lay_out(Parts *p)
{
	double		widest = 0;

	for (int i = 0; i < PANELS; i++)
		widest = fmax(widest, p->panels[i].total[0]);
	for (int i = 0; i < PANELS; i++)
	{
		p->panels[i].left = FG_MARGIN + (i % 2 == 0 ? 0 : column_width(p) + GAP);
		if (!fg_panel_lay_out(&p->drawing, &p->panels[i], widest, column_width(p)))
			return false;
	}
	return true;
}

/* Height of the headings of a row of panels. */
static uint32_t
heading_height(const Parts *p, int row)
{
	const FgDocument *document = &p->drawing.document;
	uint32_t	lines = 1;

	for (int i = 2 * row; i < 2 * row + 2; i++)
		if (fg_document_heading_lines(document, fg_text_of(&p->headings[i]),
									  (uint32_t) column_width(p)) > lines)
			lines = 2;
	return lines * fg_document_line_height(document);
}

/* Rows of boxes of a row of panels. */
static uint32_t
rows_of(const Parts *p, int row)
{
	const FgPanel *panels = &p->panels[2 * row];

	return panels[0].boxes.rows > panels[1].boxes.rows ? panels[0].boxes.rows
		: panels[1].boxes.rows;
}

/* Height of a row of panels, with its headings. */
static uint32_t
row_height(const Parts *p, int row)
{
	return heading_height(p, row) + rows_of(p, row) * (p->options->frame_height + 1) +
		(row == 0 ? GAP_BELOW : 0);
}

static bool
make_id(Parts *p)
{
	uint64_t	hash = fg_mix(fg_double_bits(p->input->alpha), p->input->runs[FG_BEFORE]);

	hash = fg_mix(hash, p->input->runs[FG_AFTER]);
	hash = fg_mix(hash, fg_double_bits(p->input->whole[FG_BEFORE]));
	hash = fg_mix(hash, fg_double_bits(p->input->whole[FG_AFTER]));
	if (!fg_drawing_mix_nodes(&p->drawing, p->both.self[FG_BEFORE], &hash) ||
		!fg_drawing_mix_nodes(&p->drawing, p->both.self[FG_AFTER], &hash))
		return false;
	hash = fg_drawing_mix_options(&p->drawing, hash);
	p->drawing.document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

/* --- texts -------------------------------------------------------------------------- */

static bool
write_subtitle(Parts *p)
{
	const Input *input = p->input;
	FgBuffer   *text = &p->subtitle;

	if (!fg_text_put(text, "before ") ||
		!fg_drawing_value(&p->drawing, text, input->whole[FG_BEFORE]) ||
		!fg_text_put(text, ", after ") ||
		!fg_drawing_value(&p->drawing, text, input->whole[FG_AFTER]))
		return false;
	return input->test == NULL ||
		(fg_text_put(text, " (means of ") && fg_text_count(text, input->runs[FG_BEFORE]) &&
		 fg_text_put(text, " + ") && fg_text_count(text, input->runs[FG_AFTER]) &&
		 fg_text_put(text, " runs); ") && fg_text_put(text, input->test));
}

/* "grown: 45 samples, 30 % of after" */
static bool
write_heading(Parts *p, int panel)
{
	FgBuffer   *text = &p->headings[panel];
	double		total = p->panels[panel].total[0];

	if (!fg_text_put(text, fg_piece_word(pieces[panel])) || !fg_text_put(text, ": "))
		return false;
	if (total == 0)
		return fg_text_put(text, "nothing");
	return fg_drawing_value(&p->drawing, text, total) && fg_text_put(text, ", ") &&
		fg_drawing_share(text, total, whole_of(p, panel)) && fg_text_put(text, " of ") &&
		fg_text_put(text, side_of(panel));
}

/* Boxes of all panels together. */
static bool
write_footnote(Parts *p)
{
	FgBoxes		all = {.min_width = p->options->min_width, .max_rows = p->options->max_rows};
	FgHighlighted highlighted = {0, 0};
	uint64_t	nodes = 0;

	p->drawing.whole = 0;
	for (int i = 0; i < PANELS; i++)
	{
		const FgPanel *panel = &p->panels[i];

		if (panel->boxes.count == 0)
			continue;
		nodes += (uint64_t) panel->tree.nnodes + 1;
		p->drawing.whole += panel->total[0];
		all.drawn += panel->boxes.drawn;
		all.min_width = fmax(all.min_width, panel->boxes.min_width);
		if (panel->boxes.max_rows < all.max_rows)
			all.max_rows = panel->boxes.max_rows;
		all.thin.nodes += panel->boxes.thin.nodes;
		all.thin.total += panel->boxes.thin.total;
		all.deeper.nodes += panel->boxes.deeper.nodes;
		all.deeper.total += panel->boxes.deeper.total;
		if (!fg_panel_highlighted(p->ctx, panel, p->drawing.highlight, &highlighted))
			return false;
	}
	return fg_drawing_footnote(&p->drawing, &all, nodes, &p->footnote) &&
		(p->drawing.highlight == NULL || fg_text_highlighted(&p->footnote, &highlighted));
}

static bool
write_texts(Parts *p)
{
	if (p->input == NULL)
		return fg_text_put(&p->footnote, "nothing to compare");
	for (int i = 0; i < PANELS; i++)
		if (!write_heading(p, i))
			return false;
	return write_subtitle(p) && write_footnote(p);
}

/* --- document ------------------------------------------------------------------------ */

static void
put_panel(Parts *p, int number, uint32_t y)
{
	FgPanel    *panel = &p->panels[number];
	FgDocument *document = &p->drawing.document;

	fg_document_heading(document, fg_text_of(&p->headings[number]), (uint32_t) panel->left, y,
						(uint32_t) column_width(p));
	panel->top = y + heading_height(p, number / 2);
	p->drawing.whole = whole_of(p, number);
	p->drawing.side = side_of(number);
	p->drawing.change = fg_piece_word(pieces[number]);
	fg_xml_format(&document->xml, "<g class=\"%s %s\" stroke-width=\".5\">\n",
				  number == 0 ? "v" : "e", fg_piece_word(pieces[number]));
	for (uint32_t i = 0; i < panel->boxes.count && document->xml.ok; i++)
		fg_drawing_put_box(&p->drawing, panel, &panel->boxes.boxes[i]);
	fg_xml_put(&document->xml, "</g>\n");
}

static void
prepare_document(Parts *p)
{
	static const FgText name = {"Parts of a change", 17};
	const FgFlameOptions *o = p->options;
	FgDocument *d = &p->drawing.document;
	bool		hatched = false;

	d->name = o->title.length > 0 ? o->title : name;
	d->heading = o->title.bytes != NULL ? o->title : name;
	d->subtitle = o->subtitle.bytes != NULL ? o->subtitle : fg_text_of(&p->subtitle);
	d->footnote = fg_text_of(&p->footnote);
	d->notes = o->notes;
	for (int i = 0; i < PANELS; i++)
		hatched |= p->panels[i].boxes.count > p->panels[i].boxes.drawn;
	fg_document_legend(d, (FgLegendEntry) {.label = "width: the same scale in all four"});
	fg_drawing_legend(&p->drawing);
	if (hatched)
		fg_document_legend(d, (FgLegendEntry) {.label = "several together", .hatched = true});
}

/* --- data ---------------------------------------------------------------------------- */

/* Those of a difference without verdicts (diff_data.c). */
static void
put_members(FgXml *xml, const void *arg)
{
	const Parts *p = arg;

	fg_xml_put(xml, ",\"kind\":\"parts\",\"totals\":[");
	fg_xml_number(xml, p->input->whole[FG_BEFORE]);
	fg_xml_put(xml, ",");
	fg_xml_number(xml, p->input->whole[FG_AFTER]);
	fg_xml_put(xml, "]");
}

static FgView
view_of(const Parts *p)
{
	const FgFlameOptions *o = p->options;

	return (FgView) {
		.dark = o->theme == FG_THEME_DARK, .min_width = o->min_width, .max_boxes = o->max_boxes,
		.max_rows = o->max_rows, .frame_height = o->frame_height, .font_size = o->font_size,
		.truncate = o->truncate, .top = fg_document_above(&p->drawing.document),
		.rows = rows_of(p, 0), .color = o->color, .palette = o->palette,
		.fills = p->drawing.fill, .marked = p->drawing.highlight
	};
}

/* Inclusive values by node: before, after, and how much has changed, the four parts together. */
typedef struct Totals
{
	double	   *side[FG_SIDES];
	double	   *change;
} Totals;

static bool
total_of(const Parts *p, double *self, double **total)
{
	FgTree		tree = p->both.tree;

	tree.self = self;
	*total = fg_alloc(p->ctx, (size_t) tree.nnodes + 1, sizeof(double));
	return *total != NULL && fg_tree_totals(p->ctx, &tree, *total);
}

static bool
take_totals(const Parts *p, Totals *totals)
{
	double	   *const *self = p->both.self;
	size_t		nodes = (size_t) p->both.tree.nnodes + 1;
	double	   *change = fg_alloc(p->ctx, nodes, sizeof(double));
	bool		ok = change != NULL;

	for (size_t i = 0; ok && i < nodes; i++)
	{
		change[i] = fabs(self[FG_AFTER][i] - self[FG_BEFORE][i]);
		ok = fg_check_every(p->ctx, i);
	}
	ok = ok && total_of(p, self[FG_BEFORE], &totals->side[FG_BEFORE]) &&
		total_of(p, self[FG_AFTER], &totals->side[FG_AFTER]) &&
		total_of(p, change, &totals->change);
	fg_release(p->ctx, change);
	return ok;
}

static void
put_data(Parts *p)
{
	const FgFlameOptions *o = p->options;
	FgXml	   *xml = &p->drawing.document.xml;
	size_t		nodes = (size_t) p->both.tree.nnodes + 1;
	uint32_t   *none = fg_alloc_zero(p->ctx, nodes, sizeof(uint32_t));
	FgTree		before = p->both.tree;
	Totals		totals = {.change = NULL};
	FgDataSides sides = {
		.after = p->both.self[FG_AFTER], .verdict = none, .put_members = put_members, .arg = p
	};
	FgDataOptions options = {
		.unit = o->unit, .search = o->search, .zoom = o->zoom, .max_nodes = o->max_nodes,
		.view = view_of(p), .sides = &sides
	};

	before.self = p->both.self[FG_BEFORE];
	xml->ok = xml->ok && none != NULL && take_totals(p, &totals);
	sides.total[FG_BEFORE] = totals.side[FG_BEFORE];
	sides.total[FG_AFTER] = totals.side[FG_AFTER];
	fg_data_write(xml, &before, totals.change, &options);
	fg_release(p->ctx, totals.side[FG_BEFORE]);
	fg_release(p->ctx, totals.side[FG_AFTER]);
	fg_release(p->ctx, totals.change);
	fg_release(p->ctx, none);
	fg_document_script(&p->drawing.document, fg_viewer_script);
}

/* --- picture ------------------------------------------------------------------------- */

static bool
draw(Parts *p)
{
	FgDocument *d = &p->drawing.document;
	uint32_t	top = fg_document_above(d);
	uint32_t	heights[2] = {0, 0};
	FgText		description = fg_text_of(p->input == NULL ? &p->footnote : &p->subtitle);

	for (int row = 0; row < 2 && p->input != NULL; row++)
		heights[row] = row_height(p, row);
	fg_document_begin(d, top + heights[0] + heights[1] + fg_document_below(d), description);
	fg_document_top(d);
	for (int i = 0; i < PANELS && p->input != NULL; i++)
		put_panel(p, i, i < 2 ? top : top + heights[0]);
	fg_document_bottom(d, top + heights[0] + heights[1]);
	if (p->options->interactive && p->input != NULL)
		put_data(p);
	fg_document_end(d);
	return d->xml.ok;
}

/* Without anything to compare: a tree of nothing. */
static bool
prepare_nothing(Parts *p)
{
	if (!fg_tree_empty(p->ctx, &p->both.tree) ||
		!fg_drawing_begin(p->ctx, &p->both.tree, p->options, &p->drawing))
		return false;
	p->drawing.document.id = (uint32_t) fg_drawing_mix_options(&p->drawing, 0);
	return true;
}

static bool
prepare(Parts *p)
{
	const Input *input = p->input;

	if (input == NULL)
		return prepare_nothing(p);
	return fg_check_not_negative(p->ctx, input->before, fg_negative_hint) &&
		fg_check_not_negative(p->ctx, input->after, fg_negative_hint) &&
		fg_tree_union(p->ctx, input->before, input->after, &p->both) &&
		fg_settle_rounding(p->ctx, &p->both, 0) &&
		fg_drawing_begin(p->ctx, &p->both.tree, p->options, &p->drawing) && make_id(p) &&
		make_panels(p) && lay_out(p);
}

static void
release(Parts *p)
{
	for (int i = 0; i < PANELS; i++)
	{
		fg_panel_free(p->ctx, &p->panels[i]);
		fg_release(p->ctx, p->headings[i].data);
	}
	fg_drawing_free(&p->drawing);
	fg_tree_union_free(p->ctx, &p->both);
	fg_release(p->ctx, p->subtitle.data);
	fg_release(p->ctx, p->footnote.data);
}

static bool
draw_parts(const Input *input, const FgFlameOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Parts		p = {
		.ctx = ctx, .input = input, .options = options, .drawing.ctx = ctx, .subtitle.ctx = ctx,
		.footnote.ctx = ctx
	};
	bool		ok;

	for (int i = 0; i < PANELS; i++)
		p.headings[i].ctx = ctx;
	ok = prepare(&p) && write_texts(&p);
	if (ok)
	{
		p.drawing.document.xml = fg_xml_begin(*svg);
		prepare_document(&p);
		ok = draw(&p);
		*svg = p.drawing.document.xml.buffer;
	}
	release(&p);
	return ok;
}

bool
fg_parts_svg(const FgTree *before, const FgTree *after, const FgFlameOptions *options,
			 FgBuffer *svg)
{
	FgFacts		facts[FG_SIDES];
	Input		input = {.before = before, .after = after};

	if (!fg_tree_facts(svg->ctx, before, &facts[FG_BEFORE]) ||
		!fg_tree_facts(svg->ctx, after, &facts[FG_AFTER]))
		return false;
	input.whole[FG_BEFORE] = facts[FG_BEFORE].total;
	input.whole[FG_AFTER] = facts[FG_AFTER].total;
	return draw_parts(&input, options, svg);
}

/* --- groups -------------------------------------------------------------------------- */

/* The means, where they differ; "after" is as before where they do not. */
static bool
significant_means(FgContext *ctx, const FgWelchComparison *comparison, double alpha, FgTree *before,
				  FgTree *after, double whole[FG_SIDES])
{
	size_t		bytes = ((size_t) comparison->keys.nnodes + 1) * sizeof(double);

	memset(before->self, 0, bytes);
	memset(after->self, 0, bytes);
	whole[FG_BEFORE] = whole[FG_AFTER] = 0;
	for (uint32_t i = 0; i < comparison->count; i++)
	{
		const FgDifference *row = &comparison->rows[i];

		before->self[row->node] = row->mean_before;
		after->self[row->node] = row->q <= alpha ? row->mean_after : row->mean_before;
		whole[FG_BEFORE] += row->mean_before;
		whole[FG_AFTER] += row->mean_after;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static bool
draw_comparison(const FgWelchComparison *comparison, const Input *input,
				const FgFlameOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Input		means = *input;
	FgTree		before;
	FgTree		after;
	bool		ok;

	if (!fg_tree_copy(ctx, &comparison->keys, &before))
		return false;
	ok = fg_tree_copy(ctx, &comparison->keys, &after);
	if (ok)
	{
		means.before = &before;
		means.after = &after;
		ok = significant_means(ctx, comparison, means.alpha, &before, &after, means.whole) &&
			draw_parts(&means, options, svg);
		fg_tree_free(ctx, &after);
	}
	fg_tree_free(ctx, &before);
	return ok;
}

bool
fg_parts_of_groups(const FgProfiles *before, const FgProfiles *after, double alpha,
				   const FgFlameOptions *options, FgBuffer *svg)
{
	FgCompareOptions compare = {
		.level = FG_LEVEL_STACK, .size = FG_SIZE_NONE, .min_df = 1, .correction = FG_CORRECT_BH
	};
	Input		input = {
		.test = "stacks whose means differ by Welch's test, q after Benjamini and Hochberg",
		.runs = {before->count, after->count}, .alpha = alpha
	};
	FgWelchComparison comparison;
	FgCheckedProfiles checked[FG_SIDES];
	FgContext  *ctx = svg->ctx;
	bool		ok;

	fg_check_profiles(before, "before", &checked[FG_BEFORE]);
	fg_check_profiles(after, "after", &checked[FG_AFTER]);
	if (before->count == 0 || after->count == 0)
		return fg_checked_profiles_read(ctx, &checked[FG_BEFORE]) &&
			fg_checked_profiles_read(ctx, &checked[FG_AFTER]) && draw_parts(NULL, options, svg);
	if (!fg_compare_profiles(ctx, &checked[FG_BEFORE].profiles, &checked[FG_AFTER].profiles, NULL,
							 &compare, NULL, &comparison))
		return false;
	ok = draw_comparison(&comparison, &input, options, svg);
	fg_comparison_free(ctx, &comparison);
	return ok;
}
