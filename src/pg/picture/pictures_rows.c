/*
 * pictures_rows.c
 *	  nested_set(): the rows that Grafana's flame graph panel draws.
 */
#include "pg/base/rows.h"

#include "core/cct/nested_set.h"
#include "core/svg/drawing.h"
#include "pg/base/arguments.h"

#define MOST_COLUMNS 6

static double
min_share_argument(FunctionCallInfo fcinfo, int argument)
{
	double		min_share = fg_required_number(fcinfo, argument, "min_share");

	if (!(min_share >= 0 && min_share <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_share must be between 0 and 1"),
				 errhint("Shares are fractions: 0.05 is five percent.")));
	return min_share;
}

static uint32_t
max_depth_argument(FunctionCallInfo fcinfo, int argument)
{
	if (PG_ARGISNULL(argument))
		return FG_MAX_DEPTH;
	if (PG_GETARG_INT32(argument) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_depth must not be negative: %d", PG_GETARG_INT32(argument)),
				 errhint("NULL stands for no limit.")));
	return (uint32_t) PG_GETARG_INT32(argument);
}

/* What the rows are made of: one side, or two on one tree. */
typedef struct Source
{
	const FgTree *tree;
	const double *self[FG_SIDES];	/* by node; NULL of a side that there is not */
	const double *total[FG_SIDES];
} Source;

static Datum
label_of(const FgTree *tree, uint32_t node)
{
	if (node == 0)
		return PointerGetDatum(fg_varlena("total", 5));
	return fg_frame_datum(&tree->frames, fg_key_frame(tree->key[node]));
}

/* level, value, self, label, and of two sides value_right, self_right. */
static void
add_rows(FgRows *rows, const Source *source, const uint32_t *nodes, uint32_t count)
{
	Datum		values[MOST_COLUMNS];
	bool		nulls[MOST_COLUMNS] = {false};

	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	node = nodes[i];

		fg_rows_begin_row(rows);
		values[0] = Int32GetDatum((int32) fg_key_depth(source->tree->key[node]));
		values[1] = Float8GetDatum(source->total[0][node]);
		values[2] = Float8GetDatum(source->self[0][node]);
		values[3] = label_of(source->tree, node);
		if (source->total[1] != NULL)
		{
			values[4] = Float8GetDatum(source->total[1][node]);
			values[5] = Float8GetDatum(source->self[1][node]);
		}
		fg_rows_end_row(rows, values, nulls);
	}
}

static void
nested_rows(FunctionCallInfo fcinfo, FgRows *rows, FgContext *ctx, const Source *source,
			int argument)
{
	uint32_t   *nodes;
	uint32_t	count;

	fg_must(ctx, fg_nested_set(ctx, source->tree, source->total,
							   min_share_argument(fcinfo, argument),
							   max_depth_argument(fcinfo, argument + 1), &nodes, &count));
	add_rows(rows, source, nodes, count);
}

PG_FUNCTION_INFO_V1(flamegraph_nested_set);
Datum
flamegraph_nested_set(PG_FUNCTION_ARGS)
{
	static const char hint[] =
		"Of a difference, nested_set(negative_part(d), positive_part(d)) has both sides.";
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	double	   *total;

	if (PG_ARGISNULL(0))
		return (Datum) 0;
	fg_get_operand(fcinfo, &in);
	total = fg_alloc(&in.ctx, (size_t) in.a->nnodes + 1, sizeof(double));
	fg_must(&in.ctx, fg_check_not_negative(&in.ctx, in.a, hint) &&
			fg_tree_totals(&in.ctx, in.a, total));
	nested_rows(fcinfo, &rows, &in.ctx,
				&(Source) {.tree = in.a, .self = {in.a->self}, .total = {total}}, 1);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_nested_set_difference);
Datum
flamegraph_nested_set_difference(PG_FUNCTION_ARGS)
{
	static const char hint[] = "Both sides are widths, which are not negative.";
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	FgTreeUnion both;
	Source		source;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_check_not_negative(&in.ctx, in.a, hint) &&
			fg_check_not_negative(&in.ctx, in.b, hint) &&
			fg_tree_union(&in.ctx, in.a, in.b, &both));
	source.tree = &both.tree;
	for (int side = 0; side < FG_SIDES; side++)
	{
		source.self[side] = both.self[side];
		source.total[side] = both.total[side];
	}
	nested_rows(fcinfo, &rows, &in.ctx, &source, 2);
	return (Datum) 0;
}
