/*
 * test_xml_tokens.c
 *	  XML: what documents mean by the words of the standard (XML 1.0, fifth edition), what is none, and limits.
 */
#include "unit.h"

#include "core/base/bytes.h"
#include "core/reading/xml_tokens.h"

#define BLOCK ((size_t) FG_CHECK_BYTES / 16)

/* What is heard of a document, as a document of one form: <a b="c">text</>. */
typedef struct Heard
{
	FgContext	memory;
	FgBuffer	text;
} Heard;

static void
say(Heard *heard, const char *text, size_t length)
{
	CHECK(fg_buffer_append(&heard->text, text, length));
}

static void
say_tag(Heard *heard, const FgXmlTokens *xml)
{
	const char *tag = (const char *) xml->window.data + xml->token;

	say(heard, "<", 1);
	say(heard, xml->text, xml->length);
	for (size_t i = 0; i < xml->attribute_count; i++)
	{
		const FgXmlAttribute *attribute = &xml->attributes[i];
		const char *value = (attribute->decoded ? (const char *) xml->decoded.data : tag) + attribute->value;
		size_t		length = 0;

		/* asked for by its name, it is the same */
		if (xml->attribute_count < 10)
			CHECK(fg_xml_attribute(xml, tag + attribute->name, attribute->name_length, &length) == value &&
				  length == attribute->length);
		say(heard, " ", 1);
		say(heard, tag + attribute->name, attribute->name_length);
		say(heard, "=\"", 2);
		say(heard, value, attribute->length);
		say(heard, "\"", 1);
	}
	say(heard, xml->empty ? "></>" : ">", xml->empty ? 4 : 1);
}

static bool
hear(Heard *heard, FgXmlTokens *xml)
{
	if (!fg_work(xml->ctx, xml->window.size))
		return false;
	for (;;)
	{
		switch (fg_xml_token(xml))
		{
			case FG_XML_MORE:
				return true;
			case FG_XML_BEGIN:
				say_tag(heard, xml);
				break;
			case FG_XML_END:
				say(heard, "</>", 3);
				break;
			case FG_XML_TEXT:
				say(heard, xml->text, xml->length);
				break;
			default:
				return false;
		}
	}
}

/* A document in pieces of so many bytes, behind a number of blanks. */
typedef struct Document
{
	const char *text;
	size_t		size;
	size_t		piece;
	size_t		blanks;
} Document;

static bool
feed(Heard *heard, FgXmlTokens *xml, const char *text, size_t size)
{
	while (size > 0)
	{
		bool		full;
		size_t		part = fg_text_window_take(&xml->window, text, size, &full);

		if (part == 0 || (full && !hear(heard, xml)))
			return false;
		if (full)
			fg_text_window_drop(&xml->window);
		text += part;
		size -= part;
	}
	return true;
}

static bool
read_document(FgContext *ctx, const Document *document, Heard *heard)
{
	FgXmlTokens *xml = malloc(sizeof(FgXmlTokens));
	bool		ok = true;

	*heard = (Heard) {.memory = fg_malloc_context()};
	heard->text.ctx = &heard->memory;
	fg_xml_tokens_begin(ctx, xml);
	if (document->blanks > 0)
	{
		char	   *blanks = malloc(document->blanks);

		memset(blanks, ' ', document->blanks);
		ok = feed(heard, xml, blanks, document->blanks);
		free(blanks);
	}
	for (size_t at = 0, part; ok && at < document->size; at += part)
	{
		part = document->size - at < document->piece ? document->size - at : document->piece;
		ok = feed(heard, xml, document->text + at, part);
	}
	ok = ok && fg_text_window_end(&xml->window, "") && hear(heard, xml) && fg_xml_tokens_finish(xml, "text");
	fg_xml_tokens_free(xml);
	free(xml);
	return ok;
}

/* --- documents --------------------------------------------------------------------------- */

typedef struct Case
{
	const char *text;
	const char *heard;
} Case;

static const Case documents[] = {
	{"<a/>", "<a></>"},
	{"\xEF\xBB\xBF<a></a>", "<a></>"},
	{"<?xml version='1.0'?><a></a >", "<a></>"},
	{"<?xml version = \"1.1\" encoding = 'utf-8' standalone='no' ?>\n<a/>\n", "<a></>"},
	{"<?xml version=\"1.0\" encoding=\"US-ASCII\"?><a/>", "<a></>"},
	{" <!-- - -> <b> & \xC3\xA9 --><?p <a> ? > ?><?q?><a/><!----> <?r?>\n", "<a></>"},
	{"<a  b = 'c\"' \n\td=\"'\" />", "<a b=\"c\"\" d=\"'\"></>"},
	{"<a b=''>t</a>", "<a b=\"\">t</>"},
	{"<:a.b-1_ x:y='>'/>", "<:a.b-1_ x:y=\">\"></>"},
	{"<\xC3\xA9\xC2\xB7\xE2\x80\xBF \xF0\x90\x80\x80='1'></\xC3\xA9\xC2\xB7\xE2\x80\xBF>",
	"<\xC3\xA9\xC2\xB7\xE2\x80\xBF \xF0\x90\x80\x80=\"1\"></>"},
	/* line ends, and how values are normalised (2.11, 3.3.3) */
	{"<a>\r\n1\r2\n\r\r\n&#13;&#xA;</a>", "<a>\n1\n2\n\n\n\r\n</>"},
	{"<a b='\r\n1\r2\t3\n4 5&#13;&#10;&#9;&#32;'/>", "<a b=\" 1 2 3 4 5\r\n\t \"></>"},
	/* references */
	{"<a>&lt;&gt;&amp;&apos;&quot;</a>", "<a><>&'\"</>"},
	{"<a b='&lt;b&gt;&amp;amp;&apos;&quot;'/>", "<a b=\"<b>&amp;'\"\"></>"},
	{"<a>&#65;&#x41;&#x0041;&#233;&#xE9;&#x20AC;&#x10FFFF;&#xD7FF;&#xE000;&#xFFFD;</a>",
	"<a>AAA\xC3\xA9\xC3\xA9\xE2\x82\xAC\xF4\x8F\xBF\xBF\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBD</>"},
	/* sections */
	{"<a>x<![CDATA[<b>&amp;]]]]><![CDATA[>]] >\r\n\xC3\xA9]]>y</a>", "<a>x<b>&amp;]]>]] >\n\xC3\xA9y</>"},
	{"<a><![CDATA[]]></a>", "<a></>"},
	{"<a>]] > ]]&gt; > - -- ?> --></a>", "<a>]] > ]]> > - -- ?> --></>"},
	{"<a>1<b>2<c/>3</b>4</a>", "<a>1<b>2<c></>3</>4</>"},
	{"<a>1<!--2-->3<?p 4?>5</a>", "<a>135</>"},
	{"<a>\x7F\xC2\x85\xE2\x80\xA8</a>", "<a>\x7F\xC2\x85\xE2\x80\xA8</>"}
};

static void
check_document(const char *text, size_t size, size_t piece, size_t blanks, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Document	document = {text, size, piece, blanks};
	Heard		heard;

	if (!CHECK(read_document(&ctx, &document, &heard)))
		printf("    %u:%u: %s\n", (unsigned) ctx.error.line, (unsigned) ctx.error.column, ctx.error.reason);
	CHECK_BYTES(heard.text.data, heard.text.size, expected, strlen(expected));
	fg_release(&heard.memory, heard.text.data);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_documents(void)
{
	for (size_t i = 0; i < COUNT(documents); i++)
	{
		unit_case("%s", documents[i].text);
		check_document(documents[i].text, strlen(documents[i].text), SIZE_MAX, 0, documents[i].heard);
		check_document(documents[i].text, strlen(documents[i].text), 1, 0, documents[i].heard);
	}
}

/* A block ends behind each byte of a document with one of everything. */
static void
test_blocks(void)
{
	static const char text[] =
		"<!-- c\xC3\xA9 --><?p i?><a b = 'c' d=\"&lt;x\r\ny\xE2\x82\xAC\">t]] \xF0\x90\x80\x80&amp;&#x41;\r\nu\r<e/>"
		"<![CDATA[]x]]]>v</a ><!---->";

	unit_case("a block ends behind any byte");
	for (size_t shift = 0; shift <= sizeof(text); shift++)
	{
		unit_note("shift %zu", shift);
		check_document(text, sizeof(text) - 1, SIZE_MAX, BLOCK - shift,
					   "<a b=\"c\" d=\"<x y\xE2\x82\xAC\">t]] \xF0\x90\x80\x80&A\nu\n<e></>]x]v</>");
	}
}

/* --- what is no document ----------------------------------------------------------------- */

typedef struct Wrong
{
	const char *text;
	uint64_t	line;
	uint64_t	column;
	const char *reason;
} Wrong;

static const Wrong wrong[] = {
	{"", 1, 1, "the text ends too early"},
	{" \n", 2, 1, "the text ends too early"},
	{"<a>", 1, 3, "ends too early"},
	{"<a", 1, 2, "ends too early"},
	{"<a b='", 1, 6, "ends too early"},
	{"<a/><!--", 1, 8, "ends too early"},
	{"<a/><?p", 1, 7, "ends too early"},
	{"<a><![CDATA[]]", 1, 14, "ends too early"},
	{"<a>&am", 1, 6, "ends too early"},
	{"<a/>\n<b/>", 2, 1, "something behind the document"},
	{"<a/>x", 1, 5, "something behind the document"},
	{"<a/></a>", 1, 5, "something behind the document"},
	{"x<a/>", 1, 1, "text outside of an element"},
	{"&amp;<a/>", 1, 1, "text outside of an element"},
	{"<![CDATA[x]]><a/>", 1, 1, "text outside of an element"},
	{"</a>", 1, 1, "a tag ends that has not begun"},
	{"<a>\n<b></a></b>", 2, 6, "mismatched tag"},
	{"<a></ab>", 1, 6, "mismatched tag"},
	{"<ab></a>", 1, 7, "mismatched tag"},
	{"<a></a b='c'>", 1, 8, "more than its name"},
	{"<a></ a>", 1, 6, "a name is missing"},
	{"< a/>", 1, 2, "a name is missing"},
	{"<1a/>", 1, 2, "names do not have"},
	{"<-a/>", 1, 2, "names do not have"},
	{"<a\xC3\x97/>", 1, 2, "names do not have"},		/* the sign of multiplication */
	{"<\xC2\xB7" "a/>", 1, 2, "names do not have"},		/* may not begin one */
	{"<a\xFF/>", 1, 2, "names do not have"},
	{"<a b/>", 1, 5, "an attribute without a value"},
	{"<a b=c/>", 1, 6, "a value without quotes"},
	{"<a b='c'd='e'/>", 1, 9, "no blank in front of an attribute"},
	{"<a b='c' / >", 1, 11, "a tag with a \"/\" in it"},
	{"<a b='<'/>", 1, 7, "a value has a \"<\""},
	{"<a b='1' c='2' b='3'/>", 1, 16, "duplicate attribute"},
	{"<a b='&c;'/>", 1, 7, "undefined entity"},
	{"<a>&c;</a>", 1, 4, "undefined entity"},
	{"<a>&AMP;</a>", 1, 4, "undefined entity"},
	{"<a>& </a>", 1, 5, "without its semicolon"},
	{"<a>&lt </a>", 1, 7, "without its semicolon"},
	{"<a>&#0;</a>", 1, 4, "a reference to no character"},
	{"<a>&#x1F;</a>", 1, 4, "a reference to no character"},
	{"<a>&#xD800;</a>", 1, 4, "a reference to no character"},
	{"<a>&#xFFFE;</a>", 1, 4, "a reference to no character"},
	{"<a>&#x110000;</a>", 1, 4, "a reference to no character"},
	{"<a>&#xFFFFFFFFFFFFFFFFF41;</a>", 1, 4, "a reference to no character"},
	{"<a>&#4294967361;</a>", 1, 4, "a reference to no character"},
	{"<a>&#;</a>", 1, 4, "a reference to no character"},
	{"<a>&#x;</a>", 1, 4, "a reference to no character"},
	{"<a>&#X41;</a>", 1, 4, "a reference to no character"},
	{"<a>&#4A;</a>", 1, 4, "a reference to no character"},
	{"<a>&#x00000000000000000000000000000000000000000000000000000000000000000041;</a>", 1, 4, "a reference is longer"},
	{"<a>1]]>2</a>", 1, 5, "\"]]>\" stands in a text"},
	{"<a>\x01</a>", 1, 4, "a character that XML does not have"},
	{"<a b='\x1F'/>", 1, 7, "a character that XML does not have"},
	{"<a><!--\x08--></a>", 1, 8, "a character that XML does not have"},
	{"<a>1\xEF\xBF\xBE</a>", 1, 5, "a character that XML does not have"},
	{"<a b='\xEF\xBF\xBF'/>", 1, 7, "a character that XML does not have"},
	{"<a>1\xC3</a>", 1, 5, "it is not UTF-8"},
	{"<a>\xC0\xBC</a>", 1, 4, "it is not UTF-8"},		/* "<" in a longer form */
	{"<a>\xED\xA0\x80</a>", 1, 4, "it is not UTF-8"},	/* half a surrogate pair */
	{"<a b='\xFF'/>", 1, 7, "it is not UTF-8"},
	{"<a/><!-- \xFF -->", 1, 10, "it is not UTF-8"},
	{"<a><!-- -- --></a>", 1, 9, "\"--\" stands in a comment"},
	{"<a><!-- --->", 1, 9, "\"--\" stands in a comment"},
	{"<a><!- - --></a>", 1, 6, "a declaration that there is none of"},
	{"<a><!b></a>", 1, 6, "a declaration that there is none of"},
	{"<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", 1, 1, "a document type is not read"},
	{"<?xml version='1.0'?>\n <!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><a>&c;</a>", 2, 2,
	"a document type is not read"},
	{"<? p?><a/>", 1, 3, "a name is missing"},
	{"<?p+?><a/>", 1, 4, "without a blank behind its name"},
	{" <?xml version='1.0'?><a/>", 1, 2, "does not stand at its begin"},
	{"<a/><?XML x?>", 1, 5, "does not stand at its begin"},
	{"<?xml?><a/>", 1, 1, "does not stand at its begin"},
	{"<?xml encoding='UTF-8'?><a/>", 1, 7, "not one of XML 1.0"},
	{"<?xml version='2.0'?><a/>", 1, 7, "not one of XML 1.0"},
	{"<?xml version='1.0' standalone='maybe'?><a/>", 1, 21, "not one of XML 1.0"},
	{"<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>", 1, 38, "not one of XML 1.0"},
	{"<?xml version='1.0'encoding='UTF-8'?><a/>", 1, 20, "its declaration is not one of XML"},
	{"<?xml version='1.0?><a/>", 1, 6, "its declaration is not one of XML"},
	{"<?xml ?><a/>", 1, 7, "its declaration has no version"},
	{"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>", 1, 31, "XML is read in UTF-8, not in ISO-8859-1"},
	{"<?xml version='1.0' encoding='UTF-16'?><a/>", 1, 31, "XML is read in UTF-8, not in UTF-16"},
	{"<?xml version='1.0' encoding=''?><a/>", 1, 31, "its encoding has no name"},
	{"\xFF\xFE<", 1, 1, "XML is read in UTF-8, not in UTF-16"},
	{"\xFE\xFF", 1, 1, "XML is read in UTF-8, not in UTF-16"}
};

static FgErrorCode
check_wrong(const char *text, size_t size, size_t piece, uint64_t line, uint64_t column, const char *reason)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Document	document = {text, size, piece, 0};
	Heard		heard;

	CHECK(!read_document(&ctx, &document, &heard));
	if (!CHECK(strstr(ctx.error.reason, reason) != NULL))
		printf("    %s\n", ctx.error.reason);
	CHECK_COUNT(ctx.error.line, line);
	CHECK_COUNT(ctx.error.column, column);
	fg_release(&heard.memory, heard.text.data);
	CHECK_COUNT(memory.blocks, 0);
	return ctx.error.code;
}

static void
test_wrong(void)
{
	for (size_t i = 0; i < COUNT(wrong); i++)
	{
		bool		encoding = strstr(wrong[i].reason, "UTF-8") != NULL;
		bool		limit = strstr(wrong[i].reason, "longer") != NULL;
		FgErrorCode code = encoding ? FG_ERROR_ENCODING : limit ? FG_ERROR_LIMIT : FG_ERROR_SYNTAX;
		size_t		size = strlen(wrong[i].text);

		unit_case("%s", wrong[i].text);
		CHECK_COUNT(check_wrong(wrong[i].text, size, SIZE_MAX, wrong[i].line, wrong[i].column, wrong[i].reason), code);
		check_wrong(wrong[i].text, size, 1, wrong[i].line, wrong[i].column, wrong[i].reason);
	}
	unit_case("NUL");
	check_wrong("<a>\0</a>", 8, SIZE_MAX, 1, 4, "a character that XML does not have");
	check_wrong("<a b='\0'/>", 10, SIZE_MAX, 1, 7, "a character that XML does not have");
	check_wrong("<a\0/>", 5, SIZE_MAX, 1, 3, "no blank in front of an attribute");
	check_wrong("<\0a\0/\0>\0", 8, SIZE_MAX, 1, 1, "XML is read in UTF-8, not in UTF-16");
}

/* --- limits ------------------------------------------------------------------------------ */

static char *
repeat(char *to, const char *text, size_t times)
{
	size_t		length = strlen(text);

	for (size_t i = 0; i < times; i++, to += length)
		memcpy(to, text, length);
	return to;
}

/* Elements of so many names, one in the other. */
static size_t
nest(char *to, size_t depth)
{
	char	   *end = repeat(to, "<a>", depth);

	return (size_t) (repeat(end, "</a>", depth) - to);
}

/* A tag of many attributes, the last of which may be there twice. */
static size_t
write_attributes(char *to, size_t count, bool twin)
{
	char	   *end = to + sprintf(to, "<a");

	for (size_t i = 0; i < count; i++)
		end += sprintf(end, " a%zu='%zu'", i, i);
	return (size_t) (end + sprintf(end, "%s/>", twin ? " a7='1'" : "") - to);
}

static void
check_read(const char *text, size_t size)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Document	document = {text, size, SIZE_MAX, 0};
	Heard		heard;

	CHECK(read_document(&ctx, &document, &heard));
	fg_release(&heard.memory, heard.text.data);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_limits(void)
{
	size_t		room = 9 << 20;
	char	   *text = malloc(room);
	char	   *end;
	size_t		size;

	unit_case("limits");
	check_read(text, nest(text, FG_XML_MAX_DEPTH));
	check_wrong(text, nest(text, FG_XML_MAX_DEPTH + 1), SIZE_MAX, 1, 3 * FG_XML_MAX_DEPTH + 1,
				"nested more than 1000 deep");
	end = repeat(repeat(repeat(text, "<", 1), "n", FG_XML_MAX_NAME), "/>", 1);
	check_read(text, (size_t) (end - text));
	end = repeat(repeat(repeat(text, "<", 1), "n", FG_XML_MAX_NAME + 1), "/>", 1);
	check_wrong(text, (size_t) (end - text), SIZE_MAX, 1, 2, "a name is longer than 4096 bytes");
	unit_case("long tags");
	end = repeat(repeat(repeat(text, "<a b='", 1), "&lt;v\xC3\xA9", (size_t) 400000), "'/>", 1);
	check_read(text, (size_t) (end - text));
	size = write_attributes(text, 100000, false);
	check_read(text, size);
	check_wrong(text, write_attributes(text, 100000, true), SIZE_MAX, 1, size, "duplicate attribute");
	end = repeat(repeat(text, "<a b='", 1), "v", (size_t) 5 << 20);
	check_wrong(text, (size_t) (end - text), SIZE_MAX, 1, 1, "a tag is longer than");
	end = repeat(repeat(text, "<a", 1), " ", (size_t) 5 << 20);
	check_wrong(text, (size_t) (end - text), SIZE_MAX, 1, 1, "a tag is longer than");
	end = repeat(repeat(text, "<a></a", 1), " ", (size_t) 5 << 20);
	check_wrong(text, (size_t) (end - text), SIZE_MAX, 1, 4, "a tag is longer than");
	unit_case("what has no limit");
	end = repeat(repeat(repeat(text, "<a><!--", 1), "- ", (size_t) 3 << 20), "-->", 1);
	end = repeat(repeat(repeat(end, "<?p", 1), " ?", (size_t) 1 << 20), " ?></a>", 1);
	check_read(text, (size_t) (end - text));
	free(text);
}

/* --- failures ---------------------------------------------------------------------------- */

static bool
run_document(FgContext *ctx, void *arg)
{
	Heard		heard;
	bool		ok = read_document(ctx, arg, &heard);

	fg_release(&heard.memory, heard.text.data);
	return ok;
}

int
main(void)
{
	char	   *text = malloc(8 << 20);
	Document	document = {text, 0, SIZE_MAX, 0};

	test_documents();
	test_blocks();
	test_wrong();
	test_limits();
	document.size = write_attributes(text, 40, false);
	unit_sweep_memory("many attributes", run_document, &document);
	document.text = "<a b='&lt;'><b/>&amp;</a>";
	document.size = strlen(document.text);
	unit_sweep_memory("a document", run_document, &document);
	document.text = text;
	document.size = (size_t) (repeat(repeat(repeat(text, "<a>", 1), "<b>text</b>\n", 200000), "</a>", 1) - text);
	unit_sweep_interrupts("a long document", run_document, &document, 2);
	free(text);
	return unit_finish();
}
