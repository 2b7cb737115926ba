/*
 * packed.h
 *	  The packed text form of values whose bytes are canonical: one word, "TYPE:1:" and base64.
 */
#ifndef FG_PACKED_H
#define FG_PACKED_H

#include "pg/base/values.h"

/* The text without blanks and line ends behind it. */
extern FgSpan fg_trim_right(FgSpan text);

/* Is it one word "TYPE:DIGITS:..."? */
extern bool fg_looks_packed(FgSpan text, const char *type);

/* The bytes of such a word; NULL with the error in ctx. */
extern char *fg_unpack(FgContext *ctx, FgSpan text, const char *type, size_t *size);

/* A word of bytes. */
extern char *fg_pack(const char *type, FgSpan bytes);

#endif							/* FG_PACKED_H */
