/*
 * test_flameseries_columns.c
 *	  Columns of values: what was written is read, in the bytes that the header describes.
 */
#include "unit.h"

#include "core/series/flameseries_columns.h"

typedef struct Values
{
	uint32_t	profiles;
	uint32_t	count;
	uint8_t		place[FG_BLOCK_PROFILES];
	int64_t		multiple[FG_BLOCK_PROFILES];
} Values;

static FgBuffer
written(FgContext *ctx, uint32_t gap, const Values *values, bool doubles)
{
	FgBuffer	buffer = {.ctx = ctx};

	CHECK(fg_column_append(&buffer, gap, values->profiles, values->place, values->multiple,
						   values->count, doubles));
	return buffer;
}

static void
check_column(const FgStackColumn *column, uint32_t gap, const Values *values, bool doubles)
{
	uint8_t		place[FG_BLOCK_PROFILES];
	int64_t		multiple[FG_BLOCK_PROFILES];
	int64_t		sum = 0;

	CHECK_COUNT(column->gap, gap);
	if (!CHECK_COUNT(column->count, values->count) || !CHECK(fg_column_places(column, place)))
		return;
	fg_column_multiples(column, multiple);
	for (uint32_t i = 0; i < values->count; i++)
	{
		CHECK_COUNT(place[i], values->place[i]);
		CHECK(multiple[i] == values->multiple[i]);
		sum += doubles ? 0 : values->multiple[i];
	}
	if (!doubles)
		CHECK(fg_column_sum(column) == sum);
}

/* Reads it back, and from no fewer bytes. */
static void
check_values(const Values *values, uint32_t gap, bool doubles)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuffer	buffer = written(&ctx, gap, values, doubles);
	FgReader	reader = {buffer.data, buffer.data + buffer.size};
	FgStackColumn column;

	if (CHECK(fg_column_read(&reader, values->profiles, doubles, &column)))
		check_column(&column, gap, values, doubles);
	CHECK_COUNT(fg_reader_left(&reader), 0);
	for (size_t size = 0; size < buffer.size; size++)
	{
		/* In memory of its own, so that a sanitizer sees what is read beyond. */
		uint8_t    *cut = malloc(size + 1);

		memcpy(cut, buffer.data, size);
		reader = (FgReader) {cut, cut + size};
		CHECK(!fg_column_read(&reader, values->profiles, doubles, &column));
		free(cut);
	}
	fg_release(&ctx, buffer.data);
	CHECK_COUNT(memory.blocks, 0);
}

static int64_t
random_multiple(UnitRandom *random, unsigned bits)
{
	int64_t		multiple = bits == 0 ? 1 : 1 + (int64_t) (unit_random(random) >> (64 - bits));

	return unit_below(random, 8) == 0 ? -multiple : multiple;
}

static Values
random_values(UnitRandom *random, unsigned bits)
{
	uint32_t	profiles = 1 + unit_below(random, FG_BLOCK_PROFILES);
	uint32_t	one_of = 1 + unit_below(random, 3) * unit_below(random, 20);
	Values		values = {.profiles = profiles};

	for (uint32_t p = 0; p < profiles; p++)
	{
		if (unit_below(random, one_of) != 0 && !(p + 1 == profiles && values.count == 0))
			continue;
		values.place[values.count] = (uint8_t) p;
		values.multiple[values.count++] = random_multiple(random, bits);
	}
	return values;
}

static void
test_random_columns(void)
{
	static const unsigned bits[] = {0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 33, 52};
	UnitRandom	random = {99};

	for (size_t b = 0; b < COUNT(bits); b++)
	{
		unit_case("columns of multiples of up to %u bits", bits[b]);
		for (int round = 0; round < 30; round++)
		{
			Values		values = random_values(&random, bits[b]);

			unit_note("[round %d]", round);
			check_values(&values, unit_below(&random, 1u << unit_below(&random, 20)), false);
		}
	}
	unit_case("columns of doubles");
	for (int round = 0; round < 30; round++)
	{
		Values		values = random_values(&random, 52);

		for (uint32_t i = 0; i < values.count; i++)
			values.multiple[i] = (int64_t) fg_double_bits((double) values.multiple[i] / 3);
		check_values(&values, 7, true);
	}
}

/* Worked out by hand from the layout. */
static void
test_bytes(void)
{
	static const struct
	{
		const char *what;
		uint32_t	gap;
		Values		values;
		const char *bytes;
		size_t		size;
	}			cases[] = {
		{"one value of one", 0, {1, 1, {0}, {1}}, "\x00\x00\x10", 3},
		{"places as bytes", 200, {40, 2, {3, 39}, {5, 5}}, "\xC8\x01\x01\x03\x27\x50", 6},
		{"places as bits", 1, {10, 3, {0, 8, 9}, {2, 1, 4}}, "\x01\x02\x01\x03\x12\x31", 6},
		{"none for all", 0, {4, 4, {0, 1, 2, 3}, {-1, 0, -1, 0}}, "\x00\x03\x09\x0A", 4},
		{"a byte each, after a large least", 0, {2, 2, {0, 1}, {1000, 1255}},
		"\x00\x01\xFC\xD0\x0F\x00\xFF", 7},
		{"two bytes each", 0, {2, 2, {0, 1}, {1, 257}}, "\x00\x01\x15\x00\x00\x00\x01", 7},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgBuffer	buffer = written(&ctx, cases[i].gap, &cases[i].values, false);

		unit_case("the bytes of a column: %s", cases[i].what);
		CHECK_BYTES(buffer.data, buffer.size, cases[i].bytes, cases[i].size);
		fg_release(&ctx, buffer.data);
	}
}

static void
test_wrong_bytes(void)
{
	static const struct
	{
		const char *what;
		const char *bytes;
		size_t		size;
		bool		doubles;
		bool		read;			/* seen by its places only */
	}			cases[] = {
		{"more values than profiles", "\x00\x0A\x10", 3, false, false},
		{"places that do not increase", "\x00\x01\x03\x03\x10", 5, false, true},
		{"a place outside of the block", "\x00\x01\x03\x0A\x10", 5, false, true},
		{"more bits than values", "\x00\x02\x0F\x00\x10", 5, false, true},
		{"bits outside of the block", "\x00\x02\x03\x04\x10", 5, false, true},
		{"a least multiple beyond 2^53", "\x00\x00\x00\xF8\x80\x80\x80\x80\x80\x80\x80\x80\x01", 13,
		false, false},
		{"doubles of four bytes", "\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x00", 12, true, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		const uint8_t *bytes = (const uint8_t *) cases[i].bytes;
		FgReader	reader = {bytes, bytes + cases[i].size};
		uint8_t		place[FG_BLOCK_PROFILES];
		FgStackColumn column;
		bool		read;

		unit_case("wrong bytes of a column: %s", cases[i].what);
		read = fg_column_read(&reader, 10, cases[i].doubles, &column);
		CHECK(read == cases[i].read);
		CHECK(!read || !fg_column_places(&column, place));
	}
}

int
main(void)
{
	test_random_columns();
	test_bytes();
	test_wrong_bytes();
	return unit_finish();
}
