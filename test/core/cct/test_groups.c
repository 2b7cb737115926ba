/*
 * test_groups.c
 *	  Groups of functions, against the stacks one by one.
 */
#include "naive.h"

#include "core/cct/groups.h"
#include "core/profile/transform.h"

#include <math.h>

#define MOST_GROUPS 8

typedef struct Sums
{
	long double self[MOST_GROUPS];
	long double total[MOST_GROUPS];
} Sums;

static uint32_t
group_of(const FgTree *tree, const uint32_t *group, const char *frame, size_t length)
{
	return group[fg_frames_find(&tree->frames, frame, length)];
}

/* Each stack adds to the group of its last frame, and once to each of its groups. */
static Sums
naive_sums(const FgTree *tree, const uint32_t *group)
{
	Naive		stacks = naive_of_tree(tree);
	Sums		sums = {{0}, {0}};

	for (size_t i = 0; i < stacks.count; i++)
	{
		const NaiveEntry *entry = &stacks.entries[i];
		bool		has[MOST_GROUPS] = {false};
		uint32_t	last = MOST_GROUPS;

		for (size_t at = 0; at < entry->length; at++)
		{
			size_t		length = strlen(entry->path + at) < entry->length - at
				? strlen(entry->path + at) : entry->length - at;

			last = group_of(tree, group, entry->path + at, length);
			has[last] = true;
			at += length;
		}
		if (last < MOST_GROUPS)
			sums.self[last] += entry->value;
		for (uint32_t g = 0; g < MOST_GROUPS; g++)
			sums.total[g] += has[g] ? entry->value : 0;
	}
	naive_free(&stacks);
	return sums;
}

static void
test_small(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, " 5\na;b 1\na;b;a 2\nb;b 4\nc 8");
	static const uint32_t one[3] = {0, 0, 0};
	static const uint32_t two[3] = {0, 1, 1};	/* a; b and c */
	double		self[2];
	double		total[2];

	unit_case("one group of all functions: a stack counts once, the empty stack not at all");
	CHECK(fg_group_values(&ctx, &tree, one, 1, self, total));
	CHECK_DOUBLE(self[0], 15);
	CHECK_DOUBLE(total[0], 15);
	unit_case("two groups");
	CHECK(fg_group_values(&ctx, &tree, two, 2, self, total));
	CHECK_DOUBLE(self[0], 2);
	CHECK_DOUBLE(self[1], 13);
	CHECK_DOUBLE(total[0], 3);
	CHECK_DOUBLE(total[1], 15);
	fg_tree_free(&ctx, &tree);
	unit_case("no function at all");
	tree = tree_of_text(&ctx, " 5");
	CHECK(fg_group_values(&ctx, &tree, one, 0, self, total));
	fg_tree_free(&ctx, &tree);
	unit_case("sums out of range");
	tree = tree_of_text(&ctx, "a 1e308\nb 1e308\nc -1e308");
	CHECK_ERROR(fg_group_values(&ctx, &tree, (uint32_t[]) {0, 0, 1}, 2, self, total), &ctx,
				FG_ERROR_RANGE);
	CHECK(fg_group_values(&ctx, &tree, (uint32_t[]) {0, 1, 1}, 2, self, total));
	fg_tree_free(&ctx, &tree);
}

static void
test_random(void)
{
	UnitRandom	random = {77};

	unit_case("random profiles and groups");
	for (int round = 0; round < 200; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Naive		naive = naive_random(&random, naive_shape(&random, round, NAIVE_SIGNED, 12));
		FgTree		tree = naive_tree(&ctx, &naive);
		uint32_t	group[40];
		double		self[MOST_GROUPS];
		double		total[MOST_GROUPS];
		Sums		sums;

		for (uint32_t f = 0; f < tree.frames.count; f++)
			group[f] = unit_below(&random, MOST_GROUPS);
		sums = naive_sums(&tree, group);
		unit_note("[round %d]", round);
		CHECK(fg_group_values(&ctx, &tree, group, MOST_GROUPS, self, total));
		for (uint32_t g = 0; g < MOST_GROUPS; g++)
		{
			CHECK_DOUBLE(self[g], (double) sums.self[g]);
			CHECK_DOUBLE(total[g], (double) sums.total[g]);
		}
		naive_free(&naive);
		fg_tree_free(&ctx, &tree);
		CHECK_COUNT(memory.blocks, 0);
	}
	unit_note("%s", "");
}

static bool
group_all(FgContext *ctx, void *arg)
{
	const FgTree *tree = arg;
	uint32_t   *group = fg_alloc_zero(ctx, tree->frames.count, sizeof(uint32_t));
	double		self[2];
	double		total[2];
	bool		ok = group != NULL && fg_group_values(ctx, tree, group, 1, self, total);

	fg_release(ctx, group);
	return ok;
}

static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_wide(&ctx, 400, 400, true);

	unit_case("memory and interrupts");
	unit_sweep_memory("groups", group_all, &tree);
	unit_sweep_interrupts("groups", group_all, &tree, 4);
	fg_tree_free(&ctx, &tree);
}

int
main(void)
{
	test_small();
	test_random();
	test_limits();
	return unit_finish();
}
