/*
 * test_hot.c
 *	  Hot contexts, against their definition by brute force.
 */
#include "naive.h"

#include "core/cct/hot.h"

#include <math.h>

static void
test_hot(void)
{
	static const double phis[] = {0, 0.01, 0.05, 0.25, 0.5, 0.999, 1, 2, -0.1};
	UnitRandom	random = {81};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("hot contexts of random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < 100; round++)
		{
			FgContext	ctx = fg_malloc_context();
			Naive		naive = naive_random(&random, naive_shape(&random, round, kind, 8));
			FgTree		tree = naive_tree(&ctx, &naive);
			uint8_t    *hot = malloc((size_t) tree.nnodes + 1);
			long double total = naive_sum_below(&tree, 0, false);

			for (size_t p = 0; p < COUNT(phis); p++)
			{
				unit_note("[round %d, phi %g]", round, phis[p]);
				memset(hot, 0xA5, (size_t) tree.nnodes + 1);
				CHECK(fg_hot_contexts(&ctx, &tree, phis[p], hot));
				for (uint32_t i = 0; i <= tree.nnodes; i++)
				{
					double		least = phis[p] * (double) total;

					if (kind != NAIVE_DOUBLES || fabs(tree.self[i] - least) > 1e-12 * fabs(least))
						CHECK_COUNT(hot[i], tree.self[i] != 0 && tree.self[i] > least);
				}
			}
			free(hot);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
		}
	}
}

static void
test_given_hot(void)
{
	static const struct
	{
		const char *text;
		double		phi;
		const char *hot;		/* a letter for each node, the root first */
	}			rows[] = {
		{"a 10\na;b 89\na;b;c 1\nd;e 100", 0.05, "..h..h"},	/* golden hot_contexts_small */
		{"a 10\na;b 89\na;b;c 1\nd;e 100", 0.0499, ".hh..h"},
		{"a 0.5\nb 0.25\nc 0.25", 0.3, ".h.."},	/* no floor: it would be 0 */
		{" 5\na 1", 0.5, "h."},
		{"a 3\nb -2", 0.5, ".h."},
		{"a -3\nb 2\nc -2", 0.5, "..h."},	/* of what is above half of -3 */
		{"a 1\nb -1", 0.9, ".h."},
		{"", 0.5, "."}
	};
	FgContext	ctx = fg_malloc_context();
	FgTree		tree;
	uint8_t		hot[8];

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		tree = tree_of_text(&ctx, rows[i].text);
		unit_case("hot contexts, row %zu", i);
		CHECK(fg_hot_contexts(&ctx, &tree, rows[i].phi, hot));
		CHECK_COUNT(tree.nnodes + 1, strlen(rows[i].hot));
		for (uint32_t n = 0; n <= tree.nnodes; n++)
			CHECK_COUNT(hot[n], rows[i].hot[n] == 'h');
		fg_tree_free(&ctx, &tree);
	}
	unit_case("hot contexts of a total that overflows");
	tree = tree_of_text(&ctx, "a 1e308\nb 1e308");
	CHECK_ERROR(fg_hot_contexts(&ctx, &tree, 0.5, hot), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);
}

static void
check_chain(uint32_t count, uint32_t period)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_chain(&ctx, count, period);
	uint8_t    *hot = malloc((size_t) count + 1);

	unit_case("hot contexts of a chain of %u frames, %u different ones", count, period);
	CHECK(fg_hot_contexts(&ctx, &tree, 0.5, hot));
	for (uint32_t i = 0; i <= count; i++)
		CHECK_COUNT(hot[i], i > 0 && count < 2);
	fg_tree_free(&ctx, &tree);
	free(hot);
}

static void
test_largest(void)
{
	static const struct
	{
		const char *text;
		uint32_t	most;
		const char *nodes;		/* their numbers, the largest first */
	}			rows[] = {
		{"a 1\na;b 3\na;c 2\nd 3", 2, "24"},
		{"a 1\na;b 3\na;c 2\nd 3", 9, "2431"},
		{"a 1\na;b 3\na;c 2\nd 3", 1, "2"},
		{"a 1\na;b 3\na;c 2\nd 3", 0, ""},
		{" 5\na;b -7\nc 6", 3, "230"},
		{"a 1\nb 1\nc 1\nd 2", 3, "412"},
		{"", 3, ""},
		{"a 1.7e308\nb -1.7e308", 2, "12"}
	};
	FgContext	ctx = fg_malloc_context();
	uint32_t	nodes[9];
	uint32_t	count;

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		tree = tree_of_text(&ctx, rows[i].text);

		unit_case("the largest stacks, row %zu", i);
		CHECK(fg_largest_stacks(&ctx, &tree, rows[i].most, nodes, &count));
		CHECK_COUNT(count, strlen(rows[i].nodes));
		for (uint32_t n = 0; n < count && rows[i].nodes[n] != '\0'; n++)
			CHECK_COUNT(nodes[n], (uint32_t) (rows[i].nodes[n] - '0'));
		fg_tree_free(&ctx, &tree);
	}
}

static bool
run_largest(FgContext *ctx, void *arg)
{
	uint32_t	nodes[3];
	uint32_t	count;

	return fg_largest_stacks(ctx, arg, 3, nodes, &count);
}

static bool
run_hot(FgContext *ctx, void *arg)
{
	const FgTree *tree = arg;
	uint8_t    *hot = malloc((size_t) tree->nnodes + 1);
	bool		ok = fg_hot_contexts(ctx, tree, 0.5, hot);

	free(hot);
	return ok;
}

/* Hot contexts need no memory. */
static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		large = naive_wide(&ctx, 500, 300, false);

	unit_sweep_interrupts("fg_hot_contexts", run_hot, &large, 3);
	unit_sweep_interrupts("fg_largest_stacks", run_largest, &large, 2);
	fg_tree_free(&ctx, &large);
}

int
main(void)
{
	test_given_hot();
	test_hot();
	test_largest();
	check_chain(1, 1);
	check_chain(5000, 1);
	check_chain(60000, 1);
	check_chain(60000, 2);
	check_chain(60000, 60000);
	test_failures();
	return unit_finish();
}
