/*
 * test_bar.c
 *	  Bars of text: given ones, and what holds for all.
 */
#include "unit.h"

#include "core/svg/bar.h"

#include <math.h>

typedef struct GivenBar
{
	double		total;
	double		self;
	uint32_t	columns;
	const char *blocks;
	const char *plain;
} GivenBar;

static const GivenBar given_bars[] = {
	{1, 1, 4, "████", "####"},
	{1, 0, 4, "░░░░", "...."},
	{0, 0, 4, "    ", "    "},
	{0.5, 0.5, 4, "██  ", "##  "},
	{0.5, 0.25, 4, "█░  ", "#.  "},
	{0.375, 0.375, 4, "█▌  ", "##  "},
	{0.03125, 0.03125, 4, "▏   ", "#   "},
	{0.28125, 0.28125, 4, "█▏  ", "#   "},
	{0.21875, 0.21875, 4, "▉   ", "#   "},
	{0.75, 0.28125, 4, "█▏░ ", "#.. "},
	{1e-300, 0, 4, "░   ", ".   "},
	{1e-300, 1e-300, 4, "▏   ", "#   "},
	{7, 9, 4, "████", "####"},
	{INFINITY, 0.25, 4, "█░░░", "#..."},
	{NAN, NAN, 4, "    ", "    "},
	{-1, -1, 4, "    ", "    "},
	{0.5, NAN, 4, "░░  ", "..  "},
	{0.5, -0.5, 4, "░░  ", "..  "},
	{0.1, 0.9, 4, "▍   ", "#   "},
	{1, 1, 0, "", ""}
};

static void
test_given(void)
{
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(given_bars); i++)
	{
		const GivenBar *given = &given_bars[i];
		FgBuffer	blocks = {.ctx = &ctx};
		FgBuffer	plain = {.ctx = &ctx};

		unit_case("a bar of %g, %g solid, in %u columns", given->total, given->self,
				  given->columns);
		CHECK(fg_bar_put(&blocks, given->total, given->self, given->columns, true));
		CHECK(fg_bar_put(&plain, given->total, given->self, given->columns, false));
		CHECK_TEXT(blocks.data, blocks.size, given->blocks);
		CHECK_TEXT(plain.data, plain.size, given->plain);
		fg_release(&ctx, blocks.data);
		fg_release(&ctx, plain.data);
	}
}

static uint32_t
columns_of(const FgBuffer *text)
{
	uint32_t	columns = 0;

	for (size_t i = 0; i < text->size; i++)
		columns += (text->data[i] & 0xC0) != 0x80;
	return columns;
}

static void
test_columns(void)
{
	UnitRandom	random = {3};
	FgContext	ctx = fg_malloc_context();

	unit_case("bars are as wide as they should be");
	for (int round = 0; round < 2000; round++)
	{
		double		total = unit_below(&random, 1200) / 1000.0;
		double		self = unit_below(&random, 1200) / 1000.0;
		uint32_t	columns = unit_below(&random, 60);
		FgBuffer	blocks = {.ctx = &ctx};
		FgBuffer	plain = {.ctx = &ctx};

		unit_note("[%g, %g, %u]", total, self, columns);
		CHECK(fg_bar_put(&blocks, total, self, columns, true));
		CHECK(fg_bar_put(&plain, total, self, columns, false));
		CHECK_COUNT(columns_of(&blocks), columns);
		CHECK_COUNT(plain.size, columns);
		fg_release(&ctx, blocks.data);
		fg_release(&ctx, plain.data);
	}
}

static bool
run_bar(FgContext *ctx, void *arg)
{
	FgBuffer	text = {.ctx = ctx};
	bool		ok = fg_bar_put(&text, 0.7, 0.33, *(uint32_t *) arg, true);

	fg_release(ctx, text.data);
	return ok;
}

int
main(void)
{
	uint32_t	columns = 900;

	test_given();
	test_columns();
	unit_sweep_memory("fg_bar_put", run_bar, &columns);
	return unit_finish();
}
