/*
 * flameseries_codec.h
 *	  The encoded form of a series, layout version 1: the bytes on disk, on the wire and in the
 *	  packed text form.
 *
 * Little-endian, no alignment, no padding; varints and zigzag as in codec.h.
 *
 *	offset	size
 *	0		1	version = 1
 *	1		1	low four bits: value mode; high four bits: decimal digits (codec.h)
 *	2		1	flags: 1 = section SUMS is empty, because a sum does not fit a double
 *	3		1	0
 *	4		4	profiles
 *	8		4	values
 *	12		4	stacks of TREE
 *	16		8	time of the first profile, 0 when there is none
 *	24		8	time of the last one
 *	32		8	unit: double, a positive whole number (1 in mode 1)
 *	40		8	total: sum of all values (double, infinite when it does not fit)
 *	48		4	bytes of section TREE
 *	52		4	bytes of section INSTANCES
 *	56		4	bytes of section SUMS
 *	60		4	bytes of section DIRECTORY
 *	64			TREE, INSTANCES, SUMS, DIRECTORY, BLOCKS, without gaps
 *
 * TREE: a profile as in codec.h; the value of a stack is the number of profiles that have it.
 * INSTANCES: a profile whose stacks have one frame each, the name of an instance, with the number
 *	of its profiles; the empty stack stands for those without an instance.
 * SUMS: the sum over all profiles of each stack of TREE in preorder: one byte mode and digits,
 *	eight bytes unit (double), then values as in section VALUES of codec.h; zeros may occur.
 * DIRECTORY: profiles are cut into blocks of 256 of them, the last one shorter.  For each block:
 *	varint time of its first profile, less that of the block before or of the first profile;
 *	varint bytes.
 * BLOCKS: for each profile of a block but the first, varint time less that of the one before; for
 *	each profile, varint number of its instance, 0 for none; then a column
 *	(flameseries_columns.h) for each stack of TREE that has a value in the block.
 *
 * What all profiles share comes first, so that names, queries on the tree and the sum of
 * everything are read without detoasting the rest.  Values lie by stack and not by profile: 1,200
 * profiles of 276 stacks out of 4,000 took 192 bytes a profile so, and 217 by profile, after
 * compression.
 *
 * A value is a multiple of unit / 10^digits, and a sum of values the same multiple of the sum of
 * their multiples: it does not depend on the order of profiles while the latter is below 2^53.
 * Doubles of mode 1 are added in the order of profiles.
 */
#ifndef FG_FLAMESERIES_CODEC_H
#define FG_FLAMESERIES_CODEC_H

#include "core/profile/compression.h"
#include "core/profile/values.h"
#include "core/series/flameseries.h"

#define FG_FLAMESERIES_VERSION	1
#define FG_FLAMESERIES_HEADER	64
#define FG_FLAMESERIES_NO_SUMS	1

typedef struct FgFlameseriesHeader
{
	FgValueForm form;
	bool		has_sums;
	uint32_t	count;			/* profiles */
	uint32_t	values;
	uint32_t	stacks;
	int64_t		since;			/* the first profile's time */
	int64_t		until;			/* the last one's */
	double		total;
	uint32_t	tree_size;
	uint32_t	instances_size;
	uint32_t	sums_size;
	uint32_t	directory_size;
} FgFlameseriesHeader;

/* Reads and checks the header alone; "size" is SIZE_MAX for a slice of the value. */
extern bool fg_flameseries_header(FgContext *ctx, const uint8_t *bytes, size_t size,
								  FgFlameseriesHeader *header);

/* Encodes a series behind "reserve" free bytes, as fg_codec_encode does. */
extern bool fg_flameseries_encode(FgContext *ctx, const FgFlameseries *series, size_t reserve,
								  uint8_t **buffer, size_t *size);

/*
 * Decodes bytes into a new series.  Every access is checked; an order that is not the one of
 * flameseries.h, which cannot hurt, passes here.
 */
extern bool fg_flameseries_decode(FgContext *ctx, const uint8_t *bytes, size_t size,
								  FgFlameseries *series);

/* Decodes foreign bytes: demands the one canonical encoding, too. */
extern bool fg_flameseries_validate(FgContext *ctx, const uint8_t *bytes, size_t size,
								  FgFlameseries *series);

/*
 * Decodes the shared tree alone, or the names of the instances; of the bytes only those up to the
 * end of that section need be there.
 */
extern bool fg_flameseries_tree(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree);
extern bool fg_flameseries_instances(FgContext *ctx, const uint8_t *bytes, size_t size,
									 FgTree *instances);

/* How a series is compressed: the sections of TREE, INSTANCES, SUMS, and what is behind them. */
extern const FgEncoding fg_flameseries_encoding;

#endif							/* FG_FLAMESERIES_CODEC_H */
