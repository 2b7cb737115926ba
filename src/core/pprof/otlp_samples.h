/*
 * otlp_samples.h
 *	  Samples of OTLP: what each of them adds to its profile.
 *
 * A sample has values, or times of which each stands for 1, or both.  A value with a time is one
 * of a sample; a value without one is a sum that was made before.  Samples stand together by their
 * stacks, so that the place of a stack is found once; where times are wanted, the samples of a
 * profile are kept until its end, and then put in order.
 *
 * Stacks are numbers in the dictionary of their message (otlp_tables.h), which is known before the
 * first sample.
 */
#ifndef FG_OTLP_SAMPLES_H
#define FG_OTLP_SAMPLES_H

#include "core/pprof/otlp_schema.h"
#include "core/pprof/otlp_tables.h"
#include "core/reading/numbered.h"

/* Where a stack went last. */
typedef struct FgOtlpMet
{
	bool		met;
	FgStackPlace place;
} FgOtlpMet;

/* Whose a sample is. */
typedef struct FgOtlpOrigin
{
	uint64_t	stack;
	FgOtlpText	thread_name;
	bool		has_thread_id;
	int64_t		thread_id;
} FgOtlpOrigin;

/* One that waits for those before it. */
typedef struct FgOtlpKept
{
	uint64_t	time;
	double		value;
	FgOtlpOrigin origin;
} FgOtlpKept;

typedef struct FgOtlpSample
{
	FgOtlpOrigin origin;
	int64_t    *values;
	size_t		value_count;
	size_t		value_room;
	uint64_t   *times;
	size_t		time_count;
	size_t		time_room;
} FgOtlpSample;

/* The profile is set by who reads it (otlp_profiles.c): where samples go, and which one it is for errors. */
typedef struct FgOtlpSamples
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgOtlpTables *tables;
	FgOtlpSchema schema;		/* of the message */
	FgNumbered	numbered;		/* stacks by the numbers of their frames */
	uint64_t	profiles;		/* so far */
	uint64_t	samples;		/* of this one, so far */
	bool		has_zero;
	uint64_t	zero;			/* the first time of all */
	uint32_t	profile;		/* of the result */
	double		period;			/* in nanoseconds, 0: not known */
	FgOtlpMet  *met;			/* by stack */
	FgOtlpKept *kept;
	uint32_t	kept_count;
	size_t		kept_room;
	FgOtlpSample sample;
	FgBuffer	thread;
} FgOtlpSamples;

extern void fg_otlp_samples_begin(FgOtlpSamples *o, FgSink *sink, FgOtlpTables *tables);
extern void fg_otlp_samples_free(FgOtlpSamples *o);

/* The dictionary of a message is there; it is not needed any more. */
extern bool fg_otlp_samples_begin_message(FgOtlpSamples *o, FgOtlpSchema schema);
extern void fg_otlp_samples_end_message(FgOtlpSamples *o);

extern bool fg_otlp_samples_add(FgOtlpSamples *o, FgWire *message);
extern bool fg_otlp_samples_end_profile(FgOtlpSamples *o);

extern bool fg_otlp_is_text(FgOtlpText text, const char *word);

#endif							/* FG_OTLP_SAMPLES_H */
