/*
 * test_calls.c
 *	  Pairs, tallies, calls, threads, metrics of functions and call sites: against
 *	  their definitions, stack by stack.
 */
#include "naive.h"

#include "core/cct/calls.h"
#include "core/cct/lines.h"
#include "core/cct/metrics.h"
#include "core/profile/builder.h"

#include <math.h>
#include <regex.h>

#define MOST_FRAMES 64

static const char *const kinds[] = {"counts", "signed counts", "doubles"};

/* --- sums by pair -------------------------------------------------------------------- */

/* A sum, with what says how far rounding may take another one: nowhere for whole numbers. */
typedef struct Sum
{
	long double value;
	long double weight;
	bool		fraction;
} Sum;

static void
sum_add(Sum *sum, double value)
{
	sum->value += value;
	sum->weight += fabs(value);
	sum->fraction = sum->fraction || value != floor(value);
}

static bool
is_sum(double got, const Sum *sum)
{
	return sum->fraction ? fabsl(got - sum->value) <= 1e-12L * sum->weight
		: got == (double) sum->value;
}

typedef struct Row
{
	uint32_t	a;
	uint32_t	b;
	Sum			sum;
	size_t		last;			/* the stack counted last, plus 1 */
} Row;

typedef struct Rows
{
	Row		   *rows;
	uint32_t	count;
} Rows;

static Row *
find_row(const Rows *rows, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < rows->count; i++)
	{
		if (rows->rows[i].a == a && rows->rows[i].b == b)
			return &rows->rows[i];
	}
	return NULL;
}

static Row *
add_row(Rows *rows, uint32_t a, uint32_t b)
{
	Row		   *row = find_row(rows, a, b);

	if (row != NULL)
		return row;
	rows->rows = realloc(rows->rows, (rows->count + 1) * sizeof(Row));
	row = &rows->rows[rows->count++];
	*row = (Row) {a, b, {0, 0, false}, 0};
	return row;
}

/* The pair is in this stack: counts once, however often this is said. */
static void
count_stack(Rows *rows, uint32_t a, uint32_t b, size_t stack, double value)
{
	Row		   *row = add_row(rows, a, b);

	if (row->last == stack + 1)
		return;
	row->last = stack + 1;
	sum_add(&row->sum, value);
}

/* These rows and no other, the largest first, equal ones by pair; FG_NONE is the last number. */
static void
check_tally(const FgTally *tally, Rows *rows)
{
	uint32_t	count = tally->pairs.count;
	uint8_t    *seen = calloc((size_t) count + 1, 1);

	CHECK_COUNT(count, rows->count);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	number = tally->order[i];
		FgNumberPair pair;
		const Row  *row;

		if (!CHECK(number < count) || !CHECK(!seen[number]))
			break;
		seen[number] = 1;
		pair = tally->pairs.pairs[number];
		row = find_row(rows, pair.a, pair.b);
		if (CHECK(row != NULL))
			CHECK(is_sum(tally->value[number], &row->sum));
		if (i > 0)
		{
			uint32_t	before = tally->order[i - 1];
			FgNumberPair other = tally->pairs.pairs[before];

			CHECK(tally->value[before] > tally->value[number] ||
				  (tally->value[before] == tally->value[number] &&
				   (other.a < pair.a || (other.a == pair.a && other.b < pair.b))));
		}
	}
	free(seen);
	free(rows->rows);
	*rows = (Rows) {NULL, 0};
}

/* --- stacks and trees ------------------------------------------------------------------ */

/* A stack as frame numbers of a tree, and the nodes on its way. */
typedef struct Stack
{
	uint32_t	depth;
	uint32_t	frame[MOST_FRAMES];
	uint32_t	node[MOST_FRAMES];
	double		value;
} Stack;

static Stack
stack_of(const FgTree *tree, const NaiveEntry *entry)
{
	Stack		stack = {.value = entry->value};
	const char *frame = entry->path;
	const char *end = entry->path + entry->length;

	while (entry->length > 0 && frame <= end)
	{
		size_t		length = strlen(frame);

		stack.frame[stack.depth] = fg_frames_find(&tree->frames, frame, length);
		stack.node[stack.depth++] = fg_tree_find(tree, entry->path,
												 (size_t) (frame + length - entry->path));
		frame += length + 1;
	}
	return stack;
}

static bool
contains(const Stack *stack, uint32_t frame)
{
	for (uint32_t i = 0; i < stack->depth; i++)
	{
		if (stack->frame[i] == frame)
			return true;
	}
	return false;
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

/*
 * A tree with many nodes and frames: "first" frames with "second" below each, by
 * turns all the same ones or each its own, with lines.
 */
static FgTree
wide(FgContext *ctx, uint32_t first, uint32_t second, bool own)
{
	Naive		naive = {0};
	FgTree		tree;

	for (uint32_t i = 0; i < first; i++)
	{
		for (uint32_t j = 0; j < second; j++)
		{
			char		path[64];
			int			length = snprintf(path, sizeof(path), "f%03u%cg:%05u", i, 0,
										  own ? i * second + j : j);

			naive_add(&naive, path, (size_t) length, 1 + j % 7);
		}
	}
	tree = naive_tree(ctx, &naive);
	naive_free(&naive);
	return tree;
}

static NaiveShape
random_shape(UnitRandom *random, int round, int kind)
{
	return (NaiveShape) {
		unit_below(random, 40), round % 3 == 0 ? 5 : round % 3 == 1 ? 15 : 50,
		round % 4 == 3 ? 40 : 1 + unit_below(random, 5), kind
	};
}

/* --- pairs --------------------------------------------------------------------------------- */

static uint32_t
random_number(UnitRandom *random, uint32_t limit)
{
	return unit_below(random, 20) == 0 ? FG_NONE : unit_below(random, limit);
}

static void
test_pairs(void)
{
	UnitRandom	random = {7};

	for (uint32_t round = 0; round < 8; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		uint32_t	limit = round < 4 ? 1 + round : 60 * round;
		uint32_t	adds = round == 7 ? 4000 : 300;
		FgNumberPair *known = malloc(adds * sizeof(FgNumberPair));
		uint32_t   *order;
		uint32_t	count = 0;
		FgPairs		pairs;

		unit_case("pairs of numbers below %u", limit);
		ctx.seed = unit_random(&random);
		CHECK(fg_pairs_begin(&ctx, &pairs));
		for (uint32_t i = 0; i < adds; i++)
		{
			uint32_t	a = random_number(&random, limit);
			uint32_t	b = random_number(&random, limit);
			uint32_t	expected = 0;
			uint32_t	number;

			while (expected < count && (known[expected].a != a || known[expected].b != b))
				expected++;
			CHECK_COUNT(fg_pairs_find(&pairs, a, b), expected < count ? expected : FG_NONE);
			if (expected == count)
				known[count++] = (FgNumberPair) {a, b};
			CHECK(fg_pairs_add(&pairs, a, b, &number));
			CHECK_COUNT(number, expected);
			CHECK_COUNT(pairs.count, count);
		}
		order = malloc((count + 1) * sizeof(uint32_t));
		CHECK(fg_pairs_order(&pairs, limit, order));
		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t	number = order[i];

			CHECK(pairs.pairs[i].a == known[i].a && pairs.pairs[i].b == known[i].b);
			CHECK_COUNT(fg_pairs_find(&pairs, known[i].a, known[i].b), i);
			if (i > 0)
			{
				FgNumberPair before = known[order[i - 1]];

				CHECK(before.a < known[number].a ||
					  (before.a == known[number].a && before.b < known[number].b));
			}
		}
		free(order);
		free(known);
		fg_pairs_free(&pairs);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_no_pairs(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPairs		pairs;
	FgTally		tally;
	uint32_t	order[1];

	unit_case("no pairs");
	CHECK(fg_pairs_begin(&ctx, &pairs));
	CHECK_COUNT(fg_pairs_find(&pairs, 0, 0), FG_NONE);
	CHECK(fg_pairs_order(&pairs, 0, order));
	fg_pairs_free(&pairs);
	CHECK(fg_tally_begin(&ctx, &tally));
	CHECK(fg_tally_finish(&tally, 0));
	fg_tally_free(&tally);
	fg_tally_free(&tally);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- tallies -------------------------------------------------------------------------------- */

/*
 * Random sets of nodes: the value of a pair is that of the stacks with a member of
 * its set on their way, counted once each, and what was added.
 */
static void
test_tallies(void)
{
	UnitRandom	random = {8};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("tallies of random sets of nodes, %s", kinds[kind]);
		for (int round = 0; round < 60; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, random_shape(&random, round, kind));
			FgTree		tree = naive_tree(&ctx, &naive);
			FgNumberPair *sets = malloc(((size_t) tree.nnodes + 1) * sizeof(FgNumberPair));
			double	   *totals = malloc(((size_t) tree.nnodes + 1) * sizeof(double));
			Rows		rows = {0};
			FgTally		tally;
			FgWalk		walk;

			unit_note("[round %d]", round);
			CHECK(fg_tree_totals(&ctx, &tree, totals));
			CHECK(fg_tally_begin(&ctx, &tally));
			CHECK(fg_walk_begin(&ctx, &tree, &walk));
			while (fg_walk_next(&walk))
			{
				FgNumberPair set = {random_number(&random, 3), random_number(&random, 3)};

				sets[walk.node] = set;
				CHECK(fg_tally_node(&tally, &walk, set.a, set.b, totals[walk.node]));
				add_row(&rows, set.a, set.b);
			}
			CHECK(fg_walk_end(&walk));
			for (size_t s = 0; s < naive.count; s++)
			{
				Stack		stack = stack_of(&tree, &naive.entries[s]);

				for (uint32_t i = 0; i < stack.depth; i++)
					count_stack(&rows, sets[stack.node[i]].a, sets[stack.node[i]].b, s,
								stack.value);
			}
			for (uint32_t i = 0; i < 4; i++)
			{
				FgNumberPair set = {random_number(&random, 4), random_number(&random, 4)};

				CHECK(fg_tally_add(&tally, set.a, set.b, i));
				sum_add(&add_row(&rows, set.a, set.b)->sum, i);
			}
			CHECK(fg_tally_finish(&tally, 4));
			check_tally(&tally, &rows);
			fg_tally_free(&tally);
			free(sets);
			free(totals);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_ties(void)
{
	static const FgNumberPair added[] = {
		{FG_NONE, FG_NONE}, {2, FG_NONE}, {FG_NONE, 1}, {2, 1}, {0, FG_NONE}, {2, 0}, {0, 0}, {1, 2}
	};
	static const uint32_t order[] = {7, 6, 4, 5, 3, 1, 2, 0};
	FgContext	ctx = fg_malloc_context();
	FgTally		tally;

	unit_case("equal values go by a, then by b, FG_NONE last");
	CHECK(fg_tally_begin(&ctx, &tally));
	for (size_t i = 0; i < COUNT(added); i++)
		CHECK(fg_tally_add(&tally, added[i].a, added[i].b, i == 7 ? 3 : -2.5));
	CHECK(fg_tally_finish(&tally, 3));
	for (size_t i = 0; i < COUNT(order); i++)
		CHECK_COUNT(tally.order[i], order[i]);
	fg_tally_free(&tally);

	unit_case("a tally that overflows");
	CHECK(fg_tally_begin(&ctx, &tally));
	CHECK(fg_tally_add(&tally, 0, 0, 1e308) && fg_tally_add(&tally, 0, 0, 1e308));
	CHECK_ERROR(fg_tally_finish(&tally, 1), &ctx, FG_ERROR_RANGE);
	fg_tally_free(&tally);
}

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

static void
test_given_calls(void)
{
	static const struct
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
	}			cases[] = {
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
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		FgTree		tree = tree_of_text(&ctx, cases[i].text);
		uint32_t	frame = fg_frames_find(&tree.frames, cases[i].frame, strlen(cases[i].frame));
		double		total = 0;
		uint32_t	n = 0;
		FgTally		tally;

		unit_case("calls: %s", cases[i].what);
		CHECK(fg_calls(&ctx, &tree, cases[i].choice, frame, &tally,
					   cases[i].choice == FG_CALLS_ALL ? NULL : &total));
		CHECK_DOUBLE(total, cases[i].total);
		for (; n < 5 && cases[i].rows[n].callee != NULL; n++)
		{
			const char *caller = cases[i].rows[n].caller;
			const char *callee = cases[i].rows[n].callee;
			FgNumberPair pair;

			if (!CHECK(n < tally.pairs.count))
				break;
			pair = tally.pairs.pairs[tally.order[n]];
			CHECK_COUNT(pair.a, caller == NULL ? FG_NONE
						: fg_frames_find(&tree.frames, caller, strlen(caller)));
			CHECK_COUNT(pair.b, fg_frames_find(&tree.frames, callee, strlen(callee)));
			CHECK_DOUBLE(tally.value[tally.order[n]], cases[i].rows[n].samples);
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
		unit_case("calls and threads of random profiles, %s", kinds[kind]);
		for (int round = 0; round < 100; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, random_shape(&random, round, kind));
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

/* --- metrics --------------------------------------------------------------------------------- */

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
		unit_case("metrics of random profiles, %s", kinds[kind]);
		for (int round = 0; round < 100; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, random_shape(&random, round, kind));
			FgTree		tree = naive_tree(&ctx, &naive);

			unit_note("[round %d]", round);
			check_metrics(&ctx, &tree, &naive);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* --- deep chains and large numbers --------------------------------------------------------- */

/* With 1 in each node the k-th frame has what is below its first node. */
static void
check_chain(uint32_t count, uint32_t period)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = chain(&ctx, count, period);
	FgFrameMetrics *metrics = malloc(period * sizeof(FgFrameMetrics));
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
	FgFrameMetrics metrics[8];
	double		total[8];
	FgTally		tally;

	unit_case("a call, a thread, a function that overflow");
	CHECK_COUNT(tree.nnodes, 7);
	CHECK_ERROR(fg_calls(&ctx, &tree, FG_CALLS_ALL, 0, &tally, NULL), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_calls(&ctx, &tree, FG_CALLS_FROM, fg_frames_find(&tree.frames, "a", 1), &tally,
						 total), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_threads(&ctx, &tree, starts, &tally, total), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_frame_metrics(&ctx, &tree, metrics), &ctx, FG_ERROR_RANGE);
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

/* --- lines ----------------------------------------------------------------------------------- */

static void
test_frame_lines(void)
{
	static const struct
	{
		const char *frame;
		const char *name;
		int32_t		line;
	}			rows[] = {
		{"parse.py:load:12", "parse.py:load", 12},
		{"render app.js:10:5", "render app.js", 10},
		{"load (parse.py:12)", "load (parse.py)", 12},
		{"f (app.js:10:5)", "f (app.js)", 10},
		{"a:0", "a", 0},
		{"a:007", "a", 7},
		{"a:1:2:3", "a:1", 2},
		{":1:2", ":1", 2},
		{"a:2147483647", "a", INT32_MAX},
		{"a:2147483648", "a", -1},
		{"a:21474836470", "a", -1},
		{"a:99999999999999999999999999", "a", -1},
		{"a:99999999999999999999999999:7", "a", -1},
		{"a:7:99999999999999999999999999", "a", 7},
		{"a", "a", -1}, {":1", ":1", -1}, {"a:", "a:", -1}, {"a:1:", "a:1:", -1},
		{"a:1x", "a:1x", -1}, {"a:-1", "a:-1", -1}, {"a: 1", "a: 1", -1}, {"12", "12", -1},
		{")", ")", -1}, {":1)", ":1)", -1}, {"a)", "a)", -1}, {"a:1))", "a:1))", -1},
		{"std::f", "std::f", -1}, {"x::5", "x:", 5},
		{"\xF0\x9F\x94\xA5:3", "\xF0\x9F\x94\xA5", 3}
	};
	FgContext	ctx = fg_malloc_context();

	unit_case("frames that end in a line");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		Naive		naive = {0};
		FgTree		tree;
		FgLineNames names;

		unit_note("[%s]", rows[i].frame);
		CHECK(fg_frame_line(rows[i].frame, strlen(rows[i].frame)) == rows[i].line);
		naive_add(&naive, rows[i].frame, strlen(rows[i].frame), 1);
		tree = naive_tree(&ctx, &naive);
		CHECK(fg_line_names(&ctx, &tree.frames, &names));
		CHECK_COUNT(names.names.count, 1);
		CHECK_COUNT(names.name[0], 0);
		CHECK(names.line[0] == rows[i].line);
		CHECK_TEXT(fg_frame_bytes(&names.names, 0), fg_frame_length(&names.names, 0),
				   rows[i].name);
		fg_line_names_free(&ctx, &names);
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
	}
	unit_note("[no bytes]");
	CHECK(fg_frame_line("", 0) == -1);
}

/* Name and line as regular expressions find them. */
static int32_t
strip_line(const char *frame, char *name)
{
	regex_t		parts;
	regmatch_t	match[4];
	int64_t		line = -1;
	char		tail[2] = "";

	strcpy(name, frame);
	CHECK(regcomp(&parts, "^(.+):([0-9]+)(\\)?)$", REG_EXTENDED) == 0);
	for (int i = 0; i < 2 && regexec(&parts, name, 4, match, 0) == 0; i++)
	{
		if (i == 1 && match[3].rm_eo > match[3].rm_so)
			break;				/* ":5):10" has one number */
		line = strtoll(name + match[2].rm_so, NULL, 10);
		if (i == 0)
			memcpy(tail, name + match[3].rm_so, (size_t) (match[3].rm_eo - match[3].rm_so));
		name[match[1].rm_eo] = '\0';
	}
	strcat(name, tail);
	regfree(&parts);
	return line <= INT32_MAX ? (int32_t) line : -1;
}

static const char *const lined[] = {
	"m:1", "m:2", "m", "n:1", "m:10", "n (x:1)", "n (x:7:2)", "n (x)", "c:3:4", "c:3:5", "c",
	"m:99999999999", "n:2", ":5", "m:2:9", "q:1):2"
};

static Naive
random_lined(UnitRandom *random, int round, int kind)
{
	Naive		naive = {0};
	uint32_t	stacks = unit_below(random, 30);
	uint32_t	frames = 1 + unit_below(random, COUNT(lined));

	for (uint32_t s = 0; s < stacks; s++)
	{
		uint32_t	depth = unit_below(random, round % 2 == 0 ? 5 : 20);
		char		path[400];
		size_t		length = 0;
		double		value = unit_below(random, 9) + 1.0;

		for (uint32_t d = 0; d < depth; d++)
		{
			const char *frame = lined[unit_below(random, frames)];

			strcpy(path + length, frame);
			length += strlen(frame) + 1;
		}
		value = kind == NAIVE_COUNTS ? value : kind == NAIVE_SIGNED ? value - 5 : value / 7 - 0.5;
		naive_add(&naive, path, length > 0 ? length - 1 : 0, value);
	}
	naive_settle(&naive);
	return naive;
}

static void
check_sites(FgContext *ctx, const FgTree *tree, const Naive *naive, const FgLineNames *names,
			const char *function)
{
	uint32_t	nframes = tree->frames.count;
	char		(*name)[64] = calloc(nframes + 1, 64);
	int32_t    *line = calloc(nframes + 1, sizeof(int32_t));
	bool	   *wanted = calloc(nframes + 1, sizeof(bool));
	int32_t    *lines = calloc(nframes + 1, sizeof(int32_t));
	uint32_t	nlines = 0;
	bool		is_name = false;
	Sum			total = {0, 0, false};
	Rows		rows = {0};
	FgCallSites sites;

	for (uint32_t f = 0; f < nframes; f++)
	{
		char		frame[64] = "";

		memcpy(frame, fg_frame_bytes(&tree->frames, f), fg_frame_length(&tree->frames, f));
		line[f] = strip_line(frame, name[f]);
		is_name = is_name || strcmp(name[f], function) == 0;
		wanted[f] = strcmp(frame, function) == 0;
		CHECK(names->line[f] == line[f]);
		CHECK_TEXT(fg_frame_bytes(&names->names, names->name[f]),
				   fg_frame_length(&names->names, names->name[f]), name[f]);
	}
	for (uint32_t f = 0; is_name && f < nframes; f++)
		wanted[f] = strcmp(name[f], function) == 0;
	/* the distinct lines, ascending */
	for (int32_t next = 0; next < 100; next++)
	{
		bool		used = false;

		for (uint32_t f = 0; f < nframes; f++)
			used = used || (wanted[f] && line[f] == next);
		if (used)
			lines[nlines++] = next;
	}
	for (size_t s = 0; s < naive->count; s++)
	{
		Stack		stack = stack_of(tree, &naive->entries[s]);
		bool		has = false;

		for (uint32_t i = 0; i < stack.depth; i++)
		{
			uint32_t	caller = i > 0 ? stack.frame[i - 1] : 0;
			uint32_t	index = 0;

			has = has || wanted[stack.frame[i]];
			if (i == 0 || !wanted[caller])
				continue;
			while (index < nlines && lines[index] != line[caller])
				index++;
			count_stack(&rows, index < nlines ? index : FG_NONE,
						fg_frames_find(&names->names, name[stack.frame[i]],
									   strlen(name[stack.frame[i]])), s, stack.value);
		}
		if (has)
			sum_add(&total, stack.value);
	}
	CHECK(fg_call_sites(ctx, tree, names, function, strlen(function), &sites));
	for (uint32_t i = 0; i < nlines; i++)
		CHECK(sites.lines[i] == lines[i]);
	check_tally(&sites.tally, &rows);
	CHECK(is_sum(sites.total, &total));
	fg_call_sites_free(ctx, &sites);
	free(name);
	free(line);
	free(wanted);
	free(lines);
}

static void
test_sites(void)
{
	static const char *const functions[] = {
		"m", "n", "c", "n (x)", "m:2", "m:2:9", ":5", "q:1)", "z"
	};
	UnitRandom	random = {12};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("call sites of random profiles, %s", kinds[kind]);
		for (int round = 0; round < 80; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = random_lined(&random, round, kind);
			FgTree		tree = naive_tree(&ctx, &naive);
			FgLineNames names;

			CHECK(fg_line_names(&ctx, &tree.frames, &names));
			for (uint32_t i = 1; i < names.names.count; i++)
				CHECK(fg_bytes_compare(fg_frame_bytes(&names.names, i - 1),
									   fg_frame_length(&names.names, i - 1),
									   fg_frame_bytes(&names.names, i),
									   fg_frame_length(&names.names, i)) < 0);
			for (size_t i = 0; i < COUNT(functions); i++)
			{
				unit_note("[round %d, %s]", round, functions[i]);
				check_sites(&ctx, &tree, &naive, &names, functions[i]);
			}
			fg_line_names_free(&ctx, &names);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_given_sites(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "m:3;a:1 1\nm:3;a:2 2\nm:20;b 4\nm;a 8\n"
									"m:3;a:1;m:3;a:9 16\nm:20 32");
	static const struct
	{
		int32_t		line;		/* -1 for none */
		const char *callee;
		double		samples;
	}			rows[] = {{3, "a", 19}, {-1, "a", 8}, {20, "b", 4}};
	FgLineNames names;
	FgCallSites sites;

	unit_case("call sites: lines in the order of numbers, callees without lines");
	CHECK(fg_line_names(&ctx, &tree.frames, &names));
	CHECK(fg_call_sites(&ctx, &tree, &names, "m", 1, &sites));
	CHECK_DOUBLE(sites.total, 63);
	CHECK(sites.lines[0] == 3 && sites.lines[1] == 20);
	CHECK_COUNT(sites.tally.pairs.count, COUNT(rows));
	for (uint32_t i = 0; i < COUNT(rows) && i < sites.tally.pairs.count; i++)
	{
		FgNumberPair pair = sites.tally.pairs.pairs[sites.tally.order[i]];

		CHECK((pair.a == FG_NONE ? -1 : sites.lines[pair.a]) == rows[i].line);
		CHECK_COUNT(pair.b, fg_frames_find(&names.names, rows[i].callee, 1));
		CHECK_DOUBLE(sites.tally.value[sites.tally.order[i]], rows[i].samples);
	}
	fg_call_sites_free(&ctx, &sites);
	fg_line_names_free(&ctx, &names);
	fg_tree_free(&ctx, &tree);

	unit_case("a call site that overflows");
	for (int i = 0; i < 2; i++)
	{
		tree = tree_of_text(&ctx, i == 0 ? "p;m:1;a 1e308\nq;m:1;a 1e308\nr -1e308"
							: "p;m:1;a 1e308\nq;m:2;b 1e308\nr -1e308");
		CHECK(fg_line_names(&ctx, &tree.frames, &names));
		CHECK_ERROR(fg_call_sites(&ctx, &tree, &names, "m", 1, &sites), &ctx, FG_ERROR_RANGE);
		fg_line_names_free(&ctx, &names);
		fg_tree_free(&ctx, &tree);
	}
}

/* --- failures ------------------------------------------------------------------------------- */

typedef struct Input
{
	FgTree		tree;
	uint8_t    *starts;			/* by node, every third one */
	FgLineNames names;
} Input;

static bool
run_pairs(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	uint32_t	count = input->tree.nnodes > 1000 ? 150000 : 1500;	/* the table grows */
	uint32_t   *order = malloc(count * sizeof(uint32_t));
	FgPairs		pairs = {0};
	bool		ok = fg_pairs_begin(ctx, &pairs);

	for (uint32_t i = 0; ok && i < count; i++)
	{
		uint32_t	number;

		ok = fg_pairs_add(&pairs, i % 1000, i / 1000, &number);
	}
	ok = ok && fg_pairs_order(&pairs, 1000, order);
	fg_pairs_free(&pairs);
	free(order);
	return ok;
}

static bool
run_tally(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	uint32_t	count = input->tree.nnodes > 1000 ? 150000 : 1500;
	FgTally		tally;
	bool		ok = fg_tally_begin(ctx, &tally);

	for (uint32_t i = 0; ok && i < count; i++)
		ok = fg_tally_add(&tally, i % 1000, i / 1000, i % 17);
	ok = ok && fg_tally_finish(&tally, 1000);
	fg_tally_free(&tally);
	return ok;
}

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

static bool
run_metrics(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgFrameMetrics *metrics = malloc(((size_t) input->tree.frames.count + 1) *
									 sizeof(FgFrameMetrics));
	bool		ok = fg_frame_metrics(ctx, &input->tree, metrics);

	free(metrics);
	return ok;
}

static bool
run_line_names(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgLineNames names;

	if (!fg_line_names(ctx, &input->tree.frames, &names))
		return false;
	fg_line_names_free(ctx, &names);
	return true;
}

static bool
run_sites(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgCallSites sites;

	if (!fg_call_sites(ctx, &input->tree, &input->names, "g", 1, &sites))
		return false;
	fg_call_sites_free(ctx, &sites);
	return true;
}

static Input
input_of(FgContext *ctx, FgTree tree)
{
	Input		input = {.tree = tree, .starts = malloc((size_t) tree.nnodes + 1)};

	for (uint32_t i = 0; i <= tree.nnodes; i++)
		input.starts[i] = i % 3 == 0;
	CHECK(fg_line_names(ctx, &tree.frames, &input.names));
	return input;
}

static void
input_free(FgContext *ctx, Input *input)
{
	free(input->starts);
	fg_line_names_free(ctx, &input->names);
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
		{"pairs", run_pairs, 3},
		{"tallies", run_tally, 3},
		{"fg_calls", run_calls, 3},
		{"fg_calls to a frame", run_callers, 2},
		{"fg_threads", run_threads, 3},
		{"fg_threads with starts", run_started_threads, 3},
		{"fg_frame_metrics", run_metrics, 2},
		{"fg_line_names", run_line_names, 3},
		{"fg_call_sites", run_sites, 3}
	};
	FgContext	ctx = fg_malloc_context();
	/* the second has more than FG_CHECK_NODES nodes, frames and pairs */
	Input		small = input_of(&ctx, tree_of_text(&ctx, "a;b:1;a;g:7;b 1\ng:7 (x:1);b;g:8;a 2\n"
													"c 1\ng;a 3"));
	Input		large = input_of(&ctx, wide(&ctx, 270, 270, true));
	Input		calls = input_of(&ctx, wide(&ctx, 5, 600, true));

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
	test_pairs();
	test_no_pairs();
	test_tallies();
	test_ties();
	test_given_calls();
	test_random_calls();
	test_given_threads();
	test_given_metrics();
	test_random_metrics();
	check_chain(1, 1);
	check_chain(5000, 1);
	check_chain(60000, 1);
	check_chain(60000, 2);
	check_chain(60000, 60000);
	test_range();
	test_frame_lines();
	test_given_sites();
	test_sites();
	test_failures();
	return unit_finish();
}
