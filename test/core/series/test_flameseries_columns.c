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

/* --- sums of columns that lie behind each other -------------------------------------- */

#define MOST_COLUMNS 700

/* What a block has, and the sums of its columns by stack. */
typedef struct Block
{
	FgBuffer	bytes;
	uint32_t	profiles;
	uint32_t	stacks;
	size_t		values;
	int64_t		sums[2 * MOST_COLUMNS];
} Block;

static Block *
random_block(FgContext *ctx, UnitRandom *random, uint32_t columns)
{
	static const unsigned widths[] = {0, 0, 0, 0, 1, 1, 2, 3, 7, 15, 31, 52};
	Block	   *block = calloc(1, sizeof(Block));

	block->bytes.ctx = ctx;
	block->profiles = 1 + unit_below(random, FG_BLOCK_PROFILES);
	for (uint32_t c = 0; c < columns; c++)
	{
		unsigned	bits = widths[unit_below(random, COUNT(widths))];
		int64_t		least = unit_below(random, 50) == 0 ? 1000 : 1 + unit_below(random, 3);
		uint32_t	gap = unit_below(random, 2);
		Values		values = {.profiles = block->profiles};

		for (uint32_t p = 0; p < block->profiles; p++)
		{
			if (unit_below(random, 1 + c % 20) != 0 && !(p + 1 == block->profiles && values.count == 0))
				continue;
			values.place[values.count] = (uint8_t) p;
			values.multiple[values.count] = bits == 0 ? least
				: least + (int64_t) (unit_random(random) >> (64 - bits));
			block->sums[block->stacks + gap] += values.multiple[values.count++];
		}
		CHECK(fg_column_append(&block->bytes, gap, block->profiles, values.place, values.multiple,
							   values.count, false));
		block->stacks += gap + 1;
		block->values += values.count;
	}
	return block;
}

/* As a window does it: what is common at once, and each that is not by itself. */
static void
check_sums(const Block *block)
{
	/* In memory of its own, so that a sanitizer sees what is read beyond. */
	uint8_t    *bytes = malloc(block->bytes.size + 1);
	FgReader	reader = {bytes, bytes + block->bytes.size};
	double	   *sums = calloc(block->stacks + 1, sizeof(double));
	uint64_t	next = 0;
	size_t		values = 0;
	FgStackColumn column;
	bool		ok = true;

	if (block->bytes.size > 0)
		memcpy(bytes, block->bytes.data, block->bytes.size);
	while (ok && fg_reader_left(&reader) > 0)
	{
		values += fg_column_sums(&reader, block->profiles, block->stacks, &next, sums);
		if (fg_reader_left(&reader) == 0)
			break;
		ok = CHECK(fg_column_read(&reader, block->profiles, false, &column));
		next += column.gap;
		sums[next++] += (double) fg_column_sum(&column);
		values += column.count;
	}
	CHECK_COUNT(values, block->values);
	CHECK_COUNT(next, block->stacks);
	for (uint32_t s = 0; ok && s < block->stacks; s++)
		ok = CHECK(sums[s] == (double) block->sums[s]);
	free(sums);
	free(bytes);
}

static void
test_sums(void)
{
	UnitRandom	random = {100};

	unit_case("sums of the columns of a block");
	for (int round = 0; round < 60; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Block	   *block = random_block(&ctx, &random, round == 0 ? MOST_COLUMNS : unit_below(&random, 60));

		unit_note("[round %d]", round);
		check_sums(block);
		fg_release(&ctx, block->bytes.data);
		free(block);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* Most columns are of the common kind: if each were read by itself, the answer would be the same. */
static void
test_common_columns(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	uint8_t		place[2] = {3, 39};
	int64_t		same[2] = {5, 5};
	FgBuffer	buffer = {.ctx = &ctx};
	double		sums[100] = {0};
	uint64_t	next = 0;
	size_t		values;
	FgReader	reader;

	unit_case("columns of the common kind are added at once");
	for (int c = 0; c < 100; c++)
		CHECK(fg_column_append(&buffer, 0, 40, place, same, 2, false));
	reader = (FgReader) {buffer.data, buffer.data + buffer.size};
	values = fg_column_sums(&reader, 40, 100, &next, sums);
	CHECK_COUNT(values, 2 * next);
	CHECK(next >= 90 && next < 100);
	CHECK_COUNT(reader.next - buffer.data, 5 * next);
	unit_case("no stack beyond the last one gets a sum");
	reader = (FgReader) {buffer.data, buffer.data + buffer.size};
	next = 0;
	CHECK_COUNT(fg_column_sums(&reader, 40, 7, &next, sums), 14);
	CHECK_COUNT(next, 7);
	unit_case("nor a column of more values than the block has profiles");
	reader = (FgReader) {buffer.data, buffer.data + buffer.size};
	next = 0;
	CHECK_COUNT(fg_column_sums(&reader, 1, 100, &next, sums), 0);
	CHECK(reader.next == buffer.data);
	fg_release(&ctx, buffer.data);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_chosen(UnitRandom *random, const FgStackColumn *column, const Values *values)
{
	bool		chosen[FG_BLOCK_PROFILES];
	int64_t		expected = 0;
	int64_t		sum;

	for (uint32_t p = 0; p < FG_BLOCK_PROFILES; p++)
		chosen[p] = unit_below(random, 2) == 0;
	for (uint32_t i = 0; i < values->count; i++)
		expected += chosen[values->place[i]] ? values->multiple[i] : 0;
	if (CHECK(fg_column_sum_chosen(column, chosen, &sum)))
		CHECK(sum == expected);
}

static void
test_chosen(void)
{
	static const unsigned bits[] = {0, 1, 2, 4, 8, 16, 32, 52};
	UnitRandom	random = {101};

	unit_case("sums of the values that are chosen");
	for (int round = 0; round < 120; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Values		values = random_values(&random, bits[round % COUNT(bits)]);
		FgBuffer	buffer = written(&ctx, 0, &values, false);
		FgReader	reader = {buffer.data, buffer.data + buffer.size};
		FgStackColumn column;

		unit_note("[round %d]", round);
		if (CHECK(fg_column_read(&reader, values.profiles, false, &column)))
			check_chosen(&random, &column, &values);
		fg_release(&ctx, buffer.data);
		CHECK_COUNT(memory.blocks, 0);
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
		bool		chosen[FG_BLOCK_PROFILES] = {false};
		int64_t		sum;
		bool		read;

		unit_case("wrong bytes of a column: %s", cases[i].what);
		read = fg_column_read(&reader, 10, cases[i].doubles, &column);
		CHECK(read == cases[i].read);
		CHECK(!read || !fg_column_places(&column, place));
		CHECK(!read || !fg_column_sum_chosen(&column, chosen, &sum));
	}
}

int
main(void)
{
	test_random_columns();
	test_sums();
	test_common_columns();
	test_chosen();
	test_bytes();
	test_wrong_bytes();
	return unit_finish();
}
