/*
 * test_contexts.c
 *	  Hot contexts, subsuming methods, baseline arrows and outlines, each against
 *	  its definition by brute force.
 */
#include "naive.h"

#include "core/cct/baseline.h"
#include "core/cct/hot.h"
#include "core/cct/outline.h"
#include "core/cct/subsuming.h"
#include "core/profile/builder.h"

#include <math.h>

static const char *const kinds[] = {"counts", "signed counts", "doubles"};

/* --- trees ------------------------------------------------------------------------------- */

static NaiveShape
random_shape(UnitRandom *random, int round, int kind)
{
	return (NaiveShape) {
		unit_below(random, 40), round % 3 == 0 ? 5 : round % 3 == 1 ? 15 : 50,
		round % 4 == 3 ? 40 : 1 + unit_below(random, 8), kind
	};
}

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

/* The last node before it that is one less deep. */
static uint32_t
parent_of(const FgTree *tree, uint32_t node)
{
	uint32_t	depth = depth_of(tree, node);

	while (depth_of(tree, node) >= depth)
		node--;
	return node;
}

static long double
sum_below(const FgTree *tree, uint32_t node, bool absolute)
{
	long double sum = 0;

	for (uint32_t i = node; i <= tree->nnodes; i++)
	{
		if (i > node && depth_of(tree, i) <= depth_of(tree, node))
			break;
		sum += absolute ? fabs(tree->self[i]) : tree->self[i];
	}
	return sum;
}

/* Whole numbers exactly; else within 1e-12 of what was added. */
static bool
is_sum(double got, long double expected, long double weight, int kind)
{
	return kind != NAIVE_DOUBLES ? got == (double) expected
		: fabsl(got - expected) <= 1e-12L * weight;
}

/* One path of "count" frames that repeat after "period", 1 in each node. */
static FgTree
chain(FgContext *ctx, uint32_t count, uint32_t period)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	uint32_t	node = 0;
	FgTree		tree;

	for (uint32_t i = 0; i < count; i++)
	{
		char		name[16];
		uint32_t	frame;

		snprintf(name, sizeof(name), "f%05u", i % period);
		CHECK(fg_builder_frame(builder, name, strlen(name), &frame) &&
			  fg_builder_child(builder, node, frame, &node) &&
			  fg_builder_add_value(builder, node, 1));
	}
	CHECK(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	return tree;
}

/* "first" * "second" stacks of two frames. */
static FgTree
wide(FgContext *ctx, uint32_t first, uint32_t second)
{
	Naive		naive = {0};
	FgTree		tree;

	for (uint32_t i = 0; i < first * second; i++)
	{
		char		path[32];
		int			length = snprintf(path, sizeof(path), "f%03u%cg%03u", i / second, 0,
									  i % second);

		naive_add(&naive, path, (size_t) length, 1 + i % 3);
	}
	tree = naive_tree(ctx, &naive);
	naive_free(&naive);
	return tree;
}

/* --- hot contexts ---------------------------------------------------------------------------- */

static void
test_hot(void)
{
	static const double phis[] = {0, 0.01, 0.05, 0.25, 0.5, 0.999, 1, 2, -0.1};
	UnitRandom	random = {81};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("hot contexts of random profiles, %s", kinds[kind]);
		for (int round = 0; round < 100; round++)
		{
			FgContext	ctx = fg_malloc_context();
			Naive		naive = naive_random(&random, random_shape(&random, round, kind));
			FgTree		tree = naive_tree(&ctx, &naive);
			uint8_t    *hot = malloc((size_t) tree.nnodes + 1);
			long double total = sum_below(&tree, 0, false);

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

/* --- subsuming methods ----------------------------------------------------------------------- */

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
		above = parent_of(tree, i);
		while (above != 0 && frame_of(tree, above) != p)
			above = parent_of(tree, above);
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
			to = parent_of(tree, to);
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
		unit_case("subsuming methods of random profiles, %s", kinds[kind]);
		for (int round = 0; round < 120; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			NaiveShape	shape = random_shape(&random, round, kind);
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

	unit_case("what no method claims goes to the virtual root");
	tree = tree_of_text(&ctx, " 5\na 1\na;b;c;d 2");
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

	unit_case("an induced cost that overflows");
	tree = tree_of_text(&ctx, "a;x 1e308\na;y 1e308\na;z -1e308");
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

/* --- arrows ---------------------------------------------------------------------------------- */

static void
test_given_arrows(void)
{
	static const struct
	{
		double		baseline;
		double		current;
		FgArrow		arrow;
	}			rows[] = {
		/* table 3.2, the shown angle; the exact ones are those of golden baseline_table_3_2 */
		{0.1, 0.05, {90, 90, 0, 255, 0}}, {0.1, 0.067, {44.32835820895521, 44, 0, 125, 130}},
		{0.1, 0.083, {18.433734939759045, 18, 0, 51, 204}}, {0.1, 0.1, {0, 0, 0, 0, 255}},
		{0.1, 0.133, {-29.7, -29, 82, 0, 173}}, {0.1, 0.167, {-60.3, -60, 170, 0, 85}},
		{0.1, 0.2, {-90, -90, 255, 0, 0}},
		/* golden baseline_special */
		{0, 0, {0, 0, 0, 0, 255}}, {0.3, 0, {45, 45, 0, 128, 127}},
		{0, 0.3, {-45, -45, 128, 0, 127}}, {1, 0.25, {90, 90, 0, 255, 0}},
		{0.1, 0.9, {-90, -90, 255, 0, 0}}, {0.5, 0.5, {0, 0, 0, 0, 255}},
		/* far apart: the ratio may overflow or vanish */
		{1e-300, 1e300, {-90, -90, 255, 0, 0}}, {1e300, 1e-300, {90, 90, 0, 255, 0}},
		{5e-324, 1, {-90, -90, 255, 0, 0}}, {1, 5e-324, {90, 90, 0, 255, 0}},
		{0.5, 0.5000001, {-1.8e-05, 0, 0, 0, 255}}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgArrow		arrow = fg_arrow(rows[i].baseline, rows[i].current);

		unit_case("arrow from %g to %g", rows[i].baseline, rows[i].current);
		CHECK(unit_near(arrow.angle, rows[i].arrow.angle, 1e-6));
		CHECK(arrow.shown == rows[i].arrow.shown);
		CHECK(arrow.red == rows[i].arrow.red);
		CHECK(arrow.green == rows[i].arrow.green);
		CHECK(arrow.blue == rows[i].arrow.blue);
	}
}

/* Listing 3.6, with the test in its line 22 corrected. */
static double
listed_angle(double baseline, double current)
{
	double		change;

	if (baseline == 0)
		return current == 0 ? 0 : -45;
	if (current == 0)
		return 45;
	change = current / baseline;
	change = change < 0.5 ? 0.5 : change > 2 ? 2 : change;
	if (change >= 1)
		change = -1 * (change - 1);
	else
		change = (1 / change) - 1;
	return 90 * change;
}

static void
test_arrows(void)
{
	UnitRandom	random = {84};
	double		last = 91;

	unit_case("arrows as listing 3.6 has them");
	for (int round = 0; round < 20000; round++)
	{
		double		baseline = unit_below(&random, 1000) / 999.0;
		double		current = unit_below(&random, 3) == 0 ? unit_below(&random, 1000) / 999.0
			: baseline * (0.4 + unit_below(&random, 2000) / 1000.0);
		FgArrow		arrow = fg_arrow(baseline, current);
		double		angle = listed_angle(baseline, current);
		int			strength = (int) lround(255.0 * abs(arrow.shown) / 90);

		unit_note("[%.17g to %.17g]", baseline, current);
		CHECK(fabs(arrow.angle - angle) <= 1e-9);
		CHECK(arrow.shown == (int) arrow.angle);
		CHECK(arrow.red == (arrow.shown < 0 ? strength : 0));
		CHECK(arrow.green == (arrow.shown > 0 ? strength : 0));
		CHECK(arrow.blue == 255 - strength);
	}
	unit_case("the more, the further up");
	for (int i = 1; i < 300; i++)
	{
		double		angle = fg_arrow(1, i / 100.0).angle;

		CHECK(angle < last || angle == 90 || angle == -90);
		last = angle;
	}
}

/* --- outlines -------------------------------------------------------------------------------- */

typedef struct Listing
{
	const FgTree *tree;
	double		least;
	uint32_t	max_depth;
	FgOutlineRow *rows;
	uint32_t	count;
} Listing;

static bool
is_large(const Listing *list, uint32_t node)
{
	return (double) sum_below(list->tree, node, true) >= list->least;
}

static void
list_row(Listing *list, FgOutlineRow row)
{
	list->rows = realloc(list->rows, (list->count + 1) * sizeof(FgOutlineRow));
	list->rows[list->count++] = row;
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
			if (depth_of(tree, i) != depth || listed[i] || !is_large(list, i))
				continue;
			/* the first of equal ones has the smaller frame */
			if (best == 0 || sum_below(tree, i, false) > sum_below(tree, best, false))
				best = i;
		}
		if (best == 0)
			break;
		listed[best] = true;
		list_row(list, (FgOutlineRow) {best, 0, depth, (double) sum_below(tree, best, false),
									   tree->self[best]});
		list_children(list, best);
	}
	for (uint32_t i = node + 1; i <= tree->nnodes && depth_of(tree, i) >= depth; i++)
	{
		if (depth_of(tree, i) != depth || listed[i])
			continue;
		hidden.hidden++;
		total += sum_below(tree, i, false);
		weight += sum_below(tree, i, true);
	}
	hidden.total = (double) total;
	if (hidden.hidden > 0 && (double) weight >= list->least)
		list_row(list, hidden);
	free(listed);
}

static void
check_outline(FgContext *ctx, const FgTree *tree, double share, uint32_t max_depth, int kind)
{
	double		norm = (double) sum_below(tree, 0, true);
	Listing		list = {tree, share * norm, max_depth, NULL, 0};
	FgOutlineRow *rows;
	uint32_t	count;

	if (tree->self[0] != 0 && fabs(tree->self[0]) >= list.least)
		list_row(&list, (FgOutlineRow) {0, 0, 1, tree->self[0], tree->self[0]});
	list_children(&list, 0);
	if (!CHECK(fg_outline(ctx, tree, share, max_depth, &rows, &count)))
		return;
	CHECK_COUNT(count, list.count);
	for (uint32_t i = 0; i < count && i < list.count; i++)
	{
		CHECK_COUNT(rows[i].node, list.rows[i].node);
		CHECK_COUNT(rows[i].hidden, list.rows[i].hidden);
		CHECK_COUNT(rows[i].depth, list.rows[i].depth);
		CHECK(is_sum(rows[i].total, list.rows[i].total, norm, kind));
		CHECK_DOUBLE(rows[i].self + 0.0, list.rows[i].self + 0.0);
	}
	fg_release(ctx, rows);
	free(list.rows);
}

static void
test_outlines(void)
{
	UnitRandom	random = {85};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("outlines of random profiles, %s", kinds[kind]);
		for (int round = 0; round < 100; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, random_shape(&random, round, kind));
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

static void
test_given_outlines(void)
{
	static const struct
	{
		const char *what;
		const char *text;
		double		share;
		uint32_t	max_depth;
		FgOutlineRow rows[8];	/* node, hidden, depth, total, self */
		uint32_t	count;
	}			cases[] = {
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
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		FgTree		tree = tree_of_text(&ctx, cases[i].text);
		FgOutlineRow *rows;
		uint32_t	count;

		unit_case("outline: %s", cases[i].what);
		CHECK(fg_outline(&ctx, &tree, cases[i].share, cases[i].max_depth, &rows, &count));
		CHECK_COUNT(count, cases[i].count);
		for (uint32_t r = 0; r < count && r < cases[i].count; r++)
		{
			CHECK_COUNT(rows[r].node, cases[i].rows[r].node);
			CHECK_COUNT(rows[r].hidden, cases[i].rows[r].hidden);
			CHECK_COUNT(rows[r].depth, cases[i].rows[r].depth);
			CHECK_DOUBLE(rows[r].total, cases[i].rows[r].total);
			CHECK_DOUBLE(rows[r].self, cases[i].rows[r].self);
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

/* --- deep chains ------------------------------------------------------------------------------ */

static void
check_chain(uint32_t count, uint32_t period)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = chain(&ctx, count, period);
	FgSubsuming *methods = malloc(period * sizeof(FgSubsuming));
	uint8_t    *hot = malloc((size_t) count + 1);
	FgOutlineRow *rows;
	uint32_t	nrows;
	double		unclaimed;

	unit_case("contexts of a chain of %u frames, %u different ones", count, period);
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
	CHECK(fg_hot_contexts(&ctx, &tree, 0.5, hot));
	for (uint32_t i = 0; i <= count; i++)
		CHECK_COUNT(hot[i], i > 0 && count < 2);
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
	free(methods);
	free(hot);
}

/* --- failures -------------------------------------------------------------------------------- */

static bool
run_hot(FgContext *ctx, void *arg)
{
	const FgTree *tree = arg;
	uint8_t    *hot = malloc((size_t) tree->nnodes + 1);
	bool		ok = fg_hot_contexts(ctx, tree, 0.5, hot);

	free(hot);
	return ok;
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

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		small = wide(&ctx, 4, 25);
	FgTree		large = wide(&ctx, 500, 300);

	/* hot contexts need no memory */
	unit_sweep_interrupts("fg_hot_contexts", run_hot, &large, 3);
	unit_sweep_memory("fg_subsuming", run_subsuming, &small);
	unit_sweep_interrupts("fg_subsuming", run_subsuming, &large, 3);
	unit_sweep_memory("fg_outline", run_outline, &small);
	unit_sweep_interrupts("fg_outline", run_outline, &large, 5);
	fg_tree_free(&ctx, &small);
	fg_tree_free(&ctx, &large);
}

int
main(void)
{
	test_given_hot();
	test_hot();
	test_given_subsuming();
	test_subsuming();
	test_shuffled();
	test_reversed();
	test_given_arrows();
	test_arrows();
	test_given_outlines();
	test_outlines();
	test_refused_outline();
	check_chain(1, 1);
	check_chain(5000, 1);
	check_chain(60000, 1);
	check_chain(60000, 2);
	check_chain(60000, 60000);
	test_failures();
	return unit_finish();
}
