/*
 * packed_numbers.c
 *	  Columns in few bits (see packed_numbers.h).
 *
 * A block is a head and its numbers, one behind the other from the lowest bit on, and a word behind the last, so that
 * each can be read as a part of a word.
 */
#include "core/reading/packed_numbers.h"

#include "core/base/words.h"

#include <math.h>
#include <string.h>

#define FIRST_ITEMS 16
#define LARGEST_CHUNK 65536

/* A wider number would not lie within a word at every bit of a byte; its bytes are kept. */
#define WIDEST 56

typedef struct Head
{
	uint64_t	least;
	uint8_t		bits;			/* of each number */
	uint8_t		decimals;		/* of doubles: which of the scales */
	bool		has_none;		/* the least one is a NaN */
} Head;

static const double scales[] = {1, 1000, 1000000};

#define SCALES (sizeof(scales) / sizeof(scales[0]))
#define RAW 255

/* Whole numbers below, and what they differ by, take few enough bits. */
#define WHOLE_END 2251799813685248.0

/* --- chunks ----------------------------------------------------------------------------- */

static void
free_blocks(FgContext *ctx, FgPackedBlocks *blocks)
{
	while (blocks->first != NULL)
	{
		FgPackedChunk *next = blocks->first->next;

		fg_release(ctx, blocks->first);
		blocks->first = next;
	}
	*blocks = (FgPackedBlocks) {.count = 0};
}

void
fg_packed_indices_free(FgContext *ctx, FgPackedIndices *numbers)
{
	free_blocks(ctx, &numbers->blocks);
	fg_release(ctx, numbers->items);
	*numbers = (FgPackedIndices) {.items = NULL};
}

void
fg_packed_doubles_free(FgContext *ctx, FgPackedDoubles *numbers)
{
	free_blocks(ctx, &numbers->blocks);
	fg_release(ctx, numbers->items);
	*numbers = (FgPackedDoubles) {.items = NULL};
}

/* A place for a block, all of whose bytes are 0. */
static uint8_t *
add_block(FgContext *ctx, FgPackedBlocks *blocks, size_t bytes)
{
	FgPackedChunk *chunk = blocks->last;
	size_t		room = blocks->bytes < LARGEST_CHUNK ? blocks->bytes : LARGEST_CHUNK;

	if (chunk == NULL || chunk->room - chunk->size < bytes)
	{
		room = room > bytes ? room : bytes;
		chunk = fg_alloc(ctx, 1, sizeof(FgPackedChunk) + room);
		if (chunk == NULL)
			return NULL;
		chunk->next = NULL;
		chunk->size = 0;
		chunk->room = room;
		*(blocks->last != NULL ? &blocks->last->next : &blocks->first) = chunk;
		blocks->last = chunk;
		blocks->bytes += room;
	}
	chunk->size += bytes;
	return memset(chunk->bytes + chunk->size - bytes, 0, bytes);
}

/* --- blocks ----------------------------------------------------------------------------- */

static size_t
block_bytes(const Head *head)
{
	return sizeof(Head) + (size_t) FG_PACKED_BLOCK / 8 * head->bits + (head->bits <= WIDEST ? sizeof(uint64_t) : 0);
}

static inline void
put_word(uint8_t *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(to, &word, sizeof(word));
#else
	fg_store_le(to, word, sizeof(word));
#endif
}

static inline void
put_bits(uint8_t *to, const uint64_t *numbers, uint64_t least, unsigned bits)
{
	uint64_t	word = 0;
	unsigned	used = 0;

	for (size_t i = 0; i < FG_PACKED_BLOCK; i++)
	{
		uint64_t	number = numbers[i] - least;

		word |= number << used;
		used += bits;
		if (used < 64)
			continue;
		put_word(to, word);
		to += sizeof(word);
		used -= 64;
		word = used > 0 ? number >> (bits - used) : 0;
	}
	put_word(to, word);
}

/* Numbers of 64 bits are taken as they are. */
static bool
put_block(FgContext *ctx, FgPackedBlocks *blocks, const uint64_t *numbers, uint8_t decimals, bool has_none)
{
	uint64_t	least = numbers[0];
	uint64_t	most = numbers[0];
	Head		head = {.decimals = decimals, .has_none = has_none};
	uint8_t    *to;

	for (size_t i = 1; i < FG_PACKED_BLOCK && decimals != RAW; i++)
	{
		least = numbers[i] < least ? numbers[i] : least;
		most = numbers[i] > most ? numbers[i] : most;
	}
	head.least = least;
	head.bits = (uint8_t) (decimals == RAW ? 64 : most > least ? 64 - __builtin_clzll(most - least) : 0);
	to = add_block(ctx, blocks, block_bytes(&head));
	if (to == NULL)
		return false;
	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	if (decimals == RAW)
		memcpy(to, numbers, FG_PACKED_BLOCK * sizeof(uint64_t));
	else if (head.bits > 0)
		put_bits(to, numbers, least, head.bits);
	blocks->count += FG_PACKED_BLOCK;
	return true;
}

/* The place of a number of at most WIDEST bits. */
static inline uint64_t
number_at(const uint8_t *numbers, const Head *head, uint64_t mask, size_t i)
{
	size_t		bit = i * head->bits;

	return head->least + (fg_load_word(numbers + bit / 8) >> bit % 8 & mask);
}

/* The head of the next block, and where its numbers are; NULL: there is none. */
static const uint8_t *
next_block(FgPackedWalk *walk, Head *head)
{
	const uint8_t *numbers;

	while (walk->chunk != NULL && walk->next == walk->chunk->bytes + walk->chunk->size)
	{
		walk->chunk = walk->chunk->next;
		walk->next = walk->chunk != NULL ? walk->chunk->bytes : NULL;
	}
	if (walk->chunk == NULL)
		return NULL;
	memcpy(head, walk->next, sizeof(Head));
	numbers = walk->next + sizeof(Head);
	walk->next += block_bytes(head);
	return numbers;
}

static FgPackedWalk
begin_walk(const FgPackedBlocks *blocks)
{
	return (FgPackedWalk) {blocks->first, blocks->first != NULL ? blocks->first->bytes : NULL, false};
}

/* --- room ------------------------------------------------------------------------------- */

static bool
grow(FgContext *ctx, void **items, size_t *capacity, size_t size)
{
	size_t		larger = *capacity < FIRST_ITEMS ? FIRST_ITEMS : *capacity * 2;
	void	   *moved = fg_resize(ctx, *items, *capacity, larger, size);

	if (moved == NULL)
		return false;
	*items = moved;
	*capacity = larger;
	return true;
}

static bool
check_limit(FgContext *ctx, size_t count, size_t limit)
{
	return count < limit || fg_fail(ctx, FG_ERROR_LIMIT, "a list has more than %zu elements", limit);
}

/* --- indices ---------------------------------------------------------------------------- */

/* What is none, UINT32_MAX, is next to the first one: samples without a stack are many. */
static bool
pack_indices(FgContext *ctx, FgPackedIndices *numbers)
{
	uint64_t	block[FG_PACKED_BLOCK];

	for (size_t i = 0; i < FG_PACKED_BLOCK; i++)
		block[i] = (uint32_t) (numbers->items[i] + 1);
	numbers->count = 0;
	return put_block(ctx, &numbers->blocks, block, 0, false) && fg_steps(ctx, FG_PACKED_BLOCK);
}

bool
fg_packed_indices_room(FgContext *ctx, FgPackedIndices *numbers, size_t limit)
{
	if (!check_limit(ctx, fg_packed_indices_count(numbers), limit))
		return false;
	if (numbers->count < numbers->capacity)
		return true;
	return numbers->capacity == FG_PACKED_BLOCK ? pack_indices(ctx, numbers)
		: grow(ctx, (void **) &numbers->items, &numbers->capacity, sizeof(uint32_t));
}

void
fg_index_walk(FgIndexWalk *walk, const FgPackedIndices *numbers)
{
	walk->numbers = numbers;
	walk->at = begin_walk(&numbers->blocks);
	walk->items = NULL;
	walk->left = 0;
}

bool
fg_index_walk_on(FgIndexWalk *walk)
{
	Head		head;
	const uint8_t *packed = next_block(&walk->at, &head);
	uint64_t	mask;

	if (packed == NULL)
	{
		walk->items = walk->numbers->items;
		walk->left = walk->at.ended ? 0 : walk->numbers->count;
		walk->at.ended = true;
		return walk->left > 0;
	}
	mask = (UINT64_C(1) << head.bits) - 1;
	for (size_t i = 0; i < FG_PACKED_BLOCK; i++)
		walk->block[i] = (uint32_t) number_at(packed, &head, mask, i) - 1;
	walk->items = walk->block;
	walk->left = FG_PACKED_BLOCK;
	return true;
}

/* --- doubles ---------------------------------------------------------------------------- */

/* The number times the scale, if that gives it back; the sign of 0 would be lost. */
static inline bool
is_scaled(double number, double scale, int64_t *scaled)
{
	double		product = number * scale;

	if (!(product > -WHOLE_END && product < WHOLE_END) || (number == 0 && signbit(number)))
		return false;
	*scaled = (int64_t) (product + (product < 0 ? -0.5 : 0.5));
	return (double) *scaled / scale == number;
}

/* What all numbers of a block come to, from 1; 0: a NaN. */
static bool
scale_block(const double *numbers, double scale, uint64_t *block)
{
	for (size_t i = 0; i < FG_PACKED_BLOCK; i++)
	{
		int64_t		scaled = 0;

		if (!isnan(numbers[i]) && !is_scaled(numbers[i], scale, &scaled))
			return false;
		block[i] = isnan(numbers[i]) ? 0 : (uint64_t) (scaled + (int64_t) WHOLE_END);
	}
	return true;
}

/* A NaN becomes the number below the least one, which is nearer than 0.  Is there one? */
static bool
draw_near(uint64_t *block)
{
	uint64_t	least = UINT64_MAX;
	bool		has_none = false;

	for (size_t i = 0; i < FG_PACKED_BLOCK; i++)
		least = block[i] > 0 && block[i] < least ? block[i] : least;
	for (size_t i = 0; i < FG_PACKED_BLOCK; i++)
	{
		has_none |= block[i] == 0;
		block[i] = block[i] > 0 ? block[i] : least - 1;
	}
	return has_none;
}

static bool
pack_doubles(FgContext *ctx, FgPackedDoubles *numbers)
{
	uint64_t	block[FG_PACKED_BLOCK];
	uint8_t		decimals = 0;
	bool		has_none = false;

	while (decimals < SCALES && !scale_block(numbers->items, scales[decimals], block))
		decimals++;
	if (decimals < SCALES)
		has_none = draw_near(block);
	else
	{
		decimals = RAW;
		memcpy(block, numbers->items, sizeof(block));
	}
	numbers->count = 0;
	return put_block(ctx, &numbers->blocks, block, decimals, has_none) && fg_steps(ctx, 4 * FG_PACKED_BLOCK);
}

bool
fg_packed_doubles_room(FgContext *ctx, FgPackedDoubles *numbers, size_t limit)
{
	if (!check_limit(ctx, fg_packed_doubles_count(numbers), limit))
		return false;
	if (numbers->count < numbers->capacity)
		return true;
	return numbers->capacity == FG_PACKED_BLOCK ? pack_doubles(ctx, numbers)
		: grow(ctx, (void **) &numbers->items, &numbers->capacity, sizeof(double));
}

void
fg_double_walk(FgDoubleWalk *walk, const FgPackedDoubles *numbers)
{
	walk->numbers = numbers;
	walk->at = begin_walk(&numbers->blocks);
	walk->items = NULL;
	walk->left = 0;
}

static void
take_doubles(const uint8_t *packed, const Head *head, double *block)
{
	uint64_t	mask = (UINT64_C(1) << head->bits) - 1;
	double		scale = scales[head->decimals];

	for (size_t i = 0; i < FG_PACKED_BLOCK; i++)
	{
		uint64_t	number = number_at(packed, head, mask, i);

		block[i] = (double) ((int64_t) number - (int64_t) WHOLE_END) / scale;
		if (head->has_none && number == head->least)
			block[i] = NAN;
	}
}

bool
fg_double_walk_on(FgDoubleWalk *walk)
{
	Head		head;
	const uint8_t *packed = next_block(&walk->at, &head);

	if (packed == NULL)
	{
		walk->items = walk->numbers->items;
		walk->left = walk->at.ended ? 0 : walk->numbers->count;
		walk->at.ended = true;
		return walk->left > 0;
	}
	if (head.decimals == RAW)
		memcpy(walk->block, packed, sizeof(walk->block));
	else
		take_doubles(packed, &head, walk->block);
	walk->items = walk->block;
	walk->left = FG_PACKED_BLOCK;
	return true;
}
