/*
 * fuzz_picture.c
 *	  Profiles of hostile names made of the input's bytes, drawn, and read back; two of them
 *	  as a difference and in its parts; and the input itself, read as a picture.
 *
 * Properties: what is drawn is text of XML with elements and attributes of ours only,
 * tags that match, and no character that deceives; the profile comes back as it was;
 * reading foreign bytes gives a canonical profile or an error.
 */
#include "markup.h"
#include "support.h"

#include "core/picture/data.h"
#include "core/picture/diff_runs.h"
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
		fuzz_require_svg((const char *) svg.data, svg.size);
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
		fuzz_require_svg((const char *) svg->data, svg->size);
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
