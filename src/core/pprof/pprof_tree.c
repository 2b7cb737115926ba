/*
 * pprof_tree.c
 *	  Trees of stacks in order (see pprof_tree.h).
 */
#include "core/pprof/pprof_tree.h"

/* How many places ahead values are asked for, which lie apart. */
#define AHEAD 16

/* Stacks in order, as far as they have been read. */
typedef struct Walk
{
	const FgStackLists *lists;
	const FgPprofSamples *samples;
	size_t		type;
	uint32_t	next;			/* stack */
	uint32_t	shared;			/* frames that the stack before it has, of those with a value of the type, too */
} Walk;

/* The next stack; false: it has no value of the type, and those behind it may share less. */
static inline bool
take_stack(Walk *walk, const FgStackEntry **stack)
{
	*stack = &walk->lists->entries[walk->next];
	if (walk->lists->count - walk->next > AHEAD)
		__builtin_prefetch(fg_pprof_sums(walk->samples, (*stack)[AHEAD].label));
	walk->next++;
	if ((*stack)->sorted.same < walk->shared)
		walk->shared = (*stack)->sorted.same;
	return fg_pprof_has(walk->samples, (*stack)->label, walk->type);
}

/* How many nodes the tree has, and how deep a stack is. */
static bool
measure(Walk walk, size_t *nodes, uint32_t *deepest)
{
	*nodes = 0;
	*deepest = 0;
	while (walk.next < walk.lists->count)
	{
		const FgStackEntry *stack;
		bool		wanted = take_stack(&walk, &stack);

		if (stack->sorted.depth > *deepest)
			*deepest = stack->sorted.depth;
		if (wanted)
		{
			*nodes += stack->sorted.depth - walk.shared;
			walk.shared = stack->sorted.depth;
		}
		if (!fg_check_every(walk.lists->ctx, walk.next))
			return false;
	}
	return true;
}

/* Frames are ranks still, from 0. */
static bool
write_nodes(Walk walk, uint32_t *path, FgTree *tree)
{
	const FgStackLists *lists = walk.lists;
	uint32_t	node = 0;
	size_t		at = 0;

	while (walk.next < lists->count)
	{
		const FgStackEntry *stack;
		bool		wanted = take_stack(&walk, &stack);

		for (uint32_t k = stack->sorted.same; k < stack->sorted.depth; k++)
			path[k] = fg_stack_rest(lists, at++) - 1;
		if (!fg_steps(lists->ctx, stack->sorted.depth - stack->sorted.same + 1))
			return false;
		if (!wanted)
			continue;
		/* with no frame that is new it is the stack before, as one that begins another comes first */
		for (; walk.shared < stack->sorted.depth; walk.shared++)
		{
			tree->key[++node] = fg_key(walk.shared + 1, path[walk.shared]);
			tree->self[node] = 0;
		}
		tree->self[node] += fg_pprof_sums(walk.samples, stack->label)[walk.type];
	}
	return true;
}

/* All frames, whether the tree has them or not. */
static bool
copy_frames(const FgPprofRanks *ranks, FgFrames *frames)
{
	FgContext  *ctx = ranks->ctx;
	size_t		bytes = 0;

	for (uint32_t i = 1; i <= ranks->count; i++)
		bytes += fg_pprof_rank_text(ranks, i).length;
	if (!fg_frames_alloc(ctx, frames, ranks->count, bytes))
		return false;
	for (uint32_t i = 0; i < ranks->count; i++)
	{
		FgPprofText text = fg_pprof_rank_text(ranks, i + 1);

		memcpy(frames->bytes + frames->offset[i], text.bytes, text.length);
		frames->offset[i + 1] = frames->offset[i] + (uint32_t) text.length;
		if (!fg_work(ctx, text.length))
			return false;
	}
	return true;
}

bool
fg_pprof_tree(const FgStackLists *lists, const FgPprofRanks *ranks, const FgPprofSamples *samples, size_t type,
			  FgTree *tree)
{
	FgContext  *ctx = lists->ctx;
	Walk		walk = {.lists = lists, .samples = samples, .type = type};
	uint32_t   *path;
	size_t		nodes;
	uint32_t	deepest;
	bool		ok;

	*tree = (FgTree) {.nnodes = 0};
	if (!measure(walk, &nodes, &deepest))
		return false;
	path = fg_alloc(ctx, deepest, sizeof(uint32_t));
	ok = path != NULL && fg_tree_alloc(ctx, tree, (uint32_t) nodes) && write_nodes(walk, path, tree) &&
		copy_frames(ranks, &tree->frames) && fg_tree_prune_zeros(ctx, tree);
	fg_release(ctx, path);
	if (!ok)
		fg_tree_free(ctx, tree);
	return ok;
}
