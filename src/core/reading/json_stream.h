/*
 * json_stream.h
 *	  JSON in blocks of any size, as a stream of the values that a format asks for.
 *
 * A format lists its places, such as "the name of a frame", as rules: in the
 * object or array at place "parent", the value under this key is at place "place"
 * and has one of these types.  Values at places without a rule are checked to be
 * JSON and otherwise left out, with all below them.  Keys come in the order of the
 * file; nothing may be assumed about it.
 *
 * Memory does not grow with the input, only with its depth (a limit) and its
 * longest string (a limit).  Numbers come as their text, so no digit is lost.
 * Errors have line and column of the last byte of the value they are about, or of
 * what is not JSON, however the blocks were cut.
 *
 * A file that is not UTF-8 is an error.  Escapes are undone; a lone surrogate among these
 * (which no UTF-8 text can hold) comes out as '?'.
 */
#ifndef FG_JSON_STREAM_H
#define FG_JSON_STREAM_H

#include "core/base/context.h"

#define FG_JSON_MAX_DEPTH	1000

typedef enum FgJsonType
{
	FG_JSON_NULL = 1,
	FG_JSON_BOOL = 2,
	FG_JSON_NUMBER = 4,
	FG_JSON_STRING = 8,
	FG_JSON_OBJECT = 16,
	FG_JSON_ARRAY = 32
} FgJsonType;

#define FG_JSON_ANY \
	(FG_JSON_NULL | FG_JSON_BOOL | FG_JSON_NUMBER | FG_JSON_STRING | FG_JSON_OBJECT | FG_JSON_ARRAY)

/* The place of the whole document, which is an object. */
#define FG_JSON_ROOT 0

/* As a key: all that no rule before this one names; the handler gets the key. */
extern const char fg_json_other_keys[];
#define FG_JSON_OTHER_KEYS fg_json_other_keys

/* Longer keys match no such rule; with the zero that the handler does not get. */
#define FG_JSON_MAX_KEY 128

/*
 * Rules of one parent stand together; the last of all has place 0.  Key NULL: the
 * elements of an array, whose rule comes first.  Places are numbers from 1 on.
 */
typedef struct FgJsonRule
{
	int			parent;
	const char *key;
	int			place;
	unsigned	types;			/* of FgJsonType, or'ed */
} FgJsonRule;

/* Objects and arrays come twice: when they begin and when they end. */
typedef struct FgJsonValue
{
	FgJsonType	type;
	bool		end;
	bool		truth;			/* of a bool */
	const char *text;			/* of a string or number; not terminated */
	size_t		length;
	const char *key;			/* of FG_JSON_OTHER_KEYS, not at the end; not terminated */
	size_t		key_length;
} FgJsonValue;

typedef struct FgJson FgJson;

/* False, with the error set, ends the work. */
typedef bool (*FgJsonHandler) (void *arg, int place, const FgJsonValue *value);

/* "what" names the kind of file in messages; the rules must live as long. */
extern FgJson *fg_json_open(FgContext *ctx, const char *what, const FgJsonRule *rules,
							FgJsonHandler handler, void *arg);
/* The document may also be an array; the rule of its elements is the first of FG_JSON_ROOT. */
extern void fg_json_allow_array(FgJson *json);
/* Behind the document may be others, with blanks between them or without. */
extern void fg_json_allow_many(FgJson *json);
extern bool fg_json_feed(FgJson *json, const char *bytes, size_t size);
extern bool fg_json_finish(FgJson *json);
/* The same where an array that is the document may lack its end; *open: it does. */
extern bool fg_json_finish_list(FgJson *json, bool *open);

/*
 * Begins another document, also after an error in the last one: for texts of many, such
 * as one a line.  Places count from its begin.
 */
extern bool fg_json_restart(FgJson *json);
extern void fg_json_close(FgJson *json);

/* For handlers: an error about the value that they were called with; returns false. */
extern bool fg_json_fail(FgJson *json, FgErrorCode code, const char *hint,
						 const char *reason,...) __attribute__((format(printf, 4, 5)));

/*
 * For handlers of lists: notes in *seen that the list has begun; FG_ERROR_SYNTAX for a second one
 * of its name, which would mix with the first.  Null is no list.
 */
extern bool fg_json_once(FgJson *json, const FgJsonValue *value, bool *seen, const char *what);

/* The place of that value, for errors that are found later. */
extern void fg_json_place(FgJson *json, uint64_t *line, uint64_t *column);

/*
 * The same for an error that something else has set, such as the sink: adds the place
 * unless it has one or is about no text.  Returns "ok".
 */
extern bool fg_json_at(FgJson *json, bool ok);

/* A number's value; out of range is an error. */
extern bool fg_json_number(FgJson *json, const FgJsonValue *value, double *number);

/* A whole number from 0 to UINT32_MAX - 1; anything else is an error. */
extern bool fg_json_index(FgJson *json, const FgJsonValue *value, uint32_t *number);

/*
 * For handlers of a number that is an element of an array: goes on to the next element, if
 * that is a number of few digits, without sign and exponent (as an index also without a
 * fraction), and the block has all of it.  Otherwise the handler
 * is called for it.  Arrays of a million numbers are most of some files, and a call through
 * the rules for each took longer than reading it.
 */
extern bool fg_json_next_index(FgJson *json, uint32_t *number);
extern bool fg_json_next_number(FgJson *json, double *number);

/*
 * The same for a column that is kept: goes on as far as there are such elements, up to "room", and
 * returns how many.  Null is one of them, too, and -1 where indices are read: FG_NONE, or NAN.
 */
extern size_t fg_json_next_indices(FgJson *json, uint32_t *numbers, size_t room);
extern size_t fg_json_next_numbers(FgJson *json, double *numbers, size_t room);

/* The same without null and -1, for lists that have to be of numbers: the handler is called for these. */
extern size_t fg_json_some_indices(FgJson *json, uint32_t *numbers, size_t room);
extern size_t fg_json_some_numbers(FgJson *json, double *numbers, size_t room);

/*
 * For handlers of arrays that often come again, as a sample does that lasts: "again" asks at
 * the begin of one whether it is byte for byte what "ended" has marked, and if so its elements
 * are left out, so that what comes next is its end.  Otherwise it marks where the array
 * begins, and "ended" is to be called at its end.
 */
typedef struct FgJsonMark
{
	uint64_t	start;			/* in the file */
	size_t		length;			/* up to the closing bracket and with it; 0: nothing is marked */
} FgJsonMark;

extern bool fg_json_again(FgJson *json, FgJsonMark *mark);
extern void fg_json_ended(FgJson *json, FgJsonMark *mark);

/* For recognition: is it an object, and does this text occur in the head? */
extern bool fg_json_begins(const char *head, size_t size);
extern bool fg_json_holds(const char *head, size_t size, const char *text);

static inline bool
fg_json_equals(const FgJsonValue *value, const char *text)
{
	size_t		i = 0;

	while (i < value->length && text[i] != '\0' && value->text[i] == text[i])
		i++;
	return i == value->length && text[i] == '\0';
}

#endif							/* FG_JSON_STREAM_H */
