/*
 * rows.c
 *	  stacks() and nodes(): a profile as rows; and what all set-returning
 *	  functions share (rows.h).
 *
 * Results with a path column are returned a value per call: a million paths in a
 * tuplestore would go to disk, in the select list they cost nothing but
 * themselves.
 */
#include "rows.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/bytes.h"
#include "glue.h"

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
	if (get_call_result_type(fcinfo, NULL, &rows.descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	rows.store = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
									   false, work_mem);
	result->returnMode = SFRM_Materialize;
	result->setResult = rows.store;
	result->setDesc = rows.descriptor;
	MemoryContextSwitchTo(previous);
	return rows;
}

void
fg_rows_add(FgRows *rows, Datum *values, bool *nulls)
{
	tuplestore_putvalues(rows->store, rows->descriptor, values, nulls);
}

Datum
fg_share(double part, double whole, bool *null)
{
	double		share = whole == 0 ? 0 : part / whole;

	*null = whole == 0;
	if (!isfinite(share))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a share is out of range")));
	return Float8GetDatum(share);
}

/* --- a walk over the nodes of a profile ------------------------------------ */

typedef struct NodeWalk
{
	FgContext	ctx;
	FgTree		tree;			/* its own: decoded, or copied */
	const FgTree *source;
	uint32_t	node;			/* the current one; 0 before the first */
	FgBuffer	path;			/* its stack */
	size_t	   *end;			/* where the frame at each depth ends in path */
	uint32_t   *at;				/* the node at each depth */
	double		total;			/* of the whole, as total(fg) has it */
	double	   *totals;			/* of each node */
	uint32_t   *open;			/* by frame: nodes of it on the path; NULL if not asked for */
} NodeWalk;

static NodeWalk *
walk_begin(FuncCallContext *call, Datum value)
{
	NodeWalk   *walk;
	FgFacts		facts;

	walk = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(NodeWalk));
	walk->ctx = fg_context_in(call->multi_call_memory_ctx);
	walk->path.ctx = &walk->ctx;
	walk->source = fg_datum_tree(&walk->ctx, value, &walk->tree);
	if (walk->source != &walk->tree)
	{
		/* an expanded argument need not outlive the first call */
		fg_must(&walk->ctx, fg_tree_copy(&walk->ctx, walk->source, &walk->tree));
		walk->source = &walk->tree;
	}
	fg_must(&walk->ctx, fg_tree_facts(&walk->ctx, walk->source, &facts));
	walk->total = facts.total;
	walk->end = fg_alloc_zero(&walk->ctx, (size_t) facts.depth + 1, sizeof(size_t));
	walk->at = fg_alloc_zero(&walk->ctx, (size_t) facts.depth + 1, sizeof(uint32_t));
	return walk;
}

/* Makes "node" the current one: leaves its elder sibling's subtree, enters it. */
static void
walk_enter(NodeWalk *walk, uint32_t node)
{
	const FgTree *tree = walk->source;
	uint32_t	depth = fg_key_depth(tree->key[node]);
	uint32_t	frame = fg_key_frame(tree->key[node]);

	if (walk->open != NULL)
	{
		for (uint32_t d = depth; d <= fg_key_depth(tree->key[walk->node]); d++)
			walk->open[fg_key_frame(tree->key[walk->at[d]])]--;
		walk->open[frame]++;
	}
	walk->node = node;
	walk->at[depth] = node;
}

/*
 * The same for the path, where rows have one.  A path can be far longer than the
 * value: it is refused before memory is taken for it.
 */
static void
walk_enter_path(NodeWalk *walk, uint32_t node)
{
	const FgTree *tree = walk->source;
	uint32_t	depth = fg_key_depth(tree->key[node]);
	uint32_t	frame = fg_key_frame(tree->key[node]);
	uint32_t	length = fg_frame_length(&tree->frames, frame);

	walk_enter(walk, node);
	walk->path.size = walk->end[depth - 1];
	if (walk->path.size + length + 1 > MaxAllocSize - VARHDRSZ)
	{
		fg_fail(&walk->ctx, FG_ERROR_LIMIT, "the stack of node %u is longer than 1 GB", node);
		fg_throw(&walk->ctx, "stackpath");
	}
	fg_must(&walk->ctx, (depth == 1 || fg_buffer_append(&walk->path, "", 1)) &&
			fg_buffer_append(&walk->path, fg_frame_bytes(&tree->frames, frame), length));
	walk->end[depth] = walk->path.size;
}

static Datum
walk_stack(const NodeWalk *walk)
{
	return PointerGetDatum(fg_varlena(walk->path.data, walk->path.size));
}

static FuncCallContext *
begin_value_per_call(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_FIRSTCALL_INIT();
	MemoryContext previous = MemoryContextSwitchTo(call->multi_call_memory_ctx);
	TupleDesc	descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	call->tuple_desc = BlessTupleDesc(descriptor);
	MemoryContextSwitchTo(previous);
	return call;
}

PG_FUNCTION_INFO_V1(flamegraph_stacks);
Datum
flamegraph_stacks(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	NodeWalk   *walk;
	const FgTree *tree;
	Datum		values[2];
	bool		nulls[2] = {false, false};
	uint32_t	node;

	if (SRF_IS_FIRSTCALL())
	{
		call = begin_value_per_call(fcinfo);
		call->user_fctx = walk_begin(call, PG_GETARG_DATUM(0));
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
			walk_enter_path(walk, node);
		} while (tree->self[node] == 0);
	}
	values[0] = walk_stack(walk);
	values[1] = Float8GetDatum(tree->self[node]);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

/*
 * The rows of nodes(), or without the stack those of node_facts().
 */
static NodeWalk *
walk_begin_facts(FuncCallContext *call, Datum value)
{
	NodeWalk   *walk = walk_begin(call, value);
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
	NodeWalk   *walk;
	const FgTree *tree;
	Datum		values[NODES_COLUMNS];
	bool		nulls[NODES_COLUMNS] = {false};
	uint32_t	node;
	uint32_t	frame;
	uint32_t	depth;
	int			column = 0;

	if (SRF_IS_FIRSTCALL())
	{
		call = begin_value_per_call(fcinfo);
		call->user_fctx = walk_begin_facts(call, PG_GETARG_DATUM(0));
	}
	call = SRF_PERCALL_SETUP();
	walk = call->user_fctx;
	tree = walk->source;
	node = walk->node + 1;
	if (node > tree->nnodes)
		SRF_RETURN_DONE(call);
	if (with_stack)
		walk_enter_path(walk, node);
	else
		walk_enter(walk, node);
	depth = fg_key_depth(tree->key[node]);
	frame = fg_key_frame(tree->key[node]);

	values[column++] = Int32GetDatum((int32) node);
	values[column++] = Int32GetDatum((int32) walk->at[depth - 1]);
	if (with_stack)
		values[column++] = walk_stack(walk);
	values[column++] = PointerGetDatum(fg_varlena(fg_frame_bytes(&tree->frames, frame),
												  fg_frame_length(&tree->frames, frame)));
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
