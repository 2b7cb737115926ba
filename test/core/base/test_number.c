/*
 * test_number.c
 *	  Decimal text of doubles, both ways.
 */
#include "unit.h"

#include "core/base/number.h"

#include <float.h>
#include <math.h>

static FgNumberResult
parse(const char *text, size_t length, double *value)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	char	   *exact = malloc(length + (length == 0));	/* a read too far is seen */
	FgNumberResult result;

	memcpy(exact, text, length);
	*value = NAN;
	result = fg_number_parse(&ctx, exact, length, value);
	free(exact);
	CHECK_COUNT(memory.blocks, 0);
	return result;
}

/* --- reading --------------------------------------------------------------- */

static void
test_good_numbers(void)
{
	static const struct
	{
		const char *text;
		double		value;
	}			rows[] = {
		{"0", 0}, {"-0", 0}, {"+0", 0}, {"0e5", 0}, {"-0.0e-5", 0}, {".0", 0}, {"0.", 0},
		{"0e999999999999999999999", 0}, {"00000", 0},
		{"1", 1}, {"+3", 3}, {"-3", -3}, {"007", 7}, {"6.", 6}, {".5", 0.5}, {"-.5", -0.5},
		{"+6.", 6}, {"1e3", 1000}, {"1E3", 1000}, {"1e+3", 1000}, {"1.e3", 1000}, {".1e1", 1},
		{"-1e-3", -0.001}, {"1E-05", 1e-5}, {"1e0000000000000000000003", 1000},
		{"0.1", 0.1}, {"10058", 10058}, {"999999999999999", 999999999999999},
		{"9007199254740991", 9007199254740991.0}, {"9007199254740992", 9007199254740992.0},
		/* ties go to even, a little more goes up */
		{"9007199254740993", 9007199254740992.0},
		{"9007199254740993.00000000000000000000000000000000000000001", 9007199254740994.0},
		{"12345678901234567890", 12345678901234567890.0},
		{"9007199254740989e22", 9007199254740989e22}, {"1e22", 1e22}, {"1e23", 1e23},
		{"1e-22", 1e-22}, {"1e-23", 1e-23}, {"9007199254740990e-22", 9007199254740990e-22},
		{"1.7976931348623157e308", DBL_MAX}, {"-1.7976931348623157e+308", -DBL_MAX},
		{"1.797693134862315807e308", DBL_MAX},	/* rounds down to it */
		{"17976931348623157e292", DBL_MAX}, {"0.00000017976931348623157e315", DBL_MAX},
		{"2.2250738585072014e-308", DBL_MIN}, {"4.9406564584124654e-324", 0x1p-1074},
		{"2.4703282292062328e-324", 0x1p-1074}, {"-5e-324", -0x1p-1074}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		double		value;

		unit_case("number \"%s\"", rows[i].text);
		CHECK_COUNT(parse(rows[i].text, strlen(rows[i].text), &value), FG_NUMBER_OK);
		CHECK_DOUBLE(value, rows[i].value);
	}
}

static void
test_bad_numbers(void)
{
	static const char *const rows[] = {
		"", "+", "-", ".", "+.", "-.", "e", "e1", "E1", ".e1", "+e1", "1e", "1e+", "1e-", "1E+",
		"1e.5", "1e1.5", "1.2.3", "1..2", "..1", "--1", "++1", "+-1", "-+1", "1-", "1+", "1-2",
		" 1", "1 ", "1\t", "\t1", "1\n", "1\r", "1 2", "1e 5", "1e5e5", "1e+-5", "1e5 ",
		"nan", "NaN", "-nan", "nan(1)", "inf", "Inf", "+inf", "-inf", "infinity", "-Infinity",
		"0x10", "0x1p3", "0X1", "0b1", "x", "1x", "a1", "1a", "1f", "1d", "1L", "1,5", "1,000",
		"1_000", "1'000", "10,1,20", "$1", "1%", "(1)", "#1", "\xE2\x88\x92" "1", "\xD9\xA1",
		"1\xC2\xA0", "\xEF\xBB\xBF" "1", "1e\xD9\xA1"
	};
	double		value;

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("no number: \"%s\"", rows[i]);
		CHECK_COUNT(parse(rows[i], strlen(rows[i]), &value), FG_NUMBER_SYNTAX);
	}
	unit_case("no number: a NUL inside");
	CHECK_COUNT(parse("1\0002", 3, &value), FG_NUMBER_SYNTAX);
	CHECK_COUNT(parse("1\000", 2, &value), FG_NUMBER_SYNTAX);
}

static void
test_range(void)
{
	static const struct
	{
		const char *text;
		FgNumberResult result;
	}			rows[] = {
		{"1e309", FG_NUMBER_OVERFLOW}, {"-1e309", FG_NUMBER_OVERFLOW},
		{"1e400", FG_NUMBER_OVERFLOW}, {"1e99999999999999999999", FG_NUMBER_OVERFLOW},
		{"1.7976931348623159e308", FG_NUMBER_OVERFLOW}, {"1000e306", FG_NUMBER_OVERFLOW},
		{"0.00001e314", FG_NUMBER_OVERFLOW},
		{"1e-400", FG_NUMBER_UNDERFLOW}, {"-1e-400", FG_NUMBER_UNDERFLOW},
		{"1e-99999999999999999999", FG_NUMBER_UNDERFLOW},
		{"2.4703282292062327e-324", FG_NUMBER_UNDERFLOW},
		{"0.0001e-320", FG_NUMBER_UNDERFLOW}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		double		value;

		unit_case("out of range: %s", rows[i].text);
		CHECK_COUNT(parse(rows[i].text, strlen(rows[i].text), &value), rows[i].result);
	}
}

/* "before", then "zeros" zeros, then "after". */
static FgNumberResult
parse_long(const char *before, size_t zeros, const char *after, double *value)
{
	size_t		length = strlen(before) + zeros + strlen(after);
	char	   *text = malloc(length + 1);
	FgNumberResult result;

	memcpy(text, before, strlen(before));
	memset(text + strlen(before), '0', zeros);
	strcpy(text + strlen(before) + zeros, after);
	result = parse(text, length, value);
	free(text);
	return result;
}

static void
test_long_numbers(void)
{
	double		value;

	unit_case("10000 leading zeros");
	CHECK_COUNT(parse_long("", 10000, "1", &value), FG_NUMBER_OK);
	CHECK_DOUBLE(value, 1);
	unit_case("300 zeros and the exponent that takes them back");
	CHECK_COUNT(parse_long("1", 300, "e-300", &value), FG_NUMBER_OK);
	CHECK_DOUBLE(value, 1);
	CHECK_COUNT(parse_long("-0.", 299, "1e300", &value), FG_NUMBER_OK);
	CHECK_DOUBLE(value, -1);
	unit_case("1000 decimals");
	CHECK_COUNT(parse_long("0.5", 1000, "", &value), FG_NUMBER_OK);
	CHECK_DOUBLE(value, 0.5);
	CHECK_COUNT(parse_long("9007199254740993.", 900, "1", &value), FG_NUMBER_OK);
	CHECK_DOUBLE(value, 9007199254740994.0);
	unit_case("400 digits too many");
	CHECK_COUNT(parse_long("1", 400, "", &value), FG_NUMBER_OVERFLOW);
	CHECK_COUNT(parse_long("0.", 400, "1", &value), FG_NUMBER_UNDERFLOW);
	CHECK_COUNT(parse_long("0.", 400, "", &value), FG_NUMBER_OK);
	CHECK_DOUBLE(value, 0);
	unit_case("an exponent that counts digits away does not wrap");
	CHECK_COUNT(parse_long("0.", 400, "1e4294967697", &value), FG_NUMBER_OVERFLOW);
	CHECK_COUNT(parse_long("1", 20, "e-18446744073709551616", &value), FG_NUMBER_UNDERFLOW);
}

/* glibc's strtod is correctly rounded; the fast path has to agree with it. */
static void
test_random_decimals(void)
{
	UnitRandom	random = {42};

	unit_case("random decimals around the limits of the fast path");
	for (int i = 0; i < 100000; i++)
	{
		char		text[64];
		double		value;
		uint64_t	digits = unit_random(&random) >> unit_below(&random, 64);
		int			exponent = (int) unit_below(&random, 60) - 30;

		if (i % 4 == 0)
			digits = UINT64_C(9007199254740992) - 1000 + unit_below(&random, 2000);
		snprintf(text, sizeof(text), "%s%llu%s%u%se%d", i % 2 ? "-" : "",
				 (unsigned long long) digits, i % 3 ? "." : "", unit_below(&random, 100),
				 "", exponent);
		unit_note("[%s]", text);
		CHECK_COUNT(parse(text, strlen(text), &value), FG_NUMBER_OK);
		CHECK(value == strtod(text, NULL));
	}
}

static bool
parse_many_digits(FgContext *ctx, void *arg)
{
	const char *text = arg;
	double		value;

	switch (fg_number_parse(ctx, text, strlen(text), &value))
	{
		case FG_NUMBER_OK:
			return CHECK_DOUBLE(value, 9007199254740994.0);
		case FG_NUMBER_MEMORY:
			return false;
		default:
			return CHECK(false);
	}
}

static void
test_memory(void)
{
	char		text[400];

	memset(text, '0', sizeof(text));
	memcpy(text, "9007199254740993.", 17);
	strcpy(text + 397, "1");
	unit_sweep_memory("a long number", parse_many_digits, text);
}

/* --- printing --------------------------------------------------------------- */

static void
test_layout(void)
{
	static const struct
	{
		double		value;
		const char *text;
	}			rows[] = {
		/* golden case text_number_layout */
		{1e300, "1e+300"}, {1e-300, "1e-300"}, {999999999999999999.0, "1e+18"}, {1e18, "1e+18"},
		{0.0001, "0.0001"}, {0.00001, "1e-05"}, {123456789012345.5, "123456789012345.5"},
		{1234567890123456.5, "1.2345678901234565e+15"}, {9007199254740993.0, "9007199254740992"},
		{0.1, "0.1"}, {1e17, "100000000000000000"}, {4.9406564584124654e-324, "5e-324"},
		/* golden case text_negative_fractional */
		{-1.5, "-1.5"}, {0.25, "0.25"}, {-0.001, "-0.001"}, {0.5, "0.5"}, {6, "6"}, {100, "100"},
		{12345678901234567890.0, "1.2345678901234567e+19"},
		/* item 8: whole and below 1e18 as plain digits */
		{0, "0"}, {-0.0, "0"}, {1, "1"}, {-1, "-1"}, {1e15, "1000000000000000"},
		{999999999999999900.0, "999999999999999872"}, {-1e17, "-100000000000000000"},
		{-1e18, "-1e+18"}, {0x1p53, "9007199254740992"}, {0x1p59, "576460752303423488"},
		{0x1p60, "1.152921504606847e+18"},
		/* otherwise shortest */
		{0.3, "0.3"}, {0.1 + 0.2, "0.30000000000000004"}, {1.0 / 3, "0.3333333333333333"},
		{2.5e-5, "2.5e-05"}, {-0.00012, "-0.00012"}, {99999.99, "99999.99"},
		{DBL_MAX, "1.7976931348623157e+308"}, {DBL_MIN, "2.2250738585072014e-308"},
		{-DBL_MAX, "-1.7976931348623157e+308"}, {1e-10, "1e-10"}, {1.5e-100, "1.5e-100"},
		{5e-05, "5e-05"}, {0.00009999, "9.999e-05"}, {999999999999999.9, "999999999999999.9"},
		{0x1p-24, "5.960464477539063e-08"}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		char		text[FG_NUMBER_SIZE];
		size_t		length = fg_number_print(rows[i].value, text);

		unit_case("prints %s", rows[i].text);
		CHECK_TEXT(text, length, rows[i].text);
		CHECK_COUNT(strlen(text), length);
	}
}

/*
 * The layout written down with printf: n is the least number of digits that reads
 * back, then %f or %e prints just these.
 */
static void
reference_text(double value, char *text, size_t size)
{
	int			n = 1;
	int			exponent;

	if (value == rint(value) && fabs(value) < 1e18)
	{
		snprintf(text, size, "%.0f", value);
		return;
	}
	for (;; n++)
	{
		snprintf(text, size, "%.*e", n - 1, value);
		if (strtod(text, NULL) == value)
			break;
	}
	exponent = atoi(strchr(text, 'e') + 1);
	if (exponent >= -4 && exponent < 15)
		snprintf(text, size, "%.*f", n - 1 > exponent ? n - 1 - exponent : 0, value);
}

static void
check_print(double value)
{
	char		text[FG_NUMBER_SIZE];
	char		expected[64];
	size_t		length = fg_number_print(value, text);
	double		again;
	int			exponent;

	unit_note("[%.17g, %a]", value, value);
	reference_text(value, expected, sizeof(expected));
	CHECK(length < FG_NUMBER_SIZE);
	CHECK_COUNT(parse(text, length, &again), FG_NUMBER_OK);
	CHECK_DOUBLE(again, value);
	/* of a power of two, a shorter text may exist that is not the nearest one */
	if (fabs(frexp(value, &exponent)) == 0.5)
		CHECK(length <= strlen(expected));
	else
		CHECK_TEXT(text, length, expected);
}

static void
test_powers(void)
{
	unit_case("all powers of two");
	for (int e = -1074; e <= 1023; e++)
	{
		check_print(ldexp(1, e));
		check_print(-ldexp(1, e));
	}
	unit_case("the neighbours of all powers of two");
	for (int e = -1073; e <= 1023; e++)
	{
		check_print(nextafter(ldexp(1, e), 0));
		check_print(nextafter(ldexp(1, e), INFINITY));
	}
	unit_case("all powers of ten and their neighbours");
	for (int e = -323; e <= 308; e++)
	{
		char		text[16];
		double		value;

		snprintf(text, sizeof(text), "1e%d", e);
		value = strtod(text, NULL);
		check_print(value);
		check_print(nextafter(value, 0));
		check_print(-nextafter(value, INFINITY));
	}
}

/*
 * The shortest text of 2^n can be a decimal other than the nearest, since the
 * doubles below it lie closer: 2^-44 is the classic.
 */
static void
test_shortest_power_of_two(void)
{
	unit_case("no decimal shorter than the text of a power of two reads back");
	for (int e = -1074; e <= 1023; e++)
	{
		double		value = ldexp(1, e);
		char		text[FG_NUMBER_SIZE];
		int			digits = 0;

		fg_number_print(value, text);
		if (value == rint(value) && value < 1e18)
			continue;
		for (const char *p = text; *p != '\0' && *p != 'e'; p++)
			digits += *p >= '0' && *p <= '9' && (digits > 0 || *p != '0');
		unit_note("[2^%d = %s]", e, text);
		for (int n = 1; n < digits; n++)
		{
			char		near[64];
			char		scaled[64];
			uint64_t	mantissa = 0;

			snprintf(near, sizeof(near), "%.*e", n - 1, value);
			for (const char *p = near; *p != 'e'; p++)
				mantissa = *p == '.' ? mantissa : mantissa * 10 + (uint64_t) (*p - '0');
			/* the nearest with n digits, the one below and the one above */
			for (int step = -1; step <= 1; step++)
			{
				snprintf(scaled, sizeof(scaled), "%llue%d",
						 (unsigned long long) (mantissa + (uint64_t) step),
						 atoi(strchr(near, 'e') + 1) - (n - 1));
				CHECK(strtod(scaled, NULL) != value);
			}
		}
	}
}

static void
test_random_doubles(void)
{
	UnitRandom	random = {4711};

	unit_case("random doubles of any size");
	for (int i = 0; i < 15000; i++)
	{
		double		value = fg_bits_double(unit_random(&random));

		if (isfinite(value))
			check_print(value);
	}
	unit_case("random subnormal doubles");
	for (int i = 0; i < 5000; i++)
		check_print(fg_bits_double(unit_random(&random) >> (12 + unit_below(&random, 52))));
	unit_case("random decimals as profiles have them");
	for (int i = 0; i < 10000; i++)
		check_print((double) (unit_random(&random) >> (10 + unit_below(&random, 50))) /
					pow(10, unit_below(&random, 18)));
	unit_case("random whole numbers");
	for (int i = 0; i < 10000; i++)
		check_print((double) (int64_t) (unit_random(&random) >> unit_below(&random, 60)));
}

/* Room of exactly the promised size, so that a byte too far is seen. */
static void
check_any(double value)
{
	char	   *text = malloc(FG_NUMBER_SIZE);
	size_t		length = fg_number_print(value, text);
	double		again;

	unit_note("[%a]", value);
	CHECK(length > 0 && length < FG_NUMBER_SIZE);
	CHECK_COUNT(strlen(text), length);
	if (isnan(value))
		CHECK_TEXT(text, length, "nan");
	else if (isinf(value))
		CHECK_TEXT(text, length, value > 0 ? "inf" : "-inf");
	else if (CHECK_COUNT(parse(text, length, &again), FG_NUMBER_OK))
		CHECK(again == value);
	if (!isfinite(value))
		CHECK_COUNT(parse(text, length, &again), FG_NUMBER_SYNTAX);
	free(text);
}

static void
check_either_sign(double value)
{
	check_any(value);
	check_any(-value);
}

static void
test_every_class(void)
{
	static const double rows[] = {
		0, 1, DBL_MIN, DBL_TRUE_MIN, DBL_MAX, DBL_EPSILON, DBL_MIN - DBL_TRUE_MIN,
		DBL_MIN + DBL_TRUE_MIN, 2 * DBL_TRUE_MIN, DBL_MAX / 2, 1e18, 1e15, 1e-4
	};
	UnitRandom	random = {815};

	unit_case("zeros, extremes and their neighbours");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		check_either_sign(rows[i]);
		check_either_sign(nextafter(rows[i], INFINITY));
		check_either_sign(nextafter(rows[i], -INFINITY));
	}
	unit_case("infinities");
	check_either_sign(INFINITY);
	check_either_sign(nextafter(DBL_MAX, INFINITY));
	unit_case("every exponent, with a fraction of zeros, ones, a bit and random ones");
	for (uint64_t exponent = 0; exponent <= 0x7FF; exponent++)
	{
		uint64_t	high = exponent << 52;

		check_either_sign(fg_bits_double(high));
		check_either_sign(fg_bits_double(high | 1));
		check_either_sign(fg_bits_double(high | UINT64_C(1) << 51));
		check_either_sign(fg_bits_double(high | (UINT64_MAX >> 12)));
		for (int i = 0; i < 8; i++)
			check_either_sign(fg_bits_double(high | unit_random(&random) >> 12));
	}
	unit_case("any bits");
	for (int i = 0; i < 20000; i++)
		check_any(fg_bits_double(unit_random(&random)));
}

/* Whole numbers that no double is: by their text, and counted when they are read. */
static void
test_lost_digits(void)
{
	static const struct
	{
		const char *text;
		bool		lost;
	}			rows[] = {
		{"9007199254740992", false}, {"9007199254740993", true}, {"9007199254740994", false},
		{"-9007199254740992", false}, {"-9007199254740993", true}, {"+9007199254740993", true},
		{"0000009007199254740993", true}, {"0000009007199254740992", false}, {"999999999999999", false},
		{"9223372036854775807", true}, {"9223372036854775808", false}, {"9999999999999999999", true},
		{"18446744073709551615", true}, {"18446744073709551616", false}, {"36893488147419103233", true},
		{"9007199254740993.0", false}, {"9007199254740993e0", false}, {"1e22", false}, {"0.12345678901234567890", false}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		size_t		length = strlen(rows[i].text);
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		double		value;

		unit_case("digits of %s", rows[i].text);
		CHECK(fg_number_parse(&ctx, rows[i].text, length, &value) == FG_NUMBER_OK);
		CHECK(fg_number_lost_digits(rows[i].text, length, value) == rows[i].lost);
		CHECK_COUNT(ctx.rounded, rows[i].lost);
	}
}

static void
test_whole_numbers(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	unit_case("whole numbers that are no text");
	CHECK(fg_number_of(&ctx, INT64_MIN) == -0x1p63);
	CHECK(fg_number_of(&ctx, -(INT64_C(1) << 53)) == -0x1p53);
	CHECK(fg_number_of(&ctx, (INT64_C(1) << 53) + 2) == 0x1p53 + 2);
	CHECK(fg_number_of_unsigned(&ctx, UINT64_C(1) << 63) == 0x1p63);
	CHECK_COUNT(ctx.rounded, 0);
	CHECK(fg_number_of(&ctx, (INT64_C(1) << 53) + 1) == 0x1p53);
	CHECK(fg_number_of(&ctx, -(INT64_C(1) << 53) - 1) == -0x1p53);
	CHECK(fg_number_of(&ctx, INT64_MAX) == 0x1p63);
	CHECK(fg_number_of_unsigned(&ctx, UINT64_MAX) == 0x1p64);
	CHECK(fg_number_of_unsigned(&ctx, (UINT64_C(1) << 53) + 1) == 0x1p53);
	CHECK_COUNT(ctx.rounded, 5);
}

int
main(void)
{
	test_good_numbers();
	test_bad_numbers();
	test_range();
	test_long_numbers();
	test_random_decimals();
	test_memory();
	test_layout();
	test_powers();
	test_shortest_power_of_two();
	test_random_doubles();
	test_every_class();
	test_lost_digits();
	test_whole_numbers();
	return unit_finish();
}
