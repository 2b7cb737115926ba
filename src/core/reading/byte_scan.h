/*
 * byte_scan.h
 *	  Looking for a byte of some kinds, eight bytes at a time; for tokenizers.
 *
 * A word behind the last byte of the text can be read, and some byte there is one that is looked for.
 */
#ifndef FG_BYTE_SCAN_H
#define FG_BYTE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/words.h"

#define FG_EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (uint8_t) (byte))
#define FG_HIGH_BITS FG_EACH_BYTE(0x80)

/* The first eight bytes of a text, behind which a word more can be read; zeros behind a shorter one. */
static inline uint64_t
fg_first_bytes(const char *text, size_t length)
{
	uint64_t	word = fg_load_word(text);

	if (length >= sizeof(word))
		return word;
	return length > 0 ? word & ~UINT64_C(0) >> (64 - 8 * length) : 0;
}

/*
 * The first byte that is one of three (FG_EACH_BYTE) or a control character; "high": any above 0x7F before it?
 *
 * A byte below 0x80 is such a one if subtracting sets its high bit: 1 from what tells it from one of the three,
 * or 0x20.  Borrows set high bits of later bytes only.
 */
__attribute__((always_inline))
static inline const uint8_t *
fg_find_special(const uint8_t *at, uint64_t a, uint64_t b, uint64_t c, bool *high)
{
	for (;; at += sizeof(uint64_t))
	{
		uint64_t	word = fg_load_word(at);
		uint64_t	special = (((word ^ a) - FG_EACH_BYTE(1)) | ((word ^ b) - FG_EACH_BYTE(1)) |
							   ((word ^ c) - FG_EACH_BYTE(1)) | (word - FG_EACH_BYTE(0x20))) & ~word & FG_HIGH_BITS;

		if (special != 0)
		{
			/* what is below the lowest bit belongs to bytes in front of it */
			*high |= (word & FG_HIGH_BITS & ~special & (special - 1)) != 0;
			return at + __builtin_ctzll(special) / 8;
		}
		*high |= (word & FG_HIGH_BITS) != 0;
	}
}

/* Puts a character as UTF-8, and returns where it ends. */
static inline char *
fg_put_utf8(char *to, uint32_t code)
{
	if (code < 0x80)
	{
		*to++ = (char) code;
		return to;
	}
	if (code < 0x800)
		*to++ = (char) (0xC0 | code >> 6);
	else
	{
		if (code < 0x10000)
			*to++ = (char) (0xE0 | code >> 12);
		else
		{
			*to++ = (char) (0xF0 | code >> 18);
			*to++ = (char) (0x80 | (code >> 12 & 0x3F));
		}
		*to++ = (char) (0x80 | (code >> 6 & 0x3F));
	}
	*to++ = (char) (0x80 | (code & 0x3F));
	return to;
}

#endif							/* FG_BYTE_SCAN_H */
