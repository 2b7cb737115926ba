/*
 * test_origins.c
 *	  Which of several changes explain the others: chains, circles and recursion by hand,
 *	  random profiles against the rule as it is told, stack by stack.
 */
#include "naive.h"

#include "core/compare/origins.h"
#include "core/profile/path.h"

#include <math.h>
#include <string.h>

#define MOST 6

/* keys: frames, or paths with ';'; expected: those that stay, likewise, in the keys' order. */
static void
check_words(const char *profile, FgLevel level, const char *const *words, uint32_t count,
			const char *expected)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, profile);
	FgOriginKey keys[MOST];
	char		paths[MOST][64];
	char		got[256] = "";

	for (uint32_t k = 0; k < count; k++)
	{
		size_t		length = strlen(words[k]);

		for (size_t i = 0; i <= length; i++)
			paths[k][i] = words[k][i] == ';' ? FG_PATH_SEPARATOR : words[k][i];
		keys[k] = (FgOriginKey) {paths[k], length, false};
	}
	CHECK(fg_origins(&ctx, &tree, level, keys, count));
	for (uint32_t k = 0; k < count; k++)
	{
		if (keys[k].stays)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), " %s", words[k]);
	}
	unit_note("[%s: %s]", profile, got);
	CHECK(strcmp(got, expected) == 0);
	fg_tree_free(&ctx, &tree);
}

#define WORDS(...) (const char *const[]) {__VA_ARGS__}, COUNT(((const char *const[]) {__VA_ARGS__}))

static void
test_by_hand(void)
{
	unit_case("callers are explained by what they call");
	check_words("m 1\nm;a 2\nm;a;b 20", FG_LEVEL_FRAME, WORDS("m", "a", "b"), " b");
	check_words("m 1\nm;a 20\nm;a;b 2", FG_LEVEL_FRAME, WORDS("m", "a"), " a");
	check_words("m 1\nm;a 20\nm;a;b 2", FG_LEVEL_FRAME, WORDS("a", "b", "m"), " a b");
	unit_case("callees that did not change by themselves belong to who calls them");
	check_words("m;a;x 7\nm;a;y 8\nm 1", FG_LEVEL_FRAME, WORDS("m", "a"), " a");
	unit_case("a caller whose own change is the larger part stays");
	check_words("m 20\nm;a 12", FG_LEVEL_FRAME, WORDS("m", "a"), " m a");
	unit_case("in a circle the one with the largest change of its own stays");
	check_words("m;a 3\nm;a;b 25\nm;a;b;a 1\nm;a;b;a;b 4", FG_LEVEL_FRAME, WORDS("m", "a", "b"), " b");
	check_words("m;a;b 2\nm;a;b;c 1\nm;a;b;c;a 9\nm;a 7", FG_LEVEL_FRAME, WORDS("a", "b", "c"), " a");
	/* what a has in itself goes to c, and then c explains b */
	check_words("m;a;b 6\nm;a;b;c 5\nm;a;b;c;a 5", FG_LEVEL_FRAME, WORDS("a", "b", "c"), " c");
	unit_case("the other direction, and both");
	check_words("m -1\nm;a -2\nm;a;b -20", FG_LEVEL_FRAME, WORDS("m", "a", "b"), " b");
	check_words("m;a 30\nm;b -12", FG_LEVEL_FRAME, WORDS("m", "a", "b"), " a b");
	unit_case("calling contexts");
	check_words("m;a 3\nm;a;b 25\nm;a;b;a 1\nm;a;b;a;b 4", FG_LEVEL_NODE, WORDS("m", "m;a", "m;a;b", "m;a;b;a;b"),
				" m;a;b m;a;b;a;b");
	check_words("m;a 3\nm;b 4", FG_LEVEL_NODE, WORDS("", "m", "m;b"), " m;b");
	unit_case("what is not in the difference leaves, but one stays");
	check_words("m;a 3", FG_LEVEL_FRAME, WORDS("a", "zz"), " a");
	check_words("m;a 3", FG_LEVEL_FRAME, WORDS("zz", "zy"), " zy");
	check_words("m;a 3", FG_LEVEL_FRAME, WORDS("zz"), " zz");
	check_words("m;a 3", FG_LEVEL_FRAME, WORDS("a", "a"), " a");
}

/* --- the rule, stack by stack --------------------------------------------------------------- */

static bool
frame_is(const char *frame, size_t length, const FgOriginKey *key)
{
	return length == key->length && memcmp(frame, key->path, length) == 0;
}

/* The sum of the stacks whose innermost key that stays is k, or that have k at all. */
static double
naive_sum(const Naive *profile, const FgOriginKey *keys, uint32_t count, uint32_t k, bool innermost)
{
	double		sum = 0;

	for (size_t e = 0; e < profile->count; e++)
	{
		FgPathWalk	walk = fg_path_walk(profile->entries[e].path, profile->entries[e].length);
		uint32_t	last = FG_NONE;
		bool		has = false;

		while (fg_path_next(&walk))
		{
			for (uint32_t i = 0; i < count; i++)
			{
				if (!frame_is(walk.frame, walk.length, &keys[i]))
					continue;
				has = has || i == k;
				last = keys[i].stays ? i : last;
			}
		}
		if (innermost ? last == k : has)
			sum += profile->entries[e].value;
	}
	return sum;
}

static void
naive_origins(const Naive *profile, FgOriginKey *keys, uint32_t count)
{
	for (uint32_t left = count; left > 1; left--)
	{
		uint32_t	least = FG_NONE;
		double		least_share = INFINITY;
		double		least_size = INFINITY;

		for (uint32_t k = 0; k < count; k++)
		{
			double		all = naive_sum(profile, keys, count, k, false);
			double		share = all == 0 ? -INFINITY : naive_sum(profile, keys, count, k, true) / all;

			/* keys are in the order of their names */
			if (keys[k].stays && (share < least_share || (share == least_share && fabs(all) <= least_size)))
			{
				least = k;
				least_share = share;
				least_size = fabs(all);
			}
		}
		if (least_share >= 0.5)
			return;
		keys[least].stays = false;
	}
}

static void
test_random(void)
{
	UnitRandom	random = {11};

	unit_case("random profiles, most of them with circles");
	for (int round = 0; round < 400; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		NaiveShape	shape = {1 + unit_below(&random, 40), 1 + unit_below(&random, 9), 1 + unit_below(&random, 5),
		round % 2 == 0 ? NAIVE_COUNTS : NAIVE_SIGNED};
		Naive		profile = naive_random(&random, shape);
		FgTree		tree = naive_tree(&ctx, &profile);
		FgOriginKey keys[MOST];
		FgOriginKey expected[MOST];
		uint32_t	count = unit_below(&random, MOST + 1);

		if (count > tree.frames.count)
			count = tree.frames.count;
		for (uint32_t k = 0; k < count; k++)
			keys[k] = expected[k] = (FgOriginKey) {fg_frame_bytes(&tree.frames, k), fg_frame_length(&tree.frames, k), true};
		unit_note("[round %d, %u keys]", round, count);
		naive_origins(&profile, expected, count);
		CHECK(fg_origins(&ctx, &tree, FG_LEVEL_FRAME, keys, count));
		for (uint32_t k = 0; k < count; k++)
			CHECK(keys[k].stays == expected[k].stays);
		fg_tree_free(&ctx, &tree);
		naive_free(&profile);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- limits ------------------------------------------------------------------------------------- */

static bool
origins_of(FgContext *ctx, void *arg)
{
	FgOriginKey keys[] = {{"f00001", 6, true}, {"f00002", 6, true}, {"f00003", 6, true}};

	return fg_origins(ctx, arg, FG_LEVEL_FRAME, keys, COUNT(keys)) &&
		fg_origins(ctx, arg, FG_LEVEL_NODE, keys, COUNT(keys));
}

static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a;b 1e308\na;c 1e308\na;b;c 2");
	FgOriginKey keys[] = {{"a", 1, true}, {"b", 1, true}};

	unit_case("a sum out of range");
	CHECK_ERROR(fg_origins(&ctx, &tree, FG_LEVEL_FRAME, keys, COUNT(keys)), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);

	unit_case("memory and interrupts, a deep chain");
	tree = naive_chain(&ctx, 60000, 5);
	unit_sweep_memory("fg_origins", origins_of, &tree);
	unit_sweep_interrupts("fg_origins", origins_of, &tree, 2);
	fg_tree_free(&ctx, &tree);
}

int
main(void)
{
	test_by_hand();
	test_random();
	test_limits();
	return unit_finish();
}
