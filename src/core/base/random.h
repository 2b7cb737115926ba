/*
 * random.h
 *	  Random numbers that are the same everywhere for a seed: xoshiro256** (Blackman and
 *	  Vigna 2021), seeded by splitmix64.
 */
#ifndef FG_RANDOM_H
#define FG_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct FgRandom
{
	uint64_t	state[4];
} FgRandom;

extern void fg_random_seed(FgRandom *random, uint64_t seed);
extern uint64_t fg_random_next(FgRandom *random);

/* Uniform in [0, bound), bound > 0, by rejection. */
extern uint64_t fg_random_below(FgRandom *random, uint64_t bound);

/* Fisher and Yates. */
extern void fg_random_shuffle(FgRandom *random, uint32_t *values, size_t n);

#endif							/* FG_RANDOM_H */
