/*
 * test_tally.c
 *	  Sums by pair over sets of nodes, against sums stack by stack, and their order.
 */
#include "stack_rows.h"

static uint32_t
random_number(UnitRandom *random, uint32_t limit)
{
	return unit_below(random, 20) == 0 ? FG_NONE : unit_below(random, limit);
}

/*
 * Random sets of nodes: the value of a pair is that of the stacks with a member of
 * its set on their way, counted once each, and what was added.
 */
static void
test_tallies(void)
{
	UnitRandom	random = {8};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("tallies of random sets of nodes, %s", naive_kinds[kind]);
		for (int round = 0; round < 60; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, naive_shape(&random, round, kind, 5));
			FgTree		tree = naive_tree(&ctx, &naive);
			FgNumberPair *sets = malloc(((size_t) tree.nnodes + 1) * sizeof(FgNumberPair));
			double	   *totals = malloc(((size_t) tree.nnodes + 1) * sizeof(double));
			Rows		rows = {0};
			FgTally		tally;
			FgWalk		walk;

			unit_note("[round %d]", round);
			CHECK(fg_tree_totals(&ctx, &tree, totals));
			CHECK(fg_tally_begin(&ctx, &tally));
			CHECK(fg_walk_begin(&ctx, &tree, &walk));
			while (fg_walk_next(&walk))
			{
				FgNumberPair set = {random_number(&random, 3), random_number(&random, 3)};

				sets[walk.node] = set;
				CHECK(fg_tally_node(&tally, &walk, set.a, set.b, totals[walk.node]));
				add_row(&rows, set.a, set.b);
			}
			CHECK(fg_walk_end(&walk));
			for (size_t s = 0; s < naive.count; s++)
			{
				Stack		stack = stack_of(&tree, &naive.entries[s]);

				for (uint32_t i = 0; i < stack.depth; i++)
					count_stack(&rows, sets[stack.node[i]].a, sets[stack.node[i]].b, s,
								stack.value);
			}
			for (uint32_t i = 0; i < 4; i++)
			{
				FgNumberPair set = {random_number(&random, 4), random_number(&random, 4)};

				CHECK(fg_tally_add(&tally, set.a, set.b, i));
				sum_add(&add_row(&rows, set.a, set.b)->sum, i);
			}
			CHECK(fg_tally_finish(&tally, 4));
			check_tally(&tally, &rows);
			fg_tally_free(&tally);
			free(sets);
			free(totals);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_ties(void)
{
	static const FgNumberPair added[] = {
		{FG_NONE, FG_NONE}, {2, FG_NONE}, {FG_NONE, 1}, {2, 1}, {0, FG_NONE}, {2, 0}, {0, 0}, {1, 2}
	};
	static const uint32_t order[] = {7, 6, 4, 5, 3, 1, 2, 0};
	FgContext	ctx = fg_malloc_context();
	FgTally		tally;

	unit_case("equal values go by a, then by b, FG_NONE last");
	CHECK(fg_tally_begin(&ctx, &tally));
	for (size_t i = 0; i < COUNT(added); i++)
		CHECK(fg_tally_add(&tally, added[i].a, added[i].b, i == 7 ? 3 : -2.5));
	CHECK(fg_tally_finish(&tally, 3));
	for (size_t i = 0; i < COUNT(order); i++)
		CHECK_COUNT(tally.order[i], order[i]);
	fg_tally_free(&tally);

	unit_case("a tally that overflows");
	CHECK(fg_tally_begin(&ctx, &tally));
	CHECK(fg_tally_add(&tally, 0, 0, 1e308) && fg_tally_add(&tally, 0, 0, 1e308));
	CHECK_ERROR(fg_tally_finish(&tally, 1), &ctx, FG_ERROR_RANGE);
	fg_tally_free(&tally);
}

static void
test_no_tally(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTally		tally;

	unit_case("a tally of nothing, freed twice");
	CHECK(fg_tally_begin(&ctx, &tally));
	CHECK(fg_tally_finish(&tally, 0));
	fg_tally_free(&tally);
	fg_tally_free(&tally);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
run_tally(FgContext *ctx, void *arg)
{
	uint32_t	count = *(const uint32_t *) arg;
	FgTally		tally;
	bool		ok = fg_tally_begin(ctx, &tally);

	for (uint32_t i = 0; ok && i < count; i++)
		ok = fg_tally_add(&tally, i % 1000, i / 1000, i % 17);
	ok = ok && fg_tally_finish(&tally, 1000);
	fg_tally_free(&tally);
	return ok;
}

static void
test_failures(void)
{
	uint32_t	few = 1500;
	uint32_t	many = 150000;

	unit_sweep_memory("tallies", run_tally, &few);
	unit_sweep_interrupts("tallies", run_tally, &many, 3);
}

int
main(void)
{
	test_tallies();
	test_ties();
	test_no_tally();
	test_failures();
	return unit_finish();
}
