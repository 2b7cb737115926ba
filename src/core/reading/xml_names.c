/*
 * xml_names.c
 *	  The characters of names (see xml_names.h).
 */
#include "core/reading/xml_names.h"

#include "core/profile/frames.h"

#include <string.h>

#define N FG_XML_NAME_BYTE
#define B FG_XML_BLANK_BYTE
#define N4 N, N, N, N
#define N8 N4, N4
#define N32 N8, N8, N8, N8

const uint8_t fg_xml_byte_kinds[256] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, B, B, 0, 0, B, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, N, N, 0,		/* - . */
	N8, N, N, N, 0, 0, 0, 0, 0,							/* 0 to 9 : */
	0, N, N, N, N4, N8, N8, N, N, N, 0, 0, 0, 0, N,		/* A to Z _ */
	0, N, N, N, N4, N8, N8, N, N, N, 0, 0, 0, 0, 0,		/* a to z */
	N32, N32, N32, N32
};

typedef struct Range
{
	uint32_t	first;
	uint32_t	last;
} Range;

/* NameStartChar beyond ASCII. */
static const Range starts[] = {
	{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F},
	{0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}
};

/* What NameChar has besides. */
static const Range others[] = {{0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}};

static bool
is_in(const Range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++)
	{
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	}
	return false;
}

static bool
begins_name(uint32_t code)
{
	if (code < 0x80)
		return code > '9';
	return is_in(starts, sizeof(starts) / sizeof(starts[0]), code);
}

static bool
continues_name(uint32_t code)
{
	return code < 0x80 || begins_name(code) || is_in(others, sizeof(others) / sizeof(others[0]), code);
}

/* Of valid UTF-8. */
static uint32_t
next_character(const uint8_t **at)
{
	uint32_t	byte = *(*at)++;
	int			more = byte < 0x80 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
	uint32_t	code = more == 0 ? byte : byte & (0x3Fu >> more);

	for (; more > 0; more--)
		code = code << 6 | (*(*at)++ & 0x3Fu);
	return code;
}

bool
fg_xml_name_valid(const uint8_t *name, size_t length)
{
	const uint8_t *at = name;

	if (fg_utf8_prefix((const char *) name, length) < length || !begins_name(next_character(&at)))
		return false;
	while (at < name + length)
	{
		if (!continues_name(next_character(&at)))
			return false;
	}
	return true;
}

size_t
fg_xml_valid_prefix(const uint8_t *text, size_t length)
{
	size_t		valid = fg_utf8_prefix((const char *) text, length);
	const uint8_t *at = text;

	/* all but U+FFFE and U+FFFF */
	while ((at = memchr(at, 0xEF, valid - (size_t) (at - text))) != NULL)
	{
		if (at[1] == 0xBF && at[2] >= 0xBE)
			return (size_t) (at - text);
		at++;
	}
	return valid;
}

bool
fg_xml_is_character(uint32_t code)
{
	if (code < 0x20)
		return code == '\t' || code == '\n' || code == '\r';
	return code < 0xD800 || (code > 0xDFFF && code < 0xFFFE) || (code > 0xFFFF && code < 0x110000);
}
