/*
 * tree_pair.c
 *	  Two trees over one dictionary (see tree_pair.h).
 */
#include "core/profile/tree_pair.h"

#include <string.h>

static bool
is_identity(const uint32_t *map, uint32_t count)
{
	return count == 0 || map[count - 1] == count - 1;	/* maps are strictly monotone */
}

bool
fg_tree_renumber(FgContext *ctx, const FgTree *tree, const uint32_t *map, uint64_t **keys)
{
	uint64_t   *renumbered;

	*keys = NULL;
	if (is_identity(map, tree->frames.count))
		return true;
	renumbered = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint64_t));
	if (renumbered == NULL)
		return false;
	renumbered[0] = FG_ROOT_KEY;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint64_t	key = tree->key[i];

		renumbered[i] = (key & ~(uint64_t) UINT32_MAX) | map[fg_key_frame(key)];
		if (!fg_check_every(ctx, i))
		{
			fg_release(ctx, renumbered);
			return false;
		}
	}
	*keys = renumbered;
	return true;
}

void
fg_tree_pair_end(FgContext *ctx, FgTreePair *both)
{
	fg_release(ctx, both->own_a);
	fg_release(ctx, both->own_b);
	fg_frames_free(ctx, &both->frames);
}

bool
fg_tree_pair_begin(FgContext *ctx, const FgTree *a, const FgTree *b, FgTreePair *both)
{
	uint32_t   *map_a;
	uint32_t   *map_b;
	bool		ok;

	memset(both, 0, sizeof(*both));
	both->a = a;
	both->b = b;
	both->key_a = a->key;
	both->key_b = b->key;
	both->shared = fg_frames_equal(&a->frames, &b->frames);
	if (both->shared)
		return true;
	map_a = fg_alloc(ctx, a->frames.count, sizeof(uint32_t));
	map_b = fg_alloc(ctx, b->frames.count, sizeof(uint32_t));
	ok = map_a != NULL && map_b != NULL &&
		fg_frames_union(ctx, &a->frames, &b->frames, &both->frames, map_a, map_b) &&
		fg_tree_renumber(ctx, a, map_a, &both->own_a) && fg_tree_renumber(ctx, b, map_b, &both->own_b);
	fg_release(ctx, map_a);
	fg_release(ctx, map_b);
	if (!ok)
	{
		fg_tree_pair_end(ctx, both);
		return false;
	}
	if (both->own_a != NULL)
		both->key_a = both->own_a;
	if (both->own_b != NULL)
		both->key_b = both->own_b;
	return true;
}

bool
fg_tree_pair_take_frames(FgContext *ctx, FgTreePair *both, FgFrames *frames)
{
	if (both->shared)
		return fg_frames_copy(ctx, &both->a->frames, frames);
	*frames = both->frames;
	memset(&both->frames, 0, sizeof(both->frames));
	return true;
}
