/*
 * flamegraph_algebra.c
 *	  The vector space of profiles in SQL: operators, norms, parts.
 */
#include "pg/base/values.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/float.h"

#include "core/profile/algebra.h"
#include "core/profile/frames.h"
#include "core/profile/transform.h"
#include "pg/base/arguments.h"
#include "pg/base/rows.h"

static Datum
combine(FunctionCallInfo fcinfo, double x, double y)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_combine(&in.ctx, in.a, x, in.b, y, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_add);
Datum
flamegraph_add(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, 1, 1);
}

PG_FUNCTION_INFO_V1(flamegraph_subtract);
Datum
flamegraph_subtract(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, 1, -1);
}

static Datum
scale(Datum value, double k)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	FgTree		result;

	fg_must(&ctx, fg_scale(&ctx, fg_datum_tree(&ctx, value, &storage), k, &result));
	return fg_tree_datum_free(&ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_multiply);
Datum
flamegraph_multiply(PG_FUNCTION_ARGS)
{
	return scale(PG_GETARG_DATUM(0), PG_GETARG_FLOAT8(1));
}

PG_FUNCTION_INFO_V1(float8_multiply_flamegraph);
Datum
float8_multiply_flamegraph(PG_FUNCTION_ARGS)
{
	return scale(PG_GETARG_DATUM(1), PG_GETARG_FLOAT8(0));
}

PG_FUNCTION_INFO_V1(flamegraph_negate);
Datum
flamegraph_negate(PG_FUNCTION_ARGS)
{
	return scale(PG_GETARG_DATUM(0), -1);
}

/* A negative value is no number of samples. */
static void
check_amounts(const FgTree *tree)
{
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (tree->self[i] < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("samples cannot add up to a negative value"),
					 errhint("Differences and changes have no samples of equal weight.")));
	}
}

PG_FUNCTION_INFO_V1(flamegraph_recording_noise);
Datum
flamegraph_recording_noise(PG_FUNCTION_ARGS)
{
	double		period = PG_GETARG_FLOAT8(1);
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	FgTree		result;
	const FgTree *tree = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage);

	if (!isfinite(period) || period <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the period, what one sample stands for, must be positive and finite")));
	check_amounts(tree);
	fg_must(&ctx, fg_scale(&ctx, tree, period, &result));
	return fg_tree_datum_free(&ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_divide);
Datum
flamegraph_divide(PG_FUNCTION_ARGS)
{
	double		k = PG_GETARG_FLOAT8(1);
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	FgTree		result;

	if (k == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DIVISION_BY_ZERO),
				 errmsg("division by zero")));
	if (!isfinite(k))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a divisor must be finite")));
	fg_must(&ctx, fg_divide(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage), k, &result));
	return fg_tree_datum_free(&ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_round);
Datum
flamegraph_round(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_round(&in.ctx, in.a, PG_GETARG_INT32(1), &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

static Datum
part(FunctionCallInfo fcinfo, FgSignPart which)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_part(&in.ctx, in.a, which, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_positive_part);
Datum
flamegraph_positive_part(PG_FUNCTION_ARGS)
{
	return part(fcinfo, FG_PART_POSITIVE);
}

PG_FUNCTION_INFO_V1(flamegraph_negative_part);
Datum
flamegraph_negative_part(PG_FUNCTION_ARGS)
{
	return part(fcinfo, FG_PART_NEGATIVE);
}

PG_FUNCTION_INFO_V1(flamegraph_absolute);
Datum
flamegraph_absolute(PG_FUNCTION_ARGS)
{
	return part(fcinfo, FG_PART_ABSOLUTE);
}

/* --- numbers --------------------------------------------------------------- */

/* The L1 norm and the total are in the header. */
PG_FUNCTION_INFO_V1(flamegraph_norm_l1);
Datum
flamegraph_norm_l1(PG_FUNCTION_ARGS)
{
	uint32_t	nframes;

	return fg_finite(fg_datum_facts(PG_GETARG_DATUM(0), &nframes).norm, "the norm");
}

PG_FUNCTION_INFO_V1(flamegraph_total);
Datum
flamegraph_total(PG_FUNCTION_ARGS)
{
	uint32_t	nframes;

	return fg_finite(fg_datum_facts(PG_GETARG_DATUM(0), &nframes).total, "the total");
}

static void
check_order(double p)
{
	if (isnan(p))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the order of a norm must be a number")));
	if (p != 1 && p != 2 && p != get_float8_infinity())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid order of a norm: %g", p),
				 errhint("Use 1, 2 or infinity.")));
}

PG_FUNCTION_INFO_V1(flamegraph_norm);
Datum
flamegraph_norm(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	double		norm;

	check_order(PG_GETARG_FLOAT8(1));
	if (PG_GETARG_FLOAT8(1) == 1)
		return flamegraph_norm_l1(fcinfo);
	fg_must(&ctx, fg_norm(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage),
						  PG_GETARG_FLOAT8(1), &norm));
	PG_RETURN_FLOAT8(norm);
}

static double
distance(FunctionCallInfo fcinfo, double p)
{
	FgOperands	in;
	double		result;

	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_distance(&in.ctx, in.a, in.b, p, &result));
	return result;
}

PG_FUNCTION_INFO_V1(flamegraph_distance);
Datum
flamegraph_distance(PG_FUNCTION_ARGS)
{
	check_order(PG_GETARG_FLOAT8(2));
	PG_RETURN_FLOAT8(distance(fcinfo, PG_GETARG_FLOAT8(2)));
}

PG_FUNCTION_INFO_V1(flamegraph_distance_l1);
Datum
flamegraph_distance_l1(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(distance(fcinfo, 1));
}

PG_FUNCTION_INFO_V1(flamegraph_similarity);
Datum
flamegraph_similarity(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	double		result;

	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_similarity(&in.ctx, in.a, in.b, &result));
	PG_RETURN_FLOAT8(result);
}

/* --- facts ----------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_nstacks);
Datum
flamegraph_nstacks(PG_FUNCTION_ARGS)
{
	uint32_t	nframes;

	PG_RETURN_INT32((int32) fg_datum_facts(PG_GETARG_DATUM(0), &nframes).nstacks);
}

PG_FUNCTION_INFO_V1(flamegraph_nnodes);
Datum
flamegraph_nnodes(PG_FUNCTION_ARGS)
{
	uint32_t	nframes;

	PG_RETURN_INT32((int32) fg_datum_facts(PG_GETARG_DATUM(0), &nframes).nnodes);
}

PG_FUNCTION_INFO_V1(flamegraph_nframes);
Datum
flamegraph_nframes(PG_FUNCTION_ARGS)
{
	uint32_t	nframes;

	fg_datum_facts(PG_GETARG_DATUM(0), &nframes);
	PG_RETURN_INT32((int32) nframes);
}

PG_FUNCTION_INFO_V1(flamegraph_depth);
Datum
flamegraph_depth(PG_FUNCTION_ARGS)
{
	uint32_t	nframes;

	PG_RETURN_INT32((int32) fg_datum_facts(PG_GETARG_DATUM(0), &nframes).depth);
}

/* values[i], or 0 for FG_NONE, which stands for nothing found. */
static double
value_or_zero(const double *values, uint32_t i)
{
	return i == FG_NONE ? 0 : values[i];
}

PG_FUNCTION_INFO_V1(flamegraph_value_at);
Datum
flamegraph_value_at(PG_FUNCTION_ARGS)
{
	FgSpan		path = PG_GETARG_SPAN(1);
	FgOperands	in;

	fg_get_operand(fcinfo, &in);
	PG_RETURN_FLOAT8(value_or_zero(in.a->self, fg_tree_find(in.a, path.bytes, path.size)));
}

/* The inclusive value of a context: the sum over one subtree. */
PG_FUNCTION_INFO_V1(flamegraph_total_at);
Datum
flamegraph_total_at(PG_FUNCTION_ARGS)
{
	FgSpan		path = PG_GETARG_SPAN(1);
	FgOperands	in;
	uint32_t	node;
	double		total = 0;

	fg_get_operand(fcinfo, &in);
	node = fg_tree_find(in.a, path.bytes, path.size);
	if (node != FG_NONE)
		fg_must(&in.ctx, fg_subtree_total(&in.ctx, in.a, node, &total));
	return fg_finite(total, "the inclusive value");
}

/* Does some stack begin with the path?  All stacks begin with the empty one. */
static bool
has_path(Datum value, FgSpan path)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	const FgTree *tree = fg_datum_tree(&ctx, value, &storage);
	uint32_t	node = fg_tree_find(tree, path.bytes, path.size);

	return node != FG_NONE && (node != 0 || tree->nnodes > 0 || tree->self[0] != 0);
}

PG_FUNCTION_INFO_V1(flamegraph_has_path);
Datum
flamegraph_has_path(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(has_path(PG_GETARG_DATUM(0), PG_GETARG_SPAN(1)));
}

PG_FUNCTION_INFO_V1(stackpath_in_flamegraph);
Datum
stackpath_in_flamegraph(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(has_path(PG_GETARG_DATUM(1), PG_GETARG_SPAN(0)));
}

static uint32_t
find_frame(const FgTree *tree, FgSpan frame)
{
	return fg_frames_find(&tree->frames, frame.bytes, frame.size);
}

PG_FUNCTION_INFO_V1(flamegraph_frame_total);
Datum
flamegraph_frame_total(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	double	   *totals;

	fg_get_operand(fcinfo, &in);
	totals = fg_alloc(&in.ctx, in.a->frames.count, sizeof(double));
	fg_must(&in.ctx, fg_frame_total_values(&in.ctx, in.a, totals));
	PG_RETURN_FLOAT8(value_or_zero(totals, find_frame(in.a, PG_GETARG_SPAN(1))));
}

PG_FUNCTION_INFO_V1(flamegraph_frame_self);
Datum
flamegraph_frame_self(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	double		self;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_frame_self_value(&in.ctx, in.a, find_frame(in.a, PG_GETARG_SPAN(1)),
										 &self));
	PG_RETURN_FLOAT8(self);
}

PG_FUNCTION_INFO_V1(flamegraph_is_positive);
Datum
flamegraph_is_positive(PG_FUNCTION_ARGS)
{
	FgOperands	in;

	fg_get_operand(fcinfo, &in);
	for (uint32_t i = 0; i <= in.a->nnodes; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (in.a->self[i] < 0)
			PG_RETURN_BOOL(false);
	}
	PG_RETURN_BOOL(true);
}
