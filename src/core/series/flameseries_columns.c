/*
 * flameseries_columns.c
 *	  Columns of values as bytes (see flameseries_columns.h).
 */
#include "core/series/flameseries_columns.h"

#include "core/base/words.h"

#define WIDTHS			8
#define LEAST_FOLLOWS	31

static const uint8_t width_bits[WIDTHS] = {0, 1, 2, 4, 8, 16, 32, 64};

static size_t
packed_bytes(uint32_t count, unsigned width)
{
	return ((size_t) count * width + 7) / 8;
}

/* How the places of "count" values among so many profiles are written. */
static bool
places_are_bits(uint32_t count, uint32_t profiles)
{
	return (profiles + 7) / 8 < count;
}

static size_t
places_bytes(uint32_t count, uint32_t profiles)
{
	if (count == profiles)
		return 0;
	return places_are_bits(count, profiles) ? (profiles + 7) / 8 : count;
}

static uint64_t
zigzag(int64_t k)
{
	return (uint64_t) k << 1 ^ (uint64_t) (k >> 63);
}

/* --- writing ------------------------------------------------------------------- */

static bool
append_places(FgBuffer *buffer, uint32_t profiles, const uint8_t *place, uint32_t count)
{
	size_t		bytes = places_bytes(count, profiles);
	uint8_t    *to;

	if (bytes == 0 || !places_are_bits(count, profiles))
		return fg_buffer_append(buffer, place, bytes);
	if (!fg_buffer_room(buffer, bytes))
		return false;
	to = buffer->data + buffer->size;
	memset(to, 0, bytes);
	for (uint32_t i = 0; i < count; i++)
		to[place[i] / 8] |= (uint8_t) (1u << place[i] % 8);
	buffer->size += bytes;
	return true;
}

/* The number of the smallest width for offsets up to this one. */
static unsigned
width_for(uint64_t largest)
{
	unsigned	number = 0;

	while (number < WIDTHS - 1 && largest >> width_bits[number] != 0)
		number++;
	return number;
}

static bool
append_packed(FgBuffer *buffer, const int64_t *multiple, uint32_t count, int64_t least,
			  unsigned width)
{
	size_t		bytes = packed_bytes(count, width);
	uint8_t    *to;

	if (!fg_buffer_room(buffer, bytes))
		return false;
	to = buffer->data + buffer->size;
	memset(to, 0, bytes);
	for (uint32_t i = 0; i < count && width > 0; i++)
	{
		uint64_t	offset = (uint64_t) multiple[i] - (uint64_t) least;

		if (width < 8)
			to[i * width / 8] |= (uint8_t) (offset << i * width % 8);
		else
			fg_store_le(to + (size_t) i * width / 8, offset, width / 8);
	}
	buffer->size += bytes;
	return true;
}

static bool
append_multiples(FgBuffer *buffer, const int64_t *multiple, uint32_t count)
{
	int64_t		least = multiple[0];
	int64_t		most = multiple[0];
	unsigned	number;
	uint64_t	small;

	for (uint32_t i = 1; i < count; i++)
	{
		least = multiple[i] < least ? multiple[i] : least;
		most = multiple[i] > most ? multiple[i] : most;
	}
	number = width_for((uint64_t) most - (uint64_t) least);
	small = zigzag(least) < LEAST_FOLLOWS ? zigzag(least) : LEAST_FOLLOWS;
	if (!fg_buffer_room(buffer, 1 + FG_VARINT_MAX))
		return false;
	buffer->data[buffer->size++] = (uint8_t) (number | small << 3);
	if (small == LEAST_FOLLOWS)
		fg_put_varint(buffer, zigzag(least));
	return append_packed(buffer, multiple, count, least, width_bits[number]);
}

static bool
append_doubles(FgBuffer *buffer, const int64_t *bits, uint32_t count)
{
	uint8_t		number = WIDTHS - 1;

	return fg_buffer_append(buffer, &number, 1) && append_packed(buffer, bits, count, 0, 64);
}

bool
fg_column_append(FgBuffer *buffer, uint32_t gap, uint32_t profiles, const uint8_t *place,
				 const int64_t *multiple, uint32_t count, bool doubles)
{
	uint8_t		further = (uint8_t) (count - 1);

	return fg_append_varint(buffer, gap) && fg_buffer_append(buffer, &further, 1) &&
		append_places(buffer, profiles, place, count) &&
		(doubles ? append_doubles(buffer, multiple, count)
		 : append_multiples(buffer, multiple, count));
}

/* --- reading ------------------------------------------------------------------- */

static bool
take(FgReader *reader, size_t bytes, const uint8_t **taken)
{
	if (fg_reader_left(reader) < bytes)
		return false;
	*taken = reader->next;
	reader->next += bytes;
	return true;
}

static bool
read_least(FgReader *reader, uint8_t head, int64_t *least)
{
	uint64_t	wide = head >> 3;

	if (wide == LEAST_FOLLOWS && !fg_read_varint(reader, &wide))
		return false;
	*least = (int64_t) (wide >> 1) ^ -(int64_t) (wide & 1);
	return *least > -(INT64_C(1) << 53) && *least < INT64_C(1) << 53;
}

bool
fg_column_read(FgReader *reader, uint32_t profiles, bool doubles, FgStackColumn *column)
{
	const uint8_t *byte;

	column->profiles = profiles;
	if (!fg_read_varint32(reader, &column->gap) || !take(reader, 1, &byte))
		return false;
	column->count = (uint32_t) *byte + 1;
	if (column->count > profiles ||
		!take(reader, places_bytes(column->count, profiles), &column->places) ||
		!take(reader, 1, &byte) || !read_least(reader, *byte, &column->least))
		return false;
	column->width = width_bits[*byte & 7];
	if (doubles && *byte != WIDTHS - 1)
		return false;
	return take(reader, packed_bytes(column->count, column->width), &column->packed);
}

static uint32_t
places_of_bits(const FgStackColumn *column, uint8_t place[FG_BLOCK_PROFILES])
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < (column->profiles + 7) / 8; i++)
		for (unsigned bits = column->places[i]; bits != 0; bits &= bits - 1)
			place[count++] = (uint8_t) (8 * i + (unsigned) __builtin_ctz(bits));
	return count;
}

bool
fg_column_places(const FgStackColumn *column, uint8_t place[FG_BLOCK_PROFILES])
{
	uint32_t	count = column->count;

	if (count == column->profiles)
		for (uint32_t i = 0; i < count; i++)
			place[i] = (uint8_t) i;
	else if (places_are_bits(count, column->profiles))
		count = places_of_bits(column, place);
	else
		memcpy(place, column->places, count);
	for (uint32_t i = 1; i < count; i++)
		if (place[i] <= place[i - 1])
			return false;
	return count > 0 && count == column->count && place[count - 1] < column->profiles;
}

static uint64_t
packed_value(const FgStackColumn *column, uint32_t i)
{
	unsigned	width = column->width;
	unsigned	mask = (1u << width % 8) - 1;

	if (width == 0)
		return 0;
	if (width < 8)
		return column->packed[i * width / 8] >> i * width % 8 & mask;
	return fg_load_le(column->packed + (size_t) i * width / 8, width / 8);
}

void
fg_column_multiples(const FgStackColumn *column, int64_t multiple[FG_BLOCK_PROFILES])
{
	for (uint32_t i = 0; i < column->count; i++)
		multiple[i] = (int64_t) (packed_value(column, i) + (uint64_t) column->least);
}

/* --- sums ---------------------------------------------------------------------- */

/* All lanes of so many bits; and every other one. */
#define LANES(bits)			(UINT64_MAX / ((UINT64_C(1) << (bits)) - 1))
#define EVEN_LANES(bits)	(LANES(2 * (bits)) * ((UINT64_C(1) << (bits)) - 1))

/* Lanes are added in pairs, so that each has twice the bits. */
static inline uint64_t
add_pairs(uint64_t word, unsigned bits)
{
	return (word & EVEN_LANES(bits)) + (word >> bits & EVEN_LANES(bits));
}

/* The sum of the lanes of a word, where it fits one of them. */
static inline uint64_t
add_lanes(uint64_t word, unsigned bits)
{
	return word * LANES(bits) >> (64 - bits);
}

/* The sum of the values in a word.  "width" is known when the function is inlined. */
static inline uint64_t
word_sum(uint64_t word, unsigned width)
{
	if (width == 1)
		word = add_pairs(word, 1);
	if (width <= 2)
		word = add_pairs(word, 2);
	if (width <= 4)
		return add_lanes(add_pairs(word, 4), 8);
	if (width == 8)
		return add_lanes(add_pairs(word, 8), 16);
	if (width == 16)
		return add_lanes(add_pairs(word, 16), 32);
	return width == 32 ? (word & UINT32_MAX) + (word >> 32) : word;
}

/*
 * So many bits of values.  When eight bytes can be read wherever one of the values is, "whole" says
 * so, and the last word needs no loop.
 */
static inline uint64_t
words_sum(const uint8_t *packed, size_t bits, unsigned width, bool whole)
{
	uint64_t	sum = 0;

	for (; bits >= 64; bits -= 64, packed += 8)
		sum += word_sum(fg_load_word(packed), width);
	if (bits == 0)
		return sum;
	return sum + word_sum((whole ? fg_load_word(packed) : fg_load_le(packed, (unsigned) (bits + 7) / 8)) &
						  ((UINT64_C(1) << bits) - 1), width);
}

static inline uint64_t
packed_sum(const uint8_t *packed, uint32_t count, unsigned width, bool whole)
{
	size_t		bits = (size_t) count * width;

	switch (width)
	{
		case 0:
			return 0;
		case 1:
			return words_sum(packed, bits, 1, whole);
		case 2:
			return words_sum(packed, bits, 2, whole);
		case 4:
			return words_sum(packed, bits, 4, whole);
		case 8:
			return words_sum(packed, bits, 8, whole);
		case 16:
			return words_sum(packed, bits, 16, whole);
		case 32:
			return words_sum(packed, bits, 32, whole);
		default:
			return words_sum(packed, bits, 64, whole);
	}
}

int64_t
fg_column_sum(const FgStackColumn *column)
{
	return (int64_t) (packed_sum(column->packed, column->count, column->width, false) +
					  (uint64_t) column->least * column->count);
}

bool
fg_column_sum_chosen(const FgStackColumn *column, const bool *chosen, int64_t *sum)
{
	uint8_t		place[FG_BLOCK_PROFILES];
	uint32_t	count = 0;
	uint64_t	packed = 0;

	if (!fg_column_places(column, place))
		return false;
	for (uint32_t i = 0; i < column->count; i++)
		count += chosen[place[i]];
	for (uint32_t i = 0; i < column->count && column->width > 0 && count > 0; i++)
		packed += chosen[place[i]] ? packed_value(column, i) : 0;
	*sum = (int64_t) (packed + (uint64_t) column->least * count);
	return true;
}

/* What a column takes in front of its values; and how many are read at once. */
#define COMMON_BYTES	(3 + FG_BLOCK_PROFILES / 8)
#define COMMON_COLUMNS	512

/*
 * Most columns of counts take some ten bytes, so what is done for each of them is what a sum
 * takes: of one whose values are all the same, which most are, no more is waited for than where
 * the next one begins.
 */
size_t
fg_column_sums(FgReader *reader, uint32_t profiles, uint32_t stacks, uint64_t *next, double *sums)
{
	const uint8_t *at = reader->next;
	uint64_t	stack = *next;
	size_t		values = 0;

	for (int c = 0; c < COMMON_COLUMNS && (size_t) (reader->end - at) >= COMMON_BYTES; c++)
	{
		uint32_t	count = (uint32_t) at[1] + 1;
		const uint8_t *head = at + 2 + places_bytes(count, profiles);
		uint64_t	small = *head >> 3;
		int64_t		least = (int64_t) (small >> 1) ^ -(int64_t) (small & 1);
		size_t		bytes = 0;
		uint64_t	packed = 0;

		if (at[0] >= 0x80 || count > profiles || small == LEAST_FOLLOWS || stack + at[0] >= stacks)
			break;
		if ((*head & 7) != 0)
		{
			unsigned	width = width_bits[*head & 7];

			bytes = packed_bytes(count, width);
			if ((size_t) (reader->end - head) < 1 + bytes + sizeof(uint64_t))
				break;
			packed = packed_sum(head + 1, count, width, true);
		}
		stack += at[0];
		sums[stack++] += (double) (int64_t) (packed + (uint64_t) least * count);
		at = head + 1 + bytes;
		values += count;
	}
	reader->next = at;
	*next = stack;
	return values;
}
