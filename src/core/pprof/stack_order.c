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

/* Entries that are equal up to a depth. */
typedef struct Range
{
	uint32_t	begin;
	uint32_t	end;
	size_t		depth;
} Range;

typedef struct Sorting
{
	FgStackLists *lists;
	FgStackEntry *spare;
	Range	   *ranges;			/* that are still to be sorted */
	size_t		range_count;
	size_t		range_room;
} Sorting;

/* --- lists ------------------------------------------------------------------------------ */

static inline unsigned
frame_bits(const FgStackLists *lists)
{
	return lists->wide ? 32 : 16;
}

static inline unsigned
key_frames(const FgStackLists *lists)
{
	return lists->wide ? 2 : 4;
}

static inline const uint8_t *
place_of(const FgStackLists *lists, size_t at)
{
	return (const uint8_t *) lists->numbers + at * (lists->wide ? sizeof(uint32_t) : sizeof(uint16_t));
}

bool
fg_stack_lists_begin(FgContext *ctx, FgStackLists *lists, uint32_t stacks, size_t frames, uint32_t largest)
{
	bool		wide = largest >= UINT16_MAX;

	/* a zero behind each stack, and a key behind all */
	*lists = (FgStackLists) {
		.ctx = ctx, .wide = wide,
		.numbers = fg_alloc(ctx, frames + stacks + sizeof(uint64_t), wide ? sizeof(uint32_t) : sizeof(uint16_t)),
		.entries = fg_alloc(ctx, stacks, sizeof(FgStackEntry))
	};
	if (lists->numbers != NULL && lists->entries != NULL)
		return true;
	fg_stack_lists_free(lists);
	return false;
}

void
fg_stack_lists_free(FgStackLists *lists)
{
	if (lists->ctx == NULL)
		return;
	fg_release(lists->ctx, lists->numbers);
	fg_release(lists->ctx, lists->entries);
	*lists = (FgStackLists) {.ctx = NULL};
}

bool
fg_stack_lists_add(FgStackLists *lists, const uint32_t *stack, size_t depth, uint32_t label)
{
	lists->entries[lists->count++] = (FgStackEntry) {
		.begin = (uint32_t) lists->size, .label = label
	};
	if (lists->wide)
	{
		uint32_t   *to = (uint32_t *) lists->numbers + lists->size;

		for (size_t i = depth; i-- > 0;)
			*to++ = stack[i] + 1;
		*to = 0;
	}
	else
	{
		uint16_t   *to = (uint16_t *) lists->numbers + lists->size;

		for (size_t i = depth; i-- > 0;)
			*to++ = (uint16_t) (stack[i] + 1);
		*to = 0;
	}
	lists->size += depth + 1;
	return fg_steps(lists->ctx, depth);
}

static inline void
put_number(const FgStackLists *lists, size_t at, uint32_t rank)
{
	uint8_t    *to = (uint8_t *) lists->numbers + at * (lists->wide ? 4 : 2);

	if (lists->wide)
	{
		*to++ = (uint8_t) (rank >> 24);
		*to++ = (uint8_t) (rank >> 16);
	}
	to[0] = (uint8_t) (rank >> 8);
	to[1] = (uint8_t) rank;
}

/* Ranks in place of numbers. */
static bool
put_ranks(FgStackLists *lists, const uint32_t *rank)
{
	size_t		end;

	for (size_t start = 0; start < lists->size; start = end)
	{
		if (!fg_next_block(lists->ctx, start, lists->size, &end))
			return false;
		if (lists->wide)
		{
			for (size_t i = start; i < end; i++)
				put_number(lists, i, rank[((uint32_t *) lists->numbers)[i]]);
		}
		else
		{
			for (size_t i = start; i < end; i++)
				put_number(lists, i, rank[((uint16_t *) lists->numbers)[i]]);
		}
	}
	/* a key is read whole */
	for (size_t i = 0; i < sizeof(uint64_t); i++)
		put_number(lists, lists->size + i, 0);
	return true;
}

/* --- keys ------------------------------------------------------------------------------- */

/* The frames from here on, and zeros behind the end of the stack. */
static inline uint64_t
key_of(const FgStackLists *lists, size_t at)
{
	uint64_t	low = lists->wide ? UINT64_C(0x7FFFFFFF7FFFFFFF) : UINT64_C(0x7FFF7FFF7FFF7FFF);
	uint64_t	key;
	uint64_t	ends;			/* the highest bit of each number that is 0 */
	unsigned	before;

	memcpy(&key, place_of(lists, at), sizeof(key));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	key = __builtin_bswap64(key);
#endif
	ends = ~(((key & low) + low) | key | low);
	if (ends == 0)
		return key;
	before = (unsigned) __builtin_clzll(ends);
	return before == 0 ? 0 : key >> (64 - before) << (64 - before);
}

/* How many frames two stacks share. */
static size_t
shared_frames(const FgStackLists *lists, size_t one, size_t other)
{
	unsigned	bits = frame_bits(lists);
	unsigned	frames = key_frames(lists);

	for (size_t depth = 0;; depth += frames)
	{
		uint64_t	key = key_of(lists, one + depth);
		uint64_t	differ = key ^ key_of(lists, other + depth);

		if (differ != 0)
			return depth + (unsigned) __builtin_clzll(differ) / bits;
		if (key == 0)
			return depth;
		if (key << (64 - bits) == 0)
			return depth + frames - (unsigned) __builtin_ctzll(key) / bits;
	}
}

/* What the stacks share with those before them. */
static bool
measure(FgStackLists *lists)
{
	lists->nodes = 0;
	for (uint32_t i = 0; i < lists->count; i++)
	{
		FgStackEntry *entry = &lists->entries[i];
		size_t		same = i > 0 ? shared_frames(lists, entry[-1].begin, entry->begin) : 0;
		size_t		depth = same;

		fg_stack_lists_ahead(lists, i);
		while (fg_stack_rank(lists, entry->begin + depth) != 0)
		{
			if (!fg_check_every(lists->ctx, ++depth))
				return false;
		}
		entry->sorted.depth = (uint32_t) depth;
		entry->sorted.same = (uint32_t) same;
		lists->nodes += depth - same;
		if (!fg_steps(lists->ctx, depth))
			return false;
	}
	return true;
}

/* --- the order -------------------------------------------------------------------------- */

static void
sort_few(FgStackEntry *entries, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
	{
		FgStackEntry entry = entries[i];
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
	FgStackEntry *from = s->lists->entries + begin;
	FgStackEntry *to = s->spare;
	uint64_t	differ = 0;

	for (uint32_t i = 1; i < count; i++)
		differ |= from[i].key ^ from[0].key;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS)
	{
		uint32_t	first[DIGITS] = {0};
		uint32_t	total = 0;
		FgStackEntry *swap = from;

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
	if (from != s->lists->entries + begin)
		memcpy(s->lists->entries + begin, from, count * sizeof(FgStackEntry));
	return true;
}

/* Equal ones, unless their stacks have ended. */
static bool
push_equal(Sorting *s, Range range)
{
	uint32_t	begin = range.begin;

	for (uint32_t i = range.begin + 1; i <= range.end; i++)
	{
		uint64_t	key = s->lists->entries[begin].key;

		if (!fg_check_every(s->lists->ctx, i))
			return false;
		if (i < range.end && s->lists->entries[i].key == key)
			continue;
		if (i - begin > 1 && (key << (64 - frame_bits(s->lists))) != 0)
		{
			if (!fg_reserve(s->lists->ctx, (void **) &s->ranges, &s->range_room, s->range_count + 1, sizeof(Range)))
				return false;
			s->ranges[s->range_count++] = (Range) {begin, i, range.depth + key_frames(s->lists)};
		}
		begin = i;
	}
	return true;
}

static bool
sort_range(Sorting *s, Range range)
{
	FgStackEntry *entries = s->lists->entries;
	uint32_t	count = range.end - range.begin;

	for (uint32_t i = range.begin; i < range.end; i++)
	{
		if (!fg_work(s->lists->ctx, sizeof(uint64_t)))
			return false;
		fg_stack_lists_ahead(s->lists, i);
		entries[i].key = key_of(s->lists, entries[i].begin + range.depth);
	}
	if (count < FEW)
		sort_few(entries + range.begin, count);
	else if (!sort_many(s, range.begin, count))
		return false;
	return push_equal(s, range);
}

bool
fg_stack_lists_order(FgStackLists *lists, const uint32_t *rank)
{
	Sorting		s = {.lists = lists, .spare = fg_alloc(lists->ctx, lists->count, sizeof(FgStackEntry))};
	bool		ok = s.spare != NULL && put_ranks(lists, rank) && sort_range(&s, (Range) {0, lists->count, 0});

	while (ok && s.range_count > 0)
		ok = sort_range(&s, s.ranges[--s.range_count]);
	fg_release(lists->ctx, s.ranges);
	fg_release(lists->ctx, s.spare);
	return ok && measure(lists);
}
