/*
 * zlib_memory.c
 *	  zlib's memory from a context (see zlib_memory.h).
 */
#include "core/reading/zlib_memory.h"

static voidpf
zlib_alloc(voidpf opaque, uInt items, uInt size)
{
	return fg_alloc(opaque, items, size);
}

static void
zlib_free(voidpf opaque, voidpf address)
{
	fg_release(opaque, address);
}

void
fg_zlib_memory(FgContext *ctx, z_stream *stream)
{
	stream->zalloc = zlib_alloc;
	stream->zfree = zlib_free;
	stream->opaque = ctx;
}
