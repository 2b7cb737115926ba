/*
 * firefox_samples.h
 *	  The samples of a thread of a profile of the Firefox Profiler, and what becomes of them.
 *
 * What stands in the file is kept, in few bits (firefox.c, packed_numbers.h); fg_firefox_add_thread checks it against
 * the tables, and makes events of it.
 */
#ifndef FG_FIREFOX_SAMPLES_H
#define FG_FIREFOX_SAMPLES_H

#include "core/browsers/firefox_stacks.h"
#include "core/reading/json_stream.h"
#include "core/reading/packed_numbers.h"

/* The lists of samples that a thread has. */
typedef enum FgFirefoxList
{
	FG_FIREFOX_SAMPLES,
	FG_FIREFOX_JS_ALLOCATIONS,
	FG_FIREFOX_NATIVE_ALLOCATIONS,
	FG_FIREFOX_LISTS
} FgFirefoxList;

typedef enum FgFirefoxWeight
{
	FG_FIREFOX_WEIGHT_SAMPLES,
	FG_FIREFOX_WEIGHT_MILLISECONDS,
	FG_FIREFOX_WEIGHT_BYTES
} FgFirefoxWeight;

/* false: there is no type of this name. */
extern bool fg_firefox_weight_type(const FgJsonValue *value, FgFirefoxWeight *type);

/* Mostly all are the same, and then one is kept: the first "same" are "first", behind them comes the rest. */
typedef struct FgFirefoxWeights
{
	double		first;
	size_t		same;
	FgPackedDoubles rest;
} FgFirefoxWeights;

static inline size_t
fg_firefox_weight_count(const FgFirefoxWeights *weights)
{
	return weights->same + fg_packed_doubles_count(&weights->rest);
}

extern bool fg_firefox_weights_add(FgContext *ctx, FgFirefoxWeights *weights, const double *numbers, size_t count);

typedef struct FgFirefoxSamples
{
	FgPackedIndices stacks;
	FgPackedDoubles times;
	FgFirefoxWeights weights;
	FgPackedDoubles cpu;
	bool		are_deltas;		/* the times */
	FgFirefoxWeight weight_type;
} FgFirefoxSamples;

typedef struct FgFirefoxThread
{
	FgFirefoxTables *tables;
	FgFirefoxSamples lists[FG_FIREFOX_LISTS];
	FgBuffer	name;
	FgBuffer	pid;
	FgBuffer	tid;
} FgFirefoxThread;

extern void fg_firefox_samples_free(FgContext *ctx, FgFirefoxSamples *list);

/* A number more; NAN: null. */
extern bool fg_firefox_keep_index(FgContext *ctx, FgPackedIndices *numbers, uint32_t number);
extern bool fg_firefox_keep_double(FgContext *ctx, FgPackedDoubles *numbers, double number);

/* What holds for all threads. */
typedef struct FgFirefox
{
	FgSink	   *sink;
	FgContext  *ctx;
	double		interval;		/* milliseconds; 0: unknown */
	double		start;			/* meta.startTime of the whole profile */
	const char *cpu_unit;
	bool		preprocessed;
	bool		time_is_bytes;
	FgFirefoxTables *shared;	/* NULL: none so far */
	uint32_t	number;			/* of threads that stacks were taken of */
	FgBuffer	lane;
	FgFirefoxStacks stacks;
} FgFirefox;

/* "start": meta.startTime of its process. */
extern bool fg_firefox_add_thread(FgFirefox *whole, const FgFirefoxThread *thread,
								  const FgFirefoxLibs *libs, double start);

#endif							/* FG_FIREFOX_SAMPLES_H */
