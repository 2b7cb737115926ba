/*
 * models_moving_average.c
 *	  moving_average(), moving averages as models, and window_weights().
 */
#include "pg/models/models_fitting.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "core/models/moving_average.h"
#include "pg/base/options.h"
#include "pg/base/rows.h"

/* The last two are arguments of moving_average(), and options of a model only. */
static const char *const keys[] = {
	"center", "min_periods", "window_type", "beta", "com", "span", "halflife", "alpha", "adjust",
	"window_size", "method"
};

#define ROW_KEYS (lengthof(keys) - 2)

static FgAverage
parse_method(FgContext *ctx, FgSpan word)
{
	FgAverage	method;

	fg_model_must(ctx, fg_average_parse(ctx, word.bytes, word.size, &method));
	return method;
}

/* An option that the method does not have would be ignored, which nobody means. */
static void
refuse(Jsonb *options, FgAverage method, const char *const *words, int count)
{
	double		number;
	bool		flag;
	FgSpan		word;

	for (int i = 0; i < count; i++)
	{
		const char *key = words[i];
		bool		given;

		if (strcmp(key, "adjust") == 0 || strcmp(key, "center") == 0)
			given = fg_option_bool(options, key, &flag);
		else if (strcmp(key, "window_type") == 0)
			given = fg_option_word(options, key, &word);
		else
			given = fg_option_double(options, key, &number);
		if (given)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("method %s has no option \"%s\"", fg_average_word(method), key),
					 errhint("sma has center, min_periods, window_type, beta; smm center, "
							 "min_periods; ema min_periods, adjust and one of com, span, "
							 "halflife, alpha.")));
	}
}

/* Which options a method does not look at. */
static void
refuse_foreign(Jsonb *options, FgAverage method)
{
	static const char *const of_windows[] = {"center", "window_type", "beta"};
	static const char *const of_decay[] = {"com", "span", "halflife", "alpha", "adjust"};

	if (method == FG_EMA)
		refuse(options, method, of_windows, lengthof(of_windows));
	else
		refuse(options, method, of_decay, lengthof(of_decay));
	if (method == FG_SMM)
		refuse(options, method, of_windows + 1, lengthof(of_windows) - 1);
}

static FgAverageOptions
read_options(FgContext *ctx, FgAverage method, Jsonb *options)
{
	FgAverageOptions result = fg_average_defaults(method);
	FgSpan		word;
	int32		number;

	refuse_foreign(options, method);
	fg_option_bool(options, "center", &result.center);
	if (fg_option_int(options, "min_periods", &number))
		result.min_periods = number;
	result.weighted = fg_option_word(options, "window_type", &word);
	if (result.weighted)
		fg_model_must(ctx, fg_window_parse(ctx, word.bytes, word.size, &result.window_type));
	fg_option_double(options, "beta", &result.beta);
	fg_option_double(options, "com", &result.com);
	fg_option_double(options, "span", &result.span);
	fg_option_double(options, "halflife", &result.halflife);
	fg_option_double(options, "alpha", &result.alpha);
	fg_option_bool(options, "adjust", &result.adjust);
	return result;
}

static FgMovingAverage
make(FgContext *ctx, const FgSample *sample, const FgAverageOptions *options)
{
	FgMovingAverage result;

	fg_model_must(ctx, fg_moving_average(ctx, sample->x, sample->y, sample->n, options, &result));
	return result;
}

/* --- as a model ------------------------------------------------------------------------ */

static void
append_given(StringInfo text, const char *name, double value)
{
	if (isnan(value))
		return;
	appendStringInfo(text, ", \"%s\": ", name);
	fg_append_number(text, value);
}

static void
set_parameters(FgModel *model, const FgAverageOptions *options, int64_t window_size)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"method\": \"%s\"", fg_average_word(options->method));
	if (options->method == FG_EMA)
		appendStringInfo(&text, ", \"adjust\": %s", options->adjust ? "true" : "false");
	else
		appendStringInfo(&text, ", \"window_size\": %lld, \"center\": %s",
						 (long long) window_size, options->center ? "true" : "false");
	if (options->min_periods != FG_NOT_GIVEN)
		appendStringInfo(&text, ", \"min_periods\": %lld", (long long) options->min_periods);
	if (options->weighted)
		appendStringInfo(&text, ", \"window_type\": \"%s\"", fg_window_word(options->window_type));
	append_given(&text, "beta", options->beta);
	append_given(&text, "com", options->com);
	append_given(&text, "span", options->span);
	append_given(&text, "halflife", options->halflife);
	append_given(&text, "alpha", options->alpha);
	appendStringInfoChar(&text, '}');
	fg_set_parameters(model, text.data);
}

bool
fg_fit_moving_average(FgContext *ctx, FgSample *sample, Jsonb *options, FgModel *model)
{
	FgAverage	method = FG_SMA;
	FgAverageOptions request;
	FgMovingAverage result;
	FgSpan		word;
	int32		window_size;

	fg_options_check(options, "moving_average", keys, lengthof(keys));
	if (fg_option_word(options, "method", &word))
		method = parse_method(ctx, word);
	request = read_options(ctx, method, options);
	if (fg_option_int(options, "window_size", &window_size))
		request.window_size = window_size;
	result = make(ctx, sample, &request);
	if (sample->n == 0)
		return false;
	*model = fg_new_model(FG_MODEL_MOVING_AVERAGE, sample->n);
	model->x_start = result.x_start;
	model->x_end = result.x_end;
	model->r_square = result.r_square;
	model->rows = sample->n;
	model->column[0] = sample->x;
	model->column[1] = sample->y;
	model->column[2] = result.fitted;
	set_parameters(model, &request, result.window_size);
	return true;
}

/* --- as rows ------------------------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(models_moving_average);
Datum
models_moving_average(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgAverage	method = PG_ARGISNULL(3) ? FG_SMA : parse_method(&ctx, PG_GETARG_SPAN(3));
	FgAverageOptions options = fg_average_defaults(method);
	FgMovingAverage result;
	FgSample	sample;

	if (!PG_ARGISNULL(4))
	{
		fg_options_check(PG_GETARG_JSONB_P(4), "moving_average", keys, ROW_KEYS);
		options = read_options(&ctx, method, PG_GETARG_JSONB_P(4));
	}
	if (!PG_ARGISNULL(2))
		options.window_size = PG_GETARG_INT32(2);
	sample = fg_sample_arguments(&ctx, fcinfo, 0, 1);
	result = make(&ctx, &sample, &options);
	fg_add_fitted(&rows, &sample, result.fitted);
	return (Datum) 0;
}

/* --- weights ------------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(models_window_weights);
Datum
models_window_weights(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgSpan		word = PG_GETARG_SPAN(0);
	int32		width = PG_GETARG_INT32(1);
	size_t		count = width > 0 ? (size_t) width : 0;
	size_t		size = ARR_OVERHEAD_NONULLS(1) + count * sizeof(float8);
	FgWindow	window;
	ArrayType  *array;

	fg_model_must(&ctx, fg_window_parse(&ctx, word.bytes, word.size, &window));
	if (size > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("window_size exceeds the maximum size of an array")));
	/* in its place: copies of a gigabyte would be two more */
	array = palloc(size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = width;
	ARR_LBOUND(array)[0] = 1;
	fg_model_must(&ctx, fg_window_weights(&ctx, window, FG_KAISER_BETA, width, 0, count,
										  (double *) ARR_DATA_PTR(array)));
	PG_RETURN_ARRAYTYPE_P(array);
}
