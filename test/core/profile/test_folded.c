/*
 * test_folded.c
 *	  The folded text format: grammar, dialects, errors with their place.
 */
#include "naive.h"

#include "core/profile/folded.h"

static const FgFoldedOptions exact = {.dialect = FG_FOLDED_EXACT, .check_encoding = true};
static const FgFoldedOptions trusted = {.dialect = FG_FOLDED_EXACT};
static const FgFoldedOptions foreign = {.dialect = FG_FOLDED_FOREIGN, .check_encoding = true};
static const FgFoldedOptions lenient = {.dialect = FG_FOLDED_FOREIGN, .skip_bad_lines = true};

/* From memory of just this size, so that a read too far is seen. */
static bool
parse(FgContext *ctx, const char *text, size_t length, FgFoldedOptions options, FgTree *tree,
	  FgFoldedReport *report)
{
	char	   *copy = malloc(length + (length == 0));
	bool		ok;

	memcpy(copy, text, length);
	ok = fg_folded_parse(ctx, copy, length, options, tree, report);
	free(copy);
	return ok;
}

static void
check_printed(FgContext *ctx, const FgTree *tree, FgFoldedDialect dialect, const char *expected,
			  size_t expected_size)
{
	FgBuffer	text = {.ctx = ctx};
	bool		complete = false;

	CHECK(fg_folded_print(&text, tree, dialect, SIZE_MAX, &complete, NULL));
	CHECK(complete);
	CHECK_BYTES(text.data, text.size, expected, expected_size);
	fg_release(ctx, text.data);
}

/* Reads a text and prints it again. */
static void
check_reading(const char *text, size_t length, FgFoldedOptions options, const char *printed,
			  FgFoldedReport *report)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree;

	if (CHECK(parse(&ctx, text, length, options, &tree, report)))
	{
		CHECK(fg_tree_check(&ctx, &tree));
		check_printed(&ctx, &tree, FG_FOLDED_EXACT, printed, strlen(printed));
		fg_tree_free(&ctx, &tree);
	}
	else
		printf("    %s\n", ctx.error.reason);
	CHECK_COUNT(memory.blocks, 0);
}

#define check_text(text, options, printed, report) \
	check_reading(text, strlen(text), options, printed, report)

/* --- what is read ------------------------------------------------------------- */

typedef struct ExactText
{
	const char *what;
	const char *text;
	const char *printed;
} ExactText;

static const ExactText exact_texts[] = {
	{"empty", "", ""}, {"one LF", "\n", ""}, {"CRLFs", "\r\n\r\n", ""},
	{"only a comment", "# only a comment", ""}, {"blanks", "   ", ""},
	{"blanks and tabs", " \t \t\r\n\t", ""},
	{"a zero", "a 0", ""}, {"cancelled", "a 1\na -1", ""},
	{"a line", "a;b 1", "a;b 1"}, {"a line with LF", "a;b 1\n", "a;b 1"},
	{"two lines", "a 1\nb 2", "a 1\nb 2"},
	{"CRLF", "a;b 1\r\na;c 2\r\n", "a;b 1\na;c 2"},
	{"blanks at the end", "a 1  \t \nb 2\t\n", "a 1\nb 2"},
	{"CRs at the end", "a 1\r\r\r\nb 2 \r \r", "a 1\nb 2"},
	{"comments", "# c\n#\n# x;y 5\n#  \n#\r\na 1\n # not one 2", " # not one 2\na 1"},
	/* golden text_comments_and_blanks */
	{"no comments",
		"# austin: 3.4.0\n# interval: 100\r\n#\n\n   \t\nP1;T1;#0 main 5\n#include 7\n"
		"#\tx 1\nP1;T1;<module>:3 10058  \n\n\n",
	"#\tx 1\n#include 7\nP1;T1;#0 main 5\nP1;T1;<module>:3 10058"},
	/* text_spaces_kept */
	{"the last space separates", "a;b  5\n  a;b 1\na ; b 2\na;b\t 3",
	"  a;b 1\na;b\t 3\na;b  5\na ; b 2"},
	{"a frame that is a blank", "  7", "  7"},
	/* text_two_columns_trap */
	{"two columns", "a;b 10 12\na;c 3 0", "a;b 10 12"},
	/* text_empty_stack */
	{"the empty stack", "a 2\n 5\na;b 1", " 5\na 2\na;b 1"},
	{"nothing but the empty stack", " 5\n -2", " 3"},
	/* text_escapes */
	{"escapes",
		"a\\;b;c 1\nC:\\\\;x 2\nC:\\dir\\f.py;App\\Http\\Kernel->handle 3\n\\\\\\;q 4\n"
		"\\# not a comment;z 5\n\\\\# hash after backslash 6",
		"\\# not a comment;z 5\nC:\\\\;x 2\nC:\\dir\\f.py;App\\Http\\Kernel->handle 3\n"
		"\\\\# hash after backslash 6\n\\\\\\;q 4\na\\;b;c 1"},
	{"a hash escaped without need", "\\#x;y 1\n\\#;z 2\na;\\#b 3", "#;z 2\n#x;y 1\na;\\#b 3"},
	{"frames of hashes", "\\# 1\n# 2\n## 3\n#;# 4", "\\# 1\n#;# 4\n## 3"},
	{"a backslash before the value", "a\\ 1\n\\ 2\n\\\\ 3", "\\ 5\na\\ 1"},
	/* text_cancel_and_zero */
	{"cancel and zero", "a 1\nb 0\na -1\nc -0\nd 2.5\nd -1.5\ne 0e5", "d 1"},
	{"a path that cancels", "a;b;c 1\na;d 2\na;b;c -1", "a;d 2"},
	{"repeated", "a;b 1\nc 1\na;b 2\na;b 3", "a;b 6\nc 1"},
	/* text_negative_fractional, without the last line */
	{"values", "a;b -3\na;c 0.25\na;b 1.5\nd -1e-3\ne .5\nf 6.\ng +3\nh 1E2",
	"a;b -1.5\na;c 0.25\nd -0.001\ne 0.5\nf 6\ng 3\nh 100"},
	{"counts of 15 and 16 digits", "a 999999999999999\nb 9007199254740991\nc 000000000000000000001",
	"a 999999999999999\nb 9007199254740991\nc 1"},
	{"counts of 20 digits and more",
		"a 12345678901234567890\nb 99999999999999999999\nc 36893488147419103233\n"
		"d 0000000000000000000000000000000000000000000000000000000000000000000000000000017",
		"a 1.2345678901234567e+19\nb 1e+20\nc 3.6893488147419103e+19\nd 17"},
	{"values that are no plain counts", "a 12:5 1", "a 12:5 1"},
	{"nothing is stored of 0.1+0.2-0.3 but the rest", "a 0.1\na 0.2\na -0.3",
	"a 5.551115123125783e-17"},
	/* text_prefix_order */
	{"order", "a b 1\na;c 2\na 3\na!;b 4\na;b;c 5\na\xC2\xA0" "b 6\nA;b 7",
	"A;b 7\na 3\na;b;c 5\na;c 2\na b 1\na!;b 4\na\xC2\xA0" "b 6"},
	/* text_unicode_order */
	{"Unicode",
		"\xC3\xA9 1\nz 1\ne\xCC\x81 1\n\xEF\xBF\xAE 1\n\xF0\x9F\x94\xA5 1\n"
		"\xE6\x97\xA5\xE6\x9C\xAC;\xC3\xBC 2\nA 1\n~ 1",
		"A 1\ne\xCC\x81 1\nz 1\n~ 1\n\xC3\xA9 1\n\xE6\x97\xA5\xE6\x9C\xAC;\xC3\xBC 2\n"
	"\xEF\xBF\xAE 1\n\xF0\x9F\x94\xA5 1"},
	/* text_frames_with_spaces */
	{"frames with spaces",
		"rustc;<alloc::vec::Vec<T> as alloc::vec::SpecExtend<T, I>>::from_iter;memcpy@GLIBC_2.2.5 3\n"
		"java;Foo.bar(int, java.lang.String) 7\n"
		"std::map<int, std::pair<int, char> >::find(int const&) const 2",
		"java;Foo.bar(int, java.lang.String) 7\n"
		"rustc;<alloc::vec::Vec<T> as alloc::vec::SpecExtend<T, I>>::from_iter;memcpy@GLIBC_2.2.5 3\n"
	"std::map<int, std::pair<int, char> >::find(int const&) const 2"},
	{"control characters stay", "a\x01;\x1B[0m\x7F 1\na;b\tc 2", "a;b\tc 2\na\x01;\x1B[0m\x7F 1"},
	{"a byte order mark is a part of the frame", "\xEF\xBB\xBF" "a 1", "\xEF\xBB\xBF" "a 1"},
	{"speedscope's recursion", "a;b;a;b;a;b 1\na;b;a;b;c 2\na;b;a;c 2\na;b;a;b 2\nb;b 1\na;a 1\na;b 1",
	"a;a 1\na;b 1\na;b;a;b 2\na;b;a;b;a;b 1\na;b;a;b;c 2\na;b;a;c 2\nb;b 1"}
};

static void
test_exact_texts(void)
{
	FgFoldedReport report;

	for (size_t i = 0; i < COUNT(exact_texts); i++)
	{
		const ExactText *row = &exact_texts[i];

		unit_case("exact text: %s", row->what);
		check_reading(row->text, strlen(row->text), exact, row->printed, &report);
		check_reading(row->text, strlen(row->text), trusted, row->printed, &report);
		/* what is printed is a fixed point */
		check_reading(row->printed, strlen(row->printed), exact, row->printed, &report);
	}
}

static void
test_foreign_texts(void)
{
	static const struct
	{
		const char *what;
		const char *text;
		size_t		length;		/* 0: up to the NUL */
		const char *printed;	/* in the exact dialect */
		unsigned	unknown;
		unsigned	controls;
	}			rows[] = {
		{"plain", "a;b 1\n# c\n\nc 2\r\n", 0, "a;b 1\nc 2", 0, 0},
		{"nothing is an escape", "C:\\dir\\f.py;App\\Http 1\na\\;b 2\n\\# x 3\n\\\\;q 4", 0,
		"C:\\dir\\f.py;App\\Http 1\n\\\\# x 3\n\\\\\\\\;q 4\na\\\\;b 2", 0, 0},
		{"empty frames", "a;;b 1\n;a 2\na; 3\n; 4", 0,
		"[unknown];[unknown] 4\n[unknown];a 2\na;[unknown] 3\na;[unknown];b 1", 5, 0},
		{"[unknown] is not counted", "[unknown];a 1", 0, "[unknown];a 1", 0, 0},
		{"the empty stack", " 5\na 1", 0, " 5\na 1", 0, 0},
		{"control characters", "a\x01" "b;\x1B[0m 1\nx\ty\x7F 2\n\x1F 3", 0,
		"  3\na b; [0m 1\nx y  2", 0, 5},
		{"CR inside a line", "a\rb;c 1", 0, "a b;c 1", 0, 1},
		{"both", ";\x02 1", 0, "[unknown];  1", 1, 1},
		{"cleaned frames add up with others", "a\x01z 1\na z 2\na\x02z 4\n;b 1\n[unknown];b 1", 0,
		"[unknown];b 2\na z 7", 1, 2},
		{"good lines after cleaned ones", "a;b;c 1\na;b;\x01 2\na;b;c 4\na;b;d 8\na;b; 16", 0,
		"a;b;  2\na;b;[unknown] 16\na;b;c 5\na;b;d 8", 1, 1},
		{"C1 control characters are text", "a\xC2\x85 1", 0, "a\xC2\x85 1", 0, 0},
		/* text_byte_order_mark */
		{"a byte order mark", "\xEF\xBB\xBF" "a;b 1\n", 0, "a;b 1", 0, 0},
		{"nothing but a byte order mark", "\xEF\xBB\xBF", 0, "", 0, 0},
		{"a byte order mark before a comment", "\xEF\xBB\xBF# c\na 1", 0, "a 1", 0, 0},
		{"a second byte order mark is text", "\xEF\xBB\xBF\xEF\xBB\xBF" "a 1\n", 0,
		"\xEF\xBB\xBF" "a 1", 0, 0}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgFoldedReport report;
		size_t		length = rows[i].length > 0 ? rows[i].length : strlen(rows[i].text);

		unit_case("foreign text: %s", rows[i].what);
		check_reading(rows[i].text, length, foreign, rows[i].printed, &report);
		CHECK_COUNT(report.unknown_frames, rows[i].unknown);
		CHECK_COUNT(report.control_characters, rows[i].controls);
	}
}

/* --- errors --------------------------------------------------------------------- */

typedef struct BadText
{
	const char *text;
	size_t		length;			/* 0: up to the NUL */
	FgErrorCode code;
	uint64_t	line;
	uint64_t	column;
	const char *reason;			/* a part of it, or NULL */
} BadText;

static void
check_error(const BadText *row, FgFoldedOptions options)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgFoldedReport report;
	FgTree		tree;
	size_t		length = row->length > 0 ? row->length : strlen(row->text);

	CHECK_ERROR(parse(&ctx, row->text, length, options, &tree, &report), &ctx, row->code);
	CHECK_COUNT(ctx.error.line, row->line);
	CHECK_COUNT(ctx.error.column, row->column);
	if (row->reason != NULL && !CHECK(strstr(ctx.error.reason, row->reason) != NULL))
		printf("    %s\n", ctx.error.reason);
	CHECK(tree.key == NULL && tree.self == NULL && tree.frames.offset == NULL);
	CHECK_COUNT(memory.blocks, 0);
}

/* Columns: of the value, of the frame, or behind the line where a value is missing. */
static void
test_errors(void)
{
	static const BadText rows[] = {
		/* golden text_bad_values */
		{"a nan", 0, FG_ERROR_SYNTAX, 1, 3, "\"nan\""}, {"a inf", 0, FG_ERROR_SYNTAX, 1, 3, NULL},
		{"a -Infinity", 0, FG_ERROR_SYNTAX, 1, 3, NULL}, {"a 0x10", 0, FG_ERROR_SYNTAX, 1, 3, NULL},
		{"a 1,5", 0, FG_ERROR_SYNTAX, 1, 3, "\"1,5\""}, {"a 1_000", 0, FG_ERROR_SYNTAX, 1, 3, NULL},
		{"a --1", 0, FG_ERROR_SYNTAX, 1, 3, NULL}, {"a 1e", 0, FG_ERROR_SYNTAX, 1, 3, NULL},
		{"a .", 0, FG_ERROR_SYNTAX, 1, 3, NULL}, {"a 1 2 x", 0, FG_ERROR_SYNTAX, 1, 7, "\"x\""},
		{"a;;b 1", 0, FG_ERROR_SYNTAX, 1, 3, "empty"}, {";a 1", 0, FG_ERROR_SYNTAX, 1, 1, "empty"},
		{"a; 1", 0, FG_ERROR_SYNTAX, 1, 3, "empty"},
		{"7", 0, FG_ERROR_SYNTAX, 1, 2, "missing"}, {"a 5;b", 0, FG_ERROR_SYNTAX, 1, 3, "\"5;b\""},
		{"P1;T1;f 10,1,20", 0, FG_ERROR_SYNTAX, 1, 9, NULL},
		/* a missing value, in many forms */
		{"a;b 1\na;c\nd 2", 0, FG_ERROR_SYNTAX, 2, 4, "missing"},
		{"a;b 1\na;c  \t\r\n", 0, FG_ERROR_SYNTAX, 2, 4, "missing"},
		{"a\t5", 0, FG_ERROR_SYNTAX, 1, 4, "missing"}, {"\n\n\nx", 0, FG_ERROR_SYNTAX, 4, 2, NULL},
		{"#x", 0, FG_ERROR_SYNTAX, 1, 3, "missing"}, {"a b", 0, FG_ERROR_SYNTAX, 1, 3, "\"b\""},
		{" #", 0, FG_ERROR_SYNTAX, 1, 2, "\"#\""}, {"a 1\n\\# 1\\;", 0, FG_ERROR_SYNTAX, 2, 4, NULL},
		/* empty frames, also among escapes */
		{"a 1\r\nb\\;;;c 2", 0, FG_ERROR_SYNTAX, 2, 5, "empty"},
		{"\\#;;b 1", 0, FG_ERROR_SYNTAX, 1, 4, "empty"}, {"; 1", 0, FG_ERROR_SYNTAX, 1, 1, "empty"},
		{"a;b\\\\; 1", 0, FG_ERROR_SYNTAX, 1, 7, "empty"},
		{"a;b;c 1\na;b;d 1\na;b; 1", 0, FG_ERROR_SYNTAX, 3, 5, "empty"},
		/* a CR that does not end the line */
		{"a;b\rc 1", 0, FG_ERROR_SYNTAX, 1, 3, "line break"},
		{"a 1\nx;a\\;b\rc 1", 0, FG_ERROR_SYNTAX, 2, 3, "line break"},
		/* values out of range, golden text_value_overflow, text_value_underflow */
		{"a 1\nb 1e400", 0, FG_ERROR_RANGE, 2, 3, "\"1e400\" is too large"},
		{"\n# c\nb 1e-400", 0, FG_ERROR_RANGE, 3, 3, "\"1e-400\" is too small"},
		{"a 1\nb;c -2e308", 0, FG_ERROR_RANGE, 2, 5, "too large"},
		/* text_sum_overflow */
		{"a 1e308\nb 1\na 1e308", 0, FG_ERROR_RANGE, 3, 1, "sum"},
		{"a 1e308\na 1e308", 0, FG_ERROR_RANGE, 2, 1, "sum"},
		{" -1e308\n -1e308", 0, FG_ERROR_RANGE, 2, 1, "sum"},
		{"a\\;b 1e308\na\\;b 1e308", 0, FG_ERROR_RANGE, 2, 1, "sum"},
		/* text_bad_utf8 */
		{"a;b 1\na\xC3; 2", 0, FG_ERROR_ENCODING, 2, 2, "0xc3"},
		{"a 1\nb\0 2", 8, FG_ERROR_ENCODING, 2, 2, "0x00"},
		{"# \xFF\na 1", 0, FG_ERROR_ENCODING, 1, 3, "0xff"},
		{"a 1\n\nb \xED\xA0\x80", 0, FG_ERROR_ENCODING, 3, 3, "0xed"},
		/* UTF-16 of either byte order, golden text_utf16_rejected */
		{"\xFF\xFE" "a\0;\0b\0 \0001\0\n", 14, FG_ERROR_ENCODING, 1, 1, "0xff"},
		{"\xFE\xFF\0a\0 \0001", 8, FG_ERROR_ENCODING, 1, 1, "0xfe"}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("error in text %zu: %s", i, rows[i].text);
		check_error(&rows[i], exact);
	}
}

/* Text that is known to be UTF-8 is not checked as a whole; frames are, at their place. */
static void
test_errors_without_check(void)
{
	static const BadText rows[] = {
		{"a;b 1\na;\xC3 2", 0, FG_ERROR_ENCODING, 2, 3, NULL},
		{"a;\\;\xC3 2", 0, FG_ERROR_ENCODING, 1, 3, NULL},
		{"a;b\0 2", 6, FG_ERROR_ENCODING, 1, 3, NULL}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("bad frame in trusted text %zu", i);
		check_error(&rows[i], trusted);
	}
	unit_case("bad value with bytes that are not UTF-8");
	check_error(&(BadText) {"a 1\xC3\xC3", 0, FG_ERROR_SYNTAX, 1, 3, "\"1\"..."}, trusted);
	unit_case("a long bad value is cut at a character");
	check_error(&(BadText) {"a 123456789012345678901234567890123456789\xC3\xA9", 0,
							FG_ERROR_SYNTAX, 1, 3, "123456789\"..."}, exact);
}

/* Some allocation in the last frame of line 2 fails, and the error names that frame's column. */
static void
check_frame_column(const char *text, uint64_t column)
{
	bool		seen = false;

	for (size_t fail_at = 1; fail_at < 1000; fail_at++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgFoldedReport report;
		FgTree		tree;

		memory.fail_at = fail_at;
		if (parse(&ctx, text, strlen(text), trusted, &tree, &report))
		{
			fg_tree_free(&ctx, &tree);
			break;
		}
		CHECK_COUNT(ctx.error.code, FG_ERROR_MEMORY);
		seen |= ctx.error.line == 2 && ctx.error.column == column;
		CHECK_COUNT(memory.blocks, 0);
	}
	CHECK(seen);
}

/*
 * Escapes are undone before the builder sees a line; its columns are still those of the
 * line.  Only what no grammar forbids gets so far: here, memory for a long frame.
 */
static void
test_columns_of_escapes(void)
{
	static const char frame[] = "0123456789012345678901234567890123456789";
	static const struct
	{
		const char *before;
		uint64_t	column;
	}			rows[] = {
		{"a;b;", 5}, {"a\\;b;", 6}, {"a\\;b;c\\\\;", 10}, {"\\;;", 4}, {"\\#a\\;;b;", 9}, {"a\\b;", 5}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		char		text[200];

		unit_case("column of a frame behind %s", rows[i].before);
		snprintf(text, sizeof(text), "x 1\n%s%s 2", rows[i].before, frame);
		check_frame_column(text, rows[i].column);
	}
}

static void
test_hints(void)
{
	FgContext	ctx = fg_malloc_context();
	FgFoldedReport report;
	FgTree		tree;

	unit_case("hints");
	CHECK(!parse(&ctx, "a x", 3, exact, &tree, &report));
	CHECK(ctx.error.hint != NULL && strstr(ctx.error.hint, "frames joined by") != NULL);
	CHECK(!parse(&ctx, "a", 1, exact, &tree, &report));
	CHECK(ctx.error.hint != NULL && strstr(ctx.error.hint, "frames joined by") != NULL);
	CHECK(!parse(&ctx, "\xFF\xFE" "a", 3, exact, &tree, &report));
	CHECK(ctx.error.hint != NULL && strstr(ctx.error.hint, "UTF-16") != NULL);
	CHECK(!parse(&ctx, "\xFF\xFF" "a", 3, exact, &tree, &report));
	CHECK(ctx.error.hint == NULL);
	CHECK(!parse(&ctx, "a 1e999", 7, exact, &tree, &report));
	CHECK(ctx.error.hint == NULL);
}

static void
test_foreign_errors(void)
{
	static const BadText rows[] = {
		{"a 1\nb x", 0, FG_ERROR_SYNTAX, 2, 3, NULL},
		{"a 1\nb 1e999", 0, FG_ERROR_RANGE, 2, 3, NULL},
		{"a\x01 1e308\na\x01 1e308", 0, FG_ERROR_RANGE, 2, 1, "sum"},
		{"a 1\n\xFF 1", 0, FG_ERROR_ENCODING, 2, 1, NULL},
		{"a 1\nb\0 1", 8, FG_ERROR_ENCODING, 2, 2, NULL}
	};
	/* never skipped: what is not wrong in one line alone */
	static const BadText always[] = {
		{"x\na 1e308\na 1e308", 0, FG_ERROR_RANGE, 3, 1, NULL},
		{"a 1e999\na 1e308\na 1e308", 0, FG_ERROR_RANGE, 3, 1, NULL},
		{"a;;b 1e308\nx 1e999\na;;b 1e308", 0, FG_ERROR_RANGE, 3, 1, NULL},
		{"x\na;\xFF 1", 0, FG_ERROR_ENCODING, 2, 3, NULL}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("error in foreign text %zu", i);
		check_error(&rows[i], foreign);
	}
	for (size_t i = 0; i < COUNT(always); i++)
	{
		unit_case("error that is not skipped %zu", i);
		check_error(&always[i], lenient);
	}
}

/* --- the report --------------------------------------------------------------------- */

static void
test_report(void)
{
	FgFoldedReport report;
	FgFoldedOptions exact_lenient = exact;

	exact_lenient.skip_bad_lines = true;
	unit_case("counts of lines");
	check_text("# c\n\na;b 1\r\n \t\n#\nc 2\nc 3", exact, "a;b 1\nc 5", &report);
	CHECK_COUNT(report.lines, 7);
	CHECK_COUNT(report.comments, 2);
	CHECK_COUNT(report.blank, 2);
	CHECK_COUNT(report.samples, 3);
	CHECK_COUNT(report.skipped, 0);
	CHECK_COUNT(report.first_skipped, 0);
	unit_case("skipped lines, foreign");
	check_text("a 1\nb\nc x\na 2\n;d 1\n", lenient, "[unknown];d 1\na 3", &report);
	CHECK_COUNT(report.lines, 5);
	CHECK_COUNT(report.samples, 3);
	CHECK_COUNT(report.skipped, 2);
	CHECK_COUNT(report.first_skipped, 2);
	CHECK(strstr(report.first_reason, "missing") != NULL);
	unit_case("skipped lines, exact: nothing of them is left");
	check_text("a;b;;c 1\na 1\nx;y; 1\nq\\;; 2\na;b;c 2\nn nan\n", exact_lenient,
			   "a 1\na;b;c 2", &report);
	CHECK_COUNT(report.skipped, 4);
	CHECK_COUNT(report.first_skipped, 1);
	CHECK(strstr(report.first_reason, "empty") != NULL);
	unit_case("skipped lines: values that are no double");
	check_text("a 1e999\na 1\nb -1e400\nb 1e-400\nc;;d 1e309\na 2\n#\n", lenient, "a 3", &report);
	CHECK_COUNT(report.samples, 2);
	CHECK_COUNT(report.skipped, 4);
	CHECK_COUNT(report.unknown_frames, 0);
	CHECK_COUNT(report.first_skipped, 1);
	CHECK(strstr(report.first_reason, "too large") != NULL);
	unit_case("a last line without LF, and a LF behind it");
	check_text("a 1", exact, "a 1", &report);
	CHECK_COUNT(report.lines, 1);
	check_text("a 1\n", exact, "a 1", &report);
	CHECK_COUNT(report.lines, 1);
	check_text("a 1\n\n", exact, "a 1", &report);
	CHECK_COUNT(report.lines, 2);
}

/* --- round trips ------------------------------------------------------------------- */

static void
test_round_trips(void)
{
	UnitRandom	random = {20240};

	unit_case("random profiles of nasty frames survive the exact text");
	for (int round = 0; round < 1500; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		NaiveShape	shape = {1 + unit_below(&random, 40), 1 + unit_below(&random, 6), 40,
		NAIVE_DOUBLES};
		FgFoldedReport report;
		FgBuffer	text = {.ctx = &ctx};
		FgTree		tree;
		FgTree		again;
		Naive		naive;
		bool		complete;

		unit_note("[round %d]", round);
		naive = naive_random(&random, shape);
		tree = naive_tree(&ctx, &naive);
		CHECK(fg_folded_print(&text, &tree, FG_FOLDED_EXACT, SIZE_MAX, &complete, NULL));
		if (CHECK(parse(&ctx, (char *) text.data, text.size, exact, &again, &report)))
		{
			CHECK_COUNT(report.samples, naive.count);
			CHECK_COUNT(report.lines, naive.count);
			naive_matches(&ctx, &naive, &again);
			fg_tree_free(&ctx, &again);
		}
		naive_free(&naive);
		fg_tree_free(&ctx, &tree);
		fg_release(&ctx, text.data);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- texts in no order, of long stacks ------------------------------------------- */

#define LONG_FRAME \
	"a.very.long.name.of.a.function.as.Java.and.C++.have.them<with, arguments, of, a, template>::operator()" \
	"(const std::basic_string<char>&, unsigned long, const std::allocator<char>&)"

/* These lines are sorted before they are built; the result and its report are those of any order. */
static void
test_long_shuffled_texts(void)
{
	static const ExactText rows[] = {
		{"backwards", LONG_FRAME ";c 1\n" LONG_FRAME ";b 2\n" LONG_FRAME " 4\n", LONG_FRAME " 4\n" LONG_FRAME ";b 2\n" LONG_FRAME ";c 1"},
		{"no LF at the end", LONG_FRAME ";c 1\n" LONG_FRAME ";b 2\n" LONG_FRAME " 4", LONG_FRAME " 4\n" LONG_FRAME ";b 2\n" LONG_FRAME ";c 1"},
		{"the order of frames is not that of bytes", LONG_FRAME "!;c 1\n" LONG_FRAME ";c;d 2\n" LONG_FRAME " x 3\n" LONG_FRAME ";c 4",
		LONG_FRAME ";c 4\n" LONG_FRAME ";c;d 2\n" LONG_FRAME " x 3\n" LONG_FRAME "!;c 1"},
		{"sums in the order of lines", LONG_FRAME ";b 1e16\n" LONG_FRAME ";a 0.1\n" LONG_FRAME ";b 1\n" LONG_FRAME ";a 0.2\n"
			LONG_FRAME ";b -1e16\n" LONG_FRAME ";a -0.3", LONG_FRAME ";a 5.551115123125783e-17"},
		{"negative and fractional values", LONG_FRAME ";c -3\n" LONG_FRAME ";b 0.25\n" LONG_FRAME ";b -1.5\n" LONG_FRAME ";a 1e3",
		LONG_FRAME ";a 1000\n" LONG_FRAME ";b -1.25\n" LONG_FRAME ";c -3"},
		{"values that cancel", LONG_FRAME ";c;d 1\n" LONG_FRAME ";b 2\n" LONG_FRAME ";c;d -1\n" LONG_FRAME ";a 0", LONG_FRAME ";b 2"},
		{"comments, blank lines, CR, the empty stack", LONG_FRAME ";c 1\r\n# c\n\n" LONG_FRAME ";b 2 \t\n 5\n" LONG_FRAME ";c 1\n 1\n",
		" 6\n" LONG_FRAME ";b 2\n" LONG_FRAME ";c 2"},
		{"escapes", LONG_FRAME ";c 1\n" LONG_FRAME ";b 2\n" LONG_FRAME ";b\\;a 4\n" LONG_FRAME ";b 8",
		LONG_FRAME ";b 10\n" LONG_FRAME ";b\\;a 4\n" LONG_FRAME ";c 1"},
	};
	FgFoldedReport report;

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("long stacks in no order: %s", rows[i].what);
		check_text(rows[i].text, exact, rows[i].printed, &report);
		if (strcmp(rows[i].what, "escapes") != 0)
			check_text(rows[i].text, foreign, rows[i].printed, &report);
	}
	unit_case("long stacks in no order: counts of lines");
	check_text("# c\n\n" LONG_FRAME ";c 1 2\nx\n" LONG_FRAME ";b 2 90071992547409931\n#\ny nan\n" LONG_FRAME ";c 1 2\n", lenient,
			   LONG_FRAME ";b 2 90071992547409936\n" LONG_FRAME ";c 1 4", &report);
	CHECK_COUNT(report.lines, 8);
	CHECK_COUNT(report.comments, 2);
	CHECK_COUNT(report.blank, 1);
	CHECK_COUNT(report.samples, 3);
	CHECK_COUNT(report.skipped, 2);
	CHECK_COUNT(report.first_skipped, 4);
	CHECK_COUNT(report.two_values, 3);
	CHECK_COUNT(report.rounded, 1);
	unit_case("long stacks in no order: frames that are cleaned");
	check_text(LONG_FRAME ";c 1\n" LONG_FRAME ";b 2\n" LONG_FRAME ";;a\x01 3\n" LONG_FRAME ";b 4", foreign,
			   LONG_FRAME ";[unknown];a  3\n" LONG_FRAME ";b 6\n" LONG_FRAME ";c 1", &report);
	CHECK_COUNT(report.unknown_frames, 1);
	CHECK_COUNT(report.control_characters, 1);
	CHECK_COUNT(report.samples, 4);
}

/* What is wrong is found in the first line that has it, as without sorting. */
static void
test_errors_of_long_texts(void)
{
	static const BadText rows[] = {
		{LONG_FRAME ";c 1\n" LONG_FRAME ";b 2\nz x\n;;a 1", 0, FG_ERROR_SYNTAX, 3, 3, "\"x\""},
		{LONG_FRAME ";c 1\n" LONG_FRAME ";b 2\nz;;y 1\na;;b 1\nz x", 0, FG_ERROR_SYNTAX, 3, 3, "empty"},
		{LONG_FRAME ";c 1\n" LONG_FRAME ";b 2\nz 1e308\ny 1e308\nz 1e308\ny 1e308", 0, FG_ERROR_RANGE, 5, 1, "sum"},
		{LONG_FRAME ";c 1\n" LONG_FRAME ";b 2\n" LONG_FRAME ";a\rx 1\n" LONG_FRAME "; 1", 0, FG_ERROR_SYNTAX, 3, sizeof(LONG_FRAME) + 1, "line break"},
		{LONG_FRAME ";c 1\n" LONG_FRAME ";b\xC3 2\n" LONG_FRAME ";\xFF 2", 0, FG_ERROR_ENCODING, 2, sizeof(LONG_FRAME) + 1, NULL},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("error in long stacks in no order %zu", i);
		check_error(&rows[i], trusted);
	}
	unit_case("a NUL in long stacks in no order");
	check_error(&(BadText) {LONG_FRAME ";c 1\n" LONG_FRAME ";b\0 2\n" LONG_FRAME ";b 1", 3 * sizeof(LONG_FRAME) + 13, FG_ERROR_ENCODING, 2,
							sizeof(LONG_FRAME) + 1, NULL}, trusted);
}

static void
append_stack(char **to, Naive *naive, UnitRandom *random)
{
	static const char *const frames[] = {"a", "a!", "a b", "ab", "\xC3\xA9", ":x", "<y>", "~", "main.12345678", "main.1234567"};
	static const char *const values[] = {"1", "-2", "0.1", "0.3", "1e15", "-1e15", "7.25"};
	const char *value = values[unit_below(random, COUNT(values))];
	char		path[1000];
	char	   *at = path;
	uint32_t	depth = unit_below(random, 8);

	at += sprintf(at, "%s%u", LONG_FRAME, unit_below(random, 2));
	for (uint32_t i = 0; i < depth; i++)
		at += sprintf(at, ";%s", frames[unit_below(random, COUNT(frames))]);
	*to += sprintf(*to, "%s %s\n", path, value);
	for (char *c = path; c < at; c++)
	{
		if (*c == ';')
			*c = '\0';
	}
	naive_add(naive, path, (size_t) (at - path), strtod(value, NULL));
}

/* Against the builder, which is given the same stacks one by one. */
static void
test_random_long_texts(void)
{
	UnitRandom	random = {4711};

	unit_case("random long stacks in no order");
	for (int round = 0; round < 300; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		uint32_t	count = 2 + unit_below(&random, 60);
		char	   *text = malloc(count * 400);
		char	   *to = text;
		Naive		naive = {0};
		FgFoldedReport report;
		FgTree		expected;
		FgTree		tree;

		unit_note("[round %d]", round);
		for (uint32_t i = 0; i < count; i++)
			append_stack(&to, &naive, &random);
		expected = naive_tree(&ctx, &naive);
		if (CHECK(parse(&ctx, text, (size_t) (to - text), round % 2 ? exact : foreign, &tree, &report)))
		{
			CHECK_COUNT(report.samples, count);
			CHECK(fg_tree_check(&ctx, &tree));
			CHECK(fg_frames_equal(&tree.frames, &expected.frames));
			CHECK_BYTES(tree.key, tree.nnodes * sizeof(*tree.key), expected.key, expected.nnodes * sizeof(*tree.key));
			CHECK_BYTES(tree.self, tree.nnodes * sizeof(*tree.self), expected.self, expected.nnodes * sizeof(*tree.self));
			fg_tree_free(&ctx, &tree);
		}
		fg_tree_free(&ctx, &expected);
		naive_free(&naive);
		free(text);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* 5000 equal frames; golden text_deep_recursion. */
static void
test_deep(void)
{
	FgContext	ctx = fg_malloc_context();
	size_t		length = 0;
	char	   *text = malloc(32000);
	FgFoldedReport report;
	FgTree		tree;

	unit_case("a recursion of 5000 frames");
	for (int line = 0; line < 3; line++)
	{
		static const char *const ends[] = {"f 3\n", "g 4\n", "f 2\n"};

		for (int i = 0; i < 4999; i++)
		{
			memcpy(text + length, "f;", 2);
			length += 2;
		}
		memcpy(text + length, ends[line], 4);
		length += 4;
	}
	if (CHECK(parse(&ctx, text, length, exact, &tree, &report)))
	{
		FgFacts		facts;

		naive_facts(&tree, &facts);
		CHECK_COUNT(facts.nstacks, 2);
		CHECK_COUNT(facts.nnodes, 5001);
		CHECK_COUNT(facts.depth, 5000);
		CHECK_DOUBLE(facts.total, 9);
		/* sorted, the two stacks are the last two lines with 3 + 2 in front */
		memcpy(text + 9998, "f 5\n", 4);
		CHECK(tree.self[5000] == 5 && tree.self[5001] == 4);
		check_printed(&ctx, &tree, FG_FOLDED_EXACT, text, 2 * 10002 - 1);
		fg_tree_free(&ctx, &tree);
	}
	free(text);
}

/* --- printing ------------------------------------------------------------------------ */

static void
test_foreign_printing(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a\\;b;c\\\\;d 1\n\\# x 2\nC:\\\\;\\;\\; -0.5");
	FgBuffer	text = {.ctx = &ctx};
	uint64_t	replaced;
	bool		complete;

	unit_case("printing for other tools");
	CHECK(fg_folded_print(&text, &tree, FG_FOLDED_FOREIGN, SIZE_MAX, &complete, &replaced));
	CHECK_TEXT(text.data, text.size, "# x 2\nC:\\;:: -0.5\na:b;c\\;d 1");
	CHECK(complete);
	CHECK_COUNT(replaced, 3);
	fg_release(&ctx, text.data);
	fg_tree_free(&ctx, &tree);
}

static void
test_print_limit(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a 1\nbb 22\nccc 333");
	FgTree		empty = tree_of_text(&ctx, "");

	unit_case("printing up to a limit");
	for (size_t limit = 0; limit < 25; limit++)
	{
		FgBuffer	text = {.ctx = &ctx};
		bool		complete;

		unit_note("[limit %zu]", limit);
		fg_buffer_append(&text, "before", 6);
		CHECK(fg_folded_print(&text, &tree, FG_FOLDED_EXACT, limit, &complete, NULL));
		CHECK(complete == (limit >= 17));
		if (complete)
			CHECK_TEXT(text.data, text.size, "beforea 1\nbb 22\nccc 333");
		fg_release(&ctx, text.data);
	}
	unit_case("printing nothing");
	check_printed(&ctx, &empty, FG_FOLDED_EXACT, "", 0);
	fg_tree_free(&ctx, &tree);
	fg_tree_free(&ctx, &empty);
}

/* --- memory and interrupts -------------------------------------------------------------- */

static bool
read_and_print(FgContext *ctx, const char *text, FgFoldedOptions options)
{
	FgFoldedReport report;
	FgBuffer	printed = {.ctx = ctx};
	FgTree		tree;
	bool		complete;
	bool		ok;

	if (!fg_folded_parse(ctx, text, strlen(text), options, &tree, &report))
		return false;
	ok = fg_folded_print(&printed, &tree, options.dialect, SIZE_MAX, &complete, NULL);
	fg_release(ctx, printed.data);
	fg_tree_free(ctx, &tree);
	return ok;
}

static bool
read_exact(FgContext *ctx, void *text)
{
	return read_and_print(ctx, text, exact);
}

static bool
read_foreign(FgContext *ctx, void *text)
{
	return read_and_print(ctx, text, foreign);
}

/* Many short lines: the reader polls by lines, the printer by bytes. */
static char *
long_text(void)
{
	char	   *text = malloc(3000000);
	char	   *to = text;

	for (int i = 0; i < 140000; i++)
		to += sprintf(to, "main;f%03d;g%03d 1\n", i / 400, i % 400);
	return text;
}

/* Long stacks in no order, so that they are sorted. */
static char *
shuffled_text(uint32_t lines)
{
	char	   *text = malloc(lines * (sizeof(LONG_FRAME) + 20));
	char	   *to = text;

	for (uint32_t i = 0; i < lines; i++)
		to += sprintf(to, "%s;f%05u;g 1\n", LONG_FRAME, i * 7919 % lines);
	return text;
}

/* Literals of SQL that lack an E. */
static void
test_escaped_ends(void)
{
	static const struct
	{
		const char *text;
		bool		found;
	}			rows[] = {
		{"main;a 5\\nmain;b 6", true}, {"a 1.5\\nb 2", true}, {"C:\\new;a 5\\nb 6", true}, {"a 5\\n", false},
		{"C:\\new\\n 5", false}, {"a5\\nb 1", false}, {" 5\\nb 1", false}, {"a  5\\nb 1", false}, {"a 5\\tb 1", false},
		{"a 5\nb 6", false}, {"", false}, {"\\", false}, {"5\\nb 1", false}
	};
	FgContext	ctx = fg_malloc_context();
	UnitMemory	memory = {.cancel_at = 1};
	FgContext	cancelled = unit_context(&memory);
	char	   *text = malloc(4 << 20);
	bool		found;

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("a value before backslash and n, row %zu", i);
		CHECK(fg_folded_escaped_end(&ctx, rows[i].text, strlen(rows[i].text), &found));
		CHECK_COUNT(found, rows[i].found);
	}
	unit_case("many backslashes, and the work ends");
	memset(text, '\\', 4 << 20);
	CHECK(fg_folded_escaped_end(&ctx, text, 4 << 20, &found));
	CHECK(!found);
	memory = (UnitMemory) {.cancel_at = 1};
	CHECK_ERROR(fg_folded_escaped_end(&cancelled, text, 4 << 20, &found), &cancelled,
				FG_ERROR_CANCELLED);
	free(text);
}

int
main(void)
{
	static char small[] = "main;a 1\n"
	"n 0.1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	"00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001\n"
	"b;a\\;b;c 2\nmain;a -1\n\\# x;y 0.1\nmain;\\\\\\;x;some;more 5\n"
	"and;other;frames;with;longer;names;so;that;arrays;grow;a;few;times;and;then;again 1";
	static char dirty[] = "main;a 1\n;x\x01y 2\nmain;a\x02;; 3\n";
	char	   *text = long_text();

	test_exact_texts();
	test_foreign_texts();
	test_errors();
	test_errors_without_check();
	test_columns_of_escapes();
	test_hints();
	test_foreign_errors();
	test_report();
	test_round_trips();
	test_long_shuffled_texts();
	test_errors_of_long_texts();
	test_random_long_texts();
	test_deep();
	test_foreign_printing();
	test_print_limit();
	unit_sweep_memory("exact text", read_exact, small);
	unit_sweep_memory("foreign text", read_foreign, dirty);
	unit_sweep_interrupts("exact text", read_exact, text, 4);
	unit_sweep_interrupts("foreign text", read_foreign, text, 4);
	free(text);
	text = shuffled_text(30);
	unit_sweep_memory("long stacks in no order", read_foreign, text);
	free(text);
	text = shuffled_text(20000);
	unit_sweep_interrupts("long stacks in no order", read_exact, text, 8);
	free(text);
	test_escaped_ends();
	return unit_finish();
}
