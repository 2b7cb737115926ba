/*
 * test_moments_of_four.c
 *	  Moments of four profiles at once, against merges of two.
 */
#include "naive.h"

#include "core/samples/moments_of_four.h"

#include <math.h>
#include <string.h>

static FgMoments
merged(FgContext *ctx, const FgMoments *a, const FgMoments *b)
{
	FgMoments	result;

	CHECK(fg_moments_merge(ctx, a, b, &result));
	return result;
}

static void
check_same(const FgMoments *got, const FgMoments *expected)
{
	size_t		bytes = ((size_t) expected->support.nnodes + 1) * sizeof(double);

	CHECK_COUNT(got->support.nnodes, expected->support.nnodes);
	if (got->support.nnodes != expected->support.nnodes)
		return;
	CHECK(fg_frames_equal(&got->support.frames, &expected->support.frames));
	CHECK(memcmp(got->support.key, expected->support.key, bytes) == 0);
	CHECK(memcmp(got->support.self, expected->support.self, bytes) == 0);
	CHECK(memcmp(got->sum, expected->sum, bytes) == 0);
	CHECK(memcmp(got->m2, expected->m2, bytes) == 0);
	CHECK(got->own == NULL);
}

/* To the last bit what merges of two give. */
static void
check_four(FgContext *ctx, FgTree profiles[FG_FOUR])
{
	FgMoments	one[FG_FOUR];
	FgMoments	low;
	FgMoments	high;
	FgMoments	expected;
	FgMoments	got;

	CHECK(fg_moments_of_four(ctx, profiles, &got));
	CHECK(fg_tree_check(ctx, &got.support));
	for (int s = 0; s < FG_FOUR; s++)
		CHECK(fg_moments_of_one(ctx, &profiles[s], &one[s]));
	low = merged(ctx, &one[0], &one[1]);
	high = merged(ctx, &one[2], &one[3]);
	expected = merged(ctx, &low, &high);
	check_same(&got, &expected);
	for (int s = 0; s < FG_FOUR; s++)
		fg_moments_free(ctx, &one[s]);
	fg_moments_free(ctx, &low);
	fg_moments_free(ctx, &high);
	fg_moments_free(ctx, &expected);
	fg_moments_free(ctx, &got);
}

static void
test_random(void)
{
	static const NaiveShape shapes[] = {
		{3, 2, 2, NAIVE_COUNTS}, {10, 4, 3, NAIVE_SIGNED}, {25, 6, 8, NAIVE_COUNTS}, {10, 3, 40, NAIVE_DOUBLES},
		{0, 1, 1, NAIVE_COUNTS}, {1, 1, 1, NAIVE_DOUBLES}, {400, 8, 30, NAIVE_SIGNED}
	};
	UnitRandom	random = {4};

	for (size_t round = 0; round < 280; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		profiles[FG_FOUR];

		unit_case("four of one shape and of any, round %zu", round);
		for (int s = 0; s < FG_FOUR; s++)
		{
			size_t		shape = round % 2 == 0 ? round / 2 % COUNT(shapes) : unit_below(&random, COUNT(shapes));
			Naive		naive = naive_random(&random, shapes[shape]);

			profiles[s] = naive_tree(&ctx, &naive);
			naive_free(&naive);
		}
		check_four(&ctx, profiles);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
texts(FgContext *ctx, const char *a, const char *b, const char *c, const char *d)
{
	FgTree		profiles[FG_FOUR] = {
		tree_of_text(ctx, a), tree_of_text(ctx, b), tree_of_text(ctx, c), tree_of_text(ctx, d)
	};

	check_four(ctx, profiles);
}

static void
test_corners(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	unit_case("empty ones");
	texts(&ctx, "", "", "", "");
	texts(&ctx, "", "a 1", "", "");
	texts(&ctx, "", "", "b 1", "a 1");
	unit_case("the root alone has a value");
	texts(&ctx, " 1", " 2", " 3", " 4");
	unit_case("dictionaries of which none holds the other");
	texts(&ctx, "a;b 1", "b;c 2", "c;d 3", "d;a 4");
	texts(&ctx, "a;b 1\na;c 1", "a;b 2\na;c 0.5", "a;b 3", "a;c 4");
	unit_case("squares that overflow");
	texts(&ctx, "a 1e200", "a 1e200", "a 1e200", "a 1e200");
	texts(&ctx, "a 1e200\nb 1", "a 1e200\nb 2", "a 1e200", "b 5");
	CHECK_COUNT(memory.blocks, 0);
}

/* More nodes than a block, one of them away in each. */
static void
test_long(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		profiles[FG_FOUR];

	unit_case("blocks end within runs");
	for (int s = 0; s < FG_FOUR; s++)
	{
		Naive		naive = {0};
		char		path[32];

		for (int i = 0; i < 1500; i++)
		{
			int			length = snprintf(path, sizeof(path), "f%d%cg%d", i / 10, '\0', i);

			if (i % 701 != 100 * s)
				naive_add(&naive, path, (size_t) length, 1 + i % (s + 2));
		}
		naive_settle(&naive);
		profiles[s] = naive_tree(&ctx, &naive);
		naive_free(&naive);
	}
	check_four(&ctx, profiles);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_out_of_range(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		profiles[FG_FOUR];
	FgMoments	moments;

	unit_case("a sum, and squared deviations, out of range");
	for (int round = 0; round < 2; round++)
	{
		for (int s = 0; s < FG_FOUR; s++)
			profiles[s] = tree_of_text(&ctx, round == 0 ? "a 1e308" : s == 0 ? "a 1e200" : "a 1");
		CHECK(!fg_moments_of_four(&ctx, profiles, &moments));
		CHECK(ctx.error.code == FG_ERROR_RANGE);
		CHECK(moments.sum == NULL && moments.support.key == NULL);
		for (int s = 0; s < FG_FOUR; s++)
			fg_tree_free(&ctx, &profiles[s]);
	}
	CHECK_COUNT(memory.blocks, 0);
}

static bool
run_four(FgContext *ctx, void *arg)
{
	FgMoments	moments;
	bool		ok = fg_moments_of_four(ctx, arg, &moments);

	fg_moments_free(ctx, &moments);
	return ok;
}

static void
test_failures(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		profiles[FG_FOUR] = {
		tree_of_text(&ctx, "a;b 1\nc 2"), tree_of_text(&ctx, "b;c 1"), tree_of_text(&ctx, "c 1\nd 2"),
		tree_of_text(&ctx, "a;b 4\ne 1")
	};

	unit_case("without memory, and cancelled");
	unit_sweep_memory("moments of four", run_four, profiles);
	unit_sweep_interrupts("moments of four", run_four, profiles, 2);
	for (int s = 0; s < FG_FOUR; s++)
		fg_tree_free(&ctx, &profiles[s]);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_random();
	test_corners();
	test_long();
	test_out_of_range();
	test_failures();
	return unit_finish();
}
