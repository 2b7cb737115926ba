/*
 * page.h
 *	  Pages of HTML: headings, texts, facts, tables, pictures, parts that open.
 *
 * A page is one file that asks for nothing else: its policy (Content-Security-Policy) lets
 * the two scripts and two styles in whose hashes it names, and nothing more.  Without scripts
 * it shows everything; they sort and filter tables, open what is printed, and make viewers
 * of the pictures.  It holds no time of its making: equal contents give equal bytes.
 *
 *		fg_page_begin
 *		fg_page_contents_begin, fg_page_contents_item ..., fg_page_contents_end		optional
 *		fg_page_main
 *		fg_page_heading, fg_page_text, fg_page_picture, ... and tables (page_table.h)
 *		fg_page_end
 *
 * Text of users goes through fg_xml_text.  As in xml.h errors stay in page->xml.ok.
 */
#ifndef FG_PAGE_H
#define FG_PAGE_H

#include "core/svg/document.h"

/* Characters that are shown of a paragraph. */
#define FG_PAGE_MOST_TEXT	100000

typedef struct FgPageHead
{
	FgText		title;			/* never empty */
	FgText		subtitle;		/* may be empty */
	FgTheme		theme;
} FgPageHead;

typedef struct FgPage
{
	FgXml		xml;
	int			level;			/* of the last heading */
	int			depth;			/* of parts that open */
	uint32_t	headings;		/* so far, those of parts not counted */
	uint32_t	pictures;
	uint32_t	tables;
	bool		data;			/* a picture has data for the viewer */
	bool		charts;			/* and a flame chart for its own */
} FgPage;

extern void fg_page_begin(FgPage *page, const FgPageHead *head);
extern void fg_page_contents_begin(FgPage *page);
extern void fg_page_contents_item(FgPage *page, FgText text);
extern void fg_page_contents_end(FgPage *page);
extern void fg_page_main(FgPage *page);

/*
 * A heading, one level below the part that it stands in.  The n-th one outside of parts is
 * what the n-th item of the contents leads to.
 */
extern void fg_page_heading(FgPage *page, FgText text);

/* A text that is no longer is never broken. */
#define FG_PAGE_SHORT_TEXT 12

/*
 * A name within something else, at most so many characters of it, which may be broken behind
 * each of its parts where it is long.
 */
extern void fg_page_put_parts(FgPage *page, FgText text, size_t most);

/* Paragraphs, with an empty line between them. */
extern void fg_page_text(FgPage *page, FgText text);

/* A place that links lead to; may_be_anchor: letters, digits, "-", "_" and ".", 100 at most. */
extern bool fg_page_may_be_anchor(FgText name);
extern void fg_page_anchor(FgPage *page, FgText name);

extern void fg_page_facts_begin(FgPage *page);
extern void fg_page_fact(FgPage *page, FgText name, FgText value);
extern void fg_page_facts_end(FgPage *page);

/* A picture of ours (svg_copy.h), with a line below it. */
extern bool fg_page_picture(FgPage *page, FgText svg, FgText caption);

/* A part that opens. */
extern void fg_page_part_begin(FgPage *page, FgText title, bool open);
extern void fg_page_part_end(FgPage *page);

extern void fg_page_end(FgPage *page, FgText notes);

#endif							/* FG_PAGE_H */
