/*
 * gunzip.c
 *	  Unpacks gzip while it comes in (see gunzip.h).
 */
#include "core/reading/gunzip.h"

#include "core/reading/zlib_memory.h"

#include <inttypes.h>

#define OUTPUT_BYTES 65536

/* The largest window, and gzip's header only. */
#define GZIP_WINDOW (15 + 16)

typedef enum GzipState
{
	IN_MEMBER,
	BETWEEN_MEMBERS,
	IN_PADDING
} GzipState;

struct FgGunzip
{
	FgContext  *ctx;
	uint64_t	max_bytes;
	const char *hint;			/* about max_bytes */
	FgUnpacked	unpacked;
	void	   *arg;
	uint64_t	produced;
	uint64_t	consumed;		/* packed bytes of the blocks before this */
	GzipState	state;
	z_stream	stream;
	uint8_t		output[OUTPUT_BYTES];
};

/* In a block of "size" bytes, at the first one that is not consumed yet. */
static bool
damaged(FgGunzip *g, size_t size, const char *what)
{
	uint64_t	place = g->consumed + size - g->stream.avail_in;

	return fg_fail(g->ctx, FG_ERROR_CORRUPT, "the gzip data are damaged near byte %" PRIu64 ": %s",
				   place, what);
}

static bool
pass_on(FgGunzip *g)
{
	size_t		size = OUTPUT_BYTES - g->stream.avail_out;

	if (size > g->max_bytes - g->produced)
		return fg_fail_at(g->ctx, FG_ERROR_LIMIT, 0, 0, g->hint,
						  "the gzip data unpack to more than %" PRIu64 " bytes", g->max_bytes);
	g->produced += size;
	return fg_check(g->ctx) && (size == 0 || g->unpacked(g->arg, (char *) g->output, size));
}

/* Unpacks until the block or the member ends. */
static bool
inflate_block(FgGunzip *g, size_t size)
{
	int			result;

	do
	{
		g->stream.next_out = g->output;
		g->stream.avail_out = OUTPUT_BYTES;
		result = inflate(&g->stream, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			return fg_fail(g->ctx, FG_ERROR_MEMORY, "out of memory");
		/* what came out before an error may have an error of its own, which comes first */
		if (!pass_on(g))
			return false;
		/* Z_BUF_ERROR says that all input is used up */
		if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
			return damaged(g, size, g->stream.msg != NULL ? g->stream.msg : "they do not unpack");
	} while (result == Z_OK && (g->stream.avail_in > 0 || g->stream.avail_out == 0));
	if (result == Z_STREAM_END)
		g->state = BETWEEN_MEMBERS;
	return true;
}

/* What stands behind a member: another one, or zero bytes up to the end. */
static bool
look_behind(FgGunzip *g, size_t size)
{
	while (g->stream.avail_in > 0 && *g->stream.next_in == 0)
	{
		g->state = IN_PADDING;
		g->stream.next_in++;
		g->stream.avail_in--;
	}
	if (g->stream.avail_in == 0)
		return true;
	if (g->state == IN_PADDING || *g->stream.next_in != 0x1F)
		return damaged(g, size, "other bytes follow");
	g->state = IN_MEMBER;
	if (inflateReset(&g->stream) != Z_OK)
		return damaged(g, size, "the state is wrong");
	return true;
}

bool
fg_gunzip_feed(FgGunzip *g, const uint8_t *bytes, size_t size)
{
	while (size > 0)
	{
		/* packed bytes need not make any unpacked ones, at which work is counted otherwise */
		size_t		block = size < FG_CHECK_BYTES ? size : FG_CHECK_BYTES;

		if (!fg_work(g->ctx, block))
			return false;
		g->stream.next_in = (Bytef *) (uintptr_t) bytes;
		g->stream.avail_in = (uInt) block;
		while (g->stream.avail_in > 0)
		{
			if (g->state == IN_MEMBER ? !inflate_block(g, block) : !look_behind(g, block))
				return false;
		}
		g->consumed += block;
		bytes += block;
		size -= block;
	}
	return true;
}

bool
fg_gunzip_finish(FgGunzip *g)
{
	if (g->state == IN_MEMBER)
		return fg_fail(g->ctx, FG_ERROR_CORRUPT,
					   "the gzip data end in the middle, after %" PRIu64 " bytes", g->consumed);
	return true;
}

FgGunzip *
fg_gunzip_create(FgContext *ctx, uint64_t max_bytes, const char *hint, FgUnpacked unpacked,
				 void *arg)
{
	FgGunzip   *g = fg_alloc_zero(ctx, 1, sizeof(FgGunzip));

	if (g == NULL)
		return NULL;
	g->ctx = ctx;
	g->max_bytes = max_bytes;
	g->hint = hint;
	g->unpacked = unpacked;
	g->arg = arg;
	fg_zlib_memory(ctx, &g->stream);
	if (inflateInit2(&g->stream, GZIP_WINDOW) != Z_OK)
	{
		fg_release(ctx, g);
		fg_fail(ctx, FG_ERROR_MEMORY, "out of memory");
		return NULL;
	}
	return g;
}

void
fg_gunzip_free(FgGunzip *g)
{
	if (g == NULL)
		return;
	inflateEnd(&g->stream);
	fg_release(g->ctx, g);
}
