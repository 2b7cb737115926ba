/*
 * test_tree.c
 *	  Calling context trees: invariants, facts, totals, canonical form, search.
 */
#include "naive.h"

#include <math.h>

/* --- invariants ------------------------------------------------------------- */

/* "a 1, a;b 2, a;c 4, b 8" has nodes 1 a, 2 a;b, 3 a;c, 4 b. */
static FgTree
sample(FgContext *ctx)
{
	return tree_of_text(ctx, "a 1\na;b 2\na;c 4\nb 8");
}

static void break_root_key(FgTree *t) { t->key[0] = fg_key(1, 0); }
static void break_root_value(FgTree *t) { t->self[0] = NAN; }
static void break_depth_zero(FgTree *t) { t->key[2] = FG_ROOT_KEY; }
static void break_depth_jump(FgTree *t) { t->key[1] = fg_key(2, 0); }
static void break_depth_jump_later(FgTree *t) { t->key[2] = fg_key(3, 1); }
static void break_depth_wrap(FgTree *t) { t->key[2] = UINT64_MAX; }
static void break_frame_number(FgTree *t) { t->key[4] = fg_key(1, 3); }
static void break_siblings_equal(FgTree *t) { t->key[3] = t->key[2]; }
static void break_siblings_order(FgTree *t) { t->key[3] = fg_key(2, 0); }
static void break_siblings_order_at_root(FgTree *t) { t->key[4] = fg_key(1, 0); }
static void break_leaf(FgTree *t) { t->self[2] = 0; }
static void break_last_leaf(FgTree *t) { t->self[4] = 0; }
static void break_minus_zero_leaf(FgTree *t) { t->self[3] = -0.0; }
static void break_infinite(FgTree *t) { t->self[3] = INFINITY; }
static void break_nan(FgTree *t) { t->self[1] = NAN; }
static void break_minus_infinite(FgTree *t) { t->self[0] = -INFINITY; }
static void break_unused(FgTree *t) { t->key[3] = fg_key(2, 1); t->key[2] = fg_key(2, 0); }
static void break_order_of_frames(FgTree *t) { t->frames.bytes[0] = 'z'; }
static void break_equal_frames(FgTree *t) { t->frames.bytes[0] = 'b'; }
static void break_empty_frame(FgTree *t) { t->frames.offset[1] = 0; }
static void break_frame_nul(FgTree *t) { t->frames.bytes[0] = '\0'; }
static void break_frame_line(FgTree *t) { t->frames.bytes[0] = '\n'; }
static void break_frame_return(FgTree *t) { t->frames.bytes[0] = '\r'; }
static void break_frame_utf8(FgTree *t) { t->frames.bytes[2] = '\xC3'; }

static void
test_check(void)
{
	static const struct
	{
		const char *what;
		void		(*break_it) (FgTree *tree);
	}			rows[] = {
		{"the root has a depth", break_root_key}, {"the root's value is NaN", break_root_value},
		{"a second root", break_depth_zero}, {"the first node too deep", break_depth_jump},
		{"a node too deep", break_depth_jump_later}, {"a depth beyond all", break_depth_wrap},
		{"an unknown frame", break_frame_number}, {"equal siblings", break_siblings_equal},
		{"siblings out of order", break_siblings_order},
		{"siblings out of order below the root", break_siblings_order_at_root},
		{"a leaf without value", break_leaf}, {"the last leaf without value", break_last_leaf},
		{"a leaf of -0", break_minus_zero_leaf}, {"an infinite value", break_infinite},
		{"a value NaN", break_nan}, {"an infinite value at the root", break_minus_infinite},
		{"an unused frame", break_unused}, {"frames out of order", break_order_of_frames},
		{"equal frames", break_equal_frames}, {"an empty frame", break_empty_frame},
		{"a frame with NUL", break_frame_nul}, {"a frame with LF", break_frame_line},
		{"a frame with CR", break_frame_return}, {"a frame that is not UTF-8", break_frame_utf8}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		tree = sample(&ctx);

		unit_case("not canonical: %s", rows[i].what);
		CHECK(fg_tree_check(&ctx, &tree));
		rows[i].break_it(&tree);
		CHECK_ERROR(fg_tree_check(&ctx, &tree), &ctx, FG_ERROR_CORRUPT);
		CHECK(ctx.error.reason[0] != '\0');
		fg_tree_free(&ctx, &tree);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_empty_and_copy(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		empty;
	FgTree		tree = sample(&ctx);
	FgTree		copy;
	FgFacts		facts;
	Naive		naive = naive_of_tree(&tree);
	double		totals[1] = {-1};

	unit_case("the empty tree");
	CHECK(fg_tree_empty(&ctx, &empty));
	CHECK(fg_tree_check(&ctx, &empty));
	naive_facts(&empty, &facts);
	CHECK(facts.nnodes == 0 && facts.nstacks == 0 && facts.nleaves == 0 && facts.depth == 0);
	CHECK_DOUBLE(facts.total, 0);
	CHECK_DOUBLE(facts.norm, 0);
	CHECK(fg_tree_totals(&ctx, &empty, totals));
	CHECK_DOUBLE(totals[0], 0);
	CHECK_COUNT(fg_tree_find(&empty, NULL, 0), 0);
	CHECK_COUNT(fg_tree_find(&empty, "a", 1), FG_NONE);
	unit_case("a copy is independent");
	CHECK(fg_tree_copy(&ctx, &tree, &copy));
	fg_tree_free(&ctx, &tree);
	naive_matches(&ctx, &naive, &copy);
	fg_tree_free(&ctx, &copy);
	CHECK(fg_tree_copy(&ctx, &empty, &copy));
	CHECK(fg_tree_check(&ctx, &copy));
	fg_tree_free(&ctx, &copy);
	unit_case("too many nodes");
	CHECK_ERROR(fg_tree_alloc(&ctx, &tree, FG_MAX_NODES + 1), &ctx, FG_ERROR_LIMIT);
	unit_case("freeing leaves nothing, also twice");
	fg_tree_free(&ctx, &empty);
	fg_tree_free(&ctx, &empty);
	naive_free(&naive);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- against the naive list ---------------------------------------------------- */

/* Is path a prefix of the entry's stack, at a frame's end? */
static bool
below(const NaiveEntry *entry, const char *path, size_t length)
{
	return length == 0 ||
		(entry->length >= length && memcmp(entry->path, path, length) == 0 &&
		 (entry->length == length || entry->path[length] == '\0'));
}

static size_t
frames_of(const NaiveEntry *entry)
{
	size_t		depth = entry->length > 0;

	for (size_t i = 0; i < entry->length; i++)
		depth += entry->path[i] == '\0';
	return depth;
}

static void
check_facts(const FgTree *tree, const Naive *naive)
{
	FgFacts		facts;
	double		total = 0;
	double		norm = 0;
	size_t		depth = 0;
	size_t		leaves = 0;

	naive_facts(tree, &facts);
	for (size_t i = 0; i < naive->count; i++)
	{
		const NaiveEntry *entry = &naive->entries[i];

		total += entry->value;
		norm += fabs(entry->value);
		depth = frames_of(entry) > depth ? frames_of(entry) : depth;
		/* the next in order would lie below it */
		leaves += entry->length > 0 &&
			(i + 1 == naive->count || !below(&naive->entries[i + 1], entry->path, entry->length));
	}
	CHECK_COUNT(facts.nnodes, tree->nnodes);
	CHECK_COUNT(facts.nstacks, naive->count);
	CHECK_COUNT(facts.depth, depth);
	CHECK_COUNT(facts.nleaves, leaves);
	CHECK_DOUBLE(facts.total, total);
	CHECK_DOUBLE(facts.norm, norm);
}

/* Every prefix of every stack: the node is found and its total is right. */
static void
check_nodes(FgContext *ctx, const FgTree *tree, const Naive *naive)
{
	double	   *totals = malloc(((size_t) tree->nnodes + 1) * sizeof(double));
	uint8_t    *seen = calloc((size_t) tree->nnodes + 1, 1);

	CHECK(fg_tree_totals(ctx, tree, totals));
	seen[0] = 1;
	for (size_t i = 0; i < naive->count; i++)
	{
		const NaiveEntry *entry = &naive->entries[i];

		CHECK_DOUBLE(tree->self[fg_tree_find(tree, entry->path, entry->length)], entry->value);
		for (size_t end = 0; end <= entry->length; end++)
		{
			uint32_t	node;
			double		total = 0;

			if (end > 0 && end < entry->length && entry->path[end] != '\0')
				continue;
			node = fg_tree_find(tree, entry->path, end);
			for (size_t j = 0; j < naive->count; j++)
				total += below(&naive->entries[j], entry->path, end) ? naive->entries[j].value : 0;
			if (CHECK(node <= tree->nnodes))
			{
				CHECK_DOUBLE(totals[node], total);
				seen[node] = 1;
			}
		}
	}
	for (uint32_t i = 0; i <= tree->nnodes; i++)
		CHECK(seen[i]);
	CHECK(naive->count > 0 || totals[0] == 0);
	free(totals);
	free(seen);
}

static void
test_random_trees(void)
{
	UnitRandom	random = {777};

	unit_case("facts, totals and search of random trees");
	for (int round = 0; round < 600; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		NaiveShape	shape = {unit_below(&random, 40), 1 + unit_below(&random, 8),
		1 + unit_below(&random, 12), round % 2 ? NAIVE_SIGNED : NAIVE_COUNTS};
		Naive		naive = naive_random(&random, shape);
		FgTree		tree = naive_tree(&ctx, &naive);

		unit_note("[round %d]", round);
		naive_matches(&ctx, &naive, &tree);
		check_facts(&tree, &naive);
		check_nodes(&ctx, &tree, &naive);
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_find(void)
{
	static const struct
	{
		const char *path;
		size_t		length;
		uint32_t	node;
	}			rows[] = {
		{"", 0, 0}, {"a", 1, 1}, {"a\0a", 3, 2}, {"a\0b", 3, 3}, {"a\0b\0a", 5, 4}, {"ab", 2, 5},
		{"b", 1, 6}, {"b\0a", 3, 7}, {"c", 1, FG_NONE}, {"a\0c", 3, FG_NONE},
		{"a\0ab", 4, FG_NONE}, {"a\0a\0b", 5, FG_NONE}, {"b\0b", 3, FG_NONE},
		{"b\0a\0a", 5, FG_NONE}, {"ab\0a", 4, FG_NONE}, {"a\0", 2, FG_NONE},
		{"\0", 1, FG_NONE}, {"\0a", 2, FG_NONE}, {"aa", 2, FG_NONE}, {"A", 1, FG_NONE}
	};
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a;a 1\na;b 1\na;b;a 1\nb;a 1\nab 1");

	/* below the root come a, ab, b */
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("finding path %zu", i);
		CHECK_COUNT(fg_tree_find(&tree, rows[i].path, rows[i].length), rows[i].node);
	}
	fg_tree_free(&ctx, &tree);
}

/* --- totals ---------------------------------------------------------------------- */

static void
test_totals(void)
{
	static const struct
	{
		const char *text;
		double		totals[8];
	}			rows[] = {
		/* golden algebra_figure2 */
		{"A;B 1\nA;C;D 5\nA;C 1\nA 2", {9, 9, 1, 6, 5}},
		{" 5\na 2\na;b 1", {8, 3, 1}},
		/* totals of signed graphs may cancel (item 16) */
		{"a;b 1\na;c -1\nd 2", {2, 0, 1, -1, 2}},
		{"a;b;c 1\na;b;d -1\na 3", {3, 3, 0, 1, -1}},
		/* where plain sums, in any order that passes the nodes once, lose the last digit */
		{"a;b 0.3\na;c 0.2\na;d 0.1", {0.6, 0.6, 0.3, 0.2, 0.1}},
		{"a;b 1\na;c 1\na;d 9007199254740992",
		{9007199254740994, 9007199254740994, 1, 1, 9007199254740992}},
		{"a;b 1\na;c 9007199254740991", {9007199254740992, 9007199254740992, 1, 9007199254740991}}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		tree = tree_of_text(&ctx, rows[i].text);
		double		totals[8];

		unit_case("totals of tree %zu", i);
		CHECK(fg_tree_totals(&ctx, &tree, totals));
		for (uint32_t n = 0; n <= tree.nnodes; n++)
			CHECK_DOUBLE(totals[n], rows[i].totals[n]);
		fg_tree_free(&ctx, &tree);
	}
}

static void
test_totals_overflow(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a;b 1e308\na;c 1e308\nd -1e308");
	double		totals[5];

	unit_case("a total that overflows");
	CHECK_ERROR(fg_tree_totals(&ctx, &tree, totals), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);
	unit_case("the sums of the facts become infinite");
	{
		FgFacts		facts;

		tree = tree_of_text(&ctx, "a 1.5e308\nb -1.5e308");
		naive_facts(&tree, &facts);
		CHECK_DOUBLE(facts.total, 0);	/* golden algebra_norms_overflow */
		CHECK_DOUBLE(facts.norm, INFINITY);
		fg_tree_free(&ctx, &tree);
		tree = tree_of_text(&ctx, "a -1.5e308\nb -1.5e308");
		naive_facts(&tree, &facts);
		CHECK_DOUBLE(facts.total, -INFINITY);
		fg_tree_free(&ctx, &tree);
	}
}

/* --- dropping what has no value -------------------------------------------------------- */

static void
test_prune(void)
{
	UnitRandom	random = {8};

	unit_case("pruning random trees whose values vanish");
	for (int round = 0; round < 600; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		NaiveShape	shape = {1 + unit_below(&random, 60), 1 + unit_below(&random, 8), 20, NAIVE_SIGNED};
		Naive		naive = naive_random(&random, shape);
		FgTree		tree = naive_tree(&ctx, &naive);
		uint32_t	keep = unit_below(&random, 4);

		unit_note("[round %d]", round);
		naive_free(&naive);
		for (uint32_t i = 0; i <= tree.nnodes; i++)
		{
			if (unit_below(&random, 4) >= keep)
				tree.self[i] = unit_below(&random, 2) ? 0 : -0.0;
		}
		naive = naive_of_tree(&tree);
		CHECK(fg_tree_prune_zeros(&ctx, &tree));
		naive_matches(&ctx, &naive, &tree);
		naive_free(&naive);
		fg_tree_free(&ctx, &tree);
		CHECK_COUNT(memory.blocks, 0);
	}
	unit_case("pruning a canonical tree changes nothing");
	{
		FgContext	ctx = fg_malloc_context();
		FgTree		tree = sample(&ctx);
		Naive		naive = naive_of_tree(&tree);

		CHECK(fg_tree_prune_zeros(&ctx, &tree));
		naive_matches(&ctx, &naive, &tree);
		naive_free(&naive);
		fg_tree_free(&ctx, &tree);
	}
}

/* --- memory and interrupts --------------------------------------------------------------- */

static bool
use_tree(FgContext *ctx, void *arg)
{
	const FgTree *tree = arg;
	double	   *totals = malloc(((size_t) tree->nnodes + 1) * sizeof(double));
	FgTree		copy = {0};
	FgTree		empty = {0};
	bool		ok = fg_tree_copy(ctx, tree, &copy) && fg_tree_empty(ctx, &empty) &&
		fg_tree_check(ctx, &copy) && fg_tree_totals(ctx, &copy, totals);

	if (ok)
	{
		copy.self[copy.nnodes] = 0;
		ok = fg_tree_prune_zeros(ctx, &copy);
	}
	fg_tree_free(ctx, &copy);
	fg_tree_free(ctx, &empty);
	free(totals);
	return ok;
}

/* 500 x 400 nodes and their parents. */
static FgTree
wide_tree(FgContext *ctx)
{
	Naive		naive = {0};
	FgTree		tree;

	for (uint32_t i = 0; i < 200000; i++)
	{
		char		path[32];
		int			length = snprintf(path, sizeof(path), "%03u%c%03u", i / 400, 0, i % 400);

		naive_add(&naive, path, (size_t) length, 1);
	}
	tree = naive_tree(ctx, &naive);
	naive_free(&naive);
	return tree;
}

static void
test_memory(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = sample(&ctx);

	unit_sweep_memory("copy, check, totals, prune", use_tree, &tree);
	fg_tree_free(&ctx, &tree);
	tree = wide_tree(&ctx);
	unit_sweep_interrupts("totals, prune", use_tree, &tree, 6);
	fg_tree_free(&ctx, &tree);
}

int
main(void)
{
	test_check();
	test_empty_and_copy();
	test_random_trees();
	test_find();
	test_totals();
	test_totals_overflow();
	test_prune();
	test_memory();
	return unit_finish();
}
