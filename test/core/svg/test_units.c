/*
 * test_units.c
 *	  Numbers for people.
 */
#include "unit.h"

#include "core/svg/units.h"

#include <float.h>
#include <math.h>

typedef struct Written
{
	double		value;
	const char *unit;
	const char *written;
} Written;

static void
check_written(const Written *rows, size_t count)
{
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < count; i++)
	{
		FgBuffer	text = {.ctx = &ctx};

		unit_note("%g %s", rows[i].value, rows[i].unit);
		CHECK(fg_units_value(&text, rows[i].value, rows[i].unit, strlen(rows[i].unit)));
		CHECK_TEXT(text.data, text.size, rows[i].written);
		fg_release(&ctx, text.data);
	}
}

/* Decimal halves go up in each unit; nothing underflows, and no plain number has an exponent. */
static void
test_halves(void)
{
	static const Written rows[] = {
		{999.5, "nanoseconds", "1 \xC2\xB5s"}, {0.9995, "microseconds", "1 \xC2\xB5s"},
		{999.5, "milliseconds", "1 s"}, {0.9995, "seconds", "1 s"}, {998.5, "nanoseconds", "999 ns"},
		{998.5, "milliseconds", "999 ms"}, {0.9985, "seconds", "999 ms"}, {998.5, "", "999"},
		{1.005, "seconds", "1.01 s"}, {1005, "milliseconds", "1.01 s"}, {1.005e9, "nanoseconds", "1.01 s"},
		{1.015, "seconds", "1.02 s"}, {1015, "milliseconds", "1.02 s"}, {1015000, "microseconds", "1.02 s"},
		{0.00025, "microseconds", "0.25 ns"}, {1.00499999999, "seconds", "1 s"},
		{59.95, "seconds", "60 s"}, {59950, "milliseconds", "60 s"}, {59.949, "seconds", "59.9 s"},
		{3.5973e12, "nanoseconds", "60 min"}, {100.5, "minutes", "101 minutes"},
		{0.0001, "nanoseconds", "0.0001 ns"}, {1e-7, "microseconds", "0.0001 ns"},
		{1e-13, "seconds", "0.0001 ns"}, {0.00009996, "", "0.0001"}, {0.00009994, "", "9.99e-05"},
		{9.995e-5, "nanoseconds", "0.0001 ns"}, {5e-324, "nanoseconds", "4.94e-324 ns"},
		{5e-324, "seconds", "4.94e-315 ns"}, {1e-320, "milliseconds", "1e-314 ns"},
		{DBL_MAX, "nanoseconds", "4.99e+295 h"}, {DBL_MAX, "seconds", "4.99e+304 h"},
		{DBL_MAX, "bytes", "1.56e+290 EiB"}, {-999.5, "nanoseconds", "-1 \xC2\xB5s"},
		{999999999999999, "bytes", "909 TiB"}, {1e15 - 1, "minutes", "1P minutes"},
		{1023.5, "bytes", "1 KiB"}, {1023.4, "bytes", "1,023 B"}
	};

	unit_case("halves, and what is very small or large");
	check_written(rows, COUNT(rows));
}

static void
test_values(void)
{
	static const Written rows[] = {
		{0, "samples", "0 samples"}, {1, "samples", "1 samples"}, {60, "samples", "60 samples"},
		{999, "", "999"}, {1000, "", "1,000"}, {123456, "x", "123,456 x"}, {999999, "", "999,999"},
		{999999.4, "", "999,999"}, {999999.5, "", "1M"}, {1e6, "", "1M"}, {1234567, "", "1.23M"},
		{12345678, "", "12.3M"}, {123456789, "", "123M"}, {1e9, "", "1G"}, {7.5e12, "", "7.5T"},
		{1e15, "", "1P"}, {1e18, "", "1E"}, {1e21, "", "1Z"}, {2.5e24, "", "2.5Y"},
		{1e27, "", "1,000Y"}, {1e300, "", "1e+276Y"},
		{0.5, "", "0.5"}, {0.125, "", "0.125"}, {0.1234, "", "0.123"}, {1.005, "", "1.01"},
		{1.5, "", "1.5"}, {9.996, "", "10"}, {12.34, "", "12.3"}, {99.96, "", "100"},
		{100.4, "", "100"}, {100.6, "", "101"}, {0.0001, "", "0.0001"},
		{0.00001234, "", "1.23e-05"},
		{5e-324, "", "4.94e-324"}, {-60, "samples", "-60 samples"}, {-1234567, "", "-1.23M"},
		{1, "nanoseconds", "1 ns"}, {0, "nanoseconds", "0 ns"}, {0, "seconds", "0 s"},
		{999, "nanoseconds", "999 ns"},
		{1000, "nanoseconds", "1 \xC2\xB5s"}, {1234567, "nanoseconds", "1.23 ms"},
		{999999, "nanoseconds", "1 ms"}, {5e9, "nanoseconds", "5 s"},
		{9e10, "nanoseconds", "1.5 min"},
		{5, "microseconds", "5 \xC2\xB5s"}, {2500, "microseconds", "2.5 ms"},
		{0.25, "milliseconds", "250 \xC2\xB5s"}, {59.94, "seconds", "59.9 s"},
		{60, "seconds", "1 min"},
		{3600, "seconds", "1 h"}, {1e7, "seconds", "2,778 h"}, {0.0125, "seconds", "12.5 ms"},
		{-90, "seconds", "-1.5 min"}, {1e-12, "seconds", "0.001 ns"},
		{512, "bytes", "512 B"}, {1024, "bytes", "1 KiB"}, {1536, "bytes", "1.5 KiB"},
		{0x1p20, "bytes", "1 MiB"}, {5e9, "bytes", "4.66 GiB"}, {0x1p70, "bytes", "1,024 EiB"},
		{0.6, "fraction", "60 %"}, {-0.25, "fraction", "-25 %"},
		{NAN, "samples", "NaN samples"}, {INFINITY, "seconds", "Infinity seconds"},
		{-INFINITY, "", "-Infinity"}, {3, "second", "3 second"}, {-0.0, "", "0"}
	};

	unit_case("values with units");
	check_written(rows, COUNT(rows));
}

static void
test_shares(void)
{
	static const struct
	{
		double		part;
		double		whole;
		const char *written;
	}			rows[] = {
		{60, 100, "60 %"}, {100, 100, "100 %"}, {10, 100, "10 %"}, {9.96, 100, "10 %"},
		{9.94, 100, "9.9 %"}, {12.5, 100, "13 %"}, {13.5, 100, "14 %"}, {23, 2000, "1.2 %"},
		{25, 2000, "1.3 %"}, {9.95, 100, "10 %"}, {0.095, 100, "0.1 %"}, {4.21, 100, "4.2 %"}, {4, 100, "4 %"}, {0.5, 100, "0.5 %"},
		{0.1, 100, "0.1 %"}, {0.096, 100, "0.1 %"}, {0.04, 100, "0.04 %"}, {0.01, 100, "0.01 %"},
		{0.005, 100, "0.01 %"}, {0.0049, 100, "<0.01 %"}, {5e-324, 1, "<0.01 %"}, {0, 100, "0 %"},
		{0, 0, "-"}, {1, 0, "-"}, {250, 100, "250 %"}, {-5, 100, "-5 %"}, {1e308, 1e308, "100 %"},
		{1e308, 1e-308, "-"}, {NAN, 1, "-"}, {1, INFINITY, "0 %"}
	};
	char		text[FG_UNITS_SIZE];

	unit_case("shares");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		size_t		length = fg_units_share(rows[i].part, rows[i].whole, text);

		unit_note("%g / %g", rows[i].part, rows[i].whole);
		CHECK_TEXT(text, length, rows[i].written);
	}
}

/* Whatever the number is, the text fits and reads back within half of a third digit. */
static void
test_sweep(void)
{
	UnitRandom	random = {7};
	char		text[FG_UNITS_SIZE];

	unit_case("any number");
	for (int i = 0; i < 200000; i++)
	{
		double		value = fg_bits_double(unit_random(&random));
		size_t		length;

		if (!isfinite(value))
			continue;
		length = fg_units_number(value, text);
		unit_note("%g", value);
		if (!CHECK(length < FG_UNITS_SIZE - 8) || !CHECK(length > 0))
			return;
	}
	for (int i = 0; i < 20000; i++)
	{
		double		value = (double) unit_below(&random, 1000000) / 1000;
		double		read;

		text[fg_units_number(value, text)] = '\0';
		if (strchr(text, ',') != NULL)
			continue;
		read = atof(text);
		unit_note("%g", value);
		if (!CHECK(fabs(read - value) <= (value < 99.95 ? 0.00501 * value : 0.5)))
			return;
	}
}

static void
test_steps(void)
{
	static const struct
	{
		const char *unit;
		int			count;
		const char *last;
		double		size;
	}			rows[] = {
		{"nanoseconds", 6, " h", 3.6e12}, {"milliseconds", 6, " h", 3.6e6}, {"bytes", 7, " EiB", 0x1p60},
		{"samples", 8, "Y samples", 1e24}, {"", 8, "Y", 1e24}, {"fraction", 0, "", 0}
	};
	FgContext	ctx = fg_malloc_context();
	double		size;

	unit_case("steps of units");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		const char *unit = rows[i].unit;
		FgBuffer	name = {.ctx = &ctx};
		int			count = 0;

		unit_note("%s", unit);
		for (; fg_units_step(&name, count, unit, strlen(unit), &size) && size > 0; count++)
		{
			if (count + 1 == rows[i].count)
			{
				CHECK_TEXT(name.data, name.size, rows[i].last);
				CHECK(size == rows[i].size);
			}
			name.size = 0;
		}
		CHECK_COUNT((size_t) count, (size_t) rows[i].count);
		fg_release(&ctx, name.data);
	}
}

static void
test_rounded(void)
{
	static const struct
	{
		double		value;
		int			digits;
		const char *written;
	}			rows[] = {
		{0, 6, "0"}, {-0.0, 6, "0"}, {1, 6, "1"}, {50, 6, "50"}, {-50, 6, "-50"}, {123456.7, 6, "123457"},
		{1234567, 6, "1234570"}, {0.1, 6, "0.1"}, {1.0 / 3, 6, "0.333333"}, {2.0 / 3, 3, "0.667"},
		{0.0001234567, 4, "0.0001235"}, {0.00001234567, 4, "1.235e-5"}, {1e14, 6, "100000000000000"},
		{1e15, 6, "1e15"}, {1.25e300, 6, "1.25e300"}, {-2.5e-300, 6, "-2.5e-300"}, {9.9999999, 3, "10"},
		{1e-4, 2, "0.0001"}, {0.012, 2, "0.012"}, {12.5, 3, "12.5"}, {12.5, 2, "12"},
		{NAN, 6, "NaN"}, {-INFINITY, 6, "-Infinity"},
		{0.1 + 0.2, 17, "0.30000000000000004"}
	};
	UnitRandom	random = {11};
	char		text[FG_UNITS_SIZE];

	unit_case("significant digits");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("%.17g", rows[i].value);
		CHECK_TEXT(text, fg_units_rounded(rows[i].value, rows[i].digits, text), rows[i].written);
	}
	unit_case("significant digits as printf has them");
	for (int i = 0; i < 20000; i++)
	{
		double		value = (1 + unit_below(&random, 999999999)) * pow(10, -12 + (int) unit_below(&random, 18));
		char		expected[40];
		double		difference;

		(void) fg_units_rounded(value, 6, text);
		snprintf(expected, sizeof(expected), "%.5e", value);
		difference = fabs(atof(text) / atof(expected) - 1);
		unit_note("%.17g", value);
		/* a tie may fall either way */
		CHECK(difference < 1e-12 || fabs(fabs(value / atof(expected) - 1) / difference - 0.5) < 1e-6);
	}
}

int
main(void)
{
	test_values();
	test_halves();
	test_steps();
	test_rounded();
	test_shares();
	test_sweep();
	return unit_finish();
}
