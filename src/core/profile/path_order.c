/*
 * path_order.c
 *	  A merge sort of stacks by what they share (see path_order.h).
 */
#include "core/profile/path_order.h"

#include <string.h>

#define WORD ((uint32_t) sizeof(uint64_t))

/* --- bytes -------------------------------------------------------------------- */

static inline uint32_t
word_start(uint32_t at)
{
	return at / WORD * WORD;
}

/* The bytes from a multiple of eight on; zeros behind the end. */
static inline uint64_t
load_word(const FgTextPath *stack, uint32_t start)
{
	uint64_t	word = 0;

	if (start + WORD <= stack->length)
		memcpy(&word, stack->path + start, WORD);
	else
		memcpy(&word, stack->path + start, stack->length - start);
	return word;
}

/* Which byte, in the order of memory, is the first that is not zero. */
static inline uint32_t
first_byte(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return (uint32_t) __builtin_clzll(word) / 8;
#else
	return (uint32_t) __builtin_ctzll(word) / 8;
#endif
}

/* How many bytes two stacks share when they share the first "from". */
static uint32_t
shared_bytes(const FgTextPath *a, const FgTextPath *b, uint32_t from)
{
	uint32_t	shorter = a->length < b->length ? a->length : b->length;

	while (from + WORD <= shorter)
	{
		uint64_t	one;
		uint64_t	other;

		memcpy(&one, a->path + from, WORD);
		memcpy(&other, b->path + from, WORD);
		if (one != other)
			return from + first_byte(one ^ other);
		from += WORD;
	}
	while (from < shorter && a->path[from] == b->path[from])
		from++;
	return from;
}

/* What decides between stacks that share this much: the end, then the separator, then bytes. */
static inline uint32_t
rank_at(const FgPathOrder *order, const FgTextPath *stack, uint32_t at)
{
	if (at >= stack->length)
		return 0;
	return stack->path[at] == order->separator ? 1 : 2 + (uint32_t) (uint8_t) stack->path[at];
}

/* --- merging ------------------------------------------------------------------ */

/*
 * Which of two stacks comes first, "a" if they are equal, when both share the same number
 * of bytes with one that comes before both.  The other one is told what it shares with the
 * first.
 */
static inline bool
first_comes_first(const FgPathOrder *order, FgPathPlace *a, FgPathPlace *b)
{
	const FgTextPath *one = &order->stacks[a->stack];
	const FgTextPath *other = &order->stacks[b->stack];
	uint32_t	start = word_start(a->same);
	uint32_t	shorter = one->length < other->length ? one->length : other->length;
	uint32_t	same;
	FgPathPlace *later;
	bool		first;

	if (a->word != b->word)
		same = start + first_byte(a->word ^ b->word);
	else
		same = start + WORD < shorter ? shared_bytes(one, other, start + WORD) : shorter;
	if (same > shorter)
		same = shorter;			/* a NUL is as good as the zeros behind an end */
	first = rank_at(order, one, same) <= rank_at(order, other, same);
	later = first ? b : a;
	if (word_start(same) != start)
		later->word = load_word(&order->stacks[later->stack], word_start(same));
	later->same = same;
	return first;
}

/* Merges two runs that lie side by side, the left one being put aside. */
static bool
merge_runs(FgPathOrder *order, uint32_t left, uint32_t middle, uint32_t end)
{
	uint32_t	nleft = middle - left;
	FgPathPlace *to = order->places + left;
	FgPathPlace *a;
	FgPathPlace *b = order->places + middle;
	const FgPathPlace *a_end;
	const FgPathPlace *b_end = order->places + end;

	if (!fg_reserve(order->ctx, (void **) &order->aside, &order->aside_capacity, nleft,
					sizeof(FgPathPlace)))
		return false;
	memcpy(order->aside, to, nleft * sizeof(FgPathPlace));
	a = order->aside;
	a_end = a + nleft;
	while (a < a_end && b < b_end)
	{
		bool		first = a->same != b->same ? a->same > b->same : first_comes_first(order, a, b);

		*to++ = first ? *a++ : *b++;
		if (!fg_steps(order->ctx, 1))
			return false;
	}
	memcpy(to, a, (size_t) (a_end - a) * sizeof(FgPathPlace));
	return true;
}

/* Merges the last two runs until the one before the last is more than twice as long. */
static bool
settle_runs(FgPathOrder *order, bool all)
{
	while (order->nruns > 1)
	{
		uint32_t	left = order->run[order->nruns - 2];
		uint32_t	middle = order->run[order->nruns - 1];

		if (!all && middle - left > 2 * (uint64_t) (order->count - middle))
			break;
		if (!merge_runs(order, left, middle, order->count))
			return false;
		order->nruns--;
	}
	return true;
}

/* --- stacks as they come ------------------------------------------------------- */

void
fg_path_order_begin(FgContext *ctx, FgPathOrder *order, char separator)
{
	*order = (FgPathOrder) {.ctx = ctx, .separator = separator};
}

/* Begins a run, after those before have been merged as far as they should be. */
static bool
begin_run(FgPathOrder *order)
{
	if (!settle_runs(order, false))
		return false;
	order->run[order->nruns++] = order->count;
	return true;
}

bool
fg_path_order_add(FgPathOrder *order, const char *path, uint32_t length, double value)
{
	uint32_t	number = order->count;
	FgTextPath    *stack;
	FgPathPlace place = {.stack = number};

	if (number == UINT32_MAX)
		return fg_fail(order->ctx, FG_ERROR_LIMIT, "there are too many stacks");
	if (!fg_reserve(order->ctx, (void **) &order->stacks, &order->stacks_capacity, (size_t) number + 1,
					sizeof(FgTextPath)) ||
		!fg_reserve(order->ctx, (void **) &order->places, &order->places_capacity, (size_t) number + 1,
					sizeof(FgPathPlace)))
		return false;
	stack = &order->stacks[number];
	*stack = (FgTextPath) {.path = path, .length = length, .value = value};
	if (number > 0)
		place.same = shared_bytes(stack - 1, stack, 0);
	if (number == 0 || rank_at(order, stack - 1, place.same) > rank_at(order, stack, place.same))
	{
		place.same = 0;
		if (!begin_run(order))
			return false;
	}
	place.word = load_word(stack, word_start(place.same));
	order->places[order->count++] = place;
	return fg_work(order->ctx, place.same);
}

bool
fg_path_order_finish(FgPathOrder *order)
{
	return settle_runs(order, true);
}

void
fg_path_order_free(FgPathOrder *order)
{
	fg_release(order->ctx, order->stacks);
	fg_release(order->ctx, order->places);
	fg_release(order->ctx, order->aside);
}
