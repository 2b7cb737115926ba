/*
 * building_rows.c
 *	  flamegraph_agg(stack, value): a profile from rows of stacks.
 */
#include "pg/profile/aggregates.h"

#include <math.h>

#include "core/profile/path.h"
#include "pg/base/values.h"

extern Datum stackpath_from_array(PG_FUNCTION_ARGS);

static void
check_value(double value)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the value of a stack must be finite")));
}

/* Rows with a null stack or value are skipped. */
static bool
skip_row(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(1) || PG_ARGISNULL(2);
}

static Datum
add_path(FunctionCallInfo fcinfo, FgSpan path)
{
	double		value = PG_GETARG_FLOAT8(2);
	ExpandedFlamegraph *state = fg_flamegraph_state(fcinfo, FG_ACCUMULATE_SUM);

	check_value(value);
	fg_expanded_add_stack(state, path.bytes, path.size, value);
	return fg_flamegraph_state_datum(state);
}

PG_FUNCTION_INFO_V1(flamegraph_agg_stackpath);
Datum
flamegraph_agg_stackpath(PG_FUNCTION_ARGS)
{
	if (skip_row(fcinfo))
		return fg_unchanged_state(fcinfo);
	return add_path(fcinfo, PG_GETARG_SPAN(1));
}

PG_FUNCTION_INFO_V1(flamegraph_agg_text);
Datum
flamegraph_agg_text(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgBuffer	path = {.ctx = &ctx};
	FgSpan		text;
	FgSpan		span;

	if (skip_row(fcinfo))
		return fg_unchanged_state(fcinfo);
	text = PG_GETARG_SPAN(1);
	if (!fg_path_parse(&path, text.bytes, text.size, 1))
		fg_report(&ctx, "stackpath", FG_FROM_TEXT, NULL);
	span.bytes = (char *) path.data;
	span.size = path.size;
	return add_path(fcinfo, span);
}

PG_FUNCTION_INFO_V1(flamegraph_agg_array);
Datum
flamegraph_agg_array(PG_FUNCTION_ARGS)
{
	struct varlena *path;
	FgSpan		span;

	if (skip_row(fcinfo))
		return fg_unchanged_state(fcinfo);
	path = (struct varlena *) DatumGetPointer(DirectFunctionCall1(stackpath_from_array,
																  PG_GETARG_DATUM(1)));
	span.bytes = VARDATA_ANY(path);
	span.size = VARSIZE_ANY_EXHDR(path);
	return add_path(fcinfo, span);
}
