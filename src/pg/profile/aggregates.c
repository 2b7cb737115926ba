/*
 * aggregates.c
 *	  sum, min, max and support_count(flamegraph): the state is a flamegraph, held as
 *	  an expanded object in the aggregate's context (expanded_flamegraph.h).
 *
 * The state may also arrive flat: as the first input of a strict transition
 * function, and in every combine step.  Called outside an aggregate, the
 * functions add and return a flat value, and leave their arguments alone.
 */
#include "pg/profile/aggregates.h"

#include "core/profile/algebra.h"
#include "pg/base/values.h"

static void
add_profile(ExpandedFlamegraph *state, Datum value)
{
	struct varlena *flat;
	FgTree		tree;

	if (fg_datum_expanded(value) != NULL)
	{
		fg_datum_tree_owned(&fg_expanded_base(state)->ctx, value, &tree);
		fg_expanded_add_tree(state, &tree);
		return;
	}
	flat = fg_flamegraph_encoded(value);
	fg_expanded_add_encoded(state, (uint8_t *) VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat));
	if ((Pointer) flat != DatumGetPointer(value))
		pfree(flat);
}

ExpandedFlamegraph *
fg_flamegraph_state(FunctionCallInfo fcinfo, FgAccumulation accumulation)
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

Datum
fg_flamegraph_state_datum(ExpandedFlamegraph *state)
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
	state = fg_flamegraph_state(fcinfo, accumulation);
	add_profile(state, PG_GETARG_DATUM(1));
	return fg_flamegraph_state_datum(state);
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
	state = fg_flamegraph_state(fcinfo, FG_ACCUMULATE_SUM);
	profile = fg_datum_tree(&ctx, PG_GETARG_DATUM(1), &storage);
	fg_expanded_must(fg_expanded_base(state),
					 fg_support(&fg_expanded_base(state)->ctx, profile, &support));
	fg_expanded_add_tree(state, &support);
	return fg_flamegraph_state_datum(state);
}
