/*
 * reshaping_splits.c
 *	  split_stacks() and split_by_root(): one profile as several that add up to it.
 */
#include "pg/base/values.h"

#include "miscadmin.h"

#include "core/base/bytes.h"
#include "core/profile/split.h"
#include "core/profile/transform.h"
#include "pg/base/rows.h"
#include "pg/profile/stackquery.h"

/* What a row is named by: the first "depth" frames of the way to its part. */
static Datum
part_name(FgContext *ctx, const FgSplit *split, uint32_t depth)
{
	const FgTree *tree = split->tree;
	FgBuffer	path = {.ctx = ctx};
	Datum		name;

	for (uint32_t d = 1; d <= depth; d++)
	{
		uint32_t	frame = fg_key_frame(tree->key[split->path[d]]);

		fg_must(ctx, (d == 1 || fg_buffer_append(&path, "", 1)) &&
				fg_buffer_append(&path, fg_frame_bytes(&tree->frames, frame),
								 fg_frame_length(&tree->frames, frame)));
	}
	name = PointerGetDatum(fg_varlena(path.data, path.size));
	fg_release(ctx, path.data);
	return name;
}

static void
add_part(FgRows *rows, FgContext *ctx, Datum name, bool unnamed, FgTree *part)
{
	Datum		values[2];
	bool		nulls[2] = {unnamed, false};

	values[0] = name;
	values[1] = fg_tree_datum_free(ctx, part);
	fg_rows_add(rows, values, nulls);
	pfree(DatumGetPointer(values[1]));
	if (!unnamed)
		pfree(DatumGetPointer(name));
	CHECK_FOR_INTERRUPTS();
}

/*
 * A row for each outermost node that is flagged, and one named NULL for the
 * stacks at and below none, so that the parts add up to the whole.
 */
static void
split_at(FgRows *rows, FgContext *ctx, const FgTree *tree, const uint8_t *starts,
		 bool whole_stack)
{
	uint8_t    *rest = fg_alloc(ctx, (size_t) tree->nnodes + 1, 1);
	FgSplit		split;
	FgTree		part;
	uint32_t	node;

	memset(rest, 1, (size_t) tree->nnodes + 1);
	fg_must(ctx, fg_split_begin(ctx, tree, starts, &split));
	for (;;)
	{
		fg_must(ctx, fg_split_next(&split, &node, &part));
		if (node == 0)
			break;
		memset(rest + node, 0, split.next - node);
		add_part(rows, ctx,
				 part_name(ctx, &split, whole_stack ? fg_key_depth(tree->key[node]) : 1), false,
				 &part);
	}
	fg_split_end(&split);
	fg_must(ctx, fg_select_stacks(ctx, tree, rest, &part));
	if (part.nnodes > 0 || part.self[0] != 0)
		add_part(rows, ctx, (Datum) 0, true, &part);
	fg_release(ctx, rest);
}

PG_FUNCTION_INFO_V1(flamegraph_split_stacks);
Datum
flamegraph_split_stacks(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgPattern  *pattern = fg_pattern(fcinfo, PG_GETARG_DATUM(1));
	FgOperands	in;
	uint8_t    *starts;

	fg_get_operand(fcinfo, &in);
	starts = fg_alloc(&in.ctx, (size_t) in.a->nnodes + 1, 1);
	if (!fg_query_match_tree(&pattern->query, pattern->match, pattern, in.a, starts))
		fg_throw(&pattern->ctx, "stackquery");
	split_at(&rows, &in.ctx, in.a, starts, true);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_split_by_root);
Datum
flamegraph_split_by_root(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	uint8_t    *starts;

	fg_get_operand(fcinfo, &in);
	starts = fg_alloc_zero(&in.ctx, (size_t) in.a->nnodes + 1, 1);
	for (uint32_t i = 1; i <= in.a->nnodes; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		starts[i] = fg_key_depth(in.a->key[i]) == 1;
	}
	split_at(&rows, &in.ctx, in.a, starts, false);
	return (Datum) 0;
}
