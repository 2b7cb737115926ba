/*
 * pictures_sandwich.c
 *	  sandwich_svg(): one function with its callers and callees.
 */
#include "pg/base/values.h"

#include "core/picture/sandwich.h"
#include "pg/base/arguments.h"
#include "pg/base/options.h"
#include "pg/picture/pictures_options.h"
#include "pg/profile/stackquery.h"

/* Which boxes a stackquery selects: by the stacks that are drawn, from the frame outwards. */
static void
highlight_option(FunctionCallInfo fcinfo, FgContext *ctx, Jsonb *options,
				 const FgSandwich *sandwich, const uint8_t *highlight[FG_HALVES])
{
	FgSpan		text;
	FgPattern  *pattern;

	if (!fg_option_word(options, "highlight", &text))
		return;
	pattern = fg_pattern(fcinfo, fg_stackquery_datum(text));
	for (int h = 0; h < FG_HALVES && sandwich->found; h++)
	{
		const FgTree *half = &sandwich->half[h];
		uint8_t    *matches = fg_alloc(ctx, (size_t) half->nnodes + 1, sizeof(uint8_t));

		fg_must(&pattern->ctx, fg_query_match_tree(&pattern->query, pattern->match, pattern,
												   half, matches));
		highlight[h] = matches;
	}
}

static FgFlameOptions
take_arguments(FunctionCallInfo fcinfo, Jsonb **options)
{
	FgFlameOptions look = fg_flame_defaults();
	FgSpan		unit = fg_required_word(fcinfo, 3, "unit");

	look.title = fg_text_argument(fcinfo, 2);
	look.unit = (FgText) {unit.bytes, unit.size};
	look.width = fg_width_argument(fcinfo, 4);
	look.min_width = fg_min_width_argument(fcinfo, 5);
	look.color = fg_color_argument(fcinfo, 6);
	look.interactive = DatumGetBool(fg_required(fcinfo, 7, "interactive"));
	*options = DatumGetJsonbP(fg_required(fcinfo, 8, "options"));
	fg_options_check(*options, "sandwich_svg", fg_look_keys, FG_FLAME_KEYS);
	fg_look_options(*options, &look);
	return look;
}

PG_FUNCTION_INFO_V1(flamegraph_sandwich_svg);
Datum
flamegraph_sandwich_svg(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgSpan		frame;
	FgFlameOptions look;
	Jsonb	   *options;
	FgSandwich	sandwich;
	const uint8_t *highlight[FG_HALVES] = {NULL};
	FgBuffer	svg;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	frame = fg_required_word(fcinfo, 1, "frame");
	look = take_arguments(fcinfo, &options);
	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_sandwich_begin(&in.ctx, in.a, fg_frames_find(&in.a->frames, frame.bytes,
																	 frame.size),
									   (FgText) {frame.bytes, frame.size}, &sandwich));
	highlight_option(fcinfo, &in.ctx, options, &sandwich, highlight);
	svg = fg_picture_buffer(&in.ctx);
	fg_must(&in.ctx, fg_sandwich_svg(&sandwich, &look, highlight, &svg));
	PG_RETURN_DATUM(fg_picture_text(&in.ctx, &svg));
}
