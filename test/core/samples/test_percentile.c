/*
 * test_percentile.c
 *	  Percentiles stack by stack, against sorted lists of all values, zeros included.
 */
#include "naive.h"

#include "core/samples/percentile.h"

#include <math.h>

#define MOST_PROFILES 40

static bool
read_tree(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const FgTree *trees = arg;

	return fg_tree_copy(ctx, &trees[i], profile);
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Of n values, sorted here. */
static double
naive_percentile(double *values, size_t n, double fraction)
{
	double		place = fraction * (double) (n - 1);
	double		below;
	double		above;

	qsort(values, n, sizeof(double), compare_doubles);
	below = values[(size_t) floor(place)];
	above = values[(size_t) ceil(place)];
	return below + (above - below) * (place - floor(place));
}

/* Of every stack of any profile; the union of the stacks is the list of all of them. */
static void
check_percentile(FgContext *ctx, const Naive *profiles, size_t n, double fraction,
				 const FgTree *result)
{
	Naive		all = {0};
	Naive		expected = {0};
	Naive		got = naive_of_tree(result);

	for (size_t p = 0; p < n; p++)
	{
		for (size_t i = 0; i < profiles[p].count; i++)
			naive_add(&all, profiles[p].entries[i].path, profiles[p].entries[i].length, 1);
	}
	naive_settle(&all);
	for (size_t i = 0; i < all.count; i++)
	{
		double		values[MOST_PROFILES] = {0};

		for (size_t p = 0; p < n; p++)
		{
			for (size_t k = 0; k < profiles[p].count; k++)
			{
				if (naive_compare(&profiles[p].entries[k], &all.entries[i]) == 0)
					values[p] = profiles[p].entries[k].value;
			}
		}
		naive_add(&expected, all.entries[i].path, all.entries[i].length,
				  naive_percentile(values, n, fraction));
	}
	naive_settle(&expected);
	if (CHECK_COUNT(got.count, expected.count))
	{
		for (size_t i = 0; i < got.count; i++)
		{
			CHECK_COUNT(naive_compare(&got.entries[i], &expected.entries[i]), 0);
			CHECK_NEAR(got.entries[i].value, expected.entries[i].value, 1e-14);
		}
	}
	CHECK(fg_tree_check(ctx, result));
	naive_free(&all);
	naive_free(&expected);
	naive_free(&got);
}

static void
test_random(void)
{
	static const double fractions[] = {0, 0.05, 0.25, 0.5, 0.9, 1};
	UnitRandom	random = {4711};

	unit_case("random profiles");
	for (int round = 0; round < 120; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Naive		naive[MOST_PROFILES];
		FgTree		trees[MOST_PROFILES];
		size_t		n = 1 + unit_below(&random, round % 4 == 0 ? 3 : MOST_PROFILES);
		FgProfiles	profiles = {read_tree, trees, n};
		double		fraction = fractions[unit_below(&random, COUNT(fractions))];
		FgTree		result;

		for (size_t i = 0; i < n; i++)
		{
			NaiveShape	shape = {1 + unit_below(&random, 12), 3, 3, round % 3};

			naive[i] = naive_random(&random, shape);
			trees[i] = naive_tree(&ctx, &naive[i]);
		}
		unit_note("[round %d, %zu profiles, %g]", round, n, fraction);
		if (CHECK(fg_percentile(&ctx, &profiles, fraction, &result)))
		{
			check_percentile(&ctx, naive, n, fraction, &result);
			fg_tree_free(&ctx, &result);
		}
		for (size_t i = 0; i < n; i++)
		{
			naive_free(&naive[i]);
			fg_tree_free(&ctx, &trees[i]);
		}
		CHECK_COUNT(memory.blocks, 0);
	}
	unit_note("%s", "");
}

static void
check_text(const char *const *texts, size_t n, double fraction, const char *expected)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		trees[8];
	FgProfiles	profiles = {read_tree, trees, n};
	Naive		naive = naive_of_text(expected);
	FgTree		result;

	for (size_t i = 0; i < n; i++)
		trees[i] = tree_of_text(&ctx, texts[i]);
	CHECK(fg_percentile(&ctx, &profiles, fraction, &result));
	CHECK(naive_matches(&ctx, &naive, &result));
	naive_free(&naive);
	fg_tree_free(&ctx, &result);
	for (size_t i = 0; i < n; i++)
		fg_tree_free(&ctx, &trees[i]);
}

static void
test_small(void)
{
	static const char *const three[] = {"a;b 1\nc 7\n 9", "a;b 3\nc -2", "a;b 2\na 5\nc 4"};
	static const char *const far[] = {"a 1.7e308", "a -1.7e308"};

	unit_case("medians and ends; a stack that is absent is 0");
	check_text(three, 3, 0.5, "a;b 2\nc 4");
	check_text(three, 3, 0, "a;b 1\nc -2");
	check_text(three, 3, 1, " 9\na 5\na;b 3\nc 7");
	check_text(three, 3, 0.75, " 4.5\na 2.5\na;b 2.5\nc 5.5");
	check_text(three, 1, 0.3, "a;b 1\nc 7\n 9");
	check_text((const char *const[]) {"", ""}, 2, 0.5, "");
	unit_case("between the largest numbers");
	check_text(far, 2, 0.5, "");
	check_text(far, 2, 1, "a 1.7e308");
}

static bool
percentile_and_free(FgContext *ctx, void *arg)
{
	FgProfiles	profiles = {read_tree, arg, 3};
	FgTree		result;

	if (!fg_percentile(ctx, &profiles, 0.4, &result))
		return false;
	fg_tree_free(ctx, &result);
	return true;
}

static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		trees[3];

	unit_case("memory");
	trees[0] = tree_of_text(&ctx, "a;b 1\nc 7");
	trees[1] = tree_of_text(&ctx, "a;b 3\nd -2");
	trees[2] = tree_of_text(&ctx, "e 1");
	unit_sweep_memory("percentile", percentile_and_free, trees);
	for (int i = 0; i < 3; i++)
		fg_tree_free(&ctx, &trees[i]);
	unit_case("interrupts");
	for (uint32_t i = 0; i < 3; i++)
		trees[i] = naive_wide(&ctx, 200 + i, 300, false);
	unit_sweep_interrupts("percentile", percentile_and_free, trees, 10);
	for (int i = 0; i < 3; i++)
		fg_tree_free(&ctx, &trees[i]);
}

int
main(void)
{
	test_random();
	test_small();
	test_limits();
	return unit_finish();
}
