/*
 * jobs_call.h
 *	  What all functions that analyse a job begin and end with: their common arguments, the
 *	  job, and the rows of their result.
 */
#ifndef FG_JOBS_CALL_H
#define FG_JOBS_CALL_H

#include "pg/base/rows.h"
#include "pg/base/values.h"
#include "pg/jobs/user_predicates.h"

#include "core/jobs/analysis.h"

typedef struct FgJobCall
{
	MemoryContext memory;		/* of all below; it goes with the call */
	MemoryContext caller;
	FgContext	ctx;
	const FgJob *job;
	FgJobOptions options;
	FgUserPredicates predicates;
	FgAnalysis	analysis;
	FgRows		rows;
	Datum	   *phase_types;	/* names as texts */
	Datum	   *resource_types;
} FgJobCall;

/* The slice and its origin, checked; all else is the default. */
extern void fg_job_call_slices(FunctionCallInfo fcinfo, int slice, int origin,
							   FgJobOptions *options);

/*
 * job_id is argument 0.  slice is argument "slice"; origin, sampling, delta, predicate,
 * use_greedy and use_blocking are those from "others" on.  What is wrong with them is error
 * 22023, whose DETAIL is the code of section "Validation" and nothing else.
 */
extern void fg_job_call_options(FunctionCallInfo fcinfo, int slice, int others,
								FgJobOptions *options);

/* Reads the job and begins its analysis; the memory context of the call is current then. */
extern void fg_job_call_begin(FunctionCallInfo fcinfo, const FgJobOptions *options,
							  FgJobCall *call);

/* The same for functions that return one value and no rows. */
extern void fg_job_call_open(FunctionCallInfo fcinfo, const FgJobOptions *options,
							 FgJobCall *call);

/* Options and beginning at once, for functions whose arguments are job_id and the common ones. */
extern void fg_job_call(FunctionCallInfo fcinfo, FgJobCall *call);

/* The end: the rows stay, everything else goes.  To be returned. */
extern Datum fg_job_call_end(FgJobCall *call);

/* The index of a type of the job's model; error 22023 for a name that is none. */
extern uint32 fg_phase_type_named(const FgJobCall *call, FgSpan name);
extern uint32 fg_resource_type_named(const FgJobCall *call, FgSpan name);

/* An error of the options, which fg_job_options_check() or a parser has left in ctx. */
pg_noreturn extern void fg_throw_option(const FgContext *ctx, const char *code);

/* Parse the words of options, or throw; a predicate that is a function can be called. */
extern FgUsageSampling fg_sampling_option(FgContext *ctx, FgSpan word);
extern FgPredicate fg_predicate_option(FgContext *ctx, FgSpan word);

extern void fg_job_call_add(FgJobCall *call, Datum *values, bool *nulls);

/* A tick as timestamptz; 22008 when it is none. */
extern Datum fg_tick_datum(const FgJobCall *call, int64 tick);

#define fg_phase_id_datum(call, phase) Int64GetDatum((call)->job->phases[phase].id)
#define fg_resource_id_datum(call, resource) Int64GetDatum((call)->job->resources[resource].id)

/*
 * Rows of step functions: up to two keys, start, end, values.  Neighbours with equal keys and
 * values become one row.
 */
typedef struct FgStepRow
{
	int64		key[2];
	int64		start;			/* ticks */
	int64		end;
	double		value[4];		/* NaN: NULL */
} FgStepRow;

typedef struct FgStepRows
{
	FgJobCall  *call;
	int			keys;
	int			values;
	bool		last_is_count;	/* the last value is an integer */
	bool		pending;
	FgStepRow	row;
} FgStepRows;

extern void fg_step_rows_add(FgStepRows *steps, const FgStepRow *row);
extern void fg_step_rows_end(FgStepRows *steps);

#endif							/* FG_JOBS_CALL_H */
