/*
 * test_stats.c
 *	  Moments of a sample of profiles and their encoded form.
 */
#include "naive.h"

#include "core/codec.h"
#include "core/stats.h"

static void
test_layout(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		sum = tree_of_text(&ctx, "a;b 1\nc 2");
	FgTree		again;
	FgStats		stats = {FG_LEVEL_STACK, UINT64_C(0x0102030405)};
	FgStats		read;
	uint8_t    *bytes;
	uint8_t    *plain;
	size_t		size;
	size_t		plain_size;

	unit_case("the bytes are header and sum");
	CHECK(fg_stats_encode(&ctx, &stats, &sum, 4, &bytes, &size));
	CHECK(fg_codec_encode(&ctx, &sum, 0, &plain, &plain_size));
	CHECK_COUNT(size, plain_size + 16);
	CHECK_BYTES(bytes + 4, 16, "\x01\0\x01\0\0\0\0\0\x05\x04\x03\x02\x01\0\0\0", 16);
	CHECK_BYTES(bytes + 20, plain_size, plain, plain_size);
	for (int foreign = 0; foreign < 2; foreign++)
	{
		memset(&read, 0xFF, sizeof(read));
		if (CHECK(fg_stats_decode(&ctx, bytes + 4, size, foreign, &read, &again)))
		{
			Naive		naive = naive_of_tree(&sum);

			naive_matches(&ctx, &naive, &again);
			naive_free(&naive);
			fg_tree_free(&ctx, &again);
		}
		CHECK_COUNT(read.n, stats.n);
		CHECK_COUNT(read.level, FG_LEVEL_STACK);
	}
	unit_case("every truncation is refused");
	for (size_t cut = 0; cut < size; cut++)
	{
		uint8_t    *copy = malloc(cut + (cut == 0));

		memcpy(copy, bytes + 4, cut);
		unit_note("[cut to %zu]", cut);
		CHECK_ERROR(fg_stats_decode(&ctx, copy, cut, true, &read, &again), &ctx, FG_ERROR_CORRUPT);
		CHECK_ERROR(fg_stats_decode(&ctx, copy, cut, false, &read, &again), &ctx, FG_ERROR_CORRUPT);
		free(copy);
	}
	fg_release(&ctx, bytes);
	fg_release(&ctx, plain);
	fg_tree_free(&ctx, &sum);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_bad_headers(void)
{
	static const struct
	{
		const char *what;
		size_t		at;
		uint8_t		byte;
	}			rows[] = {
		{"version 0", 0, 0}, {"version 2", 0, 2}, {"level 1", 1, 1}, {"level 255", 1, 255},
		{"flags 0", 2, 0}, {"flags 3", 2, 3}, {"reserved byte 3", 3, 1}, {"reserved byte 4", 4, 1},
		{"reserved byte 5", 5, 1}, {"reserved byte 6", 6, 1}, {"reserved byte 7", 7, 128},
		{"n = 0", 8, 0}, {"n above 2^53", 14, 33}, {"n above 2^63", 15, 128},
		{"version of the sum", 16, 2}, {"the sum's total", 16 + 24, 1}
	};
	FgContext	ctx = fg_malloc_context();
	FgTree		sum = tree_of_text(&ctx, "a;b 1\nc 2");
	FgStats		stats = {FG_LEVEL_STACK, 7};
	uint8_t    *bytes;
	size_t		size;

	CHECK(fg_stats_encode(&ctx, &stats, &sum, 0, &bytes, &size));
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		uint8_t		before = bytes[rows[i].at];
		FgTree		again;
		FgStats		read;

		unit_case("refused: %s", rows[i].what);
		bytes[rows[i].at] = rows[i].byte;
		CHECK_ERROR(fg_stats_decode(&ctx, bytes, size, true, &read, &again), &ctx,
					FG_ERROR_CORRUPT);
		CHECK(fg_stats_header(&ctx, bytes, size, &read) == (rows[i].at >= 16));
		bytes[rows[i].at] = before;
	}
	unit_case("n = 2^53 is the most");
	{
		FgStats		read;

		fg_store_le(bytes + 8, FG_STATS_MAX_N, 8);
		CHECK(fg_stats_header(&ctx, bytes, size, &read));
		CHECK_COUNT(read.n, UINT64_C(1) << 53);
		fg_store_le(bytes + 8, FG_STATS_MAX_N + 1, 8);
		CHECK_ERROR(fg_stats_header(&ctx, bytes, size, &read), &ctx, FG_ERROR_CORRUPT);
	}
	fg_release(&ctx, bytes);
	fg_tree_free(&ctx, &sum);
}

static bool
there_and_back(FgContext *ctx, void *arg)
{
	FgStats		stats = {FG_LEVEL_STACK, 3};
	uint8_t    *bytes = NULL;
	size_t		size;
	FgTree		again = {0};
	bool		ok = fg_stats_encode(ctx, &stats, arg, 4, &bytes, &size) &&
		fg_stats_decode(ctx, bytes + 4, size, true, &stats, &again);

	fg_release(ctx, bytes);
	fg_tree_free(ctx, &again);
	return ok;
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		sum = tree_of_text(&ctx, "a;b 1\nc 2");

	test_layout();
	test_bad_headers();
	unit_sweep_memory("statistics", there_and_back, &sum);
	fg_tree_free(&ctx, &sum);
	return unit_finish();
}
