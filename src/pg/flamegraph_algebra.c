/*
 * flamegraph_algebra.c
 *	  The vector space of profiles in SQL: operators, norms, parts.
 */
#include "glue.h"

#include <math.h>

#include "core/algebra.h"

static Datum
combine(FunctionCallInfo fcinfo, double x, double y)
{
	FgContext	ctx = fg_current_context();
	FgTree		a_storage;
	FgTree		b_storage;
	const FgTree *a = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &a_storage);
	const FgTree *b = fg_datum_tree(&ctx, PG_GETARG_DATUM(1), &b_storage);
	FgTree		result;

	fg_must(&ctx, fg_combine(&ctx, a, x, b, y, &result));
	return fg_tree_datum_free(&ctx, &result);
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
				 errmsg("a divisor of a flamegraph must be finite")));
	fg_must(&ctx, fg_divide(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage), k, &result));
	return fg_tree_datum_free(&ctx, &result);
}

static Datum
part(FunctionCallInfo fcinfo, FgPart which)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	FgTree		result;

	fg_must(&ctx, fg_part(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage), which, &result));
	return fg_tree_datum_free(&ctx, &result);
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

static Datum
finite_or_error(double value, const char *what)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s is out of range", what)));
	return Float8GetDatum(value);
}

/* The L1 norm and the total are in the header. */
PG_FUNCTION_INFO_V1(flamegraph_norm_l1);
Datum
flamegraph_norm_l1(PG_FUNCTION_ARGS)
{
	uint32_t	nframes;

	return finite_or_error(fg_datum_facts(PG_GETARG_DATUM(0), &nframes).norm, "the norm");
}

PG_FUNCTION_INFO_V1(flamegraph_total);
Datum
flamegraph_total(PG_FUNCTION_ARGS)
{
	uint32_t	nframes;

	return finite_or_error(fg_datum_facts(PG_GETARG_DATUM(0), &nframes).total, "the total");
}

PG_FUNCTION_INFO_V1(flamegraph_norm);
Datum
flamegraph_norm(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	double		norm;

	if (PG_GETARG_FLOAT8(1) == 1)
		return flamegraph_norm_l1(fcinfo);
	fg_must(&ctx, fg_norm(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage),
						  PG_GETARG_FLOAT8(1), &norm));
	PG_RETURN_FLOAT8(norm);
}

static double
distance(FunctionCallInfo fcinfo, double p)
{
	FgContext	ctx = fg_current_context();
	FgTree		a_storage;
	FgTree		b_storage;
	const FgTree *a = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &a_storage);
	const FgTree *b = fg_datum_tree(&ctx, PG_GETARG_DATUM(1), &b_storage);
	double		result;

	fg_must(&ctx, fg_distance(&ctx, a, b, p, &result));
	return result;
}

PG_FUNCTION_INFO_V1(flamegraph_distance);
Datum
flamegraph_distance(PG_FUNCTION_ARGS)
{
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
	FgContext	ctx = fg_current_context();
	FgTree		a_storage;
	FgTree		b_storage;
	const FgTree *a = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &a_storage);
	const FgTree *b = fg_datum_tree(&ctx, PG_GETARG_DATUM(1), &b_storage);
	double		result;

	fg_must(&ctx, fg_similarity(&ctx, a, b, &result));
	PG_RETURN_FLOAT8(result);
}

/* --- facts ----------------------------------------------------------------- */

#define COUNT_FACT(name, expression) \
	PG_FUNCTION_INFO_V1(flamegraph_##name); \
	Datum \
	flamegraph_##name(PG_FUNCTION_ARGS) \
	{ \
		uint32_t	nframes; \
		FgFacts		facts = fg_datum_facts(PG_GETARG_DATUM(0), &nframes); \
		\
		(void) facts; \
		PG_RETURN_INT32((int32) (expression)); \
	} \
	extern int	fg_no_semicolon

COUNT_FACT(nstacks, facts.nstacks);
COUNT_FACT(nnodes, facts.nnodes);
COUNT_FACT(nframes, nframes);
COUNT_FACT(depth, facts.depth);

PG_FUNCTION_INFO_V1(flamegraph_value_at);
Datum
flamegraph_value_at(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	const FgTree *tree = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage);
	FgSpan		path = PG_GETARG_SPAN(1);
	uint32_t	node = fg_tree_find(tree, path.bytes, path.size);

	PG_RETURN_FLOAT8(node == UINT32_MAX ? 0 : tree->self[node]);
}
