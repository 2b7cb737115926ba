/*
 * json_stream.c
 *	  A stream of the wanted values of a JSON file, over yajl (see json_stream.h).
 */
#include "core/reading/json_stream.h"

#include "core/base/number.h"
#include "core/profile/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>

/* yajl holds its handle, its lexer, a stack of states and two buffers with their heads. */
#define MAX_BLOCKS 16

const char	fg_json_other_keys[] = "any key";

/*
 * What yajl says about the place of an error depends on how it got the bytes, so it
 * gets blocks of one size, whatever those of the caller are.
 */
#define BLOCK_BYTES ((size_t) FG_CHECK_BYTES / 16)

typedef struct Level
{
	bool		array;
	bool		wanted;			/* has a place */
	int			place;
	const FgJsonRule *rules;	/* of what is in it: the first one */
} Level;

struct FgJson
{
	FgContext  *ctx;
	const char *what;
	const FgJsonRule *rules;
	FgJsonRule	root;
	FgJsonHandler handler;
	void	   *arg;

	yajl_handle yajl;
	void	   *blocks[MAX_BLOCKS]; /* what yajl has allocated */
	bool		too_long;
	jmp_buf		no_memory;

	Level	   *levels;			/* the open objects and arrays */
	size_t		depth;
	size_t		capacity;
	const FgJsonRule *pending;	/* of the key that was read last */
	char		key[FG_JSON_MAX_KEY];	/* it, where the rule is about any */
	size_t		key_length;

	const char *chunk;			/* what yajl is reading */
	size_t		chunk_size;
	uint64_t	offset;			/* of the chunk in the file */
	uint64_t	line;			/* at the chunk's begin, from 1 */
	uint64_t	line_start;		/* offset */
	size_t		buffered;
	char		buffer[BLOCK_BYTES];
};

/* --- memory ------------------------------------------------------------------ */

/*
 * yajl uses what it has asked for without looking, so a failing allocation must not
 * return to it.  The jump leaves nothing but yajl's functions; what they hold is in
 * "blocks".
 */
static void
no_memory(FgJson *json)
{
	longjmp(json->no_memory, 1);
}

static void **
find_block(FgJson *json, void *pointer)
{
	for (int i = 0; i < MAX_BLOCKS; i++)
	{
		if (json->blocks[i] == pointer)
			return &json->blocks[i];
	}
	return NULL;
}

static void *
allocate(void *arg, size_t size)
{
	FgJson	   *json = arg;
	void	  **block = find_block(json, NULL);

	if (block == NULL)
	{
		fg_fail(json->ctx, FG_ERROR_MEMORY, "too many blocks of memory for reading JSON");
		no_memory(json);
	}
	else
		*block = fg_alloc(json->ctx, size, 1);
	if (*block == NULL)
		no_memory(json);
	return *block;
}

static void *
reallocate(void *arg, void *pointer, size_t size)
{
	FgJson	   *json = arg;
	void	  **block;
	void	   *moved;

	if (pointer == NULL)
		return allocate(arg, size);
	json->too_long = size > 2 * FG_JSON_MAX_STRING;
	if (json->too_long)
		no_memory(json);
	block = find_block(json, pointer);
	moved = fg_resize(json->ctx, pointer, size, 1);
	if (moved == NULL || block == NULL)
		no_memory(json);
	else
		*block = moved;
	return moved;
}

static void
release(void *arg, void *pointer)
{
	FgJson	   *json = arg;
	void	  **block = pointer != NULL ? find_block(json, pointer) : NULL;

	if (block == NULL)
		return;
	fg_release(json->ctx, pointer);
	*block = NULL;
}

/* --- places ------------------------------------------------------------------ */

/* How much of the chunk was consumed, as yajl says. */
static size_t
consumed_bytes(const FgJson *json)
{
	size_t		consumed = json->yajl != NULL ? yajl_get_bytes_consumed(json->yajl) : 0;

	return consumed < json->chunk_size ? consumed : json->chunk_size;
}

/* Behind the last byte that was consumed. */
void
fg_json_place(const FgJson *json, uint64_t *line, uint64_t *column)
{
	size_t		consumed = consumed_bytes(json);
	uint64_t	start = json->line_start;

	*line = json->line;
	for (const char *at = json->chunk; consumed > 0;)
	{
		const char *stop = memchr(at, '\n', (size_t) (json->chunk + consumed - at));

		/* a line feed that is the last byte belongs to the line it ends */
		if (stop == NULL || stop + 1 == json->chunk + consumed)
			break;
		at = stop + 1;
		start = json->offset + (uint64_t) (at - json->chunk);
		++*line;
	}
	*column = json->offset + consumed - start;
	if (*column == 0)
		*column = 1;
}

/* The line around the place, as far as it lies in the chunk. */
static void
quote_place(FgJson *json)
{
	size_t		at = consumed_bytes(json);
	size_t		start = at > 0 ? at - 1 : 0;
	const char *stop;

	if (json->chunk == NULL)
		return;
	while (start > 0 && json->chunk[start - 1] != '\n')
		start--;
	stop = memchr(json->chunk + start, '\n', json->chunk_size - start);
	fg_quote(json->ctx, json->chunk + start,
			 (stop != NULL ? (size_t) (stop - json->chunk) : json->chunk_size) - start, at - start);
}

bool
fg_json_fail(FgJson *json, FgErrorCode code, const char *hint, const char *reason,...)
{
	char		text[sizeof(json->ctx->error.reason)];
	uint64_t	line;
	uint64_t	column;
	va_list		args;

	va_start(args, reason);
	vsnprintf(text, sizeof(text), reason, args);
	va_end(args);
	fg_json_place(json, &line, &column);
	fg_fail_at(json->ctx, code, line, column, hint, "%s", text);
	quote_place(json);
	return false;
}

bool
fg_json_at(FgJson *json, bool ok)
{
	FgError    *error = &json->ctx->error;

	if (!ok && error->line == 0 &&
		(error->code == FG_ERROR_SYNTAX || error->code == FG_ERROR_ENCODING ||
		 error->code == FG_ERROR_LIMIT || error->code == FG_ERROR_RANGE))
	{
		fg_json_place(json, &error->line, &error->column);
		quote_place(json);
	}
	return ok;
}

/* Goes on behind the chunk. */
static void
leave_chunk(FgJson *json)
{
	const char *end = json->chunk + json->chunk_size;

	for (const char *at = json->chunk; at < end;)
	{
		const char *stop = memchr(at, '\n', (size_t) (end - at));

		if (stop == NULL)
			break;
		at = stop + 1;
		json->line++;
		json->line_start = json->offset + (uint64_t) (at - json->chunk);
	}
	json->offset += json->chunk_size;
	json->chunk = NULL;
	json->chunk_size = 0;
}

/* --- values ------------------------------------------------------------------ */

static const char *
type_name(unsigned type)
{
	switch (type)
	{
		case FG_JSON_NULL:
			return "null";
		case FG_JSON_BOOL:
			return "a boolean";
		case FG_JSON_NUMBER:
			return "a number";
		case FG_JSON_STRING:
			return "a string";
		case FG_JSON_OBJECT:
			return "an object";
		default:
			return "an array";
	}
}

/* The type that a message asks for: the most telling of those allowed. */
static const char *
expected_name(unsigned types)
{
	for (unsigned type = FG_JSON_ARRAY; type > FG_JSON_NULL; type /= 2)
	{
		if (types & type)
			return type_name(type);
	}
	return type_name(FG_JSON_NULL);
}

/* The first rule of a place, or the end of the list. */
static const FgJsonRule *
rules_of(const FgJson *json, int place)
{
	const FgJsonRule *rule = json->rules;

	while (rule->place != 0 && rule->parent != place)
		rule++;
	return rule;
}

static const FgJsonRule *
find_key(const Level *level, const char *key, size_t length)
{
	for (const FgJsonRule *rule = level->rules;
		 rule->place != 0 && rule->parent == level->place; rule++)
	{
		if (rule->key == fg_json_other_keys ? length < FG_JSON_MAX_KEY :
			rule->key != NULL && length > 0 && rule->key[0] == key[0] &&
			strlen(rule->key) == length && memcmp(rule->key, key, length) == 0)
			return rule;
	}
	return NULL;
}

static const FgJsonRule *
find_element(const Level *level)
{
	const FgJsonRule *rule = level->rules;

	return level->wanted && rule->place != 0 && rule->key == NULL ? rule : NULL;
}

/* The rule of the value that comes now, NULL when it is not wanted. */
static bool
current_rule(FgJson *json, FgJsonType type, const FgJsonRule **rule)
{
	const Level *level = json->depth > 0 ? &json->levels[json->depth - 1] : NULL;

	*rule = level == NULL ? &json->root : level->array ? find_element(level) : json->pending;
	if (*rule == NULL || ((*rule)->types & (unsigned) type) != 0)
		return true;
	if (level == NULL)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "%s is not a %s", type_name(type),
							json->what);
	if ((*rule)->key == NULL)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "%s where a %s has %s",
							type_name(type), json->what, expected_name((*rule)->types));
	return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "\"%s\" is %s and not %s", (*rule)->key,
						type_name(type), expected_name((*rule)->types));
}

static int
scalar(FgJson *json, FgJsonType type, bool truth, const char *text, size_t length)
{
	FgJsonValue value = {
		.type = type, .truth = truth, .text = text, .length = length, .key = json->key,
		.key_length = json->key_length
	};
	const FgJsonRule *rule;

	if (!current_rule(json, type, &rule))
		return 0;
	return rule == NULL || json->handler(json->arg, rule->place, &value);
}

static int
begin(FgJson *json, FgJsonType type)
{
	FgJsonValue value = {.type = type, .key = json->key, .key_length = json->key_length};
	const FgJsonRule *rule;
	Level		level = {.array = type == FG_JSON_ARRAY};

	if (!current_rule(json, type, &rule))
		return 0;
	if (json->depth == FG_JSON_MAX_DEPTH)
		return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "JSON is nested deeper than %d",
							FG_JSON_MAX_DEPTH);
	if (!fg_reserve(json->ctx, (void **) &json->levels, &json->capacity, json->depth + 1,
					sizeof(Level)))
		return 0;
	if (rule != NULL)
	{
		level.wanted = true;
		level.place = rule->place;
		level.rules = rules_of(json, rule->place);
	}
	json->levels[json->depth++] = level;
	json->pending = NULL;
	return rule == NULL || json->handler(json->arg, rule->place, &value);
}

static int
end(FgJson *json, FgJsonType type)
{
	FgJsonValue value = {.type = type, .end = true};
	Level		level = json->levels[--json->depth];

	json->pending = NULL;
	return !level.wanted || json->handler(json->arg, level.place, &value);
}

/* --- yajl's callbacks ---------------------------------------------------------- */

static int
on_null(void *arg)
{
	return scalar(arg, FG_JSON_NULL, false, "", 0);
}

static int
on_boolean(void *arg, int truth)
{
	return scalar(arg, FG_JSON_BOOL, truth != 0, "", 0);
}

static int
on_number(void *arg, const char *text, size_t length)
{
	return scalar(arg, FG_JSON_NUMBER, false, text, length);
}

static int
on_string(void *arg, const unsigned char *text, size_t length)
{
	FgJson	   *json = arg;

	if (length > FG_JSON_MAX_STRING)
		return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "a string is longer than %zu bytes",
							FG_JSON_MAX_STRING);
	return scalar(json, FG_JSON_STRING, false, (const char *) text, length);
}

static int
on_key(void *arg, const unsigned char *text, size_t length)
{
	FgJson	   *json = arg;
	const Level *level = &json->levels[json->depth - 1];

	json->pending = level->wanted ? find_key(level, (const char *) text, length) : NULL;
	json->key_length = 0;
	if (json->pending != NULL && json->pending->key == fg_json_other_keys)
	{
		memcpy(json->key, text, length);
		json->key_length = length;
	}
	return 1;
}

static int
on_begin_object(void *arg)
{
	return begin(arg, FG_JSON_OBJECT);
}

static int
on_end_object(void *arg)
{
	return end(arg, FG_JSON_OBJECT);
}

static int
on_begin_array(void *arg)
{
	return begin(arg, FG_JSON_ARRAY);
}

static int
on_end_array(void *arg)
{
	return end(arg, FG_JSON_ARRAY);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_begin_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end_object,
	.yajl_start_array = on_begin_array,
	.yajl_end_array = on_end_array
};

/* --- the stream ---------------------------------------------------------------- */

/* yajl itself; false without memory. */
static bool
begin_document(FgJson *json)
{
	yajl_alloc_funcs memory = {allocate, reallocate, release, json};

	if (setjmp(json->no_memory) != 0)
		return false;
	json->yajl = yajl_alloc(&callbacks, &memory, json);
	return true;
}

static void
end_document(FgJson *json)
{
	for (int i = 0; i < MAX_BLOCKS; i++)
	{
		fg_release(json->ctx, json->blocks[i]);
		json->blocks[i] = NULL;
	}
	json->yajl = NULL;
}

FgJson *
fg_json_open(FgContext *ctx, const char *what, const FgJsonRule *rules, FgJsonHandler handler,
			 void *arg)
{
	FgJson	   *json = fg_alloc_zero(ctx, 1, sizeof(FgJson));

	if (json == NULL)
		return NULL;
	json->ctx = ctx;
	json->what = what;
	json->rules = rules;
	json->root = (FgJsonRule) {.place = FG_JSON_ROOT, .types = FG_JSON_OBJECT};
	json->handler = handler;
	json->arg = arg;
	json->line = 1;
	if (begin_document(json))
		return json;
	fg_json_close(json);
	return NULL;
}

bool
fg_json_restart(FgJson *json)
{
	end_document(json);
	json->too_long = false;
	json->depth = 0;
	json->pending = NULL;
	json->chunk = NULL;
	json->chunk_size = json->buffered = 0;
	json->offset = json->line_start = 0;
	json->line = 1;
	return begin_document(json);
}

static bool
syntax_error(FgJson *json)
{
	const char *message = (char *) yajl_get_error(json->yajl, 0, NULL, 0);
	bool		encoding = strstr(message, "UTF8") != NULL;
	bool		cut = strstr(message, "premature EOF") != NULL;
	const char *kind = strstr(message, "error: ");
	size_t		length;

	if (kind != NULL)
		message = kind + strlen("error: ");
	length = strcspn(message, "\n");

	while (length > 0 && message[length - 1] == '.')
		length--;
	return fg_json_fail(json, encoding ? FG_ERROR_ENCODING : FG_ERROR_SYNTAX,
						cut ? "The file is not complete." : NULL,
						encoding ? "a string is not UTF-8" : cut ? "the JSON text ends too early"
						: "not JSON: %.*s", (int) length, message);
}

/* One call of yajl; "chunk" NULL: the end. */
static bool
parse(FgJson *json)
{
	yajl_status status;

	if (setjmp(json->no_memory) != 0)
	{
		if (json->too_long)
			return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "a string is longer than %zu bytes",
								FG_JSON_MAX_STRING);
		return false;
	}
	status = json->chunk != NULL
		? yajl_parse(json->yajl, (const unsigned char *) json->chunk, json->chunk_size)
		: yajl_complete_parse(json->yajl);
	if (status == yajl_status_error)
		return syntax_error(json);
	return status == yajl_status_ok;
}

/* A block of the file; the first one without its byte order mark. */
static bool
parse_block(FgJson *json, const char *bytes, size_t size)
{
	size_t		mark = json->offset == 0 && size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	json->offset += mark;
	json->line_start += mark;
	json->chunk = bytes + mark;
	json->chunk_size = size - mark;
	if (json->chunk_size > 0 && !parse(json))
		return false;
	leave_chunk(json);
	return fg_work(json->ctx, size);
}

void
fg_json_allow_array(FgJson *json)
{
	json->root.types |= FG_JSON_ARRAY;
}

bool
fg_json_feed(FgJson *json, const char *bytes, size_t size)
{
	while (size > 0)
	{
		size_t		part = BLOCK_BYTES - json->buffered;

		if (part > size)
			part = size;
		if (part == BLOCK_BYTES)
		{
			if (!parse_block(json, bytes, part))
				return false;
		}
		else
		{
			memcpy(json->buffer + json->buffered, bytes, part);
			json->buffered += part;
			if (json->buffered == BLOCK_BYTES)
			{
				json->buffered = 0;
				if (!parse_block(json, json->buffer, BLOCK_BYTES))
					return false;
			}
		}
		bytes += part;
		size -= part;
	}
	return true;
}

bool
fg_json_finish(FgJson *json)
{
	return (json->buffered == 0 || parse_block(json, json->buffer, json->buffered)) &&
		parse(json);
}

void
fg_json_close(FgJson *json)
{
	if (json == NULL)
		return;
	end_document(json);
	fg_release(json->ctx, json->levels);
	fg_release(json->ctx, json);
}

/*
 * Numbers of a few digits and nothing else, which indexes, times between samples and weights
 * mostly are: a file of speedscope is little but these, and taking them apart as decimals was
 * a fifth of the time.
 */
#define FEW_DIGITS 9

static bool
few_digits(const FgJsonValue *value, uint32_t *number)
{
	uint32_t	sum = 0;

	if (value->length == 0 || value->length > FEW_DIGITS)
		return false;
	for (size_t i = 0; i < value->length; i++)
	{
		uint32_t	digit = (uint32_t) (uint8_t) value->text[i] - '0';

		if (digit > 9)
			return false;
		sum = sum * 10 + digit;
	}
	*number = sum;
	return true;
}

static bool
not_a_number(FgJson *json, const FgJsonValue *value, FgNumberResult result)
{
	int			shown = (int) fg_utf8_prefix(value->text, value->length < 40 ? value->length : 40);

	if (result == FG_NUMBER_OVERFLOW)
		return fg_json_fail(json, FG_ERROR_RANGE, NULL, "%.*s is too large", shown, value->text);
	if (result == FG_NUMBER_UNDERFLOW)
		return fg_json_fail(json, FG_ERROR_RANGE, NULL, "%.*s is too small", shown, value->text);
	return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "\"%.*s\" is not a number", shown,
						value->text);
}

bool
fg_json_number(FgJson *json, const FgJsonValue *value, double *number)
{
	uint32_t	whole;
	FgNumberResult result;

	if (few_digits(value, &whole))
	{
		*number = whole;
		return true;
	}
	result = fg_number_parse(json->ctx, value->text, value->length, number);
	if (result == FG_NUMBER_OK || result == FG_NUMBER_MEMORY)
		return result == FG_NUMBER_OK;
	return not_a_number(json, value, result);
}

bool
fg_json_index(FgJson *json, const FgJsonValue *value, uint32_t *number)
{
	double		wide;

	if (few_digits(value, number))
		return true;
	if (!fg_json_number(json, value, &wide))
		return false;
	if (!(wide >= 0 && wide < UINT32_MAX) || wide != (double) (uint32_t) wide)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "%.*s is not a whole number that can be an index",
							value->length < 40 ? (int) value->length : 40, value->text);
	*number = (uint32_t) wide;
	return true;
}

bool
fg_json_begins(const char *head, size_t size)
{
	size_t		at = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	while (at < size && (head[at] == ' ' || head[at] == '\t' || head[at] == '\n' ||
						 head[at] == '\r'))
		at++;
	return at < size && head[at] == '{';
}

bool
fg_json_holds(const char *head, size_t size, const char *text)
{
	size_t		length = strlen(text);

	for (size_t at = 0; at + length <= size; at++)
	{
		const char *found = memchr(head + at, text[0], size - length + 1 - at);

		if (found == NULL)
			return false;
		at = (size_t) (found - head);
		if (memcmp(found, text, length) == 0)
			return true;
	}
	return false;
}
