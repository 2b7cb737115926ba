/*
 * pictures.c
 *	  flamegraph_svg(), and flamegraph_from_svg(), which reads one back.
 */
#include "pg/base/values.h"

#include "core/picture/data.h"
#include "core/picture/flame.h"
#include "pg/base/arguments.h"
#include "pg/base/options.h"
#include "pg/picture/pictures_options.h"

/* --- arguments -------------------------------------------------------------------- */

static FgFlameOptions
take_arguments(FunctionCallInfo fcinfo)
{
	static const char *const orientations[] = {"icicle", "flame"};
	static const char *const sorts[] = {"name", "value"};
	FgFlameOptions flame = fg_flame_defaults();
	FgSpan		unit = fg_required_word(fcinfo, 2, "unit");
	Jsonb	   *options;

	flame.title = fg_text_argument(fcinfo, 1);
	flame.unit = (FgText) {unit.bytes, unit.size};
	flame.width = fg_width_argument(fcinfo, 3);
	flame.min_width = fg_min_width_argument(fcinfo, 4);
	flame.flame = fg_word_argument(fcinfo, 5, "orientation", orientations,
								   lengthof(orientations)) == 1;
	flame.color = fg_color_argument(fcinfo, 6);
	flame.by_value = fg_word_argument(fcinfo, 7, "sort", sorts, lengthof(sorts)) == 1;
	flame.interactive = DatumGetBool(fg_required(fcinfo, 8, "interactive"));
	options = DatumGetJsonbP(fg_required(fcinfo, 9, "options"));
	fg_options_check(options, "flamegraph_svg", fg_look_keys, FG_LOOK_KEYS);
	fg_look_options(options, &flame);
	flame.highlight = fg_highlight_option(fcinfo, options);
	return flame;
}

/* --- functions -------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_svg);
Datum
flamegraph_svg(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgFlameOptions options;
	FgBuffer	svg;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	fg_get_operand(fcinfo, &in);
	options = take_arguments(fcinfo);
	svg = fg_picture_buffer(&in.ctx);
	fg_must(&in.ctx, fg_flame_svg(in.a, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&in.ctx, &svg));
}

PG_FUNCTION_INFO_V1(flamegraph_from_svg);
Datum
flamegraph_from_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgSpan		svg = PG_GETARG_SPAN(0);
	FgTree		tree;

	fg_must(&ctx, fg_data_read(&ctx, svg.bytes, svg.size, &tree));
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &tree));
}
