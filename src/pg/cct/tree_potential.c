/*
 * tree_potential.c
 *	  code_path_potential(), subtree_potential() and node_potential(): potentials of
 *	  every frame or node as rows, the largest first.
 */
#include "pg/base/node_walk.h"

#include "miscadmin.h"

#include "core/base/order.h"
#include "core/cct/potential.h"
#include "core/profile/frames.h"
#include "pg/base/rows.h"

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
			values[4] = fg_finite(naive[f] - potential[f], "a correction");
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
	FgNodeList *list;
	double	   *potential;
	double	   *correction;
} NodePotentials;

static NodePotentials *
node_potentials_begin(FuncCallContext *call, Datum value, uint32_t degree)
{
	NodePotentials *p = MemoryContextAlloc(call->multi_call_memory_ctx, sizeof(NodePotentials));
	FgNodeList *list = fg_node_list_begin(call, value);
	size_t		nodes = (size_t) list->tree.nnodes + 1;

	p->list = list;
	p->potential = fg_alloc(&list->ctx, nodes, sizeof(double));
	p->correction = fg_alloc(&list->ctx, nodes, sizeof(double));
	fg_must(&list->ctx, fg_node_potential(&list->ctx, &list->tree, degree, p->potential,
										  p->correction));
	for (uint32_t i = 1; i <= list->tree.nnodes; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		list->nodes[list->count++] = i;
	}
	fg_node_list_sort(list, p->potential);
	return p;
}

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
	if (call->call_cntr >= p->list->count)
		SRF_RETURN_DONE(call);
	node = p->list->nodes[call->call_cntr];
	values[0] = fg_node_list_stack(p->list, node);
	values[1] = fg_frame_datum(&p->list->tree.frames, fg_key_frame(p->list->tree.key[node]));
	values[2] = Float8GetDatum(p->potential[node]);
	values[3] = Float8GetDatum(p->correction[node]);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}
