/*
 * charts.c
 *	  flame_chart_svg(stack, start_at, stop_at [, thread [, options]]): a flame chart of rows.
 *
 * The state is the samples in 24 bytes each and the tree of their stacks, in the aggregate's
 * memory.  It has no combine function: a worker's state is about as large as its rows are, and
 * what takes time is the picture, which only one process can draw.
 */
#include "pg/base/values.h"

#include <math.h>

#include "utils/builtins.h"

#include "core/picture/chart.h"
#include "pg/base/arguments.h"
#include "pg/base/expanded.h"
#include "pg/base/options.h"
#include "pg/picture/pictures_options.h"

typedef struct ChartState
{
	FgContext	ctx;
	FgChart		chart;
	Jsonb	   *json;			/* those of the first row; NULL: none */
	FgChartOptions options;		/* with texts of json */
} ChartState;

/* --- options ---------------------------------------------------------------------- */

static const char *const chart_keys[] = {
	"title", "unit", "width", "min_width", "color", "from_time", "to_time", "interactive",
	"max_boxes", "max_samples", "max_gap", "merge", "palette", "theme", "truncate"
};

static void
out_of_range(const char *key, const char *range)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("option \"%s\" must be %s", key, range)));
}

static void
read_words(Jsonb *json, FgFlameOptions *look)
{
	static const char *const colors[] = {"frame", "module", "kind", "self", "depth", "none"};
	FgSpan		word;

	(void) fg_option_text(json, "title", &look->title);
	(void) fg_option_text(json, "unit", &look->unit);
	if (fg_option_word(json, "color", &word))
		look->color = (FgColorMode) fg_word(word, "color", colors, lengthof(colors));
}

static void
read_numbers(Jsonb *json, FgChartOptions *options)
{
	FgFlameOptions *look = &options->look;
	int32		number;

	if (fg_option_int(json, "width", &number))
	{
		if (number < 200 || number > 10000)
			out_of_range("width", "200 to 10000 pixels");
		look->width = (uint32_t) number;
	}
	if (fg_option_double(json, "min_width", &look->min_width) &&
		!(look->min_width >= 0 && look->min_width <= 100))
		out_of_range("min_width", "0 to 100 pixels of the picture");
	if (fg_option_int(json, "max_samples", &number))
	{
		if (number < 1 || number > 10000000)
			out_of_range("max_samples", "1 to 10000000");
		options->max_samples = (uint32_t) number;
	}
	if (fg_option_double(json, "max_gap", &options->max_gap) && !(options->max_gap >= 0))
		out_of_range("max_gap", "at least 0");
}

/* Where both ends of the window are given, one has to be before the other. */
static void
read_window(Jsonb *json, FgChartOptions *options)
{
	options->has_from = fg_option_double(json, "from_time", &options->from);
	options->has_to = fg_option_double(json, "to_time", &options->to);
	if (options->has_from && options->has_to && !(options->from < options->to))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"from_time\" must be before \"to_time\"")));
}

static FgChartOptions
read_options(Jsonb *json)
{
	FgChartOptions options = fg_chart_defaults();

	fg_options_check(json, "flame_chart_svg", chart_keys, lengthof(chart_keys));
	read_words(json, &options.look);
	read_numbers(json, &options);
	read_window(json, &options);
	(void) fg_option_bool(json, "interactive", &options.look.interactive);
	(void) fg_option_bool(json, "merge", &options.merge);
	fg_look_options(json, &options.look);
	return options;
}

/* --- rows ------------------------------------------------------------------------- */

static Jsonb *
options_argument(FunctionCallInfo fcinfo)
{
	return PG_NARGS() < 6 || PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
}

/* The options are the first row's, as a copy: its own memory goes with the row. */
static ChartState *
new_state(FunctionCallInfo fcinfo)
{
	MemoryContext memory = fg_aggregate_memory(fcinfo);
	MemoryContext caller;
	ChartState *state = MemoryContextAllocZero(memory, sizeof(ChartState));
	Jsonb	   *json = options_argument(fcinfo);

	state->ctx = fg_context_in(memory);
	state->options = fg_chart_defaults();
	if (json != NULL)
	{
		state->json = MemoryContextAlloc(memory, VARSIZE(json));
		memcpy(state->json, json, VARSIZE(json));
		caller = MemoryContextSwitchTo(memory);
		state->options = read_options(state->json);
		MemoryContextSwitchTo(caller);
	}
	fg_must(&state->ctx, fg_chart_begin(&state->ctx, &state->chart));
	return state;
}

static void
check_same_options(const ChartState *state, Jsonb *json)
{
	if (json == NULL && state->json == NULL)
		return;
	if (json != NULL && state->json != NULL && VARSIZE(json) == VARSIZE(state->json) &&
		memcmp(json, state->json, VARSIZE(json)) == 0)
		return;
	if (json != NULL && state->json != NULL &&
		compareJsonbContainers(&json->root, &state->json->root) == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the options of a flame chart differ between its rows"),
			 errhint("A picture has one set of options: give the same in each row.")));
}

static ChartState *
chart_state(FunctionCallInfo fcinfo)
{
	ChartState *state;

	if (PG_ARGISNULL(0))
		return new_state(fcinfo);
	(void) fg_aggregate_memory(fcinfo);
	state = (ChartState *) PG_GETARG_POINTER(0);
	if (PG_NARGS() >= 6)
		check_same_options(state, options_argument(fcinfo));
	return state;
}

PG_FUNCTION_INFO_V1(flamegraph_chart_accum);
Datum
flamegraph_chart_accum(PG_FUNCTION_ARGS)
{
	ChartState *state;
	FgSpan		stack;
	FgText		thread = {0};

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
	{
		(void) fg_aggregate_memory(fcinfo);
		return fg_unchanged_state(fcinfo);
	}
	state = chart_state(fcinfo);
	stack = PG_GETARG_SPAN(1);
	if (PG_NARGS() >= 5)
		thread = fg_text_argument(fcinfo, 4);
	fg_must(&state->ctx, fg_chart_add(&state->chart, (FgText) {stack.bytes, stack.size},
									  PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3), thread));
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(flamegraph_chart_final);
Datum
flamegraph_chart_final(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgBuffer	svg;
	ChartState *state;

	(void) fg_aggregate_memory(fcinfo);
	state = (ChartState *) PG_GETARG_POINTER(0);
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_chart_svg(&state->chart, &state->options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
