/*
 * xml_stream.c
 *	  A stream of the wanted elements of an XML file (see xml_stream.h).
 */
#include "core/reading/xml_stream.h"

#include "core/reading/byte_scan.h"
#include "core/reading/xml_tokens.h"

#include <stdarg.h>
#include <stdio.h>

/* The place of an element that has no rule; nothing in it has one. */
#define NOWHERE (-1)

/* A rule whose name is compared in its first eight bytes first, which mostly are all. */
typedef struct Rule
{
	const FgXmlRule *rule;
	size_t		length;
	uint64_t	word;
} Rule;

struct FgXmlStream
{
	FgContext  *ctx;
	const char *what;
	Rule	   *rules;
	uint16_t   *first;			/* of those of each place as a parent */
	int			count;
	FgXmlHandler handler;
	void	   *arg;
	int			places[FG_XML_MAX_DEPTH + 1];	/* of the open elements; the first one is the document's */
	size_t		depth;
	FgXmlText	part;			/* what there is of a text, in the window, as long as it is in one piece */
	FgBuffer	text;			/* else */
	FgXmlTokens tokens;
};

/* --- errors ------------------------------------------------------------------- */

bool
fg_xml_stream_fail(FgXmlStream *xml, FgErrorCode code, const char *hint, const char *reason,...)
{
	char		text[sizeof(xml->ctx->error.reason)];
	va_list		args;

	va_start(args, reason);
	vsnprintf(text, sizeof(text), reason, args);
	va_end(args);
	return fg_xml_tokens_fail(&xml->tokens, code, hint, "%s", text);
}

bool
fg_xml_stream_at(FgXmlStream *xml, bool ok)
{
	FgError    *error = &xml->ctx->error;

	if (!ok && error->line == 0 &&
		(error->code == FG_ERROR_SYNTAX || error->code == FG_ERROR_ENCODING ||
		 error->code == FG_ERROR_LIMIT || error->code == FG_ERROR_RANGE))
		fg_xml_tokens_place(&xml->tokens, &error->line, &error->column);
	return ok;
}

/* --- elements ------------------------------------------------------------------- */

static int
find_place(const FgXmlStream *xml, int parent, const char *name, size_t length)
{
	uint64_t	word = fg_first_bytes(name, length);

	for (int i = xml->first[parent]; i < xml->count && xml->rules[i].rule->parent == parent; i++)
	{
		const Rule *rule = &xml->rules[i];

		if (rule->word == word && rule->length == length &&
			(length <= sizeof(word) || memcmp(rule->rule->name, name, length) == 0))
			return rule->rule->place;
	}
	return NOWHERE;
}

static bool
take_rules(FgXmlStream *xml, const FgXmlRule *rules)
{
	int			places = 1;

	for (; rules[xml->count].place != 0; xml->count++)
		places = rules[xml->count].place < places ? places : rules[xml->count].place + 1;
	xml->rules = fg_alloc_zero(xml->ctx, (size_t) xml->count, sizeof(Rule));
	xml->first = fg_alloc_zero(xml->ctx, (size_t) places, sizeof(uint16_t));
	if (xml->rules == NULL || xml->first == NULL)
		return false;
	for (int i = xml->count - 1; i >= 0; i--)
	{
		char		name[sizeof(uint64_t)] = {0};

		xml->rules[i] = (Rule) {&rules[i], strlen(rules[i].name), 0};
		memcpy(name, rules[i].name, xml->rules[i].length < sizeof(name) ? xml->rules[i].length : sizeof(name));
		xml->rules[i].word = fg_first_bytes(name, sizeof(name));
		xml->first[rules[i].parent] = (uint16_t) i;
	}
	return true;
}

/* What an element has in front of another one, or of its own end, is not asked for again. */
static void
drop_text(FgXmlStream *xml)
{
	xml->part = (FgXmlText) {.text = NULL};
	xml->text.size = 0;
}

static bool
keep_part(FgXmlStream *xml)
{
	FgXmlText	part = xml->part;

	xml->part = (FgXmlText) {.text = NULL};
	/* a word more can be read */
	return fg_buffer_room(&xml->text, part.length + sizeof(uint64_t)) &&
		fg_buffer_append(&xml->text, part.text, part.length);
}

static bool
end_element(FgXmlStream *xml)
{
	int			place = xml->places[xml->depth--];
	FgXmlElement element = {.end = true, .text = xml->part};
	bool		ok = true;

	if (place != NOWHERE)
	{
		if (xml->text.size > 0)
		{
			ok = keep_part(xml);
			element.text = (FgXmlText) {(char *) xml->text.data, xml->text.size};
		}
		else if (element.text.text == NULL)
			element.text.text = "\0\0\0\0\0\0\0";
		ok = ok && xml->handler(xml->arg, place, &element);
	}
	drop_text(xml);
	return ok;
}

static bool
begin_element(FgXmlStream *xml)
{
	static const FgXmlElement element = {.end = false};
	int			parent = xml->places[xml->depth];
	int			place = parent == NOWHERE ? NOWHERE : find_place(xml, parent, xml->tokens.text, xml->tokens.length);

	xml->places[++xml->depth] = place;
	drop_text(xml);
	return (place == NOWHERE || xml->handler(xml->arg, place, &element)) &&
		(!xml->tokens.empty || end_element(xml));
}

static bool
add_text(FgXmlStream *xml)
{
	size_t		length = xml->part.length + xml->text.size;

	if (xml->places[xml->depth] == NOWHERE)
		return true;
	if (xml->tokens.length > FG_XML_MAX_TEXT - length)
		return fg_xml_stream_fail(xml, FG_ERROR_LIMIT, NULL, "the text of an element is longer than %u bytes",
								  FG_XML_MAX_TEXT);
	if (length > 0 && !keep_part(xml))
		return false;
	xml->part = (FgXmlText) {xml->tokens.text, xml->tokens.length};
	/* what a reference stands for is there until the next one */
	return xml->tokens.text != xml->tokens.piece || keep_part(xml);
}

/* --- blocks ----------------------------------------------------------------------- */

/* All tokens of the window. */
static bool
read_window(FgXmlStream *xml)
{
	bool		ok = fg_work(xml->ctx, xml->tokens.window.size);

	while (ok)
	{
		switch (fg_xml_token(&xml->tokens))
		{
			case FG_XML_MORE:
				return xml->part.length == 0 || keep_part(xml);
			case FG_XML_BEGIN:
				ok = begin_element(xml);
				break;
			case FG_XML_END:
				ok = end_element(xml);
				break;
			case FG_XML_TEXT:
				ok = add_text(xml);
				break;
			default:
				return false;
		}
	}
	return false;
}

bool
fg_xml_stream_feed(FgXmlStream *xml, const char *bytes, size_t size)
{
	while (size > 0)
	{
		bool		full;
		size_t		part = fg_text_window_take(&xml->tokens.window, bytes, size, &full);

		if (part == 0)
			return false;
		bytes += part;
		size -= part;
		if (!full)
			break;
		if (!read_window(xml))
			return false;
		fg_text_window_drop(&xml->tokens.window);
	}
	return true;
}

bool
fg_xml_stream_finish(FgXmlStream *xml)
{
	return fg_text_window_end(&xml->tokens.window, "") && read_window(xml) &&
		fg_xml_tokens_finish(&xml->tokens, xml->what);
}

/* --- life --------------------------------------------------------------------------- */

FgXmlStream *
fg_xml_stream_open(FgContext *ctx, const char *what, const FgXmlRule *rules, FgXmlHandler handler,
				   void *arg)
{
	FgXmlStream *xml = fg_alloc_zero(ctx, 1, sizeof(FgXmlStream));

	if (xml == NULL)
		return NULL;
	xml->ctx = xml->text.ctx = ctx;
	xml->what = what;
	xml->handler = handler;
	xml->arg = arg;
	xml->places[0] = FG_XML_ROOT;
	fg_xml_tokens_begin(ctx, &xml->tokens);
	if (take_rules(xml, rules))
		return xml;
	fg_xml_stream_close(xml);
	return NULL;
}

void
fg_xml_stream_close(FgXmlStream *xml)
{
	if (xml == NULL)
		return;
	fg_xml_tokens_free(&xml->tokens);
	fg_release(xml->ctx, xml->rules);
	fg_release(xml->ctx, xml->first);
	fg_release(xml->ctx, xml->text.data);
	fg_release(xml->ctx, xml);
}

FgXmlText
fg_xml_stream_attribute(const FgXmlStream *xml, const char *name)
{
	FgXmlText	value = {.length = 0};

	value.text = fg_xml_attribute(&xml->tokens, name, strlen(name), &value.length);
	return value;
}
