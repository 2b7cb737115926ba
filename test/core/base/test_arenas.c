/*
 * test_arenas.c
 *	  Blocks at random from arenas: none overlaps another, what is free is found again, and the limit is kept.
 */
#include "unit.h"

#include "core/base/arenas.h"

/* Memory of arenas, which is counted. */
typedef struct Source
{
	size_t		taken;			/* arenas there are */
	size_t		takes;
	bool		empty;			/* has none */
} Source;

static void *
take_memory(void *arg, size_t size)
{
	Source	   *source = arg;

	if (source->empty)
		return NULL;
	source->taken++;
	source->takes++;
	return malloc(size);
}

static void
give_memory(void *arg, void *memory)
{
	Source	   *source = arg;

	source->taken--;
	free(memory);
}

static FgArenas
begin(Source *source, size_t limit)
{
	*source = (Source) {.taken = 0};
	return (FgArenas) {.take = take_memory, .give = give_memory, .arg = source, .limit = limit};
}

static void
end(FgArenas *arenas, const Source *source)
{
	fg_arenas_set_limit(arenas, 0);
	CHECK_COUNT(arenas->total, 0);
	CHECK(arenas->first == NULL);
	CHECK_COUNT(source->taken, 0);
}

typedef struct Lent
{
	uint8_t    *bytes;
	size_t		size;			/* that was asked for */
	uint8_t		mark;
} Lent;

#define MOST 60

/* Each kilobyte has the mark, so that a block that overlaps another is seen. */
static void
mark_block(Lent *lent, uint8_t mark)
{
	lent->mark = mark;
	for (size_t i = 0; i < lent->size; i += 1024)
		lent->bytes[i] = mark;
	lent->bytes[lent->size - 1] = mark;
}

static bool
is_marked(const Lent *lent)
{
	for (size_t i = 0; i < lent->size; i += 1024)
	{
		if (lent->bytes[i] != lent->mark)
			return false;
	}
	return lent->bytes[lent->size - 1] == lent->mark;
}

static void
return_one(FgArenas *arenas, Lent *lent, size_t *count, size_t at)
{
	CHECK(is_marked(&lent[at]));
	CHECK(fg_arenas_size(arenas, lent[at].bytes) >= lent[at].size);
	fg_arenas_return(arenas, lent[at].bytes);
	lent[at] = lent[--*count];
}

/* Blocks of all sizes, small ones more often. */
static size_t
some_size(UnitRandom *random)
{
	size_t		size = FG_ARENA_SMALLEST << unit_below(random, 10);

	return size + unit_below(random, (uint32_t) size);
}

static void
test_blocks(size_t limit)
{
	UnitRandom	random = {limit};
	Source		source;
	FgArenas	arenas = begin(&source, limit);
	Lent		lent[MOST];
	size_t		count = 0;
	size_t		refused = 0;

	unit_case("blocks at random, %zu MB", limit >> 20);
	for (unsigned round = 0; round < 4000; round++)
	{
		if (count == MOST || (count > 0 && unit_below(&random, 2) == 0))
		{
			return_one(&arenas, lent, &count, unit_below(&random, (uint32_t) count));
			continue;
		}
		lent[count].size = some_size(&random);
		lent[count].bytes = fg_arenas_lend(&arenas, lent[count].size);
		CHECK(arenas.total <= limit);
		if (lent[count].bytes == NULL)
			refused++;
		else
			mark_block(&lent[count++], (uint8_t) round);
	}
	CHECK(refused > 0 && refused < 2000);
	while (count > 0)
		return_one(&arenas, lent, &count, 0);
	end(&arenas, &source);
}

/* What is returned is one free place again, whatever it was cut into. */
static void
test_joining(void)
{
	Source		source;
	FgArenas	arenas = begin(&source, (size_t) 9 << 20);
	void	   *blocks[200];
	size_t		count = 0;

	unit_case("free blocks are one");
	while ((blocks[count] = fg_arenas_lend(&arenas, FG_ARENA_SMALLEST * (5 + count % 7))) != NULL)
		count++;
	CHECK(count > 50 && count < COUNT(blocks));
	CHECK_COUNT(source.takes, 2);
	/* every other one is too little for a large one */
	for (size_t i = 0; i < count; i += 2)
		fg_arenas_return(&arenas, blocks[i]);
	CHECK(fg_arenas_lend(&arenas, FG_ARENA_SMALLEST * 100) == NULL);
	for (size_t i = 1; i < count; i += 2)
		fg_arenas_return(&arenas, blocks[i]);
	blocks[0] = fg_arenas_lend(&arenas, FG_ARENA_SMALLEST * 400);
	CHECK(blocks[0] != NULL);
	CHECK_COUNT(source.takes, 2);
	fg_arenas_return(&arenas, blocks[0]);
	end(&arenas, &source);
}

static void
test_sizes(void)
{
	Source		source;
	FgArenas	arenas = begin(&source, (size_t) 20 << 20);
	void	   *first;
	void	   *second;

	unit_case("what is small or very large comes from elsewhere");
	CHECK(fg_arenas_lend(&arenas, FG_ARENA_SMALLEST - 1) == NULL);
	CHECK(fg_arenas_lend(&arenas, FG_ARENA_LARGEST + 1) == NULL);
	CHECK_COUNT(source.takes, 0);
	CHECK_COUNT(fg_arenas_size(&arenas, &arenas), 0);

	unit_case("a small block makes no arena, and is cut from one that there is");
	CHECK(fg_arenas_lend(&arenas, FG_ARENA_BEGIN - 1) == NULL);
	CHECK_COUNT(source.takes, 0);
	first = fg_arenas_lend(&arenas, FG_ARENA_BEGIN);
	second = fg_arenas_lend(&arenas, FG_ARENA_SMALLEST);
	CHECK(fg_arenas_size(&arenas, second) >= FG_ARENA_SMALLEST);
	fg_arenas_return(&arenas, first);
	fg_arenas_return(&arenas, second);
	end(&arenas, &source);
}

static void
test_limits(void)
{
	Source		source;
	FgArenas	arenas = begin(&source, (size_t) 20 << 20);
	void	   *first;
	void	   *second;

	unit_case("an arena that is free goes where another size is asked for");
	first = fg_arenas_lend(&arenas, (size_t) 12 << 20);
	CHECK(first != NULL);
	CHECK(fg_arenas_lend(&arenas, (size_t) 12 << 20) == NULL);
	fg_arenas_return(&arenas, first);
	CHECK_COUNT(source.taken, 1);
	second = fg_arenas_lend(&arenas, (size_t) 18 << 20);
	CHECK(second != NULL);
	CHECK_COUNT(source.taken, 1);
	CHECK_COUNT(source.takes, 2);
	fg_arenas_return(&arenas, second);
	CHECK(fg_arenas_lend(&arenas, (size_t) 30 << 20) == NULL);
	CHECK_COUNT(source.taken, 1);
	second = fg_arenas_lend(&arenas, (size_t) 18 << 20);
	CHECK_COUNT(source.takes, 2);

	unit_case("the limit becomes smaller while a block is lent");
	fg_arenas_set_limit(&arenas, 1000);
	CHECK(fg_arenas_size(&arenas, second) >= (size_t) 18 << 20);
	CHECK(fg_arenas_lend(&arenas, FG_ARENA_BEGIN) == NULL);
	fg_arenas_return(&arenas, second);
	CHECK_COUNT(source.taken, 0);

	unit_case("less than an arena is left");
	fg_arenas_set_limit(&arenas, FG_ARENA_BEGIN + 2 * FG_ARENA_SMALLEST);
	first = fg_arenas_lend(&arenas, FG_ARENA_BEGIN);
	CHECK(first != NULL && fg_arenas_lend(&arenas, FG_ARENA_BEGIN) == NULL);
	fg_arenas_return(&arenas, first);
	end(&arenas, &source);

	unit_case("a size that no memory has");
	arenas = begin(&source, (size_t) 20 << 20);
	first = fg_arenas_lend(&arenas, FG_ARENA_BEGIN);
	CHECK(fg_arenas_resize(&arenas, first, 1));
	CHECK(!fg_arenas_resize(&arenas, first, SIZE_MAX));
	fg_arenas_return(&arenas, first);
	end(&arenas, &source);

	unit_case("there is no memory");
	arenas = begin(&source, (size_t) 20 << 20);
	source.empty = true;
	CHECK(fg_arenas_lend(&arenas, FG_ARENA_BEGIN) == NULL);
	CHECK_COUNT(arenas.total, 0);
}

/* Arrays that grow from malloc's memory into arenas and out of them keep what they have. */
static void
test_context(void)
{
	FgArenas	arenas;
	FgContext	ctx = fg_arenas_context(&arenas, (size_t) 4 << 20);
	uint32_t   *array = NULL;
	uint32_t   *other = fg_alloc(&ctx, FG_ARENA_BEGIN, 1);
	size_t		room = 0;

	unit_case("arrays that grow");
	CHECK(fg_arenas_size(&arenas, other) > 0);
	for (uint32_t i = 0; i < 3000000; i++)
	{
		if (!CHECK(fg_reserve(&ctx, (void **) &array, &room, i + 1, sizeof(uint32_t))))
			return;
		array[i] = i;
	}
	for (uint32_t i = 0; i < 3000000; i++)
	{
		if (array[i] != i && !CHECK(array[i] == i))
			break;
	}
	other = fg_resize(&ctx, other, FG_ARENA_BEGIN, FG_ARENA_BEGIN * 3, 1);
	CHECK(fg_arenas_size(&arenas, other) >= FG_ARENA_BEGIN * 3);
	fg_release(&ctx, other);
	fg_release(&ctx, array);
	fg_arenas_set_limit(&arenas, 0);
	CHECK_COUNT(arenas.total, 0);
}

int
main(void)
{
	test_blocks((size_t) 8 << 20);
	test_blocks((size_t) 32 << 20);
	test_blocks((size_t) 100 << 20);
	test_joining();
	test_sizes();
	test_limits();
	test_context();
	return unit_finish();
}
