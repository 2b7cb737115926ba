/*
 * transform.c
 *	  Linear maps of profiles (see transform.h).
 */
#include "core/profile/transform.h"

#include "core/base/sums.h"
#include "core/profile/builder.h"

#include <math.h>
#include <string.h>

/* No image: the stacks through this node go nowhere. */
#define NOWHERE FG_NONE

/*
 * A map under way.  image[d] is the result's node for the node at depth d of the
 * current path (or NOWHERE), path[d] that node's frame.
 */
typedef struct Map
{
	FgContext  *ctx;
	const FgTree *tree;
	FgBuilder  *builder;
	uint32_t   *name;			/* the builder's number of each frame */
	uint32_t   *image;
	uint32_t   *path;
	uint32_t	depth;			/* of the current node */
	uint32_t	frame;
	uint32_t	parameter;		/* a frame, a depth, ... */
	const uint8_t *flags;		/* by frame */
} Map;

/* Finds the image of the current node from that of its parent. */
typedef bool (*MapNode) (Map *map, uint32_t parent_image, uint32_t *image);

static bool
map_begin(Map *map, FgContext *ctx, const FgTree *tree, bool same_names)
{
	memset(map, 0, sizeof(*map));
	map->ctx = ctx;
	map->tree = tree;
	map->builder = fg_builder_create(ctx);
	map->name = fg_alloc(ctx, tree->frames.count, sizeof(uint32_t));
	map->image = fg_alloc_zero(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	map->path = fg_alloc_zero(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	if (map->builder == NULL || map->name == NULL || map->image == NULL || map->path == NULL)
		return false;
	for (uint32_t f = 0; same_names && f < tree->frames.count; f++)
	{
		if (!fg_builder_frame(map->builder, fg_frame_bytes(&tree->frames, f),
							  fg_frame_length(&tree->frames, f), &map->name[f]))
			return false;
	}
	return true;
}

/* Releases the map and makes the result, unless something failed before. */
static bool
map_end(Map *map, bool ok, FgTree *result)
{
	if (ok)
		ok = fg_builder_finish(map->builder, result);
	if (map->builder != NULL)
		fg_builder_free(map->builder);
	fg_release(map->ctx, map->name);
	fg_release(map->ctx, map->image);
	fg_release(map->ctx, map->path);
	return ok;
}

static bool
map_nodes(Map *map, MapNode map_node)
{
	const FgTree *tree = map->tree;

	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		uint32_t	image = map->image[0];

		if (!fg_check_every(map->ctx, i))
			return false;
		map->depth = fg_key_depth(tree->key[i]);
		map->frame = fg_key_frame(tree->key[i]);
		if (i > 0)
		{
			if (!map_node(map, map->image[map->depth - 1], &image))
				return false;
			map->image[map->depth] = image;
			map->path[map->depth] = map->frame;
		}
		if (image != NOWHERE && tree->self[i] != 0 &&
			!fg_builder_add_value(map->builder, image, tree->self[i]))
			return false;
	}
	return true;
}

static bool
map_tree(Map *map, bool ready, MapNode map_node, uint32_t root_image, FgTree *result)
{
	if (ready)
		map->image[0] = root_image;
	return map_end(map, ready && map_nodes(map, map_node), result);
}

static bool
child(Map *map, uint32_t parent_image, uint32_t *image)
{
	return fg_builder_child(map->builder, parent_image, map->name[map->frame], image);
}

static bool
stay(uint32_t parent_image, uint32_t *image)
{
	*image = parent_image;
	return true;
}

/* --- maps from parent to child ---------------------------------------------- */

static bool
drop_node(Map *map, uint32_t parent_image, uint32_t *image)
{
	if (map->flags[map->frame])
		return stay(parent_image, image);
	return child(map, parent_image, image);
}

bool
fg_drop_frames(FgContext *ctx, const FgTree *tree, const uint8_t *drop, FgTree *result)
{
	Map			map;
	bool		ready = map_begin(&map, ctx, tree, true);

	map.flags = drop;
	return map_tree(&map, ready, drop_node, 0, result);
}

static bool
focus_node(Map *map, uint32_t parent_image, uint32_t *image)
{
	if (parent_image != NOWHERE)
		return child(map, parent_image, image);
	if (map->frame != map->parameter)
		return stay(NOWHERE, image);
	return child(map, 0, image);
}

bool
fg_focus(FgContext *ctx, const FgTree *tree, uint32_t frame, FgTree *result)
{
	Map			map;
	bool		ready = map_begin(&map, ctx, tree, true);

	map.parameter = frame;
	return map_tree(&map, ready, focus_node, NOWHERE, result);
}

/*
 * Stacks that do not reach the frame must not leave their values on the way, so
 * they are collected first: image is NOWHERE until the frame is met, and the path
 * to it is entered then.
 */
static bool
callers_node(Map *map, uint32_t parent_image, uint32_t *image)
{
	uint32_t	node = 0;

	if (parent_image != NOWHERE || map->frame != map->parameter)
		return stay(parent_image, image);
	for (uint32_t d = 1; d <= map->depth; d++)
	{
		uint32_t	frame = d < map->depth ? map->path[d] : map->frame;

		if (!fg_builder_child(map->builder, node, map->name[frame], &node))
			return false;
	}
	*image = node;
	return true;
}

bool
fg_callers_of(FgContext *ctx, const FgTree *tree, uint32_t frame, FgTree *result)
{
	Map			map;
	bool		ready = map_begin(&map, ctx, tree, true);

	map.parameter = frame;
	return map_tree(&map, ready, callers_node, NOWHERE, result);
}

static bool
cut_node(Map *map, uint32_t parent_image, uint32_t *image)
{
	if (map->depth > map->parameter)
		return stay(parent_image, image);
	return child(map, parent_image, image);
}

bool
fg_cut_depth(FgContext *ctx, const FgTree *tree, uint32_t depth, FgTree *result)
{
	Map			map;
	bool		ready = map_begin(&map, ctx, tree, true);

	map.parameter = depth;
	return map_tree(&map, ready, cut_node, 0, result);
}

static bool
strip_node(Map *map, uint32_t parent_image, uint32_t *image)
{
	if (map->depth <= map->parameter)
		return stay(parent_image, image);
	return child(map, parent_image, image);
}

bool
fg_strip_outer(FgContext *ctx, const FgTree *tree, uint32_t depth, FgTree *result)
{
	Map			map;
	bool		ready = map_begin(&map, ctx, tree, true);

	map.parameter = depth;
	return map_tree(&map, ready, strip_node, 0, result);
}

static bool
collapse_node(Map *map, uint32_t parent_image, uint32_t *image)
{
	if (map->depth > 1 && map->path[map->depth - 1] == map->frame)
		return stay(parent_image, image);
	return child(map, parent_image, image);
}

bool
fg_collapse_direct(FgContext *ctx, const FgTree *tree, FgTree *result)
{
	Map			map;
	bool		ready = map_begin(&map, ctx, tree, true);

	return map_tree(&map, ready, collapse_node, 0, result);
}

static bool
rename_node(Map *map, uint32_t parent_image, uint32_t *image)
{
	return child(map, parent_image, image);
}

bool
fg_rename_frames(FgContext *ctx, const FgTree *tree, const char *const *bytes,
				 const size_t *length, FgTree *result)
{
	Map			map;
	bool		ready = map_begin(&map, ctx, tree, false);

	for (uint32_t f = 0; ready && f < tree->frames.count; f++)
		ready = fg_builder_frame(map.builder, bytes[f], length[f], &map.name[f]);
	return map_tree(&map, ready, rename_node, 0, result);
}

/* --- cycles ------------------------------------------------------------------ */

/*
 * The kept path: node[k] is the image at kept depth k, frame[k] its frame, and
 * place[f] the kept depth at which f was last put.  A frame is on the path when
 * it is still found in its place; then the stack is cut back to there.  Each
 * source node that puts a frame remembers what it replaced, by source depth, so
 * that leaving its subtree restores the path of its siblings.
 */
typedef struct Replaced
{
	uint32_t	depth;			/* kept depth it was put at, 0 for none */
	uint32_t	node;
	uint32_t	frame;
	uint32_t	place;			/* of the frame that was put */
} Replaced;

typedef struct KeptPath
{
	uint32_t   *node;
	uint32_t   *frame;
	uint32_t   *place;
	uint32_t   *length;			/* by source depth: kept depth of that node */
	Replaced   *replaced;		/* by source depth */
} KeptPath;

static void
restore_path(KeptPath *kept, const Replaced *old)
{
	if (old->depth == 0)
		return;
	kept->place[kept->frame[old->depth]] = old->place;
	kept->node[old->depth] = old->node;
	kept->frame[old->depth] = old->frame;
}

/* Enters a source node; its kept depth goes to kept->length[depth]. */
static bool
keep_frame(Map *map, KeptPath *kept, uint32_t depth, uint32_t frame)
{
	uint32_t	length = kept->length[depth - 1];
	uint32_t	place = kept->place[frame];
	Replaced   *replaced = &kept->replaced[depth];

	replaced->depth = 0;
	if (place != 0 && place <= length && kept->frame[place] == frame)
	{
		kept->length[depth] = place;
		return true;
	}
	length++;
	*replaced = (Replaced) {length, kept->node[length], kept->frame[length], place};
	kept->length[depth] = length;
	kept->frame[length] = frame;
	kept->place[frame] = length;
	return fg_builder_child(map->builder, kept->node[length - 1], map->name[frame],
							&kept->node[length]);
}

static bool
collapse_cycles(Map *map, KeptPath *kept)
{
	const FgTree *tree = map->tree;
	uint32_t	current = 0;

	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);

		if (!fg_check_every(map->ctx, i))
			return false;
		for (; i > 0 && current >= depth; current--)
			restore_path(kept, &kept->replaced[current]);
		current = depth;
		if (i > 0 && !keep_frame(map, kept, depth, fg_key_frame(tree->key[i])))
			return false;
		if (tree->self[i] != 0 &&
			!fg_builder_add_value(map->builder, kept->node[kept->length[depth]], tree->self[i]))
			return false;
	}
	return true;
}

bool
fg_collapse_cycles(FgContext *ctx, const FgTree *tree, FgTree *result)
{
	Map			map;
	bool		ok = map_begin(&map, ctx, tree, true);
	KeptPath	kept = {
		.node = map.image,
		.frame = map.path,
		.place = fg_alloc_zero(ctx, tree->frames.count, sizeof(uint32_t)),
		.length = fg_alloc_zero(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t)),
		.replaced = fg_alloc_zero(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(Replaced))
	};

	ok = ok && kept.place != NULL && kept.length != NULL && kept.replaced != NULL &&
		collapse_cycles(&map, &kept);
	fg_release(ctx, kept.place);
	fg_release(ctx, kept.length);
	fg_release(ctx, kept.replaced);
	return map_end(&map, ok, result);
}

/* --- maps of whole stacks ------------------------------------------------------ */

/* Adds the frames path[from], path[from +- 1], ..., path[to] as one stack. */
static bool
add_frames(Map *map, uint32_t from, uint32_t to, double value)
{
	uint32_t	node = 0;
	int64_t		step = from <= to ? 1 : -1;

	for (int64_t d = from; d != (int64_t) to + step; d += step)
	{
		if (!fg_builder_child(map->builder, node, map->name[map->path[d]], &node))
			return false;
	}
	return fg_builder_add_value(map->builder, node, value);
}

static bool
map_stacks(Map *map, bool reverse, uint32_t frames)
{
	const FgTree *tree = map->tree;

	if (tree->self[0] != 0 && !fg_builder_add_value(map->builder, 0, tree->self[0]))
		return false;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	stop = depth > frames ? depth - frames + 1 : 1;

		map->path[depth] = fg_key_frame(tree->key[i]);
		if (!fg_steps(map->ctx, tree->self[i] != 0 ? depth - stop + 1 : 1))
			return false;
		if (tree->self[i] != 0 &&
			!(reverse ? add_frames(map, depth, stop, tree->self[i])
			  : add_frames(map, stop, depth, tree->self[i])))
			return false;
	}
	return true;
}

bool
fg_invert(FgContext *ctx, const FgTree *tree, FgTree *result)
{
	Map			map;
	bool		ok = map_begin(&map, ctx, tree, true);

	return map_end(&map, ok && map_stacks(&map, true, FG_MAX_DEPTH), result);
}

bool
fg_k_context(FgContext *ctx, const FgTree *tree, uint32_t k, FgTree *result)
{
	Map			map;
	bool		ok = map_begin(&map, ctx, tree, true);
	uint32_t	frames = k < FG_MAX_DEPTH ? k + 1 : FG_MAX_DEPTH;

	return map_end(&map, ok && map_stacks(&map, false, frames), result);
}

/* --- values ---------------------------------------------------------------------- */

bool
fg_cumulate(FgContext *ctx, const FgTree *tree, FgTree *result)
{
	if (!fg_tree_copy(ctx, tree, result))
		return false;
	if (fg_tree_totals(ctx, tree, result->self))
	{
		result->self[0] = 0;
		if (fg_tree_prune_zeros(ctx, result))
			return true;
	}
	fg_tree_free(ctx, result);
	return false;
}

/* A node counts when no ancestor has its frame; open[f] counts those on the path. */
static bool
add_outermost(FgContext *ctx, const FgTree *tree, const double *total, uint32_t *path,
			  uint32_t *open, double *totals)
{
	uint32_t	current = 0;
	double		check = 0;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);

		if (!fg_check_every(ctx, i))
			return false;
		for (; current >= depth; current--)
			open[path[current]]--;
		if (open[frame]++ == 0)
			totals[frame] += total[i];
		check += totals[frame] * 0;
		path[depth] = frame;
		current = depth;
	}
	return check == 0 || fg_fail(ctx, FG_ERROR_RANGE, "an inclusive value is out of range");
}

static bool
add_any_numbers(FgContext *ctx, const FgTree *tree, uint32_t *path, uint32_t *open, double *totals)
{
	double	   *total = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	bool		ok = total != NULL && fg_tree_totals(ctx, tree, total) &&
		add_outermost(ctx, tree, total, path, open, totals);

	fg_release(ctx, total);
	return ok;
}

/* The path of a walk; below[d] is what has been seen of the subtree at depth d. */
typedef struct OpenPath
{
	uint32_t	depth;
	uint32_t   *frame;
	uint32_t   *open;			/* by frame: nodes on the path */
	double	   *below;
} OpenPath;

static void
leave(OpenPath *path, uint32_t depth, double *totals)
{
	for (; path->depth >= depth; path->depth--)
	{
		uint32_t	frame = path->frame[path->depth];
		double		total = path->below[path->depth];

		if (--path->open[frame] == 0)
			totals[frame] += total;
		path->below[path->depth - 1] += total;
	}
}

/*
 * The same in one pass where plain sums are exact (see sums.h), as those of counts of samples
 * are, in two thirds of the time.  "exact" is left unset where other sums are needed.
 */
static bool
add_whole_numbers(FgContext *ctx, const FgTree *tree, OpenPath *path, double *totals, bool *exact)
{
	double		norm = 0;

	*exact = false;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);

		if (!fg_check_every(ctx, i - 1))
			return false;
		if (!fg_sums_exactly(&norm, tree->self[i]))
			return true;
		leave(path, depth, totals);
		path->depth = depth;
		path->frame[depth] = frame;
		path->open[frame]++;
		path->below[depth] = tree->self[i];
	}
	leave(path, 1, totals);
	*exact = true;
	return true;
}

bool
fg_frame_total_values(FgContext *ctx, const FgTree *tree, double *totals)
{
	size_t		depths = (size_t) fg_tree_depth_bound(tree) + 1;
	uint32_t	count = tree->frames.count;
	OpenPath	path = {0, fg_alloc(ctx, depths, sizeof(uint32_t)),
	fg_alloc_zero(ctx, count, sizeof(uint32_t)), fg_alloc_zero(ctx, depths, sizeof(double))};
	bool		exact = false;
	bool		ok;

	memset(totals, 0, count * sizeof(double));
	ok = path.frame != NULL && path.open != NULL && path.below != NULL &&
		add_whole_numbers(ctx, tree, &path, totals, &exact);
	if (ok && !exact)
	{
		memset(totals, 0, count * sizeof(double));
		memset(path.open, 0, count * sizeof(uint32_t));
		ok = add_any_numbers(ctx, tree, path.frame, path.open, totals);
	}
	fg_release(ctx, path.frame);
	fg_release(ctx, path.open);
	fg_release(ctx, path.below);
	return ok;
}

bool
fg_frame_totals(FgContext *ctx, const FgTree *tree, FgTree *result)
{
	uint32_t	count = tree->frames.count;

	if (!fg_tree_alloc(ctx, result, count))
		return false;
	for (uint32_t f = 0; f < count; f++)
		result->key[f + 1] = fg_key(1, f);
	if (fg_frame_total_values(ctx, tree, result->self + 1) &&
		fg_frames_copy(ctx, &tree->frames, &result->frames) && fg_tree_prune_zeros(ctx, result))
		return true;
	fg_tree_free(ctx, result);
	return false;
}

bool
fg_frame_self_value(FgContext *ctx, const FgTree *tree, uint32_t frame, double *self)
{
	*self = 0;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (fg_key_frame(tree->key[i]) == frame)
			*self += tree->self[i];
	}
	return isfinite(*self) || fg_fail(ctx, FG_ERROR_RANGE, "the value of a frame is out of range");
}

bool
fg_select_stacks(FgContext *ctx, const FgTree *tree, const uint8_t *keep, FgTree *result)
{
	if (!fg_tree_copy(ctx, tree, result))
		return false;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
		{
			fg_tree_free(ctx, result);
			return false;
		}
		if (!keep[i])
			result->self[i] = 0;
	}
	if (fg_tree_prune_zeros(ctx, result))
		return true;
	fg_tree_free(ctx, result);
	return false;
}

/* --- pruning ------------------------------------------------------------------------ */

typedef struct Pruning
{
	const double *weight;		/* of each node: sum of |v| at and below it */
	double		least;
	bool		with_other;
	uint32_t	other;			/* the builder's number of that frame */
} Pruning;

/* image: the kept node, or where its values go: a child "other", or nowhere. */
static bool
prune_nodes(Map *map, const Pruning *pruning)
{
	const FgTree *tree = map->tree;
	uint32_t	cut = UINT32_MAX;	/* depth of the topmost node cut off on this path */

	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	image = 0;

		if (!fg_check_every(map->ctx, i))
			return false;
		map->frame = fg_key_frame(tree->key[i]);
		if (depth <= cut)
			cut = UINT32_MAX;
		if (i > 0 && cut != UINT32_MAX)
			image = map->image[depth - 1];
		else if (i > 0 && pruning->weight[i] >= pruning->least)
		{
			if (!child(map, map->image[depth - 1], &image))
				return false;
		}
		else if (i > 0)
		{
			cut = depth;
			image = NOWHERE;
			if (pruning->with_other &&
				!fg_builder_child(map->builder, map->image[depth - 1], pruning->other, &image))
				return false;
		}
		map->image[depth] = image;
		if (image != NOWHERE && tree->self[i] != 0 &&
			!fg_builder_add_value(map->builder, image, tree->self[i]))
			return false;
	}
	return true;
}

bool
fg_subtree_weights(FgContext *ctx, const FgTree *tree, double *weight)
{
	FgTree		absolute = *tree;
	double	   *values = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	bool		ok;

	if (values == NULL)
		return false;
	absolute.self = values;
	ok = true;
	for (uint32_t i = 0; ok && i <= tree->nnodes; i++)
	{
		values[i] = fabs(tree->self[i]);
		ok = fg_check_every(ctx, i);
	}
	ok = ok && fg_tree_totals(ctx, &absolute, weight);
	fg_release(ctx, values);
	return ok;
}

bool
fg_prune(FgContext *ctx, const FgTree *tree, double share, const char *other,
		 size_t other_length, FgTree *result)
{
	Map			map;
	Pruning		pruning = {.with_other = other != NULL};
	bool		ok = map_begin(&map, ctx, tree, true);
	double	   *weight = ok ? fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double)) : NULL;

	ok = weight != NULL && fg_subtree_weights(ctx, tree, weight) &&
		(other == NULL || fg_builder_frame(map.builder, other, other_length, &pruning.other));
	if (ok)
	{
		pruning.weight = weight;
		pruning.least = share * weight[0];
		ok = prune_nodes(&map, &pruning);
	}
	fg_release(ctx, weight);
	return map_end(&map, ok, result);
}
