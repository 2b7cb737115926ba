/*
 * stack_text.h
 *	  What the readers of printed stacks share: symbols without their offsets, and counts.
 *
 * Spans point into the line that was read.
 */
#ifndef FG_STACK_TEXT_H
#define FG_STACK_TEXT_H

#include "core/base/bytes.h"

typedef struct FgStackSpan
{
	const char *text;
	size_t		length;
} FgStackSpan;

static inline bool
fg_stack_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool
fg_stack_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

extern bool fg_stack_is_hex(char c);

/* Of a literal, whose length a compiler knows: lines are asked for a dozen words. */
static inline bool
fg_stack_starts_with(FgStackSpan span, const char *start)
{
	size_t		length = strlen(start);

	return span.length >= length && memcmp(span.text, start, length) == 0;
}

/* Without the blanks and tabs in front. */
extern FgStackSpan fg_stack_skip_blanks(FgStackSpan span);

/* Behind the word "0x7f3a " or, of 16 digits, "ffffffff810a3c1e " in front; all of it without. */
extern FgStackSpan fg_stack_skip_address(FgStackSpan span);

/* "f+0x1f" without the offset. */
extern FgStackSpan fg_stack_strip_hex_offset(FgStackSpan span);

/* "f+31" without the offset. */
extern FgStackSpan fg_stack_strip_offset(FgStackSpan span);

/*
 * "f [libc.so.6]", "f (/lib/libc.so.6 (deleted))" without what stands in brackets; "[unknown]"
 * stays.
 */
extern FgStackSpan fg_stack_strip_object(FgStackSpan span, char open, char close);

/* Is this a whole number, and nothing else? */
extern bool fg_stack_is_count(FgStackSpan span);

/* Its value; an error, in this line and column, where a value cannot hold it. */
extern bool fg_stack_count(FgContext *ctx, FgStackSpan span, uint64_t line, uint64_t column,
						  double *value);

#endif							/* FG_STACK_TEXT_H */
