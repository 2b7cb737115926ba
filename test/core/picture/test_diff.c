/*
 * test_diff.c
 *	  Pictures of differences and of their parts: pieces add up, states of keys, failures.
 *	  What boxes look like is tested in SQL (test/t/059_differences.pl), with another reader.
 */
#include "naive.h"

#include "core/compare/sampling.h"
#include "core/picture/change_parts.h"
#include "core/picture/diff_runs.h"
#include "core/picture/parts.h"

#include <float.h>
#include <math.h>

/* Every second node. */
static bool
match_some(FgContext *ctx, void *arg, const FgTree *tree, uint8_t *matches)
{
	(void) arg;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
		matches[i] = i % 2 == 0;
	return fg_check(ctx);
}

typedef struct Case
{
	FgTree		trees[4];		/* the first two are before */
	FgDiffOptions options;
	int			form;			/* of draw() */
	FgGroup		groups[2];
} Case;

static bool
read_tree(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	return fg_tree_copy(ctx, &((const FgTree *) arg)[i], profile);
}

static bool
draw(FgContext *ctx, Case *c, FgBuffer *svg)
{
	FgProfiles	before = {read_tree, c->trees, 2};
	FgProfiles	after = {read_tree, c->trees + 2, 2};
	FgDiffTest	test = {.correction = FG_CORRECT_BH, .max_t = c->form == 5, .permutations = 19};

	*svg = (FgBuffer) {.ctx = ctx};
	switch (c->form)
	{
		case 0:
			return fg_diff_recordings(&c->trees[0], &c->trees[2], 0, &c->options, svg);
		case 1:
			return fg_diff_recordings(&c->trees[0], &c->trees[2], 1, &c->options, svg);
		case 2:
		case 5:
			return fg_diff_groups(&before, &after, &test, &c->options, svg);
		case 3:
			return fg_diff_history(&before, &c->trees[2], 10, 1, &c->options, svg);
		case 4:
			return fg_diff_stats(&c->groups[0], &c->groups[1], &test, &c->options, svg);
		case 6:
			return fg_parts_svg(&c->trees[0], &c->trees[2], &c->options.look, svg);
		default:
			return fg_parts_of_groups(&before, &after, 0.05, &c->options.look, svg);
	}
}

#define FORMS 8

static bool
run(FgContext *ctx, void *arg)
{
	FgBuffer	svg;
	bool		ok = draw(ctx, arg, &svg);

	fg_release(ctx, svg.data);
	return ok;
}

/* Pieces of every node, and what they add up to. */
static void
check_pieces(FgContext *ctx, const Naive *a, const Naive *b)
{
	FgTree		before = naive_tree(ctx, a);
	FgTree		after = naive_tree(ctx, b);
	FgTreeUnion both;
	FgChangeParts p;

	if (!CHECK(fg_tree_union(ctx, &before, &after, &both)))
		return;
	CHECK(fg_change_parts(ctx, &both, &p));
	for (uint32_t i = 0; i <= both.tree.nnodes; i++)
	{
		CHECK_NEAR(p.total[FG_COMMON][i] + p.total[FG_SHRUNK][i] + p.total[FG_DISAPPEARED][i],
				   both.total[FG_BEFORE][i], 1e-12);
		CHECK_NEAR(p.total[FG_COMMON][i] + p.total[FG_GROWN][i] + p.total[FG_APPEARED][i],
				   both.total[FG_AFTER][i], 1e-12);
		for (FgPiece piece = 0; piece < FG_PIECES; piece++)
			CHECK(p.total[piece][i] >= 0);
	}
	fg_change_parts_free(ctx, &p);
	fg_tree_union_free(ctx, &both);
	fg_tree_free(ctx, &before);
	fg_tree_free(ctx, &after);
}

static void
test_pieces(void)
{
	UnitRandom	random = {5};
	FgContext	ctx = fg_malloc_context();

	unit_case("pieces add up");
	for (int round = 0; round < unit_rounds(60); round++)
	{
		Naive		a = naive_random(&random, naive_shape(&random, round, NAIVE_COUNTS, 12));
		Naive		b = naive_random(&random, naive_shape(&random, round / 2, NAIVE_COUNTS, 12));

		unit_note("round %d", round);
		check_pieces(&ctx, &a, &b);
		naive_free(&a);
		naive_free(&b);
	}
}

static FgDiffState
state_of(FgContext *ctx, const char *before, const char *after, double unit, FgVerdictsBy by)
{
	FgTree		trees[2] = {tree_of_text(ctx, before), tree_of_text(ctx, after)};
	FgTreeUnion both;
	FgWelchComparison comparison;
	FgVerdicts	verdicts;
	FgDiffState state;

	CHECK(fg_tree_union(ctx, &trees[0], &trees[1], &both));
	CHECK(fg_compare_recordings(ctx, &trees[0], &trees[1], FG_LEVEL_NODE, 1, unit, &comparison));
	CHECK(fg_verdicts(ctx, &both.tree, &comparison, FG_LEVEL_NODE, by, 0.05, &verdicts));
	CHECK_COUNT(verdicts.of[0], 0);
	state = verdicts.list[verdicts.of[1] - 1].state;
	fg_verdicts_free(ctx, &verdicts);
	fg_comparison_free(ctx, &comparison);
	fg_tree_union_free(ctx, &both);
	fg_tree_free(ctx, &trees[0]);
	fg_tree_free(ctx, &trees[1]);
	return state;
}

static void
test_states(void)
{
	FgContext	ctx = fg_malloc_context();
	static const struct
	{
		const char *before;
		const char *after;
		FgDiffState untested;	/* and without a test */
	}			rows[] = {
		{"a 100", "a 100", FG_DIFF_SAME}, {"a 100", "a 104", FG_DIFF_SAME},
		{"a 100", "a 106", FG_DIFF_INCREASE}, {"a 100", "a 119", FG_DIFF_INCREASE},
		{"a 100", "a 120", FG_DIFF_INCREASE + 1}, {"a 100", "a 150", FG_DIFF_INCREASE + 2},
		{"a 100", "a 200", FG_DIFF_INCREASE + 3}, {"a 200", "a 100", FG_DIFF_DECREASE + 3},
		{"a 150", "a 100", FG_DIFF_DECREASE + 2}, {"a 119", "a 100", FG_DIFF_DECREASE},
		{"", "a 1", FG_DIFF_APPEARED}, {"a 1", "", FG_DIFF_DISAPPEARED}
	};

	unit_case("states and classes");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("%s, %s", rows[i].before, rows[i].after);
		CHECK_COUNT(state_of(&ctx, rows[i].before, rows[i].after, 0, FG_VERDICTS_NONE),
					rows[i].untested);
	}
	CHECK_COUNT(state_of(&ctx, "a 1", "a 2", 0, FG_VERDICTS_RUNS), FG_DIFF_UNTESTED);
	CHECK_COUNT(state_of(&ctx, "", "a 1", 1, FG_VERDICTS_SAMPLING), FG_DIFF_NOISE);
	CHECK_COUNT(state_of(&ctx, "", "a 9", 1, FG_VERDICTS_SAMPLING), FG_DIFF_APPEARED);
	CHECK_COUNT(state_of(&ctx, "a 1000", "a 1020", 1, FG_VERDICTS_SAMPLING), FG_DIFF_NOISE);
}

static void
test_sameness(void)
{
	static const struct
	{
		double		before;
		double		after;
		bool		same;
	}			rows[] = {
		{0, 0, true}, {500, 500.00000000000006, true}, {0.1 + 0.2, 0.3, true}, {1, 1 + 2e-9, false},
		{1e300, 1e300 * (1 + 1e-15), true}, {DBL_MAX, DBL_MAX / 2, false}, {0, 1e-300, false},
		{0, DBL_TRUE_MIN, false}, {DBL_TRUE_MIN, 2 * DBL_TRUE_MIN, false},
		{DBL_TRUE_MIN, DBL_TRUE_MIN, true}, {1e-315, 1.001e-315, false}, {DBL_TRUE_MIN, DBL_MAX, false}
	};

	unit_case("values that are the same but for rounding");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("%g, %g", rows[i].before, rows[i].after);
		CHECK(fg_is_unchanged(rows[i].before, rows[i].after) == rows[i].same);
		CHECK(fg_is_unchanged(rows[i].after, rows[i].before) == rows[i].same);
	}
}

static void
prepare_groups(FgContext *ctx, Case *c, FgAccumulator sums[2])
{
	for (int i = 0; i < 4; i++)
	{
		FgTree		copy;

		if (i % 2 == 0)
			fg_accumulator_init(ctx, &sums[i / 2], FG_ACCUMULATE_MOMENTS);
		CHECK(fg_level_apply(ctx, &c->trees[i], FG_LEVEL_NODE, &copy));
		CHECK(fg_accumulator_add(&sums[i / 2], &copy));
	}
	for (int i = 0; i < 2; i++)
		c->groups[i] = (FgGroup) {.n = 2, .moments = fg_accumulator_moments(&sums[i])};
}

static void
test_failures(void)
{
	static const char *const words[FORMS] = {
		"recordings", "sampling", "groups", "history", "statistics", "maxT", "parts",
		"parts of groups"
	};
	FgContext	ctx = fg_malloc_context();
	FgAccumulator sums[2];
	Case		c = {
		.trees = {
			tree_of_text(&ctx, "a;b 30\na;c 1\nd 2"), tree_of_text(&ctx, "a;b 33\na;c 1\nd 2"),
			tree_of_text(&ctx, "a;b 90\na;e 1\nd 2"), tree_of_text(&ctx, "a;b 95\na;e 2\nd 2\n 1")},
		.options = {.look = fg_flame_defaults(), .level = FG_LEVEL_NODE, .alpha = 0.05}
	};

	c.options.look.interactive = true;
	c.options.look.highlight.match = match_some;
	prepare_groups(&ctx, &c, sums);
	for (c.form = 0; c.form < FORMS; c.form++)
	{
		c.options.widths = (FgWidths) (c.form % 4);
		unit_sweep_memory(words[c.form], run, &c);
	}
	for (int i = 0; i < 2; i++)
		fg_accumulator_free(&sums[i]);
	for (int i = 0; i < 4; i++)
		fg_tree_free(&ctx, &c.trees[i]);
}

/* Draws in one of the forms; all words are there, or no word is. */
static void
check_drawn(FgContext *ctx, Case *c, int form, const char *const words[3], bool there)
{
	FgBuffer	svg;

	c->form = form;
	unit_note("form %d", form);
	if (!CHECK(draw(ctx, c, &svg)))
		return;
	CHECK(fg_buffer_append(&svg, "", 1));
	for (int w = 0; w < 3 && words[w] != NULL; w++)
		CHECK((strstr((const char *) svg.data, words[w]) != NULL) == there);
	fg_release(ctx, svg.data);
}

/* What rounding makes of the same values is no change, in whatever form. */
static void
test_rounding(void)
{
	static const char *const nothing[3] = {"nothing has changed"};
	static const char *const errors[3] = {"e-1", "shrunk 5", "+5"};
	static const char *const grey[3] = {
		": 3 calling contexts tested, 0 significant", "\nbefore 10 samples (", "q = 1, 2 + 2 runs: not"
	};
	static const char *const empty_parts[3] = {"grown: nothing", "shrunk: nothing"};
	FgContext	ctx = fg_malloc_context();
	FgAccumulator sums[2];
	Case		c = {
		.trees = {
			tree_of_text(&ctx, "m 4\nm;a 0.1\nm;c 10"), tree_of_text(&ctx, "m 4\nm;a 0.5\nm;c 10"),
			tree_of_text(&ctx, "m 12\nm;a 1.5\nm;c 30"), tree_of_text(&ctx, "m 12\nm;a 0.3\nm;c 30")},
		.options = {
			.look = fg_flame_defaults(), .level = FG_LEVEL_NODE, .alpha = 0.05,
			.widths = FG_WIDTHS_CHANGE, .size = FG_SIZE_TOTAL
		}
	};

	unit_case("rounding errors are no change");
	prepare_groups(&ctx, &c, sums);
	check_drawn(&ctx, &c, 2, nothing, true);
	check_drawn(&ctx, &c, 4, nothing, true);
	c.options.widths = FG_WIDTHS_UNION;
	check_drawn(&ctx, &c, 2, grey, true);
	check_drawn(&ctx, &c, 2, errors, false);
	check_drawn(&ctx, &c, 4, errors, false);
	for (int i = 0; i < 2; i++)
		fg_accumulator_free(&sums[i]);
	for (int i = 0; i < 4; i++)
		fg_tree_free(&ctx, &c.trees[i]);
	c.trees[0] = tree_of_text(&ctx, "m;a 500\nm;b 1000\nm;c 10");
	c.trees[2] = tree_of_text(&ctx, "m;a 550\nm;b 1100\nm;c 11");
	c.options.widths = FG_WIDTHS_CHANGE;
	check_drawn(&ctx, &c, 0, nothing, true);
	fg_tree_free(&ctx, &c.trees[0]);
	fg_tree_free(&ctx, &c.trees[2]);
	c.trees[0] = tree_of_text(&ctx, "m;a 0.30000000000000004\nm;b 1");
	c.trees[2] = tree_of_text(&ctx, "m;a 0.3\nm;b 1");
	c.options.size = FG_SIZE_NONE;
	check_drawn(&ctx, &c, 0, nothing, true);
	check_drawn(&ctx, &c, 6, empty_parts, true);
	fg_tree_free(&ctx, &c.trees[0]);
	fg_tree_free(&ctx, &c.trees[2]);
}

static void
test_interrupts(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		c = {
		.trees = {naive_wide(&ctx, 200, 300, true), naive_wide(&ctx, 200, 300, true),
			naive_wide(&ctx, 200, 300, false), naive_wide(&ctx, 200, 300, false)},
		.options = {
			.look = fg_flame_defaults(), .level = FG_LEVEL_NODE, .alpha = 0.05,
			.widths = FG_WIDTHS_AFTER
		}
	};

	for (c.form = 0; c.form < FORMS; c.form += c.form == 1 ? 5 : 1)
		unit_sweep_interrupts("pictures of differences", run, &c, 5);
	for (int i = 0; i < 4; i++)
		fg_tree_free(&ctx, &c.trees[i]);
}

int
main(void)
{
	test_pieces();
	test_states();
	test_sameness();
	test_failures();
	test_rounding();
	test_interrupts();
	return unit_finish();
}
