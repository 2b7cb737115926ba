/*
 * test_context.c
 *	  Allocation, errors and interrupts of the core.
 */
#include "unit.h"

#include "core/base/context.h"

static void
test_sizes(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	uint8_t    *zeros;
	void	   *block;

	unit_case("sizes that overflow are refused before the allocator");
	CHECK_ERROR(fg_alloc(&ctx, SIZE_MAX / 8 + 1, 8) != NULL, &ctx, FG_ERROR_MEMORY);
	CHECK_ERROR(fg_alloc_zero(&ctx, SIZE_MAX, 2) != NULL, &ctx, FG_ERROR_MEMORY);
	block = fg_alloc(&ctx, 3, 4);
	CHECK_ERROR(fg_resize(&ctx, block, 1, SIZE_MAX / 4 + 2, 4) != NULL, &ctx, FG_ERROR_MEMORY);
	CHECK_COUNT(memory.allocations, 1);
	CHECK_COUNT(memory.blocks, 1);
	fg_release(&ctx, block);
	unit_case("an array of nothing can be released");
	block = fg_alloc(&ctx, 0, 8);
	CHECK(block != NULL);
	fg_release(&ctx, block);
	block = fg_alloc(&ctx, 8, 0);
	CHECK(block != NULL);
	block = fg_resize(&ctx, block, 1, 0, 8);
	CHECK(block != NULL);
	fg_release(&ctx, block);
	fg_release(&ctx, NULL);
	unit_case("zeroed memory");
	zeros = fg_alloc_zero(&ctx, 100, 3);
	for (int i = 0; i < 300; i++)
		CHECK_COUNT(zeros[i], 0);
	fg_release(&ctx, zeros);
	unit_case("resizing nothing allocates");
	block = fg_resize(&ctx, NULL, 0, 5, 8);
	CHECK(block != NULL);
	fg_release(&ctx, block);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_reserve(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	uint32_t   *array = NULL;
	size_t		capacity = 0;

	unit_case("an array that grows keeps its elements, in few steps");
	for (uint32_t i = 0; i < 100000; i++)
	{
		CHECK(fg_reserve(&ctx, (void **) &array, &capacity, (size_t) i + 1, sizeof(*array)));
		CHECK(capacity > i);
		array[i] = i * 7;
	}
	for (uint32_t i = 0; i < 100000; i++)
		CHECK_COUNT(array[i], i * 7);
	CHECK(memory.allocations < 40);
	unit_case("an array that cannot grow stays");
	memory.fail_at = memory.allocations + 1;
	CHECK_ERROR(fg_reserve(&ctx, (void **) &array, &capacity, capacity + 1, sizeof(*array)), &ctx,
				FG_ERROR_MEMORY);
	CHECK_COUNT(array[99999], 99999 * 7);
	CHECK_ERROR(fg_reserve(&ctx, (void **) &array, &capacity, SIZE_MAX, sizeof(*array)), &ctx,
				FG_ERROR_MEMORY);
	CHECK(capacity >= 100000);
	fg_release(&ctx, array);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_buffer(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuffer	buffer = {.ctx = &ctx};

	unit_case("a buffer");
	CHECK(fg_buffer_append(&buffer, NULL, 0));
	CHECK_COUNT(buffer.size, 0);
	for (int i = 0; i < 1000; i++)
		CHECK(fg_buffer_append(&buffer, "0123456789", 10));
	CHECK_COUNT(buffer.size, 10000);
	CHECK(memcmp(buffer.data + 9990, "0123456789", 10) == 0);
	CHECK_ERROR(fg_buffer_room(&buffer, SIZE_MAX), &ctx, FG_ERROR_LIMIT);
	CHECK_ERROR(fg_buffer_room(&buffer, SIZE_MAX / 2), &ctx, FG_ERROR_LIMIT);
	CHECK_COUNT(buffer.size, 10000);
	fg_release(&ctx, buffer.data);
	CHECK_COUNT(memory.blocks, 0);
	unit_case("little-endian numbers");
	{
		uint8_t		bytes[8];

		fg_store_le(bytes, UINT64_C(0x0102030405060708), 8);
		CHECK_BYTES(bytes, 8, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
		CHECK_COUNT(fg_load_le(bytes, 8), UINT64_C(0x0102030405060708));
		CHECK_COUNT(fg_load_le(bytes, 3), 0x060708);
	}
}

/* A quote of "a" 200 times with these bytes at a place. */
static void
check_quote(FgContext *ctx, size_t where, const char *bytes, size_t at, const char *expected)
{
	char		line[200];

	memset(line, 'a', sizeof(line));
	memcpy(line + where, bytes, strlen(bytes));
	fg_quote(ctx, line, sizeof(line), at);
	unit_note("place %zu", at);
	CHECK_TEXT(ctx->error.quote, strlen(ctx->error.quote), expected);
	unit_note("%s", "");
}

#define TEN "aaaaaaaaaa"
#define SIXTY TEN TEN TEN TEN TEN TEN

static void
test_quotes(FgContext *ctx)
{
	unit_case("a line is quoted");
	fg_fail(ctx, FG_ERROR_SYNTAX, "bad");
	CHECK_COUNT(strlen(ctx->error.quote), 0);
	fg_quote(ctx, "abc", 3, 1);
	CHECK_TEXT(ctx->error.quote, strlen(ctx->error.quote), "abc");
	fg_quote(ctx, SIXTY TEN TEN, 80, 70);
	CHECK_TEXT(ctx->error.quote, strlen(ctx->error.quote), SIXTY TEN TEN);
	unit_case("of a long one what stands around the place");
	check_quote(ctx, 0, "b", 0, "b" "aaaaaaaaa" SIXTY TEN "...");
	check_quote(ctx, 100, "b", 100, "..." SIXTY "b" "aaaaaaaaa" TEN "...");
	check_quote(ctx, 199, "b", 199, "..." SIXTY TEN "aaaaaaaaa" "b");
	check_quote(ctx, 199, "b", 500, "..." SIXTY TEN "aaaaaaaaa" "b");
	unit_case("in whole characters");
	check_quote(ctx, 39, "\xC3\xA9", 100, "...\xC3\xA9" "aaaaaaaaa" SIXTY TEN "...");
	check_quote(ctx, 119, "\xC3\xA9", 100, "..." SIXTY TEN "aaaaaaaaa" "...");
	check_quote(ctx, 30, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 100,
				"...\x80\x80\x80\x80" "aaaaaaaaa" SIXTY TEN "...");
	unit_case("the next error has none");
	fg_fail(ctx, FG_ERROR_SYNTAX, "bad");
	CHECK_COUNT(strlen(ctx->error.quote), 0);
}

static void
test_errors(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	char		text[400];

	unit_case("errors with and without a place");
	CHECK(!fg_fail_at(&ctx, FG_ERROR_SYNTAX, 3, 7, "a hint", "%s %d", "number", 5));
	CHECK(ctx.error.code == FG_ERROR_SYNTAX && ctx.error.line == 3 && ctx.error.column == 7);
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), "number 5");
	CHECK(strcmp(ctx.error.hint, "a hint") == 0);
	CHECK(!fg_fail(&ctx, FG_ERROR_LIMIT, "another"));
	CHECK(ctx.error.code == FG_ERROR_LIMIT && ctx.error.line == 0 && ctx.error.column == 0);
	CHECK(ctx.error.hint == NULL);
	unit_case("a long reason is cut");
	memset(text, 'x', sizeof(text));
	text[399] = '\0';
	CHECK(!fg_fail(&ctx, FG_ERROR_LIMIT, "%s", text));
	CHECK_COUNT(strlen(ctx.error.reason), sizeof(ctx.error.reason) - 1);
	test_quotes(&ctx);
	unit_case("interrupts");
	memory.cancel_at = 2;
	CHECK(fg_check(&ctx));
	CHECK_ERROR(fg_check(&ctx), &ctx, FG_ERROR_CANCELLED);
	ctx.interrupted = NULL;
	CHECK(fg_check(&ctx));
	unit_case("the context over malloc");
	ctx = fg_malloc_context();
	{
		char	   *block = fg_alloc(&ctx, 1, 10);

		memcpy(block, "123456789", 10);
		block = fg_resize(&ctx, block, 1, 1, 100000);
		CHECK(strcmp(block, "123456789") == 0);
		fg_release(&ctx, block);
		CHECK(fg_check(&ctx));
		CHECK_COUNT(ctx.error.code, FG_OK);
	}
}

int
main(void)
{
	test_sizes();
	test_reserve();
	test_buffer();
	test_errors();
	return unit_finish();
}
