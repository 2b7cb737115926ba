/*
 * potential.c
 *	  code_path_potential() and subtree_potential(): potentials of every frame as
 *	  rows, the largest first.
 */
#include "glue.h"

#include "miscadmin.h"

#include "core/frames.h"
#include "core/potential.h"
#include "rows.h"

typedef struct FramePotential
{
	uint32_t	frame;			/* frame numbers are in bytewise order */
	double		potential;
	double		naive;
} FramePotential;

static int
compare_potential(const void *a, const void *b)
{
	const FramePotential *left = a;
	const FramePotential *right = b;

	if (left->potential != right->potential)
		return left->potential > right->potential ? -1 : 1;
	return left->frame < right->frame ? -1 : 1;
}

static FramePotential *
sorted_potentials(FgContext *ctx, const FgTree *tree, uint32_t degree)
{
	uint32_t	count = tree->frames.count;
	double	   *potential = fg_alloc(ctx, count, sizeof(double));
	double	   *naive = fg_alloc(ctx, count, sizeof(double));
	FramePotential *sorted = fg_alloc(ctx, count, sizeof(FramePotential));

	fg_must(ctx, fg_subtree_potential(ctx, tree, degree, potential, naive));
	for (uint32_t f = 0; f < count; f++)
		sorted[f] = (FramePotential) {f, potential[f], naive[f]};
	qsort(sorted, count, sizeof(FramePotential), compare_potential);
	fg_release(ctx, potential);
	fg_release(ctx, naive);
	return sorted;
}

static Datum
potential_rows(FunctionCallInfo fcinfo, int32 degree, bool with_correction)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	const FgTree *tree = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage);
	FramePotential *sorted;
	FgFacts		facts;

	if (degree < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("degree must not be negative: %d", degree),
				 errhint("Degree 0 is the code path potential; each degree more reaches one call further down.")));
	sorted = sorted_potentials(&ctx, tree, (uint32_t) degree);
	fg_tree_facts(tree, &facts);
	for (uint32_t i = 0; i < tree->frames.count; i++)
	{
		const FramePotential *row = &sorted[i];
		Datum		values[5];
		bool		nulls[5] = {false};
		struct varlena *frame = fg_varlena(fg_frame_bytes(&tree->frames, row->frame),
										   fg_frame_length(&tree->frames, row->frame));

		values[0] = PointerGetDatum(frame);
		values[1] = Float8GetDatum(row->potential);
		values[2] = fg_share(row->potential, facts.total, &nulls[2]);
		if (with_correction)
		{
			values[3] = Float8GetDatum(row->naive);
			values[4] = Float8GetDatum(row->naive - row->potential);
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
