/*
 * test_gathering.c
 *	  The sum of many small profiles, by their trees and by their encoded form.
 */
#include "naive.h"

#include "core/profile/codec.h"
#include "core/samples/gathering.h"

#define ROOM ((size_t) 1 << 20)

typedef struct Encoded
{
	uint8_t    *bytes;
	size_t		size;
} Encoded;

static Encoded
encode(FgContext *ctx, const Naive *naive)
{
	FgTree		tree = naive_tree(ctx, naive);
	Encoded		encoded;

	CHECK(fg_codec_encode(ctx, &tree, 0, &encoded.bytes, &encoded.size));
	fg_tree_free(ctx, &tree);
	return encoded;
}

/* As an accumulator does it. */
static bool
add(FgContext *ctx, FgGathering *gathering, Encoded one, bool *known)
{
	FgTree		tree;
	bool		ok;

	if (!fg_gathering_add_known(gathering, one.bytes, one.size, known))
		return false;
	if (*known)
		return true;
	if (!fg_codec_decode(ctx, one.bytes, one.size, &tree))
		return false;
	ok = fg_gathering_add(gathering, &tree, one.bytes, one.size);
	fg_tree_free(ctx, &tree);
	return ok;
}

static void
append(Naive *all, const Naive *more)
{
	for (size_t i = 0; i < more->count; i++)
		naive_add(all, more->entries[i].path, more->entries[i].length, more->entries[i].value);
}

static void
revalue(UnitRandom *random, Naive *naive)
{
	for (size_t i = 0; i < naive->count; i++)
	{
		double		value = (double) (1 + unit_below(random, 100000)) / (1 + unit_below(random, 2) * 4);

		naive->entries[i].value = unit_below(random, 4) == 0 ? -value : value;
	}
}

static void
check_sum(FgContext *ctx, FgGathering *gathering, Naive *all)
{
	FgTree		tree;

	naive_settle(all);
	if (CHECK(fg_gathering_finish(gathering, &tree)))
	{
		naive_matches(ctx, all, &tree);
		fg_tree_free(ctx, &tree);
	}
	fg_gathering_free(gathering);
}

static void
test_random(size_t room, const char *name, uint32_t least, uint32_t most)
{
	UnitRandom	random = {4711};

	unit_case("profiles of few shapes and many values, %s", name);
	for (int round = 0; round < 20; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgGathering *gathering = fg_gathering_create(&ctx, room);
		Naive		shapes[10];
		Naive		all = {0};
		uint32_t	times_known = 0;

		for (size_t s = 0; s < COUNT(shapes); s++)
			shapes[s] = naive_random(&random, (NaiveShape) {unit_below(&random, 12), 1 + unit_below(&random, 8), 30, NAIVE_SIGNED});
		for (int p = 0; p < 100; p++)
		{
			Naive	   *shape = &shapes[unit_below(&random, COUNT(shapes))];
			Encoded		one;
			bool		known;

			unit_note("[round %d, profile %d]", round, p);
			revalue(&random, shape);
			one = encode(&ctx, shape);
			CHECK(add(&ctx, gathering, one, &known));
			times_known += known;
			append(&all, shape);
			fg_release(&ctx, one.bytes);
		}
		CHECK(times_known >= least && times_known <= most);
		check_sum(&ctx, gathering, &all);
		for (size_t s = 0; s < COUNT(shapes); s++)
			naive_free(&shapes[s]);
		naive_free(&all);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_forgetting(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgGathering *gathering = fg_gathering_create(&ctx, 2000);
	Naive		all = {0};
	bool		known;

	unit_case("shapes that do not come again are forgotten, and no more are remembered");
	for (int p = 0; p < 200; p++)
	{
		char		path[20];
		int			length = snprintf(path, sizeof(path), "main%cf%d", 0, p / 100 == 0 ? p : 150);
		Naive		one = {0};
		Encoded		encoded;

		unit_note("[profile %d]", p);
		naive_add(&one, path, (size_t) length, p + 1);
		encoded = encode(&ctx, &one);
		CHECK(add(&ctx, gathering, encoded, &known) && !known);
		append(&all, &one);
		naive_free(&one);
		fg_release(&ctx, encoded.bytes);
	}
	check_sum(&ctx, gathering, &all);
	naive_free(&all);
	CHECK_COUNT(memory.blocks, 0);
}

/* The bytes of a shape that is known, with something else behind or before it. */
static void
test_damage(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgGathering *gathering = fg_gathering_create(&ctx, ROOM);
	Naive		naive = naive_of_text("a 3\na;b 1\na;b;c 2\nd 5");
	Encoded		one = encode(&ctx, &naive);
	uint8_t		byte;
	bool		known;

	unit_case("a known shape");
	CHECK(add(&ctx, gathering, one, &known) && !known);
	CHECK(add(&ctx, gathering, one, &known) && known);
	unit_case("with a value less");
	CHECK_ERROR(add(&ctx, gathering, (Encoded) {one.bytes, one.size - 1}, &known), &ctx, FG_ERROR_CORRUPT);
	unit_case("with a value of 0");
	byte = one.bytes[one.size - 1];
	one.bytes[one.size - 1] = 0;
	CHECK_ERROR(add(&ctx, gathering, one, &known), &ctx, FG_ERROR_CORRUPT);
	one.bytes[one.size - 1] = byte;
	for (size_t at = 0; at < FG_HEADER_SIZE; at++)
	{
		bool		sums = at == 1 || (at >= 24 && at < FG_SIZES_AT);

		unit_case("with another byte %zu of the header", at);
		one.bytes[at] ^= 1;
		CHECK(!add(&ctx, gathering, one, &known) || sums);
		one.bytes[at] ^= 1;
	}
	fg_gathering_free(gathering);
	fg_release(&ctx, one.bytes);
	naive_free(&naive);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_overflow(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgGathering *gathering = fg_gathering_create(&ctx, ROOM);
	Naive		naive = naive_of_text("a 1.5e308");
	Encoded		one = encode(&ctx, &naive);
	bool		known;

	unit_case("a sum that overflows");
	CHECK(add(&ctx, gathering, one, &known));
	CHECK_ERROR(add(&ctx, gathering, one, &known), &ctx, FG_ERROR_RANGE);
	fg_gathering_free(gathering);
	fg_release(&ctx, one.bytes);
	naive_free(&naive);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- memory and interrupts ------------------------------------------------------------------- */

typedef struct Profiles
{
	const Encoded *profiles;
	size_t		count;
	int			times;
} Profiles;

static bool
sum_up(FgContext *ctx, void *arg)
{
	const Profiles *all = arg;
	FgGathering *gathering = fg_gathering_create(ctx, ROOM);
	bool		ok = gathering != NULL;
	bool		known;
	FgTree		tree;

	for (size_t i = 0; ok && i < all->count * (size_t) all->times; i++)
		ok = add(ctx, gathering, all->profiles[i % all->count], &known);
	ok = ok && fg_gathering_finish(gathering, &tree);
	if (ok)
		fg_tree_free(ctx, &tree);
	fg_gathering_free(gathering);
	return ok;
}

static void
test_memory(void)
{
	UnitRandom	random = {99};
	FgContext	ctx = fg_malloc_context();
	Encoded		encoded[4];
	Profiles	all = {encoded, COUNT(encoded), 2};

	for (size_t p = 0; p < COUNT(encoded); p++)
	{
		Naive		naive = naive_random(&random, (NaiveShape) {20, 6, 30, NAIVE_SIGNED});

		encoded[p] = encode(&ctx, &naive);
		naive_free(&naive);
	}
	unit_sweep_memory("sum of eight small profiles", sum_up, &all);
	all.times = 8000;
	unit_sweep_interrupts("sum of many profiles of four shapes", sum_up, &all, 2);
	for (size_t p = 0; p < COUNT(encoded); p++)
		fg_release(&ctx, encoded[p].bytes);
}

int
main(void)
{
	test_random(ROOM, "all remembered", 80, 100);
	test_random(0, "none remembered", 0, 0);
	test_random(3000, "some remembered", 1, 99);
	test_forgetting();
	test_damage();
	test_overflow();
	test_memory();
	return unit_finish();
}
