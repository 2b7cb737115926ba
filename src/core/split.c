/*
 * split.c
 *	  One profile as several (see split.h).
 */
#include "split.h"

#include "order.h"

#include <string.h>

bool
fg_split_begin(FgContext *ctx, const FgTree *tree, const uint8_t *starts, FgSplit *split)
{
	uint32_t	nframes = tree->frames.count;

	memset(split, 0, sizeof(*split));
	split->ctx = ctx;
	split->tree = tree;
	split->starts = starts;
	split->next = 1;
	split->path = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	split->number = fg_alloc_zero(ctx, nframes, sizeof(uint32_t));
	split->used = fg_alloc(ctx, nframes, sizeof(uint32_t));
	split->order_by = fg_alloc(ctx, nframes, sizeof(double));
	split->order = fg_alloc(ctx, nframes, sizeof(uint32_t));
	if (split->path != NULL && split->number != NULL && split->used != NULL &&
		split->order_by != NULL && split->order != NULL)
		return true;
	fg_split_end(split);
	return false;
}

void
fg_split_end(FgSplit *split)
{
	fg_release(split->ctx, split->path);
	fg_release(split->ctx, split->number);
	fg_release(split->ctx, split->used);
	fg_release(split->ctx, split->order_by);
	fg_release(split->ctx, split->order);
	memset(split, 0, sizeof(*split));
}

/* Copies the ancestors, without values, and the subtree. */
static bool
copy_nodes(FgSplit *split, uint32_t node, uint32_t end, FgTree *part)
{
	const FgTree *tree = split->tree;
	uint32_t	depth = fg_key_depth(tree->key[node]);
	size_t		count = end - node;

	for (uint32_t d = 1; d < depth; d++)
	{
		part->key[d] = tree->key[split->path[d]];
		part->self[d] = 0;
	}
	return fg_copy(split->ctx, part->key + depth, tree->key + node, count * sizeof(uint64_t)) &&
		fg_copy(split->ctx, part->self + depth, tree->self + node, count * sizeof(double));
}

/* The frames of the part into split->used, marked in split->number. */
static bool
collect_frames(FgSplit *split, const FgTree *part, uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 1; i <= part->nnodes; i++)
	{
		uint32_t	frame = fg_key_frame(part->key[i]);

		if (split->number[frame] == 0)
			split->used[(*count)++] = frame;
		split->number[frame] = 1;
		if (!fg_check_every(split->ctx, i))
			return false;
	}
	return true;
}

/* Numbers the used frames in their order and copies them. */
static bool
number_frames(FgSplit *split, uint32_t count, FgFrames *frames)
{
	const FgFrames *all = &split->tree->frames;
	size_t		bytes = 0;
	size_t		unchecked = 0;

	for (uint32_t k = 0; k < count; k++)
	{
		split->order_by[k] = -(double) split->used[k];
		bytes += fg_frame_length(all, split->used[k]);
	}
	if (!fg_order_descending(split->ctx, split->order_by, count, split->order) ||
		!fg_frames_alloc(split->ctx, frames, count, bytes))
		return false;
	for (uint32_t k = 0; k < count; k++)
	{
		uint32_t	frame = split->used[split->order[k]];
		uint32_t	length = fg_frame_length(all, frame);

		memcpy(frames->bytes + frames->offset[k], fg_frame_bytes(all, frame), length);
		frames->offset[k + 1] = frames->offset[k] + length;
		split->number[frame] = k + 1;
		if (!fg_check_bytes(split->ctx, &unchecked, length))
			return false;
	}
	return true;
}

static bool
renumber(FgSplit *split, FgTree *part)
{
	for (uint32_t i = 1; i <= part->nnodes; i++)
	{
		uint64_t	key = part->key[i];

		part->key[i] = (key & ~(uint64_t) UINT32_MAX) | (split->number[fg_key_frame(key)] - 1);
		if (!fg_check_every(split->ctx, i))
			return false;
	}
	return true;
}

static bool
make_part(FgSplit *split, uint32_t node, uint32_t end, FgTree *part)
{
	uint32_t	depth = fg_key_depth(split->tree->key[node]);
	uint32_t	count;

	if (!fg_tree_alloc(split->ctx, part, depth - 1 + (end - node)))
		return false;
	if (copy_nodes(split, node, end, part) && collect_frames(split, part, &count) &&
		number_frames(split, count, &part->frames) && renumber(split, part))
	{
		for (uint32_t k = 0; k < count; k++)
			split->number[split->used[k]] = 0;
		return true;
	}
	fg_tree_free(split->ctx, part);
	return false;
}

bool
fg_split_next(FgSplit *split, uint32_t *node, FgTree *part)
{
	const FgTree *tree = split->tree;
	uint32_t	start = split->next;
	uint32_t	depth = 0;

	for (; start <= tree->nnodes; start++)
	{
		if (!fg_check_every(split->ctx, start))
			return false;
		depth = fg_key_depth(tree->key[start]);
		split->path[depth] = start;
		if (split->starts[start])
			break;
	}
	*node = start <= tree->nnodes ? start : 0;
	split->next = start + 1;
	if (*node == 0)
		return true;
	while (split->next <= tree->nnodes && fg_key_depth(tree->key[split->next]) > depth)
		split->next++;
	return make_part(split, start, split->next, part);
}
