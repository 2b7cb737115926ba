/*
 * document.c
 *	  What all pictures have around what they show (see document.h).
 */
#include "core/svg/document.h"

#include "core/svg/embedded.h"
#include "core/svg/label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TITLE_SIZE		16
#define TITLE_HEIGHT	22
#define SWATCH			12
#define GAP				16		/* between entries of the legend */

/* --- colours ---------------------------------------------------------------------- */

#define LIGHT_BACKGROUND	0xFFFFFF
#define DARK_BACKGROUND		0x1B1B1B
#define LIGHT_TEXT			0x222222
#define DARK_TEXT			0xE6E6E6

FgColor
fg_background(FgTheme theme)
{
	return theme == FG_THEME_DARK ? DARK_BACKGROUND : LIGHT_BACKGROUND;
}

FgColor
fg_foreground(FgTheme theme)
{
	return theme == FG_THEME_DARK ? DARK_TEXT : LIGHT_TEXT;
}

void
fg_put_fill(FgXml *xml, FgColor color)
{
	static const char digits[] = "0123456789abcdef";
	char		text[] = " fill=\"#rrggbb\"";

	for (int i = 0; i < 6; i++)
		text[8 + i] = digits[color >> (20 - 4 * i) & 0xF];
	fg_xml_bytes(xml, text, sizeof(text) - 1);
}

void
fg_document_put_fill(FgDocument *d, FgFill fill)
{
	if (fill.texture != NULL)
		fg_xml_format(&d->xml, " fill=\"url(#fg%08x-%s)\"", d->id, fill.texture);
	else
		fg_put_fill(&d->xml, fill.color);
}

/* --- lines ------------------------------------------------------------------------ */

uint32_t
fg_document_line_height(const FgDocument *d)
{
	return d->font_size + 6;
}

/* Columns of a line from x on, in a font of this size. */
static size_t
columns_of_line(const FgDocument *d, uint32_t x, uint32_t font_size)
{
	double		columns = ((double) d->width - FG_MARGIN - x) / (FG_COLUMN_WIDTH * font_size);

	return columns < 1 ? 1 : (size_t) columns;
}

static uint32_t
count_lines(const FgDocument *d, FgText text, uint32_t x)
{
	uint32_t	lines = 0;
	size_t		columns = columns_of_line(d, x, d->font_size);
	size_t		skip;

	text.length = fg_text_shown(text);
	for (size_t at = 0; at < text.length; lines++)
	{
		at += fg_label_line(text.bytes + at, text.length - at, columns, &skip);
		at += skip;
	}
	return lines;
}

/*
 * Writes the lines of a text from x on as a group, which the script may break anew; those with a
 * class stay beginnings of lines.  Returns the y below them.
 */
static uint32_t
put_lines(FgDocument *d, FgText text, uint32_t x, uint32_t y)
{
	size_t		columns = columns_of_line(d, x, d->font_size);
	size_t		skip;
	size_t		size;
	FgText		part = {text.bytes, fg_text_shown(text)};

	if (part.length > 0)
		fg_xml_put(&d->xml, "<g class=\"w\">\n");
	for (size_t at = 0; at < part.length && d->xml.ok; at += size + skip)
	{
		size = fg_label_line(part.bytes + at, part.length - at, columns, &skip);
		fg_xml_format(&d->xml, "<text unicode-bidi=\"isolate\" x=\"%u\" y=\"%u\"%s>", x,
					  y + d->font_size, at > 0 && part.bytes[at - 1] == '\n' ? " class=\"n\"" : "");
		fg_xml_text(&d->xml, part.bytes + at, size, FG_MOST_SHOWN);
		if (at + size + skip >= part.length && part.length < text.length)
			fg_xml_put(&d->xml, "\xE2\x80\xA6");
		fg_xml_put(&d->xml, "</text>\n");
		y += fg_document_line_height(d);
	}
	if (part.length > 0)
		fg_xml_put(&d->xml, "</g>\n");
	return y;
}

/* --- legend ----------------------------------------------------------------------- */

void
fg_document_legend(FgDocument *d, FgLegendEntry entry)
{
	if (d->entries < FG_MOST_ENTRIES)
		d->legend[d->entries++] = entry;
}

static FgText
entry_text(const FgLegendEntry *entry)
{
	return (FgText) {entry->label, strlen(entry->label)};
}

/* Pixels in front of an entry's text. */
static uint32_t
entry_indent(const FgLegendEntry *entry)
{
	if (entry->sample != NULL)
		return FG_SAMPLE_WIDTH + 4;
	return entry->swatch || entry->hatched ? SWATCH + 4 : 0;
}

static uint32_t
entry_width(const FgDocument *d, const FgLegendEntry *entry)
{
	FgText		text = entry_text(entry);
	size_t		columns = fg_columns(text.bytes, text.length);

	return (uint32_t) ceil((double) columns * FG_COLUMN_WIDTH * d->font_size) +
		entry_indent(entry);
}

static void
put_entry(FgDocument *d, const FgLegendEntry *entry, uint32_t x, uint32_t y)
{
	fg_xml_put(&d->xml, "<g class=\"k\">");
	if (entry->sample != NULL)
		entry->sample(d, entry->what, x, y + d->font_size - SWATCH / 2 + 2);
	else if (entry->swatch || entry->hatched)
	{
		fg_xml_format(&d->xml, "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"", x,
					  y + d->font_size - SWATCH + 2, SWATCH, SWATCH);
		if (entry->hatched)
			fg_xml_format(&d->xml, " fill=\"url(#fg%08x-m)\"", d->id);
		else
			fg_document_put_fill(d, entry->fill);
		fg_xml_put(&d->xml, " stroke=\"#888\"/>");
	}
	(void) put_lines(d, entry_text(entry), x + entry_indent(entry), y);
	fg_xml_put(&d->xml, "</g>\n");
}

/*
 * The lines that the legend takes; writes it, too, from y on.  An entry stands beside the
 * one before where there is room; one that is wider than the picture is broken.
 */
static uint32_t
legend_lines(const FgDocument *d, FgDocument *to, uint32_t y)
{
	uint32_t	right = d->width - FG_MARGIN;
	uint32_t	x = FG_MARGIN;
	uint32_t	lines = 0;		/* above the one that the next entry may stand in */
	uint32_t	own = 0;		/* of the entry before */

	for (uint32_t i = 0; i < d->entries; i++)
	{
		const FgLegendEntry *entry = &d->legend[i];
		uint32_t	width = entry_width(d, entry);

		if (own > 1 || (x > FG_MARGIN && x + width > right))
		{
			x = FG_MARGIN;
			lines += own;
		}
		own = count_lines(d, entry_text(entry), x + entry_indent(entry));
		if (to != NULL)
			put_entry(to, entry, x, y + lines * fg_document_line_height(d));
		x += width + GAP;
	}
	return lines + own;
}

/* --- document --------------------------------------------------------------------- */

uint32_t
fg_document_above(const FgDocument *d)
{
	return FG_MARGIN + (d->heading.length > 0 ? TITLE_HEIGHT : 0) +
		count_lines(d, d->subtitle, FG_MARGIN) * fg_document_line_height(d) + 4;
}

uint32_t
fg_document_below(const FgDocument *d)
{
	uint32_t	lines = count_lines(d, d->footnote, FG_MARGIN) +
		count_lines(d, d->notes, FG_MARGIN) + legend_lines(d, NULL, 0);

	return 4 + lines * fg_document_line_height(d) + FG_MARGIN;
}

/* Constant, so that a server's policy can name it: what is of one document is in its attributes. */
static void
put_style(FgDocument *d)
{
	fg_xml_put(&d->xml, "<style>");
	fg_xml_put(&d->xml, fg_viewer_style);
	fg_xml_put(&d->xml, "</style>\n");
}

static void
put_texture(FgDocument *d, const FgTexture *texture)
{
	FgXml	   *xml = &d->xml;

	fg_xml_format(xml, "<pattern id=\"fg%08x-%s\" width=\"%d\" height=\"%d\" "
				  "patternUnits=\"userSpaceOnUse\"", d->id, texture->name, texture->size,
				  texture->size);
	if (texture->angle != 0)
		fg_xml_format(xml, " patternTransform=\"rotate(%d)\"", texture->angle);
	fg_xml_put(xml, ">");
	if (texture->ground != FG_NO_GROUND)
		fg_xml_format(xml, "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>", texture->size,
					  texture->size, texture->ground);
	fg_xml_put(xml, "<rect");
	if (texture->x != 0 || texture->y != 0)
		fg_xml_format(xml, " x=\"%d\" y=\"%d\"", texture->x, texture->y);
	fg_xml_format(xml, " width=\"%d\" height=\"%d\" fill=\"#%06x\"/></pattern>", texture->width,
				  texture->height, texture->mark);
}

/* Stripes for what stands for several. */
static void
put_patterns(FgDocument *d)
{
	FgXml	   *xml = &d->xml;

	fg_xml_format(xml, "<defs><pattern id=\"fg%08x-m\" width=\"6\" height=\"6\" "
				  "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
				  "<rect width=\"6\" height=\"6\" fill=\"#%06x\"/>"
				  "<rect width=\"1\" height=\"6\" fill=\"#%06x\"/></pattern>",
				  d->id, FG_COLOR_HATCH, FG_COLOR_HATCH_LINE);
	for (uint32_t i = 0; i < d->ntextures; i++)
		put_texture(d, &d->textures[i]);
	fg_xml_put(xml, "</defs>\n");
}

void
fg_document_begin(FgDocument *d, uint32_t height, FgText description)
{
	FgXml	   *xml = &d->xml;

	static const char *const themes[] = {"auto", "light", "dark"};

	fg_xml_format(xml, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fg fg-%s\" "
				  "id=\"fg%08x\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" "
				  "aria-labelledby=\"fg%08x-t fg%08x-d\" "
				  "font-family=\"ui-monospace,monospace\" font-size=\"%u\" direction=\"ltr\">\n",
				  themes[d->theme], d->id, d->width, height, d->width, height, d->id, d->id,
				  d->font_size);
	fg_xml_format(xml, "<title id=\"fg%08x-t\">", d->id);
	fg_xml_text(xml, d->name.bytes, d->name.length, FG_MOST_SHOWN);
	fg_xml_format(xml, "</title>\n<desc id=\"fg%08x-d\">", d->id);
	fg_xml_text(xml, description.bytes, description.length, FG_MOST_SHOWN);
	fg_xml_put(xml, "</desc>\n");
	put_style(d);
	put_patterns(d);
	fg_xml_format(xml, "<rect class=\"b\" width=\"%u\" height=\"%u\"", d->width, height);
	fg_put_fill(xml, fg_background(d->theme));
	fg_xml_put(xml, "/>\n");
}

static void
begin_text(FgDocument *d, const char *class)
{
	fg_xml_format(&d->xml, "<g class=\"%s\"", class);
	fg_put_fill(&d->xml, fg_foreground(d->theme));
	fg_xml_put(&d->xml, ">\n");
}

/* The title is one line: it is short, or its beginning says enough. */
static void
put_heading(FgDocument *d)
{
	FgXml	   *xml = &d->xml;
	FgLabel		label = fg_label_fit(d->heading.bytes, fg_text_shown(d->heading),
									 columns_of_line(d, FG_MARGIN, TITLE_SIZE), FG_TRUNCATE_END);

	fg_xml_format(xml, "<text unicode-bidi=\"isolate\" x=\"%d\" y=\"%d\" font-size=\"%d\" "
				  "font-weight=\"bold\">", FG_MARGIN, FG_MARGIN + TITLE_SIZE - 2, TITLE_SIZE);
	fg_xml_text(xml, d->heading.bytes, label.end, FG_MOST_SHOWN);
	if (label.cut_end || label.end < d->heading.length)
		fg_xml_put(xml, "\xE2\x80\xA6");
	fg_xml_put(xml, "</text>\n");
}

void
fg_document_top(FgDocument *d)
{
	uint32_t	y = FG_MARGIN;

	begin_text(d, "p");
	if (d->heading.length > 0)
	{
		put_heading(d);
		y += TITLE_HEIGHT;
	}
	(void) put_lines(d, d->subtitle, FG_MARGIN, y);
	fg_xml_put(&d->xml, "</g>\n");
}

void
fg_document_bottom(FgDocument *d, uint32_t y)
{
	begin_text(d, "p z");
	y = put_lines(d, d->footnote, FG_MARGIN, y + 4);
	y = put_lines(d, d->notes, FG_MARGIN, y);
	(void) legend_lines(d, d, y);
	fg_xml_put(&d->xml, "</g>\n");
}

/* CDATA is the one form that readers of XML and of HTML take for the same text. */
void
fg_document_script(FgDocument *d, const char *script)
{
	fg_xml_put(&d->xml, "<script><![CDATA[");
	fg_xml_put(&d->xml, script);
	fg_xml_put(&d->xml, "]]></script>\n");
}

void
fg_document_end(FgDocument *d)
{
	fg_xml_put(&d->xml, "</svg>\n");
}

static size_t
columns_of_heading(const FgDocument *d, uint32_t width)
{
	return (size_t) (width / (FG_COLUMN_WIDTH * d->font_size));
}

uint32_t
fg_document_heading_lines(const FgDocument *d, FgText text, uint32_t width)
{
	return fg_columns(text.bytes, fg_text_shown(text)) <= columns_of_heading(d, width) ? 1 : 2;
}

static void
put_heading_line(FgDocument *d, FgText text, uint32_t x, uint32_t y, size_t columns)
{
	FgLabel		label = fg_label_fit(text.bytes, text.length, columns, FG_TRUNCATE_END);

	fg_xml_format(&d->xml, "<text unicode-bidi=\"isolate\" x=\"%u\" y=\"%u\">", x,
				  y + d->font_size);
	fg_xml_text(&d->xml, text.bytes, label.end, FG_MOST_SHOWN);
	if (label.cut_end)
		fg_xml_put(&d->xml, "\xE2\x80\xA6");
	fg_xml_put(&d->xml, "</text>\n");
}

void
fg_document_heading(FgDocument *d, FgText text, uint32_t x, uint32_t y, uint32_t width)
{
	size_t		columns = columns_of_heading(d, width);
	FgText		line = {text.bytes, fg_text_shown(text)};
	size_t		skip = 0;
	size_t		size = fg_label_line(line.bytes, line.length, columns, &skip);

	begin_text(d, "p q");
	fg_xml_put(&d->xml, "<g class=\"w\" font-weight=\"bold\">\n");
	put_heading_line(d, (FgText) {line.bytes, size}, x, y, columns);
	if (size + skip < line.length)
		put_heading_line(d, (FgText) {line.bytes + size + skip, line.length - size - skip}, x,
						 y + fg_document_line_height(d), columns);
	fg_xml_put(&d->xml, "</g>\n</g>\n");
}

uint32_t
fg_document_lines(const FgDocument *d, FgText text)
{
	return count_lines(d, text, FG_MARGIN);
}

void
fg_document_put_lines(FgDocument *d, FgText text, uint32_t y)
{
	begin_text(d, "p q");
	(void) put_lines(d, text, FG_MARGIN, y);
	fg_xml_put(&d->xml, "</g>\n");
}

/* --- text for documents ----------------------------------------------------------- */

size_t
fg_text_shown(FgText text)
{
	size_t		characters = 0;

	if (text.length <= FG_MOST_SHOWN)
		return text.length;
	for (size_t at = 0; at < text.length; at++)
	{
		characters += ((unsigned char) text.bytes[at] & 0xC0) != 0x80;
		if (characters > FG_MOST_SHOWN)
			return at;
	}
	return text.length;
}

bool
fg_text_cut(FgBuffer *to, FgText text)
{
	size_t		shown = fg_text_shown(text);
	uint64_t	characters = 0;
	char		count[40];

	if (text.length == 0)
		return true;
	if (!fg_buffer_append(to, text.bytes, shown))
		return false;
	if (shown == text.length)
		return true;
	for (size_t at = 0; at < text.length; at++)
	{
		characters += ((unsigned char) text.bytes[at] & 0xC0) != 0x80;
		if (!fg_check_every(to->ctx, at))
			return false;
	}
	snprintf(count, sizeof(count), "\xE2\x80\xA6 (%llu characters)",
			 (unsigned long long) characters);
	return fg_text_put(to, count);
}

bool
fg_text_put(FgBuffer *text, const char *words)
{
	return fg_buffer_append(text, words, strlen(words));
}

bool
fg_text_count(FgBuffer *text, uint64_t count)
{
	char		digits[24];
	int			n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long) count);
	bool		ok = true;

	for (int i = 0; ok && i < n; i++)
		ok = (i == 0 || (n - i) % 3 != 0 || fg_buffer_append(text, ",", 1)) &&
			fg_buffer_append(text, &digits[i], 1);
	return ok;
}
