/*
 * building_nodes.c
 *	  stacks(), nodes() and node_facts(): a profile as rows.
 */
#include "pg/base/node_walk.h"

#include "miscadmin.h"

#include "pg/base/rows.h"

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
