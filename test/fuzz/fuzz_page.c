/*
 * fuzz_page.c
 *	  Any bytes as a picture that is put into a page.
 *
 * Properties: what passes has no script, no style and no element that loads anything; every
 * tag that opens closes.
 */
#include "support.h"

#include "core/svg/svg_copy.h"

#include <string.h>

static bool
holds(const FgBuffer *text, const char *what)
{
	return strstr((const char *) text->data, what) != NULL;
}

static void
require_harmless(const FgBuffer *text)
{
	static const char *const never[] = {
		"<script", "<style", "<foreignObject", "<image", "<use", "<a ", "<!", "<?"
	};

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		REQUIRE(!holds(text, never[i]));
}

static void
require_closed(const FgBuffer *text)
{
	const char *at = (const char *) text->data;
	int			open = 0;

	while ((at = strchr(at, '<')) != NULL)
	{
		const char *end = strchr(at, '>');

		REQUIRE(end != NULL);
		open += at[1] == '/' ? -1 : end[-1] == '/' ? 0 : 1;
		REQUIRE(open >= 0);
		at = end;
	}
	REQUIRE(open == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	FgContext	ctx = fg_malloc_context();
	FgXml		xml = fg_xml_begin((FgBuffer) {.ctx = &ctx});
	FgSvgParts	parts;

	if (fg_svg_copy(&xml, (FgText) {(const char *) bytes, size}, 3, &parts))
	{
		REQUIRE(fg_buffer_append(&xml.buffer, "", 1));
		require_harmless(&xml.buffer);
		require_closed(&xml.buffer);
	}
	fg_release(&ctx, xml.buffer.data);
	return 0;
}
