/*
 * fuzz_xml.c
 *	  XML in blocks: our tokens against expat, another reader of streams.  The first byte says how the text is cut.
 *
 * Properties: elements, attributes and texts are those that expat has; what one refuses the other does; nothing
 * depends on the cuts; nothing is kept.  Known to differ: expat has names as the fourth edition of XML 1.0 has them,
 * takes any version and any length, and reads other encodings than UTF-8, which it is told to leave alone here.
 */
#include "support.h"

#include "core/reading/xml_tokens.h"

#include <expat.h>
#include <string.h>

#define BLOCK 65536

/* What a reader has said, and how it ended. */
typedef struct Heard
{
	FgContext	memory;			/* apart from what is tested */
	FgBuffer	log;
	FgErrorCode code;
	char		reason[sizeof(((FgError *) NULL)->reason)];
	uint64_t	line;
	uint64_t	column;
	bool		ok;
	bool		old_name;		/* expat's: a character above 0x7F is to blame */
	XML_Parser	expat;
} Heard;

static void
note(Heard *heard, const char *what, const char *text, size_t length)
{
	REQUIRE(fg_buffer_append(&heard->log, what, strlen(what)) && fg_buffer_append(&heard->log, text, length));
}

/* --- ours ------------------------------------------------------------------------- */

static void
note_tag(Heard *heard, const FgXmlTokens *xml)
{
	const char *tag = (const char *) xml->window.data + xml->token;

	note(heard, "\1<", xml->text, xml->length);
	for (size_t i = 0; i < xml->attribute_count; i++)
	{
		const FgXmlAttribute *attribute = &xml->attributes[i];
		const char *values = attribute->decoded ? (const char *) xml->decoded.data : tag;
		size_t		length = 0;

		note(heard, "\1 ", tag + attribute->name, attribute->name_length);
		note(heard, "\1=", values + attribute->value, attribute->length);
		REQUIRE(fg_xml_attribute(xml, tag + attribute->name, attribute->name_length, &length) ==
				values + attribute->value && length == attribute->length);
	}
	note(heard, "\1>", "", 0);
	if (xml->empty)
		note(heard, "\1/", "", 0);
}

static bool
hear(Heard *heard, FgXmlTokens *xml)
{
	for (;;)
	{
		switch (fg_xml_token(xml))
		{
			case FG_XML_MORE:
				return true;
			case FG_XML_BEGIN:
				note_tag(heard, xml);
				break;
			case FG_XML_END:
				note(heard, "\1/", "", 0);
				break;
			case FG_XML_TEXT:
				REQUIRE(xml->length > 0);
				note(heard, "", xml->text, xml->length);
				break;
			default:
				return false;
		}
	}
}

static bool
feed(Heard *heard, FgXmlTokens *xml, const char *text, size_t size)
{
	while (size > 0)
	{
		bool		full;
		size_t		part = fg_text_window_take(&xml->window, text, size, &full);

		if (part == 0 || (full && !hear(heard, xml)))
			return false;
		if (full)
			fg_text_window_drop(&xml->window);
		text += part;
		size -= part;
	}
	return true;
}

/* The text behind "blanks" blanks, in pieces of "piece" bytes; 0: in one. */
static void
read_ours(Heard *heard, const char *text, size_t size, size_t blanks, size_t piece)
{
	static char padding[BLOCK];
	static FgXmlTokens xml;
	FgContext	ctx = fuzz_context();

	*heard = (Heard) {.memory = fg_malloc_context()};
	heard->log.ctx = &heard->memory;
	memset(padding, ' ', blanks);
	fg_xml_tokens_begin(&ctx, &xml);
	heard->ok = feed(heard, &xml, padding, blanks);
	for (size_t at = 0, part; heard->ok && at < size; at += part)
	{
		part = piece > 0 && piece < size - at ? piece : size - at;
		heard->ok = feed(heard, &xml, text + at, part);
	}
	heard->ok = heard->ok && fg_text_window_end(&xml.window, "") && hear(heard, &xml) &&
		fg_xml_tokens_finish(&xml, "text");
	REQUIRE(heard->ok || ctx.error.line > 0);
	heard->code = ctx.error.code;
	memcpy(heard->reason, ctx.error.reason, sizeof(heard->reason));
	heard->line = ctx.error.line;
	heard->column = ctx.error.column;
	fg_xml_tokens_free(&xml);
	fuzz_finish();
}

/* --- expat's ------------------------------------------------------------------------ */

static void
on_begin(void *arg, const char *name, const char **attributes)
{
	Heard	   *heard = arg;

	note(heard, "\1<", name, strlen(name));
	for (; *attributes != NULL; attributes += 2)
	{
		note(heard, "\1 ", attributes[0], strlen(attributes[0]));
		note(heard, "\1=", attributes[1], strlen(attributes[1]));
	}
	note(heard, "\1>", "", 0);
}

static void
on_end(void *arg, const char *name)
{
	(void) name;
	note(arg, "\1/", "", 0);
}

static void
on_text(void *arg, const char *text, int length)
{
	note(arg, "", text, (size_t) length);
}

static void
on_doctype(void *arg, const char *name, const char *system, const char *public, int internal)
{
	Heard	   *heard = arg;

	(void) name;
	(void) system;
	(void) public;
	(void) internal;
	XML_StopParser(heard->expat, XML_FALSE);
}

static void
read_theirs(Heard *heard, const char *text, size_t size)
{
	long long	at;

	*heard = (Heard) {.memory = fg_malloc_context()};
	heard->log.ctx = &heard->memory;
	heard->expat = XML_ParserCreate("UTF-8");
	XML_SetHashSalt(heard->expat, 1);
	XML_SetUserData(heard->expat, heard);
	XML_SetElementHandler(heard->expat, on_begin, on_end);
	XML_SetCharacterDataHandler(heard->expat, on_text);
	XML_SetStartDoctypeDeclHandler(heard->expat, on_doctype);
	heard->ok = XML_Parse(heard->expat, text, (int) size, true) == XML_STATUS_OK;
	heard->line = XML_GetCurrentLineNumber(heard->expat);
	at = XML_GetCurrentByteIndex(heard->expat);
	heard->old_name = !heard->ok && XML_GetErrorCode(heard->expat) == XML_ERROR_INVALID_TOKEN && at >= 0 &&
		(size_t) at < size && (uint8_t) text[at] >= 0x80;
	XML_ParserFree(heard->expat);
}

/* --- the comparison ------------------------------------------------------------------ */

static void
require_same_log(const Heard *a, const Heard *b)
{
	size_t		size = a->log.size;

	/* of what is refused in the end, one may have said less before */
	if (!a->ok && b->log.size < size)
		size = b->log.size;
	REQUIRE((a->ok ? a->log.size == b->log.size : true) &&
			(size == 0 || (b->log.size >= size && memcmp(a->log.data, b->log.data, size) == 0)));
}

/* Limits of ours, and what ours is stricter about. */
static bool
is_ours_alone(const Heard *ours)
{
	return ours->code == FG_ERROR_LIMIT || strstr(ours->reason, "XML is read in UTF-8") != NULL ||
		strstr(ours->reason, "its declaration is not one of XML 1.0") != NULL;
}

static void
compare_with_expat(const Heard *ours, const char *text, size_t size)
{
	static Heard theirs;
	size_t		mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	read_theirs(&theirs, text + mark, size - mark);
	if (ours->ok != theirs.ok)
		REQUIRE(ours->ok ? theirs.old_name : is_ours_alone(ours));
	else
		require_same_log(ours, &theirs);
	fg_release(&theirs.memory, theirs.log.data);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static Heard whole;
	static Heard cut;
	const char *text = (const char *) data + 1;
	size_t		blanks;
	size_t		shift;

	if (size < 2 || --size > BLOCK / 2)
		return 0;
	/* one in four: the end of a block lies in the text; but what tells the encoding stands at the begin */
	blanks = data[0] % 8 < 2 && (*text == '<' || *text == ' ') && size > 1 && text[1] != '?' && text[1] != '\0'
		? BLOCK - data[0] / 8 * size / 32 : 0;
	read_ours(&whole, text, size, 0, 0);
	read_ours(&cut, text, size, blanks, data[0] / 8);
	REQUIRE(whole.ok == cut.ok && whole.code == cut.code && strcmp(whole.reason, cut.reason) == 0);
	require_same_log(&whole, &cut);
	shift = whole.line == 1 ? blanks : 0;
	REQUIRE(whole.ok || (whole.line == cut.line && whole.column + shift == cut.column));
	compare_with_expat(&whole, text, size);
	fg_release(&whole.memory, whole.log.data);
	fg_release(&cut.memory, cut.log.data);
	return 0;
}
