/*
 * test_page.c
 *	  Pages: levels of headings, paragraphs, cells of every kind at their limits.
 */
#include "unit.h"

#include "core/picture/page_table.h"
#include "core/svg/embedded.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TEXT(literal) ((FgText) {(literal), sizeof(literal) - 1})

static FgPage
begin(FgContext *ctx)
{
	return (FgPage) {.xml = fg_xml_begin((FgBuffer) {.ctx = ctx}), .level = 1};
}

static void
expect(FgPage *page, const char *expected)
{
	CHECK(page->xml.ok);
	CHECK_TEXT(page->xml.buffer.data, page->xml.buffer.size, expected);
	fg_release(page->xml.buffer.ctx, page->xml.buffer.data);
}

static void
test_headings(void)
{
	FgContext	ctx = fg_malloc_context();
	FgPage		page = begin(&ctx);

	unit_case("no level of headings is left out");
	fg_page_part_begin(&page, TEXT("p"), false);
	fg_page_part_begin(&page, TEXT("<q>"), true);
	fg_page_heading(&page, TEXT("a"));
	fg_page_heading(&page, TEXT("b"));
	fg_page_part_end(&page);
	fg_page_part_end(&page);
	fg_page_heading(&page, TEXT("c"));
	expect(&page, "<details>\n<summary>p</summary>\n<details open>\n<summary>&lt;q&gt;</summary>\n"
		   "<h2>a</h2>\n<h3>b</h3>\n</details>\n</details>\n<h2 id=\"h1\">c</h2>\n");
}

static void
test_text(void)
{
	FgContext	ctx = fg_malloc_context();
	FgPage		page = begin(&ctx);

	unit_case("paragraphs and lines");
	fg_page_text(&page, TEXT("\n\na\nb\n\n\n<c>\n"));
	fg_page_text(&page, TEXT(""));
	fg_page_text(&page, TEXT("\n\n\n"));
	fg_page_text(&page, TEXT("x"));
	expect(&page, "<p>a<br>\nb</p>\n<p>&lt;c&gt;</p>\n<p>x</p>\n");
}

static void
test_anchors(void)
{
	char		long_name[102];

	unit_case("names of places");
	memset(long_name, 'a', sizeof(long_name));
	CHECK(fg_page_may_be_anchor(TEXT("a")));
	CHECK(fg_page_may_be_anchor(TEXT("b-1_2.Z")));
	CHECK(fg_page_may_be_anchor((FgText) {long_name, 100}));
	CHECK(!fg_page_may_be_anchor((FgText) {long_name, 101}));
	CHECK(!fg_page_may_be_anchor(TEXT("")));
	CHECK(!fg_page_may_be_anchor(TEXT("a b")));
	CHECK(!fg_page_may_be_anchor(TEXT("a\"")));
	CHECK(!fg_page_may_be_anchor(TEXT("\xC3\xA4")));
}

static void
put(FgPage *page, const FgColumn *column, FgCell cell)
{
	fg_page_cell(page, column, &cell);
}

static void
test_cells(void)
{
	static const double line[] = {1, NAN, 3, 2};
	FgContext	ctx = fg_malloc_context();
	FgPage		page = begin(&ctx);

	unit_case("cells");
	put(&page, &(FgColumn) {.kind = FG_CELL_TEXT}, (FgCell) {.text = TEXT("<a>")});
	put(&page, &(FgColumn) {.kind = FG_CELL_TEXT}, (FgCell) {.text = TEXT("a"), .link = TEXT("b")});
	put(&page, &(FgColumn) {.kind = FG_CELL_TEXT}, (FgCell) {.null = true});
	put(&page, &(FgColumn) {.kind = FG_CELL_NUMBER, .unit = TEXT("seconds")}, (FgCell) {.number = 0.25});
	put(&page, &(FgColumn) {.kind = FG_CELL_NUMBER}, (FgCell) {.null = true});
	put(&page, &(FgColumn) {.kind = FG_CELL_SHARE}, (FgCell) {.number = 0.12});
	put(&page, &(FgColumn) {.kind = FG_CELL_STACK}, (FgCell) {.text = TEXT("a;b\\;c")});
	put(&page, &(FgColumn) {.kind = FG_CELL_STATUS}, (FgCell) {.text = TEXT("degradation")});
	put(&page, &(FgColumn) {.kind = FG_CELL_STATUS}, (FgCell) {.text = TEXT("<i>")});
	put(&page, &(FgColumn) {.kind = FG_CELL_ARROW}, (FgCell) {.number = -45, .color = 0xFF0000});
	put(&page, &(FgColumn) {.kind = FG_CELL_SPARK}, (FgCell) {.numbers = line, .count = COUNT(line)});
	put(&page, &(FgColumn) {.kind = FG_CELL_SPARK}, (FgCell) {.count = 0});
	expect(&page,
		   "<td>&lt;a&gt;</td><td><a href=\"#to-b\">a</a></td><td class=\"none\">-</td>"
		   "<td class=\"n\" data-v=\"0.25\" title=\"0.25 seconds\">250 ms</td><td class=\"none n\">-</td>"
		   "<td class=\"n\" data-v=\"0.12\" title=\"0.12\">12 %</td>"
		   "<td class=\"k\"><code>a;<wbr>b\\;<wbr>c</code></td>"
		   "<td><span class=\"s bad\">degradation</span></td><td><span class=\"s\">&lt;i&gt;</span></td>"
		   "<td data-v=\"-45\"><svg class=\"arrow\" width=\"20\" height=\"20\" role=\"img\" "
		   "aria-label=\"more\"><path transform=\"rotate(-45 10 10)\" "
		   "d=\"M2 8h8v-5l8 7-8 7v-5h-8z\" fill=\"#ff0000\"/></svg></td>"
		   "<td data-v=\"2\"><svg class=\"spark\" width=\"100\" height=\"22\" role=\"img\" "
		   "aria-label=\"3 values, 1 to 3, the last 2\">"
		   "<path d=\"M3 19M65.67 3L97 11\"/><circle cx=\"97\" cy=\"11\" r=\"2.5\"/></svg></td>"
		   "<td class=\"none\">-</td>");
}

/* Lines are broken behind signs, not within numbers; short texts and very long ones are not. */
static void
test_breaks(void)
{
	FgContext	ctx = fg_malloc_context();
	FgPage		page = begin(&ctx);
	char		letters[2000];

	unit_case("lines of a cell");
	put(&page, &(FgColumn) {.kind = FG_CELL_TEXT}, (FgCell) {.text = TEXT("a::b.c/d_e_f")});
	put(&page, &(FgColumn) {.kind = FG_CELL_TEXT},
		(FgCell) {.text = TEXT("a::b.c/d_e(f)<02:30:45.5/x")});
	put(&page, &(FgColumn) {.kind = FG_CELL_TEXT}, (FgCell) {.text = TEXT("sorted lexicographically.")});
	expect(&page, "<td>a::b.c/d_e_f</td>"
		   "<td class=\"l\">a::<wbr>b.<wbr>c/<wbr>d_<wbr>e(<wbr>f)&lt;<wbr>02:30:45.5/<wbr>x</td>"
		   "<td class=\"l\">sorted lexicographically.</td>");
	page = begin(&ctx);
	memset(letters, '/', sizeof(letters));
	letters[1] = 'x';
	put(&page, &(FgColumn) {.kind = FG_CELL_TEXT}, (FgCell) {.text = {letters, sizeof(letters)}});
	CHECK(page.xml.ok);
	CHECK_COUNT(page.xml.buffer.size, strlen("<td class=\"l\"></td>") + sizeof(letters));
	fg_release(&ctx, page.xml.buffer.data);
}

/* Bars of both signs begin in the middle; no size makes one longer than its place. */
static void
test_bars(void)
{
	static const double numbers[] = {50, -100, 0, NAN, INFINITY};
	static const char *const bars[] = {
		"<rect x=\"40\" width=\"20\"", "<rect class=\"less\" x=\"0\" width=\"40\"",
		"<rect x=\"40\" width=\"0\"", "<rect x=\"40\" width=\"0\"", "<rect x=\"40\" width=\"0\""
	};
	static const char *const exact[] = {
		"data-v=\"50\"", "data-v=\"-100\"", "data-v=\"0\"", "data-v=\"NaN\" title=\"NaN\"",
		"data-v=\"Infinity\" title=\"Infinity\""
	};
	FgContext	ctx = fg_malloc_context();
	FgColumn	column = {.kind = FG_CELL_BAR};

	unit_case("bars");
	for (size_t i = 0; i < COUNT(numbers); i++)
		fg_page_column_see(&column, numbers[i]);
	CHECK_DOUBLE(column.largest, 100);
	CHECK(column.signs);
	for (size_t i = 0; i < COUNT(numbers); i++)
	{
		FgPage		page = begin(&ctx);

		unit_note("row %zu", i);
		put(&page, &column, (FgCell) {.number = numbers[i]});
		CHECK(page.xml.ok && fg_buffer_append(&page.xml.buffer, "", 1));
		CHECK(strstr((char *) page.xml.buffer.data, bars[i]) != NULL);
		CHECK(strstr((char *) page.xml.buffer.data, exact[i]) != NULL);
		fg_release(&ctx, page.xml.buffer.data);
	}
}

/* Differences of these are not finite, or 0, and yet there is a line. */
static void
test_lines(void)
{
	static const double huge[] = {-DBL_MAX, DBL_MAX};
	static const double tiny[] = {5e-324, 5e-324};
	FgContext	ctx = fg_malloc_context();
	FgPage		page = begin(&ctx);

	unit_case("lines of extreme numbers");
	put(&page, &(FgColumn) {.kind = FG_CELL_SPARK}, (FgCell) {.numbers = huge, .count = 2});
	put(&page, &(FgColumn) {.kind = FG_CELL_SPARK}, (FgCell) {.numbers = tiny, .count = 2});
	CHECK(page.xml.ok && fg_buffer_append(&page.xml.buffer, "", 1));
	CHECK(strstr((char *) page.xml.buffer.data, "M3 19L97 3\"") != NULL);
	CHECK(strstr((char *) page.xml.buffer.data, "M3 11L97 11\"") != NULL);
	fg_release(&ctx, page.xml.buffer.data);
}

/* Everything a page has, for failures of memory. */
static bool
whole_page(FgContext *ctx, void *arg)
{
	FgPage		page = {.xml = fg_xml_begin((FgBuffer) {.ctx = ctx})};
	FgColumn	column = {.label = TEXT("n"), .kind = FG_CELL_NUMBER};

	(void) arg;
	fg_page_begin(&page, &(FgPageHead) {.title = TEXT("t"), .subtitle = TEXT("s")});
	fg_page_contents_begin(&page);
	fg_page_contents_item(&page, TEXT("a"));
	fg_page_contents_end(&page);
	fg_page_main(&page);
	fg_page_heading(&page, TEXT("a"));
	fg_page_facts_begin(&page);
	fg_page_fact(&page, TEXT("k"), TEXT("v"));
	fg_page_facts_end(&page);
	fg_page_table_begin(&page, &column, 1, 1, TEXT("c"));
	fg_page_row_begin(&page);
	put(&page, &column, (FgCell) {.number = 1});
	fg_page_row_end(&page);
	fg_page_table_end(&page);
	fg_page_end(&page, TEXT("notes"));
	fg_release(ctx, page.xml.buffer.data);
	return page.xml.ok;
}

int
main(void)
{
	test_headings();
	test_text();
	test_anchors();
	test_cells();
	test_breaks();
	test_bars();
	test_lines();
	unit_sweep_memory("a page", whole_page, NULL);
	return unit_finish();
}
