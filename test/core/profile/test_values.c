/*
 * test_values.c
 *	  Section VALUES: the smallest form that gives the doubles back.
 */
#include "unit.h"

#include "core/profile/values.h"

#include <math.h>

static FgContext plain;

static FgValueForm
form_of(const double *values, size_t count)
{
	FgValueForm form = {0};

	CHECK(fg_values_form(&plain, values, count, &form));
	return form;
}

static void
check_values(const double *values, size_t count, FgValueForm expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuffer	buffer = {.ctx = &ctx};
	FgValueForm form = form_of(values, count);
	double	   *again = malloc((count + 1) * sizeof(double));
	uint8_t    *exact;
	FgReader	reader;

	CHECK_COUNT(form.mode, expected.mode);
	CHECK_COUNT(form.digits, expected.digits);
	CHECK_DOUBLE(form.unit, expected.unit);
	CHECK(fg_values_append(&buffer, form, values, count));
	exact = malloc(buffer.size + 1);
	if (buffer.size > 0)
		memcpy(exact, buffer.data, buffer.size);
	exact = realloc(exact, buffer.size + (buffer.size == 0));
	reader = (FgReader) {exact, exact + buffer.size};
	CHECK(fg_values_read(&plain, &reader, form, again, count));
	CHECK_COUNT(fg_reader_left(&reader), 0);
	for (size_t i = 0; i < count; i++)
		CHECK_DOUBLE(again[i], values[i]);
	/* one byte less is not enough */
	if (count > 0)
	{
		reader = (FgReader) {exact, exact + buffer.size - 1};
		CHECK(!fg_values_read(&plain, &reader, form, again, count));
	}
	free(again);
	free(exact);
	fg_release(&ctx, buffer.data);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_forms(void)
{
	static const struct
	{
		const char *what;
		double		values[6];
		size_t		count;
		FgValueForm form;
	}			rows[] = {
		{"none", {0}, 0, {FG_VALUES_WHOLE, 0, 1}},
		{"1", {1}, 1, {FG_VALUES_WHOLE, 0, 1}},
		{"a single count is its own unit", {12}, 1, {FG_VALUES_WHOLE, 0, 12}},
		{"counts", {1, 5, 7}, 3, {FG_VALUES_WHOLE, 0, 1}},
		{"a common unit", {6, -12, 18}, 3, {FG_VALUES_WHOLE, 0, 6}},
		{"nanoseconds of a period", {10000000, 20000000, 70000000}, 3, {FG_VALUES_WHOLE, 0, 1e7}},
		{"tenths", {0.1, 0.3, 2}, 3, {FG_VALUES_WHOLE, 1, 1}},
		{"halves", {0.5, 1.5, -2}, 3, {FG_VALUES_WHOLE, 1, 5}},
		{"a quarter", {0.25, 0.75}, 2, {FG_VALUES_WHOLE, 2, 25}},
		{"nine digits", {0.000000001, 1.234567891}, 2, {FG_VALUES_WHOLE, 9, 1}},
		{"ten digits", {0.0000000001}, 1, {FG_VALUES_DOUBLE, 0, 1}},
		{"an eighth beside a third", {0.125, 1.0 / 3}, 2, {FG_VALUES_DOUBLE, 0, 1}},
		{"0.1 + 0.2 is no decimal", {0.1 + 0.2}, 1, {FG_VALUES_DOUBLE, 0, 1}},
		{"2^53 - 1", {0x1p53 - 1, 1}, 2, {FG_VALUES_WHOLE, 0, 1}},
		{"-(2^53 - 1)", {-0x1p53 + 1, -1}, 2, {FG_VALUES_WHOLE, 0, 1}},
		{"2^53 - 1 alone", {0x1p53 - 1}, 1, {FG_VALUES_WHOLE, 0, 0x1p53 - 1}},
		{"2^53", {0x1p53}, 1, {FG_VALUES_DOUBLE, 0, 1}},
		{"-2^53", {-0x1p53, 4}, 2, {FG_VALUES_DOUBLE, 0, 1}},
		{"a count and a tiny fraction", {1, 1e-300}, 2, {FG_VALUES_DOUBLE, 0, 1}},
		{"the largest", {0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023}, 2, {FG_VALUES_DOUBLE, 0, 1}},
		{"the smallest", {0x1p-1074, -0x1p-1074}, 2, {FG_VALUES_DOUBLE, 0, 1}},
		{"large tenths beside small", {900719925474099.1, 0.1}, 2, {FG_VALUES_WHOLE, 1, 1}},
		{"tenths beyond 2^53", {900719925474099.4}, 1, {FG_VALUES_DOUBLE, 0, 1}}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("the form of values: %s", rows[i].what);
		check_values(rows[i].values, rows[i].count, rows[i].form);
	}
}

/* k * unit / 10^digits with random k: the form is never larger than that. */
static void
test_random_forms(void)
{
	UnitRandom	random = {55};

	unit_case("random decimals and doubles come back, decimals in few digits");
	for (int round = 0; round < 20000; round++)
	{
		double		values[8];
		size_t		count = 1 + unit_below(&random, 8);
		unsigned	digits = unit_below(&random, 10);
		uint64_t	unit = 1 + unit_below(&random, round % 2 ? 1000 : 1);
		FgValueForm form;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < count; i++)
		{
			uint64_t	k = 1 + (unit_random(&random) >> (30 + unit_below(&random, 34)));

			values[i] = (double) (k * unit) / pow(10, digits);
			if (round % 5 == 0)
				values[i] = ldexp((double) k, (int) unit_below(&random, 200) - 100);
			if (unit_below(&random, 2) == 0)
				values[i] = -values[i];
		}
		form = form_of(values, count);
		CHECK(round % 5 == 0 || (form.mode == FG_VALUES_WHOLE && form.digits <= digits));
		check_values(values, count, form);
	}
}

/* The bytes of codec.h, mode 1: planes, the most significant first. */
static void
test_planes(void)
{
	static const double values[] = {1, -2.5};	/* 3FF0..., C004... */
	FgContext	ctx = fg_malloc_context();
	FgBuffer	buffer = {.ctx = &ctx};
	FgValueForm form = {FG_VALUES_DOUBLE, 0, 1};

	unit_case("byte planes");
	CHECK(fg_values_append(&buffer, form, values, 2));
	CHECK_BYTES(buffer.data, buffer.size, "\x3F\xC0\xF0\x04\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	fg_release(&ctx, buffer.data);
	unit_case("zigzag varints");
	memset(&buffer, 0, sizeof(buffer));
	buffer.ctx = &ctx;
	form.mode = FG_VALUES_WHOLE;
	CHECK(fg_values_append(&buffer, form, (double[]) {1, -1, 63, -64, 64, 0x1p53 - 1}, 6));
	CHECK_BYTES(buffer.data, buffer.size,
				"\x02\x01\x7E\x7F\x80\x01\xFE\xFF\xFF\xFF\xFF\xFF\xFF\x1F", 14);
	fg_release(&ctx, buffer.data);
}

/* What cannot be such values; most of it is also in test_codec. */
static void
test_bad_bytes(void)
{
	static const struct
	{
		const char *what;
		const char *bytes;
		size_t		size;
		FgValueForm form;
	}			rows[] = {
		{"no bytes", "", 0, {FG_VALUES_WHOLE, 0, 1}},
		{"a varint that does not end", "\x80", 1, {FG_VALUES_WHOLE, 0, 1}},
		{"2^53", "\x80\x80\x80\x80\x80\x80\x80\x20", 8, {FG_VALUES_WHOLE, 0, 1}},
		{"-2^53", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x1F", 8, {FG_VALUES_WHOLE, 0, 1}},
		{"2^52 times 2", "\x80\x80\x80\x80\x80\x80\x80\x10", 8, {FG_VALUES_WHOLE, 0, 2}},
		{"2^63 - 1", "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 10, {FG_VALUES_WHOLE, 0, 1}},
		{"seven bytes of a double", "\x3F\xF0\0\0\0\0\0", 7, {FG_VALUES_DOUBLE, 0, 1}},
		{"a double -0", "\x80\0\0\0\0\0\0\0", 8, {FG_VALUES_DOUBLE, 0, 1}},
		{"infinity", "\x7F\xF0\0\0\0\0\0\0", 8, {FG_VALUES_DOUBLE, 0, 1}},
		{"-infinity", "\xFF\xF0\0\0\0\0\0\0", 8, {FG_VALUES_DOUBLE, 0, 1}},
		{"NaN", "\x7F\xF0\0\0\0\0\0\1", 8, {FG_VALUES_DOUBLE, 0, 1}}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		uint8_t    *exact = malloc(rows[i].size + (rows[i].size == 0));
		FgReader	reader = {exact, exact + rows[i].size};
		double		value;

		unit_case("no values: %s", rows[i].what);
		memcpy(exact, rows[i].bytes, rows[i].size);
		CHECK(!fg_values_read(&plain, &reader, rows[i].form, &value, 1));
		free(exact);
	}
	unit_case("-(2^53 - 1) is the least");
	{
		static const uint8_t bytes[] = "\xFD\xFF\xFF\xFF\xFF\xFF\xFF\x1F";
		FgReader	reader = {bytes, bytes + 8};
		double		value;

		CHECK(fg_values_read(&plain, &reader, (FgValueForm) {FG_VALUES_WHOLE, 0, 1}, &value, 1));
		CHECK_DOUBLE(value, -(0x1p53 - 1));
	}
}

/* --- varints of bytes.h ------------------------------------------------------------ */

static void
test_varints(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	buffer = {.ctx = &ctx};
	FgReader	reader;
	uint64_t	value = 0;
	uint32_t	small;

	unit_case("varints around every power of two");
	for (unsigned bit = 0; bit < 64; bit++)
	{
		for (int step = -1; step <= 1; step++)
		{
			uint64_t	written = (UINT64_C(1) << bit) + (uint64_t) step;

			unit_note("[2^%u %+d]", bit, step);
			buffer.size = 0;
			CHECK(fg_append_varint(&buffer, written));
			CHECK_COUNT(buffer.size, written == 0 ? 1 : (63 - (unsigned) __builtin_clzll(written)) / 7 + 1);
			reader = (FgReader) {buffer.data, buffer.data + buffer.size};
			CHECK(fg_read_varint(&reader, &value));
			CHECK_COUNT(value, written);
			CHECK_COUNT(fg_reader_left(&reader), 0);
			reader = (FgReader) {buffer.data, buffer.data + buffer.size};
			CHECK(fg_read_varint32(&reader, &small) == (written <= UINT32_MAX));
			reader = (FgReader) {buffer.data, buffer.data + buffer.size - 1};
			CHECK(!fg_read_varint(&reader, &value));
		}
	}
	fg_release(&ctx, buffer.data);
	unit_case("longer forms and more than 64 bits are refused");
	{
		static const struct
		{
			const char *bytes;
			size_t		size;
		}			rows[] = {
			{"\x80\x00", 2}, {"\xFF\x80\x00", 3}, {"\x80\x80\x80\x00", 4},
			{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10},
			{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10},
			{"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x81\x00", 11},
			{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11}
		};

		for (size_t i = 0; i < COUNT(rows); i++)
		{
			reader = (FgReader) {(const uint8_t *) rows[i].bytes,
			(const uint8_t *) rows[i].bytes + rows[i].size};
			CHECK(!fg_read_varint(&reader, &value));
		}
	}
}

static bool
append(FgContext *ctx, void *arg)
{
	static double values[500];
	FgBuffer	buffer = {.ctx = ctx};
	FgValueForm form;
	bool		ok;

	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = *(double *) arg * (double) (i + 1);
	ok = fg_values_form(ctx, values, COUNT(values), &form) &&
		fg_values_append(&buffer, form, values, COUNT(values));
	fg_release(ctx, buffer.data);
	return ok;
}

int
main(void)
{
	plain = fg_malloc_context();
	double		whole = 1;
	double		fraction = 1.0 / 3;

	test_forms();
	test_random_forms();
	test_planes();
	test_bad_bytes();
	test_varints();
	unit_sweep_memory("whole values", append, &whole);
	unit_sweep_memory("doubles", append, &fraction);
	return unit_finish();
}
