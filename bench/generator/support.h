/*
 * support.h
 *		What all parts of the generator need: its end when something is wrong, memory, random
 *		numbers, bytes for the output.
 */
#ifndef GENERATOR_SUPPORT_H
#define GENERATOR_SUPPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/random.h"

#define LENGTH(a) ((uint32_t) (sizeof(a) / sizeof((a)[0])))

extern void fail(const char *fmt,...) __attribute__((noreturn, format(printf, 1, 2)));
extern void *xrealloc(void *old, size_t size);

/* "stream" keeps the uses of one seed apart: graph, names, stacks, counts. */
extern void rng_seed(FgRandom *rng, uint64_t seed, uint64_t stream);

/*
 * Uniform in 0 .. n-1, without the bias of a plain modulo (Lemire 2019).  The core's own draw
 * rejects differently and would make other data, with which no older figure compares.
 */
extern uint32_t rng_below(FgRandom *rng, uint32_t n);

/* The least of "times" draws: small numbers are favoured, a cheap power law. */
extern uint32_t rng_skewed(FgRandom *rng, uint32_t n, int times);

extern bool rng_chance(FgRandom *rng, uint32_t per_mille);

typedef struct
{
	unsigned char *data;
	size_t		len;
	size_t		room;
} Buffer;

extern void buffer_add(Buffer *buffer, const void *data, size_t len);
extern void buffer_add_char(Buffer *buffer, char c);
extern void buffer_add_number(Buffer *buffer, uint64_t number);
extern void buffer_write(Buffer *buffer, FILE *file);

#endif							/* GENERATOR_SUPPORT_H */
