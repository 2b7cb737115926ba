/*
 * plots_options.c
 *	  Arguments and options that plots have in common (see plots_options.h).
 */
#include "pg/picture/plots_options.h"

#include <math.h>

#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/options.h"

/* --- arrays ------------------------------------------------------------------------- */

FgNumbers
fg_numbers_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	FgArray		array;
	FgNumbers	numbers = {NULL, 0};

	if (PG_ARGISNULL(argument))
		return numbers;
	array = fg_array_argument(fcinfo, argument, NULL);
	numbers.values = palloc_extended(((size_t) array.count + 1) * sizeof(double),
									 MCXT_ALLOC_HUGE);
	numbers.count = (size_t) array.count;
	for (; fg_array_left(&array); array.next++)
	{
		double		value = array.nulls[array.next] ? NAN
			: DatumGetFloat8(array.elements[array.next]);

		if (isinf(value))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("element %d of %s is infinite", array.next + 1, name),
					 errhint("A null element is left out of the picture.")));
		numbers.values[array.next] = value;
	}
	return numbers;
}

FgText *
fg_texts_argument(FunctionCallInfo fcinfo, int argument, const char *name, size_t *count)
{
	FgSpan	   *words;
	FgText	   *texts;
	int			n;

	*count = 0;
	if (PG_ARGISNULL(argument))
		return NULL;
	words = fg_words_argument(fcinfo, argument, name, &n);
	texts = palloc_extended(((size_t) n + 1) * sizeof(FgText), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
		texts[i] = (FgText) {words[i].bytes, words[i].size};
	*count = (size_t) n;
	return texts;
}

void
fg_same_length(const char *name, size_t count, const char *other, size_t expected)
{
	if (count != expected)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s has %zu elements, but %s has %zu", name, count, other, expected)));
}

/* --- options ------------------------------------------------------------------------ */

const char *const fg_plot_keys[FG_PLOT_KEYS] = {
	"subtitle", "notes", "theme", "x_scale", "y_scale", "y_zero", "grid", "legend", "columns",
	"free_y"
};

#define MOST_KEYS 20

static const char *const scales[] = {"linear", "log"};
static const char *const themes[] = {"auto", "light", "dark"};

static void
scale_option(Jsonb *options, const char *key, FgScale *scale)
{
	FgSpan		word;

	if (!fg_option_word(options, key, &word))
		return;
	if (*scale == FG_SCALE_TIME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" cannot be given here", key)));
	*scale = fg_word(word, key, scales, lengthof(scales)) == 1 ? FG_SCALE_LOG : FG_SCALE_LINEAR;
}

static void
columns_option(Jsonb *options, uint32_t *columns)
{
	int32		value;

	if (!fg_option_int(options, "columns", &value))
		return;
	if (value < 1 || value > FG_MOST_PANELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"columns\" must be between 1 and %d, not %d", FG_MOST_PANELS,
						value)));
	*columns = (uint32_t) value;
}

static void
read_options(Jsonb *json, FgPlotOptions *options)
{
	FgSpan		word;

	(void) fg_option_text(json, "subtitle", &options->subtitle);
	(void) fg_option_text(json, "notes", &options->notes);
	if (fg_option_word(json, "theme", &word))
		options->theme = (FgTheme) fg_word(word, "theme", themes, lengthof(themes));
	scale_option(json, "x_scale", &options->x_scale);
	scale_option(json, "y_scale", &options->y_scale);
	if (fg_option_bool(json, "y_zero", &options->y_zero) && options->y_zero &&
		options->y_scale == FG_SCALE_LOG)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a logarithmic scale has no 0"),
				 errhint("Leave out option \"y_zero\", or \"y_scale\".")));
	(void) fg_option_bool(json, "grid", &options->grid);
	(void) fg_option_bool(json, "legend", &options->legend);
	(void) fg_option_bool(json, "free_y", &options->free_y);
	columns_option(json, &options->columns);
}

Jsonb *
fg_plot_options(FunctionCallInfo fcinfo, int argument, const char *function,
				const char *const *more, int count, FgPlotOptions *options)
{
	Jsonb	   *json = DatumGetJsonbP(fg_required(fcinfo, argument, "options"));
	const char *keys[MOST_KEYS];

	memcpy(keys, fg_plot_keys, sizeof(fg_plot_keys));
	Assert(count <= MOST_KEYS - FG_PLOT_KEYS);
	if (count > 0)
		memcpy(keys + FG_PLOT_KEYS, more, (size_t) count * sizeof(keys[0]));
	fg_options_check(json, function, keys, FG_PLOT_KEYS + count);
	read_options(json, options);
	return json;
}

void
fg_size_arguments(FunctionCallInfo fcinfo, int first, FgPlotOptions *options)
{
	int32		height = fg_required_int(fcinfo, first + 1, "height");

	if (height < 100 || height > 10000)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("height must be between 100 and 10000 pixels, not %d", height)));
	options->width = fg_width_argument(fcinfo, first);
	options->height = (uint32_t) height;
}
