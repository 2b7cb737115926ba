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
 * Where hardly any sample has a stack of one before, as in profiles of heaps and in those whose writer has added
 * samples up, looking for it is wasted: a list is kept without, and most of what is left to do for a sample is that
 * copy.  So a stack may be there several times.  Lists whose hash begins with zeros are always looked for, one of
 * FG_PPROF_SPARSE, and tell how many of all would be found: when it is more than a few, all are looked for again.
 * So memory stays within about twice what it takes to keep each stack once.
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

/* Bytes of ids; they never move. */
typedef struct FgPprofBytes
{
	struct FgPprofBytes *next;
	uint8_t		bytes[];
} FgPprofBytes;

/*
 * Stacks that follow each other; none of this ever moves.  The sums are read in another order than the rest.
 * The first block has room for FG_PPROF_FIRST stacks, each other one for twice as many as the one before: what is
 * large lies alone, so that it goes back to the system when it is released, and what is not used is never touched.
 */
#define FG_PPROF_FIRST_BITS 8
#define FG_PPROF_FIRST (1 << FG_PPROF_FIRST_BITS)
#define FG_PPROF_BLOCKS (33 - FG_PPROF_FIRST_BITS)

typedef struct FgPprofBlock
{
	FgPprofStack *stacks;
	double	   *sums;			/* "width" for each */
	FgPprofBytes *ids;			/* of its stacks, the latest first */
} FgPprofBlock;

/* Lists of which so many are taken are all looked for, or one of so many ... */
#define FG_PPROF_TURN 4096
#define FG_PPROF_SPARSE 16

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
	uint32_t	stacks;			/* in the order of their first samples; some may be the same */
	FgPprofBlock blocks[FG_PPROF_BLOCKS];	/* of these */
	size_t		block_count;
	uint64_t   *slots;			/* hash of ids in the high half, number of the stack + 1 in the low; 0 for none */
	uint32_t	mask;
	uint32_t	slots_taken;
	bool		sparse;			/* few lists are looked for */
	uint32_t	turn;			/* lists since that was decided, those that are always looked for ... */
	uint32_t	told;
	uint32_t	found;			/* ... and found */
	uint8_t    *ids_next;		/* room in the latest bytes of ids, of so many bytes */
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

/* No sample will be taken any more. */
extern void fg_pprof_samples_drop_slots(FgPprofSamples *samples);

/* Nobody will ask for ids of this block's stacks any more. */
extern void fg_pprof_samples_drop_ids(FgPprofSamples *samples, size_t block);

/* Nobody will ask for anything of any stack any more, but its sums. */
extern void fg_pprof_samples_drop_stacks(FgPprofSamples *samples);

/* The number of a block's first stack. */
static inline uint32_t
fg_pprof_block_begin(size_t block)
{
	return (uint32_t) (((UINT64_C(1) << block) - 1) << FG_PPROF_FIRST_BITS);
}

/* The number of a block; *at: where a stack stands in it. */
static inline size_t
fg_pprof_block(uint32_t number, uint32_t *at)
{
	uint64_t	place = (uint64_t) number + FG_PPROF_FIRST;
	unsigned	bits = 63 - (unsigned) __builtin_clzll(place);

	*at = (uint32_t) (place - (UINT64_C(1) << bits));
	return bits - FG_PPROF_FIRST_BITS;
}

static inline FgPprofStack *
fg_pprof_stack(const FgPprofSamples *samples, uint32_t number)
{
	uint32_t	at;
	const FgPprofBlock *block = &samples->blocks[fg_pprof_block(number, &at)];

	return block->stacks + at;
}

static inline double *
fg_pprof_sums(const FgPprofSamples *samples, uint32_t number)
{
	uint32_t	at;
	const FgPprofBlock *block = &samples->blocks[fg_pprof_block(number, &at)];

	return block->sums + at * samples->width;
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
