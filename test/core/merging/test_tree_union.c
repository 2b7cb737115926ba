/*
 * test_tree_union.c
 *	  Two profiles on one tree, against sorted lists of their stacks.
 */
#include "naive.h"

#include "core/merging/tree_union.h"
#include "core/profile/algebra.h"

#include <math.h>

/* The stack at which a node ends, joined by NUL; the caller frees it. */
static char *
path_of(const FgTree *tree, uint32_t node, size_t *length)
{
	char	   *path = malloc(1);

	*length = 0;
	for (uint32_t i = node; i > 0; i = naive_parent(tree, i))
	{
		uint32_t	frame = fg_key_frame(tree->key[i]);
		size_t		size = fg_frame_length(&tree->frames, frame);
		size_t		separator = *length > 0;
		char	   *longer = malloc(*length + separator + size + 1);

		memcpy(longer, fg_frame_bytes(&tree->frames, frame), size);
		if (separator > 0)
			longer[size] = 0;
		memcpy(longer + size + separator, path, *length);
		free(path);
		path = longer;
		*length += separator + size;
	}
	return path;
}

/* What the union says of a side, against the tree of that side. */
static void
check_side(const FgTreeUnion *both, int side, const FgTree *tree, uint32_t i, const char *path,
		   size_t length)
{
	uint32_t	node = fg_tree_find(tree, path, length);
	long double total = node == FG_NONE ? 0 : naive_sum_below(tree, node, false);
	long double weight = node == FG_NONE ? 0 : naive_sum_below(tree, node, true);

	CHECK_COUNT(both->node[side][i], node);
	CHECK_DOUBLE(both->self[side][i], node == FG_NONE ? 0 : tree->self[node]);
	CHECK(fabsl(both->total[side][i] - total) <= 1e-15L * weight);
}

static void
check_union(FgContext *ctx, const FgTree *before, const FgTree *after)
{
	FgTreeUnion both;
	uint32_t	present[FG_SIDES] = {0};

	if (!CHECK(fg_tree_union(ctx, before, after, &both)))
		return;
	for (uint32_t i = 0; i <= both.tree.nnodes; i++)
	{
		size_t		length;
		char	   *path = path_of(&both.tree, i, &length);

		CHECK_COUNT(fg_tree_find(&both.tree, path, length), i);
		check_side(&both, FG_BEFORE, before, i, path, length);
		check_side(&both, FG_AFTER, after, i, path, length);
		CHECK_DOUBLE(both.tree.self[i], fmax(both.self[FG_BEFORE][i], both.self[FG_AFTER][i]));
		for (int side = 0; side < FG_SIDES; side++)
			present[side] += both.node[side][i] != FG_NONE;
		CHECK(both.node[FG_BEFORE][i] != FG_NONE || both.node[FG_AFTER][i] != FG_NONE);
		free(path);
	}
	CHECK_COUNT(present[FG_BEFORE], before->nnodes + 1);
	CHECK_COUNT(present[FG_AFTER], after->nnodes + 1);
	fg_tree_union_free(ctx, &both);
}

static void
test_random(void)
{
	UnitRandom	random = {907};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("unions of random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < 60; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		first = naive_random(&random, naive_shape(&random, round, kind, 8));
			Naive		second = naive_random(&random, naive_shape(&random, round, kind, 8));
			FgTree		before = naive_tree(&ctx, &first);
			FgTree		after = naive_tree(&ctx, &second);

			unit_note("[round %d]", round);
			check_union(&ctx, &before, &after);
			check_union(&ctx, &before, &before);
			fg_tree_free(&ctx, &before);
			fg_tree_free(&ctx, &after);
			naive_free(&first);
			naive_free(&second);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* Values that are not negative: the larger ones are a profile, that of fg_max. */
static void
test_larger_values(void)
{
	UnitRandom	random = {11};
	FgContext	ctx = fg_malloc_context();

	unit_case("the union's own values are those of fg_max");
	for (int round = 0; round < 30; round++)
	{
		Naive		first = naive_random(&random, naive_shape(&random, round, NAIVE_COUNTS, 8));
		Naive		second = naive_random(&random, naive_shape(&random, round, NAIVE_COUNTS, 40));
		FgTree		before = naive_tree(&ctx, &first);
		FgTree		after = naive_tree(&ctx, &second);
		FgTree		larger;
		FgTreeUnion both;

		CHECK(fg_max(&ctx, &before, &after, &larger));
		CHECK(fg_tree_union(&ctx, &before, &after, &both));
		CHECK(fg_tree_check(&ctx, &both.tree));
		CHECK_BYTES(both.tree.key, (both.tree.nnodes + 1) * sizeof(uint64_t), larger.key,
					(larger.nnodes + 1) * sizeof(uint64_t));
		CHECK_BYTES(both.tree.self, (both.tree.nnodes + 1) * sizeof(double), larger.self,
					(larger.nnodes + 1) * sizeof(double));
		fg_tree_union_free(&ctx, &both);
		fg_tree_free(&ctx, &larger);
		fg_tree_free(&ctx, &before);
		fg_tree_free(&ctx, &after);
		naive_free(&first);
		naive_free(&second);
	}
}

static void
test_edges(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		empty = tree_of_text(&ctx, "");
	FgTree		root = tree_of_text(&ctx, " 3");
	FgTree		large = tree_of_text(&ctx, "a 1.7e308\nb 1.7e308");
	FgTree		plus = tree_of_text(&ctx, "a;b 1");
	FgTree		minus = tree_of_text(&ctx, "a;b -1\na;c -2");
	FgTreeUnion both;

	unit_case("unions at the edges");
	check_union(&ctx, &empty, &empty);
	check_union(&ctx, &empty, &root);
	check_union(&ctx, &plus, &empty);
	check_union(&ctx, &plus, &minus);
	CHECK_ERROR(fg_tree_union(&ctx, &plus, &large, &both), &ctx, FG_ERROR_RANGE);
	CHECK(both.tree.key == NULL);
	fg_tree_free(&ctx, &empty);
	fg_tree_free(&ctx, &root);
	fg_tree_free(&ctx, &large);
	fg_tree_free(&ctx, &plus);
	fg_tree_free(&ctx, &minus);
}

typedef struct Operands
{
	FgTree		before;
	FgTree		after;
} Operands;

static bool
run_union(FgContext *ctx, void *arg)
{
	const Operands *operands = arg;
	FgTreeUnion both;

	if (!fg_tree_union(ctx, &operands->before, &operands->after, &both))
		return false;
	fg_tree_union_free(ctx, &both);
	return true;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	Operands	small = {naive_wide(&ctx, 3, 4, true), naive_wide(&ctx, 4, 5, false)};
	Operands	large = {naive_wide(&ctx, 500, 300, false), naive_wide(&ctx, 400, 300, false)};

	unit_sweep_memory("fg_tree_union", run_union, &small);
	unit_sweep_interrupts("fg_tree_union", run_union, &large, 8);
	fg_tree_free(&ctx, &small.before);
	fg_tree_free(&ctx, &small.after);
	fg_tree_free(&ctx, &large.before);
	fg_tree_free(&ctx, &large.after);
}

int
main(void)
{
	test_random();
	test_larger_values();
	test_edges();
	test_failures();
	return unit_finish();
}
