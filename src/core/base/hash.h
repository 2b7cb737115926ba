/*
 * hash.h
 *	  Hashes for the tables inside the core; no result depends on them.
 *
 * Seeded from the context: a file whose frames or edges all fall into the same
 * slots would take quadratic time, and with a secret seed nobody can write it.
 */
#ifndef FG_HASH_H
#define FG_HASH_H

#include <stdint.h>

/* Multiplies to 128 bits and folds: every input bit reaches every output bit. */
static inline uint64_t
fg_fold_multiply(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t) a * b;

	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

/* A pair of numbers; both are masked by the seed, so neither can be made 0. */
static inline uint32_t
fg_hash_pair(uint64_t seed, uint32_t a, uint32_t b)
{
	uint64_t	h = fg_fold_multiply(((uint64_t) a << 32 | b) ^ seed,
									 seed ^ UINT64_C(0x9E3779B97F4A7C15));

	return (uint32_t) (h ^ h >> 32);
}

#endif							/* FG_HASH_H */
