/*
 * xml_stream.h
 *	  XML in blocks of any size, as a stream of the elements that a format asks for.
 *
 * A format lists its places as rules: in the element at place "parent", one of this name is
 * at place "place".  Elements without a rule are checked to be XML and otherwise left out,
 * with all in them.
 *
 * Memory does not grow with the input, only with its depth, its longest tag and the longest text
 * of an element (limits).  A document type is an error: so nothing is fetched, and no entity
 * stands for more than a character.  Errors have line and column of where the element begins
 * or ends, or of what is not XML, however the blocks were cut.
 */
#ifndef FG_XML_STREAM_H
#define FG_XML_STREAM_H

#include "core/base/context.h"

#include <string.h>

#define FG_XML_MAX_TEXT		(UINT32_C(1) << 20)

/* The place of the document, whose one element is the first of all. */
#define FG_XML_ROOT 0

/* Rules of one parent stand together; the last of all has place 0. */
typedef struct FgXmlRule
{
	int			parent;
	const char *name;
	int			place;			/* from 1 on */
} FgXmlRule;

/* UTF-8, not terminated; a word more can be read.  Texts last as long as the call that has them. */
typedef struct FgXmlText
{
	const char *text;			/* NULL: there is none */
	size_t		length;
} FgXmlText;

typedef struct FgXmlStream FgXmlStream;

typedef struct FgXmlElement
{
	bool		end;
	FgXmlText	text;			/* at its end: the text behind the last element in it */
} FgXmlElement;

/* False, with the error set, ends the work. */
typedef bool (*FgXmlHandler) (void *arg, int place, const FgXmlElement *element);

/* "what" names the kind of file in messages; the rules must live as long. */
extern FgXmlStream *fg_xml_stream_open(FgContext *ctx, const char *what, const FgXmlRule *rules,
						  FgXmlHandler handler, void *arg);
extern bool fg_xml_stream_feed(FgXmlStream *xml, const char *bytes, size_t size);
extern bool fg_xml_stream_finish(FgXmlStream *xml);
extern void fg_xml_stream_close(FgXmlStream *xml);

/* Of the element that begins; without a text: it has no such attribute. */
extern FgXmlText fg_xml_stream_attribute(const FgXmlStream *xml, const char *name);

static inline bool
fg_xml_text_is(FgXmlText text, const char *word)
{
	return text.length == strlen(word) && memcmp(text.text, word, text.length) == 0;
}

/* For handlers: an error about the element that they were called with; returns false. */
extern bool fg_xml_stream_fail(FgXmlStream *xml, FgErrorCode code, const char *hint, const char *reason,...)
			__attribute__((format(printf, 4, 5)));

/* The same for an error that something else has set: adds the place.  Returns "ok". */
extern bool fg_xml_stream_at(FgXmlStream *xml, bool ok);

#endif							/* FG_XML_STREAM_H */
