/*
 * json_stream.c
 *	  A stream of the wanted values of a JSON file (see json_stream.h).
 */
#include "core/reading/json_stream.h"

#include "core/base/number.h"
#include "core/profile/frames.h"
#include "core/reading/byte_scan.h"
#include "core/reading/json_tokens.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char	fg_json_other_keys[] = "any key";

/* A rule, with what is needed to find it quickly. */
typedef struct Rule
{
	FgJsonRule	rule;			/* here, so that no pointer is followed for each value */
	uint64_t	word;			/* the first bytes of its key */
	size_t		length;			/* of the key */
	size_t		inner;			/* the first rule of its place, or the end of the list */
} Rule;

/* What comes next. */
typedef enum State
{
	STATE_VALUE,
	STATE_FIRST_VALUE,			/* or the end of the array */
	STATE_KEY,
	STATE_FIRST_KEY,			/* or the end of the object */
	STATE_COLON,
	STATE_REST,					/* a comma or the end */
	STATE_NOTHING				/* the document has ended */
} State;

typedef struct Level
{
	bool		array;
	bool		wanted;			/* has a place */
	int			place;
	const Rule *rules;			/* of what is in it: the first one */
} Level;

/*
 * Keys of few bytes and what was found for them, which may be no rule.  Objects of one kind have the same keys,
 * and going through the rules for each was a tenth of the time.
 */
#define KNOWN_KEYS 64
#define KNOWN_TRIES 4			/* a key is at one of so many places */
#define KNOWN_KEY_BYTES (2 * sizeof(uint64_t))

typedef struct KnownKey
{
	const Rule *first;			/* of the object's place; NULL: there is no key here */
	uint64_t	word;			/* the first bytes, and the last ones of a longer key */
	uint64_t	tail;
	size_t		length;
	const Rule *found;
} KnownKey;

struct FgJson
{
	FgContext  *ctx;
	const char *what;
	Rule	   *rules;
	Rule		root;
	FgJsonHandler handler;
	void	   *arg;

	FgJsonText	text;
	bool		many;			/* documents behind each other */
	State		state;
	Level	   *levels;			/* the open objects and arrays */
	size_t		depth;
	size_t		capacity;
	const Rule *pending;		/* of the key that was read last */
	char		key[FG_JSON_MAX_KEY];	/* it, where the rule is about any */
	size_t		key_length;
	KnownKey	known[KNOWN_KEYS + KNOWN_TRIES - 1];
};

/* --- errors -------------------------------------------------------------------- */

/* Behind the last byte that was consumed. */
void
fg_json_place(FgJson *json, uint64_t *line, uint64_t *column)
{
	fg_text_window_place(&json->text.window, json->text.window.at, line, column);
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
	fg_text_window_quote(&json->text.window, json->text.window.at);
	return false;
}

bool
fg_json_once(FgJson *json, const FgJsonValue *value, bool *seen, const char *what)
{
	if (value->end || value->type == FG_JSON_NULL)
		return true;
	if (*seen)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "there are two lists of %s", what);
	*seen = true;
	return true;
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
		fg_text_window_quote(&json->text.window, json->text.window.at);
	}
	return ok;
}

static bool
not_json(FgJson *json, const char *why)
{
	return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "not JSON: %s", why);
}

/* The token that was read is none; what failed else has said so. */
static bool
token_error(FgJson *json)
{
	if (json->text.failed)
		return fg_json_at(json, false);
	if (json->text.error == NULL)
		return fg_json_fail(json, FG_ERROR_ENCODING, NULL, "a string is not UTF-8");
	return not_json(json, json->text.error);
}

/* --- rules --------------------------------------------------------------------- */

static size_t
first_rule_of(const FgJsonRule *rules, int place)
{
	size_t		i = 0;

	while (rules[i].place != 0 && rules[i].parent != place)
		i++;
	return i;
}

static bool
compile_rules(FgJson *json, const FgJsonRule *rules)
{
	size_t		count = 0;

	while (rules[count++].place != 0)
		continue;
	json->rules = fg_alloc_zero(json->ctx, count, sizeof(Rule));
	if (json->rules == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
	{
		Rule	   *rule = &json->rules[i];

		rule->rule = rules[i];
		rule->inner = first_rule_of(rules, rules[i].place);
		if (rules[i].key == NULL)
			continue;
		rule->length = strlen(rules[i].key);
		memcpy(&rule->word, rules[i].key,
			   rule->length < sizeof(rule->word) ? rule->length : sizeof(rule->word));
	}
	json->root = (Rule) {
		.rule = {.place = FG_JSON_ROOT, .types = FG_JSON_OBJECT}, .inner = first_rule_of(rules, FG_JSON_ROOT)
	};
	return true;
}

static bool
is_key(const Rule *rule, const char *key, size_t length, uint64_t word)
{
	const char *wanted = rule->rule.key;

	if (wanted == fg_json_other_keys)
		return length < FG_JSON_MAX_KEY;
	return rule->length == length && rule->word == word && wanted != NULL && length > 0 &&
		(length <= sizeof(word) ||
		 memcmp(wanted + sizeof(word), key + sizeof(word), length - sizeof(word)) == 0);
}

static const Rule *
search_key(const Level *level, const char *key, size_t length, uint64_t word)
{
	for (const Rule *rule = level->rules;
		 rule->rule.place != 0 && rule->rule.parent == level->place; rule++)
	{
		if (is_key(rule, key, length, word))
			return rule;
	}
	return NULL;
}

/* Into the first free place, or else the first one. */
__attribute__((noinline))
static const Rule *
remember(KnownKey *places, const KnownKey *key)
{
	int			i = 0;

	while (i < KNOWN_TRIES && places[i].first != NULL)
		i++;
	places[i < KNOWN_TRIES ? i : 0] = *key;
	return key->found;
}

static const Rule *
find_key(FgJson *json, const Level *level, const char *key, size_t length)
{
	uint64_t	word = fg_first_bytes(key, length);
	uint64_t	tail = 0;
	KnownKey   *known;

	if (length > KNOWN_KEY_BYTES)
		return search_key(level, key, length, word);
	if (length > sizeof(tail))
		memcpy(&tail, key + length - sizeof(tail), sizeof(tail));
	known = &json->known[((word ^ tail) + (uint64_t) level->place) * UINT64_C(0x9E3779B97F4A7C15) >> 58];
	for (int i = 0; i < KNOWN_TRIES; i++)
	{
		if (known[i].word == word && known[i].first == level->rules && known[i].tail == tail &&
			known[i].length == length)
			return known[i].found;
	}
	return remember(known, &(KnownKey) {level->rules, word, tail, length, search_key(level, key, length, word)});
}

static const Rule *
find_element(const Level *level)
{
	const FgJsonRule *rule = level->wanted ? &level->rules->rule : NULL;

	return rule != NULL && rule->place != 0 && rule->key == NULL ? level->rules : NULL;
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

__attribute__((noinline))
static bool
wrong_type(FgJson *json, FgJsonType type, const FgJsonRule *rule)
{
	if (json->depth == 0)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "%s is not a %s", type_name(type),
							json->what);
	if (rule->key == NULL)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "%s where a %s has %s",
							type_name(type), json->what, expected_name(rule->types));
	return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "\"%s\" is %s and not %s", rule->key,
						type_name(type), expected_name(rule->types));
}

/* The rule of the value that comes now, NULL when it is not wanted. */
static inline bool
current_rule(FgJson *json, FgJsonType type, const Rule **found)
{
	const Level *level = json->depth > 0 ? &json->levels[json->depth - 1] : NULL;

	*found = level == NULL ? &json->root : level->array ? find_element(level) : json->pending;
	return *found == NULL || ((*found)->rule.types & (unsigned) type) != 0 ||
		wrong_type(json, type, &(*found)->rule);
}

static void
after_value(FgJson *json)
{
	json->state = json->depth > 0 ? STATE_REST : STATE_NOTHING;
}

static bool
scalar(FgJson *json, FgJsonType type, bool truth)
{
	const Rule *rule;
	bool		has_text = type == FG_JSON_STRING || type == FG_JSON_NUMBER;

	if (!current_rule(json, type, &rule))
		return false;
	after_value(json);
	return rule == NULL ||
		json->handler(json->arg, rule->rule.place, &(FgJsonValue) {
		.type = type, .truth = truth, .text = has_text ? json->text.text : "",
		.length = has_text ? json->text.length : 0, .key = json->key,
		.key_length = json->key_length
	});
}

static bool
begin(FgJson *json, FgJsonType type)
{
	const Rule *rule;
	Level	   *level;

	if (!current_rule(json, type, &rule))
		return false;
	if (json->depth == FG_JSON_MAX_DEPTH)
		return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "JSON is nested deeper than %d",
							FG_JSON_MAX_DEPTH);
	if (json->depth == json->capacity &&
		!fg_reserve(json->ctx, (void **) &json->levels, &json->capacity, json->depth + 1,
					sizeof(Level)))
		return false;
	level = &json->levels[json->depth++];
	*level = (Level) {.array = type == FG_JSON_ARRAY};
	if (rule != NULL)
	{
		level->wanted = true;
		level->place = rule->rule.place;
		level->rules = &json->rules[rule->inner];
	}
	json->pending = NULL;
	json->state = type == FG_JSON_ARRAY ? STATE_FIRST_VALUE : STATE_FIRST_KEY;
	return rule == NULL ||
		json->handler(json->arg, rule->rule.place, &(FgJsonValue) {
		.type = type, .key = json->key, .key_length = json->key_length
	});
}

static bool
end(FgJson *json)
{
	const Level *level = &json->levels[--json->depth];
	FgJsonValue value = {.type = level->array ? FG_JSON_ARRAY : FG_JSON_OBJECT, .end = true};

	json->pending = NULL;
	after_value(json);
	return !level->wanted || json->handler(json->arg, level->place, &value);
}

static bool
take_key(FgJson *json)
{
	const Level *level = &json->levels[json->depth - 1];
	const char *text = json->text.text;
	size_t		length = json->text.length;

	json->pending = level->wanted ? find_key(json, level, text, length) : NULL;
	json->key_length = 0;
	if (json->pending != NULL && json->pending->rule.key == fg_json_other_keys)
	{
		memcpy(json->key, text, length);
		json->key_length = length;
	}
	json->state = fg_json_text_accept(&json->text, ':') ? STATE_VALUE : STATE_COLON;
	return true;
}

/* --- the document ---------------------------------------------------------------- */

static bool
take_value(FgJson *json, int token)
{
	switch (token)
	{
		case FG_TOKEN_STRING:
			return scalar(json, FG_JSON_STRING, false);
		case FG_TOKEN_NUMBER:
			return scalar(json, FG_JSON_NUMBER, false);
		case FG_TOKEN_NULL:
			return scalar(json, FG_JSON_NULL, false);
		case FG_TOKEN_TRUE:
		case FG_TOKEN_FALSE:
			return scalar(json, FG_JSON_BOOL, token == FG_TOKEN_TRUE);
		case '{':
			return begin(json, FG_JSON_OBJECT);
		case '[':
			return begin(json, FG_JSON_ARRAY);
		default:
			if (token == ']' && json->state == STATE_FIRST_VALUE)
				return end(json);
			return not_json(json, "unallowed token at this point in JSON text");
	}
}

/* Behind a value of an object or array. */
static bool
take_rest(FgJson *json, int token)
{
	bool		array = json->levels[json->depth - 1].array;

	if (token == ',')
	{
		json->state = array ? STATE_VALUE : STATE_KEY;
		return true;
	}
	if (token == (array ? ']' : '}'))
		return end(json);
	if (array)
		return not_json(json, "after array element, I expect ',' or ']'");
	json->text.window.at -= json->text.raw_length;
	return not_json(json, "after key and value, inside map, I expect ',' or '}'");
}

static bool
take_token(FgJson *json, int token)
{
	switch (json->state)
	{
		case STATE_VALUE:
		case STATE_FIRST_VALUE:
			return take_value(json, token);
		case STATE_KEY:
		case STATE_FIRST_KEY:
			if (token == FG_TOKEN_STRING)
				return take_key(json);
			if (token == '}' && json->state == STATE_FIRST_KEY)
				return end(json);
			return not_json(json, "invalid object key (must be a string)");
		case STATE_COLON:
			json->state = STATE_VALUE;
			return token == ':' ||
				not_json(json, "object key and value must be separated by a colon (':')");
		case STATE_REST:
			return take_rest(json, token);
		default:
			if (!json->many)
				return not_json(json, "trailing garbage");
			json->state = STATE_VALUE;
			return take_value(json, token);
	}
}

/*
 * Half of the tokens are colons (see take_key) and commas, which mostly stand right behind what they
 * belong to; all others, and those behind blanks, come as tokens.
 */
static void
skip_comma(FgJson *json)
{
	if (json->state == STATE_REST && fg_json_text_accept(&json->text, ','))
		json->state = json->levels[json->depth - 1].array ? STATE_VALUE : STATE_KEY;
}

/* The tokens of a block. */
static bool
parse(FgJson *json)
{
	for (;;)
	{
		int			token;

		skip_comma(json);
		token = fg_json_token(&json->text);
		if (token == FG_TOKEN_MORE)
			return true;
		if (token == FG_TOKEN_ERROR && (json->many || json->state != STATE_NOTHING))
			return token_error(json);
		if (!take_token(json, token))
			return false;
	}
}

static bool
parse_block(FgJson *json)
{
	size_t		size = json->text.window.filled;

	if (!parse(json))
		return false;
	fg_text_window_drop(&json->text.window);
	return fg_work(json->ctx, size);
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
	json->handler = handler;
	json->arg = arg;
	fg_json_text_begin(ctx, &json->text);
	if (compile_rules(json, rules))
		return json;
	fg_json_close(json);
	return NULL;
}

bool
fg_json_restart(FgJson *json)
{
	json->depth = 0;
	json->state = STATE_VALUE;
	json->pending = NULL;
	fg_json_text_restart(&json->text);
	return true;
}

void
fg_json_allow_array(FgJson *json)
{
	json->root.rule.types |= FG_JSON_ARRAY;
}

void
fg_json_allow_many(FgJson *json)
{
	json->many = true;
}

bool
fg_json_feed(FgJson *json, const char *bytes, size_t size)
{
	while (size > 0)
	{
		bool		full;
		size_t		part = fg_text_window_take(&json->text.window, bytes, size, &full);

		if (part == 0 || (full && !parse_block(json)))
			return false;
		bytes += part;
		size -= part;
	}
	return true;
}

static bool
too_early(FgJson *json)
{
	return fg_json_fail(json, FG_ERROR_SYNTAX, "The file is not complete.",
						"the JSON text ends too early");
}

/* The document is an array, and behind one of its elements, or the comma behind it, is nothing. */
static bool
is_open_list(const FgJson *json)
{
	return json->depth == 1 && json->levels[0].array &&
		(json->state == STATE_REST || json->state == STATE_VALUE);
}

/* A token that is cut, or an object or array that is open; what is behind the end is one that is cut, too. */
bool
fg_json_finish_list(FgJson *json, bool *open)
{
	if (!fg_text_window_end(&json->text.window, FG_JSON_TEXT_END) || !parse(json))
		return false;
	*open = is_open_list(json);
	if ((json->state == STATE_NOTHING || *open) && json->text.window.at == json->text.window.size)
		return fg_work(json->ctx, json->text.window.filled);
	json->text.window.at = json->text.window.size;
	if (json->state == STATE_NOTHING)
		return not_json(json, "trailing garbage");
	return too_early(json);
}

bool
fg_json_finish(FgJson *json)
{
	bool		open;

	return fg_json_finish_list(json, &open) && (!open || too_early(json));
}

void
fg_json_close(FgJson *json)
{
	if (json == NULL)
		return;
	fg_json_text_free(&json->text);
	fg_release(json->ctx, json->rules);
	fg_release(json->ctx, json->levels);
	fg_release(json->ctx, json);
}

/* --- numbers ------------------------------------------------------------------- */

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

	if (fg_number_few_digits(value->text, value->length, &whole))
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

	if (fg_number_few_digits(value->text, value->length, number))
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
fg_json_next_index(FgJson *json, uint32_t *number)
{
	return json->levels[json->depth - 1].array && fg_json_token_next_few(&json->text, number);
}

bool
fg_json_next_number(FgJson *json, double *number)
{
	uint32_t	whole;

	if (!fg_json_next_index(json, &whole))
		return json->levels[json->depth - 1].array &&
			fg_json_token_next_decimal(&json->text, number);
	*number = whole;
	return true;
}

size_t
fg_json_next_indices(FgJson *json, uint32_t *numbers, size_t room)
{
	return json->levels[json->depth - 1].array ? fg_json_token_indices(&json->text, numbers, room) : 0;
}

size_t
fg_json_next_numbers(FgJson *json, double *numbers, size_t room)
{
	return json->levels[json->depth - 1].array ? fg_json_token_decimals(&json->text, numbers, room) : 0;
}

size_t
fg_json_some_indices(FgJson *json, uint32_t *numbers, size_t room)
{
	return json->levels[json->depth - 1].array ? fg_json_token_few(&json->text, numbers, room) : 0;
}

size_t
fg_json_some_numbers(FgJson *json, double *numbers, size_t room)
{
	return json->levels[json->depth - 1].array ? fg_json_token_numbers(&json->text, numbers, room) : 0;
}

bool
fg_json_again(FgJson *json, FgJsonMark *mark)
{
	FgTextWindow *text = &json->text.window;
	uint64_t	start = text->offset + text->at;
	const uint8_t *bytes = text->data;

	/* the window has moved on from one that lies in front of it */
	if (mark->length > 0 && mark->start >= text->offset &&
		mark->length <= text->size - text->at &&
		memcmp(bytes + (mark->start - text->offset), bytes + text->at, mark->length) == 0)
	{
		text->at += mark->length - 1;
		return true;
	}
	*mark = (FgJsonMark) {.start = start};
	return false;
}

void
fg_json_ended(FgJson *json, FgJsonMark *mark)
{
	mark->length = (size_t) (json->text.window.offset + json->text.window.at - mark->start);
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
