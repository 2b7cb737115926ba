/*
 * number.c
 *	  Exact decimal input and shortest decimal output of doubles (see number.h).
 *
 * The common cases take the fast path of Clinger (1990): a significand below
 * 2^53 times or over an exact power of ten is one correctly rounded operation.
 * The rest goes to the C library, whose strtod and printf round correctly; it
 * must run with LC_NUMERIC "C", as PostgreSQL and our programs do.
 */
#include "core/base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXACT_POWER 22

static const double power_of_ten[MAX_EXACT_POWER + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

/* A number taken apart: digits * 10^exponent, unless there were too many. */
typedef struct Decimal
{
	bool		negative;
	bool		exact;			/* all digits fit below 2^53 */
	bool		nonzero;
	uint64_t	digits;
	long		exponent;
} Decimal;

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void
add_digit(Decimal *d, char c)
{
	d->nonzero |= c != '0';
	if (d->digits < UINT64_C(900719925474099))
		d->digits = d->digits * 10 + (uint64_t) (c - '0');
	else
		d->exact = false;
}

/* Exponents beyond this are zero or infinite whatever the digits are. */
#define HUGE_EXPONENT 100000000L

static const char *
scan_exponent(const char *p, const char *end, long *exponent)
{
	bool		negative;
	long		value = 0;

	p++;
	negative = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end || !is_digit(*p))
		return NULL;
	for (; p < end && is_digit(*p); p++)
	{
		if (value < HUGE_EXPONENT)
			value = value * 10 + (*p - '0');
	}
	*exponent += negative ? -value : value;
	return p;
}

static bool
scan_decimal(const char *p, const char *end, Decimal *d)
{
	size_t		ndigits = 0;

	memset(d, 0, sizeof(*d));
	d->exact = true;
	if (p < end && (*p == '-' || *p == '+'))
		d->negative = *p++ == '-';
	for (; p < end && is_digit(*p); p++, ndigits++)
		add_digit(d, *p);
	if (p < end && *p == '.')
	{
		for (p++; p < end && is_digit(*p); p++, ndigits++)
		{
			add_digit(d, *p);
			d->exponent--;
		}
	}
	if (ndigits == 0)
		return false;
	if (p < end && (*p == 'e' || *p == 'E'))
	{
		p = scan_exponent(p, end, &d->exponent);
		if (p == NULL)
			return false;
	}
	return p == end;
}

/* The C library wants a NUL behind the text. */
static FgNumberResult
parse_slowly(FgContext *ctx, const char *text, size_t length, double *value)
{
	char		small[128];
	char	   *copy = length < sizeof(small) ? small : fg_alloc(ctx, length + 1, 1);

	if (copy == NULL)
		return FG_NUMBER_MEMORY;
	memcpy(copy, text, length);
	copy[length] = '\0';
	*value = strtod(copy, NULL);
	if (copy != small)
		fg_release(ctx, copy);
	return isfinite(*value) ? FG_NUMBER_OK : FG_NUMBER_OVERFLOW;
}

FgNumberResult
fg_number_parse(FgContext *ctx, const char *text, size_t length, double *value)
{
	Decimal		d;
	FgNumberResult result;

	if (!scan_decimal(text, text + length, &d))
		return FG_NUMBER_SYNTAX;
	if (!d.nonzero)
	{
		*value = 0;
		return FG_NUMBER_OK;
	}
	if (d.exact && d.exponent >= -MAX_EXACT_POWER && d.exponent <= MAX_EXACT_POWER)
	{
		double		digits = (double) d.digits;

		*value = d.exponent < 0 ? digits / power_of_ten[-d.exponent]
			: digits * power_of_ten[d.exponent];
		if (d.negative)
			*value = -*value;
		return FG_NUMBER_OK;
	}
	result = parse_slowly(ctx, text, length, value);
	if (result == FG_NUMBER_OK && *value == 0)
		return FG_NUMBER_UNDERFLOW;
	ctx->rounded += result == FG_NUMBER_OK && fg_number_lost_digits(text, length, *value);
	return result;
}

static size_t
print_whole(double value, char *to)
{
	char		reversed[24];
	uint64_t	rest = (uint64_t) fabs(value);
	size_t		n = 0;
	size_t		length = 0;

	do
	{
		reversed[n++] = (char) ('0' + rest % 10);
		rest /= 10;
	} while (rest != 0);
	if (value < 0)
		to[length++] = '-';
	while (n > 0)
		to[length++] = reversed[--n];
	to[length] = '\0';
	return length;
}

/*
 * A power of two is the one case in which the nearest decimal of some length may
 * not read back while its neighbour does: the doubles below it lie closer.
 */
static bool
neighbour_reads_back(double value, char *text)
{
	char		bumped[FG_NUMBER_SIZE];
	char	   *exponent;
	char	   *digit;

	strcpy(bumped, text);
	exponent = strchr(bumped, 'e');
	if (exponent == NULL)
		return false;
	for (digit = exponent - 1; digit >= bumped && (*digit == '9' || *digit == '.'); digit--)
	{
		if (*digit == '9')
			*digit = '0';
	}
	if (digit < bumped || !is_digit(*digit))
		return false;
	++*digit;
	if (strtod(bumped, NULL) != value)
		return false;
	strcpy(text, bumped);
	return true;
}

/* Shortest "d.ddde+dd" that reads back as value. */
static void
shortest_scientific(double value, char *text)
{
	int			exponent;
	bool		power_of_two = fabs(frexp(value, &exponent)) == 0.5;
	int			digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;

	for (; digits < DBL_DECIMAL_DIG; digits++)
	{
		snprintf(text, FG_NUMBER_SIZE, "%.*e", digits - 1, value);
		if (strtod(text, NULL) == value)
			return;
		if (power_of_two && neighbour_reads_back(value, text))
			return;
	}
	snprintf(text, FG_NUMBER_SIZE, "%.*e", DBL_DECIMAL_DIG - 1, value);
}

/*
 * The digits of a scientific text without its sign, and its exponent.  The text is at
 * most FG_NUMBER_SIZE long, so the digits fit.
 */
static int
take_apart(const char *scientific, char *digits, int *exponent)
{
	int			n = 0;
	const char *p = scientific;

	for (; *p != 'e' && *p != '\0'; p++)
	{
		if (is_digit(*p))
			digits[n++] = *p;
	}
	*exponent = *p == 'e' ? atoi(p + 1) : 0;
	return n;
}

/* Lays the digits of a scientific text out plainly or not. */
static size_t
lay_out(const char *scientific, char *to)
{
	char		digits[FG_NUMBER_SIZE] = {0};
	int			exponent;
	int			n = take_apart(scientific + (*scientific == '-'), digits, &exponent);
	char	   *start = to;

	if (*scientific == '-')
		*to++ = '-';
	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (exponent < -4 || exponent >= 15)
	{
		*to++ = digits[0];
		if (n > 1)
			*to++ = '.';
		for (int i = 1; i < n; i++)
			*to++ = digits[i];
		to += sprintf(to, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
		return (size_t) (to - start);
	}
	if (exponent < 0)
	{
		*to++ = '0';
		*to++ = '.';
		for (int i = exponent + 1; i < 0; i++)
			*to++ = '0';
	}
	for (int i = 0; i < n || i <= exponent; i++)
	{
		if (i == exponent + 1 && exponent >= 0)
			*to++ = '.';
		*to++ = i < n ? digits[i] : '0';
	}
	*to = '\0';
	return (size_t) (to - start);
}

size_t
fg_number_print(double value, char *to)
{
	char		scientific[FG_NUMBER_SIZE];

	/* these have neither digits nor an exponent, and no shortest text that reads back */
	if (!isfinite(value))
	{
		strcpy(to, isnan(value) ? "nan" : (value > 0 ? "inf" : "-inf"));
		return strlen(to);
	}
	if (fabs(value) < 1e18 && value == rint(value))
		return print_whole(value, to);
	shortest_scientific(value, scientific);
	return lay_out(scientific, to);
}

/* Doubles hold all whole numbers of so many digits. */
#define EXACT_DIGITS 15

/* A number of so many digits is a uint64_t. */
#define WORD_DIGITS 19

static uint64_t
word_of_digits(const char *text, size_t length)
{
	uint64_t	word = 0;

	for (size_t i = 0; i < length; i++)
		word = word * 10 + (uint64_t) (text[i] - '0');
	return word;
}

bool
fg_number_lost_digits(const char *text, size_t length, double value)
{
	char		digits[400];		/* the largest double has 309 */
	size_t		size;

	if (length > 1 && (*text == '-' || *text == '+'))
	{
		text++;
		length--;
		value = fabs(value);
	}
	for (size_t i = 0; i < length; i++)
	{
		if (!is_digit(text[i]))
			return false;
	}
	for (; length > 0 && *text == '0'; length--)
		text++;
	if (length <= EXACT_DIGITS)
		return false;
	if (length <= WORD_DIGITS)
		return (uint64_t) value != word_of_digits(text, length);
	size = (size_t) snprintf(digits, sizeof(digits), "%.0f", value);
	if (size == length && memcmp(digits, text, size) == 0)
		return false;
	size = fg_number_print(value, digits);
	return size != length || memcmp(digits, text, size) != 0;
}
