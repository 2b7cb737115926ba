/*
 * jobs_profile.c
 *	  A job as a profile: job_profile().
 */
#include "pg/jobs/jobs_call.h"

#include "core/bottlenecks/job_profile.h"
#include "pg/base/arguments.h"

PG_FUNCTION_INFO_V1(jobs_job_profile);
Datum
jobs_job_profile(PG_FUNCTION_ARGS)
{
	FgContext	outside = fg_current_context();
	FgJobCall	call;
	FgJobOptions options;
	FgJobProfileOptions profile = {.resource_type = FG_NONE};
	FgTree		tree;
	Datum		result;

	fg_must(&outside, fg_job_measure_parse(&outside, fg_required_word(fcinfo, 1, "measure"),
										   &profile.measure));
	profile.instances = DatumGetBool(fg_required(fcinfo, 3, "instances"));
	fg_job_call_options(fcinfo, 4, 5, &options);
	fg_job_call_open(fcinfo, &options, &call);
	if (!PG_ARGISNULL(2))
		profile.resource_type = fg_resource_type_named(&call, PG_GETARG_SPAN(2));
	fg_must(&call.ctx, fg_job_profile(&call.analysis, &profile, &tree));
	result = fg_tree_datum(&outside, &tree);
	fg_job_call_end(&call);
	return result;
}
