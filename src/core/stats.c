/*
 * stats.c
 *	  Moments of a sample of profiles (see stats.h).
 */
#include "stats.h"

#include "bytes.h"
#include "codec.h"

bool
fg_stats_encode(FgContext *ctx, const FgStats *stats, const FgTree *sum, size_t reserve,
				uint8_t **buffer, size_t *size)
{
	uint8_t    *header;

	if (!fg_codec_encode(ctx, sum, reserve + FG_STATS_HEADER, buffer, size))
		return false;
	*size += FG_STATS_HEADER;
	header = *buffer + reserve;
	memset(header, 0, FG_STATS_HEADER);
	header[0] = FG_STATS_VERSION;
	header[1] = (uint8_t) stats->level;
	header[2] = FG_STATS_SUMS_ONLY;
	fg_store_le(header + 8, stats->n, 8);
	return true;
}

bool
fg_stats_header(FgContext *ctx, const uint8_t *bytes, size_t size, FgStats *stats)
{
	if (size < FG_STATS_HEADER)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "the header is cut short");
	if (bytes[0] != FG_STATS_VERSION)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "format version %u is unknown", bytes[0]);
	if (bytes[1] != FG_LEVEL_STACK || bytes[2] != FG_STATS_SUMS_ONLY ||
		fg_load_le(bytes + 3, 5) != 0)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "the header has unknown bits");
	stats->level = (FgLevel) bytes[1];
	stats->n = fg_load_le(bytes + 8, 8);
	if (stats->n == 0 || stats->n > FG_STATS_MAX_N)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "the number of profiles is impossible");
	return true;
}

bool
fg_stats_decode(FgContext *ctx, const uint8_t *bytes, size_t size, bool foreign, FgStats *stats,
				FgTree *sum)
{
	if (!fg_stats_header(ctx, bytes, size, stats))
		return false;
	bytes += FG_STATS_HEADER;
	size -= FG_STATS_HEADER;
	return foreign ? fg_codec_validate(ctx, bytes, size, sum)
		: fg_codec_decode(ctx, bytes, size, sum);
}
