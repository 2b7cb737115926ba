/*
 * number.h
 *	  Decimal text of a double, both ways and exact both ways.
 *
 * The grammar is that of values in the folded format: an optional sign, digits with at
 * most one point among or around them, an optional exponent.
 * No hexadecimal, no inf or nan, no blanks, no grouping.  Numbers that round to
 * infinity, or to 0 without being 0, are out of range.
 */
#ifndef FG_NUMBER_H
#define FG_NUMBER_H

#include "core/base/context.h"

typedef enum FgNumberResult
{
	FG_NUMBER_OK,
	FG_NUMBER_SYNTAX,
	FG_NUMBER_OVERFLOW,
	FG_NUMBER_UNDERFLOW,
	FG_NUMBER_MEMORY			/* ctx->error is set, in this case only */
} FgNumberResult;

/* Longest output of fg_number_print, the final NUL included. */
#define FG_NUMBER_SIZE 32

/* The whole of text[0 .. length) is the number.  A whole one that no double is counts as rounded (context.h). */
extern FgNumberResult fg_number_parse(FgContext *ctx, const char *text, size_t length,
									  double *value);

/*
 * The value of a text of up to nine digits and nothing else, which is what most numbers of a
 * recording are: taking them apart as decimals was a fifth of the time of some readers.
 */
static inline bool
fg_number_few_digits(const char *text, size_t length, uint32_t *value)
{
	uint32_t	sum = 0;

	if (length == 0 || length > 9)
		return false;
	for (size_t i = 0; i < length; i++)
	{
		uint32_t	digit = (uint32_t) (uint8_t) text[i] - '0';

		if (digit > 9)
			return false;
		sum = sum * 10 + digit;
	}
	*value = sum;
	return true;
}

/* The same for one that is no text. */
static inline double
fg_number_of(FgContext *ctx, int64_t whole)
{
	double		value = (double) whole;

	/* 2^63 is none of them */
	ctx->rounded += value >= 9223372036854775808.0 || (int64_t) value != whole;
	return value;
}

static inline double
fg_number_of_unsigned(FgContext *ctx, uint64_t whole)
{
	double		value = (double) whole;

	ctx->rounded += value >= 18446744073709551616.0 || (uint64_t) value != whole;
	return value;
}

/*
 * Is this text a whole number, a sign and digits, that the double it was read as does not
 * hold?  Shorter forms of the double (the digits that fg_number_print gives) do not count
 * as lost.
 */
extern bool fg_number_lost_digits(const char *text, size_t length, double value);

/*
 * Whole numbers below 1e18 as plain digits; otherwise the shortest digits that
 * read back as the same double, with an exponent below 1e-4 and from 1e15 on.
 * Any double may come: "inf", "-inf" and "nan" are for messages, and no number that
 * fg_number_parse reads.  Returns the length; to gets a final NUL.
 */
extern size_t fg_number_print(double value, char *to);

#endif							/* FG_NUMBER_H */
