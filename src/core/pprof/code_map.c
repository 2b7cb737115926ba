/*
 * code_map.c
 *	  Names for addresses of code (see code_map.h).
 */
#include "core/pprof/code_map.h"

#include "core/base/bytes.h"
#include "core/base/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_MAPPINGS (UINT32_C(1) << 20)

void
fg_code_map_begin(FgContext *ctx, FgCodeMap *map)
{
	*map = (FgCodeMap) {.ctx = ctx, .texts = {.ctx = ctx}};
}

void
fg_code_map_free(FgCodeMap *map)
{
	fg_release(map->ctx, map->texts.data);
	fg_release(map->ctx, map->mappings);
	fg_release(map->ctx, map->order);
	fg_release(map->ctx, map->addresses);
	fg_release(map->ctx, map->symbols);
	fg_id_index_free(map->ctx, &map->index);
}

/* --- lines -------------------------------------------------------------------------- */

/* Digits + 1 by their bytes; 0: it is none. */
static const uint8_t hex_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16
};

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * Eight digits at once, in a word whose lowest byte is the first of them; false: some byte is
 * none.  Sums with bytes below 0x80 do not carry: the highest bit says whether a byte has come
 * to a bound.
 */
static inline bool
take_eight(uint64_t word, uint64_t *value)
{
	uint64_t	lower = word | EACH(0x20);
	uint64_t	decimal = (word + EACH(0x80 - '0')) & ~(word + EACH(0x7F - '9'));
	uint64_t	letter = (lower + EACH(0x80 - 'a')) & ~(lower + EACH(0x7F - 'f'));

	if ((word & EACH(0x80)) != 0 || ((decimal | letter) & EACH(0x80)) != EACH(0x80))
		return false;
	word = (word & EACH(0x0F)) + (word >> 6 & EACH(1)) * 9;
	word = (word << 4 | word >> 8) & UINT64_C(0x00FF00FF00FF00FF);
	word = (word << 8 | word >> 16) & UINT64_C(0x0000FFFF0000FFFF);
	*value = (word << 16 | word >> 32) & UINT32_MAX;
	return true;
}

size_t
fg_parse_hex(const char *text, size_t length, uint64_t *number)
{
	size_t		at = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;
	size_t		begin = at;
	uint64_t	value = 0;

	if (length - at >= 8 && take_eight(fg_load_le((const uint8_t *) text + at, 8), &value))
		at += 8;
	for (; at < length; at++)
	{
		uint8_t		digit = hex_digits[(uint8_t) text[at]];

		if (digit == 0)
			break;
		if (value >> 60 != 0)
			return 0;
		value = value << 4 | (uint64_t) (digit - 1);
	}
	*number = value;
	return at > begin ? at : 0;
}

/* A line that is taken apart from its begin. */
typedef struct Rest
{
	const char *text;
	size_t		length;
} Rest;

static void
skip(Rest *rest, size_t bytes)
{
	rest->text += bytes;
	rest->length -= bytes;
}

static void
skip_blanks(Rest *rest)
{
	while (rest->length > 0 && (rest->text[0] == ' ' || rest->text[0] == '\t'))
		skip(rest, 1);
}

static bool
take_hex(Rest *rest, uint64_t *number)
{
	size_t		bytes = fg_parse_hex(rest->text, rest->length, number);

	skip(rest, bytes);
	return bytes > 0;
}

static bool
take_byte(Rest *rest, char byte)
{
	if (rest->length == 0 || rest->text[0] != byte)
		return false;
	skip(rest, 1);
	return true;
}

/* Up to the next blank. */
static Rest
take_word(Rest *rest)
{
	Rest		word = *rest;

	word.length = 0;
	while (word.length < rest->length && rest->text[word.length] != ' ' && rest->text[word.length] != '\t')
		word.length++;
	skip(rest, word.length);
	skip_blanks(rest);
	return word;
}

/* What stands behind the range: "r-xp 0000f000 fe:01 1234   FILE". */
static bool
take_details(Rest *rest, FgCodeMapping *mapping)
{
	Rest		access = take_word(rest);

	if (access.length < 3 || access.text[2] != 'x' || !take_hex(rest, &mapping->offset))
		return false;
	skip_blanks(rest);
	take_word(rest);			/* device */
	take_word(rest);			/* inode */
	return true;
}

static void
cut_deleted(Rest *rest)
{
	static const char deleted[] = " (deleted)";
	size_t		size = sizeof(deleted) - 1;

	if (rest->length > size && memcmp(rest->text + rest->length - size, deleted, size) == 0)
		rest->length -= size;
}

/* Leaves the name of the file, which may be none. */
static bool
parse_mapping(Rest *rest, FgCodeMapping *mapping)
{
	mapping->offset = 0;
	skip_blanks(rest);
	if (!take_hex(rest, &mapping->start) || !take_byte(rest, '-') || !take_hex(rest, &mapping->end) ||
		mapping->start >= mapping->end)
		return false;
	if (take_byte(rest, ':'))
		skip_blanks(rest);
	else
	{
		skip_blanks(rest);
		if (!take_details(rest, mapping))
			return false;
	}
	cut_deleted(rest);
	for (size_t i = rest->length; i-- > 0;)
	{
		if (rest->text[i] == '/' && i + 1 < rest->length)
		{
			skip(rest, i + 1);
			break;
		}
	}
	return rest->length > 0;
}

bool
fg_code_map_line(FgCodeMap *map, const char *line, size_t length)
{
	Rest		rest = {line, length};
	FgCodeMapping mapping;

	if (!parse_mapping(&rest, &mapping))
		return true;
	if (map->mapping_count >= MAX_MAPPINGS)
		return fg_fail(map->ctx, FG_ERROR_LIMIT, "there are more than %u mapped files", MAX_MAPPINGS);
	mapping.file = map->texts.size;
	mapping.file_length = rest.length;
	if (!fg_buffer_append(&map->texts, rest.text, rest.length) ||
		!fg_reserve(map->ctx, (void **) &map->mappings, &map->mapping_capacity,
					map->mapping_count + 1, sizeof(FgCodeMapping)))
		return false;
	map->mappings[map->mapping_count++] = mapping;
	return true;
}

bool
fg_code_map_symbol(FgCodeMap *map, uint64_t address, const char *name, size_t length)
{
	size_t		count = map->symbol_count;

	if (count >= FG_NONE)
		return fg_fail(map->ctx, FG_ERROR_LIMIT, "there are more than %u symbols", FG_NONE);
	if (!fg_reserve(map->ctx, (void **) &map->addresses, &map->address_capacity, count + 1,
					sizeof(uint64_t)) ||
		!fg_reserve(map->ctx, (void **) &map->symbols, &map->symbol_capacity, count + 1,
					sizeof(FgCodeSymbol)))
		return false;
	map->addresses[count] = address;
	map->symbols[count] = (FgCodeSymbol) {map->texts.size, length};
	map->symbol_count++;
	return fg_buffer_append(&map->texts, name, length);
}

/* --- addresses --------------------------------------------------------------------------- */

static int
compare_mappings(const void *arg, uint32_t a, uint32_t b)
{
	const FgCodeMapping *mappings = arg;

	return (mappings[a].start > mappings[b].start) - (mappings[a].start < mappings[b].start);
}

bool
fg_code_map_finish(FgCodeMap *map)
{
	size_t		same[2];

	map->order = fg_alloc(map->ctx, map->mapping_count, sizeof(uint32_t));
	if (map->order == NULL ||
		!fg_order_by(map->ctx, (uint32_t) map->mapping_count, compare_mappings, map->mappings,
					 map->order))
		return false;
	if (fg_id_index_make(map->ctx, &map->index, map->addresses, map->symbol_count, same))
		return true;
	return same[1] > 0 && fg_fail(map->ctx, FG_ERROR_SYNTAX, "the address 0x%" PRIx64 " has two names",
								  map->addresses[same[1]]);
}

const char *
fg_code_map_name(const FgCodeMap *map, uint64_t address, size_t *length)
{
	size_t		at = map->symbol_count > 0 ? fg_id_index_find(&map->index, address) : SIZE_MAX;

	if (at == SIZE_MAX)
		return NULL;
	*length = map->symbols[at].length;
	return (char *) map->texts.data + map->symbols[at].start;
}

/* What holds the address; the begin of a file may belong to it where only the rest was said to be mapped. */
static const FgCodeMapping *
find_mapping(const FgCodeMap *map, uint64_t address)
{
	size_t		low = 0;
	size_t		high = map->mapping_count;
	const FgCodeMapping *mapping;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (map->mappings[map->order[middle]].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	mapping = low > 0 ? &map->mappings[map->order[low - 1]] : NULL;
	if (mapping != NULL && address < mapping->end)
		return mapping;
	mapping = low < map->mapping_count ? &map->mappings[map->order[low]] : NULL;
	return mapping != NULL && mapping->start - address <= mapping->offset ? mapping : NULL;
}

bool
fg_code_map_place(const FgCodeMap *map, uint64_t address, FgBuffer *text)
{
	const FgCodeMapping *mapping = find_mapping(map, address);
	uint64_t	place = mapping == NULL ? address : address - mapping->start + mapping->offset;
	char		number[32];

	snprintf(number, sizeof(number), "%s0x%" PRIx64, mapping == NULL ? "" : "+", place);
	return (mapping == NULL ||
			fg_buffer_append(text, (char *) map->texts.data + mapping->file, mapping->file_length)) &&
		fg_buffer_append(text, number, strlen(number));
}
