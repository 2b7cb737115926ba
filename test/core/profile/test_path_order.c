/*
 * test_path_order.c
 *	  Stacks of a text in the order of the tree, with what neighbours share.
 */
#include "unit.h"

#include "core/profile/path_order.h"

/* Byte by byte, from the rule alone: the end, then the separator, then bytes. */
static int
compare_stacks(const FgTextPath *a, const FgTextPath *b, uint32_t *same)
{
	uint32_t	i = 0;
	int			one;
	int			other;

	while (i < a->length && i < b->length && a->path[i] == b->path[i])
		i++;
	*same = i;
	one = i == a->length ? -2 : a->path[i] == ';' ? -1 : (uint8_t) a->path[i];
	other = i == b->length ? -2 : b->path[i] == ';' ? -1 : (uint8_t) b->path[i];
	return one - other;
}

/* Each place follows the one before, shares with it what it says, and has its word; equal stacks as they came. */
static void
check_order(const FgPathOrder *order, uint32_t count)
{
	char	   *seen = calloc(count + 1, 1);

	CHECK_COUNT(order->count, count);
	for (uint32_t i = 0; i < count; i++)
	{
		const FgPathPlace *place = &order->places[i];
		const FgTextPath *stack = &order->stacks[place->stack];
		char		word[8] = {0};
		uint32_t	start;
		uint32_t	same = 0;

		CHECK(place->stack < count && seen[place->stack]++ == 0);
		CHECK_DOUBLE(stack->value, place->stack);
		if (i > 0)
		{
			const FgPathPlace *before = place - 1;
			int			way = compare_stacks(&order->stacks[before->stack], stack, &same);

			CHECK(way < 0 || (way == 0 && before->stack < place->stack));
		}
		CHECK_COUNT(place->same, same);
		start = same / 8 * 8;
		memcpy(word, stack->path + start, stack->length - start < 8 ? stack->length - start : 8);
		CHECK(memcmp(word, &place->word, 8) == 0);
	}
	free(seen);
}

/* Each path lies in memory of just its size. */
static void
check_stacks(const char *const *paths, const uint32_t *lengths, uint32_t count)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPathOrder order;
	char	  **copies = calloc(count + 1, sizeof(char *));

	fg_path_order_begin(&ctx, &order, ';');
	for (uint32_t i = 0; i < count; i++)
	{
		copies[i] = malloc(lengths[i] + (lengths[i] == 0));
		memcpy(copies[i], paths[i], lengths[i]);
		CHECK(fg_path_order_add(&order, copies[i], lengths[i], i));
	}
	CHECK(fg_path_order_finish(&order));
	check_order(&order, count);
	fg_path_order_free(&order);
	for (uint32_t i = 0; i < count; i++)
		free(copies[i]);
	free(copies);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_known_orders(void)
{
	static const struct
	{
		const char *what;
		const char *paths[10];
	}			rows[] = {
		{"nothing", {NULL}},
		{"one", {"a"}},
		{"in order", {"", "a", "a;b", "a;b;c", "a!", "b"}},
		{"backwards", {"b", "a!", "a;b;c", "a;b", "a", ""}},
		{"equal ones", {"a;b", "a", "a;b", "a", "", "a;b", ""}},
		{"ends at multiples of eight",
		{"12345678", "1234567812345678", "1234567", "123456781234567", "12345678;", "12345678a"}},
		{"differences around multiples of eight",
		{"1234567b", "1234567a", "12345678b", "12345678a", "1234567;", "12345678;"}},
		{"bytes below and above the separator", {"a<", "a:", "a;", "a\x01", "a\xFF", "a", "a!"}},
		{"frames that are prefixes", {"ab;c", "a;x", "abc", "a b", "a", "ab"}},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		uint32_t	lengths[10];
		uint32_t	count = 0;

		for (; count < 10 && rows[i].paths[count] != NULL; count++)
			lengths[count] = (uint32_t) strlen(rows[i].paths[count]);
		unit_case("stacks in order: %s", rows[i].what);
		check_stacks(rows[i].paths, lengths, count);
	}
}

static const char alphabet[] = "ab;:<\x01\xC3";

/* Mostly a copy of one that came before, up to some byte; now and then all of it. */
static char *
random_path(UnitRandom *random, char *const *paths, const uint32_t *lengths, uint32_t count, uint32_t *length)
{
	char	   *path = malloc(128);
	uint32_t	keep = 0;

	if (count > 0 && unit_below(random, 5) > 0)
	{
		uint32_t	from = unit_below(random, count);

		keep = unit_below(random, 4) == 0 ? lengths[from] : unit_below(random, lengths[from] + 1);
		memcpy(path, paths[from], keep);
		*length = keep;
		if (unit_below(random, 6) == 0)
			return path;
	}
	*length = keep + unit_below(random, keep < 64 ? 40 : 128 - keep);
	for (uint32_t i = keep; i < *length; i++)
		path[i] = unit_below(random, 50) == 0 ? '\0' : alphabet[unit_below(random, sizeof(alphabet) - 1)];
	return path;
}

static void
test_random_orders(void)
{
	UnitRandom	random = {77};
	char	   *paths[300];
	uint32_t	lengths[300];

	unit_case("random stacks that share much");
	for (int round = 0; round < 300; round++)
	{
		uint32_t	count = unit_below(&random, round % 4 == 0 ? 300 : 20);

		unit_note("[round %d]", round);
		for (uint32_t i = 0; i < count; i++)
			paths[i] = random_path(&random, paths, lengths, i, &lengths[i]);
		check_stacks((const char *const *) paths, lengths, count);
		for (uint32_t i = 0; i < count; i++)
			free(paths[i]);
	}
}

/* Runs of any length are merged, and there is room for all that are open. */
static void
test_many_runs(void)
{
	FgContext	ctx = fg_malloc_context();
	FgPathOrder order;
	static char text[70000][8];
	bool		ok = true;

	unit_case("runs that get shorter and longer");
	fg_path_order_begin(&ctx, &order, ';');
	for (uint32_t i = 0; i < 70000; i++)
	{
		/* as long as the run's number has low zeros */
		uint32_t	at = i % 1024 < 512 ? (i * UINT32_C(2654435761)) >> 8 : i;

		snprintf(text[i], sizeof(text[i]), "%07u", at % 10000000);
		ok = ok && fg_path_order_add(&order, text[i], 7, i) && order.nruns <= FG_PATH_RUNS;
		for (uint32_t r = 0; ok && r + 2 < order.nruns; r++)
			ok = order.run[r + 1] - order.run[r] > 2 * (order.run[r + 2] - order.run[r + 1]);
	}
	CHECK(ok);
	CHECK(fg_path_order_finish(&order));
	check_order(&order, 70000);
	fg_path_order_free(&order);
}

static bool
sort_many(FgContext *ctx, void *arg)
{
	static char text[3000][40];
	FgPathOrder order;
	bool		ok = true;

	fg_path_order_begin(ctx, &order, ';');
	for (uint32_t i = 0; ok && i < *(uint32_t *) arg; i++)
	{
		uint32_t	length = (uint32_t) snprintf(text[i % 3000], 40, "main;of;all;%u", (i % 3000) * 7919 % 3000);

		ok = fg_path_order_add(&order, text[i % 3000], length, i);
	}
	ok = ok && fg_path_order_finish(&order);
	fg_path_order_free(&order);
	return ok;
}

int
main(void)
{
	uint32_t	few = 100;
	uint32_t	many = 100000;

	test_known_orders();
	test_random_orders();
	test_many_runs();
	unit_sweep_memory("an order of stacks", sort_many, &few);
	unit_sweep_interrupts("an order of stacks", sort_many, &many, 10);
	return unit_finish();
}
