/*
 * jobs_accuracy.c
 *	  How far the attribution can be trusted: sampling_error(), attribution_difference().
 */
#include "pg/jobs/jobs_call.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/attribution/attribution_difference.h"
#include "core/attribution/sampling_error.h"
#include "pg/base/arguments.h"
#include "pg/base/options.h"

#define must(call, done) \
	do { \
		if (!(done)) \
			fg_throw(&(call)->ctx, "job"); \
	} while (0)

static uint32
resource_type_argument(FunctionCallInfo fcinfo, const FgJobCall *call, int argument)
{
	return fg_resource_type_named(call, fg_required_word(fcinfo, argument, "resource_type"));
}

/* --- sampling_error --------------------------------------------------------------------------- */

static uint32 *
factors_argument(FunctionCallInfo fcinfo, int argument, uint32 *count)
{
	ArrayType  *array = DatumGetArrayTypeP(fg_required(fcinfo, argument, "factors"));
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	uint32	   *factors;

	deconstruct_array(array, INT4OID, sizeof(int32), true, TYPALIGN_INT, &elements, &nulls, &n);
	factors = palloc(Max(n, 1) * sizeof(uint32));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i] || DatumGetInt32(elements[i]) < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("factors must be at least 1"), errdetail("bad_sampling"),
					 errhint("So many measurements are made one.")));
		factors[i] = (uint32) DatumGetInt32(elements[i]);
	}
	*count = (uint32) n;
	return factors;
}

static bool
add_error(void *arg, const FgSamplingError *error)
{
	FgJobCall  *call = arg;
	Datum		values[6];
	bool		nulls[6] = {false};

	values[0] = call->resource_types[error->type];
	values[1] = CStringGetTextDatum(error->sampling == FG_USAGE_CONSTANT ? "constant" :
									"phase_aware");
	values[2] = Int32GetDatum((int32) error->factor);
	values[3] = Float8GetDatum(error->average_error);
	values[4] = Float8GetDatum(error->average_usage);
	values[5] = fg_number_or_null(error->relative_error, &nulls[5]);
	fg_job_call_add(call, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_sampling_error);
Datum
jobs_sampling_error(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgJobOptions options;
	uint32		count;
	uint32	   *factors = factors_argument(fcinfo, 1, &count);
	uint32		type = FG_NONE;

	fg_job_call_options(fcinfo, 3, 4, &options);
	/* it compares two ways to sample, whatever the options would choose */
	options.sampling = FG_USAGE_PHASE_AWARE;
	fg_job_call_begin(fcinfo, &options, &call);
	if (!PG_ARGISNULL(2))
		type = resource_type_argument(fcinfo, &call, 2);
	must(&call, fg_sampling_errors(&call.analysis, factors, count, type, add_error, &call));
	return fg_job_call_end(&call);
}

/* --- attribution_difference ------------------------------------------------------------------- */

/* The options of the other attribution: those of the first one, but for what is given. */
static FgJobOptions
other_options(FunctionCallInfo fcinfo, int argument, const FgJobOptions *options)
{
	static const char *const keys[] = {
		"sampling", "delta", "predicate", "use_greedy", "use_blocking"
	};
	Jsonb	   *given = DatumGetJsonbP(fg_required(fcinfo, argument, "other"));
	FgContext	ctx = fg_current_context();
	FgJobOptions other = *options;
	FgSpan		word;
	const char *code;

	fg_options_check(given, "other", keys, lengthof(keys));
	if (fg_option_word(given, "sampling", &word))
		other.sampling = fg_sampling_option(&ctx, word);
	if (fg_option_word(given, "predicate", &word))
		other.predicate = fg_predicate_option(&ctx, word);
	fg_option_double(given, "delta", &other.delta);
	fg_option_bool(given, "use_greedy", &other.use_greedy);
	fg_option_bool(given, "use_blocking", &other.use_blocking);
	code = fg_job_options_check(&ctx, &other);
	if (code != NULL)
		fg_throw_option(&ctx, code);
	return other;
}

static void
add_statistics(FgJobCall *call, const FgAttributionDifference *difference, bool over,
			   FgDifferenceMeasure measure)
{
	static const char *const measures[] = {"magnitude", "duration", "area"};
	const FgValueStats *stats = over ? &difference->over[measure] : &difference->under[measure];
	Datum		values[14];
	bool		nulls[14] = {false};

	values[0] = CStringGetTextDatum(over ? "over" : "under");
	values[1] = CStringGetTextDatum(measures[measure]);
	values[2] = Int64GetDatum((int64) difference->samples);
	values[3] = fg_finite(difference->baseline_consumption, "a consumption");
	values[4] = Int64GetDatum((int64) stats->n);
	values[5] = fg_finite(stats->sum, "a difference");
	values[6] = fg_finite_or_null(stats->mean, "a difference", &nulls[6]);
	values[7] = fg_finite_or_null(stats->sd, "a difference", &nulls[7]);
	values[8] = fg_finite_or_null(stats->cv, "a difference", &nulls[8]);
	for (int i = 0; i < 5; i++)
		values[9 + i] = fg_finite_or_null(stats->quartiles[i], "a difference", &nulls[9 + i]);
	fg_job_call_add(call, values, nulls);
}

PG_FUNCTION_INFO_V1(jobs_attribution_difference);
Datum
jobs_attribution_difference(PG_FUNCTION_ARGS)
{
	FgJobCall	call;
	FgJobOptions options;
	FgJobOptions other;
	FgAnalysis	analysis;
	FgAttributionDifference difference;
	uint32		phase_type;
	uint32		resource_type;

	fg_job_call_options(fcinfo, 1, 5, &options);
	other = other_options(fcinfo, 4, &options);
	fg_job_call_begin(fcinfo, &options, &call);
	phase_type = fg_phase_type_named(&call, fg_required_word(fcinfo, 2, "phase_type"));
	resource_type = resource_type_argument(fcinfo, &call, 3);
	must(&call, fg_analysis_begin(&call.ctx, call.job, &other, &analysis) &&
		 fg_attribution_difference(&call.analysis, &analysis, phase_type, resource_type,
								   &difference));
	for (int over = 1; over >= 0; over--)
	{
		for (int measure = 0; measure < FG_DIFFERENCE_MEASURES; measure++)
			add_statistics(&call, &difference, over, (FgDifferenceMeasure) measure);
	}
	return fg_job_call_end(&call);
}
