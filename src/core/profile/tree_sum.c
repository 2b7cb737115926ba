/*
 * tree_sum.c
 *	  A sum of profiles that grows in place (see tree_sum.h).
 */
#include "core/profile/tree_sum.h"

#include "core/profile/algebra.h"

#include <string.h>

/* The halves of a key (tree.h). */
#define DEPTH_BITS (~(uint64_t) UINT32_MAX)
#define key_level(key) ((uint32_t) ((key) >> 32))

/*
 * While it grows, the frames of the sum have odd numbers, 1, 3, 5, ...; a frame of another tree
 * that it lacks gets the even number between its neighbours, so that keys of both can be compared.
 * There are fewer than 2^30 frames, as FG_MAX_BYTES bounds their bytes.
 */
static bool
number_oddly(FgContext *ctx, FgTree *tree)
{
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		tree->key[i] += fg_key_frame(tree->key[i]) + 1;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static bool
number_evenly(FgContext *ctx, FgTree *tree)
{
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		tree->key[i] -= fg_key_frame(tree->key[i]) / 2 + 1;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* --- the sum --------------------------------------------------------------------------------- */

void
fg_tree_sum_free(FgContext *ctx, FgTreeSum *sum)
{
	fg_tree_free(ctx, &sum->tree);
	fg_release(ctx, sum->end);
	sum->end = NULL;
}

/* open[d]: the node at depth d on the path to the node at hand. */
static bool
find_ends(FgContext *ctx, const FgTree *tree, uint32_t *open, uint32_t *end)
{
	uint32_t	depth = 0;

	open[0] = 0;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	to = fg_key_depth(tree->key[i]);

		for (; depth >= to; depth--)
			end[open[depth]] = i;
		depth = to;
		open[depth] = i;
		if (!fg_check_every(ctx, i))
			return false;
	}
	for (uint32_t d = 0; d <= depth; d++)
		end[open[d]] = tree->nnodes + 1;
	return true;
}

/* Behind the last node stands a key that is greater than all. */
static bool
close_keys(FgContext *ctx, FgTree *tree)
{
	size_t		nodes = (size_t) tree->nnodes + 1;
	uint64_t   *key = fg_resize(ctx, tree->key, nodes + 1, sizeof(uint64_t));

	if (key == NULL)
		return false;
	tree->key = key;
	tree->key[nodes] = UINT64_MAX;
	return true;
}

bool
fg_tree_sum_begin(FgContext *ctx, FgTree *tree, FgTreeSum *sum)
{
	uint32_t   *open = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	bool		ok;

	sum->tree = *tree;
	sum->end = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	memset(tree, 0, sizeof(*tree));
	ok = open != NULL && sum->end != NULL && find_ends(ctx, &sum->tree, open, sum->end) &&
		close_keys(ctx, &sum->tree) && number_oddly(ctx, &sum->tree);
	fg_release(ctx, open);
	if (!ok)
		fg_tree_sum_free(ctx, sum);
	return ok;
}

bool
fg_tree_sum_take(FgContext *ctx, FgTreeSum *sum, FgTree *tree)
{
	*tree = sum->tree;
	memset(&sum->tree, 0, sizeof(sum->tree));
	fg_tree_sum_free(ctx, sum);
	if (number_evenly(ctx, tree) && fg_settle(ctx, tree, tree->nnodes))
		return true;
	fg_tree_free(ctx, tree);
	return false;
}

/* --- a tree is added ------------------------------------------------------------------------- */

/*
 * What is known while a tree is added.  path[level] is the last node of the tree at that level, the
 * depth half of a key, which falls with the depth.  kept[level] is the last one that is in the rest, at
 * depths 1 .. kept_depth.
 */
typedef struct Adding
{
	FgContext  *ctx;
	FgTreeSum  *sum;
	const FgTree *tree;
	uint32_t   *number;			/* by frame of the tree: in the sum */
	uint32_t   *path;
	uint32_t   *kept;
	uint32_t	kept_depth;
	FgTree	   *rest;			/* frames are numbered as in the tree */
	size_t		room;
} Adding;

/*
 * By frame of "part" its odd number in "whole", or the even one.  Both are sorted, so this is a
 * merge.
 */
static bool
number_frames(FgContext *ctx, const FgFrames *whole, const FgFrames *part, uint32_t *number)
{
	uint32_t	i = 0;

	for (uint32_t j = 0; j < part->count; j++)
	{
		const char *frame = fg_frame_bytes(part, j);
		uint32_t	length = fg_frame_length(part, j);
		int			order = -1;

		for (; i < whole->count; i++)
		{
			order = fg_bytes_compare(frame, length, fg_frame_bytes(whole, i),
									 fg_frame_length(whole, i));
			if (order <= 0)
				break;
			if (!fg_work(ctx, 0))
				return false;
		}
		number[j] = i < whole->count && order == 0 ? 2 * i++ + 1 : 2 * i;
		if (!fg_work(ctx, length))
			return false;
	}
	return true;
}

static bool
keep(Adding *adding, uint32_t node, double self)
{
	FgTree	   *rest = adding->rest;
	size_t		nodes = (size_t) rest->nnodes + 1;

	if (nodes == adding->room)
	{
		size_t		room = adding->room;

		if (!fg_reserve(adding->ctx, (void **) &rest->key, &room, nodes + 1, sizeof(uint64_t)) ||
			!fg_reserve(adding->ctx, (void **) &rest->self, &adding->room, nodes + 1,
						sizeof(double)))
			return false;
	}
	rest->key[nodes] = adding->tree->key[node];
	rest->self[nodes] = self;
	rest->nnodes++;
	return true;
}

/* How many nodes of the path above "depth" are in the rest already: these are the upper ones. */
static uint32_t
find_kept(const Adding *adding, uint32_t depth)
{
	uint32_t	low = 0;
	uint32_t	high = depth - 1 < adding->kept_depth ? depth - 1 : adding->kept_depth;

	while (low < high)
	{
		uint32_t	middle = low + (high - low + 1) / 2;
		uint32_t	level = FG_MAX_DEPTH - middle;

		if (adding->kept[level] == adding->path[level])
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* A node that the sum lacks, with all below it; *node becomes the first one behind these. */
static bool
keep_subtree(Adding *adding, uint32_t *node)
{
	const FgTree *tree = adding->tree;
	uint64_t	level = tree->key[*node] & DEPTH_BITS;
	uint32_t	depth = fg_key_depth(level);

	for (uint32_t d = find_kept(adding, depth) + 1; d < depth; d++)
	{
		uint32_t	above = adding->path[FG_MAX_DEPTH - d];

		adding->kept[FG_MAX_DEPTH - d] = above;
		if (!keep(adding, above, 0))
			return false;
	}
	adding->kept_depth = depth - 1;
	do
	{
		if (!keep(adding, *node, tree->self[*node]) || !fg_steps(adding->ctx, 1))
			return false;
		(*node)++;
	} while (*node <= tree->nnodes && tree->key[*node] < level);
	return true;
}

/*
 * Adds nodes j .. stop - 1 of the tree to those of the sum from *at on, up to the first one that
 * the sum lacks; returns that one.  Where the tree has passed a node of the sum, it has passed all
 * below that.  Returns early when it has passed many; *steps is what it did.
 */
static uint32_t
add_known(Adding *adding, uint32_t j, uint32_t stop, uint32_t *at, bool *lacking,
		  uint32_t *steps)
{
	const uint64_t *tree_key = adding->tree->key;
	const double *tree_self = adding->tree->self;
	const uint32_t *number = adding->number;
	const uint64_t *key = adding->sum->tree.key;
	const uint32_t *end = adding->sum->end;
	double	   *self = adding->sum->tree.self;
	uint32_t   *path = adding->path;
	uint32_t	from = j;
	uint32_t	passed = 0;
	uint32_t	i = *at;

	*lacking = false;
	for (; j < stop && passed < FG_COUNT_NODES; j++)
	{
		uint64_t	given = tree_key[j];
		uint64_t	wanted = (given & DEPTH_BITS) | number[fg_key_frame(given)];

		for (; key[i] < wanted && passed < FG_COUNT_NODES; i = end[i])
			passed++;
		if (key[i] != wanted)
		{
			*lacking = key[i] > wanted;
			break;
		}
		self[i++] += tree_self[j];
		path[key_level(given)] = j;
	}
	*at = i;
	*steps = passed + j - from;
	return j;
}

static bool
add_nodes(Adding *adding)
{
	const FgTree *tree = adding->tree;
	uint32_t	at = 1;
	uint32_t	j = 1;

	adding->sum->tree.self[0] += tree->self[0];
	while (j <= tree->nnodes)
	{
		uint32_t	left = tree->nnodes + 1 - j;
		uint32_t	some = left < FG_COUNT_NODES ? left : FG_COUNT_NODES;
		uint32_t	steps;
		bool		lacking;

		j = add_known(adding, j, j + some, &at, &lacking, &steps);
		if ((lacking && !keep_subtree(adding, &j)) || !fg_steps(adding->ctx, steps))
			return false;
	}
	return true;
}

/* Gives the rest the dictionary of the frames that it uses; number[] is used up. */
static bool
take_frames(FgContext *ctx, const FgFrames *all, uint32_t *number, FgTree *rest)
{
	uint32_t	count = 0;
	size_t		bytes = 0;

	memset(number, 0, all->count * sizeof(uint32_t));
	for (uint32_t i = 1; i <= rest->nnodes; i++)
		number[fg_key_frame(rest->key[i])] = 1;
	for (uint32_t f = 0; f < all->count; f++)
	{
		count += number[f];
		bytes += number[f] != 0 ? fg_frame_length(all, f) : 0;
	}
	if (!fg_frames_alloc(ctx, &rest->frames, count, bytes))
		return false;
	count = 0;
	for (uint32_t f = 0; f < all->count; f++)
	{
		uint32_t	length = fg_frame_length(all, f);

		if (number[f] == 0)
			continue;
		memcpy(rest->frames.bytes + rest->frames.offset[count], fg_frame_bytes(all, f), length);
		rest->frames.offset[count + 1] = rest->frames.offset[count] + length;
		number[f] = count++;
		if (!fg_work(ctx, length))
			return false;
	}
	for (uint32_t i = 1; i <= rest->nnodes; i++)
		rest->key[i] = (rest->key[i] & DEPTH_BITS) | number[fg_key_frame(rest->key[i])];
	return true;
}

bool
fg_tree_sum_add(FgContext *ctx, FgTreeSum *sum, const FgTree *tree, FgTree *rest)
{
	Adding		adding = {
		.ctx = ctx,
		.sum = sum,
		.tree = tree,
		.rest = rest,
		.room = 1
	};
	bool		ok;

	if (!fg_tree_alloc(ctx, rest, 0))
		return false;
	adding.number = fg_alloc(ctx, tree->frames.count, sizeof(uint32_t));
	adding.path = fg_alloc(ctx, FG_MAX_DEPTH, sizeof(uint32_t));
	adding.kept = fg_alloc(ctx, FG_MAX_DEPTH, sizeof(uint32_t));
	ok = adding.number != NULL && adding.path != NULL && adding.kept != NULL &&
		number_frames(ctx, &sum->tree.frames, &tree->frames, adding.number) &&
		add_nodes(&adding) && take_frames(ctx, &tree->frames, adding.number, rest);
	fg_release(ctx, adding.number);
	fg_release(ctx, adding.path);
	fg_release(ctx, adding.kept);
	if (!ok)
		fg_tree_free(ctx, rest);
	return ok;
}
