/*
 * fuzz_path.c
 *	  Stack paths: the input once as text and once as the bytes of a path.
 *
 * Properties: text -> path -> text -> path is the same path, and the second text
 * the same text; the parts of a path add up; an error names a place in the text.
 */
#include "support.h"

#include "core/profile/frames.h"
#include "core/profile/path.h"

static bool
same_bytes(const FgBuffer *buffer, const void *bytes, size_t size)
{
	return buffer->size == size && (size == 0 || memcmp(buffer->data, bytes, size) == 0);
}

static void
require_text(FgContext *ctx, const char *path, size_t length)
{
	FgBuffer	text = {.ctx = ctx};
	FgBuffer	again = {.ctx = ctx};
	FgBuffer	second = {.ctx = ctx};

	REQUIRE(fg_path_print(&text, path, length));
	REQUIRE(fg_path_parse(&again, (char *) text.data, text.size, 1));
	REQUIRE(same_bytes(&again, path, length));
	REQUIRE(fg_path_print(&second, (char *) again.data, again.size));
	REQUIRE(same_bytes(&second, text.data, text.size));
	fg_release(ctx, text.data);
	fg_release(ctx, again.data);
	fg_release(ctx, second.data);
}

/* Cut at "depth", the path is an ancestor and a rest. */
static void
require_parts(const char *path, size_t length, uint32_t depth, uint32_t at)
{
	const char *head;
	const char *tail;
	size_t		head_length;
	size_t		tail_length;

	fg_path_slice(path, length, 0, at, &head, &head_length);
	fg_path_slice(path, length, at, depth - at, &tail, &tail_length);
	REQUIRE(fg_path_depth(head, head_length) == at);
	REQUIRE(fg_path_depth(tail, tail_length) == depth - at);
	REQUIRE(fg_path_contains(head, head_length, path, length));
	REQUIRE(fg_path_contains(path, length, head, head_length) == (at == depth));
	REQUIRE(head_length + tail_length + (at > 0 && at < depth) == length);
	REQUIRE(head_length == 0 || memcmp(head, path, head_length) == 0);
	REQUIRE(tail_length == 0 || memcmp(tail, path + length - tail_length, tail_length) == 0);
}

static void
require_frames(FgContext *ctx, const char *path, size_t length)
{
	FgPathWalk	walk = fg_path_walk(path, length);
	uint32_t	depth = 0;

	while (fg_path_next(&walk))
	{
		REQUIRE(fg_frame_valid(ctx, walk.frame, walk.length));
		depth++;
	}
	REQUIRE(depth == fg_path_depth(path, length));
	for (uint32_t at = 0; at <= depth; at += 1 + depth / 8)
		require_parts(path, length, depth, at);
}

/* The bytes of a path: legal frames, not too many of them. */
static bool
is_path(FgContext *ctx, const char *bytes, size_t length)
{
	FgPathWalk	walk = fg_path_walk(bytes, length);
	uint32_t	depth = 0;

	while (fg_path_next(&walk))
	{
		if (++depth > FG_MAX_DEPTH || !fg_frame_valid(ctx, walk.frame, walk.length))
			return false;
	}
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	ctx = fuzz_context();
	FgBuffer	path = {.ctx = &ctx};
	char	   *copy = malloc(size + (size == 0));

	memcpy(copy, data, size);
	if (fg_path_parse(&path, copy, size, 1))
	{
		const char *bytes = path.data != NULL ? (char *) path.data : "";

		REQUIRE(is_path(&ctx, bytes, path.size));
		require_frames(&ctx, bytes, path.size);
		require_text(&ctx, bytes, path.size);
	}
	else
		REQUIRE(ctx.error.column >= 1 && ctx.error.column <= size + 1);
	if (is_path(&ctx, copy, size))
	{
		require_frames(&ctx, copy, size);
		require_text(&ctx, copy, size);
	}
	free(copy);
	fg_release(&ctx, path.data);
	fuzz_finish();
	return 0;
}
