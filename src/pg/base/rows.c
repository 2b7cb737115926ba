/*
 * rows.c
 *	  stacks() and nodes(): a profile as rows; and what all set-returning
 *	  functions share (rows.h).
 */
#include "pg/base/rows.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "pg/base/node_walk.h"

/* Of a function that returns rows, or values: these are rows of one column. */
static TupleDesc
row_descriptor(FunctionCallInfo fcinfo)
{
	TupleDesc	descriptor;
	Oid			type;

	switch (get_call_result_type(fcinfo, &type, &descriptor))
	{
		case TYPEFUNC_COMPOSITE:
			return descriptor;
		case TYPEFUNC_SCALAR:
			descriptor = CreateTemplateTupleDesc(1);
			TupleDescInitEntry(descriptor, 1, "value", type, -1, 0);
			return descriptor;
		default:
			elog(ERROR, "return type must be a row type or a scalar");
			return NULL;		/* keep compiler quiet */
	}
}

FgRows
fg_rows_begin(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext previous;
	FgRows		rows;

	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		(result->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	previous = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	rows.descriptor = row_descriptor(fcinfo);
	rows.store = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
									   false, work_mem);
	result->returnMode = SFRM_Materialize;
	result->setResult = rows.store;
	result->setDesc = rows.descriptor;
	MemoryContextSwitchTo(previous);
	rows.row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_SMALL_SIZES);
	rows.caller = NULL;
	return rows;
}

void
fg_rows_add(FgRows *rows, Datum *values, bool *nulls)
{
	tuplestore_putvalues(rows->store, rows->descriptor, values, nulls);
}

void
fg_rows_begin_row(FgRows *rows)
{
	rows->caller = MemoryContextSwitchTo(rows->row);
}

void
fg_rows_end_row(FgRows *rows, Datum *values, bool *nulls)
{
	fg_rows_add(rows, values, nulls);
	MemoryContextSwitchTo(rows->caller);
	MemoryContextReset(rows->row);
	CHECK_FOR_INTERRUPTS();
}

Datum
fg_share(double part, double whole, bool *null)
{
	double		share = whole == 0 ? 0 : part / whole;

	*null = whole == 0;
	if (!isfinite(part) || !isfinite(whole) || !isfinite(share))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a share is out of range")));
	return Float8GetDatum(share + 0.0);	/* not -0 */
}

Datum
fg_relative_to(double value, double before, bool *null)
{
	*null = before == 0;
	return *null ? (Datum) 0 : Float8GetDatum(value / before + 0.0);	/* not -0 */
}

Datum
fg_number_or_null(double value, bool *null)
{
	*null = isnan(value);
	return *null ? (Datum) 0 : Float8GetDatum(value + 0.0);	/* not -0 */
}

Datum
fg_finite(double value, const char *what)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s is out of range", what)));
	return Float8GetDatum(value + 0.0);	/* not -0 */
}

Datum
fg_finite_or_null(double value, const char *what, bool *null)
{
	*null = isnan(value);
	return *null ? (Datum) 0 : fg_finite(value, what);
}

Datum
fg_record_datum(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

Datum
fg_frame_datum(const FgFrames *frames, uint32_t frame)
{
	return PointerGetDatum(fg_varlena(fg_frame_bytes(frames, frame),
									  fg_frame_length(frames, frame)));
}

PG_FUNCTION_INFO_V1(flamegraph_stacks);
Datum
flamegraph_stacks(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	FgNodeWalk *walk;
	const FgTree *tree;
	Datum		values[2];
	bool		nulls[2] = {false, false};
	uint32_t	node;

	if (SRF_IS_FIRSTCALL())
	{
		call = fg_value_per_call_begin(fcinfo);
		call->user_fctx = fg_node_walk_begin(call, PG_GETARG_DATUM(0));
	}
	call = SRF_PERCALL_SETUP();
	walk = call->user_fctx;
	tree = walk->source;

	/* call_cntr is 0 for the root's turn, which comes first when it has a value */
	if (call->call_cntr == 0 && tree->self[0] != 0)
		node = 0;
	else
	{
		do
		{
			CHECK_FOR_INTERRUPTS();
			node = walk->node + 1;
			if (node > tree->nnodes)
				SRF_RETURN_DONE(call);
			fg_node_walk_enter_path(walk, node);
		} while (tree->self[node] == 0);
	}
	values[0] = fg_node_walk_stack(walk);
	values[1] = Float8GetDatum(tree->self[node]);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

/*
 * The rows of nodes(), or without the stack those of node_facts().
 */
static FgNodeWalk *
begin_facts(FuncCallContext *call, Datum value)
{
	FgNodeWalk *walk = fg_node_walk_begin(call, value);
	const FgTree *tree = walk->source;

	walk->totals = fg_alloc(&walk->ctx, (size_t) tree->nnodes + 1, sizeof(double));
	walk->open = fg_alloc_zero(&walk->ctx, tree->frames.count, sizeof(uint32_t));
	fg_must(&walk->ctx, fg_tree_totals(&walk->ctx, tree, walk->totals));
	return walk;
}

#define NODES_COLUMNS 10

static Datum
node_rows(FunctionCallInfo fcinfo, bool with_stack)
{
	FuncCallContext *call;
	FgNodeWalk *walk;
	const FgTree *tree;
	Datum		values[NODES_COLUMNS];
	bool		nulls[NODES_COLUMNS] = {false};
	uint32_t	node;
	uint32_t	frame;
	uint32_t	depth;
	int			column = 0;

	if (SRF_IS_FIRSTCALL())
	{
		call = fg_value_per_call_begin(fcinfo);
		call->user_fctx = begin_facts(call, PG_GETARG_DATUM(0));
	}
	call = SRF_PERCALL_SETUP();
	walk = call->user_fctx;
	tree = walk->source;
	node = walk->node + 1;
	if (node > tree->nnodes)
		SRF_RETURN_DONE(call);
	if (with_stack)
		fg_node_walk_enter_path(walk, node);
	else
		fg_node_walk_enter(walk, node);
	depth = fg_key_depth(tree->key[node]);
	frame = fg_key_frame(tree->key[node]);

	values[column++] = Int32GetDatum((int32) node);
	values[column++] = Int32GetDatum((int32) walk->at[depth - 1]);
	if (with_stack)
		values[column++] = fg_node_walk_stack(walk);
	values[column++] = fg_frame_datum(&tree->frames, frame);
	values[column++] = Int32GetDatum((int32) depth);
	values[column++] = Int32GetDatum((int32) walk->open[frame] - 1);
	values[column++] = Float8GetDatum(tree->self[node]);
	values[column++] = Float8GetDatum(walk->totals[node]);
	values[column] = fg_share(tree->self[node], walk->total, &nulls[column]);
	column++;
	values[column] = fg_share(walk->totals[node], walk->total, &nulls[column]);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

PG_FUNCTION_INFO_V1(flamegraph_nodes);
Datum
flamegraph_nodes(PG_FUNCTION_ARGS)
{
	return node_rows(fcinfo, true);
}

PG_FUNCTION_INFO_V1(flamegraph_node_facts);
Datum
flamegraph_node_facts(PG_FUNCTION_ARGS)
{
	return node_rows(fcinfo, false);
}
