/*
 * bytes.h
 *	  Little-endian numbers and varints: a growing buffer to write them to and a
 *	  bounded reader that can run over no end.
 *
 * Numbers are taken apart byte by byte, never copied as C structs, so the bytes
 * are the same on every machine.
 */
#ifndef FG_BYTES_H
#define FG_BYTES_H

#include "core/base/context.h"

#include <string.h>

#define FG_VARINT_MAX 10		/* bytes of a 64 bit varint */

typedef struct FgBuffer
{
	FgContext  *ctx;
	uint8_t    *data;
	size_t		size;
	size_t		capacity;
} FgBuffer;

typedef struct FgReader
{
	const uint8_t *next;
	const uint8_t *end;
} FgReader;

/* Room for "more" bytes after buffer->size. */
static inline bool
fg_buffer_room(FgBuffer *buffer, size_t more)
{
	if (buffer->capacity - buffer->size >= more)
		return true;
	if (more > SIZE_MAX / 4 - buffer->size)
		return fg_fail(buffer->ctx, FG_ERROR_LIMIT, "a buffer is too large");
	return fg_reserve(buffer->ctx, (void **) &buffer->data, &buffer->capacity,
					  buffer->size + more, 1);
}

static inline bool
fg_buffer_append(FgBuffer *buffer, const void *bytes, size_t count)
{
	if (!fg_buffer_room(buffer, count))
		return false;
	if (count > 0)
		memcpy(buffer->data + buffer->size, bytes, count);
	buffer->size += count;
	return true;
}

/* The caller has made room for FG_VARINT_MAX bytes. */
static inline void
fg_put_varint(FgBuffer *buffer, uint64_t value)
{
	uint8_t    *to = buffer->data + buffer->size;

	while (value >= 0x80)
	{
		*to++ = (uint8_t) (value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t) value;
	buffer->size = (size_t) (to - buffer->data);
}

static inline bool
fg_append_varint(FgBuffer *buffer, uint64_t value)
{
	if (!fg_buffer_room(buffer, FG_VARINT_MAX))
		return false;
	fg_put_varint(buffer, value);
	return true;
}

static inline size_t
fg_reader_left(const FgReader *reader)
{
	return (size_t) (reader->end - reader->next);
}

/* False at the end, for more than 64 bits and for a longer form than needed. */
static inline bool
fg_read_varint(FgReader *reader, uint64_t *value)
{
	uint64_t	result = 0;

	if (reader->next < reader->end && *reader->next < 0x80)
	{
		*value = *reader->next++;
		return true;
	}
	for (unsigned shift = 0; shift < 64 && reader->next < reader->end; shift += 7)
	{
		uint8_t		byte = *reader->next++;

		if (shift == 63 && byte > 1)
			return false;
		result |= (uint64_t) (byte & 0x7F) << shift;
		if (byte < 0x80)
		{
			*value = result;
			return byte != 0 || shift == 0;
		}
	}
	return false;
}

/* The same for numbers that must fit 32 bits. */
static inline bool
fg_read_varint32(FgReader *reader, uint32_t *value)
{
	uint64_t	wide;

	if (!fg_read_varint(reader, &wide) || wide > UINT32_MAX)
		return false;
	*value = (uint32_t) wide;
	return true;
}

static inline void
fg_store_le(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t) (value >> (8 * i));
}

static inline uint64_t
fg_load_le(const uint8_t *from, unsigned bytes)
{
	uint64_t	value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t) from[i] << (8 * i);
	return value;
}

static inline uint64_t
fg_double_bits(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline double
fg_bits_double(uint64_t bits)
{
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

#endif							/* FG_BYTES_H */
