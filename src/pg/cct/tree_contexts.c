/*
 * tree_contexts.c
 *	  merge_partial(), hot_contexts(), hot_tree(), subsuming_frames(),
 *	  subsuming_tree(): fewer contexts, or completed ones.
 */
#include "pg/base/node_walk.h"

#include "access/htup_details.h"
#include "miscadmin.h"

#include "core/base/order.h"
#include "core/cct/hot.h"
#include "core/cct/partial.h"
#include "core/cct/subsuming.h"
#include "core/profile/transform.h"
#include "pg/base/rows.h"

static uint32_t
not_negative(int32 value, const char *name, const char *hint)
{
	if (value < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be negative: %d", name, value),
				 errhint("%s", hint)));
	return (uint32_t) value;
}

/* --- partial stacks ------------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(flamegraph_merge_partial);
Datum
flamegraph_merge_partial(PG_FUNCTION_ARGS)
{
	uint32_t	threshold = not_negative(PG_GETARG_INT32(2), "match_threshold",
											 "With 0 a stack may be merged by its first frame alone.");
	TupleDesc	descriptor;
	FgOperands	in;
	FgPartialResult result;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_merge_partial(&in.ctx, in.a, in.b, threshold, &result));
	values[0] = fg_tree_datum_free(&in.ctx, &result.merged);
	values[1] = fg_tree_datum_free(&in.ctx, &result.ambiguous);
	values[2] = fg_tree_datum_free(&in.ctx, &result.unmatched);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

/* --- hot contexts --------------------------------------------------------------------- */

static uint8_t *
hot_flags(FgContext *ctx, const FgTree *tree, double phi)
{
	uint8_t    *hot;

	if (!(phi >= 0 && phi <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("phi must be between 0 and 1"),
				 errhint("Shares are fractions: 0.05 is five percent.")));
	hot = fg_alloc(ctx, (size_t) tree->nnodes + 1, 1);
	fg_must(ctx, fg_hot_contexts(ctx, tree, phi, hot));
	return hot;
}

PG_FUNCTION_INFO_V1(flamegraph_hot_tree);
Datum
flamegraph_hot_tree(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_select_stacks(&in.ctx, in.a, hot_flags(&in.ctx, in.a, PG_GETARG_FLOAT8(1)),
									  &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

typedef struct HotContexts
{
	FgNodeList *list;
	double	   *totals;			/* by node */
	double		total;			/* of the whole */
} HotContexts;

static HotContexts *
hot_contexts_begin(FuncCallContext *call, Datum value, double phi)
{
	HotContexts *contexts = MemoryContextAlloc(call->multi_call_memory_ctx, sizeof(HotContexts));
	FgNodeList *list = fg_node_list_begin(call, value);
	uint8_t    *hot = hot_flags(&list->ctx, &list->tree, phi);
	FgFacts		facts;

	contexts->list = list;
	contexts->totals = fg_alloc(&list->ctx, (size_t) list->tree.nnodes + 1, sizeof(double));
	fg_must(&list->ctx, fg_tree_totals(&list->ctx, &list->tree, contexts->totals) &&
			fg_tree_facts(&list->ctx, &list->tree, &facts));
	contexts->total = facts.total;
	for (uint32_t i = 0; i <= list->tree.nnodes; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (hot[i])
			list->nodes[list->count++] = i;
	}
	fg_release(&list->ctx, hot);
	fg_node_list_sort(list, list->tree.self);
	return contexts;
}

PG_FUNCTION_INFO_V1(flamegraph_hot_contexts);
Datum
flamegraph_hot_contexts(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	HotContexts *contexts;
	Datum		values[4];
	bool		nulls[4] = {false};
	double		self;
	uint32_t	node;

	if (SRF_IS_FIRSTCALL())
	{
		call = fg_value_per_call_begin(fcinfo);
		call->user_fctx = hot_contexts_begin(call, PG_GETARG_DATUM(0), PG_GETARG_FLOAT8(1));
	}
	call = SRF_PERCALL_SETUP();
	contexts = call->user_fctx;
	if (call->call_cntr >= contexts->list->count)
		SRF_RETURN_DONE(call);
	node = contexts->list->nodes[call->call_cntr];
	self = contexts->list->tree.self[node];
	values[0] = fg_node_list_stack(contexts->list, node);
	values[1] = Float8GetDatum(self);
	values[2] = Float8GetDatum(contexts->totals[node]);
	values[3] = fg_share(self, contexts->total, &nulls[3]);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

/* --- subsuming methods ----------------------------------------------------------------- */

/* Of every frame of the dictionary. */
static FgSubsuming *
subsuming_methods(FunctionCallInfo fcinfo, FgContext *ctx, const FgTree *tree, double *unclaimed)
{
	uint32_t	min_height = not_negative(PG_GETARG_INT32(1), "min_height",
											  "Heights are counted in calls.");
	uint32_t	min_distance = not_negative(PG_GETARG_INT32(2), "min_distance",
												"Distances are counted in calls.");
	FgSubsuming *methods = fg_alloc(ctx, tree->frames.count, sizeof(FgSubsuming));

	fg_must(ctx, fg_subsuming(ctx, tree, min_height, min_distance, methods, unclaimed));
	return methods;
}

/* The row of what no subsuming method has claimed: its frame is NULL. */
static void
add_unclaimed(FgRows *rows, double unclaimed, double total)
{
	Datum		values[6] = {0};
	bool		nulls[6] = {true, true, true, true, false, false};

	fg_rows_begin_row(rows);
	values[4] = Float8GetDatum(unclaimed);
	values[5] = fg_share(unclaimed, total, &nulls[5]);
	fg_rows_end_row(rows, values, nulls);
}

PG_FUNCTION_INFO_V1(flamegraph_subsuming_frames);
Datum
flamegraph_subsuming_frames(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	FgSubsuming *methods;
	uint32_t	count;
	uint32_t   *order;
	double	   *cost;
	double		unclaimed;
	FgFacts		facts;

	fg_get_operand(fcinfo, &in);
	methods = subsuming_methods(fcinfo, &in.ctx, in.a, &unclaimed);
	count = in.a->frames.count;
	cost = fg_alloc(&in.ctx, (size_t) count + 1, sizeof(double));
	order = fg_alloc(&in.ctx, (size_t) count + 1, sizeof(uint32_t));
	for (uint32_t f = 0; f < count; f++)
	{
		if (f % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		cost[f] = methods[f].cost;
	}
	/* behind the frames, so that among equal costs it comes last */
	cost[count] = unclaimed;
	fg_must(&in.ctx, fg_tree_facts(&in.ctx, in.a, &facts) &&
			fg_order_descending(&in.ctx, cost, count + (unclaimed != 0), order));
	for (uint32_t i = 0; i < count + (unclaimed != 0); i++)
	{
		const FgSubsuming *method = &methods[order[i]];
		Datum		values[6];
		bool		nulls[6] = {false};

		if (order[i] == count)
		{
			add_unclaimed(&rows, unclaimed, facts.total);
			continue;
		}
		fg_rows_begin_row(&rows);
		values[0] = fg_frame_datum(&in.a->frames, order[i]);
		values[1] = Int32GetDatum((int32) method->height);
		nulls[2] = method->distance == FG_NOT_DOMINATED;
		values[2] = Int32GetDatum((int32) method->distance);
		values[3] = BoolGetDatum(method->subsuming);
		values[4] = Float8GetDatum(method->cost);
		values[5] = fg_share(method->cost, facts.total, &nulls[5]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

/* What is not subsuming is cut out, and its value goes to the nearest that is. */
PG_FUNCTION_INFO_V1(flamegraph_subsuming_tree);
Datum
flamegraph_subsuming_tree(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgSubsuming *methods;
	FgTree		result;
	uint8_t    *drop;
	double		unclaimed;

	fg_get_operand(fcinfo, &in);
	methods = subsuming_methods(fcinfo, &in.ctx, in.a, &unclaimed);
	drop = fg_alloc(&in.ctx, in.a->frames.count, 1);
	for (uint32_t f = 0; f < in.a->frames.count; f++)
	{
		if (f % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		drop[f] = !methods[f].subsuming;
	}
	fg_must(&in.ctx, fg_drop_frames(&in.ctx, in.a, drop, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}
