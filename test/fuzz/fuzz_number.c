/*
 * fuzz_number.c
 *	  Numbers: the input once as text and, its first eight bytes, as a double of any bits.
 *
 * Properties: the reader accepts exactly the grammar, and gives what strtod
 * gives; the printer's text is short enough, plain where it has to be, reads back
 * as the same double, and no shorter scientific text does.
 */
#include "support.h"

#include "core/base/number.h"

#include <float.h>
#include <math.h>

static const char *
skip_digits(const char *p)
{
	while (*p >= '0' && *p <= '9')
		p++;
	return p;
}

/* The grammar once more, by pieces: sign, digits, point, digits, exponent. */
static bool
follows_grammar(const char *text, size_t length)
{
	const char *p = text + (*text == '+' || *text == '-');
	const char *whole = p;
	const char *fraction;

	p = skip_digits(p);
	fraction = p;
	if (*p == '.')
		p = skip_digits(p + 1);
	if (p - whole == (*fraction == '.'))
		return false;
	if (*p == 'e' || *p == 'E')
	{
		const char *digits = p + 1 + (p[1] == '+' || p[1] == '-');

		p = skip_digits(digits);
		if (p == digits)
			return false;
	}
	return p == text + length;
}

static bool
has_nonzero_digit(const char *text)
{
	for (; *text != '\0' && *text != 'e' && *text != 'E'; text++)
	{
		if (*text >= '1' && *text <= '9')
			return true;
	}
	return false;
}

static void
require_parse(FgContext *ctx, const char *text, size_t length)
{
	double		value = NAN;
	FgNumberResult result = fg_number_parse(ctx, text, length, &value);
	double		expected;

	if (!follows_grammar(text, length))
	{
		REQUIRE(result == FG_NUMBER_SYNTAX);
		return;
	}
	expected = strtod(text, NULL);
	if (isinf(expected))
		REQUIRE(result == FG_NUMBER_OVERFLOW);
	else if (expected == 0 && has_nonzero_digit(text))
		REQUIRE(result == FG_NUMBER_UNDERFLOW);
	else
	{
		REQUIRE(result == FG_NUMBER_OK && value == expected);
		REQUIRE(value != 0 || !signbit(value));
	}
}

static size_t
count_digits(const char *text)
{
	size_t		digits = 0;
	size_t		zeros = 0;

	for (; *text != '\0' && *text != 'e'; text++)
	{
		if (*text < '0' || *text > '9')
			continue;
		if (digits > 0 || *text != '0')
			digits++;
		zeros = *text == '0' ? zeros + 1 : 0;
	}
	return digits > zeros ? digits - zeros : digits;
}

/* The text of a number that is not finite is a word, and no number to the reader. */
static void
require_word(FgContext *ctx, double value, const char *text, size_t length)
{
	double		again = 0;

	REQUIRE(strcmp(text, isnan(value) ? "nan" : (value > 0 ? "inf" : "-inf")) == 0);
	REQUIRE(fg_number_parse(ctx, text, length, &again) == FG_NUMBER_SYNTAX);
}

static void
require_print(FgContext *ctx, double value)
{
	char		text[FG_NUMBER_SIZE];
	size_t		length = fg_number_print(value, text);
	double		again = NAN;

	REQUIRE(length < sizeof(text) && strlen(text) == length);
	if (!isfinite(value))
	{
		require_word(ctx, value, text, length);
		return;
	}
	REQUIRE(fg_number_parse(ctx, text, length, &again) == FG_NUMBER_OK && again == value);
	if (value == rint(value) && fabs(value) < 1e18)
	{
		REQUIRE(strpbrk(text, ".e+") == NULL);
		return;
	}
	REQUIRE((fabs(value) < 1e-4 || fabs(value) >= 1e15) == (strchr(text, 'e') != NULL));
	for (int digits = (int) count_digits(text) - 1; digits > 0; digits--)
	{
		char		shorter[64];

		snprintf(shorter, sizeof(shorter), "%.*e", digits - 1, value);
		REQUIRE(strtod(shorter, NULL) != value);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	ctx = fuzz_context();
	char	   *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	require_parse(&ctx, text, size);
	if (size >= sizeof(double))
		require_print(&ctx, fg_bits_double(fg_load_le(data, 8)));
	free(text);
	fuzz_finish();
	return 0;
}
