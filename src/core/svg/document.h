/*
 * document.h
 *	  What all pictures have around what they show: the element svg with title and
 *	  description, colours of light and dark, lines of text above and below, a legend.
 *
 *		the picture's title and what it is of		fg_document_top
 *		boxes, panels, axes							its own
 *		footnote, notes, legend						fg_document_bottom
 *
 * A document is complete without its style: that adds dark colours, print and hover only,
 * where a page's policy lets it.  The style is the same in all pictures.  Ids begin with
 * that of the document, which is made of what it shows, so pictures can stand in one page.
 *
 * Classes that the script knows: fg the document, b its background, p text on it, p z that
 * below the boxes, p q the heading of a panel, w a text that may be broken anew, k an entry of
 * the legend, v the boxes, e those of further panels, which it draws among them.
 */
#ifndef FG_DOCUMENT_H
#define FG_DOCUMENT_H

#include "core/svg/color.h"
#include "core/svg/xml.h"

/* Text of users; bytes NULL: not given. */
typedef struct FgText
{
	const char *bytes;
	size_t		length;
} FgText;

typedef enum FgTheme
{
	FG_THEME_AUTO,				/* light, and dark where the reader prefers that */
	FG_THEME_LIGHT,
	FG_THEME_DARK
} FgTheme;

/* Characters that are shown of a text of users. */
#define FG_MOST_SHOWN	1000

/* Pixels around everything. */
#define FG_MARGIN	10

/* A colour, or a texture by its name and the colour of its ground. */
typedef struct FgFill
{
	FgColor		color;
	const char *texture;		/* NULL: plain */
} FgFill;

/* A texture without a ground: what is below it is seen between its marks. */
#define FG_NO_GROUND	UINT32_MAX

/* A rectangle on a ground, the mark, again and again in squares of "size" pixels. */
typedef struct FgTexture
{
	const char *name;			/* the end of its id */
	FgColor		ground;
	FgColor		mark;
	int			size;
	int			angle;			/* of the squares, in degrees */
	int			x;
	int			y;
	int			width;
	int			height;
} FgTexture;

struct FgDocument;

/* A picture of its own in front of a label, FG_SAMPLE_WIDTH wide; y is the middle of the line. */
typedef void (*FgPutSample) (struct FgDocument *document, uint32_t what, uint32_t x, uint32_t y);

#define FG_SAMPLE_WIDTH 28

typedef struct FgLegendEntry
{
	const char *label;
	FgFill		fill;
	bool		swatch;			/* false: words alone */
	bool		hatched;
	FgPutSample sample;			/* instead of a swatch; NULL: none */
	uint32_t	what;			/* of it */
} FgLegendEntry;

#define FG_MOST_ENTRIES 20

typedef struct FgDocument
{
	FgXml		xml;
	uint32_t	id;
	uint32_t	width;
	uint32_t	font_size;
	FgTheme		theme;
	const FgTexture *textures;	/* those that fills name */
	uint32_t	ntextures;
	FgText		name;			/* of the element title, never empty */
	FgText		heading;		/* lines of text, each broken where it has to be; may be empty */
	FgText		subtitle;
	FgText		footnote;
	FgText		notes;
	FgLegendEntry legend[FG_MOST_ENTRIES];
	uint32_t	entries;
} FgDocument;

/* Heights in pixels of what stands above and below the picture, margins included. */
extern uint32_t fg_document_above(const FgDocument *document);
extern uint32_t fg_document_below(const FgDocument *document);

/* The element svg, its title, description (plain text) and style, the background. */
extern void fg_document_begin(FgDocument *document, uint32_t height, FgText description);

/* The lines of text above; those below, from y on. */
extern void fg_document_top(FgDocument *document);
extern void fg_document_bottom(FgDocument *document, uint32_t y);

/* A viewer (embedded.h), behind the data that it is for (data.h, chart_data.h). */
extern void fg_document_script(FgDocument *document, const char *script);

/*
 * A bold text in a line of "width" pixels, or in two, of which the second is cut; y is its
 * upper edge.
 */
extern void fg_document_heading(FgDocument *document, FgText text, uint32_t x, uint32_t y,
								uint32_t width);
extern uint32_t fg_document_heading_lines(const FgDocument *document, FgText text, uint32_t width);

/* A text in as many lines as it takes, over the whole width; fg_document_lines says how many. */
extern void fg_document_put_lines(FgDocument *document, FgText text, uint32_t y);
extern uint32_t fg_document_lines(const FgDocument *document, FgText text);

/* Pixels from one line to the next. */
extern uint32_t fg_document_line_height(const FgDocument *document);

extern void fg_document_end(FgDocument *document);

extern void fg_document_legend(FgDocument *document, FgLegendEntry entry);

/* fill="#rrggbb", with a blank in front; of the document's textures their url. */
extern void fg_put_fill(FgXml *xml, FgColor color);
extern void fg_document_put_fill(FgDocument *document, FgFill fill);

/* The background's colour, and that of text on it. */
extern FgColor fg_background(FgTheme theme);
extern FgColor fg_foreground(FgTheme theme);

/* --- text for documents ----------------------------------------------------------- */

/* Bytes of the first FG_MOST_SHOWN characters. */
extern size_t fg_text_shown(FgText text);

/* Appends what is shown of a text; of a longer one also how many characters it has. */
extern bool fg_text_cut(FgBuffer *to, FgText text);

/* Appends text of our own. */
extern bool fg_text_put(FgBuffer *text, const char *words);

/* Appends a count, grouped in threes. */
extern bool fg_text_count(FgBuffer *text, uint64_t count);

static inline FgText
fg_text_of(const FgBuffer *text)
{
	return (FgText) {(const char *) text->data, text->size};
}

#endif							/* FG_DOCUMENT_H */
