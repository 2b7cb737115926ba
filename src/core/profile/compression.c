/*
 * compression.c
 *	  The compressed form of an encoded value (see compression.h).
 *
 * zstd's contexts take up to a megabyte, whose pages cost more than a small value does: the process
 * keeps one of each.  They hold no bytes of a value between two calls.
 */
#include "core/profile/compression.h"

#include <zstd.h>

/* Bytes between two polls. */
#define STEP_BYTES			((size_t) FG_CHECK_BYTES)
/* A context that has become larger goes when it has done its work. */
#define KEPT_CONTEXT		((size_t) 4 * 1024 * 1024)
/* No frame of ours looks back further: 2^23 bytes. */
#define MAX_WINDOW_LOG		23

static ZSTD_CCtx *compressor;
static ZSTD_DCtx *decompressor;

static bool
damaged(FgContext *ctx)
{
	return fg_fail(ctx, FG_ERROR_CORRUPT, "the compressed form is damaged");
}

void
fg_stored_part(FgStoredParts *parts, size_t size, bool is_text)
{
	if (size > 0)
		parts->part[parts->count++] = (FgStoredPart) {size, is_text};
}

/* --- compressing ------------------------------------------------------------------------ */

static ZSTD_CCtx *
get_compressor(FgContext *ctx)
{
	if (compressor == NULL)
		compressor = ZSTD_createCCtx();
	if (compressor == NULL)
		fg_fail(ctx, FG_ERROR_MEMORY, "out of memory");
	return compressor;
}

static void
keep_small_compressor(void)
{
	if (ZSTD_sizeof_CCtx(compressor) <= KEPT_CONTEXT)
		return;
	ZSTD_freeCCtx(compressor);
	compressor = NULL;
}

/*
 * Level 3, but with two hash tables for all.  Numbers are coded best by how often they occur: a
 * match of fewer than seven of them costs more bits than they do.
 */
static bool
begin_part(ZSTD_CCtx *zstd, const FgStoredPart *part)
{
	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
	return !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 3)) &&
		!ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_strategy, ZSTD_dfast)) &&
		!ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_minMatch, part->is_text ? 3 : 7)) &&
		!ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(zstd, part->size));
}

/* A part as a frame, or as it is when that is no longer; there is room for ZSTD_compressBound(). */
static bool
compress_part(FgContext *ctx, const uint8_t *bytes, const FgStoredPart *part, uint8_t *to, size_t *stored)
{
	ZSTD_CCtx  *zstd = get_compressor(ctx);
	ZSTD_outBuffer out = {to, ZSTD_compressBound(part->size), 0};
	size_t		done = 0;
	size_t		left;

	if (zstd == NULL)
		return false;
	if (!begin_part(zstd, part))
		return fg_fail(ctx, FG_ERROR_MEMORY, "zstd does not take its parameters");
	do
	{
		size_t		step = part->size - done < STEP_BYTES ? part->size - done : STEP_BYTES;
		ZSTD_inBuffer in = {bytes + done, step, 0};

		left = ZSTD_compressStream2(zstd, &out, &in,
									done + step == part->size ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return fg_fail(ctx, FG_ERROR_MEMORY, "zstd: %s", ZSTD_getErrorName(left));
		done += in.pos;
		if (!fg_work(ctx, in.pos))
			return false;
	} while (done < part->size || left > 0);
	*stored = out.pos;
	if (out.pos >= part->size)
	{
		memcpy(to, bytes, part->size);
		*stored = part->size;
	}
	keep_small_compressor();
	return true;
}

/* Room for all frames, where each may be longer than its part until that is known. */
static size_t
frames_bound(const FgStoredParts *parts)
{
	size_t		bound = 0;

	for (unsigned p = 0; p < parts->count; p++)
		bound += ZSTD_compressBound(parts->part[p].size);
	return bound;
}

static bool
compress_parts(FgContext *ctx, const uint8_t *bytes, const FgStoredParts *parts, uint8_t *to,
			   size_t *stored)
{
	for (unsigned p = 0; p < parts->count; p++)
	{
		if (!compress_part(ctx, bytes, &parts->part[p], to, &stored[p]))
			return false;
		bytes += parts->part[p].size;
		to += stored[p];
	}
	return true;
}

/* The caller has made room. */
static void
put_head(FgBuffer *out, const FgEncoding *encoding, const uint8_t *bytes, const FgStoredParts *parts,
		 const size_t *stored)
{
	out->data[out->size] = FG_COMPRESSED;
	memcpy(out->data + out->size + 1, bytes + 1, encoding->header - 1);
	out->size += encoding->header;
	out->data[out->size++] = (uint8_t) parts->count;
	for (unsigned p = 0; p < parts->count; p++)
	{
		fg_put_varint(out, parts->part[p].size);
		fg_put_varint(out, stored[p]);
	}
}

bool
fg_compress(FgContext *ctx, const FgEncoding *encoding, const uint8_t *bytes, size_t size,
			size_t reserve, uint8_t **buffer, size_t *compressed)
{
	FgBuffer	out = {.ctx = ctx};
	FgStoredParts		parts = {0};
	size_t		stored[FG_COMPRESSED_PARTS] = {0};
	size_t		frames = reserve + encoding->header + FG_PARTS_MAX;
	size_t		total = 0;

	*buffer = NULL;
	if (size < FG_COMPRESS_FROM)
		return true;
	encoding->parts(bytes, size, &parts);
	out.capacity = frames + frames_bound(&parts);
	out.data = fg_alloc(ctx, out.capacity, 1);
	if (out.data == NULL)
		return false;
	if (!compress_parts(ctx, bytes + encoding->header, &parts, out.data + frames, stored))
	{
		fg_release(ctx, out.data);
		return false;
	}
	for (unsigned p = 0; p < parts.count; p++)
		total += stored[p];
	out.size = reserve;
	put_head(&out, encoding, bytes, &parts, stored);
	memmove(out.data + out.size, out.data + frames, total);
	*compressed = out.size - reserve + total;
	if (*compressed > size - size / 8)
		fg_release(ctx, out.data);
	else
		*buffer = out.data;
	return true;
}

/* --- decompressing ---------------------------------------------------------------------- */

static ZSTD_DCtx *
get_decompressor(FgContext *ctx)
{
	if (decompressor == NULL)
		decompressor = ZSTD_createDCtx();
	if (decompressor == NULL)
		fg_fail(ctx, FG_ERROR_MEMORY, "out of memory");
	return decompressor;
}

static void
keep_small_decompressor(void)
{
	if (ZSTD_sizeof_DCtx(decompressor) <= KEPT_CONTEXT)
		return;
	ZSTD_freeDCtx(decompressor);
	decompressor = NULL;
}

typedef struct Directory
{
	unsigned	count;
	size_t		at;				/* where the first part is stored */
	size_t		whole[FG_COMPRESSED_PARTS];
	size_t		stored[FG_COMPRESSED_PARTS];
} Directory;

static bool
read_directory(FgContext *ctx, const FgEncoding *encoding, const uint8_t *bytes, size_t size,
			   Directory *directory)
{
	FgReader	reader = {bytes, bytes + size};

	if (size <= encoding->header || bytes[0] != FG_COMPRESSED ||
		bytes[encoding->header] > FG_COMPRESSED_PARTS)
		return damaged(ctx);
	reader.next += encoding->header;
	directory->count = *reader.next++;
	for (unsigned p = 0; p < directory->count; p++)
	{
		uint64_t	whole;
		uint64_t	stored;

		if (!fg_read_varint(&reader, &whole) || !fg_read_varint(&reader, &stored) ||
			whole > FG_MAX_BYTES || stored > whole)
			return damaged(ctx);
		directory->whole[p] = (size_t) whole;
		directory->stored[p] = (size_t) stored;
	}
	directory->at = (size_t) (reader.next - bytes);
	return true;
}

bool
fg_compressed_extent(FgContext *ctx, const FgEncoding *encoding, const uint8_t *bytes, size_t size,
					 size_t wanted, FgExtent *extent)
{
	Directory	directory = {0};

	if (!read_directory(ctx, encoding, bytes, size, &directory))
		return false;
	*extent = (FgExtent) {directory.at, encoding->header};
	for (unsigned p = 0; p < directory.count && extent->whole < wanted; p++)
	{
		/* at once, because twelve parts are more than 32 bits can count */
		if (directory.whole[p] > FG_MAX_BYTES - extent->whole)
			return damaged(ctx);
		extent->stored += directory.stored[p];
		extent->whole += directory.whole[p];
	}
	return true;
}

static bool
decompress_part(FgContext *ctx, const uint8_t *bytes, size_t size, uint8_t *to, size_t whole)
{
	ZSTD_DCtx  *zstd = get_decompressor(ctx);
	ZSTD_inBuffer in = {bytes, size, 0};
	size_t		done = 0;
	size_t		left = 1;

	if (zstd == NULL)
		return false;
	ZSTD_DCtx_reset(zstd, ZSTD_reset_session_and_parameters);
	ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, MAX_WINDOW_LOG);
	while (left > 0)
	{
		size_t		step = whole - done < STEP_BYTES ? whole - done : STEP_BYTES;
		ZSTD_outBuffer out = {to + done, step, 0};
		size_t		before = in.pos;

		left = ZSTD_decompressStream(zstd, &out, &in);
		if (ZSTD_isError(left) || (out.pos == 0 && in.pos == before && left > 0))
			return damaged(ctx);
		done += out.pos;
		if (!fg_work(ctx, out.pos))
			return false;
	}
	keep_small_decompressor();
	return (done == whole && in.pos == size) || damaged(ctx);
}

bool
fg_decompress(FgContext *ctx, const FgEncoding *encoding, const uint8_t *bytes, size_t size,
			  FgExtent extent, uint8_t *to)
{
	Directory	directory = {0};
	size_t		done = encoding->header;
	size_t		at;

	if (!read_directory(ctx, encoding, bytes, size, &directory))
		return false;
	memcpy(to, bytes, encoding->header);
	to[0] = FG_ENCODED;
	at = directory.at;
	for (unsigned p = 0; p < directory.count && done < extent.whole; p++)
	{
		size_t		whole = directory.whole[p];
		size_t		stored = directory.stored[p];

		if (whole > extent.whole - done || stored > size - at)
			return damaged(ctx);
		if (stored == whole)
			memcpy(to + done, bytes + at, whole);
		else if (!decompress_part(ctx, bytes + at, stored, to + done, whole))
			return false;
		done += whole;
		at += stored;
	}
	return done == extent.whole || damaged(ctx);
}
