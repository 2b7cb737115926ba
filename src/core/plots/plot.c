/*
 * plot.c
 *	  The document of a plot: what identifies it, its legend, its panels (see plot.h).
 */
#include "core/plots/plot_internal.h"
#include "core/svg/drawing.h"

#include "core/svg/label.h"

#include <string.h>

#define FONT_SIZE 12

FgPlotOptions
fg_plot_defaults(void)
{
	return (FgPlotOptions) {.width = 800, .height = 400, .grid = true, .legend = true};
}

/* --- identity ----------------------------------------------------------------------- */

static uint64_t
mix_text(uint64_t hash, FgText text)
{
	return fg_mix(hash, text.bytes == NULL ? 1 : fg_fnv1a(text.bytes, text.length));
}

static bool
mix_texts(FgContext *ctx, const FgText *texts, size_t count, uint64_t *hash)
{
	*hash = fg_mix(*hash, texts == NULL ? 0 : count);
	for (size_t i = 0; texts != NULL && i < count; i++)
	{
		*hash = mix_text(*hash, texts[i]);
		if (!fg_work(ctx, texts[i].length))
			return false;
	}
	return true;
}

static bool
mix_numbers(FgContext *ctx, const double *numbers, size_t count, uint64_t *hash)
{
	*hash = fg_mix(*hash, numbers == NULL ? 1 : count);
	for (size_t i = 0; numbers != NULL && i < count; i++)
	{
		*hash = fg_mix(*hash, fg_double_bits(numbers[i]));
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static bool
mix_layer(FgContext *ctx, const FgLayer *layer, uint64_t *hash)
{
	*hash = fg_mix(fg_mix(*hash, layer->mark), (uint64_t) layer->panel << 32 | layer->style);
	*hash = fg_mix(mix_text(*hash, layer->name), fg_double_bits(layer->end));
	return mix_numbers(ctx, layer->x, layer->n, hash) &&
		mix_numbers(ctx, layer->y, layer->n, hash) &&
		mix_numbers(ctx, layer->lower, layer->n, hash) &&
		mix_numbers(ctx, layer->upper, layer->n, hash) &&
		mix_texts(ctx, layer->more, layer->n, hash) &&
		(layer->words == NULL || mix_texts(ctx, layer->words, layer->n, hash));
}

static uint64_t
mix_options(const FgPlotOptions *o, uint64_t hash)
{
	hash = mix_text(mix_text(mix_text(hash, o->title), o->subtitle), o->notes);
	hash = mix_text(mix_text(mix_text(hash, o->x_label), o->y_label), o->unit);
	hash = fg_mix(fg_mix(fg_mix(hash, o->width), o->height), o->columns);
	return fg_mix(hash, (uint64_t) o->x_scale | (uint64_t) o->y_scale << 4 |
				  (uint64_t) o->theme << 8 | (uint64_t) o->y_zero << 12 |
				  (uint64_t) o->grid << 13 | (uint64_t) o->legend << 14 |
				  (uint64_t) o->free_y << 15 | (uint64_t) o->free_x << 16);
}

/* Of all that is drawn: pictures that differ have different ids. */
static bool
make_id(FgPlotDrawing *d)
{
	const FgPlot *plot = d->plot;
	uint64_t	hash = mix_options(d->options, mix_text(UINT64_C(0xCBF29CE484222325), plot->name));

	hash = mix_text(mix_text(mix_text(hash, plot->subtitle), plot->description), plot->footnote);
	if (!mix_texts(d->ctx, plot->panels, plot->npanels, &hash) ||
		(plot->facts != NULL && !mix_texts(d->ctx, plot->facts, plot->npanels, &hash)) ||
		!mix_texts(d->ctx, plot->names, plot->nnames, &hash))
		return false;
	for (size_t l = 0; l < plot->nlayers; l++)
	{
		if (!mix_layer(d->ctx, &plot->layers[l], &hash))
			return false;
	}
	for (size_t s = 0; s < plot->nshades; s++)
	{
		const FgShade *shade = &plot->shades[s];
		double		ends[] = {shade->from, shade->to};

		hash = mix_text(mix_text(hash, shade->label), shade->title);
		if (!mix_numbers(d->ctx, ends, 2, &hash))
			return false;
	}
	for (size_t r = 0; r < plot->nrules; r++)
	{
		hash = mix_text(mix_text(hash, plot->rules[r].label), plot->rules[r].title);
		hash = fg_mix(hash, fg_double_bits(plot->rules[r].at));
		if (!fg_work(d->ctx, plot->rules[r].label.length + plot->rules[r].title.length))
			return false;
	}
	d->document.id = (uint32_t) (hash ^ hash >> 32);
	return true;
}

/* --- legend ------------------------------------------------------------------------- */

/* What a sample shows, as bits. */
#define SAMPLE_MARK		8
#define SAMPLE_BARE		16
#define SAMPLE_BAND		17
#define SAMPLE_DOTTED	18
#define SAMPLE_FILLED	19

static uint32_t
sample_of(const FgLayer *layer)
{
	return layer->style | (uint32_t) layer->mark << SAMPLE_MARK |
		(uint32_t) layer->bare << SAMPLE_BARE |
		(uint32_t) (layer->lower != NULL) << SAMPLE_BAND |
		(uint32_t) (layer->dashes == fg_dotted) << SAMPLE_DOTTED |
		(uint32_t) layer->filled << SAMPLE_FILLED;
}

static bool
has_bit(uint32_t what, int bit)
{
	return (what >> bit & 1) != 0;
}

static void
put_sample_line(FgXml *xml, uint32_t what, uint32_t x, uint32_t y)
{
	uint32_t	style = what & 0xFF;
	FgColor		color = fg_series_color(style);

	if (has_bit(what, SAMPLE_BAND))
		fg_xml_format(xml, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"12\" fill=\"#%06x\" "
					  "fill-opacity=\".2\" stroke=\"#%06x\" stroke-width=\".75\"%s/>", x, y - 6,
					  FG_SAMPLE_WIDTH, color, color, fg_dotted);
	fg_xml_format(xml, "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" stroke=\"#%06x\" "
				  "stroke-width=\"2\"%s/>", x, y, x + FG_SAMPLE_WIDTH, y, color,
				  has_bit(what, SAMPLE_DOTTED) ? fg_dotted : fg_series_dashes(style));
}

static void
put_sample(FgDocument *document, uint32_t what, uint32_t x, uint32_t y)
{
	FgXml	   *xml = &document->xml;
	uint32_t	style = what & 0xFF;
	FgMark		mark = (FgMark) (what >> SAMPLE_MARK & 0xFF);
	uint32_t	shape = has_bit(what, SAMPLE_FILLED) ? FG_DIAMOND : style;

	fg_xml_put(xml, "<g");
	fg_put_fill(xml, fg_series_color(style));
	fg_xml_put(xml, ">");
	if (mark == FG_MARK_LINE || mark == FG_MARK_STEPS)
		put_sample_line(xml, what, x, y);
	if (mark == FG_MARK_BARS)
		fg_xml_format(xml, "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\"/>",
					  x + FG_SAMPLE_WIDTH - 12, y - 6);
	else if (!has_bit(what, SAMPLE_BARE))
	{
		fg_put_shape(xml, shape, 100 * (int64_t) x + 50 * FG_SAMPLE_WIDTH, 100 * (int64_t) y,
					 mark == FG_MARK_POINTS ? 350 : 250);
		fg_xml_put(xml, fg_shape_end(shape));
	}
	fg_xml_put(xml, "</g>");
}

/* A series that is in several panels is one entry. */
static bool
is_new(const FgPlot *plot, size_t l)
{
	const FgLayer *layer = &plot->layers[l];

	if (layer->unnamed || layer->name.length == 0)
		return false;
	for (size_t other = 0; other < l; other++)
	{
		const FgLayer *before = &plot->layers[other];

		if (!before->unnamed && before->style == layer->style && before->mark == layer->mark &&
			before->name.length == layer->name.length &&
			memcmp(before->name.bytes, layer->name.bytes, layer->name.length) == 0)
			return false;
	}
	return true;
}

static bool
make_legend(FgPlotDrawing *d)
{
	const FgPlot *plot = d->plot;
	FgDocument *document = &d->document;

	for (size_t l = 0; l < plot->nlayers && document->entries < FG_MOST_ENTRIES; l++)
	{
		FgBuffer   *text = &d->entries[document->entries];

		if (!is_new(plot, l))
			continue;
		if (!fg_text_cut(text, plot->layers[l].name) || !fg_buffer_append(text, "", 1))
			return false;
		fg_document_legend(document, (FgLegendEntry) {
			.label = (const char *) text->data, .sample = put_sample,
			.what = sample_of(&plot->layers[l])
		});
	}
	for (uint32_t i = 0; i < plot->nlegend; i++)
		fg_document_legend(document, plot->legend[i]);
	if (d->cells)
		fg_plot_cells_legend(document);
	return true;
}

/* --- document ----------------------------------------------------------------------- */

static bool
prepare(FgPlotDrawing *d)
{
	const FgPlot *plot = d->plot;
	const FgPlotOptions *o = d->options;
	FgDocument *document = &d->document;

	document->width = o->width;
	document->font_size = FONT_SIZE;
	document->theme = o->theme;
	document->textures = plot->textures;
	document->ntextures = plot->ntextures;
	document->name = o->title.length > 0 ? o->title : plot->name;
	document->heading = o->title.bytes != NULL ? o->title : plot->name;
	document->subtitle = o->subtitle.bytes != NULL ? o->subtitle : plot->subtitle;
	document->footnote = plot->footnote;
	document->notes = o->notes;
	for (size_t l = 0; l < plot->nlayers; l++)
		d->points += plot->layers[l].mark == FG_MARK_POINTS ? plot->layers[l].n : 0;
	d->cells = d->points > FG_MOST_POINTS;
	return make_id(d) && (!o->legend || make_legend(d)) && fg_plot_lay_out(d);
}

static bool
put_panels(FgPlotDrawing *d)
{
	const FgPlot *plot = d->plot;
	FgXml	   *xml = &d->document.xml;

	fg_plot_put_words(d);
	for (uint32_t p = 0; p < plot->npanels; p++)
	{
		fg_xml_format(xml, "<g class=\"a\" data-p=\"%u\">\n", p);
		if (!fg_plot_put_panel(d, p))
			return false;
		for (size_t l = 0; l < plot->nlayers; l++)
		{
			if (plot->layers[l].panel == p && !fg_plot_put_layer(d, &plot->layers[l]))
				return false;
		}
		if (!fg_plot_put_rules(d, p) || !fg_plot_put_labels(d, p))
			return false;
		fg_xml_put(xml, "</g>\n");
	}
	return xml->ok;
}

static bool
draw(FgPlotDrawing *d)
{
	FgDocument *document = &d->document;
	bool		ok = true;

	fg_document_begin(document, fg_plot_height(d), d->plot->description);
	fg_document_top(document);
	if (d->nlabels > 0)
		ok = put_panels(d);
	fg_document_bottom(document, d->bottom);
	fg_document_end(document);
	return ok && document->xml.ok;
}

static void
release(FgPlotDrawing *d)
{
	fg_release(d->ctx, d->panels);
	fg_release(d->ctx, d->label_at);
	fg_release(d->ctx, d->label_width);
	fg_release(d->ctx, d->x_words.data);
	fg_release(d->ctx, d->y_words.data);
	for (int i = 0; i < FG_MOST_ENTRIES; i++)
		fg_release(d->ctx, d->entries[i].data);
}

bool
fg_plot_svg(const FgPlot *plot, const FgPlotOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	FgPlotDrawing d = {
		.ctx = ctx, .plot = plot, .options = options, .x_words.ctx = ctx, .y_words.ctx = ctx
	};
	bool		ok;

	for (int i = 0; i < FG_MOST_ENTRIES; i++)
		d.entries[i].ctx = ctx;
	ok = prepare(&d);
	if (ok)
	{
		d.document.xml = fg_xml_begin(*svg);
		ok = draw(&d);
		*svg = d.document.xml.buffer;
	}
	release(&d);
	return ok;
}
