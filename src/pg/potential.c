/*
 * potential.c
 *	  code_path_potential() and subtree_potential(): potentials of every frame as
 *	  rows, the largest first.
 */
#include "glue.h"

#include "miscadmin.h"

#include "core/frames.h"
#include "core/order.h"
#include "core/potential.h"
#include "rows.h"

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

	if (degree < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("degree must not be negative: %d", degree),
				 errhint("Degree 0 is the code path potential; each degree more reaches one call further down.")));
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
