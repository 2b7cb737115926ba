/*
 * stack_order.c
 *	  Stacks of numbers in the order of a tree (see stack_order.h).
 */
#include "core/pprof/stack_order.h"

#include <string.h>

/* A range below it is sorted by insertion. */
#define FEW 24

#define DIGIT_BITS 8
#define DIGITS (1 << DIGIT_BITS)

typedef struct Entry
{
	uint64_t	key;			/* of some frames; 0 behind the last one */
	uint32_t	stack;
} Entry;

/* Entries that are equal up to a depth. */
typedef struct Range
{
	uint32_t	begin;
	uint32_t	end;
	size_t		depth;
} Range;

typedef struct Sorting
{
	const FgStackLists *lists;
	const uint32_t *rank;
	unsigned	frames;			/* of a key */
	unsigned	bits;			/* of each */
	Entry	   *entries;
	Entry	   *spare;
	Range	   *ranges;			/* that are still to be sorted */
	size_t		range_count;
	size_t		range_room;
} Sorting;

void
fg_stack_lists_free(FgStackLists *lists)
{
	fg_release(lists->ctx, lists->numbers);
	fg_release(lists->ctx, lists->ends);
	*lists = (FgStackLists) {.ctx = lists->ctx};
}

/* The frames of a stack from this depth on. */
static uint64_t
key_of(const Sorting *s, uint32_t stack, size_t depth)
{
	size_t		begin = stack > 0 ? s->lists->ends[stack - 1] : 0;
	size_t		end = s->lists->ends[stack];
	uint64_t	key = 0;

	for (unsigned i = 0; i < s->frames; i++)
	{
		size_t		at = begin + depth + i;

		key = key << s->bits | (at < end ? s->rank[s->lists->numbers[at]] + 1 : 0);
	}
	return key;
}

static void
sort_few(Entry *entries, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
	{
		Entry		entry = entries[i];
		uint32_t	at = i;

		for (; at > 0 && entries[at - 1].key > entry.key; at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

/* By digits, the lowest first; those that all have in common are left out. */
static bool
sort_many(const Sorting *s, uint32_t begin, uint32_t count)
{
	Entry	   *from = s->entries + begin;
	Entry	   *to = s->spare;
	uint64_t	differ = 0;

	for (uint32_t i = 1; i < count; i++)
		differ |= from[i].key ^ from[0].key;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS)
	{
		uint32_t	first[DIGITS] = {0};
		uint32_t	total = 0;
		Entry	   *swap = from;

		if ((differ >> shift & (DIGITS - 1)) == 0)
			continue;
		for (uint32_t i = 0; i < count; i++)
		{
			if (!fg_check_every(s->lists->ctx, i))
				return false;
			first[from[i].key >> shift & (DIGITS - 1)]++;
		}
		for (unsigned d = 0; d < DIGITS; d++)
		{
			uint32_t	here = first[d];

			first[d] = total;
			total += here;
		}
		for (uint32_t i = 0; i < count; i++)
		{
			if (!fg_check_every(s->lists->ctx, i))
				return false;
			to[first[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
		}
		from = to;
		to = swap;
	}
	if (from != s->entries + begin)
		memcpy(s->entries + begin, from, count * sizeof(Entry));
	return true;
}

/* Equal ones, unless their stacks have ended. */
static bool
push_equal(Sorting *s, Range range)
{
	uint32_t	begin = range.begin;

	for (uint32_t i = range.begin + 1; i <= range.end; i++)
	{
		uint64_t	key = s->entries[begin].key;

		if (!fg_check_every(s->lists->ctx, i))
			return false;
		if (i < range.end && s->entries[i].key == key)
			continue;
		if (i - begin > 1 && (key & ((UINT64_C(1) << s->bits) - 1)) != 0)
		{
			if (!fg_reserve(s->lists->ctx, (void **) &s->ranges, &s->range_room, s->range_count + 1, sizeof(Range)))
				return false;
			s->ranges[s->range_count++] = (Range) {begin, i, range.depth + s->frames};
		}
		begin = i;
	}
	return true;
}

static bool
sort_range(Sorting *s, Range range)
{
	uint32_t	count = range.end - range.begin;

	for (uint32_t i = range.begin; i < range.end; i++)
	{
		if (!fg_work(s->lists->ctx, s->frames * sizeof(uint32_t)))
			return false;
		s->entries[i].key = key_of(s, s->entries[i].stack, range.depth);
	}
	if (count < FEW)
		sort_few(s->entries + range.begin, count);
	else if (!sort_many(s, range.begin, count))
		return false;
	return push_equal(s, range);
}

bool
fg_stack_lists_order(const FgStackLists *lists, const uint32_t *rank, uint32_t ranks, uint32_t *order)
{
	FgContext  *ctx = lists->ctx;
	Sorting		s = {
		.lists = lists, .rank = rank,
		.frames = ranks < UINT16_MAX ? 4 : 2, .bits = ranks < UINT16_MAX ? 16 : 32,
		.entries = fg_alloc(ctx, (size_t) lists->count + 1, sizeof(Entry)),
		.spare = fg_alloc(ctx, (size_t) lists->count + 1, sizeof(Entry))
	};
	bool		ok = s.entries != NULL && s.spare != NULL;

	for (uint32_t i = 0; ok && i < lists->count; i++)
		s.entries[i].stack = i;
	ok = ok && sort_range(&s, (Range) {0, lists->count, 0});
	while (ok && s.range_count > 0)
		ok = sort_range(&s, s.ranges[--s.range_count]);
	for (uint32_t i = 0; ok && i < lists->count; i++)
		order[i] = s.entries[i].stack;
	fg_release(ctx, s.entries);
	fg_release(ctx, s.spare);
	fg_release(ctx, s.ranges);
	return ok;
}
