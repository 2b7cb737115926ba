/*
 * jobs_stragglers.c
 *	  stragglers(): phases that take longer than their siblings.
 */
#include "pg/jobs/jobs_call.h"

#include <math.h>

#include "core/jobs/stragglers.h"
#include "pg/base/arguments.h"

static bool
add_straggler(void *arg, const FgStraggler *straggler)
{
	FgJobCall  *call = arg;
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = fg_phase_id_datum(call, straggler->phase);
	values[1] = fg_phase_id_datum(call, straggler->parent);
	values[2] = Float8GetDatum(straggler->duration);
	values[3] = Float8GetDatum(straggler->median);
	values[4] = fg_number_or_null(straggler->ratio, &nulls[4]);
	fg_job_call_add(call, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_stragglers);
Datum
jobs_stragglers(PG_FUNCTION_ARGS)
{
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;
	double		threshold = fg_required_number(fcinfo, 2, "threshold");
	FgJobCall	call;
	uint32		type = FG_NONE;

	if (!(threshold >= 0 && isfinite(threshold)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("threshold must be finite and not negative"),
				 errhint("0.1 stands for 10 %% above the median.")));
	fg_job_call_begin(fcinfo, &options, &call);
	if (!PG_ARGISNULL(1))
		type = fg_phase_type_named(&call, PG_GETARG_SPAN(1));
	fg_must(&call.ctx,
			fg_stragglers(&call.ctx, call.job, type, threshold, add_straggler, &call));
	return fg_job_call_end(&call);
}
