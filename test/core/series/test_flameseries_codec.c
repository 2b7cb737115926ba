/*
 * test_flameseries_codec.c
 *	  Bytes that are no series: cut, changed, or another encoding of one.
 */
#include "naive.h"

#include "core/series/flameseries_build.h"
#include "core/series/flameseries_codec.h"
#include "core/series/flameseries_codec_windows.h"

typedef struct Bytes
{
	uint8_t    *data;
	size_t		size;
} Bytes;

/* Some 300 profiles, so that there are two blocks. */
static Bytes
sample(FgContext *ctx, const char *text, uint32_t count)
{
	FgFlameseriesBuilder builder;
	FgFlameseries series;
	Bytes		bytes = {0};
	FgTree		tree = tree_of_text(ctx, text);
	FgTree		other = tree_of_text(ctx, "a;b 2\nz 1");

	CHECK(fg_flameseries_builder_begin(ctx, &builder));
	for (uint32_t p = 0; p < count; p++)
		CHECK(fg_flameseries_add(&builder, p / 3, p % 2 ? "one" : "two", p % 5 == 0 ? 0 : 3,
								 p % 7 == 0 ? &other : &tree));
	CHECK(fg_flameseries_build(&builder, &series));
	CHECK(fg_flameseries_encode(ctx, &series, 0, &bytes.data, &bytes.size));
	fg_flameseries_free(ctx, &series);
	fg_flameseries_builder_free(&builder);
	fg_tree_free(ctx, &tree);
	fg_tree_free(ctx, &other);
	return bytes;
}

/* Reads everything that reads bytes; what is accepted as foreign must be the bytes of a series. */
static bool
use(FgContext *ctx, const uint8_t *data, size_t size)
{
	FgFlameseriesWindow window = {1, 50, NULL};
	FgFlameseries series;
	FgTree		tree;
	bool		valid;

	if (fg_flameseries_sum(ctx, data, size, &FG_FLAMESERIES_WHOLE, &tree))
		fg_tree_free(ctx, &tree);
	if (fg_flameseries_sum(ctx, data, size, &window, &tree))
		fg_tree_free(ctx, &tree);
	if (fg_flameseries_instances(ctx, data, size, &tree))
		fg_tree_free(ctx, &tree);
	valid = fg_flameseries_validate(ctx, data, size, &series);
	if (valid)
		fg_flameseries_free(ctx, &series);
	else
		CHECK(ctx->error.code != FG_OK);
	return valid;
}

/* In memory of its own size, so that a sanitizer sees what is read beyond. */
static bool
use_copy(FgContext *ctx, const uint8_t *data, size_t size)
{
	uint8_t    *copy = malloc(size + 1);
	bool		valid;

	memcpy(copy, data, size);
	copy = realloc(copy, size > 0 ? size : 1);
	valid = use(ctx, copy, size);
	free(copy);
	return valid;
}

static void
test_cut(const char *text)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Bytes		bytes = sample(&ctx, text, 20);

	unit_case("cut at each byte: %s", text);
	for (size_t size = 0; size < bytes.size; size++)
		CHECK(!use_copy(&ctx, bytes.data, size));
	CHECK(use_copy(&ctx, bytes.data, bytes.size));
	fg_release(&ctx, bytes.data);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_flips(const char *text, uint32_t count, uint32_t step)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Bytes		bytes = sample(&ctx, text, count);
	Bytes		again = sample(&ctx, text, count);
	size_t		accepted = 0;

	unit_case("each byte changed, %u profiles: %s", count, text);
	for (size_t i = 0; i < bytes.size; i += step)
	{
		for (unsigned bit = 0; bit < 8; bit++)
		{
			again.data[i] ^= (uint8_t) (1u << bit);
			accepted += use(&ctx, again.data, again.size);
			again.data[i] = bytes.data[i];
		}
	}
	/*
	 * A digit of a name or of a value may be another one; what is accepted is then another series.
	 */
	CHECK(accepted < bytes.size * 8 / step / 4);
	fg_release(&ctx, bytes.data);
	fg_release(&ctx, again.data);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_header(void)
{
	static const struct
	{
		const char *what;
		size_t		at;
		uint8_t		byte;
		const char *reason;
	}			cases[] = {
		{"version", 0, 2, "format version 2 is unknown"},
		{"mode", 1, 2, "the form of the values is unknown"},
		{"flags", 2, 2, "the header has unknown bits"},
		{"reserved byte", 3, 1, "the header has unknown bits"},
		{"profiles", 7, 1, "there are too many profiles or values"},
		{"values", 11, 5, "there are too many profiles or values"},
		{"stacks", 15, 1, "the facts in the header contradict each other"},
		{"last time", 31, 0x80, "the facts in the header contradict each other"},
		{"tree", 51, 1, "the sections are longer than the value"},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Bytes		bytes = sample(&ctx, "a 1\nb 2", 5);
		FgFlameseriesHeader header;

		unit_case("a header with a wrong field: %s", cases[i].what);
		bytes.data[cases[i].at] = cases[i].byte;
		CHECK_ERROR(fg_flameseries_header(&ctx, bytes.data, bytes.size, &header), &ctx,
					FG_ERROR_CORRUPT);
		CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), cases[i].reason);
		fg_release(&ctx, bytes.data);
	}
}

/* Read from the value's first bytes alone, as a slice of a stored one gives them. */
static void
test_slices_of_bytes(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Bytes		bytes = sample(&ctx, "a;b 1\nc 3", 300);
	FgFlameseriesHeader header;
	size_t		shared;
	FgTree		tree;

	unit_case("facts, tree and sum from the beginning of the bytes");
	CHECK(fg_flameseries_header(&ctx, bytes.data, SIZE_MAX, &header));
	CHECK_COUNT(header.count, 300);
	CHECK_COUNT(header.stacks, 3);
	CHECK(header.since == 0 && header.until == 99);
	CHECK_DOUBLE(header.total, 257 * 4 + 43 * 3);
	shared = FG_FLAMESERIES_HEADER + header.tree_size;
	if (CHECK(fg_flameseries_tree(&ctx, bytes.data, shared, &tree)))
		fg_tree_free(&ctx, &tree);
	CHECK(!fg_flameseries_tree(&ctx, bytes.data, shared - 1, &tree));
	shared += header.instances_size + header.sums_size;
	if (CHECK(fg_flameseries_sum(&ctx, bytes.data, shared, &FG_FLAMESERIES_WHOLE, &tree)))
	{
		CHECK_DOUBLE(tree.self[fg_tree_find(&tree, "a\0b", 3)], 257 + 43 * 2);
		CHECK_DOUBLE(tree.self[fg_tree_find(&tree, "c", 1)], 257 * 3);
		fg_tree_free(&ctx, &tree);
	}
	CHECK(!fg_flameseries_sum(&ctx, bytes.data, shared - 1, &FG_FLAMESERIES_WHOLE, &tree));
	fg_release(&ctx, bytes.data);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_cut("a;b 1\nc 3");
	test_cut("a;b 0.1\nc 3.123456789012");
	test_flips("a;b 1\nc 3", 20, 1);
	test_flips("a;b 1e-300\nc 3", 20, 1);
	test_flips("a;b;c;d 1\na;b 3\ne 70000", 600, 7);
	test_header();
	test_slices_of_bytes();
	return unit_finish();
}
