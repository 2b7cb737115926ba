/*
 * pictures_format.c
 *	  format_value(), numbers as pictures write them; svg_script_hash().
 */
#include "pg/base/values.h"

#include <string.h>

#include "core/svg/embedded.h"
#include "core/svg/units.h"
#include "pg/base/arguments.h"

PG_FUNCTION_INFO_V1(flamegraph_format_value);
Datum
flamegraph_format_value(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgSpan		unit = PG_GETARG_SPAN(1);
	FgBuffer	text = {.ctx = &ctx};

	fg_must(&ctx, fg_units_value(&text, PG_GETARG_FLOAT8(0), unit.bytes, unit.size));
	PG_RETURN_POINTER(fg_varlena(text.data, text.size));
}

PG_FUNCTION_INFO_V1(flamegraph_svg_script_hash);
Datum
flamegraph_svg_script_hash(PG_FUNCTION_ARGS)
{
	static const char *const pictures[] = {"flame_graph", "flame_chart"};
	const char *hash = fg_word(PG_GETARG_SPAN(0), "picture", pictures, lengthof(pictures)) == 0
		? fg_viewer_script_hash : fg_chart_script_hash;

	PG_RETURN_POINTER(fg_varlena(hash, strlen(hash)));
}
