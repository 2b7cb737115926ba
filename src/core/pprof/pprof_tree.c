/*
 * pprof_tree.c
 *	  Trees of stacks in order (see pprof_tree.h).
 */
#include "core/pprof/pprof_tree.h"

#include "core/base/ahead.h"

#include <string.h>

/* How many places ahead values are asked for, which lie apart. */
#define AHEAD 16

/* The same of nodes, which lie behind each other. */
#define NODES_AHEAD 64

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

/* A tree while it is written down. */
typedef struct Writing
{
	FgTree	   *tree;
	uint32_t	node;			/* the last one */
	uint32_t   *path;			/* frames of the stack, numbered from 0 in the order of their ranks */
	uint8_t    *used;			/* is the frame in the tree? 1 or 0 */
	bool		zero;			/* was there a node whose stacks added up to 0? */
} Writing;

/* What the stack does not share with the one before, from the rest. */
static inline void
read_rest(const FgStackLists *lists, bool wide, size_t at, const FgStackEntry *stack, uint32_t *path)
{
	const uint8_t *from = fg_stack_rest(lists, at);

	for (uint32_t k = stack->sorted.same; k < stack->sorted.depth; k++, from += fg_stack_bytes(wide))
		path[k] = fg_stack_get(from, wide) - 1;
}

static inline void
write_stack(Writing *w, uint32_t shared, uint32_t depth, double value)
{
	FgTree	   *tree = w->tree;
	uint32_t	node = w->node;

	/* with no frame that is new it is the stack before, as one that begins another comes first */
	for (; shared < depth; shared++)
	{
		tree->key[++node] = fg_key(shared + 1, w->path[shared]);
		tree->self[node] = 0;
		w->used[w->path[shared]] = 1;
	}
	tree->self[node] += value;
	w->zero |= tree->self[node] == 0;
	w->node = node;
}

static inline bool
write_nodes(Walk walk, bool wide, Writing *w)
{
	const FgStackLists *lists = walk.lists;
	size_t		at = 0;

	while (walk.next < lists->count)
	{
		const FgStackEntry *stack;
		bool		wanted = take_stack(&walk, &stack);

		fg_ask_ahead_to_write(w->tree->key + w->node, NODES_AHEAD * sizeof(uint64_t));
		fg_ask_ahead_to_write(w->tree->self + w->node, NODES_AHEAD * sizeof(double));
		read_rest(lists, wide, at, stack, w->path);
		at += stack->sorted.depth - stack->sorted.same;
		if (!fg_steps(lists->ctx, stack->sorted.depth - stack->sorted.same + 1))
			return false;
		if (!wanted)
			continue;
		write_stack(w, walk.shared, stack->sorted.depth, fg_pprof_sums(walk.samples, stack->label)[walk.type]);
		walk.shared = stack->sorted.depth;
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

/* Gives room back that a tree of all stacks would have taken. */
static bool
fit(FgContext *ctx, FgTree *tree, uint32_t nodes)
{
	size_t		had = (size_t) tree->nnodes + 1;
	uint64_t   *key;
	double	   *self;

	tree->nnodes = nodes;
	if (nodes >= had / 4 * 3)
		return true;
	key = fg_resize(ctx, tree->key, had, (size_t) nodes + 1, sizeof(uint64_t));
	tree->key = key != NULL ? key : tree->key;
	self = fg_resize(ctx, tree->self, had, (size_t) nodes + 1, sizeof(double));
	tree->self = self != NULL ? self : tree->self;
	return key != NULL && self != NULL;
}

/* Most trees have all frames that there are, and no node without a value but those on the way to others. */
static bool
prune(FgContext *ctx, const Writing *w)
{
	uint32_t	count = w->tree->frames.count;

	if (!w->zero && memchr(w->used, 0, count) == NULL)
		return fg_work(ctx, count);
	return fg_tree_prune_zeros(ctx, w->tree);
}

bool
fg_pprof_tree(const FgStackLists *lists, const FgPprofRanks *ranks, const FgPprofSamples *samples, size_t type,
			  FgTree *tree)
{
	FgContext  *ctx = lists->ctx;
	Walk		walk = {.lists = lists, .samples = samples, .type = type};
	Writing		w = {
		.tree = tree, .path = fg_alloc(ctx, lists->deepest, sizeof(uint32_t)),
		.used = fg_alloc_zero(ctx, ranks->count, sizeof(uint8_t))
	};
	bool		ok;

	*tree = (FgTree) {.nnodes = 0};
	ok = w.path != NULL && w.used != NULL && fg_tree_alloc(ctx, tree, (uint32_t) lists->nodes) &&
		(lists->wide ? write_nodes(walk, true, &w) : write_nodes(walk, false, &w)) &&
		fit(ctx, tree, w.node) && copy_frames(ranks, &tree->frames) && prune(ctx, &w);
	fg_release(ctx, w.path);
	fg_release(ctx, w.used);
	if (!ok)
		fg_tree_free(ctx, tree);
	return ok;
}
