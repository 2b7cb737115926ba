/*
 * tree_sum_frames.c
 *	  The frames of a profile under their numbers in a sum (see tree_sum.h).
 *
 * A program has the same frames in all its profiles, but for a few.  So the frames of a dictionary
 * are looked for where the one before had them, and the table of names is asked for what is new.
 * Both dictionaries are sorted; were one not, more would be asked for.
 */
#include "core/merging/tree_sum_internal.h"

#include "core/base/bytes.h"
#include "core/profile/codec.h"

#include <string.h>

static inline bool
is_name(const FgNames *names, uint32_t number, const char *frame, uint32_t length)
{
	return names->length[number] == length &&
		memcmp(names->bytes + names->offset[number], frame, length) == 0;
}

/* --- of a tree ------------------------------------------------------------------------------- */

/* The numbers of the tree before are those that are set in given[]. */
static bool
begin_numbers(FgTreeSum *sum, uint32_t count)
{
	FgContext  *ctx = sum->ctx;

	for (uint32_t f = 0; f < sum->numbered; f++)
		sum->given[sum->number[f]] = FG_NONE;
	return fg_reserve(ctx, (void **) &sum->before, &sum->before_capacity, sum->numbered,
					  sizeof(uint32_t)) &&
		fg_copy(ctx, sum->before, sum->number, sum->numbered * sizeof(uint32_t)) &&
		fg_reserve(ctx, (void **) &sum->number, &sum->number_capacity, count, sizeof(uint32_t));
}

static bool
find_numbers(FgTreeSum *sum, const FgFrames *frames, uint32_t before)
{
	uint32_t	i = 0;

	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *frame = fg_frame_bytes(frames, f);
		uint32_t	length = fg_frame_length(frames, f);

		if (!fg_work(sum->ctx, length))
			return false;
		if (i < before && is_name(&sum->names, sum->before[i], frame, length))
			sum->number[f] = sum->before[i++];
		else if (i + 1 < before && is_name(&sum->names, sum->before[i + 1], frame, length))
		{
			sum->number[f] = sum->before[i + 1];
			i += 2;
		}
		else if (!fg_names_add(&sum->names, frame, length, &sum->number[f]))
			return false;
	}
	return true;
}

bool
fg_sum_number_frames(FgTreeSum *sum, const FgFrames *frames)
{
	uint32_t	before = sum->numbered;

	if (!begin_numbers(sum, frames->count))
		return false;
	sum->numbered = 0;
	if (!find_numbers(sum, frames, before) ||
		!fg_reserve(sum->ctx, (void **) &sum->given, &sum->given_capacity, sum->names.count,
					sizeof(uint32_t)))
		return false;
	for (; sum->given_count < sum->names.count; sum->given_count++)
		sum->given[sum->given_count] = FG_NONE;
	for (uint32_t f = 0; f < frames->count; f++)
		sum->given[sum->number[f]] = f;
	sum->numbered = frames->count;
	return true;
}

/* --- of an encoded profile --------------------------------------------------------------------- */

/* A dictionary as it is read: of the profile at hand, or of the one before. */
typedef struct FgSumDictionary
{
	uint8_t    *bytes;			/* section DICTIONARY (codec.h) */
	size_t		bytes_capacity;
	uint32_t   *start;			/* by frame: where its entry begins; behind the last: the end */
	size_t		start_capacity;
	uint32_t   *number;			/* by frame: in the sum */
	size_t		number_capacity;
	uint32_t	count;
} FgSumDictionary;

struct FgSumDictionaries
{
	FgSumDictionary now;
	FgSumDictionary before;
	char	   *text;			/* of the frame at hand */
	size_t		text_capacity;
};

static void
free_dictionary(FgContext *ctx, FgSumDictionary *dictionary)
{
	fg_release(ctx, dictionary->bytes);
	fg_release(ctx, dictionary->start);
	fg_release(ctx, dictionary->number);
}

void
fg_sum_dictionaries_free(FgTreeSum *sum)
{
	struct FgSumDictionaries *both = sum->dictionaries;

	if (both == NULL)
		return;
	free_dictionary(sum->ctx, &both->now);
	free_dictionary(sum->ctx, &both->before);
	fg_release(sum->ctx, both->text);
	fg_release(sum->ctx, both);
	sum->dictionaries = NULL;
}

/* What was at hand is the one before. */
static bool
begin_dictionary(FgTreeSum *sum, FgReader section, uint32_t count)
{
	FgContext  *ctx = sum->ctx;
	struct FgSumDictionaries *both = sum->dictionaries;
	FgSumDictionary swap;
	size_t		size = fg_reader_left(&section);

	if (both == NULL)
		both = sum->dictionaries = fg_alloc_zero(ctx, 1, sizeof(*both));
	if (both == NULL)
		return false;
	swap = both->before;
	both->before = both->now;
	both->now = swap;
	both->now.count = 0;
	/* a byte more, so that there is something to point to */
	return fg_reserve(ctx, (void **) &both->now.bytes, &both->now.bytes_capacity, size + 1, 1) &&
		fg_copy(ctx, both->now.bytes, section.next, size) &&
		fg_reserve(ctx, (void **) &both->now.start, &both->now.start_capacity, (size_t) count + 1,
				   sizeof(uint32_t)) &&
		fg_reserve(ctx, (void **) &both->now.number, &both->now.number_capacity, count,
				   sizeof(uint32_t));
}

/* How many bytes are the same. */
static size_t
common_bytes(const uint8_t *a, const uint8_t *b, size_t length)
{
	size_t		i = 0;

	for (; length - i >= 8; i += 8)
	{
		uint64_t	difference = fg_load_le(a + i, 8) ^ fg_load_le(b + i, 8);

		if (difference != 0)
			return i + (size_t) __builtin_ctzll(difference) / 8;
	}
	while (i < length && a[i] == b[i])
		i++;
	return i;
}

/*
 * Entries that are the same as those of the dictionary before from "at" on: they stand for the
 * same frames when the frames in front of them are the same.
 */
static void
take_same(struct FgSumDictionaries *both, FgReader *reader, uint32_t count, uint32_t *at)
{
	FgSumDictionary *now = &both->now;
	const FgSumDictionary *before = &both->before;
	uint32_t	i = *at;
	uint32_t	begin = before->start[i];
	uint32_t	end = before->start[before->count];
	size_t		left = fg_reader_left(reader);
	size_t		same;

	same = common_bytes(reader->next, before->bytes + begin, left < end - begin ? left : end - begin);
	for (; now->count < count && i < before->count && before->start[i + 1] - begin <= same; i++)
	{
		now->number[now->count] = before->number[i];
		now->start[now->count] = (uint32_t) (reader->next - now->bytes) + before->start[i] - begin;
		now->count++;
	}
	reader->next += before->start[i] - begin;
	*at = i;
}

/* Reads an entry, whose frame becomes text. */
static bool
read_entry(FgTreeSum *sum, FgReader *reader, uint32_t *length)
{
	struct FgSumDictionaries *both = sum->dictionaries;
	const FgSumDictionary *now = &both->now;
	uint32_t	previous = now->count > 0 ? now->number[now->count - 1] : FG_NONE;
	uint32_t	shared;
	uint32_t	more;

	if (fg_reader_left(reader) < 1)
		return false;
	shared = *reader->next++;
	if (shared > FG_MAX_SHARED || shared > (previous != FG_NONE ? sum->names.length[previous] : 0) ||
		!fg_read_varint32(reader, &more) || more == 0 || more > fg_reader_left(reader) ||
		more > FG_MAX_FRAME - shared ||
		!fg_reserve(sum->ctx, (void **) &both->text, &both->text_capacity, (size_t) shared + more, 1))
		return false;
	if (shared > 0)
		memcpy(both->text, sum->names.bytes + sum->names.offset[previous], shared);
	memcpy(both->text + shared, reader->next, more);
	reader->next += more;
	*length = shared + more;
	return fg_work(sum->ctx, *length);
}

/*
 * The number of a frame.  Those of the dictionary before that are smaller are passed; *same says
 * whether the next one was this.
 */
static bool
find_number(FgTreeSum *sum, uint32_t length, uint32_t *at, bool *same, uint32_t *number)
{
	const struct FgSumDictionaries *both = sum->dictionaries;
	const FgSumDictionary *before = &both->before;
	int			order = -1;

	for (; *at < before->count; (*at)++)
	{
		uint32_t	other = before->number[*at];

		order = fg_bytes_compare(both->text, length, sum->names.bytes + sum->names.offset[other],
								 sum->names.length[other]);
		if (order <= 0)
			break;
		if (!fg_work(sum->ctx, 0))
			return false;
	}
	*same = *at < before->count && order == 0;
	if (!*same)
		return fg_names_add(&sum->names, both->text, length, number);
	*number = before->number[(*at)++];
	return true;
}

bool
fg_sum_number_dictionary(FgTreeSum *sum, FgReader section, uint32_t count,
						 const uint32_t **number)
{
	struct FgSumDictionaries *both;
	FgReader	reader;
	FgSumDictionary *now;
	uint32_t	at = 0;
	bool		same = true;

	if (!begin_dictionary(sum, section, count))
		return false;
	both = sum->dictionaries;
	now = &both->now;
	reader = (FgReader) {now->bytes, now->bytes + fg_reader_left(&section)};
	while (now->count < count)
	{
		uint32_t	length;

		if (same && at < both->before.count)
			take_same(both, &reader, count, &at);
		if (now->count == count)
			break;
		now->start[now->count] = (uint32_t) (reader.next - now->bytes);
		if (!read_entry(sum, &reader, &length) ||
			!find_number(sum, length, &at, &same, &now->number[now->count]))
			return false;
		now->count++;
	}
	now->start[count] = (uint32_t) (reader.next - now->bytes);
	*number = now->number;
	return fg_reader_left(&reader) == 0 && fg_work(sum->ctx, fg_reader_left(&section));
}
