/*
 * base64.h
 *	  Base64 of values of any size.
 */
#ifndef FG_BASE64_H
#define FG_BASE64_H

#include "pg/base/values.h"

/*
 * Base64 between prefix and suffix, as a C string that may exceed 1 GB (the
 * caller's output function then reports that); and back, NULL when the text is
 * not base64.
 */
extern char *fg_base64_encode(const char *prefix, FgSpan bytes, const char *suffix);
extern char *fg_base64_decode(FgSpan text, size_t *size);

#endif							/* FG_BASE64_H */
