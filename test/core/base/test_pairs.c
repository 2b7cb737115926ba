/*
 * test_pairs.c
 *	  Distinct pairs of numbers: their numbers, how they are found, their order.
 */
#include "unit.h"

#include "core/base/pairs.h"

static uint32_t
random_number(UnitRandom *random, uint32_t limit)
{
	return unit_below(random, 20) == 0 ? FG_NONE : unit_below(random, limit);
}

static void
test_pairs(void)
{
	UnitRandom	random = {7};

	for (uint32_t round = 0; round < 8; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		uint32_t	limit = round < 4 ? 1 + round : 60 * round;
		uint32_t	adds = round == 7 ? 4000 : 300;
		FgNumberPair *known = malloc(adds * sizeof(FgNumberPair));
		uint32_t   *order;
		uint32_t	count = 0;
		FgPairs		pairs;

		unit_case("pairs of numbers below %u", limit);
		ctx.seed = unit_random(&random);
		CHECK(fg_pairs_begin(&ctx, &pairs));
		for (uint32_t i = 0; i < adds; i++)
		{
			uint32_t	a = random_number(&random, limit);
			uint32_t	b = random_number(&random, limit);
			uint32_t	expected = 0;
			uint32_t	number;

			while (expected < count && (known[expected].a != a || known[expected].b != b))
				expected++;
			CHECK_COUNT(fg_pairs_find(&pairs, a, b), expected < count ? expected : FG_NONE);
			if (expected == count)
				known[count++] = (FgNumberPair) {a, b};
			CHECK(fg_pairs_add(&pairs, a, b, &number));
			CHECK_COUNT(number, expected);
			CHECK_COUNT(pairs.count, count);
		}
		order = malloc((count + 1) * sizeof(uint32_t));
		CHECK(fg_pairs_order(&pairs, limit, order));
		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t	number = order[i];

			CHECK(pairs.pairs[i].a == known[i].a && pairs.pairs[i].b == known[i].b);
			CHECK_COUNT(fg_pairs_find(&pairs, known[i].a, known[i].b), i);
			if (i > 0)
			{
				FgNumberPair before = known[order[i - 1]];

				CHECK(before.a < known[number].a ||
					  (before.a == known[number].a && before.b < known[number].b));
			}
		}
		free(order);
		free(known);
		fg_pairs_free(&pairs);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_no_pairs(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPairs		pairs;
	uint32_t	order[1];

	unit_case("no pairs");
	CHECK(fg_pairs_begin(&ctx, &pairs));
	CHECK_COUNT(fg_pairs_find(&pairs, 0, 0), FG_NONE);
	CHECK(fg_pairs_order(&pairs, 0, order));
	fg_pairs_free(&pairs);
	CHECK_COUNT(memory.blocks, 0);
}

/* A table whose growth is cancelled keeps its pairs, and grows when it is asked again. */
static void
test_cancelled_growth(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	uint32_t	count = 0;
	uint32_t	number;
	FgPairs		pairs;

	unit_case("growing is cancelled");
	CHECK(fg_pairs_begin(&ctx, &pairs));
	memory.cancel_at = memory.polls + 1;
	while (count < 10000 && fg_pairs_add(&pairs, count, 7, &number))
		count++;
	CHECK_COUNT(ctx.error.code, FG_ERROR_CANCELLED);
	CHECK_COUNT(pairs.count, count);
	for (uint32_t i = 0; i < count; i++)
		CHECK_COUNT(fg_pairs_find(&pairs, i, 7), i);
	memory.cancel_at = 0;
	for (uint32_t i = 0; i < 3 * count; i++)
		CHECK(fg_pairs_add(&pairs, i, 7, &number) && number == i);
	fg_pairs_free(&pairs);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
run_pairs(FgContext *ctx, void *arg)
{
	uint32_t	count = *(const uint32_t *) arg;
	uint32_t   *order = malloc(count * sizeof(uint32_t));
	FgPairs		pairs = {0};
	bool		ok = fg_pairs_begin(ctx, &pairs);

	for (uint32_t i = 0; ok && i < count; i++)
	{
		uint32_t	number;

		ok = fg_pairs_add(&pairs, i % 1000, i / 1000, &number);
	}
	ok = ok && fg_pairs_order(&pairs, 1000, order);
	fg_pairs_free(&pairs);
	free(order);
	return ok;
}

static void
test_failures(void)
{
	/* the table grows; the second has more pairs than are added between two polls */
	uint32_t	few = 1500;
	uint32_t	many = 150000;

	unit_sweep_memory("pairs", run_pairs, &few);
	unit_sweep_interrupts("pairs", run_pairs, &many, 3);
}

int
main(void)
{
	test_pairs();
	test_no_pairs();
	test_cancelled_growth();
	test_failures();
	return unit_finish();
}
