/*
 * job_options.c
 *	  Checks of what users choose (see job_options.h).
 */
#include "core/jobs/job_options.h"

#include "core/base/choice.h"
#include "core/jobs/intervals.h"

bool
fg_usage_sampling_parse(FgContext *ctx, FgSpan text, FgUsageSampling *sampling)
{
	static const char *const words[] = {"phase_aware", "constant", "linear"};
	static const FgChoice choice = {
		"sampling", "Available: phase_aware, constant, linear.", words, 3
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text.bytes, text.size, &place))
		return false;
	*sampling = (FgUsageSampling) place;
	return true;
}

const char *
fg_job_options_check(FgContext *ctx, const FgJobOptions *options)
{
	if (options->slice > FG_MAX_TICKS)
	{
		fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
				   "Give one that is shorter than what is analysed; without one, times stay as "
				   "they are.", "slice is longer than any job");
		return "bad_slice";
	}
	if (options->slice < 0)
	{
		fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
				   "A slice is a fixed time of at least a microsecond; without one, times stay "
				   "as they are.", "slice must be positive");
		return "bad_slice";
	}
	if (!(options->delta > 0 && options->delta <= 1))
	{
		fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
				   "It is the fraction of a capacity from which on a resource is a bottleneck.",
				   "delta must be above 0 and at most 1");
		return "bad_delta";
	}
	if (options->sampling == FG_USAGE_LINEAR && options->slice == 0)
	{
		fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
				   "Between two measurements the usage changes all the time; give the slice in "
				   "which it is to be constant.", "linear sampling needs a slice");
		return "linear_needs_slice";
	}
	return NULL;
}
