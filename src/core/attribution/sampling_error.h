/*
 * sampling_error.h
 *	  How well usage can be restored from rarer measurements (Hegeman 2024, 5.5.1.3).
 *
 * The measurements at hand are the truth.  So many consecutive ones, without a gap, are made
 * one, which is sampled again; the samples are compared over each of the first ones.
 */
#ifndef FG_SAMPLING_ERROR_H
#define FG_SAMPLING_ERROR_H

#include "core/attribution/upsample.h"

/* Of all resources of one type, weighted by the duration of measurements. */
typedef struct FgSamplingError
{
	uint32_t	type;
	FgUsageSampling sampling;	/* constant or phase-aware */
	uint32_t	factor;
	double		average_error;
	double		average_usage;
	double		relative_error; /* NaN where nothing was used */
} FgSamplingError;

typedef bool (*FgSamplingErrorEmit) (void *arg, const FgSamplingError *error);

/*
 * For each factor, at least 1, and each resource type that has measurements during the
 * job; or for one type (FG_NONE: all).  By type, sampling, and in the order of the factors.
 */
extern bool fg_sampling_errors(const FgAnalysis *analysis, const uint32_t *factors,
							   uint32_t count, uint32_t type, FgSamplingErrorEmit emit,
							   void *arg);

#endif							/* FG_SAMPLING_ERROR_H */
