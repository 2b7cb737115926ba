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

#endif							/* FG_WORDS_H */
