/*
 * pictures_format.c
 *	  format_value(), numbers as pictures write them; svg_script_hash().
 */
#include "pg/base/values.h"

#include <string.h>

#include "core/picture/embedded.h"
#include "core/picture/units.h"

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
	PG_RETURN_POINTER(fg_varlena(fg_viewer_script_hash, strlen(fg_viewer_script_hash)));
}
