/*
 * unit.h
 *	  A small harness for the unit tests of the core.
 *
 * A test program is a list of cases.  unit_case() names the next one; checks
 * belong to it, and it has passed when none of them failed.  unit_finish() prints
 * "N passed, N failed" and gives the exit status.  A failure prints file, line and
 * case, and for random tests the note (seed and round) that repeats it.
 */
#ifndef UNIT_H
#define UNIT_H

#include "core/base/bytes.h"
#include "core/profile/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * All tests are linked into one program (run.c), which calls the main() of each
 * by its file's name.
 */
#ifdef UNIT_MAIN
#define main UNIT_MAIN
extern int	main(void);
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern void unit_case(const char *format,...) __attribute__((format(printf, 1, 2)));
extern void unit_note(const char *format,...) __attribute__((format(printf, 1, 2)));
extern int	unit_finish(void);

extern bool unit_check(bool ok, const char *file, int line, const char *what);
extern bool unit_check_count(uint64_t got, uint64_t expected, const char *file, int line,
							 const char *what);
extern bool unit_check_double(double got, double expected, const char *file, int line,
							  const char *what);
extern bool unit_check_bytes(const void *got, size_t size, const void *expected,
							 size_t expected_size, const char *file, int line, const char *what);

#define CHECK(condition) unit_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_COUNT(got, expected) \
	unit_check_count((got), (expected), __FILE__, __LINE__, #got)
/* Equal, not nearly; NaN equals NaN, 0 differs from -0. */
#define CHECK_DOUBLE(got, expected) \
	unit_check_double((got), (expected), __FILE__, __LINE__, #got)
#define CHECK_NEAR(got, expected, relative) \
	unit_check(unit_near((got), (expected), (relative)), __FILE__, __LINE__, #got " ~ " #expected)
#define CHECK_BYTES(got, size, expected, expected_size) \
	unit_check_bytes((got), (size), (expected), (expected_size), __FILE__, __LINE__, #got)
#define CHECK_TEXT(got, size, expected) \
	CHECK_BYTES(got, size, expected, strlen(expected))
/* The call failed, with this code. */
#define CHECK_ERROR(call, ctx, expected) \
	((void) (CHECK(!(call)) && CHECK_COUNT((ctx)->error.code, (expected))))

extern bool unit_near(double got, double expected, double relative);

/*
 * Memory of the tests.  Blocks begin with garbage, move with every resize
 * and are counted; the fail_at-th allocation (a resize is one) returns NULL, the
 * cancel_at-th poll of the interrupt hook returns true; 0 means never.
 */
typedef struct UnitMemory
{
	size_t		blocks;
	size_t		bytes;			/* in all, released or not */
	size_t		allocations;
	size_t		fail_at;
	size_t		polls;
	size_t		cancel_at;
} UnitMemory;

extern FgContext unit_context(UnitMemory *memory);

/*
 * An operation under test: frees all it allocated, whether it succeeds or not.
 */
typedef bool (*UnitOperation) (FgContext *ctx, void *arg);

/*
 * Runs an operation with its first, second, ... allocation failing until it needs
 * no more: each time it must fail with FG_ERROR_MEMORY and leave nothing behind.
 */
extern void unit_sweep_memory(const char *name, UnitOperation operation, void *arg);

/*
 * The same with the interrupt hook and FG_ERROR_CANCELLED; the operation has to
 * poll at least min_polls times.  Tries ever fewer of the later polls, and under the
 * sanitizers (UNIT_SWEEPS=few) each one four times as late as the last.
 */
extern void unit_sweep_interrupts(const char *name, UnitOperation operation, void *arg,
								  size_t min_polls);

/*
 * How many of so many rounds with random input are gone through: all, or a fifth
 * where each takes ten times as long, under the sanitizers (UNIT_SWEEPS=few).
 */
extern int	unit_rounds(int rounds);

/* The same for places of a text that are tried one after the other: what is between two of them. */
extern size_t unit_stride(size_t stride);

/* Random numbers that are the same everywhere (splitmix64). */
typedef struct UnitRandom
{
	uint64_t	state;
} UnitRandom;

extern uint64_t unit_random(UnitRandom *random);
extern uint32_t unit_below(UnitRandom *random, uint32_t limit);

#endif							/* UNIT_H */
