/*
 * test_stats.c
 *	  Moments of a sample of profiles and their encoded form.
 */
#include "naive.h"

#include "core/profile/codec.h"
#include "core/samples/accumulator.h"
#include "core/samples/stats.h"

/* The moments of two profiles with hand-made values. */
static FgMoments
two_profiles(FgContext *ctx)
{
	FgAccumulator sample;
	FgMoments	copy;
	FgTree		tree;

	fg_accumulator_init(ctx, &sample, FG_ACCUMULATE_MOMENTS);
	tree = tree_of_text(ctx, "a;b 1\nc 2.5");
	CHECK(fg_accumulator_add(&sample, &tree));
	tree = tree_of_text(ctx, "a;b 4\nd -2.5\n 7");
	CHECK(fg_accumulator_add(&sample, &tree));
	CHECK(fg_moments_copy(ctx, fg_accumulator_moments(&sample), &copy));
	fg_accumulator_free(&sample);
	return copy;
}

static void
same_column(const double *got, const double *expected, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		CHECK_DOUBLE(got[i], expected[i]);
}

static void
check_round_trip(FgContext *ctx, const FgStats *stats, const FgMoments *moments)
{
	uint8_t    *bytes;
	size_t		size;
	FgMoments	again;
	FgStats		read;
	uint32_t	nodes = moments->support.nnodes + 1;

	CHECK(fg_stats_encode(ctx, stats, moments, 4, &bytes, &size));
	for (int foreign = 0; foreign < 2; foreign++)
	{
		memset(&read, 0xFF, sizeof(read));
		if (!CHECK(fg_stats_decode(ctx, bytes + 4, size, foreign, &read, &again)))
			continue;
		CHECK_COUNT(read.n, stats->n);
		CHECK_COUNT(read.sums_only, stats->sums_only);
		CHECK_COUNT(read.level, stats->level);
		CHECK_COUNT(again.support.nnodes, nodes - 1);
		same_column(again.support.self, moments->support.self, nodes);
		if (!stats->sums_only)
		{
			same_column(again.sum, moments->sum, nodes);
			same_column(again.m2, moments->m2, nodes);
		}
		fg_moments_free(ctx, &again);
	}
	for (size_t cut = 0; cut < size; cut++)
	{
		uint8_t    *copy = malloc(cut + (cut == 0));

		memcpy(copy, bytes + 4, cut);
		unit_note("[cut to %zu]", cut);
		CHECK_ERROR(fg_stats_decode(ctx, copy, cut, true, &read, &again), ctx, FG_ERROR_CORRUPT);
		CHECK_ERROR(fg_stats_decode(ctx, copy, cut, false, &read, &again), ctx, FG_ERROR_CORRUPT);
		free(copy);
	}
	fg_release(ctx, bytes);
}

static void
test_layout(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgMoments	sum = {.support = tree_of_text(&ctx, "a;b 1\nc 2")};
	FgMoments	moments = two_profiles(&ctx);
	FgStats		stats = {FG_LEVEL_STACK, true, UINT64_C(0x0102030405)};
	uint8_t    *bytes;
	uint8_t    *plain;
	size_t		size;
	size_t		plain_size;

	unit_case("sums only: the bytes are header and sum");
	CHECK(fg_stats_encode(&ctx, &stats, &sum, 4, &bytes, &size));
	CHECK(fg_codec_encode(&ctx, &sum.support, 0, &plain, &plain_size));
	CHECK_COUNT(size, plain_size + 24);
	CHECK_BYTES(bytes + 4, 16, "\x01\0\x01\0\0\0\0\0\x05\x04\x03\x02\x01\0\0\0", 16);
	CHECK_COUNT(fg_load_le(bytes + 20, 8), plain_size);
	CHECK_BYTES(bytes + 28, plain_size, plain, plain_size);
	fg_release(&ctx, bytes);
	fg_release(&ctx, plain);
	unit_case("sums only: there and back, every truncation refused");
	check_round_trip(&ctx, &stats, &sum);
	unit_case("moments: there and back, every truncation refused");
	stats = (FgStats) {FG_LEVEL_STACK, false, 2};
	check_round_trip(&ctx, &stats, &moments);
	fg_moments_free(&ctx, &sum);
	fg_moments_free(&ctx, &moments);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_moments_by_hand(void)
{
	FgContext	ctx = fg_malloc_context();
	FgMoments	moments = two_profiles(&ctx);
	FgTree		result;

	/* a;b: 1, 4; c: 2.5, 0; d: 0, -2.5; root: 0, 7 */
	unit_case("mean of two");
	CHECK(fg_moments_mean(&ctx, &moments, 2, &result));
	CHECK_DOUBLE(result.self[0], 3.5);
	CHECK_DOUBLE(result.self[2], 2.5);
	CHECK_DOUBLE(result.self[3], 1.25);
	CHECK_DOUBLE(result.self[4], -1.25);
	fg_tree_free(&ctx, &result);
	unit_case("variance of two");
	CHECK(fg_moments_variance(&ctx, &moments, 2, false, &result));
	CHECK_DOUBLE(result.self[0], 24.5);
	CHECK_DOUBLE(result.self[2], 4.5);
	CHECK_DOUBLE(result.self[3], 3.125);
	CHECK_DOUBLE(result.self[4], 3.125);
	fg_tree_free(&ctx, &result);
	fg_moments_free(&ctx, &moments);
}

static void
check_flipped_bits(FgContext *ctx, uint8_t *bytes, size_t size)
{
	unit_case("no flipped bit is accepted as something else");
	for (size_t bit = 0; bit < size * 8; bit++)
	{
		FgMoments	again;
		FgStats		read;
		uint8_t    *canonical;
		size_t		canonical_size;

		bytes[bit / 8] ^= (uint8_t) (1 << bit % 8);
		if (fg_stats_decode(ctx, bytes, size, true, &read, &again))
		{
			CHECK(fg_stats_encode(ctx, &read, &again, 0, &canonical, &canonical_size));
			CHECK_BYTES(canonical, canonical_size, bytes, size);
			fg_release(ctx, canonical);
			fg_moments_free(ctx, &again);
		}
		bytes[bit / 8] ^= (uint8_t) (1 << bit % 8);
	}
}

static void
check_largest_n(FgContext *ctx, uint8_t *bytes, size_t size)
{
	FgStats		read;

	unit_case("n = 2^53 is the most");
	fg_store_le(bytes + 8, FG_STATS_MAX_N, 8);
	CHECK(fg_stats_header(ctx, bytes, size, &read));
	CHECK_COUNT(read.n, UINT64_C(1) << 53);
	fg_store_le(bytes + 8, FG_STATS_MAX_N + 1, 8);
	CHECK_ERROR(fg_stats_header(ctx, bytes, size, &read), ctx, FG_ERROR_CORRUPT);
}

static void
test_bad_bytes(void)
{
	static const struct
	{
		const char *what;
		size_t		at;
		uint8_t		byte;
	}			rows[] = {
		{"version 0", 0, 0}, {"version 2", 0, 2}, {"level 4", 1, 4}, {"level 255", 1, 255},
		{"a value of the empty stack at level node", 1, 1},
		{"... at level frame", 1, 2}, {"... at level self", 1, 3},
		{"flags 2", 2, 2}, {"flags 3", 2, 3}, {"sums only with columns", 2, 1},
		{"reserved byte 3", 3, 1}, {"reserved byte 4", 4, 1}, {"reserved byte 5", 5, 1},
		{"reserved byte 6", 6, 1}, {"reserved byte 7", 7, 128}, {"n = 0", 8, 0},
		{"n less than a stack's count", 8, 1}, {"n above 2^53", 14, 33},
		{"n above 2^63", 15, 128}, {"tree longer than the value", 18, 1},
		{"version of the tree", 24, 2}, {"the tree's total", 24 + 24, 1}
	};
	FgContext	ctx = fg_malloc_context();
	FgMoments	moments = two_profiles(&ctx);
	FgStats		stats = {FG_LEVEL_STACK, false, 2};
	uint8_t    *bytes;
	size_t		size;

	CHECK(fg_stats_encode(&ctx, &stats, &moments, 0, &bytes, &size));
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		uint8_t		before = bytes[rows[i].at];
		FgMoments	again;
		FgStats		read;

		unit_case("refused: %s", rows[i].what);
		bytes[rows[i].at] = rows[i].byte;
		CHECK_ERROR(fg_stats_decode(&ctx, bytes, size, true, &read, &again), &ctx,
					FG_ERROR_CORRUPT);
		bytes[rows[i].at] = before;
	}
	check_flipped_bits(&ctx, bytes, size);
	check_largest_n(&ctx, bytes, size);
	fg_release(&ctx, bytes);
	fg_moments_free(&ctx, &moments);
}

static void
test_levels(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		flat = tree_of_text(&ctx, "a 1\nb 4");
	FgTree		deep = tree_of_text(&ctx, "a;b 4");
	FgMoments	moments;

	CHECK(fg_moments_of_one(&ctx, &flat, &moments));
	for (int level = 0; level < FG_LEVELS; level++)
	{
		FgStats		stats = {(FgLevel) level, false, 1};

		unit_case("level %s: there and back", fg_level_word(stats.level));
		check_round_trip(&ctx, &stats, &moments);
	}
	fg_moments_free(&ctx, &moments);
	CHECK(fg_moments_of_one(&ctx, &deep, &moments));
	for (int level = 0; level < FG_LEVELS; level++)
	{
		FgStats		stats = {(FgLevel) level, false, 1};
		uint8_t    *bytes;
		size_t		size;
		FgMoments	again;
		bool		possible = level == FG_LEVEL_STACK || level == FG_LEVEL_NODE;

		unit_case("level %s: stacks of two frames", fg_level_word(stats.level));
		CHECK(fg_stats_encode(&ctx, &stats, &moments, 0, &bytes, &size));
		for (int foreign = 0; foreign < 2; foreign++)
		{
			bool		ok = fg_stats_decode(&ctx, bytes, size, foreign, &stats, &again);

			CHECK_COUNT(ok, possible);
			if (ok)
				fg_moments_free(&ctx, &again);
		}
		fg_release(&ctx, bytes);
	}
	fg_moments_free(&ctx, &moments);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- polls ----------------------------------------------------------------------------- */

#define MANY_NODES 200000

static bool
count_poll(void *arg)
{
	++*(size_t *) arg;
	return false;
}

/* How often decoding polls. */
static size_t
polls_of(FgTree *tree, FgStats stats)
{
	FgContext	ctx = fg_malloc_context();
	FgMoments	moments;
	FgMoments	again;
	uint8_t    *bytes;
	size_t		size;
	size_t		polls = 0;
	FgTree		copy;

	CHECK(fg_tree_copy(&ctx, tree, &copy) && fg_moments_of_one(&ctx, &copy, &moments));
	CHECK(fg_stats_encode(&ctx, &stats, &moments, 0, &bytes, &size));
	ctx.interrupted = count_poll;
	ctx.arg = &polls;
	CHECK(fg_stats_decode(&ctx, bytes, size, false, &stats, &again));
	fg_moments_free(&ctx, &moments);
	fg_moments_free(&ctx, &again);
	fg_release(&ctx, bytes);
	return polls;
}

/* Functions: that each is a stack of one frame takes a look at every node. */
static void
test_polls_of_functions(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	text = {.ctx = &ctx};
	FgTree		tree;
	size_t		unseen;

	for (int i = 0; i < MANY_NODES; i++)
	{
		char		line[16];

		snprintf(line, sizeof(line), "f%d 1\n", i);
		CHECK(fg_buffer_append(&text, line, strlen(line)));
	}
	CHECK(fg_buffer_append(&text, "", 1));
	tree = tree_of_text(&ctx, (const char *) text.data);
	unit_case("polls while functions are looked at");
	unseen = polls_of(&tree, (FgStats) {FG_LEVEL_NODE, true, 1});
	CHECK(polls_of(&tree, (FgStats) {FG_LEVEL_FRAME, true, 1}) >=
		  unseen + MANY_NODES / FG_CHECK_NODES);
	fg_tree_free(&ctx, &tree);
	fg_release(&ctx, text.data);
}

/* Moments of four stacks: their columns have a value for each of the many nodes. */
static void
test_polls_of_columns(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	text = {.ctx = &ctx};
	FgTree		tree;
	size_t		unseen;

	for (int i = 0; i < MANY_NODES; i++)
	{
		CHECK(fg_buffer_append(&text, &"abcd"[i / (MANY_NODES / 4)], 1));
		if ((i + 1) % (MANY_NODES / 4) == 0)
			CHECK(fg_buffer_append(&text, " 1\n", 3));
		else
			CHECK(fg_buffer_append(&text, ";", 1));
	}
	CHECK(fg_buffer_append(&text, "", 1));
	tree = tree_of_text(&ctx, (const char *) text.data);
	unit_case("polls while columns are read");
	unseen = polls_of(&tree, (FgStats) {FG_LEVEL_STACK, true, 1});
	/* two columns are cleared and filled, then both are checked: five passes over the nodes */
	CHECK(polls_of(&tree, (FgStats) {FG_LEVEL_STACK, false, 1}) >=
		  unseen + 5 * (MANY_NODES / FG_CHECK_NODES + 1));
	fg_tree_free(&ctx, &tree);
	fg_release(&ctx, text.data);
}

static bool
there_and_back(FgContext *ctx, void *arg)
{
	FgStats		stats = {FG_LEVEL_STACK, false, 2};
	uint8_t    *bytes = NULL;
	size_t		size;
	FgMoments	again = {0};
	bool		ok = fg_stats_encode(ctx, &stats, arg, 4, &bytes, &size) &&
		fg_stats_decode(ctx, bytes + 4, size, true, &stats, &again);

	fg_release(ctx, bytes);
	fg_moments_free(ctx, &again);
	return ok;
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	FgMoments	moments = two_profiles(&ctx);

	test_layout();
	test_moments_by_hand();
	test_levels();
	test_bad_bytes();
	test_polls_of_functions();
	test_polls_of_columns();
	unit_sweep_memory("statistics", there_and_back, &moments);
	fg_moments_free(&ctx, &moments);
	return unit_finish();
}
