/*
 * tree_recursion.c
 *	  recursion_edges(), recursion_pairs(), recursion_edge_count(): from each
 *	  recursive call to the nearest call of the same frame around it.
 */
#include "pg/base/node_walk.h"

#include "miscadmin.h"

#include "core/cct/recursion.h"

typedef struct EdgeWalk
{
	FgNodeWalk *nodes;
	uint32_t   *nearest;		/* by node */
} EdgeWalk;

static EdgeWalk *
edge_walk_begin(FuncCallContext *call, Datum value)
{
	EdgeWalk   *walk = MemoryContextAlloc(call->multi_call_memory_ctx, sizeof(EdgeWalk));
	FgContext  *ctx;
	uint64_t	count;

	walk->nodes = fg_node_walk_begin(call, value);
	ctx = &walk->nodes->ctx;
	walk->nearest = fg_alloc(ctx, (size_t) walk->nodes->source->nnodes + 1, sizeof(uint32_t));
	fg_must(ctx, fg_recursion_edges(ctx, walk->nodes->source, walk->nearest, &count));
	return walk;
}

static Datum
edge_rows(FunctionCallInfo fcinfo, bool with_stacks)
{
	FuncCallContext *call;
	FgNodeWalk *walk;
	const uint32_t *nearest;
	Datum		values[5];
	bool		nulls[5] = {false};
	uint32_t	node;
	uint32_t	above;
	uint32_t	depth;
	int			column = 0;

	if (SRF_IS_FIRSTCALL())
	{
		call = fg_value_per_call_begin(fcinfo);
		call->user_fctx = edge_walk_begin(call, PG_GETARG_DATUM(0));
	}
	call = SRF_PERCALL_SETUP();
	walk = ((EdgeWalk *) call->user_fctx)->nodes;
	nearest = ((EdgeWalk *) call->user_fctx)->nearest;
	do
	{
		node = walk->node + 1;
		if (node > walk->source->nnodes)
			SRF_RETURN_DONE(call);
		CHECK_FOR_INTERRUPTS();
		if (with_stacks)
			fg_node_walk_enter_path(walk, node);
		else
			fg_node_walk_enter(walk, node);
	} while (nearest[node] == 0);

	above = fg_key_depth(walk->source->key[nearest[node]]);
	depth = fg_key_depth(walk->source->key[node]);
	values[column++] = Int32GetDatum((int32) nearest[node]);
	values[column++] = Int32GetDatum((int32) node);
	if (with_stacks)
	{
		values[column++] = fg_node_walk_ancestor(walk, above);
		values[column++] = fg_node_walk_stack(walk);
	}
	values[column] = Int32GetDatum((int32) (depth - above));
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

PG_FUNCTION_INFO_V1(flamegraph_recursion_edges);
Datum
flamegraph_recursion_edges(PG_FUNCTION_ARGS)
{
	return edge_rows(fcinfo, true);
}

PG_FUNCTION_INFO_V1(flamegraph_recursion_pairs);
Datum
flamegraph_recursion_pairs(PG_FUNCTION_ARGS)
{
	return edge_rows(fcinfo, false);
}

PG_FUNCTION_INFO_V1(flamegraph_recursion_edge_count);
Datum
flamegraph_recursion_edge_count(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	uint64_t	count;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_recursion_edges(&in.ctx, in.a, NULL, &count));
	PG_RETURN_INT64((int64) count);
}
