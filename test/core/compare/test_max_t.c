/*
 * test_max_t.c
 *	  Adjusted p-values by relabelling: by hand, and against all relabellings, or the
 *	  same seeded ones, of the plain values.
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
	if (CHECK(groups_compare(&ctx, &groups, &usual, &comparison)))
	{
		CHECK(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], FG_LEVEL_STACK, 200, 7,
					   &comparison));
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
	CHECK(groups_compare(&ctx, &groups, &usual, &comparison));
	CHECK(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], FG_LEVEL_STACK, 1, 1, &comparison));
	CHECK_DOUBLE(groups_row(&comparison, "a")->q, 2. / 70);
	CHECK_DOUBLE(groups_row(&comparison, "b")->q, 1);
	CHECK_DOUBLE(groups_row(&comparison, "c")->q, 1);
	unit_case("permutations out of range");
	CHECK_ERROR(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], FG_LEVEL_STACK, 0, 1,
						 &comparison), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], FG_LEVEL_STACK,
						 FG_MAX_PERMUTATIONS + 1, 1, &comparison), &ctx, FG_ERROR_ARGUMENT);
	fg_comparison_free(&ctx, &comparison);
	groups_free(&groups);

	unit_case("infinite t: 2 of 6 relabellings; a constant key never stands out");
	groups_of_texts(&groups, constant, higher);
	CHECK(groups_compare(&ctx, &groups, &usual, &comparison));
	CHECK(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], FG_LEVEL_STACK, 1, 1, &comparison));
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
		CHECK(groups_compare(&ctx, &groups, &usual, &comparison));
		CHECK_COUNT(comparison.count, 8);
		CHECK(fg_max_t(&ctx, &groups.profiles[0], &groups.profiles[1], FG_LEVEL_STACK, 1, 1,
					   &comparison));
		for (uint32_t k = 0; k < 8; k++)
		{
			q[u][k] = comparison.rows[k].q;
			CHECK_DOUBLE(q[u][k], q[0][k]);
		}
		fg_comparison_free(&ctx, &comparison);
	}
	groups_free(&groups);
}

static bool
max_t(FgContext *ctx, void *arg)
{
	const Groups *groups = arg;
	FgWelchComparison comparison;
	bool		ok;

	if (!groups_compare(ctx, groups, &usual, &comparison))
		return false;
	ok = fg_max_t(ctx, &groups->profiles[0], &groups->profiles[1], FG_LEVEL_NODE, 100, 1,
				  &comparison);
	fg_comparison_free(ctx, &comparison);
	return ok;
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
	groups_random(&groups, &random, 3, 3, 9);
	unit_sweep_memory("maxT", max_t, &groups);
	unit_sweep_interrupts("maxT", max_t, &groups, 10);
	groups_free(&groups);
	return unit_finish();
}
