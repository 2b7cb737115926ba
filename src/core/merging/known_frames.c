/*
 * known_frames.c
 *	  Dictionaries among names that are known (see known_frames.h).
 */
#include "core/merging/known_frames.h"

#include "core/base/words.h"
#include "core/profile/codec.h"

#include <string.h>

/* So many frames are worked on together, or as many as have these bytes: they stay in a cache. */
#define AT_ONCE			128
#define ENOUGH_BYTES	((size_t) 16 * 1024)

/*
 * What a frame shares with the one before is copied as a fixed number of bytes, and what follows in
 * steps: to look how many there are would take longer.  What is copied in vain has room.
 */
#define PREFIX			((size_t) 48)
#define STEP			((size_t) 32)
#define SLACK			(PREFIX + STEP)
_Static_assert(PREFIX >= FG_MAX_SHARED, "all that is shared is copied");

/* Of a name that is compared these bytes are fetched ahead. */
#define CACHE_LINE		64

/* A frame in the text. */
typedef struct Place
{
	size_t		at;
	uint32_t	length;
} Place;

typedef struct Batch
{
	Place		last;			/* of the batch before; no bytes in front of the first */
	uint32_t	count;
	Place		place[AT_ONCE];
	uint32_t	hash[AT_ONCE];
} Batch;

void
fg_known_frames_begin(FgContext *ctx, FgNames *names, FgKnownFrames *known)
{
	*known = (FgKnownFrames) {.ctx = ctx, .names = names};
}

void
fg_known_frames_free(FgKnownFrames *known)
{
	if (known->ctx == NULL)
		return;
	fg_release(known->ctx, known->found);
	fg_release(known->ctx, known->text);
	memset(known, 0, sizeof(*known));
}

/* --- the frames of a batch --------------------------------------------------------------------- */

static inline bool
read_lengths(FgReader *reader, uint32_t before, uint32_t *shared, uint32_t *more)
{
	if (fg_reader_left(reader) < 1)
		return false;
	*shared = *reader->next++;
	return *shared <= FG_MAX_SHARED && *shared <= before && fg_read_varint32(reader, more) &&
		*more != 0 && *more <= fg_reader_left(reader) && *more <= FG_MAX_FRAME - *shared;
}

static inline void
take_bytes(FgReader *reader, char *to, uint32_t count)
{
	const uint8_t *from = reader->next;

	reader->next += count;
	if (fg_reader_left(reader) < STEP)
	{
		memcpy(to, from, count);
		return;
	}
	for (uint32_t i = 0; i < count; i += STEP)
		memcpy(to + i, from + i, STEP);
}

static inline bool
read_frame(FgKnownFrames *known, FgReader *reader, Place before, Place *frame)
{
	uint32_t	shared;
	uint32_t	more;
	size_t		needed;

	if (!read_lengths(reader, before.length, &shared, &more))
		return false;
	frame->at = before.at + (before.length > PREFIX ? before.length : PREFIX);
	frame->length = shared + more;
	needed = frame->at + frame->length + SLACK;
	if (needed > known->text_capacity &&
		!fg_reserve(known->ctx, (void **) &known->text, &known->text_capacity, needed, 1))
		return false;
	memcpy(known->text + frame->at, known->text + before.at, PREFIX);
	take_bytes(reader, known->text + frame->at + shared, more);
	return true;
}

/* The next frames of the dictionary, of which so many are left. */
static bool
read_batch(FgKnownFrames *known, FgReader *reader, uint32_t left, Batch *batch)
{
	Place		before = batch->last;
	Place		frame = before;

	if (before.at > 0)
		memmove(known->text, known->text + before.at, before.length);
	before.at = 0;
	batch->count = 0;
	while (batch->count < left && batch->count < AT_ONCE && before.at < ENOUGH_BYTES)
	{
		if (!read_frame(known, reader, before, &frame))
			return false;
		batch->place[batch->count++] = frame;
		before = frame;
	}
	batch->last = before;
	return fg_work(known->ctx, frame.at + frame.length + (size_t) batch->count * CACHE_LINE);
}

/* --- numbers ------------------------------------------------------------------------------------ */

/* Is it this name? Sixteen bytes at once, the last ones perhaps twice. */
static inline bool
is_name(const FgNames *names, uint32_t number, const char *frame, uint32_t length)
{
	const char *name = names->bytes + names->offset[number];
	uint64_t	difference = 0;
	uint32_t	i = 0;

	if (names->length[number] != length)
		return false;
	if (length < 16)
		return memcmp(name, frame, length) == 0;
	for (;;)
	{
		difference |= fg_load_word(name + i) ^ fg_load_word(frame + i);
		difference |= fg_load_word(name + i + 8) ^ fg_load_word(frame + i + 8);
		if (i == length - 16)
			return difference == 0;
		i = i + 16 < length - 16 ? i + 16 : length - 16;
	}
}

/* The first name with this hash, or FG_NONE. */
static inline uint32_t
likely_name(const FgNames *names, uint32_t hash)
{
	uint32_t	at = hash & names->mask;

	while (names->slot[at] != 0 && (uint32_t) (names->slot[at] >> 32) != hash)
		at = (at + 1) & names->mask;
	return (uint32_t) names->slot[at] - 1;
}

/*
 * In passes, of which each fetches what the next one reads: in one, each frame would wait for three
 * places of the table, one after the other.
 */
static void
guess_numbers(const FgKnownFrames *known, Batch *batch, uint32_t *number)
{
	const FgNames *names = known->names;

	for (uint32_t f = 0; f < batch->count; f++)
	{
		Place		place = batch->place[f];

		batch->hash[f] = fg_names_hash(names, known->text + place.at, place.length);
		__builtin_prefetch(&names->slot[batch->hash[f] & names->mask]);
	}
	for (uint32_t f = 0; f < batch->count; f++)
	{
		number[f] = likely_name(names, batch->hash[f]);
		if (number[f] == FG_NONE)
			continue;
		__builtin_prefetch(&names->offset[number[f]]);
		__builtin_prefetch(&names->length[number[f]]);
	}
	for (uint32_t f = 0; f < batch->count; f++)
	{
		if (number[f] == FG_NONE)
			continue;
		__builtin_prefetch(names->bytes + names->offset[number[f]]);
		__builtin_prefetch(names->bytes + names->offset[number[f]] + CACHE_LINE);
	}
}

/* The number of a frame, a new one for a new frame. */
static bool
look_up(FgKnownFrames *known, const char *frame, uint32_t length, uint32_t hash, uint32_t *number)
{
	FgNames    *names = known->names;

	*number = fg_names_find(names, frame, length, hash);
	return *number != FG_NONE || (fg_frame_valid(known->ctx, frame, length) &&
								  fg_names_append(names, frame, length, hash, number));
}

static bool
number_batch(FgKnownFrames *known, Batch *batch, uint32_t *number)
{
	guess_numbers(known, batch, number);
	for (uint32_t f = 0; f < batch->count; f++)
	{
		const char *frame = known->text + batch->place[f].at;
		uint32_t	length = batch->place[f].length;

		if ((number[f] == FG_NONE || !is_name(known->names, number[f], frame, length)) &&
			!look_up(known, frame, length, batch->hash[f], &number[f]))
			return false;
	}
	return true;
}

bool
fg_known_frames_number(FgKnownFrames *known, FgReader section, uint32_t count,
					   const uint32_t **number)
{
	Batch		batch;

	batch.last = (Place) {0, 0};
	if (!fg_reserve(known->ctx, (void **) &known->text, &known->text_capacity, SLACK, 1) ||
		!fg_reserve(known->ctx, (void **) &known->found, &known->found_capacity, count,
					sizeof(uint32_t)))
		return false;
	for (uint32_t f = 0; f < count; f += batch.count)
	{
		if (!read_batch(known, &section, count - f, &batch) ||
			!number_batch(known, &batch, known->found + f))
			return false;
	}
	*number = known->found;
	return fg_reader_left(&section) == 0;
}

bool
fg_known_frames_number_all(FgKnownFrames *known, const FgFrames *frames, const uint32_t **number)
{
	if (!fg_reserve(known->ctx, (void **) &known->found, &known->found_capacity, frames->count,
					sizeof(uint32_t)))
		return false;
	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *frame = fg_frame_bytes(frames, f);
		uint32_t	length = fg_frame_length(frames, f);

		if (f > 0 && fg_bytes_compare(fg_frame_bytes(frames, f - 1), fg_frame_length(frames, f - 1),
									  frame, length) >= 0)
			return fg_fail(known->ctx, FG_ERROR_CORRUPT, "the frame dictionary is damaged");
		if (!fg_work(known->ctx, length) ||
			!look_up(known, frame, length, fg_names_hash(known->names, frame, length), &known->found[f]))
			return false;
	}
	*number = known->found;
	return true;
}
