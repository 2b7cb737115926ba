/*
 * test_path.c
 *	  Stack paths: text, parts, limits.
 */
#include "naive.h"

#include "core/profile/path.h"

/* --- text -------------------------------------------------------------------- */

/* In "path" a '|' stands for the NUL between frames. */
static char *
with_nuls(const char *path)
{
	char	   *copy = strdup(path);

	for (char *p = copy; *p != '\0'; p++)
		*p = *p == '|' ? '\0' : *p;
	return copy;
}

static void
check_text(const char *text, const char *path, const char *printed)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuffer	bytes = {.ctx = &ctx};
	FgBuffer	again = {.ctx = &ctx};
	char	   *expected = with_nuls(path);

	CHECK(fg_path_parse(&bytes, text, strlen(text), 1));
	CHECK_BYTES(bytes.data, bytes.size, expected, strlen(path));
	CHECK(fg_path_print(&again, (char *) bytes.data, bytes.size));
	CHECK_TEXT(again.data, again.size, printed);
	fg_release(&ctx, bytes.data);
	fg_release(&ctx, again.data);
	free(expected);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_texts(void)
{
	static const struct
	{
		const char *text;
		const char *path;
		const char *printed;	/* NULL: like text */
	}			rows[] = {
		{"", "", NULL}, {"a", "a", NULL}, {"a;b;c", "a|b|c", NULL},
		/* item 3: \; and \\ are escapes, any other backslash is itself */
		{"a\\;b;c", "a;b|c", NULL},
		{"\\;", ";", NULL}, {"\\;\\;", ";;", NULL}, {"\\;;\\;", ";|;", NULL},
		{"C:\\dir\\f.py", "C:\\dir\\f.py", NULL},
		{"App\\Http\\Kernel->handle;x", "App\\Http\\Kernel->handle|x", NULL},
		{"C:\\\\;x", "C:\\|x", NULL},	/* frame "C:\", then x */
		{"\\\\\\;q", "\\;q", NULL}, /* one frame: backslash, semicolon, q */
		{"\\\\\\\\;q", "\\\\|q", "\\\\\\\\;q"},
		{"a\\", "a\\", NULL},	/* at the end it is itself */
		{"\\", "\\", NULL}, {"\\\\", "\\", "\\"}, {"\\\\\\\\", "\\\\", "\\\\\\"},
		{"\\\\\\", "\\\\", NULL},
		{"a\\\\b", "a\\b", "a\\b"}, /* escaped without need */
		{"a\\b\\\\c", "a\\b\\c", "a\\b\\c"},
		{"\\n", "\\n", NULL}, {"\\#x", "\\#x", NULL}, {"#x;#", "#x|#", NULL},
		{" a ; b ", " a | b ", NULL}, {"\t", "\t", NULL},
		{"\xE6\x97\xA5;\xF0\x9F\x94\xA5", "\xE6\x97\xA5|\xF0\x9F\x94\xA5", NULL},
		{"\"a\";'b'", "\"a\"|'b'", NULL}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("path text \"%s\"", rows[i].text);
		check_text(rows[i].text, rows[i].path,
				   rows[i].printed != NULL ? rows[i].printed : rows[i].text);
	}
}

static void
test_bad_texts(void)
{
	static const struct
	{
		const char *text;
		size_t		length;
		FgErrorCode code;
		uint64_t	column;		/* of the frame, from 1 */
	}			rows[] = {
		{";", 1, FG_ERROR_SYNTAX, 1}, {";a", 2, FG_ERROR_SYNTAX, 1}, {"a;", 2, FG_ERROR_SYNTAX, 3},
		{"a;;b", 4, FG_ERROR_SYNTAX, 3}, {"a\\;;", 4, FG_ERROR_SYNTAX, 5},
		{"a;b\nc", 5, FG_ERROR_SYNTAX, 3}, {"a\r", 2, FG_ERROR_SYNTAX, 1},
		{"a;b\0c", 5, FG_ERROR_ENCODING, 3}, {"a;b;\xC3", 5, FG_ERROR_ENCODING, 5},
		{"\xED\xA0\x80;a", 5, FG_ERROR_ENCODING, 1}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgBuffer	path = {.ctx = &ctx};

		unit_case("bad path text, row %zu", i);
		CHECK_ERROR(fg_path_parse(&path, rows[i].text, rows[i].length, 10), &ctx, rows[i].code);
		CHECK_COUNT(ctx.error.column, rows[i].column + 9);
		fg_release(&ctx, path.data);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_random_texts(void)
{
	UnitRandom	random = {99};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	unit_case("random paths of nasty frames survive text");
	for (int round = 0; round < 20000; round++)
	{
		FgBuffer	path = {.ctx = &ctx};
		FgBuffer	text = {.ctx = &ctx};
		FgBuffer	again = {.ctx = &ctx};
		uint32_t	depth = unit_below(&random, 6);

		unit_note("[round %d]", round);
		for (uint32_t d = 0; d < depth; d++)
		{
			/* a frame of the list, or some bytes of those that matter, or both */
			const char *frame = naive_frame(unit_below(&random, 40));
			uint32_t	kind = unit_below(&random, 3);

			if (d > 0)
				fg_buffer_append(&path, "", 1);
			if (kind != 0)
				fg_buffer_append(&path, frame, strlen(frame));
			for (uint32_t n = 1 + unit_below(&random, 5); n > 0 && kind != 1; n--)
				fg_buffer_append(&path, &"\\;#a \\;"[unit_below(&random, 7)], 1);
		}
		CHECK_COUNT(fg_path_depth((char *) path.data, path.size), depth);
		CHECK(fg_path_print(&text, (char *) path.data, path.size));
		CHECK(fg_path_parse(&again, (char *) text.data, text.size, 1));
		CHECK_BYTES(again.data, again.size, path.data, path.size);
		fg_release(&ctx, path.data);
		fg_release(&ctx, text.data);
		fg_release(&ctx, again.data);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* What is printed behind other text does not depend on it. */
static void
test_append(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	text = {.ctx = &ctx};
	FgBuffer	path = {.ctx = &ctx};

	unit_case("printing and parsing append");
	fg_buffer_append(&text, "x\\", 2);
	CHECK(fg_path_print(&text, "a\0b", 3));
	CHECK_TEXT(text.data, text.size, "x\\a;b");
	CHECK(fg_path_parse(&path, "a;b", 3, 1));
	CHECK(fg_path_parse(&path, "c", 1, 1));
	CHECK_BYTES(path.data, path.size, "a\0bc", 4);
	fg_release(&ctx, text.data);
	fg_release(&ctx, path.data);
}

/* --- parts ---------------------------------------------------------------------- */

static void
test_parts(void)
{
	static const char path[] = "main\0a\0bb\0ccc";
	const size_t length = sizeof(path) - 1;
	static const struct
	{
		uint32_t	start;
		uint32_t	count;
		const char *slice;		/* '|' is NUL */
	}			rows[] = {
		{0, 0, ""}, {0, 1, "main"}, {0, 2, "main|a"}, {0, 4, "main|a|bb|ccc"}, {1, 1, "a"},
		{1, 3, "a|bb|ccc"}, {2, 1, "bb"}, {3, 1, "ccc"}, {2, 0, ""}, {4, 0, ""}, {3, 0, ""}
	};
	FgPathWalk	walk = fg_path_walk(path, length);
	const char *slice;
	size_t		slice_length;

	unit_case("a walk over the frames");
	CHECK(fg_path_next(&walk) && walk.length == 4 && memcmp(walk.frame, "main", 4) == 0);
	CHECK(fg_path_next(&walk) && walk.length == 1 && *walk.frame == 'a');
	CHECK(fg_path_next(&walk) && walk.length == 2);
	CHECK(fg_path_next(&walk) && walk.length == 3);
	CHECK(!fg_path_next(&walk));
	CHECK(!fg_path_next(&walk));
	walk = fg_path_walk(NULL, 0);
	CHECK(!fg_path_next(&walk));
	unit_case("an empty frame at the end is a frame, for checks to find");
	walk = fg_path_walk("a\0", 2);
	CHECK(fg_path_next(&walk) && walk.length == 1);
	CHECK(fg_path_next(&walk) && walk.length == 0);
	CHECK(!fg_path_next(&walk));
	unit_case("depth");
	CHECK_COUNT(fg_path_depth(path, length), 4);
	CHECK_COUNT(fg_path_depth(path, 4), 1);
	CHECK_COUNT(fg_path_depth(NULL, 0), 0);
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		char	   *expected = with_nuls(rows[i].slice);

		unit_case("%u frames from %u", rows[i].count, rows[i].start);
		fg_path_slice(path, length, rows[i].start, rows[i].count, &slice, &slice_length);
		CHECK_BYTES(slice, slice_length, expected, strlen(rows[i].slice));
		free(expected);
	}
	unit_case("a slice of the empty path");
	fg_path_slice(NULL, 0, 0, 0, &slice, &slice_length);
	CHECK_COUNT(slice_length, 0);
}

static void
test_contains(void)
{
	static const struct
	{
		const char *a;
		size_t		alen;
		const char *b;
		size_t		blen;
		bool		contains;
	}			rows[] = {
		{"", 0, "", 0, true}, {"", 0, "a", 1, true}, {"a", 1, "", 0, false},
		{"a", 1, "a", 1, true}, {"a", 1, "a\0b", 3, true}, {"a\0b", 3, "a", 1, false},
		{"a", 1, "ab", 2, false}, {"a", 1, "ab\0c", 4, false}, {"a\0b", 3, "a\0b\0c", 5, true},
		{"a\0b", 3, "a\0bc", 4, false}, {"b", 1, "a\0b", 3, false}, {"a\0b", 3, "a\0c", 3, false}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("ancestor, row %zu", i);
		CHECK(fg_path_contains(rows[i].a, rows[i].alen, rows[i].b, rows[i].blen) ==
			  rows[i].contains);
	}
}

/* --- limits ------------------------------------------------------------------------- */

static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	path = {.ctx = &ctx};
	size_t		length = 2 * (FG_MAX_DEPTH + 1) - 1;
	char	   *text = malloc(length);
	char	   *frame = malloc(FG_MAX_FRAME + 3);

	for (size_t i = 0; i < length; i++)
		text[i] = i % 2 == 0 ? 'f' : ';';
	unit_case("65535 frames");
	CHECK(fg_path_parse(&path, text, length - 2, 1));
	CHECK_COUNT(fg_path_depth((char *) path.data, path.size), FG_MAX_DEPTH);
	unit_case("65536 frames");
	path.size = 0;
	CHECK_ERROR(fg_path_parse(&path, text, length, 1), &ctx, FG_ERROR_LIMIT);
	CHECK_COUNT(ctx.error.column, length);
	CHECK(strstr(ctx.error.reason, "65535") != NULL);
	unit_case("a frame of 1 MiB, and of one byte more");
	memset(frame, 'x', FG_MAX_FRAME + 3);
	frame[1] = ';';
	path.size = 0;
	CHECK(fg_path_parse(&path, frame, FG_MAX_FRAME + 2, 1));
	CHECK_ERROR(fg_path_parse(&path, frame, FG_MAX_FRAME + 3, 1), &ctx, FG_ERROR_LIMIT);
	CHECK_COUNT(ctx.error.column, 3);
	free(text);
	free(frame);
	fg_release(&ctx, path.data);
}

static bool
there_and_back(FgContext *ctx, void *arg)
{
	const char *text = arg;
	FgBuffer	path = {.ctx = ctx};
	FgBuffer	again = {.ctx = ctx};
	bool		ok = fg_path_parse(&path, text, strlen(text), 1) &&
		fg_path_print(&again, (char *) path.data, path.size);

	fg_release(ctx, path.data);
	fg_release(ctx, again.data);
	return ok;
}

/* A path that repeats itself, sought in one twice as deep: quadratic, and so it polls. */
static void
test_position(void)
{
	static const char text[] = "a\0bb\0a\0bb\0c";
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	const size_t frames = 2000;
	const size_t frame = 1000;
	char	   *path = malloc(frames * frame);

	unit_case("positions");
	CHECK_COUNT(fg_path_position(&ctx, text, 11, "bb", 2, 0), 1);
	CHECK_COUNT(fg_path_position(&ctx, text, 11, "bb", 2, 2), 3);
	CHECK_COUNT(fg_path_position(&ctx, text, 11, "bb\0c", 4, 0), 3);
	CHECK_COUNT(fg_path_position(&ctx, text, 11, "b", 1, 0), FG_NONE);
	CHECK_COUNT(fg_path_position(&ctx, text, 11, "", 0, 5), 5);
	CHECK_COUNT(fg_path_position(&ctx, text, 11, "", 0, 6), FG_NONE);
	unit_case("the search in a path that repeats itself polls");
	memset(path, 'a', frames * frame);
	for (size_t i = 1; i < frames; i++)
		path[i * frame - 1] = '\0';
	path[frames / 2 * frame - 2] = 'b';
	memory.polls = 0;
	CHECK_COUNT(fg_path_position(&ctx, path + frames / 2 * frame, frames / 2 * frame, path,
								 frames / 4 * frame - 1, 0), 0);
	CHECK_COUNT(fg_path_position(&ctx, path, frames * frame, path + frame, frames / 2 * frame - 1, 0),
				1);
	CHECK_COUNT(fg_path_position(&ctx, path + frames / 2 * frame, frames / 2 * frame,
								 path + frames / 4 * frame, frames / 4 * frame - 1, 0), FG_NONE);
	/* the last search compares a quarter of the frames at each of so many places */
	CHECK(memory.polls >= frames / 4 * (frames / 4) * frame / FG_CHECK_BYTES);
	free(path);
}

int
main(void)
{
	static char text[] = "main;C:\\\\;a\\;b;a frame that needs some room;another one;and another";
	static char many[1000];

	test_texts();
	test_bad_texts();
	test_random_texts();
	test_append();
	test_parts();
	test_contains();
	test_limits();
	unit_sweep_memory("path text", there_and_back, text);
	for (size_t i = 0; i + 1 < sizeof(many); i++)
		many[i] = i % 3 == 1 ? ';' : (i % 7 == 0 ? '\\' : 'f');
	unit_sweep_memory("text of many frames", there_and_back, many);
	test_position();
	return unit_finish();
}
