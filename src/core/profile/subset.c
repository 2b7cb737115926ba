/*
 * subset.c
 *	  Dictionaries of parts (see subset.h).
 */
#include "core/profile/subset.h"

#include "core/base/order.h"

#include <string.h>

bool
fg_subset_begin(FgContext *ctx, const FgFrames *all, FgSubset *subset)
{
	*subset = (FgSubset) {
		.ctx = ctx,
		.all = all,
		.number = fg_alloc_zero(ctx, all->count, sizeof(uint32_t)),
		.used = fg_alloc(ctx, all->count, sizeof(uint32_t)),
		.order_by = fg_alloc(ctx, all->count, sizeof(double)),
		.order = fg_alloc(ctx, all->count, sizeof(uint32_t))
	};
	if (subset->number != NULL && subset->used != NULL && subset->order_by != NULL &&
		subset->order != NULL)
		return true;
	fg_subset_end(subset);
	return false;
}

void
fg_subset_end(FgSubset *subset)
{
	if (subset->ctx == NULL)
		return;
	fg_release(subset->ctx, subset->number);
	fg_release(subset->ctx, subset->used);
	fg_release(subset->ctx, subset->order_by);
	fg_release(subset->ctx, subset->order);
	memset(subset, 0, sizeof(*subset));
}

/* The frames of the part into subset->used, marked in subset->number. */
static bool
collect_frames(FgSubset *subset, const FgTree *part, uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 1; i <= part->nnodes; i++)
	{
		uint32_t	frame = fg_key_frame(part->key[i]);

		if (subset->number[frame] == 0)
			subset->used[(*count)++] = frame;
		subset->number[frame] = 1;
		if (!fg_check_every(subset->ctx, i))
			return false;
	}
	return true;
}

/* Numbers the used frames in their order and copies them. */
static bool
number_frames(FgSubset *subset, uint32_t count, FgFrames *frames)
{
	const FgFrames *all = subset->all;
	size_t		bytes = 0;

	for (uint32_t k = 0; k < count; k++)
	{
		subset->order_by[k] = -(double) subset->used[k];
		bytes += fg_frame_length(all, subset->used[k]);
	}
	if (!fg_order_descending(subset->ctx, subset->order_by, count, subset->order) ||
		!fg_frames_alloc(subset->ctx, frames, count, bytes))
		return false;
	for (uint32_t k = 0; k < count; k++)
	{
		uint32_t	frame = subset->used[subset->order[k]];
		uint32_t	length = fg_frame_length(all, frame);

		memcpy(frames->bytes + frames->offset[k], fg_frame_bytes(all, frame), length);
		frames->offset[k + 1] = frames->offset[k] + length;
		subset->number[frame] = k + 1;
		if (!fg_work(subset->ctx, length))
			return false;
	}
	return true;
}

static bool
renumber(FgSubset *subset, FgTree *part)
{
	for (uint32_t i = 1; i <= part->nnodes; i++)
	{
		uint64_t	key = part->key[i];

		part->key[i] = (key & ~(uint64_t) UINT32_MAX) | (subset->number[fg_key_frame(key)] - 1);
		if (!fg_check_every(subset->ctx, i))
			return false;
	}
	return true;
}

bool
fg_subset_take(FgSubset *subset, FgTree *part)
{
	uint32_t	count;

	if (!collect_frames(subset, part, &count) ||
		!number_frames(subset, count, &part->frames) || !renumber(subset, part))
		return false;
	for (uint32_t k = 0; k < count; k++)
		subset->number[subset->used[k]] = 0;
	return true;
}
