/*
 * test_sums.c
 *	  Sums and norms of arrays of doubles.
 */
#include "unit.h"

#include "core/base/sums.h"

#include <float.h>
#include <math.h>

static FgContext plain;

/*
 * The exact sum as a whole number of 2^-1074, in 34 words of 64 bits, two's
 * complement; read back with correct rounding by way of long digits.
 */
typedef struct Exact
{
	uint64_t	word[36];
} Exact;

static void
exact_add(Exact *sum, double value)
{
	uint64_t	bits = fg_double_bits(value);
	uint64_t	mantissa = bits & ((UINT64_C(1) << 52) - 1);
	unsigned	exponent = (unsigned) (bits >> 52 & 0x7FF);
	unsigned	shift = exponent > 0 ? exponent - 1 : 0;
	__uint128_t part;
	unsigned	carry = 0;

	if (exponent > 0)
		mantissa |= UINT64_C(1) << 52;
	part = (__uint128_t) mantissa << shift % 64;
	for (unsigned i = shift / 64; i < 36; i++)
	{
		uint64_t	add = i == shift / 64 ? (uint64_t) part
			: (i == shift / 64 + 1 ? (uint64_t) (part >> 64) : 0);
		__uint128_t total;

		if (value >= 0)
			total = (__uint128_t) sum->word[i] + add + carry;
		else
			total = (__uint128_t) sum->word[i] - add - carry;
		sum->word[i] = (uint64_t) total;
		carry = (unsigned) (total >> 64) & 1;
	}
}

/* The value nearest to the exact sum, within one unit in the last place. */
static double
exact_value(const Exact *sum)
{
	Exact		copy = *sum;
	bool		negative = copy.word[35] >> 63;
	double		value = 0;

	if (negative)
	{
		unsigned	carry = 1;

		for (unsigned i = 0; i < 36; i++)
		{
			copy.word[i] = ~copy.word[i] + carry;
			carry = carry && copy.word[i] == 0;
		}
	}
	for (unsigned i = 36; i-- > 0;)
		value += ldexp((double) copy.word[i], (int) (64 * i) - 1074);
	return negative ? -value : value;
}

static void
check_sums(const double *values, size_t count, double sum, double absolute)
{
	double		got_sum = NAN;
	double		got_absolute = NAN;

	CHECK(fg_sums(&plain, values, count, &got_sum, &got_absolute));
	CHECK_DOUBLE(got_sum, sum);
	CHECK_DOUBLE(got_absolute, absolute);
}

static void
test_small(void)
{
	static const struct
	{
		const char *what;
		double		values[8];
		size_t		count;
		double		sum;
		double		absolute;
	}			rows[] = {
		{"nothing", {0}, 0, 0, 0}, {"one", {5}, 1, 5, 5}, {"-1", {-1}, 1, -1, 1},
		{"counts", {1, 2, 3, 4, 5, 6, 7}, 7, 28, 28}, {"signed", {1, -2, 3, -4, 5}, 5, 3, 15},
		{"zeros", {0, -0.0, 0, 0, -0.0}, 5, 0, 0},
		{"2^53 and back", {0x1p53, 1, 1, -0x1p53}, 4, 2, 0x1p54 + 2},
		{"small beside huge", {1e300, 1, -1e300, 1, 0.5}, 5, 2.5, 2e300},
		{"tenths", {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 8, 0.8, 0.8},
		{"half a million and a half", {500000.5, -500000}, 2, 0.5, 1000000.5},
		{"cancels on the way over", {1.5e308, 1.5e308, -1.5e308}, 3, 1.5e308, (double) INFINITY},
		{"cancels later", {1.5e308, 1.5e308, -1.5e308, -1.5e308, 3}, 5, 3, (double) INFINITY},
		{"too large", {1.5e308, 1.5e308}, 2, (double) INFINITY, (double) INFINITY},
		{"too small", {-1.5e308, -1.5e308}, 2, (double) -INFINITY, (double) INFINITY},
		{"the smallest", {0x1p-1074, 0x1p-1074, -0x1p-1074}, 3, 0x1p-1074, 3 * 0x1p-1074}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("sums: %s", rows[i].what);
		check_sums(rows[i].values, rows[i].count, rows[i].sum, rows[i].absolute);
	}
}

static void
test_whole(void)
{
	UnitRandom	random = {1};
	double		values[1000];

	unit_case("whole numbers are summed exactly, up to 2^53");
	for (int round = 0; round < 2000; round++)
	{
		size_t		count = unit_below(&random, 1000);
		unsigned	shift = 22 + unit_below(&random, 42);
		int64_t		sum = 0;
		int64_t		absolute = 0;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < count; i++)
		{
			int64_t		value = (int64_t) (unit_random(&random) >> shift);

			value = unit_below(&random, 2) ? value : -value;
			values[i] = (double) value;
			sum += value;
			absolute += llabs(value);
		}
		if (absolute < INT64_C(1) << 53)
			check_sums(values, count, (double) sum, (double) absolute);
	}
}

static void
test_compensated(void)
{
	UnitRandom	random = {2};
	double		values[500];

	unit_case("sums of doubles are right to the last bits of the largest");
	for (int round = 0; round < 2000; round++)
	{
		size_t		count = 1 + unit_below(&random, 500);
		int			spread = 1 + (int) unit_below(&random, 60);
		Exact		sum = {{0}};
		Exact		absolute = {{0}};
		double		got_sum;
		double		got_absolute;
		double		exact;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < count; i++)
		{
			values[i] = ldexp((double) (unit_random(&random) >> 11) * 0x1p-53,
							  (int) unit_below(&random, (uint32_t) spread));
			values[i] = unit_below(&random, 2) ? values[i] : -values[i];
			exact_add(&sum, values[i]);
			exact_add(&absolute, fabs(values[i]));
		}
		CHECK(fg_sums(&plain, values, count, &got_sum, &got_absolute));
		exact = exact_value(&absolute);
		CHECK_NEAR(got_absolute, exact, 0x1p-51);
		/* Neumaier: one rounding of the result, and n eps^2 of the absolute sum */
		CHECK(fabs(got_sum - exact_value(&sum)) <=
			  0x1p-51 * fabs(exact_value(&sum)) + (double) count * 0x1p-104 * exact);
	}
}

static void
test_norms(void)
{
	static const double some[] = {-3, 4, 0.5};
	static const double huge[] = {1e300, -1e300, 1e300};
	static const double tiny[] = {3e-320, 4e-320};
	static const double over[] = {1.5e308, -1.5e308};
	static const double mixed[] = {1e300, 1e-300, 3};
	UnitRandom	random = {3};

	unit_case("the largest absolute value");
	CHECK_DOUBLE(fg_max_absolute(NULL, 0), 0);
	CHECK_DOUBLE(fg_max_absolute(some, 3), 4);
	CHECK_DOUBLE(fg_max_absolute(some, 1), 3);
	CHECK_DOUBLE(fg_max_absolute(over, 2), 1.5e308);
	unit_case("Euclidean norms");
	CHECK_DOUBLE(fg_euclidean(NULL, 0), 0);
	CHECK_NEAR(fg_euclidean(some, 3), 5.024937810560445, 1e-15);	/* golden algebra_norms */
	CHECK_NEAR(fg_euclidean(huge, 3), 1.7320508075688774e300, 1e-15);	/* algebra_norms_huge */
	CHECK_NEAR(fg_euclidean(tiny, 2), 5e-320, 1e-3);	/* subnormal: few bits */
	CHECK_DOUBLE(fg_euclidean(over, 2), (double) INFINITY);
	CHECK_DOUBLE(fg_euclidean(over, 1), 1.5e308);
	CHECK_DOUBLE(fg_euclidean(mixed, 3), 1e300);
	CHECK_DOUBLE(fg_euclidean((double[]) {-0x1p-1074}, 1), 0x1p-1074);
	CHECK_DOUBLE(fg_euclidean((double[]) {DBL_MAX}, 1), DBL_MAX);
	CHECK_DOUBLE(fg_euclidean((double[]) {0, 0}, 2), 0);
	unit_case("Euclidean norms of random values of any size");
	for (int round = 0; round < 5000; round++)
	{
		double		values[20];
		int			exponent = (int) unit_below(&random, 1900) - 950;
		long double sum = 0;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < 20; i++)
		{
			values[i] = ldexp((double) (unit_random(&random) >> 11) * 0x1p-53, exponent);
			sum += (long double) values[i] * values[i];
		}
		CHECK_NEAR(fg_euclidean(values, 20), (double) sqrtl(sum), 1e-14);
	}
}

int
main(void)
{
	plain = fg_malloc_context();
	test_small();
	test_whole();
	test_compensated();
	test_norms();
	return unit_finish();
}
