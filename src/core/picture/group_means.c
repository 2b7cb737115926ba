/*
 * group_means.c
 *	  Groups of profiles and their means (see group_means.h).
 */
#include "core/picture/group_means.h"

#include "core/profile/algebra.h"

const char fg_negative_hint[] =
"What a profile has less than another is drawn as such, not as a negative value.";

bool
fg_divided(FgContext *ctx, const FgTree *tree, double factor, FgTree *result)
{
	return factor == 1 ? fg_tree_copy(ctx, tree, result) : fg_divide(ctx, tree, factor, result);
}

/* --- checked profiles ------------------------------------------------------------------ */

static bool
has_negative(FgContext *ctx, const FgTree *tree, bool *negative)
{
	size_t		nodes = (size_t) tree->nnodes + 1;
	size_t		end;
	int			below = 0;

	for (size_t i = 0; i < nodes; i = end)
	{
		if (!fg_next_block(ctx, i, nodes, &end))
			return false;
		for (size_t k = i; k < end; k++)
			below |= tree->self[k] < 0;
	}
	*negative = below != 0;
	return true;
}

static bool
read_checked(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const FgCheckedProfiles *checked = arg;
	bool		negative = false;

	if (!checked->from->read(ctx, checked->from->arg, i, profile))
		return false;
	if (has_negative(ctx, profile, &negative) && !negative)
		return true;
	fg_tree_free(ctx, profile);
	if (!negative)
		return false;
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, fg_negative_hint,
					  "profile %zu of \"%s\" has negative values", i + 1, checked->name);
}

void
fg_check_profiles(const FgProfiles *from, const char *name, FgCheckedProfiles *checked)
{
	*checked = (FgCheckedProfiles) {{read_checked, checked, from->count}, from, name};
}

bool
fg_checked_profiles_read(FgContext *ctx, const FgCheckedProfiles *checked)
{
	for (size_t i = 0; i < checked->profiles.count; i++)
	{
		FgTree		profile;

		if (!checked->profiles.read(ctx, checked->profiles.arg, i, &profile))
			return false;
		fg_tree_free(ctx, &profile);
	}
	return true;
}

/* --- sums of what somebody else reads ---------------------------------------------------- */

static bool
read_and_add(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	FgTee	   *tee = arg;
	FgTree		copy;

	if (!tee->from->read(ctx, tee->from->arg, i, profile))
		return false;
	if (i < tee->next)
		return true;
	tee->next = i + 1;
	tee->added++;
	if (fg_tree_copy(ctx, profile, &copy) && fg_accumulator_add(&tee->sum, &copy))
		return true;
	fg_tree_free(ctx, profile);
	return false;
}

void
fg_tee_begin(FgContext *ctx, const FgProfiles *from, FgTee *tee)
{
	*tee = (FgTee) {.profiles = {read_and_add, tee, from->count}, .from = from};
	fg_accumulator_init(ctx, &tee->sum, FG_ACCUMULATE_SUM);
}

void
fg_tee_end(FgTee *tee)
{
	fg_accumulator_free(&tee->sum);
}

bool
fg_tee_mean(FgContext *ctx, FgTee *tee, double factor, FgTree *mean)
{
	const FgTree *sum = fg_accumulator_total(&tee->sum);

	return sum != NULL && fg_divided(ctx, sum, (double) tee->added * factor, mean);
}

/* --- moments ------------------------------------------------------------------------------ */

static bool
add_profile(FgContext *ctx, const FgProfiles *profiles, size_t i, FgLevel level,
			FgAccumulator *accumulator)
{
	FgTree		profile;
	FgMoments	moments;

	if (!profiles->read(ctx, profiles->arg, i, &profile))
		return false;
	if (level == FG_LEVEL_STACK)
		return fg_accumulator_add(accumulator, &profile);
	return fg_moments_of_contexts(ctx, &profile, &moments) &&
		fg_accumulator_add_moments(accumulator, &moments);
}

bool
fg_group_of_stacks(FgContext *ctx, const FgProfiles *profiles, FgLevel level,
				   FgAccumulator *moments, FgGroup *group)
{
	*group = (FgGroup) {.n = profiles->count};
	for (size_t i = 0; i < profiles->count; i++)
		if (!add_profile(ctx, profiles, i, level, moments))
			return false;
	group->moments = fg_accumulator_moments(moments);
	return group->moments != NULL;
}

bool
fg_group_mean(FgContext *ctx, const FgGroup *group, double factor, FgTree *mean)
{
	FgTree		sum = group->moments->support;

	sum.self = group->moments->own != NULL ? group->moments->own : group->moments->sum;
	return fg_divided(ctx, &sum, (double) group->n * factor, mean);
}
