/*
 * test_partial.c
 *	  Merging partial stacks: against the printed algorithm, listing 3.2 of the
 *	  thesis, tried for each stack on all nodes of the tree, in rounds.
 */
#include "naive.h"

#include "core/cct/partial.h"
#include "core/profile/builder.h"

#include <math.h>

static const char *const kinds[] = {"counts", "signed counts", "doubles"};

/* --- the algorithm as it is printed ------------------------------------------------------ */

/* A tree that can grow; node 0 is the root.  Frames are compared as texts. */
typedef struct Grown
{
	uint32_t	count;
	uint32_t   *parent;
	char	  **frame;
	double	   *self;
} Grown;

static uint32_t
grown_find(const Grown *tree, uint32_t parent, const char *frame)
{
	for (uint32_t i = 1; i < tree->count; i++)
	{
		if (tree->parent[i] == parent && strcmp(tree->frame[i], frame) == 0)
			return i;
	}
	return 0;
}

static uint32_t
grown_child(Grown *tree, uint32_t parent, const char *frame)
{
	uint32_t	node = grown_find(tree, parent, frame);

	if (node != 0)
		return node;
	node = tree->count++;
	tree->parent = realloc(tree->parent, tree->count * sizeof(uint32_t));
	tree->frame = realloc(tree->frame, tree->count * sizeof(char *));
	tree->self = realloc(tree->self, tree->count * sizeof(double));
	tree->parent[node] = parent;
	tree->frame[node] = strdup(frame);
	tree->self[node] = 0;
	return node;
}

/* The frames from "frame" to the end of the stack, below a node. */
static void
grown_add(Grown *tree, uint32_t node, const char *frame, const char *end, double value)
{
	for (; frame < end; frame += strlen(frame) + 1)
		node = grown_child(tree, node, frame);
	tree->self[node] += value;
}

static Grown
grown_of(const Naive *naive)
{
	Grown		tree = {
		1, calloc(1, sizeof(uint32_t)), calloc(1, sizeof(char *)), calloc(1, sizeof(double))
	};

	for (size_t s = 0; s < naive->count; s++)
		grown_add(&tree, 0, naive->entries[s].path, naive->entries[s].path +
				  naive->entries[s].length, naive->entries[s].value);
	return tree;
}

static Naive
grown_stacks(const Grown *tree)
{
	Naive		naive = {0};

	for (uint32_t i = 0; i < tree->count; i++)
	{
		char		path[8192];
		size_t		start = sizeof(path);

		for (uint32_t node = i; node != 0; node = tree->parent[node])
		{
			size_t		length = strlen(tree->frame[node]);

			start -= length + 1;
			memcpy(path + start, tree->frame[node], length + 1);
		}
		if (tree->self[i] != 0)
			naive_add(&naive, path + start, i == 0 ? 0 : sizeof(path) - start - 1, tree->self[i]);
	}
	naive_settle(&naive);
	return naive;
}

static void
grown_free(Grown *tree)
{
	for (uint32_t i = 1; i < tree->count; i++)
		free(tree->frame[i]);
	free(tree->parent);
	free(tree->frame);
	free(tree->self);
}

typedef enum Outcome
{
	PLACED,
	AMBIGUOUS,
	UNMATCHED
} Outcome;

/* One stack against the tree as it is; where it goes on: "node", from "rest" on. */
static Outcome
common_merging(const Grown *tree, const NaiveEntry *stack, uint32_t threshold, uint32_t *node,
			   const char **rest)
{
	const char *frame = stack->path;
	const char *end = stack->path + stack->length;
	uint32_t   *candidates = malloc(tree->count * sizeof(uint32_t));
	uint32_t	count = 0;
	uint32_t	depth = 1;
	Outcome		outcome;

	if (stack->length == 0)
	{
		free(candidates);
		return AMBIGUOUS;
	}
	for (uint32_t i = 1; i < tree->count; i++)
	{
		if (strcmp(tree->frame[i], frame) == 0)
			candidates[count++] = i;
	}
	for (;; depth++)
	{
		uint32_t	children = 0;

		frame += strlen(frame) + 1;
		if (count == 0)
		{
			outcome = UNMATCHED;
			break;
		}
		if (count == 1 && depth > threshold)
		{
			outcome = PLACED;
			*node = candidates[0];
			*rest = frame;
			break;
		}
		if (frame > end)
		{
			outcome = AMBIGUOUS;
			break;
		}
		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t	child = grown_find(tree, candidates[i], frame);

			if (child != 0)
				candidates[children++] = child;
		}
		count = children;
	}
	free(candidates);
	return outcome;
}

typedef struct Expected
{
	Naive		merged;
	Naive		ambiguous;
	Naive		unmatched;
	uint32_t	rounds;
} Expected;

static Expected
merge_naively(const Naive *complete, const Naive *partial, uint32_t threshold)
{
	Grown		tree = grown_of(complete);
	Expected	expected = {{0}, {0}, {0}, 0};
	Outcome    *outcome = malloc((partial->count + 1) * sizeof(Outcome));
	bool	   *done = calloc(partial->count + 1, sizeof(bool));
	uint32_t   *node = malloc((partial->count + 1) * sizeof(uint32_t));
	const char **rest = malloc((partial->count + 1) * sizeof(char *));

	for (;; expected.rounds++)
	{
		bool		placed = false;

		for (size_t s = 0; s < partial->count; s++)
		{
			if (!done[s])
				outcome[s] = common_merging(&tree, &partial->entries[s], threshold, &node[s],
											&rest[s]);
		}
		for (size_t s = 0; s < partial->count; s++)
		{
			const NaiveEntry *entry = &partial->entries[s];

			if (done[s] || outcome[s] != PLACED)
				continue;
			grown_add(&tree, node[s], rest[s], entry->path + entry->length, entry->value);
			done[s] = placed = true;
		}
		if (!placed)
			break;
	}
	for (size_t s = 0; s < partial->count; s++)
	{
		const NaiveEntry *entry = &partial->entries[s];

		if (outcome[s] != PLACED)
			naive_add(outcome[s] == AMBIGUOUS ? &expected.ambiguous : &expected.unmatched,
					  entry->path, entry->length, entry->value);
	}
	naive_settle(&expected.ambiguous);
	naive_settle(&expected.unmatched);
	expected.merged = grown_stacks(&tree);
	grown_free(&tree);
	free(outcome);
	free(done);
	free(node);
	free(rest);
	return expected;
}

static void
expected_free(Expected *expected)
{
	naive_free(&expected->merged);
	naive_free(&expected->ambiguous);
	naive_free(&expected->unmatched);
}

static void
result_free(FgContext *ctx, FgPartialResult *result)
{
	fg_tree_free(ctx, &result->merged);
	fg_tree_free(ctx, &result->ambiguous);
	fg_tree_free(ctx, &result->unmatched);
}

/* Equal, or for fractions, which are added in some order, equal but for rounding. */
static void
check_merged(FgContext *ctx, const Naive *expected, const FgTree *tree, bool whole)
{
	Naive		found;
	Naive		difference;

	if (whole)
	{
		CHECK(naive_matches(ctx, expected, tree));
		return;
	}
	found = naive_of_tree(tree);
	difference = naive_combination(expected, 1, &found, -1);
	CHECK_COUNT(found.count, expected->count);
	for (size_t i = 0; i < difference.count; i++)
	{
		const NaiveEntry *entry = &difference.entries[i];
		uint32_t	node = fg_tree_find(tree, entry->path, entry->length);

		if (CHECK(node != FG_NONE))
			CHECK(fabs(entry->value) <= 1e-9 * fabs(tree->self[node]));
	}
	CHECK(fg_tree_check(ctx, tree));
	naive_free(&found);
	naive_free(&difference);
}

static uint32_t
check_merge(FgContext *ctx, const Naive *complete, const Naive *partial, uint32_t threshold,
			bool whole)
{
	FgTree		tree = naive_tree(ctx, complete);
	FgTree		pending = naive_tree(ctx, partial);
	Expected	expected = merge_naively(complete, partial, threshold);
	uint32_t	rounds = expected.rounds;
	FgPartialResult result;

	if (CHECK(fg_merge_partial(ctx, &tree, &pending, threshold, &result)))
	{
		check_merged(ctx, &expected.merged, &result.merged, whole);
		CHECK(naive_matches(ctx, &expected.ambiguous, &result.ambiguous));
		CHECK(naive_matches(ctx, &expected.unmatched, &result.unmatched));
		CHECK_COUNT(result.rounds, rounds);
		result_free(ctx, &result);
	}
	expected_free(&expected);
	fg_tree_free(ctx, &tree);
	fg_tree_free(ctx, &pending);
	return rounds;
}

/* --- given ones ---------------------------------------------------------------------------- */

typedef struct GivenMerge
{
	const char *what;
	const char *complete;
	const char *partial;
	uint32_t	threshold;
	const char *merged;
	const char *ambiguous;
	const char *unmatched;
	uint32_t	rounds;
} GivenMerge;

static const GivenMerge given_merges[] = {
	{"golden partial_ambiguous", "a;c;d;e 1\nb;c;d 2", "c;d 5", 0,
	"a;c;d;e 1\nb;c;d 2", "c;d 5", "", 0},
	{"golden partial_figure_3_5", "a;c;d;e 1\nb;c;d 2", "d;e;g 5", 0,
	"a;c;d;e 1\na;c;d;e;g 5\nb;c;d 2", "", "", 1},
	{"golden partial_second_round", "a;b 1", "b;c 2\nc;d 3\nd;e 4\nq;r 5", 0,
	"a;b 1\na;b;c 2\na;b;c;d 3\na;b;c;d;e 4", "", "q;r 5", 3},
	{"golden partial_threshold", "a;c;d;e 1\nb;x;y 2", "d;e 5\nd;e;k 3\nx;y;z;w 1", 2,
	"a;c;d;e 1\nb;x;y 2", "d;e 5", "d;e;k 3\nx;y;z;w 1", 0},
	{"one more frame than the threshold", "a;b;c 1", "b;c;d 2\nc;x 4\nc 8", 1,
	"a;b;c 1\na;b;c;d 2", "c 8", "c;x 4", 1},
	{"beyond the threshold only in a later round", "a;b;c 1", "b;c;d 2\nc;d 4", 1,
	"a;b;c 1\na;b;c;d 6", "", "", 2},
	{"both see the state before the round", "a;x 1\nb;y 1", "x;y;z 2\ny;z 4", 0,
	"a;x 1\na;x;y;z 2\nb;y 1\nb;y;z 4", "", "", 1},
	{"a place that a later round makes ambiguous is kept", "r;p 1", "p;s;t 2\ns;t;u 4\nt;u 8",
		0, "r;p 1\nr;p;s;t 2\nr;p;s;t;u 12", "", "", 2},
	{"what was ambiguous once stays so", "a;c 1\nb;c 1\nr;k 1", "c 2\nk;c;d 4", 0,
	"a;c 1\nb;c 1\nr;k 1\nr;k;c;d 4", "c 2", "", 1},
	{"the empty stack fits anywhere", "a 1", " 7\na 2", 0, "a 3", " 7", "", 1},
	{"nothing to merge into", "", "a 1\nb;c 2", 0, "", "", "a 1\nb;c 2", 0},
	{"only a value of the root", " 3", " 4\na 1", 0, " 3", " 4", "a 1", 0},
	{"nothing to merge", "a;b 1\n 5", "", 3, " 5\na;b 1", "", "", 0},
	{"a stack that cancels", "a;b 2\nc 1", "b -2", 0, "c 1", "", "", 1},
	{"recursion: the outermost activation", "m;f;f;f;f 1", "f;f;f;f;g 2\nf;f;f;g 4\nf;f 8", 0,
	"m;f;f;f;f 1\nm;f;f;f;f;g 6", "f;f 8", "", 2},
	{"a threshold beyond all frames", "a;b 1", "b 2\nb;c 1", UINT32_MAX, "a;b 1", "b 2",
	"b;c 1", 0}
};

static void
test_given(void)
{
	for (size_t i = 0; i < COUNT(given_merges); i++)
	{
		const GivenMerge *row = &given_merges[i];
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		tree = tree_of_text(&ctx, row->complete);
		FgTree		partial = tree_of_text(&ctx, row->partial);
		Naive		complete = naive_of_text(row->complete);
		Naive		pending = naive_of_text(row->partial);
		Expected	naively = merge_naively(&complete, &pending, row->threshold);
		Expected	expected = {
			naive_of_text(row->merged), naive_of_text(row->ambiguous),
			naive_of_text(row->unmatched), row->rounds
		};
		FgPartialResult result;

		unit_case("partial stacks: %s", row->what);
		CHECK(fg_merge_partial(&ctx, &tree, &partial, row->threshold, &result));
		CHECK(naive_matches(&ctx, &expected.merged, &result.merged));
		CHECK(naive_matches(&ctx, &expected.ambiguous, &result.ambiguous));
		CHECK(naive_matches(&ctx, &expected.unmatched, &result.unmatched));
		CHECK_COUNT(result.rounds, row->rounds);
		CHECK(naive_equal(&naively.merged, &expected.merged));
		CHECK(naive_equal(&naively.ambiguous, &expected.ambiguous));
		CHECK(naive_equal(&naively.unmatched, &expected.unmatched));
		CHECK_COUNT(naively.rounds, row->rounds);
		result_free(&ctx, &result);
		expected_free(&naively);
		expected_free(&expected);
		naive_free(&complete);
		naive_free(&pending);
		fg_tree_free(&ctx, &tree);
		fg_tree_free(&ctx, &partial);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* Each can be placed only after the one before. */
static void
test_chain_of_stacks(void)
{
	FgContext	ctx = fg_malloc_context();
	Naive		complete = {0};
	Naive		partial = {0};

	unit_case("300 partial stacks, each placed a round after the one before");
	naive_add(&complete, "x\0f000", 6, 1);
	for (int i = 0; i < 300; i++)
	{
		char		path[32];
		int			length = snprintf(path, sizeof(path), "f%03d%cf%03d", i, 0, i + 1);

		naive_add(&partial, path, (size_t) length, i + 1);
	}
	naive_settle(&partial);
	CHECK_COUNT(check_merge(&ctx, &complete, &partial, 0, true), 300);
	CHECK_COUNT(check_merge(&ctx, &complete, &partial, 1, true), 0);
	naive_free(&complete);
	naive_free(&partial);
}

/* --- random ones ------------------------------------------------------------------------------ */

/*
 * Stacks of one profile: some are complete, the others have lost their first
 * frames; and few frames make recursion, many make unique places.
 */
static void
random_stacks(UnitRandom *random, int round, int kind, Naive *complete, Naive *partial)
{
	uint32_t	frames[3] = {1 + unit_below(random, 3), 4 + unit_below(random, 10), 40};
	NaiveShape	shape = {
		2 + unit_below(random, 40), 2 + unit_below(random, round % 2 == 0 ? 6 : 24),
		frames[round % 3], kind
	};
	Naive		naive = naive_random(random, shape);
	uint32_t	kept = 1 + unit_below(random, 6);

	for (size_t s = 0; s < naive.count; s++)
	{
		const NaiveEntry *entry = &naive.entries[s];
		const char *start = entry->path;
		const char *end = entry->path + entry->length;

		if (s == 0 || unit_below(random, 1 + kept) == 0)
		{
			naive_add(complete, entry->path, entry->length, entry->value);
			continue;
		}
		for (uint32_t cut = unit_below(random, shape.depth); cut > 0 && start < end; cut--)
			start += strlen(start) + 1;
		naive_add(partial, start, start < end ? (size_t) (end - start) : 0, entry->value);
	}
	naive_settle(complete);
	naive_settle(partial);
	naive_free(&naive);
}

/*
 * Random texts of few letters, cut into overlapping pieces, so that one place leads
 * to the next: many rounds.
 */
static void
random_pieces(UnitRandom *random, Naive *complete, Naive *partial)
{
	uint32_t	letters = 2 + unit_below(random, 50);
	char		text[80];
	uint32_t	at = 0;

	for (uint32_t i = 0; i < sizeof(text); i += 2)
	{
		text[i] = (char) ('A' + unit_below(random, letters));
		text[i + 1] = '\0';
	}
	naive_add(complete, text, 5, 1);
	while (at + 6 < sizeof(text) / 2)
	{
		uint32_t	length = 2 + unit_below(random, 4);

		naive_add(partial, text + 2 * (size_t) at, 2 * (size_t) length - 1,
				  1.0 + unit_below(random, 5));
		at += 1 + unit_below(random, length - 1);
	}
	naive_settle(complete);
	naive_settle(partial);
}

static void
test_random(void)
{
	UnitRandom	random = {71};
	uint32_t	most = 0;

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("partial stacks of random profiles, %s", kinds[kind]);
		for (int round = 0; round < unit_rounds(200); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			uint32_t	threshold = unit_below(&random, 4);
			Naive		complete = {0};
			Naive		partial = {0};
			uint32_t	rounds;

			unit_note("[round %d, threshold %u]", round, threshold);
			ctx.seed = unit_random(&random);
			random_stacks(&random, round, kind, &complete, &partial);
			rounds = check_merge(&ctx, &complete, &partial, threshold, kind != NAIVE_DOUBLES);
			if (rounds > most)
				most = rounds;
			naive_free(&complete);
			naive_free(&partial);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
	CHECK(most >= 3);
	unit_case("partial stacks that are pieces of one stack");
	most = 0;
	for (int round = 0; round < 400; round++)
	{
		FgContext	ctx = fg_malloc_context();
		Naive		complete = {0};
		Naive		partial = {0};
		uint32_t	rounds;

		unit_note("[round %d]", round);
		random_pieces(&random, &complete, &partial);
		rounds = check_merge(&ctx, &complete, &partial, (uint32_t) round % 3, true);
		if (rounds > most)
			most = rounds;
		naive_free(&complete);
		naive_free(&partial);
	}
	CHECK(most >= 8);
}

/* --- deep ones ------------------------------------------------------------------------------- */

/*
 * "count" frames, "from" and on, of a sequence that repeats after "period", then
 * "then" if it is given; 1 at its end.
 */
static FgTree
chain(FgContext *ctx, uint32_t from, uint32_t count, uint32_t period, const char *then)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	uint32_t	node = 0;
	FgTree		tree;

	for (uint32_t i = from; i < from + count + (then != NULL); i++)
	{
		char		name[16];
		uint32_t	frame;

		snprintf(name, sizeof(name), "f%05u", i % period);
		if (i == from + count)
			snprintf(name, sizeof(name), "%s", then);
		CHECK(fg_builder_frame(builder, name, strlen(name), &frame) &&
			  fg_builder_child(builder, node, frame, &node));
	}
	CHECK(fg_builder_add_value(builder, node, 1));
	CHECK(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	return tree;
}

typedef struct DeepMerge
{
	uint32_t	count;
	uint32_t	period;
	uint32_t	from;		/* of the partial stack */
	uint32_t	length;
	const char *then;
	Outcome		outcome;
	uint32_t	depth;		/* where it went to */
} DeepMerge;

static const DeepMerge deep_merges[] = {
	{5000, 1, 0, 5000, NULL, PLACED, 5000},
	{5000, 1, 0, 5000, "x", PLACED, 5001},
	{5000, 1, 0, 5003, NULL, PLACED, 5003},
	{5000, 1, 0, 4999, NULL, AMBIGUOUS, 0},
	{5000, 1, 0, 4999, "x", UNMATCHED, 0},
	{60000, 1, 0, 60000, NULL, PLACED, 60000},
	{60000, 1, 0, 60001, "x", PLACED, 60002},
	{60000, 1, 0, 59999, NULL, AMBIGUOUS, 0},
	{60000, 1, 0, 30000, "x", UNMATCHED, 0},
	{60000, 2, 0, 60000, NULL, PLACED, 60000},
	{60000, 2, 0, 59999, NULL, PLACED, 59999},
	{60000, 2, 0, 59998, NULL, AMBIGUOUS, 0},
	{60000, 2, 1, 59999, "x", PLACED, 60001},
	{60000, 2, 1, 59998, "x", PLACED, 60000},
	{60000, 2, 1, 59997, "x", UNMATCHED, 0},
	{60000, 2, 1, 59997, NULL, AMBIGUOUS, 0},
	{60000, 60000, 40000, 1, NULL, AMBIGUOUS, 0},	/* not beyond the threshold */
	{60000, 60000, 40000, 2, NULL, PLACED, 40002},
	{60000, 60000, 0, 60000, NULL, PLACED, 60000},
	{60000, 60000, 59990, 10, "x", PLACED, 60001},
	{60000, 60000, 30000, 100, "x", PLACED, 30101}
};

/*
 * Into a chain: a piece of it has as many candidates as there are whole periods
 * left below it.
 */
static void
test_deep(void)
{
	for (size_t i = 0; i < COUNT(deep_merges); i++)
	{
		const DeepMerge *row = &deep_merges[i];
		FgContext	ctx = fg_malloc_context();
		FgTree		tree = chain(&ctx, 0, row->count, row->period, NULL);
		FgTree		partial = chain(&ctx, row->from, row->length, row->period,
									row->then);
		const FgTree *place;
		FgPartialResult result;
		uint32_t	valued = 0;
		double		sum = 0;

		unit_case("%u%s frames of a chain of %u, %u different ones", row->length,
				  row->then != NULL ? " + 1" : "", row->count, row->period);
		CHECK(fg_merge_partial(&ctx, &tree, &partial, 1, &result));
		CHECK_COUNT(result.rounds, row->outcome == PLACED);
		CHECK(fg_tree_check(&ctx, &result.merged));
		place = row->outcome == AMBIGUOUS ? &result.ambiguous : &result.unmatched;
		if (row->outcome == PLACED)
		{
			CHECK_COUNT(result.ambiguous.nnodes + result.unmatched.nnodes, 0);
			for (uint32_t n = 0; n <= result.merged.nnodes; n++)
			{
				sum += result.merged.self[n];
				if (result.merged.self[n] != 0 &&
					fg_key_depth(result.merged.key[n]) == row->depth)
					valued = n;
			}
			CHECK(valued > 0);
			CHECK_DOUBLE(sum, 2);
		}
		else
		{
			CHECK_COUNT(place->nnodes, partial.nnodes);
			CHECK_COUNT(result.merged.nnodes, tree.nnodes);
			CHECK_COUNT(result.ambiguous.nnodes + result.unmatched.nnodes, partial.nnodes);
		}
		result_free(&ctx, &result);
		fg_tree_free(&ctx, &tree);
		fg_tree_free(&ctx, &partial);
	}
}

/*
 * A tree whose branches leave a deep recursion at every depth, against a partial
 * recursion: each branch would follow all failure links of its state.
 */
static void
test_branches(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuilder  *builder = fg_builder_create(&ctx);
	const uint32_t depth = 20000;
	uint32_t	frames[2];
	uint32_t	node = 0;
	uint32_t	branch;
	FgTree		tree;
	FgTree		partial = chain(&ctx, 0, depth / 2, 1, "z");
	FgPartialResult result;

	unit_case("branches of a recursion of 20000 calls");
	CHECK(fg_builder_frame(builder, "f00000", 6, &frames[0]) &&
		  fg_builder_frame(builder, "b", 1, &frames[1]));
	for (uint32_t i = 0; i < depth; i++)
		CHECK(fg_builder_child(builder, node, frames[0], &node) &&
			  fg_builder_child(builder, node, frames[1], &branch) &&
			  fg_builder_add_value(builder, branch, 1));
	CHECK(fg_builder_child(builder, node, frames[0], &node) &&
		  fg_builder_add_value(builder, node, 1));
	CHECK(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	CHECK(fg_merge_partial(&ctx, &tree, &partial, 0, &result));
	CHECK_COUNT(result.merged.nnodes, tree.nnodes);
	CHECK_COUNT(result.unmatched.nnodes, partial.nnodes);
	CHECK_COUNT(result.rounds, 0);
	result_free(&ctx, &result);
	fg_tree_free(&ctx, &tree);
	fg_tree_free(&ctx, &partial);
}

/* --- limits and failures --------------------------------------------------------------------- */

static void
check_refused(FgContext *ctx, const FgTree *tree, const FgTree *partial, FgErrorCode code)
{
	FgPartialResult result;

	CHECK_ERROR(fg_merge_partial(ctx, tree, partial, 0, &result), ctx, code);
	CHECK(result.merged.key == NULL && result.ambiguous.key == NULL &&
		  result.unmatched.key == NULL);
}

static void
test_limits(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = chain(&ctx, 0, 60000, 1, "x");
	FgBuilder  *builder = fg_builder_create(&ctx);
	uint32_t	node = 0;
	uint32_t	frame;
	FgTree		partial;
	FgPartialResult result;

	unit_case("a merged stack that is too deep");
	CHECK(fg_builder_frame(builder, "x", 1, &frame) && fg_builder_child(builder, 0, frame, &node));
	for (uint32_t i = 60001; i <= FG_MAX_DEPTH; i++)
	{
		CHECK(fg_builder_frame(builder, "y", 1, &frame) &&
			  fg_builder_child(builder, node, frame, &node));
		if (i == FG_MAX_DEPTH - 1)
			CHECK(fg_builder_add_value(builder, node, 1));
	}
	CHECK(fg_builder_add_value(builder, node, 1));
	CHECK(fg_builder_finish(builder, &partial));
	fg_builder_free(builder);
	check_refused(&ctx, &tree, &partial, FG_ERROR_LIMIT);
	/* without its last frame it is not */
	partial.nnodes--;
	CHECK(fg_merge_partial(&ctx, &tree, &partial, 0, &result));
	CHECK_COUNT(result.merged.nnodes, FG_MAX_DEPTH);
	result_free(&ctx, &result);
	fg_tree_free(&ctx, &tree);
	fg_tree_free(&ctx, &partial);

	unit_case("a merged value that is too large");
	tree = tree_of_text(&ctx, "a;b 1e308\nb 1");
	partial = tree_of_text(&ctx, "a;b 1e308");
	check_refused(&ctx, &tree, &partial, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);
	fg_tree_free(&ctx, &partial);
	CHECK_COUNT(memory.blocks, 0);
}

typedef struct Input
{
	FgTree		tree;
	FgTree		partial;
	uint32_t	threshold;
} Input;

static bool
run_merge(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgPartialResult result;

	if (!fg_merge_partial(ctx, &input->tree, &input->partial, input->threshold, &result))
		return false;
	result_free(ctx, &result);
	return true;
}

/* 400 * 400 stacks "fNNN;gNNN" with something before or behind. */
static FgTree
wide(FgContext *ctx, const char *before, const char *behind)
{
	Naive		naive = {0};
	FgTree		tree;

	for (uint32_t i = 0; i < 160000; i++)
	{
		char		path[64];
		int			length = snprintf(path, sizeof(path), "%s;f%03u;g%03u;%s", before, i / 400,
									  i % 400, behind);
		char	   *start = path + (*before == '\0');

		length -= (*before == '\0') + (*behind == '\0');
		for (int c = 0; c < length; c++)
			start[c] = start[c] == ';' ? '\0' : start[c];
		naive_add(&naive, start, (size_t) length, 1);
	}
	tree = naive_tree(ctx, &naive);
	naive_free(&naive);
	return tree;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	Input		small = {
		tree_of_text(&ctx, "a;b 1\na;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;g 2\nq;f 3\n 4"),
		tree_of_text(&ctx, "b;c 2\nc;d 3\nd;e;e;e 4\nq;r 5\nb;u 1\nb;v 1\n"
					 "f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f;f 6"), 0
	};
	Input		large = {wide(&ctx, "a", ""), wide(&ctx, "", "h"), 1};
	FgPartialResult result;

	unit_sweep_memory("fg_merge_partial", run_merge, &small);
	unit_sweep_interrupts("fg_merge_partial", run_merge, &large, 10);
	unit_case("all of 160000 partial stacks find their place");
	CHECK(fg_merge_partial(&ctx, &large.tree, &large.partial, 1, &result));
	CHECK_COUNT(result.merged.nnodes, 1 + 400 + 2 * 160000);
	CHECK_COUNT(result.ambiguous.nnodes + result.unmatched.nnodes, 0);
	result_free(&ctx, &result);
	fg_tree_free(&ctx, &small.tree);
	fg_tree_free(&ctx, &small.partial);
	fg_tree_free(&ctx, &large.tree);
	fg_tree_free(&ctx, &large.partial);
}

int
main(void)
{
	test_given();
	test_chain_of_stacks();
	test_random();
	test_deep();
	test_branches();
	test_limits();
	test_failures();
	return unit_finish();
}
