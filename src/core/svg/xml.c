/*
 * xml.c
 *	  Writing documents of XML (see xml.h).
 */
#include "core/svg/xml.h"

#include "core/base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT 0xFFFD

FgXml
fg_xml_begin(FgBuffer buffer)
{
	return (FgXml) {.buffer = buffer, .start = buffer.size, .ok = true};
}

void
fg_xml_bytes(FgXml *xml, const char *bytes, size_t length)
{
	if (!xml->ok)
		return;
	if (xml->buffer.size - xml->start > FG_XML_MAX_BYTES ||
		length > FG_XML_MAX_BYTES - (xml->buffer.size - xml->start))
	{
		xml->ok = fg_fail_at(xml->buffer.ctx, FG_ERROR_LIMIT, 0, 0,
							 "min_width, prune(), cut_depth(), rename_frames() make it smaller.",
							 "a picture would be larger than 256 MiB");
		return;
	}
	xml->ok = fg_work(xml->buffer.ctx, length) &&
		fg_buffer_append(&xml->buffer, bytes, length);
}

void
fg_xml_put(FgXml *xml, const char *markup)
{
	fg_xml_bytes(xml, markup, strlen(markup));
}

void
fg_xml_format(FgXml *xml, const char *format,...)
{
	char		text[1000];
	va_list		args;
	int			length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fg_xml_bytes(xml, text, length < (int) sizeof(text) ? (size_t) length : sizeof(text) - 1);
}

/* --- characters ------------------------------------------------------------------- */

/* Bytes of a character by its first one; 0 for one that starts none. */
static size_t
size_by_first(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xC2 || first > 0xF4)
		return 0;
	return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

uint32_t
fg_xml_character(const char *text, size_t length, size_t *size)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char) text[0];
	size_t		bytes = size_by_first(first);
	uint32_t	character;

	*size = 1;
	if (bytes == 1)
		return first;
	if (bytes == 0 || bytes > length)
		return REPLACEMENT;
	character = first & (0x7Fu >> bytes);
	for (size_t i = 1; i < bytes; i++)
	{
		if (((unsigned char) text[i] & 0xC0) != 0x80)
			return REPLACEMENT;
		character = character << 6 | ((unsigned char) text[i] & 0x3F);
	}
	if (character < least[bytes] || character > 0x10FFFF ||
		(character >= 0xD800 && character <= 0xDFFF))
		return REPLACEMENT;
	*size = bytes;
	return character;
}

bool
fg_xml_hidden(uint32_t c)
{
	if (c < 0x20)
		return c != '\t';
	if (c < 0x061C)
		return c >= 0x7F && c <= 0x9F;
	return c == 0x061C || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
		(c >= 0x2060 && c <= 0x2069) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

bool
fg_xml_plain(const char *text, size_t length)
{
	unsigned char odd = 0;

	for (size_t i = 0; i < length; i++)
		odd |= (unsigned char) ((unsigned char) (text[i] - 0x20) > 0x7E - 0x20);
	return odd == 0;
}

static const char *
entity(char c)
{
	switch (c)
	{
		case '&':
			return "&amp;";
		case '<':
			return "&lt;";
		case '>':
			return "&gt;";
		case '"':
			return "&quot;";
		case '\'':
			return "&#39;";
		default:
			return NULL;
	}
}

/* Writes what stands between two characters that are written otherwise. */
static void
put_character(FgXml *xml, const char *text, size_t size, uint32_t character)
{
	const char *name = size == 1 ? entity(*text) : NULL;

	if (name != NULL)
		fg_xml_put(xml, name);
	else if (character == REPLACEMENT)
		fg_xml_put(xml, "\xEF\xBF\xBD");
	else
		fg_xml_format(xml, "\\u{%X}", (unsigned) character);
}

/* A byte that is a character written as it is: no other is as frequent. */
static inline bool
is_ordinary(char c)
{
	return c >= 0x20 && c < 0x7F && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

/* Is it to be written otherwise than it is? */
static bool
is_special(const char *text, size_t size, uint32_t character)
{
	if (size == 1 && (unsigned char) *text >= 0x80)
		return true;
	return (size == 1 && entity(*text) != NULL) || fg_xml_hidden(character);
}

void
fg_xml_text(FgXml *xml, const char *text, size_t length, size_t most)
{
	const char *end;
	const char *written = text;
	const char *at = text;
	size_t		characters = 0;

	if (length == 0)
		return;
	end = text + length;
	while (at < end && characters < most && xml->ok)
	{
		size_t		size;
		uint32_t	character;

		characters++;
		if (is_ordinary(*at))
		{
			at++;
			continue;
		}
		character = fg_xml_character(at, (size_t) (end - at), &size);
		if (is_special(at, size, character))
		{
			fg_xml_bytes(xml, written, (size_t) (at - written));
			put_character(xml, at, size, character);
			written = at + size;
		}
		at += size;
	}
	fg_xml_bytes(xml, written, (size_t) (at - written));
	if (at == end || !xml->ok)
		return;
	for (size_t size; at < end; at += size, characters++)
		(void) fg_xml_character(at, (size_t) (end - at), &size);
	fg_xml_format(xml, "\xE2\x80\xA6 (%zu characters)", characters);
}

/* --- numbers ---------------------------------------------------------------------- */

int64_t
fg_hundredths(double pixels)
{
	return (int64_t) floor(pixels * 100 + 0.5);
}

/* Writes the digits in front of "end"; returns where they begin. */
static char *
put_digits(uint64_t number, char *end)
{
	do
	{
		*--end = (char) ('0' + number % 10);
		number /= 10;
	} while (number != 0);
	return end;
}

void
fg_xml_count(FgXml *xml, uint64_t count)
{
	char		text[24];
	char	   *start = put_digits(count, text + sizeof(text));

	fg_xml_bytes(xml, start, (size_t) (text + sizeof(text) - start));
}

void
fg_xml_hundredths(FgXml *xml, int64_t hundredths)
{
	char		text[32];
	char	   *end = text + sizeof(text);
	char	   *start = end;
	uint64_t	size = hundredths < 0 ? -(uint64_t) hundredths : (uint64_t) hundredths;

	if (size % 10 != 0)
		*--start = (char) ('0' + size % 10);
	if (size % 100 != 0)
	{
		*--start = (char) ('0' + size / 10 % 10);
		*--start = '.';
	}
	start = put_digits(size / 100, start);
	if (hundredths < 0)
		*--start = '-';
	fg_xml_bytes(xml, start, (size_t) (end - start));
}

void
fg_xml_pixels(FgXml *xml, const char *name, double pixels)
{
	fg_xml_put(xml, " ");
	fg_xml_put(xml, name);
	fg_xml_put(xml, "=\"");
	fg_xml_hundredths(xml, fg_hundredths(pixels));
	fg_xml_put(xml, "\"");
}

void
fg_xml_number(FgXml *xml, double value)
{
	char		text[FG_NUMBER_SIZE];

	/* most values are counts; neither sign nor fraction costs a printf */
	if (value >= 0 && value < 0x1p53 && value == (double) (uint64_t) value)
		fg_xml_count(xml, (uint64_t) value);
	else
		fg_xml_bytes(xml, text, fg_number_print(value, text));
}
