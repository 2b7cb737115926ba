/*
 * test_subsuming.c
 *	  Subsuming methods, against their definition by brute force.
 */
#include "naive.h"

#include "core/cct/subsuming.h"
#include "core/profile/builder.h"

#include <math.h>

static uint32_t
depth_of(const FgTree *tree, uint32_t node)
{
	return fg_key_depth(tree->key[node]);
}

static uint32_t
frame_of(const FgTree *tree, uint32_t node)
{
	return fg_key_frame(tree->key[node]);
}

/* Whole numbers exactly; else within 1e-12 of what was added. */
static bool
is_sum(double got, long double expected, long double weight, int kind)
{
	return kind != NAIVE_DOUBLES ? got == (double) expected
		: fabsl(got - expected) <= 1e-12L * weight;
}

/* dmd(p, m): UINT32_MAX when p does not dominate m. */
static uint32_t
dominating_distance(const FgTree *tree, uint32_t p, uint32_t m)
{
	uint32_t	greatest = 0;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	above;

		if (frame_of(tree, i) != m)
			continue;
		above = naive_parent(tree, i);
		while (above != 0 && frame_of(tree, above) != p)
			above = naive_parent(tree, above);
		if (above == 0)
			return UINT32_MAX;
		if (depth_of(tree, i) - depth_of(tree, above) > greatest)
			greatest = depth_of(tree, i) - depth_of(tree, above);
	}
	return greatest;
}

static void
check_subsuming(FgContext *ctx, const FgTree *tree, uint32_t min_height, uint32_t min_distance,
				int kind)
{
	uint32_t	nframes = tree->frames.count;
	FgSubsuming *methods = malloc(((size_t) nframes + 1) * sizeof(FgSubsuming));
	bool	   *subsuming = calloc((size_t) nframes + 1, sizeof(bool));
	long double *cost = calloc((size_t) nframes + 1, sizeof(long double));
	long double *weight = calloc((size_t) nframes + 1, sizeof(long double));
	double		unclaimed;

	CHECK(fg_subsuming(ctx, tree, min_height, min_distance, methods, &unclaimed));
	for (uint32_t m = 0; m < nframes; m++)
	{
		uint32_t	height = 0;
		uint32_t	distance = UINT32_MAX;

		for (uint32_t i = 1; i <= tree->nnodes; i++)
		{
			if (frame_of(tree, i) != m)
				continue;
			for (uint32_t j = i; j <= tree->nnodes && (j == i || depth_of(tree, j) >
													   depth_of(tree, i)); j++)
			{
				if (depth_of(tree, j) - depth_of(tree, i) > height)
					height = depth_of(tree, j) - depth_of(tree, i);
			}
		}
		for (uint32_t p = 0; p < nframes; p++)
		{
			uint32_t	dmd = p != m ? dominating_distance(tree, p, m) : UINT32_MAX;

			distance = dmd < distance ? dmd : distance;
		}
		subsuming[m] = height > min_height && (distance == UINT32_MAX || distance > min_distance);
		CHECK_COUNT(methods[m].height, height);
		CHECK_COUNT(methods[m].distance, distance);
		CHECK(methods[m].subsuming == subsuming[m]);
	}
	/* the last one is that of the virtual root */
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		uint32_t	to = i;

		while (to != 0 && !subsuming[frame_of(tree, to)])
			to = naive_parent(tree, to);
		cost[to == 0 ? nframes : frame_of(tree, to)] += tree->self[i];
		weight[to == 0 ? nframes : frame_of(tree, to)] += fabs(tree->self[i]);
	}
	for (uint32_t m = 0; m < nframes; m++)
		CHECK(is_sum(methods[m].cost, cost[m], weight[m], kind));
	CHECK(is_sum(unclaimed, cost[nframes], weight[nframes], kind));
	free(methods);
	free(subsuming);
	free(cost);
	free(weight);
}

static void
test_subsuming(void)
{
	UnitRandom	random = {82};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("subsuming methods of random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < 120; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			NaiveShape	shape = naive_shape(&random, round, kind, 8);
			Naive		naive;
			FgTree		tree;

			/* frames that dominate from afar: few stacks, many frames */
			if (round % 4 == 3)
				shape.stacks = unit_below(&random, 5);
			naive = naive_random(&random, shape);
			tree = naive_tree(&ctx, &naive);
			unit_note("[round %d]", round);
			check_subsuming(&ctx, &tree, unit_below(&random, 6), unit_below(&random, 6), kind);
			check_subsuming(&ctx, &tree, 4, 4, kind);
			check_subsuming(&ctx, &tree, UINT32_MAX, 0, kind);
			check_subsuming(&ctx, &tree, 0, UINT32_MAX, kind);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/*
 * Two or three orders of the same frames below one root: what dominates a frame is
 * what is above it in each, and mostly far away.
 */
static void
test_shuffled(void)
{
	UnitRandom	random = {83};

	unit_case("subsuming methods whose dominating methods are far away");
	for (int round = 0; round < 60; round++)
	{
		FgContext	ctx = fg_malloc_context();
		Naive		naive = {0};
		uint32_t	frames = 20 + unit_below(&random, 20);
		uint32_t	order[40];
		FgTree		tree;

		unit_note("[round %d]", round);
		for (uint32_t f = 0; f < frames; f++)
			order[f] = f;
		for (uint32_t branch = 0; branch < 2 + unit_below(&random, 3); branch++)
		{
			char		path[400];
			size_t		length = 0;

			for (uint32_t swaps = 1 + unit_below(&random, 12); branch > 0 && swaps > 0; swaps--)
			{
				uint32_t	i = unit_below(&random, frames);
				uint32_t	j = unit_below(&random, frames);
				uint32_t	swap = order[i];

				order[i] = order[j];
				order[j] = swap;
			}
			length += (size_t) sprintf(path, "r%cb%u", 0, branch);
			for (uint32_t f = 0; f < frames; f++)
				length += (size_t) sprintf(path + length, "%cf%02u", 0, order[f]);
			naive_add(&naive, path, length, 1);
		}
		naive_settle(&naive);
		tree = naive_tree(&ctx, &naive);
		check_subsuming(&ctx, &tree, unit_below(&random, 30), unit_below(&random, 30),
						NAIVE_COUNTS);
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
	}
}

/*
 * f1 .. fn in this order and in reverse: only r dominates all of them, n candidates
 * each have to be tried, and do not find room in one pass.
 */
static void
test_reversed(void)
{
	const uint32_t n = 2400;
	FgContext	ctx = fg_malloc_context();
	FgBuilder  *builder = fg_builder_create(&ctx);
	uint32_t   *frame = malloc((n + 3) * sizeof(uint32_t));
	FgSubsuming *methods = malloc((n + 3) * sizeof(FgSubsuming));
	uint32_t	wrong = 0;
	double		unclaimed;
	FgTree		tree;

	unit_case("subsuming methods with more candidates than there is room");
	for (uint32_t i = 0; i < n + 3; i++)
	{
		char		name[16];

		snprintf(name, sizeof(name), i < n ? "f%05u" : "r%u", i);
		CHECK(fg_builder_frame(builder, name, strlen(name), &frame[i]));
	}
	for (int way = 0; way < 2; way++)
	{
		uint32_t	node;

		/* r, then x or y */
		CHECK(fg_builder_child(builder, 0, frame[n], &node) &&
			  fg_builder_child(builder, node, frame[n + 1 + (uint32_t) way], &node));
		for (uint32_t i = 0; i < n; i++)
			CHECK(fg_builder_child(builder, node, frame[way == 0 ? i : n - 1 - i], &node));
		CHECK(fg_builder_add_value(builder, node, 1 + way));
	}
	CHECK(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	CHECK(fg_subsuming(&ctx, &tree, n, 1, methods, &unclaimed));
	for (uint32_t i = 0; i < n; i++)
	{
		/* i + 2 calls below r in one order, n - i + 1 in the other */
		uint32_t	distance = i + 2 > n - i + 1 ? i + 2 : n - i + 1;

		wrong += methods[i].distance != distance || methods[i].subsuming ||
			methods[i].height != (i > n - 1 - i ? i : n - 1 - i);
	}
	CHECK_COUNT(wrong, 0);
	CHECK_COUNT(methods[n].distance, FG_NOT_DOMINATED);
	CHECK_COUNT(methods[n].height, n + 1);
	CHECK_COUNT(methods[n + 1].distance, 1);
	CHECK(methods[n].subsuming && !methods[n + 1].subsuming);
	CHECK_DOUBLE(methods[n].cost, 3);
	CHECK_DOUBLE(unclaimed, 0);
	fg_tree_free(&ctx, &tree);
	free(frame);
	free(methods);
}

static void
test_given_subsuming(void)
{
	static const struct
	{
		const char *frame;
		uint32_t	height;
		uint32_t	distance;
		bool		subsuming;
		double		cost;
	}			rows[] = {
		{"a", 4, 2, true, 8}, {"b", 3, 3, true, 7}, {"c", 2, 1, false, 0}, {"d", 1, 1, false, 0},
		{"e", 0, 1, false, 0}, {"m", 5, FG_NOT_DOMINATED, true, 0}, {"x", 4, 1, false, 0},
		{"y", 2, 1, false, 0}
	};
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "m;a;b;c;d;e 1\nm;x;a;b;c;d 2\nm;y;b;c 4\nm;a 8");
	FgSubsuming methods[8];
	double		unclaimed;

	unit_case("golden subsuming_small");
	CHECK(fg_subsuming(&ctx, &tree, 1, 1, methods, &unclaimed));
	CHECK_COUNT(tree.frames.count, COUNT(rows));
	for (uint32_t m = 0; m < COUNT(rows); m++)
	{
		unit_note("[%s]", rows[m].frame);
		CHECK_COUNT(methods[m].height, rows[m].height);
		CHECK_COUNT(methods[m].distance, rows[m].distance);
		CHECK(methods[m].subsuming == rows[m].subsuming);
		CHECK_DOUBLE(methods[m].cost, rows[m].cost);
	}
	CHECK_DOUBLE(unclaimed, 0);
	fg_tree_free(&ctx, &tree);
}

static void
test_unclaimed(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, " 5\na 1\na;b;c;d 2");
	FgSubsuming methods[4];
	double		unclaimed;

	unit_case("what no method claims goes to the virtual root");
	CHECK(fg_subsuming(&ctx, &tree, 4, 4, methods, &unclaimed));
	CHECK_DOUBLE(unclaimed, 8);
	fg_tree_free(&ctx, &tree);
	tree = tree_of_text(&ctx, " 5");
	CHECK(fg_subsuming(&ctx, &tree, 4, 4, methods, &unclaimed));
	CHECK_DOUBLE(unclaimed, 5);
	fg_tree_free(&ctx, &tree);
	tree = tree_of_text(&ctx, "");
	CHECK(fg_subsuming(&ctx, &tree, 0, 0, methods, &unclaimed));
	CHECK_DOUBLE(unclaimed, 0);
	fg_tree_free(&ctx, &tree);
}

static void
test_edge_subsuming(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a;x 1e308\na;y 1e308\na;z -1e308");
	FgSubsuming methods[4];
	double		unclaimed;

	unit_case("an induced cost that overflows");
	CHECK_ERROR(fg_subsuming(&ctx, &tree, 4, 4, methods, &unclaimed), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_subsuming(&ctx, &tree, 0, 0, methods, &unclaimed), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);

	/* a dictionary with a frame that no node has, as damaged bytes may have it */
	unit_case("subsuming methods, a frame without a node");
	tree = tree_of_text(&ctx, "a;b 1\na;c 2");
	tree.nnodes = 2;
	CHECK(fg_subsuming(&ctx, &tree, 0, 0, methods, &unclaimed));
	CHECK_COUNT(methods[2].distance, FG_NOT_DOMINATED);
	CHECK_COUNT(methods[1].distance, 1);
	fg_tree_free(&ctx, &tree);
}

static void
check_chain(uint32_t count, uint32_t period)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_chain(&ctx, count, period);
	FgSubsuming *methods = malloc(period * sizeof(FgSubsuming));
	double		unclaimed;

	unit_case("subsuming methods of a chain of %u frames, %u different ones", count, period);
	CHECK(fg_subsuming(&ctx, &tree, 4, 4, methods, &unclaimed));
	for (uint32_t f = 0; f < period; f++)
	{
		CHECK_COUNT(methods[f].height, count - 1 - f);
		/* the frame before; nothing dominates what comes first */
		CHECK_COUNT(methods[f].distance, f == 0 ? FG_NOT_DOMINATED : 1);
		CHECK(methods[f].subsuming == (f == 0 && count > 5));
		CHECK_DOUBLE(methods[f].cost, f == 0 && count > 5 ? count : 0);
	}
	CHECK_DOUBLE(unclaimed, count > 5 ? 0 : count);
	fg_tree_free(&ctx, &tree);
	free(methods);
}

static bool
run_subsuming(FgContext *ctx, void *arg)
{
	const FgTree *tree = arg;
	FgSubsuming *methods = malloc(tree->frames.count * sizeof(FgSubsuming));
	double		unclaimed;
	bool		ok = fg_subsuming(ctx, tree, 0, 0, methods, &unclaimed);

	free(methods);
	return ok;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		small = naive_wide(&ctx, 4, 25, false);
	FgTree		large = naive_wide(&ctx, 500, 300, false);

	unit_sweep_memory("fg_subsuming", run_subsuming, &small);
	unit_sweep_interrupts("fg_subsuming", run_subsuming, &large, 3);
	fg_tree_free(&ctx, &small);
	fg_tree_free(&ctx, &large);
}

int
main(void)
{
	test_given_subsuming();
	test_unclaimed();
	test_edge_subsuming();
	test_subsuming();
	test_shuffled();
	test_reversed();
	check_chain(1, 1);
	check_chain(5000, 1);
	check_chain(60000, 1);
	check_chain(60000, 2);
	check_chain(60000, 60000);
	test_failures();
	return unit_finish();
}
