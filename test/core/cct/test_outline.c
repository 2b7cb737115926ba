/*
 * test_outline.c
 *	  Outlines, against their definition by brute force.
 */
#include "naive.h"

#include "core/cct/outline.h"
#include "core/profile/algebra.h"

#include <math.h>

static uint32_t
depth_of(const FgTree *tree, uint32_t node)
{
	return fg_key_depth(tree->key[node]);
}

/* Whole numbers exactly; else within 1e-12 of what was added. */
static bool
is_sum(double got, long double expected, long double weight, int kind)
{
	return kind != NAIVE_DOUBLES ? got == (double) expected
		: fabsl(got - expected) <= 1e-12L * weight;
}

typedef struct Listing
{
	const FgTree *tree;
	double		least;
	uint32_t	max_depth;
	bool		changes;		/* by size, and nothing of what did not change */
	FgOutlineRow *rows;
	uint32_t	count;
} Listing;

static bool
is_large(const Listing *list, uint32_t node)
{
	return (double) naive_sum_below(list->tree, node, true) >= list->least;
}

static void
list_row(Listing *list, FgOutlineRow row)
{
	list->rows = realloc(list->rows, (list->count + 1) * sizeof(FgOutlineRow));
	list->rows[list->count++] = row;
}

static bool
is_told(const Listing *list, uint32_t node)
{
	return !list->changes || naive_sum_below(list->tree, node, true) > 0;
}

static long double
rank_of(const Listing *list, uint32_t node)
{
	long double sum = naive_sum_below(list->tree, node, false);

	return list->changes ? fabsl(sum) : sum;
}

/* The children of a node: by turns the largest of those that are left. */
static void
list_children(Listing *list, uint32_t node)
{
	const FgTree *tree = list->tree;
	uint32_t	depth = depth_of(tree, node) + 1;
	bool	   *listed = calloc((size_t) tree->nnodes + 1, sizeof(bool));
	FgOutlineRow hidden = {.depth = depth};
	long double total = 0;
	long double weight = 0;

	if (depth > list->max_depth)
	{
		free(listed);
		return;
	}
	for (;;)
	{
		uint32_t	best = 0;

		for (uint32_t i = node + 1; i <= tree->nnodes && depth_of(tree, i) >= depth; i++)
		{
			if (depth_of(tree, i) != depth || listed[i] || !is_large(list, i) ||
				!is_told(list, i))
				continue;
			/* the first of equal ones has the smaller frame */
			if (best == 0 || rank_of(list, i) > rank_of(list, best))
				best = i;
		}
		if (best == 0)
			break;
		listed[best] = true;
		list_row(list, (FgOutlineRow) {best, 0, depth, (double) naive_sum_below(tree, best, false),
									   tree->self[best]});
		list_children(list, best);
	}
	for (uint32_t i = node + 1; i <= tree->nnodes && depth_of(tree, i) >= depth; i++)
	{
		if (depth_of(tree, i) != depth || listed[i] || !is_told(list, i))
			continue;
		hidden.hidden++;
		total += naive_sum_below(tree, i, false);
		weight += naive_sum_below(tree, i, true);
	}
	hidden.total = (double) total;
	if (hidden.hidden > 0 && (double) weight >= list->least)
		list_row(list, hidden);
	free(listed);
}

/* The rows that were made of a tree, against a listing of it. */
static void
compare_rows(const FgTree *tree, double share, uint32_t max_depth, bool changes, int kind,
			 const FgOutlineRow *rows, uint32_t count)
{
	double		norm = (double) naive_sum_below(tree, 0, true);
	Listing		list = {tree, share * norm, max_depth, changes, NULL, 0};

	if (tree->self[0] != 0 && fabs(tree->self[0]) >= list.least)
		list_row(&list, (FgOutlineRow) {0, 0, 1, tree->self[0], tree->self[0]});
	list_children(&list, 0);
	CHECK_COUNT(count, list.count);
	for (uint32_t i = 0; i < count && i < list.count; i++)
	{
		CHECK_COUNT(rows[i].node, list.rows[i].node);
		CHECK_COUNT(rows[i].hidden, list.rows[i].hidden);
		CHECK_COUNT(rows[i].depth, list.rows[i].depth);
		CHECK(is_sum(rows[i].total, list.rows[i].total, norm, kind));
		CHECK_DOUBLE(rows[i].self + 0.0, list.rows[i].self + 0.0);
	}
	free(list.rows);
}

static void
check_outline(FgContext *ctx, const FgTree *tree, double share, uint32_t max_depth, int kind)
{
	FgOutlineRow *rows;
	uint32_t	count;

	if (!CHECK(fg_outline(ctx, tree, share, max_depth, &rows, &count)))
		return;
	compare_rows(tree, share, max_depth, false, kind, rows, count);
	fg_release(ctx, rows);
}

/* The values of the difference are those of the algebra, and what is listed are they. */
static void
check_changes(FgContext *ctx, const FgTree *before, const FgTree *after, double share,
			  uint32_t max_depth, int kind)
{
	FgTreeUnion both;
	FgTree		difference;
	FgOutlineRow *rows;
	uint32_t	count;

	if (!CHECK(fg_tree_union(ctx, before, after, &both)) ||
		!CHECK(fg_combine(ctx, after, 1, before, -1, &difference)) ||
		!CHECK(fg_outline_changes(ctx, &both, share, max_depth, &rows, &count)))
		return;
	CHECK(fg_tree_prune_zeros(ctx, &both.tree));
	CHECK_COUNT(both.tree.nnodes, difference.nnodes);
	for (uint32_t i = 0; i <= difference.nnodes; i++)
		CHECK_DOUBLE(both.tree.self[i] + 0.0, difference.self[i] + 0.0);
	fg_release(ctx, rows);
	fg_tree_union_free(ctx, &both);
	fg_tree_free(ctx, &difference);

	CHECK(fg_tree_union(ctx, before, after, &both));
	CHECK(fg_outline_changes(ctx, &both, share, max_depth, &rows, &count));
	compare_rows(&both.tree, share, max_depth, true, kind, rows, count);
	fg_release(ctx, rows);
	fg_tree_union_free(ctx, &both);
}

static void
test_changes(void)
{
	UnitRandom	random = {86};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_SIGNED; kind++)
	{
		unit_case("outlines of random changes, %s", naive_kinds[kind]);
		for (int round = 0; round < 60; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			NaiveShape	shape = naive_shape(&random, round, kind, 8);
			Naive		first = naive_random(&random, shape);
			Naive		second = naive_random(&random, shape);
			FgTree		before = naive_tree(&ctx, &first);
			FgTree		after = naive_tree(&ctx, &second);
			double		share = (unit_below(&random, 1000) + 0.2837465) / 3000;

			unit_note("[round %d, share %.17g]", round, share);
			check_changes(&ctx, &before, &after, share, UINT32_MAX, kind);
			check_changes(&ctx, &before, &after, 0, 1 + unit_below(&random, 6), kind);
			check_changes(&ctx, &before, &before, 0, UINT32_MAX, kind);
			fg_tree_free(&ctx, &before);
			fg_tree_free(&ctx, &after);
			naive_free(&first);
			naive_free(&second);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_outlines(void)
{
	UnitRandom	random = {85};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("outlines of random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < 100; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, naive_shape(&random, round, kind, 8));
			FgTree		tree = naive_tree(&ctx, &naive);
			/* not a share that a sum could meet but for rounding */
			double		share = (unit_below(&random, 1000) + 0.2837465) / 3000;

			unit_note("[round %d, share %.17g]", round, share);
			check_outline(&ctx, &tree, share, UINT32_MAX, kind);
			check_outline(&ctx, &tree, share / 10, 1 + unit_below(&random, 6), kind);
			check_outline(&ctx, &tree, 0, unit_below(&random, 4), kind);
			check_outline(&ctx, &tree, 0, UINT32_MAX, kind);
			check_outline(&ctx, &tree, 1.5, UINT32_MAX, kind);
			if (kind != NAIVE_DOUBLES)
			{
				check_outline(&ctx, &tree, 1, UINT32_MAX, kind);
				check_outline(&ctx, &tree, 0.125, UINT32_MAX, kind);
			}
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

typedef struct GivenOutline
{
	const char *what;
	const char *text;
	double		share;
	uint32_t	max_depth;
	FgOutlineRow rows[8];	/* node, hidden, depth, total, self */
	uint32_t	count;
} GivenOutline;

static const GivenOutline given_outlines[] = {
	/* a, a;b, a;c, a;c;d, e */
	{"the largest first", "a;b 10\na;c 5\na;c;d 20\ne 60", 0.01, 9,
		{{5, 0, 1, 60, 60}, {1, 0, 1, 35, 0}, {3, 0, 2, 25, 5}, {4, 0, 3, 20, 20},
	{2, 0, 2, 10, 10}}, 5},
	{"equal ones by frame", "c 5\nb;x 5\na 5\nb;w 5\nd 10", 0.1, 9,
		{{2, 0, 1, 10, 0}, {3, 0, 2, 5, 5}, {4, 0, 2, 5, 5}, {6, 0, 1, 10, 10},
	{1, 0, 1, 5, 5}, {5, 0, 1, 5, 5}}, 6},
	/* m, m;a .. m;d, n */
	{"small ones that are large together", "m 80\nm;a 4\nm;b 4\nm;c 4\nm;d 4\nn 4", 0.1, 9,
	{{1, 0, 1, 96, 80}, {0, 4, 2, 16, 0}}, 2},
	{"exactly the least share is shown", "a 10\nb 90", 0.1, 9,
	{{2, 0, 1, 90, 90}, {1, 0, 1, 10, 10}}, 2},
	{"not too deep", "a;b;c 1\na;b 2\nd 4", 0, 2,
	{{4, 0, 1, 4, 4}, {1, 0, 1, 3, 0}, {2, 0, 2, 3, 2}}, 3},
	{"no depth at all", " 5\na 1", 0, 0, {{0, 0, 1, 5, 5}}, 1},
	{"what cancels is large all the same", "a;b 50\na;c -50\nd 1", 0.1, 9,
	{{1, 0, 1, 0, 0}, {2, 0, 2, 50, 50}, {3, 0, 2, -50, -50}}, 3},
	{"hidden ones that cancel", "a;b 5\na;c -5\na;d 5\nz 50", 0.1, 9,
	{{5, 0, 1, 50, 50}, {1, 0, 1, 5, 0}, {0, 3, 2, 5, 0}}, 3},
	{"a large empty stack in front of all", " 20\na 80", 0.1, 9,
	{{0, 0, 1, 20, 20}, {1, 0, 1, 80, 80}}, 2},
	{"an empty stack of -20", " -20\na 80", 0.2, 9,
	{{0, 0, 1, -20, -20}, {1, 0, 1, 80, 80}}, 2},
	{"a small empty stack", " 1\na 99", 0.1, 9, {{1, 0, 1, 99, 99}}, 1},
	{"nothing", "", 0.1, 9, {{0, 0, 0, 0, 0}}, 0},
	{"too small to be told", "a 99\nb 1", 0.05, 9, {{1, 0, 1, 99, 99}}, 1}
};

static void
test_given_outlines(void)
{
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(given_outlines); i++)
	{
		const GivenOutline *given = &given_outlines[i];
		FgTree		tree = tree_of_text(&ctx, given->text);
		FgOutlineRow *rows;
		uint32_t	count;

		unit_case("outline: %s", given->what);
		CHECK(fg_outline(&ctx, &tree, given->share, given->max_depth, &rows, &count));
		CHECK_COUNT(count, given->count);
		for (uint32_t r = 0; r < count && r < given->count; r++)
		{
			CHECK_COUNT(rows[r].node, given->rows[r].node);
			CHECK_COUNT(rows[r].hidden, given->rows[r].hidden);
			CHECK_COUNT(rows[r].depth, given->rows[r].depth);
			CHECK_DOUBLE(rows[r].total, given->rows[r].total);
			CHECK_DOUBLE(rows[r].self, given->rows[r].self);
		}
		fg_release(&ctx, rows);
		fg_tree_free(&ctx, &tree);
	}
}

static void
test_refused_outline(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "a 1e308\nb -1e308");
	FgOutlineRow *rows;
	uint32_t	count;

	unit_case("an outline whose weights overflow");
	CHECK_ERROR(fg_outline(&ctx, &tree, 0.01, 9, &rows, &count), &ctx, FG_ERROR_RANGE);
	CHECK(rows == NULL);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_chain(uint32_t count, uint32_t period)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_chain(&ctx, count, period);
	FgOutlineRow *rows;
	uint32_t	nrows;

	unit_case("outlines of a chain of %u frames, %u different ones", count, period);
	CHECK(fg_outline(&ctx, &tree, 0, UINT32_MAX, &rows, &nrows));
	CHECK_COUNT(nrows, count);
	for (uint32_t i = 0; i < nrows; i++)
	{
		CHECK_COUNT(rows[i].node, i + 1);
		CHECK_COUNT(rows[i].depth, i + 1);
		CHECK_DOUBLE(rows[i].total, count - i);
	}
	fg_release(&ctx, rows);
	/* of the lower half one row is not told: it is too small by itself */
	CHECK(fg_outline(&ctx, &tree, 0.5, UINT32_MAX, &rows, &nrows));
	CHECK_COUNT(nrows, count / 2 + 1);
	fg_release(&ctx, rows);
	fg_tree_free(&ctx, &tree);
}

static bool
run_outline(FgContext *ctx, void *arg)
{
	FgOutlineRow *rows;
	uint32_t	count;

	if (!fg_outline(ctx, arg, 0, UINT32_MAX, &rows, &count))
		return false;
	fg_release(ctx, rows);
	return true;
}

typedef struct Operands
{
	FgTree		before;
	FgTree		after;
} Operands;

static bool
run_changes(FgContext *ctx, void *arg)
{
	const Operands *operands = arg;
	FgTreeUnion both;
	FgOutlineRow *rows;
	uint32_t	count;
	bool		ok;

	if (!fg_tree_union(ctx, &operands->before, &operands->after, &both))
		return false;
	ok = fg_outline_changes(ctx, &both, 0, UINT32_MAX, &rows, &count);
	fg_release(ctx, rows);
	fg_tree_union_free(ctx, &both);
	return ok;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		small = naive_wide(&ctx, 4, 25, false);
	FgTree		other = naive_wide(&ctx, 3, 20, true);
	FgTree		large = naive_wide(&ctx, 500, 300, false);

	unit_sweep_memory("fg_outline", run_outline, &small);
	unit_sweep_interrupts("fg_outline", run_outline, &large, 5);
	unit_sweep_memory("fg_outline_changes", run_changes, &(Operands) {small, other});
	unit_sweep_interrupts("fg_outline_changes", run_changes, &(Operands) {small, large}, 5);
	fg_tree_free(&ctx, &small);
	fg_tree_free(&ctx, &other);
	fg_tree_free(&ctx, &large);
}

int
main(void)
{
	test_given_outlines();
	test_outlines();
	test_changes();
	test_refused_outline();
	check_chain(1, 1);
	check_chain(5000, 1);
	check_chain(60000, 1);
	check_chain(60000, 2);
	check_chain(60000, 60000);
	test_failures();
	return unit_finish();
}
