/*
 * profiles.c
 *	  Many profiles, read one at a time (see profiles.h).
 */
#include "core/samples/profiles.h"

#include <string.h>

bool
fg_profiles_read(FgContext *ctx, const FgProfiles *profiles, size_t i, FgLevel level,
				 FgTree *values)
{
	FgTree		profile;
	bool		ok;

	if (level == FG_LEVEL_STACK)
		return profiles->read(ctx, profiles->arg, i, values);
	if (!profiles->read(ctx, profiles->arg, i, &profile))
		return false;
	ok = fg_level_apply(ctx, &profile, level, values);
	fg_tree_free(ctx, &profile);
	return ok;
}

bool
fg_kept_begin(FgContext *ctx, FgKeptProfiles *kept, size_t count, size_t memory)
{
	*kept = (FgKeptProfiles) {fg_alloc_zero(ctx, count, sizeof(FgTree)), count, memory};
	return kept->tree != NULL;
}

void
fg_kept_end(FgContext *ctx, FgKeptProfiles *kept)
{
	for (size_t i = 0; kept->tree != NULL && i < kept->count; i++)
		fg_tree_free(ctx, &kept->tree[i]);
	fg_release(ctx, kept->tree);
	kept->tree = NULL;
}

static size_t
bytes_of(const FgTree *tree)
{
	const FgFrames *frames = &tree->frames;
	size_t		bytes = ((size_t) tree->nnodes + 1) * (sizeof(uint64_t) + sizeof(double));

	if (frames->count == 0)
		return bytes;
	return bytes + frames->count * sizeof(uint32_t) + frames->offset[frames->count];
}

/* Once there is no room for one, smaller ones that come later may still have it. */
bool
fg_kept_copy(FgContext *ctx, FgKeptProfiles *kept, size_t i, const FgTree *values)
{
	size_t		bytes = bytes_of(values);

	if (bytes > kept->room)
		return true;
	kept->room -= bytes;
	return fg_tree_copy(ctx, values, &kept->tree[i]);
}

void
fg_kept_give(FgContext *ctx, FgKeptProfiles *kept, size_t i, FgTree *values)
{
	size_t		bytes = bytes_of(values);

	if (bytes > kept->room)
	{
		fg_tree_free(ctx, values);
		return;
	}
	kept->room -= bytes;
	kept->tree[i] = *values;
	memset(values, 0, sizeof(FgTree));
}

bool
fg_kept_take(FgContext *ctx, FgKeptProfiles *kept, const FgProfiles *profiles, size_t i,
			 FgLevel level, FgTree *values)
{
	if (kept->tree[i].key == NULL)
		return fg_profiles_read(ctx, profiles, i, level, values);
	*values = kept->tree[i];
	memset(&kept->tree[i], 0, sizeof(FgTree));
	return true;
}

bool
fg_accumulate_profiles(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
					   FgAccumulator *accumulator, FgKeptProfiles *kept)
{
	for (size_t i = 0; i < profiles->count; i++)
	{
		FgTree		values;

		if (!fg_profiles_read(ctx, profiles, i, level, &values))
			return false;
		if (kept != NULL && !fg_kept_copy(ctx, kept, i, &values))
		{
			fg_tree_free(ctx, &values);
			return false;
		}
		if (!fg_accumulator_add(accumulator, &values))
			return false;
	}
	return true;
}
