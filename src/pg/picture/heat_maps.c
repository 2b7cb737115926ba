/*
 * heat_maps.c
 *	  heat_map_svg(): numbers by column and line, or functions by runs, as colours.
 */
#include "pg/base/values.h"

#include "core/heat_maps/heat_map_pairs.h"
#include "core/heat_maps/heat_map_profiles.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/options.h"
#include "pg/picture/plots_options.h"

#define LABEL_SIZE 12

/* --- what both have in common --------------------------------------------------------- */

static void
height_option(Jsonb *json, uint32_t *height)
{
	int32		value;

	if (!fg_option_int(json, "cell_height", &value))
		return;
	if (value < FG_HEAT_LEAST || value > 100)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"cell_height\" must be between %d and 100, not %d",
						FG_HEAT_LEAST, value)));
	*height = (uint32_t) value;
}

static void
read_options(Jsonb *json, FgHeatOptions *options)
{
	static const char *const keys[] = {
		"subtitle", "notes", "theme", "legend", "cell_height", "truncate"
	};
	static const char *const themes[] = {"auto", "light", "dark"};
	static const char *const truncates[] = {"qualifier", "end", "start"};
	FgSpan		word;

	fg_options_check(json, "heat_map_svg", keys, lengthof(keys));
	(void) fg_option_text(json, "subtitle", &options->subtitle);
	(void) fg_option_text(json, "notes", &options->notes);
	if (fg_option_word(json, "theme", &word))
		options->theme = (FgTheme) fg_word(word, "theme", themes, lengthof(themes));
	(void) fg_option_bool(json, "legend", &options->legend);
	height_option(json, &options->cell_height);
	options->shortened = fg_option_word(json, "truncate", &word);
	if (options->shortened)
		options->truncate = (FgTruncate) fg_word(word, "truncate", truncates,
												 lengthof(truncates));
}

/* title, unit, scale, width and options follow each other. */
static FgHeatOptions
take_options(FunctionCallInfo fcinfo, int first)
{
	static const char *const scales[] = {"sequential", "diverging"};
	FgHeatOptions options = fg_heat_defaults();

	options.title = fg_text_argument(fcinfo, first);
	options.unit = fg_text_argument(fcinfo, first + 1);
	options.scale = (FgHeatScale) fg_word_argument(fcinfo, first + 2, "scale", scales,
												   lengthof(scales));
	options.width = fg_width_argument(fcinfo, first + 3);
	read_options(DatumGetJsonbP(fg_required(fcinfo, first + 4, "options")), &options);
	return options;
}

/* --- columns, lines, cells ---------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_heat_map_svg);
Datum
flamegraph_heat_map_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgHeatOptions options = take_options(fcinfo, 3);
	FgNumbers	cells = fg_numbers_argument(fcinfo, 2, "cells");
	size_t		ncolumns;
	size_t		nlines;
	FgText	   *columns = fg_texts_argument(fcinfo, 0, "columns", &ncolumns);
	FgText	   *lines = fg_texts_argument(fcinfo, 1, "lines", &nlines);
	FgBuffer	svg = fg_picture_buffer(&ctx);

	fg_same_length("columns", ncolumns, "cells", cells.count);
	fg_same_length("lines", nlines, "cells", cells.count);
	fg_must(&ctx, fg_heat_pairs_svg(&(FgHeatPairs) {cells.count, columns, lines, cells.values},
									&options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}

/* --- profiles ----------------------------------------------------------------------- */

static FgText
number_text(int number)
{
	char	   *text = palloc(LABEL_SIZE);

	return (FgText) {text, (size_t) pg_snprintf(text, LABEL_SIZE, "%d", number)};
}

/* Labels of "count" runs; one that is not given is the number of its run. */
static const FgText *
take_labels(FunctionCallInfo fcinfo, int argument, int count)
{
	FgArray		array = fg_array_argument(fcinfo, argument, NULL);
	FgText	   *labels = palloc_extended(((size_t) count + 1) * sizeof(FgText), MCXT_ALLOC_HUGE);

	if (!PG_ARGISNULL(argument))
		fg_same_length("labels", (size_t) array.count, "profiles", (size_t) count);
	for (int i = 0; i < count; i++)
	{
		FgSpan		word;

		CHECK_FOR_INTERRUPTS();
		if (PG_ARGISNULL(argument) || array.nulls[i])
		{
			labels[i] = number_text(i + 1);
			continue;
		}
		word = fg_datum_span(array.elements[i]);
		labels[i] = (FgText) {word.bytes, word.size};
	}
	return labels;
}

/* Those that are there, each with the number of its run. */
static void
take_profiles(FunctionCallInfo fcinfo, int argument, FgHeatRuns *runs)
{
	FgArray		array = fg_array_argument(fcinfo, argument, NULL);
	uint32_t   *column = palloc_extended(((size_t) array.count + 1) * sizeof(uint32_t),
										 MCXT_ALLOC_HUGE);
	size_t		count = 0;

	for (; fg_array_left(&array); array.next++)
	{
		if (array.nulls[array.next])
			continue;
		array.elements[count] = array.elements[array.next];
		column[count++] = (uint32_t) array.next;
	}
	runs->profiles = fg_profiles_of(array.elements, count);
	runs->column = column;
	runs->count = (uint32_t) array.count;
}

static uint32_t
rows_argument(FunctionCallInfo fcinfo, int argument)
{
	uint32_t	rows = fg_positive_argument(fcinfo, argument, "max_rows");

	if (rows > FG_HEAT_MOST_LINES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_rows must be at most %d, not %u", FG_HEAT_MOST_LINES, rows)));
	return rows;
}

PG_FUNCTION_INFO_V1(flamegraph_heat_map_svg_profiles);
Datum
flamegraph_heat_map_svg_profiles(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgHeatOptions options = take_options(fcinfo, 4);
	FgHeatRuns	runs = {
		.level = fg_level_argument(fcinfo, 2), .max_rows = rows_argument(fcinfo, 3),
		.memory = FG_KEPT_MEMORY
	};
	FgBuffer	svg = fg_picture_buffer(&ctx);

	take_profiles(fcinfo, 0, &runs);
	runs.labels = take_labels(fcinfo, 1, (int) runs.count);
	fg_must(&ctx, fg_heat_runs_svg(&runs, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
