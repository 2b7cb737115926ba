/*
 * frames.c
 *	  The frame dictionary: search, union, order and validity (see frames.h).
 */
#include "core/profile/frames.h"

#include "core/base/words.h"

#include <string.h>

int
fg_bytes_compare(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t		shorter = alen < blen ? alen : blen;
	int			order = shorter > 0 ? memcmp(a, b, shorter) : 0;

	if (order != 0)
		return order;
	return (alen > blen) - (alen < blen);
}

bool
fg_frames_alloc(FgContext *ctx, FgFrames *frames, uint32_t count, size_t bytes)
{
	memset(frames, 0, sizeof(*frames));
	if (bytes > FG_MAX_BYTES)
		return fg_fail(ctx, FG_ERROR_LIMIT,
					   "the frames have %zu bytes together, the limit is %u", bytes, FG_MAX_BYTES);
	frames->offset = fg_alloc(ctx, (size_t) count + 1, sizeof(uint32_t));
	if (frames->offset == NULL)
		return false;
	frames->bytes = fg_alloc(ctx, bytes, 1);
	if (frames->bytes == NULL)
	{
		fg_frames_free(ctx, frames);
		return false;
	}
	frames->count = count;
	frames->offset[0] = 0;
	return true;
}

bool
fg_frames_copy(FgContext *ctx, const FgFrames *from, FgFrames *to)
{
	uint32_t	bytes = from->offset[from->count];

	if (!fg_frames_alloc(ctx, to, from->count, bytes))
		return false;
	if (fg_copy(ctx, to->offset, from->offset, ((size_t) from->count + 1) * sizeof(uint32_t)) &&
		fg_copy(ctx, to->bytes, from->bytes, bytes))
		return true;
	fg_frames_free(ctx, to);
	return false;
}

void
fg_frames_free(FgContext *ctx, FgFrames *frames)
{
	fg_release(ctx, frames->offset);
	fg_release(ctx, frames->bytes);
	memset(frames, 0, sizeof(*frames));
}

bool
fg_frames_equal(const FgFrames *a, const FgFrames *b)
{
	if (a->count != b->count || a->offset[a->count] != b->offset[b->count])
		return false;
	return memcmp(a->offset, b->offset, ((size_t) a->count + 1) * sizeof(uint32_t)) == 0 &&
		memcmp(a->bytes, b->bytes, a->offset[a->count]) == 0;
}

uint32_t
fg_frames_find(const FgFrames *frames, const char *frame, size_t length)
{
	uint32_t	low = 0;
	uint32_t	high = frames->count;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		int			order = fg_bytes_compare(frame, length, fg_frame_bytes(frames, middle),
											 fg_frame_length(frames, middle));

		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return FG_NONE;
}

/*
 * Numbers the union: fills the maps and returns its size in frames and bytes.
 */
static bool
number_union(FgContext *ctx, const FgFrames *a, const FgFrames *b, uint32_t *map_a,
			 uint32_t *map_b, uint32_t *count, size_t *bytes)
{
	uint32_t	i = 0;
	uint32_t	j = 0;
	uint32_t	n = 0;
	size_t		size = 0;

	while (i < a->count || j < b->count)
	{
		int			order;

		if (!fg_work(ctx, i < a->count ? fg_frame_length(a, i) : 0))
			return false;
		if (j == b->count)
			order = -1;
		else if (i == a->count)
			order = 1;
		else
			order = fg_bytes_compare(fg_frame_bytes(a, i), fg_frame_length(a, i),
									 fg_frame_bytes(b, j), fg_frame_length(b, j));
		size += order <= 0 ? fg_frame_length(a, i) : fg_frame_length(b, j);
		if (order <= 0)
			map_a[i++] = n;
		if (order >= 0)
			map_b[j++] = n;
		n++;
	}
	*count = n;
	*bytes = size;
	return true;
}

bool
fg_frames_union(FgContext *ctx, const FgFrames *a, const FgFrames *b,
				FgFrames *result, uint32_t *map_a, uint32_t *map_b)
{
	uint32_t	count;
	size_t		bytes;
	uint32_t	i = 0;
	uint32_t	j = 0;

	if (!number_union(ctx, a, b, map_a, map_b, &count, &bytes) ||
		!fg_frames_alloc(ctx, result, count, bytes))
		return false;
	for (uint32_t n = 0; n < count; n++)
	{
		bool		from_a = i < a->count && map_a[i] == n;
		bool		from_b = j < b->count && map_b[j] == n;
		const FgFrames *source = from_a ? a : b;
		uint32_t	frame = from_a ? i : j;
		uint32_t	length = fg_frame_length(source, frame);

		memcpy(result->bytes + result->offset[n], fg_frame_bytes(source, frame), length);
		result->offset[n + 1] = result->offset[n] + length;
		i += from_a;
		j += from_b;
		if (!fg_work(ctx, length))
		{
			fg_frames_free(ctx, result);
			return false;
		}
	}
	return true;
}

/* A string to sort: its first eight bytes as a big-endian number, and which. */
typedef struct SortItem
{
	uint64_t	prefix;
	uint32_t	string;
} SortItem;

typedef struct SortStrings
{
	const char *bytes;
	const size_t *offset;
	const uint32_t *length;
} SortStrings;

static uint64_t
string_prefix(const char *text, uint32_t length)
{
	uint64_t	prefix = 0;

	for (uint32_t i = 0; i < 8; i++)
		prefix = prefix << 8 | (i < length ? (uint8_t) text[i] : 0);
	return prefix;
}

static inline bool
item_less(const SortStrings *strings, const SortItem *a, const SortItem *b)
{
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix;
	return fg_bytes_compare(strings->bytes + strings->offset[a->string],
							strings->length[a->string],
							strings->bytes + strings->offset[b->string],
							strings->length[b->string]) < 0;
}

static bool
merge_runs(FgContext *ctx, const SortStrings *strings, const SortItem *from, SortItem *to,
		   size_t start, size_t middle, size_t end)
{
	size_t		i = start;
	size_t		j = middle;

	for (size_t k = start; k < end; k++)
	{
		/* comparing two frames may read all of the shorter one */
		if (!fg_work(ctx, i < middle && j < end && from[i].prefix == from[j].prefix
					 ? strings->length[from[i].string] : 0))
			return false;
		if (i < middle && (j >= end || !item_less(strings, &from[j], &from[i])))
			to[k] = from[i++];
		else
			to[k] = from[j++];
	}
	return true;
}

static bool
merge_sort(FgContext *ctx, const SortStrings *strings, SortItem *items, SortItem *spare,
		   size_t count, SortItem **sorted)
{
	for (size_t width = 1; width < count; width *= 2)
	{
		SortItem   *swap = items;

		for (size_t start = 0; start < count; start += 2 * width)
		{
			size_t		middle = start + width < count ? start + width : count;
			size_t		end = start + 2 * width < count ? start + 2 * width : count;

			if (!merge_runs(ctx, strings, items, spare, start, middle, end))
				return false;
		}
		items = spare;
		spare = swap;
	}
	*sorted = items;
	return true;
}

bool
fg_frames_sort(FgContext *ctx, const char *bytes, const size_t *offset,
			   const uint32_t *length, uint32_t count, uint32_t *order)
{
	SortStrings strings = {bytes, offset, length};
	SortItem   *items = fg_alloc(ctx, count, 2 * sizeof(SortItem));
	SortItem   *sorted;
	bool		ok = true;

	if (items == NULL)
		return false;
	for (uint32_t i = 0; ok && i < count; i++)
	{
		ok = fg_check_every(ctx, i);
		items[i].prefix = string_prefix(bytes + offset[i], length[i]);
		items[i].string = i;
	}
	ok = ok && fg_check(ctx) && merge_sort(ctx, &strings, items, items + count, count, &sorted);
	for (uint32_t i = 0; ok && i < count; i++)
	{
		ok = fg_check_every(ctx, i);
		order[i] = sorted[i].string;
	}
	fg_release(ctx, items);
	return ok;
}

/*
 * Length of the UTF-8 sequence at s, 0 when it is not one: shortest forms only,
 * no surrogates, nothing above U+10FFFF (RFC 3629, section 4).
 */
static size_t
utf8_sequence(const uint8_t *s, size_t left)
{
	uint8_t		low = 0x80;
	uint8_t		high = 0xBF;
	size_t		length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xC2 && s[0] <= 0xDF)
		length = 2;
	else if ((s[0] & 0xF0) == 0xE0)
		length = 3;
	else if (s[0] >= 0xF0 && s[0] <= 0xF4)
		length = 4;
	else
		return 0;
	if (s[0] == 0xE0)
		low = 0xA0;
	else if (s[0] == 0xED)
		high = 0x9F;
	else if (s[0] == 0xF0)
		low = 0x90;
	else if (s[0] == 0xF4)
		high = 0x8F;
	if (left < length || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
	{
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	}
	return length;
}

/* Eight bytes that are not ASCII have one of these bits. */
#define NOT_ASCII UINT64_C(0x8080808080808080)

/* How many bytes from here on are ASCII for certain: a multiple of eight. */
static inline size_t
ascii_prefix(const char *text, size_t length)
{
	size_t		i = 0;

	while (length - i >= 32 &&
		   ((fg_load_word(text + i) | fg_load_word(text + i + 8) | fg_load_word(text + i + 16) |
			 fg_load_word(text + i + 24)) & NOT_ASCII) == 0)
		i += 32;
	while (length - i >= 8 && (fg_load_word(text + i) & NOT_ASCII) == 0)
		i += 8;
	return i;
}

size_t
fg_utf8_prefix(const char *text, size_t length)
{
	size_t		i = 0;

	/* where there is nothing there may be no address either */
	while (i < length)
	{
		size_t		sequence;

		i += ascii_prefix(text + i, length - i);
		sequence = i < length ? utf8_sequence((const uint8_t *) text + i, length - i) : 0;
		if (sequence == 0)
			break;
		i += sequence;
	}
	return i;
}

bool
fg_frame_valid(FgContext *ctx, const char *frame, size_t length)
{
	if (length == 0)
		return fg_fail(ctx, FG_ERROR_SYNTAX, "a frame is empty");
	if (length > FG_MAX_FRAME)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a frame has %zu bytes, the limit is %u",
					   length, FG_MAX_FRAME);
	if (memchr(frame, '\0', length) != NULL)
		return fg_fail(ctx, FG_ERROR_ENCODING, "a frame holds a NUL byte");
	if (memchr(frame, '\r', length) != NULL || memchr(frame, '\n', length) != NULL)
		return fg_fail(ctx, FG_ERROR_SYNTAX, "a frame holds a line break");
	if (fg_utf8_prefix(frame, length) != length)
		return fg_fail(ctx, FG_ERROR_ENCODING, "a frame is not valid UTF-8");
	return true;
}
