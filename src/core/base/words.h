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

static inline bool
fg_same_word(const void *a, const void *b)
{
	return fg_load_word(a) == fg_load_word(b);
}

/*
 * Whether two texts of one length are the same, for short ones that mostly are: a call of memcmp would take
 * longer.  The last words may overlap those before.
 */
static inline bool
fg_same_bytes(const void *a, const void *b, size_t length)
{
	const uint8_t *x = a;
	const uint8_t *y = b;

	if (length < 8)
		return fg_load_short(x, length) == fg_load_short(y, length);
	if (length < 16)
		return fg_same_word(x, y) && fg_same_word(x + length - 8, y + length - 8);
	/* by two words, as a hash goes: how often then is easier to guess for a processor */
	for (size_t i = 0; i + 16 < length; i += 16)
	{
		if (!(fg_same_word(x + i, y + i) & fg_same_word(x + i + 8, y + i + 8)))
			return false;
	}
	return fg_same_word(x + length - 16, y + length - 16) & fg_same_word(x + length - 8, y + length - 8);
}

#endif							/* FG_WORDS_H */
