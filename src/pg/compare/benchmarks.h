/*
 * benchmarks.h
 *	  Profiles with the cost of their runs and the benchmarks they are of, as arrays of
 *	  one length.
 */
#ifndef FG_BENCHMARKS_H
#define FG_BENCHMARKS_H

#include "pg/base/values.h"

#include "core/compare/correlation.h"
#include "core/samples/profiles.h"

typedef struct FgBenchmarks
{
	FgProfiles	profiles;
	FgRuns		runs;
	FgFrames	names;			/* of the benchmarks, bytewise; none: all are one */
} FgBenchmarks;

/*
 * flamegraph[], float8[] and text[] arguments.  Errors: 2202E for unequal lengths, 22004
 * for a null profile or benchmark.  A null for all benchmarks is one without a name; a
 * null metric drops its profile.
 */
extern FgBenchmarks fg_benchmarks_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int profiles,
											int metric, int benchmark_of);

/* The words method, missing and combine, min_profiles; an argument below 0 is not there. */
extern FgCorrelationOptions fg_correlation_arguments(FgContext *ctx, FunctionCallInfo fcinfo,
													 int method, int min_profiles, int missing,
													 int combine);

/*
 * The metric of a level: rows are about functions, or with node about calling contexts; the
 * potentials of a degree lie between self and frame, which total is another word for.
 */
extern uint32_t fg_correlation_level(FunctionCallInfo fcinfo, int argument);

/* The number of what the caller named, FG_NONE when it never occurs. */
extern uint32_t fg_observed_name(FgContext *ctx, const FgObservations *all, FgSpan name);

#endif							/* FG_BENCHMARKS_H */
