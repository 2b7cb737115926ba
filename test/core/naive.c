/*
 * naive.c
 *	  Profiles as sorted lists (see naive.h).
 */
#include "naive.h"

#include "core/profile/builder.h"
#include "core/profile/folded.h"

#include <math.h>

/* Order matters only in that small numbers give short profiles of plain names. */
static const char *const frames[40] = {
	"a", "b", "c", "main", "ab", "a b", "A", "a;b", ";", "\\",
	"\\\\", "\\;", "#", "# x", "\\#", "#x", " ", "  a", "a ", "a\t",
	"\t", "a\\", "C:\\dir\\f.py", "App\\Http\\Kernel", "\xC3\xA9", "e\xCC\x81", "\xE6\x97\xA5\xE6\x9C\xAC",
	"\xF0\x9F\x94\xA5", "\xEF\xBF\xAE", "std::map<int, std::pair<int, char> >::find(int const&) const",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "5", "a 5", "\x01", "\x7F", "\"", "[unknown]",
	"\xEF\xBB\xBF"
};

const char *
naive_frame(uint32_t number)
{
	return frames[number % COUNT(frames)];
}

void
naive_add(Naive *naive, const char *path, size_t length, double value)
{
	NaiveEntry *entry;

	if ((naive->count & (naive->count - 1)) == 0)
		naive->entries = realloc(naive->entries, (2 * naive->count + 1) * sizeof(NaiveEntry));
	entry = &naive->entries[naive->count++];
	entry->path = malloc(length + 1);
	if (length > 0)
		memcpy(entry->path, path, length);
	entry->path[length] = '\0';
	entry->length = length;
	entry->value = value;
}

int
naive_compare(const NaiveEntry *a, const NaiveEntry *b)
{
	const char *p = a->path;
	const char *q = b->path;
	const char *p_end = a->path + a->length;
	const char *q_end = b->path + b->length;

	if (a->length == 0 || b->length == 0)
		return (a->length > 0) - (b->length > 0);
	for (;;)
	{
		int			order = strcmp(p, q);	/* unsigned bytes; frames end in NUL */

		if (order != 0)
			return order;
		p += strlen(p);
		q += strlen(q);
		if (p == p_end || q == q_end)
			return (p < p_end) - (q < q_end);
		p++;
		q++;
	}
}

static int
compare_entries(const void *a, const void *b)
{
	return naive_compare(a, b);
}

void
naive_settle(Naive *naive)
{
	size_t		n = 0;

	if (naive->count == 0)
		return;
	qsort(naive->entries, naive->count, sizeof(NaiveEntry), compare_entries);
	for (size_t i = 1; i < naive->count; i++)
	{
		if (naive_compare(&naive->entries[n], &naive->entries[i]) == 0)
		{
			naive->entries[n].value += naive->entries[i].value;
			free(naive->entries[i].path);
		}
		else
			naive->entries[++n] = naive->entries[i];
	}
	naive->count = n + 1;
	n = 0;
	for (size_t i = 0; i < naive->count; i++)
	{
		if (naive->entries[i].value == 0)
			free(naive->entries[i].path);
		else
			naive->entries[n++] = naive->entries[i];
	}
	naive->count = n;
	/* room again for what naive_add expects */
	n = 1;
	while (n < naive->count)
		n *= 2;
	naive->entries = realloc(naive->entries, (2 * n + 1) * sizeof(NaiveEntry));
}

void
naive_free(Naive *naive)
{
	for (size_t i = 0; i < naive->count; i++)
		free(naive->entries[i].path);
	free(naive->entries);
	memset(naive, 0, sizeof(*naive));
}

void
naive_facts(const FgTree *tree, FgFacts *facts)
{
	FgContext	ctx = fg_malloc_context();

	CHECK(fg_tree_facts(&ctx, tree, facts));
}

Naive
naive_of_tree(const FgTree *tree)
{
	Naive		naive = {0};
	FgFacts		facts;
	size_t	   *end;			/* of the frame at each depth */
	char	   *path = NULL;
	size_t		room = 0;

	naive_facts(tree, &facts);
	end = calloc((size_t) facts.depth + 1, sizeof(size_t));
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);

		if (i > 0)
		{
			uint32_t	frame = fg_key_frame(tree->key[i]);
			size_t		start = depth > 1 ? end[depth - 1] + 1 : 0;

			end[depth] = start + fg_frame_length(&tree->frames, frame);
			if (end[depth] > room)
				path = realloc(path, room = 2 * end[depth]);
			if (start > 0)
				path[start - 1] = '\0';
			memcpy(path + start, fg_frame_bytes(&tree->frames, frame), end[depth] - start);
		}
		if (tree->self[i] != 0)
			naive_add(&naive, path, end[depth], tree->self[i]);
	}
	free(path);
	free(end);
	return naive;
}

/* The line's stack with its escapes undone; returns the length. */
static size_t
unescape(const char *from, const char *end, char *to)
{
	char	   *start = to;

	if (end - from >= 2 && from[0] == '\\' && from[1] == '#')
		from++;
	while (from < end)
	{
		if (from[0] == '\\' && from + 1 < end && (from[1] == '\\' || from[1] == ';'))
		{
			*to++ = from[1];
			from += 2;
		}
		else
		{
			*to++ = *from == ';' ? '\0' : *from;
			from++;
		}
	}
	return (size_t) (to - start);
}

Naive
naive_of_text(const char *text)
{
	Naive		naive = {0};

	while (*text != '\0')
	{
		const char *end = text + strcspn(text, "\n");
		const char *space = end;
		char	   *path = malloc((size_t) (end - text) + 1);

		while (*--space != ' ')
			;
		naive_add(&naive, path, unescape(text, space, path), strtod(space, NULL));
		free(path);
		text = end + (*end == '\n');
	}
	naive_settle(&naive);
	return naive;
}

Naive
naive_combination(const Naive *a, double x, const Naive *b, double y)
{
	Naive		result = {0};

	for (size_t i = 0; i < a->count; i++)
		naive_add(&result, a->entries[i].path, a->entries[i].length, x * a->entries[i].value);
	for (size_t i = 0; i < b->count; i++)
		naive_add(&result, b->entries[i].path, b->entries[i].length, y * b->entries[i].value);
	naive_settle(&result);
	return result;
}

bool
naive_equal(const Naive *a, const Naive *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
	{
		if (a->entries[i].value != b->entries[i].value ||
			naive_compare(&a->entries[i], &b->entries[i]) != 0)
			return false;
	}
	return true;
}

bool
naive_matches(FgContext *ctx, const Naive *naive, const FgTree *tree)
{
	Naive		found = naive_of_tree(tree);
	bool		same = CHECK(naive_equal(&found, naive));

	naive_free(&found);
	if (!CHECK(fg_tree_check(ctx, tree)))
	{
		printf("    %s\n", ctx->error.reason);
		return false;
	}
	return same;
}

FgTree
naive_tree(FgContext *ctx, const Naive *naive)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	FgTree		tree;

	for (size_t i = 0; i < naive->count; i++)
	{
		const NaiveEntry *entry = &naive->entries[i];

		CHECK(fg_builder_add(builder, entry->path, entry->length, '\0', i % 2 == 0, entry->value));
	}
	CHECK(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	return tree;
}

FgTree
tree_of_text(FgContext *ctx, const char *text)
{
	FgFoldedOptions options = {.dialect = FG_FOLDED_EXACT, .check_encoding = true};
	FgFoldedReport report;
	FgTree		tree;

	if (!fg_folded_parse(ctx, text, strlen(text), options, &tree, &report))
	{
		printf("%s: %s\n", text, ctx->error.reason);
		abort();
	}
	return tree;
}

static double
random_value(UnitRandom *random, const NaiveShape *shape)
{
	double		value;

	switch (shape->values)
	{
		case NAIVE_COUNTS:
			return 1 + unit_below(random, 1000);
		case NAIVE_SIGNED:
			value = (double) unit_below(random, 9) - 4;
			return unit_below(random, 4) == 0 ? value * 1000003 : value;
		case NAIVE_DOUBLES:
			break;
	}
	value = ((double) unit_below(random, 1u << 31) + 1) / 1e9;
	value = ldexp(value, (int) unit_below(random, 60) - 30);
	return unit_below(random, 2) == 0 ? value : -value;
}

Naive
naive_random(UnitRandom *random, NaiveShape shape)
{
	Naive		naive = {0};
	char	   *path = malloc((size_t) shape.depth * 80 + 1);
	size_t	   *end = malloc(((size_t) shape.depth + 1) * sizeof(size_t));
	uint32_t	depth = 0;

	end[0] = 0;
	for (uint32_t s = 0; s < shape.stacks; s++)
	{
		uint32_t	target = unit_below(random, shape.depth + 1);

		/* most stacks go on from a part of the one before */
		depth = unit_below(random, 8) == 0 ? 0 : unit_below(random, depth + 1);
		while (depth < target)
		{
			const char *frame = naive_frame(unit_below(random, shape.frames));
			size_t		start = depth > 0 ? end[depth] + 1 : 0;

			if (start > 0)
				path[start - 1] = '\0';
			memcpy(path + start, frame, strlen(frame));
			end[++depth] = start + strlen(frame);
		}
		naive_add(&naive, path, end[depth], random_value(random, &shape));
	}
	free(path);
	free(end);
	naive_settle(&naive);
	return naive;
}

void
naive_shuffle(UnitRandom *random, Naive *naive)
{
	for (size_t i = naive->count; i > 1; i--)
	{
		size_t		j = unit_below(random, (uint32_t) i);
		NaiveEntry	swap = naive->entries[i - 1];

		naive->entries[i - 1] = naive->entries[j];
		naive->entries[j] = swap;
	}
}

/* --- trees to walk ------------------------------------------------------------------- */

FgTree
naive_chain(FgContext *ctx, uint32_t count, uint32_t period)
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

FgTree
naive_wide(FgContext *ctx, uint32_t first, uint32_t second, bool own)
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

uint32_t
naive_parent(const FgTree *tree, uint32_t node)
{
	uint32_t	depth = fg_key_depth(tree->key[node]);

	while (fg_key_depth(tree->key[node]) >= depth)
		node--;
	return node;
}

long double
naive_sum_below(const FgTree *tree, uint32_t node, bool absolute)
{
	long double sum = 0;

	for (uint32_t i = node; i <= tree->nnodes; i++)
	{
		if (i > node && fg_key_depth(tree->key[i]) <= fg_key_depth(tree->key[node]))
			break;
		sum += absolute ? fabs(tree->self[i]) : tree->self[i];
	}
	return sum;
}

/* --- random profiles of all kinds ---------------------------------------------------- */

const char *const naive_kinds[] = {"counts", "signed counts", "doubles"};

NaiveShape
naive_shape(UnitRandom *random, int round, int kind, uint32_t most)
{
	return (NaiveShape) {
		unit_below(random, 40), round % 3 == 0 ? 5 : round % 3 == 1 ? 15 : 50,
		round % 4 == 3 ? 40 : 1 + unit_below(random, most), kind
	};
}
