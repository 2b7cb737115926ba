/*
 * test_tree_sum.c
 *	  A sum that grows in place, against sorted lists of stacks.
 */
#include "naive.h"

#include "core/profile/builder.h"
#include "core/profile/tree_sum.h"

#include <math.h>

static void
append(Naive *all, const Naive *more)
{
	for (size_t i = 0; i < more->count; i++)
		naive_add(all, more->entries[i].path, more->entries[i].length, more->entries[i].value);
}

/* Sum and rest together hold these stacks; the rest has none of what the sum began with. */
static void
check_parts(FgContext *ctx, const Naive *all, const FgTree *sum, const Naive *first,
			const FgTree *rest)
{
	Naive		parts = naive_of_tree(sum);
	Naive		lacked = naive_of_tree(rest);

	CHECK(fg_tree_check(ctx, rest));
	for (size_t i = 0; i < lacked.count; i++)
	{
		for (size_t k = 0; k < first->count; k++)
			CHECK(naive_compare(&lacked.entries[i], &first->entries[k]) != 0);
	}
	append(&parts, &lacked);
	naive_settle(&parts);
	CHECK(naive_equal(&parts, all));
	naive_free(&parts);
	naive_free(&lacked);
}

/* Adds one profile to another in place, and looks at both parts of the result. */
static void
check_addition(const Naive *first, const Naive *second)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = naive_tree(&ctx, first);
	FgTree		added = naive_tree(&ctx, second);
	Naive		all = naive_combination(first, 1, second, 1);
	FgTreeSum	sum;
	FgTree		rest;
	FgTree		taken;

	if (CHECK(fg_tree_sum_begin(&ctx, &tree, &sum)) && CHECK(tree.key == NULL) &&
		CHECK(fg_tree_sum_add(&ctx, &sum, &added, &rest)))
	{
		if (CHECK(fg_tree_sum_take(&ctx, &sum, &taken)))
		{
			CHECK(fg_tree_check(&ctx, &taken));
			check_parts(&ctx, &all, &taken, first, &rest);
			fg_tree_free(&ctx, &taken);
		}
		fg_tree_free(&ctx, &rest);
	}
	fg_tree_free(&ctx, &added);
	naive_free(&all);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_texts(const char *name, const char *first, const char *second)
{
	Naive		a = naive_of_text(first);
	Naive		b = naive_of_text(second);

	unit_case("%s", name);
	check_addition(&a, &b);
	naive_free(&a);
	naive_free(&b);
}

static void
test_small(void)
{
	check_texts("nothing to nothing", "", "");
	check_texts("something to nothing", "", "a;b 1");
	check_texts("nothing to something", "a;b 1", "");
	check_texts("the same", "a;b 1\na;c 2", "a;b 10\na;c 20");
	check_texts("values at the root", " 1\na 2", " 3\na 4");
	check_texts("values that cancel, leaves and inner nodes", "a;b;c 1\na;b 2\nd 3", "a;b;c -1\nd -3");
	check_texts("frames that the sum lacks, before, between and behind its own", "b;b 1\nd 1",
				"a 1\nb;a 1\nb;b 1\nb;c 1\nc 1\nd;b 1\ne 1");
	check_texts("siblings to pass, with all below them", "a;x;y 1\nb;x;y 1\nc;x;y 1\nd 1", "d 1\nd;x 1");
	check_texts("what is lacking at several depths of one path", "a;b;c;d 1",
				"a;b;c;d 1\na;b;c;e 1\na;b;d 1\na;c;x;y 1\na;c;x;z 1\nb 1");
	check_texts("below a node whose subtree was left", "a;b;c 1\na;d 1", "a;b;d;e 1\na;d 1\na;d;c 1");
}

static void
test_random(void)
{
	UnitRandom	random = {2718};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_SIGNED; kind++)
	{
		unit_case("random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < 150; round++)
		{
			Naive		first = naive_random(&random, naive_shape(&random, round, kind, 12));
			Naive		second = naive_random(&random, naive_shape(&random, round / 3, kind, 12));

			unit_note("[round %d]", round);
			if (round % 2 == 1)
			{
				append(&second, &first);
				naive_settle(&second);
			}
			check_addition(&first, &second);
			naive_free(&first);
			naive_free(&second);
		}
	}
}

static void
test_overflow(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "a 1.5e308\nb 1");
	FgTree		more = tree_of_text(&ctx, "a 1.5e308\nc 1");
	FgTreeSum	sum;
	FgTree		rest;

	unit_case("a value that overflows");
	CHECK(fg_tree_sum_begin(&ctx, &tree, &sum) && fg_tree_sum_add(&ctx, &sum, &more, &rest));
	CHECK_ERROR(fg_tree_sum_take(&ctx, &sum, &tree), &ctx, FG_ERROR_RANGE);
	CHECK(tree.key == NULL && sum.tree.key == NULL && sum.end == NULL);
	fg_tree_free(&ctx, &more);
	fg_tree_free(&ctx, &rest);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- memory, interrupts and work ------------------------------------------------------------- */

typedef struct Pair
{
	const FgTree *first;
	const FgTree *second;
} Pair;

static bool
add_up(FgContext *ctx, void *arg)
{
	const Pair *pair = arg;
	FgTree		copy;
	FgTree		rest;
	FgTreeSum	sum;
	FgTree		taken;
	bool		ok;

	if (!fg_tree_copy(ctx, pair->first, &copy) || !fg_tree_sum_begin(ctx, &copy, &sum))
		return false;
	ok = fg_tree_sum_add(ctx, &sum, pair->second, &rest);
	if (ok)
		fg_tree_free(ctx, &rest);
	if (!ok || !fg_tree_sum_take(ctx, &sum, &taken))
	{
		fg_tree_sum_free(ctx, &sum);
		return false;
	}
	fg_tree_free(ctx, &taken);
	return true;
}

static void
test_memory(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		first = tree_of_text(&ctx, "a;b;c 1\na;d 1\nb 1");
	FgTree		second = tree_of_text(&ctx, "a;b;c 1\na;c;x 1\na;d 1\nc 1");

	unit_sweep_memory("two profiles", add_up, &(Pair) {&first, &second});
	fg_tree_free(&ctx, &first);
	fg_tree_free(&ctx, &second);
}

/*
 * A profile that lacks nearly all of the sum: what is passed is polled for, and each subtree is
 * passed in one step, so there is less to do than for the nodes of the sum.
 */
static void
test_work(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		first = naive_wide(&ctx, 1000, 500, false);
	FgTree		second = {0};
	size_t		polls;
	FgTreeSum	sum;
	FgTree		rest;
	Naive		last = naive_of_tree(&first);
	Naive		one = {0};

	naive_add(&one, last.entries[last.count - 1].path, last.entries[last.count - 1].length, 1);
	second = naive_tree(&ctx, &one);
	unit_case("polls while much is passed");
	unit_sweep_interrupts("half a million nodes", add_up, &(Pair) {&first, &second}, 3);
	unit_case("subtrees are passed in one step");
	CHECK(fg_tree_sum_begin(&ctx, &first, &sum));
	polls = memory.polls;
	CHECK(fg_tree_sum_add(&ctx, &sum, &second, &rest));
	CHECK_COUNT(rest.nnodes, 0);
	CHECK(memory.polls - polls <= 1);
	fg_tree_sum_free(&ctx, &sum);
	fg_tree_free(&ctx, &rest);
	fg_tree_free(&ctx, &second);
	naive_free(&last);
	naive_free(&one);
	CHECK_COUNT(memory.blocks, 0);
}

/* A long path, and one that leaves it at each of its nodes: the path is kept once. */
static void
test_branches(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		first = naive_chain(&ctx, 3000, 1);
	FgBuilder  *builder = fg_builder_create(&ctx);
	uint32_t	node = 0;
	FgTree		second;
	FgTreeSum	sum;
	FgTree		rest;

	unit_case("a branch at each node of a long path");
	for (uint32_t i = 0; i < 3000; i++)
	{
		uint32_t	frame;
		uint32_t	leaf;

		CHECK(fg_builder_frame(builder, "f00000", 6, &frame) &&
			  fg_builder_child(builder, node, frame, &node) &&
			  fg_builder_frame(builder, "other", 5, &frame) &&
			  fg_builder_child(builder, node, frame, &leaf) && fg_builder_add_value(builder, leaf, 1));
	}
	CHECK(fg_builder_finish(builder, &second));
	fg_builder_free(builder);
	CHECK(fg_tree_sum_begin(&ctx, &first, &sum) && fg_tree_sum_add(&ctx, &sum, &second, &rest));
	CHECK_COUNT(rest.nnodes, 6000);
	CHECK(fg_tree_check(&ctx, &rest));
	fg_tree_sum_free(&ctx, &sum);
	fg_tree_free(&ctx, &second);
	fg_tree_free(&ctx, &rest);
	CHECK_COUNT(memory.blocks, 0);
}

/* The longest path there is, and another that leaves it near its root. */
static void
test_deep(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		first = naive_chain(&ctx, FG_MAX_DEPTH, 2);
	FgTree		second = naive_chain(&ctx, FG_MAX_DEPTH, 3);
	uint32_t	nodes = second.nnodes;
	FgTreeSum	sum;
	FgTree		rest;

	unit_case("paths of the greatest depth");
	CHECK(fg_tree_sum_begin(&ctx, &first, &sum) && fg_tree_sum_add(&ctx, &sum, &second, &rest));
	CHECK_COUNT(rest.nnodes, nodes);
	CHECK(fg_tree_check(&ctx, &rest));
	CHECK_DOUBLE(sum.tree.self[1] + sum.tree.self[2], 4);
	fg_tree_sum_free(&ctx, &sum);
	fg_tree_free(&ctx, &second);
	fg_tree_free(&ctx, &rest);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_small();
	test_random();
	test_overflow();
	test_memory();
	test_work();
	test_branches();
	test_deep();
	return unit_finish();
}
