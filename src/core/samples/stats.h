/*
 * stats.h
 *	  The encoded form of a sample of profiles: n and sums, or n and moments.
 *
 * Layout version 1, little-endian:
 *	offset	size
 *	0		1	version = 1
 *	1		1	level, as level.h numbers them: 0 stack, 1 node, 2 frame, 3 self
 *	2		1	flags: 1 = sums only
 *	3		5	0
 *	8		8	n: profiles in the sample, at least 1
 *	16		8	bytes of TREE
 *	24			TREE, as codec.h encodes it: with sums only, the sum; else for each
 *				stack the number of profiles that have it
 *	Unless sums only, for each stack of TREE in preorder, the root first:
 *	SUMS: 1 byte form (low four bits mode, high four bits digits), 8 bytes unit
 *		(double), then the values as in section VALUES of codec.h; zeros may occur
 *	M2: the same for the squared deviations from the stack's mean
 */
#ifndef FG_STATS_H
#define FG_STATS_H

#include "core/profile/compression.h"
#include "core/profile/tree.h"
#include "core/samples/level.h"
#include "core/samples/moments.h"

#define FG_STATS_VERSION	1
#define FG_STATS_HEADER		24
#define FG_STATS_SUMS_ONLY	1

/* More profiles than this cannot be counted exactly in a double. */
#define FG_STATS_MAX_N		(UINT64_C(1) << 53)

typedef struct FgStats
{
	FgLevel		level;
	bool		sums_only;
	uint64_t	n;
} FgStats;

/*
 * Encodes behind "reserve" free bytes, as fg_codec_encode does.  With sums only
 * moments->support is the sum.
 */
extern bool fg_stats_encode(FgContext *ctx, const FgStats *stats, const FgMoments *moments,
							size_t reserve, uint8_t **buffer, size_t *size);

/* Reads and checks the header alone. */
extern bool fg_stats_header(FgContext *ctx, const uint8_t *bytes, size_t size, FgStats *stats);

/* Everything; "foreign" bytes must be canonical too (fg_codec_validate). */
extern bool fg_stats_decode(FgContext *ctx, const uint8_t *bytes, size_t size, bool foreign,
							FgStats *stats, FgMoments *moments);

/* How statistics are compressed: the sections of TREE, and SUMS with M2. */
extern const FgEncoding fg_stats_encoding;

#endif							/* FG_STATS_H */
