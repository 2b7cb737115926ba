/*
 * stats.h
 *	  Moments of a sample of profiles, and their encoded form: what an average is
 *	  made of before it is divided, so that partial results merge exactly.
 *
 * A sum and a count, never a mean: sums of whole counts are exact in any order,
 * means are not, and serial and parallel results could differ.
 *
 * Layout version 1, little-endian:
 *	offset	size
 *	0		1	version = 1
 *	1		1	level: 0 stack (self values of stacks)
 *	2		1	flags: 1 = sums only
 *	3		5	0
 *	8		8	n: profiles in the sample, at least 1
 *	16			the sum, as codec.h encodes it, to the end
 */
#ifndef FG_STATS_H
#define FG_STATS_H

#include "tree.h"

#define FG_STATS_VERSION	1
#define FG_STATS_HEADER		16
#define FG_STATS_SUMS_ONLY	1

/* More profiles than this cannot be counted exactly in a double. */
#define FG_STATS_MAX_N		(UINT64_C(1) << 53)

typedef enum FgLevel
{
	FG_LEVEL_STACK
} FgLevel;

typedef struct FgStats
{
	FgLevel		level;
	uint64_t	n;
} FgStats;

/*
 * Appends the encoded form behind "reserve" free bytes, as fg_codec_encode does.
 */
extern bool fg_stats_encode(FgContext *ctx, const FgStats *stats, const FgTree *sum,
							size_t reserve, uint8_t **buffer, size_t *size);

/* Reads and checks the header alone. */
extern bool fg_stats_header(FgContext *ctx, const uint8_t *bytes, size_t size, FgStats *stats);

/* Header and sum; "foreign" bytes must be canonical too (fg_codec_validate). */
extern bool fg_stats_decode(FgContext *ctx, const uint8_t *bytes, size_t size, bool foreign,
							FgStats *stats, FgTree *sum);

#endif							/* FG_STATS_H */
