/*
 * test_sandwich.c
 *	  Sandwiches: failures of memory and cancelling, many profiles and options; what is in
 *	  them is tested by test/t/055_pictures.pl.
 */
#include "naive.h"

#include "core/picture/sandwich.h"

typedef struct Asked
{
	const FgTree *tree;
	FgText		name;
	FgFlameOptions options;
} Asked;

/* Every second node. */
static bool
match_some(FgContext *ctx, void *arg, const FgTree *tree, uint8_t *matches)
{
	(void) arg;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
		matches[i] = i % 2 == 0;
	return fg_check(ctx);
}

static FgText
frame_of(const FgTree *tree, uint32_t frame)
{
	return (FgText) {fg_frame_bytes(&tree->frames, frame), fg_frame_length(&tree->frames, frame)};
}

static bool
run_sandwich(FgContext *ctx, void *arg)
{
	const Asked *asked = arg;
	FgText		name = asked->name;
	uint32_t	frame = fg_frames_find(&asked->tree->frames, name.bytes, name.length);
	FgBuffer	svg = {.ctx = ctx};
	FgSandwich	sandwich;
	bool		ok = fg_sandwich_begin(ctx, asked->tree, frame, name, &sandwich) &&
		fg_sandwich_svg(&sandwich, &asked->options, &svg);

	fg_sandwich_end(ctx, &sandwich);
	fg_release(ctx, svg.data);
	return ok;
}

static void
test_random(void)
{
	UnitRandom	random = {77};

	unit_case("sandwiches of each frame of random profiles");
	for (int round = 0; round < 40; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Naive		naive = naive_random(&random, naive_shape(&random, round, NAIVE_COUNTS, 8));
		FgTree		tree = naive_tree(&ctx, &naive);

		unit_note("[round %d]", round);
		for (uint32_t i = 0; i <= tree.frames.count && i < 20; i++)
		{
			FgText		name = i < tree.frames.count ? frame_of(&tree, i) : (FgText) {"none", 4};
			Asked		asked = {&tree, name, fg_flame_defaults()};

			asked.options.interactive = unit_below(&random, 2) == 1;
			asked.options.highlight.match = unit_below(&random, 2) == 1 ? match_some : NULL;
			asked.options.max_boxes = 1 + unit_below(&random, 30);
			asked.options.max_rows = 1 + unit_below(&random, 5);
			asked.options.min_width = unit_below(&random, 10);
			asked.options.title = unit_below(&random, 2) == 1 ? (FgText) {"", 0} : (FgText) {0};
			CHECK(run_sandwich(&ctx, &asked));
		}
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		small = tree_of_text(&ctx, "a;b;c 1\na;c;b 2\nb 3\nd;b;b;e 4\n 5");
	FgTree		large = naive_wide(&ctx, 500, 300, false);
	FgTree		negative = tree_of_text(&ctx, "a -1");
	FgTree		chain = naive_chain(&ctx, 60000, 2);
	Asked		asked = {&small, {"b", 1}, fg_flame_defaults()};

	unit_sweep_memory("fg_sandwich_svg", run_sandwich, &asked);
	asked.options.interactive = true;
	asked.options.highlight.match = match_some;
	unit_sweep_memory("fg_sandwich_svg with a highlight", run_sandwich, &asked);
	asked.name = (FgText) {"x", 1};
	unit_sweep_memory("fg_sandwich_svg, no such frame", run_sandwich, &asked);
	asked = (Asked) {&large, frame_of(&large, 0), fg_flame_defaults()};
	unit_sweep_interrupts("fg_sandwich_svg", run_sandwich, &asked, 3);
	asked.options.interactive = true;
	asked.options.highlight.match = match_some;
	unit_sweep_interrupts("fg_sandwich_svg with a highlight", run_sandwich, &asked, 3);
	unit_case("a negative value, a deep chain");
	asked = (Asked) {&negative, {"a", 1}, fg_flame_defaults()};
	CHECK_ERROR(run_sandwich(&ctx, &asked), &ctx, FG_ERROR_ARGUMENT);
	asked = (Asked) {&chain, frame_of(&chain, 0), fg_flame_defaults()};
	CHECK(run_sandwich(&ctx, &asked));
	fg_tree_free(&ctx, &small);
	fg_tree_free(&ctx, &large);
	fg_tree_free(&ctx, &negative);
	fg_tree_free(&ctx, &chain);
}

int
main(void)
{
	test_random();
	test_failures();
	return unit_finish();
}
