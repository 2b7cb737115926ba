/*
 * names.c
 *	  A hash table of names (see names.h).
 */
#include "core/profile/names.h"

#include "core/base/hash.h"

#include <string.h>

#define FIRST_SLOTS 1024

static uint32_t
hash_name(uint64_t seed, const char *name, size_t length)
{
	uint64_t	h = seed ^ length;
	uint64_t	word;

	for (; length >= sizeof(word); name += sizeof(word), length -= sizeof(word))
	{
		memcpy(&word, name, sizeof(word));
		h = fg_fold_multiply(h ^ word, UINT64_C(0x9E3779B97F4A7C15) ^ seed);
	}
	word = 0;
	memcpy(&word, name, length);
	h = fg_fold_multiply(h ^ word, UINT64_C(0xD1B54A32D192ED03) ^ seed);
	return (uint32_t) (h ^ h >> 32);
}

bool
fg_names_begin(FgContext *ctx, FgNames *names)
{
	*names = (FgNames) {.ctx = ctx, .mask = FIRST_SLOTS - 1};
	names->slot = fg_alloc_zero(ctx, FIRST_SLOTS, sizeof(uint32_t));
	return names->slot != NULL;
}

void
fg_names_free(FgNames *names)
{
	if (names->ctx == NULL)
		return;
	fg_release(names->ctx, names->bytes);
	fg_release(names->ctx, names->offset);
	fg_release(names->ctx, names->length);
	fg_release(names->ctx, names->slot);
	memset(names, 0, sizeof(*names));
}

static uint32_t
name_hash(const FgNames *names, uint32_t number)
{
	return hash_name(names->ctx->seed, names->bytes + names->offset[number],
					 names->length[number]);
}

static bool
names_grow(FgNames *names)
{
	uint32_t	mask = names->mask * 2 + 1;
	uint32_t   *slot = fg_alloc_zero(names->ctx, (size_t) mask + 1, sizeof(uint32_t));

	if (slot == NULL)
		return false;
	for (uint32_t n = 0; n < names->count; n++)
	{
		uint32_t	at = name_hash(names, n) & mask;

		while (slot[at] != 0)
			at = (at + 1) & mask;
		slot[at] = n + 1;
	}
	fg_release(names->ctx, names->slot);
	names->slot = slot;
	names->mask = mask;
	return true;
}

static bool
append_name(FgNames *names, const char *name, size_t length)
{
	FgContext  *ctx = names->ctx;
	size_t		count = (size_t) names->count + 1;

	if (count > UINT32_MAX / 4)
		return fg_fail(ctx, FG_ERROR_LIMIT, "the profiles have too many different frames");
	/* a dictionary of them would not fit, so it is refused before memory is taken */
	if (names->size + length > FG_MAX_BYTES)
		return fg_fail(ctx, FG_ERROR_LIMIT,
					   "the frames have %zu bytes together, the limit is %u", names->size + length,
					   FG_MAX_BYTES);
	/* a byte more, so that an empty name has a place */
	if (!fg_reserve(ctx, (void **) &names->bytes, &names->bytes_capacity,
					names->size + length + 1, 1) ||
		!fg_reserve(ctx, (void **) &names->offset, &names->offset_capacity, count, sizeof(size_t)) ||
		!fg_reserve(ctx, (void **) &names->length, &names->length_capacity, count,
					sizeof(uint32_t)))
		return false;
	memcpy(names->bytes + names->size, name, length);
	names->offset[names->count] = names->size;
	names->length[names->count] = (uint32_t) length;
	names->size += length;
	names->count++;
	return true;
}

bool
fg_names_add(FgNames *names, const char *name, size_t length, uint32_t *number)
{
	uint32_t	at;

	if (!fg_work(names->ctx, length) ||
		(names->count >= names->mask / 2 && !names_grow(names)))
		return false;
	at = hash_name(names->ctx->seed, name, length) & names->mask;
	for (; names->slot[at] != 0; at = (at + 1) & names->mask)
	{
		uint32_t	other = names->slot[at] - 1;

		if (names->length[other] == length &&
			memcmp(names->bytes + names->offset[other], name, length) == 0)
		{
			*number = other;
			return true;
		}
	}
	*number = names->count;
	names->slot[at] = names->count + 1;
	if (append_name(names, name, length))
		return true;
	names->slot[at] = 0;
	return false;
}

bool
fg_names_add_frames(FgNames *names, const FgFrames *frames, uint32_t *numbers)
{
	for (uint32_t f = 0; f < frames->count; f++)
	{
		if (!fg_names_add(names, fg_frame_bytes(frames, f), fg_frame_length(frames, f),
						  &numbers[f]))
			return false;
	}
	return true;
}

bool
fg_names_sort(FgNames *names, FgFrames *frames, uint32_t *place)
{
	FgContext  *ctx = names->ctx;
	uint32_t   *order = fg_alloc(ctx, names->count, sizeof(uint32_t));
	uint32_t	at = 0;

	if (order == NULL ||
		!fg_frames_sort(ctx, names->bytes, names->offset, names->length, names->count, order) ||
		!fg_frames_alloc(ctx, frames, names->count, names->size))
	{
		fg_release(ctx, order);
		return false;
	}
	for (uint32_t i = 0; i < names->count; i++)
	{
		uint32_t	n = order[i];

		place[n] = i;
		frames->offset[i] = at;
		memcpy(frames->bytes + at, names->bytes + names->offset[n], names->length[n]);
		at += names->length[n];
	}
	frames->offset[names->count] = at;
	fg_release(ctx, order);
	return true;
}
