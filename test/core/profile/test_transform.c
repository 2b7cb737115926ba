/*
 * test_transform.c
 *	  Linear maps of profiles: each against the same map of a plain list of stacks,
 *	  and f(x a + y b) = x f(a) + y f(b).
 */
#include "naive.h"

#include "core/profile/algebra.h"
#include "core/profile/frames.h"
#include "core/profile/transform.h"

#define MOST_FRAMES 64

/* A stack as an array of frames. */
typedef struct Stack
{
	uint32_t	depth;
	const char *frame[MOST_FRAMES];
} Stack;

/* Where one stack of a list goes. */
typedef void (*MapStack) (const Stack *from, double value, uint32_t parameter, Naive *to);
typedef bool (*MapTree) (FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result);

static void
emit(Naive *to, const Stack *from, uint32_t start, uint32_t count, double value)
{
	char		path[4096];
	size_t		length = 0;

	for (uint32_t i = start; i < start + count; i++)
	{
		size_t		size = strlen(from->frame[i]);

		if (i > start)
			path[length++] = '\0';
		memcpy(path + length, from->frame[i], size);
		length += size;
	}
	naive_add(to, path, length, value);
}

static void
emit_all(Naive *to, const Stack *from, double value)
{
	emit(to, from, 0, from->depth, value);
}

static uint32_t
smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The position of the first such frame; depth when there is none. */
static uint32_t
first_position(const Stack *stack, const char *frame)
{
	uint32_t	i = 0;

	while (i < stack->depth && strcmp(stack->frame[i], frame) != 0)
		i++;
	return i;
}

static uint32_t
frame_number(const char *frame)
{
	uint32_t	n = 0;

	while (strcmp(naive_frame(n), frame) != 0)
		n++;
	return n;
}

static uint32_t
tree_frame(const FgTree *tree, uint32_t number)
{
	return fg_frames_find(&tree->frames, naive_frame(number), strlen(naive_frame(number)));
}

/* The text of a frame of a tree, as naive_frame gives it. */
static const char *
tree_frame_text(const FgTree *tree, uint32_t frame)
{
	uint32_t	n = 0;

	while (tree_frame(tree, n) != frame)
		n++;
	return naive_frame(n);
}

/* --- the maps ------------------------------------------------------------------- */

static bool
is_dropped(const char *frame, uint32_t parameter)
{
	return (frame_number(frame) * 7 + parameter) % 3 == 0;
}

static void
drop_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	Stack		kept = {0};

	for (uint32_t i = 0; i < from->depth; i++)
	{
		if (!is_dropped(from->frame[i], parameter))
			kept.frame[kept.depth++] = from->frame[i];
	}
	emit_all(to, &kept, value);
}

static bool
drop_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	uint8_t    *drop = malloc(tree->frames.count + 1);
	bool		ok;

	for (uint32_t f = 0; f < tree->frames.count; f++)
		drop[f] = is_dropped(tree_frame_text(tree, f), parameter);
	ok = fg_drop_frames(ctx, tree, drop, result);
	free(drop);
	return ok;
}

static void
focus_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	uint32_t	at = first_position(from, naive_frame(parameter));

	if (at < from->depth)
		emit(to, from, at, from->depth - at, value);
}

static bool
focus_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	return fg_focus(ctx, tree, tree_frame(tree, parameter), result);
}

static void
callers_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	uint32_t	at = first_position(from, naive_frame(parameter));

	if (at < from->depth)
		emit(to, from, 0, at + 1, value);
}

static bool
callers_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	return fg_callers_of(ctx, tree, tree_frame(tree, parameter), result);
}

static void
invert_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	Stack		inverted = {.depth = from->depth};

	(void) parameter;
	for (uint32_t i = 0; i < from->depth; i++)
		inverted.frame[from->depth - 1 - i] = from->frame[i];
	emit_all(to, &inverted, value);
}

static bool
invert_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	(void) parameter;
	return fg_invert(ctx, tree, result);
}

static void
context_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	uint32_t	count = smaller(from->depth, parameter + 1);

	emit(to, from, from->depth - count, count, value);
}

static void
cut_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	emit(to, from, 0, smaller(from->depth, parameter), value);
}

static void
strip_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	uint32_t	start = smaller(from->depth, parameter);

	emit(to, from, start, from->depth - start, value);
}

static void
direct_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	Stack		kept = {0};

	(void) parameter;
	for (uint32_t i = 0; i < from->depth; i++)
	{
		if (i == 0 || strcmp(from->frame[i], from->frame[i - 1]) != 0)
			kept.frame[kept.depth++] = from->frame[i];
	}
	emit_all(to, &kept, value);
}

static bool
direct_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	(void) parameter;
	return fg_collapse_direct(ctx, tree, result);
}

static void
cycles_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	Stack		kept = {0};

	(void) parameter;
	for (uint32_t i = 0; i < from->depth; i++)
	{
		uint32_t	at = first_position(&kept, from->frame[i]);

		kept.frame[at] = from->frame[i];
		kept.depth = at + 1;
	}
	emit_all(to, &kept, value);
}

static bool
cycles_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	(void) parameter;
	return fg_collapse_cycles(ctx, tree, result);
}

static void
cumulate_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	(void) parameter;
	for (uint32_t depth = 1; depth <= from->depth; depth++)
		emit(to, from, 0, depth, value);
}

static bool
cumulate_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	(void) parameter;
	return fg_cumulate(ctx, tree, result);
}

static void
totals_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	(void) parameter;
	for (uint32_t i = 0; i < from->depth; i++)
	{
		if (first_position(from, from->frame[i]) == i)
			emit(to, from, i, 1, value);
	}
}

static bool
totals_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	(void) parameter;
	return fg_frame_totals(ctx, tree, result);
}

/* Frames become one another; several become the same. */
static const char *
new_name(const char *frame, uint32_t parameter)
{
	return naive_frame((frame_number(frame) * 11 + 5) % (2 + parameter * 6));
}

static void
rename_stack(const Stack *from, double value, uint32_t parameter, Naive *to)
{
	Stack		renamed = {.depth = from->depth};

	for (uint32_t i = 0; i < from->depth; i++)
		renamed.frame[i] = new_name(from->frame[i], parameter);
	emit_all(to, &renamed, value);
}

static bool
rename_tree(FgContext *ctx, const FgTree *tree, uint32_t parameter, FgTree *result)
{
	const char **bytes = malloc((tree->frames.count + 1) * sizeof(char *));
	size_t	   *length = malloc((tree->frames.count + 1) * sizeof(size_t));
	bool		ok;

	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		bytes[f] = new_name(tree_frame_text(tree, f), parameter);
		length[f] = strlen(bytes[f]);
	}
	ok = fg_rename_frames(ctx, tree, bytes, length, result);
	free(bytes);
	free(length);
	return ok;
}

static const struct
{
	const char *name;
	MapStack	map_stack;
	MapTree		map_tree;
	uint32_t	parameters;		/* 0 .. parameters - 1 are tried */
}			maps[] = {
	{"drop_frames", drop_stack, drop_tree, 3},
	{"focus", focus_stack, focus_tree, 4},
	{"callers_of", callers_stack, callers_tree, 4},
	{"invert", invert_stack, invert_tree, 1},
	{"k_context", context_stack, fg_k_context, 5},
	{"cut_depth", cut_stack, fg_cut_depth, 5},
	{"strip_outer", strip_stack, fg_strip_outer, 5},
	{"collapse_direct", direct_stack, direct_tree, 1},
	{"collapse_cycles", cycles_stack, cycles_tree, 1},
	{"cumulate", cumulate_stack, cumulate_tree, 1},
	{"frame_totals", totals_stack, totals_tree, 1},
	{"rename_frames", rename_stack, rename_tree, 4}
};

/* --- comparing ------------------------------------------------------------------- */

static Stack
stack_of(const NaiveEntry *entry)
{
	Stack		stack = {0};

	for (size_t at = 0; at < entry->length; at += strlen(entry->path + at) + 1)
		stack.frame[stack.depth++] = entry->path + at;
	return stack;
}

static Naive
map_list(const Naive *from, MapStack map, uint32_t parameter)
{
	Naive		to = {0};

	for (size_t i = 0; i < from->count; i++)
	{
		Stack		stack = stack_of(&from->entries[i]);

		map(&stack, from->entries[i].value, parameter, &to);
	}
	naive_settle(&to);
	return to;
}

static void
check_map(FgContext *ctx, size_t m, uint32_t parameter, const Naive *a, const Naive *b)
{
	FgTree		tree_a = naive_tree(ctx, a);
	FgTree		tree_b = naive_tree(ctx, b);
	FgTree		sum;
	FgTree		of_a;
	FgTree		of_b;
	FgTree		of_sum;
	FgTree		sum_of;
	Naive		expected = map_list(a, maps[m].map_stack, parameter);
	Naive		both = naive_combination(a, 2, b, -3);
	Naive		expected_sum = map_list(&both, maps[m].map_stack, parameter);

	CHECK(maps[m].map_tree(ctx, &tree_a, parameter, &of_a));
	CHECK(naive_matches(ctx, &expected, &of_a));
	CHECK(fg_combine(ctx, &tree_a, 2, &tree_b, -3, &sum));
	CHECK(maps[m].map_tree(ctx, &sum, parameter, &of_sum));
	CHECK(naive_matches(ctx, &expected_sum, &of_sum));
	CHECK(maps[m].map_tree(ctx, &tree_b, parameter, &of_b));
	CHECK(fg_combine(ctx, &of_a, 2, &of_b, -3, &sum_of));
	CHECK(naive_matches(ctx, &expected_sum, &sum_of));
	fg_tree_free(ctx, &tree_a);
	fg_tree_free(ctx, &tree_b);
	fg_tree_free(ctx, &sum);
	fg_tree_free(ctx, &of_a);
	fg_tree_free(ctx, &of_b);
	fg_tree_free(ctx, &of_sum);
	fg_tree_free(ctx, &sum_of);
	naive_free(&expected);
	naive_free(&both);
	naive_free(&expected_sum);
}

static void
test_random(void)
{
	static const NaiveShape shapes[] = {
		{0, 1, 1, NAIVE_COUNTS}, {1, 1, 1, NAIVE_COUNTS}, {5, 3, 2, NAIVE_COUNTS},
		{30, 12, 2, NAIVE_SIGNED}, {60, 20, 3, NAIVE_COUNTS}, {200, 8, 6, NAIVE_SIGNED},
		{100, 30, 40, NAIVE_COUNTS}, {400, 5, 12, NAIVE_SIGNED}
	};
	UnitRandom	random = {43};

	for (size_t m = 0; m < COUNT(maps); m++)
	{
		unit_case("%s of random profiles, and of their combinations", maps[m].name);
		for (uint32_t round = 0; round < 6 * COUNT(shapes); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			NaiveShape	shape = shapes[round % COUNT(shapes)];
			Naive		a = naive_random(&random, shape);
			Naive		b = naive_random(&random, shape);

			unit_note("round %u", round);
			check_map(&ctx, m, round % maps[m].parameters, &a, &b);
			naive_free(&a);
			naive_free(&b);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* Some worked out by hand. */
static void
test_given(void)
{
	static const struct
	{
		MapTree		map;
		uint32_t	parameter;
		const char *from;
		const char *to;
	}			rows[] = {
		{fg_k_context, 0, "a;b 1\nc;b 2\n 4\na 8", "b 3\na 8\n 4"},
		{fg_k_context, UINT32_MAX, "a;b 1\nc;b 2", "a;b 1\nc;b 2"},
		{fg_k_context, UINT32_MAX - 1, "a;b 1", "a;b 1"},
		{fg_cut_depth, 0, "a;b 1\nc 2\n 4", " 7"},
		{fg_cut_depth, UINT32_MAX, "a;b 1", "a;b 1"},
		{fg_strip_outer, 0, "a;b 1", "a;b 1"},
		{fg_strip_outer, 1, "a;b 1\nc;b 2\na 4", "b 3\n 4"},
		{fg_strip_outer, UINT32_MAX, "a;b 1\nc;b 2\na 4", " 7"},
		{invert_tree, 0, "a;b;c 1\nb;c 2\nc 4\n 8", "c;b;a 1\nc;b 2\nc 4\n 8"},
		{direct_tree, 0, "a;a;b;b;a 1\na;b;a 2\na;a 4", "a;b;a 3\na 4"},
		{cycles_tree, 0, "a;b;c;b;d 1\na;b;d 2\na;b;c;a;d 4\na;a;a 8", "a;b;d 3\na;d 4\na 8"},
		{cycles_tree, 0, "a;b;a;b 1\nb;a;b;c 2\na;b;c 4", "a;b 1\nb;c 2\na;b;c 4"},
		{cumulate_tree, 0, "a;b 1\na;c 2\n 4", "a 3\na;b 1\na;c 2"},
		{cumulate_tree, 0, "a;b 1\na;c -1", "a;b 1\na;c -1"},
		{totals_tree, 0, "a;b;a 1\nb;b 2\na 4", "a 5\nb 3"},
		{focus_tree, 0, "b;a;c;a 1\nb 2\na 4", "a;c;a 1\na 4"},
		{callers_tree, 0, "b;a;c;a 1\nb 2\na 4", "b;a 1\na 4"},
		{focus_tree, 39, "a 1", ""}, {callers_tree, 39, "a 1", ""}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		tree = tree_of_text(&ctx, rows[i].from);
		Naive		expected = naive_of_text(rows[i].to);
		FgTree		result;

		unit_case("given %zu: \"%s\"", i, rows[i].from);
		CHECK(rows[i].map(&ctx, &tree, rows[i].parameter, &result));
		CHECK(naive_matches(&ctx, &expected, &result));
		fg_tree_free(&ctx, &tree);
		fg_tree_free(&ctx, &result);
		naive_free(&expected);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- parts of a profile ------------------------------------------------------------- */

static bool
starts_with(const NaiveEntry *entry, const NaiveEntry *prefix)
{
	return prefix->length == 0 || (entry->length >= prefix->length &&
								   memcmp(entry->path, prefix->path, prefix->length) == 0 &&
								   (entry->length == prefix->length ||
									entry->path[prefix->length] == '\0'));
}

/* Sum of |v| at and below a path. */
static double
norm_below(const Naive *naive, const NaiveEntry *path)
{
	double		norm = 0;

	for (size_t i = 0; i < naive->count; i++)
	{
		if (starts_with(&naive->entries[i], path))
			norm += naive->entries[i].value < 0 ? -naive->entries[i].value : naive->entries[i].value;
	}
	return norm;
}

static Naive
prune_list(const Naive *from, double share, const char *other)
{
	NaiveEntry	root = {.path = (char *) "", .length = 0};
	double		least = share * norm_below(from, &root);
	Naive		to = {0};

	for (size_t i = 0; i < from->count; i++)
	{
		NaiveEntry	kept = from->entries[i];
		char		path[4096];
		size_t		length;

		while (kept.length > 0 && norm_below(from, &kept) < least)
		{
			while (kept.length > 0 && kept.path[kept.length - 1] != '\0')
				kept.length--;
			kept.length -= kept.length > 0;
		}
		length = kept.length;
		memcpy(path, kept.path, length);
		if (kept.length == from->entries[i].length)
			naive_add(&to, path, length, kept.value);
		else if (other != NULL)
		{
			if (length > 0)
				path[length++] = '\0';
			memcpy(path + length, other, strlen(other));
			naive_add(&to, path, length + strlen(other), kept.value);
		}
	}
	naive_settle(&to);
	return to;
}

static void
test_prune(void)
{
	static const char *const others[] = {"(other)", "a", NULL};
	UnitRandom	random = {44};

	unit_case("prune of random profiles");
	for (uint32_t round = 0; round < 200; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Naive		naive = naive_random(&random, (NaiveShape) {
			round % 60, 1 + round % 9, 1 + round % 7, round % 2 ? NAIVE_SIGNED : NAIVE_COUNTS
		});
		/* sixteenths: the bound is exact, and met exactly now and then */
		double		share = unit_below(&random, 18) / 16.0;
		const char *other = others[round % COUNT(others)];
		FgTree		tree = naive_tree(&ctx, &naive);
		Naive		expected = prune_list(&naive, share, other);
		FgTree		result;

		unit_note("round %u, share %g, other %s", round, share, other != NULL ? other : "NULL");
		CHECK(fg_prune(&ctx, &tree, share, other, other != NULL ? strlen(other) : 0, &result));
		CHECK(naive_matches(&ctx, &expected, &result));
		fg_tree_free(&ctx, &tree);
		fg_tree_free(&ctx, &result);
		naive_free(&naive);
		naive_free(&expected);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_selections(void)
{
	UnitRandom	random = {45};

	unit_case("some stacks of random profiles; self values of frames");
	for (uint32_t round = 0; round < 60; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Naive		naive = naive_random(&random, (NaiveShape) {
			1 + round, 1 + round % 9, 1 + round % 7, NAIVE_SIGNED
		});
		FgTree		tree = naive_tree(&ctx, &naive);
		uint8_t    *keep = malloc((size_t) tree.nnodes + 1);
		Naive		kept = {0};
		FgTree		result;

		for (uint32_t i = 0; i <= tree.nnodes; i++)
			keep[i] = unit_below(&random, 3) == 0;
		for (size_t i = 0; i < naive.count; i++)
		{
			const NaiveEntry *entry = &naive.entries[i];

			if (keep[fg_tree_find(&tree, entry->path, entry->length)])
				naive_add(&kept, entry->path, entry->length, entry->value);
		}
		naive_settle(&kept);
		CHECK(fg_select_stacks(&ctx, &tree, keep, &result));
		CHECK(naive_matches(&ctx, &kept, &result));
		fg_tree_free(&ctx, &result);
		naive_free(&kept);
		free(keep);

		for (uint32_t f = 0; f < tree.frames.count; f++)
		{
			double		expected = 0;
			double		self;

			for (size_t i = 0; i < naive.count; i++)
			{
				Stack		stack = stack_of(&naive.entries[i]);

				if (stack.depth > 0 &&
					strcmp(stack.frame[stack.depth - 1], tree_frame_text(&tree, f)) == 0)
					expected += naive.entries[i].value;
			}
			CHECK(fg_frame_self_value(&ctx, &tree, f, &self));
			CHECK_DOUBLE(self + 0.0, expected + 0.0);
		}
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- failures ------------------------------------------------------------------------ */

typedef struct Call
{
	size_t		map;
	FgTree		tree;
} Call;

static bool
run_call(FgContext *ctx, void *arg)
{
	Call	   *call = arg;
	FgTree		result;

	if (!maps[call->map].map_tree(ctx, &call->tree, 2, &result))
		return false;
	fg_tree_free(ctx, &result);
	return true;
}

static bool
run_prune(FgContext *ctx, void *arg)
{
	Call	   *call = arg;
	FgTree		result;

	if (!fg_prune(ctx, &call->tree, 0.05, "(other)", 7, &result))
		return false;
	fg_tree_free(ctx, &result);
	return true;
}

static void
check_failures(const char *values, NaiveShape shape)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {46};
	Naive		naive = naive_random(&random, shape);
	Call		call = {.tree = naive_tree(&ctx, &naive)};

	for (call.map = 0; call.map < COUNT(maps); call.map++)
	{
		unit_case("%s of %s without memory, and cancelled", maps[call.map].name, values);
		unit_sweep_memory(maps[call.map].name, run_call, &call);
		unit_sweep_interrupts(maps[call.map].name, run_call, &call, 1);
	}
	unit_case("prune of %s without memory, and cancelled", values);
	unit_sweep_memory("prune", run_prune, &call);
	unit_sweep_interrupts("prune", run_prune, &call, 1);
	fg_tree_free(&ctx, &call.tree);
	naive_free(&naive);
}

/* Sums of whole numbers have a way of their own. */
static void
test_failures(void)
{
	check_failures("whole numbers", (NaiveShape) {60, 12, 5, NAIVE_COUNTS});
	check_failures("any numbers", (NaiveShape) {60, 12, 5, NAIVE_DOUBLES});
}

/* Sums of doubles lose their last digit when they are taken plainly, in either order. */
static void
test_exact_totals(void)
{
	static const struct
	{
		const char *text;
		const char *frame;
		double		total;
	}			rows[] = {
		{"a;b 0.3\na;c 0.2\na;d 0.1", "a", 0.6},
		{"a;b 0.1\na;c 0.2\na;d 0.3", "a", 0.6},
		{"a;b;a;b 0.3\na;b 0.2\na;d 0.1", "a", 0.6},
		{"a;b 1\na;c 1\na;d 9007199254740992", "a", 9007199254740994},
		{"a;b 9007199254740992\na;c 1\na;d 1", "a", 9007199254740994},
		{"a;b 1\na;c;a 2\nb;a 4\nb;b 8", "a", 7},
		{"a;b 1\na;c;a 2\nb;a 4\nb;b 8", "b", 13}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		tree = tree_of_text(&ctx, rows[i].text);
		double		totals[8];
		uint32_t	f = 0;

		unit_case("the total of a frame, row %zu", i);
		CHECK(fg_frame_total_values(&ctx, &tree, totals));
		while (f < tree.frames.count && strcmp(tree_frame_text(&tree, f), rows[i].frame) != 0)
			f++;
		if (CHECK(f < tree.frames.count))
			CHECK_DOUBLE(totals[f], rows[i].total);
		fg_tree_free(&ctx, &tree);
	}
}

/* Each of its two passes over the nodes can be interrupted, so it polls twice as often as one. */
static void
test_interrupts_of_weights(void)
{
	const uint32_t nodes = 8 * FG_CHECK_NODES;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	double	   *weight = malloc(((size_t) nodes + 1) * sizeof(double));
	size_t		one_pass;
	FgTree		tree;

	unit_case("the weights of subtrees poll while they take absolute values");
	CHECK(fg_tree_alloc(&ctx, &tree, nodes));
	tree.self[0] = 0;
	for (uint32_t i = 1; i <= nodes; i++)
	{
		tree.key[i] = fg_key(1, i - 1);
		tree.self[i] = i % 2 == 0 ? 1 : -1;
	}
	CHECK(fg_tree_totals(&ctx, &tree, weight));
	one_pass = memory.polls;
	CHECK(fg_subtree_weights(&ctx, &tree, weight));
	CHECK_DOUBLE(weight[0], nodes);
	CHECK(memory.polls >= 2 * one_pass + 8);
	fg_tree_free(&ctx, &tree);
	free(weight);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_given();
	test_random();
	test_prune();
	test_selections();
	test_failures();
	test_exact_totals();
	test_interrupts_of_weights();
	return unit_finish();
}
