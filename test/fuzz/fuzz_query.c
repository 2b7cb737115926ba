/*
 * fuzz_query.c
 *	  Patterns over stacks.  The input's first line is the pattern, each further
 *	  line the text of a stack.
 *
 * Properties: what is read prints as a text that reads as the same pattern and
 * prints as the same text; an error names a place in the text; each stack matches
 * when a naive matcher, which tries every division of the stack, says so; and the
 * tree of all stacks gives every stack, and every mere prefix, the same answer.
 */
#include "support.h"

#include "core/patterns/query.h"
#include "core/profile/builder.h"
#include "core/profile/path.h"

/* The naive matcher takes (levels x frames^2) steps. */
#define MOST_LEVELS	40
#define MOST_FRAMES	40
#define MOST_STACKS	8

typedef struct Stack
{
	FgBuffer	path;
	uint32_t	depth;
	const char *frame[MOST_FRAMES];
	size_t		length[MOST_FRAMES];
} Stack;

/* No regular expression at all, but a property of the frame that depends on its number. */
static bool
fake_regex(void *arg, uint32_t regex, const char *frame, size_t length)
{
	REQUIRE(arg == (void *) fake_regex);
	return ((uint8_t) frame[0] + length + regex) % 3 == 0;
}

/* --- the naive matcher -------------------------------------------------------- */

static bool
naive_letters(const char *a, const char *b, size_t length, bool caseless)
{
	for (size_t i = 0; i < length; i++)
	{
		uint8_t		x = (uint8_t) a[i];
		uint8_t		y = (uint8_t) b[i];

		if (caseless && x >= 'a' && x <= 'z')
			x -= 32;
		if (caseless && y >= 'a' && y <= 'z')
			y -= 32;
		if (x != y)
			return false;
	}
	return true;
}

static bool
naive_text(const FgItem *item, const char *wanted, size_t size, const char *text, size_t length)
{
	bool		prefix = (item->flags & FG_ITEM_PREFIX) != 0;

	return (prefix ? length >= size : length == size) &&
		naive_letters(wanted, text, size, (item->flags & FG_ITEM_CASELESS) != 0);
}

/* Cuts the text before its first underscore that is not its first byte. */
static size_t
word_end(const char *text, size_t length)
{
	const char *end = length > 0 ? memchr(text, '_', length) : NULL;

	return end != NULL ? (size_t) (end - text) : length;
}

static bool
naive_has_word(const FgItem *item, const char *wanted, size_t size, const char *frame, size_t length)
{
	for (size_t at = 0; at < length; at += word_end(frame + at, length - at) + 1)
	{
		size_t		word = word_end(frame + at, length - at);

		if (word > 0 && naive_text(item, wanted, size, frame + at, word))
			return true;
	}
	return false;
}

static bool
naive_item(const FgQuery *query, const FgItem *item, const char *frame, size_t length)
{
	const char *wanted = fg_item_text(query, item);

	if (item->flags & FG_ITEM_REGEX)
		return fake_regex((void *) fake_regex, item->regex, frame, length);
	if (!(item->flags & FG_ITEM_WORDS))
		return naive_text(item, wanted, item->length, frame, length);
	for (size_t at = 0; at < item->length; at += word_end(wanted + at, item->length - at) + 1)
	{
		size_t		word = word_end(wanted + at, item->length - at);

		if (word > 0 && !naive_has_word(item, wanted + at, word, frame, length))
			return false;
	}
	return true;
}

static bool
naive_level(const FgQuery *query, const FgLevelPattern *level, const char *frame, size_t length)
{
	if (level->any)
		return true;
	for (uint32_t i = level->first_item; i < level->first_item + level->nitems; i++)
	{
		if (naive_item(query, &query->items[i], frame, length))
			return !level->negated;
	}
	return level->negated;
}

/* Can the first "depth" frames be divided among the levels? */
static bool
naive_match(const FgQuery *query, const Stack *stack, uint32_t depth)
{
	bool		reached[MOST_LEVELS + 1][MOST_FRAMES + 1];

	memset(reached, 0, sizeof(reached));
	reached[0][0] = true;
	for (uint32_t l = 0; l < query->nlevels; l++)
	{
		const FgLevelPattern *level = &query->levels[l];

		for (uint32_t from = 0; from <= depth; from++)
		{
			for (uint32_t n = 0; reached[l][from]; n++)
			{
				if (n >= level->min)
					reached[l + 1][from + n] = true;
				if (from + n == depth || n == level->max ||
					!naive_level(query, level, stack->frame[from + n], stack->length[from + n]))
					break;
			}
		}
	}
	return reached[query->nlevels][depth];
}

/* --- properties ----------------------------------------------------------------- */

static void
require_same_query(const FgQuery *a, const FgQuery *b)
{
	REQUIRE(a->nlevels == b->nlevels && a->nitems == b->nitems && a->nregexes == b->nregexes);
	for (uint32_t l = 0; l < a->nlevels; l++)
	{
		const FgLevelPattern *p = &a->levels[l];
		const FgLevelPattern *q = &b->levels[l];

		REQUIRE(p->any == q->any && p->negated == q->negated);
		REQUIRE(p->min == q->min && p->max == q->max && p->min <= p->max);
		REQUIRE(p->first_item == q->first_item && p->nitems == q->nitems);
		REQUIRE(p->any == (p->nitems == 0));
	}
	for (uint32_t i = 0; i < a->nitems; i++)
	{
		const FgItem *p = &a->items[i];
		const FgItem *q = &b->items[i];

		REQUIRE(p->flags == q->flags && p->regex == q->regex && p->length == q->length);
		REQUIRE(p->length == 0 || memcmp(fg_item_text(a, p), fg_item_text(b, q), p->length) == 0);
	}
}

static void
require_text(FgContext *ctx, const FgQuery *query)
{
	FgBuffer	text = {.ctx = ctx};
	FgBuffer	second = {.ctx = ctx};
	FgQuery		again;

	REQUIRE(fg_query_print(query, &text));
	REQUIRE(fg_query_parse(ctx, (char *) text.data, text.size, &again));
	require_same_query(query, &again);
	REQUIRE(fg_query_print(&again, &second));
	REQUIRE(second.size == text.size && memcmp(second.data, text.data, text.size) == 0);
	fg_query_free(&again);
	fg_release(ctx, text.data);
	fg_release(ctx, second.data);
}

/* Reads a stack; false when it is none or a large one. */
static bool
read_stack(FgContext *ctx, const char *text, size_t length, Stack *stack)
{
	FgPathWalk	walk;

	memset(stack, 0, sizeof(*stack));
	stack->path.ctx = ctx;
	if (!fg_path_parse(&stack->path, text, length, 1))
		return false;
	walk = fg_path_walk(stack->path.size > 0 ? (char *) stack->path.data : "", stack->path.size);
	while (fg_path_next(&walk))
	{
		if (stack->depth == MOST_FRAMES)
			return false;
		stack->frame[stack->depth] = walk.frame;
		stack->length[stack->depth++] = walk.length;
	}
	return true;
}

static void
require_match(const FgQuery *query, const Stack *stack)
{
	bool		matches;

	REQUIRE(fg_query_match_path(query, fake_regex, (void *) fake_regex,
								stack->path.size > 0 ? (char *) stack->path.data : "",
								stack->path.size, &matches));
	REQUIRE(matches == naive_match(query, stack, stack->depth));
}

/* Every prefix of every stack is a node. */
static void
require_tree(FgContext *ctx, const FgQuery *query, const Stack *stacks, uint32_t count)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	FgTree		tree;
	uint8_t    *matches;

	REQUIRE(builder != NULL);
	for (uint32_t i = 0; i < count; i++)
		REQUIRE(fg_builder_add(builder, stacks[i].path.size > 0 ? (char *) stacks[i].path.data : "",
							   stacks[i].path.size, '\0', true, 1));
	REQUIRE(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	matches = malloc((size_t) tree.nnodes + 1);
	REQUIRE(fg_query_match_tree(query, fake_regex, (void *) fake_regex, &tree, matches));
	for (uint32_t i = 0; i < count; i++)
	{
		const char *path = stacks[i].path.size > 0 ? (char *) stacks[i].path.data : "";

		for (uint32_t depth = 0; depth <= stacks[i].depth; depth++)
		{
			const char *prefix;
			size_t		length;
			uint32_t	node;

			fg_path_slice(path, stacks[i].path.size, 0, depth, &prefix, &length);
			node = fg_tree_find(&tree, prefix, length);
			REQUIRE(node <= tree.nnodes && matches[node] <= 1);
			REQUIRE(matches[node] == naive_match(query, &stacks[i], depth));
		}
	}
	free(matches);
	fg_tree_free(ctx, &tree);
}

static void
require_matches(FgContext *ctx, const FgQuery *query, const char *text, const char *end)
{
	static Stack stacks[MOST_STACKS];
	uint32_t	count = 0;

	while (text < end && count < MOST_STACKS)
	{
		const char *line_end = memchr(text, '\n', (size_t) (end - text));
		size_t		length = (size_t) ((line_end != NULL ? line_end : end) - text);

		if (read_stack(ctx, text, length, &stacks[count]))
			require_match(query, &stacks[count++]);
		else
			fg_release(ctx, stacks[count].path.data);
		text += length + 1;
	}
	require_tree(ctx, query, stacks, count);
	for (uint32_t i = 0; i < count; i++)
		fg_release(ctx, stacks[i].path.data);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	ctx = fuzz_context();
	const uint8_t *line_end = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t		length = line_end != NULL ? (size_t) (line_end - data) : size;
	char	   *pattern = malloc(length + (length == 0));	/* a buffer of its own, for ASan */
	FgQuery		query;

	memcpy(pattern, data, length);
	if (fg_query_parse(&ctx, pattern, length, &query))
	{
		require_text(&ctx, &query);
		/* half of all patterns match with an index; which, the pattern itself decides */
		REQUIRE(length % 2 == 0 || fg_query_index(&query));
		if (query.nlevels <= MOST_LEVELS && line_end != NULL)
			require_matches(&ctx, &query, (const char *) line_end + 1, (const char *) data + size);
		fg_query_free(&query);
	}
	else if (ctx.error.code != FG_ERROR_LIMIT)
	{
		REQUIRE(ctx.error.code == FG_ERROR_SYNTAX || ctx.error.code == FG_ERROR_ENCODING);
		REQUIRE(ctx.error.column >= 1 && ctx.error.column <= length + 1);
	}
	free(pattern);
	fuzz_finish();
	return 0;
}
