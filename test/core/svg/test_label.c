/*
 * test_label.c
 *	  Columns, shortening by meaning, lines.
 */
#include "unit.h"

#include "core/svg/label.h"

#define DOTS "\xE2\x80\xA6"

static void
test_columns(void)
{
	static const struct
	{
		const char *text;
		size_t		columns;
	}			rows[] = {
		{"", 0}, {"main", 4}, {"\xC3\xA4", 1}, {"\xE4\xB8\xBB\xE8\xA6\x81", 4},
		{"\xEF\xBD\x81", 2}, {"\xEF\xBD\xA1", 1}, {"\xF0\x9F\x94\xA5", 2}, {"\xED\x95\x9C", 2},
		{"\xE1\x84\x80", 2}, {"\xE2\x80\xAE", 8}, {"\x01", 5}, {"\x1F", 6}, {"\xF0\xA0\x80\x80", 2},
		{"\xEF\xBF\xBD", 1}, {"\xFF", 1}, {"a\tb", 3},
		/* a watch and what stands beside it, half a flag, the last of Hangul, a box drawing */
		{"\xE2\x8C\x9A", 2}, {"\xE2\x8C\x99", 1}, {"\xE2\x8C\x9C", 1}, {"\xF0\x9F\x87\xA9", 1},
		{"\xED\x9E\xA3", 2}, {"\xED\x9E\xB0", 1}, {"\xE2\x94\x80", 1}, {"\xE2\x8F\xAD", 1},
		/* a desktop computer, a hexagram, half a space, a combining tilde among wide neighbours */
		{"\xF0\x9F\x96\xA5", 1}, {"\xE4\xB7\x80", 1}, {"\xE3\x80\xBF", 1}, {"\xEF\xB8\xA2", 1}
	};

	unit_case("columns");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("row %zu", i);
		CHECK_COUNT(fg_columns(rows[i].text, strlen(rows[i].text)), rows[i].columns);
	}
}

/* The label as it is drawn. */
static void
check_label(const char *name, size_t columns, FgTruncate how, const char *expected)
{
	FgLabel		label = fg_label_fit(name, strlen(name), columns, how);
	char		drawn[200];

	snprintf(drawn, sizeof(drawn), "%s%.*s%s", label.cut_start ? DOTS : "",
			 (int) (label.end - label.start), name + label.start, label.cut_end ? DOTS : "");
	unit_note("%s in %zu", name, columns);
	CHECK_TEXT(drawn, strlen(drawn), expected);
	CHECK(fg_columns(drawn, strlen(drawn)) <= columns);
}

static void
test_fit(void)
{
	static const struct
	{
		const char *name;
		size_t		columns;
		const char *expected;
	}			rows[] = {
		{"std::vector<int>::push_back", 27, "std::vector<int>::push_back"},
		{"std::vector<int>::push_back", 26, DOTS "vector<int>::push_back"},
		{"std::vector<int>::push_back", 23, DOTS "vector<int>::push_back"},
		{"std::vector<int>::push_back", 22, DOTS "push_back"},
		{"std::vector<int>::push_back", 10, DOTS "push_back"},
		{"std::vector<int>::push_back", 9, "push_bac" DOTS},
		{"std::vector<int>::push_back", 3, "pu" DOTS},
		{"std::map<a::b, c::d>::find", 12, DOTS "find"},
		{"java.util.concurrent.ForkJoinPool.run", 18, DOTS "ForkJoinPool.run"},
		{"/usr/lib/x/libc.so.6", 11, DOTS "libc.so.6"},
		{"C:\\src\\main.c", 8, DOTS "main.c"},
		{"f(a.b.c, d/e)", 9, "f(a.b.c," DOTS},
		{"a::b::h0123456789abcdef", 22, DOTS "b::h0123456789abcdef"},
		{"a::b::h0123456789abcdef", 10, "b::h01234" DOTS},
		{"parse.constprop.0", 10, "parse.con" DOTS},
		{"mod.parse.part.3", 13, DOTS "parse.part.3"},
		{"a.operator<b.d", 6, DOTS "d"},
		{"a->b.d", 4, DOTS "d"},
		{"x::operator<<", 12, DOTS "operator<<"},
		{"[unknown]", 5, "[unk" DOTS},
		{"\xE4\xB8\xBB\xE8\xA6\x81", 3, "\xE4\xB8\xBB" DOTS},
		{"\xE4\xB8\xBB::\xE8\xA6\x81", 3, DOTS "\xE8\xA6\x81"},
		{"ab\xE2\x80\xAE" "cd", 6, "ab" DOTS},
		{"trailing::", 6, "trail" DOTS},
		{"abc", 1, DOTS}, {"abc", 0, ""}
	};

	unit_case("shortening by meaning");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		check_label(rows[i].name, rows[i].columns, FG_TRUNCATE_QUALIFIER, rows[i].expected);
	}
	unit_case("shortening at an end");
	check_label("std::vector", 8, FG_TRUNCATE_END, "std::ve" DOTS);
	check_label("std::vector", 8, FG_TRUNCATE_START, DOTS ":vector");
	check_label("\xE4\xB8\xBB\xE8\xA6\x81", 3, FG_TRUNCATE_START, DOTS "\xE8\xA6\x81");
	check_label("std::vector", 11, FG_TRUNCATE_START, "std::vector");
}

static void
test_qualifiers(void)
{
	static const struct
	{
		const char *name;
		size_t		bytes;
	}			rows[] = {
		{"main", 0}, {"std::vector<a::b>::push", 19}, {"a.b.d", 4}, {"a.b.c", 2},
		{"/usr/bin/x", 9}, {"a/", 0}, {"", 0}, {"core::h0123456789abcdef", 0},
		{"x.so", 0}, {"f(a.b)", 0}
	};

	unit_case("qualifiers");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("%s", rows[i].name);
		CHECK_COUNT(fg_label_qualifiers(rows[i].name, strlen(rows[i].name)), rows[i].bytes);
	}
}

static void
test_lines(void)
{
	static const char text[] = "one two bit 10 %\nthree fourteen \xE4\xB8\xBB\xE8\xA6\x81 x";
	static const char *const lines[] = {
		"one two", "bit", "10 %", "three", "fourtee", "n \xE4\xB8\xBB\xE8\xA6\x81", "x"
	};
	size_t		at = 0;
	size_t		skip;

	unit_case("lines");
	for (size_t i = 0; i < COUNT(lines); i++)
	{
		size_t		size = fg_label_line(text + at, strlen(text) - at, 7, &skip);

		CHECK_TEXT(text + at, size, lines[i]);
		at += size + skip;
	}
	CHECK_COUNT(at, strlen(text));
	CHECK_COUNT(fg_label_line("\xE4\xB8\xBB", 3, 1, &skip), 3);
	CHECK_COUNT(fg_label_line("", 0, 1, &skip), 0);
	CHECK_COUNT(fg_label_line("\nx", 2, 1, &skip), 0);
	CHECK_COUNT(skip, 1);
}

int
main(void)
{
	test_columns();
	test_fit();
	test_qualifiers();
	test_lines();
	return unit_finish();
}
