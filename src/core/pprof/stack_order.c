/*
 * stack_order.c
 *	  Stacks of numbers in the order of a tree (see stack_order.h).
 */
#include "core/pprof/stack_order.h"

#include "core/base/ahead.h"

#include <string.h>

/* A range below it is sorted by insertion. */
#define FEW 24

/* A digit has fewer bits where there are few entries: each value of it is visited, whether any entry has it or not. */
#define DIGIT_BITS 8
#define DIGITS (1 << DIGIT_BITS)
#define SHORT_DIGIT_BITS 5
#define SHORT_DIGIT_ENTRIES 400

/* How many places ahead stacks are asked for, which lie apart. */
#define AHEAD 32

/* How many bytes ahead of it what is written down is asked for. */
#define REST_AHEAD 256

/* Entries that are equal up to a depth, and sorted by what they have there. */
typedef struct Range
{
	uint32_t	next;			/* that is not written down yet */
	uint32_t	end;
	size_t		depth;
	size_t		same;			/* what the first one shares with the one before */
	uint64_t	differ;			/* of a part that is not sorted: the bits in which its keys differ; 0: not known */
	bool		begun;
	uint64_t	last;			/* key of those that were written down last, when it is begun */
} Range;

typedef struct Sorting
{
	FgStackLists *lists;
	FgStackEntry *spare;
	Range	   *ranges;			/* each within the one before, and parts of the last one that are not sorted */
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
	return (const uint8_t *) lists->ranks + at * fg_stack_bytes(lists->wide);
}

bool
fg_stack_lists_begin(FgContext *ctx, FgStackLists *lists, uint32_t stacks, size_t frames, uint32_t largest)
{
	bool		wide = largest > UINT16_MAX;

	/* a zero behind each stack, and a key behind all */
	*lists = (FgStackLists) {
		.ctx = ctx, .wide = wide,
		.ranks = fg_alloc(ctx, frames + stacks + sizeof(uint64_t), fg_stack_bytes(wide)),
		.entries = fg_alloc(ctx, stacks, sizeof(FgStackEntry))
	};
	if (lists->ranks != NULL && lists->entries != NULL)
		return true;
	fg_stack_lists_free(lists);
	return false;
}

void
fg_stack_lists_free(FgStackLists *lists)
{
	if (lists->ctx == NULL)
		return;
	fg_release(lists->ctx, lists->ranks);
	fg_release(lists->ctx, lists->entries);
	fg_release(lists->ctx, lists->rest);
	*lists = (FgStackLists) {.ctx = NULL};
}

void
fg_stack_lists_clear(FgStackLists *lists)
{
	fg_release(lists->ctx, lists->rest);
	lists->rest = NULL;
	lists->size = lists->count = 0;
}

static inline void
put_stack(FgStackLists *lists, bool wide, const uint32_t *stack, size_t depth)
{
	uint8_t    *to = fg_stack_lists_next(lists);

	for (size_t i = depth; i-- > 0; to += fg_stack_bytes(wide))
		fg_stack_put(to, wide, stack[i]);
}

bool
fg_stack_lists_take(FgStackLists *lists, size_t depth, uint32_t label)
{
	lists->entries[lists->count++] = (FgStackEntry) {
		.begin = (uint32_t) lists->size, .label = label
	};
	lists->size += depth;
	fg_stack_put(fg_stack_lists_next(lists), lists->wide, 0);
	lists->size++;
	return fg_steps(lists->ctx, depth);
}

bool
fg_stack_lists_add(FgStackLists *lists, const uint32_t *stack, size_t depth, uint32_t label)
{
	if (lists->wide)
		put_stack(lists, true, stack, depth);
	else
		put_stack(lists, false, stack, depth);
	return fg_stack_lists_take(lists, depth, label);
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

/* How many frames two keys share, which differ. */
static inline size_t
shared_frames(const FgStackLists *lists, uint64_t one, uint64_t other)
{
	return (unsigned) __builtin_clzll(one ^ other) / frame_bits(lists);
}

static inline bool
has_ended(const FgStackLists *lists, uint64_t key)
{
	return key << (64 - frame_bits(lists)) == 0;
}

static inline void
ask_ahead(const FgStackLists *lists, uint32_t at, size_t depth)
{
	if (lists->count - at > AHEAD)
		__builtin_prefetch(place_of(lists, lists->entries[at + AHEAD].begin + depth));
}

/* --- the order -------------------------------------------------------------------------- */

static bool
push_range(Sorting *s, Range range)
{
	if (!fg_reserve(s->lists->ctx, (void **) &s->ranges, &s->range_room, s->range_count + 1, sizeof(Range)))
		return false;
	s->ranges[s->range_count++] = range;
	return true;
}

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

/* The bits in which some keys differ. */
static bool
find_differing(const Sorting *s, Range *part)
{
	const FgStackEntry *entries = s->lists->entries;

	for (uint32_t i = part->next + 1; i < part->end; i++)
	{
		part->differ |= entries[i].key ^ entries[part->next].key;
		if (!fg_check_every(s->lists->ctx, i - part->next + 1))
			return false;
	}
	return true;
}

/* A digit of keys. */
typedef struct Digit
{
	unsigned	shift;
	unsigned	bits;
} Digit;

/* The digit that begins with the highest bit in which keys differ. */
static inline Digit
highest_digit(uint64_t differ, uint32_t count)
{
	unsigned	end = 64 - (unsigned) __builtin_clzll(differ);
	unsigned	bits = count < SHORT_DIGIT_ENTRIES ? SHORT_DIGIT_BITS : DIGIT_BITS;

	return (Digit) {.shift = end > bits ? end - bits : 0, .bits = bits};
}

static inline uint32_t
digit_of(uint64_t key, Digit digit)
{
	return key >> digit.shift & ((1U << digit.bits) - 1);
}

/* How many entries have each value of a digit, as where those with it begin. */
static bool
count_digits(const Sorting *s, const FgStackEntry *entries, uint32_t count, Digit digit, uint32_t *begins)
{
	uint32_t	others[DIGITS];	/* neighbours are much alike, and one counter that is added to again and again is slow */
	uint32_t	total = 0;

	memset(begins, 0, sizeof(uint32_t) << digit.bits);
	memset(others, 0, sizeof(uint32_t) << digit.bits);
	for (uint32_t i = 0; i + 1 < count; i += 2)
	{
		begins[digit_of(entries[i].key, digit)]++;
		others[digit_of(entries[i + 1].key, digit)]++;
		if (!fg_check_every(s->lists->ctx, i + 2))
			return false;
	}
	if (count % 2 != 0)
		others[digit_of(entries[count - 1].key, digit)]++;
	for (unsigned d = 0; d < 1U << digit.bits; d++)
	{
		uint32_t	here = begins[d] + others[d];

		begins[d] = total;
		total += here;
	}
	return true;
}

/* Entries by a digit; those that have it alike are from ends[digit - 1] to ends[digit]. */
static bool
split(const Sorting *s, FgStackEntry *entries, uint32_t count, Digit digit, uint32_t *ends)
{
	if (!count_digits(s, entries, count, digit, ends))
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		s->spare[ends[digit_of(entries[i].key, digit)]++] = entries[i];
		if (!fg_check_every(s->lists->ctx, i + 1))
			return false;
	}
	return fg_copy(s->lists->ctx, entries, s->spare, count * sizeof(FgStackEntry));
}

/* A part of a range by the digit that begins with the highest bit in which its keys differ; parts of it are pushed. */
static bool
sort_part(Sorting *s, Range part)
{
	FgStackEntry *entries = s->lists->entries + part.next;
	uint32_t	ends[DIGITS];
	Digit		digit;

	if (!fg_steps(s->lists->ctx, part.end - part.next) || (part.differ == 0 && !find_differing(s, &part)))
		return false;
	if (part.differ == 0)
		return true;
	digit = highest_digit(part.differ, part.end - part.next);
	if (!split(s, entries, part.end - part.next, digit, ends))
		return false;
	for (uint32_t d = 0, from = 0; d < 1U << digit.bits; from = ends[d++])
	{
		if (ends[d] - from < FEW)
			sort_few(entries + from, ends[d] - from);
		else if (!push_range(s, (Range) {.next = part.next + from, .end = part.next + ends[d]}))
			return false;
	}
	return true;
}

/*
 * Entries whose keys differ in these bits, if at all.  One digit after the other, the highest first: soon all that is left
 * to do is in the cache.
 */
static bool
sort_many(Sorting *s, uint32_t begin, uint32_t end, uint64_t differ)
{
	size_t		others = s->range_count;

	if (differ != 0 && !push_range(s, (Range) {.next = begin, .end = end, .differ = differ}))
		return false;
	while (s->range_count > others)
	{
		if (!sort_part(s, s->ranges[--s->range_count]))
			return false;
	}
	return true;
}

/* Entries that are equal up to the depth become the range that is written down next. */
static bool
sort_range(Sorting *s, uint32_t begin, uint32_t end, size_t depth, size_t same)
{
	FgStackEntry *entries = s->lists->entries;
	uint32_t	count = end - begin;
	uint64_t	differ = 0;

	if (!fg_steps(s->lists->ctx, count))
		return false;
	for (uint32_t i = begin; i < end; i++)
	{
		if (!fg_check_every(s->lists->ctx, i - begin + 1))
			return false;
		ask_ahead(s->lists, i, depth);
		entries[i].key = key_of(s->lists, entries[i].begin + depth);
		differ |= entries[i].key ^ entries[begin].key;
	}
	if (count < FEW)
		sort_few(entries + begin, count);
	else if (!sort_many(s, begin, end, differ))
		return false;
	return push_range(s, (Range) {.next = begin, .end = end, .depth = depth, .same = same});
}

/* How many frames eight bytes of a stack have before its end. */
static inline unsigned
frames_in(const FgStackLists *lists, uint64_t word)
{
	uint64_t	low = lists->wide ? UINT64_C(0x7FFFFFFF7FFFFFFF) : UINT64_C(0x7FFF7FFF7FFF7FFF);
	uint64_t	ends = ~(((word & low) + low) | word | low);

	if (ends == 0)
		return key_frames(lists);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (unsigned) __builtin_ctzll(ends) / frame_bits(lists);
#else
	return (unsigned) __builtin_clzll(ends) / frame_bits(lists);
#endif
}

/* Writes down what the stack does not share with the one before. */
static bool
write_rest(FgStackLists *lists, FgStackEntry *entry, size_t same)
{
	size_t		bytes = fg_stack_bytes(lists->wide);
	unsigned	most = key_frames(lists);
	const uint8_t *from = place_of(lists, entry->begin + same);
	uint8_t    *to = (uint8_t *) lists->rest + lists->nodes * bytes;
	size_t		depth = same;
	unsigned	here;

	fg_ask_ahead_to_write(to, REST_AHEAD);
	do
	{
		uint64_t	word;

		memcpy(&word, from, sizeof(word));
		memcpy(to, &word, sizeof(word));
		here = frames_in(lists, word);
		depth += here;
		from += sizeof(word);
		to += sizeof(word);
	} while (here == most);
	entry->sorted.depth = (uint32_t) depth;
	entry->sorted.same = (uint32_t) same;
	lists->nodes += depth - same;
	lists->deepest = depth > lists->deepest ? (uint32_t) depth : lists->deepest;
	return fg_steps(lists->ctx, depth - same);
}

/* Equal ones, which end here unless it is only one. */
static bool
write_equal(FgStackLists *lists, uint32_t begin, uint32_t end, size_t same)
{
	for (uint32_t i = begin; i < end; i++)
	{
		if (!write_rest(lists, &lists->entries[i], same))
			return false;
		same = lists->entries[i].sorted.depth;
	}
	return true;
}

/* The next ones of the innermost range that are equal, or its end. */
static bool
write_next(Sorting *s)
{
	FgStackLists *lists = s->lists;
	Range	   *range = &s->ranges[s->range_count - 1];
	uint32_t	begin = range->next;
	uint32_t	end = begin + 1;
	uint64_t	key;
	size_t		same;

	if (begin == range->end)
	{
		s->range_count--;
		return true;
	}
	key = lists->entries[begin].key;
	while (end < range->end && lists->entries[end].key == key)
	{
		if (!fg_check_every(lists->ctx, end++))
			return false;
	}
	same = range->begun ? range->depth + shared_frames(lists, range->last, key) : range->same;
	range->begun = true;
	range->last = key;
	range->next = end;
	if (end - begin == 1 || has_ended(lists, key))
		return write_equal(lists, begin, end, same);
	return sort_range(s, begin, end, range->depth + key_frames(lists), same);
}

bool
fg_stack_lists_order(FgStackLists *lists, bool last)
{
	size_t		bytes = fg_stack_bytes(lists->wide);
	Sorting		s = {.lists = lists, .spare = fg_alloc(lists->ctx, lists->count, sizeof(FgStackEntry))};
	bool		ok;

	/* a key is read whole */
	memset((uint8_t *) lists->ranks + lists->size * bytes, 0, sizeof(uint64_t) * bytes);
	lists->rest = fg_alloc(lists->ctx, lists->size + sizeof(uint64_t), bytes);
	lists->nodes = 0;
	lists->deepest = 0;
	ok = s.spare != NULL && lists->rest != NULL && sort_range(&s, 0, lists->count, 0, 0);
	while (ok && s.range_count > 0)
		ok = write_next(&s);
	fg_release(lists->ctx, s.ranges);
	fg_release(lists->ctx, s.spare);
	if (!last)
		return ok;
	fg_release(lists->ctx, lists->ranks);
	lists->ranks = NULL;
	return ok;
}
