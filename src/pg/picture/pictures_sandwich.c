/*
 * pictures_sandwich.c
 *	  sandwich_svg(): one function with its callers and callees.
 */
#include "pg/base/values.h"

#include "core/picture/sandwich.h"
#include "pg/base/arguments.h"
#include "pg/base/options.h"
#include "pg/picture/pictures_options.h"

static FgFlameOptions
take_arguments(FunctionCallInfo fcinfo)
{
	FgFlameOptions look = fg_flame_defaults();
	FgSpan		unit = fg_required_word(fcinfo, 3, "unit");
	Jsonb	   *options;

	look.title = fg_text_argument(fcinfo, 2);
	look.unit = (FgText) {unit.bytes, unit.size};
	look.width = fg_width_argument(fcinfo, 4);
	look.min_width = fg_min_width_argument(fcinfo, 5);
	look.color = fg_color_argument(fcinfo, 6);
	look.interactive = DatumGetBool(fg_required(fcinfo, 7, "interactive"));
	options = DatumGetJsonbP(fg_required(fcinfo, 8, "options"));
	fg_options_check(options, "sandwich_svg", fg_look_keys, FG_LOOK_KEYS);
	fg_look_options(options, &look);
	look.highlight = fg_highlight_option(fcinfo, options);
	return look;
}

PG_FUNCTION_INFO_V1(flamegraph_sandwich_svg);
Datum
flamegraph_sandwich_svg(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgSpan		frame;
	FgFlameOptions look;
	FgSandwich	sandwich;
	FgBuffer	svg;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	frame = fg_required_word(fcinfo, 1, "frame");
	look = take_arguments(fcinfo);
	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_sandwich_begin(&in.ctx, in.a, fg_frames_find(&in.a->frames, frame.bytes,
																	 frame.size),
									   (FgText) {frame.bytes, frame.size}, &sandwich));
	svg = fg_picture_buffer(&in.ctx);
	fg_must(&in.ctx, fg_sandwich_svg(&sandwich, &look, &svg));
	PG_RETURN_DATUM(fg_picture_text(&in.ctx, &svg));
}
