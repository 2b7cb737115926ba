/*
 * stack_text.c
 *	  Symbols and counts of printed stacks (see stack_text.h).
 */
#include "core/formats/stack_text.h"

#include "core/base/number.h"

#define ADDRESS_DIGITS 16

bool
fg_stack_is_hex(char c)
{
	return fg_stack_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

FgStackSpan
fg_stack_skip_blanks(FgStackSpan span)
{
	while (span.length > 0 && fg_stack_is_blank(span.text[0]))
	{
		span.text++;
		span.length--;
	}
	return span;
}

FgStackSpan
fg_stack_skip_address(FgStackSpan span)
{
	bool		prefix = fg_stack_starts_with(span, "0x");
	size_t		start = prefix ? 2 : 0;
	size_t		at = start;

	while (at < span.length && fg_stack_is_hex(span.text[at]))
		at++;
	if (at == start || at == span.length || !fg_stack_is_blank(span.text[at]) ||
		(!prefix && at != ADDRESS_DIGITS))
		return span;
	return fg_stack_skip_blanks((FgStackSpan) {span.text + at, span.length - at});
}

FgStackSpan
fg_stack_strip_hex_offset(FgStackSpan span)
{
	size_t		at = span.length;

	while (at > 0 && fg_stack_is_hex(span.text[at - 1]))
		at--;
	if (at < span.length && at > 3 && memcmp(span.text + at - 3, "+0x", 3) == 0)
		span.length = at - 3;
	return span;
}

FgStackSpan
fg_stack_strip_offset(FgStackSpan span)
{
	size_t		at = span.length;

	while (at > 0 && fg_stack_is_digit(span.text[at - 1]))
		at--;
	if (at < span.length && at > 1 && span.text[at - 1] == '+')
		span.length = at - 1;
	return span;
}

FgStackSpan
fg_stack_strip_object(FgStackSpan span, char open, char close)
{
	size_t		depth = 0;

	if (span.length == 0 || span.text[span.length - 1] != close)
		return span;
	for (size_t at = span.length; at > 1; at--)
	{
		depth += span.text[at - 1] == close;
		if (span.text[at - 1] != open || --depth > 0)
			continue;
		if (!fg_stack_is_blank(span.text[at - 2]))
			return span;
		for (at--; at > 0 && fg_stack_is_blank(span.text[at - 1]);)
			at--;
		return at == 0 ? span : (FgStackSpan) {span.text, at};
	}
	return span;
}

bool
fg_stack_is_count(FgStackSpan span)
{
	size_t		at = span.length > 1 && span.text[0] == '-';
	size_t		start = at;

	while (at < span.length && fg_stack_is_digit(span.text[at]))
		at++;
	return at == span.length && at > start;
}

bool
fg_stack_count(FgContext *ctx, FgStackSpan span, uint64_t line, uint64_t column, double *value)
{
	uint32_t	few;

	if (fg_number_few_digits(span.text, span.length, &few))
	{
		*value = few;
		return true;
	}
	switch (fg_number_parse(ctx, span.text, span.length, value))
	{
		case FG_NUMBER_MEMORY:
			return false;
		case FG_NUMBER_OK:
			return true;
		default:
			return fg_fail_at(ctx, FG_ERROR_RANGE, line, column, NULL, "the count is too large");
	}
}
