/*
 * test_accumulator.c
 *	  The sum of many profiles.
 */
#include "naive.h"

#include "core/profile/algebra.h"
#include "core/profile/codec.h"
#include "core/samples/accumulator.h"

static void
add_naive(FgContext *ctx, FgAccumulator *sum, const Naive *naive)
{
	FgTree		tree = naive_tree(ctx, naive);

	CHECK(fg_accumulator_add(sum, &tree));
	CHECK(tree.key == NULL && tree.self == NULL && tree.frames.offset == NULL);
}

static void
append(Naive *all, const Naive *more)
{
	for (size_t i = 0; i < more->count; i++)
		naive_add(all, more->entries[i].path, more->entries[i].length, more->entries[i].value);
}

static void
test_nothing(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgAccumulator sum;
	const FgTree *total;
	FgTree		tree;

	unit_case("the sum of nothing");
	fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
	total = fg_accumulator_total(&sum);
	CHECK(total != NULL && total->nnodes == 0 && fg_tree_check(&ctx, total));
	unit_case("it goes on");
	tree = tree_of_text(&ctx, "a;b 1");
	CHECK(fg_accumulator_add(&sum, &tree));
	total = fg_accumulator_total(&sum);
	CHECK(total != NULL && total->nnodes == 2 && fg_tree_check(&ctx, total));
	tree = tree_of_text(&ctx, "a;b -1\nc 1");
	CHECK(fg_accumulator_add(&sum, &tree));
	total = fg_accumulator_total(&sum);
	CHECK(total != NULL && total->nnodes == 1 && fg_tree_check(&ctx, total));
	fg_accumulator_free(&sum);
	unit_case("freed without asking for the total");
	fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
	for (int i = 0; i < 10; i++)
	{
		tree = tree_of_text(&ctx, "a;b 1\nc 2");
		CHECK(fg_accumulator_add(&sum, &tree));
	}
	fg_accumulator_free(&sum);
	fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
	fg_accumulator_free(&sum);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_random_sums(void)
{
	UnitRandom	random = {606};

	unit_case("sums of random profiles of all sizes, asked for now and then");
	for (int round = 0; round < 60; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		uint32_t	profiles = 1 + unit_below(&random, 60);
		FgAccumulator sum;
		const FgTree *total;
		Naive		all = {0};

		fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
		for (uint32_t p = 0; p < profiles; p++)
		{
			NaiveShape	shape = {1u << unit_below(&random, 9), 1 + unit_below(&random, 8),
			1 + unit_below(&random, 40), p % 2 ? NAIVE_SIGNED : NAIVE_COUNTS};
			Naive		one = naive_random(&random, shape);

			unit_note("[round %d, profile %u]", round, p);
			add_naive(&ctx, &sum, &one);
			append(&all, &one);
			naive_free(&one);
			if (unit_below(&random, 10) == 0)
			{
				naive_settle(&all);
				total = fg_accumulator_total(&sum);
				if (CHECK(total != NULL))
					naive_matches(&ctx, &all, total);
			}
		}
		naive_settle(&all);
		total = fg_accumulator_total(&sum);
		if (CHECK(total != NULL))
			naive_matches(&ctx, &all, total);
		fg_accumulator_free(&sum);
		naive_free(&all);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* By the encoded form, where small ones come often and in few shapes. */
static void
add_naive_encoded(FgContext *ctx, FgAccumulator *sum, const Naive *naive)
{
	FgTree		tree = naive_tree(ctx, naive);
	uint8_t    *bytes;
	size_t		size;

	CHECK(fg_codec_encode(ctx, &tree, 0, &bytes, &size));
	CHECK(fg_accumulator_add_encoded(sum, bytes, size));
	fg_release(ctx, bytes);
	fg_tree_free(ctx, &tree);
}

static void
test_encoded(void)
{
	UnitRandom	random = {777};

	unit_case("encoded profiles of all sizes, asked for now and then");
	for (int round = 0; round < 20; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgAccumulator sum;
		Naive		small = naive_random(&random, (NaiveShape) {5, 6, 30, NAIVE_COUNTS});
		Naive		all = {0};
		uint32_t	gathered = 0;
		const FgTree *total;

		fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
		for (uint32_t p = 0; p < 100; p++)
		{
			bool		is_small = unit_below(&random, 20) != 0;
			Naive		large = naive_random(&random, (NaiveShape) {1u << unit_below(&random, 10), 9, 40, NAIVE_SIGNED});
			const Naive *one = is_small ? &small : &large;

			unit_note("[round %d, profile %u]", round, p);
			small.entries[0].value = 1 + unit_below(&random, 1000);
			add_naive_encoded(&ctx, &sum, one);
			append(&all, one);
			naive_free(&large);
			gathered += sum.gathering != NULL;
			if (unit_below(&random, 40) != 0 && p < 99)
				continue;
			naive_settle(&all);
			total = fg_accumulator_total(&sum);
			if (CHECK(total != NULL))
				naive_matches(&ctx, &all, total);
		}
		CHECK(gathered > 5);
		fg_accumulator_free(&sum);
		naive_free(&all);
		naive_free(&small);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* Profiles of one program: parts of a large one, each with something of its own. */
static Naive
random_part(UnitRandom *random, const Naive *program, uint32_t share)
{
	Naive		part = naive_random(random, (NaiveShape) {20, 6, 40, NAIVE_SIGNED});

	for (size_t i = 0; i < program->count; i++)
	{
		if (unit_below(random, 100) < share)
			naive_add(&part, program->entries[i].path, program->entries[i].length,
					  (double) unit_below(random, 5) - 1);
	}
	naive_settle(&part);
	return part;
}

static void
test_sums_in_place(void)
{
	UnitRandom	random = {1618};

	unit_case("sums that are large enough to grow in place");
	for (int round = 0; round < 8; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Naive		program = naive_random(&random, (NaiveShape) {1500, 10, 20, NAIVE_COUNTS});
		uint32_t	in_place = 0;
		FgAccumulator sum;
		const FgTree *total;
		Naive		all = {0};

		fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
		for (uint32_t p = 0; p < 40; p++)
		{
			Naive		one = random_part(&random, &program, p % 5 == 0 ? 60 : p % 5 == 1 ? 1 : 25);

			unit_note("[round %d, profile %u]", round, p);
			add_naive(&ctx, &sum, &one);
			append(&all, &one);
			naive_free(&one);
			in_place += sum.sum != NULL;
			if (unit_below(&random, 20) != 0 && p < 39)
				continue;
			naive_settle(&all);
			total = fg_accumulator_total(&sum);
			if (CHECK(total != NULL))
				naive_matches(&ctx, &all, total);
		}
		CHECK(in_place > 20);
		fg_accumulator_free(&sum);
		naive_free(&all);
		naive_free(&program);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* A million nodes of tiny profiles would take minutes if each met the whole sum. */
static void
test_tiny(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgAccumulator sum;
	const FgTree *total;
	Naive		all = {0};

	unit_case("10000 tiny profiles");
	fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
	for (uint32_t p = 0; p < 10000; p++)
	{
		Naive		one = {0};

		for (uint32_t s = 0; s < 3; s++)
		{
			char		path[40];
			int			length = snprintf(path, sizeof(path), "main%cf%u%cg%u", 0,
										  (p * 7 + s) % 500, 0, p * 2654435761u >> 27);

			naive_add(&one, path, (size_t) length, p % 10 + 1);
		}
		append(&all, &one);
		add_naive(&ctx, &sum, &one);
		naive_free(&one);
		CHECK(sum.count <= 40);
	}
	naive_settle(&all);
	total = fg_accumulator_total(&sum);
	if (CHECK(total != NULL))
		naive_matches(&ctx, &all, total);
	fg_accumulator_free(&sum);
	naive_free(&all);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_order(void)
{
	UnitRandom	random = {13};
	Naive		profiles[30];
	FgTree		first = {0};
	FgContext	plain = fg_malloc_context();

	unit_case("whole counts: the same sum in any order");
	for (size_t p = 0; p < COUNT(profiles); p++)
		profiles[p] = naive_random(&random, (NaiveShape) {1u << p % 8, 6, 30, NAIVE_SIGNED});
	for (int round = 0; round < 20; round++)
	{
		FgAccumulator sum;
		const FgTree *total;

		unit_note("[round %d]", round);
		fg_accumulator_init(&plain, &sum, FG_ACCUMULATE_SUM);
		for (size_t p = 0; p < COUNT(profiles); p++)
		{
			size_t		q = p + unit_below(&random, (uint32_t) (COUNT(profiles) - p));
			Naive		swap = profiles[p];

			profiles[p] = profiles[q];
			profiles[q] = swap;
			add_naive(&plain, &sum, &profiles[p]);
		}
		total = fg_accumulator_total(&sum);
		if (round == 0)
			CHECK(fg_tree_copy(&plain, total, &first));
		CHECK(total->nnodes == first.nnodes && fg_frames_equal(&total->frames, &first.frames));
		for (uint32_t i = 0; i <= first.nnodes && i <= total->nnodes; i++)
			CHECK(total->key[i] == first.key[i] && total->self[i] == first.self[i]);
		fg_accumulator_free(&sum);
	}
	fg_tree_free(&plain, &first);
	for (size_t p = 0; p < COUNT(profiles); p++)
		naive_free(&profiles[p]);
}

static void
test_overflow(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgAccumulator sum;
	FgTree		tree;
	bool		ok;

	unit_case("a sum that overflows");
	fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_SUM);
	tree = tree_of_text(&ctx, "a 1.5e308");
	CHECK(fg_accumulator_add(&sum, &tree));
	tree = tree_of_text(&ctx, "a 1.5e308\nb 1");
	ok = fg_accumulator_add(&sum, &tree) && fg_accumulator_total(&sum) != NULL;
	CHECK_ERROR(ok, &ctx, FG_ERROR_RANGE);
	CHECK(tree.key == NULL);
	fg_accumulator_free(&sum);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- memory and interrupts ------------------------------------------------------------- */

typedef struct Profiles
{
	const FgTree *trees;
	size_t		count;
} Profiles;

static bool
sum_up(FgContext *ctx, void *arg)
{
	const Profiles *profiles = arg;
	FgAccumulator sum;
	bool		ok = true;

	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_SUM);
	for (size_t p = 0; ok && p < profiles->count; p++)
	{
		FgTree		copy;

		ok = fg_tree_copy(ctx, &profiles->trees[p], &copy);
		if (ok)
		{
			ok = fg_accumulator_add(&sum, &copy);
			CHECK(copy.key == NULL);
		}
	}
	ok = ok && fg_accumulator_total(&sum) != NULL;
	fg_accumulator_free(&sum);
	return ok;
}

static void
test_memory(void)
{
	UnitRandom	random = {14};
	FgContext	ctx = fg_malloc_context();
	FgTree		trees[6];
	Profiles	profiles = {trees, COUNT(trees)};

	for (size_t p = 0; p < COUNT(trees); p++)
	{
		Naive		naive = naive_random(&random, (NaiveShape) {64u >> p, 6, 30, NAIVE_SIGNED});

		trees[p] = naive_tree(&ctx, &naive);
		naive_free(&naive);
	}
	unit_sweep_memory("sum of six profiles", sum_up, &profiles);
	for (size_t p = 0; p < COUNT(trees); p++)
	{
		Naive		naive = naive_random(&random, (NaiveShape) {300, 8, 30, NAIVE_COUNTS});

		fg_tree_free(&ctx, &trees[p]);
		trees[p] = naive_tree(&ctx, &naive);
		CHECK(trees[p].nnodes > 600);
		naive_free(&naive);
	}
	unit_sweep_memory("sum of six profiles that grows in place", sum_up, &profiles);
	for (size_t p = 0; p < COUNT(trees); p++)
		fg_tree_free(&ctx, &trees[p]);
	profiles.count = 0;
	unit_sweep_memory("sum of nothing", sum_up, &profiles);
	profiles.count = 2;
	for (size_t p = 0; p < 2; p++)
	{
		Naive		naive = {0};

		for (uint32_t i = 0; i < 150000; i++)
		{
			char		path[32];
			int			length = snprintf(path, sizeof(path), "%zu%03u%c%03u", p, i / 400, 0, i % 400);

			naive_add(&naive, path, (size_t) length, 1);
		}
		trees[p] = naive_tree(&ctx, &naive);
		naive_free(&naive);
	}
	unit_sweep_interrupts("sum of two large profiles", sum_up, &profiles, 2);
	fg_tree_free(&ctx, &trees[0]);
	fg_tree_free(&ctx, &trees[1]);
}

int
main(void)
{
	test_nothing();
	test_random_sums();
	test_encoded();
	test_sums_in_place();
	test_tiny();
	test_order();
	test_overflow();
	test_memory();
	return unit_finish();
}
