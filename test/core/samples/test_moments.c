/*
 * test_moments.c
 *	  Moments of samples: merged in any order, against two passes over the values
 *	  of every stack, absent ones being 0.
 */
#include "naive.h"

#include "core/profile/transform.h"
#include "core/samples/accumulator.h"

#include <math.h>
#include <string.h>

/* The value of a stack in a list, 0 when it is not there. */
static double
value_of(const Naive *naive, const NaiveEntry *stack)
{
	for (size_t i = 0; i < naive->count; i++)
	{
		if (naive_compare(&naive->entries[i], stack) == 0)
			return naive->entries[i].value;
	}
	return 0;
}

typedef struct Expected
{
	double		mean;
	double		variance;
	double		scale;			/* of the values: sum of squares / n */
} Expected;

static Expected
two_passes(const Naive *profiles, uint32_t n, const NaiveEntry *stack)
{
	long double sum = 0;
	long double squares = 0;
	long double deviations = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += value_of(&profiles[i], stack);
	for (uint32_t i = 0; i < n; i++)
	{
		long double value = value_of(&profiles[i], stack);

		squares += value * value;
		deviations += (value - sum / n) * (value - sum / n);
	}
	return (Expected) {
		(double) (sum / n), (double) (deviations / (n > 1 ? n - 1 : 1)), (double) (squares / n)
	};
}

static bool
is_near(double got, double expected, double relative, double scale)
{
	return fabs(got - expected) <= relative * fabs(expected) + 1e-15 * scale;
}

/* "all" has the stacks of all profiles. */
static void
check_sum(FgContext *ctx, const FgMoments *moments, const Naive *profiles, uint32_t n, const Naive *all)
{
	FgTree		tree;
	Naive		sum;
	size_t		nonzero = 0;

	CHECK(fg_moments_sum(ctx, moments, &tree) && fg_tree_check(ctx, &tree));
	sum = naive_of_tree(&tree);
	for (size_t k = 0; k < all->count; k++)
	{
		Expected	expected = two_passes(profiles, n, &all->entries[k]);
		double		got = value_of(&sum, &all->entries[k]);

		CHECK(is_near(got, expected.mean * n, 1e-12, n * sqrt(expected.scale)));
		nonzero += got != 0;
	}
	CHECK_COUNT(sum.count, nonzero);
	naive_free(&sum);
	fg_tree_free(ctx, &tree);
}

/* Every stack of every profile, and no other one, has what two passes give. */
static void
check_moments(FgContext *ctx, const FgMoments *moments, const Naive *profiles, uint32_t n)
{
	FgTree		mean;
	FgTree		variance = {0};
	FgTree		deviation = {0};
	Naive		means;
	Naive		variances = {0};
	Naive		deviations = {0};
	size_t		nonzero[3] = {0, 0, 0};
	Naive		all = {0};

	CHECK(fg_moments_mean(ctx, moments, n, &mean));
	means = naive_of_tree(&mean);
	if (n > 1)
	{
		CHECK(fg_moments_variance(ctx, moments, n, false, &variance));
		CHECK(fg_moments_variance(ctx, moments, n, true, &deviation));
		variances = naive_of_tree(&variance);
		deviations = naive_of_tree(&deviation);
		CHECK(fg_tree_check(ctx, &variance));
		CHECK(fg_tree_check(ctx, &deviation));
	}
	CHECK(fg_tree_check(ctx, &mean));
	for (uint32_t i = 0; i < n; i++)
	{
		for (size_t k = 0; k < profiles[i].count; k++)
			naive_add(&all, profiles[i].entries[k].path, profiles[i].entries[k].length, 1);
	}
	naive_settle(&all);
	check_sum(ctx, moments, profiles, n, &all);
	for (size_t k = 0; k < all.count; k++)
	{
		Expected	expected = two_passes(profiles, n, &all.entries[k]);
		double		got_mean = value_of(&means, &all.entries[k]);
		double		got_variance = value_of(&variances, &all.entries[k]);
		double		got_deviation = value_of(&deviations, &all.entries[k]);

		CHECK(is_near(got_mean, expected.mean, 1e-12, sqrt(expected.scale)));
		if (n > 1)
		{
			CHECK(is_near(got_variance, expected.variance, 1e-9, expected.scale));
			CHECK(got_variance >= 0);
			CHECK_DOUBLE(got_deviation, sqrt(got_variance));
		}
		nonzero[0] += got_mean != 0;
		nonzero[1] += got_variance != 0;
		nonzero[2] += got_deviation != 0;
	}
	CHECK_COUNT(means.count, nonzero[0]);
	CHECK_COUNT(variances.count, nonzero[1]);
	CHECK_COUNT(deviations.count, nonzero[2]);
	naive_free(&all);
	naive_free(&means);
	naive_free(&variances);
	naive_free(&deviations);
	fg_tree_free(ctx, &mean);
	fg_tree_free(ctx, &variance);
	fg_tree_free(ctx, &deviation);
}

static void
moments_of(FgContext *ctx, const Naive *profile, FgMoments *moments)
{
	FgTree		tree = naive_tree(ctx, profile);

	CHECK(fg_moments_of_one(ctx, &tree, moments));
	CHECK(tree.key == NULL);
}

/* Merges two neighbours at random until one sample is left. */
static FgMoments
merge_all(FgContext *ctx, UnitRandom *random, const Naive *profiles, uint32_t n)
{
	FgMoments  *samples = malloc(n * sizeof(FgMoments));
	FgMoments	result;

	for (uint32_t i = 0; i < n; i++)
		moments_of(ctx, &profiles[i], &samples[i]);
	for (uint32_t left = n; left > 1; left--)
	{
		uint32_t	a = unit_below(random, left);
		uint32_t	b = (a + 1 + unit_below(random, left - 1)) % left;
		FgMoments	merged;

		CHECK(fg_moments_merge(ctx, &samples[a], &samples[b], &merged));
		CHECK(fg_tree_check(ctx, &merged.support));
		fg_moments_free(ctx, &samples[a]);
		fg_moments_free(ctx, &samples[b]);
		samples[a] = merged;
		samples[b] = samples[left - 1];
	}
	result = samples[0];
	free(samples);
	return result;
}

static void
test_random(void)
{
	static const NaiveShape shapes[] = {
		{3, 2, 2, NAIVE_COUNTS}, {10, 4, 3, NAIVE_SIGNED}, {25, 6, 8, NAIVE_COUNTS},
		{10, 3, 40, NAIVE_DOUBLES}, {0, 1, 1, NAIVE_COUNTS}, {1, 1, 1, NAIVE_DOUBLES}
	};
	static const uint32_t sizes[] = {1, 2, 3, 7, 20};
	UnitRandom	random = {49};

	for (size_t s = 0; s < COUNT(shapes); s++)
	{
		unit_case("samples of shape %zu merged in any order", s);
		for (uint32_t round = 0; round < 4 * COUNT(sizes); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			uint32_t	n = sizes[round % COUNT(sizes)];
			Naive		profiles[20];
			FgMoments	first;
			FgMoments	second;
			FgMoments	copy;
			FgTree		mean_first;
			FgTree		mean_second;

			unit_note("round %u, %u profiles", round, n);
			for (uint32_t i = 0; i < n; i++)
				profiles[i] = naive_random(&random, shapes[s]);
			first = merge_all(&ctx, &random, profiles, n);
			second = merge_all(&ctx, &random, profiles, n);
			check_moments(&ctx, &first, profiles, n);
			check_moments(&ctx, &second, profiles, n);
			CHECK(fg_moments_copy(&ctx, &first, &copy));
			check_moments(&ctx, &copy, profiles, n);
			/* whole counts have one mean, whatever the order */
			if (shapes[s].values != NAIVE_DOUBLES)
			{
				Naive		naive;

				CHECK(fg_moments_mean(&ctx, &first, n, &mean_first));
				CHECK(fg_moments_mean(&ctx, &second, n, &mean_second));
				naive = naive_of_tree(&mean_first);
				naive_matches(&ctx, &naive, &mean_second);
				naive_free(&naive);
				fg_tree_free(&ctx, &mean_first);
				fg_tree_free(&ctx, &mean_second);
			}
			fg_moments_free(&ctx, &first);
			fg_moments_free(&ctx, &second);
			fg_moments_free(&ctx, &copy);
			for (uint32_t i = 0; i < n; i++)
				naive_free(&profiles[i]);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* Deviations that are small against the values. */
static void
test_large_values(void)
{
	static const double offsets[] = {0, 1e3, 1e6, 1e9, 1e12};

	for (size_t o = 0; o < COUNT(offsets); o++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		UnitRandom	random = {50};
		Naive		profiles[100];
		FgMoments	moments;

		unit_case("whole counts of about %g that differ by less than 10", offsets[o]);
		for (uint32_t i = 0; i < COUNT(profiles); i++)
		{
			memset(&profiles[i], 0, sizeof(Naive));
			naive_add(&profiles[i], "a", 1, offsets[o] + 1 + (i * 7) % 10);
			if (i % 3 == 0)
				naive_add(&profiles[i], "b", 1, offsets[o] + 1 + i % 2);
		}
		moments = merge_all(&ctx, &random, profiles, COUNT(profiles));
		{
			FgTree		variance;
			Naive		got;

			CHECK(fg_moments_variance(&ctx, &moments, COUNT(profiles), false, &variance));
			got = naive_of_tree(&variance);
			for (size_t k = 0; k < got.count; k++)
				CHECK_NEAR(got.entries[k].value,
						   two_passes(profiles, COUNT(profiles), &got.entries[k]).variance, 1e-9);
			naive_free(&got);
			fg_tree_free(&ctx, &variance);
		}
		fg_moments_free(&ctx, &moments);
		for (uint32_t i = 0; i < COUNT(profiles); i++)
			naive_free(&profiles[i]);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_edges(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "a;b 5\n 3");
	FgTree		same = tree_of_text(&ctx, "a;b 5\n 3");
	FgTree		result;
	FgMoments	a;
	FgMoments	b;
	FgMoments	merged;

	unit_case("equal profiles vary by nothing");
	CHECK(fg_moments_of_one(&ctx, &tree, &a));
	CHECK(fg_moments_of_one(&ctx, &same, &b));
	CHECK(fg_moments_merge(&ctx, &a, &b, &merged));
	CHECK(fg_moments_variance(&ctx, &merged, 2, false, &result));
	CHECK(result.nnodes == 0 && result.self[0] == 0 && result.frames.count == 0);
	fg_tree_free(&ctx, &result);
	fg_moments_free(&ctx, &a);
	fg_moments_free(&ctx, &b);
	fg_moments_free(&ctx, &merged);

	unit_case("a sum that overflows");
	tree = tree_of_text(&ctx, "a 1e308");
	same = tree_of_text(&ctx, "a 1.7e308");
	CHECK(fg_moments_of_one(&ctx, &tree, &a));
	CHECK(fg_moments_of_one(&ctx, &same, &b));
	CHECK_ERROR(fg_moments_merge(&ctx, &a, &b, &merged), &ctx, FG_ERROR_RANGE);
	fg_moments_free(&ctx, &a);
	fg_moments_free(&ctx, &b);

	unit_case("a variance that overflows");
	tree = tree_of_text(&ctx, "a 1e200");
	same = tree_of_text(&ctx, "a 1");
	CHECK(fg_moments_of_one(&ctx, &tree, &a));
	CHECK(fg_moments_of_one(&ctx, &same, &b));
	CHECK_ERROR(fg_moments_merge(&ctx, &a, &b, &merged), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_moments_variance(&ctx, &a, 2, false, &result), &ctx, FG_ERROR_RANGE);
	fg_moments_free(&ctx, &a);
	fg_moments_free(&ctx, &b);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- contexts ------------------------------------------------------------------------ */

static bool
same_doubles(const double *a, const double *b, uint32_t nnodes)
{
	return memcmp(a, b, ((size_t) nnodes + 1) * sizeof(double)) == 0;
}

/* Deviations depend on the order of merges in their last digits. */
static bool
near_deviations(const FgMoments *got, const FgMoments *expected)
{
	for (uint32_t i = 0; i <= got->support.nnodes; i++)
	{
		double		n = expected->support.self[i];
		double		squares = expected->m2[i] + (n > 0 ? expected->sum[i] * expected->sum[i] / n : 0);

		if (fabs(got->m2[i] - expected->m2[i]) > 1e-15 * squares)
			return false;
	}
	return true;
}

/* Against profiles that are cumulated first, and against the sum of the profiles themselves. */
static void
check_contexts(FgContext *ctx, const Naive *profiles, size_t n)
{
	FgAccumulator both;
	FgAccumulator contexts;
	FgAccumulator sum;
	const FgMoments *got;
	const FgMoments *expected;

	fg_accumulator_init(ctx, &both, FG_ACCUMULATE_MOMENTS);
	fg_accumulator_init(ctx, &contexts, FG_ACCUMULATE_MOMENTS);
	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_SUM);
	for (size_t i = 0; i < n; i++)
	{
		FgTree		profile = naive_tree(ctx, &profiles[i]);
		FgTree		cumulated;
		FgMoments	moments;

		CHECK(fg_cumulate(ctx, &profile, &cumulated) && fg_accumulator_add(&contexts, &cumulated));
		CHECK(fg_tree_copy(ctx, &profile, &cumulated) && fg_accumulator_add(&sum, &cumulated));
		CHECK(fg_moments_of_contexts(ctx, &profile, &moments));
		CHECK(profile.key == NULL && fg_accumulator_add_moments(&both, &moments));
	}
	got = fg_accumulator_moments(&both);
	expected = fg_accumulator_moments(&contexts);
	if (CHECK_COUNT(got->support.nnodes, expected->support.nnodes) &&
		CHECK_COUNT(got->support.nnodes, fg_accumulator_total(&sum)->nnodes))
	{
		CHECK(same_doubles(got->sum, expected->sum, got->support.nnodes));
		CHECK(near_deviations(got, expected));
		CHECK(same_doubles(got->support.self, expected->support.self, got->support.nnodes));
		CHECK(same_doubles(got->own, fg_accumulator_total(&sum)->self, got->support.nnodes));
	}
	fg_accumulator_free(&both);
	fg_accumulator_free(&contexts);
	fg_accumulator_free(&sum);
}

static void
test_contexts(void)
{
	UnitRandom	random = {77};
	FgContext	ctx = fg_malloc_context();
	Naive		profiles[9];

	unit_case("contexts and their own values");
	for (int round = 0; round < 40; round++)
	{
		size_t		n = 1 + (size_t) round % COUNT(profiles);

		for (size_t i = 0; i < n; i++)
			profiles[i] = naive_random(&random, naive_shape(&random, round, NAIVE_COUNTS, 12));
		check_contexts(&ctx, profiles, n);
		for (size_t i = 0; i < n; i++)
			naive_free(&profiles[i]);
	}
}

/* --- failures ------------------------------------------------------------------------ */

static bool
run_all(FgContext *ctx, void *arg)
{
	const FgTree *trees = arg;
	FgTree		copy_a = {0};
	FgTree		copy_b = {0};
	FgMoments	a = {.sum = NULL};
	FgMoments	b = {.sum = NULL};
	FgMoments	merged = {.sum = NULL};
	FgMoments	copy = {.sum = NULL};
	FgTree		mean = {0};
	FgTree		variance = {0};
	bool		ok = fg_tree_copy(ctx, &trees[0], &copy_a) && fg_tree_copy(ctx, &trees[1], &copy_b) &&
		fg_moments_of_one(ctx, &copy_a, &a) && fg_moments_of_one(ctx, &copy_b, &b) &&
		fg_moments_merge(ctx, &a, &b, &merged) && fg_moments_copy(ctx, &merged, &copy) &&
		fg_moments_mean(ctx, &merged, 2, &mean) &&
		fg_moments_variance(ctx, &copy, 2, true, &variance);

	fg_tree_free(ctx, &copy_a);
	fg_tree_free(ctx, &copy_b);
	fg_moments_free(ctx, &a);
	fg_moments_free(ctx, &b);
	fg_moments_free(ctx, &merged);
	fg_moments_free(ctx, &copy);
	fg_tree_free(ctx, &mean);
	fg_tree_free(ctx, &variance);
	return ok;
}

static bool
run_contexts(FgContext *ctx, void *arg)
{
	FgTree		copies[2] = {{.key = NULL}, {.key = NULL}};
	FgMoments	moments[4] = {{.sum = NULL}, {.sum = NULL}, {.sum = NULL}, {.sum = NULL}};
	bool		ok = true;

	for (int i = 0; ok && i < 2; i++)
		ok = fg_tree_copy(ctx, arg, &copies[i]) &&
			fg_moments_of_contexts(ctx, &copies[i], &moments[i]);
	ok = ok && fg_moments_merge(ctx, &moments[0], &moments[1], &moments[2]) &&
		fg_moments_copy(ctx, &moments[2], &moments[3]);
	for (int i = 0; i < 4; i++)
		fg_moments_free(ctx, &moments[i]);
	return ok;
}

static void
test_failures(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {51};
	Naive		a = naive_random(&random, (NaiveShape) {40, 8, 10, NAIVE_COUNTS});
	Naive		b = naive_random(&random, (NaiveShape) {40, 8, 10, NAIVE_SIGNED});
	FgTree		trees[2] = {naive_tree(&ctx, &a), naive_tree(&ctx, &b)};

	unit_case("without memory, and cancelled");
	unit_sweep_memory("moments", run_all, trees);
	unit_sweep_interrupts("moments", run_all, trees, 2);
	unit_sweep_memory("moments of contexts", run_contexts, &trees[0]);
	fg_tree_free(&ctx, &trees[0]);
	fg_tree_free(&ctx, &trees[1]);
	naive_free(&a);
	naive_free(&b);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_random();
	test_large_values();
	test_edges();
	test_contexts();
	test_failures();
	return unit_finish();
}
