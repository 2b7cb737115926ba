/*
 * fuzz_editor.c
 *	  What an editor and a profile say to the language server: a source file in some language,
 *	  edits of it, frames, and bytes of messages.
 *
 * Properties: functions lie within the text and within the one around them, and are the same
 * when the text is scanned again; lines after an edit are those of the text; a frame's parts
 * are no longer than the frame, and it means a function that is there; a stream of messages
 * says the same however it is cut.
 */
#include "support.h"

#include "core/editor/framing.h"
#include "core/editor/match.h"
#include "core/editor/text.h"

static void
require_functions(FgContext *ctx, FgLanguage language, const char *text, size_t size, FgFunctions *functions)
{
	FgFunctions again;

	REQUIRE(fg_scan_functions(ctx, language, text, size, functions));
	REQUIRE(fg_scan_functions(ctx, language, text, size, &again));
	REQUIRE(again.count == functions->count && again.cut == functions->cut);
	for (size_t i = 0; i < functions->count; i++)
	{
		const FgFunction *f = &functions->items[i];

		REQUIRE(memcmp(f, &again.items[i], sizeof(*f)) == 0);
		REQUIRE(f->start <= f->end && f->end <= size);
		REQUIRE((size_t) f->name.at + f->name.length <= size && (size_t) f->owner.at + f->owner.length <= size);
		REQUIRE(f->outer == FG_NONE || (f->outer < functions->count && f->outer != i));
	}
	REQUIRE((size_t) functions->package.at + functions->package.length <= size);
	fg_functions_free(ctx, &again);
}

/* Each line of the text is a frame. */
static void
require_matches(FgContext *ctx, FgLanguage language, const FgSourceText *text, const FgFunctions *functions)
{
	const char *bytes = (const char *) text->bytes.data;
	uint32_t   *order = fg_match_order(ctx, functions, bytes);
	FgSourceFile file = {language, "/src/main.js", 12, bytes, text->lines, text->line_count, functions, order};

	REQUIRE(order != NULL);
	for (uint32_t i = 0; i < text->line_count && i < 64; i++)
	{
		size_t		length = fg_text_line_end(text, i) - text->lines[i];
		FgFrameName name;
		uint32_t	function;

		/* No frame has a NUL. */
		if (memchr(bytes + text->lines[i], '\0', length) != NULL || !fg_frame_name(language, bytes + text->lines[i], length, &name))
			continue;
		REQUIRE(strlen(name.name) <= length && (name.owner == NULL || strlen(name.owner) <= length));
		REQUIRE((fg_match_frame(&file, &name, &function) == FG_MATCH_FUNCTION) == (function != FG_NONE));
		REQUIRE(function == FG_NONE || function < functions->count);
	}
	fg_release(ctx, order);
}

static void
require_edits(FgContext *ctx, FgSourceText *text, FuzzInput input)
{
	FgSourceText fresh;

	for (int i = 0; i < 8 && input.next < input.end; i++)
	{
		FgPosition	from = {fuzz_byte(&input), fuzz_byte(&input)};
		FgPosition	to = {fuzz_byte(&input), fuzz_byte(&input)};
		size_t		size = fuzz_byte(&input) % 16;
		FgPosition	start;

		if (size > (size_t) (input.end - input.next))
			size = (size_t) (input.end - input.next);
		REQUIRE(fg_text_replace(text, from, to, (const char *) input.next, size));
		start = fg_text_place(text, fg_text_offset(text, from));
		REQUIRE(start.line < text->line_count);
		input.next += size;
	}
	REQUIRE(fg_text_begin(ctx, &fresh, (const char *) text->bytes.data, text->bytes.size));
	REQUIRE(fresh.line_count == text->line_count);
	REQUIRE(memcmp(fresh.lines, text->lines, fresh.line_count * sizeof(uint32_t)) == 0);
	fg_text_free(&fresh);
}

/* How many steps of each kind, and bytes of bodies. */
static void
take_stream(FgContext *ctx, const char *bytes, size_t size, size_t piece, size_t *said)
{
	FgFraming	framing = {.head_size = 0};
	FgFramingStep step = FG_FRAMING_MORE;

	memset(said, 0, 4 * sizeof(*said));
	for (size_t at = 0; at < size && step != FG_FRAMING_ERROR; at += piece)
	{
		const char *next = bytes + at;
		size_t		left = size - at < piece ? size - at : piece;
		const char *body;
		size_t		body_size;

		while ((step = fg_framing_step(ctx, &framing, &next, &left, &body, &body_size)) != FG_FRAMING_MORE && step != FG_FRAMING_ERROR)
		{
			said[0] += step == FG_FRAMING_BEGIN;
			said[1] += step == FG_FRAMING_END;
			said[2] += step == FG_FRAMING_BODY ? body_size : 0;
		}
	}
	said[3] = step == FG_FRAMING_ERROR;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	ctx = fuzz_context();
	FgLanguage	language = size > 0 ? (FgLanguage) (data[0] % 8) : FG_LANGUAGE_NONE;
	const char *bytes = (const char *) data + (size > 0);
	FgSourceText text;
	FgFunctions functions;
	size_t		whole[4];
	size_t		cut[4];

	size -= size > 0;
	REQUIRE(fg_text_begin(&ctx, &text, bytes, size));
	require_functions(&ctx, language, (const char *) text.bytes.data, size, &functions);
	require_matches(&ctx, language, &text, &functions);
	fg_functions_free(&ctx, &functions);
	require_edits(&ctx, &text, (FuzzInput) {(const uint8_t *) bytes, (const uint8_t *) bytes + size});
	fg_text_free(&text);
	take_stream(&ctx, bytes, size, size + 1, whole);
	take_stream(&ctx, bytes, size, 3, cut);
	REQUIRE(memcmp(whole, cut, sizeof(whole)) == 0);
	fuzz_finish();
	return 0;
}
