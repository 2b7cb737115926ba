/*
 * jobs_suggest.c
 *	  Rules that fit the measurements: suggest_rules().
 */
#include "pg/jobs/jobs_call.h"

#include <inttypes.h>

#include "utils/builtins.h"

#include "core/attribution/suggest.h"
#include "pg/base/arguments.h"

static uint32
positive_argument(FunctionCallInfo fcinfo, int argument, const char *name, const char *hint)
{
	int32		number = DatumGetInt32(fg_required(fcinfo, argument, name));

	if (number < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1", name), errdetail("bad_sampling"),
				 errhint("%s", hint)));
	return (uint32) number;
}

static bool
add_suggestion(void *arg, const FgSuggestion *suggestion)
{
	static const char *const words[] = {"none", "full", "greedy", "sink"};
	FgJobCall  *call = arg;
	Datum		values[6];
	bool		nulls[6] = {false};

	values[0] = call->phase_types[suggestion->phase_type];
	values[1] = call->resource_types[suggestion->resource_type];
	values[2] = CStringGetTextDatum(words[suggestion->kind]);
	nulls[3] = suggestion->kind != FG_RULE_GREEDY;
	values[3] = Float8GetDatum(suggestion->cap);
	values[4] = fg_finite(suggestion->error_now, "a sampling error");
	values[5] = fg_finite(suggestion->error_suggested, "a sampling error");
	fg_job_call_add(call, values, nulls);
	return true;
}

PG_FUNCTION_INFO_V1(jobs_suggest_rules);
Datum
jobs_suggest_rules(PG_FUNCTION_ARGS)
{
	FgSuggestLimits limits = {.type = FG_NONE};
	FgJobOptions options;
	FgJobCall	call;
	uint64_t	tried;

	limits.factor = positive_argument(fcinfo, 1, "factor", "So many measurements are made one.");
	limits.most = positive_argument(fcinfo, 3, "evaluations", "So many sets of rules are tried.");
	fg_job_call_options(fcinfo, 4, 5, &options);
	/* as sampling_error() has it: constant samples know no rules */
	options.sampling = FG_USAGE_PHASE_AWARE;
	fg_job_call_begin(fcinfo, &options, &call);
	if (!PG_ARGISNULL(2))
		limits.type = fg_resource_type_named(&call, fg_required_word(fcinfo, 2, "of_type"));
	fg_must(&call.ctx,
			fg_suggest_rules(&call.analysis, &limits, add_suggestion, &call, &tried));
	ereport(NOTICE,
			(errmsg("%" PRIu64 " sets of rules were tried", tried),
			 tried >= limits.most ? errhint("There may be better ones: raise evaluations.") : 0));
	return fg_job_call_end(&call);
}
