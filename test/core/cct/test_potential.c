/*
 * test_potential.c
 *	  Subtree potentials: the definition, counted stack by stack, against both
 *	  ways of computing them.
 */
#include "naive.h"

#include "core/cct/potential.h"

#include <math.h>

/*
 * Of one stack: is the frame among the last degree + 1 frames, and how often.
 */
static uint32_t
occurrences(const NaiveEntry *entry, const char *frame, size_t length, uint32_t degree)
{
	uint32_t	count = 0;
	size_t		end = entry->length;

	for (uint32_t n = 0; n <= degree && entry->length > 0; n++)
	{
		size_t		start = end;

		while (start > 0 && entry->path[start - 1] != '\0')
			start--;
		count += end - start == length && memcmp(entry->path + start, frame, length) == 0;
		if (start == 0)
			break;
		end = start - 1;
	}
	return count;
}

static void
check_potential(FgContext *ctx, const FgTree *tree, const Naive *naive, uint32_t degree)
{
	uint32_t	nframes = tree->frames.count;
	double	   *potential = malloc((nframes + 1) * sizeof(double));
	double	   *sum = malloc((nframes + 1) * sizeof(double));

	CHECK(fg_subtree_potential(ctx, tree, degree, potential, sum));
	for (uint32_t f = 0; f < nframes; f++)
	{
		double		expected = 0;
		double		expected_sum = 0;

		for (size_t i = 0; i < naive->count; i++)
		{
			uint32_t	count = occurrences(&naive->entries[i], fg_frame_bytes(&tree->frames, f),
											fg_frame_length(&tree->frames, f), degree);

			expected += count > 0 ? naive->entries[i].value : 0;
			expected_sum += count * naive->entries[i].value;
		}
		CHECK(potential[f] == expected);
		CHECK(sum[f] == expected_sum);
	}
	free(potential);
	free(sum);
}

static void
test_given(void)
{
	static const struct
	{
		const char *what;
		const char *text;
		uint32_t	degree;
		struct
		{
			const char *frame;
			double		naive;
			double		potential;
		}			frames[10];
	}			rows[] = {
		{"golden potential_neo4j_ab", "A 0.25\nA;A 0.5\nA;B 0.25", 1,
		{{"A", 1.5, 1}, {"B", 0.25, 0.25}}},
		{"golden potential_figure_5_1",
			"A 1\nA;X 2\nA;X;A 4\nA;X;A;Y 8\nA;X;A;Y;Z 16\nA;X;A;Y;Z;W 32\nA;V 64\nA;V;U;T 128\n"
			"A;V;U;T;S 256", 3,
			{{"A", 267, 255}, {"S", 256, 256}, {"T", 384, 384}, {"U", 384, 384}, {"V", 448, 448},
		{"W", 32, 32}, {"X", 30, 30}, {"Y", 56, 56}, {"Z", 48, 48}}},
		{"golden code_path_potential_two", "A 1\nA;B 7\nB;A 2\nC 10\nD;C 0.5", 0,
		{{"A", 3, 3}, {"B", 7, 7}, {"C", 10.5, 10.5}, {"D", 0, 0}}},
		{"the empty stack belongs to no frame", " 5\na 1", 3, {{"a", 1, 1}}},
		{"a degree beyond any depth", "a;b;a;c 1\nc;a 2", UINT32_MAX,
		{{"a", 4, 3}, {"b", 1, 1}, {"c", 3, 3}}},
		{"signed", "a;b 3\na;c -3\na;a 1", 1, {{"a", 2, 1}, {"b", 3, 3}, {"c", -3, -3}}}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		tree = tree_of_text(&ctx, rows[i].text);
		double		potential[16];
		double		naive[16];
		uint32_t	n = 0;

		unit_case("potential: %s", rows[i].what);
		CHECK(fg_subtree_potential(&ctx, &tree, rows[i].degree, potential, naive));
		for (; rows[i].frames[n].frame != NULL; n++)
		{
			const char *frame = rows[i].frames[n].frame;
			uint32_t	f = fg_frames_find(&tree.frames, frame, strlen(frame));

			if (!CHECK(f < tree.frames.count))
				continue;
			CHECK_DOUBLE(naive[f], rows[i].frames[n].naive);
			CHECK_DOUBLE(potential[f], rows[i].frames[n].potential);
		}
		CHECK_COUNT(n, tree.frames.count);
		fg_tree_free(&ctx, &tree);
	}
}

/* "frame" times "count", then "then". */
static void
add_repeated(Naive *naive, char frame, size_t count, const char *then, size_t then_length,
			 double value)
{
	char	   *path = malloc(2 * count + then_length);
	size_t		length = 0;

	for (size_t i = 0; i < count; i++)
	{
		path[length++] = frame;
		path[length++] = '\0';
	}
	memcpy(path + length, then, then_length);
	length += then_length;
	naive_add(naive, path, then_length > 0 ? length : length - 1, value);
	free(path);
}

/* Golden potential_deep, with degree 20 and more. */
static void
test_deep(void)
{
	static const struct
	{
		uint32_t	degree;
		double		naive[3];	/* f, g, h */
		double		potential[3];
	}			rows[] = {
		{20, {139, 46, 4}, {7, 6, 4}},
		/* 64 f below f^5000, 63 - 1 below f^2500;g;h, 64 g below g^3000 */
		{63, {64 * 3 + 62 * 4, 64 * 2 + 4, 4}, {7, 6, 4}},
		{64, {65 * 3 + 63 * 4, 65 * 2 + 4, 4}, {7, 6, 4}},
		{65535, {5000 * 3 + 2500 * 4, 3000 * 2 + 4, 4}, {7, 6, 4}}
	};
	FgContext	ctx = fg_malloc_context();
	Naive		naive = {0};
	FgTree		tree;

	add_repeated(&naive, 'f', 5000, "", 0, 3);
	add_repeated(&naive, 'f', 2500, "g\0h", 3, 4);
	add_repeated(&naive, 'g', 3000, "", 0, 2);
	tree = naive_tree(&ctx, &naive);
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		double		potential[3];
		double		sum[3];

		unit_case("potential of degree %u in a recursion of 5000 frames", rows[i].degree);
		CHECK(fg_subtree_potential(&ctx, &tree, rows[i].degree, potential, sum));
		for (int f = 0; f < 3; f++)
		{
			CHECK_DOUBLE(potential[f], rows[i].potential[f]);
			CHECK_DOUBLE(sum[f], rows[i].naive[f]);
		}
	}
	fg_tree_free(&ctx, &tree);
	naive_free(&naive);
}

/*
 * Few frames and deep stacks, so that there is recursion of every kind; or more
 * frames, so that it can be as far apart as the degree.
 */
static void
test_random(void)
{
	static const char *const names[] = {"counts", "signed counts"};
	UnitRandom	random = {5150};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_SIGNED; kind++)
	{
		unit_case("potentials of degree 0 to 80 in random recursive trees, %s", names[kind]);
		for (int round = 0; round < 40; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			NaiveShape	shape = {1 + unit_below(&random, 25), round % 2 ? 8 : 110,
			round % 4 < 2 ? 1 + unit_below(&random, 4) : 25 + unit_below(&random, 16), kind};
			Naive		naive = naive_random(&random, shape);
			FgTree		tree = naive_tree(&ctx, &naive);

			for (uint32_t degree = 0; degree <= 80; degree++)
			{
				unit_note("[round %d, degree %u]", round, degree);
				/* in trees that are not deep, all from 8 on are alike */
				if (round % 2 == 0 || degree < 10 || degree >= 62)
					check_potential(&ctx, &tree, &naive, degree);
			}
			check_potential(&ctx, &tree, &naive, 65535);
			check_potential(&ctx, &tree, &naive, 65536);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_overflow(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a;b 1.5e308\nc;b 1.5e308");
	double		potential[3];
	double		naive[3];

	unit_case("a potential that overflows");
	CHECK_ERROR(fg_subtree_potential(&ctx, &tree, 0, potential, naive), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_subtree_potential(&ctx, &tree, 100, potential, naive), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);
	unit_case("only the naive sum overflows");
	tree = tree_of_text(&ctx, "a;a 1e308");
	CHECK(fg_subtree_potential(&ctx, &tree, 0, potential, naive));
	CHECK_ERROR(fg_subtree_potential(&ctx, &tree, 1, potential, naive), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);
	unit_case("the empty tree has no potentials");
	tree = tree_of_text(&ctx, " 1");
	CHECK(fg_subtree_potential(&ctx, &tree, 1, potential, naive));
	CHECK(fg_subtree_potential(&ctx, &tree, 100, potential, naive));
	fg_tree_free(&ctx, &tree);
}

/* --- memory and interrupts ----------------------------------------------------------------- */

typedef struct Input
{
	const FgTree *tree;
	uint32_t	degree;
} Input;

static bool
run(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	double	   *sums = malloc((2 * (size_t) input->tree->frames.count + 1) * sizeof(double));
	bool		ok = fg_subtree_potential(ctx, input->tree, input->degree, sums,
										  sums + input->tree->frames.count);

	free(sums);
	return ok;
}

static void
test_memory(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "a;b;a 1\nc 2");
	Input		input = {&tree, 5};
	Naive		naive = {0};

	unit_sweep_memory("potential, small degree", run, &input);
	input.degree = 500;
	unit_sweep_memory("potential, large degree", run, &input);
	fg_tree_free(&ctx, &tree);
	for (uint32_t i = 0; i < 150000; i++)
	{
		char		path[32];
		int			length = snprintf(path, sizeof(path), "%03u%c%03u", i / 400, 0, i % 400);

		naive_add(&naive, path, (size_t) length, 1);
	}
	tree = naive_tree(&ctx, &naive);
	input.degree = 1;
	unit_sweep_interrupts("potential, small degree", run, &input, 2);
	input.degree = 500;
	unit_sweep_interrupts("potential, large degree", run, &input, 4);
	fg_tree_free(&ctx, &tree);
	naive_free(&naive);
}

int
main(void)
{
	test_given();
	test_deep();
	test_random();
	test_overflow();
	test_memory();
	return unit_finish();
}
