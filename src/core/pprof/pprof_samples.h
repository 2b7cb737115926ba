/*
 * pprof_samples.h
 *	  The samples of a pprof profile, added up by their stacks while they come in.
 *
 * A sample is a list of ids of locations and a value for each sample type.  What the ids stand
 * for, and how many types there are, may come before or behind it.  So the bytes of each
 * distinct list are kept, once, with the sums of its values; memory goes with the stacks and not
 * with the samples.  (A tree of locations would share what stacks share, but its nodes take more
 * than the few bytes of the ids that they stand for.)
 *
 * Where a list stands among those there are is a place in a table that is in no cache when they are
 * many.  So some samples wait for it together (fg_pprof_samples_finish: there are no more).
 *
 * What is wrong with a sample may only be said when the message is known to be whole and what
 * comes before it is right, too: the first such fault is kept, and samples behind it
 * do not count any more.
 */
#ifndef FG_PPROF_SAMPLES_H
#define FG_PPROF_SAMPLES_H

#include "core/profile/names.h"
#include "core/reading/wire.h"

/* Sample types: no profiler has so many, a hostile file may. */
#define FG_PPROF_MAX_TYPES 1000

/* A stack that samples have, in the order of their first ones. */
typedef struct FgPprofStack
{
	uint64_t	first;			/* sample that has it, from 0 */
	uint64_t	samples;
} FgPprofStack;

typedef enum FgPprofFault
{
	FG_PPROF_RIGHT,
	FG_PPROF_VALUES,			/* not as many values as the first sample */
	FG_PPROF_INEXACT			/* a value that no double is */
} FgPprofFault;

/* So many samples wait at most, and for less time if their lists are long. */
#define FG_PPROF_WAITING 32
#define FG_PPROF_WAITING_BYTES 65536

/* A sample that is to be added to its stack. */
typedef struct FgPprofWaiting
{
	uint64_t	number;			/* of the sample, from 0 */
	size_t		start;			/* of its list in those that wait */
	size_t		size;
	uint32_t	hash;
	uint32_t	values;			/* how many of them count */
	bool		again;			/* its list is that of the sample before */
} FgPprofWaiting;

typedef struct FgPprofSamples
{
	FgContext  *ctx;
	uint64_t	count;
	uint64_t	labels;			/* of samples without fault, and of the first with one */
	FgNames		ids;			/* of each stack, as they stand in the message */
	FgPprofStack *stacks;
	size_t		stack_room;
	size_t		width;			/* how many values the first sample has */
	double	   *sums;			/* "width" for each stack */
	size_t		sums_room;
	uint64_t   *added;			/* "width": values that were added, and ... */
	uint64_t   *added_bare;		/* ... those without a stack; NULL before the first sample */

	FgPprofFault fault;
	uint64_t	fault_sample;
	size_t		fault_value;	/* which one, or how many */
	int64_t		inexact;

	/* the sample that is read */
	FgWire		list;			/* of ids */
	FgBuffer	joined;			/* of several lists */
	int64_t    *values;			/* room for FG_PPROF_MAX_TYPES */
	size_t		value_count;

	/* those that wait */
	FgPprofWaiting waiting[FG_PPROF_WAITING];
	size_t		waiting_count;
	FgBuffer	waiting_ids;
	double	   *waiting_values;	/* "width" for each */
	uint32_t	stack;			/* of the last one that has been added */
} FgPprofSamples;

extern bool fg_pprof_samples_begin(FgContext *ctx, FgPprofSamples *samples);
extern void fg_pprof_samples_free(FgPprofSamples *samples);

/* Takes the message of a sample. */
extern bool fg_pprof_samples_take(FgPprofSamples *samples, FgWire *message);

/* Adds those that wait: all have been taken. */
extern bool fg_pprof_samples_finish(FgPprofSamples *samples);

/* What the stacks take, about. */
extern uint64_t fg_pprof_samples_bytes(const FgPprofSamples *samples);

/* The ids of a stack, the innermost first: varints that are known to end. */
static inline FgReader
fg_pprof_stack_ids(const FgPprofSamples *samples, uint32_t stack)
{
	const uint8_t *ids = (const uint8_t *) samples->ids.bytes + samples->ids.offset[stack];

	return (FgReader) {ids, ids + samples->ids.length[stack]};
}

#endif							/* FG_PPROF_SAMPLES_H */
