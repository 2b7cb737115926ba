/*
 * test_text.c
 *	  Places in a document by lines and units of UTF-16, and edits, compared with a text that
 *	  is edited character by character.
 */
#include "unit.h"

#include "core/editor/text.h"

/* a, é (2 bytes, 1 unit), U+1F525 (4 bytes, 2 units), and each end of a line */
static const char sample[] = "a\xC3\xA9\xF0\x9F\x94\xA5z\r\n\r\nx\ry\n";

static void
test_places(void)
{
	static const struct
	{
		FgPosition		place;
		size_t		offset;
		FgPosition		again;
	}			cases[] = {
		{{0, 0}, 0, {0, 0}},
		{{0, 1}, 1, {0, 1}},
		{{0, 2}, 3, {0, 2}},
		{{0, 3}, 3, {0, 2}},	/* within a pair */
		{{0, 4}, 7, {0, 4}},
		{{0, 5}, 8, {0, 5}},
		{{0, 99}, 8, {0, 5}},
		{{1, 0}, 10, {1, 0}},
		{{1, 7}, 10, {1, 0}},
		{{2, 1}, 13, {2, 1}},
		{{3, 0}, 14, {3, 0}},
		{{4, 0}, 16, {4, 0}},
		{{9, 9}, 16, {4, 0}},
		{{UINT32_MAX, UINT32_MAX}, 16, {4, 0}}
	};
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	FgSourceText		text;

	unit_case("places");
	CHECK(fg_text_begin(&ctx, &text, sample, sizeof(sample) - 1));
	CHECK_COUNT(text.line_count, 5);
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		FgPosition		again = fg_text_place(&text, cases[i].offset);

		unit_note("%zu", i);
		CHECK_COUNT(fg_text_offset(&text, cases[i].place), cases[i].offset);
		CHECK_COUNT(again.line, cases[i].again.line);
		CHECK_COUNT(again.character, cases[i].again.character);
	}
	fg_text_free(&text);
	CHECK_COUNT(memory.blocks, 0);
}

/* Random edits: bytes and lines are what they are in a text that was never edited. */
static void
test_edits(void)
{
	static const char *const pieces[] = {"", "\n", "\r", "\r\n", "ab", "\xC3\xA9\n", "\xF0\x9F\x94\xA5", "\n\r", "x\ny\nz"};
	UnitRandom	random = {7};
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);

	unit_case("edits");
	for (int round = 0; round < 200; round++)
	{
		FgSourceText		text;
		FgSourceText		fresh;

		unit_note("round %d", round);
		CHECK(fg_text_begin(&ctx, &text, sample, sizeof(sample) - 1));
		for (int i = 0; i < 12; i++)
		{
			FgPosition		from = {unit_below(&random, 6), unit_below(&random, 5)};
			FgPosition		to = {from.line + unit_below(&random, 2), unit_below(&random, 5)};
			const char *piece = pieces[unit_below(&random, COUNT(pieces))];
			size_t		size = text.bytes.size;
			size_t		a = fg_text_offset(&text, from);
			size_t		b = fg_text_offset(&text, to);

			CHECK(fg_text_replace(&text, from, to, piece, strlen(piece)));
			CHECK_COUNT(text.bytes.size, size - (a < b ? b - a : a - b) + strlen(piece));
			CHECK(memcmp(text.bytes.data + (a < b ? a : b), piece, strlen(piece)) == 0);
			CHECK(text.bytes.data[text.bytes.size] == '\0');
		}
		CHECK(fg_text_begin(&ctx, &fresh, (const char *) text.bytes.data, text.bytes.size));
		CHECK_BYTES(text.lines, text.line_count * sizeof(uint32_t), fresh.lines, fresh.line_count * sizeof(uint32_t));
		fg_text_free(&text);
		fg_text_free(&fresh);
	}
	CHECK_COUNT(memory.blocks, 0);
}

static bool
edit(FgContext *ctx, void *arg)
{
	FgSourceText		text;
	bool		ok = fg_text_begin(ctx, &text, "a\nb\nc", 5) && fg_text_replace(&text, (FgPosition) {1, 0}, (FgPosition) {1, 1}, arg, strlen(arg));

	fg_text_free(&text);
	return ok;
}

int
main(void)
{
	test_places();
	test_edits();
	unit_sweep_memory("memory", edit, (void *) "1\n2\n3\n4\n5\n6\n7\n8\n9\n1\n2\n3\n4\n5\n6\n7\n8");
	return unit_finish();
}
