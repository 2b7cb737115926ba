/*
 * writers.h
 *		A recording as bytes, in each of the formats; its figures.
 */
#ifndef GENERATOR_WRITERS_H
#define GENERATOR_WRITERS_H

#include "world.h"

typedef enum
{
	FORMAT_FOLDED,				/* "stack value" lines */
	FORMAT_PPROF,				/* profile.proto, not compressed */
	FORMAT_ROWS,				/* for COPY: profile, stack, value */
	FORMAT_COPY					/* for COPY: profile, folded text */
} Format;

extern void write_profile(const Profile *profile, const World *world, Format format,
						  uint64_t profile_seed, Buffer *buffer);

/* To stderr. */
extern void print_facts(const Profile *profile, const World *world, uint64_t profile_seed);

#endif							/* GENERATOR_WRITERS_H */
