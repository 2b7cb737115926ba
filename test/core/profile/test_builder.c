/*
 * test_builder.c
 *	  From stacks in any order to a canonical tree.
 */
#include "naive.h"

#include "core/profile/builder.h"

#include <math.h>

/* Adds "a;b;c" style paths, separated by ';'. */
static bool
add(FgBuilder *builder, const char *path, double value)
{
	char	   *copy = strdup(path);	/* gone after the call, as "not stable" allows */
	bool		ok = fg_builder_add(builder, copy, strlen(path), ';', false, value);

	free(copy);
	return ok;
}

static void
check_finish(FgContext *ctx, FgBuilder *builder, const char *expected)
{
	FgTree		tree;
	Naive		naive = naive_of_text(expected);

	if (CHECK(fg_builder_finish(builder, &tree)))
		naive_matches(ctx, &naive, &tree);
	naive_free(&naive);
	fg_tree_free(ctx, &tree);
	fg_builder_free(builder);
}

/* --- orders ---------------------------------------------------------------- */

static void
test_orders(void)
{
	static const struct
	{
		const char *what;
		const char *stacks[12];
		const char *expected;
	}			rows[] = {
		{"nothing", {NULL}, ""},
		{"the empty stack", {"", ""}, " 3"},
		{"sorted", {"a", "a;b", "a;b;c", "a;d", "b"}, "a 1\na;b 2\na;b;c 4\na;d 8\nb 16"},
		{"ancestors after descendants", {"a;b;c", "a;b", "a", "d;e", "d"},
		"a 4\na;b 2\na;b;c 1\nd 16\nd;e 8"},
		{"repeated at once", {"a;b", "a;b", "a", "a", "a;b"}, "a 12\na;b 19"},
		{"an ancestor, then another child", {"a;b;c", "a", "a;b;d", "a;c"},
		"a 2\na;b;c 1\na;b;d 4\na;c 8"},
		{"out of order", {"b", "a", "c", "a;b"}, "a 2\na;b 8\nb 1\nc 4"},
		{"out of order below", {"a;c", "a;b", "a;c;d", "a;b;a"}, "a;b 2\na;b;a 8\na;c 1\na;c;d 4"},
		{"back to a finished subtree", {"a;b", "b", "a;c", "b;c"}, "a;b 1\na;c 4\nb 2\nb;c 8"},
		{"a prefix that is no ancestor", {"a", "ab", "a;b", "abc", "ab;c"},
		"a 1\na;b 4\nab 2\nab;c 16\nabc 8"},
		{"shorter first frame after longer", {"ab;c", "a;x"}, "a;x 2\nab;c 1"},
		{"text order is not frame order", {"a b", "a!", "a;c", "a"}, "a 8\na;c 4\na b 1\na! 2"},
		{"frame order", {"a", "a;c", "a b", "a!"}, "a 1\na;c 2\na b 4\na! 8"},
		{"empty stacks between", {"", "b", "", "a", "", "b;c"}, " 21\na 8\nb 2\nb;c 32"},
		{"high bytes", {"\xC3\xA9", "z", "a;\xC3\xA9", "a;z"}, "a;z 8\na;\xC3\xA9 4\nz 2\n\xC3\xA9 1"},
		{"recursion", {"f;f;f", "f", "f;f", "f;f;f;f", "f;f;f"}, "f 2\nf;f 4\nf;f;f 17\nf;f;f;f 8"}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgBuilder  *builder = fg_builder_create(&ctx);
		double		value = 1;

		unit_case("builder: %s", rows[i].what);
		for (size_t s = 0; rows[i].stacks[s] != NULL; s++, value *= 2)
			CHECK(add(builder, rows[i].stacks[s], value));
		check_finish(&ctx, builder, rows[i].expected);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/*
 * All sequences of three of these, which the builder may take for sorted or not:
 * prefixes, bytes below and above the separator, bytes with the high bit.
 */
static void
test_all_triples(void)
{
	static const char *const paths[] = {
		"a", "b", "ab", "a b", "a;b", "a;a", "a;b;a", "a;ab", "ab;a", "a!", "a~", "\xC3\xA9",
		"a;\xC3\xA9", "a\xC3\xA9", "b;b", ""
	};
	const size_t n = COUNT(paths);

	unit_case("all sequences of three stacks");
	for (size_t i = 0; i < n * n * n; i++)
	{
		static const char separators[] = {';', '\0'};
		const char *three[] = {paths[i / n / n], paths[i / n % n], paths[i % n]};
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgBuilder  *builder = fg_builder_create(&ctx);
		Naive		expected = {0};
		FgTree		tree;

		unit_note("[%s, %s, %s]", three[0], three[1], three[2]);
		for (size_t s = 0; s < 3; s++)
		{
			/* now and then, the text is one frame or several */
			char		separator = separators[i % 5 == s];
			char		path[16];
			size_t		length = strlen(three[s]);

			memcpy(path, three[s], length);
			for (size_t c = 0; c < length; c++)
				path[c] = path[c] == separator ? '\0' : path[c];
			naive_add(&expected, path, length, (double) s + 1);
			CHECK(fg_builder_add(builder, three[s], length, separator, true, (double) s + 1));
		}
		naive_settle(&expected);
		CHECK(fg_builder_finish(builder, &tree));
		naive_matches(&ctx, &expected, &tree);
		fg_tree_free(&ctx, &tree);
		fg_builder_free(builder);
		naive_free(&expected);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_random_orders(void)
{
	UnitRandom	random = {31337};

	unit_case("sorted and shuffled stacks give the tree of the naive list");
	for (int round = 0; round < 800; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		NaiveShape	shape = {1 + unit_below(&random, 300), 1 + unit_below(&random, 12),
		1 + unit_below(&random, 40), NAIVE_COUNTS};
		Naive		naive = naive_random(&random, shape);
		Naive		shuffled = naive_combination(&naive, 1, &naive, 0);
		FgTree		tree;

		unit_note("[round %d]", round);
		tree = naive_tree(&ctx, &naive);
		naive_matches(&ctx, &naive, &tree);
		fg_tree_free(&ctx, &tree);
		naive_shuffle(&random, &shuffled);
		tree = naive_tree(&ctx, &shuffled);
		naive_matches(&ctx, &naive, &tree);
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
		naive_free(&shuffled);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* Stacks that repeat and cancel, which the naive list adds up at the end. */
static void
test_random_cancellation(void)
{
	UnitRandom	random = {1812};

	unit_case("random stacks that repeat and cancel");
	for (int round = 0; round < 500; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		NaiveShape	shape = {40, 5, 4, NAIVE_SIGNED};
		Naive		some = naive_random(&random, shape);
		Naive		all = {0};
		FgTree		tree;

		unit_note("[round %d]", round);
		for (int copies = 0; copies < 4; copies++)
		{
			for (size_t i = 0; i < some.count; i++)
			{
				double		sign = copies == 3 && i % 3 > 0 ? -3 : 1;

				naive_add(&all, some.entries[i].path, some.entries[i].length,
						  sign * some.entries[i].value);
			}
		}
		naive_shuffle(&random, &all);
		tree = naive_tree(&ctx, &all);
		naive_settle(&all);
		naive_matches(&ctx, &all, &tree);
		fg_tree_free(&ctx, &tree);
		naive_free(&some);
		naive_free(&all);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_cancellation(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuilder  *builder = fg_builder_create(&ctx);

	unit_case("everything cancels");
	CHECK(add(builder, "a;b;c", 5) && add(builder, "x", 1) && add(builder, "", 2));
	CHECK(add(builder, "a;b;c", -5) && add(builder, "x", -1) && add(builder, "", -2));
	check_finish(&ctx, builder, "");
	unit_case("a zero makes no node");
	builder = fg_builder_create(&ctx);
	CHECK(add(builder, "a;b", 0) && add(builder, "c", -0.0) && add(builder, "d", 1));
	check_finish(&ctx, builder, "d 1");
	unit_case("a value comes back");
	builder = fg_builder_create(&ctx);
	CHECK(add(builder, "a;b", 1) && add(builder, "a;b", -1) && add(builder, "a;b", 3));
	check_finish(&ctx, builder, "a;b 3");
}

/* --- separators and lifetimes --------------------------------------------------- */

static void
test_separators(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuilder  *builder = fg_builder_create(&ctx);

	unit_case("a separator per call");
	CHECK(fg_builder_add(builder, "a;b", 3, ';', true, 1));
	CHECK(fg_builder_add(builder, "a;b\0c", 5, '\0', true, 2));	/* frames "a;b" and "c" */
	CHECK(fg_builder_add(builder, "a\0b", 3, '\0', true, 4));
	CHECK(fg_builder_add(builder, "a;b;c", 5, ';', true, 8));
	CHECK(fg_builder_add(builder, "a;b", 3, '\0', true, 16));
	check_finish(&ctx, builder, "a;b 5\na;b;c 8\na\\;b 16\na\\;b;c 2");
	unit_case("stable and other paths mixed");
	builder = fg_builder_create(&ctx);
	for (int i = 0; i < 1000; i++)
	{
		char		path[32];
		static const char fixed[] = "a;b;c";

		snprintf(path, sizeof(path), "a;b;%d", i);
		CHECK(fg_builder_add(builder, path, strlen(path), ';', false, i % 2 ? 1 : -1));
		memset(path, 'X', sizeof(path));
		CHECK(fg_builder_add(builder, fixed, 5, ';', true, 1));
	}
	{
		FgTree		tree;
		FgFacts		facts;

		CHECK(fg_builder_finish(builder, &tree));
		CHECK(fg_tree_check(&ctx, &tree));
		naive_facts(&tree, &facts);
		CHECK_COUNT(facts.nstacks, 1001);
		CHECK_DOUBLE(facts.total, 1000);
		CHECK_DOUBLE(tree.self[fg_tree_find(&tree, "a\0b\0c", 5)], 1000);
		fg_tree_free(&ctx, &tree);
		fg_builder_free(builder);
	}
	unit_case("a stable path whose bytes go away");
	builder = fg_builder_create(&ctx);
	CHECK(fg_builder_settle(builder));
	for (int round = 0; round < 2; round++)
	{
		char		path[] = "a;b;c";

		CHECK(fg_builder_add(builder, path, 5, ';', true, 1));
		CHECK(fg_builder_settle(builder));
		memset(path, 'X', sizeof(path));
		CHECK(fg_builder_settle(builder));
		CHECK(fg_builder_add(builder, "a;b;d", 5, ';', true, 2));
	}
	check_finish(&ctx, builder, "a;b;c 2\na;b;d 4");
}

/* --- errors ------------------------------------------------------------------------ */

static void
test_bad_frames(void)
{
	static const struct
	{
		const char *path;
		size_t		length;
		FgErrorCode code;
		uint64_t	column;
	}			rows[] = {
		{";", 1, FG_ERROR_SYNTAX, 1}, {"a;", 2, FG_ERROR_SYNTAX, 3}, {";a", 2, FG_ERROR_SYNTAX, 1},
		{"a;;b", 4, FG_ERROR_SYNTAX, 3}, {"a;b\n", 4, FG_ERROR_SYNTAX, 3},
		{"a\r;b", 4, FG_ERROR_SYNTAX, 1}, {"a;b\0", 4, FG_ERROR_ENCODING, 3},
		{"a;\xC3;b", 5, FG_ERROR_ENCODING, 3}, {"good;better;\xFF", 13, FG_ERROR_ENCODING, 13}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		for (int order = 0; order < 2; order++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			FgBuilder  *builder = fg_builder_create(&ctx);

			unit_case("bad path %zu, %s", i, order ? "after a hash trie" : "in preorder");
			CHECK(add(builder, "good;b", 1));
			CHECK(!order || add(builder, "good;a", 2));
			CHECK_ERROR(fg_builder_add(builder, rows[i].path, rows[i].length, ';', true, 7), &ctx,
						rows[i].code);
			CHECK_COUNT(ctx.error.column, rows[i].column);
			/* nothing of it is left, and the builder goes on */
			CHECK(add(builder, "good;b", 4) && add(builder, "good;c", 8));
			check_finish(&ctx, builder, order ? "good;a 2\ngood;b 5\ngood;c 8" : "good;b 5\ngood;c 8");
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_controls(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuilder  *builder = fg_builder_create(&ctx);
	FgTree		tree;

	unit_case("control characters, forbidden");
	fg_builder_forbid_controls(builder);
	for (int c = 1; c < 0x100; c++)
	{
		char		path[4] = {'x', ';', (char) c, 'y'};
		bool		control = c < 0x20 || c == 0x7F;

		if (c == ';' || c >= 0x80)
			continue;
		unit_note("[0x%02X]", (unsigned) c);
		CHECK(fg_builder_add(builder, path, 4, ';', false, 1) == !control);
		if (control)
			CHECK(ctx.error.code == FG_ERROR_SYNTAX && ctx.error.column == 3);
	}
	CHECK(add(builder, "\xC2\x85", 1));
	/* x, below it the 95 printable characters but the semicolon, and U+0085 */
	CHECK(fg_builder_finish(builder, &tree));
	CHECK_COUNT(tree.nnodes, 1 + 94 + 1);
	fg_tree_free(&ctx, &tree);
	fg_builder_free(builder);
	unit_case("control characters, allowed");
	builder = fg_builder_create(&ctx);
	for (int c = 1; c < 0x20; c++)
	{
		char		path[1] = {(char) c};

		CHECK(fg_builder_add(builder, path, 1, ';', false, 1) == (c != '\n' && c != '\r'));
	}
	fg_builder_free(builder);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_overflow(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuilder  *builder = fg_builder_create(&ctx);

	unit_case("a sum that overflows adds nothing");
	CHECK(add(builder, "a;b", 1.5e308) && add(builder, "", -1.5e308));
	CHECK_ERROR(add(builder, "a;b", 1e308), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(add(builder, "", -1e308), &ctx, FG_ERROR_RANGE);
	CHECK(add(builder, "a;b", -1.5e308) && add(builder, "", 1.5e308) && add(builder, "a", 1));
	check_finish(&ctx, builder, "a 1");
	unit_case("values that are not finite");
	builder = fg_builder_create(&ctx);
	CHECK_ERROR(add(builder, "a", (double) INFINITY), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(add(builder, "b", (double) NAN), &ctx, FG_ERROR_RANGE);
	CHECK(add(builder, "c", 1));
	check_finish(&ctx, builder, "c 1");
}

/* --- limits ------------------------------------------------------------------------- */

static void
test_depth_limit(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuilder  *builder = fg_builder_create(&ctx);
	size_t		length = 2 * ((size_t) FG_MAX_DEPTH + 1) - 1;
	char	   *path = malloc(length);
	FgTree		tree;

	for (size_t i = 0; i < length; i++)
		path[i] = i % 2 == 0 ? 'f' : ';';
	unit_case("65535 frames");
	CHECK(fg_builder_add(builder, path, length - 2, ';', false, 3));
	unit_case("65536 frames");
	CHECK_ERROR(fg_builder_add(builder, path, length, ';', false, 3), &ctx, FG_ERROR_LIMIT);
	CHECK_COUNT(ctx.error.column, length);
	unit_case("65536 frames out of order, and after an error");
	path[0] = 'e';
	CHECK_ERROR(fg_builder_add(builder, path, length, ';', false, 3), &ctx, FG_ERROR_LIMIT);
	CHECK(fg_builder_add(builder, path, 3, ';', false, 1));
	unit_case("the deepest tree");
	CHECK(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	CHECK_COUNT(tree.nnodes, FG_MAX_DEPTH + 2);
	CHECK_COUNT(fg_key_depth(tree.key[tree.nnodes]), FG_MAX_DEPTH);
	CHECK_DOUBLE(tree.self[tree.nnodes], 3);
	CHECK(fg_tree_check(&ctx, &tree));
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
	free(path);
}

static void
test_frame_limit(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuilder  *builder = fg_builder_create(&ctx);
	char	   *path = malloc(FG_MAX_FRAME + 3);
	FgTree		tree;

	memset(path, 'x', FG_MAX_FRAME + 3);
	path[1] = ';';
	unit_case("a frame of 1 MiB");
	CHECK(fg_builder_add(builder, path, FG_MAX_FRAME + 2, ';', false, 3));
	unit_case("a frame of one byte more");
	CHECK_ERROR(fg_builder_add(builder, path, FG_MAX_FRAME + 3, ';', false, 3), &ctx,
				FG_ERROR_LIMIT);
	CHECK_COUNT(ctx.error.column, 3);
	unit_case("the tree with the long frame");
	CHECK(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	CHECK_COUNT(tree.frames.count, 2);
	CHECK_COUNT(fg_frame_length(&tree.frames, 1), FG_MAX_FRAME);
	CHECK(fg_tree_check(&ctx, &tree));
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
	free(path);
}

/* Frames whose hashes share bits, lengths around the hash's blocks of 8 and 16. */
static void
test_many_frames(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuilder  *builder = fg_builder_create(&ctx);
	FgTree		tree;

	unit_case("frames of every length, alike but for one byte");
	for (uint32_t length = 1; length <= 70; length++)
	{
		for (uint32_t at = 0; at < length; at++)
		{
			char		frame[80];

			memset(frame, 'x', sizeof(frame));
			frame[at] = 'y';
			CHECK(fg_builder_add(builder, frame, length, ';', false, 1));
			CHECK(fg_builder_add(builder, frame, length, ';', false, 1));
		}
	}
	CHECK(fg_builder_finish(builder, &tree));
	CHECK_COUNT(tree.frames.count, 70 * 71 / 2);
	CHECK_COUNT(tree.nnodes, 70 * 71 / 2);
	CHECK(fg_tree_check(&ctx, &tree));
	for (uint32_t i = 1; i <= tree.nnodes; i++)
		CHECK_DOUBLE(tree.self[i], 2);
	fg_tree_free(&ctx, &tree);
	fg_builder_free(builder);
}

/* --- memory and interrupts --------------------------------------------------------------- */

typedef struct Stacks
{
	const Naive *naive;
	bool		go_on;			/* after an error, to the end */
} Stacks;

static bool
build(FgContext *ctx, void *arg)
{
	const Stacks *stacks = arg;
	FgBuilder  *builder = fg_builder_create(ctx);
	FgTree		tree;
	bool		ok = builder != NULL;

	for (size_t i = 0; ok && i < stacks->naive->count; i++)
	{
		const NaiveEntry *entry = &stacks->naive->entries[i];

		ok = fg_builder_add(builder, entry->path, entry->length, '\0', i % 3 > 0, entry->value);
		if (!ok && stacks->go_on)
		{
			/* "after an error the builder can still be used" */
			for (size_t j = 0; j < stacks->naive->count; j++)
			{
				const NaiveEntry *more = &stacks->naive->entries[j];

				CHECK(fg_builder_add(builder, more->path, more->length, '\0', false,
									 j < i ? -more->value : more->value));
			}
			CHECK(fg_builder_finish(builder, &tree));
			CHECK(fg_tree_check(ctx, &tree));
			{
				/* what came before the error was taken back, it and the rest added */
				Naive		found = naive_of_tree(&tree);
				Naive		rest = {0};

				for (size_t j = i; j < stacks->naive->count; j++)
					naive_add(&rest, stacks->naive->entries[j].path,
							  stacks->naive->entries[j].length, stacks->naive->entries[j].value);
				naive_settle(&rest);
				CHECK(naive_equal(&found, &rest));
				naive_free(&found);
				naive_free(&rest);
			}
			fg_tree_free(ctx, &tree);
		}
	}
	if (ok)
	{
		ok = fg_builder_finish(builder, &tree);
		if (ok)
			fg_tree_free(ctx, &tree);
		else
			CHECK(tree.key == NULL && tree.self == NULL && tree.frames.offset == NULL);
	}
	if (builder != NULL)
		fg_builder_free(builder);
	return ok;
}

static void
test_polls(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuilder  *builder = fg_builder_create(&ctx);
	char		path[1000];

	unit_case("adding polls for interrupts once a megabyte");
	for (size_t i = 0; i < sizeof(path); i++)
		path[i] = i % 100 == 99 ? ';' : 'x';
	path[999] = 'y';
	for (int i = 0; i < 4 * FG_CHECK_BYTES / 1000; i++)
		CHECK(fg_builder_add(builder, path, sizeof(path), ';', true, 1));
	CHECK(memory.polls >= 3 && memory.polls <= 5);
	memory.cancel_at = memory.polls + 1;
	for (int i = 0; i < 2 * FG_CHECK_BYTES / 1000; i++)
	{
		if (fg_builder_add(builder, path, sizeof(path), ';', true, 1))
			continue;
		CHECK_COUNT(ctx.error.code, FG_ERROR_CANCELLED);
		break;
	}
	CHECK_COUNT(memory.polls, memory.cancel_at);
	fg_builder_free(builder);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_memory(void)
{
	UnitRandom	random = {5};
	NaiveShape	shape = {400, 8, 40, NAIVE_COUNTS};
	Naive		naive = naive_random(&random, shape);
	Stacks		stacks = {&naive, false};
	Naive		large;

	/* and more frames than their table first has room for */
	for (uint32_t i = 0; i < 200; i++)
	{
		char		name[16];

		naive_add(&naive, name, (size_t) snprintf(name, sizeof(name), "f%u", i), 1);
	}
	naive_settle(&naive);
	unit_sweep_memory("builder, sorted", build, &stacks);
	stacks.go_on = true;
	unit_sweep_memory("builder, sorted, used after the error", build, &stacks);
	naive_shuffle(&random, &naive);
	unit_sweep_memory("builder, shuffled, used after the error", build, &stacks);
	stacks.go_on = false;
	naive_add(&naive, naive.entries[5].path, naive.entries[5].length, -naive.entries[5].value);
	unit_sweep_memory("builder, with a value that cancels", build, &stacks);
	naive_free(&naive);

	memset(&large, 0, sizeof(large));
	for (uint32_t i = 0; i < 150000; i++)
	{
		char		path[32];
		int			length = snprintf(path, sizeof(path), "main%c%03u%c%03u", 0, i / 400, 0, i % 400);

		naive_add(&large, path, (size_t) length, 1);
	}
	stacks.naive = &large;
	unit_sweep_interrupts("builder, sorted", build, &stacks, 4);
	naive_shuffle(&random, &large);
	unit_sweep_interrupts("builder, shuffled", build, &stacks, 8);
	naive_free(&large);
}

/* --- step by step --------------------------------------------------------------------- */

/* A path of single letters, in steps. */
static void
step(FgBuilder *b, const char *path)
{
	uint32_t	node = 0;
	uint32_t	frame;

	for (; *path != '\0'; path++)
	{
		CHECK(fg_builder_frame(b, path, 1, &frame));
		CHECK(fg_builder_child(b, node, frame, &node));
	}
	CHECK(fg_builder_add_value(b, node, 1));
}

static void
check_steps(const char *const *paths, size_t count)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuilder  *steps = fg_builder_create(&ctx);
	FgBuilder  *whole = fg_builder_create(&ctx);
	FgTree		tree;
	FgTree		expected;

	for (size_t i = 0; i < count; i++)
	{
		char		path[32] = "";

		for (const char *at = paths[i]; *at != '\0'; at++)
			snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s%c", at > paths[i] ? ";" : "", *at);
		step(steps, paths[i]);
		CHECK(fg_builder_add(whole, path, strlen(path), ';', false, 1));
	}
	CHECK(fg_builder_finish(steps, &tree) && fg_builder_finish(whole, &expected));
	CHECK(fg_frames_equal(&tree.frames, &expected.frames));
	CHECK_BYTES(tree.key, (tree.nnodes + 1) * sizeof(uint64_t), expected.key, (expected.nnodes + 1) * sizeof(uint64_t));
	CHECK_BYTES(tree.self, (tree.nnodes + 1) * sizeof(double), expected.self, (expected.nnodes + 1) * sizeof(double));
	fg_tree_free(&ctx, &tree);
	fg_tree_free(&ctx, &expected);
	fg_builder_free(steps);
	fg_builder_free(whole);
	CHECK_COUNT(memory.blocks, 0);
}

/* In preorder, up to the last one; frames are new in another order than that of their names. */
static void
test_steps(void)
{
	static const char *const in_order[] = {"zz", "z{", "z{a", "z{b", "z{b", "z|", "{", "{z", "|a|"};
	static const char *const once_back[] = {"ac", "ad", "b", "ac"};
	static const char *const sibling_before[] = {"ac", "ab", "ad"};
	static const char *const parent_before[] = {"ab", "b", "ac", "bb"};
	static const char *const first[] = {"b", "a", "", "b"};
	UnitRandom	random = {11};

	unit_case("steps in preorder");
	check_steps(in_order, COUNT(in_order));
	unit_case("steps back");
	check_steps(once_back, COUNT(once_back));
	check_steps(sibling_before, COUNT(sibling_before));
	check_steps(parent_before, COUNT(parent_before));
	check_steps(first, COUNT(first));
	unit_case("random steps");
	for (int round = 0; round < 200; round++)
	{
		char		texts[12][8];
		const char *paths[12];

		for (size_t i = 0; i < COUNT(paths); i++)
		{
			uint32_t	depth = unit_below(&random, 6);

			for (uint32_t d = 0; d < depth; d++)
				texts[i][d] = (char) ('a' + unit_below(&random, 3));
			texts[i][depth] = '\0';
			paths[i] = texts[i];
			/* mostly in order */
			if (i > 0 && round % 4 > 0 && strcmp(texts[i], texts[i - 1]) < 0)
				memcpy(texts[i], texts[i - 1], sizeof(texts[i]));
		}
		check_steps(paths, COUNT(paths));
	}
}

int
main(void)
{
	test_steps();
	test_orders();
	test_all_triples();
	test_random_orders();
	test_random_cancellation();
	test_cancellation();
	test_separators();
	test_bad_frames();
	test_controls();
	test_overflow();
	test_depth_limit();
	test_frame_limit();
	test_many_frames();
	test_polls();
	test_memory();
	return unit_finish();
}
