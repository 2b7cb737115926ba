/*
 * graph.c
 *	  Functions in C for graph benchmarks (core/jobs/graph.h).
 */
#include "pg/base/pg_compat.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "core/jobs/graph.h"

PG_FUNCTION_INFO_V1(jobs_quotient);
PG_FUNCTION_INFO_V1(jobs_output_matches);
PG_FUNCTION_INFO_V1(jobs_coefficient_of_variation);

Datum
jobs_quotient(PG_FUNCTION_ARGS)
{
	double		quotient = fg_quotient(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1));

	if (isnan(quotient))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(quotient + 0.0);	/* not -0 */
}

Datum
jobs_output_matches(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(fg_output_matches(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1)));
}

/* Anybody can call a final function with a state of their own. */
Datum
jobs_coefficient_of_variation(PG_FUNCTION_ARGS)
{
	ArrayType  *state = PG_GETARG_ARRAYTYPE_P(0);
	const double *values = (const double *) ARR_DATA_PTR(state);
	double		variation;

	if (ARR_NDIM(state) != 1 || ARR_DIMS(state)[0] != 3 || ARR_HASNULL(state) ||
		ARR_ELEMTYPE(state) != FLOAT8OID)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the state of coefficient_of_variation is an array of three numbers")));
	variation = fg_coefficient_of_variation(values[0], values[1], values[2]);
	if (isnan(variation))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(variation + 0.0);	/* not -0 */
}
