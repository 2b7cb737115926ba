/*
 * jfr_bytes.h
 *	  The bytes of a binary Flight Recorder file: numbers, and errors that say where.
 *
 * Whole numbers are compressed: seven bits a byte, the lowest first, and the ninth byte
 * has eight.  So every 64 bits are a number, and no number is longer than nine bytes.  What
 * is not compressed (the header of a chunk, floating point numbers) is big-endian.
 */
#ifndef FG_JFR_BYTES_H
#define FG_JFR_BYTES_H

#include "core/base/bytes.h"

#include <inttypes.h>

#define FG_JFR_MAX_NUMBER 9

typedef struct FgJfrBytes
{
	FgContext  *ctx;
	const uint8_t *next;
	const uint8_t *end;
	const uint8_t *start;
	uint64_t	place;			/* of "start" in the file */
} FgJfrBytes;

static inline FgJfrBytes
fg_jfr_bytes(FgContext *ctx, const uint8_t *start, size_t size, uint64_t place)
{
	return (FgJfrBytes) {ctx, start, start + size, start, place};
}

static inline size_t
fg_jfr_left(const FgJfrBytes *bytes)
{
	return (size_t) (bytes->end - bytes->next);
}

/* An error at this byte of the file, from 0; people count from 1. */
static inline bool
fg_jfr_broken_at(FgContext *ctx, uint64_t place, const char *what)
{
	return fg_fail_at(ctx, FG_ERROR_SYNTAX, 0, 0,
					  "The file may be damaged; the JDK's \"jfr summary\" checks it.",
					  "byte %" PRIu64 " of the recording: %s", place + 1, what);
}

/* The same where reading has come to. */
static inline bool
fg_jfr_broken(const FgJfrBytes *bytes, const char *what)
{
	return fg_jfr_broken_at(bytes->ctx, bytes->place + (uint64_t) (bytes->next - bytes->start), what);
}

static inline uint64_t
fg_jfr_big_endian(const uint8_t *from, unsigned count)
{
	uint64_t	value = 0;

	for (unsigned i = 0; i < count; i++)
		value = value << 8 | from[i];
	return value;
}

/* False at the end, without an error. */
static inline bool
fg_jfr_take_number(FgJfrBytes *bytes, uint64_t *value)
{
	const uint8_t *next = bytes->next;
	uint64_t	result;

	*value = 0;
	if (next >= bytes->end)
		return false;
	result = *next & 0x7F;
	for (unsigned shift = 7; *next++ >= 0x80; shift += 7)
	{
		if (next >= bytes->end)
			return false;
		if (shift == 56)
		{
			result |= (uint64_t) *next++ << 56;
			break;
		}
		result |= (uint64_t) (*next & 0x7F) << shift;
	}
	bytes->next = next;
	*value = result;
	return true;
}

static inline bool
fg_jfr_number(FgJfrBytes *bytes, uint64_t *value)
{
	return fg_jfr_take_number(bytes, value) || fg_jfr_broken(bytes, "a number is cut off");
}

/* How many of something follow that take a byte each, or more. */
static inline bool
fg_jfr_count(FgJfrBytes *bytes, uint64_t *count)
{
	if (!fg_jfr_number(bytes, count))
		return false;
	/* counts are written as 32 bits */
	*count &= UINT32_MAX;
	return *count <= fg_jfr_left(bytes) || fg_jfr_broken(bytes, "a list is longer than what holds it");
}

static inline bool
fg_jfr_skip(FgJfrBytes *bytes, uint64_t count)
{
	if (count > fg_jfr_left(bytes))
		return fg_jfr_broken(bytes, "a value is cut off");
	bytes->next += count;
	return true;
}

#endif							/* FG_JFR_BYTES_H */
