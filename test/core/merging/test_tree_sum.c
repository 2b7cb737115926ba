/*
 * test_tree_sum.c
 *	  A sum that grows in place, against sorted lists of stacks.
 */
#include "naive.h"

#include "core/merging/tree_sum.h"
#include "core/profile/builder.h"
#include "core/profile/codec.h"

#include <string.h>

/* How the profiles come to a sum. */
typedef enum Way
{
	AS_TREES,
	ENCODED,
	IN_TURNS,
	WAYS
} Way;

static const char *const way_names[] = {"as trees", "encoded", "in turns"};

static void
append(Naive *all, const Naive *more)
{
	for (size_t i = 0; i < more->count; i++)
		naive_add(all, more->entries[i].path, more->entries[i].length, more->entries[i].value);
}

static bool
add(FgContext *ctx, FgTreeSum *sum, const FgTree *tree, bool encoded)
{
	uint8_t    *bytes;
	size_t		size;
	bool		ok;

	if (!encoded)
		return fg_tree_sum_add(sum, tree);
	if (!fg_codec_encode(ctx, tree, 0, &bytes, &size))
		return false;
	ok = fg_tree_sum_add_encoded(sum, bytes, size);
	fg_release(ctx, bytes);
	return ok;
}

static bool
is_encoded(Way way, size_t i)
{
	return way == ENCODED || (way == IN_TURNS && i % 2 == 1);
}

static void
check_sum(const Naive *profiles, size_t count, Way way)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTreeSum  *sum = fg_tree_sum_create(&ctx);
	Naive		all = {0};
	FgTree		total;

	for (size_t i = 0; i < count; i++)
	{
		FgTree		tree = naive_tree(&ctx, &profiles[i]);

		CHECK(add(&ctx, sum, &tree, is_encoded(way, i)));
		fg_tree_free(&ctx, &tree);
		append(&all, &profiles[i]);
	}
	naive_settle(&all);
	if (CHECK(fg_tree_sum_finish(sum, &total)))
	{
		naive_matches(&ctx, &all, &total);
		fg_tree_free(&ctx, &total);
	}
	fg_tree_sum_free(sum);
	naive_free(&all);
	CHECK_COUNT(memory.blocks, 0);
}

/* The profiles one after the other, and the other way round. */
static void
check_texts(const char *name, const char *const *texts)
{
	Naive		profiles[8];
	Naive		reversed[8];
	size_t		count = 0;

	for (; texts[count] != NULL; count++)
		profiles[count] = naive_of_text(texts[count]);
	for (size_t i = 0; i < count; i++)
		reversed[i] = profiles[count - 1 - i];
	for (Way way = 0; way < WAYS; way++)
	{
		unit_case("%s, %s", name, way_names[way]);
		check_sum(profiles, count, way);
		check_sum(reversed, count, way);
	}
	for (size_t i = 0; i < count; i++)
		naive_free(&profiles[i]);
}

#define TEXTS(...) (const char *const[]) {__VA_ARGS__, NULL}

static void
test_small(void)
{
	check_texts("nothing", TEXTS(""));
	check_texts("something and nothing", TEXTS("a;b 1", "", "a;b 1"));
	check_texts("the same", TEXTS("a;b 1\na;c 2", "a;b 10\na;c 20", "a;b 1\na;c 2"));
	check_texts("values at the root", TEXTS(" 1\na 2", " 3\na 4", " 5"));
	check_texts("a value in the middle of a run, then at its end", TEXTS("a;b;c 1", "a;b 2\na;b;c 1", "a;b 4"));
	check_texts("values that cancel, of leaves and inner nodes", TEXTS("a;b;c 1\na;b 2\nd 3", "a;b;c -1\nd -3"));
	check_texts("all cancels", TEXTS("a;b;c 1\nd 3", "a;b;c -1\nd -3"));
	check_texts("what has cancelled comes again", TEXTS("a;b;c 1\nd 1", "a;b;c -1", "a;b;c 5\na;b;d 1"));
	check_texts("frames before, between and behind those of the others",
				TEXTS("b;b 1\nd 1", "a 1\nb;a 1\nb;b 1\nb;c 1\nc 1\nd;b 1\ne 1", "aa;b 1\nb;b 1\nf 1"));
	check_texts("frames that begin alike", TEXTS("main 1\nmain;maine 1\nmaine 1", "mai;main 1\nmaine;mainz 2", "mainz 1\nma 1"));
	check_texts("siblings to pass, with all below them", TEXTS("a;x;y 1\nb;x;y 1\nc;x;y 1\nd 1", "d 1\nd;x 1"));
	check_texts("a run that is cut at each of its nodes",
				TEXTS("a;b;c;d 1", "a;b;c;d 1\na;b;c;e 1\na;b;d 1\na;c;x;y 1\na;c;x;z 1\nb 1", "a;b;c;d;e 1"));
	check_texts("runs that are cut while others hang below them",
				TEXTS("a;b;c;d;e 1\na;b;c;d;f 1", "a;b;x 1\na;b;c;y 1", "a;b;c;d;e 1\na;b;c;d;f;g 1\na;z 1"));
	check_texts("below a node whose subtree was left", TEXTS("a;b;c 1\na;d 1", "a;b;d;e 1\na;d 1\na;d;c 1"));
	check_texts("a frame in two places, and calls that it has in one only",
				TEXTS("a;f;x 1\nb;f;y 1", "a;f;y 1\nb;f;x 1", "f;x 1\nb;a;f;y;f;x 1"));
	check_texts("chains that go on where the sum has a leaf", TEXTS("a 1", "a;b;a;b;a;b;a;b;a;b 1", "a;b;a;b;a;b;a;b;a;b;a;a 1"));
	check_texts("runs of eight and more, and one off",
				TEXTS("a;b;c;d;e;f;g;h 1", "a;b;c;d;e;f;g;h;i 1", "a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q 1",
					  "a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;x 1", "a;b;c;d;e;f;g;x 1"));
}

/* Profiles of one program share stacks; others do not. */
static void
test_random(void)
{
	UnitRandom	random = {2718};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_SIGNED; kind++)
	{
		unit_case("random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < unit_rounds(90); round++)
		{
			Naive		profiles[5];

			unit_note("[round %d]", round);
			for (size_t i = 0; i < COUNT(profiles); i++)
			{
				profiles[i] = naive_random(&random, naive_shape(&random, round / (int) (i % 3 + 1), kind, 12));
				if (i > 0 && (round + i) % 2 == 1)
				{
					append(&profiles[i], &profiles[i - 1]);
					naive_settle(&profiles[i]);
				}
			}
			check_sum(profiles, COUNT(profiles), (Way) (round % WAYS));
			for (size_t i = 0; i < COUNT(profiles); i++)
				naive_free(&profiles[i]);
		}
	}
}

/* A frame that calls more others than are looked at, than have ranks of a byte, than fit a byte. */
static void
test_many_siblings(void)
{
	unit_case("a hundred and more children of a node");
	for (uint32_t most = 7; most <= 700; most *= 10)
	{
		Naive		profiles[6] = {0};

		for (uint32_t i = 0; i < most; i++)
		{
			char		path[32];
			int			length = snprintf(path, sizeof(path), "main%cf%03u%cg", 0, i * 7 % most, 0);

			for (size_t p = 0; p < COUNT(profiles); p++)
			{
				if (i % (p + 1) == p / 2)
					naive_add(&profiles[p], path, (size_t) length - 2 * (p % 2), 1 + i);
			}
		}
		for (size_t p = 0; p < COUNT(profiles); p++)
			naive_settle(&profiles[p]);
		for (Way way = 0; way < WAYS; way++)
			check_sum(profiles, COUNT(profiles), way);
		for (size_t p = 0; p < COUNT(profiles); p++)
			naive_free(&profiles[p]);
	}
}

/* So many runs that they are put in order on the way, more than once. */
static void
test_order(void)
{
	UnitRandom	random = {31};

	for (Way way = 0; way < WAYS; way++)
	{
		Naive		profiles[6];

		unit_case("thousands of runs, %s", way_names[way]);
		for (size_t i = 0; i < COUNT(profiles); i++)
			profiles[i] = naive_random(&random, (NaiveShape) {1500, 12, 40, NAIVE_SIGNED});
		check_sum(profiles, COUNT(profiles), way);
		for (size_t i = 0; i < COUNT(profiles); i++)
			naive_free(&profiles[i]);
	}
}

/* Each stack adds its values in the order of the profiles, whatever these have beside it. */
static void
test_fractions(void)
{
	static const char *const texts[] = {"a;b 0.1\nc 1", "a;b 0.2", "a;b 0.3\na 7", "a;b 1e15", "a;b -1e15\nz;b 1"};
	double		expected = (((0.1 + 0.2) + 0.3) + 1e15) + -1e15;

	for (Way way = 0; way < WAYS; way++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTreeSum  *sum = fg_tree_sum_create(&ctx);
		FgTree		total;

		unit_case("fractions are added in order, %s", way_names[way]);
		for (size_t i = 0; i < COUNT(texts); i++)
		{
			FgTree		tree = tree_of_text(&ctx, texts[i]);

			CHECK(add(&ctx, sum, &tree, is_encoded(way, i)));
			fg_tree_free(&ctx, &tree);
		}
		CHECK(fg_tree_sum_finish(sum, &total));
		CHECK_DOUBLE(total.self[fg_tree_find(&total, "a\0b", 3)], expected);
		fg_tree_free(&ctx, &total);
		fg_tree_sum_free(sum);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_overflow(void)
{
	for (Way way = 0; way < WAYS; way++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTreeSum  *sum = fg_tree_sum_create(&ctx);
		FgTree		first = tree_of_text(&ctx, "a 1.5e308\nb 1");
		FgTree		second = tree_of_text(&ctx, "a 1.5e308\nc 1");
		FgTree		total;

		unit_case("a value that overflows, %s", way_names[way]);
		CHECK(add(&ctx, sum, &first, is_encoded(way, 0)) && add(&ctx, sum, &second, is_encoded(way, 1)));
		CHECK_ERROR(fg_tree_sum_finish(sum, &total), &ctx, FG_ERROR_RANGE);
		CHECK(total.key == NULL);
		fg_tree_sum_free(sum);
		fg_tree_free(&ctx, &first);
		fg_tree_free(&ctx, &second);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- damaged bytes ---------------------------------------------------------------------------- */

static void
check_cut_short(FgContext *ctx, const uint8_t *bytes, size_t size)
{
	for (size_t length = 0; length < size; length++)
	{
		FgTreeSum  *sum = fg_tree_sum_create(ctx);
		uint8_t    *some = fg_alloc(ctx, length, 1);

		unit_note("[%zu bytes]", length);
		memcpy(some, bytes, length);
		CHECK_ERROR(fg_tree_sum_add_encoded(sum, some, length), ctx, FG_ERROR_CORRUPT);
		fg_release(ctx, some);
		fg_tree_sum_free(sum);
	}
}

/*
 * Each byte in turn is another one.  What fg_codec_decode refuses is refused, with the same words,
 * and has added nothing; the sum goes on.
 */
static void
test_damaged(void)
{
	static const char text[] = "main;a;b;c;d 1\nmain;a;b;e 2\nmain;a 4\nmain;f;b;c 3\nmain;f;g 7\nz;a;b 300\nz;b;a 12";
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, text);
	Naive		expected = naive_of_text(text);
	uint32_t	refused = 0;
	uint8_t    *bytes;
	size_t		size;

	unit_case("bytes that are damaged");
	CHECK(fg_codec_encode(&ctx, &tree, 0, &bytes, &size));
	for (size_t i = 0; i < size; i++)
	{
		uint8_t		byte = bytes[i];
		FgTreeSum  *sum = fg_tree_sum_create(&ctx);
		bool		added = true;
		FgTree		total;

		unit_note("[byte %zu]", i);
		CHECK(fg_tree_sum_add_encoded(sum, bytes, size));
		for (int bit = 0; added && bit < 8; bit++)
		{
			FgTree		decoded;
			FgError		error;

			bytes[i] = byte ^ (uint8_t) (1 << bit);
			if (fg_codec_decode(&ctx, bytes, size, &decoded))
			{
				/* bytes that nobody would have written, and that cannot hurt */
				fg_tree_free(&ctx, &decoded);
				fg_tree_sum_add_encoded(sum, bytes, size);
				added = false;
				continue;
			}
			error = ctx.error;
			CHECK_ERROR(fg_tree_sum_add_encoded(sum, bytes, size), &ctx, FG_ERROR_CORRUPT);
			CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), error.reason);
			refused++;
		}
		bytes[i] = byte;
		if (added && CHECK(fg_tree_sum_finish(sum, &total)))
		{
			naive_matches(&ctx, &expected, &total);
			fg_tree_free(&ctx, &total);
		}
		fg_tree_sum_free(sum);
	}
	CHECK(refused > 300);
	check_cut_short(&ctx, bytes, size);
	fg_release(&ctx, bytes);
	fg_tree_free(&ctx, &tree);
	naive_free(&expected);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- memory, interrupts and work -------------------------------------------------------------- */

typedef struct Profiles
{
	const FgTree *tree;
	size_t		count;
	Way			way;
} Profiles;

static bool
add_up(FgContext *ctx, void *arg)
{
	const Profiles *profiles = arg;
	FgTreeSum  *sum = fg_tree_sum_create(ctx);
	bool		ok = sum != NULL;
	FgTree		total;

	for (size_t i = 0; ok && i < profiles->count; i++)
		ok = add(ctx, sum, &profiles->tree[i], is_encoded(profiles->way, i));
	ok = ok && fg_tree_sum_finish(sum, &total);
	if (ok)
		fg_tree_free(ctx, &total);
	fg_tree_sum_free(sum);
	return ok;
}

static void
test_memory(void)
{
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {5};
	Naive		many = naive_random(&random, (NaiveShape) {1200, 5, 40, NAIVE_COUNTS});
	FgTree		trees[3];

	trees[0] = tree_of_text(&ctx, "a;b;c 1\na;d 1\nb 1");
	trees[1] = tree_of_text(&ctx, "a;b;c 1\na;c;x 1\na;d 1\nc 1");
	trees[2] = naive_tree(&ctx, &many);
	unit_sweep_memory("trees", add_up, &(Profiles) {trees, 3, AS_TREES});
	unit_sweep_memory("encoded profiles", add_up, &(Profiles) {trees, 3, ENCODED});
	for (size_t i = 0; i < COUNT(trees); i++)
		fg_tree_free(&ctx, &trees[i]);
	naive_free(&many);
}

/*
 * A profile that lacks nearly all of the sum takes as many steps as it has nodes, not as the sum
 * has.
 */
static void
test_work(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		first = naive_wide(&ctx, 1000, 500, false);
	FgTree		second = {0};
	Naive		last = naive_of_tree(&first);
	Naive		one = {0};

	naive_add(&one, last.entries[last.count - 1].path, last.entries[last.count - 1].length, 1);
	second = naive_tree(&ctx, &one);
	unit_case("polls while much is added");
	unit_sweep_interrupts("half a million nodes", add_up, &(Profiles) {&first, 1, AS_TREES}, 8);
	unit_sweep_interrupts("half a million nodes, encoded", add_up, &(Profiles) {&first, 1, ENCODED}, 8);
	for (Way way = AS_TREES; way <= ENCODED; way++)
	{
		FgTreeSum  *sum = fg_tree_sum_create(&ctx);
		size_t		polls;

		unit_case("a small profile costs what it has, %s", way_names[way]);
		CHECK(fg_tree_sum_add(sum, &first));
		CHECK_COUNT(fg_tree_sum_nodes(sum), first.nnodes);
		polls = memory.polls;
		for (int i = 0; i < 100; i++)
			CHECK(add(&ctx, sum, &second, way == ENCODED));
		CHECK(memory.polls - polls <= 100 * (way == ENCODED ? 40 : 2));
		fg_tree_sum_free(sum);
	}
	fg_tree_free(&ctx, &first);
	fg_tree_free(&ctx, &second);
	naive_free(&last);
	naive_free(&one);
	CHECK_COUNT(memory.blocks, 0);
}

/* A long path, and one that leaves it at each of its nodes. */
static void
test_branches(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		trees[2] = {naive_chain(&ctx, 3000, 1)};
	FgBuilder  *builder = fg_builder_create(&ctx);
	uint32_t	node = 0;

	unit_case("a branch at each node of a long path");
	for (uint32_t i = 0; i < 3000; i++)
	{
		uint32_t	frame;
		uint32_t	leaf;

		CHECK(fg_builder_frame(builder, "f00000", 6, &frame) &&
			  fg_builder_child(builder, node, frame, &node) &&
			  fg_builder_frame(builder, "other", 5, &frame) &&
			  fg_builder_child(builder, node, frame, &leaf) && fg_builder_add_value(builder, leaf, 1));
	}
	CHECK(fg_builder_finish(builder, &trees[1]));
	fg_builder_free(builder);
	for (Way way = 0; way < WAYS; way++)
	{
		FgTreeSum  *sum = fg_tree_sum_create(&ctx);
		FgTree		total;

		CHECK(add(&ctx, sum, &trees[0], is_encoded(way, 0)) && add(&ctx, sum, &trees[1], is_encoded(way, 1)) &&
			  add(&ctx, sum, &trees[0], is_encoded(way, 0)) && fg_tree_sum_finish(sum, &total));
		CHECK_COUNT(total.nnodes, 6000);
		CHECK(fg_tree_check(&ctx, &total));
		CHECK_DOUBLE(total.self[3000], 2);
		CHECK_DOUBLE(total.self[3001], 1);
		fg_tree_free(&ctx, &total);
		fg_tree_sum_free(sum);
	}
	fg_tree_free(&ctx, &trees[0]);
	fg_tree_free(&ctx, &trees[1]);
	CHECK_COUNT(memory.blocks, 0);
}

/* The longest path there is, and another that leaves it near its root. */
static void
test_deep(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		first = naive_chain(&ctx, FG_MAX_DEPTH, 2);
	FgTree		second = naive_chain(&ctx, FG_MAX_DEPTH, 3);

	unit_case("paths of the greatest depth");
	for (Way way = 0; way < WAYS; way++)
	{
		FgTreeSum  *sum = fg_tree_sum_create(&ctx);
		FgTree		total;

		CHECK(add(&ctx, sum, &first, is_encoded(way, 0)) && add(&ctx, sum, &second, is_encoded(way, 1)) &&
			  fg_tree_sum_finish(sum, &total));
		CHECK_COUNT(total.nnodes, 2 * FG_MAX_DEPTH - 2);
		CHECK(fg_tree_check(&ctx, &total));
		CHECK_DOUBLE(total.self[1] + total.self[2], 4);
		fg_tree_free(&ctx, &total);
		fg_tree_sum_free(sum);
	}
	fg_tree_free(&ctx, &first);
	fg_tree_free(&ctx, &second);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_small();
	test_random();
	test_many_siblings();
	test_order();
	test_fractions();
	test_overflow();
	test_damaged();
	test_memory();
	test_work();
	test_branches();
	test_deep();
	return unit_finish();
}
