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

#include "core/reading/wire.h"

/* Sample types: no profiler has so many, a hostile file may. */
#define FG_PPROF_MAX_TYPES 1000

/* A stack that samples have. */
typedef struct FgPprofStack
{
	uint64_t	first;			/* sample that has it, from 0 */
	uint64_t	samples;
	const uint8_t *ids;			/* as they stand in the message */
	size_t		size;			/* of these, in bytes */
} FgPprofStack;

/* Stacks that follow each other; none of this ever moves.  The sums are read in another order than the rest. */
#define FG_PPROF_BLOCK 256
typedef struct FgPprofBlock
{
	FgPprofStack *stacks;
	double	   *sums;			/* "width" for each */
} FgPprofBlock;

/* Bytes of ids; they never move. */
typedef struct FgPprofBytes
{
	struct FgPprofBytes *next;
	uint8_t		bytes[];
} FgPprofBytes;

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
	bool		again;			/* its list is that of the sample before */
} FgPprofWaiting;

typedef struct FgPprofSamples
{
	FgContext  *ctx;
	uint64_t	count;
	uint64_t	labels;			/* of samples without fault, and of the first with one */
	uint32_t	stacks;			/* in the order of their first samples */
	FgPprofBlock *blocks;		/* of these */
	size_t		block_count;
	size_t		block_room;
	uint64_t   *slots;			/* hash of ids in the high half, number of the stack + 1 in the low; 0 for none */
	uint32_t	mask;
	FgPprofBytes *ids;			/* the latest first */
	uint8_t    *ids_next;		/* room in that, of so many bytes */
	size_t		ids_left;
	uint64_t	ids_size;		/* of all ids */
	size_t		width;			/* how many values the first sample has */
	uint64_t   *added;			/* "width": values that were added, and ... */
	uint64_t   *added_bare;		/* ... those without a stack; NULL before the first sample */

	bool		has_fault;		/* a sample has not as many values as the first one */
	uint64_t	fault_sample;
	size_t		fault_values;

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

/* Nobody will ask for ids any more. */
extern void fg_pprof_samples_drop_ids(FgPprofSamples *samples);

static inline FgPprofStack *
fg_pprof_stack(const FgPprofSamples *samples, uint32_t number)
{
	return samples->blocks[number / FG_PPROF_BLOCK].stacks + number % FG_PPROF_BLOCK;
}

static inline double *
fg_pprof_sums(const FgPprofSamples *samples, uint32_t number)
{
	return samples->blocks[number / FG_PPROF_BLOCK].sums + number % FG_PPROF_BLOCK * samples->width;
}

/* Has it a value of this type?  A sample without one counts where there is no other type. */
static inline bool
fg_pprof_has(const FgPprofSamples *samples, uint32_t number, size_t type)
{
	return samples->width == 1 || fg_pprof_sums(samples, number)[type] != 0;
}

/* The ids of a stack, the innermost first: varints that are known to end. */
static inline FgReader
fg_pprof_stack_ids(const FgPprofStack *stack)
{
	return (FgReader) {stack->ids, stack->ids + stack->size};
}

#endif							/* FG_PPROF_SAMPLES_H */
