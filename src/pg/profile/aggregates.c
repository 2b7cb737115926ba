/*
 * aggregates.c
 *	  sum, min, max, support_count(flamegraph) and flamegraph_agg(stack, value):
 *	  the state is a flamegraph, held as an expanded object in the aggregate's
 *	  context (expanded_flamegraph.h).
 *
 * The state may also arrive flat: as the first input of a strict transition
 * function, and in every combine step.  Called outside an aggregate, the
 * functions add and return a flat value, and leave their arguments alone.
 */
#include "pg/base/values.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "core/profile/algebra.h"
#include "core/profile/frames.h"
#include "core/profile/path.h"
#include "pg/base/expanded_flamegraph.h"

extern Datum stackpath_from_array(PG_FUNCTION_ARGS);

static void
add_profile(ExpandedFlamegraph *state, Datum value)
{
	FgTree		tree;

	fg_datum_tree_owned(&fg_expanded_base(state)->ctx, value, &tree);
	fg_expanded_add_tree(state, &tree);
}

/*
 * The state of this group as our own object: the one passed, when it is one that
 * we may change, or a new one with the same value.
 */
static ExpandedFlamegraph *
own_state(FunctionCallInfo fcinfo, FgAccumulation accumulation)
{
	MemoryContext aggregate = fg_aggregate_memory(fcinfo);
	ExpandedFlamegraph *state = fg_aggregate_flamegraph(fcinfo, accumulation);

	if (state != NULL)
		return state;
	state = fg_expanded_flamegraph(aggregate, accumulation);
	if (!PG_ARGISNULL(0))
		add_profile(state, PG_GETARG_DATUM(0));
	return state;
}

static Datum
state_datum(ExpandedFlamegraph *state)
{
	return fg_expanded_datum(fg_expanded_base(state));
}

typedef bool (*CombineTrees) (FgContext *ctx, const FgTree *a, const FgTree *b, FgTree *result);

static bool
add_trees(FgContext *ctx, const FgTree *a, const FgTree *b, FgTree *result)
{
	return fg_combine(ctx, a, 1, b, 1, result);
}

/* Transition and combine function of a strict aggregate, or a plain function. */
static Datum
accumulate(FunctionCallInfo fcinfo, FgAccumulation accumulation, CombineTrees combine)
{
	ExpandedFlamegraph *state;

	if (!AggCheckCallContext(fcinfo, NULL))
	{
		FgOperands	in;
		FgTree		result;

		fg_get_operands(fcinfo, &in);
		fg_must(&in.ctx, combine(&in.ctx, in.a, in.b, &result));
		return fg_tree_datum_free(&in.ctx, &result);
	}
	state = own_state(fcinfo, accumulation);
	add_profile(state, PG_GETARG_DATUM(1));
	return state_datum(state);
}

PG_FUNCTION_INFO_V1(flamegraph_sum_accum);
Datum
flamegraph_sum_accum(PG_FUNCTION_ARGS)
{
	return accumulate(fcinfo, FG_ACCUMULATE_SUM, add_trees);
}

PG_FUNCTION_INFO_V1(flamegraph_min_accum);
Datum
flamegraph_min_accum(PG_FUNCTION_ARGS)
{
	return accumulate(fcinfo, FG_ACCUMULATE_MIN, fg_min);
}

PG_FUNCTION_INFO_V1(flamegraph_max_accum);
Datum
flamegraph_max_accum(PG_FUNCTION_ARGS)
{
	return accumulate(fcinfo, FG_ACCUMULATE_MAX, fg_max);
}

/* Not strict: the first profile is not the state, its support is. */
PG_FUNCTION_INFO_V1(flamegraph_support_accum);
Datum
flamegraph_support_accum(PG_FUNCTION_ARGS)
{
	ExpandedFlamegraph *state;
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	const FgTree *profile;
	FgTree		support;

	if (PG_ARGISNULL(1))
		return fg_unchanged_state(fcinfo);
	state = own_state(fcinfo, FG_ACCUMULATE_SUM);
	profile = fg_datum_tree(&ctx, PG_GETARG_DATUM(1), &storage);
	fg_expanded_must(fg_expanded_base(state),
					 fg_support(&fg_expanded_base(state)->ctx, profile, &support));
	fg_expanded_add_tree(state, &support);
	return state_datum(state);
}

/* --- stacks as rows -------------------------------------------------------- */

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
	ExpandedFlamegraph *state = own_state(fcinfo, FG_ACCUMULATE_SUM);

	check_value(value);
	fg_expanded_add_stack(state, path.bytes, path.size, value);
	return state_datum(state);
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
