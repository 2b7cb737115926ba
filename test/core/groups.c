/*
 * groups.c
 *	  Two groups of profiles (see groups.h).
 */
#include "groups.h"

#include "core/profile/walk.h"

static bool
read_copy(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	return fg_tree_copy(ctx, &((const FgTree *) arg)[i], profile);
}

static void
settle(Groups *groups)
{
	for (int g = 0; g < 2; g++)
	{
		groups->profiles[g] = (FgProfiles) {
			.read = read_copy, .arg = groups->trees + (g == 0 ? 0 : groups->n[0]),
			.count = groups->n[g]
		};
	}
}

void
groups_of_texts(Groups *groups, const char *const *before, const char *const *after)
{
	const char *const *texts[2] = {before, after};
	uint32_t	n = 0;

	groups->ctx = fg_malloc_context();
	for (int g = 0; g < 2; g++)
	{
		groups->n[g] = 0;
		for (; texts[g][groups->n[g]] != NULL; groups->n[g]++)
			groups->trees[n++] = tree_of_text(&groups->ctx, texts[g][groups->n[g]]);
	}
	settle(groups);
}

void
groups_random(Groups *groups, UnitRandom *random, uint32_t n1, uint32_t n2, uint32_t keys)
{
	groups->ctx = fg_malloc_context();
	groups->n[0] = n1;
	groups->n[1] = n2;
	for (uint32_t i = 0; i < n1 + n2; i++)
	{
		Naive		profile = {0};

		for (uint32_t k = 0; k < keys; k++)
		{
			char		frame[8];
			int			length = snprintf(frame, sizeof(frame), "f%u", k);
			uint32_t	value = unit_below(random, 3 + k % 4);

			/* the last key has grown in all */
			if (k == keys - 1 && i >= n1)
				value += 3;
			naive_add(&profile, frame, (size_t) length, value);
		}
		naive_settle(&profile);
		groups->trees[i] = naive_tree(&groups->ctx, &profile);
		naive_free(&profile);
	}
	settle(groups);
}

void
groups_free(Groups *groups)
{
	for (uint32_t i = 0; i < groups->n[0] + groups->n[1]; i++)
		fg_tree_free(&groups->ctx, &groups->trees[i]);
}

bool
groups_compare(FgContext *ctx, const Groups *groups, const FgCompareOptions *options,
			   FgWelchComparison *comparison)
{
	FgAccumulator sums[2];
	FgGroup		group[2] = {{.n = 0}, {.n = 0}};
	bool		ok = true;

	fg_accumulator_init(ctx, &sums[0], FG_ACCUMULATE_MOMENTS);
	fg_accumulator_init(ctx, &sums[1], FG_ACCUMULATE_MOMENTS);
	for (int g = 0; ok && g < 2; g++)
	{
		group[g].n = groups->n[g];
		ok = fg_accumulate_profiles(ctx, &groups->profiles[g], options->level, &sums[g], NULL);
		group[g].moments = ok ? fg_accumulator_moments(&sums[g]) : NULL;
		ok = group[g].moments != NULL;
	}
	ok = ok && fg_compare(ctx, &group[0], &group[1], options, comparison);
	fg_accumulator_free(&sums[0]);
	fg_accumulator_free(&sums[1]);
	return ok;
}

static size_t
path_of_text(const char *stack, char *path)
{
	size_t		length = strlen(stack);

	for (size_t i = 0; i < length; i++)
		path[i] = stack[i] == ';' ? '\0' : stack[i];
	return length;
}

const FgDifference *
groups_row(const FgWelchComparison *comparison, const char *stack)
{
	char		path[256];
	size_t		length = path_of_text(stack, path);
	uint32_t	node = fg_tree_find(&comparison->keys, path, length);

	for (uint32_t i = 0; i < comparison->count; i++)
	{
		if (comparison->rows[i].node == node)
			return &comparison->rows[i];
	}
	return NULL;
}

static size_t
path_of_node(const FgTree *tree, uint32_t node, char *path)
{
	uint32_t	depth = fg_key_depth(tree->key[node]);
	const char *frames[64];
	uint32_t	lengths[64];
	size_t		length = 0;

	for (uint32_t i = node, d = depth; d > 0; i--)
	{
		if (fg_key_depth(tree->key[i]) != d)
			continue;
		d--;
		frames[d] = fg_frame_bytes(&tree->frames, fg_key_frame(tree->key[i]));
		lengths[d] = fg_frame_length(&tree->frames, fg_key_frame(tree->key[i]));
	}
	for (uint32_t d = 0; d < depth; d++)
	{
		if (d > 0)
			path[length++] = '\0';
		memcpy(path + length, frames[d], lengths[d]);
		length += lengths[d];
	}
	return length;
}

double
groups_value(const Groups *groups, uint32_t profile, FgLevel level,
			 const FgWelchComparison *comparison, const FgDifference *row)
{
	FgContext	ctx = fg_malloc_context();
	char		path[4096];
	size_t		length = path_of_node(&comparison->keys, row->node, path);
	FgTree		tree;
	uint32_t	node;
	double		value;

	CHECK(fg_level_apply(&ctx, &groups->trees[profile], level, &tree));
	node = fg_tree_find(&tree, path, length);
	value = node == FG_NONE ? 0 : tree.self[node];
	fg_tree_free(&ctx, &tree);
	return value;
}
