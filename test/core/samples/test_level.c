/*
 * test_level.c
 *	  Profiles at the four levels.
 */
#include "naive.h"

#include "core/samples/level.h"

static void
check_level(const char *name, const char *profile, FgLevel level, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, profile);
	Naive		stacks = naive_of_text(expected);
	FgTree		result;

	unit_case("level %s: %s", fg_level_word(level), name);
	if (CHECK(fg_level_apply(&ctx, &tree, level, &result)))
	{
		CHECK(naive_matches(&ctx, &stacks, &result));
		fg_tree_free(&ctx, &result);
	}
	naive_free(&stacks);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_by_hand(void)
{
	/* a is entered again below b; c's own values cancel; 7 samples have no stack */
	static const char *profile = "a;b;a 4\na;b;c 2\na 1\nd;c -2\nd 3\n 7";

	check_level("the profile itself", profile, FG_LEVEL_STACK, profile);
	check_level("inclusive values of contexts", profile, FG_LEVEL_NODE,
				"a 7\na;b 6\na;b;a 4\na;b;c 2\nd 1\nd;c -2");
	check_level("inclusive values of functions", profile, FG_LEVEL_FRAME, "a 7\nb 6\nd 1");
	check_level("own values of functions", profile, FG_LEVEL_SELF, "a 5\nd 3");
	for (int level = 0; level < FG_LEVELS; level++)
		check_level("nothing", "", (FgLevel) level, "");
	check_level("the empty stack only", " 5", FG_LEVEL_SELF, "");
	check_level("the empty stack only", " 5", FG_LEVEL_STACK, " 5");
}

/* Own values of a list of stacks: by their last frame. */
static Naive
naive_self(const Naive *profile)
{
	Naive		result = {0};

	for (size_t i = 0; i < profile->count; i++)
	{
		const NaiveEntry *entry = &profile->entries[i];
		size_t		start = entry->length;

		while (start > 0 && entry->path[start - 1] != '\0')
			start--;
		if (entry->length > 0)
			naive_add(&result, entry->path + start, entry->length - start, entry->value);
	}
	naive_settle(&result);
	return result;
}

static void
test_random(void)
{
	UnitRandom	random = {5};

	unit_case("level self: random profiles");
	for (int round = 0; round < 200; round++)
	{
		FgContext	ctx = fg_malloc_context();
		NaiveShape	shape = {1 + unit_below(&random, 60), 1 + unit_below(&random, 8),
							 1 + unit_below(&random, 12), round % 2 ? NAIVE_SIGNED : NAIVE_COUNTS};
		Naive		profile = naive_random(&random, shape);
		Naive		expected = naive_self(&profile);
		FgTree		tree = naive_tree(&ctx, &profile);
		FgTree		result;

		unit_note("[round %d]", round);
		if (CHECK(fg_level_apply(&ctx, &tree, FG_LEVEL_SELF, &result)))
		{
			CHECK(fg_tree_check(&ctx, &result));
			CHECK(naive_matches(&ctx, &expected, &result));
			fg_tree_free(&ctx, &result);
		}
		fg_tree_free(&ctx, &tree);
		naive_free(&expected);
		naive_free(&profile);
	}
}

static void
test_words(void)
{
	FgContext	ctx = fg_malloc_context();
	FgLevel		level;

	unit_case("words of levels");
	for (int i = 0; i < FG_LEVELS; i++)
	{
		const char *word = fg_level_word((FgLevel) i);

		CHECK(fg_level_parse(&ctx, word, strlen(word), &level));
		CHECK_COUNT(level, i);
	}
	CHECK(fg_level_parse(&ctx, "total", 5, &level));
	CHECK_COUNT(level, FG_LEVEL_FRAME);
	CHECK_ERROR(fg_level_parse(&ctx, "totals", 6, &level), &ctx, FG_ERROR_ARGUMENT);
	CHECK(strcmp(ctx.error.reason, "unrecognized level \"totals\"") == 0);
	CHECK_ERROR(fg_level_parse(&ctx, "stack", 4, &level), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_level_parse(&ctx, "Node", 4, &level), &ctx, FG_ERROR_ARGUMENT);
	CHECK(ctx.error.hint != NULL);
}

static void
test_overflow(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "a;b 1e308\nc;b 1e308");
	FgTree		result;

	unit_case("levels: values that overflow");
	CHECK_ERROR(fg_level_apply(&ctx, &tree, FG_LEVEL_SELF, &result), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_level_apply(&ctx, &tree, FG_LEVEL_FRAME, &result), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
apply_self(FgContext *ctx, void *arg)
{
	FgTree		result;

	if (!fg_level_apply(ctx, arg, FG_LEVEL_SELF, &result))
		return false;
	fg_tree_free(ctx, &result);
	return true;
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a;b 1\na;c 2\nd 4");

	test_by_hand();
	test_random();
	test_words();
	test_overflow();
	unit_sweep_memory("level self", apply_self, &tree);
	unit_sweep_interrupts("level self", apply_self, &tree, 1);
	fg_tree_free(&ctx, &tree);
	return unit_finish();
}
