/*
 * xml_stream.c
 *	  A stream of the wanted elements of an XML file, over expat (see xml_stream.h).
 */
#include "core/reading/xml_stream.h"

#include "core/base/bytes.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where expat notices an error may depend on how it got the bytes, so it gets blocks of one size. */
#define BLOCK_BYTES ((size_t) FG_CHECK_BYTES / 16)

/* expat looks at a tag anew with each block, so its time grows with the square. */
#define MAX_TAG_BYTES (UINT32_C(4) << 20)

/* Of an open element. */
typedef struct Level
{
	int			place;			/* NOWHERE: it has no rule, and nothing in it has */
} Level;

#define NOWHERE (-1)

struct FgXmlStream
{
	FgContext  *ctx;
	const char *what;
	const FgXmlRule *rules;
	FgXmlHandler handler;
	void	   *arg;
	XML_Parser	expat;
	bool		failed;			/* ctx has the error */
	Level	   *levels;
	size_t		depth;
	size_t		capacity;
	FgBuffer	text;
	uint64_t	fed;
	size_t		buffered;
	char		buffer[BLOCK_BYTES];
};

/* --- memory ------------------------------------------------------------------ */

/*
 * expat's hooks get nothing of their caller, so whose memory it is stands here while expat is
 * being called.  Clients read in several threads.
 */
static _Thread_local FgContext *caller;

static void *
allocate(size_t size)
{
	return fg_alloc(caller, size, 1);
}

static void *
reallocate(void *pointer, size_t size)
{
	return pointer == NULL ? fg_alloc(caller, size, 1) : fg_resize(caller, pointer, size, 1);
}

static void
release(void *pointer)
{
	fg_release(caller, pointer);
}

/* --- errors ------------------------------------------------------------------- */

static void
find_place(const FgXmlStream *xml, uint64_t *line, uint64_t *column)
{
	*line = XML_GetCurrentLineNumber(xml->expat);
	*column = XML_GetCurrentColumnNumber(xml->expat) + 1;
}

bool
fg_xml_stream_fail(FgXmlStream *xml, FgErrorCode code, const char *hint, const char *reason,...)
{
	char		text[sizeof(xml->ctx->error.reason)];
	uint64_t	line;
	uint64_t	column;
	va_list		args;

	va_start(args, reason);
	vsnprintf(text, sizeof(text), reason, args);
	va_end(args);
	find_place(xml, &line, &column);
	return fg_fail_at(xml->ctx, code, line, column, hint, "%s", text);
}

bool
fg_xml_stream_at(FgXmlStream *xml, bool ok)
{
	FgError    *error = &xml->ctx->error;

	if (!ok && error->line == 0 &&
		(error->code == FG_ERROR_SYNTAX || error->code == FG_ERROR_ENCODING ||
		 error->code == FG_ERROR_LIMIT || error->code == FG_ERROR_RANGE))
		find_place(xml, &error->line, &error->column);
	return ok;
}

/* Of a handler of expat: false ends the parse. */
static void
expect(FgXmlStream *xml, bool ok)
{
	if (ok)
		return;
	xml->failed = true;
	XML_StopParser(xml->expat, XML_FALSE);
}

/* --- elements ------------------------------------------------------------------- */

static int
find_rule(const FgXmlStream *xml, int parent, const char *name)
{
	const FgXmlRule *rule = xml->rules;

	for (; rule->place != 0; rule++)
	{
		if (rule->parent == parent && strcmp(rule->name, name) == 0)
			return rule->place;
	}
	return NOWHERE;
}

static bool
begin_element(FgXmlStream *xml, const char *name, const char **attributes)
{
	int			parent = xml->depth > 0 ? xml->levels[xml->depth - 1].place : FG_XML_ROOT;
	int			place = parent == NOWHERE ? NOWHERE : find_rule(xml, parent, name);
	FgXmlElement element = {.attributes = (const char *const *) attributes};

	if (xml->depth >= FG_XML_MAX_DEPTH)
		return fg_xml_stream_fail(xml, FG_ERROR_LIMIT, NULL, "elements are nested more than %d deep",
						   FG_XML_MAX_DEPTH);
	if (!fg_reserve(xml->ctx, (void **) &xml->levels, &xml->capacity, xml->depth + 1, sizeof(Level)))
		return false;
	xml->levels[xml->depth++].place = place;
	xml->text.size = 0;
	return place == NOWHERE || xml->handler(xml->arg, place, &element);
}

static bool
end_element(FgXmlStream *xml)
{
	int			place = xml->levels[--xml->depth].place;
	FgXmlElement element = {.end = true};
	bool		ok = place == NOWHERE || fg_buffer_append(&xml->text, "", 1);

	if (place != NOWHERE && ok)
	{
		element.text = (char *) xml->text.data;
		element.length = xml->text.size - 1;
		ok = xml->handler(xml->arg, place, &element);
	}
	xml->text.size = 0;
	return ok;
}

static bool
add_text(FgXmlStream *xml, const char *text, size_t length)
{
	if (xml->depth == 0 || xml->levels[xml->depth - 1].place == NOWHERE)
		return true;
	if (length > FG_XML_MAX_TEXT - xml->text.size)
		return fg_xml_stream_fail(xml, FG_ERROR_LIMIT, NULL, "the text of an element is longer than %u bytes",
						   FG_XML_MAX_TEXT);
	return fg_buffer_append(&xml->text, text, length);
}

static void
on_begin(void *arg, const char *name, const char **attributes)
{
	FgXmlStream *xml = arg;

	if (!xml->failed)
		expect(xml, begin_element(xml, name, attributes));
}

static void
on_end(void *arg, const char *name)
{
	FgXmlStream *xml = arg;

	(void) name;
	if (!xml->failed)
		expect(xml, end_element(xml));
}

static void
on_text(void *arg, const char *text, int length)
{
	FgXmlStream *xml = arg;

	if (!xml->failed)
		expect(xml, add_text(xml, text, (size_t) length));
}

static void
on_doctype(void *arg, const char *name, const char *system, const char *public, int internal)
{
	FgXmlStream *xml = arg;

	(void) name;
	(void) system;
	(void) public;
	(void) internal;
	if (!xml->failed)
		expect(xml, fg_xml_stream_fail(xml, FG_ERROR_SYNTAX, NULL, "a document type is not read"));
}

/* --- bytes ------------------------------------------------------------------------ */

static bool
fail_parse(FgXmlStream *xml)
{
	enum XML_Error code = XML_GetErrorCode(xml->expat);

	if (xml->failed)
		return false;
	if (code == XML_ERROR_NO_MEMORY)
		return fg_fail(xml->ctx, FG_ERROR_MEMORY, "out of memory");
	if (code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN ||
		code == XML_ERROR_PARTIAL_CHAR)
		return fg_xml_stream_fail(xml, FG_ERROR_SYNTAX, "It may have been cut off.", "the %s ends too early",
						   xml->what);
	return fg_xml_stream_fail(xml, FG_ERROR_SYNTAX, NULL, "it is not XML: %s", XML_ErrorString(code));
}

static bool
parse(FgXmlStream *xml, const char *bytes, size_t size, bool last)
{
	long long	at;

	if (!fg_work(xml->ctx, size))
		return false;
	caller = xml->ctx;
	if (XML_Parse(xml->expat, bytes, (int) size, last) != XML_STATUS_OK)
		return fail_parse(xml);
	xml->fed += size;
	at = XML_GetCurrentByteIndex(xml->expat);
	if (at >= 0 && xml->fed - (uint64_t) at > MAX_TAG_BYTES)
		return fg_xml_stream_fail(xml, FG_ERROR_LIMIT, NULL, "a tag is longer than %u bytes", MAX_TAG_BYTES);
	return true;
}

bool
fg_xml_stream_feed(FgXmlStream *xml, const char *bytes, size_t size)
{
	while (size > 0)
	{
		size_t		part = BLOCK_BYTES - xml->buffered;

		part = part < size ? part : size;
		memcpy(xml->buffer + xml->buffered, bytes, part);
		xml->buffered += part;
		bytes += part;
		size -= part;
		if (xml->buffered < BLOCK_BYTES)
			return true;
		xml->buffered = 0;
		if (!parse(xml, xml->buffer, BLOCK_BYTES, false))
			return false;
	}
	return true;
}

bool
fg_xml_stream_finish(FgXmlStream *xml)
{
	size_t		size = xml->buffered;

	xml->buffered = 0;
	return parse(xml, xml->buffer, size, true);
}

/* --- life --------------------------------------------------------------------------- */

FgXmlStream *
fg_xml_stream_open(FgContext *ctx, const char *what, const FgXmlRule *rules, FgXmlHandler handler,
			void *arg)
{
	static const XML_Memory_Handling_Suite memory = {allocate, reallocate, release};
	FgXmlStream *xml = fg_alloc_zero(ctx, 1, sizeof(FgXmlStream));

	if (xml == NULL)
		return NULL;
	xml->ctx = xml->text.ctx = ctx;
	xml->what = what;
	xml->rules = rules;
	xml->handler = handler;
	xml->arg = arg;
	caller = ctx;
	xml->expat = XML_ParserCreate_MM(NULL, &memory, NULL);
	if (xml->expat == NULL)
	{
		fg_xml_stream_close(xml);
		return NULL;
	}
	XML_SetUserData(xml->expat, xml);
	/* not 0, which would have expat ask the system for one */
	XML_SetHashSalt(xml->expat, (unsigned long) ctx->seed | 1);
	XML_SetElementHandler(xml->expat, on_begin, on_end);
	XML_SetCharacterDataHandler(xml->expat, on_text);
	XML_SetStartDoctypeDeclHandler(xml->expat, on_doctype);
	return xml;
}

void
fg_xml_stream_close(FgXmlStream *xml)
{
	if (xml == NULL)
		return;
	caller = xml->ctx;
	if (xml->expat != NULL)
		XML_ParserFree(xml->expat);
	fg_release(xml->ctx, xml->levels);
	fg_release(xml->ctx, xml->text.data);
	fg_release(xml->ctx, xml);
}

const char *
fg_xml_stream_attribute(const FgXmlElement *element, const char *name)
{
	for (size_t i = 0; element->attributes != NULL && element->attributes[i] != NULL; i += 2)
	{
		if (strcmp(element->attributes[i], name) == 0)
			return element->attributes[i + 1];
	}
	return NULL;
}
