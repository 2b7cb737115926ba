/*
 * energy.c
 *	  energy_test(): the two-sample test that works with more stacks than profiles.
 */
#include "pg/base/arguments.h"

#include "core/compare/energy.h"
#include "pg/base/arrays.h"
#include "pg/base/rows.h"

/* The profiles of two groups, the first group first. */
static bool
read_either(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const FgProfiles *groups = arg;
	const FgProfiles *group = i < groups[0].count ? &groups[0] : &groups[1];

	return group->read(ctx, group->arg, i < groups[0].count ? i : i - groups[0].count, profile);
}

PG_FUNCTION_INFO_V1(flamegraph_energy_test);
Datum
flamegraph_energy_test(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgProfiles	groups[2] = {
		fg_profiles_argument(fcinfo, 0, "before"), fg_profiles_argument(fcinfo, 1, "after")
	};
	FgProfiles	all = {read_either, groups, groups[0].count + groups[1].count};
	bool		normalised = DatumGetBool(fg_required(fcinfo, 2, "normalised"));
	uint32_t	permutations = fg_positive_argument(fcinfo, 3, "permutations");
	uint64_t	seed = (uint64_t) DatumGetInt64(fg_required(fcinfo, 4, "seed"));
	FgDistances distances;
	FgEnergyTest test;
	Datum		values[3] = {0};
	bool		nulls[3] = {true, true, true};

	if (groups[0].count == 0 || groups[1].count == 0)
		return fg_record_datum(fcinfo, values, nulls);
	fg_must(&ctx, fg_distances(&ctx, &all, normalised, FG_DISTANCES_MEMORY, &distances) &&
			fg_energy_test(&ctx, &distances, groups[0].count, permutations, seed, &test));
	fg_distances_free(&ctx, &distances);
	nulls[0] = nulls[1] = nulls[2] = false;
	values[0] = Float8GetDatum(test.statistic);
	values[1] = Float8GetDatum(test.p_value);
	values[2] = BoolGetDatum(test.exact);
	return fg_record_datum(fcinfo, values, nulls);
}
