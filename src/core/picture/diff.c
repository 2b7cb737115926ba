/*
 * diff.c
 *	  The picture of a difference (see diff.h).
 */
#include "core/picture/diff_internal.h"
#include "core/picture/group_means.h"

#include <math.h>

/* Pixels between the boxes and the heading of the panel below. */
#define GAP 6

const char *const fg_widths_words[] = {"union", "after", "before", "change"};
const char *const fg_size_words[FG_SIZE_WORDS] = {"none", "median_ratio", "total"};

/* --- what is drawn ----------------------------------------------------------------- */

static void
choose_pieces(FgDiff *d)
{
	static const struct
	{
		unsigned	pieces;
		FgPiece		elided;
	}			choices[] = {
		[FG_WIDTHS_UNION] = {FG_ALL_PIECES, FG_PIECES},
		[FG_WIDTHS_AFTER] = {
			FG_PIECE(FG_COMMON) | FG_PIECE(FG_GROWN) | FG_PIECE(FG_APPEARED), FG_DISAPPEARED
		},
		[FG_WIDTHS_BEFORE] = {
			FG_PIECE(FG_COMMON) | FG_PIECE(FG_SHRUNK) | FG_PIECE(FG_DISAPPEARED), FG_APPEARED
		},
		[FG_WIDTHS_CHANGE] = {FG_ALL_PIECES & ~FG_PIECE(FG_COMMON), FG_PIECES}
	};

	d->pieces = choices[d->options->widths].pieces;
	d->elided = choices[d->options->widths].elided;
}

/* Of a number that comes from exp() and the like, which libraries round in their own ways. */
static uint64_t
rounded_bits(double number)
{
	return (fg_double_bits(number) + (UINT64_C(1) << 23)) >> 24;
}

static bool
make_id(FgDiff *d)
{
	uint64_t	hash = fg_mix((uint64_t) d->options->widths | (uint64_t) d->options->level << 8 |
							  (uint64_t) d->options->size << 16 | (uint64_t) d->input->by << 24,
							  fg_double_bits(d->options->alpha));

	hash = fg_mix(fg_mix(hash, d->input->runs[FG_BEFORE]), d->input->runs[FG_AFTER]);
	hash = fg_mix(hash, rounded_bits(d->input->comparison->factor));
	if (!fg_drawing_mix_nodes(&d->drawing, d->both.self[FG_BEFORE], &hash) ||
		!fg_drawing_mix_nodes(&d->drawing, d->both.self[FG_AFTER], &hash))
		return false;
	for (uint32_t i = 0; i < d->verdicts.count; i++)
	{
		hash = fg_mix(fg_mix(hash, rounded_bits(d->verdicts.list[i].q)),
					  d->verdicts.list[i].state);
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	hash = fg_drawing_mix_options(&d->drawing, hash);
	d->drawing.document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

/* --- panels ------------------------------------------------------------------------ */

static bool
panel_of_all(FgDiff *d)
{
	double	   *total = fg_alloc(d->ctx, (size_t) d->both.tree.nnodes + 1, sizeof(double));
	bool		ok = total != NULL &&
		fg_sum_of_parts(d->ctx, &d->parts, d->pieces, d->both.tree.nnodes, total) &&
		fg_panel_of(&d->drawing, d->both.tree.self, total, &d->main);

	fg_release(d->ctx, total);
	return ok;
}

static bool
panel_of_elided(FgDiff *d)
{
	const FgTree *tree = &d->both.tree;
	double	   *self;
	bool		ok;

	if (!fg_diff_is_elided(d))
		return true;
	self = fg_alloc(d->ctx, (size_t) tree->nnodes + 1, sizeof(double));
	ok = self != NULL;
	for (uint32_t i = 0; ok && i <= tree->nnodes; i++)
	{
		self[i] = fg_piece_of(d->elided, d->both.self[FG_BEFORE][i], d->both.self[FG_AFTER][i]);
		d->elided_stacks += self[i] > 0;
		ok = fg_check_every(d->ctx, i);
	}
	ok = ok && fg_panel_of(&d->drawing, self, d->parts.total[d->elided], &d->below);
	fg_release(d->ctx, self);
	return ok;
}

/* Both on one scale. */
static bool
lay_out(FgDiff *d)
{
	double		width = d->options->look.width - 2.0 * FG_MARGIN;
	double		whole;

	if (!panel_of_all(d) || !panel_of_elided(d))
		return false;
	d->drawing.whole = d->main.total[0];
	whole = fg_diff_is_elided(d) ? fmax(d->main.total[0], d->below.total[0]) : d->main.total[0];
	return fg_panel_lay_out(&d->drawing, &d->main, whole, width) &&
		(!fg_diff_is_elided(d) || fg_panel_lay_out(&d->drawing, &d->below, whole, width));
}

/* --- document ---------------------------------------------------------------------- */

static void
prepare_document(FgDiff *d)
{
	static const FgText name = {"Difference of flame graphs", 26};
	const FgFlameOptions *o = &d->options->look;
	FgDocument *document = &d->drawing.document;

	document->name = o->title.length > 0 ? o->title : name;
	document->heading = o->title.bytes != NULL ? o->title : name;
	document->subtitle = o->subtitle.bytes != NULL ? o->subtitle : fg_text_of(&d->subtitle);
	document->footnote = fg_text_of(&d->footnote);
	document->notes = o->notes;
	document->textures = fg_diff_textures(o->palette, &document->ntextures);
	if (d->input != NULL)
		fg_diff_legend(d);
}

static void
put_panel(FgDiff *d, const FgPanel *panel, const char *group)
{
	FgXml	   *xml = &d->drawing.document.xml;

	fg_xml_put(xml, group);
	for (uint32_t i = 0; i < panel->boxes.count && xml->ok; i++)
		fg_diff_put_box(d, panel, &panel->boxes.boxes[i]);
	fg_xml_put(xml, "</g>\n");
}

static uint32_t
heading_height(const FgDiff *d)
{
	return GAP + fg_document_lines(&d->drawing.document, fg_text_of(&d->heading)) *
		fg_document_line_height(&d->drawing.document);
}

static void
put_below(FgDiff *d, uint32_t y)
{
	FgDocument *document = &d->drawing.document;

	fg_document_put_lines(document, fg_text_of(&d->heading), y + GAP);
	d->below.top = y + heading_height(d);
	put_panel(d, &d->below, "<g class=\"e\" stroke-width=\".5\">\n");
}

static bool
draw(FgDiff *d)
{
	FgDocument *document = &d->drawing.document;
	uint32_t	row = d->options->look.frame_height + 1;
	uint32_t	height = d->main.boxes.rows * row;
	uint32_t	below = !fg_diff_is_elided(d) ? 0 :
		heading_height(d) + d->below.boxes.rows * row;
	uint32_t	top = fg_document_above(document);

	d->main.top = top;
	fg_document_begin(document, top + height + below + fg_document_below(document),
					  fg_text_of(&d->description));
	fg_document_top(document);
	put_panel(d, &d->main, "<g class=\"v\" stroke-width=\".5\">\n");
	if (fg_diff_is_elided(d))
		put_below(d, top + height);
	fg_document_bottom(document, top + height + below);
	if (d->options->look.interactive && d->input != NULL)
		fg_diff_put_data(d);
	fg_document_end(document);
	return document->xml.ok;
}

/* --- interface --------------------------------------------------------------------- */

static bool
settle(FgDiff *d)
{
	double		whole = fmax(d->both.total[FG_BEFORE][0], d->both.total[FG_AFTER][0]);

	return fg_settle_rounding(d->ctx, &d->both, d->input->rounding * whole);
}

static bool
prepare(FgDiff *d)
{
	const FgDiffInput *input = d->input;

	return fg_check_not_negative(d->ctx, input->before, fg_negative_hint) &&
		fg_check_not_negative(d->ctx, input->after, fg_negative_hint) &&
		fg_tree_union(d->ctx, input->before, input->after, &d->both) && settle(d) &&
		fg_change_parts(d->ctx, &d->both, &d->parts) &&
		fg_verdicts(d->ctx, &d->both.tree, input->comparison, d->options->level, input->by,
					d->options->alpha, &d->verdicts) &&
		fg_drawing_begin(d->ctx, &d->both.tree, &d->options->look, &d->drawing) &&
		make_id(d) && lay_out(d);
}

/* Without anything to compare: a tree of nothing. */
static bool
prepare_nothing(FgDiff *d)
{
	if (!fg_tree_empty(d->ctx, &d->both.tree) ||
		!fg_drawing_begin(d->ctx, &d->both.tree, &d->options->look, &d->drawing))
		return false;
	d->drawing.document.id = (uint32_t) fg_drawing_mix_options(&d->drawing, 0);
	return true;
}

static void
release(FgDiff *d)
{
	fg_panel_free(d->ctx, &d->main);
	fg_panel_free(d->ctx, &d->below);
	fg_drawing_free(&d->drawing);
	fg_verdicts_free(d->ctx, &d->verdicts);
	fg_change_parts_free(d->ctx, &d->parts);
	fg_tree_union_free(d->ctx, &d->both);
	fg_release(d->ctx, d->subtitle.data);
	fg_release(d->ctx, d->description.data);
	fg_release(d->ctx, d->footnote.data);
	fg_release(d->ctx, d->heading.data);
}

bool
fg_diff_svg(const FgDiffInput *input, const FgDiffOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	FgDiff		d = {
		.ctx = ctx, .input = input, .options = options, .elided = FG_PIECES,
		.intervals.alpha = options->alpha, .drawing.ctx = ctx, .subtitle.ctx = ctx,
		.description.ctx = ctx, .footnote.ctx = ctx, .heading.ctx = ctx
	};
	bool		ok;

	if (input != NULL)
		choose_pieces(&d);
	ok = (input == NULL ? prepare_nothing(&d) : prepare(&d)) && fg_diff_write_texts(&d);
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
