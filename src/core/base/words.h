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

/* Sixteen bytes of two texts at once. */
static inline bool
fg_same_words(const uint8_t *a, const uint8_t *b)
{
	return ((fg_load_word(a) ^ fg_load_word(b)) | (fg_load_word(a + 8) ^ fg_load_word(b + 8))) == 0;
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
		return ((fg_load_word(x) ^ fg_load_word(y)) | (fg_load_word(x + length - 8) ^ fg_load_word(y + length - 8))) == 0;
	/* by two words, as a hash goes: how often then is easier to guess for a processor */
	for (size_t i = 0; i + 16 < length; i += 16)
	{
		if (!fg_same_words(x + i, y + i))
			return false;
	}
	return fg_same_words(x + length - 16, y + length - 16);
}

#endif							/* FG_WORDS_H */
