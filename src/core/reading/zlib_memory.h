/*
 * zlib_memory.h
 *	  Makes zlib take its memory from a context, so that it counts there and is given
 *	  back when the context goes away, also without inflateEnd or deflateEnd.
 */
#ifndef FG_ZLIB_MEMORY_H
#define FG_ZLIB_MEMORY_H

#include "core/base/context.h"

#include <zlib.h>

/* Before inflateInit2 or deflateInit2. */
extern void fg_zlib_memory(FgContext *ctx, z_stream *stream);

#endif							/* FG_ZLIB_MEMORY_H */
