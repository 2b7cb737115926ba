/*
 * test_max_t.c
 *	  Adjusted p-values by relabelling: by hand, and against all relabellings, or the
 *	  same seeded ones, of the plain values.  Profiles that are kept (profiles.c).
 */
#include "groups.h"

#include "core/base/random.h"

#include <math.h>

static const FgCompareOptions usual = {.min_df = 1};

/* t^2 of a key when the flagged profiles are "after". */
static double
naive_t2(const double *x, uint32_t n, const uint8_t *after)
{
	double		mean[2] = {0, 0};
	double		count[2] = {0, 0};
	double		squares[2] = {0, 0};

	for (uint32_t i = 0; i < n; i++)
	{
		mean[after[i]] += x[i];
		count[after[i]]++;
	}
	for (int g = 0; g < 2; g++)
		mean[g] /= count[g];
	for (uint32_t i = 0; i < n; i++)
		squares[after[i]] += (x[i] - mean[after[i]]) * (x[i] - mean[after[i]]);
	if (fabs(mean[1] - mean[0]) < 1e-12)
		return 0;
	if (squares[0] + squares[1] < 1e-20)
		return INFINITY;
	return (mean[1] - mean[0]) * (mean[1] - mean[0]) /
		(squares[0] / count[0] / (count[0] - 1) + squares[1] / count[1] / (count[1] - 1));
}

typedef struct Naive2
{
	uint32_t	n;
	uint32_t	keys;
	double		x[64][MOST_PROFILES];
	double		own[64];
	uint32_t	reached[64];	/* relabellings whose largest t reaches that of the key */
	uint32_t	relabellings;
} Naive2;

static void
naive_relabel(Naive2 *all, const uint8_t *after)
{
	double		largest = 0;

	for (uint32_t k = 0; k < all->keys; k++)
		largest = fmax(largest, naive_t2(all->x[k], all->n, after));
	for (uint32_t k = 0; k < all->keys; k++)
		all->reached[k] += largest >= all->own[k] * (1 - 1e-8);
	all->relabellings++;
}

static void
naive_begin(Naive2 *all, const Groups *groups, const FgWelchComparison *comparison)
{
	uint8_t		after[MOST_PROFILES];

	memset(all, 0, sizeof(*all));
	all->n = groups->n[0] + groups->n[1];
	all->keys = comparison->count;
	for (uint32_t i = 0; i < all->n; i++)
		after[i] = i >= groups->n[0];
	for (uint32_t k = 0; k < all->keys; k++)
	{
		for (uint32_t i = 0; i < all->n; i++)
			all->x[k][i] = groups_value(groups, i, FG_LEVEL_STACK, comparison, &comparison->rows[k]);
		all->own[k] = naive_t2(all->x[k], all->n, after);
	}
}

/* Every subset, as the bits of a number. */
static void
naive_exact(Naive2 *all, uint32_t nafter)
{
	for (uint32_t set = 0; set < UINT32_C(1) << all->n; set++)
	{
		uint8_t		after[MOST_PROFILES];
		uint32_t	size = 0;

		for (uint32_t i = 0; i < all->n; i++)
			size += after[i] = set >> i & 1;
		if (size == nafter)
			naive_relabel(all, after);
	}
}

static void
naive_drawn(Naive2 *all, uint32_t nafter, uint32_t permutations, uint64_t seed)
{
	uint32_t	order[MOST_PROFILES];
	FgRandom	random;

	fg_random_seed(&random, seed);
	for (uint32_t i = 0; i < all->n; i++)
		order[i] = i;
	for (uint32_t r = 0; r < permutations; r++)
	{
		uint8_t		after[MOST_PROFILES] = {0};

		fg_random_shuffle(&random, order, all->n);
		for (uint32_t i = 0; i < nafter; i++)
			after[order[i]] = 1;
		naive_relabel(all, after);
	}
}

static void
check_group(UnitRandom *random, uint32_t n1, uint32_t n2, uint32_t keys, bool exact)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Groups		groups;
	FgWelchComparison comparison;
	static Naive2 all;

	groups_random(&groups, random, n1, n2, keys);
	if (CHECK(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], NULL, &usual, 200, 7,
					   &comparison)))
	{
		naive_begin(&all, &groups, &comparison);
		if (exact)
			naive_exact(&all, n2);
		else
			naive_drawn(&all, n2, 200, 7);
		for (uint32_t k = 0; k < comparison.count; k++)
			CHECK_NEAR(comparison.rows[k].q, exact ? (double) all.reached[k] / all.relabellings
					   : (all.reached[k] + 1.0) / 201, 1e-15);
		fg_comparison_free(&ctx, &comparison);
	}
	groups_free(&groups);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_random(void)
{
	UnitRandom	random = {19};

	unit_case("exact: all relabellings");
	for (int round = 0; round < 30; round++)
	{
		unit_note("[round %d]", round);
		check_group(&random, 2 + unit_below(&random, 5), 2 + unit_below(&random, 5),
					1 + unit_below(&random, 20), true);
	}
	unit_case("drawn: the same relabellings");
	for (int round = 0; round < 30; round++)
	{
		unit_note("[round %d]", round);
		check_group(&random, 9 + unit_below(&random, 20), 9 + unit_below(&random, 20),
					1 + unit_below(&random, 20), false);
	}
}

/* 8 + 8 profiles have 12,870 relabellings, 9 + 8 have 24,310. */
static void
test_limit_of_exact(void)
{
	UnitRandom	random = {23};

	unit_case("8 + 8 profiles are exact");
	check_group(&random, 8, 8, 3, true);
	unit_case("9 + 8 profiles are drawn");
	check_group(&random, 9, 8, 3, false);
}

static void
test_by_hand(void)
{
	static const char *const before[] = {"a 5\nb 9", "a 7\nb 8", "a 6\nb 9", "a 9\nb 7", NULL};
	static const char *const after[] = {"a 15\nb 9", "a 17\nb 8", "a 16\nb 10\nc 1", "a 12\nb 7", NULL};
	static const char *const constant[] = {"a 1\nk 2", "a 1\nk 2", NULL};
	static const char *const higher[] = {"a 3\nk 2", "a 3\nk 2", NULL};
	FgContext	ctx = fg_malloc_context();
	Groups		groups;
	FgWelchComparison comparison;

	unit_case("4 + 4 profiles, 70 relabellings");
	groups_of_texts(&groups, before, after);
	CHECK(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], NULL, &usual, 1, 1, &comparison));
	CHECK_DOUBLE(groups_row(&comparison, "a")->q, 2. / 70);
	CHECK_DOUBLE(groups_row(&comparison, "b")->q, 1);
	CHECK_DOUBLE(groups_row(&comparison, "c")->q, 1);
	fg_comparison_free(&ctx, &comparison);
	unit_case("permutations out of range");
	CHECK_ERROR(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], NULL, &usual, 0, 1,
						 &comparison), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], NULL, &usual,
						 FG_MAX_PERMUTATIONS + 1, 1, &comparison), &ctx, FG_ERROR_ARGUMENT);
	groups_free(&groups);

	unit_case("infinite t: 2 of 6 relabellings; a constant key never stands out");
	groups_of_texts(&groups, constant, higher);
	CHECK(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], NULL, &usual, 1, 1, &comparison));
	CHECK_DOUBLE(groups_row(&comparison, "a")->q, 2. / 6);
	CHECK_DOUBLE(groups_row(&comparison, "k")->q, 1);
	fg_comparison_free(&ctx, &comparison);
	groups_free(&groups);
}

/* t does not change with unit or shift, and neither may the p-values. */
static void
test_scale(void)
{
	UnitRandom	random = {29};
	FgContext	ctx = fg_malloc_context();
	Groups		groups;
	double		q[3][8];
	static const double unit[] = {1, 1e-9, 1e150};

	unit_case("values in other units");
	groups_random(&groups, &random, 5, 4, 8);
	for (int u = 0; u < 3; u++)
	{
		FgWelchComparison comparison;

		for (uint32_t i = 0; i < 9; i++)
		{
			for (uint32_t k = 0; k <= groups.trees[i].nnodes; k++)
				groups.trees[i].self[k] *= unit[u] / (u > 0 ? unit[u - 1] : 1);
		}
		CHECK(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], NULL, &usual, 1, 1, &comparison));
		CHECK_COUNT(comparison.count, 8);
		for (uint32_t k = 0; k < 8; k++)
		{
			q[u][k] = comparison.rows[k].q;
			CHECK_DOUBLE(q[u][k], q[0][k]);
		}
		fg_comparison_free(&ctx, &comparison);
	}
	groups_free(&groups);
}

/* --- how often profiles are read ----------------------------------------------------------- */

typedef struct Reader
{
	const FgTree *trees;
	uint32_t	times[MOST_PROFILES];
} Reader;

static bool
read_counted(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	Reader	   *reader = arg;

	reader->times[i]++;
	return fg_tree_copy(ctx, &reader->trees[i], profile);
}

/* Reading a profile means to decode it: once is enough. */
static void
test_read_once(void)
{
	UnitRandom	random = {37};
	FgContext	ctx = fg_malloc_context();
	Groups		groups;

	groups_random(&groups, &random, 6, 5, 12);
	for (int level = 0; level < FG_LEVELS; level++)
	{
		Reader		readers[2] = {{groups.trees, {0}}, {groups.trees + 6, {0}}};
		FgProfiles	before = {read_counted, &readers[0], 6};
		FgProfiles	after = {read_counted, &readers[1], 5};
		FgCompareOptions options = {.level = (FgLevel) level, .min_df = 1};
		FgWelchComparison comparison;

		unit_case("%s", fg_level_word(options.level));
		CHECK(fg_max_t(&ctx, &before, &after, NULL, &options, 50, 3, &comparison));
		for (int i = 0; i < 6; i++)
			CHECK_COUNT(readers[0].times[i], 1);
		for (int i = 0; i < 5; i++)
			CHECK_COUNT(readers[1].times[i], 1);
		fg_comparison_free(&ctx, &comparison);
	}
	groups_free(&groups);
}

/* What has no room is read again, and is the same then. */
static void
test_room(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		trees[3] = {
		tree_of_text(&ctx, "a;b 1\na;c 2"), tree_of_text(&ctx, "a;b 1"), tree_of_text(&ctx, "")
	};
	Reader		reader = {trees, {0}};
	FgProfiles	profiles = {read_counted, &reader, 3};
	FgKeptProfiles kept;
	FgAccumulator sum;

	unit_case("room for the smaller ones only");
	fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
	CHECK(fg_kept_begin(&ctx, &kept, 3, 75));
	CHECK(fg_accumulate_profiles(&ctx, &profiles, FG_LEVEL_STACK, &sum, &kept));
	for (uint32_t i = 0; i < 3; i++)
	{
		FgTree		tree;

		CHECK(fg_kept_take(&ctx, &kept, &profiles, i, FG_LEVEL_STACK, &tree));
		CHECK_COUNT(reader.times[i], i == 0 ? 2 : 1);
		CHECK_COUNT(tree.nnodes, trees[i].nnodes);
		CHECK(memcmp(tree.self, trees[i].self, (tree.nnodes + 1) * sizeof(double)) == 0);
		CHECK(fg_frames_equal(&tree.frames, &trees[i].frames));
		fg_tree_free(&ctx, &tree);
		fg_tree_free(&ctx, &trees[i]);
	}
	fg_kept_end(&ctx, &kept);
	fg_accumulator_free(&sum);
}

static bool
max_t(FgContext *ctx, void *arg)
{
	static const FgCompareOptions options = {.level = FG_LEVEL_NODE, .min_df = 1};
	const Groups *groups = arg;
	FgWelchComparison comparison;

	if (!fg_max_t(ctx, &groups->profiles[0], &groups->profiles[1], NULL, &options, 100, 1, &comparison))
		return false;
	fg_comparison_free(ctx, &comparison);
	return true;
}

int
main(void)
{
	UnitRandom	random = {31};
	Groups		groups;

	test_by_hand();
	test_random();
	test_limit_of_exact();
	test_scale();
	test_read_once();
	test_room();
	groups_random(&groups, &random, 3, 3, 9);
	unit_sweep_memory("maxT", max_t, &groups);
	unit_sweep_interrupts("maxT", max_t, &groups, 10);
	groups_free(&groups);
	return unit_finish();
}
