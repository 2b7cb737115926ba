/*
 * test_metrics.c
 *	  Metrics of functions, against their definitions, stack by stack.
 */
#include "stack_rows.h"

#include "core/cct/metrics.h"

static uint32_t
distinct(const Rows *rows, uint32_t a)
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < rows->count; i++)
		count += rows->rows[i].a == a;
	return count;
}

static void
check_metrics(FgContext *ctx, const FgTree *tree, const Naive *naive)
{
	uint32_t	nframes = tree->frames.count;
	FgFrameMetrics *metrics = malloc((nframes + 1) * sizeof(FgFrameMetrics));
	Rows		nodes = {0};	/* (frame, node), those without recursion have a last stack */
	Rows		callers = {0};	/* (frame, caller) */
	Rows		callees = {0};
	Rows		threads = {0};
	Sum		   *total = calloc(nframes + 1, sizeof(Sum));
	Sum		   *self = calloc(nframes + 1, sizeof(Sum));

	for (size_t s = 0; s < naive->count; s++)
	{
		Stack		stack = stack_of(tree, &naive->entries[s]);

		for (uint32_t i = 0; i < stack.depth; i++)
		{
			Stack		above = stack;
			Row		   *row;

			above.depth = i;
			row = add_row(&nodes, stack.frame[i], stack.node[i]);
			row->last = !contains(&above, stack.frame[i]);
			if (i == 0)
				continue;
			add_row(&callers, stack.frame[i], stack.frame[i - 1]);
			add_row(&callees, stack.frame[i - 1], stack.frame[i]);
			add_row(&threads, stack.frame[i], stack.frame[0]);
		}
		for (uint32_t f = 0; f < nframes; f++)
		{
			if (contains(&stack, f))
				sum_add(&total[f], stack.value);
		}
		if (stack.depth > 0)
			sum_add(&self[stack.frame[stack.depth - 1]], stack.value);
	}
	CHECK(fg_frame_metrics(ctx, tree, metrics));
	for (uint32_t f = 0; f < nframes; f++)
	{
		uint32_t	recursion_free = 0;

		for (uint32_t i = 0; i < nodes.count; i++)
			recursion_free += nodes.rows[i].a == f && nodes.rows[i].last;
		CHECK(is_sum(metrics[f].total, &total[f]));
		CHECK(is_sum(metrics[f].self, &self[f]));
		CHECK_COUNT(metrics[f].nodes, distinct(&nodes, f));
		CHECK_COUNT(metrics[f].recursion_free, recursion_free);
		CHECK_COUNT(metrics[f].callers, distinct(&callers, f));
		CHECK_COUNT(metrics[f].callees, distinct(&callees, f));
		CHECK_COUNT(metrics[f].threads, distinct(&threads, f));
	}
	free(nodes.rows);
	free(callers.rows);
	free(callees.rows);
	free(threads.rows);
	free(total);
	free(self);
	free(metrics);
}

static void
test_given_metrics(void)
{
	static const struct
	{
		const char *what;
		const char *text;
		struct
		{
			const char *frame;
			FgFrameMetrics metrics; /* total, self, nodes, free, callers, callees, threads */
		}			rows[5];
	}			cases[] = {
		{"golden metrics_figure_3_6_like", "a 1\na;b;c 2\na;b;a 3\na;c;c 4\na;c;b;c 5",
			{{"a", {15, 4, 2, 1, 1, 2, 1}}, {"b", {10, 0, 2, 2, 2, 2, 1}},
		{"c", {11, 11, 4, 2, 3, 2, 1}}}},
		{"golden metrics_signed_zero", "a;b 2\na;c -2",
			{{"a", {0, 0, 1, 1, 0, 2, 0}}, {"b", {2, 2, 1, 1, 1, 0, 1}},
		{"c", {-2, -2, 1, 1, 1, 0, 1}}}},
		{"threads are the first frames", "t;u;f 1\nu;f 2\nv;t;f;f 4\nf 8",
			{{"f", {15, 15, 5, 4, 3, 1, 3}}, {"t", {5, 0, 2, 2, 1, 2, 1}},
		{"u", {3, 0, 2, 2, 1, 1, 1}}, {"v", {4, 0, 1, 1, 0, 1, 0}}}},
		{"nothing", " 3", {{NULL, {0, 0, 0, 0, 0, 0, 0}}}}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		FgTree		tree = tree_of_text(&ctx, cases[i].text);
		FgFrameMetrics got[5];
		uint32_t	n = 0;

		unit_case("metrics: %s", cases[i].what);
		CHECK(fg_frame_metrics(&ctx, &tree, got));
		for (; cases[i].rows[n].frame != NULL; n++)
		{
			const FgFrameMetrics *expected = &cases[i].rows[n].metrics;

			CHECK_COUNT(fg_frames_find(&tree.frames, cases[i].rows[n].frame, 1), n);
			CHECK_DOUBLE(got[n].total, expected->total);
			CHECK_DOUBLE(got[n].self, expected->self);
			CHECK_COUNT(got[n].nodes, expected->nodes);
			CHECK_COUNT(got[n].recursion_free, expected->recursion_free);
			CHECK_COUNT(got[n].callers, expected->callers);
			CHECK_COUNT(got[n].callees, expected->callees);
			CHECK_COUNT(got[n].threads, expected->threads);
		}
		CHECK_COUNT(tree.frames.count, n);
		fg_tree_free(&ctx, &tree);
	}
}

static void
test_random_metrics(void)
{
	UnitRandom	random = {10};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("metrics of random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < 100; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, naive_shape(&random, round, kind, 5));
			FgTree		tree = naive_tree(&ctx, &naive);

			unit_note("[round %d]", round);
			check_metrics(&ctx, &tree, &naive);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* With 1 in each node the k-th frame has what is below its first node. */
static void
check_chain(uint32_t count, uint32_t period)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_chain(&ctx, count, period);
	FgFrameMetrics *metrics = malloc(period * sizeof(FgFrameMetrics));

	unit_case("metrics of a chain of %u frames, %u different ones", count, period);
	CHECK(fg_frame_metrics(&ctx, &tree, metrics));
	for (uint32_t f = 0; f < period; f++)
	{
		CHECK_DOUBLE(metrics[f].total, count - f);
		CHECK_DOUBLE(metrics[f].self, metrics[f].nodes);
		CHECK_COUNT(metrics[f].nodes, (count - f + period - 1) / period);
		CHECK_COUNT(metrics[f].recursion_free, 1);
		CHECK_COUNT(metrics[f].callers, f > 0 || count > period);
		CHECK_COUNT(metrics[f].callees, f + 1 < period || count > period);
	}
	free(metrics);
	fg_tree_free(&ctx, &tree);
}

static void
test_range(void)
{
	/* the profile's total fits, that of what is called twice does not */
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "p;a;b 1e308\nq;a;b 1e308\nr -1e308");
	FgFrameMetrics metrics[8];

	unit_case("a function that overflows");
	CHECK_ERROR(fg_frame_metrics(&ctx, &tree, metrics), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
run_metrics(FgContext *ctx, void *arg)
{
	const FgTree *tree = arg;
	FgFrameMetrics *metrics = malloc(((size_t) tree->frames.count + 1) *
									 sizeof(FgFrameMetrics));
	bool		ok = fg_frame_metrics(ctx, tree, metrics);

	free(metrics);
	return ok;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		small = tree_of_text(&ctx, "a;b;a;g;b 1\ng;b;g;a 2\nc 1\ng;a 3");
	FgTree		wide = naive_wide(&ctx, 5, 600, true);
	FgTree		large = naive_wide(&ctx, 270, 270, true);

	unit_sweep_memory("fg_frame_metrics", run_metrics, &small);
	unit_sweep_memory("fg_frame_metrics", run_metrics, &wide);
	unit_sweep_interrupts("fg_frame_metrics", run_metrics, &large, 2);
	fg_tree_free(&ctx, &small);
	fg_tree_free(&ctx, &wide);
	fg_tree_free(&ctx, &large);
}

int
main(void)
{
	test_given_metrics();
	test_random_metrics();
	check_chain(1, 1);
	check_chain(5000, 1);
	check_chain(60000, 1);
	check_chain(60000, 2);
	check_chain(60000, 60000);
	test_range();
	test_failures();
	return unit_finish();
}
