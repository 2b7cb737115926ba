/*
 * test_nested_set.c
 *	  Nested sets, against their definition by brute force.
 */
#include "naive.h"

#include "core/cct/nested_set.h"

/* By the values of stacks, which are whole numbers: sums are exact in any order. */
static bool
is_large(const FgTree *side, const uint32_t *there, uint32_t node, double share)
{
	if (there[node] == FG_NONE)
		return false;
	return (double) naive_sum_below(side, there[node], false) >=
		share * (double) naive_sum_below(side, 0, false);
}

static bool
is_row(const FgTreeUnion *both, const FgTree *before, const FgTree *after, uint32_t node,
	   double share, uint32_t max_depth)
{
	const FgTree *tree = &both->tree;

	if (fg_key_depth(tree->key[node]) > max_depth)
		return false;
	for (; node > 0; node = naive_parent(tree, node))
		if (!is_large(before, both->node[FG_BEFORE], node, share) &&
			!is_large(after, both->node[FG_AFTER], node, share))
			return false;
	return true;
}

static void
check_rows(FgContext *ctx, const FgTree *before, const FgTree *after, double share,
		   uint32_t max_depth, bool two)
{
	FgTreeUnion both;
	const double *total[FG_SIDES] = {0};
	uint32_t   *nodes;
	uint32_t	count;
	uint32_t	next = 0;

	CHECK(fg_tree_union(ctx, before, after, &both));
	for (int side = 0; side < 1 + two; side++)
		total[side] = both.total[side];
	CHECK(fg_nested_set(ctx, &both.tree, total, share, max_depth, &nodes, &count));
	for (uint32_t i = 0; i <= both.tree.nnodes; i++)
	{
		if (!is_row(&both, before, after, i, share, max_depth))
			continue;
		CHECK(next < count && nodes[next] == i);
		next++;
	}
	CHECK_COUNT(count, next);
	fg_release(ctx, nodes);
	fg_tree_union_free(ctx, &both);
}

static void
test_random(void)
{
	UnitRandom	random = {4711};

	unit_case("nested sets of random profiles");
	for (int round = 0; round < unit_rounds(100); round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		NaiveShape	shape = naive_shape(&random, round, NAIVE_COUNTS, 8);
		Naive		first = naive_random(&random, shape);
		Naive		second = naive_random(&random, shape);
		FgTree		before = naive_tree(&ctx, &first);
		FgTree		after = naive_tree(&ctx, &second);
		double		share = (unit_below(&random, 1000) + 0.2837465) / 3000;

		unit_note("[round %d, share %.17g]", round, share);
		check_rows(&ctx, &before, &after, share, UINT32_MAX, true);
		check_rows(&ctx, &before, &after, share / 10, unit_below(&random, 6), true);
		check_rows(&ctx, &before, &after, 0, UINT32_MAX, true);
		check_rows(&ctx, &before, &after, 1, UINT32_MAX, true);
		check_rows(&ctx, &before, &before, share, UINT32_MAX, false);
		check_rows(&ctx, &before, &before, 0.125, 3, false);
		fg_tree_free(&ctx, &before);
		fg_tree_free(&ctx, &after);
		naive_free(&first);
		naive_free(&second);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_edges(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		empty = tree_of_text(&ctx, "");
	FgTree		one = tree_of_text(&ctx, "a;b 9\na;c 1\n 90");
	FgTree		chain = naive_chain(&ctx, 2000, 2);

	unit_case("nested sets at the edges");
	check_rows(&ctx, &empty, &empty, 0, UINT32_MAX, true);
	check_rows(&ctx, &empty, &one, 0.05, UINT32_MAX, true);
	check_rows(&ctx, &one, &empty, 0.1, UINT32_MAX, true);
	check_rows(&ctx, &one, &one, 0.09, 0, false);
	check_rows(&ctx, &chain, &one, 0.99999, UINT32_MAX, true);
	fg_tree_free(&ctx, &empty);
	fg_tree_free(&ctx, &one);
	fg_tree_free(&ctx, &chain);
}

static bool
run_nested_set(FgContext *ctx, void *arg)
{
	const FgTree *tree = arg;
	uint32_t   *nodes;
	uint32_t	count;

	if (!fg_nested_set(ctx, tree, (const double *[FG_SIDES]) {tree->self}, 0, UINT32_MAX, &nodes,
					   &count))
		return false;
	fg_release(ctx, nodes);
	return true;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		small = naive_wide(&ctx, 4, 25, false);
	FgTree		large = naive_wide(&ctx, 500, 300, false);

	unit_sweep_memory("fg_nested_set", run_nested_set, &small);
	unit_sweep_interrupts("fg_nested_set", run_nested_set, &large, 2);
	fg_tree_free(&ctx, &small);
	fg_tree_free(&ctx, &large);
}

int
main(void)
{
	test_random();
	test_edges();
	test_failures();
	return unit_finish();
}
