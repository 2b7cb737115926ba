/*
 * xml_declaration.c
 *	  The declaration of XML (see xml_declaration.h).
 */
#include "core/reading/xml_declaration.h"

#include "core/reading/xml_names.h"

#include <string.h>

/* A longer name of an encoding is none. */
#define MAX_ENCODING 40

typedef struct Word
{
	const uint8_t *text;
	size_t		length;
} Word;

static bool
fail(FgXmlFault *fault, const uint8_t *at, const char *reason)
{
	*fault = (FgXmlFault) {at, reason, 0};
	return false;
}

static const uint8_t *
skip_blanks(const uint8_t *at)
{
	while (fg_xml_is_blank(*at))
		at++;
	return at;
}

static bool
is_word(Word word, const char *text)
{
	return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* In any case, as names of encodings are. */
static bool
is_encoding(Word word, const char *name)
{
	size_t		i = 0;

	for (; i < word.length && name[i] != '\0'; i++)
	{
		uint8_t		byte = word.text[i];

		if ((byte >= 'a' && byte <= 'z' ? byte - 0x20 : byte) != (uint8_t) name[i])
			return false;
	}
	return i == word.length && name[i] == '\0';
}

/* Behind the next attribute, in front of which are blanks; NULL: there is none. */
static const uint8_t *
next_pair(const uint8_t *at, const uint8_t *end, Word *name, Word *value)
{
	const uint8_t *start = skip_blanks(at);
	uint8_t		quote;

	if (start == at)
		return NULL;
	for (at = start; *at >= 'a' && *at <= 'z';)
		at++;
	*name = (Word) {start, (size_t) (at - start)};
	at = skip_blanks(at);
	if (*at != '=')
		return NULL;
	at = skip_blanks(at + 1);
	quote = *at;
	if (quote != '"' && quote != '\'')
		return NULL;
	for (start = ++at; at < end && *at != quote;)
		at++;
	*value = (Word) {start, (size_t) (at - start)};
	return at < end ? at + 1 : NULL;
}

/* 1.0, and all that must be read as if they were it. */
static bool
is_version(Word word)
{
	if (word.length < 3 || memcmp(word.text, "1.", 2) != 0)
		return false;
	for (size_t i = 2; i < word.length; i++)
	{
		if (word.text[i] < '0' || word.text[i] > '9')
			return false;
	}
	return true;
}

static bool
check_encoding(Word name, FgXmlFault *fault)
{
	bool		printable = name.length > 0 && name.length <= MAX_ENCODING;

	if (is_encoding(name, "UTF-8") || is_encoding(name, "US-ASCII"))
		return true;
	for (size_t i = 0; i < name.length; i++)
		printable &= name.text[i] > ' ' && name.text[i] < 0x7F;
	if (!printable)
		return fail(fault, name.text, "its encoding has no name");
	*fault = (FgXmlFault) {name.text, NULL, name.length};
	return false;
}

bool
fg_xml_declaration_check(const uint8_t *at, const uint8_t *end, FgXmlFault *fault)
{
	static const char *const names[] = {"version", "encoding", "standalone"};
	size_t		next = 0;
	Word		name;
	Word		value;

	while (skip_blanks(at) < end)
	{
		const uint8_t *pair = at;

		at = next_pair(at, end, &name, &value);
		if (at == NULL)
			return fail(fault, pair, "its declaration is not one of XML");
		/* in this order, and only the first one must be there */
		while (next > 0 && next < 3 && !is_word(name, names[next]))
			next++;
		if (next == 3 || !is_word(name, names[next]) || (next == 0 && !is_version(value)) ||
			(next == 2 && !is_word(value, "yes") && !is_word(value, "no")))
			return fail(fault, name.text, "its declaration is not one of XML 1.0");
		if (next == 1 && !check_encoding(value, fault))
			return false;
		next++;
	}
	return next > 0 || fail(fault, end, "its declaration has no version");
}
