/*
 * test_compression.c
 *	  The compressed form of profiles, series and statistics: what comes back, where its parts lie,
 *	  what damaged bytes do.
 */
#include "naive.h"

#include "core/profile/codec.h"
#include "core/samples/stats.h"
#include "core/series/flameseries_build.h"
#include "core/series/flameseries_codec.h"

#include <zstd.h>

typedef struct Bytes
{
	uint8_t    *data;
	size_t		size;
} Bytes;

/* --- values ------------------------------------------------------------------------ */

static Bytes
profile(FgContext *ctx, const FgTree *tree)
{
	Bytes		bytes = {0};

	CHECK(fg_codec_encode(ctx, tree, 0, &bytes.data, &bytes.size));
	return bytes;
}

static Bytes
series(FgContext *ctx, const FgTree *tree)
{
	FgFlameseriesBuilder builder;
	FgFlameseries built;
	Bytes		bytes = {0};

	CHECK(fg_flameseries_builder_begin(ctx, &builder));
	for (uint32_t p = 0; p < 300; p++)
		CHECK(fg_flameseries_add(&builder, p, p % 2 == 0 ? "one" : "two", 3, tree));
	CHECK(fg_flameseries_build(&builder, &built));
	CHECK(fg_flameseries_encode(ctx, &built, 0, &bytes.data, &bytes.size));
	fg_flameseries_free(ctx, &built);
	fg_flameseries_builder_free(&builder);
	return bytes;
}

static Bytes
stats(FgContext *ctx, const FgTree *tree)
{
	FgStats		sums = {.level = FG_LEVEL_STACK, .sums_only = true, .n = 3};
	FgMoments	moments = {.support = *tree};
	Bytes		bytes = {0};

	CHECK(fg_stats_encode(ctx, &sums, &moments, 0, &bytes.data, &bytes.size));
	return bytes;
}

typedef struct Type
{
	const char *name;
	const FgEncoding *encoding;
	Bytes		(*make) (FgContext *ctx, const FgTree *tree);
} Type;

static const Type types[] = {
	{"profile", &fg_codec_encoding, profile},
	{"series", &fg_flameseries_encoding, series},
	{"stats", &fg_stats_encoding, stats},
};

static Bytes
compress(FgContext *ctx, const FgEncoding *encoding, Bytes bytes)
{
	Bytes		compressed = {0};

	CHECK(fg_compress(ctx, encoding, bytes.data, bytes.size, 0, &compressed.data,
					  &compressed.size));
	return compressed;
}

/* --- there and back ---------------------------------------------------------------- */

/* In memory of their own size, so that a sanitizer sees a byte too many. */
static Bytes
exactly(const uint8_t *data, size_t size)
{
	Bytes		copy = {malloc(size > 0 ? size : 1), size};

	memcpy(copy.data, data, size);
	return copy;
}

static void
check_start(FgContext *ctx, const FgEncoding *encoding, Bytes whole, Bytes compressed,
			size_t wanted)
{
	size_t		head = encoding->header + FG_PARTS_MAX;
	Bytes		start = exactly(compressed.data, compressed.size < head ? compressed.size : head);
	FgExtent	extent;
	Bytes		needed;
	uint8_t    *to;

	CHECK(fg_compressed_extent(ctx, encoding, start.data, start.size, wanted, &extent));
	CHECK(extent.whole >= (wanted < whole.size ? wanted : whole.size));
	CHECK(extent.stored <= compressed.size);
	needed = exactly(compressed.data, extent.stored);
	to = malloc(extent.whole);
	CHECK(fg_decompress(ctx, encoding, needed.data, needed.size, extent, to));
	CHECK_BYTES(to, extent.whole, whole.data, extent.whole);
	free(to);
	free(start.data);
	free(needed.data);
}

static void
test_round_trip(const Type *type, uint32_t first, uint32_t second)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = naive_wide(&ctx, first, second, true);
	Bytes		whole = type->make(&ctx, &tree);
	Bytes		compressed = compress(&ctx, type->encoding, whole);

	unit_case("%s of %u x %u frames", type->name, first, second);
	CHECK(compressed.data != NULL && compressed.size < whole.size);
	CHECK(fg_is_compressed(compressed.data, compressed.size));
	CHECK(!fg_is_compressed(whole.data, whole.size));
	CHECK_BYTES(compressed.data + 1, type->encoding->header - 1, whole.data + 1,
				type->encoding->header - 1);
	for (size_t wanted = 0; wanted < whole.size; wanted += whole.size / 37)
		check_start(&ctx, type->encoding, whole, compressed, wanted);
	check_start(&ctx, type->encoding, whole, compressed, whole.size);
	check_start(&ctx, type->encoding, whole, compressed, SIZE_MAX);
	fg_release(&ctx, compressed.data);
	fg_release(&ctx, whole.data);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

/* A profile of one node takes less than a hundred bytes; random bytes take no fewer. */
static void
test_not_worth_it(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "a 1");
	Bytes		small = profile(&ctx, &tree);
	UnitRandom	random = {1};
	Bytes		noise = {malloc(100000), 100000};

	unit_case("what is small, or does not become smaller, stays as it is");
	CHECK(compress(&ctx, &fg_codec_encoding, small).data == NULL);
	for (size_t i = 0; i < noise.size; i++)
		noise.data[i] = (uint8_t) unit_random(&random);
	memset(noise.data + FG_SIZES_AT, 0, FG_HEADER_SIZE - FG_SIZES_AT);
	CHECK(compress(&ctx, &fg_codec_encoding, noise).data == NULL);
	free(noise.data);
	fg_release(&ctx, small.data);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- the layout, by zstd's own functions --------------------------------------------- */

/* Reads a part as compression.h says; returns what is behind it. */
static const uint8_t *
check_part(const uint8_t *from, uint64_t stored, const uint8_t *whole, uint64_t size)
{
	uint8_t    *to = malloc(size);

	if (stored == size)
		CHECK_BYTES(from, stored, whole, size);
	else
	{
		CHECK_COUNT(ZSTD_findFrameCompressedSize(from, stored), stored);
		CHECK_COUNT(ZSTD_getFrameContentSize(from, stored), size);
		CHECK_COUNT(ZSTD_decompress(to, size, from, stored), size);
		CHECK_BYTES(to, size, whole, size);
	}
	free(to);
	return from + stored;
}

static void
test_layout(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = naive_wide(&ctx, 30, 200, false);
	Bytes		whole = profile(&ctx, &tree);
	Bytes		compressed = compress(&ctx, &fg_codec_encoding, whole);
	FgReader	reader = {compressed.data + FG_HEADER_SIZE, compressed.data + compressed.size};
	const uint8_t *section = whole.data + FG_HEADER_SIZE;
	const uint8_t *from;
	uint64_t	size[5];
	uint64_t	stored[5];

	unit_case("each section of a profile is a part");
	CHECK_COUNT(*reader.next++, 5);
	for (int p = 0; p < 5; p++)
	{
		CHECK(fg_read_varint(&reader, &size[p]));
		CHECK(fg_read_varint(&reader, &stored[p]));
		if (p < 4)
			CHECK_COUNT(size[p], fg_load_le(whole.data + FG_SIZES_AT + 4 * p, 4));
	}
	from = reader.next;
	for (int p = 0; p < 5; p++)
	{
		from = check_part(from, stored[p], section, size[p]);
		section += size[p];
	}
	CHECK(from == reader.end);
	CHECK(section == whole.data + whole.size);
	fg_release(&ctx, compressed.data);
	fg_release(&ctx, whole.data);
	fg_tree_free(&ctx, &tree);
}

/* --- damage -------------------------------------------------------------------------- */

/* Some of it is not seen here but by the decoder: bytes of parts that are no frames, and values. */
static void
use_damaged(FgContext *ctx, const FgEncoding *encoding, const uint8_t *data, size_t size)
{
	Bytes		copy = exactly(data, size);
	FgExtent	extent;

	if (!fg_compressed_extent(ctx, encoding, copy.data, copy.size, SIZE_MAX, &extent))
		CHECK_COUNT(ctx->error.code, FG_ERROR_CORRUPT);
	else if (extent.whole < 10000000)
	{
		uint8_t    *to = malloc(extent.whole);

		if (!fg_decompress(ctx, encoding, copy.data, copy.size, extent, to))
			CHECK_COUNT(ctx->error.code, FG_ERROR_CORRUPT);
		free(to);
	}
	free(copy.data);
}

static void
test_damage(const Type *type)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = naive_wide(&ctx, 5, 40, true);
	Bytes		whole = type->make(&ctx, &tree);
	Bytes		compressed = compress(&ctx, type->encoding, whole);
	FgExtent	extent;

	unit_case("%s that is cut or changed", type->name);
	CHECK(fg_compressed_extent(&ctx, type->encoding, compressed.data, compressed.size, SIZE_MAX,
							   &extent));
	for (size_t size = 0; size < compressed.size; size++)
	{
		uint8_t    *to = malloc(extent.whole);
		Bytes		cut = exactly(compressed.data, size);

		CHECK_ERROR(fg_decompress(&ctx, type->encoding, cut.data, cut.size, extent, to), &ctx,
					FG_ERROR_CORRUPT);
		free(cut.data);
		free(to);
		use_damaged(&ctx, type->encoding, compressed.data, size);
	}
	for (size_t at = 0; at < compressed.size; at++)
	{
		for (int bit = 0; bit < 8; bit++)
		{
			compressed.data[at] ^= (uint8_t) (1 << bit);
			use_damaged(&ctx, type->encoding, compressed.data, compressed.size);
			compressed.data[at] ^= (uint8_t) (1 << bit);
		}
	}
	fg_release(&ctx, compressed.data);
	fg_release(&ctx, whole.data);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

/* A part that says that it holds more than a value may. */
static void
test_impossible_sizes(void)
{
	static const char *const directories[] = {
		"\x01\xFF\xFF\xFF\xFF\x0F\x01", /* 2^32 - 1 bytes */
		"\x01\x05\x06",			/* more stored than there are */
		"\x02\x80\x80\x80\xF0\x02\x01\x80\x80\x80\xF0\x02\x01",	/* 704 MB twice */
		"\x0D", "\x01\x80\x00\x01", "\x02\x05\x05",
	};
	static const size_t sizes[] = {7, 3, 13, 1, 4, 3};
	FgContext	ctx = fg_malloc_context();
	uint8_t		bytes[FG_HEADER_SIZE + 20] = {FG_COMPRESSED};
	FgExtent	extent;

	unit_case("impossible parts");
	for (size_t d = 0; d < COUNT(directories); d++)
	{
		memcpy(bytes + FG_HEADER_SIZE, directories[d], sizes[d]);
		CHECK_ERROR(fg_compressed_extent(&ctx, &fg_codec_encoding, bytes, FG_HEADER_SIZE + sizes[d],
										 SIZE_MAX, &extent), &ctx, FG_ERROR_CORRUPT);
	}
}

/* --- memory and interrupts ------------------------------------------------------------- */

/* Megabytes of names, so that a part is compressed in several steps. */
static bool
there_and_back(FgContext *ctx, void *arg)
{
	const Bytes *whole = arg;
	Bytes		compressed = {0};
	FgExtent	extent;
	uint8_t    *to = NULL;
	bool		ok;

	ok = fg_compress(ctx, &fg_codec_encoding, whole->data, whole->size, 0, &compressed.data,
					 &compressed.size) &&
		fg_compressed_extent(ctx, &fg_codec_encoding, compressed.data, compressed.size, SIZE_MAX,
							 &extent) &&
		(to = fg_alloc(ctx, extent.whole, 1)) != NULL &&
		fg_decompress(ctx, &fg_codec_encoding, compressed.data, compressed.size, extent, to);
	if (ok)
		CHECK(extent.whole == whole->size && memcmp(to, whole->data, whole->size) == 0);
	fg_release(ctx, to);
	fg_release(ctx, compressed.data);
	return ok;
}

static void
test_sweeps(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_wide(&ctx, 500, 600, true);
	Bytes		whole = profile(&ctx, &tree);

	CHECK(whole.size > (size_t) 2 * FG_CHECK_BYTES);
	unit_sweep_memory("compressing, memory", there_and_back, &whole);
	unit_sweep_interrupts("compressing, interrupts", there_and_back, &whole, 4);
	fg_release(&ctx, whole.data);
	fg_tree_free(&ctx, &tree);
}

int
main(void)
{
	for (size_t t = 0; t < COUNT(types); t++)
	{
		test_round_trip(&types[t], 5, 40);
		test_round_trip(&types[t], 60, 100);
		test_damage(&types[t]);
	}
	test_not_worth_it();
	test_layout();
	test_impossible_sizes();
	test_sweeps();
	return unit_finish();
}
