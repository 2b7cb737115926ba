/*
 * xml_tokens.h
 *	  The tokens of an XML text that comes in blocks, and their places; for xml_stream.c.
 *
 * What is read is XML 1.0 (fifth edition) in UTF-8 without a document type, as a processor reads it that does not
 * validate: tags match, attributes are distinct and normalised, references to characters and to the five entities
 * are undone, line ends are line feeds, comments and processing instructions are left out.  What is not
 * well-formed is an error.  A document type is one, too: so nothing is fetched, and no entity stands for more than a
 * character.
 *
 * A tag lies in the window in one piece; texts come in as many as the window and references make of them.  What the
 * window cuts goes on where it was cut, so no byte is looked at again because a tag is long.  Nothing recurses; memory
 * grows with the longest tag and the depth, which have limits.
 */
#ifndef FG_XML_TOKENS_H
#define FG_XML_TOKENS_H

#include "core/reading/text_window.h"

#define FG_XML_MAX_DEPTH	1000
#define FG_XML_MAX_TAG		(UINT32_C(4) << 20)
#define FG_XML_MAX_NAME		4096

/* Attributes that are compared with each other; more are looked up. */
#ifndef FG_XML_FEW_ATTRIBUTES
#define FG_XML_FEW_ATTRIBUTES 16
#endif

typedef enum FgXmlToken
{
	FG_XML_MORE,				/* the window ends before the token does */
	FG_XML_ERROR,				/* ctx->error says which, with its place */
	FG_XML_BEGIN,				/* the name and attributes of a tag; "empty": it is the end, too */
	FG_XML_END,
	FG_XML_TEXT					/* a part of a text */
} FgXmlToken;

/* Offsets are behind the begin of the tag. */
typedef struct FgXmlAttribute
{
	uint32_t	name;
	uint32_t	name_length;
	uint32_t	value;
	uint32_t	length;
	bool		decoded;		/* the value is in "decoded" */
} FgXmlAttribute;

/* The value of an attribute that the window has cut. */
typedef struct FgXmlValue
{
	uint8_t		quote;			/* 0: none is open */
	bool		high;			/* some byte is above 0x7F */
	bool		decoded;		/* some character is not as it is written */
	uint32_t	name;
	uint32_t	name_length;
	uint32_t	start;
	uint32_t	at;				/* how far it was looked at */
	uint32_t	run;			/* what is not in "decoded" yet */
	uint32_t	begin;			/* in "decoded" */
} FgXmlValue;

typedef struct FgXmlTokens
{
	FgContext  *ctx;
	FgTextWindow window;

	/* the token that was read last, until the window is dropped */
	size_t		token;			/* where it begins */
	const char *text;			/* the name of a tag that begins, or text; a word more can be read */
	size_t		length;
	bool		empty;
	FgXmlAttribute *attributes;
	size_t		attribute_count;
	size_t		attribute_capacity;
	FgBuffer	decoded;

	/* what is open */
	int			inside;
	bool		has_root;
	uint32_t	depth;
	uint32_t	resume;			/* where the tag goes on that the window cut; 0: it begins */
	FgXmlValue	value;
	FgBuffer	names;			/* of the open elements */
	uint32_t	ends[FG_XML_MAX_DEPTH + 1]; /* of each name; ends[0] is 0 */
	char		piece[8];		/* text that stands for a reference or a line end */
} FgXmlTokens;

extern void fg_xml_tokens_begin(FgContext *ctx, FgXmlTokens *xml);
extern void fg_xml_tokens_free(FgXmlTokens *xml);

extern FgXmlToken fg_xml_token(FgXmlTokens *xml);

/* When there are no more tokens, and nothing comes any more: has the document ended?  "what" names it in the error. */
extern bool fg_xml_tokens_finish(FgXmlTokens *xml, const char *what);

/* The place of the token that was read last. */
extern void fg_xml_tokens_place(FgXmlTokens *xml, uint64_t *line, uint64_t *column);

/* An error at the token that was read last; returns false. */
extern bool fg_xml_tokens_fail(FgXmlTokens *xml, FgErrorCode code, const char *hint, const char *reason,...)
			__attribute__((format(printf, 4, 5)));

/* Names are short: a call would take longer. */
static inline bool
fg_xml_same_name(const char *a, const char *b, size_t length)
{
	size_t		i = 0;

	while (i < length && a[i] == b[i])
		i++;
	return i == length;
}

/* The value of an attribute of a tag that has just begun, or NULL; a word behind it can be read. */
static inline const char *
fg_xml_attribute(const FgXmlTokens *xml, const char *name, size_t name_length, size_t *length)
{
	const char *tag = (const char *) xml->window.data + xml->token;

	for (size_t i = 0; i < xml->attribute_count; i++)
	{
		const FgXmlAttribute *attribute = &xml->attributes[i];

		if (attribute->name_length != name_length || !fg_xml_same_name(tag + attribute->name, name, name_length))
			continue;
		*length = attribute->length;
		return (attribute->decoded ? (const char *) xml->decoded.data : tag) + attribute->value;
	}
	return NULL;
}

#endif							/* FG_XML_TOKENS_H */
