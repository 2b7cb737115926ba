/*
 * xml_tokens.c
 *	  The tokens of an XML text that comes in blocks (see xml_tokens.h).
 */
#include "core/reading/xml_tokens.h"

#include "core/profile/names.h"
#include "core/reading/byte_scan.h"
#include "core/reading/xml_declaration.h"
#include "core/reading/xml_names.h"

#include <stdarg.h>
#include <stdio.h>

/* No reference needs so many, however many zeros it begins with. */
#define MAX_REFERENCE 64

/* The declaration has three attributes at most. */
#define MAX_DECLARATION 1000

/* What the window may end in, besides a tag. */
enum
{
	MARKUP,						/* none of these */
	COMMENT,
	INSTRUCTION,
	CDATA
};

/* Of functions that leave something out: it is, and the next token follows. */
#define GO_ON ((FgXmlToken) (FG_XML_TEXT + 1))

void
fg_xml_tokens_begin(FgContext *ctx, FgXmlTokens *xml)
{
	*xml = (FgXmlTokens) {.ctx = ctx, .decoded.ctx = ctx, .names.ctx = ctx};
	fg_text_window_begin(ctx, &xml->window);
}

void
fg_xml_tokens_free(FgXmlTokens *xml)
{
	fg_text_window_free(&xml->window);
	fg_release(xml->ctx, xml->attributes);
	fg_release(xml->ctx, xml->decoded.data);
	fg_release(xml->ctx, xml->names.data);
}

/* --- errors ------------------------------------------------------------------------ */

__attribute__((format(printf, 5, 0)))
static void
set_error(FgXmlTokens *xml, size_t at, FgErrorCode code, const char *hint, const char *reason, va_list args)
{
	char		text[sizeof(xml->ctx->error.reason)];
	uint64_t	line;
	uint64_t	column;

	vsnprintf(text, sizeof(text), reason, args);
	fg_text_window_place(&xml->window, at + 1, &line, &column);
	fg_fail_at(xml->ctx, code, line, column, hint, "%s", text);
	fg_text_window_quote(&xml->window, at + 1);
}

void
fg_xml_tokens_place(FgXmlTokens *xml, uint64_t *line, uint64_t *column)
{
	fg_text_window_place(&xml->window, xml->token + 1, line, column);
}

bool
fg_xml_tokens_fail(FgXmlTokens *xml, FgErrorCode code, const char *hint, const char *reason,...)
{
	va_list		args;

	va_start(args, reason);
	set_error(xml, xml->token, code, hint, reason, args);
	va_end(args);
	return false;
}

bool
fg_xml_tokens_finish(FgXmlTokens *xml, const char *what)
{
	if (xml->has_root && xml->depth == 0 && xml->inside == MARKUP && xml->window.at == xml->window.size)
		return true;
	xml->token = xml->window.size;
	return fg_xml_tokens_fail(xml, FG_ERROR_SYNTAX, "It may have been cut off.", "the %s ends too early", what);
}

__attribute__((format(printf, 5, 6)))
static FgXmlToken
fail(FgXmlTokens *xml, const uint8_t *at, FgErrorCode code, const char *hint, const char *reason,...)
{
	va_list		args;

	va_start(args, reason);
	set_error(xml, (size_t) (at - xml->window.data), code, hint, reason, args);
	va_end(args);
	return FG_XML_ERROR;
}

static FgXmlToken
not_xml(FgXmlTokens *xml, const uint8_t *at, const char *why)
{
	return fail(xml, at, FG_ERROR_SYNTAX, NULL, "it is not XML: %s", why);
}

static inline const uint8_t *
limit_of(const FgXmlTokens *xml)
{
	return fg_text_window_limit(&xml->window);
}

/* A byte that may not stand here; the window may have ended instead. */
static FgXmlToken
unexpected(FgXmlTokens *xml, const uint8_t *at, const char *why)
{
	return at == limit_of(xml) ? FG_XML_MORE : not_xml(xml, at, why);
}

/* --- characters ---------------------------------------------------------------------- */

static inline const uint8_t *
skip_blanks(const uint8_t *at)
{
	while (fg_xml_is_blank(*at))
		at++;
	return at;
}

static bool
check_characters(FgXmlTokens *xml, const uint8_t *start, const uint8_t *end)
{
	size_t		length = (size_t) (end - start);
	size_t		valid = fg_xml_valid_prefix(start, length);

	if (valid == length)
		return true;
	if (fg_utf8_prefix((const char *) start + valid, length - valid) > 0)
		not_xml(xml, start + valid, "a character that XML does not have");
	else
		fail(xml, start + valid, FG_ERROR_ENCODING, NULL, "it is not UTF-8");
	return false;
}

/* Where a text that the window ends in has its last whole character. */
static const uint8_t *
without_cut_character(const FgXmlTokens *xml, const uint8_t *start, const uint8_t *at)
{
	if (at != limit_of(xml) || xml->window.whole)
		return at;
	for (int i = 1; i <= 3 && at - start >= i; i++)
	{
		uint8_t		byte = at[-i];

		if (byte >= 0xC0)
			return (byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2) > i ? at - i : at;
		if (byte < 0x80)
			break;
	}
	return at;
}

/* The end of the name that begins here; NULL: "token" says why there is none. */
static inline const uint8_t *
read_name(FgXmlTokens *xml, const uint8_t *start, FgXmlToken *token)
{
	const uint8_t *at = start;
	uint8_t		all = 0;

	while (fg_xml_is_name_byte(*at))
		all |= *at++;
	if (at - start > FG_XML_MAX_NAME)
		*token = fail(xml, start, FG_ERROR_LIMIT, NULL, "a name is longer than %d bytes", FG_XML_MAX_NAME);
	else if (at == limit_of(xml))
		*token = FG_XML_MORE;
	else if (at == start)
		*token = not_xml(xml, start, "a name is missing");
	else if ((all >= 0x80 || *start <= '9') && !fg_xml_name_valid(start, (size_t) (at - start)))
		*token = not_xml(xml, start, "a name has a character that names do not have");
	else
		return at;
	return NULL;
}

/* --- references ---------------------------------------------------------------------- */

/* The number between "&#" and ";"; more than a character has: none. */
static bool
parse_number(const uint8_t *at, const uint8_t *end, uint32_t *code)
{
	bool		hexadecimal = at < end && *at == 'x';
	uint32_t	base = hexadecimal ? 16 : 10;

	at += hexadecimal;
	if (at == end)
		return false;
	for (*code = 0; at < end; at++)
	{
		uint32_t	digit = *at <= '9' ? (uint32_t) *at - '0' : ((uint32_t) *at | 0x20) - 'a' + 10;

		if (digit >= base)
			return false;
		if (*code < 0x110000)
			*code = *code * base + digit;
	}
	return true;
}

static uint32_t
find_entity(const uint8_t *name, size_t length)
{
	static const struct
	{
		const char *name;
		uint32_t	code;
	}			entities[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};

	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
	{
		if (strlen(entities[i].name) == length && memcmp(entities[i].name, name, length) == 0)
			return entities[i].code;
	}
	return 0;
}

/* The character that a reference stands for; NULL, or behind its semicolon. */
static const uint8_t *
read_reference(FgXmlTokens *xml, const uint8_t *start, uint32_t *code, FgXmlToken *token)
{
	const uint8_t *at = start + 1;
	bool		number = *at == '#';

	at += number;
	while (fg_xml_is_name_byte(*at) && at - start < MAX_REFERENCE)
		at++;
	*token = FG_XML_ERROR;
	if (at - start == MAX_REFERENCE)
		fail(xml, start, FG_ERROR_LIMIT, NULL, "a reference is longer than %d bytes", MAX_REFERENCE);
	else if (*at != ';')
		*token = unexpected(xml, at, "a reference without its semicolon");
	else if (!number)
	{
		*code = find_entity(start + 1, (size_t) (at - start - 1));
		if (*code != 0)
			return at + 1;
		not_xml(xml, start, "undefined entity");
	}
	else if (!parse_number(start + 2, at, code) || !fg_xml_is_character(*code))
		not_xml(xml, start, "a reference to no character");
	else
		return at + 1;
	return NULL;
}

/* --- tags ---------------------------------------------------------------------------- */

/* The window ends in a tag, which goes on here. */
static FgXmlToken
cut_tag(FgXmlTokens *xml, const uint8_t *tag, const uint8_t *at)
{
	if (limit_of(xml) - tag > FG_XML_MAX_TAG)
		return fail(xml, tag, FG_ERROR_LIMIT, NULL, "a tag is longer than %u bytes", FG_XML_MAX_TAG);
	xml->resume = (uint32_t) (at - tag);
	return FG_XML_MORE;
}

static bool
add_attribute(FgXmlTokens *xml, FgXmlAttribute attribute)
{
	if (!fg_reserve(xml->ctx, (void **) &xml->attributes, &xml->attribute_capacity, xml->attribute_count + 1,
					sizeof(FgXmlAttribute)))
		return false;
	xml->attributes[xml->attribute_count++] = attribute;
	return true;
}

/* Puts what was read of a value into "decoded", and a character behind it. */
static bool
decode_run(FgXmlTokens *xml, const uint8_t *tag, FgXmlValue *value, const uint8_t *at, uint32_t code)
{
	const uint8_t *run = tag + value->run;

	value->decoded = true;
	/* as for all texts, a word more can be read */
	if (!fg_buffer_room(&xml->decoded, (size_t) (at - run) + 4 + sizeof(uint64_t)))
		return false;
	memcpy(xml->decoded.data + xml->decoded.size, run, (size_t) (at - run));
	xml->decoded.size += (size_t) (at - run);
	if (code != 0)
		xml->decoded.size = (size_t) ((uint8_t *) fg_put_utf8((char *) xml->decoded.data + xml->decoded.size, code) -
									  xml->decoded.data);
	return true;
}

/* What is not itself: a reference, or a blank, of which a line end of two characters is one. */
static const uint8_t *
read_special(FgXmlTokens *xml, const uint8_t *at, uint32_t *code, FgXmlToken *token)
{
	*code = ' ';
	if (*at == '&')
		return read_reference(xml, at, code, token);
	if (*at == '\t' || *at == '\n')
		return at + 1;
	if (*at == '\r' && at + 1 != limit_of(xml))
		return at + 1 + (at[1] == '\n');
	*token = *at == '\r' ? FG_XML_MORE
		: unexpected(xml, at, *at == '<' ? "a value has a \"<\"" : "a character that XML does not have");
	return NULL;
}

/* Behind the value of an attribute; NULL: "token" says why not. */
static inline const uint8_t *
read_value(FgXmlTokens *xml, const uint8_t *tag, FgXmlValue *value, FgXmlToken *token)
{
	const uint8_t *at = tag + value->at;
	FgXmlAttribute attribute;

	for (;;)
	{
		const uint8_t *next;
		uint32_t	code;

		at = fg_find_special(at, FG_EACH_BYTE(value->quote), FG_EACH_BYTE('<'), FG_EACH_BYTE('&'), &value->high);
		if (*at == value->quote)
			break;
		next = read_special(xml, at, &code, token);
		if (next == NULL)
		{
			value->at = (uint32_t) (at - tag);
			return NULL;
		}
		*token = FG_XML_ERROR;
		if (!decode_run(xml, tag, value, at, code))
			return NULL;
		at = next;
		value->run = (uint32_t) (at - tag);
	}
	*token = FG_XML_ERROR;
	if ((value->high && !check_characters(xml, tag + value->start, at)) ||
		(value->decoded && !decode_run(xml, tag, value, at, 0)))
		return NULL;
	attribute = (FgXmlAttribute) {
		.name = value->name, .name_length = value->name_length,
		.value = value->decoded ? value->begin : value->start,
		.length = value->decoded ? (uint32_t) xml->decoded.size - value->begin : (uint32_t) (at - tag) - value->start,
		.decoded = value->decoded
	};
	return add_attribute(xml, attribute) ? at + 1 : NULL;
}

/* By look-ups, which cost as much as there are bytes; the place of the first one that was there before, or NULL. */
static const FgXmlAttribute *
find_twin_of_many(FgXmlTokens *xml, const char *tag, bool *ok)
{
	const FgXmlAttribute *twin = NULL;
	FgNames		names;
	uint32_t	number;

	*ok = fg_names_begin(xml->ctx, &names);
	for (size_t i = 0; *ok && twin == NULL && i < xml->attribute_count; i++)
	{
		const FgXmlAttribute *attribute = &xml->attributes[i];

		*ok = fg_names_add(&names, tag + attribute->name, attribute->name_length, &number);
		if (*ok && number < i)
			twin = attribute;
	}
	fg_names_free(&names);
	return twin;
}

static const FgXmlAttribute *
find_twin(const FgXmlTokens *xml, const char *tag)
{
	for (size_t i = 1; i < xml->attribute_count; i++)
	{
		const FgXmlAttribute *attribute = &xml->attributes[i];

		for (size_t k = 0; k < i; k++)
		{
			if (xml->attributes[k].name_length == attribute->name_length &&
				fg_xml_same_name(tag + xml->attributes[k].name, tag + attribute->name, attribute->name_length))
				return attribute;
		}
	}
	return NULL;
}

static bool
check_attributes(FgXmlTokens *xml, const uint8_t *tag)
{
	bool		ok = true;
	const FgXmlAttribute *twin = xml->attribute_count <= FG_XML_FEW_ATTRIBUTES
		? find_twin(xml, (const char *) tag) : find_twin_of_many(xml, (const char *) tag, &ok);

	if (twin != NULL)
		not_xml(xml, tag + twin->name, "duplicate attribute");
	return ok && twin == NULL;
}

/* The name of an element that stays open. */
static bool
push_name(FgXmlTokens *xml)
{
	xml->names.size = xml->ends[xml->depth];
	if (!fg_buffer_append(&xml->names, xml->text, xml->length))
		return false;
	xml->ends[++xml->depth] = (uint32_t) xml->names.size;
	return true;
}

static FgXmlToken
finish_tag(FgXmlTokens *xml, const uint8_t *tag, const uint8_t *end, bool empty)
{
	xml->resume = 0;
	xml->text = (const char *) tag + 1;
	xml->empty = empty;
	if (xml->has_root && xml->depth == 0)
		return not_xml(xml, tag, "there is something behind the document");
	if (xml->depth == FG_XML_MAX_DEPTH)
		return fail(xml, tag, FG_ERROR_LIMIT, NULL, "elements are nested more than %d deep", FG_XML_MAX_DEPTH);
	if (xml->attribute_count > 1 && !check_attributes(xml, tag))
		return FG_XML_ERROR;
	if (!empty && !push_name(xml))
		return FG_XML_ERROR;
	xml->has_root = true;
	xml->window.at = (size_t) (end - xml->window.data);
	return FG_XML_BEGIN;
}

/* An attribute from its name on; NULL: "token" says why not. */
static inline const uint8_t *
read_attribute(FgXmlTokens *xml, const uint8_t *tag, const uint8_t *name, FgXmlToken *token)
{
	const uint8_t *end = read_name(xml, name, token);
	const uint8_t *at = end;
	FgXmlValue	value;
	uint32_t	start;

	if (end == NULL)
		return NULL;
	if (*at != '=')
		at = skip_blanks(at);
	if (*at != '=')
	{
		*token = unexpected(xml, at, "an attribute without a value");
		return NULL;
	}
	at++;
	if (*at != '"')
		at = skip_blanks(at);
	if (*at != '"' && *at != '\'')
	{
		*token = unexpected(xml, at, "a value without quotes");
		return NULL;
	}
	start = (uint32_t) (at + 1 - tag);
	value = (FgXmlValue) {
		.quote = *at, .name = (uint32_t) (name - tag), .name_length = (uint32_t) (end - name),
		.start = start, .at = start, .run = start, .begin = (uint32_t) xml->decoded.size
	};
	at = read_value(xml, tag, &value, token);
	if (at == NULL && *token == FG_XML_MORE)
		xml->value = value;
	return at;
}

/* The attributes of a tag from here on, behind its name or one of them. */
static FgXmlToken
read_attributes(FgXmlTokens *xml, const uint8_t *tag, const uint8_t *at)
{
	for (;;)
	{
		const uint8_t *before = at;
		FgXmlToken	token;

		at = skip_blanks(at);
		if (*at == '>')
			return finish_tag(xml, tag, at + 1, false);
		if (*at == '/' && at[1] == '>')
			return finish_tag(xml, tag, at + 2, true);
		if (*at == '/')
		{
			token = unexpected(xml, at + 1, "a tag with a \"/\" in it");
			return token == FG_XML_MORE ? cut_tag(xml, tag, at) : token;
		}
		if (at == limit_of(xml))
			return cut_tag(xml, tag, at > before ? at - 1 : at);
		if (at == before)
			return not_xml(xml, at, "no blank in front of an attribute");
		before = at;
		at = read_attribute(xml, tag, at, &token);
		if (at == NULL)
			/* the blank in front of it is needed again */
			return token == FG_XML_MORE ? cut_tag(xml, tag, before - 1) : token;
	}
}

/* The rest of a tag that the window had cut. */
static FgXmlToken
resume_tag(FgXmlTokens *xml, const uint8_t *tag)
{
	const uint8_t *at = tag + xml->resume;
	FgXmlToken	token;

	if (xml->value.quote != 0)
	{
		at = read_value(xml, tag, &xml->value, &token);
		if (at == NULL)
			return token == FG_XML_MORE ? cut_tag(xml, tag, tag + xml->resume) : token;
		xml->value.quote = 0;
	}
	return read_attributes(xml, tag, at);
}

static FgXmlToken
read_tag(FgXmlTokens *xml, const uint8_t *tag)
{
	const uint8_t *at;
	FgXmlToken	token;

	if (xml->resume > 0)
		return resume_tag(xml, tag);
	at = read_name(xml, tag + 1, &token);
	if (at == NULL)
		return token;
	xml->length = (size_t) (at - tag - 1);
	xml->attribute_count = 0;
	xml->decoded.size = 0;
	return read_attributes(xml, tag, at);
}

static FgXmlToken
finish_element(FgXmlTokens *xml, const uint8_t *end)
{
	xml->depth--;
	xml->window.at = (size_t) (end - xml->window.data);
	return FG_XML_END;
}

static FgXmlToken
read_end(FgXmlTokens *xml, const uint8_t *tag)
{
	const uint8_t *name = tag + 2;
	uint32_t	start = xml->depth > 0 ? xml->ends[xml->depth - 1] : 0;
	size_t		length = xml->ends[xml->depth] - start;
	const uint8_t *at;
	FgXmlToken	token;

	/* mostly it is the right one, and nothing stands behind its name */
	if (xml->depth > 0 && length < (size_t) (limit_of(xml) - name) && name[length] == '>' &&
		memcmp(name, xml->names.data + start, length) == 0)
		return finish_element(xml, name + length + 1);
	at = read_name(xml, name, &token);
	if (at == NULL)
		return token;
	if (xml->depth == 0)
		return not_xml(xml, tag, xml->has_root ? "there is something behind the document"
					   : "a tag ends that has not begun");
	if ((size_t) (at - name) != length || memcmp(name, xml->names.data + start, length) != 0)
		return not_xml(xml, name, "mismatched tag");
	at = skip_blanks(at);
	if (*at == '>')
		return finish_element(xml, at + 1);
	return at == limit_of(xml) ? cut_tag(xml, tag, tag) : not_xml(xml, at, "a tag that ends has more than its name");
}

/* --- text ---------------------------------------------------------------------------- */

static FgXmlToken
give_text(FgXmlTokens *xml, const uint8_t *start, const uint8_t *end)
{
	xml->text = (const char *) start;
	xml->length = (size_t) (end - start);
	xml->window.at = (size_t) (end - xml->window.data);
	return FG_XML_TEXT;
}

/* A piece of text that is not as it is written. */
static FgXmlToken
give_piece(FgXmlTokens *xml, uint32_t code, const uint8_t *behind)
{
	xml->text = xml->piece;
	xml->length = (size_t) (fg_put_utf8(xml->piece, code) - xml->piece);
	xml->window.at = (size_t) (behind - xml->window.data);
	return FG_XML_TEXT;
}

/* What a text stops at: itself, or a line end that is another one. */
static FgXmlToken
read_line_end(FgXmlTokens *xml, const uint8_t *at)
{
	if (*at != '\r')
		return unexpected(xml, at, "a character that XML does not have");
	if (at + 1 == limit_of(xml) && !xml->window.whole)
		return FG_XML_MORE;
	return give_piece(xml, '\n', at + 1 + (at[1] == '\n'));
}

/* The text that was looked at up to here, where its next part begins. */
static FgXmlToken
end_run(FgXmlTokens *xml, const uint8_t *start, const uint8_t *at, bool high)
{
	at = high ? without_cut_character(xml, start, at) : at;
	if (at == start)
		return FG_XML_MORE;
	return !high || check_characters(xml, start, at) ? give_text(xml, start, at) : FG_XML_ERROR;
}

/* Is it "]]>", or as much of that as the window has? */
static inline bool
may_end_cdata(const FgXmlTokens *xml, const uint8_t *at)
{
	return at + 1 == limit_of(xml) || (at[1] == ']' && (at[2] == '>' || at + 2 == limit_of(xml)));
}

static FgXmlToken
read_text(FgXmlTokens *xml, const uint8_t *start)
{
	const uint8_t *at = start;
	bool		high = false;
	FgXmlToken	token;
	uint32_t	code;

	for (;; at++)
	{
		at = fg_find_special(at, FG_EACH_BYTE('<'), FG_EACH_BYTE('&'), FG_EACH_BYTE(']'), &high);
		if (*at == ']' ? may_end_cdata(xml, at) : *at != '\t' && *at != '\n')
			break;
	}
	if (at > start)
		return end_run(xml, start, at, high);
	if (*at == ']')
		return at + 2 < limit_of(xml) ? not_xml(xml, at, "\"]]>\" stands in a text") : FG_XML_MORE;
	if (*at != '&')
		return read_line_end(xml, at);
	at = read_reference(xml, at, &code, &token);
	return at != NULL ? give_piece(xml, code, at) : token;
}

/* Up to "]]>". */
static FgXmlToken
read_cdata(FgXmlTokens *xml)
{
	const uint8_t *start = xml->window.data + xml->window.at;
	const uint8_t *at = start;
	bool		high = false;

	for (;; at++)
	{
		at = fg_find_special(at, FG_EACH_BYTE(']'), FG_EACH_BYTE(']'), FG_EACH_BYTE(']'), &high);
		if (*at == ']' ? may_end_cdata(xml, at) : *at != '\t' && *at != '\n')
			break;
	}
	if (at > start)
		return end_run(xml, start, at, high);
	if (*at != ']')
		return read_line_end(xml, at);
	if (at + 2 >= limit_of(xml))
		return FG_XML_MORE;
	xml->inside = MARKUP;
	xml->window.at += 3;
	return GO_ON;
}

/* --- what is left out ---------------------------------------------------------------- */

/* In front of the root and behind it. */
static FgXmlToken
skip_outside(FgXmlTokens *xml, const uint8_t *start)
{
	const uint8_t *at = skip_blanks(start);

	xml->window.at = (size_t) (at - xml->window.data);
	if (*at == '<')
		return GO_ON;
	return unexpected(xml, at, xml->has_root ? "there is something behind the document" : "text outside of an element");
}

/* Up to "-->" or "?>". */
static FgXmlToken
skip_inside(FgXmlTokens *xml)
{
	const uint8_t *start = xml->window.data + xml->window.at;
	const uint8_t *at = start;
	bool		comment = xml->inside == COMMENT;
	uint64_t	stop = FG_EACH_BYTE(comment ? '-' : '?');
	bool		high = false;

	for (;; at++)
	{
		at = fg_find_special(at, stop, stop, stop, &high);
		if (comment ? *at == '-' && (at[1] == '-' || at + 1 == limit_of(xml))
			: *at == '?' && (at[1] == '>' || at + 1 == limit_of(xml)))
			break;
		if (*at < 0x20 && !fg_xml_is_blank(*at))
			break;
	}
	at = high ? without_cut_character(xml, start, at) : at;
	if (high && !check_characters(xml, start, at))
		return FG_XML_ERROR;
	xml->window.at = (size_t) (at - xml->window.data);
	if (*at != '-' && *at != '?')
		return *at < 0x20 ? unexpected(xml, at, "a character that XML does not have") : FG_XML_MORE;
	if (at + 1 == limit_of(xml) || (comment && at + 2 == limit_of(xml)))
		return FG_XML_MORE;
	if (comment && at[2] != '>')
		return not_xml(xml, at, "\"--\" stands in a comment");
	xml->window.at += comment ? 3 : 2;
	xml->inside = MARKUP;
	return GO_ON;
}

/* How much of a word stands here: all of it, or up to the end of the window. */
static size_t
match(const FgXmlTokens *xml, const uint8_t *at, const char *word)
{
	size_t		length = strlen(word);
	size_t		left = (size_t) (limit_of(xml) - at);

	length = length < left ? length : left;
	return memcmp(at, word, length) == 0 ? length : 0;
}

static FgXmlToken
enter(FgXmlTokens *xml, int inside, size_t length)
{
	xml->inside = inside;
	xml->window.at += length;
	return GO_ON;
}

/* "<!" */
static FgXmlToken
read_declaration(FgXmlTokens *xml, const uint8_t *tag)
{
	static const char comment[] = "<!--";
	static const char cdata[] = "<![CDATA[";
	static const char doctype[] = "<!DOCTYPE";

	if (match(xml, tag, comment) == strlen(comment))
		return enter(xml, COMMENT, strlen(comment));
	if (match(xml, tag, cdata) == strlen(cdata))
		return xml->depth > 0 ? enter(xml, CDATA, strlen(cdata)) : not_xml(xml, tag, "text outside of an element");
	if (match(xml, tag, doctype) == strlen(doctype))
		return fail(xml, tag, FG_ERROR_SYNTAX, NULL, "a document type is not read");
	if (match(xml, tag, comment) > 0 || match(xml, tag, cdata) > 0 || match(xml, tag, doctype) > 0)
		return FG_XML_MORE;
	return not_xml(xml, tag + 2, "a declaration that there is none of");
}

/* --- the declaration --------------------------------------------------------------- */

static FgXmlToken
wrong_encoding(FgXmlTokens *xml, const uint8_t *at, int length, const char *name)
{
	return fail(xml, at, FG_ERROR_ENCODING,
				"Convert it to UTF-8 (with iconv), and take the encoding out of its first line.",
				"XML is read in UTF-8, not in %.*s", length, name);
}

static FgXmlToken
read_xml_declaration(FgXmlTokens *xml, const uint8_t *tag)
{
	const uint8_t *limit = limit_of(xml);
	const uint8_t *at = tag + strlen("<?xml");
	FgXmlFault	fault;

	while (at + 1 < limit && (at[0] != '?' || at[1] != '>'))
		at++;
	if (at - tag > MAX_DECLARATION)
		return fail(xml, tag, FG_ERROR_LIMIT, NULL, "the declaration of XML is longer than %d bytes", MAX_DECLARATION);
	if (at + 1 >= limit)
		return FG_XML_MORE;
	if (fg_xml_declaration_check(tag + strlen("<?xml"), at, &fault))
	{
		xml->window.at = (size_t) (at + 2 - xml->window.data);
		return GO_ON;
	}
	return fault.reason != NULL ? not_xml(xml, fault.at, fault.reason)
		: wrong_encoding(xml, fault.at, (int) fault.length, (const char *) fault.at);
}

/* Of the text, which may have a byte order mark in front of it. */
static bool
is_begin(const FgXmlTokens *xml, const uint8_t *tag)
{
	uint64_t	at = xml->window.offset + (uint64_t) (tag - xml->window.data);

	return xml->window.line == 1 && at == xml->window.line_start;
}

/* "<?" */
static FgXmlToken
read_instruction(FgXmlTokens *xml, const uint8_t *tag)
{
	FgXmlToken	token;
	const uint8_t *name = tag + 2;
	const uint8_t *end = read_name(xml, name, &token);

	if (end == NULL)
		return token;
	if (end - name == 3 && memcmp(name, "xml", 3) == 0 && is_begin(xml, tag) && *end != '?')
		return read_xml_declaration(xml, tag);
	if (end - name == 3 && (name[0] | 0x20) == 'x' && (name[1] | 0x20) == 'm' && (name[2] | 0x20) == 'l')
		return not_xml(xml, tag, "its declaration does not stand at its begin");
	if (*end == '?' && end + 1 == limit_of(xml))
		return FG_XML_MORE;
	if (!fg_xml_is_blank(*end) && (*end != '?' || end[1] != '>'))
		return not_xml(xml, end, "an instruction without a blank behind its name");
	return enter(xml, INSTRUCTION, (size_t) (end - tag));
}

/* --- tokens -------------------------------------------------------------------------- */

/* UTF-16, with a byte order mark or without one. */
static bool
is_wide(const FgXmlTokens *xml)
{
	const uint8_t *data = xml->window.data;

	return xml->window.offset == 0 && xml->window.at == 0 && xml->window.size >= 2 &&
		((data[0] == 0xFF && data[1] == 0xFE) || (data[0] == 0xFE && data[1] == 0xFF) ||
		 (data[0] == '<' && data[1] == 0) || (data[0] == 0 && data[1] == '<'));
}

FgXmlToken
fg_xml_token(FgXmlTokens *xml)
{
	FgXmlToken	token = GO_ON;

	while (token == GO_ON)
	{
		const uint8_t *at = xml->window.data + xml->window.at;

		xml->token = xml->window.at;
		if (xml->inside != MARKUP)
			token = xml->inside == CDATA ? read_cdata(xml) : skip_inside(xml);
		else if (*at == '<' && at[1] == '/')
			return read_end(xml, at);
		else if (*at == '<' && at[1] == '!')
			token = read_declaration(xml, at);
		else if (*at == '<' && at[1] == '?')
			token = read_instruction(xml, at);
		else if (xml->depth > 0)
			return *at == '<' ? read_tag(xml, at) : read_text(xml, at);
		else if (is_wide(xml))
			return wrong_encoding(xml, at, 6, "UTF-16");
		else if (*at == '<')
			return read_tag(xml, at);
		else
			token = skip_outside(xml, at);
	}
	return token;
}
