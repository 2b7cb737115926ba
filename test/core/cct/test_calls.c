/*
 * test_calls.c
 *	  Calls between functions and functions by thread, against their definitions, stack by
 *	  stack.
 */
#include "stack_rows.h"

#include "core/cct/calls.h"

#include <math.h>

/* --- calls ------------------------------------------------------------------------------------ */

static void
check_calls(FgContext *ctx, const FgTree *tree, const Naive *naive, FgCallChoice choice,
			uint32_t frame)
{
	Sum			total = {0, 0, false};
	Rows		rows = {0};
	double		got = NAN;
	FgTally		tally;

	for (size_t s = 0; s < naive->count; s++)
	{
		Stack		stack = stack_of(tree, &naive->entries[s]);

		for (uint32_t i = 0; i < stack.depth; i++)
		{
			uint32_t	caller = i > 0 ? stack.frame[i - 1] : FG_NONE;

			if (choice == FG_CALLS_ALL ||
				(choice == FG_CALLS_TO ? stack.frame[i] : caller) == frame)
				count_stack(&rows, caller, stack.frame[i], s, stack.value);
		}
		if (contains(&stack, frame))
			sum_add(&total, stack.value);
	}
	CHECK(fg_calls(ctx, tree, choice, frame, &tally, choice == FG_CALLS_ALL ? NULL : &got));
	check_tally(&tally, &rows);
	if (choice != FG_CALLS_ALL)
		CHECK(is_sum(got, &total));
	fg_tally_free(&tally);
}

static void
check_threads(FgContext *ctx, const FgTree *tree, const Naive *naive, const uint8_t *starts)
{
	uint32_t	nframes = tree->frames.count;
	Sum		   *sums = calloc((size_t) nframes + 1, sizeof(Sum));
	double	   *total = malloc(((size_t) nframes + 1) * sizeof(double));
	Rows		rows = {0};
	FgTally		tally;

	for (size_t s = 0; s < naive->count; s++)
	{
		Stack		stack = stack_of(tree, &naive->entries[s]);
		uint32_t	start = 0;

		while (start < stack.depth && starts != NULL && !starts[stack.node[start]])
			start++;
		for (uint32_t i = start < stack.depth ? start + 1 : 0; i < stack.depth; i++)
			count_stack(&rows, start < stack.depth ? stack.frame[start] : FG_NONE,
						stack.frame[i], s, stack.value);
	}
	for (uint32_t i = 0; i < rows.count; i++)
	{
		Sum		   *sum = &sums[rows.rows[i].b];

		sum->value += rows.rows[i].sum.value;
		sum->weight += rows.rows[i].sum.weight;
		sum->fraction = sum->fraction || rows.rows[i].sum.fraction;
	}
	CHECK(fg_threads(ctx, tree, starts, &tally, total));
	check_tally(&tally, &rows);
	for (uint32_t f = 0; f < nframes; f++)
		CHECK(is_sum(total[f], &sums[f]));
	fg_tally_free(&tally);
	free(sums);
	free(total);
}

typedef struct GivenCalls
{
	const char *what;
	const char *text;
	FgCallChoice choice;
	const char *frame;
	double		total;
	struct
	{
		const char *caller; /* NULL for none */
		const char *callee;
		double		samples;
	}			rows[5];
} GivenCalls;

static const GivenCalls given_calls[] = {
	{"golden callers_top_frame", "m 3\nm;m 4\nq;m 5\nq;m;r;q;m 6", FG_CALLS_TO, "m", 18,
	{{"q", "m", 11}, {NULL, "m", 7}, {"m", "m", 4}}},
	{"golden metrics_literal_set_trap", "m;c;x;c;m;c 10\nm;d 10", FG_CALLS_FROM, "m", 20,
	{{"m", "c", 10}, {"m", "d", 10}}},
	{"all, equal ones by caller and callee, no caller last", "b;a 1\na;b 1\na;c 1\nb 1",
		FG_CALLS_ALL, "", 0,
	{{NULL, "a", 2}, {NULL, "b", 2}, {"a", "b", 1}, {"a", "c", 1}, {"b", "a", 1}}},
	{"a call that cancels keeps its row", "a;b;c 2\na;b;d -2\na 1", FG_CALLS_FROM, "a", 1,
	{{"a", "b", 0}}},
	{"a value of the root is no call", " 5", FG_CALLS_ALL, "", 0, {{NULL, NULL, 0}}},
	{"nobody calls it", "a;b 1", FG_CALLS_TO, "x", 0, {{NULL, NULL, 0}}}
};

static void
test_given_calls(void)
{
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(given_calls); i++)
	{
		const GivenCalls *given = &given_calls[i];
		FgTree		tree = tree_of_text(&ctx, given->text);
		uint32_t	frame = fg_frames_find(&tree.frames, given->frame, strlen(given->frame));
		double		total = 0;
		uint32_t	n = 0;
		FgTally		tally;

		unit_case("calls: %s", given->what);
		CHECK(fg_calls(&ctx, &tree, given->choice, frame, &tally,
					   given->choice == FG_CALLS_ALL ? NULL : &total));
		CHECK_DOUBLE(total, given->total);
		for (; n < 5 && given->rows[n].callee != NULL; n++)
		{
			const char *caller = given->rows[n].caller;
			const char *callee = given->rows[n].callee;
			FgNumberPair pair;

			if (!CHECK(n < tally.pairs.count))
				break;
			pair = tally.pairs.pairs[tally.order[n]];
			CHECK_COUNT(pair.a, caller == NULL ? FG_NONE
						: fg_frames_find(&tree.frames, caller, strlen(caller)));
			CHECK_COUNT(pair.b, fg_frames_find(&tree.frames, callee, strlen(callee)));
			CHECK_DOUBLE(tally.value[tally.order[n]], given->rows[n].samples);
		}
		CHECK_COUNT(tally.pairs.count, n);
		fg_tally_free(&tally);
		fg_tree_free(&ctx, &tree);
	}
}

static void
test_random_calls(void)
{
	UnitRandom	random = {9};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("calls and threads of random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < unit_rounds(100); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, naive_shape(&random, round, kind, 5));
			FgTree		tree = naive_tree(&ctx, &naive);
			uint8_t    *starts = calloc((size_t) tree.nnodes + 1, 1);
			uint32_t	few = tree.frames.count < 6 ? tree.frames.count : 6;

			unit_note("[round %d]", round);
			check_calls(&ctx, &tree, &naive, FG_CALLS_ALL, UINT32_MAX);
			for (uint32_t f = 0; f < few; f++)
			{
				check_calls(&ctx, &tree, &naive, FG_CALLS_TO, f);
				check_calls(&ctx, &tree, &naive, FG_CALLS_FROM, f);
			}
			check_calls(&ctx, &tree, &naive, FG_CALLS_TO, UINT32_MAX);
			check_threads(&ctx, &tree, &naive, NULL);
			check_threads(&ctx, &tree, &naive, starts);
			for (uint32_t i = 0; i <= tree.nnodes; i++)
				starts[i] = unit_below(&random, 1 + round % 8) == 0;
			check_threads(&ctx, &tree, &naive, starts);
			free(starts);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_given_threads(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "T;a;b 1\nT;a;T 2\nU;a 4\nmain;T;a;U;b 8\nmain;b 16\n"
									"x;y 32");
	uint8_t    *starts = calloc((size_t) tree.nnodes + 1, 1);
	static const struct
	{
		const char *thread;
		const char *frame;
		double		samples;
	}			rows[] = {
		/* U below T is part of T; main above T is nobody's */
		{NULL, "x", 32}, {NULL, "y", 32}, {NULL, "b", 16}, {NULL, "main", 16}, {"T", "a", 11},
		{"T", "b", 9}, {"T", "U", 8}, {"U", "a", 4}, {"T", "T", 2}
	};
	double		total[16];
	FgTally		tally;

	unit_case("threads by flagged nodes");
	for (uint32_t i = 1; i <= tree.nnodes; i++)
	{
		const char *frame = fg_frame_bytes(&tree.frames, fg_key_frame(tree.key[i]));

		starts[i] = *frame == 'T' || *frame == 'U';
	}
	CHECK(fg_threads(&ctx, &tree, starts, &tally, total));
	CHECK_COUNT(tally.pairs.count, COUNT(rows));
	for (uint32_t i = 0; i < COUNT(rows) && i < tally.pairs.count; i++)
	{
		FgNumberPair pair = tally.pairs.pairs[tally.order[i]];
		uint32_t	frame = fg_frames_find(&tree.frames, rows[i].frame, strlen(rows[i].frame));

		CHECK_COUNT(pair.a, rows[i].thread == NULL ? FG_NONE
					: fg_frames_find(&tree.frames, rows[i].thread, 1));
		CHECK_COUNT(pair.b, frame);
		CHECK_DOUBLE(tally.value[tally.order[i]], rows[i].samples);
		CHECK_DOUBLE(total[frame], *rows[i].frame == 'a' ? 15 : *rows[i].frame == 'b' ? 25
					 : rows[i].samples);
	}
	fg_tally_free(&tally);
	fg_tree_free(&ctx, &tree);
	free(starts);
}

/* --- deep chains and large numbers --------------------------------------------------------- */

/* With 1 in each node the k-th frame has what is below its first node. */
static void
check_chain(uint32_t count, uint32_t period)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_chain(&ctx, count, period);
	double	   *total = malloc(period * sizeof(double));
	double		of_frame;
	FgTally		tally;

	unit_case("calls in a chain of %u frames, %u different ones", count, period);
	CHECK(fg_calls(&ctx, &tree, FG_CALLS_ALL, 0, &tally, NULL));
	CHECK_COUNT(tally.pairs.count, period + (count > period));
	for (uint32_t i = 0; i < tally.pairs.count; i++)
	{
		/* each call has one stack less below it than the one before */
		CHECK_DOUBLE(tally.value[tally.order[i]], count - i);
		CHECK_COUNT(tally.pairs.pairs[tally.order[i]].a, i == 0 ? FG_NONE : i - 1);
		CHECK_COUNT(tally.pairs.pairs[tally.order[i]].b, i % period);
	}
	fg_tally_free(&tally);
	CHECK(fg_calls(&ctx, &tree, FG_CALLS_FROM, 0, &tally, &of_frame));
	CHECK_DOUBLE(of_frame, count);
	CHECK_COUNT(tally.pairs.count, count > 1);
	fg_tally_free(&tally);

	CHECK(fg_threads(&ctx, &tree, NULL, &tally, total));
	CHECK_COUNT(tally.pairs.count, period - (count == period));
	for (uint32_t f = 0; f < period; f++)
		CHECK_DOUBLE(total[f], f > 0 ? count - f : count > period ? count - period : 0);
	fg_tally_free(&tally);
	free(total);
	fg_tree_free(&ctx, &tree);
}

static void
test_range(void)
{
	/* the profile's total fits, that of what is called twice does not */
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "p;a;b 1e308\nq;a;b 1e308\nr -1e308");
	uint8_t		starts[] = {0, 0, 1, 0, 0, 1, 0, 0};	/* both a */
	double		total[8];
	FgTally		tally;

	unit_case("a call, a thread that overflow");
	CHECK_COUNT(tree.nnodes, 7);
	CHECK_ERROR(fg_calls(&ctx, &tree, FG_CALLS_ALL, 0, &tally, NULL), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_calls(&ctx, &tree, FG_CALLS_FROM, fg_frames_find(&tree.frames, "a", 1), &tally,
						 total), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_threads(&ctx, &tree, starts, &tally, total), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);

	/* each call fits, each thread, too */
	unit_case("only the sum over all callers or threads overflows");
	tree = tree_of_text(&ctx, "p;a;b 1e308\nq;a;c 1e308\nr -1e308");
	CHECK_ERROR(fg_calls(&ctx, &tree, FG_CALLS_TO, fg_frames_find(&tree.frames, "a", 1), &tally,
						 total), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_calls(&ctx, &tree, FG_CALLS_FROM, fg_frames_find(&tree.frames, "a", 1), &tally,
						 total), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_threads(&ctx, &tree, NULL, &tally, total), &ctx, FG_ERROR_RANGE);
	CHECK(fg_calls(&ctx, &tree, FG_CALLS_ALL, 0, &tally, NULL));
	fg_tally_free(&tally);

	unit_case("calls that fit where others overflow");
	CHECK(fg_calls(&ctx, &tree, FG_CALLS_FROM, fg_frames_find(&tree.frames, "p", 1), &tally,
				   total));
	CHECK_DOUBLE(total[0], 1e308);
	fg_tally_free(&tally);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- failures ------------------------------------------------------------------------------- */

typedef struct Input
{
	FgTree		tree;
	uint8_t    *starts;			/* by node, every third one */
} Input;

static bool
run_choice(FgContext *ctx, const FgTree *tree, FgCallChoice choice)
{
	FgTally		tally;
	double		total;

	if (!fg_calls(ctx, tree, choice, 1, &tally, choice == FG_CALLS_ALL ? NULL : &total))
		return false;
	fg_tally_free(&tally);
	return true;
}

static bool
run_calls(FgContext *ctx, void *arg)
{
	const Input *input = arg;

	return run_choice(ctx, &input->tree, FG_CALLS_ALL);
}

static bool
run_callers(FgContext *ctx, void *arg)
{
	const Input *input = arg;

	return run_choice(ctx, &input->tree, FG_CALLS_TO);
}

static bool
run_threads_by(FgContext *ctx, const Input *input, const uint8_t *starts)
{
	double	   *total = malloc(((size_t) input->tree.frames.count + 1) * sizeof(double));
	FgTally		tally;
	bool		ok = fg_threads(ctx, &input->tree, starts, &tally, total);

	if (ok)
		fg_tally_free(&tally);
	free(total);
	return ok;
}

static bool
run_threads(FgContext *ctx, void *arg)
{
	return run_threads_by(ctx, arg, NULL);
}

static bool
run_started_threads(FgContext *ctx, void *arg)
{
	return run_threads_by(ctx, arg, ((const Input *) arg)->starts);
}

static Input
input_of(FgTree tree)
{
	Input		input = {.tree = tree, .starts = malloc((size_t) tree.nnodes + 1)};

	for (uint32_t i = 0; i <= tree.nnodes; i++)
		input.starts[i] = i % 3 == 0;
	return input;
}

static void
input_free(FgContext *ctx, Input *input)
{
	free(input->starts);
	fg_tree_free(ctx, &input->tree);
}

static void
test_failures(void)
{
	static const struct
	{
		const char *name;
		UnitOperation operation;
		size_t		polls;
	}			rows[] = {
		{"fg_calls", run_calls, 3},
		{"fg_calls to a frame", run_callers, 2},
		{"fg_threads", run_threads, 3},
		{"fg_threads with starts", run_started_threads, 3}
	};
	FgContext	ctx = fg_malloc_context();
	/* the second has more than FG_CHECK_NODES nodes, frames and pairs */
	Input		small = input_of(tree_of_text(&ctx, "a;b:1;a;g:7;b 1\ng:7 (x:1);b;g:8;a 2\n"
											  "c 1\ng;a 3"));
	Input		large = input_of(naive_wide(&ctx, 270, 270, true));
	Input		calls = input_of(naive_wide(&ctx, 5, 600, true));

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_sweep_memory(rows[i].name, rows[i].operation, &small);
		unit_sweep_memory(rows[i].name, rows[i].operation, &calls);
		unit_sweep_interrupts(rows[i].name, rows[i].operation, &large, rows[i].polls);
	}
	input_free(&ctx, &small);
	input_free(&ctx, &large);
	input_free(&ctx, &calls);
}

int
main(void)
{
	test_given_calls();
	test_random_calls();
	test_given_threads();
	check_chain(1, 1);
	check_chain(5000, 1);
	check_chain(60000, 1);
	check_chain(60000, 2);
	check_chain(60000, 60000);
	test_range();
	test_failures();
	return unit_finish();
}
