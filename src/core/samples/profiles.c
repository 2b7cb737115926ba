/*
 * profiles.c
 *	  Many profiles, read one at a time (see profiles.h).
 */
#include "core/samples/profiles.h"

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
fg_accumulate_profiles(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
					   FgAccumulator *accumulator)
{
	for (size_t i = 0; i < profiles->count; i++)
	{
		FgTree		values;

		if (!fg_profiles_read(ctx, profiles, i, level, &values) ||
			!fg_accumulator_add(accumulator, &values))
			return false;
	}
	return true;
}
