/*
 * flameseries.c
 *	  A series in memory: its end and its profiles (see flameseries.h).
 */
#include "core/series/flameseries.h"

#include "core/profile/walk.h"

#include <string.h>

void
fg_flameseries_free(FgContext *ctx, FgFlameseries *series)
{
	fg_tree_free(ctx, &series->tree);
	fg_frames_free(ctx, &series->instances);
	fg_release(ctx, series->at);
	fg_release(ctx, series->instance);
	fg_release(ctx, series->start);
	fg_release(ctx, series->node);
	fg_release(ctx, series->value);
	memset(series, 0, sizeof(*series));
}

bool
fg_flameseries_profiles_begin(FgContext *ctx, const FgFlameseries *series,
							  FgFlameseriesProfiles *profiles)
{
	size_t		nodes = (size_t) series->tree.nnodes + 1;
	FgWalk		walk;

	*profiles = (FgFlameseriesProfiles) {
		.ctx = ctx,
		.series = series,
		.parent = fg_alloc(ctx, nodes, sizeof(uint32_t)),
		.taken = fg_alloc_zero(ctx, nodes, sizeof(uint32_t)),
		.nodes = fg_alloc(ctx, nodes, sizeof(uint32_t))
	};
	if (profiles->parent == NULL || profiles->taken == NULL || profiles->nodes == NULL ||
		!fg_subset_begin(ctx, &series->tree.frames, &profiles->subset) ||
		!fg_walk_begin(ctx, &series->tree, &walk))
	{
		fg_flameseries_profiles_end(profiles);
		return false;
	}
	profiles->parent[0] = 0;
	while (fg_walk_next(&walk))
		profiles->parent[walk.node] = fg_walk_parent(&walk);
	if (fg_walk_end(&walk))
		return true;
	fg_flameseries_profiles_end(profiles);
	return false;
}

void
fg_flameseries_profiles_end(FgFlameseriesProfiles *profiles)
{
	fg_subset_end(&profiles->subset);
	fg_release(profiles->ctx, profiles->parent);
	fg_release(profiles->ctx, profiles->taken);
	fg_release(profiles->ctx, profiles->nodes);
}

/*
 * The nodes of a profile in preorder, without the root.  Entries come in preorder, so an ancestor
 * of one that the entry before does not have comes behind that: each entry adds a chain at the
 * end.
 */
static bool
collect_nodes(FgFlameseriesProfiles *profiles, uint32_t number, uint32_t *count)
{
	const FgFlameseries *series = profiles->series;

	*count = 0;
	for (uint32_t e = series->start[number]; e < series->start[number + 1]; e++)
	{
		uint32_t	first = *count;

		for (uint32_t node = series->node[e]; node != 0 && profiles->taken[node] != number + 1;
			 node = profiles->parent[node])
		{
			profiles->taken[node] = number + 1;
			profiles->nodes[(*count)++] = node;
		}
		for (uint32_t i = first, j = *count; i + 1 < j; i++)
		{
			uint32_t	swapped = profiles->nodes[--j];

			profiles->nodes[j] = profiles->nodes[i];
			profiles->nodes[i] = swapped;
		}
		if (!fg_steps(profiles->ctx, *count - first + 1))
			return false;
	}
	return true;
}

bool
fg_flameseries_profile(FgFlameseriesProfiles *profiles, uint32_t number, FgTree *tree)
{
	const FgFlameseries *series = profiles->series;
	uint32_t	e = series->start[number];
	uint32_t	count;

	if (!collect_nodes(profiles, number, &count) || !fg_tree_alloc(profiles->ctx, tree, count))
		return false;
	if (e < series->start[number + 1] && series->node[e] == 0)
		tree->self[0] = series->value[e++];
	for (uint32_t i = 0; i < count; i++)
	{
		bool		here = e < series->start[number + 1] && series->node[e] == profiles->nodes[i];

		tree->key[i + 1] = series->tree.key[profiles->nodes[i]];
		tree->self[i + 1] = here ? series->value[e++] : 0;
	}
	if (fg_subset_take(&profiles->subset, tree))
		return true;
	fg_tree_free(profiles->ctx, tree);
	return false;
}
