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

/* Stacks as they are given: the innermost first, one behind the other. */
typedef struct Stacks
{
	uint32_t   *ranks;
	size_t	   *ends;
} Stacks;

static Stacks
make_stacks(const Case *c, uint32_t largest)
{
	UnitRandom	random = {c->stacks + c->depth};
	uint32_t   *names = malloc((c->names + 1) * sizeof(uint32_t));
	Stacks		stacks = {
		malloc(((size_t) c->stacks * c->depth + 1) * sizeof(uint32_t)), malloc((c->stacks + 1) * sizeof(size_t))
	};
	size_t		size = 0;

	for (uint32_t i = 0; i < c->names; i++)
		names[i] = i == 0 ? largest : 1 + unit_below(&random, largest);
	stacks.ends[0] = 0;
	for (uint32_t i = 0; i < c->stacks; i++)
	{
		uint32_t	depth = unit_below(&random, c->depth + 1);

		for (uint32_t d = 0; d < depth; d++)
			stacks.ranks[size++] = names[c->alike && d > 0 ? 0 : unit_below(&random, c->names)];
		stacks.ends[i + 1] = size;
	}
	free(names);
	return stacks;
}

static void
free_stacks(Stacks *stacks)
{
	free(stacks->ranks);
	free(stacks->ends);
}

/* The rank at a depth from the root, 0 behind the end. */
static uint32_t
rank_at(const Stacks *stacks, uint32_t stack, size_t depth)
{
	size_t		end = stacks->ends[stack + 1];

	return depth < end - stacks->ends[stack] ? stacks->ranks[end - 1 - depth] : 0;
}

/* How many frames two stacks share. */
static size_t
shared(const Stacks *stacks, uint32_t a, uint32_t b)
{
	size_t		depth = 0;

	while (rank_at(stacks, a, depth) != 0 && rank_at(stacks, a, depth) == rank_at(stacks, b, depth))
		depth++;
	return depth;
}

static void
check_order(const FgStackLists *lists, const Stacks *stacks, uint32_t count)
{
	bool	   *met = calloc(count + 1, sizeof(bool));
	size_t		nodes = 0;
	uint32_t	deepest = 0;

	CHECK_COUNT(lists->count, count);
	for (uint32_t i = 0; i < count; i++)
	{
		const FgStackEntry *entry = &lists->entries[i];
		uint32_t	stack = entry->label - 7;
		uint32_t	before = i > 0 ? entry[-1].label - 7 : 0;
		size_t		same = i > 0 ? shared(stacks, before, stack) : 0;
		uint32_t	ranks[2] = {rank_at(stacks, before, same), rank_at(stacks, stack, same)};

		CHECK(stack < count && !met[stack]);
		met[stack] = true;
		CHECK(i == 0 || ranks[0] < ranks[1] || (ranks[0] == 0 && ranks[1] == 0 && before < stack));
		CHECK_COUNT(entry->sorted.same, same);
		CHECK_COUNT(entry->sorted.depth, stacks->ends[stack + 1] - stacks->ends[stack]);
		for (size_t d = same; d < entry->sorted.depth; d++)
			CHECK_COUNT(fg_stack_get(fg_stack_rest(lists, nodes++), lists->wide), rank_at(stacks, stack, d));
		deepest = entry->sorted.depth > deepest ? entry->sorted.depth : deepest;
	}
	CHECK_COUNT(lists->nodes, nodes);
	CHECK_COUNT(lists->deepest, deepest);
	free(met);
}

/* Lists are filled twice, as they are when there are too many stacks. */
static bool
order_lists(FgContext *ctx, const Case *c, uint32_t largest, bool check)
{
	Stacks		stacks = make_stacks(c, largest);
	FgStackLists lists;
	bool		ok = fg_stack_lists_begin(ctx, &lists, c->stacks, stacks.ends[c->stacks], largest);

	for (int round = 0; ok && round < 2; round++)
	{
		fg_stack_lists_clear(&lists);
		for (uint32_t i = 0; ok && i < c->stacks; i++)
			ok = fg_stack_lists_add(&lists, stacks.ranks + stacks.ends[i], stacks.ends[i + 1] - stacks.ends[i], i + 7);
		ok = ok && fg_stack_lists_order(&lists, round > 0);
		if (ok && check)
			check_order(&lists, &stacks, c->stacks);
	}
	fg_stack_lists_free(&lists);
	free_stacks(&stacks);
	return ok;
}

static const Case cases[] = {
	{0, 1, 1, false}, {1, 0, 1, false}, {2, 3, 2, false}, {20, 9, 2, false}, {300, 6, 3, false}, {3000, 20, 2, false},
	{2000, 12, 500, false}, {1000, 40, 7, true}
};

/* In two bytes and in four, with ranks as large as they may be there. */
static void
test_orders(void)
{
	static const uint32_t largest[] = {3, 600, UINT16_MAX, UINT16_MAX + 1, UINT32_MAX};

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		for (size_t k = 0; k < COUNT(largest); k++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);

			unit_case("%u stacks of %u names, ranks up to %u", cases[i].stacks, cases[i].names, largest[k]);
			CHECK(order_lists(&ctx, &cases[i], largest[k], true));
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
