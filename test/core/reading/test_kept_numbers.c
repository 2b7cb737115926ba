/*
 * test_kept_numbers.c
 *	  Numbers that are kept in few bytes: each comes back bit for bit, and memory goes as they do.
 */
#include "unit.h"

#include "core/reading/kept_numbers.h"

#include <math.h>

static double
random_number(UnitRandom *random, double last)
{
	static const double special[] = {
		0.0, -0.0, 1, -1, 63, 64, -65, 0.5, 1e300, -1e300, 4503599627370495.0, 4503599627370496.0, -4503599627370495.0,
		9007199254740993.0, -9223372036854775808.0, 18446744073709551616.0, INFINITY, -INFINITY, NAN
	};

	switch (unit_below(random, 6))
	{
		case 0:
			return special[unit_below(random, sizeof(special) / sizeof(special[0]))];
		case 1:
			return (double) unit_below(random, UINT32_MAX);
		case 2:
			return last + unit_below(random, 100) - 50;
		default:
			return last;
	}
}

static void
check_numbers(UnitRandom *random, size_t count, bool drops)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	double	   *expected = malloc((count + 1) * sizeof(double));
	FgKeptNumbers kept;
	FgKeptWalk	walk;
	double		number = 0;
	size_t		wrong = 0;

	unit_case("%zu numbers that are kept%s", count, drops ? " until they are read" : "");
	fg_kept_numbers_begin(&ctx, &kept);
	for (size_t i = 0; i < count; i++)
	{
		expected[i] = number = random_number(random, number);
		CHECK(fg_kept_numbers_add(&kept, number));
	}
	CHECK_COUNT(kept.count, count);
	walk = fg_kept_numbers_walk(&kept, drops);
	for (size_t i = 0; i < count; i++)
		wrong += !fg_kept_number_next(&walk, &number) || memcmp(&number, &expected[i], sizeof(number)) != 0;
	CHECK_COUNT(wrong, 0);
	CHECK(!fg_kept_number_next(&walk, &number));
	if (drops)
		CHECK(kept.chunks.first == kept.chunks.last);
	fg_kept_numbers_free(&kept);
	free(expected);
	CHECK_COUNT(memory.blocks, 0);
}

/* A thread that waits takes no memory, a sample of another stack a byte or two. */
static void
test_bytes(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgKeptNumbers kept;

	unit_case("bytes that numbers take");
	fg_kept_numbers_begin(&ctx, &kept);
	for (int i = 0; i < 100000; i++)
		CHECK(fg_kept_numbers_add(&kept, 7));
	CHECK_COUNT(kept.chunks.first->size, 1);
	for (int i = 0; i < 1000; i++)
		CHECK(fg_kept_numbers_add(&kept, 1000 + i % 2 * 30));
	CHECK(kept.chunks.first->size <= 1010);
	fg_kept_numbers_free(&kept);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
run_numbers(FgContext *ctx, void *arg)
{
	FgKeptNumbers kept;
	bool		ok = true;

	(void) arg;
	fg_kept_numbers_begin(ctx, &kept);
	for (int i = 0; ok && i < 40000; i++)
		ok = fg_kept_numbers_add(&kept, i * 1000 % 7919);
	fg_kept_numbers_free(&kept);
	return ok;
}

int
main(void)
{
	UnitRandom	random = {3};

	check_numbers(&random, 0, false);
	for (size_t count = 1; count < 60000; count = count * 3 + 1)
		check_numbers(&random, count, count % 2 == 0);
	check_numbers(&random, 60000, true);
	check_numbers(&random, 60000, false);
	test_bytes();
	unit_sweep_memory("numbers that are kept", run_numbers, NULL);
	return unit_finish();
}
