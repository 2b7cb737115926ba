/*
 * jsonb_read.h
 *	  Reads jsonb that users write as an argument: values by key or place, with errors
 *	  (22023) that say where they are: sections[2].table[0].name.
 *
 * A null is as if the key were not there.
 */
#ifndef FG_JSONB_READ_H
#define FG_JSONB_READ_H

#include "pg/base/values.h"

#include "utils/jsonb.h"

/* A value and the way to it. */
typedef struct FgJsonbPlace
{
	const struct FgJsonbPlace *above; /* NULL: the argument itself */
	const char *key;			/* its name; NULL: it is an element of an array */
	int			key_length;
	int			index;
	JsonbValue *value;			/* NULL: there is none */
} FgJsonbPlace;

extern FgJsonbPlace fg_jsonb_argument(Jsonb *jsonb, const char *name, JsonbValue *space);

/* Of an object; value NULL when there is no such key. */
extern FgJsonbPlace fg_jsonb_field(const FgJsonbPlace *object, const char *key, int length);
extern FgJsonbPlace fg_jsonb_key(const FgJsonbPlace *object, const char *key);
extern FgJsonbPlace fg_jsonb_element(const FgJsonbPlace *array, int index);

/* How many elements; not an array: an error. */
extern int	fg_jsonb_count(const FgJsonbPlace *array);

/* Is it an object with these keys only? */
extern void fg_jsonb_check_keys(const FgJsonbPlace *object, const char *const *keys, int count);
extern bool fg_jsonb_is_object(const FgJsonbPlace *json);
extern bool fg_jsonb_is_array(const FgJsonbPlace *json);

/* A string, or what else there is in JSON's own text. */
extern FgSpan fg_jsonb_text(const FgJsonbPlace *json);

/* A string, nothing else. */
extern FgSpan fg_jsonb_string(const FgJsonbPlace *json);

/* A number, or "NaN", "Infinity", "-Infinity", as to_jsonb() writes those. */
extern double fg_jsonb_number(const FgJsonbPlace *json);
extern bool fg_jsonb_bool(const FgJsonbPlace *json);

/* Throws: "sections[2].heading" must be "what". */
pg_noreturn extern void fg_jsonb_throw(const FgJsonbPlace *json, const char *what,
									   const char *hint);

#endif							/* FG_JSONB_READ_H */
