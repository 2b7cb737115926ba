/*
 * hash.h
 *	  Hashes for the tables inside the core; no result depends on them.
 *
 * Seeded from the context: a file whose frames or edges all fall into the same
 * slots would take quadratic time, and with a secret seed nobody can write it.
 */
#ifndef FG_HASH_H
#define FG_HASH_H

#include "core/base/words.h"

/* Multiplies to 128 bits and folds: every input bit reaches every output bit. */
static inline uint64_t
fg_fold_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__uint128_t product = (__uint128_t) a * b;

	return (uint64_t) product ^ (uint64_t) (product >> 64);
#else
	/* compilers for 32 bits have no such type: a0 + 2^32 a1 by b0 + 2^32 b1 */
	uint64_t	a0 = (uint32_t) a;
	uint64_t	a1 = a >> 32;
	uint64_t	b0 = (uint32_t) b;
	uint64_t	b1 = b >> 32;
	uint64_t	middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t	carry = a0 * b1 + (uint32_t) middle;

	return a * b ^ (a1 * b1 + (middle >> 32) + (carry >> 32));
#endif
}

/* A pair of numbers; both are masked by the seed, so neither can be made 0. */
static inline uint32_t
fg_hash_pair(uint64_t seed, uint32_t a, uint32_t b)
{
	uint64_t	h = fg_fold_multiply(((uint64_t) a << 32 | b) ^ seed,
									 seed ^ UINT64_C(0x9E3779B97F4A7C15));

	return (uint32_t) (h ^ h >> 32);
}

/* The last words may overlap those before, so that no length takes a loop over bytes. */
static inline uint32_t
fg_hash_bytes(uint64_t seed, const void *bytes, size_t length)
{
	uint64_t	secret = seed ^ UINT64_C(0x9E3779B97F4A7C15);
	uint64_t	h = fg_fold_multiply(seed ^ length, secret);
	const uint8_t *p = bytes;
	const uint8_t *end = p + length;

	for (; end - p > 16; p += 16)
		h = fg_fold_multiply(fg_load_word(p) ^ h, fg_load_word(p + 8) ^ secret);
	if (length >= 16)
		h = fg_fold_multiply(fg_load_word(end - 16) ^ h, fg_load_word(end - 8) ^ secret);
	else if (length >= 8)
		h = fg_fold_multiply(fg_load_word(p) ^ h, fg_load_word(end - 8) ^ secret);
	else
		h = fg_fold_multiply(fg_load_short(p, length) ^ h, secret);
	return (uint32_t) (h >> 32 ^ h);
}

#endif							/* FG_HASH_H */
