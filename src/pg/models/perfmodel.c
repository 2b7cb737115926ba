/*
 * perfmodel.c
 *	  Type perfmodel: a JSON text that reads back exactly, its encoded form in
 *	  binary (core/models/model.h), equality, and the cast to jsonb.
 */
#include "pg/models/perfmodel.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "core/base/number.h"

void
fg_throw_model(const FgContext *ctx)
{
	fg_throw(ctx, "perfmodel");
}

void
fg_datum_model(FgContext *ctx, Datum value, FgModel *model)
{
	FgSpan		span = fg_datum_span(value);

	if (!fg_model_decode(ctx, (const uint8_t *) span.bytes, span.size, model))
		fg_report(ctx, "perfmodel", FG_FROM_STORAGE, NULL);
}

static bool
encode_model(FgContext *ctx, const FgModel *model, Datum *result)
{
	struct varlena *value;
	size_t		size;

	if (!fg_model_size(ctx, model, &size))
		return false;
	value = palloc(VARHDRSZ + size);
	SET_VARSIZE(value, VARHDRSZ + size);
	if (!fg_model_encode(ctx, model, (uint8_t *) VARDATA(value)))
		return false;
	*result = PointerGetDatum(value);
	return true;
}

Datum
fg_model_datum(FgContext *ctx, const FgModel *model)
{
	Datum		value = (Datum) 0;

	fg_model_must(ctx, encode_model(ctx, model, &value));
	return value;
}

/* --- text out ----------------------------------------------------------------------- */

void
fg_append_number(StringInfo text, double value)
{
	char		number[FG_NUMBER_SIZE];

	if (isnan(value))
	{
		appendStringInfoString(text, "null");
		return;
	}
	if (isinf(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a number is out of range for JSON"),
				 errdetail("JSON has no infinities.")));
	appendBinaryStringInfo(text, number, (int) fg_number_print(value, number));
}

static void
append_fact(StringInfo text, const char *name, double value)
{
	appendStringInfo(text, ", \"%s\": ", name);
	fg_append_number(text, value);
}

/* The names of the columns of a kind; NULL for one that it does not have. */
static const char *const *
column_names(int kind)
{
	static const char *const formula[FG_MODEL_COLUMNS] = {"coefficients"};
	static const char *const buckets[FG_MODEL_COLUMNS] = {"edges", "points", "values"};
	static const char *const points[FG_MODEL_COLUMNS] = {"x", "y"};
	static const char *const curve[FG_MODEL_COLUMNS] = {"x", "y", "fitted"};

	if (kind < FG_FORMULAS)
		return formula;
	if (kind == FG_MODEL_SAMPLE)
		return points;
	return kind == FG_MODEL_REGRESSOGRAM ? buckets : curve;
}

static void
append_column(StringInfo text, const char *name, const double *values, uint64_t rows)
{
	appendStringInfo(text, ", \"%s\": [", name);
	for (uint64_t i = 0; i < rows; i++)
	{
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoString(text, ", ");
		fg_append_number(text, values[i]);
	}
	appendStringInfoChar(text, ']');
}

static void
model_text(const FgModel *model, StringInfo text)
{
	const char *const *names = column_names(model->kind);

	appendStringInfo(text, "{\"kind\": \"%s\", \"n\": %llu", fg_model_word(model->kind),
					 (unsigned long long) model->n);
	if (model->kind != FG_MODEL_SAMPLE)
	{
		append_fact(text, "x_start", model->x_start);
		append_fact(text, "x_end", model->x_end);
		append_fact(text, "r_square", model->r_square);
	}
	if (model->kind < FG_FORMULAS)
		append_fact(text, "r_square_y", model->r_square_y);
	if (model->kind == FG_MODEL_REGRESSOGRAM)
		append_fact(text, "y_start", model->y_start);
	appendStringInfoString(text, ", \"parameters\": ");
	appendBinaryStringInfo(text, model->parameters, (int) model->parameters_size);
	for (uint32_t c = 0; c < FG_MODEL_COLUMNS && names[c] != NULL; c++)
		append_column(text, names[c], model->column[c],
					  fg_model_column_rows(model->kind, c, model->rows));
	appendStringInfoChar(text, '}');
}

static char *
datum_text(Datum value)
{
	FgContext	ctx = fg_current_context();
	StringInfoData text;
	FgModel		model;

	fg_datum_model(&ctx, value, &model);
	initStringInfo(&text);
	model_text(&model, &text);
	return text.data;
}

PG_FUNCTION_INFO_V1(perfmodel_out);
Datum
perfmodel_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(datum_text(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(perfmodel_to_jsonb);
Datum
perfmodel_to_jsonb(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(datum_text(PG_GETARG_DATUM(0)))));
}

/* --- text in ------------------------------------------------------------------------ */

/* A number in JSON is exact up to here. */
#define MAX_POINTS 9007199254740992.0

/* What is being read and has been, besides the model itself. */
typedef struct Reading
{
	FgContext  *ctx;
	struct Node *escontext;
	FgModel    *model;
	uint64_t	rows[FG_MODEL_COLUMNS];
	bool		have_n;
} Reading;

/* Always false, after a soft error. */
static bool
refuse(const Reading *reading, const char *detail)
{
	fg_errsave(reading->escontext,
			   (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type perfmodel"),
				errdetail("%s", detail)));
	return false;
}

static bool
json_number(const Reading *reading, const JsonbValue *value, double *number)
{
	FgContext	ctx = fg_current_context();
	char	   *text;

	*number = NAN;
	if (value->type == jbvNull)
		return true;
	if (value->type != jbvNumeric)
		return refuse(reading, "A fact or an element of a column is not a number.");
	text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	if (fg_number_parse(&ctx, text, strlen(text), number) != FG_NUMBER_OK)
		return refuse(reading, "A number is out of range.");
	pfree(text);
	return true;
}

static bool
json_column(Reading *reading, const JsonbValue *value, uint32_t c)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	element;
	double	   *column;
	uint64_t	rows = 0;

	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
		return refuse(reading, "A column is not an array.");
	column = fg_alloc(reading->ctx, JsonContainerSize(value->val.binary.data), sizeof(double));
	iterator = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &element, true)) != WJB_DONE)
	{
		if (rows % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (token == WJB_ELEM && !json_number(reading, &element, &column[rows++]))
			return false;
	}
	reading->model->column[c] = column;
	reading->rows[c] = rows;
	return true;
}

/* An object is kept as PostgreSQL prints it, so equal ones are equal bytes. */
static bool
read_parameters(const Reading *reading, const JsonbValue *value)
{
	StringInfoData text;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		return refuse(reading, "Its parameters are not an object.");
	initStringInfo(&text);
	JsonbToCString(&text, value->val.binary.data, value->val.binary.len);
	reading->model->parameters = text.data;
	reading->model->parameters_size = (size_t) text.len;
	return true;
}

static bool
is_key(const JsonbValue *key, const char *name)
{
	return key->val.string.len == (int) strlen(name) &&
		memcmp(key->val.string.val, name, strlen(name)) == 0;
}

static bool
read_count(Reading *reading, const JsonbValue *value)
{
	double		n;

	if (!json_number(reading, value, &n))
		return false;
	if (!(n >= 0 && n <= MAX_POINTS) || n != rint(n))
		return refuse(reading, "Its number of points is impossible.");
	reading->model->n = (uint64_t) n;
	reading->have_n = true;
	return true;
}

static bool
read_member(Reading *reading, const JsonbValue *key, const JsonbValue *value)
{
	FgModel    *model = reading->model;
	const char *const *names = column_names(model->kind);

	if (is_key(key, "kind"))
		return true;
	if (is_key(key, "n"))
		return read_count(reading, value);
	if (is_key(key, "parameters"))
		return read_parameters(reading, value);
	if (is_key(key, "x_start") && model->kind != FG_MODEL_SAMPLE)
		return json_number(reading, value, &model->x_start);
	if (is_key(key, "x_end") && model->kind != FG_MODEL_SAMPLE)
		return json_number(reading, value, &model->x_end);
	if (is_key(key, "r_square") && model->kind != FG_MODEL_SAMPLE)
		return json_number(reading, value, &model->r_square);
	if (is_key(key, "r_square_y") && model->kind < FG_FORMULAS)
		return json_number(reading, value, &model->r_square_y);
	if (is_key(key, "y_start") && model->kind == FG_MODEL_REGRESSOGRAM)
		return json_number(reading, value, &model->y_start);
	for (uint32_t c = 0; c < FG_MODEL_COLUMNS && names[c] != NULL; c++)
	{
		if (is_key(key, names[c]))
			return json_column(reading, value, c);
	}
	return refuse(reading, psprintf("It has an unknown key: \"%.*s\".",
									pg_mbcliplen(key->val.string.val, key->val.string.len, 64),
									key->val.string.val));
}

static bool
read_kind(const Reading *reading, Jsonb *json)
{
	FgModel    *model = reading->model;
	JsonbValue	key = {.type = jbvString};
	JsonbValue *kind;

	key.val.string.val = pstrdup("kind");
	key.val.string.len = 4;
	kind = findJsonbValueFromContainer(&json->root, JB_FOBJECT, &key);
	if (kind == NULL || kind->type != jbvString)
		return refuse(reading, "It has no kind.");
	model->kind = fg_model_kind(kind->val.string.val, (size_t) kind->val.string.len);
	return model->kind >= 0 || refuse(reading, "Its kind is unknown.");
}

static bool
check_columns(const Reading *reading)
{
	FgModel    *model = reading->model;

	for (uint32_t c = 0; c < fg_model_columns(model->kind); c++)
	{
		if (model->column[c] == NULL)
			return refuse(reading, psprintf("It has no \"%s\".", column_names(model->kind)[c]));
	}
	model->rows = reading->rows[fg_model_columns(model->kind) - 1];
	for (uint32_t c = 0; c < fg_model_columns(model->kind); c++)
	{
		if (reading->rows[c] != fg_model_column_rows(model->kind, c, model->rows))
			return refuse(reading, "Its columns have different lengths.");
	}
	return (reading->have_n && model->parameters != NULL) ||
		refuse(reading, "It has no \"n\" or no \"parameters\".");
}

static bool
read_model(Reading *reading, Jsonb *json)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	key = {.type = jbvNull};
	JsonbValue	value;

	if (!JB_ROOT_IS_OBJECT(json))
		return refuse(reading, "It is not a JSON object.");
	if (!read_kind(reading, json))
		return false;
	iterator = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			key = value;
		else if (token == WJB_VALUE && !read_member(reading, &key, &value))
			return false;
	}
	return check_columns(reading);
}

PG_FUNCTION_INFO_V1(perfmodel_in);
Datum
perfmodel_in(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgModel		model = {.x_start = NAN, .x_end = NAN, .r_square = NAN, .r_square_y = NAN, .y_start = NAN};
	Reading		reading = {.ctx = &ctx, .escontext = fcinfo->context, .model = &model};
	Datum		json;
	Datum		value = (Datum) 0;

	if (!fg_call_input(jsonb_in, PG_GETARG_CSTRING(0), fcinfo->context, &json) ||
		!read_model(&reading, DatumGetJsonbP(json)))
		PG_RETURN_NULL();
	if (!fg_model_check(&ctx, &model) || !encode_model(&ctx, &model, &value))
	{
		if (ctx.error.code == FG_ERROR_CORRUPT)
			ctx.error.code = FG_ERROR_SYNTAX;
		fg_report(&ctx, "perfmodel", FG_FROM_TEXT, fcinfo->context);
		PG_RETURN_NULL();
	}
	PG_RETURN_DATUM(value);
}

/* --- binary --------------------------------------------------------------------------- */

pg_noreturn static void
throw_binary(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid binary value of type perfmodel"),
			 errdetail("%s", detail)));
}

/* NULL for a text that is no JSON: the error of jsonb_in would be one of text input. */
static Jsonb *
parse_json(char *text)
{
	MemoryContext caller = CurrentMemoryContext;
	Jsonb	   *volatile json = NULL;
	ErrorData  *error;

	PG_TRY();
	{
		json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	return json;
}

/* The parameters of foreign bytes must be an object, printed as we print it. */
static void
check_parameters(const FgModel *model)
{
	char	   *text;
	Jsonb	   *json;
	StringInfoData canonical;

	/* before a copy ends at a NUL byte, which this refuses */
	pg_verify_mbstr(PG_UTF8, model->parameters, (int) model->parameters_size, false);
	text = pnstrdup(model->parameters, model->parameters_size);
	json = parse_json(text);
	initStringInfo(&canonical);
	if (json != NULL)
		JsonbToCString(&canonical, &json->root, VARSIZE(json));
	if (json == NULL || !JB_ROOT_IS_OBJECT(json) || strcmp(canonical.data, text) != 0)
		throw_binary("The parameters are not a JSON object as PostgreSQL prints it.");
}

/* What the text form of a kind does not show, or cannot read, would be lost in a dump. */
static void
check_facts(const FgModel *model)
{
	bool		has_interval = !isnan(model->x_start) || !isnan(model->x_end) ||
		!isnan(model->r_square);

	if ((model->kind == FG_MODEL_SAMPLE && has_interval) ||
		(model->kind >= FG_FORMULAS && !isnan(model->r_square_y)) ||
		(model->kind != FG_MODEL_REGRESSOGRAM && !isnan(model->y_start)))
		throw_binary("It has a fact that its kind does not have.");
	if (model->n > (uint64_t) MAX_POINTS)
		throw_binary("Its number of points is impossible.");
}

PG_FUNCTION_INFO_V1(perfmodel_recv);
Datum
perfmodel_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	FgContext	ctx = fg_current_context();
	size_t		size = (size_t) (message->len - message->cursor);
	const char *bytes = pq_getmsgbytes(message, (int) size);
	FgModel		model;
	Datum		value;

	if (!fg_model_decode(&ctx, (const uint8_t *) bytes, size, &model))
		fg_report(&ctx, "perfmodel", FG_FROM_WIRE, NULL);
	check_parameters(&model);
	check_facts(&model);
	value = fg_model_datum(&ctx, &model);
	if (VARSIZE_ANY_EXHDR(DatumGetPointer(value)) != size ||
		memcmp(VARDATA_ANY(DatumGetPointer(value)), bytes, size) != 0)
		throw_binary("The encoding is not canonical.");
	PG_RETURN_DATUM(value);
}

PG_FUNCTION_INFO_V1(perfmodel_send);
Datum
perfmodel_send(PG_FUNCTION_ARGS)
{
	FgSpan		bytes = fg_datum_span(PG_GETARG_DATUM(0));
	StringInfoData message;

	pq_begintypsend(&message);
	pq_sendbytes(&message, bytes.bytes, (int) bytes.size);
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/* --- equality --------------------------------------------------------------------------- */

static bool
equal_models(Datum a, Datum b)
{
	FgSpan		left = fg_datum_span(a);
	FgSpan		right = fg_datum_span(b);

	return left.size == right.size && memcmp(left.bytes, right.bytes, left.size) == 0;
}

PG_FUNCTION_INFO_V1(perfmodel_eq);
Datum
perfmodel_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(equal_models(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(perfmodel_ne);
Datum
perfmodel_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!equal_models(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}
