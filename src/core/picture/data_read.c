/*
 * data_read.c
 *	  The profile within its picture: reading (see data.h).
 *
 * The document is foreign text.  Only the element metadata is looked at; of what XML
 * knows, the five entities.  Every count is checked.
 */
#include "core/picture/data.h"

#include "core/profile/builder.h"
#include "core/reading/json_stream.h"

#include <math.h>
#include <string.h>

enum
{
	PLACE_FORMAT = 1, PLACE_KIND, PLACE_TOTAL, PLACE_COMPLETE, PLACE_FRAMES, PLACE_FRAME,
	PLACE_VALUES, PLACE_VALUE, PLACE_NODES
};

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "format", PLACE_FORMAT, FG_JSON_NUMBER},
	{FG_JSON_ROOT, "kind", PLACE_KIND, FG_JSON_STRING},
	{FG_JSON_ROOT, "total", PLACE_TOTAL, FG_JSON_NUMBER},
	{FG_JSON_ROOT, "complete", PLACE_COMPLETE, FG_JSON_BOOL},
	{FG_JSON_ROOT, "frames", PLACE_FRAMES, FG_JSON_ARRAY},
	{FG_JSON_ROOT, "values", PLACE_VALUES, FG_JSON_ARRAY},
	{FG_JSON_ROOT, "nodes", PLACE_NODES, FG_JSON_STRING},
	{PLACE_FRAMES, NULL, PLACE_FRAME, FG_JSON_STRING},
	{PLACE_VALUES, NULL, PLACE_VALUE, FG_JSON_NUMBER},
	{0}
};

typedef struct Reading
{
	FgContext  *ctx;
	FgJson	   *json;
	FgBuffer	text;			/* the JSON, entities undone */
	FgBuilder  *builder;
	uint32_t   *frames;			/* as the builder knows them */
	size_t		frames_capacity;
	uint32_t	nframes;
	double	   *values;
	size_t		values_capacity;
	uint32_t	nvalues;
	FgBuffer	nodes;			/* decoded */
	unsigned	seen;			/* bit of each place that has come */
	double		format;
	double		total;
	bool		complete;
	bool		other_kind;
} Reading;

static bool
damaged(Reading *r, const char *what)
{
	return fg_fail(r->ctx, FG_ERROR_SYNTAX, "the data of the picture are damaged: %s", what);
}

/* --- the element ------------------------------------------------------------------ */

/* Where a word begins in a text, or NULL. */
static const char *
find(const char *text, size_t length, const char *word)
{
	const char *end = text + length;
	size_t		size = strlen(word);

	for (; (size_t) (end - text) >= size; text++)
	{
		text = memchr(text, word[0], (size_t) (end - text) - size + 1);
		if (text == NULL)
			return NULL;
		if (memcmp(text, word, size) == 0)
			return text;
	}
	return NULL;
}

/* Bytes of an entity at the text, 0 for none, and what it stands for. */
static size_t
entity(const char *text, size_t length, char *character)
{
	static const struct
	{
		const char *name;
		char		character;
	}			entities[] = {
		{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''},
		{"&#39;", '\''}
	};

	for (size_t e = 0; e < sizeof(entities) / sizeof(entities[0]); e++)
	{
		size_t		size = strlen(entities[e].name);

		if (size > length || memcmp(text, entities[e].name, size) != 0)
			continue;
		*character = entities[e].character;
		return size;
	}
	return 0;
}

static bool
take_text(Reading *r, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end)
	{
		const char *mark = memchr(text, '&', (size_t) (end - text));
		char		character;
		size_t		size;

		if (!fg_buffer_append(&r->text, text, (size_t) ((mark != NULL ? mark : end) - text)) ||
			!fg_check(r->ctx))
			return false;
		if (mark == NULL)
			return true;
		size = entity(mark, (size_t) (end - mark), &character);
		if (size == 0)
			return damaged(r, "an entity is none of the five");
		if (!fg_buffer_append(&r->text, &character, 1))
			return false;
		text = mark + size;
	}
	return true;
}

static bool
take_element(Reading *r, const char *svg, size_t length)
{
	const char *end = svg + length;
	const char *start = find(svg, length, "<metadata");
	const char *content = start == NULL ? NULL : memchr(start, '>', (size_t) (end - start));
	const char *close = content == NULL ? NULL
		: find(content, (size_t) (end - content), "</metadata");

	if (close == NULL)
		return fg_fail_at(r->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "flamegraph_svg(..., interactive => true) writes them.",
						  "this picture holds no data");
	return take_text(r, content + 1, (size_t) (close - content - 1));
}

/* --- the object ------------------------------------------------------------------- */

static bool
take_frame(Reading *r, const FgJsonValue *value)
{
	if (!fg_reserve(r->ctx, (void **) &r->frames, &r->frames_capacity, (size_t) r->nframes + 1,
					sizeof(uint32_t)))
		return false;
	if (memchr(value->text, '\0', value->length) != NULL)
		return damaged(r, "a name holds a NUL");
	return fg_builder_frame(r->builder, value->text, value->length, &r->frames[r->nframes++]);
}

static bool
take_number(Reading *r, const FgJsonValue *value)
{
	if (!fg_reserve(r->ctx, (void **) &r->values, &r->values_capacity, (size_t) r->nvalues + 1,
					sizeof(double)))
		return false;
	return fg_json_number(r->json, value, &r->values[r->nvalues++]);
}

/* 0 to 63, or 64 for what is no digit. */
static uint32_t
base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint32_t) (c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint32_t) (c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (uint32_t) (c - '0') + 52;
	return c == '+' ? 62 : c == '/' ? 63 : 64;
}

static bool
take_nodes(Reading *r, const FgJsonValue *value)
{
	const char *text = value->text;
	size_t		length = value->length;
	uint32_t	group = 0;

	if (length % 4 != 0)
		return damaged(r, "nodes are not base64");
	for (int padding = 0; padding < 2 && length > 0 && text[length - 1] == '='; padding++)
		length--;
	if (!fg_buffer_room(&r->nodes, length))
		return false;
	for (size_t i = 0; i < length; i++)
	{
		uint32_t	digit = base64_digit(text[i]);

		if (digit == 64)
			return damaged(r, "nodes are not base64");
		group = group << 6 | digit;
		if (i % 4 != 0)
			r->nodes.data[r->nodes.size++] = (uint8_t) (group >> (6 - 2 * (i % 4)));
		if (!fg_check_every(r->ctx, i))
			return false;
	}
	return true;
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	Reading    *r = arg;

	if (place != PLACE_FRAME && place != PLACE_VALUE && !value->end)
	{
		if ((r->seen & 1u << place) != 0)
			return damaged(r, "a key comes twice");
		r->seen |= 1u << place;
	}
	switch (place)
	{
		case PLACE_FORMAT:
			return fg_json_number(r->json, value, &r->format);
		case PLACE_KIND:
			r->other_kind = !fg_json_equals(value, "profile");
			return true;
		case PLACE_TOTAL:
			return fg_json_number(r->json, value, &r->total);
		case PLACE_COMPLETE:
			r->complete = value->truth;
			return true;
		case PLACE_FRAME:
			return take_frame(r, value);
		case PLACE_VALUE:
			return take_number(r, value);
		case PLACE_NODES:
			return take_nodes(r, value);
		default:
			return true;
	}
}

static bool
read_object(Reading *r)
{
	const unsigned all = 1u << PLACE_FORMAT | 1u << PLACE_TOTAL | 1u << PLACE_COMPLETE |
		1u << PLACE_FRAMES | 1u << PLACE_VALUES | 1u << PLACE_NODES;

	r->json = fg_json_open(r->ctx, "picture", rules, take_value, r);
	if (r->json == NULL || !fg_json_feed(r->json, (const char *) r->text.data, r->text.size) ||
		!fg_json_finish(r->json))
		return false;
	if (r->other_kind)
		return fg_fail(r->ctx, FG_ERROR_ARGUMENT, "the picture is not of one profile");
	if ((r->seen & all) != all)
		return damaged(r, "a key is missing");
	if (r->format != FG_DATA_FORMAT)
		return fg_fail(r->ctx, FG_ERROR_SYNTAX, "the picture is of another version: format %g",
					   r->format);
	if (!r->complete)
		return fg_fail_at(r->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "A larger max_nodes keeps all; names have 10,000 characters at most.",
						  "the data of the picture are not complete");
	return true;
}

/* --- the tree --------------------------------------------------------------------- */

typedef struct Record
{
	uint32_t	up;
	uint32_t	frame;
	uint32_t	value;
} Record;

static bool
read_record(Reading *r, FgReader *reader, Record *record)
{
	if (!fg_read_varint32(reader, &record->up) || !fg_read_varint32(reader, &record->frame) ||
		!fg_read_varint32(reader, &record->value))
		return damaged(r, "nodes end in the middle");
	return record->value <= r->nvalues || damaged(r, "a node is out of range");
}

/* The first record, when its depth is 0. */
static bool
add_root(Reading *r, FgReader *reader)
{
	FgReader	first = *reader;
	Record		record;

	if (first.next == first.end)
		return true;
	if (!read_record(r, &first, &record))
		return false;
	if (record.up != 1)
		return true;
	if (record.frame != 0 || record.value == 0)
		return damaged(r, "the root is out of range");
	*reader = first;
	return fg_builder_add_value(r->builder, 0, r->values[record.value - 1]);
}

/* path[d] is the builder's node at depth d. */
static bool
add_node(Reading *r, FgReader *reader, uint32_t *path, uint32_t *depth)
{
	Record		record;

	if (!read_record(r, reader, &record))
		return false;
	if (record.up > *depth || record.frame >= r->nframes)
		return damaged(r, "a node is out of range");
	*depth += 1 - record.up;
	if (*depth > FG_MAX_DEPTH)
		return fg_fail(r->ctx, FG_ERROR_LIMIT, "a stack has more than %d frames", FG_MAX_DEPTH);
	return fg_builder_child(r->builder, path[*depth - 1], r->frames[record.frame],
							&path[*depth]) &&
		(record.value == 0 ||
		 fg_builder_add_value(r->builder, path[*depth], r->values[record.value - 1])) &&
		fg_steps(r->ctx, 1);
}

static bool
add_nodes(Reading *r)
{
	FgReader	reader = {NULL, NULL};
	uint32_t   *path = fg_alloc_zero(r->ctx, FG_MAX_DEPTH + 1, sizeof(uint32_t));
	uint32_t	depth = 0;
	bool		ok;

	if (r->nodes.size > 0)
		reader = (FgReader) {r->nodes.data, r->nodes.data + r->nodes.size};
	ok = path != NULL && add_root(r, &reader);
	while (ok && reader.next < reader.end)
		ok = add_node(r, &reader, path, &depth);
	fg_release(r->ctx, path);
	return ok;
}

static bool
make_tree(Reading *r, FgTree *tree)
{
	FgBuilder  *builder = r->builder;
	FgFacts		facts;

	if (!add_nodes(r))
		return false;
	r->builder = NULL;
	if (!fg_builder_finish(builder, tree))
	{
		fg_builder_free(builder);
		return false;
	}
	fg_builder_free(builder);
	if (fg_tree_facts(r->ctx, tree, &facts) && facts.total == r->total)
		return true;
	fg_tree_free(r->ctx, tree);
	return r->ctx->error.code != FG_OK ? false : damaged(r, "the values do not make the total");
}

bool
fg_data_read(FgContext *ctx, const char *svg, size_t length, FgTree *tree)
{
	Reading		r = {.ctx = ctx, .text.ctx = ctx, .nodes.ctx = ctx};
	bool		ok;

	r.builder = fg_builder_create(ctx);
	ok = r.builder != NULL && take_element(&r, svg, length) && read_object(&r) &&
		make_tree(&r, tree);
	if (r.json != NULL)
		fg_json_close(r.json);
	if (r.builder != NULL)
		fg_builder_free(r.builder);
	fg_release(ctx, r.text.data);
	fg_release(ctx, r.frames);
	fg_release(ctx, r.values);
	fg_release(ctx, r.nodes.data);
	return ok;
}
