/*
 * pictures_diff.c
 *	  flamegraph_diff_svg() in its four forms, flamegraph_parts_svg() in both: two profiles
 *	  or groups of them as one picture (core/picture/diff.h, core/picture/parts.h).
 */
#include "pg/base/values.h"

#include "core/picture/diff_runs.h"
#include "core/picture/parts.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/options.h"
#include "pg/picture/pictures_options.h"
#include "pg/samples/flamestats.h"

/* --- arguments -------------------------------------------------------------------- */

/* title and unit stand at 2 and 3, widths at 4; width and what follows it at "rest". */
static FgDiffOptions
take_options(FunctionCallInfo fcinfo, int alpha, int rest)
{
	FgDiffOptions options = {.look = fg_flame_defaults(), .level = FG_LEVEL_NODE};
	Jsonb	   *more;

	fg_look_arguments(fcinfo, 2, rest, &options.look);
	options.widths = (FgWidths) fg_word_argument(fcinfo, 4, "widths", fg_widths_words, 4);
	options.alpha = fg_alpha_argument(fcinfo, alpha);
	more = DatumGetJsonbP(fg_required(fcinfo, rest + 3, "options"));
	fg_options_check(more, "flamegraph_diff_svg", fg_look_keys, FG_LOOK_KEYS);
	fg_look_options(more, &options.look);
	options.look.highlight = fg_highlight_option(fcinfo, more);
	return options;
}

static FgSizeFactor
size_argument(FunctionCallInfo fcinfo, int argument)
{
	return (FgSizeFactor) fg_word_argument(fcinfo, argument, "size_factor", fg_size_words,
										   FG_SIZE_WORDS);
}

static FgDiffTest
test_argument(FunctionCallInfo fcinfo, int correction)
{
	static const char *const words[] = {"bh", "holm", "bonferroni", "none"};

	/* permutations and seed as compare_profiles has them */
	return (FgDiffTest) {
		.correction = (FgCorrection) fg_word_argument(fcinfo, correction, "correction", words,
													  lengthof(words)),
		.permutations = 999, .seed = 42
	};
}

/* --- differences ------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_diff_svg);
Datum
flamegraph_diff_svg(PG_FUNCTION_ARGS)
{
	FgDiffOptions options;
	FgOperands	in;
	FgBuffer	svg;
	double		unit;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	options = take_options(fcinfo, 8, 9);
	options.level = fg_level_argument(fcinfo, 5);
	options.size = size_argument(fcinfo, 6);
	unit = PG_ARGISNULL(7) ? 0 : PG_GETARG_FLOAT8(7);
	fg_get_operands(fcinfo, &in);
	svg = fg_picture_buffer(&in.ctx);
	fg_must(&in.ctx, fg_diff_recordings(in.a, in.b, unit, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&in.ctx, &svg));
}

PG_FUNCTION_INFO_V1(flamegraph_diff_svg_groups);
Datum
flamegraph_diff_svg_groups(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"welch", "maxt"};
	FgContext	ctx = fg_current_context();
	FgDiffOptions options = take_options(fcinfo, 9, 10);
	FgDiffTest	test = test_argument(fcinfo, 8);
	FgProfiles	before = fg_profiles_argument(fcinfo, 0, "before");
	FgProfiles	after = fg_profiles_argument(fcinfo, 1, "after");
	FgBuffer	svg = fg_picture_buffer(&ctx);

	options.level = fg_level_argument(fcinfo, 5);
	options.size = size_argument(fcinfo, 6);
	test.max_t = fg_word_argument(fcinfo, 7, "method", methods, lengthof(methods)) == 1;
	fg_must(&ctx, fg_diff_groups(&before, &after, &test, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}

PG_FUNCTION_INFO_V1(flamegraph_diff_svg_history);
Datum
flamegraph_diff_svg_history(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgDiffOptions options;
	FgProfiles	history;
	int32		window;
	double		unit;
	FgTree		storage;
	FgBuffer	svg;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	options = take_options(fcinfo, 7, 8);
	window = fg_required_int(fcinfo, 5, "window_size");
	unit = fg_required_number(fcinfo, 6, "poisson_unit");
	history = fg_profiles_argument(fcinfo, 0, "before");
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_diff_history(&history, fg_datum_tree(&ctx, PG_GETARG_DATUM(1), &storage),
								  window, unit, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}

PG_FUNCTION_INFO_V1(flamegraph_diff_svg_stats);
Datum
flamegraph_diff_svg_stats(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgDiffOptions options = take_options(fcinfo, 7, 8);
	FgDiffTest	test = test_argument(fcinfo, 6);
	FgLevel		level[2] = {FG_LEVEL_NODE, FG_LEVEL_NODE};
	FgMoments	storage[2];
	FgGroup		before = fg_stats_group(fcinfo, 0, &ctx, &storage[0], &level[0]);
	FgGroup		after = fg_stats_group(fcinfo, 1, &ctx, &storage[1], &level[1]);
	FgBuffer	svg = fg_picture_buffer(&ctx);

	fg_check_same_level(&before, &after, level);
	options.size = size_argument(fcinfo, 5);
	options.level = level[0];
	fg_must(&ctx, fg_diff_stats(&before, &after, &test, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}

/* --- parts -------------------------------------------------------------------------- */

static FgFlameOptions
take_parts_options(FunctionCallInfo fcinfo)
{
	FgFlameOptions look = fg_flame_defaults();
	Jsonb	   *options;

	fg_look_arguments(fcinfo, 2, 5, &look);
	look.color = fg_color_argument(fcinfo, 4);
	options = DatumGetJsonbP(fg_required(fcinfo, 8, "options"));
	fg_options_check(options, "flamegraph_parts_svg", fg_look_keys, FG_LOOK_KEYS);
	fg_look_options(options, &look);
	look.highlight = fg_highlight_option(fcinfo, options);
	return look;
}

PG_FUNCTION_INFO_V1(flamegraph_parts_svg);
Datum
flamegraph_parts_svg(PG_FUNCTION_ARGS)
{
	FgFlameOptions look;
	FgOperands	in;
	FgBuffer	svg;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	look = take_parts_options(fcinfo);
	fg_get_operands(fcinfo, &in);
	svg = fg_picture_buffer(&in.ctx);
	fg_must(&in.ctx, fg_parts_svg(in.a, in.b, &look, &svg));
	PG_RETURN_DATUM(fg_picture_text(&in.ctx, &svg));
}

PG_FUNCTION_INFO_V1(flamegraph_parts_svg_groups);
Datum
flamegraph_parts_svg_groups(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFlameOptions look = take_parts_options(fcinfo);
	double		alpha = fg_alpha_argument(fcinfo, 9);
	FgProfiles	before = fg_profiles_argument(fcinfo, 0, "before");
	FgProfiles	after = fg_profiles_argument(fcinfo, 1, "after");
	FgBuffer	svg = fg_picture_buffer(&ctx);

	fg_must(&ctx, fg_parts_of_groups(&before, &after, alpha, &look, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
