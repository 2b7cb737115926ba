/*
 * html_report.c
 *	  html_report(): a page of what sections in jsonb say (core/picture/page.h).
 */
#include "pg/base/values.h"

#include "miscadmin.h"
#include "utils/hsearch.h"

#include "core/picture/page.h"
#include "core/picture/page_table.h"
#include "pg/base/arguments.h"
#include "pg/base/jsonb_read.h"
#include "pg/base/options.h"
#include "pg/picture/page_rows.h"
#include "pg/picture/pictures_options.h"

/* Parts within each other: more than a reader would follow. */
#define MOST_PARTS 8

/* From so many headings on there are contents. */
#define FEWEST_CONTENTS 3

#define ANCHOR_SIZE 101

typedef struct Report
{
	FgContext	ctx;
	FgPage		page;
	HTAB	   *anchors;		/* that the page has */
	int			parts;			/* that are open */
} Report;

static void put_sections(Report *report, const FgJsonbPlace *sections);

/* What stands for a null. */
static const FgText none = {"-", 1};

static FgText
text_of(const FgJsonbPlace *json)
{
	FgSpan		text;

	if (json->value == NULL)
		return (FgText) {0};
	text = fg_jsonb_text(json);
	return (FgText) {text.bytes, text.size};
}

/* --- sections ------------------------------------------------------------------------- */

/* A name twice would make links lead to one of them. */
static void
put_anchor(Report *report, const FgJsonbPlace *section)
{
	FgJsonbPlace anchor = fg_jsonb_key(section, "anchor");
	char		name[ANCHOR_SIZE] = {0};
	FgSpan		text;
	bool		found;

	if (anchor.value == NULL)
		return;
	text = fg_jsonb_string(&anchor);
	if (!fg_page_may_be_anchor((FgText) {text.bytes, text.size}))
		fg_jsonb_throw(&anchor, "a name of 1 to 100 letters, digits, \"-\", \"_\" and \".\"", NULL);
	memcpy(name, text.bytes, text.size);
	(void) hash_search(report->anchors, name, HASH_ENTER, &found);
	if (found)
		fg_jsonb_throw(&anchor, "a name that no other section has", NULL);
	fg_page_anchor(&report->page, (FgText) {text.bytes, text.size});
}

static void
put_heading(Report *report, const FgJsonbPlace *section, const FgJsonbPlace *value)
{
	fg_page_heading(&report->page, text_of(value));
}

static void
put_paragraphs(Report *report, const FgJsonbPlace *section, const FgJsonbPlace *value)
{
	fg_page_text(&report->page, text_of(value));
}

/* ["name", value], which keeps an order that objects do not have. */
static void
put_pair(Report *report, const FgJsonbPlace *pair)
{
	FgJsonbPlace name;
	FgJsonbPlace value;

	if (pair->value == NULL || fg_jsonb_count(pair) != 2)
		fg_jsonb_throw(pair, "an array of a name and a value", NULL);
	name = fg_jsonb_element(pair, 0);
	value = fg_jsonb_element(pair, 1);
	fg_page_fact(&report->page, text_of(&name), value.value != NULL ? text_of(&value) : none);
}

static void
put_fields(Report *report, const FgJsonbPlace *object)
{
	JsonbIterator *iterator;
	JsonbValue	item;
	FgText		name = {0};
	JsonbIteratorToken token;

	if (!fg_jsonb_is_object(object))
		fg_jsonb_throw(object, "an object, or an array of arrays of a name and a value", NULL);
	iterator = JsonbIteratorInit(object->value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		FgJsonbPlace value = {.above = object, .key = name.bytes, .key_length = (int) name.length,
		.value = &item};

		if (token == WJB_KEY)
			name = (FgText) {item.val.string.val, (size_t) item.val.string.len};
		else if (token == WJB_VALUE)
			fg_page_fact(&report->page, name, item.type == jbvNull ? none : text_of(&value));
	}
}

static void
put_facts(Report *report, const FgJsonbPlace *section, const FgJsonbPlace *value)
{
	fg_page_facts_begin(&report->page);
	if (fg_jsonb_is_array(value))
	{
		int			count = fg_jsonb_count(value);

		for (int i = 0; i < count; i++)
		{
			FgJsonbPlace pair = fg_jsonb_element(value, i);

			put_pair(report, &pair);
		}
	}
	else
		put_fields(report, value);
	fg_page_facts_end(&report->page);
}

static void
put_table(Report *report, const FgJsonbPlace *section, const FgJsonbPlace *value)
{
	FgJsonbPlace columns = fg_jsonb_key(section, "columns");
	FgJsonbPlace caption = fg_jsonb_key(section, "caption");

	fg_page_rows(&report->page, value, &columns, text_of(&caption));
}

static void
put_picture(Report *report, const FgJsonbPlace *section, const FgJsonbPlace *value)
{
	FgJsonbPlace caption = fg_jsonb_key(section, "caption");
	FgSpan		svg = fg_jsonb_string(value);

	fg_must(&report->ctx, fg_page_picture(&report->page, (FgText) {svg.bytes, svg.size},
										  text_of(&caption)));
}

static void
put_part(Report *report, const FgJsonbPlace *section, const FgJsonbPlace *value)
{
	FgJsonbPlace sections = fg_jsonb_key(section, "sections");
	FgJsonbPlace open = fg_jsonb_key(section, "open");

	if (++report->parts > MOST_PARTS)
		fg_jsonb_throw(value, "in at most 8 others", NULL);
	fg_page_part_begin(&report->page, text_of(value), open.value != NULL && fg_jsonb_bool(&open));
	if (sections.value != NULL)
		put_sections(report, &sections);
	fg_page_part_end(&report->page);
	report->parts--;
}

/* What a section is by the one of these keys that it has, and the keys that go with it. */
static const struct
{
	const char *key;
	void		(*put) (Report *report, const FgJsonbPlace *section, const FgJsonbPlace *value);
	int			count;
	const char *keys[5];
}			kinds[] = {
	{"heading", put_heading, 2, {"heading", "anchor"}},
	{"text", put_paragraphs, 2, {"text", "anchor"}},
	{"facts", put_facts, 2, {"facts", "anchor"}},
	{"table", put_table, 4, {"table", "columns", "caption", "anchor"}},
	{"svg", put_picture, 3, {"svg", "caption", "anchor"}},
	{"details", put_part, 4, {"details", "sections", "open", "anchor"}}
};

static const char section_hint[] =
	"A section has one of the keys heading, text, facts, table, svg, details.";

/* The place among the kinds. */
static size_t
kind_of(const FgJsonbPlace *section)
{
	JsonbValue	name = {.type = jbvString};

	if (!fg_jsonb_is_object(section))
		fg_jsonb_throw(section, "an object", section_hint);
	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		name.val.string.val = unconstify(char *, kinds[i].key);
		name.val.string.len = (int) strlen(kinds[i].key);
		if (findJsonbValueFromContainer(section->value->val.binary.data, JB_FOBJECT, &name) != NULL)
			return i;
	}
	fg_jsonb_throw(section, "a section", section_hint);
}

static void
put_section(Report *report, const FgJsonbPlace *section)
{
	size_t		kind = kind_of(section);
	FgJsonbPlace value = fg_jsonb_key(section, kinds[kind].key);

	fg_jsonb_check_keys(section, kinds[kind].keys, kinds[kind].count);
	put_anchor(report, section);
	if (value.value != NULL)
		kinds[kind].put(report, section, &value);
	else
		fg_page_nothing(&report->page, "There is nothing to show.");
	fg_must(&report->ctx, report->page.xml.ok);
}

static void
put_sections(Report *report, const FgJsonbPlace *sections)
{
	int			count = fg_jsonb_count(sections);

	check_stack_depth();
	for (int i = 0; i < count; i++)
	{
		FgJsonbPlace section = fg_jsonb_element(sections, i);

		CHECK_FOR_INTERRUPTS();
		put_section(report, &section);
	}
}

/* --- the page --------------------------------------------------------------------------- */

static int
count_headings(const FgJsonbPlace *sections, int count)
{
	int			headings = 0;

	for (int i = 0; i < count; i++)
	{
		FgJsonbPlace section = fg_jsonb_element(sections, i);

		headings += fg_jsonb_is_object(&section) && fg_jsonb_key(&section, "heading").value != NULL;
	}
	return headings;
}

/* Links to the headings that stand in no part. */
static void
put_contents(Report *report, const FgJsonbPlace *sections)
{
	int			count = fg_jsonb_count(sections);

	if (count_headings(sections, count) < FEWEST_CONTENTS)
		return;
	fg_page_contents_begin(&report->page);
	for (int i = 0; i < count; i++)
	{
		FgJsonbPlace section = fg_jsonb_element(sections, i);
		FgJsonbPlace heading;

		if (!fg_jsonb_is_object(&section))
			continue;
		heading = fg_jsonb_key(&section, "heading");
		if (heading.value != NULL)
			fg_page_contents_item(&report->page, text_of(&heading));
	}
	fg_page_contents_end(&report->page);
}

static HTAB *
anchor_table(void)
{
	HASHCTL		control = {.keysize = ANCHOR_SIZE, .entrysize = ANCHOR_SIZE,
	.hcxt = CurrentMemoryContext};

	return hash_create("anchors of a page", 64, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

typedef struct Look
{
	FgPageHead	head;
	FgText		notes;
	bool		contents;
} Look;

static Look
take_options(FunctionCallInfo fcinfo)
{
	static const char *const keys[] = {"subtitle", "notes", "theme", "contents"};
	static const char *const themes[] = {"auto", "light", "dark"};
	Jsonb	   *options = PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2);
	Look		look = {.head.title = fg_text_argument(fcinfo, 0), .contents = true};
	FgSpan		word;

	if (look.head.title.length == 0)
		look.head.title = (FgText) {"Report", 6};
	if (options == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("options must not be null")));
	fg_options_check(options, "html_report", keys, lengthof(keys));
	(void) fg_option_text(options, "subtitle", &look.head.subtitle);
	(void) fg_option_text(options, "notes", &look.notes);
	if (fg_option_word(options, "theme", &word))
		look.head.theme = (FgTheme) fg_word(word, "theme", themes, lengthof(themes));
	(void) fg_option_bool(options, "contents", &look.contents);
	return look;
}

PG_FUNCTION_INFO_V1(flamegraph_html_report);
Datum
flamegraph_html_report(PG_FUNCTION_ARGS)
{
	Report		report = {.ctx = fg_current_context()};
	JsonbValue	space;
	FgJsonbPlace sections;
	Look		look;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	sections = fg_jsonb_argument(PG_GETARG_JSONB_P(1), "sections", &space);
	look = take_options(fcinfo);
	report.page.xml = fg_xml_begin(fg_picture_buffer(&report.ctx));
	report.anchors = anchor_table();
	fg_page_begin(&report.page, &look.head);
	if (look.contents)
		put_contents(&report, &sections);
	fg_page_main(&report.page);
	put_sections(&report, &sections);
	fg_page_end(&report.page, look.notes);
	fg_must(&report.ctx, report.page.xml.ok);
	PG_RETURN_DATUM(fg_picture_text(&report.ctx, &report.page.xml.buffer));
}
