/*
 * node_walk.c
 *	  A walk over the nodes of a profile, call by call (see node_walk.h).
 */
#include "pg/base/node_walk.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/base/order.h"
#include "core/profile/walk.h"

FgNodeWalk *
fg_node_walk_begin(FuncCallContext *call, Datum value)
{
	FgNodeWalk *walk;
	FgFacts		facts;

	walk = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(FgNodeWalk));
	walk->ctx = fg_context_in(call->multi_call_memory_ctx);
	walk->path.ctx = &walk->ctx;
	fg_datum_tree_owned(&walk->ctx, value, &walk->tree);
	walk->source = &walk->tree;
	fg_must(&walk->ctx, fg_tree_facts(&walk->ctx, walk->source, &facts));
	walk->total = facts.total;
	walk->end = fg_alloc_zero(&walk->ctx, (size_t) facts.depth + 1, sizeof(size_t));
	walk->at = fg_alloc_zero(&walk->ctx, (size_t) facts.depth + 1, sizeof(uint32_t));
	return walk;
}

void
fg_node_walk_enter(FgNodeWalk *walk, uint32_t node)
{
	const FgTree *tree = walk->source;
	uint32_t	depth = fg_key_depth(tree->key[node]);
	uint32_t	frame = fg_key_frame(tree->key[node]);

	if (walk->open != NULL)
	{
		for (uint32_t d = depth; d <= fg_key_depth(tree->key[walk->node]); d++)
			walk->open[fg_key_frame(tree->key[walk->at[d]])]--;
		walk->open[frame]++;
	}
	walk->node = node;
	walk->at[depth] = node;
}

/* A path can be far longer than the value: it is refused before memory is taken. */
static void
check_path_length(FgContext *ctx, uint32_t node, size_t length)
{
	if (length <= MaxAllocSize - VARHDRSZ)
		return;
	fg_fail(ctx, FG_ERROR_LIMIT, "the stack of node %u is longer than 1 GB", node);
	fg_throw(ctx, "stackpath");
}

void
fg_node_walk_enter_path(FgNodeWalk *walk, uint32_t node)
{
	const FgTree *tree = walk->source;
	uint32_t	depth = fg_key_depth(tree->key[node]);
	uint32_t	frame = fg_key_frame(tree->key[node]);
	uint32_t	length = fg_frame_length(&tree->frames, frame);

	fg_node_walk_enter(walk, node);
	walk->path.size = walk->end[depth - 1];
	check_path_length(&walk->ctx, node, walk->path.size + length + 1);
	fg_must(&walk->ctx, (depth == 1 || fg_buffer_append(&walk->path, "", 1)) &&
			fg_buffer_append(&walk->path, fg_frame_bytes(&tree->frames, frame), length));
	walk->end[depth] = walk->path.size;
}

Datum
fg_node_walk_stack(const FgNodeWalk *walk)
{
	return PointerGetDatum(fg_varlena(walk->path.data, walk->path.size));
}

Datum
fg_node_walk_ancestor(const FgNodeWalk *walk, uint32_t depth)
{
	return PointerGetDatum(fg_varlena(walk->path.data, walk->end[depth]));
}

FgNodeList *
fg_node_list_begin(FuncCallContext *call, Datum value)
{
	FgNodeList *list = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(FgNodeList));
	size_t		nodes;

	list->ctx = fg_context_in(call->multi_call_memory_ctx);
	fg_datum_tree_owned(&list->ctx, value, &list->tree);
	nodes = (size_t) list->tree.nnodes + 1;
	list->parents = fg_alloc(&list->ctx, nodes, sizeof(uint32_t));
	list->nodes = fg_alloc(&list->ctx, nodes, sizeof(uint32_t));
	fg_must(&list->ctx, fg_tree_parents(&list->ctx, &list->tree, list->parents));
	return list;
}

void
fg_node_list_sort(FgNodeList *list, const double *values)
{
	FgContext  *ctx = &list->ctx;
	double	   *chosen = fg_alloc(ctx, list->count, sizeof(double));
	uint32_t   *order = fg_alloc(ctx, list->count, sizeof(uint32_t));

	for (uint32_t i = 0; i < list->count; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		chosen[i] = values[list->nodes[i]];
	}
	fg_must(ctx, fg_order_descending(ctx, chosen, list->count, order));
	for (uint32_t i = 0; i < list->count; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		order[i] = list->nodes[order[i]];
	}
	fg_release(ctx, chosen);
	fg_release(ctx, list->nodes);
	list->nodes = order;
}

Datum
fg_node_list_stack(FgNodeList *list, uint32_t node)
{
	const FgTree *tree = &list->tree;
	const uint32_t *parents = list->parents;
	size_t		length = 0;
	struct varlena *stack;
	char	   *end;

	for (uint32_t i = node; i != 0; i = parents[i])
		length += fg_frame_length(&tree->frames, fg_key_frame(tree->key[i])) + 1;
	check_path_length(&list->ctx, node, length);
	length -= length > 0;		/* a separator less than frames */
	stack = palloc(VARHDRSZ + length);
	SET_VARSIZE(stack, VARHDRSZ + length);
	end = VARDATA(stack) + length;
	for (uint32_t i = node; i != 0; i = parents[i])
	{
		uint32_t	frame = fg_key_frame(tree->key[i]);

		if (i != node)
			*--end = '\0';
		end -= fg_frame_length(&tree->frames, frame);
		memcpy(end, fg_frame_bytes(&tree->frames, frame), fg_frame_length(&tree->frames, frame));
	}
	return PointerGetDatum(stack);
}
