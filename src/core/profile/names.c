/*
 * names.c
 *	  A hash table of names (see names.h).
 */
#include "core/profile/names.h"

#include "core/base/slots.h"

#define FIRST_SLOTS 256

bool
fg_names_begin(FgContext *ctx, FgNames *names)
{
	*names = (FgNames) {.ctx = ctx, .mask = FIRST_SLOTS - 1};
	names->slot = fg_alloc_zero(ctx, FIRST_SLOTS, sizeof(uint64_t));
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

bool
fg_names_append(FgNames *names, const char *name, size_t length, uint32_t hash, uint32_t *number)
{
	FgContext  *ctx = names->ctx;
	size_t		count = (size_t) names->count + 1;

	if (count > UINT32_MAX / 4)
		return fg_fail(ctx, FG_ERROR_LIMIT, "there are too many different frames");
	/* a dictionary of them would not fit, so it is refused before memory is taken */
	if (names->size + length > FG_MAX_BYTES)
		return fg_fail(ctx, FG_ERROR_LIMIT,
					   "the frames have %zu bytes together, the limit is %u", names->size + length,
					   FG_MAX_BYTES);
	/* a byte more, so that an empty name has a place */
	if ((count > names->mask / 2 && !fg_slots_grow(names->ctx, &names->slot, &names->mask)) ||
		!fg_reserve(ctx, (void **) &names->bytes, &names->bytes_capacity,
					names->size + length + 1, 1) ||
		!fg_reserve(ctx, (void **) &names->offset, &names->offset_capacity, count, sizeof(size_t)) ||
		!fg_reserve(ctx, (void **) &names->length, &names->length_capacity, count,
					sizeof(uint32_t)))
		return false;
	memcpy(names->bytes + names->size, name, length);
	names->offset[names->count] = names->size;
	names->length[names->count] = (uint32_t) length;
	names->size += length;
	*number = names->count++;
	fg_slots_put(names->slot, names->mask, (uint64_t) hash << 32 | names->count);
	return true;
}

bool
fg_names_add(FgNames *names, const char *name, size_t length, uint32_t *number)
{
	uint32_t	hash = fg_names_hash(names, name, length);

	if (!fg_work(names->ctx, length))
		return false;
	*number = fg_names_find(names, name, length, hash);
	return *number != FG_NONE || fg_names_append(names, name, length, hash, number);
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
	bool		ok;

	ok = order != NULL &&
		fg_frames_sort(ctx, names->bytes, names->offset, names->length, names->count, order) &&
		fg_frames_alloc(ctx, frames, names->count, names->size);
	for (uint32_t i = 0; ok && i < names->count; i++)
	{
		uint32_t	n = order[i];

		place[n] = i;
		memcpy(frames->bytes + frames->offset[i], names->bytes + names->offset[n],
			   names->length[n]);
		frames->offset[i + 1] = frames->offset[i] + names->length[n];
		ok = fg_work(ctx, names->length[n]);
		if (!ok)
			fg_frames_free(ctx, frames);
	}
	fg_release(ctx, order);
	return ok;
}
