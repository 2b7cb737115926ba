/*
 * jsonb_read.c
 *	  Reads jsonb that users write as an argument (see jsonb_read.h).
 */
#include "pg/base/jsonb_read.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "core/base/number.h"

FgJsonbPlace
fg_jsonb_argument(Jsonb *jsonb, const char *name, JsonbValue *space)
{
	space->type = jbvBinary;
	space->val.binary.data = &jsonb->root;
	space->val.binary.len = VARSIZE(jsonb) - VARHDRSZ;
	return (FgJsonbPlace) {.key = name, .key_length = (int) strlen(name), .value = space};
}

static JsonbContainer *
container_of(const FgJsonbPlace *json)
{
	if (json->value == NULL || json->value->type != jbvBinary)
		return NULL;
	return json->value->val.binary.data;
}

bool
fg_jsonb_is_object(const FgJsonbPlace *json)
{
	JsonbContainer *container = container_of(json);

	return container != NULL && JsonContainerIsObject(container);
}

bool
fg_jsonb_is_array(const FgJsonbPlace *json)
{
	JsonbContainer *container = container_of(json);

	return container != NULL && JsonContainerIsArray(container) &&
		!JsonContainerIsScalar(container);
}

/* --- errors ------------------------------------------------------------------------- */

static void
append_place(StringInfo to, const FgJsonbPlace *json)
{
	if (json->above != NULL)
		append_place(to, json->above);
	if (json->key == NULL)
		appendStringInfo(to, "[%d]", json->index);
	else
		appendStringInfo(to, "%s%.*s", json->above != NULL ? "." : "",
						 pg_mbcliplen(json->key, json->key_length, 64), json->key);
}

static const char *
place_of(const FgJsonbPlace *json)
{
	StringInfoData place;

	initStringInfo(&place);
	append_place(&place, json);
	return place.data;
}

void
fg_jsonb_throw(const FgJsonbPlace *json, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s must be %s", place_of(json), what),
			 hint != NULL ? errhint("%s", hint) : 0));
}

static void
throw_unknown_key(const FgJsonbPlace *object, const JsonbValue *key, const char *const *keys,
				  int count)
{
	StringInfoData hint;

	initStringInfo(&hint);
	for (int i = 0; i < count; i++)
		appendStringInfo(&hint, "%s%s", i > 0 ? ", " : "", keys[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized key \"%.*s\" in %s",
					pg_mbcliplen(key->val.string.val, key->val.string.len, 64),
					key->val.string.val, place_of(object)),
			 errhint("Available: %s.", hint.data)));
}

/* --- ways ----------------------------------------------------------------------------- */

FgJsonbPlace
fg_jsonb_field(const FgJsonbPlace *object, const char *key, int length)
{
	FgJsonbPlace field = {.above = object, .key = key, .key_length = length};
	JsonbContainer *container = container_of(object);
	JsonbValue	name = {.type = jbvString};

	if (container == NULL || !JsonContainerIsObject(container))
		fg_jsonb_throw(object, "an object", NULL);
	name.val.string.val = unconstify(char *, key);
	name.val.string.len = length;
	field.value = findJsonbValueFromContainer(container, JB_FOBJECT, &name);
	if (field.value != NULL && field.value->type == jbvNull)
		field.value = NULL;
	return field;
}

FgJsonbPlace
fg_jsonb_key(const FgJsonbPlace *object, const char *key)
{
	return fg_jsonb_field(object, key, (int) strlen(key));
}

FgJsonbPlace
fg_jsonb_element(const FgJsonbPlace *array, int index)
{
	FgJsonbPlace element = {.above = array, .index = index};

	element.value = getIthJsonbValueFromContainer(container_of(array), (uint32) index);
	if (element.value != NULL && element.value->type == jbvNull)
		element.value = NULL;
	return element;
}

int
fg_jsonb_count(const FgJsonbPlace *array)
{
	if (!fg_jsonb_is_array(array))
		fg_jsonb_throw(array, "an array", NULL);
	return (int) JsonContainerSize(container_of(array));
}

void
fg_jsonb_check_keys(const FgJsonbPlace *object, const char *const *keys, int count)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	key;

	if (!fg_jsonb_is_object(object))
		fg_jsonb_throw(object, "an object", NULL);
	iterator = JsonbIteratorInit(container_of(object));
	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		bool		known = token != WJB_KEY;

		for (int i = 0; i < count && !known; i++)
			known = key.val.string.len == (int) strlen(keys[i]) &&
				memcmp(key.val.string.val, keys[i], strlen(keys[i])) == 0;
		if (!known)
			throw_unknown_key(object, &key, keys, count);
	}
}

/* --- values ----------------------------------------------------------------------------- */

static FgSpan
span_of(const char *text)
{
	return (FgSpan) {.bytes = text, .size = strlen(text)};
}

FgSpan
fg_jsonb_string(const FgJsonbPlace *json)
{
	if (json->value == NULL || json->value->type != jbvString)
		fg_jsonb_throw(json, "a string", NULL);
	return (FgSpan) {.bytes = json->value->val.string.val,
		.size = (size_t) json->value->val.string.len};
}

static FgSpan
number_text(Numeric number)
{
	return span_of(DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(number))));
}

FgSpan
fg_jsonb_text(const FgJsonbPlace *json)
{
	switch (json->value->type)
	{
		case jbvString:
			return fg_jsonb_string(json);
		case jbvBool:
			return span_of(json->value->val.boolean ? "true" : "false");
		case jbvNumeric:
			return number_text(json->value->val.numeric);
		case jbvBinary:
			return span_of(JsonbToCString(NULL, json->value->val.binary.data,
										  json->value->val.binary.len));
		default:
			fg_jsonb_throw(json, "a value", NULL);
	}
}

static bool
is_word(const JsonbValue *value, const char *word)
{
	return value->val.string.len == (int) strlen(word) &&
		memcmp(value->val.string.val, word, strlen(word)) == 0;
}

double
fg_jsonb_number(const FgJsonbPlace *json)
{
	FgContext	ctx = fg_current_context();
	const JsonbValue *value = json->value;
	char	   *text;
	double		number;

	if (value != NULL && value->type == jbvString)
	{
		if (is_word(value, "NaN"))
			return (double) NAN;
		if (is_word(value, "Infinity"))
			return (double) INFINITY;
		if (is_word(value, "-Infinity"))
			return (double) -INFINITY;
	}
	if (value == NULL || value->type != jbvNumeric)
		fg_jsonb_throw(json, "a number", "Numbers stand without quotes.");
	text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	if (fg_number_parse(&ctx, text, strlen(text), &number) != FG_NUMBER_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s is out of range", place_of(json))));
	pfree(text);
	return number;
}

bool
fg_jsonb_bool(const FgJsonbPlace *json)
{
	if (json->value == NULL || json->value->type != jbvBool)
		fg_jsonb_throw(json, "true or false", NULL);
	return json->value->val.boolean;
}
