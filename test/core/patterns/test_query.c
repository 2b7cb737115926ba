/*
 * test_query.c
 *	  Patterns over stacks: text, errors, matching of stacks and of trees, limits.
 */
#include "naive.h"

#include "core/patterns/query.h"
#include "core/profile/path.h"

/* Builds with FG_ASSERT have each regular expression asked by both automata. */
#ifdef FG_ASSERT
#define ASKED 2
#else
#define ASKED 1
#endif

/* The regular expression "x" of these tests is found in every frame that holds an x. */
static bool
holds_x(void *arg, uint32_t regex, const char *frame, size_t length)
{
	(void) regex;
	++*(uint32_t *) arg;
	return memchr(frame, 'x', length) != NULL;
}

/* --- text -------------------------------------------------------------------------- */

static void
check_text(const char *text, const char *printed)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuffer	buffer = {.ctx = &ctx};
	FgQuery		query;

	unit_case("pattern %s", text);
	if (CHECK(fg_query_parse(&ctx, text, strlen(text), &query)))
	{
		CHECK(fg_query_print(&query, &buffer));
		CHECK_TEXT(buffer.data, buffer.size, printed != NULL ? printed : text);
		fg_query_free(&query);
	}
	fg_release(&ctx, buffer.data);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_texts(void)
{
	static const char *const rows[][2] = {
		{"a", NULL}, {"a;b", NULL}, {"*", NULL}, {"*;a;*", NULL}, {"!a", NULL}, {"a|b|c", NULL},
		{"!a|b", NULL}, {"a*", NULL}, {"a@", NULL}, {"a%", NULL}, {"a%@*", "a*@%"}, {"a**@@", "a*@"},
		{"*{1}", NULL}, {"*{1,}", NULL}, {"*{1,2}", NULL}, {"*{,2}", NULL}, {"*{0,}", "*"},
		{"*{,}", "*"}, {"*{0}", NULL}, {"*{0,0}", "*{0}"}, {"*{,0}", "*{0}"}, {"*{0,3}", "*{,3}"},
		{"*{2,2}", "*{2}"}, {"*{007}", "*{7}"}, {"a{1}", "a"}, {"a{1,1}", "a"}, {"a{0,1}", "a{,1}"},
		{"a{0,}", NULL}, {"a{,}", "a{0,}"}, {"a{1,}", NULL}, {"!a|b*@{3}", NULL},
		{"*{65535}", NULL}, {"a{65535,}", NULL},
		{"\"a\"", "a"}, {"\"a;b\"", NULL}, {"\" a\"", NULL}, {"\"a \"*", NULL}, {"\"*\"", NULL},
		{"\"*\"*", NULL}, {"\"a\\\"b\"", NULL}, {"\"\\\\\"", "\\"}, {"\";\\\\\"", NULL},
		{"\";\\a\"", NULL}, {"\";\\\\a\"", "\";\\a\""}, {"\";\\\\\\\\\"", NULL},
		{"a\\", NULL}, {"a\\b", NULL}, {"a b", NULL}, {"a.b(c, d)[]<e>=-+/&?^$:'#", NULL},
		{"~\"x\"", NULL}, {"~\"x\"@", NULL}, {"~\"x\"|a", NULL}, {"!~\"x\"{2,}", NULL},
		{"~\"\"", NULL}, {"~\" a;\\\"\"", NULL}, {"\"~x\"", NULL}, {"\xC3\xA9", NULL},
		{"\xF0\x9F\x94\xA5*;\"\xC3\xA9;\"", NULL}, {"\t", NULL}, {"\x01|\x7F", NULL}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_text(rows[i][0], rows[i][1]);
}

static void
test_errors(void)
{
	static const struct
	{
		const char *text;
		FgErrorCode code;
		uint32_t	column;
	}			rows[] = {
		{"", FG_ERROR_SYNTAX, 1}, {";", FG_ERROR_SYNTAX, 1}, {"a;", FG_ERROR_SYNTAX, 3},
		{";a", FG_ERROR_SYNTAX, 1}, {"a;;b", FG_ERROR_SYNTAX, 3}, {"!", FG_ERROR_SYNTAX, 2},
		{"!!a", FG_ERROR_SYNTAX, 2}, {"!*", FG_ERROR_SYNTAX, 2}, {"a|", FG_ERROR_SYNTAX, 3},
		{"|a", FG_ERROR_SYNTAX, 1}, {"a||b", FG_ERROR_SYNTAX, 3}, {"a|*", FG_ERROR_SYNTAX, 3},
		{"a|!b", FG_ERROR_SYNTAX, 3}, {"*a", FG_ERROR_SYNTAX, 2}, {"**", FG_ERROR_SYNTAX, 2},
		{"*@", FG_ERROR_SYNTAX, 2}, {"*|a", FG_ERROR_SYNTAX, 2}, {"@a", FG_ERROR_SYNTAX, 1},
		{"a@b", FG_ERROR_SYNTAX, 3}, {"a!", FG_ERROR_SYNTAX, 2}, {"a~", FG_ERROR_SYNTAX, 2},
		{"a{", FG_ERROR_SYNTAX, 3}, {"a{}", FG_ERROR_SYNTAX, 3}, {"a{x}", FG_ERROR_SYNTAX, 3},
		{"a{1", FG_ERROR_SYNTAX, 4}, {"a{1x}", FG_ERROR_SYNTAX, 4}, {"a{1,x}", FG_ERROR_SYNTAX, 5},
		{"a{1,2", FG_ERROR_SYNTAX, 6}, {"a{2,1}", FG_ERROR_SYNTAX, 3}, {"a{-1}", FG_ERROR_SYNTAX, 3},
		{"a{65536}", FG_ERROR_SYNTAX, 3}, {"a{1,65536}", FG_ERROR_SYNTAX, 5},
		{"a{99999999999999999999}", FG_ERROR_SYNTAX, 3}, {"a{1}{1}", FG_ERROR_SYNTAX, 5},
		{"a{1}*", FG_ERROR_SYNTAX, 5}, {"a}", FG_ERROR_SYNTAX, 2}, {"a{ 1}", FG_ERROR_SYNTAX, 3},
		{" a", FG_ERROR_SYNTAX, 1}, {"a ", FG_ERROR_SYNTAX, 1}, {"b;a ;c", FG_ERROR_SYNTAX, 3},
		{" ", FG_ERROR_SYNTAX, 1}, {"\"", FG_ERROR_SYNTAX, 1}, {"\"a", FG_ERROR_SYNTAX, 1},
		{"\"a\\\"", FG_ERROR_SYNTAX, 1}, {"\"\"", FG_ERROR_SYNTAX, 1}, {"a\"b\"", FG_ERROR_SYNTAX, 2},
		{"\"a\"b", FG_ERROR_SYNTAX, 4}, {"\"a\"\"b\"", FG_ERROR_SYNTAX, 4}, {"~", FG_ERROR_SYNTAX, 2},
		{"~a", FG_ERROR_SYNTAX, 2}, {"~\"a", FG_ERROR_SYNTAX, 2}, {"~\"a\"*", FG_ERROR_SYNTAX, 5},
		{"~\"a\"%", FG_ERROR_SYNTAX, 5}, {"~~\"a\"", FG_ERROR_SYNTAX, 2},
		{"a;\"x\ny\"", FG_ERROR_SYNTAX, 3}, {"a;\xFF", FG_ERROR_ENCODING, 3},
		{"*{65535};*{65535};*{65535};*{65535};a", FG_ERROR_LIMIT, 0}, {"a{,65535}|b", FG_ERROR_SYNTAX, 10},
		{"a{60000};*{60000,};c{,60000};*{60000};e{60000}", FG_ERROR_LIMIT, 0}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgQuery		query;

		unit_case("error in %s", rows[i].text);
		CHECK_ERROR(fg_query_parse(&ctx, rows[i].text, strlen(rows[i].text), &query), &ctx,
					rows[i].code);
		CHECK_COUNT(ctx.error.column, rows[i].column);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- matching ------------------------------------------------------------------------ */

static bool
match_text(FgContext *ctx, const FgQuery *query, const char *stack, uint32_t *calls)
{
	FgBuffer	path = {.ctx = ctx};
	bool		matches = false;

	CHECK(fg_path_parse(&path, stack, strlen(stack), 1));
	CHECK(fg_query_match_path(query, holds_x, calls, path.size > 0 ? (char *) path.data : "",
							  path.size, &matches));
	fg_release(ctx, path.data);
	return matches;
}

/* A pattern, stacks that it matches and stacks that it does not match. */
typedef struct MatchCase
{
	const char *pattern;
	const char *yes[8];
	const char *no[8];
} MatchCase;

static const MatchCase match_cases[] = {
	{"a", {"a"}, {"", "b", "a;a", "ab", "A"}},
	{"*", {"", "a", "a;b"}, {0}},
	{"*{2}", {"a;b"}, {"", "a", "a;b;c"}},
	{"*{2,}", {"a;b", "a;b;c"}, {"", "a"}},
	{"*{,2}", {"", "a", "a;b"}, {"a;b;c"}},
	{"*{1,2}", {"a", "a;b"}, {"", "a;b;c"}},
	{"*{0}", {""}, {"a"}},
	{"a{0}", {""}, {"a"}},
	{"a{,2};b", {"b", "a;b", "a;a;b"}, {"a;a;a;b", "a", "a;b;b"}},
	{"a{2,};a", {"a;a;a", "a;a;a;a"}, {"a;a", "a;a;a;b"}},
	{"*;b;*", {"b", "a;b", "b;a", "a;b;a"}, {"", "a", "bb"}},
	{"!a", {"b", "aa", "A"}, {"", "a", "b;b"}},
	{"!a|b", {"c"}, {"a", "b", ""}},
	{"!a{,2}", {"", "b", "b;c"}, {"a", "b;a", "b;b;b"}},
	{"!a{2}", {"b;c"}, {"b;a", "a;b", "b"}},
	{"*;!a;*", {"b", "a;b", "b;a"}, {"", "a", "a;a"}},
	{"a|b;c", {"a;c", "b;c"}, {"c", "a;b;c"}},
	{"ab*", {"ab", "abc"}, {"a", "xab"}},
	{"aB@", {"ab", "AB"}, {"abc"}},
	{"aB*@", {"ab", "ABc"}, {"a"}},
	{"\"\xC3\xA9\"@", {"\xC3\xA9"}, {"\xC3\x89"}},
	{"a_b%", {"a_b", "b_a", "x_a_y_b", "a__b", "_b_a_"}, {"a", "ab", "a_bc", "aa_b"}},
	{"a_b%*", {"ab_bc", "b_a", "ax_bx"}, {"a", "xa_b"}},
	{"A_b%@", {"B_A"}, {"a"}},
	{"_%", {"a", "_"}, {""}},
	{"\"a;b\"", {"a\\;b"}, {"a;b"}},
	{"\"a;\"*", {"a\\;b", "a\\;"}, {"a;b"}},
	{"~\"x\"", {"x", "axb"}, {"a", "X", ""}},
	{"!~\"x\"|b", {"a"}, {"x", "b"}},
	{"*;~\"x\"{2};*", {"x;ax", "a;x;x;b"}, {"x", "x;a;x"}},
	/* rows of bits of a word and more */
	{"*{63};b", {0}, {"b", "a;b"}}, {"a{,64};b", {"b", "a;a;b"}, {"a"}},
	{"*{64,};b", {0}, {"b"}}, {"a{,200};b{,200}", {"", "a;b", "a", "b"}, {"b;a"}}
};

static void
test_matches(void)
{
	for (size_t i = 0; i < COUNT(match_cases); i++)
	{
		const MatchCase *row = &match_cases[i];
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgQuery		query;
		uint32_t	calls = 0;

		unit_case("%s", row->pattern);
		CHECK(fg_query_parse(&ctx, row->pattern, strlen(row->pattern), &query));
		for (size_t k = 0; k < 8 && row->yes[k] != NULL; k++)
		{
			unit_note("%s", row->yes[k]);
			CHECK(match_text(&ctx, &query, row->yes[k], &calls));
		}
		for (size_t k = 0; k < 8 && row->no[k] != NULL; k++)
		{
			unit_note("%s", row->no[k]);
			CHECK(!match_text(&ctx, &query, row->no[k], &calls));
		}
		fg_query_free(&query);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* Counted repetitions around the borders of the words that hold their bits. */
static void
test_counts(void)
{
	static const uint32_t counts[] = {0, 1, 2, 62, 63, 64, 65, 127, 128, 129, 200};
	char		stack[2 * 300];

	unit_case("repetition counts");
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = i % 2 == 0 ? 'a' : '\0';
	for (size_t n = 0; n < COUNT(counts); n++)
	{
		for (size_t m = n; m <= COUNT(counts); m++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			FgQuery		query;
			char		pattern[100];
			uint32_t	calls = 0;

			snprintf(pattern, sizeof(pattern), m == COUNT(counts) ? "a{%u,};*{2}" : "a{%u,%u};*{2}",
					 counts[n], counts[m % COUNT(counts)]);
			CHECK(fg_query_parse(&ctx, pattern, strlen(pattern), &query));
			for (uint32_t depth = 0; depth < 300; depth++)
			{
				bool		expected = depth >= counts[n] + 2 &&
					(m == COUNT(counts) || depth <= counts[m] + 2);
				bool		matches;

				unit_note("%s on %u frames", pattern, depth);
				CHECK(fg_query_match_path(&query, holds_x, &calls, stack,
										  depth > 0 ? 2 * depth - 1 : 0, &matches));
				CHECK(matches == expected);
			}
			fg_query_free(&query);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* A tree and its paths agree; a regular expression is asked once per frame. */
static void
test_trees(void)
{
	static const char *const patterns[] = {
		"*", "a;*", "*;a", "*;a;*", "!a{,3};*", "*{3}", "a|b{1,};*;c*", "*;~\"x\";*", "*{,2};!b;*;a",
		"*;a{2};*", "main|a*|c{2,4};*{1,3};!main|a"
	};
	UnitRandom	random = {47};

	for (size_t p = 0; p < COUNT(patterns); p++)
	{
		unit_case("%s on random trees", patterns[p]);
		for (uint32_t round = 0; round < 20; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, (NaiveShape) {
				1 + 4 * round, 1 + round, 1 + round % 8 * 5, NAIVE_COUNTS
			});
			FgTree		tree = naive_tree(&ctx, &naive);
			uint8_t    *matches = malloc((size_t) tree.nnodes + 1);
			uint32_t	calls = 0;
			FgQuery		query;

			unit_note("round %u", round);
			CHECK(fg_query_parse(&ctx, patterns[p], strlen(patterns[p]), &query));
			CHECK(fg_query_match_tree(&query, holds_x, &calls, &tree, matches));
			/* once each; builds with FG_ASSERT ask both automata */
			CHECK(calls == ASKED * query.nregexes * tree.frames.count);
			for (size_t i = 0; i < naive.count; i++)
			{
				const NaiveEntry *entry = &naive.entries[i];

				for (size_t length = 0; length <= entry->length; length++)
				{
					uint32_t	node;
					bool		expected;

					if (length > 0 && length < entry->length && entry->path[length] != '\0')
						continue;
					node = fg_tree_find(&tree, entry->path, length);
					CHECK(fg_query_match_path(&query, holds_x, &calls, entry->path, length, &expected));
					CHECK(node <= tree.nnodes && matches[node] == expected);
				}
			}
			fg_query_free(&query);
			fg_tree_free(&ctx, &tree);
			free(matches);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* --- many alternatives ------------------------------------------------------------- */

static const char *
some_frame(UnitRandom *random, uint32_t kinds, char *to, size_t size)
{
	/* short and long common prefixes, and some that are prefixes of others */
	uint32_t	number = unit_below(random, kinds);

	snprintf(to, size, "%.*sf%u", (int) (number % 4 * 3), "namespace", number / 2 * 7919);
	if (number % 2 == 0)
		to[strlen(to) - 1] = '\0';
	return to;
}

/* Sorted frames, and what is not sorted among them, answer as a comparison with each. */
static void
test_index(void)
{
	static const char *const modifiers[] = {"", "", "", "*", "@", "%"};
	UnitRandom	random = {49};
	uint32_t	found = 0;
	uint32_t	missed = 0;

	unit_case("alternatives with an index and without");
	for (uint32_t round = 0; round < 60; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgBuffer	text = {.ctx = &ctx};
		FgQuery		plain;
		FgQuery		indexed;
		char		frame[40];
		uint32_t	calls = 0;
		uint32_t	items = 1 + unit_below(&random, 200);

		for (uint32_t i = 0; i < items; i++)
		{
			const char *item = some_frame(&random, 600, frame, sizeof(frame));
			const char *modifier = modifiers[round % 2 ? 0 : unit_below(&random, COUNT(modifiers))];

			CHECK(fg_buffer_append(&text, i == 0 ? (round % 3 == 0 ? "!" : "")
								   : (i % 50 == 49 ? ";" : "|"), i > 0 || round % 3 == 0));
			CHECK(fg_buffer_append(&text, item, strlen(item)));
			CHECK(fg_buffer_append(&text, modifier, strlen(modifier)));
			if (i == 7)
				CHECK(fg_buffer_append(&text, "|~\"x\"", 5));
		}
		CHECK(fg_query_parse(&ctx, (char *) text.data, text.size, &plain));
		CHECK(fg_query_parse(&ctx, (char *) text.data, text.size, &indexed));
		CHECK(fg_query_index(&indexed));
		for (uint32_t i = 0; i < 300; i++)
		{
			const char *sought = some_frame(&random, 900, frame, sizeof(frame));

			for (uint32_t l = 0; l < plain.nlevels; l++)
			{
				bool		expected = fg_level_matches(&plain, &plain.levels[l], holds_x, &calls,
														sought, strlen(sought));

				unit_note("%s, level %u", sought, l);
				CHECK(fg_level_matches(&indexed, &indexed.levels[l], holds_x, &calls, sought,
									   strlen(sought)) == expected);
				found += expected != plain.levels[l].negated;
				missed += expected == plain.levels[l].negated;
			}
		}
		fg_release(&ctx, text.data);
		fg_query_free(&plain);
		fg_query_free(&indexed);
		CHECK_COUNT(memory.blocks, 0);
	}
	CHECK(found > 1000 && missed > 1000);
}

/* A pattern of one level with this many alternatives, and this behind each. */
static void
many_alternatives(FgContext *ctx, uint32_t items, const char *modifier, FgQuery *query)
{
	FgBuffer	text = {.ctx = ctx};
	char		item[40];

	for (uint32_t i = 0; i < items; i++)
	{
		int			length = snprintf(item, sizeof(item), "%sword_%u%s", i > 0 ? "|" : "", i, modifier);

		CHECK(fg_buffer_append(&text, item, (size_t) length));
	}
	CHECK(fg_query_parse(ctx, (char *) text.data, text.size, query));
	fg_release(ctx, text.data);
}

/*
 * However the work is divided between frames and alternatives, it is the comparisons
 * that count: one poll at least for each FG_CHECK_BYTES of them.
 */
static void
test_polls(void)
{
	static const struct
	{
		uint32_t	frames;
		uint32_t	items;
		const char *modifier;
	}			rows[] = {{1, 300000, "%"}, {300, 3000, "%"}, {300, 3000, ""}, {20, 50000, "@"}};

	unit_case("polls between comparisons");
	for (size_t r = 0; r < COUNT(rows); r++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgBuffer	path = {.ctx = &ctx};
		FgQuery		query;
		FgTree		tree;
		uint8_t    *matches;
		uint32_t	calls = 0;
		bool		found;
		size_t		least = (size_t) rows[r].frames * rows[r].items / (FG_CHECK_BYTES / 64);

		unit_note("%u frames, %u alternatives", rows[r].frames, rows[r].items);
		many_alternatives(&ctx, rows[r].items, rows[r].modifier, &query);
		for (uint32_t f = 0; f < rows[r].frames; f++)
		{
			char		frame[40];
			int			length = snprintf(frame, sizeof(frame), "%sother%u", f > 0 ? ";" : "", f);

			CHECK(fg_buffer_append(&path, frame, (size_t) length));
		}
		CHECK(fg_buffer_append(&path, " 1", 3));
		tree = tree_of_text(&ctx, (char *) path.data);
		matches = malloc((size_t) tree.nnodes + 1);
		memory.polls = 0;
		CHECK(fg_query_match_tree(&query, holds_x, &calls, &tree, matches));
		CHECK(memory.polls >= least);
		memory.polls = 0;
		for (size_t i = 0; i < path.size - 3; i++)
			path.data[i] = path.data[i] == ';' ? '\0' : path.data[i];
		CHECK(fg_query_match_path(&query, holds_x, &calls, (char *) path.data, path.size - 3, &found));
		/* without a state that a frame could satisfy, matching stops: the first one counts */
		CHECK(memory.polls >= least / rows[r].frames);
		free(matches);
		fg_tree_free(&ctx, &tree);
		fg_query_free(&query);
		fg_release(&ctx, path.data);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_limits(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuffer	text = {.ctx = &ctx};
	FgQuery		query;
	FgTree		tree = tree_of_text(&ctx, "a;b;c 1");
	uint8_t		matches[4];
	uint32_t	calls = 0;

	unit_case("a regular expression of a megabyte, and one byte more");
	CHECK(fg_buffer_append(&text, "~\"", 2) && fg_buffer_room(&text, FG_QUERY_MAX_REGEX + 2));
	memset(text.data + 2, 'y', FG_QUERY_MAX_REGEX + 1);
	text.data[2 + FG_QUERY_MAX_REGEX] = '"';
	CHECK(fg_query_parse(&ctx, (char *) text.data, FG_QUERY_MAX_REGEX + 3, &query));
	fg_query_free(&query);
	text.data[2 + FG_QUERY_MAX_REGEX] = 'y';
	text.data[3 + FG_QUERY_MAX_REGEX] = '"';
	CHECK_ERROR(fg_query_parse(&ctx, (char *) text.data, FG_QUERY_MAX_REGEX + 4, &query), &ctx,
				FG_ERROR_LIMIT);
	fg_release(&ctx, text.data);

	unit_case("answers for each frame and level");
	CHECK(fg_query_parse(&ctx, "a{,70};b;c", 10, &query));
	tree.frames.count = (uint32_t) (FG_QUERY_MAX_MEMORY / 3) + 1;	/* nothing reads so far */
	CHECK_ERROR(fg_query_match_tree(&query, holds_x, &calls, &tree, matches), &ctx, FG_ERROR_LIMIT);
	tree.frames.count = 3;
	CHECK(fg_query_match_tree(&query, holds_x, &calls, &tree, matches));
	fg_query_free(&query);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- failures ------------------------------------------------------------------------ */

static bool
run_text(FgContext *ctx, void *arg)
{
	static const char text[] = "a*|\"b;\"@;*{2,3};!~\"x\"|c_d%{,70};e;f;g;h;i;j;k;l;m;n;o;p;q;r;s";
	FgBuffer	printed = {.ctx = ctx};
	FgQuery		query;
	bool		ok;

	(void) arg;
	if (!fg_query_parse(ctx, text, strlen(text), &query))
		return false;
	ok = fg_query_index(&query) && fg_query_print(&query, &printed);
	fg_query_free(&query);
	fg_release(ctx, printed.data);
	return ok;
}

typedef struct Match
{
	FgTree		tree;
	char	   *path;
	size_t		length;
} Match;

static bool
run_match(FgContext *ctx, void *arg)
{
	static const char text[] = "*;a*{,100};!b;*;~\"x\"";
	Match	   *match = arg;
	FgQuery		query;
	uint8_t    *matches;
	uint32_t	calls = 0;
	bool		found;
	bool		ok;

	if (!fg_query_parse(ctx, text, strlen(text), &query))
		return false;
	matches = malloc((size_t) match->tree.nnodes + 1);
	ok = fg_query_match_path(&query, holds_x, &calls, match->path, match->length, &found) &&
		fg_query_match_tree(&query, holds_x, &calls, &match->tree, matches);
	free(matches);
	fg_query_free(&query);
	return ok;
}

static void
test_failures(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {48};
	Naive		naive = naive_random(&random, (NaiveShape) {200, 20, 30, NAIVE_COUNTS});
	Match		match = {.tree = naive_tree(&ctx, &naive)};

	/* long enough that the stack alone is checked for interrupts */
	match.length = 4 * 65535 - 1;
	match.path = malloc(match.length);
	for (size_t i = 0; i < match.length; i++)
		match.path[i] = i % 4 == 3 ? '\0' : 'a';
	unit_case("text without memory, and cancelled");
	unit_sweep_memory("text", run_text, NULL);
	unit_sweep_interrupts("text", run_text, NULL, 1);
	unit_case("matching without memory, and cancelled");
	unit_sweep_memory("matching", run_match, &match);
	unit_sweep_interrupts("matching", run_match, &match, 2);
	free(match.path);
	fg_tree_free(&ctx, &match.tree);
	naive_free(&naive);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_texts();
	test_errors();
	test_matches();
	test_counts();
	test_trees();
	test_index();
	test_polls();
	test_limits();
	test_failures();
	return unit_finish();
}
