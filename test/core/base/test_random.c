/*
 * test_random.c
 *	  xoshiro256** against a second implementation, and what is drawn with it.
 */
#include "unit.h"

#include "core/base/random.h"

/* From an implementation in Python with numbers of any size. */
static void
test_vectors(void)
{
	static const struct
	{
		uint64_t	seed;
		uint64_t	first_state;
		uint64_t	first[4];
		uint64_t	thousandth;
	}			rows[] = {
		{0, 0xe220a8397b1dcdaf,
			{0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0, 0x6aa594f1262d2d2c},
		0x7aac8c483a2edd2f},
		{42, 0xbdd732262feb6e95,
			{0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1, 0xecb8ad4703b360a1},
		0x8de5848c61ab8968},
		{UINT64_MAX, 0xe4d971771b652c20,
			{0x8f5520d52a7ead08, 0xc476a018caa1802d, 0x81de31c0d260469e, 0xbf658d7e065f3c2f},
		0xc3c93ea5cde434cc}
	};
	static const uint64_t plain[] = {
		11520, 0, 1509978240, 1215971899390074240, 1216172134540287360, 607988272756665600
	};
	FgRandom	random = {{1, 2, 3, 4}};

	unit_case("xoshiro256**");
	for (size_t i = 0; i < COUNT(plain); i++)
		CHECK_COUNT(fg_random_next(&random), plain[i]);
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		fg_random_seed(&random, rows[i].seed);
		CHECK_COUNT(random.state[0], rows[i].first_state);
		for (int k = 0; k < 4; k++)
			CHECK_COUNT(fg_random_next(&random), rows[i].first[k]);
		for (int k = 0; k < 995; k++)
			fg_random_next(&random);
		CHECK_COUNT(fg_random_next(&random), rows[i].thousandth);
	}
}

static void
test_draws(void)
{
	static const uint64_t digits[] = {1, 6, 9, 4, 5, 9, 1, 2, 6, 9, 5, 7};
	static const uint64_t large[] = {
		7360099428760650964, 4267368966054939610, 7641949415949548541
	};
	static const uint32_t shuffled[] = {0, 11, 7, 3, 8, 5, 2, 10, 4, 9, 6, 1};
	uint32_t	values[COUNT(shuffled)];
	FgRandom	random;

	unit_case("draws");
	fg_random_seed(&random, 42);
	for (size_t i = 0; i < COUNT(digits); i++)
		CHECK_COUNT(fg_random_below(&random, 10), digits[i]);
	for (size_t i = 0; i < COUNT(large); i++)
		CHECK_COUNT(fg_random_below(&random, (UINT64_C(1) << 63) + 1), large[i]);
	fg_random_seed(&random, 42);
	for (uint32_t i = 0; i < COUNT(values); i++)
		values[i] = i;
	fg_random_shuffle(&random, values, COUNT(values));
	CHECK_BYTES(values, sizeof(values), shuffled, sizeof(shuffled));
	fg_random_shuffle(&random, values, 1);
	fg_random_shuffle(&random, values, 0);
	CHECK_BYTES(values, sizeof(values), shuffled, sizeof(shuffled));
	CHECK_COUNT(fg_random_below(&random, 1), 0);
}

/* Each of the 24 orders of four is as likely: chi-square with 23 degrees of freedom. */
static void
test_orders(void)
{
	uint32_t	counts[256] = {0};
	double		chi_square = 0;
	int			orders = 0;
	FgRandom	random;

	unit_case("orders of four are equally likely");
	fg_random_seed(&random, 7);
	for (int i = 0; i < 240000; i++)
	{
		uint32_t	v[] = {0, 1, 2, 3};

		fg_random_shuffle(&random, v, 4);
		counts[v[0] << 6 | v[1] << 4 | v[2] << 2 | v[3]]++;
	}
	for (int i = 0; i < 256; i++)
	{
		double		difference = counts[i] - 10000.0;

		if (counts[i] == 0)
			continue;
		orders++;
		chi_square += difference * difference / 10000;
	}
	CHECK_COUNT((uint64_t) orders, 24);
	/* 49.7 is exceeded once in a thousand */
	CHECK(chi_square < 49.7);
}

int
main(void)
{
	test_vectors();
	test_draws();
	test_orders();
	return unit_finish();
}
