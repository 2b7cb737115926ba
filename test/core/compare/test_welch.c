/*
 * test_welch.c
 *	  Two groups of profiles, key by key: by hand, against numbers of 40 digits, and
 *	  against the formulas applied to the plain values.
 */
#include "groups.h"

#include "core/base/distribution.h"

#include <math.h>

static const char *const before_texts[] = {
	"a 10\nb 20\nk 5\ng 1", "a 12\nb 19\nk 5\ng 1", "a 11\nb 23\nk 5\ng 1",
	"a 9\nb 20\nk 5\ng 1", "a 10\nb 22\nk 5\ng 1", NULL
};
static const char *const after_texts[] = {
	"a 14\nb 21\nk 5\nn 3", "a 15\nb 20\nk 5\nn 3", "a 13\nb 22\nk 5\nn 3",
	"a 16\nb 19\nk 5\nn 3", NULL
};

static const FgCompareOptions usual = {.min_df = 1, .min_mean = 5};

static void
check_change(const FgDifference *row, FgChange expected)
{
	FgChange	change;

	CHECK(fg_difference_change(row, &change));
	CHECK_COUNT(change, expected);
}

/* t, df, p and interval by mpmath, from exact moments. */
static void
test_by_hand(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgIntervals intervals = {.alpha = 0.05};
	Groups		groups;
	FgWelchComparison comparison;
	const FgDifference *row;
	FgChange	change;
	double		lower;
	double		upper;
	uint32_t	order[5];

	groups_of_texts(&groups, before_texts, after_texts);
	unit_case("two groups with a key of each kind");
	CHECK(groups_compare(&ctx, &groups, &usual, &comparison));
	CHECK_COUNT(comparison.count, 5);
	row = groups_row(&comparison, "a");
	CHECK_NEAR(row->t, 4.98421152560961285, 1e-13);
	CHECK_NEAR(row->df, 6.12378640776699029, 1e-13);
	CHECK_NEAR(row->p, 0.00234950958584856918, 1e-12);
	CHECK_DOUBLE(row->mean_before, 10.4);
	CHECK_DOUBLE(row->mean_after, 14.5);
	fg_difference_interval(row, &intervals, &lower, &upper);
	CHECK_NEAR(lower, 2.09699808333184241, 1e-12);
	CHECK_NEAR(upper, 6.10300191666815759, 1e-12);
	check_change(row, FG_CHANGE_GROWN);
	row = groups_row(&comparison, "b");
	CHECK_NEAR(row->t, -0.306719179465948638, 1e-12);
	CHECK_NEAR(row->p, 0.767981485309059491, 1e-12);
	fg_difference_interval(row, &intervals, &lower, &upper);
	CHECK_NEAR(lower, -2.61291630860832479, 1e-12);
	check_change(row, FG_CHANGE_SHRUNK);

	unit_case("keys that are constant in both groups");
	row = groups_row(&comparison, "k");
	CHECK_DOUBLE(row->t, 0);
	CHECK_DOUBLE(row->p, 1);
	CHECK(isnan(row->df));
	CHECK(!fg_difference_change(row, &change));
	row = groups_row(&comparison, "n");
	CHECK_DOUBLE(row->t, INFINITY);
	CHECK_DOUBLE(row->p, 0);
	fg_difference_interval(row, &intervals, &lower, &upper);
	CHECK_DOUBLE(lower, 3);
	CHECK_DOUBLE(upper, 3);
	check_change(row, FG_CHANGE_APPEARED);
	row = groups_row(&comparison, "g");
	CHECK_DOUBLE(row->t, -INFINITY);
	check_change(row, FG_CHANGE_DISAPPEARED);

	unit_case("order: smallest p first, then by key");
	CHECK(fg_comparison_order(&ctx, &comparison, order));
	for (int i = 0; i < 5; i++)
		CHECK(&comparison.rows[order[i]] == groups_row(&comparison, (const char *[]) {"g", "n", "a", "b", "k"}[i]));
	fg_comparison_free(&ctx, &comparison);
	groups_free(&groups);
	CHECK_COUNT(memory.blocks, 0);
}

/* Sums of 0.1 are rounded; the deviations that this leaves are none. */
static void
test_rounded_constants(void)
{
	static const char *const before[] = {"a 0.1\nb 0.1", "a 0.1\nb 0.1", "a 0.1\nb 0.1", NULL};
	static const char *const after[] = {
		"a 0.1\nb 0.3", "a 0.1\nb 0.3", "a 0.1\nb 0.3", "a 0.1\nb 0.3", "a 0.1\nb 0.3", NULL
	};
	FgContext	ctx = fg_malloc_context();
	Groups		groups;
	FgWelchComparison comparison;

	unit_case("constants that are no binary fractions");
	groups_of_texts(&groups, before, after);
	CHECK(groups_compare(&ctx, &groups, &usual, &comparison));
	CHECK_DOUBLE(groups_row(&comparison, "a")->p, 1);
	CHECK_DOUBLE(groups_row(&comparison, "a")->delta, 0);
	CHECK_DOUBLE(groups_row(&comparison, "b")->t, INFINITY);
	fg_comparison_free(&ctx, &comparison);
	groups_free(&groups);
}

static void
test_small_groups(void)
{
	static const char *const one[] = {"a 1\nb 2", NULL};
	static const char *const two[] = {"a 3", "a 4", NULL};
	static const char *const none[] = {NULL};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Groups		groups;
	FgWelchComparison comparison;

	unit_case("a group of one: means, but no test");
	groups_of_texts(&groups, one, two);
	CHECK(groups_compare(&ctx, &groups, &usual, &comparison));
	CHECK_DOUBLE(groups_row(&comparison, "a")->delta, 2.5);
	CHECK_DOUBLE(groups_row(&comparison, "b")->delta, -2);
	for (uint32_t i = 0; i < comparison.count; i++)
		CHECK(isnan(comparison.rows[i].t) && isnan(comparison.rows[i].p) &&
			  isnan(comparison.rows[i].q) && isnan(comparison.rows[i].df));
	fg_comparison_free(&ctx, &comparison);
	groups_free(&groups);
	unit_case("a group of none is an error");
	groups_of_texts(&groups, none, two);
	CHECK_ERROR(groups_compare(&ctx, &groups, &usual, &comparison), &ctx, FG_ERROR_ARGUMENT);
	groups_free(&groups);
	groups_of_texts(&groups, two, none);
	CHECK_ERROR(groups_compare(&ctx, &groups, &usual, &comparison), &ctx, FG_ERROR_ARGUMENT);
	groups_free(&groups);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_size_factors(void)
{
	/* c has grown; the rest is half, because recordings have a fixed length */
	static const char *const before[] = {"m;a 10\nm;b 20\nm;c 30\nd 1", "m;a 10\nm;b 20\nm;c 30", NULL};
	static const char *const after[] = {"m;a 5\nm;b 10\nm;c 90\nm;n 50", "m;a 5\nm;b 10\nm;c 90", NULL};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgCompareOptions options = {.size = FG_SIZE_MEDIAN_RATIO, .min_df = 1, .min_mean = 5};
	Groups		groups;
	FgWelchComparison comparison;

	groups_of_texts(&groups, before, after);
	unit_case("size factor: median ratio");
	CHECK(groups_compare(&ctx, &groups, &options, &comparison));
	CHECK_DOUBLE(comparison.factor, 0.5);
	CHECK_DOUBLE(groups_row(&comparison, "m;a")->p, 1);
	CHECK_DOUBLE(groups_row(&comparison, "m;c")->delta, 150);
	/* 100 and 0: the deviation is divided, too */
	CHECK_NEAR(groups_row(&comparison, "m;n")->error, 50, 1e-14);
	fg_comparison_free(&ctx, &comparison);

	unit_case("size factor: total");
	options.size = FG_SIZE_TOTAL;
	CHECK(groups_compare(&ctx, &groups, &options, &comparison));
	CHECK_NEAR(comparison.factor, 130 / 60.5, 1e-15);
	fg_comparison_free(&ctx, &comparison);
	unit_case("size factor: total at level node is that of the profiles");
	options.level = FG_LEVEL_NODE;
	CHECK(groups_compare(&ctx, &groups, &options, &comparison));
	CHECK_NEAR(comparison.factor, 130 / 60.5, 1e-15);
	fg_comparison_free(&ctx, &comparison);

	unit_case("size factor: not defined");
	options = (FgCompareOptions) {.size = FG_SIZE_MEDIAN_RATIO, .min_df = 1, .min_mean = 1000};
	CHECK_ERROR(groups_compare(&ctx, &groups, &options, &comparison), &ctx, FG_ERROR_ARGUMENT);
	CHECK(ctx.error.hint != NULL);
	unit_case("keys that fewer than two profiles have are left out");
	options = (FgCompareOptions) {.min_df = 2};
	CHECK(groups_compare(&ctx, &groups, &options, &comparison));
	CHECK_COUNT(comparison.count, 3);
	CHECK(groups_row(&comparison, "d") == NULL && groups_row(&comparison, "m;n") == NULL);
	fg_comparison_free(&ctx, &comparison);
	groups_free(&groups);
	CHECK_COUNT(memory.blocks, 0);
}

static void
naive_moments(const Groups *groups, FgLevel level, const FgWelchComparison *comparison,
			  const FgDifference *row, int g, double *mean, double *variance)
{
	uint32_t	first = g == 0 ? 0 : groups->n[0];
	uint32_t	n = groups->n[g];

	*mean = *variance = 0;
	for (uint32_t i = first; i < first + n; i++)
		*mean += groups_value(groups, i, level, comparison, row);
	*mean /= n;
	for (uint32_t i = first; i < first + n; i++)
	{
		double		x = groups_value(groups, i, level, comparison, row) - *mean;

		*variance += x * x / (n - 1);
	}
}

static void
check_row(const Groups *groups, FgLevel level, const FgWelchComparison *comparison,
		  const FgDifference *row)
{
	double		mean[2];
	double		v[2];
	double		t;
	double		df;

	for (int g = 0; g < 2; g++)
	{
		naive_moments(groups, level, comparison, row, g, &mean[g], &v[g]);
		v[g] /= groups->n[g];
	}
	CHECK(fabs(row->delta - (mean[1] - mean[0])) <= 1e-12 * (1 + fabs(mean[0]) + fabs(mean[1])));
	if (v[0] + v[1] < 1e-20)
		return;
	t = (mean[1] - mean[0]) / sqrt(v[0] + v[1]);
	df = (v[0] + v[1]) * (v[0] + v[1]) /
		(v[0] * v[0] / (groups->n[0] - 1) + v[1] * v[1] / (groups->n[1] - 1));
	CHECK(fabs(row->t - t) <= 1e-11 * (1 + fabs(t)));
	CHECK_NEAR(row->df, df, 1e-11);
	CHECK_NEAR(row->p, fg_t_two_sided(t, df), 1e-9);
}

static void
test_random(void)
{
	UnitRandom	random = {3};

	unit_case("random groups at all levels, against the formulas");
	for (int round = 0; round < 60; round++)
	{
		FgContext	ctx = fg_malloc_context();
		FgCompareOptions options = {.level = (FgLevel) (round % FG_LEVELS), .min_df = 1 + round % 3};
		Groups		groups = {.ctx = ctx, .n = {2 + unit_below(&random, 6), 2 + unit_below(&random, 6)}};
		FgWelchComparison comparison;

		unit_note("[round %d]", round);
		groups_random(&groups, &random, groups.n[0], groups.n[1], 1 + unit_below(&random, 12));
		for (uint32_t i = 0; round % 2 && i < groups.n[0] + groups.n[1]; i++)
		{
			NaiveShape	shape = {1 + unit_below(&random, 12), 4, 4, NAIVE_SIGNED};
			Naive		profile = naive_random(&random, shape);

			fg_tree_free(&groups.ctx, &groups.trees[i]);
			groups.trees[i] = naive_tree(&groups.ctx, &profile);
			naive_free(&profile);
		}
		if (CHECK(groups_compare(&ctx, &groups, &options, &comparison)))
		{
			for (uint32_t i = 0; i < comparison.count; i++)
			{
				uint32_t	df = 0;

				for (uint32_t k = 0; k < groups.n[0] + groups.n[1]; k++)
					df += groups_value(&groups, k, options.level, &comparison, &comparison.rows[i]) != 0;
				CHECK(df >= options.min_df);
				CHECK_DOUBLE(comparison.keys.self[comparison.rows[i].node], df);
				check_row(&groups, options.level, &comparison, &comparison.rows[i]);
			}
			fg_comparison_free(&ctx, &comparison);
		}
		groups_free(&groups);
	}
}

static bool
compare_both(FgContext *ctx, void *arg)
{
	FgCompareOptions options = {
		.level = FG_LEVEL_NODE, .size = FG_SIZE_TOTAL, .min_df = 1, .min_mean = 5
	};
	FgWelchComparison comparison;

	if (!groups_compare(ctx, arg, &options, &comparison))
		return false;
	fg_comparison_free(ctx, &comparison);
	return true;
}

/* The longest way: a factor by tests, with variances that are moderated. */
static bool
compare_moderated(FgContext *ctx, void *arg)
{
	FgCompareOptions options = {
		.level = FG_LEVEL_NODE, .size = FG_SIZE_STABLE, .min_df = 1, .min_mean = 0,
		.variance = FG_VARIANCE_MODERATED
	};
	FgWelchComparison comparison;

	if (!groups_compare(ctx, arg, &options, &comparison))
		return false;
	fg_comparison_free(ctx, &comparison);
	return true;
}

int
main(void)
{
	UnitRandom	random = {5};
	Groups		groups;

	test_by_hand();
	test_rounded_constants();
	test_small_groups();
	test_size_factors();
	test_random();
	groups_of_texts(&groups, before_texts, after_texts);
	unit_sweep_memory("comparison", compare_both, &groups);
	unit_sweep_interrupts("comparison", compare_both, &groups, 10);
	groups_free(&groups);
	groups_random(&groups, &random, 4, 4, 24);
	unit_sweep_memory("moderated comparison", compare_moderated, &groups);
	unit_sweep_interrupts("moderated comparison", compare_moderated, &groups, 10);
	groups_free(&groups);
	return unit_finish();
}
