/*
 * jobs_algorithms.c
 *	  Single steps of the analysis on values at hand: algorithm1(), algorithm2(),
 *	  predicate_holds().
 */
#include "pg/jobs/jobs_call.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "core/attribution/algorithms.h"
#include "core/attribution/attribution.h"
#include "pg/base/arrays.h"

/* A number that is finite and not negative. */
static double
amount(double value, const char *name)
{
	if (!(value >= 0) || isinf(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be finite and not negative", name)));
	return value;
}

static double *
amounts_argument(FunctionCallInfo fcinfo, int argument, const char *name, size_t *count)
{
	double	   *values = fg_doubles_argument(fcinfo, argument, name, count);

	for (size_t i = 0; i < *count; i++)
	{
		amount(values[i], name);
		CHECK_FOR_INTERRUPTS();
	}
	return values;
}

static uint32 *
counts_argument(FunctionCallInfo fcinfo, int argument, size_t *count)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	uint32	   *counts;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(argument), INT4OID, sizeof(int32), true, TYPALIGN_INT,
					  &elements, &nulls, &n);
	counts = palloc(Max(n, 1) * sizeof(uint32));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i] || DatumGetInt32(elements[i]) < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("sink_count must not be negative")));
		counts[i] = (uint32) DatumGetInt32(elements[i]);
		CHECK_FOR_INTERRUPTS();
	}
	*count = n;
	return counts;
}

PG_FUNCTION_INFO_V1(jobs_algorithm1);
Datum
jobs_algorithm1(PG_FUNCTION_ARGS)
{
	double		mean = amount(PG_GETARG_FLOAT8(0), "usage");
	double		capacity = amount(PG_GETARG_FLOAT8(1), "capacity");
	size_t		count;
	size_t		sink_count;
	double	   *greedy = amounts_argument(fcinfo, 2, "greedy_demand", &count);
	uint32	   *sinks = counts_argument(fcinfo, 3, &sink_count);
	FgContext	ctx = fg_current_context();
	FgSamples	samples = {.usage = NULL};
	FgRows		rows = fg_rows_begin(fcinfo);
	Datum		values[5] = {0};
	bool		nulls[5] = {false};

	if (count != sink_count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("greedy_demand and sink_count must have as many elements")));
	fg_must(&ctx, fg_algorithm1(&ctx, mean, capacity, greedy, sinks, (uint32) count, &samples));
	for (size_t i = 0; i < count; i++)
	{
		values[0] = Int32GetDatum((int32) i);
		values[1] = Float8GetDatum(samples.greedy[i]);
		values[2] = Float8GetDatum(samples.sink[i]);
		values[3] = Float8GetDatum(samples.background[i]);
		values[4] = Float8GetDatum(samples.usage[i]);
		fg_rows_add(&rows, values, nulls);
		CHECK_FOR_INTERRUPTS();
	}
	nulls[0] = nulls[1] = nulls[2] = nulls[3] = true;
	values[4] = fg_finite(fmax(mean - capacity, 0) * (double) count, "an unplaced usage");
	fg_rows_add(&rows, values, nulls);
	return (Datum) 0;
}

/* --- algorithm2 ---------------------------------------------------------------------------- */

static void
add_phase(FgRows *rows, int32 *number, double usage, double available)
{
	Datum		values[3] = {Int32GetDatum((*number)++), Float8GetDatum(usage), Float8GetDatum(available)};
	bool		nulls[3] = {false};

	fg_rows_add(rows, values, nulls);
	CHECK_FOR_INTERRUPTS();
}

PG_FUNCTION_INFO_V1(jobs_algorithm2);
Datum
jobs_algorithm2(PG_FUNCTION_ARGS)
{
	double		sample = amount(PG_GETARG_FLOAT8(0), "sample");
	double		capacity = amount(PG_GETARG_FLOAT8(1), "capacity");
	size_t		count;
	double	   *caps = amounts_argument(fcinfo, 2, "greedy_caps", &count);
	int32		sinks = PG_GETARG_INT32(3);
	FgRows		rows = fg_rows_begin(fcinfo);
	FgShares	shares;
	double		sum = 0;
	int32		number = 0;
	Datum		values[3] = {0};
	bool		nulls[3] = {true, false, true};

	if (sinks < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sink_count must not be negative")));
	for (size_t i = 0; i < count; i++)
	{
		sum += caps[i];
		CHECK_FOR_INTERRUPTS();
	}
	fg_finite(sum, "the sum of the caps");
	shares = fg_shares_of(sample, capacity, sum, (uint32) sinks);
	for (size_t i = 0; i < count; i++)
		add_phase(&rows, &number, caps[i] * shares.greedy_used, caps[i] * shares.greedy_available);
	for (int32 i = 0; i < sinks; i++)
		add_phase(&rows, &number, shares.sink_used, shares.sink_available);
	values[1] = Float8GetDatum(fg_unattributed(sample, sum, (uint32) sinks));
	fg_rows_add(&rows, values, nulls);
	return (Datum) 0;
}

/* --- predicate_holds ------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(jobs_predicate_holds);
Datum
jobs_predicate_holds(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgPredicate predicate = fg_predicate_option(&ctx, PG_GETARG_SPAN(0));
	int			count;
	FgSpan	   *types = fg_words_argument(fcinfo, 1, "phase_types", &count);
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	bool		holds;
	FgUserPredicates functions;
	FgSubphase *subphases = palloc(Max(count, 1) * sizeof(FgSubphase));

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), BOOLOID, sizeof(bool), true, TYPALIGN_CHAR,
					  &elements, &nulls, &n);
	if (n != count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("phase_types and bottlenecked must have as many elements")));
	for (int i = 0; i < n; i++)
	{
		subphases[i] = (FgSubphase) {
			.name = types[i], .defined = !nulls[i],
			.bottlenecked = !nulls[i] && DatumGetBool(elements[i])
		};
		CHECK_FOR_INTERRUPTS();
	}
	fg_user_predicates_begin(&functions);
	fg_must(&ctx, fg_predicate_of(&ctx, &predicate, &functions.functions, PG_GETARG_SPAN(3),
								  subphases, (size_t) n, &holds));
	PG_RETURN_BOOL(holds);
}
