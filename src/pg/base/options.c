/*
 * options.c
 *	  Options in jsonb (see options.h).
 */
#include "pg/base/options.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "core/base/number.h"

static void
throw_unrecognized(const char *what, const JsonbValue *key, const char *const *keys, int count)
{
	StringInfoData hint;

	initStringInfo(&hint);
	for (int i = 0; i < count; i++)
		appendStringInfo(&hint, "%s%s", i > 0 ? ", " : "", keys[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized option \"%.*s\" of %s",
					pg_mbcliplen(key->val.string.val, key->val.string.len, 64),
					key->val.string.val, what),
			 count > 0 ? errhint("Available: %s.", hint.data) : errhint("It has no options.")));
}

void
fg_options_check(Jsonb *options, const char *what, const char *const *keys, int count)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	value;

	if (!JB_ROOT_IS_OBJECT(options))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of %s must be a JSON object", what),
				 errhint("Write {\"option\": value, ...}.")));
	iterator = JsonbIteratorInit(&options->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		bool		known = token != WJB_KEY;

		for (int i = 0; i < count && !known; i++)
			known = value.val.string.len == (int) strlen(keys[i]) &&
				memcmp(value.val.string.val, keys[i], strlen(keys[i])) == 0;
		if (!known)
			throw_unrecognized(what, &value, keys, count);
	}
}

/* NULL when the key is not there, or null. */
static JsonbValue *
find(Jsonb *options, const char *key)
{
	JsonbValue	name = {.type = jbvString};
	JsonbValue *value;

	name.val.string.val = pstrdup(key);
	name.val.string.len = (int) strlen(key);
	value = findJsonbValueFromContainer(&options->root, JB_FOBJECT, &name);
	return value != NULL && value->type != jbvNull ? value : NULL;
}

pg_noreturn static void
throw_type(const char *key, const char *type)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("option \"%s\" must be %s", key, type),
			 errhint("Numbers stand without quotes, words and texts with them.")));
}

static double
number_of(const JsonbValue *value, const char *key)
{
	FgContext	ctx = fg_current_context();
	char	   *text;
	double		number;

	if (value->type != jbvNumeric)
		throw_type(key, "a number");
	text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	if (fg_number_parse(&ctx, text, strlen(text), &number) != FG_NUMBER_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("option \"%s\" is out of range", key)));
	pfree(text);
	return number;
}

bool
fg_option_double(Jsonb *options, const char *key, double *value)
{
	JsonbValue *found = find(options, key);

	if (found == NULL)
		return false;
	*value = number_of(found, key);
	return true;
}

bool
fg_option_int(Jsonb *options, const char *key, int32 *value)
{
	double		number;

	if (!fg_option_double(options, key, &number))
		return false;
	if (number != rint(number) || fabs(number) > PG_INT32_MAX)
		throw_type(key, "a whole number");
	*value = (int32) number;
	return true;
}

bool
fg_option_bool(Jsonb *options, const char *key, bool *value)
{
	JsonbValue *found = find(options, key);

	if (found == NULL)
		return false;
	if (found->type != jbvBool)
		throw_type(key, "true or false");
	*value = found->val.boolean;
	return true;
}

static const JsonbValue *
find_string(Jsonb *options, const char *key, const char *type)
{
	const JsonbValue *found = find(options, key);

	if (found != NULL && found->type != jbvString)
		throw_type(key, type);
	return found;
}

bool
fg_option_word(Jsonb *options, const char *key, FgSpan *value)
{
	const JsonbValue *found = find_string(options, key, "a word");

	if (found == NULL)
		return false;
	*value = (FgSpan) {found->val.string.val, (size_t) found->val.string.len};
	return true;
}

bool
fg_option_text(Jsonb *options, const char *key, FgText *value)
{
	const JsonbValue *found = find_string(options, key, "a text");

	if (found == NULL)
		return false;
	*value = (FgText) {found->val.string.val, (size_t) found->val.string.len};
	return true;
}

bool
fg_option_object(Jsonb *options, const char *key, Jsonb **value)
{
	JsonbValue *found = find(options, key);

	if (found == NULL)
		return false;
	if (found->type != jbvBinary || !JsonContainerIsObject(found->val.binary.data))
		throw_type(key, "an object");
	*value = JsonbValueToJsonb(found);
	return true;
}

/* The elements of an array option, or NULL. */
static JsonbContainer *
find_array(Jsonb *options, const char *key)
{
	JsonbValue *found = find(options, key);

	if (found == NULL)
		return NULL;
	if (found->type != jbvBinary || !JsonContainerIsArray(found->val.binary.data))
		throw_type(key, "an array");
	return found->val.binary.data;
}

bool
fg_option_doubles(Jsonb *options, const char *key, double **values, size_t *count)
{
	JsonbContainer *array = find_array(options, key);

	if (array == NULL)
		return false;
	*count = JsonContainerSize(array);
	*values = palloc((*count + 1) * sizeof(double));
	for (size_t i = 0; i < *count; i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, (uint32) i);

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		(*values)[i] = number_of(element, key);
		pfree(element);
	}
	return true;
}

bool
fg_option_words(Jsonb *options, const char *key, FgSpan **values, size_t *count)
{
	JsonbContainer *array = find_array(options, key);

	if (array == NULL)
		return false;
	*count = JsonContainerSize(array);
	*values = palloc((*count + 1) * sizeof(FgSpan));
	for (size_t i = 0; i < *count; i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, (uint32) i);

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (element->type != jbvString)
			throw_type(key, "an array of words");
		(*values)[i] = (FgSpan) {element->val.string.val, (size_t) element->val.string.len};
	}
	return true;
}
