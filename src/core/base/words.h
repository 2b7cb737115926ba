/*
 * words.h
 *	  Eight bytes at once.
 */
#ifndef FG_WORDS_H
#define FG_WORDS_H

#include "core/base/bytes.h"

/*
 * The same as fg_load_le(from, 8).  Compilers see one load in its eight shifts, but not where it is
 * inlined into a loop.
 */
static inline uint64_t
fg_load_word(const void *from)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t	word;

	memcpy(&word, from, sizeof(word));
	return word;
#else
	return fg_load_le(from, 8);
#endif
}

/* Fewer than eight bytes, as a number. */
static inline uint64_t
fg_load_short(const void *from, size_t length)
{
	const uint8_t *bytes = from;
	uint64_t	word = 0;

	for (size_t i = 0; i < length; i++)
		word |= (uint64_t) bytes[i] << (8 * i);
	return word;
}

#endif							/* FG_WORDS_H */
