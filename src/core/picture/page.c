/*
 * page.c
 *	  Pages of HTML (see page.h).
 */
#include "core/picture/page.h"

#include "core/svg/embedded.h"
#include "core/svg/svg_copy.h"

#include <string.h>

#define DEEPEST_HEADING 6

static void
put_text(FgPage *page, FgText text)
{
	fg_xml_text(&page->xml, text.bytes, text.length, FG_MOST_SHOWN);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Names may be broken behind their signs, http::|parse_|request(|int), but not numbers and times. */
static bool
ends_part(FgText text, size_t i)
{
	static const char signs[] = "./:_,(<;";

	if (i + 1 >= text.length || strchr(signs, text.bytes[i]) == NULL ||
		strchr(signs, text.bytes[i + 1]) != NULL)
		return false;
	return i == 0 || !is_digit(text.bytes[i - 1]) || !is_digit(text.bytes[i + 1]);
}

void
fg_page_put_parts(FgPage *page, FgText text, size_t most)
{
	bool		whole = text.length <= FG_PAGE_SHORT_TEXT || text.length > FG_MOST_SHOWN;
	size_t		from = 0;

	for (size_t i = 0; !whole && i < text.length && page->xml.ok; i++)
	{
		if (!ends_part(text, i))
			continue;
		fg_xml_text(&page->xml, text.bytes + from, i + 1 - from, most);
		fg_xml_put(&page->xml, "<wbr>");
		from = i + 1;
	}
	fg_xml_text(&page->xml, text.bytes + from, text.length - from, most);
}

/* --- around everything ------------------------------------------------------------------ */

static void
put_policy(FgPage *page)
{
	fg_xml_format(&page->xml, "<meta http-equiv=\"Content-Security-Policy\" content=\""
				  "default-src 'none'; script-src '%s' '%s' '%s'; style-src '%s' '%s'; img-src data:; "
				  "base-uri 'none'; form-action 'none'\">\n",
				  fg_page_script_hash, fg_viewer_script_hash, fg_chart_script_hash,
				  fg_page_style_hash, fg_viewer_style_hash);
}

static void
put_style(FgPage *page, const char *style)
{
	fg_xml_put(&page->xml, "<style>");
	fg_xml_put(&page->xml, style);
	fg_xml_put(&page->xml, "</style>\n");
}

static void
put_script(FgPage *page, const char *script)
{
	fg_xml_put(&page->xml, "<script>");
	fg_xml_put(&page->xml, script);
	fg_xml_put(&page->xml, "</script>\n");
}

void
fg_page_begin(FgPage *page, const FgPageHead *head)
{
	static const char *const themes[] = {"auto", "light", "dark"};
	FgXml	   *xml = &page->xml;

	fg_xml_format(xml, "<!DOCTYPE html>\n<html lang=\"en\" class=\"%s\">\n<head>\n"
				  "<meta charset=\"utf-8\">\n", themes[head->theme]);
	put_policy(page);
	fg_xml_put(xml, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			   "<title>");
	put_text(page, head->title);
	fg_xml_put(xml, "</title>\n");
	put_style(page, fg_page_style);
	put_style(page, fg_viewer_style);
	fg_xml_put(xml, "</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n"
			   "<header>\n<h1>");
	put_text(page, head->title);
	fg_xml_put(xml, "</h1>\n");
	if (head->subtitle.length > 0)
		fg_page_text(page, head->subtitle);
	fg_xml_put(xml, "</header>\n");
	page->level = 1;
}

void
fg_page_contents_begin(FgPage *page)
{
	fg_xml_put(&page->xml, "<nav aria-label=\"Contents\">\n<ol>\n");
}

void
fg_page_contents_item(FgPage *page, FgText text)
{
	fg_xml_format(&page->xml, "<li><a href=\"#h%u\">", ++page->headings);
	put_text(page, text);
	fg_xml_put(&page->xml, "</a></li>\n");
}

void
fg_page_contents_end(FgPage *page)
{
	fg_xml_put(&page->xml, "</ol>\n</nav>\n");
	page->headings = 0;
}

void
fg_page_main(FgPage *page)
{
	fg_xml_put(&page->xml, "<main id=\"main\">\n");
}

void
fg_page_end(FgPage *page, FgText notes)
{
	fg_xml_put(&page->xml, "</main>\n");
	if (notes.length > 0)
	{
		fg_xml_put(&page->xml, "<footer>\n");
		fg_page_text(page, notes);
		fg_xml_put(&page->xml, "</footer>\n");
	}
	put_script(page, fg_page_script);
	if (page->data)
		put_script(page, fg_viewer_script);
	if (page->charts)
		put_script(page, fg_chart_script);
	fg_xml_put(&page->xml, "</body>\n</html>\n");
}

/* --- what stands in it ------------------------------------------------------------------ */

void
fg_page_heading(FgPage *page, FgText text)
{
	int			level = page->depth + 2;

	/* none is left out on the way down */
	if (level > page->level + 1)
		level = page->level + 1;
	if (level > DEEPEST_HEADING)
		level = DEEPEST_HEADING;
	page->level = level;
	if (page->depth == 0)
		fg_xml_format(&page->xml, "<h%d id=\"h%u\">", level, ++page->headings);
	else
		fg_xml_format(&page->xml, "<h%d>", level);
	put_text(page, text);
	fg_xml_format(&page->xml, "</h%d>\n", level);
}

/* The first empty line from "at" on, or the end. */
static size_t
paragraph_end(FgText text, size_t at)
{
	while (at + 1 < text.length && !(text.bytes[at] == '\n' && text.bytes[at + 1] == '\n'))
		at++;
	return at + 1 < text.length ? at : text.length;
}

/* Lines of a paragraph stay lines. */
static void
put_paragraph(FgPage *page, const char *text, size_t length)
{
	const char *end = text + length;

	fg_xml_put(&page->xml, "<p>");
	while (text < end && page->xml.ok)
	{
		const char *stop = memchr(text, '\n', (size_t) (end - text));
		size_t		line = (size_t) ((stop != NULL ? stop : end) - text);

		fg_xml_text(&page->xml, text, line, FG_PAGE_MOST_TEXT);
		if (stop != NULL && stop + 1 < end)
			fg_xml_put(&page->xml, "<br>\n");
		text += line + (stop != NULL);
	}
	fg_xml_put(&page->xml, "</p>\n");
}

void
fg_page_text(FgPage *page, FgText text)
{
	size_t		at = 0;

	while (at < text.length && page->xml.ok)
	{
		size_t		end = paragraph_end(text, at);

		if (text.bytes[at] != '\n')
			put_paragraph(page, text.bytes + at, end - at);
		at = text.bytes[at] == '\n' ? at + 1 : end;
	}
}

bool
fg_page_may_be_anchor(FgText name)
{
	for (size_t i = 0; i < name.length; i++)
	{
		char		c = name.bytes[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			  c == '-' || c == '_' || c == '.'))
			return false;
	}
	return name.length > 0 && name.length <= 100;
}

/* Names of users begin so that they are none of ours. */
void
fg_page_anchor(FgPage *page, FgText name)
{
	fg_xml_put(&page->xml, "<a id=\"to-");
	put_text(page, name);
	fg_xml_put(&page->xml, "\"></a>\n");
}

void
fg_page_facts_begin(FgPage *page)
{
	fg_xml_put(&page->xml, "<dl>\n");
}

void
fg_page_fact(FgPage *page, FgText name, FgText value)
{
	fg_xml_put(&page->xml, "<div><dt>");
	put_text(page, name);
	fg_xml_put(&page->xml, "</dt><dd>");
	fg_xml_text(&page->xml, value.bytes, value.length, FG_PAGE_MOST_TEXT);
	fg_xml_put(&page->xml, "</dd></div>\n");
}

void
fg_page_facts_end(FgPage *page)
{
	fg_xml_put(&page->xml, "</dl>\n");
}

bool
fg_page_picture(FgPage *page, FgText svg, FgText caption)
{
	FgSvgParts	parts;

	fg_xml_put(&page->xml, "<figure>\n");
	if (!page->xml.ok || !fg_svg_copy(&page->xml, svg, ++page->pictures, &parts))
		return false;
	page->data |= parts.data;
	page->charts |= parts.chart;
	if (caption.length > 0)
	{
		fg_xml_put(&page->xml, "<figcaption>");
		put_text(page, caption);
		fg_xml_put(&page->xml, "</figcaption>\n");
	}
	fg_xml_put(&page->xml, "</figure>\n");
	return page->xml.ok;
}

void
fg_page_part_begin(FgPage *page, FgText title, bool open)
{
	fg_xml_put(&page->xml, open ? "<details open>\n<summary>" : "<details>\n<summary>");
	fg_page_put_parts(page, title, FG_MOST_SHOWN);
	fg_xml_put(&page->xml, "</summary>\n");
	page->depth++;
}

void
fg_page_part_end(FgPage *page)
{
	fg_xml_put(&page->xml, "</details>\n");
	page->depth--;
}
