/*
 * otlp_json.c
 *	  OTLP profiles as JSON (see otlp_json.h).
 *
 * A field of a message stands behind its length, which is not known when it begins.  So each
 * length takes five bytes, which are filled in at the end: varints may be longer than they have to.
 */
#include "core/pprof/otlp_json.h"

#include "core/reading/json_stream.h"
#include "core/reading/wire.h"

#include <string.h>

#define LENGTH_BYTES 5
#define MAX_NESTED 8

/* Of values, by their place. */
enum
{
	RESOURCES = 1, RESOURCE, SCOPES, SCOPE, PROFILES, PROFILE,
	SAMPLE_TYPE, PERIOD_TYPE, TYPE, UNIT, PERIOD,
	SAMPLES, SAMPLE, SAMPLE_STACK, SAMPLE_ATTRIBUTES, SAMPLE_ATTRIBUTE, VALUES, VALUE, TIMES, TIME,
	DICTIONARY,
	MAPPINGS, MAPPING, MEMORY_START, MEMORY_LIMIT, FILE_OFFSET, FILE_NAME,
	LOCATIONS, LOCATION, LOCATION_MAPPING, ADDRESS, LINES, LINE, LINE_FUNCTION, LINE_NUMBER,
	FUNCTIONS, FUNCTION, NAME, SYSTEM_NAME,
	TEXTS, TEXT,
	ATTRIBUTES, ATTRIBUTE, KEY, ANY_VALUE, TEXT_VALUE, INT_VALUE,
	STACKS, STACK, INDICES, INDEX,
	EARLIER,					/* what only versions before 1.8 have */
	PLACES
};

#define MESSAGE (FG_JSON_OBJECT | FG_JSON_NULL)
#define LIST (FG_JSON_ARRAY | FG_JSON_NULL)
#define NUMBER (FG_JSON_NUMBER | FG_JSON_STRING | FG_JSON_NULL)
#define ELEMENT (FG_JSON_NUMBER | FG_JSON_STRING)

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "resourceProfiles", RESOURCES, LIST},
	{FG_JSON_ROOT, "dictionary", DICTIONARY, MESSAGE},
	{RESOURCES, NULL, RESOURCE, FG_JSON_OBJECT},
	{RESOURCE, "scopeProfiles", SCOPES, LIST},
	{SCOPES, NULL, SCOPE, FG_JSON_OBJECT},
	{SCOPE, "profiles", PROFILES, LIST},
	{PROFILES, NULL, PROFILE, FG_JSON_OBJECT},
	{PROFILE, "sampleType", SAMPLE_TYPE, MESSAGE},
	{PROFILE, "samples", SAMPLES, LIST},
	{PROFILE, "sample", SAMPLES, LIST},	/* version 1.8 */
	{PROFILE, "locationIndices", EARLIER, LIST},
	{PROFILE, "periodType", PERIOD_TYPE, MESSAGE},
	{PROFILE, "period", PERIOD, NUMBER},
	{SAMPLE_TYPE, "typeStrindex", TYPE, NUMBER},
	{SAMPLE_TYPE, "unitStrindex", UNIT, NUMBER},
	{PERIOD_TYPE, "typeStrindex", TYPE, NUMBER},
	{PERIOD_TYPE, "unitStrindex", UNIT, NUMBER},
	{SAMPLES, NULL, SAMPLE, FG_JSON_OBJECT},
	{SAMPLE, "stackIndex", SAMPLE_STACK, NUMBER},
	{SAMPLE, "attributeIndices", SAMPLE_ATTRIBUTES, LIST},
	{SAMPLE, "values", VALUES, LIST},
	{SAMPLE, "timestampsUnixNano", TIMES, LIST},
	{SAMPLE_ATTRIBUTES, NULL, SAMPLE_ATTRIBUTE, ELEMENT},
	{VALUES, NULL, VALUE, ELEMENT},
	{TIMES, NULL, TIME, ELEMENT},
	{DICTIONARY, "mappingTable", MAPPINGS, LIST},
	{DICTIONARY, "locationTable", LOCATIONS, LIST},
	{DICTIONARY, "functionTable", FUNCTIONS, LIST},
	{DICTIONARY, "stringTable", TEXTS, LIST},
	{DICTIONARY, "attributeTable", ATTRIBUTES, LIST},
	{DICTIONARY, "stackTable", STACKS, LIST},
	{MAPPINGS, NULL, MAPPING, FG_JSON_OBJECT},
	{MAPPING, "memoryStart", MEMORY_START, NUMBER},
	{MAPPING, "memoryLimit", MEMORY_LIMIT, NUMBER},
	{MAPPING, "fileOffset", FILE_OFFSET, NUMBER},
	{MAPPING, "filenameStrindex", FILE_NAME, NUMBER},
	{LOCATIONS, NULL, LOCATION, FG_JSON_OBJECT},
	{LOCATION, "mappingIndex", LOCATION_MAPPING, NUMBER},
	{LOCATION, "address", ADDRESS, NUMBER},
	{LOCATION, "lines", LINES, LIST},
	{LOCATION, "line", LINES, LIST},
	{LINES, NULL, LINE, FG_JSON_OBJECT},
	{LINE, "functionIndex", LINE_FUNCTION, NUMBER},
	{LINE, "line", LINE_NUMBER, NUMBER},
	{FUNCTIONS, NULL, FUNCTION, FG_JSON_OBJECT},
	{FUNCTION, "nameStrindex", NAME, NUMBER},
	{FUNCTION, "systemNameStrindex", SYSTEM_NAME, NUMBER},
	{TEXTS, NULL, TEXT, FG_JSON_STRING},
	{ATTRIBUTES, NULL, ATTRIBUTE, FG_JSON_OBJECT},
	{ATTRIBUTE, "keyStrindex", KEY, NUMBER},
	{ATTRIBUTE, "value", ANY_VALUE, MESSAGE},
	{ANY_VALUE, "stringValue", TEXT_VALUE, FG_JSON_STRING | FG_JSON_NULL},
	{ANY_VALUE, "intValue", INT_VALUE, NUMBER},
	{STACKS, NULL, STACK, FG_JSON_OBJECT},
	{STACK, "locationIndices", INDICES, LIST},
	{INDICES, NULL, INDEX, ELEMENT},
	{0, NULL, 0, 0}
};

typedef enum Form
{
	NO_FIELD,					/* a list: its elements are the fields */
	OBJECT,
	BYTES,
	INT32,
	INT64,
	UINT64,
	FIXED64
} Form;

/* How a value is written, and as which field of its message. */
static const struct
{
	Form		form;
	uint32_t	field;
}			forms[PLACES] = {
	[RESOURCE] = {OBJECT, 1}, [DICTIONARY] = {OBJECT, 2},
	[SCOPE] = {OBJECT, 2},
	[PROFILE] = {OBJECT, 2},
	[SAMPLE_TYPE] = {OBJECT, 1}, [SAMPLE] = {OBJECT, 2}, [PERIOD_TYPE] = {OBJECT, 5}, [PERIOD] = {INT64, 6},
	[TYPE] = {INT32, 1}, [UNIT] = {INT32, 2},
	[SAMPLE_STACK] = {INT32, 1}, [SAMPLE_ATTRIBUTE] = {INT32, 2}, [VALUE] = {INT64, 4}, [TIME] = {FIXED64, 5},
	[MAPPING] = {OBJECT, 1}, [LOCATION] = {OBJECT, 2}, [FUNCTION] = {OBJECT, 3}, [TEXT] = {BYTES, 5},
	[ATTRIBUTE] = {OBJECT, 6}, [STACK] = {OBJECT, 7},
	[MEMORY_START] = {UINT64, 1}, [MEMORY_LIMIT] = {UINT64, 2}, [FILE_OFFSET] = {UINT64, 3}, [FILE_NAME] = {INT32, 4},
	[LOCATION_MAPPING] = {INT32, 1}, [ADDRESS] = {UINT64, 2}, [LINE] = {OBJECT, 3},
	[LINE_FUNCTION] = {INT32, 1}, [LINE_NUMBER] = {INT64, 2},
	[NAME] = {INT32, 1}, [SYSTEM_NAME] = {INT32, 2},
	[KEY] = {INT32, 1}, [ANY_VALUE] = {OBJECT, 2}, [TEXT_VALUE] = {BYTES, 1}, [INT_VALUE] = {INT64, 3},
	[INDEX] = {INT32, 1}
};

struct FgOtlpJson
{
	FgContext  *ctx;
	FgJson	   *json;
	FgBuffer   *message;
	FgOtlpTake	take;
	void	   *arg;
	size_t		starts[MAX_NESTED]; /* of the fields that are open, behind their lengths */
	int			depth;
	uint64_t	elements;		/* places in lists, as bits */
	uint64_t	seen[MAX_NESTED + 1];	/* places that the document, and each field that is open, had so far */
};

_Static_assert(PLACES <= 64, "places are bits of a word");

/* --- writing -------------------------------------------------------------------------------- */

static bool
put_tag(FgOtlpJson *o, uint32_t field, FgWireType type)
{
	return fg_append_varint(o->message, (uint64_t) field << 3 | type);
}

static bool
put_fixed(FgOtlpJson *o, uint64_t value)
{
	uint8_t		bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t) (value >> 8 * i);
	return fg_buffer_append(o->message, bytes, sizeof(bytes));
}

static bool
begin_object(FgOtlpJson *o, uint32_t field)
{
	static const uint8_t length[LENGTH_BYTES] = {0};

	if (!put_tag(o, field, FG_WIRE_BYTES) || !fg_buffer_append(o->message, length, sizeof(length)))
		return false;
	o->starts[o->depth++] = o->message->size;
	o->seen[o->depth] = 0;
	return true;
}

static void
end_object(FgOtlpJson *o)
{
	size_t		start = o->starts[--o->depth];
	size_t		length = o->message->size - start;
	uint8_t    *bytes = o->message->data + start - LENGTH_BYTES;

	for (int i = 0; i < LENGTH_BYTES; i++, length >>= 7)
		bytes[i] = (uint8_t) ((length & 0x7F) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}

/* --- numbers -------------------------------------------------------------------------------- */

/* Digits, maybe behind a minus. */
static bool
parse_digits(const FgJsonValue *value, bool *negative, uint64_t *size)
{
	size_t		i = value->length > 0 && value->text[0] == '-';

	*negative = i > 0;
	*size = 0;
	if (i == value->length)
		return false;
	for (; i < value->length; i++)
	{
		uint32_t	digit = (uint32_t) (uint8_t) value->text[i] - '0';

		if (digit > 9 || *size > (UINT64_MAX - digit) / 10)
			return false;
		*size = *size * 10 + digit;
	}
	return true;
}

/* A whole number that is written otherwise, such as 1e3. */
static bool
parse_other(FgOtlpJson *o, const FgJsonValue *value, bool *negative, uint64_t *size)
{
	FgJsonValue plain = *value;
	double		number;

	plain.type = FG_JSON_NUMBER;
	if (!fg_json_number(o->json, &plain, &number))
		return false;
	*negative = number < 0;
	if (*negative)
		number = -number;
	/* what is larger has digits that a double does not have */
	*size = number <= 0x1p53 ? (uint64_t) number : 0;
	return (double) *size == number ||
		fg_json_fail(o->json, FG_ERROR_SYNTAX, NULL, "this is not a whole number of 64 bits");
}

static bool
put_number(FgOtlpJson *o, Form form, uint32_t field, const FgJsonValue *value)
{
	bool		is_signed = form == INT32 || form == INT64;
	uint64_t	most = form == INT32 ? INT32_MAX : form == INT64 ? INT64_MAX : UINT64_MAX;
	bool		negative;
	uint64_t	size;

	if (!parse_digits(value, &negative, &size) && !parse_other(o, value, &negative, &size))
		return false;
	if (size > most + (is_signed && negative) || (negative && !is_signed && size > 0))
		return fg_json_fail(o->json, FG_ERROR_RANGE, NULL, "this number is not one of %s%d bits",
							is_signed ? "" : "unsigned ", form == INT32 ? 32 : 64);
	if (negative)
		size = -size;
	return put_tag(o, field, form == FIXED64 ? FG_WIRE_64 : FG_WIRE_VARINT) &&
		(form == FIXED64 ? put_fixed(o, size) : fg_append_varint(o->message, size));
}

/* --- reading -------------------------------------------------------------------------------- */

/* A key that comes again would count once more in a list, and in place of the first one elsewhere. */
static bool
see_key(FgOtlpJson *o, int place)
{
	uint64_t	bit = UINT64_C(1) << place;
	bool		again = (o->seen[o->depth] & bit) != 0;

	o->seen[o->depth] |= bit & ~o->elements;
	return !again || fg_json_fail(o->json, FG_ERROR_SYNTAX, NULL, "this key is there twice");
}

static bool
put_value(FgOtlpJson *o, Form form, uint32_t field, const FgJsonValue *value)
{
	if (form == NO_FIELD || value->type == FG_JSON_NULL)
		return true;
	if (form == OBJECT && value->end)
	{
		end_object(o);
		return true;
	}
	/* Each field, not each message: a dictionary of nothing but texts ends behind all of them. */
	if (o->message->size + value->length > FG_OTLP_MAX_BYTES)
		return fg_json_fail(o->json, FG_ERROR_LIMIT, "Export less at a time.", "a message has more than %zu bytes",
							FG_OTLP_MAX_BYTES);
	if (form == OBJECT)
		return begin_object(o, field);
	if (form == BYTES)
		return put_tag(o, field, FG_WIRE_BYTES) && fg_append_varint(o->message, value->length) &&
			fg_buffer_append(o->message, value->text, value->length);
	return put_number(o, form, field, value);
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	FgOtlpJson *o = arg;

	if (place == FG_JSON_ROOT)
	{
		o->seen[0] = 0;
		return !value->end || o->take(o->arg);
	}
	if (place == EARLIER)
		return fg_json_fail(o->json, FG_ERROR_SYNTAX, "Versions from 1.8 on are read.",
							"this is of a version of the protocol before 1.8");
	if (!value->end && !see_key(o, place))
		return false;
	return fg_json_at(o->json, put_value(o, forms[place].form, forms[place].field, value));
}

FgOtlpJson *
fg_otlp_json_open(FgContext *ctx, FgBuffer *message, FgOtlpTake take, void *arg)
{
	FgOtlpJson *o = fg_alloc_zero(ctx, 1, sizeof(FgOtlpJson));

	if (o == NULL)
		return NULL;
	o->ctx = ctx;
	o->message = message;
	o->take = take;
	o->arg = arg;
	for (const FgJsonRule *rule = rules; rule->place != 0; rule++)
		o->elements |= rule->key == NULL ? UINT64_C(1) << rule->place : 0;
	o->json = fg_json_open(ctx, "message of OTLP profiles", rules, take_value, o);
	if (o->json != NULL)
	{
		fg_json_allow_many(o->json);
		return o;
	}
	fg_otlp_json_close(o);
	return NULL;
}

bool
fg_otlp_json_feed(FgOtlpJson *o, const char *bytes, size_t size)
{
	return fg_json_feed(o->json, bytes, size);
}

bool
fg_otlp_json_finish(FgOtlpJson *o)
{
	return fg_json_finish(o->json);
}

void
fg_otlp_json_close(FgOtlpJson *o)
{
	if (o == NULL)
		return;
	fg_json_close(o->json);
	fg_release(o->ctx, o);
}

/* --- recognition ---------------------------------------------------------------------------- */

bool
fg_otlp_is_json(char first)
{
	return first == '{' || first == ' ' || first == '\t' || first == '\r' || first == '\xEF';
}

bool
fg_otlp_json_recognise(const char *head, size_t size)
{
	return size > 0 && fg_otlp_is_json(head[0]) && fg_json_begins(head, size) &&
		(fg_json_holds(head, size, "\"resourceProfiles\"") ||
		 (fg_json_holds(head, size, "\"dictionary\"") && fg_json_holds(head, size, "Table\"")));
}
