/*
 * gunzip.h
 *	  Unpacks gzip while it comes in, by zlib, in constant memory.
 *
 * Members may follow each other, as in files that were concatenated; zero bytes
 * behind the last one are padding.  Anything else there, bytes that do not
 * unpack, a wrong check sum and an end in the middle are FG_ERROR_CORRUPT with the
 * place in the packed bytes.  However well the input is packed, no more than
 * max_bytes come out: then FG_ERROR_LIMIT.
 */
#ifndef FG_GUNZIP_H
#define FG_GUNZIP_H

#include "core/base/context.h"

typedef struct FgGunzip FgGunzip;

/* Takes the unpacked bytes, some 64 kB at a time. */
typedef bool (*FgUnpacked) (void *arg, const char *bytes, size_t size);

/* "hint" says what to do about more than max_bytes; static text. */
extern FgGunzip *fg_gunzip_create(FgContext *ctx, uint64_t max_bytes, const char *hint,
								  FgUnpacked unpacked, void *arg);
extern bool fg_gunzip_feed(FgGunzip *gunzip, const uint8_t *bytes, size_t size);
extern bool fg_gunzip_finish(FgGunzip *gunzip);
extern void fg_gunzip_free(FgGunzip *gunzip);

#endif							/* FG_GUNZIP_H */
