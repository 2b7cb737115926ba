/*
 * test_packed_numbers.c
 *	  Columns of numbers in few bits: each comes back, bit for bit, and memory is what they need.
 */
#include "unit.h"

#include "core/reading/packed_numbers.h"

#include <math.h>

#define LIMIT ((size_t) 1 << 26)

/* --- numbers as they come in columns ----------------------------------------------------- */

typedef enum Kind
{
	SAME, NONE, FEW, MANY, ANY, WEIGHTS, NULLS, MILLIS, MICROS, FAR, SIGNED_ZEROS, RAW, MIXED, KINDS
} Kind;

static uint32_t
make_index(UnitRandom *random, Kind kind)
{
	switch (kind)
	{
		case SAME:
			return 77;
		case NONE:
			return unit_below(random, 3) == 0 ? unit_below(random, 5) : UINT32_MAX;
		case FEW:
			return unit_below(random, 2800);
		case MANY:
			return 5000000 + unit_below(random, 100000);
		default:
			return unit_below(random, UINT32_MAX) + unit_below(random, 2);
	}
}

static double
make_double(UnitRandom *random, Kind kind)
{
	static const double far[] = {2251799813685247.0, -2251799813685247.0, 2251799813685248.0, 9007199254740993.0, 1e300};
	static const double raw[] = {0.1 + 0.2, 1.0 / 3, 5e-324, -1e-7, INFINITY, -INFINITY, NAN, 1.0000001};

	switch (kind)
	{
		case SAME:
			return 1;
		case WEIGHTS:
			return unit_below(random, 1000) - 500.0;
		case NULLS:
			return unit_below(random, 2) == 0 ? NAN : 1000000.0 + unit_below(random, 10);
		case NONE:
			return NAN;
		case MILLIS:
			return (unit_below(random, 20000) - 10000.0) / 1000;
		case MICROS:
			return (4000000000.0 + unit_below(random, 2000000)) / 1e6;
		case FAR:
			return far[unit_below(random, 2)];
		case SIGNED_ZEROS:
			return unit_below(random, 2) == 0 ? -0.0 : 0.0;
		case RAW:
			return raw[unit_below(random, 8)];
		case MIXED:
			return unit_below(random, 1500) == 0 ? far[unit_below(random, 5)] : unit_below(random, 100);
		default:
			return (double) unit_below(random, UINT32_MAX);
	}
}

static bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

/* --- there and back ----------------------------------------------------------------------- */

static bool
keep_index(FgContext *ctx, FgPackedIndices *numbers, uint32_t number)
{
	if (!fg_packed_indices_room(ctx, numbers, LIMIT))
		return false;
	numbers->items[numbers->count++] = number;
	return true;
}

static bool
keep_double(FgContext *ctx, FgPackedDoubles *numbers, double number)
{
	if (!fg_packed_doubles_room(ctx, numbers, LIMIT))
		return false;
	numbers->items[numbers->count++] = number;
	return true;
}

/* Numbers that are made again are what comes back; *bytes: what they took. */
static void
check_indices(Kind kind, size_t count, size_t *bytes)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPackedIndices numbers = {.items = NULL};
	UnitRandom	random = {count + 1};
	static FgIndexWalk walk;
	uint32_t	number = 0;
	size_t		wrong = 0;

	for (size_t i = 0; i < count; i++)
		wrong += !keep_index(&ctx, &numbers, make_index(&random, kind));
	CHECK_COUNT(fg_packed_indices_count(&numbers), count);
	random = (UnitRandom) {count + 1};
	fg_index_walk(&walk, &numbers);
	for (size_t i = 0; i < count; i++)
		wrong += !fg_index_next(&walk, &number) || number != make_index(&random, kind);
	CHECK_COUNT(wrong, 0);
	CHECK(!fg_index_next(&walk, &number) && !fg_index_next(&walk, &number));
	*bytes = memory.bytes;
	fg_packed_indices_free(&ctx, &numbers);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_doubles(Kind kind, size_t count, size_t *bytes)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPackedDoubles numbers = {.items = NULL};
	UnitRandom	random = {count + 1};
	static FgDoubleWalk walk;
	double		number = 0;
	size_t		wrong = 0;

	for (size_t i = 0; i < count; i++)
		wrong += !keep_double(&ctx, &numbers, make_double(&random, kind));
	CHECK_COUNT(fg_packed_doubles_count(&numbers), count);
	random = (UnitRandom) {count + 1};
	fg_double_walk(&walk, &numbers);
	for (size_t i = 0; i < count; i++)
		wrong += !fg_double_next(&walk, &number) || !same_bits(number, make_double(&random, kind));
	CHECK_COUNT(wrong, 0);
	CHECK(!fg_double_next(&walk, &number) && !fg_double_next(&walk, &number));
	*bytes = memory.bytes;
	fg_packed_doubles_free(&ctx, &numbers);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_numbers(void)
{
	static const size_t counts[] = {0, 1, 16, 17, 1023, 1024, 1025, 2048, 5000};
	size_t		bytes;

	for (int kind = 0; kind < KINDS; kind++)
	{
		unit_case("numbers of kind %d", kind);
		for (size_t i = 0; i < COUNT(counts); i++)
		{
			check_indices((Kind) kind, counts[i], &bytes);
			check_doubles((Kind) kind, counts[i], &bytes);
		}
	}
}

/* --- memory ------------------------------------------------------------------------------- */

/*
 * What a million numbers take: the bits that they need, what their blocks leave of a chunk, heads of blocks, the list that is
 * packed (twice its size, as it grows), and the last chunk.
 */
static void
test_memory(void)
{
	static const struct
	{
		Kind		kind;
		double		bits;
	}			indices[] = {{SAME, 0}, {NONE, 3}, {FEW, 12}, {MANY, 17}, {ANY, 32}},
				doubles[] = {{SAME, 0}, {WEIGHTS, 10}, {NULLS, 4}, {MILLIS, 15}, {MICROS, 21}, {RAW, 64}};
	const size_t count = 1000000;
	size_t		bytes;

	for (size_t i = 0; i < COUNT(indices); i++)
	{
		unit_case("bytes of a million indices in %.0f bits", indices[i].bits);
		check_indices(indices[i].kind, count, &bytes);
		CHECK((double) bytes < (double) count * (indices[i].bits / 8 + 0.03) * 1.15 + 2 * 4096 + 65536);
	}
	for (size_t i = 0; i < COUNT(doubles); i++)
	{
		unit_case("bytes of a million doubles in %.0f bits", doubles[i].bits);
		check_doubles(doubles[i].kind, count, &bytes);
		CHECK((double) bytes < (double) count * (doubles[i].bits / 8 + 0.03) * 1.15 + 2 * 8192 + 65536);
	}
}

/*
 * Of a thousand threads all columns may be kept at once.  A short one takes what its list does while it doubles (twice as
 * much as there is in the end), and its blocks what 12 bits a number are and, in the last chunk, as much again.
 */
static void
test_many_columns(void)
{
	static const size_t counts[] = {10, 300, 1500, 5000};
	static FgPackedIndices columns[1000];

	for (size_t c = 0; c < COUNT(counts); c++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		UnitRandom	random = {1};
		size_t		list = 16;
		size_t		blocks = counts[c] / FG_PACKED_BLOCK * (FG_PACKED_BLOCK * 12 / 8 + 64);

		unit_case("a thousand columns of %zu", counts[c]);
		while (list < counts[c] && list < FG_PACKED_BLOCK)
			list *= 2;
		for (size_t i = 0; i < counts[c] * COUNT(columns); i++)
			CHECK(keep_index(&ctx, &columns[i % COUNT(columns)], make_index(&random, FEW)));
		CHECK(memory.bytes <= COUNT(columns) * (2 * list * sizeof(uint32_t) + 2 * blocks));
		for (size_t i = 0; i < COUNT(columns); i++)
			fg_packed_indices_free(&ctx, &columns[i]);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- failures ----------------------------------------------------------------------------- */

static bool
run_columns(FgContext *ctx, void *arg)
{
	size_t		count = *(size_t *) arg;
	FgPackedIndices indices = {.items = NULL};
	FgPackedDoubles doubles = {.items = NULL};
	bool		ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = keep_index(ctx, &indices, (uint32_t) i) && keep_double(ctx, &doubles, (double) i / 8);
	fg_packed_indices_free(ctx, &indices);
	fg_packed_doubles_free(ctx, &doubles);
	return ok;
}

static void
test_failures(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPackedIndices numbers = {.items = NULL};
	size_t		few = 3000;
	size_t		many = 200000;

	unit_sweep_memory("columns", run_columns, &few);
	unit_sweep_interrupts("columns", run_columns, &many, 3);

	unit_case("a list ends at its limit");
	for (size_t i = 0; i < 1030; i++)
		CHECK(fg_packed_indices_room(&ctx, &numbers, 1030) && ++numbers.count > 0);
	CHECK(!fg_packed_indices_room(&ctx, &numbers, 1030));
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), "a list has more than 1030 elements");
	fg_packed_indices_free(&ctx, &numbers);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_numbers();
	test_memory();
	test_many_columns();
	test_failures();
	return unit_finish();
}
