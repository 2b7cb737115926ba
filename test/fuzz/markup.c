/*
 * markup.c
 *	  What every picture has to be, whatever names are in it (see markup.h).
 */
#include "markup.h"

#include "support.h"

#include "core/svg/embedded.h"
#include "core/svg/xml.h"

#include <string.h>

/* A name of an element, from the "<" on, is one of ours. */
static bool
is_ours(const char *tag, const char *end)
{
	static const char *const names[] = {
		"svg", "title", "desc", "style", "defs", "pattern", "rect", "g", "text", "metadata",
		"line", "path", "circle"
	};
	size_t		length = 0;

	tag += tag[1] == '/' ? 2 : 1;
	while (tag + length < end && tag[length] != ' ' && tag[length] != '>' && tag[length] != '/')
		length++;
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
	{
		if (strlen(names[n]) == length && memcmp(names[n], tag, length) == 0)
			return true;
	}
	return false;
}

/* The script is the constant one; returns its last byte. */
static const char *
require_script(const char *at, const char *end)
{
	static const char before[] = "<script><![CDATA[";
	static const char after[] = "]]></script>";
	size_t		length = strlen(fg_viewer_script);

	REQUIRE((size_t) (end - at) > sizeof(before) + length + sizeof(after));
	REQUIRE(memcmp(at, before, sizeof(before) - 1) == 0);
	at += sizeof(before) - 1;
	REQUIRE(memcmp(at, fg_viewer_script, length) == 0);
	at += length;
	REQUIRE(memcmp(at, after, sizeof(after) - 1) == 0);
	return at + sizeof(after) - 2;
}

void
fuzz_require_svg(const char *svg, size_t size)
{
	const char *end = svg + size;
	int			depth = 0;

	for (const char *at = svg; at < end; at++)
	{
		uint32_t	character;
		size_t		bytes;

		character = fg_xml_character(at, (size_t) (end - at), &bytes);
		REQUIRE(character == '\n' || !fg_xml_hidden(character));
		REQUIRE(bytes > 1 || character < 0x80);
		if (character == '&')
			REQUIRE(memchr(at, ';', end - at < 7 ? (size_t) (end - at) : 7) != NULL);
		at += bytes - 1;
		if (character != '<')
			continue;
		if (end - at > 8 && memcmp(at, "<script>", 8) == 0)
		{
			at = require_script(at, end);
			continue;
		}
		REQUIRE(is_ours(at, end));
		depth += at[1] == '/' ? -1 : 1;
		while (at < end && *at != '>')
			at++;
		REQUIRE(at < end);
		depth -= at[-1] == '/';
	}
	REQUIRE(depth == 0);
}
