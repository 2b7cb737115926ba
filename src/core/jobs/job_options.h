/*
 * job_options.h
 *	  What all analyses of a job have in common to choose.
 */
#ifndef FG_JOB_OPTIONS_H
#define FG_JOB_OPTIONS_H

#include "core/jobs/predicate.h"

typedef enum FgUsageSampling
{
	FG_USAGE_PHASE_AWARE,		/* Algorithm 1: by what the active phases are expected to use */
	FG_USAGE_CONSTANT,			/* the mean of the period */
	FG_USAGE_LINEAR				/* between the ends of periods; needs a slice */
} FgUsageSampling;

typedef struct FgJobOptions
{
	int64_t		slice;			/* microseconds; 0: times stay as they are */
	int64_t		origin;			/* where slices are counted from */
	bool		origin_given;	/* else from the start of the root */
	FgUsageSampling sampling;
	double		delta;			/* 0 < delta <= 1; of resources and rules without their own */
	FgPredicate predicate;		/* of composites whose type has none */
	bool		use_greedy;		/* else greedy rules count as sink */
	bool		use_blocking;	/* else as if there were no blocking resources */
	const FgPredicateFunctions *functions;	/* NULL: predicates cannot be functions */
} FgJobOptions;

#define FG_DEFAULT_JOB_OPTIONS { \
		.sampling = FG_USAGE_PHASE_AWARE, .delta = 0.95, .use_greedy = true, .use_blocking = true}

/* phase_aware, constant or linear; FG_ERROR_ARGUMENT for others. */
extern bool fg_usage_sampling_parse(FgContext *ctx, FgSpan text, FgUsageSampling *sampling);

/*
 * The code of what is wrong with the options (bad_slice, bad_delta, linear_needs_slice),
 * with the error in ctx; NULL when nothing is.
 */
extern const char *fg_job_options_check(FgContext *ctx, const FgJobOptions *options);

#endif							/* FG_JOB_OPTIONS_H */
