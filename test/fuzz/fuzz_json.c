/*
 * fuzz_json.c
 *	  JSON in blocks: our tokens against yajl, another reader of streams.  The first byte says how the text is cut, and
 *	  whether numbers of arrays are taken in runs.
 *
 * Properties: the values are those that yajl has, with their keys; what one refuses the other does, with the same
 * words at the same place; nothing depends on the cuts; nothing is kept.  Known to differ: yajl takes any bytes for
 * UTF-8 that look like it, takes \v and \f for blanks, makes of half a surrogate pair what is no text, and does not
 * see a string that begins behind the document and never ends.
 */
#include "support.h"

#include "core/profile/frames.h"
#include "core/reading/json_stream.h"

#include <string.h>
#include <yajl/yajl_parse.h>

#define BLOCK 65536
#define MAX_OPEN 2000

enum
{
	MEMBER = 1, ELEMENT
};

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, NULL, ELEMENT, FG_JSON_ANY},
	{FG_JSON_ROOT, FG_JSON_OTHER_KEYS, MEMBER, FG_JSON_ANY},
	{MEMBER, NULL, ELEMENT, FG_JSON_ANY},
	{MEMBER, FG_JSON_OTHER_KEYS, MEMBER, FG_JSON_ANY},
	{ELEMENT, NULL, ELEMENT, FG_JSON_ANY},
	{ELEMENT, FG_JSON_OTHER_KEYS, MEMBER, FG_JSON_ANY},
	{0, NULL, 0, 0}
};

/* What a reader has said, and how it ended. */
typedef struct Heard
{
	FgContext	memory;			/* apart from what is tested */
	FgBuffer	log;
	char		reason[sizeof(((FgError *) NULL)->reason)];
	uint64_t	line;
	uint64_t	column;
	bool		ok;

	/* ours */
	FgJson	   *json;
	bool		runs;

	/* yajl's */
	bool		array[MAX_OPEN];
	int			depth;
	int			unheard;		/* open values below a key that is too long for a rule */
	bool		has_key;
	bool		key_too_long;
	char		key[FG_JSON_MAX_KEY];
	size_t		key_length;
} Heard;

static void
note(Heard *heard, const char *what, const char *key, size_t key_length, const char *text, size_t length)
{
	REQUIRE(fg_buffer_append(&heard->log, what, strlen(what)) &&
			fg_buffer_append(&heard->log, key, key_length) && fg_buffer_append(&heard->log, "=", 1) &&
			fg_buffer_append(&heard->log, text, length) && fg_buffer_append(&heard->log, "\n", 1));
}

/* --- ours ------------------------------------------------------------------------- */

static const char *
word_of(const FgJsonValue *value)
{
	switch (value->type)
	{
		case FG_JSON_NULL:
			return "null";
		case FG_JSON_BOOL:
			return value->truth ? "true" : "false";
		case FG_JSON_NUMBER:
			return "number";
		case FG_JSON_STRING:
			return "string";
		case FG_JSON_OBJECT:
			return value->end ? "}" : "{";
		default:
			return value->end ? "]" : "[";
	}
}

static bool
hear(void *arg, int place, const FgJsonValue *value)
{
	Heard	   *heard = arg;
	bool		has_key = place == MEMBER && !value->end;
	uint32_t	number;

	note(heard, word_of(value), has_key ? value->key : "", has_key ? value->key_length : 0,
		 value->text != NULL ? value->text : "", value->length);
	while (heard->runs && value->type == FG_JSON_NUMBER && fg_json_next_index(heard->json, &number))
	{
		char		text[16];

		note(heard, "number", "", 0, text, (size_t) snprintf(text, sizeof(text), "%u", number));
	}
	return true;
}

/* The text behind "blanks" blanks, in pieces of "piece" bytes; 0: in one. */
static void
read_ours(Heard *heard, const char *text, size_t size, size_t blanks, size_t piece, bool runs)
{
	static char padding[BLOCK];
	FgContext	ctx = fuzz_context();

	*heard = (Heard) {.memory = fg_malloc_context(), .runs = runs};
	heard->log.ctx = &heard->memory;
	if (blanks > 0)
		memset(padding, ' ', blanks);
	heard->json = fg_json_open(&ctx, "text", rules, hear, heard);
	heard->ok = heard->json != NULL;
	if (heard->json != NULL)
		fg_json_allow_array(heard->json);
	heard->ok = heard->ok && fg_json_feed(heard->json, padding, blanks);
	for (size_t at = 0, part; heard->ok && at < size; at += part)
	{
		part = piece > 0 && piece < size - at ? piece : size - at;
		heard->ok = fg_json_feed(heard->json, text + at, part);
	}
	heard->ok = heard->ok && fg_json_finish(heard->json);
	REQUIRE(heard->ok || ctx.error.code == FG_ERROR_LIMIT || ctx.error.line > 0);
	memcpy(heard->reason, ctx.error.reason, sizeof(heard->reason));
	heard->line = heard->ok ? 0 : ctx.error.line;
	heard->column = heard->ok ? 0 : ctx.error.column;
	fg_json_close(heard->json);
	fuzz_finish();
}

/* --- yajl's ------------------------------------------------------------------------ */

/* Is the value that begins or stands here heard by rules? */
static bool
is_heard(const Heard *heard)
{
	return heard->unheard == 0 && !heard->key_too_long;
}

static int
yajl_value(Heard *heard, const char *what, const char *text, size_t length)
{
	bool		in_array = heard->depth > 0 && heard->array[heard->depth - 1];

	if (is_heard(heard))
		note(heard, what, heard->key, in_array || !heard->has_key ? 0 : heard->key_length, text, length);
	heard->key_too_long = false;
	return 1;
}

static int
yajl_begin(Heard *heard, bool array)
{
	bool		below = !is_heard(heard);

	if (heard->depth == MAX_OPEN)
		return 0;
	yajl_value(heard, array ? "[" : "{", "", 0);
	heard->unheard += below;
	heard->array[heard->depth++] = array;
	heard->has_key = false;
	return 1;
}

static int
yajl_end(Heard *heard)
{
	bool		array = heard->array[--heard->depth];

	heard->has_key = false;
	if (heard->unheard > 0)
		heard->unheard--;
	else
		note(heard, array ? "]" : "}", "", 0, "", 0);
	return 1;
}

static int
on_null(void *arg)
{
	return yajl_value(arg, "null", "", 0);
}

static int
on_boolean(void *arg, int truth)
{
	return yajl_value(arg, truth ? "true" : "false", "", 0);
}

static int
on_number(void *arg, const char *text, size_t length)
{
	return yajl_value(arg, "number", text, length);
}

static int
on_string(void *arg, const unsigned char *text, size_t length)
{
	return yajl_value(arg, "string", (const char *) text, length);
}

static int
on_key(void *arg, const unsigned char *text, size_t length)
{
	Heard	   *heard = arg;

	heard->has_key = true;
	heard->key_too_long = length >= FG_JSON_MAX_KEY;
	heard->key_length = heard->key_too_long ? 0 : length;
	memcpy(heard->key, text, heard->key_length);
	return 1;
}

static int
on_begin_object(void *arg)
{
	return yajl_begin(arg, false);
}

static int
on_begin_array(void *arg)
{
	return yajl_begin(arg, true);
}

static int
on_end(void *arg)
{
	return yajl_end(arg);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null, .yajl_boolean = on_boolean, .yajl_number = on_number,
	.yajl_string = on_string, .yajl_start_map = on_begin_object, .yajl_map_key = on_key,
	.yajl_end_map = on_end, .yajl_start_array = on_begin_array, .yajl_end_array = on_end
};

/* The place behind "consumed" bytes; at the end of the text a line feed has ended its line. */
static void
place_of(Heard *heard, const char *text, size_t consumed, bool at_end)
{
	size_t		start = 0;

	heard->line = 1;
	for (size_t i = 0; i + !at_end < consumed; i++)
	{
		if (text[i] != '\n')
			continue;
		start = i + 1;
		heard->line++;
	}
	heard->column = consumed > start ? consumed - start : 1;
}

static void
say_why(Heard *heard, const char *message)
{
	const char *kind = strstr(message, "error: ");
	int			length;

	message = kind != NULL ? kind + strlen("error: ") : message;
	length = (int) strcspn(message, "\n");
	while (length > 0 && message[length - 1] == '.')
		length--;
	if (strstr(message, "premature EOF") != NULL)
		strcpy(heard->reason, "the JSON text ends too early");
	else if (strstr(message, "UTF8") != NULL)
		strcpy(heard->reason, "a string is not UTF-8");
	else
		snprintf(heard->reason, sizeof(heard->reason), "not JSON: %.*s", length, message);
}

static void
read_theirs(Heard *heard, const char *text, size_t size)
{
	yajl_handle yajl;
	yajl_status status;
	bool		at_end = false;

	*heard = (Heard) {.memory = fg_malloc_context()};
	heard->log.ctx = &heard->memory;
	yajl = yajl_alloc(&callbacks, NULL, heard);
	status = yajl_parse(yajl, (const unsigned char *) text, size);
	place_of(heard, text, yajl_get_bytes_consumed(yajl), false);
	if (status == yajl_status_ok)
	{
		status = yajl_complete_parse(yajl);
		at_end = true;
	}
	if (at_end)
		place_of(heard, text, size, true);
	heard->ok = status == yajl_status_ok;
	if (status == yajl_status_error)
	{
		unsigned char *message = yajl_get_error(yajl, 0, NULL, 0);

		say_why(heard, (char *) message);
		yajl_free_error(yajl, message);
	}
	yajl_free(yajl);
}

/* --- the comparison ------------------------------------------------------------------ */

/* An escape \uD8xx to \uDFxx. */
static bool
has_surrogate(const char *text, size_t size)
{
	for (size_t i = 0; i + 3 < size; i++)
	{
		if (text[i] == '\\' && text[i + 1] == 'u' && (text[i + 2] | 0x20) == 'd' &&
			strchr("01234567", text[i + 3]) == NULL)
			return true;
	}
	return false;
}

static void
require_same_log(const Heard *a, const Heard *b)
{
	REQUIRE(a->log.size == b->log.size &&
			(a->log.size == 0 || memcmp(a->log.data, b->log.data, a->log.size) == 0));
}

/* The byte at the place of an error, or 0. */
static char
byte_at(const char *text, size_t size, const Heard *heard)
{
	uint64_t	line = 1;
	size_t		start = 0;

	for (size_t i = 0; i < size && line < heard->line; i++)
	{
		if (text[i] != '\n')
			continue;
		line++;
		start = i + 1;
	}
	return heard->column > 0 && heard->column <= size - start ? text[start + heard->column - 1] : 0;
}

static void
compare_with_yajl(const Heard *ours, const char *text, size_t size)
{
	static Heard theirs;
	size_t		mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	read_theirs(&theirs, text + mark, size - mark);
	if (ours->ok)
	{
		REQUIRE(theirs.ok);
		require_same_log(ours, &theirs);
	}
	else if (theirs.ok)
		REQUIRE(strcmp(ours->reason, "not JSON: trailing garbage") == 0);
	else
	{
		require_same_log(ours, &theirs);
		REQUIRE(strcmp(ours->reason, theirs.reason) == 0);
		/* of what begins as a comment yajl's is in front of the slash */
		REQUIRE((ours->line == theirs.line && ours->column == theirs.column) ||
				strstr(ours->reason, "comment") != NULL || byte_at(text + mark, size - mark, ours) == '/');
	}
	fg_release(&theirs.memory, theirs.log.data);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static Heard whole;
	static Heard cut;
	const char *text = (const char *) data + 1;
	size_t		blanks;
	size_t		shift;
	bool		runs;
	bool		other_root;

	if (size < 2 || --size > BLOCK / 2)
		return 0;
	runs = data[0] % 2 == 1;
	/* one in four: the end of a block lies in the text */
	blanks = data[0] % 8 < 2 ? BLOCK - data[0] / 8 * size / 32 : 0;
	read_ours(&whole, text, size, 0, 0, runs);
	read_ours(&cut, text, size, blanks, data[0] / 8, runs);
	/* behind blanks a byte order mark is none */
	if (blanks == 0 || data[1] != 0xEF)
	{
		REQUIRE(whole.ok == cut.ok && strcmp(whole.reason, cut.reason) == 0);
		require_same_log(&whole, &cut);
		shift = whole.line == 1 ? blanks : 0;
		/* no byte is in front of the first column */
		REQUIRE(whole.line == cut.line &&
				(whole.column + shift == cut.column || (whole.column == 1 && shift == cut.column)));
	}
	other_root = strstr(whole.reason, " is not a text") != NULL;
	if (!other_root && strstr(whole.reason, "nested") == NULL && fg_utf8_prefix(text, size) == size &&
		memchr(text, '\v', size) == NULL && memchr(text, '\f', size) == NULL && !has_surrogate(text, size))
		compare_with_yajl(&whole, text, size);
	fg_release(&whole.memory, whole.log.data);
	fg_release(&cut.memory, cut.log.data);
	return 0;
}
