/*
 * span.h
 *	  Bytes that belong to somebody else: texts in arguments, names in rows.
 */
#ifndef FG_SPAN_H
#define FG_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct FgSpan
{
	const char *bytes;
	size_t		size;
} FgSpan;

/* The order of bytes; a text stands before those that begin with it. */
static inline int
fg_span_compare(FgSpan a, FgSpan b)
{
	size_t		common = a.size < b.size ? a.size : b.size;
	int			order = common == 0 ? 0 : memcmp(a.bytes, b.bytes, common);

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static inline bool
fg_span_equal(FgSpan a, FgSpan b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

#endif							/* FG_SPAN_H */
