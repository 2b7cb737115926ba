/*
 * tasks.c
 *	  Tasks of a profile (see tasks.h).
 */
#include "tasks.h"

#include "builder.h"
#include "pairs.h"
#include "walk.h"

#include <string.h>

/* --- sums of subtrees ----------------------------------------------------------- */

/*
 * Subtrees whose frames increase are one behind the other in the result, and
 * nothing has to be looked up.
 */
static bool
in_order(const FgTree *tree, const uint32_t *nodes, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
	{
		if (fg_key_frame(tree->key[nodes[i - 1]]) >= fg_key_frame(tree->key[nodes[i]]))
			return false;
	}
	return true;
}

static bool
copy_subtrees(FgContext *ctx, const FgTree *tree, const uint32_t *nodes, uint32_t count,
			  FgTree *result)
{
	uint32_t	to = 0;

	for (uint32_t r = 0; r < count; r++)
	{
		uint32_t	outside = fg_key_depth(tree->key[nodes[r]]) - 1;

		for (uint32_t i = nodes[r]; i <= tree->nnodes; i++)
		{
			uint32_t	depth = fg_key_depth(tree->key[i]);

			if (!fg_check_every(ctx, i))
				return false;
			if (i > nodes[r] && depth <= outside + 1)
				break;
			to++;
			result->key[to] = fg_key(depth - outside, fg_key_frame(tree->key[i]));
			result->self[to] = tree->self[i];
		}
	}
	result->nnodes = to;
	return fg_frames_copy(ctx, &tree->frames, &result->frames) && fg_tree_prune_zeros(ctx, result);
}

/* name[f]: the builder's number of frame f, FG_NONE before it is needed. */
static bool
build_subtree(FgContext *ctx, const FgTree *tree, uint32_t node, FgBuilder *builder,
			  uint32_t *name, uint32_t *image)
{
	uint32_t	outside = fg_key_depth(tree->key[node]) - 1;

	image[outside] = 0;
	for (uint32_t i = node; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);

		if (!fg_check_every(ctx, i))
			return false;
		if (i > node && depth <= outside + 1)
			break;
		if (name[frame] == FG_NONE &&
			!fg_builder_frame(builder, fg_frame_bytes(&tree->frames, frame),
							  fg_frame_length(&tree->frames, frame), &name[frame]))
			return false;
		if (!fg_builder_child(builder, image[depth - 1], name[frame], &image[depth]))
			return false;
		if (tree->self[i] != 0 && !fg_builder_add_value(builder, image[depth], tree->self[i]))
			return false;
	}
	return true;
}

static bool
build_subtrees(FgContext *ctx, const FgTree *tree, const uint32_t *nodes, uint32_t count,
			   FgTree *result)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	uint32_t   *name = fg_alloc(ctx, tree->frames.count, sizeof(uint32_t));
	uint32_t   *image = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	bool		ok = builder != NULL && name != NULL && image != NULL;

	if (ok)
		memset(name, 0xFF, tree->frames.count * sizeof(uint32_t));
	for (uint32_t r = 0; ok && r < count; r++)
		ok = build_subtree(ctx, tree, nodes[r], builder, name, image);
	ok = ok && fg_builder_finish(builder, result);
	if (builder != NULL)
		fg_builder_free(builder);
	fg_release(ctx, name);
	fg_release(ctx, image);
	return ok;
}

bool
fg_sum_subtrees(FgContext *ctx, const FgTree *tree, const uint32_t *nodes, uint32_t count,
				FgTree *result)
{
	if (!in_order(tree, nodes, count))
		return build_subtrees(ctx, tree, nodes, count, result);
	if (!fg_tree_alloc(ctx, result, tree->nnodes))
		return false;
	if (copy_subtrees(ctx, tree, nodes, count, result))
		return true;
	fg_tree_free(ctx, result);
	return false;
}

/* --- views -------------------------------------------------------------------------- */

bool
fg_task_view(FgContext *ctx, const FgTree *tree, const uint8_t *flags, FgTree *result)
{
	uint32_t   *roots = NULL;
	size_t		capacity = 0;
	uint32_t	count = 0;
	FgWalk		walk;
	bool		ok = fg_walk_begin(ctx, tree, &walk);

	while (ok && fg_walk_next(&walk))
	{
		if (!flags[walk.frame] || (count > 0 && fg_walk_below(&walk, roots[count - 1])))
			continue;
		ok = fg_reserve(ctx, (void **) &roots, &capacity, (size_t) count + 1, sizeof(uint32_t));
		if (ok)
			roots[count++] = walk.node;
	}
	ok = fg_walk_end(&walk) && ok && fg_sum_subtrees(ctx, tree, roots, count, result);
	fg_release(ctx, roots);
	return ok;
}

/* --- all tasks at once ---------------------------------------------------------------- */

/* Roots as (task, node), in preorder. */
typedef struct Found
{
	FgNumberPair *roots;
	size_t		capacity;
	uint32_t	count;
} Found;

static bool
find_roots(FgContext *ctx, const FgTree *tree, const FgFrameTasks *tasks, uint32_t *latest,
		   Found *found)
{
	FgWalk		walk;
	bool		ok = fg_walk_begin(ctx, tree, &walk);

	while (ok && fg_walk_next(&walk))
	{
		for (uint32_t t = tasks->first[walk.frame]; t < tasks->first[walk.frame + 1]; t++)
		{
			uint32_t	task = tasks->task[t];

			if (fg_walk_below(&walk, latest[task]))
				continue;
			latest[task] = walk.node;
			if (found->count == UINT32_MAX)
				ok = fg_fail(ctx, FG_ERROR_LIMIT, "there are more than %u starts of tasks",
							 UINT32_MAX);
			ok = ok && fg_reserve(ctx, (void **) &found->roots, &found->capacity,
								  (size_t) found->count + 1, sizeof(FgNumberPair));
			if (ok)
				found->roots[found->count++] = (FgNumberPair) {task, walk.node};
		}
	}
	return fg_walk_end(&walk) && ok;
}

/* Groups them by task; the order within each stays. */
static bool
group_roots(FgContext *ctx, const Found *found, uint32_t ntasks, uint32_t *next,
			FgTaskRoots *roots)
{
	for (uint32_t i = 0; i < found->count; i++)
		roots->first[found->roots[i].a + 1]++;
	for (uint32_t t = 0; t < ntasks; t++)
	{
		roots->first[t + 1] += roots->first[t];
		next[t] = roots->first[t];
	}
	for (uint32_t i = 0; i < found->count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		roots->node[next[found->roots[i].a]++] = found->roots[i].b;
	}
	return true;
}

bool
fg_task_roots(FgContext *ctx, const FgTree *tree, const FgFrameTasks *tasks, FgTaskRoots *roots)
{
	uint32_t   *latest = fg_alloc_zero(ctx, tasks->ntasks, sizeof(uint32_t));
	Found		found = {NULL, 0, 0};
	bool		ok;

	memset(roots, 0, sizeof(*roots));
	roots->first = fg_alloc_zero(ctx, (size_t) tasks->ntasks + 1, sizeof(uint32_t));
	ok = latest != NULL && roots->first != NULL && find_roots(ctx, tree, tasks, latest, &found);
	if (ok)
		roots->node = fg_alloc(ctx, found.count, sizeof(uint32_t));
	ok = ok && roots->node != NULL && group_roots(ctx, &found, tasks->ntasks, latest, roots);
	fg_release(ctx, latest);
	fg_release(ctx, found.roots);
	if (!ok)
		fg_task_roots_free(ctx, roots);
	return ok;
}

void
fg_task_roots_free(FgContext *ctx, FgTaskRoots *roots)
{
	fg_release(ctx, roots->first);
	fg_release(ctx, roots->node);
	memset(roots, 0, sizeof(*roots));
}
