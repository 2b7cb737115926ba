/*
 * heat_map.c
 *	  The document of a heat map (see heat_map.h).
 */
#include "core/heat_maps/heat_map_internal.h"

#include "core/plots/plot_say.h"
#include "core/svg/drawing.h"

#define FONT_SIZE 12

static const FgText heat_map_name = {"Heat map", 8};

FgHeatOptions
fg_heat_defaults(void)
{
	return (FgHeatOptions) {.width = 800, .cell_height = FG_HEAT_HEIGHT, .legend = true};
}

/* --- identity ----------------------------------------------------------------------- */

static uint64_t
mix_text(uint64_t hash, FgText text)
{
	return fg_mix(hash, text.bytes == NULL ? 1 : fg_fnv1a(text.bytes, text.length));
}

static bool
mix_texts(FgContext *ctx, const FgText *texts, uint32_t count, uint64_t *hash)
{
	*hash = fg_mix(*hash, count);
	for (uint32_t i = 0; i < count; i++)
	{
		*hash = mix_text(*hash, texts[i]);
		if (!fg_work(ctx, texts[i].length))
			return false;
	}
	return true;
}

static bool
mix_cells(FgContext *ctx, const FgHeatMap *map, uint64_t *hash)
{
	for (size_t i = 0; i < map->ncells; i++)
	{
		const FgHeatCell *cell = &map->cells[i];
		uint64_t	value = isnan(cell->value) ? 1 : fg_double_bits(cell->value);

		*hash = fg_mix(fg_mix(*hash, (uint64_t) cell->line << 32 | cell->column), value);
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static uint64_t
mix_options(const FgHeatOptions *o, uint64_t hash)
{
	hash = mix_text(mix_text(mix_text(mix_text(hash, o->title), o->subtitle), o->notes), o->unit);
	return fg_mix(fg_mix(hash, (uint64_t) o->width << 32 | o->cell_height),
				  (uint64_t) o->scale | (uint64_t) o->theme << 8 | (uint64_t) o->legend << 16);
}

/* Of all that is drawn: pictures that differ have different ids. */
static bool
make_id(FgHeatDrawing *d)
{
	const FgHeatMap *map = d->map;
	uint64_t	hash = mix_options(d->options, mix_text(UINT64_C(0xCBF29CE484222325),
														heat_map_name));

	hash = fg_mix(mix_text(mix_text(hash, map->subtitle), map->footnote), d->truncate);
	if (!mix_texts(d->ctx, map->lines, map->nlines, &hash) ||
		!mix_texts(d->ctx, map->columns, map->ncolumns, &hash) || !mix_cells(d->ctx, map, &hash))
		return false;
	d->document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

/* --- texts -------------------------------------------------------------------------- */

/*
 * Texts as titles have them: each cell has those of its line and column, and looking through a
 * long one as often would take minutes.  What is cut is appended to a buffer, whose place is
 * known when it is complete: until then its texts have a place in it, and no bytes.
 */
static bool
cut_texts(FgContext *ctx, const FgText *texts, uint32_t count, FgBuffer *cut, FgText *titles)
{
	for (uint32_t i = 0; i < count; i++)
	{
		size_t		start = cut->size;

		titles[i] = texts[i];
		if (!fg_work(ctx, texts[i].length))
			return false;
		if (fg_text_shown(texts[i]) == texts[i].length)
			continue;
		if (!fg_text_cut(cut, texts[i]))
			return false;
		titles[i] = (FgText) {NULL, cut->size - start};
	}
	return true;
}

static size_t
find_cut(const FgBuffer *cut, size_t at, uint32_t count, FgText *titles)
{
	for (uint32_t i = 0; i < count; i++)
	{
		if (titles[i].bytes != NULL || titles[i].length == 0)
			continue;
		titles[i].bytes = (const char *) cut->data + at;
		at += titles[i].length;
	}
	return at;
}

static bool
make_titles(FgHeatDrawing *d)
{
	const FgHeatMap *map = d->map;
	size_t		at;

	d->line_titles = fg_alloc(d->ctx, map->nlines, sizeof(FgText));
	d->column_titles = fg_alloc(d->ctx, map->ncolumns, sizeof(FgText));
	if (d->line_titles == NULL || d->column_titles == NULL ||
		!cut_texts(d->ctx, map->lines, map->nlines, &d->cut, d->line_titles) ||
		!cut_texts(d->ctx, map->columns, map->ncolumns, &d->cut, d->column_titles) ||
		!cut_texts(d->ctx, &d->options->unit, 1, &d->cut, &d->unit_title))
		return false;
	at = find_cut(&d->cut, 0, map->nlines, d->line_titles);
	at = find_cut(&d->cut, at, map->ncolumns, d->column_titles);
	(void) find_cut(&d->cut, at, 1, &d->unit_title);
	return true;
}

/* --- document ----------------------------------------------------------------------- */

/* The picture's own, and what became of columns for which there was no room. */
static bool
write_footnote(FgHeatDrawing *d)
{
	FgSaid		said = {.text = d->footnote, .ok = true};
	uint32_t	last = d->each > 1 ? d->map->ncolumns % d->each : 0;

	fg_say_text(&said, d->map->footnote);
	if (d->each > 1)
	{
		fg_say(&said, "; columns averaged ");
		said.ok = said.ok && fg_text_count(&said.text, d->each);
		fg_say(&said, " by ");
		said.ok = said.ok && fg_text_count(&said.text, d->each);
		if (last > 0)
		{
			fg_say(&said, ", the last ");
			said.ok = said.ok && fg_text_count(&said.text, last);
		}
		fg_say(&said, ": means of the values that are there");
	}
	d->footnote = said.text;
	d->document.footnote = fg_text_of(&d->footnote);
	return said.ok;
}

static bool
prepare(FgHeatDrawing *d)
{
	const FgHeatMap *map = d->map;
	const FgHeatOptions *o = d->options;
	FgDocument *document = &d->document;

	d->truncate = o->shortened ? o->truncate : map->truncate;
	document->width = o->width;
	document->font_size = FONT_SIZE;
	document->theme = o->theme;
	document->name = o->title.length > 0 ? o->title : heat_map_name;
	document->heading = o->title.bytes != NULL ? o->title : heat_map_name;
	document->subtitle = o->subtitle.bytes != NULL ? o->subtitle : map->subtitle;
	document->notes = o->notes;
	if (!make_id(d) || !make_titles(d) || !fg_heat_lay_out(d) || !write_footnote(d))
		return false;
	if (d->empty > 0 && o->legend)
		fg_document_legend(document, (FgLegendEntry) {.label = "no value", .hatched = true});
	return true;
}

static bool
draw(FgHeatDrawing *d)
{
	FgDocument *document = &d->document;

	fg_document_begin(document, d->end + fg_document_below(document), d->map->description);
	fg_document_top(document);
	if (d->shown > 0 && (!fg_heat_put_names(d) || !fg_heat_put_cells(d)))
		return false;
	if (d->scaled && d->options->legend && !fg_heat_put_bar(d))
		return false;
	fg_document_bottom(document, d->end);
	fg_document_end(document);
	return document->xml.ok;
}

bool
fg_heat_map_svg(const FgHeatMap *map, const FgHeatOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	FgHeatDrawing d = {
		.ctx = ctx, .map = map, .options = options, .unit_name.ctx = ctx, .footnote.ctx = ctx,
		.cut.ctx = ctx
	};
	bool		ok = prepare(&d);

	if (ok)
	{
		d.document.xml = fg_xml_begin(*svg);
		ok = draw(&d);
		*svg = d.document.xml.buffer;
	}
	fg_release(ctx, d.sums);
	fg_release(ctx, d.cut.data);
	fg_release(ctx, d.line_titles);
	fg_release(ctx, d.column_titles);
	fg_release(ctx, d.label_at);
	fg_release(ctx, d.label_width);
	fg_release(ctx, d.unit_name.data);
	fg_release(ctx, d.footnote.data);
	return ok;
}
