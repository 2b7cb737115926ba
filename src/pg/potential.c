/*
 * potential.c
 *	  code_path_potential(), subtree_potential() and node_potential(): potentials of
 *	  every frame or node as rows, the largest first.
 */
#include "node_walk.h"

#include "miscadmin.h"

#include "core/frames.h"
#include "core/order.h"
#include "core/potential.h"
#include "core/walk.h"
#include "rows.h"

static void
check_degree(int32 degree)
{
	if (degree < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("degree must not be negative: %d", degree),
				 errhint("Degree 0 is the code path potential; each degree more reaches one call further down.")));
}

static Datum
potential_rows(FunctionCallInfo fcinfo, int32 degree, bool with_correction)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	const FgTree *tree = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage);
	uint32_t	count = tree->frames.count;
	double	   *potential = fg_alloc(&ctx, count, sizeof(double));
	double	   *naive = fg_alloc(&ctx, count, sizeof(double));
	uint32_t   *order = fg_alloc(&ctx, count, sizeof(uint32_t));
	FgFacts		facts;

	check_degree(degree);
	fg_must(&ctx, fg_subtree_potential(&ctx, tree, (uint32_t) degree, potential, naive) &&
			fg_order_descending(&ctx, potential, count, order) &&
			fg_tree_facts(&ctx, tree, &facts));
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	f = order[i];
		Datum		values[5];
		bool		nulls[5] = {false};
		struct varlena *frame = fg_varlena(fg_frame_bytes(&tree->frames, f),
										   fg_frame_length(&tree->frames, f));

		values[0] = PointerGetDatum(frame);
		values[1] = Float8GetDatum(potential[f]);
		values[2] = fg_share(potential[f], facts.total, &nulls[2]);
		if (with_correction)
		{
			values[3] = Float8GetDatum(naive[f]);
			values[4] = Float8GetDatum(naive[f] - potential[f]);
		}
		fg_rows_add(&rows, values, nulls);
		pfree(frame);
		CHECK_FOR_INTERRUPTS();
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_code_path_potential);
Datum
flamegraph_code_path_potential(PG_FUNCTION_ARGS)
{
	return potential_rows(fcinfo, 0, false);
}

PG_FUNCTION_INFO_V1(flamegraph_subtree_potential);
Datum
flamegraph_subtree_potential(PG_FUNCTION_ARGS)
{
	return potential_rows(fcinfo, PG_GETARG_INT32(1), true);
}

/* --- node by node ---------------------------------------------------------------- */

typedef struct NodePotentials
{
	FgContext	ctx;
	FgTree		tree;
	uint32_t   *parents;
	uint32_t   *order;			/* nodes, less 1 */
	double	   *potential;
	double	   *correction;
} NodePotentials;

static NodePotentials *
node_potentials_begin(FuncCallContext *call, Datum value, uint32_t degree)
{
	NodePotentials *p = MemoryContextAllocZero(call->multi_call_memory_ctx,
											   sizeof(NodePotentials));
	const FgTree *tree;
	size_t		nodes;

	p->ctx = fg_context_in(call->multi_call_memory_ctx);
	tree = fg_datum_tree(&p->ctx, value, &p->tree);
	/* an expanded argument need not outlive the first call */
	if (tree != &p->tree)
		fg_must(&p->ctx, fg_tree_copy(&p->ctx, tree, &p->tree));
	nodes = (size_t) p->tree.nnodes + 1;
	p->parents = fg_alloc(&p->ctx, nodes, sizeof(uint32_t));
	p->order = fg_alloc(&p->ctx, nodes, sizeof(uint32_t));
	p->potential = fg_alloc(&p->ctx, nodes, sizeof(double));
	p->correction = fg_alloc(&p->ctx, nodes, sizeof(double));
	fg_must(&p->ctx, fg_tree_parents(&p->ctx, &p->tree, p->parents) &&
			fg_node_potential(&p->ctx, &p->tree, degree, p->potential, p->correction) &&
			fg_order_descending(&p->ctx, p->potential + 1, p->tree.nnodes, p->order));
	return p;
}

/* A value per call, because of the paths (node_walk.h). */
PG_FUNCTION_INFO_V1(flamegraph_node_potential);
Datum
flamegraph_node_potential(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	NodePotentials *p;
	Datum		values[4];
	bool		nulls[4] = {false};
	uint32_t	node;

	if (SRF_IS_FIRSTCALL())
	{
		check_degree(PG_GETARG_INT32(1));
		call = fg_value_per_call_begin(fcinfo);
		call->user_fctx = node_potentials_begin(call, PG_GETARG_DATUM(0),
												(uint32_t) PG_GETARG_INT32(1));
	}
	call = SRF_PERCALL_SETUP();
	p = call->user_fctx;
	if (call->call_cntr >= p->tree.nnodes)
		SRF_RETURN_DONE(call);
	node = p->order[call->call_cntr] + 1;
	values[0] = fg_node_stack(&p->ctx, &p->tree, p->parents, node);
	values[1] = fg_frame_datum(&p->tree.frames, fg_key_frame(p->tree.key[node]));
	values[2] = Float8GetDatum(p->potential[node]);
	values[3] = Float8GetDatum(p->correction[node]);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}
