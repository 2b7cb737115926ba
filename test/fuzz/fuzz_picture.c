/*
 * fuzz_picture.c
 *	  Profiles of hostile names made of the input's bytes, drawn, and read back; two of them
 *	  as a difference and in its parts; and the input itself, read as a picture.
 *
 * Properties: what is drawn is text of XML with elements and attributes of ours only,
 * tags that match, and no character that deceives; the profile comes back as it was;
 * reading foreign bytes gives a canonical profile or an error.
 */
#include "support.h"

#include "core/picture/data.h"
#include "core/picture/diff_runs.h"
#include "core/picture/embedded.h"
#include "core/picture/flame.h"
#include "core/picture/parts.h"
#include "core/profile/builder.h"
#include "core/profile/codec.h"

#include <string.h>

/* A frame of the input's bytes: up to one with the high bits, which is its length. */
static bool
take_stacks(FgContext *ctx, FuzzInput *input, FgTree *tree)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	bool		ok = builder != NULL;

	while (ok && input->next < input->end)
	{
		char		path[256];
		size_t		length = fuzz_byte(input);
		size_t		used = 0;

		for (; used < length && input->next < input->end; used++)
			path[used] = (char) fuzz_byte(input);
		if (!fg_builder_add(builder, path, used, ';', false, 1 + fuzz_byte(input)))
			ok = ctx->error.code != FG_ERROR_MEMORY;
	}
	ok = ok && fg_builder_finish(builder, tree);
	if (builder != NULL)
		fg_builder_free(builder);
	return ok;
}

/* A name of an element, from the "<" on, is one of ours. */
static bool
is_ours(const char *tag, const char *end)
{
	static const char *const names[] = {
		"svg", "title", "desc", "style", "defs", "pattern", "rect", "g", "text", "metadata"
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

static void
require_markup(const char *svg, size_t size)
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

static void
draw(FgContext *ctx, FgTree *tree, FuzzInput *input)
{
	FgFlameOptions options = fg_flame_defaults();
	FgBuffer	svg = {.ctx = ctx};
	FgTree		read;

	options.interactive = true;
	options.title = (FgText) {(const char *) input->next, (size_t) (input->end - input->next)};
	options.notes = options.title;
	options.unit = options.title;
	options.color = (FgColorMode) (fuzz_byte(input) % 6);
	options.width = 200 + 8 * fuzz_byte(input);
	options.min_width = fuzz_byte(input) / 8.0;
	options.max_rows = 1 + fuzz_byte(input);
	options.by_value = fuzz_byte(input) & 1;
	options.truncate = (FgTruncate) (fuzz_byte(input) % 3);
	if (fg_flame_svg(tree, &options, &svg))
	{
		require_markup((const char *) svg.data, svg.size);
		if (fg_data_read(ctx, (const char *) svg.data, svg.size, &read))
		{
			REQUIRE(fuzz_same_tree(tree, &read));
			fg_tree_free(ctx, &read);
		}
		else
			REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
	}
	else
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
	fg_release(ctx, svg.data);
}

/* A picture of two profiles, which is nothing that a profile can be read from. */
static void
require_pair(FgContext *ctx, bool ok, FgBuffer *svg)
{
	FgTree		read;

	if (ok)
	{
		require_markup((const char *) svg->data, svg->size);
		REQUIRE(!fg_data_read(ctx, (const char *) svg->data, svg->size, &read));
	}
	else
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY || ctx->error.code == FG_ERROR_ARGUMENT);
	fg_release(ctx, svg->data);
}

static void
draw_pair(FgContext *ctx, const FgTree *before, const FgTree *after, FuzzInput *input)
{
	FgDiffOptions options = {.look = fg_flame_defaults(), .alpha = 0.05};
	FgBuffer	difference = {.ctx = ctx};
	FgBuffer	parts = {.ctx = ctx};
	double		unit = fuzz_byte(input) % 3;

	options.look.interactive = true;
	options.look.title = (FgText) {(const char *) input->next, (size_t) (input->end - input->next)};
	options.look.width = 200 + 8 * fuzz_byte(input);
	options.look.min_width = fuzz_byte(input) / 8.0;
	options.widths = (FgWidths) (fuzz_byte(input) % 4);
	options.level = (FgLevel) (fuzz_byte(input) % 4);
	options.size = fuzz_byte(input) & 1 ? FG_SIZE_TOTAL : FG_SIZE_NONE;
	require_pair(ctx, fg_diff_recordings(before, after, unit, &options, &difference), &difference);
	require_pair(ctx, fg_parts_svg(before, after, &options.look, &parts), &parts);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	ctx = fuzz_context();
	FuzzInput	input = {data, data + size};
	FuzzInput	half = {data + size / 2, data + size};
	FgTree		tree;
	FgTree		after;

	if (fg_data_read(&ctx, (const char *) data, size, &tree))
	{
		fuzz_require_codec(&ctx, &tree);
		fg_tree_free(&ctx, &tree);
	}
	if (take_stacks(&ctx, &input, &tree))
	{
		input.next = data;
		draw(&ctx, &tree, &input);
		if (take_stacks(&ctx, &half, &after))
		{
			input.next = data;
			draw_pair(&ctx, &tree, &after, &input);
			fg_tree_free(&ctx, &after);
		}
		fg_tree_free(&ctx, &tree);
	}
	fuzz_finish();
	return 0;
}
