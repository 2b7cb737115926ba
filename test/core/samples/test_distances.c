/*
 * test_distances.c
 *	  Distances between all pairs of profiles against fg_distance, and the energy test
 *	  on them against its definition.
 */
#include "naive.h"

#include "core/compare/energy.h"
#include "core/profile/algebra.h"

#include <math.h>

#define ROOM FG_DISTANCES_MEMORY

/* --- many profiles --------------------------------------------------------------- */

typedef struct Set
{
	size_t		count;
	FgTree	   *tree;
} Set;

static bool
read_tree(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const Set  *set = arg;

	return fg_tree_copy(ctx, &set->tree[i], profile);
}

static FgProfiles
profiles_of(Set *set)
{
	return (FgProfiles) {read_tree, set, set->count};
}

static Set
set_of_texts(FgContext *ctx, const char *const *texts, size_t count)
{
	Set			set = {count, malloc(count * sizeof(FgTree))};

	for (size_t i = 0; i < count; i++)
		set.tree[i] = tree_of_text(ctx, texts[i]);
	return set;
}

/* Every eighth profile is empty. */
static Set
random_set(FgContext *ctx, UnitRandom *random, size_t count, uint32_t stacks)
{
	Set			set = {count, malloc((count + 1) * sizeof(FgTree))};

	for (size_t i = 0; i < count; i++)
	{
		Naive		naive = naive_random(random, (NaiveShape) {
			i % 8 == 7 ? 0 : stacks, 6, 8, i % 3 == 2 ? NAIVE_DOUBLES : NAIVE_COUNTS
		});

		set.tree[i] = naive_tree(ctx, &naive);
		naive_free(&naive);
	}
	return set;
}

static void
set_free(FgContext *ctx, Set *set)
{
	for (size_t i = 0; i < set->count; i++)
		fg_tree_free(ctx, &set->tree[i]);
	free(set->tree);
}

static void
swap(Set *set, size_t i, size_t j)
{
	FgTree		tree = set->tree[i];

	set->tree[i] = set->tree[j];
	set->tree[j] = tree;
}

/* --- distances -------------------------------------------------------------------- */

static double
expected_distance(FgContext *ctx, const FgTree *a, const FgTree *b, bool normalised)
{
	double		norm[2] = {1, 1};
	FgTree		difference;
	double		distance = NAN;

	if (normalised)
	{
		CHECK(fg_norm(ctx, a, 1, &norm[0]) && fg_norm(ctx, b, 1, &norm[1]));
		norm[0] = norm[0] == 0 ? 1 : norm[0];
		norm[1] = norm[1] == 0 ? 1 : norm[1];
	}
	CHECK(fg_combine(ctx, a, 1 / norm[0], b, -1 / norm[1], &difference) &&
		  fg_norm(ctx, &difference, 1, &distance));
	fg_tree_free(ctx, &difference);
	return distance;
}

static void
test_pairs(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {61};

	unit_case("distances of all pairs");
	for (int round = 0; round < 40; round++)
	{
		Set			set = random_set(&ctx, &random, 2 + unit_below(&random, 12),
									 unit_below(&random, 60));
		FgProfiles	profiles = profiles_of(&set);
		bool		normalised = round % 2;
		size_t		square = set.count * set.count * sizeof(double);
		FgDistances whole;
		FgDistances parts;

		unit_note("round %d", round);
		CHECK(fg_distances(&ctx, &profiles, normalised, ROOM, &whole));
		for (size_t i = 0; i < set.count; i++)
		{
			CHECK_DOUBLE(fg_distances_of(&whole, i)[i], 0);
			for (size_t j = 0; j < i; j++)
			{
				CHECK_NEAR(fg_distances_of(&whole, i)[j],
						   expected_distance(&ctx, &set.tree[i], &set.tree[j], normalised), 1e-9);
				CHECK_DOUBLE(fg_distances_of(&whole, j)[i], fg_distances_of(&whole, i)[j]);
			}
		}
		for (size_t room = 0; room < 3000; room += 1000)
		{
			CHECK(fg_distances(&ctx, &profiles, normalised, room, &parts));
			CHECK_BYTES(parts.distance, square, whole.distance, square);
			fg_distances_free(&ctx, &parts);
		}
		fg_distances_free(&ctx, &whole);
		set_free(&ctx, &set);
	}
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_special(void)
{
	static const char *const texts[] = {"a 1", "", "a;b 5\nc 5", "a 3", "a 1"};
	static const char *const huge[] = {"a 1e308", "b 1.5e308", "a 1"};
	FgContext	ctx = fg_malloc_context();
	Set			set = set_of_texts(&ctx, texts, COUNT(texts));
	FgProfiles	profiles = profiles_of(&set);
	FgDistances d;

	unit_case("empty profiles, equal ones, too many, too large");
	CHECK(fg_distances(&ctx, &profiles, true, ROOM, &d));
	CHECK_DOUBLE(fg_distances_of(&d, 0)[1], 1);
	CHECK_DOUBLE(fg_distances_of(&d, 0)[2], 2);
	CHECK_DOUBLE(fg_distances_of(&d, 0)[3], 0);
	CHECK_DOUBLE(fg_distances_of(&d, 2)[1], 1);
	CHECK(d.content[0] == d.content[4] && d.content[0] != d.content[3] &&
		  d.content[0] != d.content[1] && d.content[2] != d.content[0]);
	fg_distances_free(&ctx, &d);
	profiles.count = 0;
	CHECK(fg_distances(&ctx, &profiles, true, ROOM, &d) && d.count == 0);
	fg_distances_free(&ctx, &d);
	profiles.count = FG_MAX_COMPARED + 1;
	CHECK_ERROR(fg_distances(&ctx, &profiles, true, ROOM, &d), &ctx, FG_ERROR_LIMIT);
	set_free(&ctx, &set);
	set = set_of_texts(&ctx, huge, COUNT(huge));
	profiles = profiles_of(&set);
	CHECK_ERROR(fg_distances(&ctx, &profiles, false, ROOM, &d), &ctx, FG_ERROR_RANGE);
	CHECK(fg_distances(&ctx, &profiles, true, ROOM, &d));
	fg_distances_free(&ctx, &d);
	set_free(&ctx, &set);
}

/* --- the energy test ------------------------------------------------------------------ */

/* The mean distance between members of two groups, those with in[i] == a and == b. */
static double
mean_between(const FgDistances *d, const uint8_t *in, uint8_t a, uint8_t b)
{
	double		sum = 0;
	double		count = 0;

	for (size_t i = 0; i < d->count; i++)
	{
		for (size_t j = 0; j < d->count; j++)
		{
			if (in[i] == a && in[j] == b)
			{
				sum += fg_distances_of(d, i)[j];
				count++;
			}
		}
	}
	return sum / count;
}

static double
defined_statistic(const FgDistances *d, const uint8_t *in)
{
	double		n = (double) d->count;
	double		n1 = 0;

	for (size_t i = 0; i < d->count; i++)
		n1 += in[i];
	return n1 * (n - n1) / n *
		(2 * mean_between(d, in, 1, 0) - mean_between(d, in, 1, 1) - mean_between(d, in, 0, 0));
}

/* Over all subsets of n1 by counting through the bits. */
static double
defined_p_value(const FgDistances *d, size_t n1)
{
	uint8_t		in[32] = {0};
	double		observed;
	double		extreme = 0;
	double		all = 0;

	for (size_t i = 0; i < d->count; i++)
		in[i] = i < n1;
	observed = defined_statistic(d, in);
	for (uint32_t bits = 0; bits < 1u << d->count; bits++)
	{
		if ((size_t) __builtin_popcount(bits) != n1)
			continue;
		for (size_t i = 0; i < d->count; i++)
			in[i] = bits >> i & 1;
		all++;
		extreme += defined_statistic(d, in) >= observed - 1e-11 * fabs(observed) - 1e-12;
	}
	return extreme / all;
}

static void
test_exact(void)
{
	static const char *const texts[] = {"a 1", "a 2", "a 4"};
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {62};
	Set			set = set_of_texts(&ctx, texts, COUNT(texts));
	FgProfiles	profiles = profiles_of(&set);
	FgDistances d;
	FgEnergyTest test;

	unit_case("the energy test by hand");
	CHECK(fg_distances(&ctx, &profiles, false, ROOM, &d) &&
		  fg_energy_test(&ctx, &d, 2, 999, 42, &test));
	/* 2/3 (2 (3 + 2) / 2 - 2 / 4) */
	CHECK_NEAR(test.statistic, 3, 1e-15);
	CHECK_NEAR(test.p_value, 1.0 / 3, 1e-15);
	CHECK(test.exact);
	fg_distances_free(&ctx, &d);
	set_free(&ctx, &set);

	unit_case("the energy test against all relabellings");
	for (int round = 0; round < 40; round++)
	{
		size_t		n = 2 + unit_below(&random, 8);
		size_t		before = 1 + unit_below(&random, (uint32_t) n - 1);
		uint8_t		in[32];

		unit_note("round %d", round);
		set = random_set(&ctx, &random, n, 1 + unit_below(&random, 10));
		profiles = profiles_of(&set);
		CHECK(fg_distances(&ctx, &profiles, round % 2, ROOM, &d) &&
			  fg_energy_test(&ctx, &d, before, 1, 42, &test));
		for (size_t i = 0; i < n; i++)
			in[i] = i < before;
		CHECK(fabs(test.statistic - defined_statistic(&d, in)) <= 1e-10 * fabs(d.distance[1]) + 1e-9);
		CHECK_NEAR(test.p_value, defined_p_value(&d, before), 1e-12);
		CHECK(test.exact);
		fg_distances_free(&ctx, &d);
		set_free(&ctx, &set);
	}
}

/* C(19, 9) = 92,378 relabellings: too many to be exact, few enough to know the p-value. */
static void
test_drawn(void)
{
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {63};
	Set			set = random_set(&ctx, &random, 19, 6);
	FgProfiles	profiles = profiles_of(&set);
	FgDistances d;
	FgEnergyTest first;
	FgEnergyTest test;
	double		p;

	unit_case("drawn relabellings");
	CHECK(fg_distances(&ctx, &profiles, true, ROOM, &d));
	p = defined_p_value(&d, 9);
	CHECK(fg_energy_test(&ctx, &d, 9, 20000, 1, &first) && !first.exact);
	CHECK(fabs(first.p_value - p) < 4 * sqrt(p * (1 - p) / 20000) + 1e-4);
	CHECK(fg_energy_test(&ctx, &d, 9, 20000, 2, &test) && test.p_value != first.p_value);
	fg_distances_free(&ctx, &d);

	unit_case("the order of profiles and groups changes nothing");
	for (int round = 0; round < 10; round++)
	{
		swap(&set, unit_below(&random, 9), unit_below(&random, 9));
		swap(&set, 9 + unit_below(&random, 10), 9 + unit_below(&random, 10));
		CHECK(fg_distances(&ctx, &profiles, true, ROOM, &d) &&
			  fg_energy_test(&ctx, &d, 9, 20000, 1, &test));
		CHECK_DOUBLE(test.statistic, first.statistic);
		CHECK_DOUBLE(test.p_value, first.p_value);
		fg_distances_free(&ctx, &d);
	}
	for (size_t i = 0; i < 9; i++)
		swap(&set, i, i + 10);
	CHECK(fg_distances(&ctx, &profiles, true, ROOM, &d) &&
		  fg_energy_test(&ctx, &d, 10, 20000, 1, &test));
	CHECK_DOUBLE(test.statistic, first.statistic);
	CHECK_DOUBLE(test.p_value, first.p_value);
	fg_distances_free(&ctx, &d);
	set_free(&ctx, &set);
}

/* --- failures ------------------------------------------------------------------------ */

static bool
run_test(FgContext *ctx, void *arg)
{
	FgProfiles	profiles = profiles_of(arg);
	FgDistances d;
	FgEnergyTest test;
	bool		ok;

	if (!fg_distances(ctx, &profiles, true, 500, &d))
		return false;
	ok = fg_energy_test(ctx, &d, profiles.count / 2, 20, 1, &test);
	fg_distances_free(ctx, &d);
	return ok;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {64};
	Set			small = random_set(&ctx, &random, 4, 8);
	Set			many = random_set(&ctx, &random, 22, 30);

	unit_sweep_memory("distances and energy test", run_test, &small);
	unit_sweep_interrupts("distances and energy test", run_test, &many, 500);
	set_free(&ctx, &small);
	set_free(&ctx, &many);
}

int
main(void)
{
	test_pairs();
	test_special();
	test_exact();
	test_drawn();
	test_failures();
	return unit_finish();
}
