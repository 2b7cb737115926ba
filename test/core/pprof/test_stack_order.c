/*
 * test_stack_order.c
 *	  Stacks in the order of a tree, against a comparison of each with the next.
 */
#include "unit.h"

#include "core/pprof/stack_order.h"

typedef struct Case
{
	uint32_t	stacks;
	uint32_t	depth;			/* up to it */
	uint32_t	names;
	bool		alike;			/* all but the last numbers are */
} Case;

static void
make_lists(FgStackLists *lists, UnitRandom *random, const Case *c)
{
	for (uint32_t i = 0; i < c->stacks; i++)
	{
		uint32_t	depth = unit_below(random, c->depth + 1);

		CHECK(fg_reserve(lists->ctx, (void **) &lists->numbers, &lists->room, lists->size + depth, sizeof(uint32_t)));
		CHECK(fg_reserve(lists->ctx, (void **) &lists->ends, &lists->ends_room, (size_t) i + 1, sizeof(size_t)));
		for (uint32_t d = 0; d < depth; d++)
			lists->numbers[lists->size++] = c->alike && d + 1 < depth ? 0 : unit_below(random, c->names);
		lists->ends[i] = lists->size;
		lists->count++;
	}
}

static int
compare(const FgStackLists *lists, const uint32_t *rank, uint32_t a, uint32_t b)
{
	size_t		at[2] = {a > 0 ? lists->ends[a - 1] : 0, b > 0 ? lists->ends[b - 1] : 0};

	for (; at[0] < lists->ends[a] && at[1] < lists->ends[b]; at[0]++, at[1]++)
	{
		uint32_t	ranks[2] = {rank[lists->numbers[at[0]]], rank[lists->numbers[at[1]]]};

		if (ranks[0] != ranks[1])
			return ranks[0] < ranks[1] ? -1 : 1;
	}
	return (at[0] < lists->ends[a]) - (at[1] < lists->ends[b]);
}

static bool
order_lists(FgContext *ctx, const Case *c, uint32_t ranks, bool check)
{
	FgContext	plain = fg_malloc_context();
	FgStackLists lists = {.ctx = &plain};
	FgStackLists same;
	UnitRandom	random = {c->stacks + c->depth};
	uint32_t   *rank = malloc(c->names * sizeof(uint32_t));
	uint32_t   *order = malloc((c->stacks + 1) * sizeof(uint32_t));
	bool	   *met = calloc(c->stacks + 1, sizeof(bool));
	bool		ok;

	/* some share a rank, as frames of one text do */
	for (uint32_t i = 0; i < c->names; i++)
		rank[i] = unit_below(&random, ranks);
	make_lists(&lists, &random, c);
	same = lists;
	same.ctx = ctx;
	ok = fg_stack_lists_order(&same, rank, ranks, order);
	for (uint32_t i = 0; check && i < c->stacks; i++)
	{
		CHECK(order[i] < c->stacks && !met[order[i]]);
		met[order[i]] = true;
		CHECK(i == 0 || compare(&lists, rank, order[i - 1], order[i]) <= 0);
	}
	fg_stack_lists_free(&lists);
	free(rank);
	free(order);
	free(met);
	return ok;
}

static const Case cases[] = {
	{0, 1, 1, false}, {1, 0, 1, false}, {2, 3, 2, false}, {20, 9, 2, false}, {300, 6, 3, false}, {3000, 20, 2, false},
	{2000, 12, 500, false}, {1000, 40, 7, true}
};

static void
test_orders(void)
{
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		for (int wide = 0; wide < 2; wide++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);

			unit_case("%u stacks of %u names%s", cases[i].stacks, cases[i].names, wide ? ", keys of two" : "");
			CHECK(order_lists(&ctx, &cases[i], wide ? 100000 : cases[i].names, true));
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static bool
run_order(FgContext *ctx, void *arg)
{
	const Case *c = arg;

	return order_lists(ctx, c, c->names, false);
}

static void
test_failures(void)
{
	Case		few = {200, 9, 2, false};
	Case		many = {100000, 12, 3, true};

	unit_sweep_memory("the order of stacks", run_order, &few);
	unit_sweep_interrupts("the order of stacks", run_order, &many, 3);
}

int
main(void)
{
	test_orders();
	test_failures();
	return unit_finish();
}
