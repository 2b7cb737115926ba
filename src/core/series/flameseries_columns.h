/*
 * flameseries_columns.h
 *	  A column of a series: the values of one stack in the profiles of one block.
 *
 * A block has at most FG_BLOCK_PROFILES profiles, so that a place in it takes a byte.  In a column
 * that most profiles have, the places take a bit each, and values that lie near each other take
 * few bits: so a count costs about a byte, places included, and a sum of a column reads no places
 * at all.
 *
 * Layout, little-endian:
 *	varint	stacks without a value in the block since the column before, or since the first stack
 *	1 byte	number of values, less 1
 *	places	nothing when all profiles of the block have a value; else, when that is shorter, a
 *			bit for each profile, from the lowest bit of the first byte on, the rest of the last
 *			byte 0; else a byte for each value, increasing
 *	1 byte	low three bits: width w, as 0, 1, 2, 4, 8, 16, 32, 64 bits; high five bits: the least
 *			multiple as zigzag, or 31: that follows as a varint
 *	values	each multiple less the least one, in w bits, from the lowest bit of the first byte
 *			on, the rest of the last byte 0.  w is the smallest that fits
 *	Of doubles (mode 1 of codec.h) the byte is 7, and the values are their bits.
 */
#ifndef FG_FLAMESERIES_COLUMNS_H
#define FG_FLAMESERIES_COLUMNS_H

#include "core/base/bytes.h"

#define FG_BLOCK_PROFILES 256

/* As it lies in the bytes that it was read from. */
typedef struct FgStackColumn
{
	uint32_t	gap;
	uint32_t	count;			/* values */
	uint32_t	profiles;		/* of the block */
	const uint8_t *places;
	const uint8_t *packed;
	int64_t		least;
	unsigned	width;			/* bits of a value */
} FgStackColumn;

/* place[i] and multiple[i], or bits of a double, of the i-th value; places increase. */
extern bool fg_column_append(FgBuffer *buffer, uint32_t gap, uint32_t profiles,
							 const uint8_t *place, const int64_t *multiple, uint32_t count,
							 bool doubles);

/* False when no such column lies there; nothing but its bounds is checked. */
extern bool fg_column_read(FgReader *reader, uint32_t profiles, bool doubles,
						   FgStackColumn *column);

/* False when the places are not as many as values, or not in the block. */
extern bool fg_column_places(const FgStackColumn *column, uint8_t place[FG_BLOCK_PROFILES]);

extern void fg_column_multiples(const FgStackColumn *column, int64_t multiple[FG_BLOCK_PROFILES]);

/* The sum of the multiples; it fits, as each is below 2^53. */
extern int64_t fg_column_sum(const FgStackColumn *column);

/* The sum of those whose places are chosen, of which there are as many flags as FG_BLOCK_PROFILES. */
extern bool fg_column_sum_chosen(const FgStackColumn *column, const bool *chosen, int64_t *sum);

/*
 * Adds the sums of the columns that follow to those of their stacks, sums[*next] being that of the
 * stack that a gap of 0 means.  It stops in front of a column that is not of the common kind or is
 * damaged, of one near the end of the bytes, and after some hundred: fg_column_read takes the next
 * one.  Returns how many values there were.
 */
extern size_t fg_column_sums(FgReader *reader, uint32_t profiles, uint32_t stacks, uint64_t *next,
							 double *sums);

#endif							/* FG_FLAMESERIES_COLUMNS_H */
