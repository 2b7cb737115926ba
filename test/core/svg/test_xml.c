/*
 * test_xml.c
 *	  The writer of pictures: what users' text may not do, numbers, the limit.
 */
#include "unit.h"

#include "core/svg/xml.h"

#include <float.h>

static FgXml
begin(FgContext *ctx)
{
	return fg_xml_begin((FgBuffer) {.ctx = ctx});
}

static void
expect(FgXml *xml, const char *expected)
{
	CHECK(xml->ok);
	CHECK_TEXT(xml->buffer.data, xml->buffer.size, expected);
	fg_release(xml->buffer.ctx, xml->buffer.data);
}

static void
test_text(void)
{
	static const struct
	{
		const char *text;
		const char *written;
	}			rows[] = {
		{"main", "main"},
		{"a<b> & \"c\" 'd'", "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"},
		{"]]></title><script>", "]]&gt;&lt;/title&gt;&lt;script&gt;"},
		{"&#0;", "&amp;#0;"},
		{"a\tb", "a\tb"},
		{"a\x01\nb\r\x1B\x7F", "a\\u{1}\\u{A}b\\u{D}\\u{1B}\\u{7F}"},
		{"\xC2\x80\xC2\x9F\xC2\xA0", "\\u{80}\\u{9F}\xC2\xA0"},
		{"\xD8\x9C\xE2\x80\x8A\xE2\x80\x8B\xE2\x80\x8F\xE2\x80\x90",
		"\\u{61C}\xE2\x80\x8A\\u{200B}\\u{200F}\xE2\x80\x90"},
		{"\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xAE\xE2\x80\xAF",
		"\xE2\x80\xA7\\u{2028}\\u{202E}\xE2\x80\xAF"},
		{"\xE2\x81\x9F\xE2\x81\xA0\xE2\x81\xA9\xE2\x81\xAA",
		"\xE2\x81\x9F\\u{2060}\\u{2069}\xE2\x81\xAA"},
		{"\xEF\xBB\xBF\xEF\xBF\xBE\xEF\xBF\xBF", "\\u{FEFF}\\u{FFFE}\\u{FFFF}"},
		{"\xF0\x9F\x94\xA5\xE4\xB8\xBB", "\xF0\x9F\x94\xA5\xE4\xB8\xBB"},
		/* not UTF-8: cut, overlong, a surrogate, too large */
		{"\xE4\xB8", "\xEF\xBF\xBD\xEF\xBF\xBD"}, {"\xC0\xBC", "\xEF\xBF\xBD\xEF\xBF\xBD"},
		{"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
		{"\xF5\x80", "\xEF\xBF\xBD\xEF\xBF\xBD"}, {"", ""}
	};
	FgContext	ctx = fg_malloc_context();

	unit_case("text of users");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgXml		xml = begin(&ctx);

		unit_note("row %zu", i);
		fg_xml_text(&xml, rows[i].text, strlen(rows[i].text), 1000);
		expect(&xml, rows[i].written);
		CHECK(fg_xml_plain(rows[i].text, strlen(rows[i].text)) ==
			  (i < 2 || strchr("&]", *rows[i].text) != NULL));
	}
}

static void
test_cut(void)
{
	static const char text[] = "\xC3\xA4" "b<d\x01";
	FgContext	ctx = fg_malloc_context();
	FgXml		xml;

	unit_case("text that is too long");
	xml = begin(&ctx);
	fg_xml_text(&xml, text, strlen(text), 5);
	expect(&xml, "\xC3\xA4" "b&lt;d\\u{1}");
	xml = begin(&ctx);
	fg_xml_text(&xml, text, strlen(text), 3);
	expect(&xml, "\xC3\xA4" "b&lt;\xE2\x80\xA6 (5 characters)");
	xml = begin(&ctx);
	fg_xml_text(&xml, text, strlen(text), 0);
	expect(&xml, "\xE2\x80\xA6 (5 characters)");
}

static void
test_numbers(void)
{
	static const struct
	{
		int64_t		hundredths;
		const char *written;
	}			rows[] = {
		{0, "0"}, {1, "0.01"}, {10, "0.1"}, {99, "0.99"}, {100, "1"}, {1050, "10.5"},
		{123456, "1234.56"}, {-1, "-0.01"}, {-250, "-2.5"}, {100000, "1000"}
	};
	FgContext	ctx = fg_malloc_context();
	FgXml		xml;

	unit_case("numbers");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		xml = begin(&ctx);
		fg_xml_hundredths(&xml, rows[i].hundredths);
		expect(&xml, rows[i].written);
	}
	CHECK(fg_hundredths(0.005) == 1 && fg_hundredths(0.0049) == 0 && fg_hundredths(12.345) == 1235);
	CHECK(fg_hundredths(-0.005) == 0 && fg_hundredths(-0.0051) == -1);
	xml = begin(&ctx);
	fg_xml_number(&xml, 60);
	fg_xml_put(&xml, " ");
	fg_xml_number(&xml, 0.1);
	fg_xml_put(&xml, " ");
	fg_xml_number(&xml, 0x1p53 - 1);
	fg_xml_put(&xml, " ");
	fg_xml_number(&xml, -3.5);
	fg_xml_put(&xml, " ");
	fg_xml_number(&xml, DBL_MAX);
	fg_xml_put(&xml, " ");
	fg_xml_count(&xml, UINT64_MAX);
	fg_xml_format(&xml, " %u%%", 7u);
	expect(&xml, "60 0.1 9007199254740991 -3.5 1.7976931348623157e+308 18446744073709551615 7%");
}

/* The error stays, and nothing more is written. */
static void
test_limit(void)
{
	FgContext	ctx = fg_malloc_context();
	FgXml		xml = begin(&ctx);
	static char megabyte[1 << 20];
	size_t		size;

	unit_case("at most 256 MiB");
	memset(megabyte, 'x', sizeof(megabyte));
	for (int i = 0; i < 256 && xml.ok; i++)
		fg_xml_bytes(&xml, megabyte, sizeof(megabyte));
	CHECK(xml.ok);
	size = xml.buffer.size;
	fg_xml_put(&xml, "x");
	CHECK(!xml.ok);
	CHECK_COUNT(ctx.error.code, FG_ERROR_LIMIT);
	CHECK(ctx.error.hint != NULL && strstr(ctx.error.hint, "min_width") != NULL);
	fg_xml_text(&xml, "<", 1, 10);
	fg_xml_number(&xml, 1);
	CHECK_COUNT(xml.buffer.size, size);
	fg_release(&ctx, xml.buffer.data);
}

static bool
write_much(FgContext *ctx, void *arg)
{
	FgXml		xml = begin(ctx);

	(void) arg;
	for (int i = 0; i < 100000; i++)
		fg_xml_text(&xml, "a frame of a <name> that goes on", 32, 20);
	fg_release(ctx, xml.buffer.data);
	return xml.ok;
}

int
main(void)
{
	test_text();
	test_cut();
	test_numbers();
	test_limit();
	unit_sweep_memory("fg_xml_text", write_much, NULL);
	unit_sweep_interrupts("fg_xml_text", write_much, NULL, 3);
	return unit_finish();
}
